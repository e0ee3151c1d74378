@triton.jit
def rand4x(seed, offset, BLOCK: tl.constexpr):
    """Uniform in [0, 1), four numbers of each draw: for a block of consecutive offsets, from a multiple of four on."""
    offset = offset.to(tl.uint32)
    seed = tl.min(seed + offset * 0, axis=0)
    if BLOCK >= 4 and BLOCK % 4 == 0:
        a, b, c, d = tl.rand4x(seed, tl.min(offset, axis=0) // 4 + tl.arange(0, BLOCK // 4))
        return _in_turn(a, b, c, d)
    return tl.rand(seed, offset)
