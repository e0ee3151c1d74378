"""Decides when a kernel counts as wrong: each element may miss float64 by rounding and by what eager and the generated kernel miss.

An element is right that is within a few roundings of float64, or no further off than twice what eager or the generated kernel are
among its neighbours, or than the last bit of an input explains. What is right element by element may still lean to one side: `bias`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from inductor_lab.judge.compare import bias
from inductor_lab.judge.compare.allowances import JUMP, LOST, STEPS, Whole, Written, as_rows, by_chance
from inductor_lab.quantity import apart, percent

ENOUGH = 1 << 20
"""Elements that tell of a mean what more would."""
NARROW = (torch.bfloat16, torch.float16)
PLAIN = 2.0**-8
"""An error of this part of the sizes around it, in one element of a hundred, is none of order or rounding."""
CREDIBLE = 2.0**-8
"""Eager that misses by this part of what a last bit moves shows that rounding does decide there."""
RARE = 64
"""Of so many elements one may be NaN where eager is infinite: a card takes a subnormal number for 0, and 0 times an infinity is NaN."""
FEW = 4096
"""Of so many elements one may be told by other orders of its sum."""
NOTHING = 1e-15
"""A result of this size may be 0."""
PARTIES = ("hand", "generated", "eager")
MANIFOLD = 10.0
"""What is off by more than so many times its value is told by its own size."""

Draw = Callable[[], list[Tensor]]


@dataclass(frozen=True)
class Draws:
    """What no rounding holds apart: results for inputs that are a little elsewhere. Each is asked only where something would fail otherwise."""

    nudged: Draw
    """Float64's for inputs off by the last bit of a float32."""
    closer: Draw = list
    """The same draws, for inputs off by a quarter of that."""
    flushed: Draw = list
    """Float64's for inputs a little more or less, as the GPU's approximate functions take subnormal numbers for 0; none where no input is so small."""
    roughly: Draw = list
    """Float64's for inputs off by the last bit of their own dtype, for what is computed in it throughout, as eager itself does."""
    regenerated: Draw | None = None
    """What the generated kernel makes of inputs off by the last bit of a float32, for where that one is what the hand kernel is held to."""

    def each(self, change: Callable[[Tensor], Tensor]) -> Draws:
        """The same of a part of each tensor, or of another form of it."""
        every = (self.nudged, self.closer, self.flushed, self.roughly, self.regenerated)
        return Draws(*(draw and (lambda draw=draw: [change(x) for x in draw()]) for draw in every))  # type: ignore[arg-type, misc]


