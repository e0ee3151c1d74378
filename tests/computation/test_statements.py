"""What each statement of a body is, as it is recorded beside the trees."""

from __future__ import annotations

import pytest
from folders import GENERATIONS
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, LOOPED_SUM, LOOPED_SUM_TENSORS, kernel

from inductor_lab.computation import computation
from inductor_lab.computation.schedule import Alias, Define, Effect, Fixed, Frame, Loop, Said, What
from inductor_lab.read import read


def told(body: str, category: str = "pointwise") -> dict[int, What]:
    found = computation(kernel(body, {"in_ptr0": "float32[64]", "out_ptr0": "float32[64]"}, category=category))
    return {statement.line: statement.what for statement in found.told}


def test_a_pointwise_body() -> None:
    found = computation(kernel(ADD_RELU, ADD_RELU_TENSORS))
    kinds = [statement.what for statement in found.told]
    assert kinds[:4] == [Frame("numel", "x"), Frame("offset", "x"), Frame("index", "x"), Frame("mask", "x")]
    assert isinstance(kinds[-2], Define) and isinstance(kinds[-1], Effect)
    steps = [kind for kind in kinds if isinstance(kind, (Define, Effect))]
    assert steps == list(found.schedule.steps)  # the schedule's own, which are compared by identity


def test_a_loop_stands_before_what_it_holds() -> None:
    found = computation(kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction"))
    at = next(place for place, statement in enumerate(found.told) if isinstance(statement.what, Loop))
    loop = found.told[at]
    assert loop.last == loop.line and found.told[at + 1].what == Frame("index", "r0_")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("rindex = r0_index", Alias("r0_index")),
        ("RBLOCK: tl.constexpr = R0_BLOCK", Alias("R0_BLOCK")),
        ("R0_BLOCK: tl.constexpr = 128", Frame("block", "r0_", 128)),
        ("r0_offset = 0", Frame("start", "r0_")),
        ("rsplit_id = tl.program_id(0)", Frame("share")),
        ("HAS_RSPLIT: tl.constexpr = RSPLIT > 1", Frame("sharers")),
        ("rsplit_end = rsplit_chunk * (rsplit_id + 1)", Frame("share")),
        ("triton_helpers.x_grid_barrier(sem_ptr)", Frame("wait")),
        ("tl.assume(ks0 > 0)", Said("promise", "ks0 > 0")),
        ("tl.static_assert(ks0 > 0)", Said("checked", "ks0 > 0")),
        ("del tmp0", Said("")),
    ],
)
def test_one_statement(line: str, what: What) -> None:
    assert told(f"    {line}\n") == {1: what}


def test_a_template_s_words_are_no_frame() -> None:
    found = told("    GROUP_M: tl.constexpr = 8\n    xindex = 3 * 5\n    if GROUP_M > 4:\n        return\n", "template")
    assert found[1] == Fixed("8") and isinstance(found[2], Define)
    assert (found[3], found[4]) == (Said("only where", "GROUP_M > 4"), Said("return"))


def test_each_job_has_its_own() -> None:
    (found,) = (
        k for k in read([GENERATIONS / "g7_torch_2.13_combo.txt"], "x").kernels if k.name.endswith("poi_fused_0")
    )
    whole = computation(found)
    pieces = [statement.what.piece for statement in whole.told if isinstance(statement.what, Frame)]
    assert pieces == ["program", "end", "end", "job", "next job", "nothing"]
    assert all(job.told[0].what == Frame("number") for job in whole.parts)
    lines = [statement.line for job in whole.jobs() for statement in job.told]
    assert len({*lines}) == len(lines), "a line is told once"


@pytest.mark.parametrize(
    ("test", "what"),
    [
        ("HAS_RSPLIT", Frame("shared")),
        ("rsplit_id == (0 % RSPLIT)", Frame("one")),
        ("RSPLIT_IS_POWER_OF_2", Frame("power")),
        ("rsplit_id == tl.program_id(1) + ks0", Said("only where", "rsplit_id == tl.program_id(1) + ks0")),
    ],
)
def test_what_decides_in_a_shared_row(test: str, what: What) -> None:
    assert told(f"    if {test}:\n        pass\n")[1] == what
