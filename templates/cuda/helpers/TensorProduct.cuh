// A block's tile of a product on tensor cores, summed in float: 4 warps with 32 x 32 sums each, in fragments of 16 x 16.
template <typename T>
struct TensorProduct {
    static constexpr int THREADS = 128, ROWS = 64, COLUMNS = 64, DEPTH = 32, COUNT = 32;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> fragments[2][2];
    float sums[COUNT];

    __device__ __forceinline__ TensorProduct() {
#pragma unroll
        for (int k = 0; k < 4; ++k) nvcuda::wmma::fill_fragment(fragments[k / 2][k % 2], 0.0f);
    }

    // The row and the column of a thread's k-th sum: eight of each fragment.
    static __device__ __forceinline__ int row(int k) {
        return threadIdx.x / 64 * 32 + k / 16 * 16 + k % 8 * 2 + threadIdx.x % 32 / 16;
    }
    static __device__ __forceinline__ int column(int k) {
        return threadIdx.x / 32 % 2 * 32 + k / 8 % 2 * 16 + threadIdx.x % 16;
    }

    template <typename Left, typename Right>
    __device__ __forceinline__ void add(const Left& left, const Right& right) {
        using namespace nvcuda::wmma;
        const int y = threadIdx.x / 64 * 32, x = threadIdx.x / 32 % 2 * 32;
#pragma unroll
        for (int r = 0; r < DEPTH; r += 16) {
            fragment<matrix_a, 16, 16, 16, T, typename std::conditional<Left::ROW_MAJOR, row_major, col_major>::type> a[2];
            fragment<matrix_b, 16, 16, 16, T, typename std::conditional<Right::ROW_MAJOR, row_major, col_major>::type> b[2];
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                load_matrix_sync(a[k], left.at(y + 16 * k, r), Left::STEP);
                load_matrix_sync(b[k], right.at(r, x + 16 * k), Right::STEP);
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) mma_sync(fragments[k / 2][k % 2], a[k / 2], b[k % 2], fragments[k / 2][k % 2]);
        }
    }

    // Which thread has which element of a fragment is not told: shared memory hands them out.
    __device__ __forceinline__ void finish() {
        alignas(32) __shared__ float fragment_of[THREADS / 32][16 * 16];
        float* mine = fragment_of[threadIdx.x / 32];
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
            if (k % 8 == 0) {
                __syncwarp();
                nvcuda::wmma::store_matrix_sync(mine, fragments[k / 16][k / 8 % 2], 16, nvcuda::wmma::mem_row_major);
                __syncwarp();
            }
            sums[k] = mine[k % 8 * 32 + threadIdx.x % 32];
        }
    }
};
