"""The tolerance of each element: how far from float64 it may be, by what eager and the generated kernel miss there.

Floats (`Written`): some roundings, what the others miss around it, what the last bits of the inputs move.

Whole numbers and bools (`Whole`) are decided by rounding where they are quantised, compared with a sum, the place of a maximum. One that differs
from eager is right where it is what float64 or the generated kernel have. Another is right where one of those, or float64 for inputs that are a
last bit away, differ too, and no more than a few times as far. Where they differ by more than rounding, an index or a hash, a distance says
nothing: there it must be what one of them has, but for a part of all elements.

A tensor may hold rows of 1e-20 beside rows of 1e+20: what is large is said of an element's row, its column and values of its size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

ENOUGH = 16
"""A row or a column of fewer elements says little of the sizes in it."""
ALIKE = 64
"""So many elements of one size say what is missed at that size."""
RARE = 4.0
"""How much further than the largest of a few errors another draw of them may go."""
ROUNDINGS = 64
"""How many roundings of the arithmetic an element may be off, whatever eager does: a sum taken one after another adds up so many."""
LOST = 2.0**-12
"""A last bit of an input that moves the result by this part of its size crosses a boundary, or everything cancels: no rounding."""
STEPS = 3
"""How many more roundings to the dtype another order may have where eager has several."""
JUMP = 8.0
"""Where a last bit loses the result, how many times as far as it does a kernel may be off."""
NEAR = 4.0
"""Where it is rounding, how many times as far as it goes around there."""
ROUNDED = 2.0**-6
"""Rounding moves a whole number by 1 or by this part of the values around it at most; bfloat16 has 8 bits."""
STRAY = 4
"""Of so many elements, one may be what nobody else has where a distance says nothing."""


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
    from_eager: bool = False
    """Whether errors lean from eager's values, not from float64's."""
    alike: bool = False
    """Whether the terms of each sum are alike, so that their roundings go the same way."""
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


# ------------------------------------------------------------ whole numbers


@dataclass(frozen=True)
class Whole:
    """One tensor of whole numbers or bools as four parties have it, all of one shape and dtype."""

    out: Tensor
    eager: Tensor
    exact: Tensor
    generated: Tensor | None
    draws: tuple[Tensor, ...] = ()
    """Float64's for inputs that are a last bit away."""
    judge: str = "eager"
    """Whom a message names."""

    def missed(self, values: Tensor) -> Tensor:
        """How far from float64; at least 1 where another number is, however large both are."""
        far = (values.double() - self.exact.double()).abs().clamp_min(1.0)
        return far.where(values != self.exact, 0.0)

    @cached_property
    def size(self) -> Tensor:
        return self.exact.double().abs()

    @cached_property
    def followed(self) -> Tensor:
        """Where the hand kernel has what the generated one has, and neither eager nor float64 has."""
        apart = (self.out != self.eager) & (self.out != self.exact)
        return torch.zeros_like(apart) if self.generated is None else apart & (self.out == self.generated)

    @cached_property
    def differs(self) -> Tensor:
        """Where the hand kernel has what none of the others has."""
        return (self.out != self.eager) & (self.out != self.exact) & ~self.followed

    @cached_property
    def decided(self) -> Tensor:
        """Where the others do not agree."""
        apart = self.eager != self.exact
        return apart if self.generated is None else apart | (self.generated != self.eager)

    @cached_property
    def rounding(self) -> Tensor:
        """How far rounding goes at most."""
        scale = local_scale(as_rows(self.size), by_rank=True).reshape(self.out.shape)
        return (ROUNDED * scale).clamp_min(1.0)

    @cached_property
    def felt(self) -> Tensor:
        """How far from float64 the others are, the furthest of them; a generated kernel that computes something else is no measure."""
        felt = self.missed(self.eager)
        for draw in self.draws:
            felt = torch.maximum(felt, self.missed(draw))
        if self.generated is None:
            return felt
        by_kernel = self.missed(self.generated)
        return torch.maximum(felt, by_kernel.where(by_kernel <= self.rounding, 0.0))

    @cached_property
    def lost(self) -> Tensor:
        """Where the others are so far apart that a distance says nothing."""
        return self.felt > self.rounding

    @cached_property
    def allowed(self) -> Tensor:
        """How far each element may be from float64 where rounding decides it."""
        felt, size = as_rows(self.felt.where(~self.lost, 0.0)), as_rows(self.size)
        around = NEAR * nearby(felt, size).reshape(self.out.shape)
        return torch.where(self.lost, JUMP * self.felt, around)

    def wrong(self) -> Tensor:
        """Which elements rounding does not decide."""
        known = torch.zeros_like(self.differs)
        for draw in self.draws:
            known |= self.out == draw
        jumped = self.differs & (known | (self.missed(self.out) <= self.allowed))
        stray = jumped & self.lost & ~known
        if int(stray.sum()) > stray.numel() // STRAY:
            jumped &= ~stray
        unmoved = jumped & (self.felt == 0)  # a few draws leave some where they are, seldom more than they move
        if int(unmoved.sum()) > int((jumped & ~unmoved & ~self.decided).sum()):
            jumped &= ~unmoved
        chance = jumped & ~self.decided
        return self.differs & ~(jumped if by_chance(chance, self.decided) else jumped & ~chance)


