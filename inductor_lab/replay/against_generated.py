"""Holds a graph to the module as Inductor generated it, where it is too large for eager: its every value would stay in float64.

Both modules run on the same inputs, one with the hand kernels. Each hand kernel's run is held to its own reference, the outputs of the one to
those of the other; where no hand kernel is given, each launch is held to its reference. What waits for the other lies on the card where there
is room, else in the host's memory.

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
from inductor_lab.judge.compare.allowances import JUMP, around
from inductor_lab.judge.compare.reference import signs
from inductor_lab.judge.inputs.placement import at, copied, there
from inductor_lab.judge.watch.watched_memory import bits
from inductor_lab.quantity import percent
from inductor_lab.records import Graph, Node
from inductor_lab.replay.agreement import DRAWS
from inductor_lab.replay.graph import SEED
from inductor_lab.replay.inputs import on_the_cpu
from inductor_lab.replay.module import Module

FURTHER = 2.0
"""How many times as far as a last bit of the inputs moves an output may it be from the generated module's, in the root mean square: a last bit of the
narrowest dtype that the graph computes in (`_coarsest`)."""
SMALL = 1 / 4
"""Of the root mean square: a smaller value counts as so large."""
FEW = 4
"""Elements may stand out by chance where by last bits none does."""


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


def held_to_generated(
    graph: Graph, given: Mapping[str, Any], generated: Module, hand: Module, drawn: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, float]]:
    """What the module with hand kernels returns, on the host; each output -> `pass`, or how it differs from the generated module's; and how far it is.

    Args:
        given: The graph's inputs on the host, in the module's order; they are left as they are.
        drawn: Outputs that are states of a random generator, which are not held.

    Raises:
        LabError: a hand kernel does not run.
    """
    waits = ""

    def returned(call: Module, draw: int = 0) -> dict[str, Any]:
        nonlocal waits
        found = returned_by(call, graph, given, draw)
        waits = waits or _has_room(found)
        return there(found, waits)

    want = returned(generated)
    again = cache(partial(returned, generated))

    def others(name: str) -> list[Tensor]:
        return [again(draw)[name] for draw in DRAWS]

    out = returned(hand)
    told, errors = dict[str, str](), dict[str, float]()
    for name in (name for name in out if name not in set(drawn)):
        told[name], far = as_generated(out[name], want[name], partial(others, name))
        errors |= {} if far is None else {name: far}
    return there(out, "cpu"), told, errors


def returned_by(call: Module, graph: Graph, given: Mapping[str, Any], draw: int = 0) -> dict[str, Any]:
    """What a module returns on the card, by the outputs' names; for a draw, on inputs that are a last bit of what the graph computes in away."""
    stays, generator = on_the_cpu(graph), torch.Generator("cpu").manual_seed(draw)
    taken = [copied(x, "cpu" if name in stays else alone.DEVICE) for name, x in given.items()]
    if draw:
        taken = [moved_by_bits(x, generator, _coarsest(graph)) for x in taken]
    torch.manual_seed(SEED)
    return {name: x for name, x in zip(graph.outputs, call(taken), strict=True) if name}


def _has_room(found: Mapping[str, Any]) -> str:
    """Where the outputs of as many runs as there are wait for each other: on the card, beside what a run takes at most, or on the host."""
    if alone.DEVICE == "cpu":
        return "cpu"
    bytes_ = sum(x.nbytes for x in found.values() if isinstance(x, Tensor))
    room = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    fits = torch.cuda.max_memory_allocated() + (2 + len(DRAWS)) * bytes_ < room * 0.6  # the rest: references in float64
    return alone.DEVICE if fits else "cpu"


def as_generated(out: Any, want: Any, again: Callable[[], list[Tensor]]) -> tuple[str, float | None]:
    """`pass`, or how an output differs from the generated module's; and how far it is.

    Args:
        again: The generated module's output for inputs that are a last bit away, for each of DRAWS.
    """
    if not isinstance(out, Tensor):
        return "pass" if out == want else f"is {out}, the generated module returns {want}", None
    out, want = (at(x, alone.DEVICE) for x in (out, want))
    if torch.equal(bits(out), bits(want)):
        return "pass", 0.0 if out.is_floating_point() else None
    told = ""
    if out.is_floating_point():
        moved = _moved_as_far(out, want, again)
        if not moved.message:
            return "pass", moved.errors["hand"]
        told = f"; {moved.message}"
    found = limits.against_generated(out, want, lambda: [at(x, alone.DEVICE) for x in again()])
    return found.message + told if found.message else "pass", found.errors.get("hand")


