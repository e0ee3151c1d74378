"""What is right: what a file's reference makes of the tensors that the kernel reads, in eager and in float64.

expected(file, views)                          eager, one result for each tensor that the kernel writes
expected(file, views, exact=True)              the same without rounding
expected(file, views, exact=True, nudge=1)     the same of inputs that are all off by the last bit of a float32, up or down

Beside it what no rounding can hold apart: float64 of inputs that are a last bit away and of products that a GPU adds to before it rounds them
(`Nearby`), eager that adds in other orders, and the graph's own form of the kernel. `against_eager` is a short verdict, of tensors as a whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.ejected import demanded
from inductor_lab.errors import short_of_memory
from inductor_lab.judge import alone
from inductor_lab.judge.alone import distance
from inductor_lab.judge.compare.limits import Draw, Draws, Finding, compared
from inductor_lab.judge.inputs.placement import Placement, once, seen

aten = torch.ops.aten
SUMS = {aten.add, aten.sub, aten.rsub}
SAME = {
    aten.view,
    aten.expand,
    aten.unsqueeze,
    aten.squeeze,
    aten.permute,
    aten.transpose,
    aten.t,
    aten._to_copy,
    aten._unsafe_view,
}
"""Operators behind which a product is still the same."""
TINY = 2 * torch.finfo(torch.float32).smallest_normal
"""A number that a factor near 1 makes subnormal."""
ENOUGH = 1 << 20
"""Elements of a tensor that are compared."""
NEAR = 1e-6
"""Of the largest value."""
CLOSER = 0.25
"""Part of a last bit: what rounding moves moves so much less, a boundary is crossed or it is not."""
DRAWS = 5
"""Of the last bits of a narrow dtype; two left one of some hundred sums where it was, by chance."""
LOST = 2.0**-12
"""Half the digits of a float32: an error of this size is no rounding."""


def expected(
    file: Any, views: Mapping[str, torch.Tensor], exact: bool = False, nudge: int = 0
) -> tuple[torch.Tensor, ...]:
    """What eager makes of the tensors that the kernel reads, for each tensor that it writes.

    Args:
        nudge: Another number, another draw of last bits; 0 for none.
    """
    read = [views[name].clone() for name in file.TAKES]
    if not exact:
        return tuple(file.reference(*read))
    generator = torch.Generator("cpu").manual_seed(nudge)
    read = [widened(x, generator if nudge else None) for x in read]
    with alone.Exact():
        return tuple(file.reference(*read))


def widened(x: torch.Tensor, nudged: torch.Generator | None = None) -> torch.Tensor:
    """A tensor in float64, or complex128; with a generator, each value off by the last bit of a float32, up or down."""
    if not (x.is_floating_point() or x.is_complex()):
        return x
    bit = torch.finfo(max(x.dtype, torch.float32, key=lambda dtype: dtype.itemsize)).eps
    exact = x.to(alone.wide(x.dtype))
    return exact * (1 + bit * signs(x, nudged).double()) if nudged else exact


def signs(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """1 or -1 for each value, drawn where the tensor lies: a card draws its own, seeded by this generator of the CPU."""
    if x.device.type != "cpu":
        generator = torch.Generator(x.device).manual_seed(int(torch.randint(2**62, (), generator=generator)))
    return 2.0 * torch.randint(0, 2, x.shape, generator=generator, dtype=torch.int8, device=x.device) - 1


# ------------------------------------------------------------ last bits


@dataclass(frozen=True)
class Nearby:
    """Results of a file's reference in float64 for the tensor of this number and shape, each computed when it is asked for."""

    file: Any
    views: Callable[[], Mapping[str, Tensor]]
    """The inputs, read when something is asked for."""
    device: str | torch.device
    number: int
    shape: torch.Size

    def draws(self, regenerated: Draw | None = None) -> Draws:
        """All of them, with what the generated kernel makes of such inputs."""
        return Draws(self.nudged, partial(self.nudged, CLOSER), self.flushed, self.moved, regenerated)

    def nudged(self, part: float = 1.0) -> list[Tensor]:
        """For inputs that are all off by this part of the last bit of a float32, and products that are summands by half as much: one result a draw.

        Up or down as it is drawn, four times; and all inputs up, so that two that a sum cancels are never off by the same.
        """
        views = self.views()
        found = []
        for draw in range(5):
            generator = torch.Generator("cpu").manual_seed(draw)
            read = []
            for name, begun in zip(self.file.TAKES, self._read(), strict=True):
                moved = widened(views[name], generator)
                if begun.is_floating_point() or begun.is_complex():
                    step = (moved - begun) * part
                    step = step if draw or begun.is_complex() else step.abs()
                    moved = torch.where(begun.isfinite(), begun + step, begun)
                read.append(moved)
            with _Fused(part, generator):
                found.append(self._result(read))
        return found

    def moved(self) -> list[Tensor]:
        """A result that is off by what the last bits of the inputs in their own dtypes can do at most, each input by itself."""
        views, read = self.views(), self._read()
        ideal = self._result(read)
        moved = torch.zeros_like(ideal)
        for at, name in enumerate(self.file.TAKES):
            dtype = views[name].dtype
            if not dtype.is_floating_point:
                continue
            for draw in range(1, 1 + DRAWS):
                up = signs(read[at], torch.Generator("cpu").manual_seed(draw))
                nudged = read[at] * (1 + torch.finfo(dtype).eps * up.double())
                step = (self._result([*read[:at], nudged, *read[at + 1 :]]) - ideal).abs() / DRAWS
                if not bool(step.any()):  # it has no part in this output, as most inputs of a span have none
                    break
                moved += step
        return [ideal + moved]

    def flushed(self) -> list[Tensor]:
        """For inputs that are a little up or down around 0: the GPU's approximate functions take subnormal numbers for it.

        Nothing where no input is so small.
        """
        read = self._read()
        if not any(x.is_floating_point() and bool(((x != 0) & (x.abs() <= TINY)).any()) for x in read):
            return []
        return [self._result([x + step if x.is_floating_point() else x for x in read]) for step in (TINY, -TINY)]

    def _read(self) -> list[Tensor]:
        views = self.views()
        return [widened(views[name]) for name in self.file.TAKES]

    def _result(self, read: list[Tensor]) -> Tensor:
        with alone.Exact():
            found: Tensor = self.file.reference(*[x.clone() for x in read])[self.number]
        return found.reshape(self.shape).to(self.device)


