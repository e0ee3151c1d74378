@triton.jit
def min_with_index(value, index, dim):
    """The minimum along `dim` and where it is."""
    return tl.reduce((value, index), dim, minimum_with_index)
