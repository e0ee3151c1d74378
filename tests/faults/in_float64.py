"""The rule `in float64`: a mutant and the kernel write the same, or less than a sixteenth of a rounding apart, whatever they are given.

Both run in Triton's interpreter with float64 for every float, so that nothing is lost in rounding and a difference is one of what is computed.
The inputs are every family for all of a tensor, and every mix by every layout, twice; and the boundaries. Exactly the same elements must be
infinite, NaN, and whole numbers equal. It is asked of mutants that no dtype decides: what is too large for float32 is not for float64.

The rule `within a rounding of what is written`, of a value inside that is narrower: both run as they are, and what they write is never more
than one rounding to its own dtype apart.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from faults.every_program import interpreted
from faults.mutation import Mutant

KINDS = {"all masked", "later steps", "begun with", "clamps", "constants", "terms", "eps", "whole numbers"}
FLOATS = re.compile(r"\btl\.b?float(16|32)\b")
PART = 16
"""Of a rounding to the dtype that is written."""


def same_in_float64(mutant: Mutant) -> str:
    """The rule's name where it finds no difference, else ""."""
    if mutant.kind not in KINDS:
        return ""
    begin, end = mutant.begin, mutant.begin + len(mutant.after)
    before = interpreted(FLOATS.sub("tl.float64", mutant.original))
    changed = mutant.after if mutant.kind == "whole numbers" else FLOATS.sub("tl.float64", mutant.after)
    after = interpreted(
        FLOATS.sub("tl.float64", mutant.text[:begin]) + changed + FLOATS.sub("tl.float64", mutant.text[end:])
    )
    roundings = False
    for values, blocks in drawn(interpreted(mutant.original)):
        apart = [
            far(*each) for each in zip(written(before, values, blocks), written(after, values, blocks), strict=True)
        ]
        if max(apart) > 1:
            return ""
        roundings = roundings or max(apart) > 0
    return "within rounding, in float64" if roundings else "the same, in float64"


def same_in_its_dtypes(mutant: Mutant) -> str:
    """The rule's name where no output is further off than that, else ""."""
    if mutant.kind != "narrower inside":
        return ""
    before, after = interpreted(mutant.original), interpreted(mutant.text)
    for values, blocks in drawn(before):
        both = zip(*(written(file, values, blocks, wide=False) for file in (before, after)), strict=True)
        if max(far(*each) for each in both) > 1:
            return ""
    return "within a rounding of what is written"


def drawn(file: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, int]]]:
    """Inputs and blocks."""
    from inductor_lab.judge.inputs import boundaries, families
    from inductor_lab.judge.inputs.cases import blocks_of, several_steps

    blocks = blocks_of(file)[0]
    tried = [
        *itertools.product(families.MIXES, families.LAYOUTS, range(2)),
        *((name, "rows", 0) for name in families.FAMILIES),
    ]
    for number, (family, layout, _) in enumerate(tried):
        yield (
            families.drawn(file.ARGUMENTS, family, 10**7 + number, layout),
            ({**blocks, **several_steps(file)}, blocks)[number % 2],
        )
    for seed in range(3):
        yield boundaries.on_boundaries(file, families.drawn(file.ARGUMENTS, "normal", seed), seed), blocks


def written(
    file: Any, values: Mapping[str, Any], blocks: Mapping[str, int], wide: bool = True
) -> list[tuple[Any, float]]:
    """(what a launch writes, how far another may be from it) for each output; all floats are float64 unless they are to be as they are."""
    import torch

    views: dict[str, Any] = {}
    for name, (shape, stride, dtype, fill) in file.ARGUMENTS.items():
        if fill[0] == "same":
            views[name] = views[fill[1]]
            continue
        made = torch.float64 if wide and dtype.is_floating_point else dtype
        views[name] = torch.empty_strided(shape, stride, dtype=made)
        once = tuple(slice(1) if step == 0 else slice(None) for step in stride)
        views[name][once] = values[name][once].to(made) if name in values else 1
    file.launch(*views.values(), **blocks)
    rounding = {
        name: torch.finfo(spec[2]).eps if spec[2].is_floating_point else 0.0 for name, spec in file.ARGUMENTS.items()
    }
    return [
        (views[name], rounding[name] / PART) if wide else (views[name].double(), rounding[name])
        for name in file.WRITTEN
    ]


def far(one: tuple[Any, float], other: tuple[Any, float]) -> float:
    """The largest distance of two tensors, over what is allowed there; inf where one is not finite as the other is not."""
    import torch

    (x, part), (y, _) = one, other
    same = (x == y) | (x.isnan() & y.isnan() if x.is_floating_point() else x == y)
    if bool(same.all()):
        return 0.0
    if not x.is_floating_point() or not bool((x.isfinite() & y.isfinite())[~same].all()):
        return torch.inf
    return float(((x - y).abs() / (part * x.abs()))[~same].max())
