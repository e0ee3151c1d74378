// Whole numbers divided and rounded down, as Python's //; C++ rounds to zero.
template <typename T>
__device__ __forceinline__ T floor_divide(T a, T b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
