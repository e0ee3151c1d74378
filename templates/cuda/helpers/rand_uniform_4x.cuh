// Uniform in [0, 1), four of each draw: the numbers of Inductor's triton_helpers.rand4x.
__device__ __forceinline__ float rand_uniform_4x(int64_t seed, uint32_t offset) {
    return uniform_of(philox(seed, offset / 4).of[offset % 4]);
}
