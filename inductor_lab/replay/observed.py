"""What the program gave a graph and got from it, as `capture` kept it: the values themselves, or inputs drawn by their statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from inductor_lab import kept, store
from inductor_lab.eject import sizes
from inductor_lab.errors import LabError
from inductor_lab.records import Graph, Node, Observed


@dataclass(frozen=True)
class Values:
    """One call of a graph, by the nodes' names."""

    given: Mapping[str, Any]
    returned: Mapping[str, Any]


def values(folder: Path, graph: Graph, device: str) -> Values | None:
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
    return Values(
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


def _laid(x: Tensor, node: Node, bound: Mapping[str, int], device: str) -> Tensor:
    """The values with the strides that the module asserts."""
    assert node.type is not None
    stride = tuple(map(int, sizes.fixed(node.type, bound).stride))
    made = torch.empty_strided(x.shape, stride, dtype=x.dtype, device=device)
    once = tuple(slice(None) if step else slice(1) for step in stride)
    made[once].copy_(x[once])
    return made


def drawn(
    told: Observed, shape: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> Tensor:
    """A tensor with the mean, deviation, range and share of zeros that were observed; whole numbers from the least to the greatest."""
    made = torch.empty_strided(shape, stride, dtype=dtype)
    once = tuple(slice(None) if step else slice(1) for step in stride)
    made[once].copy_(_like(told, made[once].shape, dtype, generator))
    return made


def _like(told: Observed, shape: torch.Size, dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    low, high = told.minimum or 0.0, told.maximum or 0.0
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < (told.mean or 0.0)
    if not dtype.is_floating_point:
        return torch.randint(int(low), int(high) + 1, shape, generator=generator)
    made = torch.randn(shape, generator=generator, dtype=torch.float64) * (told.deviation or 0.0) + (told.mean or 0.0)
    made = made.clamp(low, high)
    return torch.where(torch.rand(shape, generator=generator) < told.zeros, 0.0, made)
