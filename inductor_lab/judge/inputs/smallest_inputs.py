"""The simplest inputs on which a kernel still fails: tensors that do not matter become plain, and of the others all elements that do not.

x, weight, bias as drawn        x 1.5 at [3, 7], else 0; all others 0
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

from inductor_lab.judge.inputs.domains import domain

BUDGET = 3.0
"""Seconds after which what was found so far is the answer."""


def reduced(
    arguments: Mapping[str, Any], values: Mapping[str, torch.Tensor], fails: Callable[[dict[str, torch.Tensor]], bool]
) -> tuple[dict[str, torch.Tensor], str]:
    """Delta debugging (Zeller and Hildebrandt, 2002) over elements, tensor by tensor.

    Returns the values and a sentence that says what they are.
    """
    end = time.monotonic() + BUDGET
    found = {name: value for name, value in values.items() if not domain(arguments, name).same}
    own = list(found)  # of two names of one memory, the one that it was drawn for
    plain = {name: domain(arguments, name).plain(values[name]) for name in own}

    def still(simpler: Mapping[str, torch.Tensor]) -> bool:
        return time.monotonic() < end and fails({**found, **simpler})

    def made_plain(names: list[str]) -> None:
        """All at once where they do not matter, else the halves of them."""
        if still({name: plain[name] for name in names}):
            found.update((name, plain[name]) for name in names)
        elif len(names) > 1:
            made_plain(names[: len(names) // 2])
            made_plain(names[len(names) // 2 :])

    made_plain(sorted(own, key=lambda one: -values[one].numel()))
    for name in own:
        if not torch.equal(found[name], plain[name]):
            found[name] = _fewest(found[name], plain[name], lambda value, name=name: still({name: value}), end)
    told: dict[str, list[str]] = {}
    for name in own:
        told.setdefault(_words(found[name], plain[name]), []).append(name)
    return found, _told(told)


def _told(names: Mapping[str, list[str]]) -> str:
    """`index, table as drawn; all others 0`: what is alike together, the largest part of what is plain last."""
    *before, last = sorted(names, key=lambda words: words.startswith("all ") * len(names[words]))
    said = [f"{', '.join(names[words])} {words}" for words in before]
    others = said and last.startswith("all ") and len(names[last]) > 1
    return "; ".join([*said, f"all others {last[4:]}" if others else f"{', '.join(names[last])} {last}"])


def _fewest(
    value: torch.Tensor, plain: torch.Tensor, fails: Callable[[torch.Tensor], bool], end: float
) -> torch.Tensor:
    """As few elements as can be that are not plain: halves are made plain in turn, then quarters ..."""
    kept = (value != plain).reshape(-1).nonzero().reshape(-1)
    pieces = 2
    while len(kept) > 1 and time.monotonic() < end:
        for piece in kept.chunk(pieces):
            rest = kept[~torch.isin(kept, piece)]
            if time.monotonic() < end and fails(_with(plain, value, rest)):
                kept, pieces = rest, max(pieces - 1, 2)
                break
        else:
            if pieces >= len(kept):
                break
            pieces = min(2 * pieces, len(kept))
    return _with(plain, value, kept)


def _with(plain: torch.Tensor, value: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    made = plain.clone()
    made.reshape(-1)[places] = value.reshape(-1)[places]
    return made


def _words(value: torch.Tensor, plain: torch.Tensor) -> str:
    other = ~((value == plain) | (value.isnan() & plain.isnan()))
    count = int(other.sum())
    same = plain.numel() and bool((plain == plain.reshape(-1)[0]).all())
    rest = _number(plain.reshape(-1)[0].item()) if same else ""
    if not count:
        return f"all {rest}" if rest else "as drawn"
    if count > 3 or not rest:
        return f"as drawn at {count} of {value.numel()} places" if rest and count < value.numel() else "as drawn"
    places = [tuple(place.tolist()) for place in other.nonzero()]
    named = ", ".join(f"{_number(value[place].item())} at {list(place)}" for place in places)
    return named + (f", else {rest}" if value.numel() > count else "")


def _number(value: float | int | bool) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
