// A part of a matrix in shared memory; neighbours of a row lie side by side, or of a column, as they do in the tensor.
template <typename T, int ROWS, int COLUMNS, bool BY_ROWS>
struct alignas(32) Tile {
    static constexpr int COUNT = ROWS * COLUMNS, SIDE = BY_ROWS ? COLUMNS : ROWS;
    static constexpr int STEP = SIDE + (sizeof(T) < 4 ? 8 : 1);  // from one to the next: threads beside each other meet different banks
    static constexpr bool ROW_MAJOR = BY_ROWS;
    T of[COUNT / SIDE * STEP];

    // Where its k-th element stands, counted along memory.
    static __device__ __forceinline__ int row(int k) { return BY_ROWS ? k / SIDE : k % SIDE; }
    static __device__ __forceinline__ int column(int k) { return BY_ROWS ? k % SIDE : k / SIDE; }
    __device__ __forceinline__ const T* at(int row, int column) const {
        return of + (BY_ROWS ? row * STEP + column : column * STEP + row);
    }

    // Put VEC elements down from the k-th on.
    template <int VEC>
    __device__ __forceinline__ void put(int k, Pack<T, VEC> pack) {
        T* to = of + k / SIDE * STEP + k % SIDE;
        if (STEP % VEC == 0) *reinterpret_cast<Pack<T, VEC>*>(to) = pack;
        else for (int v = 0; v < VEC; ++v) to[v] = pack[v];
    }
};
