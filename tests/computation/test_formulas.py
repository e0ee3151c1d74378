"""Formulas as text are found in terms: whatever the order, with what is left beside them, and not where one thing is another."""

from __future__ import annotations

import pytest

from inductor_lab.computation.naming.formulas import Finder
from inductor_lab.computation.naming.match import Formula, parsed
from inductor_lab.computation.naming.terms import Number, Term, Terms

TERMS = Terms()
FINDER = Finder(TERMS, lambda over: None, {"c": lambda term, bound: isinstance(term, Number)})


def found(formula: str, value: str) -> tuple[dict[str, Term], Term] | None:
    """What the names of a formula are in a value, and what is left of it."""
    return next(
        ((dict(found.bound.of), found.rest) for found in FINDER.within(Formula(formula), parsed(value, TERMS))), None
    )


@pytest.mark.parametrize(
    ("formula", "value", "names", "left"),
    [
        ("x * sigmoid(x)", "sigmoid(a + b) * 3 * (b + a) * d", {"x": "a + b"}, "3 * d"),
        ("x * sigmoid(x)", "2 * a / (1 + exp(-2 * a))", {"x": "2 * a"}, "1"),
        ("g * s * (1 - s)", "a * d * (d - 1) * b", {"g": "-a * b", "s": "d"}, "1"),
        ("x / sqrt(y + 1)", "a * d * rsqrt(1 + d)", {"y": "d", "x": "a * d"}, "1"),
        ("where(x > c, x, log1p(exp(x)))", "where(20 < a, a, log1p(exp(a))) * b", {"c": "20", "x": "a"}, "b"),
        ("tanh(x / c) * c", "tanh(0.02 * a * b) * 50", {"c": "50", "x": "a * b"}, "1"),
        ("x * exp(x) + y * exp(y)", "a * exp(a) + b * exp(b) + d", {"x": "a", "y": "b"}, "d"),
    ],
)
def test_a_formula_is_found_however_it_is_written(formula: str, value: str, names: dict[str, str], left: str) -> None:
    assert found(formula, value) == ({name: parsed(text, TERMS) for name, text in names.items()}, parsed(left, TERMS))


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("x * sigmoid(x)", "a * sigmoid(b)"),
        ("x * sigmoid(x)", "sigmoid(a)"),
        ("0.5 * x * (1 + erf(x / sqrt(2)))", "0.5 * a * (1 + erf(a / 2))"),
        ("0.5 * x * (1 + erf(x / sqrt(2)))", "0.5 * a * (2 + erf(a / sqrt(2)))"),
        ("where(x > 0, x, expm1(x))", "where(a > 0, a, expm1(b))"),
        ("g * (1 - s * s)", "a * (1 - d)"),
        ("maximum(x, 0)", "maximum(a, 1)"),
        ("sigmoid(x)", "sigmoid(2)"),
    ],
)
def test_another_formula_is_not_found(formula: str, value: str) -> None:
    assert found(formula, value) is None


def test_a_formula_says_its_names_as_they_are_written() -> None:
    assert Formula("where(y <= 0, pi, g * x)").names == ("y", "g", "x")
    with pytest.raises(ValueError, match="no part of a formula"):
        parsed("x.y", TERMS)
