// Whole numbers in [low, high): those of Inductor's triton_helpers.randint64.
__device__ __forceinline__ int64_t rand_between(int64_t seed, uint64_t offset, int64_t low, int64_t high) {
    const Four drawn = philox(seed, offset);
    return int64_t((drawn.of[0] | uint64_t(drawn.of[1]) << 32) % uint64_t(high - low)) + low;
}
