def rand_uniform_4x(seed, offset):
    """Uniform in [0, 1): the numbers of Inductor's `triton_helpers.rand4x`, four of each draw."""
    four = torch.stack(philox(seed, (offset & 0xFFFFFFFF) // 4), -1)
    lane = (offset % 4).expand(four.shape[:-1])[..., None]
    return uniform(four.gather(-1, lane)[..., 0])
