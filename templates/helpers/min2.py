@triton.jit
def min2(a, dim):
    """The minimum along `dim`; a NaN comes through."""
    return tl.reduce(a, dim, minimum)
