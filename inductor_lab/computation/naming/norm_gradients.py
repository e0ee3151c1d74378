"""Norms, backward: the gradient of a row, whole and split over kernels, and those of the weights."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.naming.match import Asked, Match, Row, bases, over_rows
from inductor_lab.computation.naming.norm_claims import BATCH
from inductor_lab.computation.naming.terms import Fold, Leaf, Number, Sum, Term, addends, close, product


def _projected(term: Sum, asked: Asked) -> Iterator[tuple[Term, Term, Term, Fold]]:
    """(T, u * sum(T * u) * c, u, the fold) of two addends of a sum: the part of a gradient along u, c constant along a row."""
    terms = asked.normal.terms
    for third, by in term.of.items():
        for fold in asked.folds(third):
            direction = terms.divide(third, fold)
            for first, times in term.of.items():
                if first is third:
                    continue
                _, powers = product(terms.fold("sum", (terms.multiply(first, direction),), fold.over))
                if powers.get(fold) == 1.0 and not any(base.axes & fold.over for base in powers if base is not fold):
                    scaled = terms.multiply(terms.number(times), first)
                    yield scaled, terms.multiply(terms.number(by), third), direction, fold


def _rms_norm_backward(term: Term, asked: Asked) -> Match | None:
    """g * w * r - x * r ** 3 * mean(g * w * x)"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        if not isinstance(base, Sum) or power != 1.0:
            continue
        for first, third, direction, fold in _projected(base, asked):
            count = asked.normal.count(fold.over)
            ratio = terms.divide(terms.number(product(third)[0]), terms.number(product(first)[0]))
            mean = terms.multiply(ratio, count) if count else ratio
            cubed = _cubed(first, direction, fold.over)
            if cubed is None or (not isinstance(mean, Number) and not _sized(third, asked)):
                continue
            if isinstance(mean, Number) and not close(mean.value, -1.0) and not _dropped(direction, mean.value, asked):
                continue
            rest = terms.subtract(terms.subtract(base, first), third)
            gradient = asked.unweighted(terms.divide(first, cubed), fold.over)
            outside = terms.divide(term, base)
            found = Match((gradient,), (base,), None if isinstance(rest, Number) else rest, "add")
            if not isinstance(outside, Number):
                return Match((*found.parts, *([found.rest] if found.rest else [])), found.inner, outside, "mul")
            return found
    return None


def _dropped(direction: Term, mean: float, asked: Asked) -> bool:
    """True where the row went through a dropout, whose scale is in the number twice."""
    return -4 < mean < -1 and any(
        isinstance(base, Leaf) and asked.dtypes.get(base.pointer) == "bool" for base in bases(direction)
    )


def _sized(term: Term, asked: Asked) -> bool:
    return any(getattr(base, "name", "").startswith("size ") for base in bases(term))


def _cubed(first: Term, direction: Term, over: frozenset[str]) -> Term | None:
    """`r` that the first holds once and the direction three times, constant along the row."""
    cubes = bases(direction)
    for base, power in bases(first).items():
        if not base.axes & over and cubes.get(base) == 3 * power:
            return base
    return None


def _layer_norm_backward(term: Term, asked: Asked) -> Match | None:
    """(gw * n - sum(gw) - xhat * sum(gw * xhat)) * rstd / n"""
    if asked.claims(*BATCH):
        return None
    terms = asked.normal.terms
    _, whole = addends(term)
    for part in whole:
        for base, power in bases(part).items():
            if not isinstance(base, Sum) or power != 1.0 or len(base.of) < 3:
                continue
            for first, third, _, fold in _projected(base, asked):
                mean = asked.mean(first, fold.over)
                second = terms.negative(mean) if mean is not None else None
                loaded = terms.subtract(terms.subtract(base, first), third)
                if second is None or (loaded is not second and not _saved_sum(loaded, fold, asked)):
                    continue
                rest = terms.total(0.0, {other: times for other, times in whole.items() if other is not part})
                outside = terms.divide(part, base)
                more = {other: power for other, power in bases(outside).items() if other.axes & fold.over}
                gradient = asked.unweighted(first, fold.over)
                parts = (gradient, *([] if isinstance(rest, Number) else [rest]))
                if more:
                    times = product(outside)[0] * product(first)[0]
                    count = product(asked.normal.count(fold.over) or first)[0]  # a saved deviation may hold 1 / n
                    return Match(
                        parts, (base,), terms.powers(times / count if times > count / 2 else times, more), "mul"
                    )
                return Match((gradient,), (base,), None if isinstance(rest, Number) else rest, "add")
    return None


def _saved_sum(term: Term, fold: Fold, asked: Asked) -> bool:
    """True for -sum(gw) of each row that another kernel made."""
    times, powers = product(term)
    saved = [base for base in powers if isinstance(base, Leaf)]
    rows = asked.spread(fold) // max(asked.spread(term), 1) > 1
    return times < 0 and len(saved) == len(powers) == 1 and rows and not saved[0].axes & fold.over