def _moved_as_far(out: Tensor, want: Tensor, again: Callable[[], list[Tensor]]) -> limits.Finding:
    """Whether the last bits of the module's inputs move an output as far as it is off; its error is a part of the largest value.

    All layers multiply what one kernel rounds. So an output is held in the root mean square, and each element by the most that any is moved in
    its row or its column, whichever is less. Of a softmax, whose large values a last bit of a large product moves or leaves, some are further off:
    about as many as where last bits of other signs are held in the same way, and none by more than a value is moved anywhere. Logits of a
    language model are gigabytes: nothing is wider here than it must be.
    """
    wide = torch.promote_types(out.dtype, torch.float32)

    def apart(x: Tensor) -> Tensor:
        far = (at(x, alone.DEVICE).to(wide) - want).abs_().nan_to_num_(0.0, 0.0, 0.0).squeeze()
        return far.reshape(-1, far.shape[-1] if far.ndim > 1 else far.numel())

    def norm(x: Tensor) -> float:
        return float(torch.linalg.vector_norm(x))

    same = (out == want) | (out.isnan() & want.isnan())
    if not out.numel() or not bool((same | (out.isfinite() & want.isfinite())).all()):
        return limits.Finding(message="one is finite where the other is not")
    error = apart(out)
    moved, another = (apart(draw) for draw in again())
    far, most = norm(error), max(norm(moved), norm(another))
    if far > FURTHER * most:
        whole = norm(want.to(wide).nan_to_num_(0.0, 0.0, 0.0)) or 1.0
        off, allowed = (percent(each / whole) for each in (far, FURTHER * most))
        return limits.Finding(message=f"off by {off} in the root mean square; by last bits of the inputs {allowed}")
    size = want.nan_to_num(0.0, 0.0, 0.0).abs_().squeeze().reshape(error.shape)
    if bool(_stand_out(error, torch.maximum(moved, another)).any()):
        least = SMALL * norm(size) / size.numel() ** 0.5 or torch.finfo(wide).tiny
        mine, others = _stand_out(error, moved), int(_stand_out(another, moved).sum())
        count, worst = int(mine.sum()), float((error[mine] / size[mine].clamp_min(least)).amax())
        usual = float((another / size.clamp_min(least)).amax())
        if count > FURTHER * others + FEW or worst > FURTHER * usual:
            return limits.Finding(
                message=f"{count:,} elements stand out of their row and column, by up to {percent(worst)}; by last bits of the inputs "
                f"{others:,} do, and any is moved by {percent(usual)} at most"
            )
    return limits.Finding({"hand": float(error.amax() / size.amax().clamp_min(torch.finfo(wide).tiny))})


def _stand_out(error: Tensor, moved: Tensor) -> Tensor:
    """Which elements are further off than `JUMP` times what any is moved in their row or column."""
    limit = around(moved)
    return error > JUMP * (moved.amax() if limit is None else limit)


def _coarsest(graph: Graph) -> float:
    """The last bit of the narrowest floating dtype that a graph computes in: weights are float32 under autocast, and rounded to half precision first."""
    dtypes = {getattr(torch, node.type.dtype) for node in graph.nodes if node.type}
    return max((torch.finfo(dtype).eps for dtype in dtypes.intersection(limits.NARROW)), default=0.0)


def moved_by_bits(x: Any, generator: torch.Generator, bit: float = 0.0) -> Any:
    """Each value off by a last bit of its own dtype, or by one that is as coarse as that, or not; whole numbers as they are."""
    if not (isinstance(x, Tensor) and x.is_floating_point()):
        return x
    return x + x * (max(torch.finfo(x.dtype).eps, bit) / 2) * signs(x, generator).to(x.dtype)
