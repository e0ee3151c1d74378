"""The readable Triton printer: a computation's schedule as a person would have written it, the same to the bit.

Names come from the tensors and from what is done; sizes are parameters; a constant stands where it is used; a value that is used once is
written where it is used; a mask that Inductor dropped because its block happened to divide the size is back, because the block may now
change. The arithmetic, its order and every cast are the tree's.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Assert, Barrier, Carry, Define, Effect, Loop, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Named,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
)
from inductor_lab.eject.helpers import OURS
from inductor_lab.eject.layout import Layout
from inductor_lab.eject.rendering import KernelText, Parameter
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton_text import (
    call_to,
    cast_to,
    dtype_name,
    keywords_of,
    name_node,
    number_of,
    parsed,
    signed,
    subscripted,
    summed,
    typed,
    unparsed,
)
from inductor_lab.eject.triton_values import (
    branches,
    call_of,
    chosen_sides,
    conjuncts,
    constant_of,
    fits_in,
    is_relu,
    is_weak,
    parts_of,
    result_count,
    under,
    unscaled,
)

INLINE = 56
"""Characters up to which a value that is used once is written where it is used."""
LONG = 20
"""Characters from which an address that several accesses share gets a name."""
BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "shift_left": ast.LShift, "shift_right": ast.RShift, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip
COMPARED: dict[str, type[ast.cmpop]] = {
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "eq": ast.Eq, "ne": ast.NotEq,
}  # fmt: skip
HELPERS = {"floor_divide": "div_floor_integer", "remainder": "remainder_integer"}
"""Operations that are a helper of Inductor's, whatever the call is written as."""
NOUNS = {
    "add": "total", "sub": "difference", "mul": "product", "div": "quotient", "where": "chosen", "maximum": "largest", "minimum": "smallest",
    "neg": "negated", "and": "both", "or": "either", "not": "otherwise", "lt": "test", "le": "test", "gt": "test", "ge": "test",
    "eq": "same", "ne": "test", "bitcast": "bits",
}  # fmt: skip
RUNNING = {
    "mean": "running_mean", "m2": "running_m2", "weight": "running_count", "index": "best_place", "value": "best", "max": "running_max",
    "sum": "running_sum",
}  # fmt: skip
"""What a loop's own tile is called, by which result of a fold it becomes."""
FOLDED = {"sum": "total", "max": "largest", "min": "smallest", "any": "some", "prod": "product", "xor": "parity"}


class UnprintableError(Exception):
    """A computation that the schedule does not tell whole: it is printed as its author wrote it."""


