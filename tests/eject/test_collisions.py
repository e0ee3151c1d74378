"""Indices of a store: which of them must differ, and that the judge draws them so."""

from __future__ import annotations

import textwrap

import pytest
from kernels_as_text import ROWS_OF_20, kernel

from inductor_lab.computation import computation
from inductor_lab.eject.inputs.collisions import Collisions, collisions
from inductor_lab.eject.inputs.solver import inputs

HEAD = ROWS_OF_20
ROWS = "tl.store(out_ptr0 + (tmp0 + 40*x1), tmp1, xmask)"


def asked(lines: str, **tensors: str) -> Collisions:
    made = kernel(HEAD + textwrap.dedent(lines), tensors)
    types = {a.name: a.type for a in made.launches[0].arguments if a.type is not None}
    found = computation(made)
    return collisions(found, types, inputs(found, types), {})


def stored(index: str, value: str, store: str, of: str, out: str) -> Collisions:
    lines = f"tmp0 = tl.load(in_ptr0 + ({index}), xmask)\ntmp1 = {value}\n{store}\n"
    return asked(lines, in_ptr0=of, in_ptr1="float32[30, 20]", out_ptr0=out)


LOADED = "tl.load(in_ptr1 + (x2), xmask)"


@pytest.mark.parametrize(
    ("index", "of", "store", "out", "along"),
    [
        ("x2", "int64[30, 20]", ROWS, "float32[30, 40]", (1,)),
        ("x2", "int64[30, 20]", "tl.store(out_ptr0 + (x0 + 20*tmp0), tmp1, xmask)", "float32[40, 20]", (0,)),
        ("x2", "int64[30, 20]", "tl.store(out_ptr0 + (tmp0), tmp1, xmask)", "float32[700]", (0, 1)),
        ("x1", "int64[30]", "tl.store(out_ptr0 + (x0 + 20*tmp0), tmp1, xmask)", "float32[40, 20]", (0,)),
        ("x0", "int64[20]", ROWS, "float32[30, 40]", (0,)),
        ("x0", "int64[20]", "tl.store(out_ptr0 + (tmp0 + 10 + 40*x1), tmp1, xmask)", "float32[30, 40]", (0,)),
    ],
)
def test_what_the_rest_of_the_address_does_not_tell_apart_must_differ(
    index: str, of: str, store: str, out: str, along: tuple[int, ...]
) -> None:
    assert stored(index, LOADED, store, of, out) == Collisions({"in_ptr0": along})


def test_a_store_of_one_value_and_an_atomic_operation_ask_nothing() -> None:
    assert stored("x2", "1.0", ROWS, "int64[30, 20]", "float32[30, 40]") == Collisions()
    atomic = "tl.atomic_add(out_ptr0 + (tmp0 + 40*x1), tmp1, xmask, sem='relaxed')"
    assert stored("x2", LOADED, atomic, "int64[30, 20]", "float32[30, 40]") == Collisions()


@pytest.mark.parametrize(
    ("index", "of", "out"),
    [
        ("x2", "int64[30, 20]", "float32[30, 15]"),  # 20 indices of 15 places
        ("x1", "int64[30]", "float32[30, 40]"),  # no index tells x0 apart
    ],
)
def test_what_must_collide_is_told(index: str, of: str, out: str) -> None:
    store = ROWS.replace("40", out[-3:-1])
    assert stored(index, LOADED, store, of, out) == Collisions({}, ["out_ptr0"])


@pytest.mark.parametrize("along", [(0,), (1,), (2,), (0, 2), (2, 1), (0, 1, 2)])
def test_the_judge_draws_indices_that_differ(along: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    from inductor_lab.judge.alone import valid_values

    shape = (4, 5, 6)
    for high in (120, 1000):
        generator = torch.Generator().manual_seed(high)
        drawn = valid_values(shape, torch.int64, (0, high, "distinct", *along), generator)
        assert drawn.min() >= 0 and drawn.max() < high
        rest = [d for d in range(3) if d not in along]
        for row in (
            drawn.permute(*rest, *along).flatten(len(rest)).reshape(-1, torch.Size(shape[d] for d in along).numel())
        ):
            assert len(set(row.tolist())) == row.numel()
