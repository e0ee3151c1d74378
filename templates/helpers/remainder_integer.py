@triton.jit
def remainder_integer(a, b):
    """The remainder with the divisor's sign, as Python's; `%` of Triton takes the dividend's."""
    rest = a % b
    return tl.where((rest != 0) & ((a < 0) != (b < 0)), rest + b, rest)
