"""Which kernels of a catalog are listed, and in what order: `--filter`, `--sort`, `--top`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.errors import unknown
from inductor_lab.records import Listed

Texts = Callable[[Listed], tuple[str, ...]]


@dataclass(frozen=True)
class Field:
    """What `field:value` asks."""

    texts: Texts
    """What a kernel has of it."""
    says: str
    whole: bool = True
    """Whether a value is the whole of one of the texts; a part of it otherwise. `*` and `?` stand for anything either way."""


FIELDS: Mapping[str, Field] = {
    "category": Field(lambda row: (row.category, row.category.replace("_", " ")), "Inductor's word, such as reduction"),
    "graph": Field(lambda row: row.graphs, "a graph that defines or launches it, such as 0_forward"),
    "kind": Field(lambda row: row.kinds, "forward, backward, optimizer or inference"),
    "op": Field(lambda row: row.ops, "what its body does, such as load.gather"),
    "source": Field(
        lambda row: (*row.source, *(place.rpartition(":")[0] for place in row.source)),
        "a line of the program, file.py:29, or a file",
    ),
    "code": Field(lambda row: row.code, "what stands in those lines", whole=False),
    "name": Field(lambda row: (row.name,), "the kernel's name", whole=False),
    "title": Field(lambda row: (row.title,), "what it computes", whole=False),
    "recognised": Field(lambda row: row.recognised, "what people call it, such as rms_norm"),
    "body": Field(lambda row: (row.body_sha256,), "digits of its body's hash", whole=False),
}

PLAIN: tuple[str, ...] = ("title", "name", "category", "op", "source", "code")
"""Fields in which a text without a field's name is looked for."""

Key = Callable[[Listed], float | str | tuple[float, float] | None]


@dataclass(frozen=True)
class Order:
    """What `--sort` sorts by: numbers from the largest, texts from the first letter, what is not known last."""

    key: Key
    words: str
    """`by what it costs at least`."""


def _worst(row: Listed) -> tuple[float, float] | None:
    """The gap; of equal ones, as of what is only bounded, the larger bound."""
    return None if row.gap is None or row.bound is None else (row.gap, row.bound)


ORDERS: Mapping[str, Order] = {
    "gap": Order(_worst, "by estimate less bound: what an edit may gain"),
    "bound": Order(lambda row: row.bound, "by the least time of all launches, launching left out"),
    "estimate": Order(lambda row: row.estimate, "by the time of all launches, as far as it can be counted"),
    "order": Order(lambda row: None, "in the order of the capture"),
    "cost": Order(lambda row: row.all_seconds, "by the least time that all launches take"),
    "bytes": Order(lambda row: row.all_bytes, "by the bytes of all launches"),
    "launches": Order(lambda row: row.launches, "by launches"),
    "floor": Order(lambda row: row.floor, "by the least time of one launch"),
    "moves": Order(lambda row: row.moved, "by the bytes of one launch"),
    "name": Order(lambda row: row.name, "by name"),
    "title": Order(lambda row: row.title, "by what they compute"),
    "category": Order(lambda row: row.category, "by category"),
    "graph": Order(lambda row: row.graph, "by graph"),
    "source": Order(lambda row: _natural(row.source[0]) if row.source else None, "by source line"),
}
WORST = "gap"
"""The order of a list where none is asked for: what an edit may gain most from comes first, and a counter of 48 bytes last."""


@dataclass(frozen=True)
class Listing:
    """The kernels that were asked for."""

    rows: tuple[Listed, ...]
    of: int
    """How many the capture has."""
    matching: int
    """How many pass the filters."""
    sort: str
    """The key in `ORDERS`; empty for the capture's own order."""

    @property
    def said(self) -> str:
        """`12 of 674 kernels, by the bytes of all launches`: what was cut; empty where nothing was."""
        matched = f" ({self.matching:,} match)" if len(self.rows) < self.matching < self.of else ""
        cut = f"{len(self.rows):,} of {self.of:,} kernels{matched}" if len(self.rows) < self.of else ""
        return ", ".join(part for part in (cut, ORDERS[self.sort].words if self.sort else "") if part)


def chosen(rows: Sequence[Listed], filters: Sequence[str] = (), sort: str = "", top: int | None = None) -> Listing:
    """The rows that pass every filter, sorted, the first `top` of them.

    Raises:
        LabError: there is no such field or order.
    """
    sort = sort or (WORST if top is not None else "")
    if sort and sort not in ORDERS:
        raise unknown(f"--sort knows no {sort!r}", sort, ORDERS, f"it takes {', '.join(ORDERS)}.")
    tests = [_test(one) for one in filters]
    found = [row for row in rows if all(test(row) for test in tests)]
    ordered = _sorted(found, ORDERS[sort].key) if sort else found
    return Listing(tuple(ordered[:top]), len(rows), len(found), sort)


def parts(rows: Iterable[Listed]) -> dict[str, float]:
    """Id -> a kernel's part of the bytes of all kernels whose launches can be counted."""
    counted = {row.id: row.all_bytes for row in rows if row.all_bytes is not None}
    whole = sum(counted.values())
    return {id_: moved / whole for id_, moved in counted.items()} if whole else {}


def _sorted(rows: Sequence[Listed], key: Key) -> list[Listed]:
    known = [(value, row) for row in rows if (value := key(row)) is not None]
    unknown = [row for row in rows if key(row) is None]
    down = any(not isinstance(value, str) for value, _ in known)
    return [row for _, row in sorted(known, key=lambda pair: pair[0], reverse=down)] + unknown


def _test(text: str) -> Callable[[Listed], bool]:
    """What a filter asks of a kernel."""
    name, colon, value = text.partition(":")
    if colon and re.fullmatch(r"[A-Za-z_]+", name):
        if name not in FIELDS:
            fields = ", ".join(f"{one}:" for one in FIELDS)
            way_out = f"it takes a plain text, or a value after {fields}."
            raise unknown(f"--filter knows no field {name!r}", name, FIELDS, way_out)
        field = FIELDS[name]
        wanted = _pattern(value, whole=field.whole)
        return lambda row: any(wanted(one) for one in field.texts(row))
    wanted = _pattern(text, whole=False)
    return lambda row: any(wanted(one) for name in PLAIN for one in FIELDS[name].texts(row))


def _pattern(value: str, *, whole: bool) -> Callable[[str], bool]:
    """Whether a text is `value`, or has it in it; upper and lower case are the same, `*` and `?` stand for anything."""
    pattern = re.sub(r"\[", "[[]", value.lower())  # a shape's brackets are no choice of letters
    matches = re.compile(fnmatch.translate(pattern if whole else f"*{pattern}*")).match
    return lambda text: matches(text.lower()) is not None


def _natural(place: str) -> str:
    """`models.py:9` before `models.py:31`."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(9), place)
