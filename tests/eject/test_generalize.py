"""A kernel of fixed sizes as a file for any: right on others, odd ones too, or refused with the number that is not told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from kernels_as_text import EMBEDDING, EMBEDDING_TENSORS, PERSISTENT_SUM, capture, kernel

from inductor_lab.eject import eject
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel, TensorType

HEAD = """
    xnumel = 24
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
"""
COPY = (
    HEAD
    + "    x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = tmp0 + tmp0\n    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
)
COLUMNS = """
    x0 = (xindex % 6)
    x1 = xindex // 6
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tl.load(in_ptr2 + (x1), xmask, eviction_policy='evict_last')
    tmp3 = tmp0 * tmp1
    tmp4 = tmp3 + tmp2
    tl.store(out_ptr0 + (x2), tmp4, xmask)
"""
PART = COLUMNS.replace("(x2), xmask)\n    tmp1", "(2 + x0 + 12*x1), xmask)\n    tmp1")
CONCATENATED = """
    x0 = (xindex % 6)
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 3, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x2), tmp2 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp3, xmask)
"""
PERMUTED = """
    x0 = (xindex % 3)
    x1 = ((xindex // 3) % 2)
    x2 = xindex // 6
    x3 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 3*x2 + 12*x1), xmask)
    tmp1 = libdevice.exp(tmp0)
    tl.store(out_ptr0 + (x3), tmp1, xmask)
"""
EVEN = """
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0 * tmp0
    tl.store(out_ptr0 + (x0), tmp1, None)
"""
GATHER = """
    x0 = (xindex % 6)
    x1 = xindex // 6
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 50, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 50")
    tmp6 = tl.load(in_ptr1 + (x0 + 6*tmp4), xmask)
    tl.store(out_ptr0 + (x2), tmp6, xmask)
"""
LOOKUPS = (
    GATHER.replace("in_ptr0 + (x1)", "in_ptr0 + (7*x1)")
    .replace("out_ptr0 + (x2), tmp6", "out_ptr0 + (x0 + 9*x1), tmp6 + tmp7")
    .replace("    tl.store", "    tmp7 = tl.load(in_ptr2 + (x0 + 6*tmp4), xmask)\n    tl.store")
)
HALVES = """
    x0 = (xindex % 6)
    x1 = xindex // 6
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 3, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (3 + 6*x1 + (x0)), tmp2 & xmask, eviction_policy='evict_last', other=0.0)
    tmp4 = -tmp3
    tmp5 = tl.full(tmp4.shape, 0.0, tmp4.dtype)
    tmp6 = tl.where(tmp2, tmp4, tmp5)
    tmp7 = tmp0 >= tmp1
    tmp8 = tl.load(in_ptr0 + (6*x1 + ((-3) + x0)), tmp7 & xmask, eviction_policy='evict_last', other=0.0)
    tmp9 = tl.where(tmp2, tmp6, tmp8)
    tl.store(out_ptr0 + (x2), tmp9, xmask)
"""
CHUNKS = """
    x0 = (xindex % 6)
    x1 = xindex // 6
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 6*x1), xmask)
    tl.store(out_ptr0 + (x2), tmp0, xmask)
