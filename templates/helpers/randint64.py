@triton.jit
def randint64(seed, offset, low, high):
    """Whole numbers from `low` up to `high`, without it: 64 random bits modulo the size."""
    first, second, _, _ = tl.randint4x(seed, offset)
    bits = first.to(tl.uint64) | (second.to(tl.uint64) << 32)
    return (bits % (high - low).to(tl.uint64)).to(tl.int64) + low
