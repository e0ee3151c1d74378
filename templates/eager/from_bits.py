def from_bits(x, dtype):
    """The floats of a dtype that have these bits."""
    like = OF_DTYPE[dtype].to(x.device) if x.device.type != "cpu" else OF_DTYPE[dtype]
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[like.itemsize]
    floats = like.new_empty(x.shape)
    floats.view(whole).copy_(x)
    return floats.to(dtype)
