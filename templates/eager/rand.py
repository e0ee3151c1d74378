def rand(seed, offset):
    """Uniform in [0, 1): the numbers of `tl.rand`."""
    return uniform(philox(seed, offset)[0])
