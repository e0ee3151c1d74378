"""The simplest inputs on which a kernel still fails, and in how few trials they are found."""

from __future__ import annotations

import torch

from inductor_lab.judge.compare.verdict import reduced

NORMAL = ((4,), (1,), torch.float32, "normal")


def test_what_does_not_matter_is_made_plain_many_at_once() -> None:
    names = [f"x{number}" for number in range(28)]
    values = {name: torch.full((4,), 1.5) for name in names}
    trials = 0

    def fails(given: dict[str, torch.Tensor]) -> bool:
        nonlocal trials
        trials += 1
        return bool(given["x17"][2] == 1.5)

    found, words = reduced(dict.fromkeys(names, NORMAL), values, fails)
    assert words == "x17 1.5 at [2], else 0; all others 0"
    assert [name for name in names if found[name].any()] == ["x17"]
    assert trials <= 16  # 28 one by one


def test_what_is_alike_is_told_together() -> None:
    values = {"x": torch.ones(4), "y": torch.ones(4), "z": torch.ones(4)}
    arguments = dict.fromkeys(values, NORMAL)
    assert reduced(arguments, values, lambda given: False)[1] == "x, y, z as drawn"
    assert reduced(arguments, values, lambda given: True)[1] == "x, y, z all 0"
    found, words = reduced(arguments, values, lambda given: bool(given["x"].all() and given["y"].all()))
    assert words == "x, y as drawn; z all 0" and not found["z"].any()
