// The value of the thread with this number in the warp, of any type: word by word.
template <typename T>
__device__ __forceinline__ T of_lane(T value, int lane) {
    uint32_t words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof(T));
    for (uint32_t& word : words) word = __shfl_sync(0xffffffffu, word, lane);
    memcpy(&value, words, sizeof(T));
    return value;
}
