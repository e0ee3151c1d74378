"""What the rules of an explanation can look up: the kernel's tree, tensors and card, and the lines explained so far.

Of a kernel: what it computes, the tensors' names, the card, which ATen node a line stands for. Of the lines: which name has a value already, what
loops carry on.
"""

from __future__ import annotations

import ast
from collections import defaultdict

from inductor_lab.annotate.facts import Known
from inductor_lab.bind.names import tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import Computation, computation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.schedule import Define, Frame, Loop
from inductor_lab.computation.text import Writer, rounded
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Operation, Reduction, Scan, walk
from inductor_lab.costs.roofline import card
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Capture, Kernel, TensorType

SHORT_TEXT = 12
"""Characters of a value that a longer one is told with, rather than with its name."""
LONGEST = 60
"""Longest expression shown beside a line."""


class Lines:
    """The lines of one job, up to the one that is told."""

    def __init__(self, context: Context, job: Computation) -> None:
        self.context = context
        loops = [step for step in job.schedule.every() if isinstance(step, Loop)]
        self.carries = {carry.name: carry for loop in loops for carry in loop.carries}
        """What loops carry on."""
        self.loops = {id(step): loop.line for loop in loops for step in loop.steps}
        self.loop = 0
        """The loop that the line is in, by its line; 0 outside of any."""
        self.dead = False
        """Whether nothing reads the names that the line gives."""
        self.sharing = any(axis.reduced and axis.program for axis in job.schedule.axes)
        """Whether values are of a part of a row, all that a program has."""
        self.parted = self.sharing
        """Whether loops are over such a part: behind the wait too."""
        self.names: dict[Expression, tuple[str, int]] = {}
        """Values -> their names, and the loop that these are in."""
        self.short: dict[Expression, str] = {}
        """Those that are longer than their names."""
        self.holds: dict[str, Expression] = {}
        self.statements = {statement.lineno: statement for statement in job.statements}
        self.read = {
            node.id
            for statement in job.statements
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        """Names that any statement reads."""
        self.writer = Writer(job)
        self.writer.shown = self.short
        self.addresses = {id(part) for access in job.accesses for part in access.index.expressions()}
        """Values that are part of an address."""
        self.folds: dict[int, list[Reduction | Partial | Scan]] = defaultdict(list)
        for step in job.schedule.every():
            for found in step.values if isinstance(step, Define) else ():
                if isinstance(fold := plain(found), (Reduction, Partial, Scan)):
                    for taken in fold.operands:
                        self.folds[id(plain(taken))].append(fold)

    def frame(self, piece: Frame) -> None:
        """Programs begin to share a row, or have what all of them came to: the same text then is another value."""
        self.sharing = piece.piece == "share" or (self.sharing and piece.piece != "wait")
        self.parted |= self.sharing
        if piece.piece == "wait":
            self.names.clear()
            self.short.clear()

    def begin(self, step: Define) -> None:
        """Go on to a line; in a template's, values may differ in what no tree of it tells, a tile's axis: the names that it is written with go first."""
        self.loop, self.dead = self.loops.get(id(step), 0), self.read.isdisjoint(step.names)
        tree = self.statements.get(step.line) if self.context.kernel.category == "template" else None
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()
        for name in sorted(used):
            found = self.holds.get(name)
            if found is not None and self.known(found) and self.names[found][0] not in used:
                self.rename(found, name)

    def end(self, step: Define) -> None:
        """The names of a line are known from now on, and stand no more for what they held before."""
        for name, found in zip(step.names, step.values, strict=True):
            before = self.holds.get(name, found)
            if before is not found and self.names.get(before, ("", 0))[0] == name:
                self.rename(
                    before, next((other for other, held in self.holds.items() if held is before and other != name), "")
                )
            self.holds[name] = found
            if not self.known(found):
                self.names[found] = name, self.loop
                if self.whole(found, SHORT_TEXT) is None:
                    self.short[found] = name
                    if not self.known(seen(found)):  # a mask's filler or a cast takes no name from what it is made of
                        self.short[seen(found)] = name

    def rename(self, found: Expression, name: str) -> None:
        """Call a value by another of its names, or by none."""
        before, loop = self.names.pop(found)
        if name:
            self.names[found] = name, loop
        for value in (found, seen(found)):
            if self.short.get(value) == before:
                del self.short[value]
                if name:
                    self.short[value] = name

    def known(self, found: Expression) -> str:
        """The name that a line before gave to the very same value, outside of loops or in this turn; empty for a new one."""
        name, loop = self.names.get(found, ("", 0))
        return name if loop in {0, self.loop} else ""

    def whole(self, found: Expression, limit: int) -> str | None:
        """A value over tensors in so many characters; not of what lanes, a turn, or programs that have a part of a row, fold to: no fold of a tensor."""
        folds = (Partial, Reduction) if self.sharing else Partial
        partial = any(
            isinstance(part, folds) or (self.loop and isinstance(part, Reduction) and part.group)
            for part in walk(found)
        )
        return None if partial else self.context.writer.whole(found, limit)

    def meaning(self, found: Expression, limit: int = LONGEST) -> str:
        """An expression over tensors where that is short, else its name, else over what lines before gave names to."""
        if isinstance(found, Constant) and isinstance(found.value, float):
            return f"{rounded(found.value):.16g}"
        told = self.whole(found, limit) or self.known(found)
        return told or self.writer.text(found, limit, but=seen(found))

    def brief(self, found: Expression) -> str:
        """A value by its name, where it has one and is not a word or two itself."""
        return self.whole(found, SHORT_TEXT) or self.known(found) or self.meaning(found, 40)

    def folds_of(self, found: Operation) -> list[Reduction | Partial | Scan]:
        """The folds that take a value in, on other lines than those that nothing reads: to the tree, equal values are one."""
        return [] if self.dead else self.folds[id(found)]


def plain(found: Expression) -> Expression:
    """A value behind casts and repetitions."""
    while isinstance(found, (Cast, Broadcast)):
        found = found.operand
    return found


def shortened(text: str) -> str:
    """What only the text tells, as far as it fits."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"


class Context:
    """Everything known of one kernel while its lines are explained in order."""

    def __init__(self, kernel: Kernel, capture: Capture, unread: tuple[str, ...] = ()) -> None:
        """Take a kernel apart.

        Args:
            unread: The pointers that it writes, and of which nobody reads that behind any launch, as `inductor_lab.spans` tells them.

        Raises:
            ValueError: its body is not Python.
        """
        self.kernel, self.card, self.unread = kernel, card(capture.gpu), unread
        self.kernel_computation = found = computation(kernel)
        self.tensors = tensors(kernel, capture, found)
        self.origin = origins(kernel, capture, found, self.tensors)
        """The ATen node that a line stands for, where that is clear."""
        self.accesses = {access.line: access for job in found.every() for access in job.accesses}
        """By line; Inductor writes one to a line."""
        self.enter(found)

    def enter(self, job: Computation) -> None:
        """Go on to a job's lines; at first they are the whole kernel's."""
        self.computation, self.writer, self.facts = job, Writer(job), Known(self.kernel, job)

    def source(self, line: int) -> str:
        """`aten.relu, models.py:36`: what the line came from; empty where that is not clear."""
        node = self.origin.get(line)
        if node is None:
            return ""
        name = ".".join(node.target.split(".")[:2])
        return f"{name}, {node.source.place}" if node.source else name

    def node(self, line: int) -> str:
        """The node that the line computes, or whose value it loads or stores; empty where that is not clear."""
        if line in self.origin:
            return self.origin[line].name
        access = self.accesses.get(line)
        tensor = self.tensors.get(access.pointer) if access else None
        return tensor.node.name if tensor and tensor.node and tensor.certain else ""

    def total(self) -> int | None:
        """Iterations of the whole launch."""
        return self.computation.elements(frozenset(self.computation.numel))

    def width(self, pointer: str) -> int:
        """Bytes of one element behind a pointer."""
        return self.facts.width(pointer)


def dtype(type_: TensorType) -> str:
    """`f32[1024]`, short."""
    return f"{SHORT.get(type_.dtype, type_.dtype)}[{', '.join(map(str, type_.shape))}]"
