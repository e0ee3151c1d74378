"""Norms: what is divided by the root of a mean of squares, forward and backward, whole and split over kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inductor_lab.annotate.naming.match import Asked, Match, Row, bases, over_rows
from inductor_lab.annotate.naming.terms import Call, Fold, Leaf, Number, Product, Sum, Term, addends, close, product
from inductor_lab.computation.index import Coordinate

BATCH = ("_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit", "native_batch_norm",
         "native_batch_norm_backward", "batch_norm")  # fmt: skip
GROUP = ("native_group_norm", "native_group_norm_backward", "group_norm")
LAYER = ("native_layer_norm", "native_layer_norm_backward", "layer_norm")


def _roots(term: Term) -> Iterator[Term]:
    """The factors below a reciprocal square root."""
    return (base for base, power in bases(term).items() if power == -0.5)


def _rms_norm(term: Term, asked: Asked) -> Match | None:
    """x * rsqrt(mean(x * x) + eps)"""
    terms = asked.normal.terms
    for inside in _roots(term):
        found = asked.square_mean(inside)
        if found is None:
            continue
        x, over = found.x, found.over
        if asked.centred(x):
            continue
        rstd = terms.power(inside, -0.5)
        rest = asked.without(term, terms.multiply(x, rstd))
        if rest is not None and found.allows(rest) and not any(power < 0 for power in bases(rest).values()):
            return _weighted(rest, over, Match((x,), (rstd, inside)))
    return None


def _weighted(rest: Term, over: frozenset[str], found: Match) -> Match:
    """The match with weights of a row taken from what it is multiplied with."""
    times, powers = product(rest)
    weights = [base for base in powers if base.axes and base.axes <= over and isinstance(base, (Leaf, Sum))]
    left = {base: power for base, power in powers.items() if base not in weights[:1]}
    if left or not close(times, 1.0):
        return Match(found.parts, (*found.inner, *weights[:1]), _product(times, left, rest), "mul")
    return Match(found.parts, (*found.inner, *weights[:1]))


def _product(times: float, left: dict[Term, float], rest: Term) -> Term:
    return (
        Product(frozenset().union(*(base.axes for base in left)), times, left) if left else Number(frozenset(), times)
    )


def _l2_normalize(term: Term, asked: Asked) -> Match | None:
    """x / sqrt(sum(x * x))"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        norm = (
            base.of[0]
            if isinstance(base, Call) and base.name == "maximum" and power == -1.0
            else terms.power(base, -power)
        )
        ((inside, root),) = bases(norm).items() if len(bases(norm)) == 1 else ((norm, 0.0),)
        if root != 0.5 or not isinstance(inside, Fold) or inside.name != "sum":
            continue
        x = terms.root(inside.of[0])
        if x is not None and asked.without(term, x) is not None:
            return Match((x,), (base,))
    return None


def _normalized(term: Term, asked: Asked) -> tuple[Term, Term, Term, frozenset[str]] | None:
    """(x - mean(x), its reciprocal deviation, x, axes) among the factors of a term, the statistics made in this kernel."""
    terms = asked.normal.terms
    for inside in _roots(term):
        found = asked.square_mean(inside)
        centred = asked.centred(found.x) if found else None
        if found and centred and found.over == centred[1]:
            rstd = terms.power(inside, -0.5)
            rest = asked.without(term, terms.multiply(found.x, rstd))
            if rest is not None and (found.allows(rest) or close(product(rest)[0], -1.0)):
                return found.x, rstd, *centred
    return None


def _kind(over: frozenset[str], weights: Sequence[Term], asked: Asked) -> str:
    """Of which norm: a weight that goes along the mean's axes is a layer norm's, one that does not a batch norm's."""
    claimed = _claimed(asked)
    for weight in weights:
        if weight.axes and weight.axes <= over:
            return "layer_norm"
        if weight.axes and not weight.axes & over:
            return "batch_norm" if claimed in {"", "batch_norm"} else claimed
        if weight.axes & over:
            return "group_norm"
    return claimed


def _claimed(asked: Asked) -> str:
    for name, operators in (("batch_norm", BATCH), ("group_norm", GROUP), ("layer_norm", LAYER)):
        if asked.claims(*operators):
            return name
    return ""


