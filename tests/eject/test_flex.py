"""Flex attention: its reference is read off its template's text, and the judge holds the kernel to it in Triton's interpreter."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from asked import asked, some
from folders import GENERATIONS

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.eject import eject
from inductor_lab.eject.graph.flex_attention import permutation
from inductor_lab.eject.refusal import NoReference
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import TensorType, Verdict
from inductor_lab.verify import verify_all

judging = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

LOG = (GENERATIONS / "g7_torch_2.13_flex.txt").read_text(encoding="utf-8")
SCORE, MASK = "    tmp0 = (qk)\n    post_mod_scores = tmp0\n", "tmp1 = tl.full([1], True, tl.int1)\n"
INNER = "def forward_block_mn("
SCALE = "SM_SCALE : tl.constexpr = 0.125"


def indented(*lines: str) -> str:
    """Lines as they stand in the log, behind the first one's own indentation."""
    (before,) = {line.partition(MASK)[0] for line in LOG.splitlines(keepends=True) if MASK in line}
    return before.join(f"{line}\n" for line in lines)


def modified(score: str, *mask: str) -> str:
    """The log with another score, made of `tmp0`, `m` and `n`, and another mask."""
    (start,) = {line.partition("tmp0 = (qk)")[0] for line in LOG.splitlines() if "tmp0 = (qk)" in line}
    lines = LOG.splitlines(keepends=True)
    (at,) = (number for number, line in enumerate(lines) if "post_mod_scores = tmp0" in line)
    lines[at] = f"{start}tmp20 = {score}\n{start}post_mod_scores = tmp20\n"
    text = "".join(lines)
    return text.replace(MASK, indented(*mask)) if mask else text


CAUSAL = modified(
    "tmp0 + ((n) - (m)).to(tl.float32) * tl.full([1], 0.1, tl.float32)", "tmp8 = (m)", "tmp1 = tmp8 >= (n)"
)


GROUPED = "".join(
    line.replace("1, 2, 256, 64", "1, 1, 256, 64").replace("32768", "16384")
    if any(word in line for word in ("arg1_1 :", "arg2_1 :", "(arg1_1, (", "(arg2_1, (", "stride_kz,", "stride_vz,"))
    else line.replace("GQA_SHARED_HEADS : tl.constexpr = 1", "GQA_SHARED_HEADS : tl.constexpr = 2")
    for line in LOG.splitlines(keepends=True)
)
"""Both heads of queries have one of keys and values."""


def ejected(log: str, folder: Path) -> str:
    (folder / "log.txt").write_text(log, encoding="utf-8")
    found = read([folder / "log.txt"], "x")
    return eject(found, next(kernel for kernel in found.kernels if kernel.category == "template"))


def reference(text: str) -> str:
    (found,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == "reference")
    return ast.unparse(found)


def test_the_reference_has_the_score_and_the_mask(tmp_path: Path) -> None:
    text = reference(ejected(CAUSAL, tmp_path))
    assert "scores = arg0 @ arg1.mT * 0.125" in text
    assert "scores = scores + (n - m).to(torch.float32) * 0.1" in text
    assert "counted = visits(full, full_default, 1) * (m >= n)" in text


def test_a_score_of_functions(tmp_path: Path) -> None:
    text = reference(ejected(modified("libdevice.tanh(triton_helpers.maximum(tmp0, 0.5))"), tmp_path))
    assert "scores = torch.tanh(scores.clamp_min(0.5))" in text


def test_a_score_that_reads_a_tensor_is_not_told(tmp_path: Path) -> None:
    text = ejected(modified("tmp0 + tl.load(in_ptr9 + (m))"), tmp_path)
    assert (
        "\nreference = None" in text
        and "`tl.load(in_ptr9 + m)` in its text is no operation on scores and places" in text
    )


def test_heads_that_share_keys_and_values(tmp_path: Path) -> None:
    text = reference(ejected(GROUPED, tmp_path))
    assert "arg0 @ arg1.repeat_interleave(2, 1).mT * 0.125" in text and "weights @ arg2.repeat_interleave(2, 1)" in text


def test_more_scores_than_fit_have_no_reference(tmp_path: Path) -> None:
    text = ejected(LOG.replace("Q_LEN = 256", "Q_LEN = 1048576").replace("KV_LEN = 256", "KV_LEN = 1048576"), tmp_path)
    assert "scores are too many to be held at once" in text


def test_results_that_were_not_asked_for_are_only_passed(tmp_path: Path) -> None:
    text = ejected(LOG, tmp_path)
    assert 'WRITTEN = ("out_3",)' in text and text.count("f32[1, 2, 256], a result that is not asked for") == 2
    assert text.startswith('"""out_3 = flex_attention(arg0, arg1, arg2, ')


def test_a_result_is_turned_to_lie_as_it_is_stored() -> None:
    attended, stored = (2, 4, 8, 16), TensorType("float32", (2, 8, 64), (512, 64, 1))
    assert permutation(TensorType("float32", attended, (512, 128, 16, 1)), attended, (512, 128, 16, 1)) == ""
    assert permutation(stored, attended, (512, 16, 64, 1)) == ".permute(0, 2, 1, 3)"
    with pytest.raises(NoReference):
        permutation(stored, attended, (1024, 16, 64, 1))


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict | LabError]:
    folder = tmp_path_factory.mktemp("flex")
    text = ejected(CAUSAL, folder)
    before, inner, after = text.partition(INNER)
    texts = {
        "as it is": text,
        "another scale": before + inner + after.replace(SCALE, SCALE.replace("0.125", "0.25"), 1),
        "grouped": ejected(GROUPED, folder),
        "another mask": text.replace("(m >= n)", "(m > n)"),
    }
    paths = {name: folder / f"{name.replace(' ', '_')}.py" for name in asked(request, "name")}
    for name, path in paths.items():
        path.write_text(texts[name], encoding="utf-8")
    return dict(zip(paths, verify_all(list(paths.values()), seeds=1, effort="quick"), strict=True))


@judging
@pytest.mark.parametrize("name", some(["as it is", "grouped"], ["as it is"]))
def test_flex_attention_equals_its_reference(judged: dict[str, Verdict | LabError], name: str) -> None:
    found = judged[name]
    assert isinstance(found, Verdict) and found.verdict == "pass", found
    first = found.cases[0]
    assert first.errors["eager"] > 0 and not any("seed 0" in note for note in found.notes), found


@judging
@pytest.mark.slow
@pytest.mark.parametrize("name", ["another scale"])
def test_an_edit_of_the_inner_function_fails_and_is_none_of_the_baseline(
    judged: dict[str, Verdict | LabError], name: str
) -> None:
    found = judged[name]
    assert isinstance(found, Verdict) and found.verdict == "fail", found
    assert "edited since it was ejected" in found.notes and not any("baseline" in note for note in found.notes)


@judging
@pytest.mark.slow
@pytest.mark.parametrize("name", ["another mask"])
def test_a_reference_with_another_mask_is_not_taken_for_the_kernel_s(
    judged: dict[str, Verdict | LabError], name: str
) -> None:
    found = judged[name]
    assert isinstance(found, Verdict) and any(
        "the generated kernel itself does not compute" in note and "seed 0" in note for note in found.notes
    )
