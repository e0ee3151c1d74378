"""Statements to a computation: one walk over a body in order, with a tree for every name. Only `ast`: nothing is executed.

The frame that Inductor puts around every body (`xoffset`, `xindex`, `xmask`, `r0_base`: `codegen_range_tree` in
torch/_inductor/codegen/triton.py, 2.0 to 2.15) is known by its names; everything else is read as it stands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from inductor_lab.computation import folds, groups, matmul, memory
from inductor_lab.computation.calls import unread
from inductor_lab.computation.evaluation import Evaluation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.frame import FRAME, Axes, alone_in_its_row, turns_of
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.nodes import NOWHERE
from inductor_lab.computation.operators import called
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import (
    Alias,
    Assert,
    Barrier,
    Carry,
    Check,
    Define,
    Effect,
    Frame,
    Loop,
    Reached,
    Said,
    Schedule,
    Statement,
    Step,
    What,
    branch,
    constexpr,
    piece,
)
from inductor_lab.computation.space import digits_of
from inductor_lab.computation.tree import Carried, Expression, Position, Size, Unknown
from inductor_lab.records import Argument, Kernel

_VALUE = re.compile(r"_?tmp|accum\d")
_PROMISES = {"static_assert": "checked", "assume": "promise"}
"""Calls that compute nothing: they tell the compiler something."""
_BLOCK = re.compile(r"(\w*BLOCK)(_\d+)?$")
"""A block, `R0_BLOCK`, and the number of the job whose own it is, `R0_BLOCK_1`."""
_PROGRAM = {"pid", "xpid"}
"""Names that hold which program this is, in kernels that do several jobs."""
OPAQUE = {
    "template": "Inductor's template shares out its work itself, not along the axes of other kernels",
    "user_autotune": "it is its author's own text, not in Inductor's frame",
}
"""Categories of kernels that are not in the frame of the others, and why nothing of it is found in them."""


def computation(kernel: Kernel, *, alone: bool = False) -> Computation:
    """What a kernel computes, by its first launch.

    Args:
        alone: Read a cooperative reduction as its text is for one program a row (RSPLIT = 1): without what it leaves for its peers.

    Raises:
        ValueError: the body is not Python.
    """
    launch = kernel.launches[0].arguments if kernel.launches else ()
    try:
        return launched(kernel, [(argument.name, argument.value) for argument in launch], alone=alone)
    except ValueError as error:
        raise ValueError(f"the body of {kernel.id} is {error}") from error


def launched(kernel: Kernel, passed: Iterable[tuple[str, str]], *, alone: bool = False) -> Computation:
    """What a kernel's text computes where a launch passes these values for its parameters.

    Raises:
        ValueError: what the body is instead of Python, `not Python: ...`.
    """
    opaque = OPAQUE.get(kernel.category, "")
    try:
        return _computation(kernel.body, tuple(kernel.arguments), tuple(passed), opaque, alone, groups.of(kernel))
    except SyntaxError as error:
        raise ValueError(f"not Python: {error.msg} in its line {error.lineno}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError("nested deeper than any that Inductor writes") from error


def product(kernel: Kernel) -> Computation:
    """What a template of a matrix product computes, in the frame of other kernels: a fold along its sum, with what is fused around it.

    Raises:
        ValueError: it is no such template, or does what is not read as a tree.
    """
    found = matmul.framed(ast.parse(kernel.body).body, frozenset(a.name for a in kernel.arguments if a.pointer))
    launch = kernel.launches[0].arguments if kernel.launches else ()
    reader = _Reader(kernel.arguments, {argument.name: argument.value for argument in launch}, "")
    reader.axes.numel |= found.numel
    reader.read(found.statements)
    return reader.computation()


@lru_cache(maxsize=4096)
def _computation(
    body: str,
    arguments: tuple[Argument, ...],
    passed: tuple[tuple[str, str], ...],
    opaque: str,
    alone: bool,
    group: int | None,
) -> Computation:
    reader = _Reader(arguments, dict(passed), opaque, alone=alone)
    reader.values.group = group
    reader.read(ast.parse(body).body)
    return reader.computation()


class _Reader:
    """Walks statements in order."""

    def __init__(
        self, arguments: Iterable[Argument], passed: Mapping[str, str], opaque: str, *, alone: bool = False
    ) -> None:
        self.framed, self.alone = not opaque, alone
        arguments = tuple(arguments)
        constants: dict[str, Expression] = {}
        self.values = Evaluation(pointers={a.name: a for a in arguments if a.pointer}, constants=constants)
        self.axes = Axes(self.values)
        for argument in arguments:
            if not argument.pointer:
                constants[argument.name] = self.axes.passed(argument, passed.get(argument.name, argument.name))
        self.lines: dict[int, dict[str, Expression]] = {}
        self.coordinates: dict[str, Coordinate] = {}
        self.checks: list[Check] = []
        self.parts: list[Computation] = []
        self.unknown: list[int] = []
        self.statements: list[ast.stmt] = []
        self.told: list[Statement] = []
        self.branches = False
        self.steps: list[Step] = []
        self.opaque = opaque

    def computation(self) -> Computation:
        values = self.values
        used = [c for access in values.accesses for c in access.index.coordinates()]
        used += [c for access in values.accesses for limit in access.limits for c in limit.index.coordinates()]
        digits = digits_of(self.axes.numel, used)
        return Computation(
            self.axes.numel, self.axes.sizes, tuple(values.accesses), self.lines, values.names, self.coordinates, tuple(values.work), tuple(self.checks),
            self.branches or bool(values.reached), tuple(self.unknown), tuple(self.statements), tuple(self.parts), digits,
            self.schedule(), tuple(sorted(self.told, key=lambda one: one.line)), self.axes.fixed,
        )  # fmt: skip

    def schedule(self) -> Schedule:
        reason = self.opaque or ("several jobs side by side" if self.parts else "")
        if not reason and self.values.reached:
            reason = "addresses that are no sums of coordinates"
        if not reason and self.unknown:
            reason = "statements that no rule reads"
        axes = tuple(self.axes.axis(name, texts) for name, texts in self.axes.texts.items())
        if not reason and "r1_" in self.axes.texts:
            reason = "a reduction over two dimensions, which the text folds as one"
            axes = tuple(axis for axis in axes if axis.name in self.axes.numel)
        return Schedule(axes, tuple(self.steps), reason)

    # ---- statements

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statements.append(statement)
            if call := unread(statement):
                self.unknown.append(statement.lineno)
                self.opaque = self.opaque or f"a call that says what no rule reads: {ast.unparse(call)[:60]}"
            inner = statement.body[0] if isinstance(statement, (ast.For, ast.If, ast.While)) else None
            last = inner.lineno - 1 if inner else statement.end_lineno or statement.lineno
            self.told.append(Statement(statement.lineno, last, self.statement(statement)))

    def statement(self, statement: ast.stmt) -> What:
        """Read one; what it is."""
        line = statement.lineno
        if self.values.group and ast.unparse(statement) in groups.FRAME:
            self.lines.setdefault(line, {})
            return Frame("next rows" if isinstance(statement, ast.AugAssign) else "rows")
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                size = value.value if isinstance(value, ast.Constant) else None
                if isinstance(size, int) and (block := _BLOCK.match(name)):
                    self.axes.fixed[block[1]] = size
                self.assign(name, value, line)
                return constexpr(name, value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self.assign(name, value, line)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                left = ast.Name(target.id, ast.Load())
                return self.assign(name, ast.copy_location(ast.BinOp(left, op, value), value), line)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                return self.assign_several(targets, value, line)
            case ast.Expr(value=ast.Call() as call):
                return self.effect(call)
            case ast.For(body=body, target=target, iter=iterator):
                return self.loop(target, body, iterator, line)
            case ast.If(test=test, body=body, orelse=orelse) if self.separate(test):
                turns = turns_of(test)
                self.jobs(body, orelse, turns)
                return Frame("job", number=turns)
            case ast.If(test=test, body=body) if self.alone and (once := alone_in_its_row(test)) is not None:
                self.read(body if once else [])
                return branch(test)
            case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
                self.branches = True
                self.opaque = self.opaque or "statements that only some programs do"
                self.read(body)
                self.read(orelse)
                return branch(test)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return Said("text")
            case _:
                self.branches = True
                self.unknown.append(line)
                self.opaque = self.opaque or f"a statement that no rule reads: {ast.unparse(statement)[:60]}"
                return Said("return" if isinstance(statement, ast.Return) else "")

    def assign(self, name: str, node: ast.expr, line: int) -> What:
        if isinstance(node, ast.Call) and called(node) in memory.MAKERS | {"advance"} and self.framed:
            block = memory.block_of(self.values, node)
            if block is not None:
                self.values.blocks[name] = block
            if name in self.values.blocks:  # to advance it in a loop is what the axis does
                self.lines.setdefault(line, {})
                return Frame("next tile" if called(node) == "advance" else "tile")
        frame = FRAME.match(name) if self.framed else None
        before = len(self.values.accesses), len(self.values.reached)
        value = self.axes.value(name, frame["prefix"], frame["what"], node) if frame else None
        if frame and value is not None:
            self.keep(name, value, line)
            if isinstance(node, ast.Name):  # roffset = r0_offset
                return Alias(node.id)
            self.axes.texts.setdefault(frame["prefix"], {})[frame["what"]] = ast.unparse(node)
            start = frame["what"] == "offset" and isinstance(node, ast.Constant)
            return Frame("start" if start else frame["what"], frame["prefix"])
        if value is None:
            value = self.values.of(node)
            if isinstance(value, Position) and (only := value.index.only()) and not _VALUE.match(name) and not frame:
                self.coordinates[name] = only
        value = self.keep(name, value, line)
        what = self.define(line, (name,), (value,), before)
        if frame and isinstance(node, ast.Name):
            return Alias(node.id)
        return (piece(name) if self.framed or name in _PROGRAM else None) or what

    def define(self, line: int, names: tuple[str, ...], found: tuple[Expression, ...], before: tuple[int, int]) -> What:
        """A step for names that got values; `before` is how many accesses there were, and how many that are not followed."""
        new = self.values.accesses[before[0] :]
        step = Define(line, names, found, tuple(access for access in new if access.kind == "load"))
        self.steps.append(step)
        self.steps += [Effect(access) for access in new if access.kind != "load"]
        return self.reached(before[1]) or step

    def reached(self, before: int) -> Reached | None:
        """The first load or store since then whose address is not followed."""
        return next(iter(self.values.reached[before:]), None)

    def assign_several(self, targets: list[ast.expr], node: ast.expr, line: int) -> What:
        before = len(self.values.accesses), len(self.values.reached)
        found = self.values.several(node)
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(found) != len(names):
            self.unknown.append(line)
            parts = (ast.Subscript(node, ast.Constant(place)) for place in range(len(names)))
            found = tuple(self.values.unknown(part, *found) for part in parts)
        kept = tuple(self.keep(name, value, line) for name, value in zip(names, found, strict=True))
        return self.define(line, tuple(names), kept, before)

    def keep(self, name: str, value: Expression, line: int) -> Expression:
        if self.values.too_deep(value):
            value = self.values.behind_a_name(name, value)
        if isinstance(value, Unknown) and not value.inputs and _VALUE.match(name) and line not in self.unknown:
            self.unknown.append(line)
        self.values.names[name] = value
        self.lines.setdefault(line, {})[name] = value
        return value

    def effect(self, call: ast.Call) -> What:
        name = called(call)
        first = len(self.steps)
        if name == "device_assert" and call.args:
            message = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) else ""
            before = len(self.values.work)
            self.checks.append(Check(call.lineno, self.values.of(call.args[0]), str(message)))
            del self.values.work[before:]
            self.steps.append(Assert(self.checks[-1]))
        elif name == "store" or name.startswith("atomic"):
            seen, told = len(self.values.accesses), len(self.values.reached)
            self.values.of(call)
            self.steps += [Effect(access) for access in self.values.accesses[seen:] if access.kind != "load"]
            if (found := self.reached(told)) is not None:
                return found
        elif name == "debug_barrier":
            self.steps.append(Barrier(ast.unparse(call)))
        elif name == "x_grid_barrier":
            self.opaque = self.opaque or "programs that wait for one another"
            return Frame("wait")
        elif name in _PROMISES:
            return Said(_PROMISES[name], ast.unparse(call.args[0]) if call.args else "")
        else:
            self.branches = True
            self.unknown.append(call.lineno)
            self.opaque = self.opaque or f"a call that no rule reads: {ast.unparse(call)[:60]}"
        return self.steps[-1] if len(self.steps) > first else Said("")

    # ---- loops and jobs

    def loop(self, target: ast.expr, body: list[ast.stmt], iterator: ast.expr, line: int) -> Loop:
        """One turn stands for all: what it carries on is marked, and told as a fold where it is one."""
        values = self.values
        axis = ""
        if isinstance(target, ast.Name):
            values.names[target.id] = values.make(Size, "int32", NOWHERE, target.id)
            frame = FRAME.match(target.id) if self.framed else None
            if frame and frame["what"] == "offset":
                axis = frame["prefix"]
            elif values.group and ast.unparse(iterator).startswith(groups.TURNS):
                axis = groups.AXIS
            if axis:
                self.axes.texts.setdefault(axis, {})["loop"] = ast.unparse(iterator)
        if not axis:
            self.opaque = self.opaque or "a loop along no axis of the frame"
        carried: dict[str, Carried] = {}
        for name in _assigned(body):
            if name in values.names and not (self.framed and not _VALUE.match(name)):
                start = values.names[name]
                axes = start.axes | (values.axes if name.startswith("_") else NOWHERE)
                found = values.make(Carried, start.dtype, axes, name, start)
                assert isinstance(found, Carried)
                values.names[name] = carried[name] = found
        outside, values.looped = values.looped, True
        around, self.steps = self.steps, []
        self.read(body)
        values.looped = outside
        inside, self.steps = self.steps, around
        ends = {name: values.names[name] for name in carried}
        for name, before in carried.items():
            end = ends[name]
            fold = folds.settled(before, end) if end is not before else None
            if fold is not None:
                fold_name, part, inputs = fold
                whole = groups.folded(values, inputs) if axis == groups.AXIS else None
                values.names[name] = whole or values.make(
                    Partial, before.dtype, before.axes | end.axes, fold_name, part, inputs
                )
        keywords = [ast.unparse(keyword) for keyword in iterator.keywords] if isinstance(iterator, ast.Call) else []
        carries = tuple(
            Carry(name, before.start, before, ends[name], values.names[name])
            for name, before in carried.items()
            if ends[name] is not before
        )
        made = Loop(line, ast.unparse(target), ast.unparse(iterator), ", ".join(keywords), axis, carries, tuple(inside))
        self.steps.append(made)
        return made

    def separate(self, test: ast.expr) -> bool:
        names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        return bool(names & _PROGRAM)

    def jobs(self, body: list[ast.stmt], orelse: list[ast.stmt], turns: int) -> None:
        """Each arm of `if pid < num_xblocks_0`, or of `if pid % 2 == 0`, is a job of its own, with its own sizes."""
        for arm in (body, orelse):
            match arm:
                case []:
                    continue
                case [ast.Pass(lineno=line)]:
                    self.told.append(Statement(line, line, Frame("nothing", number=turns)))
                case [ast.If(lineno=line, test=test, body=inner, orelse=other)] if self.separate(test):
                    self.told.append(Statement(line, inner[0].lineno - 1, Frame("next job", number=turns)))
                    self.jobs(inner, other, turns)
                case _:
                    job = _Reader((), {}, "" if self.framed else self.opaque)
                    known = self.values
                    job.values = Evaluation(pointers=known.pointers, constants=known.constants, names=dict(known.names))
                    job.axes = Axes(job.values, dict(self.axes.numel), self.axes.sizes)
                    job.read(arm)
                    self.parts.append(job.computation())
                    self.lines.update(job.lines)
                    self.statements += job.statements


def _assigned(body: list[ast.stmt]) -> Iterable[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