def readable(
    found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str]
) -> KernelText:
    """The kernel's text and its launch.

    Args:
        tensors: What each pointer holds, by parameter.
        taken: Names that nothing of the kernel may have.
        values: Scalars that the launch passes, by parameter, as the launcher's own text.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    if found.schedule.opaque:
        raise UnprintableError(found.schedule.opaque)
    return _Printer(found, tensors, taken, values).text()


class _Printer:
    def __init__(
        self, found: Computation, tensors: Mapping[str, Tensor], taken: Iterable[str], values: Mapping[str, str]
    ) -> None:
        self.found = found
        self.tensors = tensors
        self.values = values
        self.taken = {*taken, *OURS, *(f"{tensor.name}_ptr" for tensor in tensors.values())}
        self.layout = Layout(found, tensors, self.taken, values)
        self.lines: list[str] = []
        self.bound: dict[Expression, str] = {}
        """Values that stand behind a name just now."""
        self.accumulators: dict[str, str] = {}
        """A loop's own names -> ours."""
        self.loads: dict[Load, Access] = {}
        self.helpers: set[str] = set()
        self.inside: set[str] = set()
        """Axes whose mask is used."""
        self.scopes: list[Loop] = []
        self.shapes: dict[Expression, frozenset[str]] = {}
        self.pending: dict[Expression, None] = {}
        """Values that will be written where they are used."""
        self.positions: dict[Index, str] = {}
        """Addresses that have a name just now."""
        self.repeated = Counter(access.index for access in found.accesses)
        self.uses, self.outside = self.counted()

    # ------------------------------------------------------------ the whole

    def text(self) -> KernelText:
        body = self.steps(self.found.schedule.steps, "    " * 0)
        frame = self.frame()
        lines = [*frame, *body]
        parameters, arguments = self.signature(lines)
        layout = self.layout
        return KernelText(
            tuple(parameters), tuple(lines), self.remark(), tuple(layout.launcher(lines)), layout.grid(), ", ".join(arguments), layout.blocks,
            layout.fixed, frozenset(self.helpers),
        )  # fmt: skip

    def remark(self) -> str:
        axes = self.found.schedule.axes
        free, reduced = [a for a in axes if not a.reduced], [a for a in axes if a.reduced]
        if not reduced:
            if len(free) > 1:
                return "One program owns a tile of elements, so that reads and writes both run along memory."
            return "One program owns BLOCK consecutive elements, shared by its threads."
        whole = not any(axis.looped for axis in reduced)
        each = "each held whole" if whole else "a block of each at a time"
        return f"One program reduces {'BLOCK rows' if free and free[0].dimension is not None else 'one row'}, {each}."

    def signature(self, lines: Sequence[str]) -> tuple[list[Parameter], list[str]]:
        written = "\n".join(lines)

        def used(name: str) -> bool:
            return re.search(rf"\b{re.escape(name)}\b", written) is not None

        parameters, arguments = [], []
        for tensor in self.tensors.values():
            parameters.append(Parameter(f"{tensor.name}_ptr", "", tensor.comment()))
            arguments.append(tensor.name)
        for name, passed, comment in self.layout.scalars():
            if used(name):
                parameters.append(Parameter(name, "", comment))
                arguments.append(passed)
        for name, passed, comment in self.layout.constants():
            if used(name):
                parameters.append(Parameter(name, ": tl.constexpr", comment))
                arguments.append(f"{name}={passed}")
        for name in self.layout.tuned():
            parameters.append(Parameter(name, ": tl.constexpr"))
            arguments.append(f"{name}={name}")
        return parameters, arguments

    # ------------------------------------------------------------ what is needed, and how often

    def counted(self) -> tuple[Counter[Expression], set[Expression]]:
        """How often each value is used, and which are used in another loop than where they are defined."""
        roots: list[Expression] = []
        ends: list[Expression] = []
        for step in self.found.schedule.every():
            match step:
                case Effect(access=access):
                    roots += [*access.index.expressions(), *filter(None, (access.mask, access.value))]
                case Assert(check=check):
                    roots.append(check.condition)
                case Loop(carries=carries):
                    ends += [carry.end for carry in carries]
        uses: Counter[Expression] = Counter()
        for root in roots:
            uses[root] += 1
        waiting, seen = [*roots, *ends], set()
        for end in ends:
            uses[end] += 1
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            for part in parts_of(node):
                uses[part] += 1
                waiting.append(part)
        depth: dict[Expression, int] = {}
        crossing: set[Expression] = set()

        def visit(steps: Sequence[Step], level: int) -> None:
            for step in steps:
                if isinstance(step, Define):
                    for value in step.values:
                        for part in under(value, depth):
                            if depth[part] < level:
                                crossing.add(part)
                        depth.setdefault(value, level)
                elif isinstance(step, Effect):
                    for root in filter(None, (access_value for access_value in (step.access.value, step.access.mask))):
                        for part in (root, *under(root, depth)):
                            if depth.get(part, level) < level:
                                crossing.add(part)
                elif isinstance(step, Loop):
                    visit(step.steps, level + 1)

        visit(self.found.schedule.steps, 0)
        return uses, crossing

    # ------------------------------------------------------------ the frame

    def frame(self) -> list[str]:
        """Offsets, masks and coordinates of the axes that programs share; reductions that one block holds whole."""
        lines: list[str] = []
        for axis in self.found.schedule.axes:
            lines += self.layout.positions(axis)
            if not axis.looped:
                lines += self.layout.mask(axis, axis.name in self.inside)
                lines += self.layout.coordinates(axis)
        return lines

    # ------------------------------------------------------------ steps

    def steps(self, steps: Sequence[Step], indent: str) -> list[str]:
        """The lines of a block of steps. Values defined in a loop are unknown behind it."""
        outer, self.lines = self.lines, []
        for step in steps:
            match step:
                case Define():
                    self.define(step)
                case Effect(access=access):
                    self.emit(self.store(access))
                    self.spent(*access.index.expressions(), *filter(None, (access.value, access.mask)))
                case Assert(check=check):
                    self.emit(self.assertion(check.condition, check.message))
                case Barrier(text=text):
                    self.emit(text)
                case Loop():
                    self.loop(step)
        lines, self.lines = self.lines, outer
        return [indent + line for line in lines]

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def define(self, step: Define) -> None:
        self.loads |= {access.value: access for access in step.loads if isinstance(access.value, Load)}
        if step.loads or any(map(branches, step.values)):
            self.settle(step.values)
        loop = self.scopes[-1] if self.scopes else None
        for name, value in zip(step.names, step.values, strict=True):
            carry = next((c for c in loop.carries if c.name == name and c.end is value), None) if loop else None
            if carry is not None:
                self.update(carry, value)
                continue
            if value in self.bound or not self.uses[value] or isinstance(value, (Constant, Size, Position, Inside)):
                continue
            if len(step.names) > 1 or result_count(value) > 1:
                self.several(step)
                continue
            if self.inlined(value, step):
                self.pending[value] = None
                continue
            self.bind(value, self.written(value))

    def settle(self, coming: Sequence[Expression]) -> None:
        """Give what waits to be used a statement of its own, before memory is read: a value computed later would keep its parts alive."""
        used = {part for value in coming for part in under(value, None)}
        inner = {part for value in self.pending for part in under(value, None)}
        for value in list(self.pending):
            if value not in used and value not in inner and any(isinstance(part, Load) for part in under(value, None)):
                self.bind(value, self.written(value))

    def spent(self, *values: Expression) -> None:
        """What was written just now waits no longer."""
        for value in values:
            for part in (value, *under(value, None)):
                self.pending.pop(part, None)

    def several(self, step: Define) -> None:
        """One call with several results."""
        call = next((found for value in step.values if (found := call_of(value)) is not None), None)
        if call is None or any(call_of(value) is None for value in step.values):
            for value in step.values:
                if value not in self.bound and self.uses[value]:
                    self.bind(value, self.written(value))
            return
        written = self.call(step.values[0], call)
        names = []
        for value in step.values:
            if value in self.bound:
                names.append("_")
                continue
            names.append(self.fresh(self.noun(value)) if self.uses[value] else "_")
            self.bound[value] = names[-1]
        self.emit(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {unparsed(written)}")
        place = self.layout.place_of_rest()
        if place and isinstance(step.values[0], Reduction):
            for name in names:
                if name != "_":
                    self.emit(f"{name} = {name}{place}")

    def inlined(self, value: Expression, step: Define) -> bool:
        """True for what is written where it is used: used once, here, read from no memory, and short."""
        if (
            self.uses[value] != 1
            or value in self.outside
            or step.loads
            or isinstance(value, (Reduction, Scan, Partial, Random))
        ):
            return False
        shown = self.shown(value)
        if self.relu_of(value) or (any(isinstance(node, Carried) for node in shown) and not self.ends_turn(value)):
            return False
        if any(isinstance(node, (Load, Reduction, Scan, Random)) and node not in self.bound for node in shown):
            return False
        if any(branches(node) and node not in self.bound for node in (value, *under(value, None))):
            return False
        return len(unparsed(self.node(value))) <= INLINE

    def shown(self, value: Expression) -> set[Expression]:
        """What a value's own text says, down to the values that stand behind names."""
        found: set[Expression] = set()
        waiting = list(parts_of(value))
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting.extend(() if node in self.bound else parts_of(node))
        return found

    def ends_turn(self, value: Expression) -> bool:
        """True for what an accumulator becomes: `accumulator + x`."""
        return bool(self.scopes) and any(value in parts_of(carry.end) for carry in self.scopes[-1].carries)

    def relu_of(self, value: Expression) -> bool:
        return value in self.compared

    @property
    def compared(self) -> set[Expression]:
        """Values of which a relu is taken: they are needed twice there."""
        if not hasattr(self, "_compared"):
            self._compared = {node.inputs[1] for node in self.uses if isinstance(node, Operation) and is_relu(node)}
        return self._compared

    def bind(self, value: Expression, written: ast.expr, noun: str = "") -> None:
        name = self.fresh(noun or self.noun(value))
        self.emit(f"{name} = {unparsed(written)}")
        self.spent(value)
        self.bound[value] = name

    def written(self, value: Expression) -> ast.expr:
        """The value's own text, although it may get a name."""
        return self.node(value)

    def fresh(self, wanted: str) -> str:
        return self.layout.fresh(wanted)

    def loop(self, step: Loop) -> None:
        for carry in step.carries:
            self.start(carry)
        before, names, positions = dict(self.bound), set(self.layout.taken), dict(self.positions)
        for carry in step.carries:
            self.bound[carry.before] = self.accumulators[carry.name]
        axis = self.found.schedule.axis(step.axis)
        if axis is None:
            raise UnprintableError("a loop along no axis of the frame")
        self.scopes.append(step)
        body = self.steps(step.steps, "    ")
        for carry in step.carries:
            if (
                self.bound.get(carry.end) != self.accumulators[carry.name]
            ):  # a name that got a value without a statement of its own
                raise UnprintableError("a loop whose accumulator is set in an unknown way")
        self.scopes.pop()
        self.bound, self.positions = before, positions
        self.layout.forget(names)
        self.emit(f"for {self.layout.start(axis)} in {self.layout.range_(axis, step.iterator, step.keywords)}:")
        for line in (
            *self.layout.turn(axis),
            *self.layout.mask(axis, axis.name in self.inside),
            *self.layout.coordinates(axis),
        ):
            self.emit("    " + line)
        self.lines += body
        for carry in step.carries:
            self.bound[carry.after] = self.accumulators[carry.name]

    def start(self, carry: Carry) -> None:
        """An accumulator before its loop."""
        if isinstance(carry.start, Carried) and carry.start.name in self.accumulators:
            self.accumulators[carry.name] = self.accumulators[carry.start.name]
            return
        part = carry.after.part if isinstance(carry.after, Partial) else ""
        noun = RUNNING.get(part, "accumulator")
        name = self.accumulators[carry.name] = self.fresh(noun)
        start = constant_of(carry.start)
        if start is not None:
            shape = self.layout.tile(frozenset(axis.name for axis in self.found.schedule.axes))
            value = number_of(start.value)
            self.emit(f"{name} = {unparsed(call_to('tl.full', shape, value, dtype_name(start.dtype)))}")
        else:
            self.emit(f"{name} = {unparsed(self.node(carry.start))}")

    def update(self, carry: Carry, value: Expression) -> None:
        """The end of a turn; lanes outside keep what they had, also where the text left the mask out."""
        name = self.accumulators[carry.name]
        before = self.bound.pop(value, None)
        written = name_node(before) if before is not None else self.node(value)
        lost = [
            a
            for a in self.found.schedule.axes
            if a.looped and a.reduced and not a.masked and self.layout.may_end_inside(a)
        ]
        for axis in lost:
            written = call_to("tl.where", self.mask(axis.name), written, name_node(name))
        self.emit(f"{name} = {unparsed(written)}")
        self.spent(value)
        self.bound[value] = name

    # ------------------------------------------------------------ memory

    def store(self, access: Access) -> str:
        function = "tl.store" if access.kind == "store" else f"tl.{access.kind}"
        if access.value is None:
            raise UnprintableError(f"{access.kind} of nothing")
        value = self.node(access.value)
        spanned = self.axes_of(access.value) | (self.axes_of(access.mask) if access.mask is not None else frozenset())
        pointer = self.address(access, spanned)
        mask = self.guard(access, self.axes_of(access.value))
        arguments = [pointer, value, *([mask] if mask is not None else [])]
        call = call_to(function, *arguments)
        if access.eviction:
            call.keywords.append(ast.keyword("eviction_policy", ast.Constant(access.eviction)))
        return unparsed(call, access.keywords)

    def load(self, value: Load) -> ast.expr:
        access = self.loads.get(value)
        if access is None:
            raise UnprintableError("a load that no step does")
        spanned = self.axes_of(value.mask) if value.mask is not None else frozenset()
        mask = self.guard(access, frozenset())
        call = call_to("tl.load", self.address(access, spanned), *([mask] if mask is not None else []))
        if value.other is not None and mask is not None:
            call.keywords.append(ast.keyword("other", self.node(value.other)))
        if access.eviction:
            call.keywords.append(ast.keyword("eviction_policy", ast.Constant(access.eviction)))
        if access.keywords:
            call.keywords += keywords_of(access.keywords)
        return call

    def address(self, access: Access, spanned: frozenset[str]) -> ast.expr:
        """The pointer's tile; as wide as what is stored there, also where the address itself has one element."""
        pointer: ast.expr = name_node(f"{self.tensors[access.pointer].name}_ptr")
        index = access.index
        if index.terms or index.constant:
            pointer = ast.BinOp(pointer, ast.Add(), self.position(index, access.pointer))
        wide = {axis for axis in spanned if self.layout.spans(axis)}
        if wide and not any(self.layout.spans(axis) for axis in self.axes_of_index(index)):
            zeros = call_to("tl.full", self.layout.tile(frozenset(wide)), ast.Constant(0), name_node("tl.int32"))
            pointer = ast.BinOp(pointer, ast.Add(), zeros)
        return pointer

    def position(self, index: Index, pointer: str) -> ast.expr:
        """An address; by a name where several accesses share a long one."""
        if index in self.positions:
            return name_node(self.positions[index])
        written = self.sum(index, pointer)
        text = unparsed(written)
        if self.repeated[index] < 2 or len(text) < LONG:
            return written
        self.positions[index] = self.fresh("position")
        self.emit(f"{self.positions[index]} = {text}")
        return name_node(self.positions[index])

    def guard(self, access: Access, more: frozenset[str]) -> ast.expr | None:
        """The mask as the text has it, and with what it left out because its block divides the size."""
        kept = [
            part
            for part in conjuncts(access.mask)
            if not (isinstance(part, Inside) and not self.layout.masks(part.axis))
        ]
        present = {part.axis for part in kept if isinstance(part, Inside)}
        moving = self.axes_of_index(access.index) | more
        lost = [
            axis.name
            for axis in self.found.schedule.axes
            if axis.name in moving and axis.name not in present and not axis.masked and self.layout.may_end_inside(axis)
        ]
        parts = [self.node(part) for part in kept] + [self.mask(name) for name in lost]
        if not parts:
            return None
        both = parts[0]
        for part in parts[1:]:
            both = ast.BinOp(both, ast.BitAnd(), part)
        return both

    def assertion(self, condition: Expression, message: str) -> str:
        """A check; lanes outside hold anything where their mask was dropped."""
        test = self.node(condition)
        for axis in self.found.schedule.axes:
            if axis.name in self.axes_of(condition) and not axis.masked and self.layout.may_end_inside(axis):
                test = ast.BinOp(test, ast.BitOr(), ast.UnaryOp(ast.Invert(), self.mask(axis.name)))
        message = re.sub(r"\b_?tmp\w*", "index", message)
        return unparsed(call_to("tl.device_assert", test, ast.Constant(message)))

    def mask(self, axis: str) -> ast.expr:
        self.inside.add(axis)
        return name_node(self.layout.inside(axis))

    # ------------------------------------------------------------ nodes

    def node(self, value: Expression) -> ast.expr:
        if value in self.bound:
            return name_node(self.bound[value])
        match value:
            case Constant():
                return typed(value)
            case Size(name=name):
                return name_node(self.layout.scalar(name))
            case Position(index=index, dtype=dtype):
                written = self.sum(index, "")
                wide = dtype != self.layout.position_dtype(index) and dtype not in {"int", "int32"}
                return cast_to(written, dtype) if wide else written
            case Inside(axis=axis):
                return self.mask(axis) if self.layout.masks(axis) else typed(Constant("bool", frozenset(), True))
            case Load():
                return self.load(value)
            case Named(inputs=(inner,)):
                return self.node(inner)
            case Cast(operand=operand, dtype=dtype):
                return cast_to(self.node(operand), dtype)
            case Broadcast(operand=operand):
                return self.broadcast(operand, value.axes)
            case Operation():
                return self.operation(value)
            case Reduction(call=Call() as call) | Scan(call=Call() as call) | Random(call=Call() as call):
                return self.call(value, call)
            case Partial(call=Call() as call):
                return self.call(value, call)
        raise UnprintableError(
            f"a {type(value).__name__.lower()} that has no form: {getattr(value, 'text', '') or getattr(value, 'name', '')}"[
                :90
            ]
        )

    def operand(self, value: Expression, other: Expression | None, compares: bool = False) -> ast.expr:
        """A value beside another one: a number as a bare one where it says the same."""
        if (
            isinstance(value, Constant)
            and other is not None
            and (is_weak(value, other.dtype) or (compares and fits_in(value, other.dtype)))
        ):
            return number_of(value.value if "float" not in other.dtype else float(value.value))
        return self.node(value)

    def operation(self, value: Operation) -> ast.expr:
        name, inputs = value.name, value.inputs
        if name == "neg" and len(inputs) == 1:
            return ast.UnaryOp(ast.USub(), self.node(inputs[0]))
        if name == "not" and len(inputs) == 1:
            return ast.UnaryOp(ast.Invert(), self.node(inputs[0]))
        if name == "bitcast":
            return cast_to(self.node(inputs[0]), value.dtype, bitcast=True)
        if name == "mul" and (kept := unscaled(value)) is not None:
            return self.node(kept)
        if not value.spelling and len(inputs) == 2 and (name in BINARY or name in COMPARED):
            compares = name in COMPARED
            left, right = (self.operand(part, other, compares) for part, other in (inputs, inputs[::-1]))
            if compares:
                return ast.Compare(left, [COMPARED[name]()], [right])
            return ast.BinOp(left, BINARY[name](), right)
        if name == "where" and len(inputs) == 3:
            condition, one, other = chosen_sides(value)
            return call_to("tl.where", self.node(condition), self.operand(one, other), self.operand(other, one))
        if is_relu(value):
            x = inputs[1]
            zero = ast.Constant(0.0 if "float" in x.dtype else 0)
            if isinstance(shown := self.node(x), ast.Name):  # the helper's own rule, 0 > x: NaN and -0.0 come through
                return call_to("tl.where", ast.Compare(shown, [ast.Lt()], [ast.Constant(0)]), zero, shown)
        if name in HELPERS:
            self.helpers.add(HELPERS[name])
            return call_to(HELPERS[name], *(self.node(part) for part in inputs))
        if value.spelling:
            return self.called(value.spelling, [self.node(part) for part in inputs], value.keywords)
        raise UnprintableError(f"the operation {name} has no form")

    def called(self, function: str, arguments: Sequence[ast.expr], keywords: str = "") -> ast.Call:
        if function.startswith("triton_helpers."):
            name = function.removeprefix("triton_helpers.")
            self.helpers.add(name)
            function = name if name in OURS else function
        call = call_to(function, *arguments)
        call.keywords += keywords_of(self.layout.renamed(keywords))
        return call

    def call(self, value: Expression, call: Call) -> ast.expr:
        """A fold, a scan, a sort, a random number: its tiles spread over the whole tile."""
        everything = frozenset(axis.name for axis in self.found.schedule.axes)
        arguments: list[ast.expr] = []
        folds = isinstance(value, (Reduction, Scan))
        for argument in call.arguments:
            if isinstance(argument, str):
                arguments.append(parsed(self.layout.renamed(argument)))
            elif folds or (isinstance(value, Partial) and not isinstance(argument, (Carried, Constant))):
                arguments.append(self.broadcast(argument, everything))
            else:
                arguments.append(self.node(argument))
        function = call.function
        match value:
            case Reduction():
                tiles = len(call.values)
                arguments.insert(tiles, ast.Constant(self.layout.reduced_dimension(value.over)))
                if function == "tl.reduce" and tiles > 1:
                    raise UnprintableError("a fold of several tiles by a function of its own")
                written: ast.expr = self.called(function, arguments, call.keywords)
                place = self.layout.place_of_rest()
                if call.result is None:
                    return subscripted(written, place)
                return written
            case Scan() if function == "tl.associative_scan":
                tiles = len(call.values)
                tile = ast.Tuple(arguments[:tiles], ast.Load()) if call.result is not None else arguments[0]
                return self.called(function, [tile, *arguments[tiles:]], call.keywords)
        return self.called(function, arguments, call.keywords)

    def broadcast(self, value: Expression, axes: frozenset[str]) -> ast.expr:
        mine = self.axes_of(value)
        wanted = {axis for axis in axes if self.layout.spans(axis)}
        if wanted <= {axis for axis in mine if self.layout.spans(axis)}:
            return self.node(value)
        return call_to("tl.broadcast_to", self.node(value), self.layout.tile(frozenset(wanted) | mine))

    def axes_of(self, value: Expression) -> frozenset[str]:
        """The axes along which a value's tile is wide, as it is printed."""
        if value in self.shapes:
            return self.shapes[value]
        free = frozenset(axis.name for axis in self.found.schedule.axes if not axis.reduced)
        match value:
            case Constant() | Size():
                axes: frozenset[str] = frozenset()
            case Position(index=index):
                axes = self.axes_of_index(index)
            case Inside(axis=axis):
                axes = frozenset({axis})
            case Reduction():
                axes = free
            case Load():
                axes = self.axes_of_index(value.index) if value.index else frozenset()
                axes |= self.axes_of(value.mask) if value.mask is not None else frozenset()
            case Scan() | Partial() | Carried():
                axes = frozenset(axis.name for axis in self.found.schedule.axes)
            case Broadcast(operand=operand):
                axes = value.axes | self.axes_of(operand)
            case _:
                axes = frozenset().union(*(self.axes_of(part) for part in parts_of(value)))
        self.shapes[value] = axes
        return axes

    def axes_of_index(self, index: Index) -> frozenset[str]:
        axes: frozenset[str] = frozenset()
        for term in index.terms:
            if isinstance(term.of, Coordinate):
                axes |= {term.of.axis}
            elif term.of is not None:
                axes |= self.axes_of(term.of)
        return axes

    # ------------------------------------------------------------ positions

    def sum(self, index: Index, pointer: str) -> ast.expr:
        """An address or a position, in the order of the text. Beside a tile of several dimensions a constant stands where it is added to
        the fewest elements: first, or taken off the last summand."""
        parts = [self.term(term, pointer) for term in index.terms]
        if index.constant or not parts:
            constant = (index.constant < 0, self.layout.offset(abs(index.constant), pointer))
            if self.layout.rank == 1 or not parts:
                parts.append(constant)
            elif index.constant > 0:
                parts.insert(0, constant)
            else:
                parts[-1] = summed([parts[-1], constant])
        return signed(*summed(parts))

    def term(self, term: Term, pointer: str) -> tuple[bool, ast.expr]:
        factors: list[ast.expr] = []
        match term.of:
            case Coordinate() as coordinate:
                factors.append(parsed(self.layout.coordinate(coordinate)))
            case Expression() as value:
                factors.append(self.node(value))
        if abs(term.factor) != 1 or not (factors or term.sizes):
            factors.append(parsed(self.layout.factor(abs(term.factor), pointer, term)))
        factors += [name_node(self.layout.scalar(size)) for size in term.sizes]
        product = factors[0]
        for factor in factors[1:]:
            product = ast.BinOp(product, ast.Mult(), factor)
        return term.factor < 0, product

    # ------------------------------------------------------------ names

    def noun(self, value: Expression) -> str:
        match value:
            case Load(pointer=pointer):
                return self.tensors[pointer].name
            case Cast(operand=Load() as load):
                return self.noun(load)
            case Cast(operand=operand, dtype=dtype):
                return "index" if "int" in dtype and "float" not in operand.dtype else self.noun(operand)
            case Broadcast(operand=operand) | Named(inputs=(operand,)):
                return self.noun(operand)
            case Operation() if is_relu(value):
                return "relu"
            case Operation(name=name):
                return NOUNS.get(name, name if name.isidentifier() else "value")
            case Partial(part=part) if part in RUNNING:
                return RUNNING[part].replace("running", "next").replace("best", "next")
            case Reduction(name=name, part=part) | Partial(name=name, part=part):
                return {"weight": "count", "index": "place", "value": "largest", "max": "largest", "sum": "total"}.get(
                    part, part
                ) or FOLDED.get(name, name)
            case Scan(name=name):
                return {"sum": "running", "prod": "running"}.get(
                    name, "scanned" if not name.startswith("sort") else "sorted_"
                )
            case Random():
                return "noise"
        return "value"
