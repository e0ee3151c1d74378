def rand_between(seed, offset, low, high):
    """Whole numbers in [low, high): those of Inductor's `triton_helpers.randint64`."""
    first, second, _, _ = philox(seed, offset)
    size = high - low
    return (
        ((second % size) * ((1 << 32) % size) % size) + first % size
    ) % size + low  # 64 unsigned bits modulo the size
