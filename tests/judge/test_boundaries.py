"""Inputs on the boundaries of what a kernel compares, and the count of which comparison was taken which way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab import store  # noqa: E402
from inductor_lab.eject import eject  # noqa: E402
from inductor_lab.ejected import load  # noqa: E402
from inductor_lab.judge.alone import drawn as normal  # noqa: E402
from inductor_lab.judge.inputs import placement  # noqa: E402
from inductor_lab.judge.inputs.boundaries import (  # noqa: E402
    beside,
    on_boundaries,
)
from inductor_lab.judge.inputs.coverage import Coverage  # noqa: E402

N = 4096
Rows = tuple[tuple[str, Any, Any], ...]


def file(compares: Callable[..., Rows], **arguments: tuple[Any, ...]) -> SimpleNamespace:
    """What an ejected file says, for tensors given as (shape, dtype, fill) by name."""
    held = {}
    for name, (shape, dtype, fill) in arguments.items():
        strides = torch.empty(shape).stride()
        held[name] = (shape, strides, dtype, fill)
    return SimpleNamespace(compares=compares, ARGUMENTS=held, TAKES=tuple(arguments))


def drawn(made: SimpleNamespace, seed: int = 0) -> dict[str, Any]:
    return {name: view.clone() for name, view in normal(made.ARGUMENTS, seed, "cpu").items()}


def counts(made: SimpleNamespace, values: dict[str, Any]) -> list[tuple[int, int, int]]:
    coverage = Coverage(made)
    coverage.add(values)
    return [one.counts for one in coverage.taken]


FORMS: dict[str, Callable[..., Rows]] = {
    "a number": lambda x, y: (("x > 0.3", x, 0.3),),
    "zero": lambda x, y: (("relu(x)", x, 0.0),),
    "a sum": lambda x, y: (("relu(total)", x.float() + y.float(), 0.0),),
    "two tensors": lambda x, y: (("maximum(x, y)", x, y),),
    "a function": lambda x, y: (("product > 2.25", x.float() * x.float(), 2.25),),
    "what rounds": lambda x, y: (("floor(x)", x, torch.round(x)),),
    "a transposed tensor": lambda x, y: (("x > y", x.reshape(64, 64).T, y.reshape(64, 64)),),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("form", FORMS)
def test_a_comparison_is_taken_both_ways_and_on_its_boundary(form: str, dtype: str) -> None:
    held = ((N,), getattr(torch, dtype), "normal")
    made = file(FORMS[form], x=held, y=held)
    below, on, above = counts(made, on_boundaries(made, drawn(made), 3))[0]
    assert min(below, on, above) > N / 8


def test_a_third_lies_on_the_boundary_a_third_beside_it_and_a_third_as_it_was_drawn() -> None:
    made = file(FORMS["a number"], x=((N,), torch.float32, "normal"), y=((N,), torch.float32, "normal"))
    before = drawn(made)
    after = on_boundaries(made, before, 3)
    limit = torch.tensor(0.3)
    on, as_drawn = after["x"] == limit, after["x"] == before["x"]
    near = (after["x"] == beside(limit, 1)) | (after["x"] == beside(limit, -1))
    assert all(abs(float(part.double().mean()) - 1 / 3) < 0.05 for part in (on, near, as_drawn))
    assert torch.equal(after["y"], before["y"])
    assert torch.equal(before["x"], drawn(made)["x"]), "what was drawn is left as it was"


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    made = file(FORMS["a sum"], x=((N,), torch.float32, "normal"), y=((N,), torch.float32, "normal"))
    one, again, other = (on_boundaries(made, drawn(made), seed) for seed in (3, 3, 4))
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["x"], other["x"])


def test_several_comparisons_share_the_elements() -> None:
    made = file(
        lambda x: (("x > 1.0", x, 1.0), ("x < -1.0", x, -1.0), ("abs(x)", x, 0.0)), x=((N,), torch.float32, "normal")
    )
    for below, on, above in counts(made, on_boundaries(made, drawn(made), 3)):
        assert on > N / 16 and below > N / 16 and above > N / 16


def test_the_rows_of_a_sum_come_beside_the_boundary_by_any_of_their_elements() -> None:
    made = file(lambda x: (("total > 3.0", x.sum(-1), 3.0),), x=((256, 64), torch.float32, "normal"))
    ((below, _, above),) = counts(made, on_boundaries(made, drawn(made), 3))
    after = on_boundaries(made, drawn(made), 3)["x"].double().sum(-1)
    near = (after - 3).abs()
    assert below and above and (near < 0.05).sum() > 100 and (near < 1e-4).sum() < 5


def test_a_tie_of_the_largest_two_is_made() -> None:
    def best(x: Any) -> Rows:
        values = torch.topk(x, 2).values
        return (("argmax: the best and the next", values[..., 0], values[..., 1]),)

    made = file(best, x=((1, N), torch.float32, "normal"))
    assert counts(made, drawn(made)) == [(0, 0, 1)]
    assert counts(made, on_boundaries(made, drawn(made), 3)) == [(0, 1, 0)]


def test_elements_beside_those_of_another_tensor_are_told_apart_where_each_decides_many() -> None:
    made = file(
        lambda x, y: (("minimum(x, y)", x[:, None], y[None, :]),),
        x=((64,), torch.float32, "normal"),
        y=((50,), torch.float32, "normal"),
    )
    ((_, on, _),) = counts(made, on_boundaries(made, drawn(made), 3))
    assert on >= 5


@pytest.mark.parametrize(("fill", "bound"), [("positive", 0.0), ("unit", 1.0), ("above_one", 1.0)])
def test_what_must_stay_in_its_domain_does(fill: str, bound: float) -> None:
    made = file(lambda x: (("x > bound", x, bound), ("x > 0.5", x, 0.5)), x=((N,), torch.float32, fill))
    after = on_boundaries(made, drawn(made), 3)["x"]
    assert {"positive": after > 0, "unit": after.abs() < 1, "above_one": after >= 1}[fill].all()


def test_whole_numbers_are_moved_to_what_they_are_compared_with_inside_their_range() -> None:
    held = ((N,), torch.int64, (-50, 50, -100))
    made = file(lambda i: (("i < 0", i, 0), ("i != -100", i, -100), ("i > 70", i, 70)), i=held)
    after = on_boundaries(made, drawn(made), 3)
    zero, sentinel, never = counts(made, after)
    assert min(zero) > N / 16 and sentinel[1] > N / 16 and never[1] == never[2] == 0
    assert (((after["i"] >= -50) & (after["i"] < 50)) | (after["i"] == -100)).all()


WHOLE_FORMS: dict[str, Callable[..., Rows]] = {
    "the sign of a column": lambda i, j: (("i[:, None, 3] + 1 < 0", i[:, None, 3] + 1, 0),),
    "a transposed tensor": lambda i, j: (("i.T < j", i.T, j.T),),
    "the right side": lambda i, j: (("3 < i", torch.tensor(3), i),),
    "twice a number": lambda i, j: (("2 * i < 6", 2 * i, 6),),
    "a remainder": lambda i, j: (("(i + 1) % 7 < 4", (i + 1) % 7, 4),),
    "a table's row": lambda i, j: (("table[i] < 5", torch.arange(-50, 50)[i], 5),),
    "a float": lambda i, j: (("i < 0.5", i.double(), 2.0),),
    "both of two": lambda i, j: (("i < j", i, j), ("j < i[:1]", j, i[:1])),
}


@pytest.mark.parametrize("form", WHOLE_FORMS)
def test_a_whole_number_s_element_is_found_wherever_it_is_compared(form: str) -> None:
    held = ((64, 64), torch.int64, (-50, 50))
    made = file(WHOLE_FORMS[form], i=held, j=held)
    before, after = (counts(made, values) for values in (drawn(made), on_boundaries(made, drawn(made), 3)))
    for (_, was, _), (below, on, above) in zip(before, after, strict=True):
        total = below + on + above
        assert on - was > total / 8 and below > total / 16


def test_an_expanded_tensor_stays_one_row_and_two_names_of_a_tensor_stay_one() -> None:
    made = file(
        lambda x, y: (("x > y", x, y),), x=((8, N), torch.float32, "normal"), y=((8, N), torch.float32, "normal")
    )
    made.ARGUMENTS["x"] = ((8, N), (0, 1), torch.float32, "normal")
    made.ARGUMENTS["out"] = ((8, N), (N, 1), torch.float32, ("same", "y"))
    values = drawn(made)
    values["x"] = values["x"][:1].clone().expand(8, N)
    after = on_boundaries(made, values, 3)
    assert torch.equal(after["x"], after["x"][:1].expand(8, N))
    assert torch.equal(after["out"], after["y"])


def test_a_file_that_compares_nothing_keeps_its_inputs() -> None:
    made = file(lambda: (), x=((8,), torch.float32, "normal"))
    del made.compares
    values = drawn(made)
    assert torch.equal(on_boundaries(made, values, 3)["x"], values["x"])
    coverage = Coverage(made)
    coverage.add(values)
    assert coverage.missing() == []


def test_coverage_says_what_no_case_tried_and_no_more() -> None:
    def compares(x: Any) -> Rows:
        return (("x > 0.0", x, 0.0), ("abs(x)", x.abs(), 0.0), ("x > 900.0", x, 900.0))

    made = file(compares, x=((N,), torch.float32, "normal"))
    coverage = Coverage(made)
    coverage.add(drawn(made))
    assert coverage.missing() == [
        "`x > 900.0` was never tried above its boundary",
        "no input was found exactly on the boundary of `x > 0.0`, `abs(x)`, `x > 900.0`",
    ]
    coverage.add(on_boundaries(made, drawn(made), 3))
    assert coverage.missing() == []


def test_of_many_comparisons_coverage_names_a_few() -> None:
    def compares(x: Any) -> Rows:
        return tuple((f"x > {bound}", x, float(bound)) for bound in range(900, 926))

    coverage = Coverage(made := file(compares, x=((N,), torch.float32, "normal")))
    coverage.add(drawn(made))
    *named, others, exactly = coverage.missing()
    assert len(named) == 4 and others == "of other boundaries 22 sides were never tried"
    assert exactly.endswith("of `x > 900`, `x > 901`, `x > 902`, `x > 903` and 22 more")


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_the_next_float_is_the_next(dtype: str) -> None:
    x = torch.tensor([1.0, -1.0, 0.0, -0.0, 3.5], dtype=getattr(torch, dtype))
    up = beside(x, 1)
    assert (up > x).all() and torch.equal(beside(up, -1), x)
    if dtype in ("float32", "float64"):
        assert torch.equal(up, torch.nextafter(x, torch.full_like(x, torch.inf)))


@pytest.mark.parametrize(("capture", "said"), [("dlrm_h200_virtual", "relu("), ("sparse_ffn_h200_virtual", "< 0")])
def test_an_ejected_file_is_taken_every_way(tmp_path: Path, capture: str, said: str) -> None:
    held = store.load(CAPTURED / capture)
    texts = (eject(held, each) for each in held.kernels)
    path = tmp_path / "kernel.py"
    path.write_text(next(text for text in texts if said in text.partition("def compares(")[2]))
    made = load(path).module
    values = {name: view.clone() for name, view in normal(made.ARGUMENTS, 0, "cpu").items()}
    coverage = Coverage(made)
    coverage.add(on_boundaries(made, values, 3))
    assert coverage.taken and all(all(one.counts) for one in coverage.taken) and not coverage.missing()


def test_where_a_card_is_too_small_the_cpu_seeks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement.alone, "DEVICE", "meta")
    tried = []

    def found(device: str, error: Exception) -> str:
        tried.append(device)
        if device == "meta":
            raise error
        return device

    assert placement.with_room(partial(found, error=torch.OutOfMemoryError("CUDA out of memory."))) == "cpu"
    with pytest.raises(ValueError, match="another"):
        placement.with_room(partial(found, error=ValueError("another")))
    assert tried == ["meta", "cpu", "meta"]
