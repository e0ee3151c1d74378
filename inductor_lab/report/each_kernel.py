"""The kernels of a span, a row each: what a profiler saw of it, how it fills the card, what the compiler made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from inductor_lab.gpus import warp_size

LONGEST = 40
"""A library's kernel is called by its template's arguments."""


def is_several(side: Mapping[str, Any]) -> bool:
    """Whether one side of a comparison, or of `inspect`, launches more than once. Of a `.cu` file's several instances one is launched."""
    names = {code.get("kernel") for code in codes(side)}
    return any(len(told or ()) > 1 for told in (names, side.get("residency"), side.get("launches")))


def codes(side: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The machine code of one side, of whose one kernel it may be."""
    machine = side.get("machine") or ()
    return [machine] if isinstance(machine, Mapping) else list(machine)


def kernels(sides: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns, and a row for each kernel that ran, in order: of a library's its time alone."""
    told = [(name, cells) for name, side in sides.items() for cells in _each(side)]
    titles = dict.fromkeys(title for _, cells in told for title in cells)
    return ("", *titles), tuple((name, *(cells.get(title, "") for title in titles)) for name, cells in told)


def _each(side: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    compiled = list(zip_longest(codes(side), side.get("residency") or ()))
    for ran in side.get("launches") or ():
        cells = {"kernel": _short(ran["kernel"]), "time": f"{ran['microseconds']:.2f} us"}
        known = bool(compiled) and compiled[0][0]["kernel"] == ran["kernel"]
        yield cells | (_compiled(*compiled.pop(0)) if known else {})
    for code, filled in compiled:
        yield {"kernel": _short(code["kernel"]), **_compiled(code, filled)}


def _compiled(code: Mapping[str, Any], filled: Mapping[str, Any] | None) -> dict[str, str]:
    return ({"programs": f"{filled['programs']:,}"} if filled else {}) | code_cells(code)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def code_cells(machine: Mapping[str, Any]) -> dict[str, str]:
    """What the compiler made of one kernel, by what is said of it."""

    def counted(name: str) -> str:
        return ", ".join(f"{count} {key}" for key, count in (machine.get(name) or {}).items())

    spills = machine.get("spills")
    threads = warp_size(str(machine.get("arch", "")))
    found = {
        "registers": "" if machine.get("registers") is None else f"{machine['registers']} a thread",
        "spills": "" if spills is None else "none" if spills == 0 else f"{spills} bytes a thread",
        "shared memory": f"{machine.get('shared_memory', 0)} B",
        "warps": str(machine.get("num_warps", "")) + (f" of {threads}" if threads != 32 else ""),
        "constants": ", ".join(f"{name} {value}" for name, value in (machine.get("constants") or {}).items()),
        "loads": counted("loads"),
        "stores": counted("stores"),
    }
    return {title: cell for title, cell in found.items() if cell}
