// 32 random bits as a whole number: those of tl.randint.
__device__ __forceinline__ int rand_bits(int64_t seed, uint64_t offset) { return int(philox(seed, offset).of[0]); }
