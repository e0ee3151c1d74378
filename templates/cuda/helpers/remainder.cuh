// The remainder with the divisor's sign, as Python's %; C++ takes the dividend's.
template <typename T>
__device__ __forceinline__ T remainder(T a, T b) {
    const T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
