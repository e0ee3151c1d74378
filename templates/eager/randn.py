def randn(seed, offset):
    """Normal: the numbers of `tl.randn`."""
    one, other, _, _ = philox(seed, offset)
    return normal(uniform(one), uniform(other))[0]
