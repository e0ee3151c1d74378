// The smaller of both; a NaN in either comes through (fminf drops it).
template <typename T>
__device__ __forceinline__ T minimum(T a, T b) {
    return a < b || a != a ? a : b;
}
