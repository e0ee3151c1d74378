// Mean, sum of squared differences from it, and count. Two merge as in Chan, Golub, LeVeque 1979; equal infinite means stay.
template <typename T>
struct Welford {
    T mean, m2, weight;

    // One value more: Welford 1962.
    __device__ __forceinline__ Welford with(T value) const {
        const T delta = value - mean, count = weight + T(1), next = mean + delta / count;
        return weight == T(0) ? Welford{value, T(0), T(1)} : Welford{next, m2 + delta * (value - next), count};
    }
    // Several values more: their own mean and differences first, in parts that do not overflow.
    template <int COUNT>
    __device__ __forceinline__ Welford with(const T (&values)[COUNT]) const {
        T average = T(0), differences = T(0);
        for (int k = 0; k < COUNT; ++k) average += values[k] * (T(1) / COUNT);
        for (int k = 0; k < COUNT; ++k) differences += (values[k] - average) * (values[k] - average);
        return with(average, differences, T(COUNT));
    }
    __device__ __forceinline__ Welford with(T other_mean, T other_m2, T other_weight) const {
        const T delta = mean == other_mean ? T(0) : other_mean - mean;
        const T count = weight + other_weight, share = count == T(0) ? T(0) : other_weight / count;
        return {mean + delta * share, m2 + other_m2 + delta * delta * weight * share, count};
    }
};

template <typename T>
__device__ __forceinline__ Welford<T> shuffled(Welford<T> value, int step) {
    return {shuffled(value.mean, step), shuffled(value.m2, step), shuffled(value.weight, step)};
}

struct MergeWelford {
    template <typename T>
    __device__ __forceinline__ Welford<T> operator()(Welford<T> a, Welford<T> b) const { return a.with(b.mean, b.m2, b.weight); }
};
