"""What sentences and formulas say of values, held to a run on drawn inputs: each of these is so, and with one word wrong it is found."""

from __future__ import annotations

import pytest
from agreeing_titles import titled
from agreeing_values import valued
from kernels_as_text import ROWS, capture, kernel

from inductor_lab.annotate import explain
from inductor_lab.annotate.titles import Naming

BODY = (
    ROWS
    + """
    tmp1 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = r0_1
    tmp3 = tl.full([1, 1], 64, tl.int64)
    tmp4 = tmp2 < tmp3
    tmp5 = tl.load(in_ptr2 + (r0_1 + 64*x0), tmp4 & xmask, other=0.0)
    tmp6 = tl.where(tmp4, tmp5, tmp1)
    tmp7 = tmp0 * tmp6
    tmp8 = tl_math.abs(tmp7)
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp10 = tl.where(xmask, tmp9, 0)
    tmp11 = tl.sum(tmp10, 1)[:, None]
    tmp12 = (((-1) + x0) % 2)
    tl.store(out_ptr0 + (x0), tmp11, xmask)
"""
)
TENSORS = {
    "in_ptr0": "float32[8, 128]",
    "in_ptr1": "float32[128]",
    "in_ptr2": "float32[8, 64]",
    "out_ptr0": "float32[8]",
}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("tmp4", "true where r0_1 < 64", "true where r0_1 <= 64"),
        ("tmp5", "one value; only where r0_1 < 64, 0 elsewhere", "one value; only where r0_1 < 65, 0 elsewhere"),
        ("tmp6", "in_ptr2 where r0_1 < 64, in_ptr1 elsewhere", "in_ptr1 where r0_1 < 64, in_ptr2 elsewhere"),
        ("tmp6", "in_ptr2 where tmp4, in_ptr1[r0_1] elsewhere", "in_ptr2 where tmp4, in_ptr1[r0_1 + 1] elsewhere"),
        ("tmp6", "in_ptr2 where tmp4, in_ptr1 elsewhere", "in_ptr2: the condition is always true"),
        ("tmp6", "in_ptr2 where tmp4, in_ptr1 elsewhere", "tmp6: both sides are the same"),
        ("tmp7", "in_ptr0 * tmp6", "in_ptr0 + tmp6"),
        ("tmp8", "abs(in_ptr0 * where(tmp4, in_ptr2, in_ptr1)); NaN stays NaN", "relu(in_ptr0 * where(tmp4, in_ptr2, in_ptr1))"),
        ("tmp9", "the same as tmp8: abs(tmp7)", "the same as tmp7: abs(tmp7)"),
        ("tmp11", "the sum over the row, one value left for each row: sum(abs(tmp7))", "the mean over the row: mean(abs(tmp7))"),
        ("tmp12", "fmod(x0 - 1, 2)", "(x0 - 1) % 2; as C takes it"),
        ("xnumel", "8 results, one a row", "4 results, one a row"),
        ("x0", "the row's number, 0 to 7", "the row's number, 0 to 8"),
        ("r0_1", "the position along the reduction, 0 to 127", "the outer part of the row's number, 0 to 127: moves on every 2"),
        ("r0_numel", "each row folds 128 elements", "each row folds 64 elements"),
        ("out_ptr0", "sum(abs(tmp7)) into sum_1 f32[8]", "tmp11 * tmp11 into sum_1 f32[8]"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_value_is_held_to_it(name: str, right: str, wrong: str) -> None:
    found = kernel(BODY, TENSORS, category="persistent_reduction")
    line = next(
        place
        for place, text in enumerate(found.body.splitlines(), 1)
        if f"{name} = " in text or f"store({name}" in text
    )
    assert {claim.counted for claim in valued(found, {line: [right]})[0] if claim.line} == {""}
    assert any(claim.counted for claim in valued(found, {line: [wrong]})[0] if claim.line)


def test_a_position_that_may_be_negative_has_c_s_remainder() -> None:
    found = kernel(BODY, TENSORS, category="persistent_reduction")
    said = [note.text for note in explain(found, capture(found)) if "as C takes it" in note.text]
    assert said == ["fmod(x0 - 1, 2); as C takes it: the sign is the dividend's; nothing reads it"]


def test_a_formula_is_held_to_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    found = kernel(BODY, TENSORS, category="persistent_reduction")
    (claim,) = valued(found, {})[0]
    assert claim.said == "sum(abs(in_ptr0 * where(r0_1 < 64, in_ptr2, in_ptr1)))" and not claim.counted
    monkeypatch.setattr(
        "agreeing_values.computes", lambda _: ("out_ptr0 = sum(in_ptr0 * where(r0_1 < 64, in_ptr2, in_ptr1))",)
    )
    (claim,) = valued(found, {})[0]
    assert claim.counted


SILU = (
    ROWS
    + """
    tmp1 = tl.sigmoid(tmp0)
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp2, xmask)
"""
)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("silu, 8 rows of 128 f32", "silu, 128 rows of 8 f32"),
        ("silu, 8 rows of 128 f32", "silu, 8 rows of 128 bf16"),
        ("silu, 8 rows of 128 f32", "gelu, 8 rows of 128 f32"),
        ("silu, 8 rows of 128 f32", "rms_norm, 8 rows of 128 f32"),
    ],
)
def test_a_title_is_held_to_the_kernel(right: str, wrong: str) -> None:
    found = kernel(SILU, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8, 128]"}, category="persistent_reduction")
    _, ran = valued(found, {})
    for title, so in ((right, True), (wrong, False)):
        said = [*titled(found, Naming(title, (title.partition(",")[0],), "recognised"), ran)]
        assert len(said) == 3 and all(not counted for _, counted in said) == so
