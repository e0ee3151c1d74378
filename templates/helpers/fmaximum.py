@triton.jit
def fmaximum(a, b):
    """The larger of both; of a NaN and a number, the number."""
    return tl.maximum(a, b)
