"""Broken and hostile logs: a few hundred here, ten thousand in tests/benchmarks/fuzz.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "benchmarks"))
from fuzz import attempt
from mutations import HOSTILE, MUTATIONS
from test_read import MODULE, as_log

from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.read.whole import harmless, parsable, too_tall


@pytest.mark.parametrize("batch", range(10))
def test_no_mutated_log_breaks_the_tool_slows_it_or_makes_it_write(batch: int) -> None:
    for seed in range(batch * 20, batch * 20 + 20):
        outcome = attempt(seed)
        assert outcome.outcome in ("read", "refused"), outcome
        assert outcome.times_original <= 10, outcome


@pytest.mark.parametrize("place", [0, 10, 45, -5])
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_line_costs_what_it_is_and_nothing_else(number: int, place: int, tmp_path: Path) -> None:
    lines = MODULE.splitlines()
    lines[place] = HOSTILE[number]
    path = tmp_path / "run.log"
    path.write_bytes("\n".join(as_log("\n".join(lines))).encode("utf-8", "surrogatepass"))
    try:
        capture = read([path], "hostile")
    except LabError:
        return
    assert len(capture.graphs) <= 2 and [p.name for p in tmp_path.iterdir()] == ["run.log"]


def test_there_is_a_mutation_of_each_kind() -> None:
    assert len({mutation.__name__ for mutation in MUTATIONS}) == 9


def test_what_nests_deeper_than_any_code_is_left_out_and_said() -> None:
    text = (
        "a = 1\nb = "
        + "(" * 100
        + ")" * 100
        + "\nc = "
        + "+".join(["x"] * 500)
        + "\nd = ["
        + ", ".join(["x + 1"] * 500)
        + "]\n"
    )
    safe, problems = harmless(text)
    assert safe.split("\n")[:3] == ["a = 1", "", ""] and safe.split("\n")[3] == text.split("\n")[3]
    assert [line for line, _ in problems] == [2, 3]


def test_the_part_before_a_break_is_found_though_a_string_was_open() -> None:
    text = "a = 1\nb = '''\nif x:\n'''\nc = 2\nd = '''\nif x\n" + "e = 1\n" * 100
    part, ((line, told),) = parsable(text)
    assert part == "a = 1\nb = '''\nif x:\n'''\nc = 2\n" and line == 6 and "not whole" in told
    assert parsable("a = 1\n") == ("a = 1\n", []) and parsable(")")[0] == ""


def test_a_tall_tree_is_seen_over_several_lines() -> None:
    assert too_tall("x = (\n" + "1 +\n" * 200 + "1)") and not too_tall(MODULE)