"""
LAYER_NORM = """
    xnumel = 5
    r0_numel = 24
    R0_BLOCK: tl.constexpr = 32
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    x0 = xindex
    r0_1 = r0_index
    tmp0 = tl.load(in_ptr0 + (r0_1 + 24*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp2 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp3 = tl.sum(tmp2, 1)[:, None]
    tmp4 = tl.full([1, 1], 24.0, tl.float32)
    tmp5 = (tmp3 / tmp4)
    tmp6 = tmp0 - tmp5
    tmp7 = tmp6 * tmp6
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp9 = tl.where(r0_mask & xmask, tmp8, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None]
    tmp11 = tl.full([1, 1], 0.041666666666666664, tl.float32)
    tmp12 = tmp10 * tmp11
    tmp13 = tl.full([1, 1], 1e-05, tl.float32)
    tmp14 = tmp12 + tmp13
    tmp15 = libdevice.rsqrt(tmp14)
    tmp16 = tmp6 * tmp15
    tl.store(out_ptr0 + (r0_1 + 24*x0), tmp16, r0_mask & xmask)
"""
LOOPED_MEAN = """
    xnumel = 6
    r0_numel = 40
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 6*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tmp4 = tl.full([1, 1], 40.0, tl.float32)
    tmp5 = (tmp2 / tmp4)
    tl.store(out_ptr0 + (x0), tmp5, xmask)
"""
UNMASKED_SUM = (
    LOOPED_MEAN.replace("r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]")
    .replace("r0_mask & xmask", "xmask")
    .replace("xindex < xnumel", "tl.full([XBLOCK], True, tl.int1)[:, None]")
    .replace("tl.where(xmask, tmp3, _tmp2)", "tmp3")
    .replace("xmask, eviction", "None, eviction")
    .replace(", other=0.0", "")
    .replace("(x0), tmp5, xmask", "(x0), tmp5, None")
    .replace("numel = 40", "numel = 64")
    .replace("40.0", "64.0")
    .replace("numel = 6\n", "numel = 8\n")
    .replace("6*r0_1", "8*r0_1")
)
MEAN_TENSORS = {"in_ptr0": "float32[40, 6]", "out_ptr0": "float32[6]"}
KERNELS: dict[str, tuple[str, dict[str, str], str, dict[str, int]]] = {
    "flat": (COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"}, "pointwise", {"x": 32}),
    "several dimensions in one": (COPY, {"in_ptr0": "float32[2, 3, 4]", "out_ptr0": "float32[6, 4]"}, "pointwise", {"x": 32}),
    "rows and columns": (
        HEAD + COLUMNS,
        {"in_ptr0": "float32[4, 6]", "in_ptr1": "float32[6]", "in_ptr2": "float32[4, 1]", "out_ptr0": "float32[4, 6]"},
        "pointwise", {"x": 32},
    ),
    "permuted": (HEAD + PERMUTED, {"in_ptr0": "float32[2, 4, 3]", "out_ptr0": "float32[4, 2, 3]"}, "pointwise", {"x": 32}),
    "no mask": (EVEN, {"in_ptr0": "float32[8, 8]", "out_ptr0": "float32[8, 8]"}, "pointwise", {"x": 64}),
    "gather": (
        HEAD + GATHER, {"in_ptr0": "int64[4]", "in_ptr1": "float32[50, 6]", "out_ptr0": "float32[4, 6]"}, "pointwise", {"x": 32},
    ),
    "two tables into a wider tensor": (
        HEAD + LOOKUPS,
        {"in_ptr0": "int64[4, 7]", "in_ptr1": "float32[50, 6]", "in_ptr2": "float32[50, 6]", "out_ptr0": "float32[4, 6; 9, 1]"},
        "pointwise", {"x": 32},
    ),
    "halves exchanged": (HEAD + HALVES, {"in_ptr0": "float32[4, 6]", "out_ptr0": "float32[4, 6]"}, "pointwise", {"x": 32}),
    "halves of as much as there are rows": (
        HEAD.replace("24", "36") + HALVES, {"in_ptr0": "float32[6, 6]", "out_ptr0": "float32[6, 6]"}, "pointwise", {"x": 64},
    ),
    "chunks over two dimensions": (
        HEAD.replace("24", "36") + CHUNKS.replace("6", "9"), {"in_ptr0": "float32[3, 4, 3]", "out_ptr0": "float32[4, 9]"},
        "pointwise", {"x": 64},
    ),
    "a place in two dimensions": (
        HEAD + CHUNKS.replace("x0 + 6*x1", "((1 + x0) % 4) + 4*x1"), {"in_ptr0": "float32[4, 2, 2]", "out_ptr0": "float32[4, 6]"},
        "pointwise", {"x": 32},
    ),
    "part of a row": (
        HEAD + PART, {"in_ptr0": "float32[4, 12]", "in_ptr1": "float32[6]", "in_ptr2": "float32[4]", "out_ptr0": "float32[4, 6]"},
        "pointwise", {"x": 32},
    ),
    "layer norm": (
        LAYER_NORM, {"in_ptr0": "float32[5, 24]", "out_ptr0": "float32[5, 24]"}, "persistent_reduction", {"x": 8, "r0_": 32},
    ),
    "looped mean": (LOOPED_MEAN, MEAN_TENSORS, "reduction", {"x": 8, "r0_": 64}),
    "looped without a mask": (
        UNMASKED_SUM, {"in_ptr0": "float32[64, 8]", "out_ptr0": "float32[8]"}, "reduction", {"x": 8, "r0_": 64},
    ),
    "one block without a mask": (
        PERSISTENT_SUM, {"in_out_ptr0": "float32[128]", "in_ptr0": "float32[128]", "out_ptr0": "float32[1, 1]"},
        "persistent_reduction", {"x": 1, "r0_": 128},
    ),
}  # fmt: skip


def made(
    body: str, tensors: dict[str, str], category: str = "pointwise", hints: dict[str, int] | None = None
) -> Kernel:
    found = kernel(body, tensors, category=category)
    values = {line.split(" = ")[0].strip(): line.split(" = ")[1] for line in body.splitlines() if "numel = " in line}
    (launch,) = found.launches
    passed = tuple(replace(argument, value=values.get(argument.name, argument.value)) for argument in launch.arguments)
    return replace(found, launches=(replace(launch, arguments=passed),), size_hints=hints or {"x": 32})


def generalized(
    body: str, tensors: dict[str, str], category: str = "pointwise", hints: dict[str, int] | None = None
) -> str:
    found = made(body, tensors, category, hints)
    return eject(capture(found), found, generalize=True)


SOME = ("rows and columns", "layer norm", "no mask")
REST = tuple(name for name in KERNELS if name not in SOME)


@pytest.mark.parametrize("names", [SOME, pytest.param(REST, marks=pytest.mark.slow)], ids=["some", "the rest"])
def test_every_kernel_is_right_on_its_own_sizes_and_on_others(names: Sequence[str], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    from inductor_lab.records import Verdict
    from inductor_lab.verify import verify_all

    paths = []
    for name in names:
        paths.append(tmp_path / f"{name.replace(' ', '_')}.py")
        paths[-1].write_text(generalized(*KERNELS[name]))
    for path, verdict in zip(paths, verify_all(paths, seeds=1, effort="quick"), strict=True):
        assert isinstance(verdict, Verdict), f"{path.name}: {verdict}"
        sizes = [case for case in verdict.cases if case.name.startswith("sizes")]
        assert len(sizes) >= 3, path.name
        assert verdict.verdict == "pass", f"{path.name}: {[case for case in verdict.cases if not case.passed]}"


LEFT = {
    "rows and columns": ("row = offset // s1", "row = offset // 6"),
    "layer norm": ("total / s1", "total / 24"),
    "one block without a mask": ("tl.where(inside_r, ", "tl.where(r < 128, "),
    "gather": ("chosen * s2", "chosen * 6"),
    "no mask": ("inside = offset < numel", "inside = offset < 64"),
}
"""One size of a file back to the number that it was."""


@pytest.mark.slow
def test_other_sizes_tell_what_still_holds_the_captured_ones(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    from inductor_lab.records import Verdict
    from inductor_lab.verify import verify_all

    paths = []
    for name, (before, after) in LEFT.items():
        text = generalized(*KERNELS[name])
        assert before in text, name
        paths.append(tmp_path / f"{name.replace(' ', '_')}.py")
        paths[-1].write_text(text.replace(before, after))
    for path, verdict in zip(paths, verify_all(paths, seeds=1, effort="quick"), strict=True):
        assert isinstance(verdict, Verdict), f"{path.name}: {verdict}"
        failed = {case.name.startswith("sizes") for case in verdict.cases if not case.passed}
        assert failed == {True}, f"{path.name}: {verdict.cases}"


def test_the_sizes_come_from_the_shapes_and_are_asked_to_belong_together() -> None:
    text = generalized(*KERNELS["rows and columns"])
    assert "numel = s0 * s1" in text
    assert ".shape == (s0, s1)" in text
    assert "2**31" in text
    assert "BASELINE_SIZES = SIZES" in text


def test_a_size_along_which_a_kernel_reduces_is_passed_once() -> None:
    text = generalized(*KERNELS["one block without a mask"])
    hand = text.partition("# ---------------------------------------------------------------- what it must equal")[0]
    assert "inside_r = r < s0" in hand and "BLOCK_R=triton.next_power_of_2(s0)" in hand
    assert "R = s0" not in hand and "    R,\n" not in hand


@pytest.mark.parametrize(
    ("body", "tensors", "category", "reason"),
    [
        (COPY.replace("(x0), xmask)\n", "(x0), (tmp2 > 0) & xmask)\n", 1).replace("tmp0 = ", "tmp2 = tl.load(in_ptr1 + (x0), xmask)\n    tmp0 = "), {
            "in_ptr0": "float32[24]", "in_ptr1": "float32[24]", "out_ptr0": "float32[24]",
        }, "pointwise", "masks in_ptr0 by what the data says"),
        (HEAD + COLUMNS, {
            "in_ptr0": "float32[4, 6; 3, 1]", "in_ptr1": "float32[6]", "in_ptr2": "float32[4]", "out_ptr0": "float32[4, 6]",
        }, "pointwise", "some of it repeated"),
        (COPY.replace("in_ptr0 + (x0)", "in_ptr0 + (2*x0)"), {"in_ptr0": "float32[48]", "out_ptr0": "float32[24]"}, "pointwise", "in steps of 2"),
        (COPY.replace("in_ptr0 + (x0)", "in_ptr0 + (3 + x0)"), {"in_ptr0": "float32[27]", "out_ptr0": "float32[24]"}, "pointwise", "begins 3 elements into"),
        (COPY, {"in_ptr0": "float32[4, 6]", "out_ptr0": "float32[3, 8]"}, "pointwise", "two readings"),
        (COPY.replace("tmp0 + tmp0", "tmp0 * 24.0"), {"in_ptr0": "float32[4, 6]", "out_ptr0": "float32[4, 6]"}, "pointwise", "24 may come from a size"),
        (COPY.replace("tmp0 + tmp0", "tmp0 * 0.25"), {"in_ptr0": "float32[4, 6]", "out_ptr0": "float32[4, 6]"}, "pointwise", "0.25 may come from a size, 4"),
        (COPY.replace("tmp0 + tmp0", "tmp0 * 1.0434782608695652"), {
            "in_ptr0": "float32[4, 6]", "out_ptr0": "float32[4, 6]",
        }, "pointwise", "1.04348 may come from a size, 24"),
        (LOOPED_MEAN.replace("40.0", "80.0"), MEAN_TENSORS, "reduction", "not its length"),
        (LOOPED_MEAN.replace("40.0", "39.0"), MEAN_TENSORS, "reduction", "not its length"),
        (COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"}, "user_autotune", "its author alone knows"),
        (COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"}, "foreach", "how many jobs it has, and which programs do each of them"),
        (COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"}, "combo", "a combo kernel also fixes how many jobs it has"),
        (COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"}, "split_scan", "how many programs share a row"),
    ],
)  # fmt: skip
def test_what_is_not_told_is_refused(body: str, tensors: dict[str, str], category: str, reason: str) -> None:
    with pytest.raises(LabError, match=r"test:0 .* can not be generalized: ") as refused:
        generalized(body, tensors, category)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("name", "keeps"),
    [
        ("halves exchanged", ".shape == (s0, 6)"),
        ("part of a row", ".shape == (s0, 12)"),
        ("halves of as much as there are rows", ".shape == (s0, 6)"),
        ("chunks over two dimensions", ".shape == (3, 4, s0)"),
        ("a place in two dimensions", ".shape == (s0, 2, 2)"),
        ("two tables into a wider tensor", ".stride() == (s4, 1)"),
    ],
)
def test_what_is_not_told_keeps_its_size_and_what_leaves_a_gap_is_asked(name: str, keeps: str) -> None:
    text = generalized(*KERNELS[name])
    assert (
        keeps
        in text.partition("# ---------------------------------------------------------------- what it must equal")[0]
    )


def test_ranges_follow_the_sizes_that_they_come_from() -> None:
    text = generalized(EMBEDDING, EMBEDDING_TENSORS)
    assert '"index": ((s0, s1), (s1, 1), torch.int64, (2 - s3, s3 - 1))' in text
    assert "torch.int64, (1, s3))" in text  # of a remainder by it


def test_strides_are_said_in_the_words_of_the_shape() -> None:
    last = TensorType("float32", (4, 48, 24), (1152, 1, 48))
    general = TensorType("float32", ("s0", "s1", "s2"), ("s1 * s2", 1, "s1"))
    tensor = Tensor("out_ptr0", "out", last, "out", "out", symbolic=general)
    assert tensor.comment() == "f32[s0, s1, s2] with strides [s1 * s2, 1, s1]; output"
    assert replace(tensor, symbolic=None).comment() == "f32[4, 48, 24] with strides [1152, 1, 48]; output"


def test_to_the_letter_and_for_any_sizes_is_a_contradiction() -> None:
    found = made(COPY, {"in_ptr0": "float32[24]", "out_ptr0": "float32[24]"})
    with pytest.raises(LabError, match="to the letter"):
        eject(capture(found), found, style="verbatim", generalize=True)
