@triton.jit
def welford(mean, m2, weight, dim):
    """Merge the (mean, m2, count) of all elements along `dim`."""
    return tl.reduce((mean, m2, weight), dim, welford_combine)
