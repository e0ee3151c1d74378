@triton.jit
def any(a, dim):
    """True where an element along `dim` is."""
    return tl.reduce(a, dim, _either)
