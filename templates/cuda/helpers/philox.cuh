// Four whole numbers of 32 bits for each offset: Philox 4x32 with ten rounds, as tl.randint4x (Salmon et al. 2011).
struct Four { uint32_t of[4]; };

__device__ __forceinline__ Four philox(int64_t seed, uint64_t offset) {
    uint32_t c0 = uint32_t(offset), c1 = uint32_t(offset >> 32), c2 = 0, c3 = 0;
    uint32_t k0 = uint32_t(seed), k1 = uint32_t(uint64_t(seed) >> 32);
    #pragma unroll
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = uint64_t(0xD2511F53u) * c0, b = uint64_t(0xCD9E8D57u) * c2;
        c0 = uint32_t(b >> 32) ^ c1 ^ k0;
        c2 = uint32_t(a >> 32) ^ c3 ^ k1;
        c1 = uint32_t(b);
        c3 = uint32_t(a);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}
