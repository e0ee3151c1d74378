// What the chunks of a row before came to.
template <typename T, typename Combine>
struct Before {
    T value;

    __device__ __forceinline__ T with(T next) const { return Combine()(value, next); }
    __device__ __forceinline__ void take(T next) { value = Combine()(value, next); }
};

// Of a sum, with what rounding took off it, which would add up from chunk to chunk: Knuth's exact sum of two.
struct Sum;
template <>
struct Before<float, Sum> {
    float value, rest;

    __device__ __forceinline__ float with(float next) const { return value + (rest + next); }
    __device__ __forceinline__ void take(float next) {
        const float total = value + next, taken = total - value;
        rest = isfinite(total) ? rest + ((value - (total - taken)) + (next - taken)) : 0.0f;
        value = total;
    }
};
