// One value of each of a column's LANES threads, combined with those of all threads and all chunks of the column before it (an inclusive
// scan), for 32 columns side by side. `before` is what the chunks before came to, and then this one too.
template <int LANES, typename T, typename Combine>
__device__ __forceinline__ T scan_columns(T value, Before<T, Combine>& before, bool first, Combine combine) {
    __shared__ T of_thread[LANES][32];
    const int lane = threadIdx.y, column = threadIdx.x;
    __syncthreads();  // the chunk before may still be read
    of_thread[lane][column] = value;
    for (int step = 1; step < LANES; step *= 2) {
        __syncthreads();
        const T other = of_thread[lane < step ? lane : lane - step][column];
        if (lane >= step) value = combine(other, value);
        __syncthreads();
        of_thread[lane][column] = value;
    }
    __syncthreads();
    const T last = of_thread[LANES - 1][column];
    if (first) {
        before = {last};
        return value;
    }
    value = before.with(value);
    before.take(last);
    return value;
}
