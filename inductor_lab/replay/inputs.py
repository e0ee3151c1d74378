"""What a graph's inputs are when a module is replayed: the values that `capture` kept of the program, or drawn by a seed.

What is drawn follows the statistics that were observed, where they were; else whole numbers are what the kernels that read them take.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from inductor_lab import kept, store
from inductor_lab.bind.dependencies import operator
from inductor_lab.eject import sizes
from inductor_lab.eject.binding.plan import plan
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.records import Capture, Graph, Node, Observed, TensorType
from inductor_lab.records.size import Size
from inductor_lab.replay import module

ON_THE_CPU = re.compile(r"^\s+(\w+) = rand_strided\(.*device='cpu'", re.MULTILINE)
"""An input that the module's own harness makes on the CPU: a scalar."""
RANGES = (None, 1024, 64, 8, 2)
"""How many different whole numbers are tried, one after the other."""
WEIGHT_SCALE = 1 / 2
"""Root mean square of a product with a drawn weight, as a part of its left operand's. At 1 the scores of an attention that are not divided by the root
of the head's columns (T5's) saturate, and last bits of the inputs decide what comes out (tests/replay/test_replay.py)."""


def names(graph: Graph) -> list[str]:
    """The inputs, in the order in which the module takes them.

    Raises:
        LabError: the capture holds no post-grad graph, or one of other inputs.
    """
    placeholders = [node.name for node in graph.nodes if node.target == "placeholder"]
    taken = _taken(graph)
    if not graph.nodes:
        raise LabError(
            f"graph {graph.id} has no post-grad graph to be held to; capture it with `inductor-lab capture`, or log it "
            "with TORCH_LOGS=output_code,post_grad_graphs"
        )
    if not set(taken) <= set(placeholders):
        raise LabError(f"the module of graph {graph.id} takes {', '.join(taken)}, its graph {', '.join(placeholders)}")
    return taken


def _taken(graph: Graph) -> list[str]:
    """What the module's `call` names its inputs, be it a function or its Runner's; each partition names its own part of them."""
    for function in ast.walk(module.parsed(graph)):
        if isinstance(function, ast.FunctionDef) and function.name == "call":
            for statement in function.body:
                match statement:
                    case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id="args")):
                        return [ast.unparse(name) for name in names]
    return []


def on_the_cpu(graph: Graph) -> set[str]:
    """Inputs that stay there beside a card: scalars."""
    return set(ON_THE_CPU.findall(graph.module))


def drawn(
    graph: Graph,
    fills: Mapping[str, Any],
    seed: int,
    device: str,
    given: Mapping[str, Any],
    most: int | None = None,
    draws: str = "cpu",
) -> dict[str, Any]:
    """A value for each placeholder.

    Args:
        draws: Whose generator draws them: the card's, which draws others than the CPU's, has a model's weights at once.
        fills: What whole numbers are drawn from, as `fills` tells.
        given: Values that are known: what an earlier graph saved for this one.
        most: How many different whole numbers an input may hold at most; None for as many as its kernels take.
    """
    hints = sizes.hints(graph)
    nodes = [node for node in graph.nodes if node.target == "placeholder"]
    symbols = sizes.environment({name for node in nodes if node.type for name in _symbols(node.type)}, hints)
    weights = _weights(graph)
    fills = {name: _within(fill, most) for name, fill in fills.items()}
    scalars = on_the_cpu(graph)
    told = {one.name: one for one in graph.given}
    found = {}
    for node in nodes:
        if node.name in given:
            found[node.name] = given[node.name]
            continue
        place, by = ("cpu", "cpu") if node.name in scalars else (device, draws)
        with torch.device(by):
            found[node.name] = _value(node, seed, place, symbols | hints, fills, told.get(node.name), by)
        if node.name in weights and node.name not in told and found[node.name].is_floating_point():
            found[node.name].mul_(weights[node.name])
    return found


def _weights(graph: Graph) -> dict[str, float]:
    """Inputs that are the right operand of a product -> the factor that keeps its result about as large as its left operand (`WEIGHT_SCALE`)."""
    nodes = {node.name: node for node in graph.nodes}
    found: dict[str, float] = {}
    for node in graph.nodes:
        right = nodes.get(node.arguments[-1]) if operator(node) in ("mm", "addmm", "bmm") else None
        if right is None or right.type is None or not isinstance(rows := right.type.shape[-2], int):
            continue
        while operator(right) in ("permute", "t", "view", "reshape"):
            right = nodes[right.arguments[0]]
        if right.target == "placeholder":
            found[right.name] = WEIGHT_SCALE * max(rows, 1) ** -0.5
    return found


def _symbols(type_: TensorType) -> set[str]:
    return {name for size in (*type_.shape, *type_.stride) for name in Size.of(size).symbols}


