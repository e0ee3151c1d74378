"""Reads Inductor's matrix products (`tl.dot`) with the same axes as other kernels: rows y, columns x, batches z, sum r0_.

    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)        yindex, and rn is xindex, offs_k is r0_index
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        acc += tl.dot(a, b)                             acc = tl.sum(a.to(tl.float32) * b.to(tl.float32), 2)

The templates of mm and bmm are known here by every statement that shares out their work (mm.py and bmm.py, since 2.13 triton_mm.py.jinja and
triton_bmm.py.jinja of torch/_inductor/kernel/, 2.2 to 2.13). What they load and what is fused behind them is read as it stands.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.records import SizeLike

AXES = {"M": "y", "N": "x", "BATCH": "z", "K": "r0_"}
"""The template's sizes -> the axes that have them."""
POSITIONS = {"rm": "y", "rn": "x", "idx_q": "z", "rk": "r0_", "offs_k": "r0_"}
"""Its names of positions -> the axes that they go along."""
DROPPED = frozenset({
    "pid = tl.program_id(0)",
    "grid_m = (M + BLOCK_M - 1) // BLOCK_M", "grid_n = (N + BLOCK_N - 1) // BLOCK_N",
    "width = GROUP_M * grid_n", "group_id = pid // width", "group_size = min(grid_m - group_id * GROUP_M, GROUP_M)",
    "pid_m = group_id * GROUP_M + pid % group_size", "pid_n = pid % width // group_size",
    "tl.assume(pid_m >= 0)", "tl.assume(pid_n >= 0)",
    "rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)", "rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)",
    "rk = tl.arange(0, BLOCK_K)", "offs_k = tl.arange(0, BLOCK_K)",
    "idx_q = tl.program_id(1)", "idx_q = tl.program_id(1) + tl.program_id(2) * tl.num_programs(1)",
    "acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)", "acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)",
    "A += BLOCK_K * stride_ak", "B += BLOCK_K * stride_bk",
    "if M * N == 0:\n    return",
})  # fmt: skip
"""Statements that share out the work among programs, and along the sum."""
OWN = frozenset(text.partition(" = ")[0] for text in DROPPED if " = " in text)
"""Names that only these give a value."""
WORDS = {
    "rm % M": "rm", "rn % N": "rn", "tl.minimum(idx_q, BATCH - 1)": "idx_q",
    "rk[None, :] < k": "r0_mask", "rk[:, None] < k": "r0_mask",
    "offs_k[None, :] < K - k_idx * BLOCK_K": "r0_mask", "offs_k[:, None] < K - k_idx * BLOCK_K": "r0_mask",
}  # fmt: skip
"""Parts of statements, by what they are for a position that exists."""
TESTS = {"idx_m < M": "ymask", "idx_n < N": "xmask", "idx_q < BATCH": "zmask"}
"""The same behind the loop; in it, `idx_m` and `idx_n` are other positions."""
LOOPS = {"k_idx in range(0, tl.cdiv(K, BLOCK_K))": "k_idx = 0", "k in range(K, 0, -BLOCK_K)": "k = K"}
"""Loops along the sum -> where they begin."""
HINTS = frozenset({"tl.max_contiguous", "tl.multiple_of"})
UNKNOWN = "its template is none of a matrix product that is read as a tree"
SUMMED = ("tl.float32", "float32")
"""What a product is summed in."""


@dataclass
class Framed:
    """A template's statements as another kernel has them, and its sizes."""

    numel: dict[str, SizeLike] = field(default_factory=dict)
    statements: list[ast.stmt] = field(default_factory=list)


def framed(body: Sequence[ast.stmt], pointers: frozenset[str]) -> Framed:
    """A template's body in the frame of other kernels.

    Raises:
        ValueError: it is not one of those that are known here.
    """
    constants = {name: ast.unparse(value) for statement in body for name, value in _constant(statement)}
    if constants.get("ACC_TYPE", "tl.float32") not in SUMMED:
        raise ValueError(f"a product that is summed in {constants['ACC_TYPE']} is not read as a tree")
    found = Framed({axis: size for statement in body for axis, size in _size(statement)})
    if not {"y", "x", "r0_"} <= found.numel.keys():
        raise ValueError(UNKNOWN)
    wide = constants.get("INDEX_DTYPE") == "tl.int64"
    found.statements = _prelude(list(found.numel), wide)
    reading = _Reading(constants, {name: ast.Name(name, ast.Load()) for name in pointers})
    found.statements += [made for statement in body for made in reading.statement(statement)]
    if reading.products != 1:
        raise ValueError(f"a template with {reading.products} products along its loop is not read as a tree")
    return found


def _constant(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _size(statement: ast.stmt) -> Iterator[tuple[str, SizeLike]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(size))) if name in AXES:
            yield AXES[name], size
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=size)) if name in AXES:
            yield AXES[name], size
        case ast.Assign(targets=[ast.Name(id=name)]) if name in AXES:
            raise ValueError(UNKNOWN)


