"""In what order a body does what it does: its axes, its steps, what a loop carries on, and why some bodies are not told whole."""

from __future__ import annotations

import pytest
from folders import GENERATIONS
from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    EMBEDDING,
    EMBEDDING_TENSORS,
    LOOPED_SUM,
    LOOPED_SUM_TENSORS,
    PERSISTENT_SUM,
    PERSISTENT_SUM_TENSORS,
    SCATTER,
    SCATTER_TENSORS,
    kernel,
)
from small_kernels import SMALL

from inductor_lab.computation import computation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Assert, Barrier, Define, Effect, Loop, Schedule
from inductor_lab.computation.tree import Carried, Constant, Load, Reduction
from inductor_lab.read import read


def schedule(body: str, tensors: dict[str, str]) -> Schedule:
    return computation(kernel(body, {name: kind.rpartition("]")[0] + "]" for name, kind in tensors.items()})).schedule


def test_the_axis_of_a_pointwise_kernel() -> None:
    (x,) = schedule(ADD_RELU, ADD_RELU_TENSORS).axes
    assert (x.name, x.numel, x.block, x.program) == ("x", 4194304, "XBLOCK", "tl.program_id(0)")
    assert (x.dimension, x.rank, x.dtype) == (0, 1, "int32")
    assert not x.masked and not x.looped and not x.reduced and x.fixed is None


def test_a_mask_that_the_text_tests_is_one() -> None:
    (x,) = schedule(EMBEDDING, EMBEDDING_TENSORS).axes
    assert x.masked


def test_the_axes_of_a_loop_over_blocks() -> None:
    found = schedule(LOOPED_SUM, LOOPED_SUM_TENSORS)
    x, r = found.axes
    assert (x.dimension, r.dimension, r.rank) == (0, 1, 2)
    assert r.reduced and r.looped and r.masked and r.block == "R0_BLOCK" and r.program == ""
    assert found.axis("r0_") is r and found.axis("y") is None


def test_a_row_that_is_held_whole_has_a_block_that_the_body_fixes() -> None:
    x, r = schedule(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS).axes
    assert (r.fixed, r.looped, r.masked) == (128, False, False) and x.fixed is None


def test_positions_that_need_it_are_int64() -> None:
    (x,) = schedule(SMALL["wide"].body, SMALL["wide"].tensors).axes
    assert x.dtype == "int64" and x.program == "tl.program_id(0).to(tl.int64)"


def test_three_axes_have_their_places_in_the_tile() -> None:
    found = schedule(SMALL["rows_of_three"].body, SMALL["rows_of_three"].tensors)
    assert {axis.name: (axis.dimension, axis.rank) for axis in found.axes} == {"y": (0, 3), "x": (1, 3), "r0_": (2, 3)}


def test_steps_stand_in_the_order_of_the_text() -> None:
    """A value that is loaded names its access, a store is an effect, a check an assertion."""
    steps = schedule(EMBEDDING, EMBEDDING_TENSORS).steps
    lines = [step.access.line if isinstance(step, Effect) else step.check.line if isinstance(step, Assert) else step.line
             for step in steps if not isinstance(step, Barrier)]  # fmt: skip
    assert lines == sorted(lines)
    assert [access.pointer for step in steps if isinstance(step, Define) for access in step.loads] == [
        "in_ptr0",
        "in_ptr1",
        "in_ptr2",
    ]
    (check,) = (step.check for step in steps if isinstance(step, Assert))
    assert check.message.startswith("index out of bounds")
    assert isinstance(steps[-1], Effect) and steps[-1].access.pointer == "out_ptr0"


def test_an_atomic_addition_is_an_effect() -> None:
    (effect,) = (step for step in schedule(SCATTER, SCATTER_TENSORS).steps if isinstance(step, Effect))
    assert effect.access.kind == "atomic_add" and "relaxed" in effect.access.keywords


