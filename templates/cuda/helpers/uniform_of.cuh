// 32 bits as a number in [0, 1), as tl.rand.
__device__ __forceinline__ float uniform_of(uint32_t bits) {
    const int number = int(bits);
    return float(number < 0 ? -number - 1 : number) * 4.6566127342e-10f;
}
