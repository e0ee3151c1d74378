struct MergeLargest {
    template <typename T>
    __device__ __forceinline__ Best<T> operator()(Best<T> a, Best<T> b) const {
        const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
        const bool tie = (a.value == b.value || (a_nan && b_nan)) && a.index < b.index;
        return a.value > b.value || a_nan > b_nan || tie ? a : b;
    }
};
