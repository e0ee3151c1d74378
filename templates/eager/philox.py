def philox(seed, offset):
    """Four whole numbers of 32 bits for each offset: Philox 4x32 with ten rounds, as `tl.randint4x` (Salmon et al. 2011)."""
    low = 0xFFFFFFFF

    def product(a, b):  # the high and the low half of 64 bits, without leaving int64
        high = ((a * (b >> 16)) + ((a * (b & 0xFFFF)) >> 16)) >> 16
        return high & low, (a * b) & low

    seed, offset = torch.broadcast_tensors(seed.to(torch.int64), offset.to(torch.int64))
    c0, c1 = offset & low, (offset >> 32) & low
    c2, c3 = torch.zeros_like(c0), torch.zeros_like(c0)
    k0, k1 = seed & low, (seed >> 32) & low
    for _ in range(10):
        high_b, low_b = product(0xCD9E8D57, c2)
        high_a, low_a = product(0xD2511F53, c0)
        c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return c0, c1, c2, c3


def uniform(bits):
    """32 bits as a number in [0, 1), as `tl.rand`."""
    signed = torch.where(bits >= 1 << 31, bits - (1 << 32), bits)
    return torch.where(signed < 0, -signed - 1, signed).to(torch.float32) * 4.6566127342e-10


def normal(one, other):
    """Two uniform numbers as two normal ones: Box and Muller 1958, as `tl.randn`."""
    radius = torch.sqrt(-2.0 * torch.log(one.clamp_min(1e-7)))
    return radius * torch.cos(6.283185307179586 * other), radius * torch.sin(6.283185307179586 * other)
