"""How loops and blocks fold a tile into one value: Inductor's accumulators, recognised as the reductions and scans that they are.

    _tmp5 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in ...:
        tmp6 = _tmp5 + tmp4
        _tmp5 = tl.where(r0_mask & xmask, tmp6, _tmp5)         # a lane-by-lane partial sum of tmp4
    tmp5 = tl.sum(_tmp5, 1)[:, None]                           # Reduction("sum", tmp4)

The forms are those of `TritonKernel.reduction` and `.scan` in torch/_inductor/codegen/triton.py, 2.0 to 2.15.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from inductor_lab.computation import groups
from inductor_lab.computation.nodes import Evaluator
from inductor_lab.computation.operators import TABLE, called, function_name
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    OfInputs,
    Operation,
    Reduction,
    Scan,
    Size,
    Unknown,
    union,
)

FOLDS = {call: row.name for row in TABLE.values() if not row.results for call in row.calls}
"""A call that folds a tile -> the reduction."""
ACCUMULATED = {
    name: row.accumulates for row in TABLE.values() for name in (row.name, *row.spellings) if row.accumulates
}
"""How a turn of the loop takes a tile in -> the reduction."""
PARTS = {row.name: tuple(result.part for result in row.results) for row in TABLE.values() if row.results}
"""A reduction with several results -> what each is."""
SEVERAL = {call: row.name for row in TABLE.values() if row.results for call in row.calls}
"""A call that folds several tiles at once -> the reduction."""
TURNS = {call: row.name for row in TABLE.values() for call in row.turns}
"""One turn of a loop with several accumulators -> the reduction."""
RUNNING = {
    "sum": "cumsum", "prod": "cumprod", "max": "cummax", "min": "cummin", "gt_eq_ne_ne_gt": "cummax", "lt_eq_ne_ne_gt": "cummin",
    "minimum_maximum_ne_isinf_bitwise_not_bitwise_or_sub_exp_log1p_add_where": "logcumsumexp",
}  # fmt: skip
"""A scan, or how the name of Inductor's combining function begins -> torch's own (`cummax`, `logcumsumexp` in torch/_inductor/lowering.py)."""
TURNED = {"descending": "descending", "reverse": "reversed"}
"""Keywords that turn a scan or a sort round -> what its name ends with then."""


@dataclass(frozen=True, eq=False, slots=True)
class Partial(OfInputs):
    """A tile that a loop has folded lane by lane: what a reduction of the tile turns into a `Reduction`."""

    name: str
    part: str
    inputs: tuple[Expression, ...]
    call: Call | None = None
    """The turn of the loop; None where a loop's accumulator is simply added to."""


def plain(value: Expression) -> Expression:
    """The value without what changes neither it nor its place: broadcasts, masks of elements that do not exist."""
    while True:
        match value:
            case Broadcast(operand=operand):
                value = operand
            case Operation(name="where", inputs=(condition, kept, Constant() | Unknown())) if masks(condition):
                value = kept
            case _:
                return value


def masks(condition: Expression) -> bool:
    """True for a conjunction of the axes' masks alone."""
    match condition:
        case Inside():
            return True
        case Operation(name="and", inputs=(left, right)):
            return masks(left) and masks(right)
    return isinstance(condition, Constant) and condition.value is True


def conjuncts(mask: Expression | None) -> list[Expression]:
    """The parts of a conjunction."""
    match mask:
        case None:
            return []
        case Operation(name="and", inputs=(left, right)):
            return [*conjuncts(left), *conjuncts(right)]
    return [mask]


def narrowing(mask: Expression | None) -> list[Expression]:
    """What a mask asks beyond that elements exist: its parts but the axes' masks."""
    return [part for part in conjuncts(mask) if not masks(part)]


