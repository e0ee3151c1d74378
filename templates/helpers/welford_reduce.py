@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    """Add one value to a running (mean, m2, count): Welford 1962."""
    if first_iteration:
        new_mean = value
        new_m2 = tl.zeros_like(m2)
        new_weight = tl.full(weight.shape, 1, weight.dtype)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight
