@triton.jit
def div_floor_integer(a, b):
    """Integer division that rounds down, as Python's; `//` of Triton rounds to zero."""
    quotient = a // b
    rounded = tl.where(a % b != 0, quotient - 1, quotient)
    return tl.where((a < 0) != (b < 0), rounded, quotient)
