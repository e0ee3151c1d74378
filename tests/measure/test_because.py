"""What is said to explain a difference: each rule where it holds and where it does not, and never against what the times say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inductor_lab.gpus import GPUS
from inductor_lab.machine.instructions import by_kind, has_loop, kind_of
from inductor_lab.machine.targets import residency
from inductor_lab.measure.why import reasons
from inductor_lab.measure.why.reasons import Side, because
from inductor_lab.records import MachineCode, Residency

H200 = GPUS["h200"]
PLAIN = MachineCode(
    "k", "h200", "sm_90", 32, 0, 0, 4, {"LDG.E.128": 6}, {"STG.E.128": 2}, {}, {"fp32": 24, "integer": 76}, False
)
FULL = Residency(4096, 16, "threads", 1.0, 4096 / (16 * 132))


def side(programs: int = 4096, filled: dict[str, Any] | None = None, **code: Any) -> Side:
    """A kernel that is like the plain one but for what is given."""
    made = replace(PLAIN, **code)
    return Side((made,), (replace(residency(made, programs, H200), **(filled or {})),))


def with_kinds(**counts: int) -> dict[str, int]:
    return {"fp32": 24, "integer": 76, **{kind.replace("_", " "): count for kind, count in counts.items()}}


LOOPED = {"loops": True}

FIRES = [
    ("spills", side(spills=96), "spills 96 bytes a thread to local memory, the other none"),
    ("narrower_loads", side(loads={"LDG.E": 24}), "loads in narrower pieces: 24 LDG.E, the other 6 LDG.E.128"),
    ("narrower_stores", side(stores={"STG.E.64": 4}), "stores in narrower pieces: 4 STG.E.64, the other 2 STG.E.128"),
    ("more_bytes", side(loads={"LDG.E.128": 8}), "its loads and stores for 83.9 MB at most, the other's for 67.1 MB"),
    ("more_launches", Side((PLAIN, PLAIN), (FULL, FULL)), "launches 2 kernels, the other 1"),
    ("few_programs", side(programs=1), "leaves SMs idle: 1 program for 132, the other 4,096"),
    ("few_programs", side(programs=64), "leaves SMs idle: 64 programs for 132, the other 4,096"),
    (
        "tail_wave",
        side(filled={"waves": 1.1}),
        "ends in a wave that is 10% full: 1.10 waves of programs, the other 1.94",
    ),
    ("lower_occupancy", side(registers=168), "of what the card holds, by 168 registers a thread, the other 100%"),
    ("lower_occupancy", side(shared_memory=100_000), "by 100.0 KB of shared memory a program, the other 100%"),
    (
        "expensive_instructions",
        side(instructions=with_kinds(special_functions=8)),
        "has more special functions: 131,072",
    ),
    ("expensive_instructions", side(instructions=with_kinds(barriers=4), **LOOPED), "4 in its code, the other none"),
    (
        "more_instructions",
        side(instructions=with_kinds(integer=96)),
        "runs 20% more instructions, most of them integer",
    ),
]
SILENT = [
    ("spills", side(spills=None)),  # the target does not tell
    ("narrower_loads", side(loads={"LDG.E.128": 5, "LDG.E": 1})),  # a scalar beside wide ones
    ("narrower_loads", side(loads={"UTMALDG.2D": 1})),  # a bulk copy's name tells no width
    ("narrower_stores", side(stores={"STG.E.128": 2, "RED.E.ADD.F32.FTZ.RN": 4})),  # an atomic is no narrow store
    (
        "more_bytes",
        side(programs=2048, loads={"LDG.E.128": 12}, stores={"STG.E.128": 4}),
    ),  # twice the work in half the programs
    ("more_bytes", side(loads={"LDG.E.128": 8}, **LOOPED)),  # what a loop asks for is not known
    ("more_launches", side()),
    ("few_programs", side(programs=133)),
    ("tail_wave", side(filled={"waves": 7.1})),  # one of eight
    ("tail_wave", side(filled={"waves": 0.6})),  # nothing waits for a second wave
    ("lower_occupancy", side(registers=48)),  # 62 % is enough
    ("lower_occupancy", side(programs=100, registers=168)),  # the programs are too few for registers to matter
    ("expensive_instructions", side(instructions=with_kinds(barriers=4), programs=8)),  # few run
    ("expensive_instructions", side(instructions={}, **LOOPED)),  # not read
    ("more_instructions", side(instructions=with_kinds(integer=80))),  # 4 %
    ("more_instructions", side(instructions=with_kinds(integer=960), **LOOPED)),
]


@pytest.mark.parametrize(("rule", "one", "says"), FIRES, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(FIRES)])
def test_a_rule_says_what_is_worse_and_not_of_the_better_one(rule: str, one: Side, says: str) -> None:
    found = getattr(reasons, rule)
    assert says in found(one, side(), H200)
    assert found(side(), one, H200) == "" and found(one, one, H200) == ""


@pytest.mark.parametrize(("rule", "one"), SILENT, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(SILENT)])
def test_a_rule_is_silent_where_it_does_not_hold(rule: str, one: Side) -> None:
    assert getattr(reasons, rule)(one, side(), H200) == ""


def test_products_without_tensor_cores_are_told() -> None:
    with_cores = side(instructions=with_kinds(tensor_cores=16))
    assert reasons.no_tensor_cores(side(), with_cores, H200) == "multiplies without tensor cores, the other with them"
    assert reasons.no_tensor_cores(with_cores, side(), H200) == ""
    assert reasons.no_tensor_cores(side(instructions={}), with_cores, H200) == "", "not read is not none"


def test_every_rule_is_tested() -> None:
    tested = {rule for rule, *_ in FIRES} | {"no_tensor_cores"}
    assert tested == {rule.__name__ for rule in reasons.RULES}


# ---------------------------------------------------------------- sentences

SPILLING, SCALAR = side(spills=96), side(loads={"LDG.E": 24})


def test_the_strongest_reason_comes_first_and_the_times_say_whose_it_is() -> None:
    slow = side(spills=96, loads={"LDG.E": 24})
    first, second = because("slower", True, slow, side(), H200)
    assert first.startswith("Most likely slower because the hand kernel spills 96 bytes")
    assert second.startswith("Also, the hand kernel loads in narrower pieces")
    (only,) = because("faster", True, side(), SPILLING, H200)
    assert only.startswith("Most likely faster because the generated kernel spills")


@pytest.mark.parametrize(("verdict", "hand", "generated"), [("faster", SPILLING, side()), ("slower", side(), SCALAR)])
def test_what_speaks_against_the_times_explains_nothing(verdict: str, hand: Side, generated: Side) -> None:
    (only,) = because(verdict, True, hand, generated, H200)
    assert only.startswith("Nothing that was looked at explains it: spills, width of loads and stores, bytes asked for")


def test_of_equal_kernels_nothing_is_explained() -> None:
    assert because("same", True, side(), side(), H200) == ()
    assert because("slower", True, side(), side(), H200)[0].startswith("Nothing that was looked at explains it")


@pytest.mark.parametrize("verdict", ["same", "inconclusive"])
def test_where_no_difference_is_seen_none_is_claimed(verdict: str) -> None:
    (only,) = because(verdict, True, SPILLING, side(), H200)
    assert "faster" not in only and "slower" not in only
    assert ("no difference in time is seen" in only) == (verdict == "same")


def test_without_times_it_says_what_differs_and_nothing_of_speed() -> None:
    (only,) = because("inconclusive", False, SPILLING, side(), H200)
    assert only == "The hand kernel spills 96 bytes a thread to local memory, the other none."
    (nothing,) = because("inconclusive", False, side(), side(), H200)
    assert nothing.startswith("Nothing that was looked at differs enough to matter")


def test_only_what_was_looked_at_is_named() -> None:
    cuda = Side((PLAIN,))  # no programs are known of a .cu file
    (nothing,) = because("slower", True, cuda, side(), H200)
    assert nothing == "Nothing that was looked at explains it: spills, width of loads and stores, instructions by kind."
    assert because("slower", True, Side(()), Side(()), H200) == ()


def test_the_narrow_tail_of_a_cuda_kernel_is_no_narrow_load() -> None:
    cuda = Side((replace(PLAIN, loads={"LDG.E": 6, "LDG.E.128": 3}),))
    assert reasons.narrower_loads(cuda, side(), H200) == ""
    assert reasons.narrower_loads(Side((replace(PLAIN, loads={"LDG.E": 6}),)), side(), H200)


# ---------------------------------------------------------------- facts


def test_what_limits_the_programs_of_a_multiprocessor_is_named() -> None:
    found = residency(replace(PLAIN, registers=168), 4096, H200)
    assert (found.limit, found.held, found.occupancy) == ("registers", 3, 12 / 64)
    assert found.waves == pytest.approx(4096 / 396)


SASS = """
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   IMAD.MOV.U32 R8, RZ, RZ, 0x33 ;
.L_x_1:
        /*0020*/              @!P0 LDG.E.128 R8, desc[UR6][R2.64] ;
        /*0030*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24 ;
        /*0040*/                   MUFU.EX2 R0, R0 ;
        /*0050*/               @P0 BRA `(.L_x_1) ;
        /*0060*/                   RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5 ;
        /*0070*/                   EXIT ;
.L_x_0:
        /*0080*/                   BRA `(.L_x_0);
        /*0090*/                   NOP;
"""


def test_instructions_are_counted_by_what_they_do_and_padding_is_none() -> None:
    assert by_kind(SASS) == {
        "global loads": 1,
        "global atomics": 1,
        "constant loads": 1,
        "special functions": 1,
        "moves and selections": 1,
        "branches": 2,
        "tensor cores": 1,
    }
    assert kind_of("IMAD.WIDE") == "integer" and kind_of("QUITE.NEW") == "other"


def test_the_branch_to_itself_at_the_end_is_no_loop() -> None:
    assert has_loop(SASS)
    assert not has_loop(SASS.replace("@P0 BRA `(.L_x_1)", "@P0 BRA `(.L_x_0)"))
