"""What a graph means: its post-grad nodes in eager PyTorch, one after the other, each value by the node's name.

Random numbers are drawn as the captured kernels draw them: of a seed and a position alone (Philox), by the helpers of ejected files.
`inductor_random` and `inductor_randint` of torch/_inductor/inductor_prims.py, as their lowerings have it (torch 2.11 to 2.13): the element's place in a
contiguous tensor is its offset.

Whole numbers that index are held to the tensor that they index (`Checked`), before a card would end the whole process over one.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import torch
import torch._inductor.inductor_prims  # operators that only Inductor's graphs have: prims.prepare_softmax_online
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.bind.dependencies import operator
from inductor_lab.eject.device_functions import eager_text
from inductor_lab.eject.eager.pointwise import RANDOM as HELPERS
from inductor_lab.eject.eager.torch_values import names_in
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.compare.reference import widened
from inductor_lab.records import Capture, Graph, Node

NAMES = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan, "builtins": builtins}
"""What the printed calls speak of besides other nodes."""
SEED = 0
"""Of torch's own generator, from which modules and graphs draw the seeds of their random numbers."""
RANDOM = re.compile(r"rand|seed|dropout|bernoulli|multinomial|exponential|normal_|uniform|geometric|cauchy")


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
    called = operator(node)
    if "dot_product" in called:
        given = (*node.numbers, node.number("dropout_p") or 0.0)  # not the scale, which is always given by name
        return any(0 < number < 1 for number in given)
    return bool(RANDOM.search(called)) and "backward" not in called


def _changed(node: Node) -> list[str]:
    """Which nodes' values a node writes into: its first argument's, `aten.copy_.default`; those of a list, `aten._foreach_add_.List`."""
    name = node.target.split(".")[1] if node.target.count(".") == 2 else ""
    if not name.endswith("_") or not node.arguments:
        return []
    return names_in(*node.operands[:1])


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


FOURFOLD = "4x("
"""In the text of a kernel that takes four numbers of each draw: `triton_helpers.rand4x`, `randn4x`."""
UNIFORM, RANDINT, SEEDS = (f"prims.inductor_{name}.default" for name in ("random", "randint", "seeds"))

Draw = Callable[..., Tensor]


def drawing(capture: Capture, graph: Graph) -> dict[str, Draw]:
    """Node -> what draws its numbers, called as the node calls its operator; four of each draw where its kernel does so."""
    fourfold = {
        name
        for kernel in capture.kernels
        if FOURFOLD in kernel.text
        for launch in kernel.launches
        if launch.graph == graph.id
        for name in launch.provenance.nodes
    }
    by_target: dict[str, Draw] = {UNIFORM: _one, RANDINT: _whole, SEEDS: _seeds}
    found = {node.name: by_target[node.target] for node in graph.nodes if node.target in by_target}
    return {name: _four if name in fourfold and draw is _one else draw for name, draw in found.items()}


def _seeds(count: int, device: torch.device) -> Tensor:
    """By torch's own generator, as the module calls it (`RandomSeeds` of torch/_inductor/ir.py)."""
    limits = torch.iinfo(torch.int64)
    return torch.randint(limits.min, limits.max, [count], device=device)


def _one(size: list[int], seed: Tensor, mode: str, **how: Any) -> Tensor:
    return _drawn(mode, size, seed)


def _four(size: list[int], seed: Tensor, mode: str, **how: Any) -> Tensor:
    return _drawn(f"{mode}4x", size, seed)


def _whole(low: int, high: int, size: list[int], seed: Tensor) -> Tensor:
    return _drawn("randint64", size, seed, low, high)


def _drawn(helper: str, size: list[int], seed: Tensor, *limits: int) -> Tensor:
    offsets = torch.arange(math.prod(size), device=seed.device)
    numbers: Tensor = _helpers()[HELPERS[helper]](seed, offsets, *limits)
    return numbers.reshape(size)


@cache
def _helpers() -> Mapping[str, Callable[..., Any]]:
    names: dict[str, Any] = {"torch": torch}
    for name in ("philox", *HELPERS.values()):
        exec(eager_text(name), names)
    return names


ALONG = {"gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "index_select", "index_add"}
"""Operators with `dim` and `index`."""
LISTED = {"index", "index_put", "index_put_", "_unsafe_index", "_unsafe_index_put"}
"""Operators with `indices`, one for each dimension from the first, counted from the end where they are negative."""


class Checked(TorchDispatchMode):
    """While it is on, an index outside of its tensor is an IndexError on every device, as it is on the CPU."""

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(zip((one.name for one in operator._schema.arguments), args, strict=False)) | dict(kwargs or {})
        for index, low, size in _indices(operator._schema.name.removeprefix("aten::"), given):
            if index.numel() and not low <= int(index.min()) <= int(index.max()) < size:
                raise IndexError(f"index out of range in {operator.name()}: a dimension of {size}")
        return operator(*args, **(kwargs or {}))


def _indices(name: str, given: Mapping[str, Any]) -> Iterator[tuple[Tensor, int, int]]:
    """(indices, the lowest one, the dimension's size) of an operator's arguments."""
    if name == "embedding":
        yield given["indices"], 0, given["weight"].shape[0]
    elif name == "embedding_dense_backward":
        yield given["indices"], 0, given["num_weights"]
    elif name in ALONG:
        yield given["index"], 0, given["self"].shape[given["dim"]] if given["self"].ndim else 1
    elif name in LISTED:
        for size, index in zip(given["self"].shape, given["indices"], strict=False):
            if index is not None and index.dtype != torch.bool:
                yield index, -size, size
            elif index is not None and index.ndim > 1:
                return  # a mask of several dimensions: what follows indexes later ones
    elif name == "nll_loss_forward":
        target, classes = given["target"], given["self"].shape[-1]
        yield target[target != given["ignore_index"]], 0, classes
