"""Norms, forward: what is divided by the root of a mean of squares, the mean made in the kernel or loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inductor_lab.annotate.naming.match import Asked, Match, Row, bases
from inductor_lab.annotate.naming.norm_claims import claimed
from inductor_lab.annotate.naming.terms import Call, Fold, Leaf, Number, Product, Sum, Term, addends, close, product
from inductor_lab.computation.index import Coordinate


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
    said = claimed(asked)
    for weight in weights:
        if weight.axes and weight.axes <= over:
            return "layer_norm"
        if weight.axes and not weight.axes & over:
            return "batch_norm" if said in {"", "batch_norm"} else said
        if weight.axes & over:
            return "group_norm"
    return said


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
        said = claimed(asked)
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


ROWS = (
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
