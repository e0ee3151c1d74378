def shifted_exp(x, largest):
    """exp(x - largest); 1 in a row that holds nothing but -inf."""
    return torch.where(largest == -torch.inf, 0.0, x - largest).exp()
