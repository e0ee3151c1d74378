@triton.jit
def _in_turn(a, b, c, d):
    """Four blocks as one: an element of each in turn."""
    size: tl.constexpr = 4 * a.numel
    return tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), [size])
