"""What a kernel did to memory that it must not do, and the sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace

DOES = {"load": "loads", "store": "stores to", "atomic": "updates atomically"}


@dataclass(frozen=True)
class Fault:
    """One line of a kernel that went wrong: the first lane that did, and how many."""

    kind: str  # "load outside", "store outside", "atomic outside", "race"; "unmade": a load of what nothing has written, which may be for nothing
    act: str  # what the line does: "load", "store" or "atomic"
    tensor: str  # the argument, or the parameter that a tensor of the launcher's own is passed as
    shape: tuple[int, ...]
    index: tuple[int, ...]  # in the tensor's dimensions; beyond its shape where it is outside
    away: int  # elements before its first (negative) or behind its last; 0 in it or between its elements
    program: tuple[int, int, int]
    lane: int
    line: int
    text: str  # the line
    count: int  # lanes, of all programs
    met: str = ""  # of a race: what `other` does to the same element
    other: tuple[int, int, int] | None = None
    message: str = ""  # the whole as one sentence


def told(fault: Fault) -> Fault:
    """With its sentence."""
    at = f"{fault.tensor}{list(fault.index)}"
    how = "which nothing has written" if fault.kind == "unmade" else ""
    what = f"{at}, {how or (_met(fault) if fault.kind == 'race' else _beyond(fault.away, fault.shape))}"
    lanes = f"; {fault.count} lanes do" if fault.count > 1 else ""
    where = f"(program {fault.program}, lane {fault.lane}{lanes})"
    return replace(fault, message=f"line {fault.line} {DOES[fault.act]} {what} {where}: {fault.text}")


def _met(fault: Fault) -> str:
    if fault.other == fault.program:
        return "which another lane of the same store gives another value"
    return f"which program {fault.other} also {DOES[fault.met]}, and nothing says which comes first"


def _beyond(away: int, shape: tuple[int, ...]) -> str:
    if not away:
        return f"between the elements of a tensor of shape {list(shape)}"
    side = "before" if away < 0 else "behind"
    return f"{abs(away)} element{'s' * (abs(away) > 1)} {side} a tensor of shape {list(shape)}"


def place(offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, ...]:
    """An element, so many from a tensor's first, as the index by which its strides reach it: of row -1, or of column 60 of 50."""
    index = [0] * len(shape)
    dimensions = [d for d in range(len(shape)) if shape[d] > 1 and stride[d]]
    for dimension in sorted(dimensions, key=lambda d: -stride[d]):
        index[dimension], offset = divmod(offset, stride[dimension])
    if offset and not dimensions:
        return (offset,)
    return tuple(index)