class _Fused(TorchDispatchMode):
    """Each product is off by half a float32's last bit where it is a summand: a fused multiply-add does not round it, another use of it does."""

    def __init__(self, part: float, generator: torch.Generator) -> None:
        super().__init__()
        self.step, self.generator = part * torch.finfo(torch.float32).eps / 2, generator
        self.products: dict[int, Tensor] = {}
        """By identity, and kept, so that no other tensor gets it."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        operator = function.overloadpacket
        if operator in SUMS:
            args = tuple(self._rounded(x) if id(x) in self.products else x for x in args)
        found = function(*args, **(kwargs or {}))
        multiplied = operator is aten.mul and (found.is_floating_point() or found.is_complex())
        if multiplied or (operator in SAME and id(args[0]) in self.products):
            self.products[id(found)] = found
        return found

    def _rounded(self, product: Tensor) -> Tensor:
        return product * (1 + self.step * signs(product, self.generator).double())


def inputs_beside(file: Any, placement: Placement) -> Iterator[tuple[Placement, float]]:
    """Inputs of which those of one dtype are off by its last bit, up or down; and what part of that a float32's last bit is."""
    for dtype in dict.fromkeys(file.ARGUMENTS[name][2] for name in file.TAKES):
        if not dtype.is_floating_point:
            continue
        eps = torch.finfo(dtype).eps
        for draw in (1, 2):
            generator = torch.Generator("cpu").manual_seed(draw)
            memories = tuple(memory.clone() for memory in placement.memories)
            for name in file.TAKES:
                if file.ARGUMENTS[name][2] == dtype:
                    x = seen(memories[placement.layout[name]["memory"]], placement.layout[name])
                    x = x[once(x.stride())]
                    x.copy_(x.double() * (1 + eps * signs(x, generator)))
            yield replace(placement, memories=memories), min(1.0, torch.finfo(torch.float32).eps / eps)


