// VEC consecutive elements, read and written by one instruction.
template <typename T, int VEC>
struct alignas(sizeof(T) * VEC <= 16 ? sizeof(T) * VEC : 16) Pack {
    T of[VEC];
    __device__ __forceinline__ T& operator[](int k) { return of[k]; }
    __device__ __forceinline__ T operator[](int k) const { return of[k]; }
};

template <int VEC, typename T>
__device__ __forceinline__ Pack<T, VEC> load(const T* from) { return *reinterpret_cast<const Pack<T, VEC>*>(from); }

template <int VEC, typename T>
__device__ __forceinline__ void store(T* to, Pack<T, VEC> pack) { *reinterpret_cast<Pack<T, VEC>*>(to) = pack; }
