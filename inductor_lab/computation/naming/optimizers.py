"""Steps of optimizers, by what becomes of a parameter."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation.naming.match import Asked, Match, Row, bases
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import Call, Leaf, Number, Sum, Term, addends, close, product, walk
from inductor_lab.computation.records import Computation


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


@dataclass(frozen=True)
class Step:
    """p * kept - rate * m / (sqrt(v) + eps)"""

    param: Leaf
    kept: float
    moved: Term
    """All but `p * kept`."""
    parts: tuple[Term, ...]
    """The moments among others."""
    first: tuple[Leaf, Term, float]
    """The old m, what it moves towards, and b of m * b + g * (1 - b)."""
    second: tuple[Leaf, Term, float]


def _step(term: Term, asked: Asked) -> Step | None:
    """p * c - rate * m / (sqrt(v) + eps)"""
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
            return Step(left[0], times, moved, (*seconds, *bases(moved)), firsts[0], squares[0])
    return None


def _adam(term: Term, asked: Asked) -> Match | None:
    found = _step(term, asked)
    return Match((), found.parts) if found and found.kept == 1.0 else None


def _adamw(term: Term, asked: Asked) -> Match | None:
    found = _step(term, asked)
    return Match((), found.parts) if found and 0 < found.kept < 1 else None


def _average(term: Term, asked: Asked) -> Match | None:
    """The moments themselves."""
    found = _moment(term, 2.0) or _moment(term, 1.0)
    optimizing = asked.claims("_foreach_lerp", "lerp", "_fused_adam", "_fused_adamw", "addcdiv", "_foreach_addcdiv")
    return Match((), (term,)) if found and optimizing and close(sum(addends(term)[1].values()), 1.0) else None


def roles(job: Computation) -> dict[str, str]:
    """Pointer -> what it is to a step of Adam's or AdamW's, by torch's words: `param`, `grad`, `exp_avg`, `exp_avg_sq`, `step`.

    Empty for a job that is none; without the gradient where something is added to it first.
    """
    asked = Asked(Normal(job), frozenset(), "unknown", {})
    for access in job.stores:
        found = _step(asked.normal.of(access.value), asked) if access.value is not None else None
        if found is not None:
            old, new, _ = found.first
            # what is squared: a lerp of two tensors does not tell which of them moves
            gradient = next(iter(bases(found.second[1])))
            average = old if new is gradient else new
            told: dict[Term, str] = {found.param: "param", found.second[0]: "exp_avg_sq", gradient: "grad"}
            told |= {average: "exp_avg"} if gradient in (old, new) else {}
            for each in walk(found.moved):
                match each:
                    case Call(name="pow", of=(Number(value=base), Leaf() as power)) if close(base, found.second[2]):
                        told[power] = "step"
            return {leaf.pointer: role for leaf, role in told.items() if isinstance(leaf, Leaf)}
    return {}


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
