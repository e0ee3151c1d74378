// Normal: the numbers of tl.randn.
__device__ __forceinline__ float rand_normal(int64_t seed, uint64_t offset) {
    const Four drawn = philox(seed, offset);
    return normal_of(uniform_of(drawn.of[0]), uniform_of(drawn.of[1]));
}
