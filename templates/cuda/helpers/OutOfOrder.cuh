// Whether two elements must change places. A NaN is more than any number; of equals the lower place is first where the sort is stable.
template <bool STABLE, bool DESCENDING>
struct OutOfOrder {
    template <typename S>
    __device__ __forceinline__ bool operator()(S left, S right) const {
        const bool left_nan = left.value != left.value, right_nan = right.value != right.value;
        if (STABLE && (left.value == right.value || (left_nan && right_nan))) return left.place > right.place;
        return DESCENDING ? left.value < right.value || right_nan : left.value > right.value || left_nan;
    }
};
