// Add each element of a pack atomically: 16 bytes by one instruction where the card has one for that (sm_90 and later), else one by one.
#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void add_words(float* to, uint4 words) {
    const float4 values = {__uint_as_float(words.x), __uint_as_float(words.y), __uint_as_float(words.z), __uint_as_float(words.w)};
    atomicAdd(reinterpret_cast<float4*>(to), values);
}
#ifdef __CUDA_BF16_TYPES_EXIST__
__device__ __forceinline__ void add_words(__nv_bfloat16* to, uint4 words) {
    asm volatile("red.relaxed.gpu.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};"
                 :: "l"(__cvta_generic_to_global(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w) : "memory");
}
#endif
#ifdef __CUDA_FP16_TYPES_EXIST__
__device__ __forceinline__ void add_words(__half* to, uint4 words) {
    asm volatile("red.relaxed.gpu.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};"
                 :: "l"(__cvta_generic_to_global(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w) : "memory");
}
#endif
#endif

template <int VEC, typename T>
__device__ __forceinline__ void add_all(T* to, Pack<T, VEC> pack, int64_t left = VEC) {
#if __CUDA_ARCH__ >= 900
    if constexpr (VEC * sizeof(T) == 16) {
        uint4 words;
        memcpy(&words, &pack, 16);
        if (left >= VEC) return add_words(to, words);
    }
#endif
    #pragma unroll
    for (int k = 0; k < VEC; ++k) if (k < left) atomicAdd(to + k, pack[k]);
}
