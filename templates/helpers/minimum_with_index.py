@triton.jit
def minimum_with_index(a, a_index, b, b_index):
    """The smaller of both with its index: a NaN comes first, of equals the lower index."""
    equal = (a == b) | ((a != a) & (b != b))
    first = (a < b) | ((a != a) & (b == b)) | (equal & (a_index < b_index))
    return tl.where(first, a, b), tl.where(first, a_index, b_index)
