def visits(counts, places, columns):
    """How often each block of queries visits each of `columns` blocks of keys: the first `counts` of those in `places`."""
    listed = torch.arange(places.shape[-1], device=places.device) < counts[..., None]
    found = torch.zeros(*places.shape[:-1], columns, dtype=torch.int64, device=places.device)
    return found.scatter_add(-1, places.long(), listed.long())