def _value(
    node: Node,
    seed: int,
    device: str,
    symbols: Mapping[str, int],
    fills: Mapping[str, Any],
    told: Observed | None,
    draws: str,
) -> Any:
    if node.type is None:
        return symbols.get(node.name, sizes.UNHINTED)
    type_ = sizes.fixed(node.type, symbols)
    shape, stride, dtype = tuple(map(int, type_.shape)), tuple(map(int, type_.stride)), getattr(torch, type_.dtype)
    number = zlib.crc32(f"{seed} {node.name}".encode())
    if told is not None and told.maximum is not None and not dtype.is_complex:
        generator = torch.Generator(draws).manual_seed(number)
        return observed_like(told, shape, stride, dtype, generator).to(device)
    fill = fills.get(node.name, "normal" if dtype.is_floating_point else "bool" if dtype == torch.bool else (0, 2))
    return alone.drawn({"it": (shape, stride, dtype, fill)}, number, device, draws)["it"]


def fills(capture: Capture, graph: Graph) -> dict[str, Any]:
    """Input -> what the kernels that read it take for its values: of several ranges the one that ends first."""
    found: dict[str, Any] = {}
    for kernel in capture.kernels:
        launches = [launch for launch in kernel.launches if launch.graph == graph.id]
        tensors = plan(capture, kernel).tensors if launches else {}
        ranges = {name: one.fill for name, one in tensors.items() if one.role == "in" and isinstance(one.fill, tuple)}
        for launch in launches:
            for argument in launch.arguments:
                name, fill = argument.storage or argument.value, ranges.get(argument.name)
                if fill is not None and (name not in found or int(fill[1]) < int(found[name][1])):
                    found[name] = fill
    return found


def _within(fill: tuple[Any, ...], most: int | None) -> tuple[Any, ...]:
    """A range cut where it has so many numbers, less the special ones behind it."""
    low, high = int(fill[0]), int(fill[1])
    return fill if most is None or high - low <= most else (low, low + most)


@dataclass(frozen=True)
class GraphCall:
    """One call of a graph, by the nodes' names."""

    given: Mapping[str, Any]
    returned: Mapping[str, Any]


def kept_values(folder: Path, graph: Graph, device: str) -> GraphCall | None:
    """What was kept of a graph; None where it was not, or is no longer there.

    Raises:
        LabError: the file holds something else.
    """
    file = store.values_file(folder, graph)
    if file is None:
        return None
    try:
        _, tensors = kept.read(file)
    except kept.BROKEN as error:
        raise LabError(f"{file} can not be read: {error}; capture again with --keep inputs") from error
    given = _named("given", graph.given, tensors)
    nodes = {node.name: node for node in graph.nodes}
    bound = _bound(graph, given)
    return GraphCall(
        {name: _laid(x, nodes[name], bound, device) if isinstance(x, Tensor) else x for name, x in given.items()},
        {name: x for name, x in _named("returned", graph.returned, tensors).items() if name},
    )


def _named(word: str, told: Sequence[Observed], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    found = {}
    for place, one in enumerate(told):
        found[one.name] = one.value if one.type is None else tensors.get(f"{word}_{place}")
    return found


def _bound(graph: Graph, given: Mapping[str, Any]) -> dict[str, int]:
    """The symbols of a graph, as the shapes of its inputs tell them."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        if node.type and isinstance(given.get(node.name), Tensor):
            sized = zip(node.type.shape, given[node.name].shape, strict=True)
            found |= {size: number for size, number in sized if isinstance(size, str) and size.isidentifier()}
    return found


def _filled(made: Tensor, value: Callable[[Tensor], Tensor]) -> Tensor:
    """A tensor whose memory is given values: each element once, also where a dimension is only expanded.

    Args:
        value: Is given that part of it, and returns its values.
    """
    once = made[tuple(slice(None) if step else slice(1) for step in made.stride())]
    once.copy_(value(once))
    return made


def _laid(x: Tensor, node: Node, bound: Mapping[str, int], device: str) -> Tensor:
    """The values with the strides that the module asserts."""
    assert node.type is not None
    stride = tuple(map(int, sizes.fixed(node.type, bound).stride))
    made = torch.empty_strided(x.shape, stride, dtype=x.dtype, device=device)
    return _filled(made, lambda once: x[tuple(map(slice, once.shape))])


def observed_like(
    told: Observed, shape: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> Tensor:
    """A tensor with the mean, deviation, range and share of zeros that were observed; whole numbers from the least to the greatest."""
    made = torch.empty_strided(shape, stride, dtype=dtype)
    return _filled(made, lambda once: _like(told, once.shape, dtype, generator))


def _like(told: Observed, shape: torch.Size, dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    low, high = told.minimum or 0.0, told.maximum or 0.0
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator, dtype=torch.float32) < (told.mean or 0.0)
    if not dtype.is_floating_point:
        return torch.randint(int(low), int(high) + 1, shape, generator=generator)
    made = torch.randn(shape, generator=generator, dtype=torch.float64) * (told.deviation or 0.0) + (told.mean or 0.0)
    made = made.clamp(low, high)
    return torch.where(torch.rand(shape, generator=generator, dtype=torch.float32) < told.zeros, 0.0, made)
