"""One kernel of a comparison, summed over its launches: what rules ask of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inductor_lab.gpus import warp_size
from inductor_lab.machine.instructions import width
from inductor_lab.machine.kinds import kind_of
from inductor_lab.records import MachineCode, Residency

UNSIZED = ("UTMA", "UBLKCP")
"""Bulk copies: their names tell no width."""


@dataclass(frozen=True)
class Side:
    """What the compiler made of it, and how it fills the card."""

    codes: tuple[MachineCode, ...]
    residency: tuple[Residency, ...] = ()
    """A record for each of `codes`; none where the programs are not known."""

    @property
    def spills(self) -> int | None:
        """The most that a launch spills, bytes a thread; None where one does not tell."""
        found = [code.spills for code in self.codes if code.spills is not None]
        return max(found) if found and len(found) == len(self.codes) else None

    def accesses(self, kind: str) -> Counter[str]:
        """Instruction -> how often it stands in the code, for `loads` or `stores`; atomics are neither."""
        found: Counter[str] = Counter()
        for code in self.codes:
            counts: Mapping[str, int] = getattr(code, kind)
            found.update({name: n for name, n in counts.items() if kind_of(name) != "global atomics"})
        return found

    def width(self, kind: str) -> float | None:
        """Bits of one access on average; None where none is told. Of a kernel whose programs are not known the widest: its last elements have
        narrow accesses of their own."""
        found = self.accesses(kind)
        if not found or any(name.startswith(UNSIZED) for name in found):
            return None
        if not self.residency:
            return max(map(width, found))
        return sum(width(name) * n for name, n in found.items()) / found.total()

    @property
    def straight(self) -> bool:
        """Whether the counts in the code times the programs are what runs, at most: no loop, and the programs known."""
        return bool(self.residency) and all(code.loops is False for code in self.codes)

    @property
    def asked(self) -> int | None:
        """Bytes that its loads and stores ask for, masked or not; None where that can not be told."""
        named = [*self.accesses("loads"), *self.accesses("stores")]
        if not self.straight or any(name.startswith(UNSIZED) for name in named):
            return None
        total = 0
        for code, threads in self._threads():
            total += threads * sum(width(name) * n for name, n in (*code.loads.items(), *code.stores.items())) // 8
        return total

    def instructions(self) -> Counter[str]:
        """Kind -> instructions: those that its warps run in one launch where it is straight, else those that stand in the code."""
        found: Counter[str] = Counter()
        for position, code in enumerate(self.codes):
            warps = code.num_warps * self.residency[position].programs if self.straight else 1
            found.update({kind: n * warps for kind, n in code.instructions.items()})
        return found

    def _threads(self) -> Iterator[tuple[MachineCode, int]]:
        for code, filled in zip(self.codes, self.residency, strict=True):
            yield code, code.num_warps * warp_size(code.arch) * filled.programs
