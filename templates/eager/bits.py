OF_DTYPE = {  # one empty tensor a dtype: what is made like it has that dtype, also where all others become float64
    dtype: torch.empty(0, dtype=dtype) for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64)
}


def bits(x, dtype):
    """The bits of floats of a dtype, as whole numbers."""
    like = OF_DTYPE[dtype].to(x.device) if x.device.type != "cpu" else OF_DTYPE[dtype]
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[like.itemsize]
    return like.new_empty(x.shape).copy_(x).view(whole)
