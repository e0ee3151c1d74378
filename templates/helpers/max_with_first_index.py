@triton.jit
def max_with_first_index(value, index, dim):
    """The maximum along `dim` and where it is first; a NaN counts as one."""
    largest = max2(value, dim)
    there = (value == tl.expand_dims(largest, dim)) | (value != value)
    behind = tl.full([1], (1 << (index.dtype.primitive_bitwidth - 1)) - 1, index.dtype)
    return largest, tl.min(tl.where(there, index, behind), dim)
