"""What a kernel compares, printed beside its reference: small kernels as text, and the rows of their `compares`."""

from __future__ import annotations

import textwrap

import pytest
from folders import CAPTURED
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, EMBEDDING, EMBEDDING_TENSORS, ROWS, kernel

from inductor_lab import store
from inductor_lab.computation import computation
from inductor_lab.computation.intervals import Interval
from inductor_lab.eject import eject
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.eager.comparisons import Compares, compares
from inductor_lab.eject.inputs.intervals import Bounds

LINES = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
"""
ONE = {"in_ptr0": "float32[1024]", "out_ptr0": "float32[1024]"}


def printed(body: str, tensors: dict[str, str], loads: dict[str, Interval] | None = None) -> Compares:
    made = kernel(textwrap.dedent(body), tensors)
    found = computation(made)
    (launch,) = made.launches
    views = {a.name: Tensor(a.name, a.name, a.type, "in", "normal") for a in launch.arguments if a.type is not None}
    return compares(made, found, views, {}, lambda job: Bounds(job.numel, {}, loads or {}))


def pointwise(
    lines: str, tensors: dict[str, str] = ONE, dtype: str = "tl.float32", loads: dict[str, Interval] | None = None
) -> Compares:
    load = f"tmp0 = tl.load(in_ptr0 + (x0), xmask).to({dtype})\n" if dtype == "tl.float32" else ""
    load = load or "tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
    return printed(LINES + textwrap.indent(load + textwrap.dedent(lines), "    "), tensors, loads)


def test_a_relu_is_compared_with_0_and_its_operand_is_said_in_words() -> None:
    (row,) = printed(ADD_RELU, ADD_RELU_TENSORS).rows
    what, left, right = row.strip("()").rsplit(", ", 2)
    assert what.startswith('"relu(') and right == "0.0"
    assert left in what or "total" in what


def test_a_comparison_has_its_two_operands() -> None:
    found = pointwise(
        """\
        tmp1 = 3.0
        tmp2 = tmp0 > tmp1
        tmp3 = tmp0 * 0.5
        tmp4 = tl.where(tmp2, tmp0, tmp3)
        tl.store(out_ptr0 + (x0), tmp4, xmask)
        """
    )
    assert found.rows == ('("in_ptr0 > 3.0", in_ptr0, 3.0)',) and not found.left_out


def test_the_ends_of_a_tensor_and_of_a_window_are_no_comparisons_of_data() -> None:
    found = pointwise(
        """\
        tmp1 = x0
        tmp2 = tl.full([1], 512, tl.int64)
        tmp3 = tmp1 < tmp2
        tmp4 = tl.where(tmp3, tmp0, 0.0)
        tl.store(out_ptr0 + (x0), tmp4, xmask)
        """
    )
    assert found == Compares((), (), 0, ())


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("tmp1 = tl_math.abs(tmp0)", '("abs(in_ptr0)", in_ptr0, 0.0)'),
        ("tmp1 = triton_helpers.minimum(tmp0, 6.0)", '("minimum(in_ptr0, 6.0)", in_ptr0, 6.0)'),
        ("tmp1 = libdevice.floor(tmp0)", '("floor(in_ptr0)", in_ptr0, torch.round(in_ptr0))'),
        ("tmp1 = libdevice.nearbyint(tmp0)", '("nearbyint(in_ptr0)", in_ptr0, torch.floor(in_ptr0) + 0.5)'),
        ("tmp1 = tmp0.to(tl.int32).to(tl.float32)", '("int32(in_ptr0)", in_ptr0, torch.round(in_ptr0))'),
        ("tmp1 = tmp0.to(tl.float16).to(tl.float32)", '("in_ptr0.abs() as float16", in_ptr0.abs(), 65504.0)'),
    ],
)
def test_what_compares_without_saying_so(line: str, row: str) -> None:
    assert pointwise(f"{line}\ntl.store(out_ptr0 + (x0), tmp1, xmask)\n").rows == (row,)


@pytest.mark.parametrize("line", ["tmp1 = libdevice.isnan(tmp0).to(tl.float32)", "tmp1 = tmp0 * 2.0"])
def test_what_has_no_boundary_is_not_told(line: str) -> None:
    assert not pointwise(f"{line}\ntl.store(out_ptr0 + (x0), tmp1, xmask)\n").rows


def test_a_result_that_is_stored_in_a_narrower_float_is_compared_with_its_largest_number() -> None:
    tensors = {"in_ptr0": "float32[1024]", "out_ptr0": "float16[1024]"}
    found = pointwise("tmp1 = tmp0 * 2.0\ntl.store(out_ptr0 + (x0), tmp1, xmask)\n", tensors)
    assert found.rows == ('("(in_ptr0 * 2.0).abs() as float16", (in_ptr0 * 2.0).abs(), 65504.0)',)


def test_the_signs_of_a_remainder_are_told_where_a_number_may_be_negative() -> None:
    tensors = {"in_ptr0": "int64[1024]", "out_ptr0": "int64[1024]"}
    lines = "tmp1 = tl.full([1], 7, tl.int64)\ntmp2 = tmp0 % tmp1\ntl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    assert pointwise(lines, tensors, "", {"in_ptr0": Interval(-9, 9)}).rows == ('("the sign of in_ptr0", in_ptr0, 0)',)
    assert not pointwise(lines, tensors, "", {"in_ptr0": Interval(0, 9)}).rows


def test_an_index_is_compared_with_0_where_it_may_count_from_the_end() -> None:
    tensors = {"in_ptr0": "int64[1024]", "in_ptr1": "float32[50]", "out_ptr0": "float32[1024]"}
    lines = """\
        tmp1 = tmp0 + 50
        tmp2 = tmp0 < 0
        tmp3 = tl.where(tmp2, tmp1, tmp0)
        tmp4 = tl.load(in_ptr1 + (tmp3), xmask)
        tl.store(out_ptr0 + (x0), tmp4, xmask)
        """
    assert pointwise(lines, tensors, "", {"in_ptr0": Interval(-50, 49)}).rows == ('("in_ptr0 < 0", in_ptr0, 0)',)
    assert not pointwise(lines, tensors, "", {"in_ptr0": Interval(0, 49)}).rows


def test_a_remainder_that_wraps_is_no_question_of_signs_where_nothing_is_negative() -> None:
    drawn = {"in_ptr0": Interval(0, 100), "in_ptr1": Interval(1, 100)}
    assert not printed(EMBEDDING, EMBEDDING_TENSORS, drawn).rows
    drawn["in_ptr0"] = Interval(-9, 9)
    signs = [row for row in printed(EMBEDDING, EMBEDDING_TENSORS, drawn).rows if "the sign of" in row]
    assert len(signs) == 1 and "in_ptr0" in signs[0]


def test_a_place_of_the_largest_is_decided_by_the_best_two() -> None:
    lines = ROWS + textwrap.indent(
        textwrap.dedent(
            """\
            tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
            tmp2 = tl.broadcast_to(r0_index, tmp1.shape)
            tmp3_val, tmp3_idx = triton_helpers.max_with_index(tmp1, tmp2, 1)
            tmp3 = tmp3_idx[:, None]
            tl.store(out_ptr0 + (x0), tmp3, xmask)
            """
        ),
        "    ",
    )
    found = printed(lines, {"in_ptr0": "float32[8, 128]", "out_ptr0": "int64[8]"})
    assert found.lines == ("best = torch.topk(in_ptr0, 2).values",)
    assert found.rows == ('("argmax: the best and the next", best[..., 0], best[..., 1])',)


@pytest.mark.slow
def test_an_ejected_file_has_the_function_only_where_there_is_something_to_compare() -> None:
    captures = CAPTURED
    capture = store.load(captures / "lora_mlp_h200_virtual")
    texts = [eject(capture, each) for each in capture.kernels]
    assert any("def compares(" in text and "relu(" in text.partition("def compares(")[2] for text in texts)
    plain = [text for text in texts if "relu" not in text and " < 0" not in text]
    assert not any("compares" in text for text in plain)
