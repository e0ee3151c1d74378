// Uniform in [0, 1): the numbers of tl.rand.
__device__ __forceinline__ float rand_uniform(int64_t seed, uint64_t offset) { return uniform_of(philox(seed, offset).of[0]); }