@dataclass(frozen=True)
class Finding:
    """What is found of one tensor that a kernel wrote.

    `message` is "" when it passes, else what follows the tensor's name in a sentence. `wrong` says which elements, or of which group.
    `limit` is the largest error that was allowed anywhere, in the unit of `errors`: a part of the largest exact value.
    """

    errors: dict[str, float] = field(default_factory=dict)
    limit: float = 0.0
    wrong: Tensor | None = None
    message: str = ""
    against: str = "eager"

    @property
    def few(self) -> bool:
        """Whether so few elements are wrong that the order of their sums may be why: where much cancels, eager's may have been a lucky one."""
        return self.wrong is not None and int(self.wrong.sum()) <= max(1, self.wrong.numel() // FEW)


def compared(
    out: Tensor, eager: Tensor | None, exact: Tensor | None, generated: Tensor | None, draws: Draws,
    counts: Tensor | None = None, from_eager: bool = False, alike: bool = False,
) -> Finding:  # fmt: skip
    """Hold what a kernel wrote to eager PyTorch, judged by the same in float64; where those are not known, to the generated kernel.

    Args:
        generated: What Inductor's kernel wrote, None where it is not for these sizes.
        counts: The elements that the hand kernel wrote, where it wrote some alone.
        from_eager: Whether what leans to one side is told from eager's own values: it rounds more often than float64 explains.
        alike: Whether the inputs' values are alike, so that the roundings of a sum go the same way.
    """
    if eager is None or exact is None:
        assert generated is not None and draws.regenerated
        return against_generated(out, generated, draws.regenerated)
    eager = eager.reshape(out.shape).to(out.dtype)
    exact = exact.reshape(out.shape)
    generated = None if generated is None else generated.reshape(out.shape)
    if not out.numel():
        return Finding(dict.fromkeys(PARTIES, 0.0))
    if out.is_complex():
        parts = [None if x is None else _parts(x) for x in (out, eager, exact, generated)]
        modulus = as_rows(exact.abs().expand(2, *exact.shape))
        marked = None if counts is None else as_rows(counts.expand(2, *out.shape)) > 0
        written = Written(*parts, modulus=modulus, counts=marked, from_eager=from_eager, alike=alike)  # type: ignore[arg-type, misc]
        found = _numbers(written, draws.each(lambda draw: _parts(draw.reshape(out.shape))))
        return replace(found, wrong=None if found.wrong is None else found.wrong.any(0))
    if not out.is_floating_point():
        return _whole_numbers(Whole(out, eager, exact.to(out.dtype), generated), draws.nudged)
    marked = None if counts is None else as_rows(counts) > 0
    return _numbers(Written(out, eager, exact, generated, counts=marked, from_eager=from_eager, alike=alike), draws)


def against_generated(out: Tensor, generated: Tensor, regenerated: Draw) -> Finding:
    """Hold what a kernel wrote to what the generated one wrote, where eager is not known: sums may be taken in another order, no more."""
    generated, draws = generated.reshape(out.shape), Draws(regenerated)
    judge = "the generated kernel"
    if out.is_floating_point() and out.numel():
        found = _numbers(Written(out, generated, generated.double(), None, judge=judge), draws)
    elif out.numel() and not out.is_complex():
        found = _whole_numbers(Whole(out, generated, generated, None, judge=judge), draws.nudged)
    else:
        found = compared(out, generated, generated, None, draws)
    return replace(found, against="generated")


def _numbers(written: Written, draws: Draws) -> Finding:
    """Floats, or the parts of complex values: as closely as it takes."""
    first = _held(written)
    if not first.message or _plainly(written, first):
        return first
    neighbours = replace(written, by_neighbours=True)
    second = _held(neighbours)
    if not second.message:
        return second
    nudged = draws.nudged()
    third = replace(neighbours, felt=_felt(written.ideal, nudged), turned=_turned(written, nudged))
    found = _held(third)
    if found.message and (closer := draws.closer()):
        third = replace(third, cancels=_cancels(written.ideal, nudged, closer))
        found = _held(third)
    if found.message and (flushed := draws.flushed()):
        third = replace(third, flushed=tuple(as_rows(draw.reshape(written.out.shape)) for draw in flushed))
        found = _held(third)
    by_kernel, regenerated = written.by_kernel, draws.regenerated
    if found.message and regenerated and by_kernel is not None and bool(_off(third, by_kernel).any()):
        third = replace(third, felt_by_kernel=_felt(by_kernel, regenerated()))
        found = _held(third)
    if found.message and written.out.dtype in NARROW and (roughly := draws.roughly()):
        return _held(replace(third, rough=_felt(written.ideal, roughly)))
    return found


def _parts(values: Tensor) -> Tensor:
    """The real parts of complex values, then the imaginary ones."""
    return torch.view_as_real(values.resolve_conj()).movedim(-1, 0).contiguous()


def _plainly(written: Written, found: Finding) -> bool:
    """Whether so much is off by so much more than eager and the generated kernel that nothing more need be asked."""
    if found.wrong is None or written.by_kernel is None:
        return False
    part = max(PLAIN, 16 * written.info.eps)
    far = (part * torch.maximum(written.scale, written.typical)).clamp_min(8 * written.arithmetic)
    theirs = torch.maximum(written.error(written.by_kernel), written.error(written.by_eager))
    off = (written.error(written.hand) > far) & (theirs <= LOST * far) & as_rows(found.wrong).bool()
    return int(off.sum()) > off.numel() / 100


def _held(written: Written) -> Finding:
    """What is found at the precision that is known so far: by rounding alone, by neighbours too, by the last bits of the inputs too."""
    wrong, against = _wrong(written), "eager"
    if written.by_kernel is not None and bool(wrong.any()):
        off = _off(written, written.by_kernel)
        another = int(off.sum()) * 2 > off.numel()  # the reference is another function, wherever both happen to meet
        followed = wrong & (off | another) & _follows(written)
        wrong = wrong & ~followed
        far = written.error(written.hand) > LOST * torch.maximum(written.scale, written.typical)
        if bool((followed & far).any()):  # a smaller error is rounding, which both have alike
            against = "generated"
    told = Finding(_errors(written), _part(written.allowed, written), against=against)
    if bool(wrong.any()):
        return replace(told, wrong=wrong.reshape(written.out.shape), message=_message(written, wrong))
    return _leaning(written, told)


def _leaning(written: Written, told: Finding) -> Finding:
    """The same finding, unless the errors of all elements together, or of one group, are more than chance."""
    judged = _judged(written)

    def some(values: Tensor) -> Tensor:
        """So many rows, or columns of a single row, as tell enough of a mean."""
        step = max(values.numel() // ENOUGH, 1)
        return values[::step] if values.shape[0] >= step else values[:, ::step]

    found = bias.found(
        bias.Errors(
            hand=some(written.hand),
            eager=some(written.by_eager),
            generated=None if written.by_kernel is None or written.from_eager else some(written.by_kernel),
            exact=some(written.by_eager if written.from_eager else written.ideal),
            dtype=written.out.dtype,
            arithmetic=written.arithmetic,
            scale=some(written.scale),
            moved=None if written.moved is None else some(written.moved),
            judged=some(judged),
            calibrated=written.by_neighbours,
            alike=written.alike,
            rough=None if written.rough is None else some(written.rough),
        )
    )
    if found is None:
        return told
    group = torch.zeros_like(judged)
    some(group).copy_(found.group)
    return replace(told, wrong=group.reshape(written.out.shape), message=found.message)


def _judged(written: Written) -> Tensor:
    """The elements whose error says something: all four finite, no subnormal number, and eager not lost."""
    keep = written.hand.isfinite() & written.by_eager.isfinite() & (written.size > 4 * written.info.smallest_normal)
    if written.counts is not None:
        keep &= written.counts
    if written.by_kernel is not None:
        keep &= written.by_kernel.isfinite()
    if written.by_neighbours:
        keep &= written.missed <= LOST * written.scale + written.info.eps * 8 * written.size
        keep &= (written.error(written.hand) <= written.allowed) | ~_beside_one(written, written.hand)
    return keep if written.felt is None else keep & written.smooth


def _wrong(written: Written) -> Tensor:
    """Which elements the hand kernel has wrong; a few may stand on the other side of a boundary that rounding decides."""
    wrong = _off(written, written.hand)
    if written.felt is None or not bool(wrong.any()):
        return wrong
    finite = written.hand.isfinite() & written.by_eager.isfinite() & written.felt.isfinite()
    jumped = wrong & ~written.smooth & finite & (written.error(written.hand) <= JUMP * written.felt)
    decided = ~written.smooth & (written.missed >= CREDIBLE * written.felt)
    if written.turned is not None:
        jumped |= wrong & written.turned
        decided |= (as_rows(written.exact).isinf() != written.by_eager.isinf()) & written.felt.isinf()
    if written.cancels is not None:
        wrong = wrong & ~(jumped & written.cancels)
        jumped = jumped & ~written.cancels
    return wrong & ~jumped if by_chance(jumped, decided) else wrong


def _off(written: Written, values: Tensor) -> Tensor:
    """Which values are further from float64 than they may be, or not finite where eager is."""
    eager, ideal = written.by_eager, written.ideal
    near = written.error(values) <= written.allowed
    same = (values == eager) | (values.isnan() & eager.isnan())
    largest = written.info.max * (1 - 2 * written.info.eps)
    overflown = (ideal.abs() >= largest) & (values * ideal.sign() >= largest)
    inside = ~eager.isfinite() & (ideal.abs() <= written.info.max)  # eager overflows on the way to what does not
    both = (
        eager.isnan() & ideal.isfinite()
    )  # terms of both signs overflow: their order decides which infinity is left, or none
    off = ~(near | same | overflown | inside | both)
    nothing = off & values.isnan() & eager.isinf() & ~(ideal.abs() <= written.info.max)
    if int(nothing.sum()) * RARE <= nothing.numel():
        off &= ~nothing
    if written.by_neighbours and bool(off.any()):
        lost = written.error(eager) > 0.5 * torch.maximum(written.scale, written.size)
        off &= ~(lost & (written.size > 0) & ~values.isfinite()) & ~_beside_one(written, values)
    if written.felt is not None:
        off &= values.isfinite() | ~written.overflows
    for other in written.flushed:
        rounding = other.abs() * (written.info.eps + written.roundings * written.arithmetic)
        off &= ~_same(values, other, written.allowed + rounding.nan_to_num())
    return off


def _same(values: Tensor, others: Tensor, limit: Tensor) -> Tensor:
    """Where values are others, NaN and infinities too, or no further off than they may be."""
    return (values == others) | (values.isnan() & others.isnan()) | ((values - others).abs() <= limit)


def _beside_one(written: Written, values: Tensor) -> Tensor:
    """Where a value is what arithmetic through values near 1 gives, as `exp(x) - 1` does: 0, or not less than the last bit of a 1.

    Only where the tensor holds values of that size too, or the result is so small that 0 is as good.
    """
    last_bits = 4 * written.arithmetic
    seen = written.size.max() >= 0.5
    near = seen & (written.error(values) <= last_bits) & ((values == 0) | (values.abs() >= written.arithmetic / 8))
    return near | ((values == 0) & (written.ideal.abs() <= NOTHING))


def _follows(written: Written) -> Tensor:
    """Where the hand kernel has what the generated one has, up to rounding: by the sizes of that one's own values, not of the reference's."""
    assert written.generated is not None and written.by_kernel is not None
    of_it = Written(
        written.out, written.generated, written.generated.double(), None, by_neighbours=True, felt=written.felt_by_kernel
    )  # fmt: skip
    near = _same(written.hand, of_it.ideal, of_it.allowed + STEPS * written.info.eps * of_it.size)
    return near if of_it.felt is None else near | ~_wrong(of_it)


def _felt(begun: Tensor, draws: list[Tensor]) -> Tensor:
    """How far the last bit of the inputs moves each element from where it began."""
    moved = [(as_rows(draw).reshape(begun.shape) - begun).abs() for draw in draws]
    felt = torch.stack(moved).amax(0) if moved else torch.zeros_like(begun)
    return felt.nan_to_num(math.inf, math.inf)


def _turned(written: Written, draws: list[Tensor]) -> Tensor:
    """Where the hand kernel is infinite and float64 finite, or the other way round, and a last bit of the inputs turns float64 into the same."""
    hand, found = written.hand, torch.zeros_like(written.hand, dtype=torch.bool)
    for draw in draws:
        draw = as_rows(draw.reshape(written.out.shape))
        rounding = draw.abs() * (written.info.eps + written.roundings * written.arithmetic)
        found |= (hand == draw) | (draw.isfinite() & ((hand - draw).abs() <= rounding))
    return found & (hand.isinf() != written.ideal.isinf())


def _cancels(begun: Tensor, draws: list[Tensor], nearer: list[Tensor]) -> Tensor:
    """Where inputs a quarter as far move each element a quarter as far, or a sixteenth: a boundary is crossed then too, or it is not."""
    found = torch.ones_like(begun, dtype=torch.bool)
    for draw, near in zip(draws, nearer, strict=True):
        far, less = ((as_rows(each).reshape(begun.shape) - begun).abs() for each in (draw, near))
        found &= (less <= far / 2) & (less >= far / 32)
    return found


def nearness(error: float, limit: float) -> float:
    """How near an error comes to its limit, which 1 reaches; -1 for integers that are equal, as they must be."""
    return error / limit if limit else math.inf if error else -1.0


def _errors(written: Written) -> dict[str, float]:
    """The largest distance of each from float64, as a part of the largest exact value."""
    parties = {"hand": written.hand, "generated": written.by_kernel, "eager": written.by_eager}
    return {name: 0.0 if values is None else _distance(values, written) for name, values in parties.items()}


def _distance(values: Tensor, written: Written) -> float:
    """inf where values are not finite in the way that eager is not."""
    if not bool((values.isfinite() == written.by_eager.isfinite()).all()):
        return math.inf
    return _part((values - written.ideal).abs().nan_to_num(0.0, 0.0, 0.0), written)


def _part(errors: Tensor, written: Written) -> float:
    largest = written.size.max().item()
    return errors.max().item() / largest if largest else errors.max().item()


def _message(written: Written, wrong: Tensor) -> str:
    """The element that is furthest beyond what it may be off, as the kernel and float64 have it."""
    errors = written.error(written.hand)
    at = int((errors / written.allowed).where(wrong, -1.0).argmax())
    told = (written.hand, written.ideal, as_rows(written.exact), errors, written.allowed, written.size)
    hand, ideal, exact, error, allowed, size = (values.flatten()[at].item() for values in told)
    judge = written.judge if exact == ideal or math.isnan(ideal) else "eager"
    mine, right = apart(hand, ideal)
    if math.isfinite(ideal) and abs(ideal) > written.info.max:
        right += f", too large for {str(written.out.dtype).removeprefix('torch.')}"
    count, alike = int(wrong.sum()), int((wrong & errors.isinf()).sum())
    others = f"; {count:,} elements are wrong" if count > 1 else ""
    if 0 < alike < count:
        others += f", {alike:,} of them in this way"
    if math.isinf(error) or (ideal == 0 and allowed <= 2 * torch.finfo(torch.float32).smallest_normal):
        return f"is {mine} where {judge} says {right}{others}"
    if size and error <= MANIFOLD * size and written.modulus is None:
        far, may = percent(error / size), percent(allowed / size)
    else:
        far, may = f"{error:.3g}", f"{allowed:.2g}"
    return f"is off by {far} where it is worst; allowed {may}; {judge} says {right}, the kernel {mine}{others}"


def _whole_numbers(whole: Whole, nudged: Draw) -> Finding:
    """Integers and bools equal eager's, unless rounding decides them."""
    parties = {"hand": whole.out, "generated": whole.generated, "eager": whole.eager}
    if all(values is None or torch.equal(values, whole.exact) for values in parties.values()):
        return Finding(dict.fromkeys(parties, 0.0))
    if bool(whole.differs.any()):
        draws = (draw.reshape(whole.out.shape).to(whole.out.dtype) for draw in nudged())
        whole = replace(whole, draws=tuple(draws))
    wrong = whole.wrong()
    largest = whole.size.max().item() or 1.0
    told = Finding(
        {name: 0.0 if x is None else whole.missed(x).max().item() / largest for name, x in parties.items()},
        whole.allowed.max().item() / largest,
        against="generated" if bool(whole.followed.any()) else "eager",
    )
    if not bool(wrong.any()):
        return told
    return replace(
        told, wrong=wrong, message=f"differs from {whole.judge} at {int(wrong.sum())} of {wrong.numel()} elements"
    )
