// One value of each of a column's LANES threads, combined through shared memory, for 32 columns side by side. Every thread gets it.
template <int LANES, typename T, typename Combine>
__device__ __forceinline__ T fold_columns(T value, Combine combine) {
    __shared__ T of_lane[LANES][32];
    __syncthreads();  // the fold before may still be read
    of_lane[threadIdx.y][threadIdx.x] = value;
    for (int step = LANES / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.y < step) of_lane[threadIdx.y][threadIdx.x] = combine(of_lane[threadIdx.y][threadIdx.x], of_lane[threadIdx.y + step][threadIdx.x]);
    }
    __syncthreads();
    return of_lane[0][threadIdx.x];
}
