"""The names and the compile-time sizes of one readable kernel, and where its launcher takes each size from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field


@dataclass
class Sizes:
    """Sizes by name; a name is given once."""

    taken: set[str]
    """Names that nothing new may have."""
    tensors: frozenset[str] = frozenset()
    """The names of the tensors: of a value that is read or written there, and of no other."""
    values: dict[str, tuple[int, str]] = field(default_factory=dict)
    """A compile-time size -> its value, and the launcher's text for it."""

    def fresh(self, wanted: str, own: Collection[str] = ()) -> str:
        """A name that nothing has yet.

        Args:
            own: The tensors that what is named is read from, or written to.
        """
        name, number = wanted, 2
        while name in self.taken or (name in self.tensors and name not in own):
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name

    def forget(self, names: set[str], kept: Iterable[str]) -> None:
        """Free what was named since `names` were all; sizes keep theirs, and so does what is `kept`."""
        self.taken &= names | set(self.values) | set(kept)

    def named(self, wanted: str, value: int, passed: str) -> str:
        """The size that the launcher takes from there: the one that there is, or a new one."""
        for name, known in self.values.items():
            if known == (value, passed) and not passed.isdigit():
                return name
        return self.add(self.fresh(wanted), value, passed)

    def add(self, name: str, value: int, passed: str) -> str:
        self.values[name] = (value, passed)
        return name
