"""The frame that Inductor puts around every body, known by its names: how many elements each axis has, and how programs share it.

    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]        xindex is a Position on x, one of 4096
    xmask = xindex < xnumel                           xmask is Inside of x

The names are those of `codegen_range_tree` in torch/_inductor/codegen/triton.py, 2.0 to 2.15.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.computation import groups
from inductor_lab.computation.evaluation import Evaluation
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.nodes import NOWHERE
from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Constant, Expression, Inside, Position, Size
from inductor_lab.records import Argument, SizeLike

FRAME = re.compile(r"(?P<prefix>[xyzr]|r\d_)(?P<what>index|offset|base|mask|numel)$")
"""A name of the frame: the axis, and what of it the name holds."""
_PLACE = re.compile(r"tl\.arange\([^()]*\)\[(?P<place>[^\]]*)\]")
"""The dimension of an axis in the tile: `tl.arange(0, XBLOCK)[:, None]`."""


@dataclass
class Axes:
    """The axes of one body so far."""

    values: Evaluation
    numel: dict[str, SizeLike] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    """What the launch passes for each size that is no number."""
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Axis -> what the frame says of it: its `offset`, `index`, `base`, `mask` as text, and `loop`."""
    fixed: dict[str, int] = field(default_factory=dict)
    """Blocks whose size the body fixes."""

    def passed(self, argument: Argument, text: str) -> Expression:
        """The value of a parameter that is no pointer, where a launch passes `text`."""
        size: SizeLike = int(text) if text.isdigit() else text
        frame = FRAME.match(argument.name)
        if argument.role == "size" and frame and frame["what"] == "numel":
            self.numel[frame["prefix"]] = size
        dtype = argument.dtype or "int32"
        if isinstance(size, int):
            return self.values.constant(size, dtype)
        if argument.role == "size":
            self.sizes[argument.name] = size
        return self.values.make(Size, dtype, NOWHERE, argument.name)

    def value(self, name: str, prefix: str, what: str, node: ast.expr) -> Expression | None:
        """What a name of the frame holds; None where the text gives it another meaning."""
        values = self.values
        text = ast.unparse(node)
        if what == "numel":
            match node:
                case ast.Constant(value=int(value)):
                    self.numel[prefix] = value
                    values.axes |= {prefix}
                    return values.constant(value, "int32")
            return None  # rnumel = r0_numel
        if what in {"offset", "base"}:
            return values.make(Size, "int32", NOWHERE, name) if "tl." in text or what == "offset" else None
        if what == "index":
            if "tl.arange" not in text and "tl.full" not in text and f"{prefix}offset" not in text:
                return None  # rindex = r0_index, xindex of a template
            values.axes |= {prefix}
            self.numel.setdefault(prefix, f"{prefix}numel")
            return values.make(Position, "int32", frozenset({prefix}), Index.of(Coordinate(prefix, 1, None)))
        if isinstance(node, ast.Name):
            return None  # rmask = r0_mask
        match node:
            case ast.Compare(comparators=[ast.Name(id=bound)]) if self.numel.get(prefix) == f"{prefix}numel" != bound:
                known = values.name(bound)  # `xindex < xnumel_3`: one job of several
                self.numel[prefix] = int(known.value) if isinstance(known, Constant) else self.sizes.get(bound, bound)
        return values.make(Inside, "bool", frozenset({prefix}), prefix)

    def axis(self, name: str, texts: Mapping[str, str]) -> Axis:
        """An axis, from what the frame says of it."""
        block = f"{name.upper()}BLOCK"
        placed = _PLACE.search(texts.get("index", "")) or _PLACE.search(texts.get("base", ""))
        place = [part.strip() for part in placed["place"].split(",")] if placed else []
        said = " ".join(texts.values())
        offset = texts.get("offset", "")
        group = self.values.group if offset.endswith(f" * {groups.SIZE}") else None
        owned = groups.SIZE if group else block
        program = offset.partition(f" * {owned}")[0] if "program_id" in offset or "pid_offset" in offset else ""
        return Axis(
            name, self.numel.get(name, f"{name}numel"), block, self.fixed.get(block), place.index(":") if place else None,
            len(place) or 1, "tl.full" not in texts.get("mask", "tl.full"), "int64" if "tl.int64" in said else "int32",
            program, "loop" in texts, group=group,
        )  # fmt: skip


def turns_of(test: ast.expr) -> int:
    """2 of `pid % 2 == 0`, where jobs take programs in turns; 0 where each has the programs up to its end."""
    match test:
        case ast.Compare(left=ast.BinOp(op=ast.Mod(), right=ast.Constant(value=int(turns)))):
            return turns
    return 0


def alone_in_its_row(test: ast.expr) -> bool | None:
    """What decides in a cooperative reduction, for one program a row: there are no peers, and each store is this program's."""
    match test:
        case ast.Name(id="HAS_RSPLIT" | "RSPLIT_IS_POWER_OF_2"):
            return False  # the second is about which peers there are
        case ast.Compare(
            left=ast.Name(id="rsplit_id"),
            ops=[ast.Eq()],
            comparators=[ast.BinOp(op=ast.Mod(), right=ast.Name(id="RSPLIT"))],
        ):
            return True
    return None
