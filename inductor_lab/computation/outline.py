"""A computation's trees as indented text, a node a line; what is used again is named where it first stands.

tl.store(out_ptr0 + x0, tmp2 * tmp2)        store out_ptr0[x0]
                                              mul: float32
                                                v1 = add: float32
                                                  load in_ptr0[x0]: float32
                                                  1
                                                v1
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import (
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
    walk,
)

STEP = "  "


def outline(computation: Computation) -> Iterator[str]:
    """Every store with the tree of what it stores, in the order of the text; of a kernel of several jobs each below its number."""
    jobs = list(computation.every())
    for number, job in enumerate(jobs, 1):
        if len(jobs) > 1:
            yield f"job {number} of {len(jobs)}"
        yield from _Outline(job).lines()


class _Outline:
    """Of one job."""

    def __init__(self, job: Computation) -> None:
        self.job = job
        self.writer = Writer(job)
        roots = [part for access in job.stores for _, part in _stored(access)]
        self.uses = Counter(map(id, roots))
        self.uses.update(id(part) for node in walk(*roots) for _, part in _parts(node))
        self.names: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        for access in self.job.stores:
            yield f"{access.kind} {access.pointer}{self.address(access.index)}"
            waiting = [(1, role, part) for role, part in reversed(_stored(access))]
            while waiting:
                depth, role, node = waiting.pop()
                known = id(node) in self.names
                yield STEP * depth + role + (self.names[id(node)] if known else self.entered(node))
                if not known:
                    waiting += [(depth + 1, role, part) for role, part in reversed(_parts(node))]

    def entered(self, node: Expression) -> str:
        """The node's line, with a name where the node is used again."""
        if self.uses[id(node)] < 2 or not _parts(node):
            return self.told(node)
        self.names[id(node)] = name = f"v{len(self.names) + 1}"
        return f"{name} = {self.told(node)}"

    def address(self, index: Index | None) -> str:
        return f"[{ast.unparse(self.writer.sum(index, 3))}]" if index else ""

    def told(self, node: Expression) -> str:
        """The node alone."""
        match node:
            case Constant(value=value):
                return repr(value)
            case Size(name=name) | Carried(name=name):
                return name
            case Inside(axis=axis):
                return f"{axis}mask"
            case Position(index=index):
                return ast.unparse(self.writer.sum(index, 3))
            case Load(pointer=pointer, index=index):
                what = f"load {pointer}{self.address(index)}"
            case Operation(name=name):
                what = name
            case Cast():
                return f"to {node.dtype}"
            case Reduction(name=name, part=part, over=over):
                what = f"{name}{f'.{part}' if part else ''} over {', '.join(sorted(over))}"
            case Scan(name=name):
                what = f"scan {name}"
            case Random(name=name):
                what = name
            case Unknown(text=text):
                what = text
            case _:
                what = type(node).__name__.lower()
        return f"{what}: {node.dtype}" if node.dtype else what


Part = tuple[str, Expression]
"""A word on what it is of the node above it, empty for an operand; and the value."""


def _stored(access: Access) -> list[Part]:
    stored = [("", access.value)] if access.value is not None else []
    return [*[("at ", part) for part in access.index.expressions()], *_masked(access.mask), *stored]


def _parts(node: Expression) -> list[Part]:
    if not isinstance(node, Load):
        return [("", part) for part in node.operands]
    address = [("at ", part) for part in (node.index.expressions() if node.index else ())]
    masked = _masked(node.mask)
    return [*address, *masked, *([("else ", node.other)] if masked and node.other is not None else [])]


def _masked(mask: Expression | None) -> list[Part]:
    """A mask that says more than that the element exists."""
    return [] if mask is None or isinstance(mask, Inside) else [("if ", mask)]
