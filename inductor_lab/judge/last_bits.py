"""What float64 makes of inputs that are a last bit away, and of products that a GPU adds to before it rounds them: what no rounding can hold apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.judge import alone
from inductor_lab.judge.expected import signs, widened
from inductor_lab.judge.laid import Laid, seen

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


@dataclass(frozen=True)
class Nearby:
    """Results of a file's reference in float64 for the tensor of this number and shape, each computed when it is asked for."""

    file: Any
    laid: Laid
    number: int
    shape: torch.Size

    def nudged(self, part: float = 1.0) -> list[Tensor]:
        """For inputs that are all off by this part of the last bit of a float32, and products that are summands by half as much: one result a draw.

        Up or down as it is drawn, four times; and all inputs up, so that two that a sum cancels are never off by the same.
        """
        views = self.laid.read_on(alone.DEVICE)
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

    def closer(self) -> list[Tensor]:
        """The same draws, for inputs off by a quarter of that."""
        return self.nudged(0.25)

    def moved(self) -> list[Tensor]:
        """A result that is off by what the last bits of the inputs in their own dtypes can do at most, each input by itself."""
        read = self._read()
        ideal = self._result(read)
        moved = torch.zeros_like(ideal)
        for at, name in enumerate(self.file.TAKES):
            dtype = self._dtype(name)
            if not dtype.is_floating_point:
                continue
            for draw in (1, 2):
                up = signs(read[at], torch.Generator("cpu").manual_seed(draw))
                nudged = read[at] * (1 + torch.finfo(dtype).eps * up.double())
                step = (self._result([*read[:at], nudged, *read[at + 1 :]]) - ideal).abs() / 2
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
        views = self.laid.read_on(alone.DEVICE)
        return [widened(views[name]) for name in self.file.TAKES]

    def _dtype(self, name: str) -> torch.dtype:
        return getattr(torch, self.laid.layout[name]["dtype"])  # type: ignore[no-any-return]

    def _result(self, read: list[Tensor]) -> Tensor:
        with alone.Exact():
            return self.file.reference(*[x.clone() for x in read])[self.number].reshape(self.shape)  # type: ignore[no-any-return]


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


def beside(file: Any, laid: Laid) -> Iterator[tuple[Laid, float]]:
    """Inputs of which those of one dtype are off by its last bit, up or down; and what part of that a float32's last bit is."""
    for dtype in dict.fromkeys(file.ARGUMENTS[name][2] for name in file.TAKES):
        if not dtype.is_floating_point:
            continue
        eps = torch.finfo(dtype).eps
        for draw in (1, 2):
            generator = torch.Generator("cpu").manual_seed(draw)
            memories = tuple(memory.clone() for memory in laid.memories)
            for name in file.TAKES:
                if file.ARGUMENTS[name][2] == dtype:
                    x = seen(memories[laid.layout[name]["memory"]], laid.layout[name])
                    x = x[tuple(slice(1) if step == 0 else slice(None) for step in x.stride())]
                    x.copy_(x.double() * (1 + eps * signs(x, generator)))
            yield Laid(memories, laid.layout), min(1.0, torch.finfo(torch.float32).eps / eps)