def _batch_norm_backward(term: Term, asked: Asked) -> Match | None:
    """(g - (x - mean) * invstd ** 2 * sum_gx / n - sum_g / n) * invstd * w, the sums loaded or made here"""
    terms = asked.normal.terms
    if not asked.claims(*BATCH):
        return None
    for base, power in bases(term).items():
        if not isinstance(base, Sum) or power != 1.0:
            continue
        for third, by in base.of.items():
            squares = [each for each, exponent in bases(third).items() if exponent == 2.0 or exponent == -1.0]
            invstd = [each for each in squares if bases(term).get(each) in {1.0, -0.5}]
            difference = [each for each in bases(third) if isinstance(each, Sum)]
            if not invstd or not difference or product(third)[0] < 0:
                continue
            sums = [
                each
                for each in base.of
                if each is not third and _small(each, third, asked) and _against(base.of[each], by)
            ]
            if len(sums) >= 1 and len(base.of) >= 3:
                gradient = terms.total(
                    0.0, {each: times for each, times in base.of.items() if each is not third and each is not sums[-1]}
                )
                return Match((gradient,), (base,))
    return None


def _against(times: float, by: float) -> bool:
    """The number before sum_g / n: as small as that before the other."""
    return abs(times) < 0.51 or close(abs(times), abs(by))


def _small(term: Term, whole: Term, asked: Asked) -> bool:
    """True for a sum over the batch, loaded or folded here: there are fewer of them."""
    powers = bases(term)
    if len(powers) != 1:
        return False
    (leaf,) = powers
    return isinstance(leaf, Fold) or (isinstance(leaf, Leaf) and asked.spread(leaf) < asked.spread(whole))


def _weight_gradient(term: Term, asked: Asked) -> tuple[str, Fold] | None:
    """Of which norm, by what is folded over rows: g * (x - mean) * rstd, g * x * rstd with statistics of each row."""
    for fold in asked.folds(term):
        if not over_rows(fold):
            continue
        powers = bases(fold.of[0])
        outer = fold.axes
        rows = [
            base
            for base in powers
            if isinstance(base, Leaf) and base.axes and base.axes <= fold.over and not base.axes & outer
        ]
        # A vector is a weight, not statistics of rows.
        rows = [row for row in rows if len(asked.shapes.get(row.pointer, (0, 0))) > 1]
        centred = [
            base
            for base in powers
            if isinstance(base, Sum) and len(base.of) > 1 and any(_row(part, fold) for part in base.of)
        ]
        channel = [
            base for base in powers if isinstance(base, Sum) and any(_channel(part, fold, base) for part in base.of)
        ]
        if centred and rows:
            return "layer_norm_weight_gradient", fold
        if channel and len(powers) > 1:
            return "batch_norm_sums", fold
        if rows and len(powers) > 2:
            return "rms_norm_weight_gradient", fold
    return None


def _row(part: Term, fold: Fold) -> bool:
    return isinstance(part, Leaf) and bool(part.axes) and part.axes <= fold.over


def _channel(part: Term, fold: Fold, base: Sum) -> bool:
    """A loaded mean of a channel, subtracted from what varies over the batch."""
    return (
        isinstance(part, Leaf)
        and not part.axes & fold.over
        and abs(base.of[part]) == 1
        and len(base.of) == 2
        and bool(base.axes & fold.over)
    )


def _gradient(name: str, demands: str, words: str, operators: tuple[str, ...]) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        found = _weight_gradient(term, asked) if asked.backward else None
        if found is None or found[0] != name or (operators and not asked.claims(*operators)):
            return None
        inside = found[1].of[0]
        gradients = [base for base in bases(inside) if not isinstance(base, Leaf)]
        return Match(
            tuple(
                base
                for base in gradients
                if not (isinstance(base, Sum) and any(isinstance(p, Leaf) for p in base.of) and len(base.of) == 2)
            )
        )

    return Row(name, demands, find, words)


ROWS = (
    Row("layer_norm_backward", "(gw * n - sum(gw) - xhat * sum(gw * xhat)) * rstd / n, n the length of the row; sum(gw) made here or loaded",
        _layer_norm_backward),
    Row("rms_norm_backward", "g * w * r - x * r ** 3 * mean(g * w * x), r constant along the row", _rms_norm_backward),
    Row("batch_norm_backward", "(g - (x - mean) * invstd ** 2 * s / n - t / n) * invstd * w, s and t sums over the batch", _batch_norm_backward),
    _gradient("layer_norm_weight_gradient", "sum over rows of g * (x - mean) * rstd, the statistics each row's, in a backward graph",
              "weight gradient of layer_norm", ()),
    _gradient("rms_norm_weight_gradient", "sum over rows of g * x * rstd, rstd each row's, in a backward graph whose comment names no other norm",
              "weight gradient of rms_norm", ()),
    _gradient("batch_norm_sums", "sum over the batch of g * (x - mean), the mean each channel's, in a backward graph whose comment names a batch norm",
              "sums for batch_norm_backward", BATCH),
)  # fmt: skip
