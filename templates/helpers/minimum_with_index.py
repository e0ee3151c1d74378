@triton.jit
def minimum_with_index(a, a_index, b, b_index):
    """The smaller of both with its index: a NaN comes first; of equals, and of two NaNs, the lower index."""
    a_nan = a != a
    b_nan = b != b
    tie = ((a == b) | (a_nan & b_nan)) & (a_index < b_index)
    first = (a < b) | (a_nan > b_nan) | tie
    return tl.where(first, a, b), tl.where(first, a_index, b_index)
