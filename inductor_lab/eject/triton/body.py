"""Prints the statements of a readable kernel: what gets a name, what is written in place, and loops.

Loads, stores and functions that branch stay where the text has them: where they stand decides what lives at the same time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Assert, Barrier, Carry, Define, Effect, Loop, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
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
    walk,
)
from inductor_lab.eject.printing.nouns import RUNNING, running
from inductor_lab.eject.printing.operands import (
    INLINE,
    constant_of,
    goes_on,
    is_relu,
    of_access,
    parts_of,
    used_elsewhere,
)
from inductor_lab.eject.printing.patterns import chosen_of, partner_of, results
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.triton.page import (
    Line,
    Page,
    assigned,
    call_to,
    dtype_name,
    name_node,
    names_of,
    number_of,
    parsed,
    subscripted,
    unparsed,
)
from inductor_lab.eject.triton.values import Expressions

COUNTED = (Constant("int", frozenset(), 0), Constant("int", frozenset(), 1))
"""The indices of a comparison that needs only their order."""


class Statements:
    """The body of one kernel."""

    def __init__(self, page: Page, expressions: Expressions) -> None:
        self.page, self.expressions = page, expressions
        self.uses, self.elsewhere = page.uses, used_elsewhere(page.found.schedule)
        self.relu_of = {node.inputs[1] for node in self.uses if isinstance(node, Operation) and is_relu(node)}
        """Values of which a relu is taken: they are needed twice there."""
        self.windows = page.layout.windows
        self.choices = results(self.uses)
        """Comparisons of two values and their indices, and what is chosen by each."""
        self.accumulators: dict[str, str] = {}
        """A loop's own names -> ours."""
        self.loops: list[Loop] = []
        """Those that are being printed, the innermost last."""
        self.pending: dict[Expression, None] = {}
        """Values that will be written where they are used."""
        self.source = ""
        """The line of the user's program that the last statement with a remark is from."""
        self.written_here: dict[Expression | None, str] = {}
        """Values without a statement of their own, and what is made of them by casts -> the line of the user's program."""

    def block(self, steps: Sequence[Step]) -> None:
        """The statements of a block of steps."""
        page = self.page
        for step in steps:
            before = len(page.lines)
            match step:
                case Define(line=line, values=values):
                    self._define(step)
                    self._from(page.sources.get(line, ""), before, values)
                case Effect(access=access):
                    page.emit("", self.expressions.store(access))
                    self._from(self.written_here.get(access.value, ""), before)
                    self._spent(*of_access(access))
                case Assert(check=check):
                    page.emit("", self.expressions.masks.assertion(check.condition, check.message))
                case Barrier(text=text):
                    page.emit("", parsed(text))
                case Loop():
                    self._loop(step)

    def _from(self, source: str, before: int, values: Sequence[Expression] = ()) -> None:
        """Say which line of the user's program a statement is from, where that is another one than the last."""
        for value in values:
            cast = value.operand if isinstance(value, Cast) else None
            self.written_here[value] = source or self.written_here.get(cast, "")
        if source not in ("", self.source) and len(self.page.lines) > before:
            self.page.lines[-1].remark = self.source = source

    # ------------------------------------------------------------ values

    def _define(self, step: Define) -> None:
        self.page.loads |= {access.value: access for access in step.loads if isinstance(access.value, Load)}
        if step.loads or any(map(branches, step.values)):
            self._settle(step.values)
        loop = self.loops[-1] if self.loops else None
        for name, value in zip(step.names, step.values, strict=True):
            carry = next((c for c in loop.carries if c.name == name and c.end is value), None) if loop else None
            if carry is not None:
                self._update(carry, value)
                continue
            if (
                value in self.page.bound
                or not self.uses[value]
                or isinstance(value, (Constant, Size, Position, Inside))
            ):
                continue
            if len(step.names) > 1 or ((call := call_of(value)) and call.result is not None):
                self._several(step)
                continue
            if chosen_of(value) is not None:
                self._choose(value)
                continue
            if self._inlined(value, step):
                self.pending[value] = None
                continue
            self._bind(value)

    def _settle(self, coming: Sequence[Expression]) -> None:
        """Give what waits to be used a statement of its own, before memory is read: a value computed later would keep its parts alive."""
        used = {part for value in coming for part in under(value)}
        inner = {part for value in self.pending for part in under(value)}
        for value in list(self.pending):
            if value not in used and value not in inner and any(isinstance(part, Load) for part in under(value)):
                self._bind(value)

    def _spent(self, *values: Expression) -> None:
        """What was written just now waits no longer."""
        for value in values:
            for part in (value, *under(value)):
                self.pending.pop(part, None)

    def _bind(self, value: Expression) -> None:
        name = self._just_loaded(value) or self._going_on(value)
        written = self.expressions.node(value)
        name = name or self._fresh(value)
        self.page.emit(name, written)
        self._spent(value)
        self.page.bound[value] = name

    def _just_loaded(self, value: Expression) -> str:
        """The name of the one element that was loaded just now and only this takes, spread over the block: both become one statement."""
        match value:
            case Broadcast(operand=Load() as load) if self.uses[load] == 1 and load not in self.elsewhere:
                last = self.page.lines[-1] if self.page.lines else None
                if last and not last.remark and last.target == self.page.bound.get(load):
                    self.page.lines.pop()
                    return self.page.bound.pop(load)
        return ""

    def _fresh(self, value: Expression) -> str:
        return self.page.fresh(self.page.layout.word(value), value)

    def _going_on(self, value: Expression) -> str:
        """The name of what a window's places were taken into so far, where this takes in one more: `largest = maximum(largest, x_at_0_2)`."""
        match value:
            case Operation(name=("add" | "maximum" | "minimum") as name, inputs=(Operation() as before, place)) if (
                before.name == name and self.uses[before] == 1 and before not in self.elsewhere
            ):
                return self.page.bound.get(before, "") if self.windows.of(place) else ""
        return ""

    def _several(self, step: Define) -> None:
        """One call with several results."""
        bound = self.page.bound
        call = call_of(step.values[0])
        if call is None or any(call_of(value) is None for value in step.values):
            for value in step.values:
                if value not in bound and self.uses[value]:
                    self._bind(value)
            return
        written = self.expressions.call(step.values[0], call)
        names = []
        for value in step.values:
            if value in bound:
                names.append("_")
                continue
            names.append(self._fresh(value) if self.uses[value] else "_")
            bound[value] = names[-1]
        self.page.emit(", ".join(names) + ("," if len(names) == 1 else ""), written)
        place = self.page.layout.place_of_rest()
        if place and isinstance(step.values[0], Reduction):
            for name in names:
                if name != "_":
                    self.page.emit(name, subscripted(name_node(name), place))

    def _choose(self, choice: Expression) -> None:
        """The larger of two values with its index, in one call; a window's running ones go on under their names."""
        found = chosen_of(choice)
        assert found is not None and isinstance(choice, Operation)
        chosen = self.choices[choice.inputs[0]]
        indices = found.indices or _inputs(chosen.get("index")) or COUNTED
        written = self.expressions.compared(found, indices)
        names = []
        for part, before in (("value", found.values[0]), ("index", indices[0])):
            value = chosen.get(part)
            names.append(self._running(part, before, len(chosen)) if value is not None else "_")
            if value is not None:
                self._spent(value)
                self.page.bound[value] = names[-1]
        self.page.emit(", ".join(names), written)

    def _running(self, part: str, before: Expression, uses: int) -> str:
        """The name of one result: that of the one before, which nothing needs behind this comparison."""
        last = chosen_of(before) is not None and self.uses[before] == uses and before not in self.elsewhere
        return self.page.bound[before] if last else self.page.fresh(RUNNING["argmax", part])

    def _inlined(self, value: Expression, step: Define) -> bool:
        """True for what is written where it is used: used once, here, read from no memory, and short."""
        if (
            self.uses[value] != 1
            or value in self.elsewhere
            or step.loads
            or partner_of(value)
            or isinstance(value, (Reduction, Scan, Partial, Random))
        ):
            return False
        bound, shown = self.page.bound, self._shown(value)
        if value in self.relu_of or (any(isinstance(node, Carried) for node in shown) and not self._ends_turn(value)):
            return False
        if any(isinstance(node, (Load, Reduction, Scan, Random)) and node not in bound for node in shown):
            return False
        if any(branches(node) and node not in bound for node in (value, *under(value))):
            return False
        if self.loops and any(value is carry.end for carry in self.loops[-1].carries):
            return True  # the statement that ends the turn
        written = self.expressions.node(value)
        longer = sum(len(name) - self._characters(name) for name in names_of(written))
        return len(unparsed(written)) - longer <= INLINE

    def _characters(self, name: str) -> int:
        """How long a name counts: whatever sizes, coordinates, roles of loads and places of a window are called, it does not decide."""
        if name.isupper():
            return len("SIZE")
        if name in self.page.layout.coordinates.named.values():
            return len("d0")
        if self.windows.places and name in self.windows.tests.values():
            return len("both_2")
        stem, at, place = name.rpartition("_at_")
        if at and place.isdigit():
            return len(f"{stem}SIZE")
        if at and self.windows.places and place.replace("_", "").isdigit():
            return len(stem if not place.strip("0_") else f"{stem}_2")
        half = next((half for half in ("_upper", "_lower") if name.endswith(half)), "")
        return len(f"{name.removesuffix(half)}SIZE") if half else len(name)

    def _shown(self, value: Expression) -> tuple[Expression, ...]:
        """What a value's own text says, down to the values that stand behind names."""
        return tuple(walk(*parts_of(value), parts=lambda node: () if node in self.page.bound else parts_of(node)))

    # ------------------------------------------------------------ loops

    def _loop(self, step: Loop) -> None:
        """Values defined in a loop are unknown behind it."""
        page, layout = self.page, self.page.layout
        for carry in step.carries:
            self._start(carry)
        axis = page.found.schedule.axis(step.axis)
        if axis is None:
            raise UnprintableError("a loop along no axis of the frame")
        positions = dict(page.positions)
        with page.scope() as body:
            for carry in step.carries:
                page.bound[carry.before] = self.accumulators[carry.name]
            self.loops.append(step)
            self.block(step.steps)
            self.loops.pop()
            if any(page.bound.get(carry.end) != self.accumulators[carry.name] for carry in step.carries):
                raise UnprintableError("a loop whose accumulator is set in an unknown way")  # by no statement
        page.positions = positions
        frame = (*layout.turn(axis), *layout.mask(axis, axis.name in page.inside), *layout.coordinates.statements(axis))
        turns = parsed(layout.range_(axis, step.iterator, step.keywords))
        page.lines.append(Line(layout.names[axis.name].start, turns, [*assigned(frame), *body]))
        for carry in step.carries:
            page.bound[carry.after] = self.accumulators[carry.name]

    def _start(self, carry: Carry) -> None:
        """An accumulator before its loop."""
        if isinstance(carry.start, Carried) and carry.start.name in self.accumulators:
            self.accumulators[carry.name] = self.accumulators[carry.start.name]
            return
        word = "so_far" if goes_on(carry) else running(carry.after)
        name = self.accumulators[carry.name] = self.page.fresh(word)
        shapes = self.expressions.shapes
        if goes_on(carry):
            shapes.carried[carry.before] = shapes.free
        elif isinstance(carry.after, Reduction):
            shapes.carried[carry.before] = shapes.of(carry.after)
        start = constant_of(carry.start)
        if start is not None:
            shape = self.page.layout.tile(shapes.of(carry.before))
            written: ast.expr = call_to("tl.full", shape, number_of(start.value), dtype_name(start.dtype))
        else:
            written = self.expressions.node(carry.start)
        self.page.emit(name, written)

    def _ends_turn(self, value: Expression) -> bool:
        """True for what an accumulator becomes: `accumulator + x`."""
        return bool(self.loops) and any(
            value is carry.end or value in parts_of(carry.end) for carry in self.loops[-1].carries
        )

    def _update(self, carry: Carry, value: Expression) -> None:
        """The end of a turn."""
        name = self.accumulators[carry.name]
        before = self.page.bound.pop(value, None)
        written = name_node(before) if before is not None else self.expressions.node(value)
        if not goes_on(carry) and not isinstance(carry.after, Reduction):
            written = self.expressions.masks.kept(written, name)
        self.page.emit(name, written)
        self._spent(value)
        self.page.bound[value] = name


def _inputs(choice: Expression | None) -> tuple[Expression, ...]:
    """What a choice chooses from."""
    return choice.inputs[1:] if isinstance(choice, Operation) else ()


def under(value: Expression) -> Iterator[Expression]:
    """Everything that a value's text in Triton is made of."""
    return walk(*parts_of(value), parts=parts_of)


def branches(value: Expression) -> bool:
    """True for a function that branches (sin, cos, pow, erf ...): where it stands decides what else lives across it, so it stays there."""
    return isinstance(value, Operation) and (
        value.spelling.startswith("libdevice.") or value.name in {"sin", "cos", "pow"}
    )


def call_of(value: Expression) -> Call | None:
    return value.call if isinstance(value, (Reduction, Scan, Partial, Random)) else None
