// The same bits as another type.
template <typename To, typename From>
__device__ __forceinline__ To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
