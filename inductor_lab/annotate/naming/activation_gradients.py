"""Derivatives of activations: what a backward graph multiplies each gradient with."""

from __future__ import annotations

from math import pi, sqrt

from inductor_lab.annotate.naming.activations import (
    TANH_CUBIC,
    TANH_SCALE,
    erf_argument,
    named_calls,
    selections,
    tanh_argument,
)
from inductor_lab.annotate.naming.match import Asked, Match, Row, bases, call, is_number
from inductor_lab.annotate.naming.terms import Call, Leaf, Number, Sum, Term, close, product, walk


def _gelu_tanh_backward(term: Term, asked: Asked) -> Match | None:
    """g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.797885 * (1 + 3 * 0.044715 * x * x))"""
    terms = asked.normal.terms
    if not isinstance(term, Sum) and not any(isinstance(base, Sum) for base in bases(term)):
        return None
    for t in [part for part in walk(term) if isinstance(part, Call) and part.name == "tanh"]:
        x = tanh_argument(t, asked)
        if x is None:
            continue
        one = terms.number(1.0)
        wanted = {
            one: 0.5, t: 0.5,
            terms.multiply(x): 0.5 * TANH_SCALE, terms.multiply(x, t, t): -0.5 * TANH_SCALE,
            terms.multiply(x, x, x): 1.5 * TANH_SCALE * TANH_CUBIC,
            terms.multiply(x, x, x, t, t): -1.5 * TANH_SCALE * TANH_CUBIC,
        }  # fmt: skip
        gradient = asked.polynomial(term, wanted)
        if gradient is not None:
            return Match((gradient, x), (t,))
    return None


