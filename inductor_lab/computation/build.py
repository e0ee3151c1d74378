"""Statements to a computation: one walk over a body in order, with a tree for every name. Only `ast`: nothing is executed.

The frame that Inductor puts around every body (`xoffset`, `xindex`, `xmask`, `r0_base`: `codegen_range_tree` in
torch/_inductor/codegen/triton.py, 2.0 to 2.15) is known by its names; everything else is read as it stands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from inductor_lab.computation import folds
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Coordinate, Digits, Index
from inductor_lab.computation.nodes import NOWHERE
from inductor_lab.computation.operators import called
from inductor_lab.computation.records import Check, Computation
from inductor_lab.computation.tree import Carried, Constant, Expression, Inside, Position, Size, Unknown
from inductor_lab.computation.values import Values
from inductor_lab.records import Argument, Kernel
from inductor_lab.records import Size as Extent

_FRAME = re.compile(r"(?P<prefix>[xyzr]|r\d_)(?P<what>index|offset|base|mask|numel)$")
_VALUE = re.compile(r"_?tmp")
_ORDERING = {"debug_barrier", "static_assert", "assume", "x_grid_barrier"}
"""Calls that compute nothing: they order memory, or tell the compiler something."""
_PROGRAM = {"pid", "xpid"}
"""Names that hold which program this is, in kernels that do several jobs."""


def computation(kernel: Kernel) -> Computation:
    """What a kernel computes, by its first launch.

    Raises:
        ValueError: the body is not Python.
    """
    launch = kernel.launches[0].arguments if kernel.launches else ()
    passed = tuple((argument.name, argument.value) for argument in launch)
    framed = kernel.category not in {"template", "user_autotune"}
    try:
        return _computation(kernel.body, kernel.arguments, passed, framed)
    except SyntaxError as error:
        raise ValueError(f"the body of {kernel.id} is not Python: {error.msg} in its line {error.lineno}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"the body of {kernel.id} is nested deeper than any that Inductor writes") from error


@lru_cache(maxsize=1024)
def _computation(
    body: str, arguments: tuple[Argument, ...], passed: tuple[tuple[str, str], ...], framed: bool
) -> Computation:
    reader = _Reader(arguments, dict(passed), framed)
    reader.read(ast.parse(body).body)
    return reader.computation()


class _Reader:
    """Walks statements in order."""

    def __init__(self, arguments: Iterable[Argument], passed: Mapping[str, str], framed: bool) -> None:
        self.framed = framed
        arguments = tuple(arguments)
        self.numel: dict[str, Extent] = {}
        self.sizes: dict[str, str] = {}
        constants: dict[str, Expression] = {}
        self.values = Values(pointers={a.name: a for a in arguments if a.pointer}, constants=constants)
        for argument in arguments:
            if argument.pointer:
                continue
            text = passed.get(argument.name, argument.name)
            size: Extent = int(text) if text.isdigit() else text
            frame = _FRAME.match(argument.name)
            if argument.role == "size" and frame and frame["what"] == "numel":
                self.numel[frame["prefix"]] = size
            dtype = argument.dtype or "int32"
            if isinstance(size, int):
                constants[argument.name] = self.values.constant(size, dtype)
            else:
                constants[argument.name] = self.values.make(Size, dtype, NOWHERE, argument.name)
                if argument.role == "size":
                    self.sizes[argument.name] = size
        self.lines: dict[int, dict[str, Expression]] = {}
        self.coordinates: dict[str, Coordinate] = {}
        self.checks: list[Check] = []
        self.parts: list[Computation] = []
        self.unknown: list[int] = []
        self.statements: list[ast.stmt] = []
        self.branches = False

    def computation(self) -> Computation:
        values = self.values
        used = [c for access in values.accesses for c in access.index.coordinates()]
        used += [limit.coordinate for access in values.accesses for limit in access.limits]
        digits = {
            axis: Digits.make(size, [c for c in used if c.axis == axis])
            for axis, size in self.numel.items()
            if isinstance(size, int)
        }
        return Computation(
            self.numel, self.sizes, tuple(values.accesses), self.lines, values.names, self.coordinates, tuple(values.work), tuple(self.checks),
            self.branches or values.computed_addresses, tuple(self.unknown), tuple(self.statements), tuple(self.parts), digits,
        )  # fmt: skip

    # ---- statements

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statements.append(statement)
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self.assign(name, value, statement.lineno)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                    left = ast.Name(target.id, ast.Load())
                    self.assign(name, ast.copy_location(ast.BinOp(left, op, value), value), statement.lineno)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    self.assign_several(targets, value, statement.lineno)
                case ast.Expr(value=ast.Call() as call):
                    self.effect(call)
                case ast.For(body=body, target=target):
                    self.loop(target, body)
                case ast.If(test=test, body=body, orelse=orelse) if self.separate(test):
                    self.jobs(body, orelse)
                case ast.If(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                    self.branches = True
                    self.read(body)
                    self.read(orelse)
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    self.branches = True
                    self.unknown.append(statement.lineno)

    def assign(self, name: str, node: ast.expr, line: int) -> None:
        frame = _FRAME.match(name) if self.framed else None
        value = self.frame(name, frame["prefix"], frame["what"], node) if frame else None
        if value is None:
            value = self.values.of(node)
            if isinstance(value, Position) and (only := value.index.only()) and not _VALUE.match(name) and not frame:
                self.coordinates[name] = only
        self.keep(name, value, line)

    def assign_several(self, targets: list[ast.expr], node: ast.expr, line: int) -> None:
        found = self.values.several(node)
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(found) != len(names):
            whole = self.values.unknown(node, *found)
            self.unknown.append(line)
            found = (whole,) * len(names)
        for name, value in zip(names, found, strict=True):
            self.keep(name, value, line)

    def keep(self, name: str, value: Expression, line: int) -> None:
        if self.values.too_deep(value):
            value = self.values.behind_a_name(name, value)
        if isinstance(value, Unknown) and not value.inputs and _VALUE.match(name) and line not in self.unknown:
            self.unknown.append(line)
        self.values.names[name] = value
        self.lines.setdefault(line, {})[name] = value

    def frame(self, name: str, prefix: str, what: str, node: ast.expr) -> Expression | None:
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

    def effect(self, call: ast.Call) -> None:
        name = called(call)
        if name == "device_assert" and call.args:
            message = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) else ""
            before = len(self.values.work)
            self.checks.append(Check(call.lineno, self.values.of(call.args[0]), str(message)))
            del self.values.work[before:]
        elif name == "store" or name.startswith("atomic"):
            self.values.of(call)
        elif name in _ORDERING:
            pass
        else:
            self.branches = True
            self.unknown.append(call.lineno)

    # ---- loops and jobs

    def loop(self, target: ast.expr, body: list[ast.stmt]) -> None:
        """One turn stands for all: what it carries on is marked, and told as a fold where it is one."""
        values = self.values
        if isinstance(target, ast.Name):
            values.names[target.id] = values.make(Size, "int32", NOWHERE, target.id)
        carried: dict[str, Carried] = {}
        for name in _assigned(body):
            if name in values.names and not (self.framed and not _VALUE.match(name)):
                start = values.names[name]
                axes = start.axes | (values.axes if name.startswith("_") else NOWHERE)
                found = values.make(Carried, start.dtype, axes, name, start)
                assert isinstance(found, Carried)
                values.names[name] = carried[name] = found
        outside, values.looped = values.looped, True
        self.read(body)
        values.looped = outside
        for name, before in carried.items():
            end = values.names[name]
            fold = folds.settled(before, end) if end is not before else None
            if fold is not None:
                fold_name, part, inputs = fold
                values.names[name] = values.make(Partial, before.dtype, before.axes | end.axes, fold_name, part, inputs)

    def separate(self, test: ast.expr) -> bool:
        names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        return bool(names & _PROGRAM)

    def jobs(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Each arm of `if pid < num_xblocks_0` is a job of its own, with its own sizes."""
        for arm in (body, orelse):
            match arm:
                case [] | [ast.Pass()]:
                    continue
                case [ast.If(test=test, body=inner, orelse=other)] if self.separate(test):
                    self.jobs(inner, other)
                case _:
                    job = _Reader((), {}, self.framed)
                    known = self.values
                    job.values = Values(pointers=known.pointers, constants=known.constants, names=dict(known.names))
                    job.numel, job.sizes = dict(self.numel), self.sizes
                    job.read(arm)
                    self.parts.append(job.computation())
                    self.lines.update(job.lines)
                    self.statements += job.statements


def _assigned(body: list[ast.stmt]) -> Iterable[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
