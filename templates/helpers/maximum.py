@triton.jit
def maximum(a, b):
    """The larger of both; a NaN in either comes through (`tl.maximum` drops it by default)."""
    first = (a > b) | (a != a)
    return tl.where(first, a, b)
