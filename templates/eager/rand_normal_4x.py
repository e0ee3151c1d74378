def rand_normal_4x(seed, offset):
    """Normal: the numbers of Inductor's `triton_helpers.randn4x`, four of each draw."""
    one, other, third, fourth = map(uniform, philox(seed, (offset & 0xFFFFFFFF) // 4))
    four = torch.stack([*normal(one, other), *normal(third, fourth)], -1)
    lane = (offset % 4).expand(four.shape[:-1])[..., None]
    return four.gather(-1, lane)[..., 0]
