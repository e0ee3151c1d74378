"""The tensor arguments of an ejected file: their names, types and what may stand in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from inductor_lab.dtypes import SHORT
from inductor_lab.records import Input, SizeLike, TensorType
from inductor_lab.records.size import is_row_by_row

IDLE = "a result that is not asked for"
"""What a tensor holds that a kernel takes for a result and leaves as it is."""
LONG = 20
"""Characters up to which a tensor's name is part of its sizes' names."""
Fill = tuple[SizeLike, ...] | str
ROLES = {"in": "", "out": "; output", "inout": "; overwritten", "part": "; written in part, the rest stays"}
"""A role -> how a comment tells it."""


@dataclass(frozen=True)
class Tensor:
    """One tensor argument."""

    parameter: str
    """The generated kernel's own name for it, `in_out_ptr0`."""
    name: str
    type: TensorType
    """In numbers."""
    role: str
    """`in`; `out`, of which nothing that it held before matters; `inout`, read and overwritten; `part`, of which something is written and the
    rest stays."""
    fill: Fill
    """What its values are drawn from: `inputs.domain` has the words."""
    node: str = ""
    """The value of the graph that it holds, where that is known: `aten.mm mm_2`."""
    symbolic: TensorType | None = field(default=None)
    """The type with its symbols, where it has some."""
    dimensions: tuple[str, ...] = ()
    """What each dimension is called, where the graph says so: `batch`, `channel`."""
    distinct: tuple[int, ...] = ()
    """The dimensions along which, taken together, no two of its elements may be the same."""
    overwrites: str = ""
    """The name of the tensor whose memory it is, where a launch passes one tensor to be read and to be written."""
    input: Input | None = None
    """What it is in the user's program, where it is an input of the graph of which that is known."""

    @property
    def told(self) -> TensorType:
        """The type as a launcher knows it: sizes that may change are symbols there, whatever number they were."""
        return self.symbolic or self.type

    def numel(self) -> int:
        return prod(size for size in self.type.shape if isinstance(size, int))

    def capitals(self) -> str:
        """What the names of its sizes begin with."""
        return self.name.upper() if len(self.name) <= LONG else "IN" if self.role == "in" else "OUT"

    def comment(self) -> str:
        """`f32[4096, 1024], graph input x; overwritten`"""
        shown = self.told
        sizes = ", ".join(map(str, shown.shape))
        role = self._overwrites() if self.overwrites else ROLES[self.role]
        node = f", {self.node}" if self.node else ""
        return f"{SHORT.get(shown.dtype, shown.dtype)}[{sizes}]{self._strides(shown)}{node}{role}"

    def _overwrites(self) -> str:
        return f"; overwrites {'part of ' if self.role == 'part' else ''}{self.overwrites}"

    def _strides(self, shown: TensorType) -> str:
        """Only where the numbers are not those of a tensor that lies row by row, in the words of its sizes."""
        lies = strides(self.type)
        return f" with strides [{', '.join(map(str, shown.stride))}]" if lies and shown.stride else lies


def strides(type_: TensorType) -> str:
    """How a tensor lies in memory, where it does not lie row by row."""
    return "" if is_row_by_row(type_.shape, type_.stride) else f" with strides {list(type_.stride)}"
