"""What a span is tried on: its arguments, other sizes, blocks for the interpreter and blocks that do not divide; what it moves, and where it is from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

from inductor_lab.costs.traffic import traffic
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject.file.examples import argument, legend, said
from inductor_lab.eject.file.literals import literal
from inductor_lab.eject.rendering import Inputs
from inductor_lab.eject.span.kernels import Part
from inductor_lab.eject.span.laid_out import listed_names
from inductor_lab.eject.span.names import together
from inductor_lab.eject.span.plan import SpanPlan
from inductor_lab.eject.span.views import touched


def inputs_of(plan: SpanPlan, takes: Sequence[str]) -> Inputs:
    """What both sequences are run on.

    Args:
        takes: What the reference is given.
    """
    symbols = dict(plan.environment) if plan.bindings else {}
    arguments = tuple(argument(tensor, (symbols and tensor.symbolic) or tensor.type) for tensor in plan.tensors)
    generated = {
        f"{key}_{part.number}": value for part in plan.baselines for key, value in part.plan.interpreter.items()
    }
    tails = [ast.literal_eval(part.parts.inputs.tail) for part in plan.hands]
    tail = {where: literal(_by_hand(plan.hands, [one[where] for one in tails])) for where in ("gpu", "interpreter")}
    hand = _by_hand(plan.hands, [ast.literal_eval(part.parts.inputs.interpreter) for part in plan.hands])
    return Inputs(
        symbols, tuple(_others(plan.kernels, symbols)), False, "", legend(plan.tensors), " ".join(plan.remarks), arguments,
        listed_names(takes), listed_names(plan.written), listed_names(plan.unread) if plan.unread else "", *_bytes(plan),
        literal(hand), literal(generated),
        literal(tail), tuple(_origin(plan)),
    )  # fmt: skip


def _others(parts: Iterable[Part], captured: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Other sizes, where all kernels that have them are tried on the same ones."""
    tried: dict[str, set[int]] = {}
    for part in parts:
        other = dict(next(iter(part.parts.inputs.others), {}))
        for symbol in part.plan.environment:
            tried.setdefault(symbol, set()).add(other.get(symbol, captured.get(symbol, 0)))
    sizes_ = {**captured, **{symbol: values.pop() for symbol, values in tried.items() if len(values) == 1}}
    if sizes_ != captured:
        yield sizes_


def _by_hand(parts: Iterable[Part], blocks: Iterable[Mapping[str, object]]) -> dict[str, object]:
    """What each kernel's own file says of its blocks, by the names that they have here."""
    return {
        f"{part.plan.name}_{key}": value for part, own in zip(parts, blocks, strict=True) for key, value in own.items()
    }


def _bytes(plan: SpanPlan) -> tuple[str, str]:
    """What must be moved at least: inputs and outputs once, of a table no more than its launches read."""
    moved = {"read": 0, "written": 0}
    for tensor in plan.tensors:
        sizes = zip(tensor.type.shape, tensor.type.stride, strict=True)
        whole = prod(int(size) for size, step in sizes if step) * ITEMSIZE.get(tensor.type.dtype, 1)
        if tensor.role != "out":
            moved["read"] += min(whole, _most(plan, tensor.parameter, "read", whole))
        if tensor.role != "in" and tensor.name not in plan.unread:
            moved["written"] += min(whole, _most(plan, tensor.parameter, "written", whole))
    return literal(moved), "its inputs and outputs once, at least"


def _most(plan: SpanPlan, variable: str, field: str, whole: int) -> int:
    """The bytes that the steps which touch a tensor move at most."""
    most = 0
    for step, part in zip(plan.span.steps, plan.parts, strict=True):
        if variable in touched(step):
            counted = getattr(traffic(part.plan.kernel), field) if part else whole
            most += whole if counted is None else counted
    return most


def _origin(plan: SpanPlan) -> list[str]:
    capture, span = plan.capture, plan.span
    steps = []
    for step, part in zip(span.steps, plan.parts, strict=True):
        kernel = part.plan.kernel if part else None
        if kernel:
            steps.append(f'        {{"kernel": "{kernel.id}", "name": "{kernel.name}",')
            steps.append(f'         "body_sha256": "{kernel.body_sha256}"}},')
        else:
            steps.append(f'        {{"call": "{step.call}"}},')
    blocks = {
        f"{key}_{part.number}": f"{part.plan.name}_{name}"
        for part in plan.kernels
        for key, name in {**part.text.blocks, "num_warps": "num_warps", "num_stages": "num_stages"}.items()
        if not part.text.cuda
    }
    numbers = {name: plan.untold[name].text if name in plan.untold else name for name in plan.loose}
    named = {"schema": 1, "capture": capture.name, "graph": span.graph, "kernel": span.name}
    return [*said(named), '    "span": [', *steps, "    ],", *said({
        "name": together(plan.steps()), "body_sha256": span.sha256, "torch": capture.torch, "triton": capture.triton,
        "gpu": capture.gpu.name, "arch": capture.gpu.arch, "parameters": {tensor.parameter: tensor.name for tensor in plan.tensors},
        "numbers": numbers, "sizes": dict(plan.bindings), "blocks": blocks,
        **({"target": "cuda"} if any(part.text.cuda for part in plan.kernels) else {}),
    })]  # fmt: skip
