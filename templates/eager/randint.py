def randint(seed, offset):
    """32 random bits as a whole number: the numbers of `tl.randint`."""
    bits = philox(seed, offset)[0]
    return torch.where(bits >= 1 << 31, bits - (1 << 32), bits)
