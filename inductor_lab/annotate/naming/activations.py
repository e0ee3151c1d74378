"""Activations: one element in, one element out."""

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


def _gated(found: Match, kinds: type | tuple[type, ...]) -> Match | None:
    """The match with the one factor beside it taken in, where that is a tensor of its shape."""
    if found.rest is None:
        return None
    (x,), (number, powers) = found.parts, product(found.rest)
    factors = [base for base, power in powers.items() if power == 1.0]
    alone = len(factors) == len(powers) == 1 and number == 1.0
    if alone and isinstance(factors[0], kinds) and factors[0].axes >= x.axes:
        return Match((x, factors[0]), found.inner)
    return None


def _swiglu(term: Term, asked: Asked) -> Match | None:
    found = None if asked.backward else _silu(term, asked)
    return _gated(found, (Leaf, Sum)) if found else None


def _geglu(term: Term, asked: Asked) -> Match | None:
    for gelu in () if asked.backward else (_gelu, _gelu_tanh):
        found = gelu(term, asked)
        gated = _gated(found, Leaf) if found else None
        if gated:
            return gated
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
                x = erf_argument(inside[0], asked)
                found = times(term, terms.multiply(terms.number(0.5), x, base), x, asked, base)
                if found and found.rest is not None and product(x)[0] != 1.0 and not close(product(found.rest)[0], 1.0):
                    return None  # a number makes up for another one than sqrt(1 / 2)
                return found
    return None


def erf_argument(inside: Term, asked: Asked) -> Term:
    """`x` of erf(x / sqrt(2)), 1 * x where the number is 1 but for its rounding."""
    number, powers = product(asked.normal.terms.multiply(inside, asked.normal.terms.number(sqrt(2))))
    return asked.normal.terms.powers(1.0 if close(number, 1.0) else number, powers)


def tanh_argument(tanh: Term, asked: Asked) -> Term | None:
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
                x = tanh_argument(tanh, asked) if by == 1.0 else None
                if x is not None:
                    return times(term, terms.multiply(terms.number(0.5), x, base), x, asked, base, tanh)
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


def selections(term: Term) -> Iterator[tuple[Term, Term, Term, Term]]:
    """Each factor that is a selection, with its condition and both values."""
    for base, power in bases(term).items():
        match base:
            case Call(name="where", of=(condition, one, other)) if power == 1.0:
                yield base, condition, one, other


def _softplus(term: Term, asked: Asked) -> Match | None:
    """where(x > 20, x, log1p(exp(x)))"""
    for base, condition, one, other in selections(term):
        above, log = call(condition, "lt"), call(other, "log1p")
        power = call(log[0], "exp") if log else None
        if above and power and isinstance(above[0], Number) and above[1] is one is power[0]:
            return Match((one,), (base,), asked.without(term, base), "mul")
    return None


def _elu(term: Term, asked: Asked) -> Match | None:
    """where(x > 0, x, expm1(x))"""
    for base, condition, one, other in selections(term):
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
