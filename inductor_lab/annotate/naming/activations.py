"""Activations and their derivatives: one element in, one element out."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, sqrt

from inductor_lab.annotate.naming.match import Asked, Match, Row, bases, call, is_number
from inductor_lab.annotate.naming.terms import Call, Leaf, Number, Sum, Term, close, product, walk

TANH_SCALE, TANH_CUBIC = sqrt(2 / pi), 0.044715


def times(term: Term, part: Term, x: Term, asked: Asked, *inner: Term) -> Match | None:
    """A match of `part`, a function of x, that the term is a product with."""
    rest = asked.without(term, part)
    return None if rest is None else Match((x,), (part, *inner), rest, "mul")


def named_calls(term: Term, name: str) -> Iterator[tuple[Term, Term]]:
    """Each factor that is a call of this name with one argument, and the argument."""
    for base in bases(term):
        match base:
            case Call(name=found, of=(x,)) if found == name:
                yield base, x


def _relu(term: Term, asked: Asked) -> Match | None:
    for base, x in named_calls(term, "relu"):
        return times(term, base, x, asked)
    return None


def _silu(term: Term, asked: Asked) -> Match | None:
    for base, x in named_calls(term, "sigmoid"):
        found = times(term, asked.normal.terms.multiply(x, base), x, asked, base)
        if found:
            return found
    return None


def _swiglu(term: Term, asked: Asked) -> Match | None:
    found = None if asked.backward else _silu(term, asked)
    if found is None or found.rest is None:
        return None
    (x,), (number, powers) = found.parts, product(found.rest)
    factors = [base for base, power in powers.items() if power == 1.0]
    if (
        len(factors) == len(powers) == 1
        and number == 1.0
        and isinstance(factors[0], (Leaf, Sum))
        and factors[0].axes >= x.axes
    ):
        return Match((x, factors[0]), found.inner)
    return None


def _geglu(term: Term, asked: Asked) -> Match | None:
    for gelu in () if asked.backward else (_gelu, _gelu_tanh):
        found = gelu(term, asked)
        if found is None or found.rest is None:
            continue
        (x,), (number, powers) = found.parts, product(found.rest)
        factors = [base for base, power in powers.items() if power == 1.0]
        if (
            len(factors) == len(powers) == 1
            and number == 1.0
            and isinstance(factors[0], Leaf)
            and factors[0].axes >= x.axes
        ):
            return Match((x, factors[0]), found.inner)
    return None


def _gelu(term: Term, asked: Asked) -> Match | None:
    """x * 0.5 * (erf(x / sqrt(2)) + 1)"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        match base:
            case Sum(constant=1.0, of=of) if power == 1.0 and len(of) == 1:
                ((erf, by),) = of.items()
                inside = call(erf, "erf")
                if by != 1.0 or inside is None:
                    continue
                x = terms.multiply(inside[0], terms.number(sqrt(2)))
                x = terms.powers(_tidy(product(x)[0]), product(x)[1])
                found = times(term, terms.multiply(terms.number(0.5), x, base), x, asked, base)
                if found and found.rest is not None and product(x)[0] != 1.0 and not close(product(found.rest)[0], 1.0):
                    return None  # a number makes up for another one than sqrt(1 / 2)
                return found
    return None


def _tidy(value: float) -> float:
    """1 where a number is 1 but for its rounding."""
    return 1.0 if close(value, 1.0) else value


def _tanh_argument(tanh: Term, asked: Asked) -> Term | None:
    """`x` of tanh(0.797885 * (x + 0.044715 * x**3))."""
    inside, terms = call(tanh, "tanh"), asked.normal.terms
    if inside is None:
        return None
    found = asked.expanded(inside[0])
    cubes = {part for part in walk(inside[0]) if not isinstance(part, Number)}
    for x in cubes:
        wanted = asked.expanded(terms.multiply(terms.number(TANH_SCALE), x)) if found else {}
        for monomial, by in (
            asked.expanded(terms.multiply(terms.number(TANH_SCALE * TANH_CUBIC), x, x, x)).items() if wanted else ()
        ):
            wanted[monomial] = wanted.get(monomial, 0.0) + by
        if wanted and wanted.keys() == found.keys() and all(close(found[key], wanted[key]) for key in wanted):
            return x
    return None