def test_a_loop_carries_its_accumulator() -> None:
    """It starts with a constant, is itself at the beginning of a turn, and behind the loop it is a part of the sum."""
    found = schedule(LOOPED_SUM, LOOPED_SUM_TENSORS)
    (loop,) = (step for step in found.steps if isinstance(step, Loop))
    assert (loop.target, loop.axis) == ("r0_offset", "r0_") and loop.iterator.startswith("tl.range(0, r0_numel")
    (carry,) = loop.carries
    assert carry.name == "_tmp6" and isinstance(carry.start, Constant) and carry.start.value == 0
    assert isinstance(carry.before, Carried) and carry.before.start is carry.start
    assert isinstance(carry.after, Partial) and carry.end is not carry.before
    assert [step.access.pointer for step in loop.steps if isinstance(step, Effect)] == ["in_out_ptr0"]
    behind = found.steps[found.steps.index(loop) + 1 :]
    assert isinstance(behind[0], Define) and isinstance(behind[0].values[0], Reduction)


def test_every_step_comes_once_a_loop_before_what_it_holds() -> None:
    found = schedule(LOOPED_SUM, LOOPED_SUM_TENSORS)
    steps = list(found.every())
    (loop,) = (step for step in steps if isinstance(step, Loop))
    assert steps[steps.index(loop) + 1] is loop.steps[0] and len(set(map(id, steps))) == len(steps)
    loads = [access.pointer for step in steps if isinstance(step, Define) for access in step.loads]
    assert loads == ["in_out_ptr0", "in_ptr0"]
    assert all(isinstance(access.value, Load) for step in steps if isinstance(step, Define) for access in step.loads)


@pytest.mark.parametrize(("name", "carried"), [("welford", 3), ("argmax", 2)])
def test_a_loop_carries_all_parts_of_a_fold(name: str, carried: int) -> None:
    found = schedule(SMALL[name].body, SMALL[name].tensors)
    (loop,) = (step for step in found.steps if isinstance(step, Loop))
    assert len(loop.carries) == carried
    parts = [carry.after.part for carry in loop.carries if isinstance(carry.after, Partial)]
    assert len(set(parts)) == carried
    several = [step for step in loop.steps if isinstance(step, Define) and len(step.names) > 1]
    assert len(several) == 1 and len(several[0].values) == carried


HEAD = """
    xnumel = 3000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
"""
TENSORS = {"in_ptr0": "float32[3000]", "out_ptr0": "float32[3000]"}


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("    tl.store(out_ptr0 + (x0), tmp0, xmask)\n", ""),
        ("    tl.debug_barrier()\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n", ""),
        ("    if xnumel > 3:\n        tl.store(out_ptr0 + (x0), tmp0, xmask)\n", "statements that only some programs do"),
        ("    with tl.scope():\n        tl.store(out_ptr0 + (x0), tmp0, xmask)\n", "a statement that no rule reads: with tl.scope()"),
        ("    here = tl.make_block_ptr(out_ptr0, [3000], [1], [xoffset], [XBLOCK], [0])\n    tl.store(here, tmp0)\n", "addresses that are no sums"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_told_whole_says_why(statements: str, reason: str) -> None:
    found = schedule(HEAD + statements, TENSORS)
    assert found.opaque.startswith(reason) and bool(found.opaque) == bool(reason)


@pytest.mark.parametrize(
    ("file", "category", "reason"),
    [
        ("g7_torch_2.13_foreach", "foreach", "several jobs side by side"),
        ("g7_torch_2.13_combo", "combo", "several jobs side by side"),
        ("g7_torch_2.13_template", "template", "Inductor's template shares out its work itself"),
        ("g5_torch_2.7", "user_autotune", "it is its author's own text"),
        ("g7_torch_2.13_mixed", "persistent_reduction", ""),
        ("g7_torch_2.13_dynamic", "reduction", ""),
    ],
)
def test_kernels_of_every_kind(file: str, category: str, reason: str) -> None:
    found = next(k for k in read([GENERATIONS / f"{file}.txt"], "x").kernels if k.category == category)
    opaque = computation(found).schedule.opaque
    assert opaque.startswith(reason) and bool(opaque) == bool(reason)
