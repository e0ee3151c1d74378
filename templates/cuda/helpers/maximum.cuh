// The larger of both; a NaN in either comes through (fmaxf drops it).
template <typename T>
__device__ __forceinline__ T maximum(T a, T b) {
    return a > b || a != a ? a : b;
}
