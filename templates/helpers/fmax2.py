@triton.jit
def fmax2(a, dim):
    """The maximum along `dim` of what is no NaN."""
    return tl.reduce(a, dim, fmaximum)
