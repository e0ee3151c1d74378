"""A graph held to the module as Inductor generated it: for what is too large to be held to eager, whose every value would stay in float64.

Both modules run on the same inputs, one with the hand kernels. Each hand kernel's run is held to its own reference, the outputs of the one to those
of the other; where no hand kernel is given, each launch is held to its reference. What waits for the other lies on the card where there is room,
else in the host's memory.

real_llama_3_1_8b: 8.0e9 weights, 36 GB go into its backward graph; all its nodes' values in float64 are 729 GB.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor

from inductor_lab.eject import sizes
from inductor_lab.judge import alone
from inductor_lab.judge.compare import limits
from inductor_lab.judge.compare.reference import signs
from inductor_lab.records import Graph, Node
from inductor_lab.replay import graph as graphs
from inductor_lab.replay import inputs, module

Values = dict[str, Any]
DRAWS = (1, 2)


def too_large(graph: Graph) -> str:
    """Why a graph can not be held to eager on the card that is there, in a sentence; empty where it can, or where there is no card."""
    if alone.DEVICE == "cpu":
        return ""
    needs, has = held_by_eager(graph), torch.cuda.mem_get_info()[1]
    if needs < has:
        return ""
    return (
        f"graph {graph.id} is held to the module as it was generated: to hold it to eager takes {needs / 1e9:,.0f} GB of values in float64, "
        f"the card has {has / 1e9:,.0f}"
    )


def held_by_eager(graph: Graph) -> int:
    """Bytes of all values of a graph in eager, in float64, and there with last bits moved twice; a view has none of its own."""
    symbols = sizes.hints(graph)
    found = 0
    for node in graph.nodes:
        if node.type and not _is_view(node):
            type_ = sizes.fixed(node.type, symbols)
            dtype = getattr(torch, type_.dtype)
            wide = 8 if dtype.is_floating_point else dtype.itemsize
            found += math.prod(map(int, type_.shape)) * (dtype.itemsize + 3 * wide)
    return found


def _is_view(node: Node) -> bool:
    try:
        returned = attrgetter(node.target)(torch.ops)._schema.returns
    except (
        AttributeError,
        RuntimeError,
    ):  # a placeholder, a Python function, an operator of a library that is not here
        return node.target == "getitem"
    return any(one.alias_info is not None for one in returned)


def on_the_host(values: Mapping[str, Any]) -> Values:
    """The same, where they take no memory of the card's."""
    return {name: _at(x, "cpu") for name, x in values.items()}


def held(
    graph: Graph, given: Mapping[str, Any], generated: module.Module, hand: module.Module, drawn: Iterable[str]
) -> tuple[Values, dict[str, str], dict[str, float]]:
    """What the module with hand kernels returns, on the host; each output -> `pass`, or how it differs from the generated module's; and how far it is.

    Args:
        given: The graph's inputs on the host, in the module's order; they are left as they are.
        drawn: Outputs that are states of a random generator, which are not held.

    Raises:
        LabError: a hand kernel does not run.
    """
    stays = inputs.on_the_cpu(graph)
    waits = ""

    def returned(call: module.Module, draw: int = 0) -> Values:
        nonlocal waits
        generator = torch.Generator("cpu").manual_seed(draw)
        taken = [_copied(x, "cpu" if name in stays else alone.DEVICE) for name, x in given.items()]
        if draw:
            taken = [_moved(x, generator) for x in taken]
        torch.manual_seed(graphs.SEED)
        found = {name: x for name, x in zip(graph.outputs, call(taken), strict=True) if name}
        waits = waits or _has_room(found)
        return {name: _at(x, waits) for name, x in found.items()}

    want = returned(generated)
    again = cache(partial(returned, generated))

    def others(name: str) -> list[Tensor]:
        return [again(draw)[name] for draw in DRAWS]

    out = returned(hand)
    told, errors = dict[str, str](), dict[str, float]()
    for name in (name for name in out if name not in set(drawn)):
        told[name], far = _compared(out[name], want[name], partial(others, name))
        errors |= {} if far is None else {name: far}
    return on_the_host(out), told, errors


def _has_room(found: Mapping[str, Any]) -> str:
    """Where the outputs of as many runs as there are wait for each other: on the card, beside what a run takes at most, or on the host."""
    if alone.DEVICE == "cpu":
        return "cpu"
    bytes_ = sum(x.nbytes for x in found.values() if isinstance(x, Tensor))
    room = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    fits = torch.cuda.max_memory_allocated() + (2 + len(DRAWS)) * bytes_ < 0.9 * room
    return alone.DEVICE if fits else "cpu"


def _compared(out: Any, want: Any, again: Callable[[], list[Tensor]]) -> tuple[str, float | None]:
    if not isinstance(out, Tensor):
        return "pass" if out == want else f"is {out}, the generated module returns {want}", None
    out, want = (_at(x, alone.DEVICE) for x in (out, want))
    if torch.equal(inputs.bits(out), inputs.bits(want)):
        return "pass", 0.0 if out.is_floating_point() else None
    found = limits.against_generated(out, want, lambda: [_at(x, alone.DEVICE) for x in again()])
    return found.message or "pass", found.errors.get("hand")


def _copied(x: Any, device: str) -> Any:
    return inputs.copied(x, device) if isinstance(x, Tensor) else x


def _at(x: Any, device: str) -> Any:
    """The same tensor where it lies there."""
    return _copied(x, device) if isinstance(x, Tensor) and x.device.type != device else x


def _moved(x: Any, generator: torch.Generator) -> Any:
    """Each value off by a last bit of its own dtype, or not; whole numbers as they are."""
    if not (isinstance(x, Tensor) and x.is_floating_point()):
        return x
    return x + x * (torch.finfo(x.dtype).eps / 2) * signs(x, generator).to(x.dtype)
