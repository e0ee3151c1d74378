"""Which whole numbers and bools rounding decides: quantised and converted values, comparisons with a sum, the place of a maximum.

An element that differs from eager is right where it is what float64 or the generated kernel have. Another is right where one of those, or
float64 for inputs that are a last bit away, differ too, and no more than a few times as far. Where they differ by more than rounding, an
index or a hash, a distance says nothing: there it must be what one of them has, but for a part of all elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from inductor_lab.judge.scales import as_rows, local_scale, nearby

JUMP = 8.0
"""Where a last bit loses the result, how many times as far as it does a kernel may be off."""
NEAR = 4.0
"""Where it is rounding, how many times as far as it goes around there."""
ROUNDED = 2.0**-6
"""Rounding moves a whole number by 1 or by this part of the values around it at most; bfloat16 has 8 bits."""
LOST = 4
"""Of so many elements, one may be what nobody else has where a distance says nothing."""


def by_chance(jumped: Tensor, decided: Tensor) -> bool:
    """Whether so many elements may differ as rounding decides: not many more than those at which eager itself differs from float64.

    A kernel that has `>` for `>=` differs at every element that lies on the boundary; eager and float64 agree there.
    """
    return int(jumped.sum()) <= 2 * int(decided.sum()) + min(2, jumped.numel() // 64)


@dataclass(frozen=True)
class Whole:
    """One tensor of whole numbers or bools as four parties have it, all of one shape and dtype."""

    out: Tensor
    eager: Tensor
    exact: Tensor
    generated: Tensor | None
    draws: tuple[Tensor, ...] = ()
    """Float64's for inputs that are a last bit away."""

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
        if int(stray.sum()) > stray.numel() // LOST:
            jumped &= ~stray
        unmoved = jumped & (self.felt == 0)  # a few draws leave some where they are, seldom more than they move
        if int(unmoved.sum()) > int((jumped & ~unmoved & ~self.decided).sum()):
            jumped &= ~unmoved
        chance = jumped & ~self.decided
        return self.differs & ~(jumped if by_chance(chance, self.decided) else jumped & ~chance)
