"""What a span's inputs are drawn from, so that the demands of all its kernels hold together.

a lookup in 10,000 rows and one in 500, of one index      (0, 500)
normal numbers, and a root of them                        "positive"
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from inductor_lab.computation.intervals import Interval
from inductor_lab.eject.binding.tensors import Fill
from inductor_lab.eject.file.examples import FILLS
from inductor_lab.errors import LabError

ASKS_NOTHING = ("any", "normal")
NARROWER = ("finite", "positive", "count", "above_one")
"""Each is within those before it, but `positive`, which has infinities; of that and `finite` both are `count`."""


def together(name: str, fills: Iterable[Fill], wishes: Iterable[Fill] = ()) -> Fill:
    """What all of some demands on one tensor leave, and those wishes that go together with them.

    Raises:
        LabError: nothing.
    """
    found: Fill | None = None
    for one in fills:
        found = one if found is None else _both(name, found, one)
    for one in wishes:
        with suppress(LabError):
            found = one if found is None else _both(name, found, one)
    return "normal" if found is None else found


def room(fills: Iterable[Fill]) -> Interval | None:
    """Between what whole numbers are asked to be; None where that is nothing, or does not go together."""
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    if not ranges:
        return None
    low, high = max(int(one[0]) for one in ranges), min(int(one[1]) for one in ranges)
    return Interval(low, high - 1) if low < high else None


def _both(name: str, one: Fill, other: Fill) -> Fill:
    if one == other or other in ASKS_NOTHING:
        return one
    if one in ASKS_NOTHING:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        low, high = max(int(one[0]), int(other[0])), min(int(one[1]), int(other[1]))
        if low < high:
            return (low, high, *(value for value in one[2:] if value in other[2:]))
    elif one in NARROWER and other in NARROWER:
        pair = {one, other}
        return "count" if pair == {"finite", "positive"} else max(pair, key=lambda word: NARROWER.index(str(word)))
    elif {one, other} == {"finite", "unit"}:
        return "unit"
    said = " and ".join(
        f"{fill[0]} up to {fill[1]}" if isinstance(fill, tuple) else FILLS[fill] for fill in (one, other)
    )
    raise LabError(f"`{name}` would have to hold {said}: its kernels ask what does not go together")
