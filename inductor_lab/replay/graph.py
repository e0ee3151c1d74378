"""What a graph means: its post-grad nodes in eager PyTorch, one after the other, each value by the node's name."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
import torch._inductor.inductor_prims  # operators that only Inductor's graphs have: prims.prepare_softmax_online

from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.records import Graph, Node

NAMES = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan, "builtins": builtins}
"""What the printed calls speak of besides other nodes."""


def values(
    graph: Graph, inputs: Mapping[str, Any], device: str, *, exact: bool = False, rounded: torch.Generator | None = None
) -> dict[str, Any]:
    """Every node's value.

    Args:
        inputs: By the placeholders' names; they are left as they are.
        exact: In float64 throughout.
        rounded: Moves each value that is of half precision in the graph by half of its last bit, up or down: what roundings do to later ones.

    Raises:
        LabError: a node does not run here; it says which, and why.
    """
    found: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for node in graph.nodes:
        if node.target == "placeholder":
            value = inputs[node.name]
            if isinstance(value, torch.Tensor):
                value = (alone.widened(value) if exact else value).clone()
            found[node.name] = value
        else:
            changed = node.arguments[0] if _changes(node) else ""
            if changed and changed not in kept:  # a node's value is what it was when it was computed
                kept[changed] = found[changed].clone()
            value = _value(graph, node, found, device, exact)
            found[node.name] = _moved(value, node, rounded) if rounded and isinstance(value, torch.Tensor) else value
    return found | kept


def _moved(value: torch.Tensor, node: Node, rounded: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, node.type.dtype) if node.type else value.dtype
    if dtype not in (torch.bfloat16, torch.float16):
        return value
    signs = torch.randint(0, 2, value.shape, generator=rounded).to(value.device) - 0.5
    return value * (1 + torch.finfo(dtype).eps * signs.double())


def _changes(node: Node) -> bool:
    """Whether a node writes into its first argument: `aten.index_put_.default`, `aten.copy_.default`."""
    name = node.target.split(".")[1] if node.target.count(".") == 2 else ""
    return name.endswith("_") and bool(node.arguments)


def _value(graph: Graph, node: Node, found: dict[str, Any], device: str, exact: bool) -> Any:
    names = NAMES | found
    if device == "cpu":
        names["device"] = lambda *args, **kwargs: torch.device("cpu")
    try:
        with alone.Exact() if exact else nullcontext():
            return eval(compile(node.call, node.name, "eval"), names)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise LabError(f"{node.name} = {node.target} of graph {graph.id} does not run here: {why}") from error
