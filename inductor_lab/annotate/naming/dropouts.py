"""Dropout and its backward: elements left out at random, the others made larger."""

from __future__ import annotations

from inductor_lab.annotate.naming.match import Asked, Match, Row, bases, call
from inductor_lab.annotate.naming.terms import Leaf, Number, Term, product


def _kept(mask: Term) -> float | None:
    """The part that is kept, of rand(seed, position) > p, or < 1 - p."""
    sides = call(mask, "lt") or call(mask, "le")
    if sides and isinstance(sides[0], Number) and call(sides[1], "rand"):
        return 1 - sides[0].value
    return sides[1].value if sides and isinstance(sides[1], Number) and call(sides[0], "rand") else None


def _dropout(term: Term, asked: Asked) -> Match | None:
    """(rand(seed, position) > p) * x / (1 - p)"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        kept = _kept(base) if power == 1.0 else None
        if kept is not None:
            x = terms.divide(term, base)
            return None if isinstance(x, Number) else Match((terms.multiply(x, terms.number(kept)),), (base,))
    return None


def _mask(term: Term, asked: Asked) -> Match | None:
    """rand(seed, position) > p"""
    return Match((), (term,)) if _kept(term) is not None else None


def _masked(term: Term, asked: Asked) -> tuple[Term, Term] | None:
    """The mask of bools and the value of mask * x * c, c above 1."""
    for base, power in bases(term).items():
        if (
            isinstance(base, Leaf)
            and power == 1.0
            and asked.dtypes.get(base.pointer) == "bool"
            and product(term)[0] > 1.0
        ):
            x = asked.normal.terms.divide(term, base)
            if not isinstance(x, Number):
                return base, asked.normal.terms.powers(1.0, bases(x))
    return None


def _saved(term: Term, asked: Asked) -> Match | None:
    found = _masked(term, asked)
    return Match((found[1],), (found[0],)) if found and asked.kind in {"forward", "inference"} else None


def _backward(term: Term, asked: Asked) -> Match | None:
    found = _masked(term, asked)
    return Match((found[1],), (found[0],)) if found and asked.backward else None


ROWS = (
    Row(
        "dropout",
        "(rand(seed, position) > p) * x; what it is multiplied with is 1 / (1 - p), and said if it is another",
        _dropout,
    ),
    Row("dropout", "mask * x * c of a loaded mask of bools, c > 1, in a forward graph", _saved),
    Row("dropout_backward", "mask * g * c of a loaded mask of bools, c > 1, in a backward graph", _backward),
    Row("dropout_mask", "rand(seed, position) > p", _mask),
)
