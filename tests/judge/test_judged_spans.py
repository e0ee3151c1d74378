"""Files of spans: right fusions pass, whatever they make of the buffers between the launches; what breaks there is found and told."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from asked import OnDemand, some
from spans_as_text import spanned, with_launch

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from inductor_lab.errors import LabError
from inductor_lab.judge.process.kernel_process import _configurations
from inductor_lab.judge.watch.launcher import operator
from inductor_lab.judge.watch.watched_memory import count_unwritten, fill_unwritten, pattern
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

in_the_interpreter = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

SQUARED = """
@triton.jit
def squared(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offset, offset < 2048).to(tl.float32)
    scaled = x * 2.5
    tl.store(y_ptr + offset, scaled * scaled - x, offset < 2048)
"""
ROUNDED = SQUARED.replace("x * 2.5\n", "(x * 2.5).to(y_ptr.dtype.element_ty).to(tl.float32)\n")
FUSED = """
@triton.jit
def fused(x_ptr, weight_ptr, bias_ptr, y_ptr, BLOCK: tl.constexpr):
    row, column, depth = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None], tl.arange(0, 16)[None, :], tl.arange(0, 32)
    x = tl.load(x_ptr + row * 32 + depth[None, :], row < 64, 0.0).to(tl.float32) * 2.5
    weight = tl.load(weight_ptr + column * 32 + depth[:, None]).to(tl.float32)
    y = tl.dot(x, weight, input_precision="ieee")
    total = y + tl.load(bias_ptr + column).to(tl.float32)
    tl.store(y_ptr + row * 16 + column, tl.where(total < 0, 0.0, total), row < 64)
"""
FUSED_ROUNDED = FUSED.replace("* 2.5\n", "* 2.5\n    x = x.to(y_ptr.dtype.element_ty).to(tl.float32)\n").replace(
    "    total =", "    y = y.to(y_ptr.dtype.element_ty).to(tl.float32)\n    total ="
)
FUSE = "fused[(triton.cdiv(64, BLOCK),)](x, weight, bias, y, BLOCK=BLOCK, num_warps=num_warps)"
DIVIDED = """
@triton.jit
def divided(x_ptr, y_ptr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None], tl.arange(0, 64)[None, :]
    inside = (row < 50) & (column < 60)
    x = tl.load(x_ptr + row * 60 + column, inside, 0.0).to(tl.float32)
    total = tl.sum(x, 1)[:, None]
    tl.store(y_ptr + row * 60 + column, x / (1.0 + total * total), inside)
