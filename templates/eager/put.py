def put(row, address, value, mask=None, how=""):
    """`row` with values put at addresses (how="": the last one stays), added there ("add"), or compared ("amax", "amin")."""
    mask = torch.ones_like(address, dtype=torch.bool) if mask is None else mask
    address, value, mask = torch.broadcast_tensors(address, value, mask)
    address, value = address[mask], value[mask].to(row.dtype)
    if how in ("", "add"):
        return row.index_put((address,), value, accumulate=how == "add")
    return row.scatter_reduce(0, address, value, how)
