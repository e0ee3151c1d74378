// A block's tile of a product in float: 256 threads with 4 x 4 sums each, 16 rows and 16 columns apart.
struct FloatProduct {
    static constexpr int THREADS = 256, ROWS = 64, COLUMNS = 64, DEPTH = 16, COUNT = 16;
    float sums[COUNT] = {};

    // The row and the column of a thread's k-th sum.
    static __device__ __forceinline__ int row(int k) { return threadIdx.x / 16 + k / 4 * 16; }
    static __device__ __forceinline__ int column(int k) { return threadIdx.x % 16 + k % 4 * 16; }

    template <typename Left, typename Right>
    __device__ __forceinline__ void add(const Left& left, const Right& right) {
#pragma unroll
        for (int r = 0; r < DEPTH; ++r) {
            float a[4], b[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) a[k] = *left.at(row(4 * k), r), b[k] = *right.at(r, column(k));
#pragma unroll
            for (int k = 0; k < COUNT; ++k) sums[k] = fmaf(a[k / 4], b[k % 4], sums[k]);
        }
    }
    __device__ __forceinline__ void finish() {}
};