"""
LOOKED_UP = """
@triton.jit
def looked_up(user_ptr, users_ptr, good_ptr, goods_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column, inside = offset // 16, offset % 16, offset < 640
    if tl.program_id(1) == 0:
        found = tl.load(users_ptr + tl.load(user_ptr + row, inside) * 16 + column, inside)
    else:
        found = tl.load(goods_ptr + tl.load(good_ptr + row, inside) * 16 + column, inside)
    tl.store(y_ptr + row * 32 + tl.program_id(1) * 16 + column, found, inside)
"""
MET = """
@triton.jit
def met(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 3000
    one = tl.load(x_ptr + offset, inside).to(tl.float32) + tl.load(x_ptr + (offset + 1) % 3000, inside).to(tl.float32)
    other = tl.load(x_ptr + (offset + 700) % 3000, inside).to(tl.float32)
    other += tl.load(x_ptr + (offset + 701) % 3000, inside).to(tl.float32)
    tl.store(y_ptr + offset, one * other, inside)
"""
AT_ONCE = """
@triton.jit
def at_once(x_ptr, pairs_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 3000
    one = tl.load(x_ptr + offset, inside).to(tl.float32) + tl.load(x_ptr + (offset + 1) % 3000, inside).to(tl.float32)
    tl.store(pairs_ptr + offset, one, inside)
    tl.store(y_ptr + offset, one * tl.load(pairs_ptr + (offset + 700) % 3000, inside).to(tl.float32), inside)
"""
SCALED = "scaled = torch.empty_strided((64, 32), (32, 1), dtype=KIND, device=x.device)\n"
PAIRS = "pairs = torch.empty_strided((3000,), (1,), dtype=KIND, device=x.device)\n"

RIGHT = {
    # what: (span, body of `launch`, what stands above it)
    "as it was": ("product", "", ""),
    "in place, as it was": ("ring", "", ""),
    "two pointwise kernels in one": ("square", "squared[(triton.cdiv(2048, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)", SQUARED),
    "the same, rounding where the buffer did": ("square", "squared[(triton.cdiv(2048, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)", ROUNDED),
    "what cancels but for the rounding of the buffer": (
        "cancels", "squared[(triton.cdiv(2048, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)", SQUARED.replace("scaled - x", "scaled - 6.25 * x * x")
    ),
    "the same with that rounding": (
        "cancels", "squared[(triton.cdiv(2048, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)", ROUNDED.replace("scaled - x", "scaled - 6.25 * x * x")
    ),
    "a reduction recomputed": ("rows", "divided[(triton.cdiv(50, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)", DIVIDED),
    "a product with its prologue and epilogue": ("product", f"{FUSE}\nreturn y, scratch", FUSED),
    "the same, rounding where the buffers did": ("product", f"{FUSE}\nreturn y, scratch", FUSED_ROUNDED),
    "the factor behind the product, and nothing in what nobody reads": (
        "product",
        "made = torch.mm(x, weight.t())\nbehind[(4,)](made, bias, y)\nreturn y, scratch",
        """
@triton.jit
def behind(made_ptr, bias_ptr, y_ptr):
    offset = tl.program_id(0) * 256 + tl.arange(0, 256)
    total = tl.load(made_ptr + offset).to(tl.float32) * 2.5 + tl.load(bias_ptr + offset % 16).to(tl.float32)
    tl.store(y_ptr + offset, tl.where(total < 0, 0.0, total))
""",
    ),
    "lookups by one grid": ("lookups", "looked_up[(triton.cdiv(640, BLOCK), 2)](user, users, good, goods, y, BLOCK=BLOCK)\nreturn (y,)", LOOKED_UP),
    "made beside and copied": (
        "ring", "made = torch.empty_like(x)\nmet[(triton.cdiv(3000, BLOCK),)](x, made, BLOCK=BLOCK)\nx.copy_(made)\nreturn (x,)", MET
    ),
}  # fmt: skip

CASES = [(what, dtype) for what in RIGHT for dtype in ("float32", "bfloat16")]

WRONG = {
    # what: (span, dtype, body of `launch`, what stands above it, what is said)
    "a buffer of the call before": (
        "square", "float32",
        "scaled = KEPT.setdefault(0, torch.empty_like(x))\nlaunch_square(scaled, x, y)\nlaunch_double(x, scaled)\nreturn (y,)",
        "KEPT = {}\n", "loads scaled_ptr[0, 0], which nothing has written",
    ),
    "a buffer that the first call fills": (
        "square", "bfloat16",
        "if not KEPT:\n    KEPT[0] = torch.empty_like(x)\n    launch_double(x, KEPT[0])\nlaunch_square(KEPT[0], x, y)\nreturn (y,)",
        "KEPT = {}\n", "y is off by",
    ),
    "a buffer that is half filled": (
        "square", "bfloat16", SCALED + "double[(4,)](x, scaled, 2048, BLOCK=256)\nlaunch_square(scaled, x, y)\nreturn (y,)",
        "", "loads scaled_ptr[32, 0], which nothing has written",
    ),
    "programs that read each other's part of a buffer": (
        "ring", "float32",
        PAIRS + "made = torch.empty_like(x)\nat_once[(triton.cdiv(3000, BLOCK),)](x, pairs, made, BLOCK=BLOCK)\nx.copy_(made)\nreturn (x,)",
        AT_ONCE, "and nothing says which comes first",
    ),
    "launches in the wrong order": (
        "ring", "bfloat16", PAIRS + "launch_meet(pairs, x)\nlaunch_pair(x, pairs)\nreturn (x,)", "", "loads pairs_ptr[0], which nothing has written"
    ),
    "a product before what it reads": (
        "product", "float32", SCALED + "torch.mm(scaled, weight.t(), out=y)\nlaunch_double(x, scaled)\nlaunch_bias_relu(y, bias, scratch)\nreturn y, scratch",
        "", "aten.mm reads 2,048 elements of scaled, which nothing has written",
    ),
    "an output left out": ("lookups", "float32", "launch_users(user, users, y[:, :16])\nreturn (y,)", "", "y is NaN where float64 says"),
    "an output left to the library": (
        "product", "bfloat16", SCALED + "launch_double(x, scaled)\ntorch.mm(scaled, weight.t(), out=y)\nreturn y, scratch", "", "y is off by"
    ),
    "an input overwritten too early": (
        "ring", "float32", "launch_pair(x, x)\nlaunch_meet(x, x)\nreturn (x,)", "", "nothing says which comes first"
    ),
    "an input emptied too early": (
        "ring", "bfloat16", PAIRS + "x.zero_()\nlaunch_pair(x, pairs)\nlaunch_meet(pairs, x)\nreturn (x,)", "", "the kernel 0"
    ),
    "a product of the wrong tile": (
        "product", "float32", f"{FUSE}\nreturn y, scratch", FUSED.replace("x_ptr + row * 32", "x_ptr + row % 32 * 32"), "y is off by"
    ),
    "a reduction without its last columns": (
        "rows", "bfloat16", "divided[(triton.cdiv(50, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)",
        DIVIDED.replace("tl.sum(x, 1)", "tl.sum(tl.where(column < 59, x, 0), 1)"),
        "y is off by",
    ),
    "more than the rounding of a buffer explains": (
        "cancels", "bfloat16", "squared[(triton.cdiv(2048, BLOCK),)](x, y, BLOCK=BLOCK)\nreturn (y,)",
        ROUNDED.replace("scaled - x", "scaled - 6.2 * x * x"), "where float64 says 0",
    ),
    "stores behind a buffer": (
        "ring", "float32", PAIRS + "launch_pair(x, pairs[1:])\nlaunch_pair(x, pairs)\nlaunch_meet(pairs, x)\nreturn (x,)", "",
        "stores to pairs_ptr[3000], 1 element behind a tensor of shape [3000]",
    ),
    "computes with torch": (
        "square", "float32", "launch_double(x, y)\ny.mul_(y).sub_(x)\nreturn (y,)", "", "(aten.mul_): of the library the steps of this span call nothing"
    ),
    "computes with torch beside": (
        "square", "float32", "made = x * 2.5\nlaunch_square(made, x, y)\nreturn (y,)", "", "the launcher computes with torch (aten.mul)"
    ),
    "calls what the span does not": (
        "product", "float32", SCALED + "launch_double(x, scaled)\ntorch.addmm(bias, scaled, weight.t(), out=y)\ny.copy_(y)\nreturn y, scratch",
        "", "the launcher writes y with torch (aten.addmm): of the library the steps of this span call aten.mm",
    ),
    "computes with what the library made": (
        "product", "float32", "made = torch.mm(x, weight.t()) * 2.5\nlaunch_bias_relu(made, bias, scratch)\ny.copy_(made)\nreturn y, scratch",
        "", "the launcher computes with torch (aten.mul)",
    ),
    "calls the baseline": ("square", "float32", "return launch_generated(x, y)", "", "the launcher runs the generated kernel itself (`generated_0`)"),
    "counts from where the storage begins": (
        "product", "float32",
        SCALED + "launch_double(x, scaled)\ntorch.mm(scaled, weight.as_strided((32, 16), (1, 32), 0), out=y)\n"
        "launch_bias_relu(y, bias, scratch)\nreturn y, scratch",
        "", "aten.mm is passed memory outside of weight",
    ),
    "runs nothing": ("square", "float32", "return (y,)", "", "the launcher runs no Triton kernel"),
}  # fmt: skip


def _files(folder: Path, cases: dict[str, tuple[str, str, str, str]]) -> list[Path]:
    """A file for each (span, dtype, body, above)."""
    files = []
    for number, (span, dtype, body, above) in enumerate(cases.values()):
        (folder / f"{number}.py").write_text(spanned(span, dtype, with_launch(span, body, above) if body else ""))
        files.append(folder / f"{number}.py")
    return files


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Verdict | LabError]:
    def judge(case: tuple[str, str]) -> Verdict | LabError:
        what, dtype = case
        span, body, above = RIGHT[what]
        (found,) = verify_all(_files(tmp_path_factory.mktemp("right"), {what: (span, dtype, body, above)}))
        return found

    return OnDemand(judge)


@in_the_interpreter
@pytest.mark.parametrize(
    ("what", "dtype"),
    some(
        CASES,
        [("a product with its prologue and epilogue", "bfloat16")],
    ),
)
def test_a_right_fusion_passes(passing: dict[tuple[str, str], Verdict | LabError], what: str, dtype: str) -> None:
    found = passing[what, dtype]
    assert isinstance(found, Verdict), found
    assert found.verdict == "pass", [case for case in found.cases if not case.passed][:2]
    assert any("captured steps compute one after the other" in note for note in found.notes)
    assert not any("boundary" in note or "generated kernel" in note for note in found.notes), found.notes


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict | LabError]:
    def judge(what: str) -> Verdict | LabError:
        (found,) = verify_all(_files(tmp_path_factory.mktemp("wrong"), {what: WRONG[what][:4]}), effort="quick")
        return found

    return OnDemand(judge)


@in_the_interpreter
@pytest.mark.parametrize(
    "what",
    some(
        WRONG,
        [
            "a buffer that is half filled",
            "programs that read each other's part of a buffer",
            "a product before what it reads",
            "an input overwritten too early",
            "stores behind a buffer",
            "calls what the span does not",
        ],
    ),
)
def test_what_breaks_between_launches_is_found_and_told(failing: dict[str, Verdict | LabError], what: str) -> None:
    found = failing[what]
    assert isinstance(found, Verdict), found
    assert found.verdict == "fail"
    messages = [case.message for case in found.cases if not case.passed]
    assert any(WRONG[what][4] in message for message in messages), messages


@in_the_interpreter
def test_a_kernel_may_be_called_as_a_method_of_tensors(tmp_path: Path) -> None:
    text = re.sub(r"\bdouble\b", "t", spanned("product", "float32"))
    assert "weight.t()" in text.partition("def launch_generated(")[2]
    (tmp_path / "span.py").write_text(text, encoding="utf-8")
    (found,) = verify_all([tmp_path / "span.py"], effort="quick")
    assert isinstance(found, Verdict) and found.verdict == "pass", found


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("extern_kernels.mm", "mm"),
        ("torch.ops.aten.sort.stable", "sort"),
        ("aten.scatter_reduce_.two", "scatter_reduce"),
        ("torch.ops.aten._scaled_dot_product_cudnn_attention.default", "_scaled_dot_product_cudnn_attention"),
        ("torch.ops.mine.op.default", "mine::op"),
    ],
)
def test_a_library_call_is_known_by_its_operator(call: str, name: str) -> None:
    assert operator(call) == name


def test_an_edit_that_keeps_some_of_the_kernels_gets_their_blocks() -> None:
    asked = {"double_BLOCK": 2048, "rows_BLOCK": 8, "rows_BLOCK_R": 64}
    assert [*_configurations(asked, False, asked, True)] == [asked, {}]
    assert [*_configurations(asked, False, {"double_BLOCK": 256, "rows_BLOCK": 1}, True)] == [
        {"double_BLOCK": 2048},
        {},
    ]
    assert [*_configurations(asked, False, {"double_BLOCK": 256, "rows_BLOCK": 1}, False)] == [{}]


@pytest.mark.parametrize(
    "dtype",
    ["float32", "bfloat16", "float64", "complex64", "float8_e4m3fn", "int64", "int32", "int16", "uint8", "bool"],
)
def test_what_nobody_has_written_is_known_and_no_two_whole_numbers_are_alike(dtype: str) -> None:
    fresh = torch.empty_strided((6, 5), (8, 1), dtype=getattr(torch, dtype))
    fill_unwritten(fresh)
    known = pattern(fresh.dtype) is not None
    assert count_unwritten(fresh) == 30 * known and known == (dtype not in ("uint8", "bool"))
    if not fresh.is_floating_point() and not fresh.is_complex():
        assert bool((fresh[:, 1:] != fresh[:, :-1]).all())
    fresh[2] = torch.ones(5).to(fresh.dtype)
    assert count_unwritten(fresh) == 25 * known


# ------------------------------------------------------------ on a card


@pytest.mark.gpu
@pytest.mark.parametrize(("what", "dtype"), CASES)
def test_a_right_fusion_passes_on_a_card(
    passing: dict[tuple[str, str], Verdict | LabError], what: str, dtype: str
) -> None:
    found = passing[what, dtype]
    assert isinstance(found, Verdict), found
    assert found.verdict == "pass", [case for case in found.cases if not case.passed][:2]


INTERPRETER_ALONE = {
    "programs that read each other's part of a buffer",
    "an input overwritten too early",
    "stores behind a buffer",
}
"""Races, whose programs come in the right order on a card or do not; an H200 passed the second. And what is written where nobody has memory."""


@pytest.mark.gpu
@pytest.mark.parametrize("what", [what for what in WRONG if what not in INTERPRETER_ALONE])
def test_what_breaks_between_launches_is_found_on_a_card(failing: dict[str, Verdict | LabError], what: str) -> None:
    """By what is left wrong, mostly: no access is watched there."""
    found = failing[what]
    assert isinstance(found, Verdict) and found.verdict == "fail", found
