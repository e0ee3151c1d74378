// The value of the thread whose number in the warp differs in the bit `step`.
template <typename T>
__device__ __forceinline__ T shuffled(T value, int step) { return T(__shfl_xor_sync(0xffffffffu, value, step)); }
