def network_argsort(x, descending=False):
    """The order along the last dimension that `triton_helpers.sort_with_index` finds: a bitonic network (Batcher 1968), not stable."""
    size = x.shape[-1]
    steps = (size - 1).bit_length()
    place = torch.arange(1 << steps, device=x.device).expand(*x.shape[:-1], -1)
    x = torch.nn.functional.pad(x, (0, (1 << steps) - size))
    for stage in range(1, steps + 1):
        for step in reversed(range(stage)):
            pairs = (*x.shape[:-1], -1, 2, 1 << step)
            left, right = x.reshape(pairs).unbind(-2)
            left_place, right_place = place.reshape(pairs).unbind(-2)
            swap = (left < right) | (right != right) if descending else (left > right) | (left != left)
            inside = left_place < size, right_place < size
            swap = (inside[1] & ~inside[0]) | ((inside[1] == inside[0]) & swap)
            if stage < steps:  # neighbouring runs are sorted in turns up and down
                runs = torch.arange(swap.shape[-2], device=x.device)[:, None] >> (stage - step - 1)
                swap = swap ^ (runs % 2 == 1)
            x = torch.stack([torch.where(swap, right, left), torch.where(swap, left, right)], -2).flatten(-3)
            place = torch.stack(
                [torch.where(swap, right_place, left_place), torch.where(swap, left_place, right_place)], -2
            ).flatten(-3)
    return place[..., :size]
