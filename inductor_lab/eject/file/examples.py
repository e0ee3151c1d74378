"""The part of a file that says what its kernel is run on: arguments, captured sizes and others, blocks, and its origin."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from inductor_lab.costs.traffic import traffic
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.file.literals import listed, literal, tuple_of
from inductor_lab.eject.generalize import others
from inductor_lab.eject.inputs.domain import DOMAINS, Domain
from inductor_lab.eject.inputs.solver import inputs
from inductor_lab.eject.rendering import EagerReference, Inputs, KernelText
from inductor_lab.eject.sizes import fixed
from inductor_lab.records import Capture, Kernel, TensorType
from inductor_lab.records.size import Size
from inductor_lab.records.span import Span

HELD, COMPILED = 8192, 1 << 19
"""Elements that a program may hold on a GPU; and elements times lines of the kernel that are compiled in seconds."""
TILE = 128
"""Rows and columns of a template's tile in Triton's interpreter, which takes its time by the program."""


def inputs_of(plan: Plan, hand: KernelText, reference: EagerReference | None) -> Inputs:
    tails = {where: literal(blocks) for where, blocks in tail(plan, hand).items()}
    return Inputs(
        dict(plan.environment) if plan.bindings else {}, tuple(others(plan) if plan.generated else _others(plan)), plan.generated is not None,
        plan.not_told(plan.bindings), legend(plan.tensors.values()), collides(plan.colliding),
        tuple(argument(tensor, (plan.bindings and tensor.symbolic) or tensor.type) for tensor in plan.tensors.values()),
        tuple_of([f'"{name}"' for name in (reference.takes if reference else ())]), tuple_of([f'"{tensor.name}"' for tensor in plan.written]),
        _unread(plan), *_bytes(plan), literal(interpreted(plan, hand)), literal(plan.interpreter), literal(tails), tuple(_origin(plan, hand)),
    )  # fmt: skip


def interpreted(plan: Plan, hand: KernelText) -> dict[str, int]:
    """The hand kernel's blocks in Triton's interpreter."""
    blocks = {name: max(block, TILE) for name, block in hand.tuned.items()}
    blocks |= {hand.blocks.get(name, name): value for name, value in plan.interpreter.items()}
    return {} if hand.cuda else blocks


def _unread(plan: Plan) -> str:
    """What need not be written. Where that is all of it, something must be held to the reference all the same."""
    return tuple_of([f'"{name}"' for name in plan.unread]) if 0 < len(plan.unread) < len(plan.written) else ""


def _origin(plan: Plan, hand: KernelText) -> list[str]:
    parameters = {} if plan.table else {"parameters": {one.parameter: one.name for one in plan.tensors.values()}}
    numbers = dict((plan.generated or plan).scalars)
    told = {**parameters, "numbers": numbers, "sizes": dict(plan.bindings), "blocks": dict(hand.blocks)}
    return origin(plan.capture, plan.launch.graph, plan.kernel, plan.kernel.name, told, cuda=hand.cuda is not None)


def origin(
    capture: Capture,
    graph: str,
    of: Kernel | Span,
    name: str,
    told: Mapping[str, object],
    *,
    cuda: bool,
    steps: Sequence[str] = (),
) -> list[str]:
    """The lines of ORIGIN.

    Args:
        told: What is said of the launch: its parameters, numbers, sizes and blocks.
        steps: The lines that list those of a span.
    """
    facts = {
        "name": name, "body_sha256": of.body_sha256, "torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name,
        "arch": capture.gpu.arch, **told, **({"target": "cuda"} if cuda else {}),
    }  # fmt: skip
    return [
        *_said({"schema": 1, "capture": capture.name, "graph": graph, "kernel": of.id}), *steps, *_said(facts),
    ]  # fmt: skip


def _said(facts: Mapping[str, object]) -> list[str]:
    return [
        f"    {name!r}: {value!r},".replace("'", '"')
        if "'" in repr(value) and '"' not in repr(value)
        else f'    "{name}": {value!r},'
        for name, value in facts.items()
    ]


def argument(tensor: Tensor, type_: TensorType) -> dict[str, str]:
    fill = tensor.fill
    if isinstance(fill, tuple) and tensor.distinct:
        fill = (*fill, '"distinct"', *tensor.distinct)
    return {
        "name": tensor.name,
        "shape": tuple_of([Size.of(size).python for size in type_.shape]),
        "stride": tuple_of([Size.of(step).python for step in type_.stride]),
        "dtype": type_.dtype,
        "fill": f'("same", "{tensor.overwrites}")'
        if tensor.overwrites
        else f"({', '.join(map(str, fill))})"
        if isinstance(fill, tuple)
        else f'"{fill}"',
    }


def legend(tensors: Collection[Tensor]) -> str:
    """What the values in ARGUMENTS mean, as far as a file has them."""
    fills = [tensor.fill for tensor in tensors if not tensor.overwrites]
    told = [f'"{name}": {word.means}' for name, word in DOMAINS.items() if name in fills]
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    told += ["(a, b): whole numbers from a up to b, without b"] if ranges else []
    told += ["what follows: the value of some"] if any(len(fill) > 2 for fill in ranges) else []
    distinct = any(tensor.distinct for tensor in tensors)
    told += ['"distinct": no two the same along the dimensions that follow, taken together'] if distinct else []
    same = any(tensor.overwrites for tensor in tensors)
    told += ['("same", name): that very tensor, passed again'] if same else []
    return "values: " + ", ".join(told)


def collides(colliding: Sequence[str], by: str = "") -> str:
    """What no inputs can prevent."""
    if not colliding:
        return ""
    where = listed([f"`{name}`" for name in colliding])
    return f"{by}Several programs may store in one place of {where}, and on a GPU any of them may be the last: a check can fail for that alone."


def _others(plan: Plan) -> list[dict[str, int]]:
    """Other sizes that the check runs on: about half of what they were, and odd, so that no block divides them."""
    symbolic = {
        axis.name for part in plan.found.every() for axis in part.schedule.axes if not isinstance(axis.numel, int)
    }
    if not plan.bindings or symbolic & plan.dropped:
        return []
    types = {name: tensor.symbolic or tensor.type for name, tensor in plan.tensors.items()}
    numels = [numel for part in plan.found.every() for numel in part.numel.values()]
    said = " ".join(map(str, [*types.values(), *numels, *plan.scalars.values()]))
    whole = "//" in said or "Mod" in said  # a size that something divides
    other, drawn = dict(plan.environment), _drawn(plan, types, plan.environment)
    for symbol in plan.bindings:
        value = plan.environment[symbol]
        half = max(value // 2 // 8 * 8, min(value, 8)) if whole else max(value // 2 | 1, min(value, 3))
        if _drawn(plan, types, other | {symbol: half}) == drawn:  # else it tells how far an index may go
            other[symbol] = half
    return [other] if other != dict(plan.environment) else []


def _drawn(plan: Plan, types: Mapping[str, TensorType], environment: Mapping[str, int]) -> dict[str, Domain]:
    return inputs(plan.found, {name: fixed(type_, environment) for name, type_ in types.items()}, environment)


def _bytes(plan: Plan) -> tuple[str, str]:
    """The bytes that a launch reads and writes, and what the numbers mean."""
    counted = traffic(plan.kernel)
    if counted.read is None or counted.written is None:
        return "None", "not counted"
    meaning = (
        "one launch moves at least them: what it multiplies and the result, once each"
        if counted.least
        else "one launch moves them, each element counted once"
    )
    return f'{{"read": {counted.read}, "written": {counted.written}}}', meaning


def tail(plan: Plan, hand: KernelText) -> dict[str, dict[str, int]]:
    """Blocks that do not divide, for both; none where what is drawn depends on them. A block without a mask must go on dividing."""
    found: dict[str, dict[str, int]] = {"gpu": {}, "interpreter": {}}
    if plan.reference is None and config.draws_by_four(plan.kernel):
        return found
    compiled = min(HELD, COMPILED // (plan.kernel.body.count("\n") + 1))
    for where, given, most in (("gpu", plan.config, compiled), ("interpreter", plan.interpreter, 1 << 20)):
        chosen = config.tail_config(plan.kernel, plan.numels, given, most)
        if where == "interpreter" and not chosen:  # what no smaller block leaves a rest of: a large power of two
            chosen = config.tail_config(plan.kernel, plan.numels, given, 8 * most)
        if where == "interpreter":
            chosen |= config.uneven(plan.kernel, plan.dropped)
        found[where] = {
            hand.blocks.get(name, name): size
            for name, size in chosen.items()
            if name.partition("BLOCK")[0].lower() not in hand.fixed and not hand.cuda
        }
    return found
