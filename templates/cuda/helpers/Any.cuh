struct Any { template <typename T> __device__ __forceinline__ T operator()(T a, T b) const { return a | b; } };
