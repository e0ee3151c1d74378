// One value of each of a row's LANES threads, combined with those of all threads and all chunks of the row before it (an inclusive scan).
// `before` is what the chunks before came to, and then this one too.
template <int LANES, typename T, typename Combine>
__device__ __forceinline__ T scan_row(T value, Before<T, Combine>& before, bool first, Combine combine) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    #pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const T other = of_lane(value, lane < step ? lane : lane - step);
        if (lane >= step) value = combine(other, value);
    }
    T last = of_lane(value, 31);
    if constexpr (LANES > 32) {
        __shared__ T of_warp[LANES / 32];
        __syncthreads();  // the chunk before may still be read
        if (lane == 31) of_warp[warp] = value;
        __syncthreads();
        last = of_warp[0];
        for (int other = 1; other < LANES / 32; ++other) {
            if (other == warp) value = combine(last, value);
            last = combine(last, of_warp[other]);
        }
    }
    if (first) {
        before = {last};
        return value;
    }
    value = before.with(value);
    before.take(last);
    return value;
}
