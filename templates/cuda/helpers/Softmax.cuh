// The largest value so far, and the sum of exponentials relative to it.
template <typename T>
struct Softmax {
    T max, sum;

    __device__ __forceinline__ Softmax with(T value, T more = T(1)) const {
        const T largest = maximum(max, value);
        if (largest == -INFINITY) return {largest, sum + more};
        return {largest, sum * scaled(max - largest) + more * scaled(value - largest)};
    }
    static __device__ __forceinline__ float scaled(float x) { return expf(x); }
    static __device__ __forceinline__ double scaled(double x) { return exp(x); }
};

template <typename T>
__device__ __forceinline__ Softmax<T> shuffled(Softmax<T> value, int step) {
    return {shuffled(value.max, step), shuffled(value.sum, step)};
}

struct MergeSoftmax {
    template <typename T>
    __device__ __forceinline__ Softmax<T> operator()(Softmax<T> a, Softmax<T> b) const { return a.with(b.max, b.sum); }
};
