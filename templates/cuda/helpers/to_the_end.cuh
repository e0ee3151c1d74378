// The same of fewer elements, where the tensor ends.
template <int VEC, typename T>
__device__ __forceinline__ Pack<T, VEC> load(const T* from, int64_t left) {
    if (left >= VEC) return load<VEC>(from);
    Pack<T, VEC> pack;
    for (int k = 0; k < VEC; ++k) pack[k] = from[k < left ? k : 0];
    return pack;
}

template <int VEC, typename T>
__device__ __forceinline__ void store(T* to, Pack<T, VEC> pack, int64_t left) {
    if (left >= VEC) store(to, pack);
    else for (int k = 0; k < VEC; ++k) if (k < left) to[k] = pack[k];
}
