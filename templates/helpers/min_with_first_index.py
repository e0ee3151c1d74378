@triton.jit
def min_with_first_index(value, index, dim):
    """The minimum along `dim` and where it is first; a NaN counts as one."""
    smallest = min2(value, dim)
    there = (value == tl.expand_dims(smallest, dim)) | (value != value)
    behind = tl.full([1], (1 << (index.dtype.primitive_bitwidth - 1)) - 1, index.dtype)
    return smallest, tl.min(tl.where(there, index, behind), dim)
