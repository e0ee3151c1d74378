// One value of each of a row's LANES threads, combined: by shuffles in a warp, through shared memory between warps. Every thread gets it.
template <int LANES, typename T, typename Combine>
__device__ __forceinline__ T fold(T value, Combine combine) {
    #pragma unroll
    for (int step = (LANES < 32 ? LANES : 32) / 2; step > 0; step /= 2) value = combine(value, shuffled(value, step));
    if constexpr (LANES > 32) {
        __shared__ T of_warp[LANES / 32];
        __syncthreads();  // the fold before may still be read
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
        __syncthreads();
        value = of_warp[threadIdx.x % (LANES / 32)];
        #pragma unroll
        for (int step = LANES / 64; step > 0; step /= 2) value = combine(value, shuffled(value, step));
    }
    return value;
}