# ------------------------------------------------------------ the graph's own form


def agrees_with_graph(file: Any, placement: Placement, exact: Sequence[torch.Tensor]) -> bool:
    """Whether the graph's own form of a kernel (`aten`) computes what its reference does, both in float64, on the inputs of a case.

    Args:
        exact: What the reference makes of the same inputs in float64.
    """
    made = graph_values(file, placement, exact=True)
    if made is None:
        return False
    read = [name in demanded(file) for name in file.WRITTEN]
    return len(made) == len(exact) and all(map(_near, compress(made, read), compress(exact, read)))


def graph_values(file: Any, placement: Placement, exact: bool = False) -> list[torch.Tensor] | None:
    """What the graph's form makes of the inputs, in their own dtypes or in float64; None where they do not fit, so that it is another computation.

    On the CPU where one may be an index: if the graph is another computation it may lie outside, and on a card that ends the process.
    """
    names = _taken_by_graph(file, placement.layout)
    floats = all(placement.layout[name]["dtype"].startswith(("float", "bfloat", "complex")) for name in names)
    made = _of_graph(file, placement.read("" if floats else "cpu"), exact)
    return made and [x.to(placement.device) for x in made]


def _taken_by_graph(file: Any, views: Mapping[str, object]) -> list[str]:
    return [name for name in inspect.signature(file.aten).parameters if name in views]


def _of_graph(file: Any, views: Mapping[str, torch.Tensor], exact: bool = False) -> list[torch.Tensor] | None:
    """The same of these tensors, where they lie."""
    read = [views[name] for name in _taken_by_graph(file, views)]
    read = [widened(x) if exact else x.clone() for x in read]
    try:
        with alone.Exact() if exact else nullcontext():
            made = file.aten(*read)
    except (RuntimeError, TypeError, IndexError, ValueError) as error:
        if short_of_memory(error):
            raise
        return None
    return [torch.as_tensor(one) for one in made]  # a number is on no device


def by_graph(found: Finding, held: Callable[..., Finding], out: torch.Tensor, theirs: torch.Tensor) -> Finding:
    """What is found where eager is the graph itself, in its own dtypes throughout: a reference, as Inductor's kernel, rounds once where that rounds twice.

    weight * (x * scale).to(bfloat16)      of a row of equal numbers all are rounded up: it leans to one side, in eager too

    Beside the graph's own values no more may lean than beside float64's. What is wrong by both is told by the reference. Whole numbers and complex
    ones must be the graph's.

    Args:
        found: What is wrong by the reference.
        held: What `limits.compared` finds where this is what eager has.
        theirs: What the graph makes of the inputs.
    """
    if not out.is_floating_point():
        return replace(found, message="") if torch.equal(out, theirs) else found
    other = held(theirs, from_eager=True)
    return found if other.message else other


def _near(got: torch.Tensor, want: torch.Tensor) -> bool:
    if got.numel() != want.numel():
        return False
    every = want.numel() // ENOUGH | 1  # odd: no single column of many
    got, want = (x.reshape(-1)[::every] for x in (got, want))
    return bool(alone.distance(got, want, want) < NEAR)


# ------------------------------------------------------------ held to it as a whole


def against_eager(file: Any, inputs: Mapping[str, torch.Tensor], written: Mapping[str, torch.Tensor]) -> str:
    """What is wrong with what was written; empty for nothing.

    The limit is twice eager's own distance from float64 plus one rounding. Where an input's last bit moves the result by more (a sum in
    which much cancels), eager may have been lucky: then the limit is twice that. What is beyond it is right where `verify` lets each element
    pass: sums may be taken in another order, and the graph itself may round between two operators.
    """
    eager, exact = expected(file, inputs), expected(file, inputs, exact=True)
    for number, (name, want, ideal) in enumerate(zip(file.WRITTEN, eager, exact, strict=True)):
        if name not in demanded(file):
            continue
        out = written[name]
        want, ideal = want.reshape(out.shape), ideal.reshape(out.shape)
        draws = (expected(file, inputs, exact=True, nudge=draw)[number].reshape(out.shape) for draw in range(1, 5))
        wrong = _as_a_whole(out, want, ideal, draws)
        if wrong and by_element(file, inputs, number, out, want, ideal).message:
            return f"{name} is {wrong}"
    return ""


