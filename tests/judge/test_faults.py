"""The judge against the catalogue of `tests/faults/`: every planted fault fails, every right variant passes.

A part of it runs in `make test` and `make test-slow`, judged in Triton's interpreter in a few processes; `pytest -m catalogue` runs all of it, in some minutes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from asked import some
from faults import gaming
from faults.catalogue import FAULTS, INTERPRETER_ALONE, RIGHT, WITHIN_ROUNDING
from faults.equivalence import why_equivalent
from faults.judging import Judged, judged
from faults.kernels import edited, ejected, kernels
from faults.mutation import mutants
from faults.records import applied, parted, variants

pytest.importorskip("torch")
pytest.importorskip("triton")

judging = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

SOME_FAULTS = (
    "leaky: the slope is 0.0101 for 0.01", "layer_norm: the weight is applied behind the bias", "strided: it reads neighbours",
    "relu: the last element is left out", "relu: a NaN becomes 0", "column_sum: the accumulator is bfloat16's", "broadcast: it writes its input",
    "softmax: the first call only",
)  # fmt: skip
SOME_RIGHT = ("relu: tensor descriptors",)
MORE_FAULTS = (
    "gelu: 1 / sqrt(2) has three digits", "shifted: the mask has one bit less", "closest: each is the other", "transposed: it writes as it read",
    "relu: the store has none", "softmax: zeros, in a kernel", "cumsum: each element is left out of its own sum",
    "total_2: the last part is left out",
)  # fmt: skip
MORE_RIGHT = (
    "layer_norm: tl.rsqrt, and an fma",
    "relu: a larger block", "softmax: multiplied by the reciprocal of the sum", "leaky: a helper of its own", "softmax: other names",
    "row_sum: Kahan's",
)  # fmt: skip


def wrongly_judged(faults: Sequence[Judged], right: Sequence[Judged]) -> list[str]:
    """What is not as the catalogue has it, less what is within rounding."""
    passed = [
        f"{one.variant.name}: passes" for one in faults if not one.rejected and one.variant.name not in WITHIN_ROUNDING
    ]
    silent = [
        f"{one.variant.name}: says {one.message!r}" for one in faults if one.rejected and one.variant.says not in one.message
    ]  # fmt: skip
    rejected = [
        f"{one.variant.name}: {one.message}" for one in right if one.rejected
    ]  # fmt: skip
    made_to_pass = {fault.name for fault in gaming.FAULTS}  # what they break may be what runs them
    broken = [
        f"{one.variant.name}: {one.message}" for one in faults if one.does_not_run and one.variant.name not in made_to_pass
    ]  # fmt: skip
    return passed + silent + broken + rejected


@judging
@pytest.mark.parametrize(
    "name", some([*SOME_FAULTS, *SOME_RIGHT, *MORE_FAULTS, *MORE_RIGHT], [*SOME_FAULTS, *SOME_RIGHT])
)
def test_a_part_of_the_catalogue_is_judged_rightly(name: str, tmp_path: Path) -> None:
    faults, right = ([one for one in catalogue if one.name == name] for catalogue in (FAULTS, RIGHT))
    assert faults or right
    assert not wrongly_judged(judged(faults, tmp_path), judged(right, tmp_path))


@judging
@pytest.mark.catalogue
def test_the_whole_catalogue_is_judged_rightly(tmp_path: Path) -> None:
    faults = [fault for fault in FAULTS if not fault.gpu]
    assert not wrongly_judged(judged(faults, tmp_path), judged(RIGHT, tmp_path))


@pytest.mark.slow
def test_every_edit_fits_its_file_and_stays_python() -> None:
    for variant in (*FAULTS, *RIGHT):
        assert compile(parted(edited(variant))[0], variant.name, "exec")


def test_names_are_keys() -> None:
    names = Counter(variant.name for variant in (*FAULTS, *RIGHT))
    assert max(names.values()) == 1
    assert {fault.name for fault in FAULTS} >= WITHIN_ROUNDING.keys() | INTERPRETER_ALONE


def test_the_catalogue_is_large_enough() -> None:
    assert len(FAULTS) >= 120 and len(RIGHT) >= 60
    assert len({fault.kernel for fault in FAULTS}) >= 20
    for dtype in ("float32", "bfloat16", "float16", "int64", "bool"):
        assert any(f"torch.{dtype}, " in ejected(fault.kernel) for fault in FAULTS)
    assert min(Counter(fault.kind for fault in FAULTS if not fault.gpu).values()) >= 2


def test_an_edit_sees_only_what_is_there_to_be_edited() -> None:
    text = ejected("closest")
    changed = applied(text, (("first = (a < b)", "first = (a <= b)"),))
    assert (
        changed.count("first = (a <= b)") == 1 and changed.count("first = (a < b)") == text.count("first = (a < b)") - 1
    )


def test_an_edit_that_changes_nothing_is_an_error() -> None:
    (missing, same) = variants(
        "none", ("relu", "is not there", ("no such text", "")), ("relu", "is the same", ("inside", "inside"))
    )
    with pytest.raises(ValueError, match="no such text"):
        edited(missing)
    with pytest.raises(ValueError, match="nothing"):
        edited(same)


def test_a_mutant_is_one_change_of_the_kernel() -> None:
    text = ejected("leaky")
    made = {(mutant.before, mutant.after): mutant for mutant in mutants("leaky", text)}
    mutant = made["arg0 > 0.0", "((arg0) >= (0.0))"]
    assert mutant.text == text.replace("tl.where(arg0 > 0.0,", "tl.where(((arg0) >= (0.0)),", 1)
    assert mutant.line == text[: text.index("arg0 > 0.0")].count("\n") + 1
    kinds = {mutant.kind for mutant in made.values()}
    assert kinds >= {
        "operator",
        "operand dropped",
        "comparison",
        "mask by one",
        "mask dropped",
        "constant",
        "arguments swapped",
    }


def test_mutants_stay_python() -> None:
    for name in ("softmax", "max_pool", "cross_entropy_2", "embedding_backward_2"):
        for mutant in mutants(name, ejected(name)):
            assert compile(parted(mutant.text)[0], mutant.name, "exec")


@pytest.mark.parametrize(
    ("kernel", "before", "after", "why"),
    [
        ("softmax", "inside_r & inside", "(inside_r)", "lanes outside"),  # of the where below; a load's is a fault
        ("softmax", "1", "(-1)", "axis"),
        ("leaky", "arg0 > 0.0", "((arg0) >= (0.0))", "both arms"),
        ("average_pool", "column * 2 + 1 < ARG0_COLUMNS", "((column * 2 + 1) <= (ARG0_COLUMNS))", ""),
        ("threshold", "arg0 > 3.0", "((arg0) >= (3.0))", ""),
        ("relu", "inside", "None", ""),
    ],
)
def test_equivalence_is_claimed_by_a_rule_only(kernel: str, before: str, after: str, why: str) -> None:
    found = [one for one in mutants(kernel, ejected(kernel)) if (one.before, one.after) == (before, after)]
    claims = [why_equivalent(one) for one in found]
    assert found and (any(why in claim for claim in claims) if why else not any(claims))


def test_what_is_read_outside_is_no_equivalent() -> None:
    for one in mutants("softmax", ejected("softmax")):
        if "tl.load" in one.text.splitlines()[one.line - 1] and one.kind in (
            "mask dropped",
            "operand dropped",
            "mask by one",
        ):
            assert not why_equivalent(one), one.name


def test_every_kernel_of_the_models_is_there() -> None:
    assert len(kernels()) >= 80
    assert {"softmax", "embedding_backward_2", "cross_entropy_2"} <= kernels().keys()
