// A value to be sorted, and the place that it comes from.
template <typename T, typename P>
struct Sortable {
    T value;
    P place;
};

// A row that is sorted has a power of two of them.
__host__ __device__ constexpr int padded(int size) {
    int whole = 1;
    while (whole < size) whole *= 2;
    return whole;
}