def _as_a_whole(out: torch.Tensor, want: torch.Tensor, ideal: torch.Tensor, draws: Iterator[torch.Tensor]) -> str:
    """How far what was written is from float64, where that is too far; empty where it is not."""
    rounded = want.to(out.dtype)
    rounding = torch.finfo(out.dtype).eps if out.is_floating_point() else 0.0
    mine, theirs = distance(out, ideal, rounded), distance(rounded, ideal, rounded)
    limit = 2 * theirs + rounding
    few = min(8.0, max(out.numel(), 1) ** 0.5)  # the mean of few errors is no smaller than the largest
    off = _spread(out, ideal)
    may = 2 * _spread(want, ideal) + rounding / few
    if mine < LOST and (mine > limit or off > may):
        nudged = [*draws]
        felt = max(distance(draw, ideal, rounded) for draw in nudged)
        if felt < LOST:
            limit = max(limit, 2 * felt + rounding)
            may = max(may, 2 * max(_spread(draw, ideal) for draw in nudged) + rounding / few)
    if mine > limit:
        return f"{mine:.2e} from float64, eager is {theirs:.2e}, the limit {limit:.2e}"
    return f"off by {off:.2e} in the root mean square, the limit {may:.2e}: too many small errors" if off > may else ""


def by_element(
    file: Any, inputs: Mapping[str, torch.Tensor], number: int, out: torch.Tensor, want: torch.Tensor, ideal: torch.Tensor,
    generated: torch.Tensor | None = None,
) -> Finding:  # fmt: skip
    """Hold each element of what was written to eager, as `verify` does it; and to the graph's own form where that is the same but for rounding.

    Args:
        number: Of the tensor in WRITTEN.
        want, ideal: What eager has of it, and float64.
        generated: What Inductor's kernel makes of the same inputs.
    """
    draws = Nearby(file, lambda: inputs, out.device, number, out.shape).draws()
    held = partial(compared, out, exact=ideal, generated=generated, draws=draws)
    found = held(want)
    read = [inputs[name] for name in file.TAKES]
    if not found.message or file.aten in (None, file.reference) or not all(x.is_floating_point() for x in read):
        return found
    exact, made = _of_graph(file, inputs, exact=True), _of_graph(file, inputs)
    if not (exact and made and len(exact) == len(file.WRITTEN) and _near(exact[number].to(ideal.device), ideal)):
        return found
    return by_graph(found, held, out, made[number].reshape(out.shape).to(out))


def against_generated(file: Any, written: Mapping[str, torch.Tensor], generated: Mapping[str, torch.Tensor]) -> str:
    """The same, against what the generated kernel made of the same inputs: sums may be taken in another order."""
    for name in demanded(file):
        out, want = written[name], generated[name]
        limit = 4 * torch.finfo(out.dtype).eps + 64 * torch.finfo(torch.float32).eps if out.is_floating_point() else 0.0
        mine = distance(out, want, want)
        if mine > limit:
            return f"{name} is {mine:.2e} from what the generated kernel computes, the limit {limit:.2e}"
    return ""


def _spread(out: torch.Tensor, exact: torch.Tensor) -> float:
    """Root mean square of the error over that of the exact values, where both are finite; 0 for integers."""
    if not exact.is_floating_point() or not exact.numel():
        return 0.0
    error, scale = (out.double() - exact).nan_to_num(0.0, 0.0, 0.0), exact.nan_to_num(0.0, 0.0, 0.0)
    return float((error.square().mean() / scale.square().mean().clamp_min(1e-300)).sqrt())
