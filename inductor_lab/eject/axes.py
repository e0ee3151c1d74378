"""What belongs to one axis of a readable kernel is called: its positions, its size, its block, its mask."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from inductor_lab.computation.naming.shapes import across
from inductor_lab.computation.records import Computation


@dataclass(frozen=True)
class Names:
    """The names of one axis."""

    index: str
    numel: str
    block: str
    inside: str
    start: str
    group: str = ""
    """How many positions a program takes, where they are more than a block."""

    def all(self) -> set[str]:
        return {self.index, self.numel, self.numel.upper(), self.block, self.inside, self.start, self.group} - {""}


def kept(found: Computation) -> str:
    """What is left of a reduction: a `row` where what is folded lies side by side, a `column` where what is not does."""
    return "column" if across(found) else "row"


def named(found: Computation, sizes: Container[str]) -> Iterator[tuple[str, Names]]:
    """Each axis with its names: `offset` for a flat one, `row` or `column` beside what is reduced, `r` for that.

    Args:
        sizes: Parameters of the kernel; the number of an axis' elements that is one of them is called as it is.
    """
    axes = found.schedule.axes
    free = [axis for axis in axes if not axis.reduced]
    reduced = [axis for axis in axes if axis.reduced]
    for axis in axes:
        if axis.reduced:
            number = axis.name[1:-1] if len(reduced) > 1 else ""
            index, numel, block, inside = f"r{number}", f"R{number}", f"BLOCK_R{number}", f"inside_r{number}"
        elif len(free) == 1 and not reduced:
            index, numel, block, inside = "offset", "numel", "BLOCK", "inside"
        elif len(free) == 1:
            index, numel, block, inside = kept(found), f"{kept(found)}s", "BLOCK", "inside"
        else:
            index, numel = axis.name, f"{axis.name}_size"
            block, inside = f"BLOCK_{axis.name.upper()}", f"inside_{axis.name}"
        if axis.numel in sizes:
            numel = str(axis.numel)
        group = f"{numel.upper()}_PER_PROGRAM" if axis.group else ""
        yield axis.name, Names(index, numel, block, inside, f"{index}_start", group)
