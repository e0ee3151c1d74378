def at(row, address, mask, other=0):
    """What `row` holds at each address; `other` where the mask is false, whatever the address."""
    address, mask = torch.broadcast_tensors(address, mask)
    return torch.where(mask, row[torch.where(mask, address, 0)], other).to(row.dtype)
