// Normal, four of each draw: the numbers of Inductor's triton_helpers.randn4x.
__device__ __forceinline__ float rand_normal_4x(int64_t seed, uint32_t offset) {
    const Four drawn = philox(seed, offset / 4);
    const int first = offset % 4 / 2 * 2;
    return normal_of(uniform_of(drawn.of[first]), uniform_of(drawn.of[first + 1]), offset % 2);
}
