"""Kernels of every kind that a person does not write by hand: foreach, combo, template, split scan, and symbolic sizes.

All files are judged in one process, in Triton's interpreter. The programs of a cooperative reduction, which wait for each other, take turns.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest
from asked import OnDemand, some
from folders import GENERATIONS
from kernels_as_text import capture
from many_jobs import decay

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

BOTH, ONE = ("readable", "verbatim"), ("readable",)
KERNELS = {
    "foreach": ("g7_torch_2.13_foreach", "triton_for_fused_0", BOTH),
    "combo": ("g7_torch_2.13_combo", "triton_poi_fused_0", BOTH),
    "symbolic reduction": ("g7_torch_2.13_dynamic", "triton_red_fused_add_relu_sum_0", BOTH),
    "symbolic pointwise": ("g7_torch_2.13_dynamic", "triton_poi_fused_relu_1", ONE),
    "online softmax": ("g7_torch_2.13_multi_kernel", "triton_red_fused__softmax_prepare_softmax_online_0", ONE),
    "index and sum": ("g7_torch_2.13_mixed", "triton_per_fused_index_relu_sum_0", ONE),
    "random": ("g7_torch_2.13_mixed", "triton_poi_fused_add_rand_like_1", ONE),
    "scan of rows": ("g7_torch_2.13_scan", "triton_per_fused_cumsum_view_1", ONE),
    "cooperative reduction": ("g7_torch_2.13_cooperative", "triton_unk_fused_sum_0", ONE),
    "cooperative reduction of 2.6": ("g4_torch_2.6", "triton_unk_fused_sum_2", BOTH),
    "groups of rows": ("g7_torch_2.13_groups", "triton_per_fused_native_layer_norm_native_layer_norm_backward_0", BOTH),
    "jobs in turn": ("g7_torch_2.13_combo_in_turn", "triton_per_fused_0", ONE),
    "split scan": ("g7_torch_2.13_scan", "triton_spl_fused_cumsum_0", BOTH),
}
CASES = [(what, style) for what, (_, _, styles) in KERNELS.items() for style in styles]
SOME = [("symbolic reduction", "readable"), ("combo", "readable")]


def ejected(file: str, name: str, style: str) -> str:
    found = read([GENERATIONS / f"{file}.txt"], "x")
    (kernel,) = (kernel for kernel in found.kernels if kernel.name == name)
    return eject(found, kernel, style=style)


def judged_all(texts: list[str], folder: Path) -> list[Verdict | LabError]:
    paths = [folder / f"file_{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return verify_all(paths, seeds=1, fail_fast=True)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Verdict | LabError]:
    def judge(case: tuple[str, str]) -> Verdict | LabError:
        what, style = case
        (found,) = judged_all([ejected(*KERNELS[what][:2], style)], tmp_path_factory.mktemp("kind"))
        return found

    return OnDemand(judge)


SOME_RAN = re.compile(r"\d+ of the launch's [\d,]+ programs ran|^all programs of the launch ran")


@pytest.mark.parametrize(("what", "style"), some(CASES, SOME))
def test_a_kernel_of_every_kind_verifies(
    judged: dict[tuple[str, str], Verdict | LabError], what: str, style: str
) -> None:
    found = judged[what, style]
    assert isinstance(found, Verdict), found
    assert found.verdict == "pass", [(case.name, case.message) for case in found.cases if not case.passed]
    basis, *apart = [note for note in found.notes if not SOME_RAN.search(note)]
    # A million numbers summed up in 500 steps: Inductor's own kernel is as far from eager under these blocks.
    assert not apart or ((what, len(apart)) == ("split scan", 1) and apart[0].endswith("in: its own blocks"))
    assert basis.startswith("equals eager (ATen)") or "as PyTorch printed from it" in basis


@pytest.mark.parametrize(
    ("what", "style"), some([("symbolic reduction", "readable"), ("symbolic pointwise", "readable")], SOME[:1])
)
def test_a_kernel_of_symbolic_sizes_is_held_to_other_sizes_too(
    judged: dict[tuple[str, str], Verdict | LabError], what: str, style: str
) -> None:
    found = judged[what, style]
    assert isinstance(found, Verdict)
    assert [case.name for case in found.cases if case.name.startswith("sizes s77=") or ", s77=" in case.name]


NOT_THESE_JOBS = {
    "computes something else": ("rate + grad, inside)", "rate - grad, inside)"),
    "leaves the last job out": ("tl.static_range(len(SIZES))", "tl.static_range(len(SIZES) - 1)"),
    "gives programs to the wrong job": ("program -= programs", "program -= 2"),
    "has a program too few": ("sum([-(-numel // BLOCK)", "sum([(numel // BLOCK)"),
    "forgets the mask": ("rate + grad, inside)", "rate + grad)"),
}


@pytest.mark.slow
def test_the_jobs_of_a_table_are_judged(tmp_path: Path) -> None:
    made = decay()
    text = eject(capture(made), made)
    right, wrong = judged_all([text, text.replace(*NOT_THESE_JOBS["leaves the last job out"])], tmp_path)
    assert isinstance(right, Verdict) and right.verdict == "pass", right
    assert isinstance(wrong, Verdict) and wrong.verdict == "fail" and "param_new_3" in wrong.cases[0].message


@pytest.mark.slow
def test_whatever_is_wrong_with_the_jobs_of_a_table_is_found(tmp_path: Path) -> None:
    made = decay()
    right = eject(capture(made), made)
    wrong = [right.replace(before, mistake, 1) for before, mistake in NOT_THESE_JOBS.values()]
    assert right not in wrong
    of_two_kinds = decay(last="tmp4 + tmp0")
    passing, *failing = judged_all([eject(capture(of_two_kinds), of_two_kinds), *wrong], tmp_path)
    assert isinstance(passing, Verdict) and passing.verdict == "pass", passing
    for what, found in zip(NOT_THESE_JOBS, failing, strict=True):
        assert isinstance(found, Verdict) and found.verdict == "fail", what


WAITS = "triton_helpers.x_grid_barrier(sem_ptr + tl.program_id(1))"
NOT_TOGETHER = {
    "forgets what the others summed up": ("tl.sum(tmp2_peers, 1)", "tl.sum(0 * tmp2_peers, 1)", "float64 says"),
    "does not wait": (WAITS, "pass", "nothing says which comes first"),
    "leaves its sum in another's place": ("tmp2_ws + (xindex * RSPLIT + rsplit_id)", "tmp2_ws + (xindex * RSPLIT)", "also stores to"),
    "waits for none of the others": (WAITS, WAITS.replace("id(1)", "id(0)"), "wait for each other and never go on"),
}  # fmt: skip


@pytest.mark.slow
def test_programs_that_share_a_row_are_judged_together(tmp_path: Path) -> None:
    text = ejected("g4_torch_2.6", "triton_unk_fused_sum_2", "readable")
    assert all(text.count(right) == 2 for right, _, _ in NOT_TOGETHER.values()), "the kernel, and Inductor's own"
    wrong = [text.replace(right, mistake, 1) for right, mistake, _ in NOT_TOGETHER.values()]
    for (what, (_, _, why)), found in zip(NOT_TOGETHER.items(), judged_all(wrong, tmp_path), strict=True):
        assert isinstance(found, Verdict) and found.verdict == "fail", what
        assert why in found.cases[0].message, what


@pytest.mark.parametrize("what", ["cooperative reduction", "cooperative reduction of 2.6"])
def test_several_programs_share_a_row_in_the_interpreter_too(what: str) -> None:
    text = ejected(*KERNELS[what][:2], "readable")
    told = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and "INTERPRETER" in ast.unparse(node.targets[0])
    )
    assert {blocks["RSPLIT"] for blocks in ast.literal_eval(told.value).values()} == {4}
    assert "_in_turns" in text.partition("def launch(")[2], "what makes them take turns stands behind the kernel"
    assert "_in_turns" not in ejected("g7_torch_2.13_scan", "triton_spl_fused_cumsum_0", "readable")
