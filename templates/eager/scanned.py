def scanned(combine, *values):
    """The running fold along the last dimension: Hillis and Steele 1986, twice as far in every step."""
    step, size = 1, values[0].shape[-1]
    while step < size:
        before = [x[..., : size - step] for x in values]
        after = [x[..., step:] for x in values]
        made = combine(*before, *after)
        values = [torch.cat([x[..., :step], new.to(x.dtype)], -1) for x, new in zip(values, made, strict=True)]
        step *= 2
    return values
