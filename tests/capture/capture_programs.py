"""Programs that `test_capture.py` captures."""

from __future__ import annotations

import torch


def model_and_inputs():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()), (torch.randn(4, 8),)


def compiles_by_itself():
    torch.compile(lambda x: torch.relu(x + 1))(torch.randn(1000))


def returns_nonsense():
    return 3


def uses_the_wrong_way(x):
    return x
