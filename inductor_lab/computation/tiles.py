"""What folds a tile: reductions, scans, sorts, and the turns of the loops that do it block by block (`folds` has the forms)."""

from __future__ import annotations

import ast

from inductor_lab.computation import folds, groups
from inductor_lab.computation.evaluator import Evaluator
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.operators import function_name
from inductor_lab.computation.tree import Call, Cast, Expression, Reduction, Scan, union

TURNED = {"descending": "descending", "reverse": "reversed"}
"""Keywords that turn a scan or a sort round -> what its name ends with then."""


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
    return inner if isinstance(inner := folds.plain(_uncast(tile)), Partial) else tile


def folded_several(values: Evaluator, node: ast.Call, name: str) -> tuple[Expression, ...]:
    """`tl.max_with_index`, `welford`: each result a reduction of the same inputs."""
    parts = folds.PARTS[name]
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
    fold = folds.TURNS[name]
    parts = folds.PARTS[fold]
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
    kind = folds.ACCUMULATED.get(function, function)
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