def _gelu_tanh(term: Term, asked: Asked) -> Match | None:
    """0.5 * x * (1 + tanh(...))"""
    terms = asked.normal.terms
    for base, power in bases(term).items():
        match base:
            case Sum(constant=1.0, of=of) if power == 1.0 and len(of) == 1:
                ((tanh, by),) = of.items()
                x = _tanh_argument(tanh, asked) if by == 1.0 else None
                if x is not None:
                    return times(term, terms.multiply(terms.number(0.5), x, base), x, asked, base, tanh)
    return None


def _gelu_tanh_backward(term: Term, asked: Asked) -> Match | None:
    """g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.797885 * (1 + 3 * 0.044715 * x * x))"""
    terms = asked.normal.terms
    if not isinstance(term, Sum) and not any(isinstance(base, Sum) for base in bases(term)):
        return None
    for t in [part for part in walk(term) if isinstance(part, Call) and part.name == "tanh"]:
        x = _tanh_argument(t, asked)
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
            half = terms.multiply(erf.of[0], terms.number(sqrt(2)))
            x = terms.powers(_tidy(product(half)[0]), product(half)[1])
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


def _softcap(term: Term, asked: Asked) -> Match | None:
    """tanh(x / c) * c"""
    for base, inside in named_calls(term, "tanh"):
        by = product(inside)[0]
        cap = product(term)[0]
        if by < 1.0 and close(by * cap, 1.0) and len(bases(term)) == 1:
            return Match((asked.normal.terms.powers(1.0, bases(inside)),), (base,))
    return None


def _hardsigmoid_inner(term: Term) -> Term | None:
    """`x` of minimum(maximum(x + 3, 0), 6)."""
    outer = call(term, "minimum")
    if outer is None or not is_number(outer[1], 6):
        return None
    relu = call(outer[0], "relu") or call(outer[0], "maximum")
    match relu[0] if relu else None:
        case Sum(constant=3.0) as shifted:
            return shifted
    return None


def _hardsigmoid_parts(term: Term, asked: Asked) -> tuple[Term, Term] | None:
    for base, power in bases(term).items():
        shifted = _hardsigmoid_inner(base) if power == 1.0 else None
        if shifted is not None:
            return base, asked.normal.terms.subtract(shifted, asked.normal.terms.number(3.0))
    return None


def _hardswish(term: Term, asked: Asked) -> Match | None:
    """x * minimum(maximum(x + 3, 0), 6) / 6"""
    found = _hardsigmoid_parts(term, asked)
    if found is None:
        return None
    base, x = found
    terms = asked.normal.terms
    return times(term, terms.multiply(terms.number(1 / 6), x, base), x, asked, base)


def _hardsigmoid(term: Term, asked: Asked) -> Match | None:
    """minimum(maximum(x + 3, 0), 6) / 6"""
    found = _hardsigmoid_parts(term, asked)
    if found is None:
        return None
    base, x = found
    return times(term, asked.normal.terms.multiply(asked.normal.terms.number(1 / 6), base), x, asked, base)


def _where(term: Term) -> Iterator[tuple[Term, Term, Term, Term]]:
    """Each factor that is a selection, with its condition and both values."""
    for base, power in bases(term).items():
        match base:
            case Call(name="where", of=(condition, one, other)) if power == 1.0:
                yield base, condition, one, other


def _relu_backward(term: Term, asked: Asked) -> Match | None:
    """where(y <= 0, 0, g)"""
    for base, condition, one, g in _where(term):
        asked_of = call(condition, "le")
        if asked_of and is_number(asked_of[1], 0) and is_number(one, 0) and not isinstance(g, Number):
            return Match((asked_of[0], g), (base,), asked.without(term, base), "mul")
    return None