def _norm(name: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        constant, parts = addends(term)
        for part in parts:
            found = _normalized(part, asked)
            if found is None or constant:
                continue
            difference, rstd, x, over = found
            terms = asked.normal.terms
            rest = asked.without(part, terms.multiply(difference, rstd))
            assert rest is not None
            weights = [base for base in bases(rest) if isinstance(base, Leaf)]
            if (_kind(over, weights, asked) or "standardize") != name:
                return None
            bias = [other for other in parts if isinstance(other, Leaf) and weights and other.axes == weights[0].axes]
            scale, powers = product(rest)
            left = {base: power for base, power in powers.items() if base not in weights[:1]}
            outer = terms.total(
                0.0, {other: by for other, by in parts.items() if other is not part and other not in bias[:1]}
            )
            inner = (
                difference,
                rstd,
                asked.mean(x, over) or difference,
                *weights[:1],
                *bias[:1],
                terms.multiply(difference, rstd),
            )
            if left or not close(abs(scale * parts[part]), 1.0):
                if bias or not isinstance(outer, Number):
                    return None
                return Match((x,), inner, terms.powers(scale, left), "mul")
            return Match((x,), inner, None if isinstance(outer, Number) else outer, "add")
        return None

    demands = {
        "layer_norm": "(x - mean(x)) * rsqrt(mean((x - mean(x)) ** 2) + eps) [* w + b], w and b along the row; without them where the comment "
        "names a layer norm",
        "batch_norm": "the same, w and b each constant where the means are taken; without them where the comment names a batch norm",
        "group_norm": "the same, w and b along some of the axes of the means; or any where the comment names a group norm",
        "standardize": "the same without w and b, where the comment names no norm",
    }
    return Row(name, demands[name], find)


def _saved(term: Term, asked: Asked) -> tuple[Term, Term, Term, Term, Term] | None:
    """(product, x, mean, deviation, x - mean) of (x - mean) * rstd with both loaded, or with the variance loaded: rsqrt(var + eps)."""
    for part in addends(term)[1]:
        powers = bases(part)
        for base, power in powers.items():
            if power != 1.0 or not isinstance(base, Sum) or base.constant:
                continue
            means = [mean for mean, by in base.of.items() if isinstance(mean, Leaf) and by == -1.0]
            for mean in means:
                x = asked.normal.terms.add(base, mean)
                if isinstance(x, Number) or asked.spread(mean) >= asked.spread(x):
                    continue
                for scale, by in powers.items():
                    loaded = isinstance(scale, Leaf) and by == 1.0 and _places(scale) == _places(mean)
                    if loaded or (by == -0.5 and _variance(scale, mean)):
                        return part, x, mean, scale, base
    return None


def _variance(term: Term, mean: Term) -> bool:
    """True for var [* number] + eps, all loaded where the mean is."""
    constant, parts = addends(term)
    if not 0 < constant < 0.1 or len(parts) != 1:
        return False
    (variance,) = parts
    return isinstance(variance, Leaf) and _places(variance) == _places(mean)


def _places(term: Term) -> frozenset[object]:
    """The coordinates that a tensor goes along."""
    if not isinstance(term, Leaf) or term.load.index is None:
        return frozenset()
    return frozenset(each.of for each in term.load.index.terms if isinstance(each.of, Coordinate))


def _apply(name: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        found = _saved(term, asked)
        if found is None or addends(term)[0]:
            return None
        part, x, mean, deviation, difference = found
        terms = asked.normal.terms
        parts = addends(term)[1]
        power = bases(part)[deviation]
        rest = terms.divide(part, terms.multiply(difference, terms.power(deviation, power)))
        weights = [base for base in bases(rest) if isinstance(base, Leaf)]
        bias = [
            other for other in parts if isinstance(other, Leaf) and weights and _places(other) == _places(weights[0])
        ]
        if not weights or not bias or len(bases(rest)) != 1 or not close(product(rest)[0], 1.0):
            return None
        said = _claimed(asked)
        same = _places(weights[0]) == _places(mean)
        kind = (
            "batch_norm"
            if same and said in {"", "batch_norm"}
            else said
            if same
            else "group_norm"
            if said == "group_norm"
            else "layer_norm"
        )
        if kind != name:
            return None
        outer = terms.total(
            0.0, {other: by for other, by in parts.items() if other is not part and other not in bias[:1]}
        )
        inner = (difference, weights[0], bias[0], terms.multiply(difference, terms.power(deviation, power)))
        return Match((x,), inner, None if isinstance(outer, Number) else outer, "add")

    where = {
        "batch_norm": "w and b as the mean",
        "layer_norm": "w and b otherwise than the mean",
        "group_norm": "the comment names a group norm",
    }
    return Row(
        name, f"(x - mean) * rstd * w + b of loaded statistics, or rsqrt(var + eps) for rstd; {where[name]}", find
    )


# ---------------------------------------------------------------- statistics alone


def _statistics(name: str, words: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        if (_claimed(asked) or "") != name:
            return None
        return _moments(term, asked)

    told = f"where the comment names {'a' if name else 'no norm'}{' ' + name if name else ''}"
    return Row(
        f"{name or 'mean_and_variance'}{'_statistics' if name else ''}",
        f"rsqrt(mean((x - mean(x)) ** 2) + eps), or a mean, variance or count that is folded together with a variance, {told}", find, words,
    )  # fmt: skip


def _moments(term: Term, asked: Asked) -> Match | None:
    """A deviation, or a part of a welford fold."""
    terms = asked.normal.terms
    powers = bases(term)
    if len(powers) == 1:
        ((base, power),) = powers.items()
        if isinstance(base, Fold) and base.name.startswith("welford") and power == 1.0:
            return Match(base.of, adjective="partial" if base.name == "welford weight" else "")
        if power == -0.5:
            found = asked.square_mean(base)
            centred = asked.centred(found.x) if found else None
            if centred:
                return Match((centred[0],), (base, terms.power(base, -0.5), *_means(centred, asked)))
            if _spread(base):
                return Match(_spread(base), (base,))
        if isinstance(base, Fold) and base.name == "sum":
            x = terms.root(base.of[0])
            centred = asked.centred(x) if x is not None else None
            if centred:
                return Match((centred[0],), (base, *_means(centred, asked)))
    return None


def _deviation(term: Term, asked: Asked) -> Match | None:
    """The root of a variance."""
    powers = bases(term)
    ((base, power),) = powers.items() if len(powers) == 1 else ((term, 0.0),)
    if power != 0.5 or not isinstance(base, Fold):
        return None
    if base.name == "welford m2":
        return Match(base.of, (base,))
    x = asked.normal.terms.root(base.of[0]) if base.name == "sum" else None
    centred = asked.centred(x) if x is not None else None
    return Match((centred[0],), (base, *_means(centred, asked))) if centred else None


def _means(centred: tuple[Term, frozenset[str]], asked: Asked) -> tuple[Term, ...]:
    mean = asked.mean(*centred)
    return () if mean is None else (mean,)


def _spread(term: Term) -> tuple[Term, ...]:
    """What is folded in welford's square deviation * number + eps."""
    constant, parts = addends(term)
    if 0 < constant < 0.1 and len(parts) == 1:
        (part,) = parts
        for base in bases(part):
            if isinstance(base, Fold) and base.name == "welford m2":
                return base.of
    return ()


def _running(term: Term, asked: Asked) -> Match | None:
    """statistic * momentum + running * (1 - momentum)"""
    constant, parts = addends(term)
    if constant or len(parts) != 2 or not asked.claims(*BATCH):
        return None
    for running, by in parts.items():
        (other,) = (part for part in parts if part is not running)
        folded = [base for base in bases(other) if isinstance(base, (Fold, Leaf))]
        statistic = len(folded) == len(bases(other)) == 1 and isinstance(folded[0], Fold)
        if isinstance(running, Leaf) and 0.5 <= by < 1 and statistic:
            return Match((), (other,))
    return None


def _rms(term: Term, asked: Asked) -> Match | None:
    """rsqrt(mean(x * x) + eps) alone"""
    powers = bases(term)
    if len(powers) == 1:
        ((base, power),) = powers.items()
        found = asked.square_mean(base) if power == -0.5 else None
        if found and (found.plain or asked.claims("mean")) and not asked.centred(found.x):
            return Match((found.x,), (base,))
    return None


# ---------------------------------------------------------------- backward


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
        rows = [
            row for row in rows if len(asked.shapes.get(row.pointer, (0, 0))) > 1
        ]  # a vector is a weight, not statistics of rows
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


BACKWARD = (
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
FORWARD = (
    Row("rms_norm", "x * rsqrt(mean(x * x) + eps) [* w], the mean along the row", _rms_norm),
    _norm("layer_norm"),
    _norm("batch_norm"),
    _norm("group_norm"),
    _norm("standardize"),
    _apply("batch_norm"),
    _apply("layer_norm"),
    _apply("group_norm"),
    Row("l2_normalize", "x / sqrt(sum(x * x)), or / maximum(sqrt(sum(x * x)), eps)", _l2_normalize),
)
PARTS = (
    Row("rms", "rsqrt(mean(x * x) + eps)", _rms, "rms (of rms_norm)"),
    Row("batch_norm_running", "statistic * m + running * (1 - m), the statistic folded here, where the comment names a batch norm", _running,
        "running statistics"),
    Row("standard_deviation", "(sum((x - mean(x)) ** 2) / n) ** 0.5", _deviation, "standard deviation"),
    _statistics("layer_norm", "statistics of layer_norm"),
    _statistics("batch_norm", "statistics of batch_norm"),
    _statistics("group_norm", "statistics of group_norm"),
    _statistics("", "statistics (mean, variance)"),
)  # fmt: skip
