"""Symbolic sizes: what a text of Inductor's is worth, where its symbols come from, and how it reads as plain Python."""

from __future__ import annotations

import pytest
from folders import GENERATIONS

from inductor_lab.eject.sizes import Dim, environment, fixed, hints, python, symbols
from inductor_lab.read import read
from inductor_lab.records import LaunchArgument, TensorType


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
        ("triton.cdiv(s0, 16)", {"s0": 100}, 7),
        ("math.trunc(s0)", {"s0": 3}, 3),
    ],
)
def test_a_size_is_worked_out(text: str, known: dict[str, int], value: int) -> None:
    assert Dim(text).bound(known) == value
    assert Dim(text).symbols == set(known)


@pytest.mark.parametrize(
    "text", ["s0", "s0 +", "f(3)", "1 // 0", "'a'", "x.y", "1.5", "9**9**9", "2**-1", "__import__('os')", "[1]"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no size that can be worked out"):
        Dim(text).bound({})


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
        ("not python (", "not python ("),
    ],
)
def test_a_size_stands_alone_as_plain_python(text: str, plain: str) -> None:
    assert python(text) == plain
    if plain.isascii() and "not" not in plain:
        for s0, s1 in ((5, 3), (16, 4), (1, 1)):
            assert eval(plain, {"s0": s0, "s1": s1}) == Dim(text).bound({"s0": s0, "s1": s1})


def test_a_number_is_a_size_that_leaves_nothing_open() -> None:
    assert Dim.of(12).bound({}) == 12 and Dim.of("s0").symbols == {"s0"}


def test_a_type_with_its_symbols_bound() -> None:
    type_ = TensorType("float32", ("s77", "2*s27"), ("2*s27", 1))
    assert fixed(type_, {"s77": 3, "s27": 4}) == TensorType("float32", (3, 8), (8, 1))


def test_symbols_are_those_of_shapes_strides_and_sizes() -> None:
    arguments = (
        LaunchArgument("in_ptr0", "arg2_1", TensorType("float32", ("s77", 4), ("4*u0", 1))),
        LaunchArgument("ks0", "FloorDiv(s27, 2)"),
        LaunchArgument("xnumel", "4096"),
        LaunchArgument("in_ptr1", "reinterpret_tensor(buf0, (3,), (1,), 0)['x']"),
    )
    assert symbols(arguments) == {"s77", "u0", "s27"}


def test_a_symbol_of_which_nothing_is_known_differs_from_the_others() -> None:
    found = environment(["s1", "s0", "s7"], {"s7": 512})
    assert found["s7"] == 512 and len(set(found.values())) == 3


def test_inductors_own_benchmark_tells_what_the_symbols_were() -> None:
    (graph, *_) = read([GENERATIONS / "g7_torch_2.13_dynamic.txt"], "x").graphs
    known = hints(graph)
    assert {"s77", "s27"} <= set(known) and all(value > 0 for value in known.values())
