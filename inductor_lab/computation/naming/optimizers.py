"""Steps of optimizers, by what becomes of a parameter."""

from __future__ import annotations

from inductor_lab.computation.naming.match import Asked, Match, Row, bases
from inductor_lab.computation.naming.terms import Leaf, Sum, Term, addends, close, product


def _moment(term: Term, power: float) -> tuple[Leaf, Term, float] | None:
    """(m, g, b) of m * b + g ** power * (1 - b), times any number"""
    constant, parts = addends(term)
    if constant or len(parts) != 2:
        return None
    for old, by in parts.items():
        (new,) = (part for part in parts if part is not old)
        whole = by + parts[new]
        if (
            isinstance(old, Leaf)
            and by > 0
            and parts[new] > 0
            and all(exponent % power == 0 for exponent in bases(new).values())
        ):
            return old, new, by / whole
    return None


def _step(term: Term, asked: Asked) -> tuple[Leaf, float, tuple[Term, ...]] | None:
    """(p, what is left of it, the moments) of p * c - rate * m / (sqrt(v) + eps)"""
    if not isinstance(term, Sum) or term.constant:
        return None
    terms = asked.normal.terms
    for moved in term.of:
        below = [
            base
            for base, power in bases(moved).items()
            if power == -1.0 and isinstance(base, Sum) and abs(base.constant) > 0
        ]
        rooted = [base for base in below if any(power == 0.5 for part in base.of for power in bases(part).values())]
        if not rooted:
            continue
        seconds = [base for part in rooted[0].of for base, power in bases(part).items() if power == 0.5]
        squares = [found for base in seconds for part in (base, *bases(base)) if (found := _moment(part, 2.0))]
        firsts = [found for base in bases(moved) if (found := _moment(base, 1.0))]
        if not squares or not firsts:
            continue
        rest = terms.total(0.0, {part: by for part, by in term.of.items() if part is not moved})
        times, powers = product(rest)
        left = [base for base in powers if isinstance(base, Leaf)]
        if len(left) == len(powers) == 1:
            return left[0], times, (*seconds, *bases(moved))
    return None


def _adam(term: Term, asked: Asked) -> Match | None:
    found = _step(term, asked)
    return Match((), found[2]) if found and found[1] == 1.0 else None


def _adamw(term: Term, asked: Asked) -> Match | None:
    found = _step(term, asked)
    return Match((), found[2]) if found and 0 < found[1] < 1 else None


def _average(term: Term, asked: Asked) -> Match | None:
    """The moments themselves."""
    found = _moment(term, 2.0) or _moment(term, 1.0)
    optimizing = asked.claims("_foreach_lerp", "lerp", "_fused_adam", "_fused_adamw", "addcdiv", "_foreach_addcdiv")
    return Match((), (term,)) if found and optimizing and close(sum(addends(term)[1].values()), 1.0) else None


ROWS = (
    Row("adam_step", "p - rate * m / (sqrt(v) + eps), m = m * b + g * (1 - b), v = v * c + g * g * (1 - c)", _adam),
    Row("adamw_step", "the same with p * (1 - rate * decay) for p", _adamw),
    Row(
        "moving_average",
        "m * b + g * (1 - b), where the comment names a lerp or an optimizer's operator",
        _average,
        "moving average",
    ),
)
