"""One tensor that a kernel wrote, beside what eager, float64 and the generated kernel have: how far each element may be from float64."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from inductor_lab.judge.scales import as_rows, local_scale, nearby

ROUNDINGS = 64
"""How many roundings of the arithmetic an element may be off, whatever eager does: a sum taken one after another adds up so many."""
LOST = 2.0**-12
"""A last bit of an input that moves the result by this part of its size crosses a boundary, or everything cancels: no rounding."""
STEPS = 3
"""How many more roundings to the dtype another order may have where eager has several."""


@dataclass(frozen=True)
class Written:
    """One tensor that was written as four parties have it; as rows of its last dimension, in float64."""

    out: Tensor
    eager: Tensor
    exact: Tensor
    generated: Tensor | None
    by_neighbours: bool = False
    felt: Tensor | None = None
    rough: Tensor | None = None
    cancels: Tensor | None = None
    """Where the last bits of the inputs move the result by more than rounding, though across no boundary: it is what a cancellation left."""
    turned: Tensor | None = None
    """Where a last bit of the inputs moves float64 to or from an infinity, and so to what the hand kernel has."""
    flushed: tuple[Tensor, ...] = ()
    """Float64's values for inputs that are a little more or less around 0."""
    felt_by_kernel: Tensor | None = None
    """How far the last bit of the inputs moves what the generated kernel makes of them."""
    counts: Tensor | None = None
    """The elements that are told of; all for None."""
    judge: str = "float64"
    """Who says what is exact."""
    modulus: Tensor | None = None
    """How large the complex values are whose parts these are: rounding moves both parts by what the larger one is."""

    @cached_property
    def info(self) -> torch.finfo:
        return torch.finfo(self.out.dtype)

    @cached_property
    def arithmetic(self) -> float:
        """What one rounding of the arithmetic is at most: kernels compute in float32 what they store in less."""
        return torch.finfo(torch.float64 if self.out.dtype == torch.float64 else torch.float32).eps

    @cached_property
    def hand(self) -> Tensor:
        return as_rows(self.out)

    @cached_property
    def by_eager(self) -> Tensor:
        return as_rows(self.eager)

    @cached_property
    def by_kernel(self) -> Tensor | None:
        return None if self.generated is None else as_rows(self.generated)

    @cached_property
    def ideal(self) -> Tensor:
        """Float64's values; eager's where float64 has none and eager has."""
        exact = as_rows(self.exact)
        return torch.where(exact.isfinite() | ~self.by_eager.isfinite(), exact, self.by_eager)

    @cached_property
    def size(self) -> Tensor:
        """How large each exact value is; 0 where it is not finite or overflows the dtype."""
        size = self.ideal.abs() if self.modulus is None else self.modulus
        return torch.where(size <= self.info.max, size, 0.0)

    @cached_property
    def scale(self) -> Tensor:
        """How large the values are among which each one lies."""
        return local_scale(self.size, by_rank=self.by_neighbours)

    @cached_property
    def roundings(self) -> int:
        """Float64 judges float64: what is exact may itself be off."""
        return ROUNDINGS * 8 if self.out.dtype == torch.float64 else ROUNDINGS

    @cached_property
    def rounding(self) -> Tensor:
        """What is right for every kernel: two roundings to the dtype, and those of the arithmetic."""
        least = self.info.smallest_normal * self.info.eps + torch.finfo(torch.float32).smallest_normal
        return self.size * self.info.eps + self.scale * (self.roundings * self.arithmetic) + least

    def error(self, values: Tensor) -> Tensor:
        """How far from float64; inf where one of them is not finite."""
        return (values - self.ideal).abs().nan_to_num(math.inf, math.inf)

    @cached_property
    def missed(self) -> Tensor:
        """How far eager or the generated kernel are from float64, whichever is further; 0 where they are not finite.

        Where the generated kernel is off by more than rounding, it computes something else, which is no measure.
        """
        by_eager = self.error(self.by_eager).nan_to_num(0.0, 0.0, 0.0)
        if self.by_kernel is None:
            return by_eager
        by_kernel = self.error(self.by_kernel)
        rounding = by_kernel <= LOST * self.scale + 8 * self.info.eps * self.size
        return torch.maximum(by_eager, torch.where(rounding, by_kernel, 0.0))

    @cached_property
    def rounds_often(self) -> bool:
        """Whether eager rounds to the dtype at each of several steps: more than one rounding in a fiftieth of the values."""
        some = self.size > 0
        return bool((self.missed > 0.51 * self.info.eps * self.size)[some].double().mean() > 0.02)

    @cached_property
    def smooth(self) -> Tensor:
        """Where the last bit of an input moves the result as rounding does, not across a boundary."""
        assert self.felt is not None
        return self.felt <= LOST * torch.maximum(self.scale, self.typical).clamp_min(self.arithmetic)

    @cached_property
    def overflows(self) -> Tensor:
        """Where numbers as large as there are add up to a smaller one: the order says whether they overflow on the way."""
        assert self.felt is not None
        largest = torch.finfo(torch.float64 if self.out.dtype == torch.float64 else torch.float32).max
        return self.felt.isfinite() & (self.felt >= largest / 4 * self.arithmetic)

    @cached_property
    def typical(self) -> Tensor:
        """How large the values of the tensor are that are not 0, in the middle."""
        return self.size[self.size > 0].median() if bool((self.size > 0).any()) else self.size.new_zeros(())

    @cached_property
    def moved(self) -> Tensor | None:
        """How far the last bit of an input moves each element, where it is rounding; a draw may happen to leave one where it is."""
        return None if self.felt is None else nearby(torch.where(self.smooth, self.felt, 0.0), self.size)

    @cached_property
    def allowed(self) -> Tensor:
        """How far each element may be from float64."""
        limit = self.rounding
        if self.by_neighbours:
            limit = limit + 2 * nearby(self.missed, self.size, self.info.eps / 2)
            if self.rounds_often:
                limit = limit + self.size * (STEPS * self.info.eps)
        if self.rough is not None:
            limit = limit + 2 * torch.where(self.rough <= self.size.max() / 4, self.rough, 0.0)  # not across a boundary
        return limit if self.moved is None else limit + self.roundings * self.moved
