def bucket(value, row, start, stride, size, right=False):
    """The place of each value among the `size` sorted boundaries that stand in `row` from its own start on."""
    value, start = torch.broadcast_tensors(value, start)
    boundaries = row[start[..., None] + stride * torch.arange(size, device=row.device)]
    return torch.searchsorted(boundaries, value[..., None].contiguous(), right=right)[..., 0]