def settled(carried: Carried, end: Expression) -> tuple[str, str, tuple[Expression, ...]] | None:
    """What a loop made of an accumulator: the fold's name, which result, and what was taken in; None for another form."""
    end = _kept(carried, end)
    match end:
        case Operation(name=name, inputs=(left, right)) if name in ACCUMULATED and (
            left is carried or right is carried
        ):
            return ACCUMULATED[name], "", (right if left is carried else left,)
        case Partial(name=name, part=part, inputs=inputs):
            return name, part, inputs
    return None


def _kept(carried: Carried, end: Expression) -> Expression:
    """`v` of `where(mask, v, accumulator)`: lanes outside keep what they had; casts of the accumulator are of no account."""
    while True:
        match end:
            case Operation(name="where", inputs=(condition, value, other)) if other is carried and masks(condition):
                end = value
            case Cast(operand=operand) | Broadcast(operand=operand):
                end = operand
            case _:
                return end


def running(name: str) -> str:
    """What torch calls a scan, `reverse_cumsum` where it goes from the end; empty where it has no name for it."""
    kind = name.removesuffix("_reversed")
    known = RUNNING.get(kind.partition("_logical")[0], "")
    return f"reverse_{known}" if known and kind != name else known


def looped_scan(value: Expression) -> Scan | None:
    """The scan that blocks one after the other go on with: `where(offset > 0, combined with what came before, scan)`."""
    match value:
        case Operation(name="where", inputs=(Operation(inputs=(Size(name=name), Constant())), one, other)) if (
            name.endswith("offset")
        ):
            return next((side for side in (one, other) if isinstance(side, Scan)), None)
    return None


def continued(inputs: tuple[Expression, ...]) -> Scan | None:
    """The scan of `carried + scan`."""
    scans = [value for value in inputs if isinstance(value, Scan)]
    return scans[0] if len(inputs) == 2 and len(scans) == 1 and any(isinstance(v, Carried) for v in inputs) else None


# ---- the calls that do it


def unreduced(axes: frozenset[str]) -> frozenset[str]:
    return frozenset(axis for axis in axes if not axis.startswith("r"))


def call_of(node: ast.Call, *arguments: Expression | str, result: int | None = None) -> Call:
    """The call as it is written, with these arguments."""
    keywords = ", ".join(f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in node.keywords)
    return Call(ast.unparse(node.func), arguments, keywords, result)


def _uncast(tile: Expression) -> Expression:
    """A loop's partial tile behind a cast of it."""
    return tile.operand if isinstance(tile, Cast) and isinstance(tile.operand, Partial) else tile


def reduced(values: Evaluator, node: ast.Call, name: str, part: str, *tiles: Expression) -> Expression:
    """A fold of a tile along its reduced axes; a loop's partial tile is what its elements were."""
    if groups.along_rows(values, node):
        return groups.block(values, name, tiles[0], call_of(node, *tiles))
    inputs: list[Expression] = []
    counted = True
    for tile in tiles:
        match _partial(tile):
            case Partial(name=partial, inputs=taken) if partial == name or (partial, name) == ("sum", "any"):
                inputs += taken
                counted = False  # the elements were counted in the loop
            case Partial(inputs=taken):
                inputs += [values.unknown(node, *taken)]
            case _:
                inputs.append(tile)
    axes = union(inputs)
    over = frozenset(axis for axis in axes if axis.startswith("r")) or frozenset(
        axis for axis in values.axes if axis.startswith("r")
    )
    dtype = "bool" if name == "any" else tiles[0].dtype
    if counted and dtype.startswith(("float", "bfloat")):
        values.cost(name, axes)
    call = call_of(node, *tiles, *(ast.unparse(argument) for argument in node.args[2:]))
    return values.make(Reduction, dtype, unreduced(axes), name, part, tuple(inputs), over, call)


def _partial(tile: Expression) -> Expression:
    """A folded tile without the mask that keeps its other lanes as they were, outside of a loop too."""
    return inner if isinstance(inner := plain(_uncast(tile)), Partial) else tile


def several(values: Evaluator, node: ast.Call) -> tuple[Expression, ...] | None:
    """The results of a call that has several; None for any other call."""
    name = called(node)
    if name in SEVERAL:
        return folded_several(values, node, SEVERAL[name])
    if name in TURNS:
        return turn(values, node, name)
    return scan(values, node, name) if name in {"associative_scan", "sort_with_index"} else None


