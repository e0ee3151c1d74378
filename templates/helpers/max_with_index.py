@triton.jit
def max_with_index(value, index, dim):
    """The maximum along `dim` and where it is."""
    return tl.reduce((value, index), dim, maximum_with_index)
