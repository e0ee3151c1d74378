"""Broken and hostile logs: a few hundred here, ten thousand in tests/benchmarks/fuzz.py."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from asked import some
from folders import TESTS

sys.path.append(str(TESTS / "benchmarks"))
from fuzz import attempt
from mutations import HOSTILE, MUTATIONS
from test_read import KERNEL, MODULE, as_log

from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.read.syntax import blank_hostile_lines, parse_prefix, walk


@pytest.mark.parametrize("batch", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in range(1, 20))])
def test_no_mutated_log_breaks_the_tool_or_makes_it_write(batch: int) -> None:
    for seed in range(batch * 10, batch * 10 + 10):
        outcome = attempt(seed)
        assert outcome.outcome in ("read", "refused"), outcome


@pytest.mark.parametrize("place", some([0, 10, 45, -5], [10]))
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
    safe, problems = blank_hostile_lines(text)
    assert safe.split("\n")[:3] == ["a = 1", "", ""] and safe.split("\n")[3] == text.split("\n")[3]
    assert [line for line, _ in problems] == [2, 3]


def test_the_part_before_a_break_is_found_though_a_string_was_open() -> None:
    text = "a = 1\nb = '''\nif x:\n'''\nc = 2\nd = '''\nif x\n" + "e = 1\n" * 100
    part, ((line, told),), broken = parse_prefix(text)
    assert ast.unparse(part).split("\n")[::2] == ["a = 1", "c = 2"] and line == 6 and "not whole" in told
    assert broken.startswith("unterminated triple-quoted string literal") and broken.endswith(" in line 6")
    assert parse_prefix("a = 1\n")[1:] == ([], "") and not parse_prefix(")")[0].body


def test_kernels_too_deep_to_be_read_are_listed_each_on_its_own(tmp_path: Path) -> None:
    for sign in "+-":
        tall = KERNEL.replace("tmp1 * tmp2", "(tmp1\n" + f"        {sign} tmp2\n" * 200 + ")")
        (tmp_path / f"{ord(sign)}.py").write_text(MODULE.replace(KERNEL, tall))
    capture = read([tmp_path], "tall")
    assert [kernel.category for kernel in capture.kernels] == ["pointwise", "pointwise"]
    assert [len(kernel.arguments) for kernel in capture.kernels] == [4, 4] and len(capture.problems) == 2
    assert all("nested too deeply" in problem.message for problem in capture.problems)


def test_a_tall_tree_is_seen_over_several_lines() -> None:
    assert walk(ast.parse(MODULE))
    with pytest.raises(ValueError, match="too deep"):
        walk(ast.parse("x = (\n" + "1 +\n" * 200 + "1)"))