def _leaky_relu_backward(term: Term, asked: Asked) -> Match | None:
    """where(x > 0, g, g * slope)"""
    for base, condition, g, other in _where(term) if asked.backward else ():
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
    for base, condition, one, inside in _where(term):
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
    for base, condition, one, zero in _where(term):
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


def _softplus(term: Term, asked: Asked) -> Match | None:
    """where(x > 20, x, log1p(exp(x)))"""
    for base, condition, one, other in _where(term):
        above, log = call(condition, "lt"), call(other, "log1p")
        power = call(log[0], "exp") if log else None
        if above and power and isinstance(above[0], Number) and above[1] is one is power[0]:
            return Match((one,), (base,), asked.without(term, base), "mul")
    return None


def _elu(term: Term, asked: Asked) -> Match | None:
    """where(x > 0, x, expm1(x))"""
    for base, condition, one, other in _where(term):
        above, power = call(condition, "lt"), call(other, "expm1")
        if above and power and is_number(above[0], 0) and above[1] is one is power[0]:
            return Match((one,), (base,), asked.without(term, base), "mul")
    return None


def _simple(name: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        for base, x in named_calls(term, name):
            return times(term, base, x, asked)
        return None

    return Row(name, f"{name}(x)", find, simple=True)


def _leaky_relu(term: Term, asked: Asked) -> Match | None:
    for base in bases(term):
        match base:
            case Call(name="leaky_relu", of=(x, _)):
                return times(term, base, x, asked)
    return None


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


def _dropout_mask(term: Term, asked: Asked) -> Match | None:
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


def _dropout_saved(term: Term, asked: Asked) -> Match | None:
    found = _masked(term, asked)
    return Match((found[1],), (found[0],)) if found and asked.kind in {"forward", "inference"} else None


def _dropout_backward(term: Term, asked: Asked) -> Match | None:
    found = _masked(term, asked)
    return Match((found[1],), (found[0],)) if found and asked.backward else None


BACKWARD = (
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
GATED = (
    Row("swiglu", "silu(x) * y, y a tensor of x's shape", _swiglu),
    Row("geglu", "gelu(x) * y, y a tensor of x's shape", _geglu),
)
FORWARD = (
    Row("gelu", "x * 0.5 * (erf(x / sqrt(2)) + 1)", _gelu, simple=True),
    Row("gelu_tanh", "x * 0.5 * (1 + tanh(0.797885 * (x + 0.044715 * x ** 3)))", _gelu_tanh, simple=True),
    Row("silu", "x * sigmoid(x)", _silu, simple=True),
    Row("hardswish", "x * minimum(maximum(x + 3, 0), 6) / 6", _hardswish),
    Row("hardsigmoid", "minimum(maximum(x + 3, 0), 6) / 6", _hardsigmoid),
    Row("softcap", "tanh(x / c) * c", _softcap),
    Row("softplus", "where(x > 20, x, log1p(exp(x))), any number for 20", _softplus),
    Row("elu", "where(x > 0, x, expm1(x))", _elu),
    Row("relu", "maximum(x, 0)", _relu, simple=True),
    Row("leaky_relu", "where(x > 0, x, x * slope)", _leaky_relu, simple=True),
    _simple("sigmoid"),
    _simple("tanh"),
)
DROPOUT = (
    Row(
        "dropout",
        "(rand(seed, position) > p) * x; what it is multiplied with is 1 / (1 - p), and said if it is another",
        _dropout,
    ),
    Row("dropout", "mask * x * c of a loaded mask of bools, c > 1, in a forward graph", _dropout_saved),
    Row("dropout_backward", "mask * g * c of a loaded mask of bools, c > 1, in a backward graph", _dropout_backward),
    Row("dropout_mask", "rand(seed, position) > p", _dropout_mask),
)
