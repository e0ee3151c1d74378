// VEC consecutive elements, read and written by one instruction.
template <typename T, int VEC>
struct alignas(sizeof(T) * VEC <= 16 ? sizeof(T) * VEC : 16) Pack {
    T of[VEC];
    __device__ __forceinline__ T& operator[](int k) { return of[k]; }
};

// The next VEC elements; fewer where the tensor ends.
template <int VEC, typename T>
__device__ __forceinline__ Pack<T, VEC> load(const T* from, int64_t left) {
    Pack<T, VEC> pack;
    if (left >= VEC) return *reinterpret_cast<const Pack<T, VEC>*>(from);
    for (int k = 0; k < VEC; ++k) pack[k] = from[k < left ? k : 0];
    return pack;
}

template <int VEC, typename T>
__device__ __forceinline__ void store(T* to, Pack<T, VEC> pack, int64_t left) {
    if (left >= VEC) *reinterpret_cast<Pack<T, VEC>*>(to) = pack;
    else for (int k = 0; k < left; ++k) to[k] = pack[k];
}
