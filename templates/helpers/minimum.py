@triton.jit
def minimum(a, b):
    """The smaller of both; a NaN in either comes through."""
    first = (a < b) | (a != a)
    return tl.where(first, a, b)
