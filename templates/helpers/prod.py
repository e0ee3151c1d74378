@triton.jit
def prod(a, dim):
    """The product along `dim`."""
    return tl.reduce(a, dim, _times)
