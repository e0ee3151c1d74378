"""Operators that only Inductor has, as the ATen operators that eager PyTorch has for them.

`prims.fma` and its like are registered by torch/_inductor/inductor_prims.py (2.9 to 2.13), which an ejected file does not import.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from inductor_lab.records import Node

Expansion = tuple[list[Node], tuple[str, ...]]
"""The nodes that take a node's place, and the names of its results where it has several."""


def expanded(nodes: Iterable[Node]) -> Iterator[Node]:
    """The same graph without the operators of EXPANSIONS; the names that other nodes use stay."""
    results: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        operator = node.target.removeprefix("prims.").removesuffix(".default")
        if node.target.startswith("prims.") and operator in EXPANSIONS:
            made, names = EXPANSIONS[operator](node)
            results |= {node.name: names} if names else {}
            yield from made
        elif node.target == "getitem" and node.arguments and node.arguments[0] in results:
            position = int(node.call.rpartition("[")[2].rstrip("]"))
            yield _call(node.name, "alias.default", results[node.arguments[0]][position], like=node)
        else:
            yield node


def inductors_own(node: Node) -> bool:
    """True for an operator that torch alone does not have: `prims._low_memory_max_pool_with_offsets`."""
    operator = node.target.removeprefix("prims.").removesuffix(".default")
    return node.target.startswith("prims.") and operator in INDUCTORS_OWN


def _fma(node: Node) -> Expansion:
    a, b, c = _arguments(node)
    product = f"{node.name}_product"
    return [_call(product, "mul.Tensor", a, b), _call(node.name, "add.Tensor", product, c, like=node)], ()


def _prepare_softmax_online(node: Node) -> Expansion:
    """The largest along a dimension, and the sum of the powers of e once that was taken off."""
    x, dim = _arguments(node)
    largest, shifted, powers, total = (f"{node.name}_{part}" for part in ("max", "sub", "exp", "sum"))
    return [
        _call(largest, "amax.default", x, f"[{dim}]", "True"),
        _call(shifted, "sub.Tensor", x, largest),
        _call(powers, "exp.default", shifted),
        _call(total, "sum.dim_IntList", powers, f"[{dim}]", "True"),
    ], (largest, total)


def _max_pool_with_offsets(node: Node) -> Expansion:
    """The largest of each window, and where in the window it stood: at `row * width + column` of the window, an int8."""
    x, window, stride, padding, dilation, *_ = _arguments(node)
    if len(ast.literal_eval(window)) != len(PLANE):
        return [node], ()
    called = node.name.replace("_low_memory_max_pool_with_offsets", "max_pool")
    pool, largest, places, offsets = (f"{called}_{part}" for part in ("both", "values", "places", "offsets"))
    width = f"{x}.shape[-1]"
    first = _first_of_windows(places, stride, padding)
    steps = ast.literal_eval(dilation)
    row, column = (
        f"({place} - {start}){f' // {step}' if step != 1 else ''}"
        for place, start, step in zip((f"{places} // {width}", f"{places} % {width}"), first, steps, strict=True)
    )
    return [
        replace(_call(pool, "max_pool2d_with_indices.default", *_arguments(node)), arguments=(x,)),
        Node(largest, "getitem", f"{pool}[0]", (pool,), None, None),
        Node(places, "getitem", f"{pool}[1]", (pool,), None, None),
        Node(
            offsets,
            "offsets",
            f"({row} * {ast.literal_eval(window)[-1]} + {column}).to(torch.int8)",
            (places, x),
            None,
            None,
        ),
    ], (largest, offsets)


def _max_pool_offsets_to_indices(node: Node) -> Expansion:
    """The places in the image, `row * width + column`, of what stood at these places of its window."""
    offsets, window, size, stride, padding, dilation = _arguments(node)
    if len(ast.literal_eval(window)) != len(PLANE):
        return [node], ()
    inside = "in_" + node.name.replace("_low_memory_max_pool_offsets_to_indices", "window")
    first = _first_of_windows(inside, stride, padding)
    width = ast.literal_eval(window)[-1]
    row, column = (
        f"({start} + {place}{f' * {step}' if step != 1 else ''})"
        for place, start, step in zip(
            (f"{inside} // {width}", f"{inside} % {width}"), first, ast.literal_eval(dilation), strict=True
        )
    )
    total = ast.unparse(ast.parse(size, mode="eval").body.elts[-1])  # type: ignore[attr-defined]
    return [
        _call(inside, "_to_copy.default", offsets, "dtype=torch.int64"),
        Node(node.name, "indices", f"{row} * {total} + {column}", (inside,), node.type, node.source),
    ], ()


PLANE = (-2, -1)
"""The dimensions of an image's rows and columns."""


def _first_of_windows(pooled: str, stride: str, padding: str) -> tuple[str, str]:
    """The row, and the column, at which each window starts, for `pooled`'s dimensions."""
    rows, columns = (
        f"torch.arange({pooled}.shape[{dim}], device=DEVICE) * {step} - {before}"
        for dim, step, before in zip(PLANE, ast.literal_eval(stride), ast.literal_eval(padding), strict=True)
    )
    return f"({rows})[:, None]", f"({columns})"


INDUCTORS_OWN = {
    "seed", "seeds", "lookup_seed", "random", "randint", "rand_eager_offset", "rand_eager_offsets", "force_stride_order",
    "_unsafe_index_put_", "_low_memory_max_pool_with_offsets", "_low_memory_max_pool_offsets_to_indices", "cvt_e8m0_rceil",
}  # fmt: skip
EXPANSIONS: dict[str, Callable[[Node], Expansion]] = {
    "fma": _fma,
    "prepare_softmax_online": _prepare_softmax_online,
    "_low_memory_max_pool_with_offsets": _max_pool_with_offsets,
    "_low_memory_max_pool_offsets_to_indices": _max_pool_offsets_to_indices,
}


def _arguments(node: Node) -> list[str]:
    call = ast.parse(node.call, mode="eval").body
    return [ast.unparse(argument) for argument in call.args] if isinstance(call, ast.Call) else []


def _call(name: str, target: str, *arguments: str, like: Node | None = None) -> Node:
    used = tuple(dict.fromkeys(a for a in arguments if a.isidentifier() and a not in {"True", "inf", "nan"}))
    made = Node(name, f"aten.{target}", f"torch.ops.aten.{target}({', '.join(arguments)})", used, None, None)
    return replace(made, type=like.type, source=like.source) if like else made
