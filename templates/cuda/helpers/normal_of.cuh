// Two uniform numbers as a normal one: Box and Muller 1958, as tl.randn.
__device__ __forceinline__ float normal_of(float one, float other, bool second = false) {
    const float radius = sqrtf(-2.0f * logf(fmaxf(one, 1.0e-7f))), angle = 6.283185307179586f * other;
    return radius * (second ? sinf(angle) : cosf(angle));
}
