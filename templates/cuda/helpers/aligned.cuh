// Whether VEC elements can be read at once from here on.
template <int VEC, typename T>
bool aligned(const T* pointer) { return reinterpret_cast<uintptr_t>(pointer) % sizeof(Pack<T, VEC>) == 0; }
