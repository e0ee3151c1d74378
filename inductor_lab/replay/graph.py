"""What a graph means: its post-grad nodes in eager PyTorch, one after the other, each value by the node's name."""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import torch
import torch._inductor.inductor_prims  # operators that only Inductor's graphs have: prims.prepare_softmax_online

from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.compare.reference import widened
from inductor_lab.records import Graph, Node

NAMES = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan, "builtins": builtins}
"""What the printed calls speak of besides other nodes."""
SEED = 0
"""Of torch's own generator, from which modules and graphs draw the seeds of their random numbers."""
RANDOM = re.compile(r"rand|seed|dropout|bernoulli|multinomial|exponential|normal_|uniform|geometric|cauchy")
DROPS = re.compile(r"(?<!scale=)\b0\.\d*[1-9]")
"""What a fused attention is passed that drops some of its weights; only the scale is another such number."""


def values(
    graph: Graph,
    inputs: Mapping[str, Any],
    device: str,
    *,
    exact: bool = False,
    draws: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    rounded: torch.Generator | None = None,
) -> dict[str, Any]:
    """Every node's value. Numbers of torch's own generator are the same each time.

    Args:
        inputs: By the placeholders' names; they are left as they are.
        exact: In float64 throughout.
        draws: Node -> what is called in the place of its operator: random numbers as the kernels draw them.
        rounded: Moves each value that is of half precision in the graph by half of its last bit, up or down: what roundings do to later ones.

    Raises:
        LabError: a node does not run here; it says which, and why.
    """
    torch.manual_seed(SEED)
    found: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for node in graph.nodes:
        if node.target == "placeholder":
            value = inputs[node.name]
            if isinstance(value, torch.Tensor):
                value = (widened(value) if exact else value).clone()
            found[node.name] = value
        else:
            for changed in _changed(node):  # a node's value is what it was when it was computed
                kept = {name: found[name].clone() for name in _sharing(found[changed], found)} | kept
            value = _value(graph, node, found, device, exact, draws.get(node.name))
            found[node.name] = _moved(value, node, rounded) if rounded and isinstance(value, torch.Tensor) else value
    return found | kept


def _sharing(changed: torch.Tensor, found: Mapping[str, Any]) -> list[str]:
    """Nodes whose values lie in the memory that is about to change, as a view and what it is a view of do."""
    memory = changed.untyped_storage().data_ptr()
    return [
        name
        for name, value in found.items()
        if isinstance(value, torch.Tensor) and value.untyped_storage().data_ptr() == memory
    ]


def _moved(value: torch.Tensor, node: Node, rounded: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, node.type.dtype) if node.type else value.dtype
    if dtype not in (torch.bfloat16, torch.float16):
        return value
    signs = torch.randint(0, 2, value.shape, generator=rounded).to(value.device) - 0.5
    return value * (1 + torch.finfo(dtype).eps * signs.double())


def draws(node: Node) -> bool:
    """Whether a node draws random numbers, which are others each time: `aten.rand.default`, `prims.inductor_seeds.default`."""
    operator = node.target.split(".")[1] if "." in node.target else ""
    if "dot_product" in operator:
        return bool(DROPS.search(node.call))
    return bool(RANDOM.search(operator)) and "backward" not in operator


def _changed(node: Node) -> list[str]:
    """Which nodes' values a node writes into: its first argument's, `aten.copy_.default`; those of a list, `aten._foreach_add_.List`."""
    name = node.target.split(".")[1] if node.target.count(".") == 2 else ""
    if not name.endswith("_") or not node.arguments:
        return []
    call = ast.parse(node.call, mode="eval").body
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return [one.id for one in ast.walk(first) if isinstance(one, ast.Name)] if first else [node.arguments[0]]


def _itself(operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that changes a list of tensors and returns nothing: what the graph means by its value is that list."""

    def call(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        found = operator(tensors, *args, **kwargs)
        return tensors if found is None else found

    return call


def _value(
    graph: Graph, node: Node, found: dict[str, Any], device: str, exact: bool, draw: Callable[..., Any] | None
) -> Any:
    if node.target.startswith("aten._foreach_"):
        draw = _itself(attrgetter(node.target)(torch.ops))
    names = NAMES | found | {"instead": draw}
    call = node.call.replace(f"torch.ops.{node.target}", "instead") if draw else node.call
    if device == "cpu":
        names["device"] = lambda *args, **kwargs: torch.device("cpu")
    bits = exact and node.target == "aten.view.dtype"
    if bits:  # of the dtype that the graph has for the operand: a float64 has others, and more
        names |= {
            one.name: found[one.name].to(getattr(torch, one.type.dtype))
            for one in graph.nodes
            if one.name in node.arguments and one.type
        }
    try:
        with alone.Exact() if exact and not bits else nullcontext():
            value = eval(compile(call, node.name, "eval"), names)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise LabError(f"{node.name} = {node.target} of graph {graph.id} does not run here: {why}") from error
    return widened(value) if bits else value
