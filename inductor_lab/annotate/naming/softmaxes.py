"""Softmax, its logarithm and cross-entropy: forward, backward, whole and split over kernels."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.naming.match import Asked, Match, Row, bases, call, is_number
from inductor_lab.annotate.naming.terms import Call, Fold, Leaf, Number, Place, Sum, Term, addends, close, product, walk


def _less_largest(term: Term, asked: Asked) -> tuple[Term, Fold | None] | None:
    """`x` of x - max(x), and the fold; of x - m with a loaded m of fewer axes, x alone."""
    for fold, rest in asked.with_fold(term, "max"):
        if fold.of[0] is rest and asked.normal.terms.add(rest, asked.normal.terms.negative(fold)) is term:
            return rest, fold
    return None


def _less_saved(term: Term, asked: Asked) -> tuple[Term, Leaf] | None:
    """`x` and m of x - m, with a loaded m that is constant along some axis of x."""
    constant, parts = addends(term)
    if constant:
        return None
    for part, by in parts.items():
        if isinstance(part, Leaf) and by == -1.0:
            x = asked.normal.terms.add(term, part)
            if not isinstance(x, Number) and asked.spread(part) < asked.spread(x):
                return x, part
    return None


def _softmax(term: Term, asked: Asked) -> Match | None:
    """exp(x - max(x)) / sum(exp(x - max(x)))"""
    powers, terms = bases(term), asked.normal.terms
    for power, by in powers.items():
        inside = call(power, "exp")
        if inside is None or by != 1.0:
            continue
        for total, exponent in powers.items():
            if exponent == -1.0 and isinstance(total, Fold) and total.name == "sum" and total.of[0] is power:
                less = _less_largest(inside[0], asked)
                x = less[0] if less else inside[0]
                rest = terms.divide(term, terms.divide(power, total))
                shown, adjective = _unmasked(x)
                inner = (power, total, inside[0], *([less[1]] if less and less[1] else []), terms.divide(power, total))
                return Match((shown,), inner, None if is_number(rest, 1.0) else rest, "mul", adjective)
    return None


def _unmasked(x: Term) -> tuple[Term, str]:
    """What a softmax is taken of without its mask, and what that is called."""
    match x:
        case Call(name="where", of=(condition, one, other)):
            kept = other if _lowest(one) else one
            if _lowest(one) or _lowest(other):
                return kept, "causal" if causal(condition) else "masked"
        case Sum(constant=0.0, of=of):
            masks = [
                part
                for part in of
                if isinstance(part, Call) and part.name == "where" and any(map(_lowest, part.of[1:]))
            ]
            if masks:
                return x, "causal" if causal(masks[0].of[0]) else "masked"
    return x, ""


def _lowest(term: Term) -> bool:
    return isinstance(term, Number) and term.value < -1e4


def causal(condition: Term) -> bool:
    """True where it compares one position with another."""
    return any(
        isinstance(part, Call) and part.name in {"le", "lt"} and all(isinstance(side, Place) for side in part.of)
        for part in walk(condition)
    )


def _unrolled_softmax(term: Term, asked: Asked) -> Match | None:
    """exp(x[i] - m) / (exp(x[0] - m) + exp(x[1] - m) + ...), m the largest of x"""
    powers = bases(term)
    for total, exponent in powers.items():
        if exponent != -1.0 or not isinstance(total, Sum) or total.constant or len(total.of) < 2:
            continue
        insides = [inside[0] for part, by in total.of.items() if by == 1.0 and (inside := call(part, "exp"))]
        numerators = [inside[0] for part, by in powers.items() if by == 1.0 and (inside := call(part, "exp"))]
        if len(insides) != len(total.of) or len(numerators) != 1:
            continue
        largest = _common(insides)
        if largest is None or not isinstance(largest, Call) or largest.name != "maximum":
            continue
        x = asked.normal.terms.add(numerators[0], largest)
        pointers = {leaf.pointer for leaf in walk(*insides) if isinstance(leaf, Leaf)}
        if pointers == {leaf.pointer for leaf in walk(x) if isinstance(leaf, Leaf)}:
            return Match((x,), (total,))
    return None


def _common(terms: list[Term]) -> Term | None:
    """What is subtracted in all of them."""
    sets = [{part for part, by in addends(term)[1].items() if by == -1.0} for term in terms]
    shared = set.intersection(*sets) if sets else set()
    return next(iter(shared), None)


def _softmax_apply(term: Term, asked: Asked) -> Match | None:
    """exp(x - m) / s with loaded m and s, constant along the row"""
    powers = bases(term)
    for power, by in powers.items():
        inside = call(power, "exp")
        less = _less_saved(inside[0], asked) if inside and by == 1.0 else None
        if less is None:
            continue
        x, largest = less
        for total, exponent in powers.items():
            if exponent == -1.0 and isinstance(total, Leaf) and total.load.index == largest.load.index:
                shown, adjective = _unmasked(x)
                rest = asked.normal.terms.divide(term, asked.normal.terms.divide(power, total))
                return Match((shown,), (power, total), None if is_number(rest, 1.0) else rest, "mul", adjective)
    return None


def _log_softmax(term: Term, asked: Asked) -> Match | None:
    """x - max(x) - log(sum(exp(x - max(x))))"""
    terms = asked.normal.terms
    for part, by in addends(term)[1].items():
        inside = call(part, "log")
        if inside is None or by != -1.0 or not isinstance(inside[0], Fold) or inside[0].name != "sum":
            continue
        power = call(inside[0].of[0], "exp")
        shifted = terms.add(term, part)
        if power and power[0] is shifted:
            less = _less_largest(shifted, asked)
            if less:
                return Match((less[0],), (part, inside[0], shifted, *([less[1]] if less[1] else [])))
    return None


def _saved_log_softmax(term: Term, asked: Asked) -> Term | None:
    """`x` of x - m - l, both loaded and constant along the row."""
    constant, parts = addends(term)
    saved = [part for part, by in parts.items() if by == -1.0 and isinstance(part, Leaf)]
    if constant or len(saved) != 2 or saved[0].load.index != saved[1].load.index:
        return None
    x = asked.normal.terms.add(term, *saved)
    return None if isinstance(x, Number) or not (asked.spread(saved[0]) < asked.spread(x) or _gathers(x)) else x


def _gathers(term: Term) -> bool:
    return any(isinstance(part, Leaf) and part.chosen for part in walk(term))


def _log_softmax_apply(term: Term, asked: Asked) -> Match | None:
    x = _saved_log_softmax(term, asked)
    return None if x is None or _gathers(x) else Match((x,))


def _sum_exp(term: Term, asked: Asked) -> Match | None:
    """[log of] sum(exp(x - max(x))), or max(x) beside it"""
    inside = call(term, "log")
    fold, adjective = (inside[0], "log") if inside else (term, "")
    if isinstance(fold, Fold) and fold.name == "sum":
        power = call(fold.of[0], "exp")
        less = _less_largest(power[0], asked) if power else None
        saved = _less_saved(power[0], asked) if power and not less else None
        if less:
            inner = (fold, *([less[1]] if less[1] else []))
            return Match((_unmasked(less[0])[0],), inner, adjective=adjective)
        if saved:
            return Match((_unmasked(saved[0])[0],), (fold,), adjective=adjective)
    return None


# ---------------------------------------------------------------- backward


def _softmax_backward(term: Term, asked: Asked) -> Match | None:
    """g * y - y * sum(g * y)"""
    for base, outside in _sums(term, asked):
        for first, fold, third in _with_sums(base, asked):
            terms = asked.normal.terms
            total = terms.fold("sum", (first,), fold.over)
            y = terms.negative(terms.divide(third, total))
            if (
                fold in bases(y)
                or not close(product(y)[0], 1.0)
                or isinstance(y, Number)
                or asked.without(first, y) is None
            ):
                continue
            g = terms.divide(first, y)
            rest = terms.subtract(terms.subtract(base, first), third)
            return _beside(Match((g, y), (base,)), rest, outside)
    return None


def _log_softmax_backward(term: Term, asked: Asked) -> Match | None:
    """g - exp(y) * sum(g)"""
    for base, outside in _sums(term, asked):
        for first, fold, third in (*_with_sums(base, asked), *_with_the_rest(base, asked)):
            terms = asked.normal.terms
            y = terms.negative(terms.divide(third, terms.fold("sum", (first,), fold.over)))
            if call(y, "exp"):
                rest = terms.subtract(terms.subtract(base, first), third)
                return _beside(Match((first,), (base, y, *_inside(y))), rest, outside)
    return None


def _inside(y: Term) -> tuple[Term, ...]:
    return y.of if isinstance(y, Call) else ()


def _cross_entropy_backward(term: Term, asked: Asked) -> Match | None:
    found = _log_softmax_backward(term, asked)
    if found is None or not any(_chosen_class(part) for part in walk(found.parts[0])):
        return None
    gradients = tuple(part for part in found.parts[1:])
    return Match(gradients, found.inner, found.rest, found.glue)


def _chosen_class(term: Term) -> bool:
    """where(target == position, -1, 0)"""
    match term:
        case Call(name="where", of=(Call(name="eq", of=sides), one, other)):
            return any(isinstance(side, Place) for side in sides) and isinstance(one, Number) and is_number(other, 0)
    return False


def _nll_backward(term: Term, asked: Asked) -> Match | None:
    return Match(()) if any(_chosen_class(base) for base in bases(term)) and asked.backward else None


def _sums(term: Term, asked: Asked) -> Iterator[tuple[Sum, Term]]:
    """Each factor that is a sum, and what it is multiplied with."""
    for base, power in bases(term).items():
        if isinstance(base, Sum) and power == 1.0:
            yield base, asked.normal.terms.divide(term, base)


def _with_sums(base: Sum, asked: Asked) -> Iterator[tuple[Term, Fold, Term]]:
    """(T, the fold, the addend that has it) for each other addend T."""
    terms = asked.normal.terms
    for third, by in base.of.items():
        for fold in asked.folds(third):
            for first, times in base.of.items():
                if first is not third:
                    yield terms.multiply(terms.number(times), first), fold, terms.multiply(terms.number(by), third)


def _with_the_rest(base: Sum, asked: Asked) -> Iterator[tuple[Term, Fold, Term]]:
    """The same with all other addends for T."""
    terms = asked.normal.terms
    for third, by in base.of.items():
        for fold in asked.folds(third):
            scaled = terms.multiply(terms.number(by), third)
            yield terms.subtract(base, scaled), fold, scaled


def _beside(found: Match, rest: Term, outside: Term) -> Match:
    """The match with what it is added to, or multiplied with."""
    if not isinstance(rest, Number):
        return Match((*found.parts, *([] if isinstance(outside, Number) else [outside])), found.inner, rest, "add")
    return Match(found.parts, found.inner, None if isinstance(outside, Number) else outside, "mul")


# ---------------------------------------------------------------- losses


def _nll(term: Term, asked: Asked, *, normalized: bool) -> Match | None:
    """sum(where(target != ignored, -x[target], 0)) [/ count]"""
    for base, power in bases(term).items():
        if not isinstance(base, Fold) or base.name != "sum" or power != 1.0:
            continue
        match base.of[0]:
            case Call(name="where", of=(Call(name="ne"), value, zero)) if is_number(zero, 0):
                inside = value
            case _:
                continue
        picked = asked.normal.terms.negative(inside)
        logits = _saved_log_softmax(picked, asked)
        whole = _log_softmax_gathered(picked)
        counts = tuple(count for count, by in bases(term).items() if by < 0)
        if normalized and (logits is not None or whole) and _gathers(picked):
            return Match((), (base, *counts))
        if not normalized and isinstance(picked, Leaf) and picked.chosen:
            return Match((), (base, *counts))
    return None


def _log_softmax_gathered(picked: Term) -> bool:
    """x[target] - max(x) - log(sum(exp(x - max(x))))"""
    parts = addends(picked)[1]
    logs = [inside[0] for part, by in parts.items() if by == -1.0 and (inside := call(part, "log"))]
    largest = [part for part, by in parts.items() if by == -1.0 and isinstance(part, Fold) and part.name == "max"]
    return len(logs) == 1 and len(largest) == 1 and isinstance(logs[0], Fold) and len(parts) == 3


def _cross_entropy(term: Term, asked: Asked) -> Match | None:
    return _nll(term, asked, normalized=True)


def _nll_loss(term: Term, asked: Asked) -> Match | None:
    return _nll(term, asked, normalized=False)


def _mse(term: Term, asked: Asked) -> Match | None:
    """mean((x - y) ** 2)"""
    for fold in asked.folds(term):
        x = asked.normal.terms.root(fold.of[0])
        count = asked.normal.count(fold.over)
        two = addends(x)[1] if x is not None else {}
        if (
            x is None
            or len(two) != 2
            or addends(x)[0]
            or asked.centred(x)
            or not all(isinstance(part, Leaf) for part in two)
        ):
            continue
        (a, b) = two.values()
        if (
            a == -b
            and isinstance(count, Number)
            and is_number(asked.normal.terms.multiply(asked.normal.terms.divide(term, fold), count), 1.0)
        ):
            return Match((), (fold,))
    return None


BACKWARD = (
    Row(
        "cross_entropy_backward",
        "g - exp(log_softmax) * sum(g), g made of where(target == position, -1, 0)",
        _cross_entropy_backward,
    ),
    Row("log_softmax_backward", "g - exp(y) * sum(g), the sum along the row", _log_softmax_backward),
    Row("softmax_backward", "g * y - y * sum(g * y), the sum along the row", _softmax_backward),
    Row("nll_loss_backward", "where(target == position, -1, 0) * g in a backward graph", _nll_backward),
)
FORWARD = (
    Row("softmax", "exp(x - max(x)) / sum(exp(x - max(x))), also without the maximum; `causal` where a position is compared with another, "
        "`masked` where elements are -inf", _softmax),
    Row("softmax", "the same over a few elements written out", _unrolled_softmax),
    Row("softmax", "exp(x - m) / s with loaded m and s, constant along the row", _softmax_apply),
    Row("log_softmax", "x - max(x) - log(sum(exp(x - max(x))))", _log_softmax),
    Row("cross_entropy", "sum(where(target != ignored, -(x[target] - max - log(sum)), 0)) [/ count]", _cross_entropy),
    Row("nll_loss", "sum(where(target != ignored, -x[target], 0)) [/ count]", _nll_loss),
    Row("log_softmax", "x - m - l with loaded m and l, constant along the row", _log_softmax_apply),
    Row("mse_loss", "mean((x - y) ** 2)", _mse),
)  # fmt: skip
PARTS = (
    Row(
        "softmax_statistics",
        "[log of] sum(exp(x - max(x))), and max(x) beside it",
        _sum_exp,
        "row max and sum of softmax",
    ),
)
