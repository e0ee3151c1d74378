// A value and its index. A NaN is ahead of any number; of equals, and of two NaNs, the lower index is.
template <typename T>
struct Best {
    T value;
    int64_t index;
};

template <typename T>
__device__ __forceinline__ Best<T> shuffled(Best<T> best, int step) {
    return {shuffled(best.value, step), shuffled(best.index, step)};
}
