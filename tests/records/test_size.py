"""A size over symbols: what a text of Inductor's is worth, what it is the product of, and how it reads as plain Python."""

from __future__ import annotations

import pytest

from inductor_lab.records.size import ONE, Size, number, product


@pytest.mark.parametrize(
    ("text", "known", "value"),
    [
        ("1024", {}, 1024),
        ("-3", {}, -3),
        ("s77*s27", {"s77": 5, "s27": 7}, 35),
        ("(15 + s0) // 16", {"s0": 17}, 2),
        ("FloorDiv(s0, 2)", {"s0": 9}, 4),
        ("CeilDiv(s0, 2)", {"s0": 9}, 5),
        ("s0 / 2", {"s0": 9}, 4),
        ("Max(1, s0)", {"s0": 0}, 1),
        ("min(4, s0)", {"s0": 9}, 4),
        ("PythonMod(s0, 4)", {"s0": 9}, 1),
        ("Mod(-s0, 4)", {"s0": 9}, 3),
        ("ModularIndexing(s0, 4, 3)", {"s0": 23}, 2),
        ("s0**2 - 1", {"s0": 3}, 8),
        ("TruncToInt(s0)", {"s0": 3}, 3),
        ("CeilDiv(s0, 16)", {"s0": 100}, 7),
        ("triton.cdiv(s0, 16)", {"s0": 100}, 7),
        ("math.trunc(s0)", {"s0": 3}, 3),
    ],
)
def test_a_size_is_worked_out(text: str, known: dict[str, int], value: int) -> None:
    assert Size.of(text).bound(known) == value
    assert Size.of(text).symbols == set(known)


@pytest.mark.parametrize(
    "text", ["s0", "s0 +", "f(3)", "1 // 0", "'a'", "x.y", "1.5", "9**9**9", "2**-1", "__import__('os')", "[1]"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no size that can be worked out"):
        Size.of(text).bound({})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("s0", "s0"),
        ("FloorDiv(s0, 2)", "s0 // 2"),
        ("FloorDiv(3 + s0, 2*s1)", "(3 + s0) // (2 * s1)"),
        ("CeilDiv(s0, 8)", "-(-s0 // 8)"),
        ("PythonMod(s0, 8)", "s0 % 8"),
        ("ModularIndexing(s0, 2, 8)", "s0 // 2 % 8"),
        ("Max(1, FloorDiv(s0, 2))", "max(1, s0 // 2)"),
        ("s0 / 2", "s0 // 2"),
        ("TruncToInt(s0)", "s0"),
        ("math.trunc(s0)", "s0"),
        ("min(4, triton.cdiv(s0, 16))", "min(4, triton.cdiv(s0, 16))"),
        ("not python (", "not python ("),
    ],
)
def test_a_size_stands_alone_as_plain_python(text: str, plain: str) -> None:
    assert Size.of(text).python == plain
    if plain.isascii() and "not" not in plain and "cdiv" not in plain:
        for s0, s1 in ((5, 3), (16, 4), (1, 1)):
            assert eval(plain, {"s0": s0, "s1": s1}) == Size.of(text).bound({"s0": s0, "s1": s1})


def test_a_number_is_a_size_that_leaves_nothing_open() -> None:
    assert Size.of(12).bound({}) == 12 and Size.of("s0").symbols == {"s0"}


def test_each_form_of_a_size_is_one_number() -> None:
    """A ceiling in three spellings; what is no whole number is no size."""
    assert [number(text, {"s0": 100}) for text in ("CeilDiv(s0, 16)", "triton.cdiv(s0, 16)", "(15 + s0) // 16")] == [
        7,
        7,
        7,
    ]
    assert number("s0", {}) is None and number(12, {}) == 12 and number("s0 / 0", {"s0": 1}) is None


def test_sizes_are_equal_where_they_are_the_same_product() -> None:
    assert Size.of("2*s77*3*s27") == Size(6, ("s27", "s77")) == product(map(Size.of, (6, "s27", "s77")))
    assert Size.of("s0**2") == Size.of("s0*s0") and Size.of("1024") == Size(1024) and Size.of("-3") == Size(-3)
    assert Size.of("max(1, s0)") == Size.of("s0") and Size.of("max(1, s0)").bound({"s0": 0}) == 1
    assert Size.of("(s0 + 1)*4") == Size(4, ("(s0 + 1)",)) != Size.of("s0 + 4")


def test_a_quotient_is_exact_for_all_sizes_or_is_none() -> None:
    whole = Size.of("6*s0*s1")
    assert whole.over(Size.of("3*s1")) == Size.of("2*s0") and whole.over(whole) == ONE
    assert whole.over(Size(4)) is None and whole.over(Size.of("s0*s0")) is None and whole.over(Size(0)) is None


def test_a_size_says_what_the_names_in_it_stand_for() -> None:
    meant = {"ks0": "s77", "ks1": "s27 + 1"}
    assert Size.of("4*ks0", meant) == Size.of("4*s77") and Size.of("ks1", meant) == Size(1, ("(s27 + 1)",))
    assert Size.of("ks0 + ks1", meant).bound({"s77": 2, "s27": 3}) == 6