def by_chance(jumped: Tensor, decided: Tensor) -> bool:
    """Whether so many elements may differ as rounding decides: not many more than those at which eager itself differs from float64.

    A kernel that has `>` for `>=` differs at every element that lies on the boundary; eager and float64 agree there.
    """
    return int(jumped.sum()) <= 2 * int(decided.sum()) + min(2, jumped.numel() // 64)


# ------------------------------------------------------------ how large what lies around is


def as_rows(tensor: Tensor) -> Tensor:
    """A tensor in float64, as rows of its last dimension that is larger than 1."""
    values = tensor.double().squeeze()
    return values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values.reshape(1, -1)


def around(values: Tensor) -> Tensor | None:
    """The largest of an element's row or of its column, whichever is less; None where neither is long enough to tell."""
    rows, columns = values.shape
    found = [
        values.amax(dim, keepdim=True)
        for dim, count, others in ((1, columns, rows), (0, rows, columns))
        if count >= ENOUGH and others > 1
    ]
    if not found:
        return None
    return torch.minimum(found[0], found[-1]).expand_as(values)


def local_scale(size: Tensor, *, by_rank: bool) -> Tensor:
    """How large the values are that an element is drawn from: by its row and column, or by how many are smaller.

    An element is small by chance among larger ones when few are as small: of n values around 1, about k lie below k / n.
    """
    found = around(size)
    if found is not None:
        return found
    return _by_rank(size) if by_rank else size


def _by_rank(size: Tensor) -> Tensor:
    flat = size.flatten()
    count = flat.numel()
    ordered, order = flat.sort()
    rank = torch.arange(1, count + 1, dtype=flat.dtype, device=flat.device)
    later = torch.arange(count, device=flat.device).add(8).clamp_max(count - 1)
    implied = torch.minimum(ordered[later] * count / rank[later], 8 * count * ordered).clamp_max(ordered[-1])
    implied = torch.maximum(implied, ordered)
    return torch.empty_like(flat).scatter_(0, order, implied).reshape(size.shape)


def nearby(missed: Tensor, size: Tensor, once: float = 0.0) -> Tensor:
    """The largest error around each element: in its row, its column and among values of its size, whichever is least; at least its own.

    once: the part of a value that one rounding moves it. Values that are rounded more often cancel in places, few of a size, and what
    is missed there may be `RARE` times as much in another order.
    """
    found = around(missed)
    part = torch.where(size > 0, missed / size, 0.0)
    by_size = _among_alike(part, size, few=math.inf if found is not None else 4 * part.median().item())
    by_size = torch.where(by_size > 1.02 * once, RARE * by_size, by_size) if once else by_size
    by_size = torch.where(size > 0, by_size * size, math.inf if found is not None else 0.0)
    least = by_size if found is None else torch.minimum(found, by_size)
    return torch.maximum(missed, least)


def _among_alike(part: Tensor, size: Tensor, few: float) -> Tensor:
    """The largest of the values whose size has the same exponent; `few` where they are not many."""
    exponent = torch.frexp(size.flatten()).exponent.long().clamp(-300, 300) + 300
    largest = torch.zeros(601, dtype=part.dtype, device=part.device)
    largest.scatter_reduce_(0, exponent, part.flatten(), "amax")
    largest[torch.bincount(exponent, minlength=601) < ALIKE] = few
    return largest[exponent].reshape(part.shape)
