"""The configurations around the present one: powers of two, the nearest first. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import log2

from inductor_lab.tuning.settings import Stated, kind_of

BLOCKS = WARPS = (-2, -1, 0, 1, 2)
"""Powers of two by which each is multiplied."""
STAGES = (-1, 0, 1)
MOST_WARPS = 32


def around(stated: Stated) -> list[dict[str, int]]:
    """Every configuration, the present one first and those that differ least from it next."""
    names = list(stated.present)
    found = [dict(zip(names, values, strict=True)) for values in product(*(_values(stated, name) for name in names))]
    return sorted(found, key=lambda settings: distance(settings, stated.present))


def distance(settings: Mapping[str, int], present: Mapping[str, int]) -> float:
    """How far two configurations are apart, in powers of two."""
    return sum(abs(log2(settings[name] / value)) for name, value in present.items())


def _values(stated: Stated, name: str) -> Iterator[int]:
    value = stated.present[name]
    if name in stated.fixed:
        yield value
    elif kind_of(name) == "num_stages":
        yield from (value + step for step in STAGES if value + step >= 1)
    elif kind_of(name) == "num_warps":
        yield from (warps for warps in _scaled(value, WARPS) if warps <= MOST_WARPS)
    else:
        yield from (block for block in _scaled(value, BLOCKS) if block <= value or name not in stated.shrinking)


def _scaled(value: int, powers: tuple[int, ...]) -> Iterator[int]:
    """The value times each power of two, where that is a whole number."""
    yield from (int(value * 2.0**power) for power in powers if value * 2.0**power >= 1 and value * 2.0**power % 1 == 0)