def folded_several(values: Evaluator, node: ast.Call, name: str) -> tuple[Expression, ...]:
    """`tl.max_with_index`, `welford`: each result a reduction of the same inputs."""
    parts = PARTS[name]
    written = [values.of(argument) for argument in node.args[: len(parts)]]
    tiles = [_partial(tile) for tile in written]
    partial = next((tile for tile in tiles if isinstance(tile, Partial)), None)
    if partial is not None:
        inputs = partial.inputs
    else:
        inputs = tuple(tiles[:1] if name.startswith("arg") else tiles)
        values.cost(name, union(inputs))
    axes = union(inputs)
    over = frozenset(axis for axis in axes if axis.startswith("r"))
    return tuple(
        values.make(
            Reduction,
            "int64" if part == "index" else inputs[0].dtype,
            unreduced(axes),
            name,
            part,
            inputs,
            over,
            call_of(node, *written, *(ast.unparse(rest) for rest in node.args[len(parts) + 1 :]), result=number),
        )
        for number, part in enumerate(parts)
    )


def turn(values: Evaluator, node: ast.Call, name: str) -> tuple[Expression, ...]:
    """One turn of a loop with several accumulators."""
    fold = TURNS[name]
    parts = PARTS[fold]
    first = (
        0 if name == "welford_reduce" else len(parts)
    )  # the accumulators stand before what is taken in, of that one behind
    last = first + (3 if name == "welford_combine" else 2 if name.endswith("with_sum") else 1)
    arguments = node.args[first:last]
    if not arguments:
        return (values.unknown(node),)
    inputs = tuple(values.of(argument) for argument in arguments)
    values.cost(name, union(inputs))
    dtypes = {"index": "int64"}
    written = [argument(values, each) for each in node.args]
    return tuple(
        values.make(
            Partial, dtypes.get(part, inputs[0].dtype), union(inputs), fold, part, inputs,
            call_of(node, *written, result=number),
        )
        for number, part in enumerate(parts)
    )  # fmt: skip


def argument(values: Evaluator, node: ast.expr) -> Expression | str:
    """A value; text where an argument is a test, a number of Python's or a block: `roffset == 0`, `XBLOCK`."""
    plain = isinstance(node, (ast.Compare, ast.Constant)) or (isinstance(node, ast.Name) and node.id.endswith("BLOCK"))
    return ast.unparse(node) if plain else values.of(node)


def _true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def scan(values: Evaluator, node: ast.Call, name: str) -> tuple[Expression, ...]:
    first = node.args[0] if node.args else node
    tuple_of = first.elts if isinstance(first, ast.Tuple) else node.args[:2] if name == "sort_with_index" else [first]
    inputs = tuple(values.of(value) for value in tuple_of if isinstance(value, ast.expr))
    if not inputs:
        return (values.unknown(node),)
    function = "sort" if name == "sort_with_index" else function_name(ast.unparse(node.args[-1]))
    kind = ACCUMULATED.get(function, function)
    if kind == "sort" and not any(k.arg == "stable" and _true(k.value) for k in node.keywords):
        kind = "sort_unstable"
    for keyword in node.keywords:
        if keyword.arg in {"descending", "reverse"} and not (
            isinstance(keyword.value, ast.Constant) and not keyword.value.value
        ):
            kind = f"{kind}_{TURNED[keyword.arg]}"
    values.cost(kind, union(inputs))
    several = len(inputs) > 1 or isinstance(first, ast.Tuple)
    texts = [ast.unparse(argument) for argument in node.args[2 if name == "sort_with_index" else 1 :]]
    return tuple(
        values.make(
            Scan, value.dtype, union(inputs), kind, part, inputs,
            call_of(node, *inputs, *texts, result=part if several else None),
        )
        for part, value in enumerate(inputs)
    )  # fmt: skip
