def xor_sum(x, dim):
    """The exclusive or of all elements along a dimension, which stays with size 1."""
    while x.shape[dim] > 1:
        half = x.shape[dim] // 2
        rest = x.narrow(dim, 2 * half, x.shape[dim] - 2 * half)
        x = torch.cat([x.narrow(dim, 0, half) ^ x.narrow(dim, half, half), rest], dim)
    return x
