"""What stands beside a kernel: the hand kernel and the baseline each have functions of their own, so that an edit of one is none of the other."""

from __future__ import annotations

import ast

import pytest
from folders import GENERATIONS
from small_kernels import ejected

from inductor_lab.eject import STYLES, eject
from inductor_lab.eject.device_functions import exchanged
from inductor_lab.ejected import JUDGE_STARTS, judged_hash
from inductor_lab.read import read

KERNELS = (
    ("g7_torch_2.13_flex", "triton_tem_fused__to_copy_flex_attention_ones_slice_sum_transpose_zeros_2", "forward_block_mn"),
    ("g7_torch_2.13_scan", "triton_per_fused_cumsum_view_1", "_triton_helper_fn_add0"),
)  # fmt: skip


def functions(text: str) -> dict[str, set[str]]:
    """Each function that a text defines -> the names that it says."""
    tree = ast.parse(text)
    return {
        node.name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


def reached(start: str, within: dict[str, set[str]]) -> set[str]:
    """The functions that one calls, and those that they call."""
    found, new = set[str](), {start}
    while new:
        found |= new
        new = {name for each in new for name in within[each] if name in within} - found
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("log", "name", "inner"), KERNELS)
def test_the_two_kernels_share_no_function(log: str, name: str, inner: str, style: str) -> None:
    found = read([GENERATIONS / f"{log}.txt"], "x")
    text = eject(found, next(kernel for kernel in found.kernels if kernel.name == name), style=style)
    within = functions(text)
    hand, baseline = reached("launch", within), reached("launch_generated", within)
    assert inner in hand and f"generated_{inner.lstrip('_')}" in baseline
    assert not hand & baseline


def test_a_helper_that_the_hand_kernel_calls_by_its_name_stands_in_the_file_twice() -> None:
    text = ejected("argmax")
    within = functions(text)
    hand, _, judged = text.partition(JUDGE_STARTS)
    assert "maximum_with_index" in reached("launch", within) and "def maximum_with_index(" in hand
    assert "def generated_maximum_with_index(" in judged
    assert "triton_helpers.maximum_with_index = generated_maximum_with_index" in judged


@pytest.mark.parametrize(("log", "name", "inner"), KERNELS)
def test_an_edit_of_the_hand_kernel_s_function_is_no_edit_of_the_baseline(log: str, name: str, inner: str) -> None:
    found = read([GENERATIONS / f"{log}.txt"], "x")
    text = eject(found, next(kernel for kernel in found.kernels if kernel.name == name))
    hand, starts, judged = text.partition(JUDGE_STARTS)
    edited = hand.replace(f"def {inner}(", f"def {inner}_of_mine(") + starts + judged
    assert edited != text and judged_hash(edited) == judged_hash(text)


def test_names_are_exchanged_and_the_rest_is_left_to_the_letter() -> None:
    text = (
        "def scaled(x, EPS=EPS):  # EPS\n"
        "    return inner(x , EPS=EPS) + é_inner.inner(inner)  # inner\n"
        "def other(inner):\n"
        "    return inner + EPS"
    )
    assert exchanged(text, {"scaled": "a", "inner": "b", "EPS": "c"}) == (
        "def a(x, EPS=c):  # EPS\n"
        "    return b(x , EPS=EPS) + é_inner.inner(b)  # inner\n"
        "def other(inner):\n"
        "    return inner + c"
    )  # fmt: skip


def test_a_parameter_of_the_same_name_is_left() -> None:
    assert exchanged("y = f(EPS) + EPS", {"f": "g", "EPS": "c"}, ["EPS"]) == "y = g(EPS) + EPS"
