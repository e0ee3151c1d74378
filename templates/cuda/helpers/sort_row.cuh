template <int LANES>
__device__ __forceinline__ void wait_for_row() {
    if constexpr (LANES > 32) __syncthreads();
    else if constexpr (LANES > 1) __syncwarp();
}

// Sort a row in shared memory by its LANES threads, in the order of `triton_helpers.sort_with_index`: a bitonic network (Batcher 1968), in
// which neighbouring runs are sorted in turns up and down, and what fills up the row stands behind it.
template <int LANES, typename S, typename OutOfOrder>
__device__ __forceinline__ void sort_row(S* row, int size, int lane, OutOfOrder out_of_order) {
    const int whole = padded(size);
    for (int r = size + lane; r < whole; r += LANES) row[r] = {{}, decltype(S::place)(size)};
    for (int run = 2; run <= whole; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            wait_for_row<LANES>();
            for (int pair = lane; pair < whole / 2; pair += LANES) {
                const int left = 2 * pair - (pair & (step - 1)), right = left + step;
                const S a = row[left], b = row[right];
                const bool a_exists = a.place < size, b_exists = b.place < size, down = left & run;
                if ((b_exists > a_exists || (b_exists == a_exists && out_of_order(a, b))) != down) row[left] = b, row[right] = a;
            }
        }
    wait_for_row<LANES>();
}