def _gelu_backward(term: Term, asked: Asked) -> Match | None:
    """g * (0.5 * (erf(x / sqrt(2)) + 1) + x * exp(-x * x / 2) * 0.398942)"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        if not isinstance(base, Sum) or power != 1.0 or len(base.of) != 2:
            continue
        erfs = [(part, by) for part, by in base.of.items() if call(part, "erf")]
        for erf, by in erfs:
            assert isinstance(erf, Call)
            x = erf_argument(erf.of[0], asked)
            (bell,) = (part for part in base.of if part is not erf)
            # the number before x * x may have been rounded with x: compared by its parts
            exps = [part for part in bases(bell) if call(part, "exp")]
            if len(exps) != 1 or not close(base.constant, by):
                continue
            assert isinstance(exps[0], Call)
            ratio = terms.divide(exps[0].of[0], terms.multiply(x, x))
            left = terms.divide(terms.multiply(terms.number(base.of[bell]), bell), terms.multiply(x, exps[0]))
            if is_number(ratio, -0.5) and isinstance(left, Number) and close(left.value, 2 * by / sqrt(2 * pi)):
                gradient = terms.multiply(terms.divide(term, base), terms.number(2 * by))
                return Match((gradient, x), (base,))
    return None


def _silu_backward(term: Term, asked: Asked) -> Match | None:
    """g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"""
    terms = asked.normal.terms
    for s, x in named_calls(term, "sigmoid"):
        one = terms.number(1.0)
        wanted = asked.expanded(terms.add(one, terms.multiply(x, terms.subtract(one, s))))
        for base in bases(term):
            if isinstance(base, Sum) and s in set(walk(base)) and isinstance(asked.polynomial(base, wanted), Number):
                return Match((terms.divide(term, terms.multiply(s, base)), x), (s, base))
    return None


def _one_minus(base: Term) -> Term | None:
    """`y` of 1 - y or y - 1, which are one sum but for its sign."""
    if isinstance(base, Sum) and len(base.of) == 1:
        ((part, by),) = base.of.items()
        if base.constant == -by and abs(by) == 1.0:
            return part
    return None


def _sigmoid_backward(term: Term, asked: Asked) -> Match | None:
    """g * s * (1 - s)"""
    for base, power in bases(term).items():
        s = _one_minus(base) if power == 1.0 else None
        if s is not None and bases(term).get(s) == 1.0:
            gradient = asked.normal.terms.divide(term, asked.normal.terms.multiply(base, s))
            if isinstance(gradient, Number):
                continue
            return Match((asked.normal.terms.negative(gradient),), (base, s))
    return None


def _tanh_backward(term: Term, asked: Asked) -> Match | None:
    """g * (1 - t * t)"""
    for base, power in bases(term).items():
        square = _one_minus(base) if power == 1.0 else None
        t = asked.normal.terms.root(square) if square is not None else None
        if t is not None and (isinstance(t, Leaf) or call(t, "tanh")):
            gradient = asked.normal.terms.divide(term, base)
            if not isinstance(gradient, Number):
                return Match((gradient,), (base,))
    return None


def _relu_backward(term: Term, asked: Asked) -> Match | None:
    """where(y <= 0, 0, g)"""
    for base, condition, one, g in selections(term):
        asked_of = call(condition, "le")
        if asked_of and is_number(asked_of[1], 0) and is_number(one, 0) and not isinstance(g, Number):
            return Match((asked_of[0], g), (base,), asked.without(term, base), "mul")
    return None


def _leaky_relu_backward(term: Term, asked: Asked) -> Match | None:
    """where(x > 0, g, g * slope)"""
    for base, condition, g, other in selections(term) if asked.backward else ():
        above = call(condition, "lt")
        positive = (above and is_number(above[0], 0)) or (
            isinstance(condition, Leaf) and asked.dtypes.get(condition.pointer) == "bool"
        )
        slope = asked.normal.terms.divide(other, g) if not isinstance(g, Number) else g
        if positive and isinstance(slope, Number) and 0 < slope.value < 1 and slope is not g:
            return Match((g,), (base,), asked.without(term, base), "mul")
    return None


def _hardswish_backward(term: Term, asked: Asked) -> Match | None:
    """where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))"""
    terms = asked.normal.terms
    for base, condition, one, inside in selections(term):
        low, inner = call(condition, "le") or call(condition, "lt"), call(inside, "where")
        if not (low and inner and is_number(low[1], -3) and is_number(one, 0)):
            continue
        high = call(inner[0], "lt") or call(inner[0], "le")
        slope = terms.add(terms.multiply(low[0], terms.number(1 / 3)), terms.number(0.5))
        if high and is_number(high[1], 3) and high[0] is low[0] and _alike(terms.divide(inner[1], inner[2]), slope):
            return Match((inner[2], low[0]), (base,), asked.without(term, base), "mul")
    return None


def _alike(one: Term, other: Term) -> bool:
    """Equal up to the rounding of numbers."""
    if one is other:
        return True
    match one, other:
        case Sum(constant=a, of=of), Sum(constant=b, of=also):
            return close(a, b) and of.keys() == also.keys() and all(close(of[key], also[key]) for key in of)
    return False


def _hardsigmoid_backward(term: Term, asked: Asked) -> Match | None:
    """where((x > -3) & (x < 3), g / 6, 0)"""
    for base, condition, one, zero in selections(term):
        both = call(condition, "and")
        if not both or not is_number(zero, 0):
            continue
        left, right = call(both[0], "lt"), call(both[1], "lt")
        if (
            left
            and right
            and is_number(left[0], -3)
            and is_number(right[1], 3)
            and left[1] is right[0]
            and close(abs(product(one)[0]), 1 / 6)
        ):
            gradient = asked.normal.terms.multiply(one, asked.normal.terms.number(6.0))
            return Match((gradient, right[0]), (base,), asked.without(term, base), "mul")
    return None


ROWS = (
    Row("gelu_tanh_backward", "g * d/dx of gelu_tanh", _gelu_tanh_backward),
    Row("gelu_backward", "g * (0.5 * (erf(x / sqrt(2)) + 1) + x * exp(-x * x / 2) / sqrt(2 * pi))", _gelu_backward),
    Row("silu_backward", "g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))", _silu_backward),
    Row("hardswish_backward", "where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))", _hardswish_backward),
    Row("hardsigmoid_backward", "where((x > -3) & (x < 3), g / 6, 0)", _hardsigmoid_backward),
    Row("relu_backward", "where(y <= 0, 0, g)", _relu_backward),
    Row(
        "leaky_relu_backward",
        "where(x > 0, g, g * slope), 0 < slope < 1, or a loaded mask for x > 0, in a backward graph",
        _leaky_relu_backward,
    ),
    Row("sigmoid_backward", "g * s * (1 - s)", _sigmoid_backward),
    Row("tanh_backward", "g * (1 - t * t), t loaded or a tanh", _tanh_backward),
)