def _prelude(axes: Sequence[str], wide: bool) -> list[ast.stmt]:
    """The frame of Inductor's other kernels, and the template's names for it."""
    lines, cast = list[str](), ".to(tl.int64)" if wide else ""
    for place, axis in enumerate(axes):
        shape = ", ".join(":" if place == other else "None" for other in range(len(axes)))
        lines.append(f"{axis}index = {axis}offset + tl.arange(0, {axis.upper()}BLOCK)[{shape}]{cast}")
        lines.append(f"{axis}mask = {axis}index < {axis}numel")
    lines += [f"{name} = {axis}index" for name, axis in POSITIONS.items() if axis in axes]
    return ast.parse("\n".join(lines)).body


class _Reading:
    """Statements in order, with what they have said of pointers and of the sum."""

    def __init__(self, constants: Mapping[str, str], pointers: dict[str, ast.expr]) -> None:
        self.constants, self.pointers = constants, pointers
        """pointers: what a name of memory stands for just now, `arg_A + (rm[:, None] * stride_am + ...)`."""
        self.products, self.looped = 0, False

    def statement(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """What stands for one statement."""
        if ast.unparse(_Plain({}, {}).visit(copy.deepcopy(statement))) in DROPPED:
            return
        match statement:
            case ast.AnnAssign():
                return
            case ast.If(body=body, orelse=orelse):
                yield from self._chosen(statement, body, orelse)
            case ast.For(target=target, iter=iterator, body=body):
                yield from self._loop(f"{ast.unparse(target)} in {ast.unparse(iterator)}", body)
            case (
                ast.AugAssign(target=ast.Name(id="acc"), op=ast.Add(), value=ast.Call() as call)
                | ast.Assign(targets=[ast.Name(id="acc")], value=ast.Call(args=[_, _, ast.Name(id="acc")]) as call)
            ) if ast.unparse(call.func) == "tl.dot":
                self.products += self.looped
                a, b = map(ast.unparse, call.args[:2])
                yield from _at(statement, f"acc = tl.sum(({a}).to(tl.float32) * ({b}).to(tl.float32), 2)")
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (memory := self._memory(value)) is not None:
                self.pointers[name] = memory
            case ast.Expr() if not self.looped:
                yield self._plain(statement)
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in OWN:
                yield self._plain(statement)
            case _:
                first = ast.unparse(statement).partition("\n")[0]
                raise ValueError(f"its template's statement `{first[:60]}` is not read as a tree")

    def _plain(self, statement: ast.stmt) -> ast.stmt:
        made = _Plain(self.pointers, WORDS if self.looped else WORDS | TESTS).visit(statement)
        assert isinstance(made, ast.stmt)
        return made

    def _memory(self, value: ast.expr) -> ast.expr | None:
        """A pointer, or a place behind it; None for what is none."""
        match value:
            case ast.Name(id=name) if name in self.pointers:
                return self.pointers[name]
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add()) if name in self.pointers:
                place = _Plain(self.pointers, WORDS).visit(copy.deepcopy(value))
                assert isinstance(place, ast.expr)
                return place
        return None

    def _chosen(self, test: ast.If, body: list[ast.stmt], orelse: list[ast.stmt]) -> Iterator[ast.stmt]:
        """The branch that is taken; of one that only tells the compiler more, either."""
        text = ast.unparse(test.test)
        name = text.removesuffix(" is not None")
        value = self.constants.get(name, "")
        if value and name != text:
            chosen = orelse if value == "None" else body
        elif value in {"True", "False"}:
            chosen = body if value == "True" else orelse
        else:
            arms = [[made for each in arm for made in self.statement(each)] for arm in (body, orelse)]
            if list(map(ast.unparse, arms[0])) != list(map(ast.unparse, arms[1])):
                raise ValueError(f"its template's branch `if {text[:60]}` is not read as a tree")
            yield from arms[1]
            return
        for each in chosen:
            yield from self.statement(each)

    def _loop(self, text: str, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """All turns of a loop along the sum as one."""
        if text not in LOOPS or self.looped:
            raise ValueError(f"its template's loop `for {text[:60]}` is not read as a tree")
        self.looped = True
        yield from _at(body[0], LOOPS[text])
        for each in body:
            yield from self.statement(each)
        self.looped = False


class _Plain(ast.NodeTransformer):
    """A statement without what only tells the compiler something, each pointer by what it stands for."""

    def __init__(self, pointers: Mapping[str, ast.expr], words: Mapping[str, str]) -> None:
        self.pointers, self.words = pointers, words

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, its parts first."""
        node = self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="to"), args=[ast.Name(id="INDEX_DTYPE")]):
                return inner
            case ast.Call(func=ast.Attribute() as function, args=[inner, *_]) if ast.unparse(function) in HINTS:
                return inner
            case ast.Name(id=name, ctx=ast.Load()) if name in self.pointers:
                return self.pointers[name]
            case ast.BinOp() | ast.Compare() | ast.Call() if word := self.words.get(ast.unparse(node)):
                return ast.copy_location(ast.Name(word, ast.Load()), node)
        return node


def _at(place: ast.stmt, text: str) -> list[ast.stmt]:
    """Statements that stand in the place of another."""
    made = ast.parse(text).body
    for statement in made:
        for node in ast.walk(statement):
            ast.copy_location(node, place)
    return made
