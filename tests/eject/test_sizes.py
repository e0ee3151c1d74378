"""The symbols of a launch's sizes: where they come from, and a type with its symbols bound."""

from __future__ import annotations

from folders import GENERATIONS

from inductor_lab.eject.sizes import environment, fixed, hints, symbols
from inductor_lab.read import read
from inductor_lab.records import LaunchArgument, TensorType


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
