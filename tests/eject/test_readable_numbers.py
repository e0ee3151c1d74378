"""The numbers of a readable kernel: told by what they must be, and left alone where they are only equal to it."""

from __future__ import annotations

import re
from dataclasses import replace

from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS, kernel, tensor
from test_readable import MASKED, NAMES, readable

from inductor_lab.computation import computation
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.tree import Position, Size
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.graph.dimension_names import dimensions
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.triton import readable as printed
from inductor_lab.eject.triton.page import name_node, number_of, unparsed
from inductor_lab.eject.triton.values import cast
from inductor_lab.records import Node


def lines(statements: str, tensors: dict[str, str], numel: int = 3000) -> str:
    return "\n".join(readable(MASKED.replace("3000", str(numel)) + statements, tensors).lines)


# ---------------------------------------------------------------- steps and places


TILE = """
    ynumel = 40
    xnumel = 40
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0 + 40*x1), xmask & ymask)
    tl.store(out_ptr0 + (x1 + 40*y0), tmp0, xmask & ymask)
"""


def test_a_step_is_what_the_faster_coordinates_span_and_not_what_it_happens_to_equal() -> None:
    """As many rows as columns: a row is as far as its columns."""
    text = "\n".join(readable(TILE, {"in_ptr0": "float32[40, 40]", "out_ptr0": "float32[40, 40]"}).lines)
    assert "a_ptr + (y + x * Y_SIZE)" in text and "out_ptr + (x + y * X_SIZE)" in text


def test_a_block_of_rows_is_as_far_as_the_rows_and_columns_in_it() -> None:
    body = LOOPED_SUM.replace("x0 = xindex\n", "x0 = (xindex % 16)\n    x1 = xindex // 16\n")
    body = body.replace("x0 + 256*r0_1", "x0 + 16*r0_1 + 2048*x1").replace("out_ptr0 + (x0)", "out_ptr0 + (x0 + 16*x1)")
    tensors = dict.fromkeys(LOOPED_SUM_TENSORS, "float32[16, 128, 16]") | {"out_ptr0": "float32[16, 16]"}
    text = "\n".join(readable(body, tensors).lines)
    assert "element = column_inner + r * COLUMN_INNER + column_outer * (R * COLUMN_INNER)" in text


def test_a_size_is_cast_as_a_number_is() -> None:
    """Triton compiles in a size that is 1: a number, which has no `.to`."""
    size = Size("int32", frozenset(), "ks0")
    twice = Position("int64", frozenset(), Index(0, (Term(2, None, ("ks0",)),)))
    moving = Position("int64", frozenset({"x"}), Index(0, (Term(2, Coordinate("x", 1, None), ("ks0",)),)))
    made = [unparsed(cast(name_node("n"), value, "int64")) for value in (size, twice, moving)]
    assert made == ["tl.cast(n, tl.int64)", "tl.cast(n, tl.int64)", "n.to(tl.int64)"]


def test_a_step_that_nothing_spans_is_a_stride_of_the_tensor() -> None:
    found = readable(
        TILE.replace("x1 + 40*y0", "x1 + 64*y0"), {"in_ptr0": "float32[40, 40]", "out_ptr0": "float32[40, 64]"}
    )
    assert any("out_ptr + (x + y * OUT_STRIDE_0)" in line for line in found.lines)
    assert "OUT_STRIDE_0=out.stride(0)" in found.arguments


def test_a_place_is_told_along_the_tensors_dimensions() -> None:
    tensors = {"in_ptr0": "float32[4, 96, 200]", "out_ptr0": "float32[3000]"}
    text = lines(
        "    tmp0 = tl.load(in_ptr0 + (19432 + x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n", tensors
    )
    assert "a = tl.load(a_ptr + (offset + (A_STRIDE_0 + A_STRIDE_1 + 32)), inside)" in text


def test_a_place_that_is_no_few_steps_stays_a_number() -> None:
    tensors = {"in_ptr0": "float32[3342]", "out_ptr0": "float32[3000]"}
    text = lines(
        "    tmp0 = tl.load(in_ptr0 + (342 + x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n", tensors
    )
    assert "a_ptr + (offset + 342)" in text


def test_a_part_of_a_row_begins_where_the_parts_before_it_end() -> None:
    """The keys of queries, keys and values: the second of three equal parts; ten elements into a row are no such place."""
    body = TILE.replace("y0 + 40*x1", "40 + y0 + 120*x1")
    found = readable(body, {"in_ptr0": "float32[40, 120]", "out_ptr0": "float32[40, 40]"})
    assert any("a_ptr + (Y_SIZE + y + x * A_STRIDE_0)" in line for line in found.lines), found.lines
    found = readable(
        body.replace("(40 + y0", "(10 + y0"), {"in_ptr0": "float32[40, 120]", "out_ptr0": "float32[40, 40]"}
    )
    assert any("a_ptr + (10 + y + x * A_STRIDE_0)" in line for line in found.lines), found.lines


def test_several_places_along_a_dimension_have_their_number_in_the_name() -> None:
    body = """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr0 + (3000 + x0), xmask)
    tmp2 = tl.load(in_ptr0 + (6000 + x0), xmask)
    tmp3 = tmp0 + tmp1
    tmp4 = tmp3 + tmp2
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
    text = lines(body, {"in_ptr0": "float32[3, 3000]", "out_ptr0": "float32[3000]"})
    assert "a_at_2 = tl.load(a_ptr + (offset + 2 * NUMEL), inside)" in text
    assert "tl.store(out_ptr + offset, a_at_0 + a_at_1 + a_at_2, inside)" in text


# ---------------------------------------------------------------- bounds

ROTATED = """
    x0 = (xindex % 64)
    x1 = xindex // 64
    tmp0 = x0
    tmp1 = tl.full([1], 32, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (32 + x0 + 64*x1), tmp2 & xmask, other=0.0)
    tmp4 = tmp0 >= tmp1
    tmp5 = tl.load(in_ptr0 + ((-32) + x0 + 64*x1), tmp4 & xmask, other=0.0)
    tmp6 = tl.where(tmp2, tmp3, tmp5)
    tl.store(out_ptr0 + (x0 + 64*x1), tmp6, xmask)
"""


def test_the_halves_of_a_rotation_are_told_by_the_coordinate_that_is_halved() -> None:
    text = lines(
        ROTATED.replace("in_ptr0 + ((-32)", "in_ptr1 + ((-32)"),
        dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[100, 64]"),
        6400,
    )
    assert "below = column < COLUMNS // 2" in text, text
    assert "a_upper = tl.load(a_ptr + (column + row * COLUMNS + COLUMNS // 2), " in text
    assert "b_lower = tl.load(b_ptr + (column + row * COLUMNS - COLUMNS // 2), " in text
    assert "32" not in text


def test_half_of_a_size_is_no_half_where_nothing_is_half_of_it_away() -> None:
    body = ROTATED.replace("32 + x0", "x0").replace("(-x0", "(x0").replace("(-32) + x0", "x0")
    text = lines(body, {"in_ptr0": "float32[100, 64]", "out_ptr0": "float32[100, 64]"}, 6400)
    assert "< 32" in text and "// 2" not in text


def test_the_seam_of_a_concatenation_is_the_size_of_what_is_read_before_it() -> None:
    body = """
    x0 = (xindex % 60)
    x1 = xindex // 60
    tmp0 = x0
    tmp1 = tl.full([1], 20, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x0 + 20*x1), tmp2 & xmask, other=0.0)
    tmp4 = tmp0 >= tmp1
    tmp5 = tl.load(in_ptr1 + ((-20) + x0 + 40*x1), tmp4 & xmask, other=0.0)
    tmp6 = tl.where(tmp2, tmp3, tmp5)
    tl.store(out_ptr0 + (x0 + 60*x1), tmp6, xmask)
"""
    text = lines(body, {"in_ptr0": "float32[50, 20]", "in_ptr1": "float32[50, 40]", "out_ptr0": "float32[50, 60]"})
    assert "< A_COLUMNS" in text and ">= A_COLUMNS" in text
    assert "b = tl.load(b_ptr + (column + row * B_STRIDE_0 - A_COLUMNS), " in text


def test_an_index_is_held_to_the_table_that_it_counts_in() -> None:
    body = """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.full([1], 50, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 50")
    tmp5 = tl.load(in_ptr1 + (8*tmp4), xmask)
    tmp6 = tmp5 * 50
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
    text = lines(body, {"in_ptr0": "int64[3000]", "in_ptr1": "float32[50, 8]", "out_ptr0": "float32[3000]"})
    assert "a + B_ROWS" in text and "< B_ROWS" in text
    assert "* 50" in text  # it is no size


# ---------------------------------------------------------------- dimensions

BATCH_OF_IMAGES = """
    x1 = ((xindex // 25) % 8)
    x2 = xindex // 200
    x0 = (xindex % 25)
    tmp0 = tl.load(in_ptr0 + (x0 + 25*x1 + 200*x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x1), xmask)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0 + 25*x1 + 200*x2), tmp2, xmask)
"""


def test_coordinates_of_an_image_are_its_batch_channel_and_pixel() -> None:
    made = kernel(
        MASKED + BATCH_OF_IMAGES,
        {"in_ptr0": "float32[15, 8, 5, 5]", "in_ptr1": "float32[8]", "out_ptr0": "float32[15, 8, 5, 5]"},
    )
    held = {
        a.name: Tensor(a.name, NAMES[a.name], type_, a.role, "normal")
        for a in made.arguments
        if a.pointer and (type_ := tensor({"in_ptr1": "float32[8]"}.get(a.name, "float32[15, 8, 5, 5]")))
    }
    unnamed = "\n".join(printed(computation(made), held, OF_THE_KERNEL, {}).lines)
    held["in_ptr0"] = replace(held["in_ptr0"], dimensions=("batch", "channel", "row", "column"))
    found = printed(computation(made), held, OF_THE_KERNEL, {})
    named = "\n".join(found.lines)
    assert "channel = offset // PIXELS % CHANNELS" in named and "b = tl.load(b_ptr + channel, inside)" in named
    assert "CHANNELS=a.shape[1]" in found.arguments
    assert "row = offset // COLUMNS % ROWS" in unnamed


def test_dimensions_are_told_by_the_operators_that_take_a_tensor() -> None:
    """And through what is done element by element, and permuted."""
    image, other = tensor("float32[2, 8, 5, 5]"), tensor("float32[16, 25]")
    relu = Node("relu", "aten.relu.default", "", (), image, None)
    mean = Node("mean", "aten.mean.dim", "", ("relu",), image, None)
    taken = Node("convolution_1", "aten.convolution.default", "", ("relu", "weight"), image, None)
    assert dimensions(relu, {"mean": mean}, image) == ()
    assert dimensions(relu, {"convolution_1": taken}, image) == ("batch", "channel", "row", "column")
    assert dimensions(taken, {}, image) == ("batch", "channel", "row", "column")
    assert dimensions(relu, {"convolution_1": taken}, other) == ()  # as the kernel is given it, it is something else
    turned = Node(
        "permute",
        "aten.permute.default",
        "torch.ops.aten.permute.default(relu, [0, 2, 3, 1])",
        ("relu",),
        tensor("float32[2, 5, 5, 8]"),
        None,
    )
    between = Node("neg", "aten.neg.default", "", ("permute",), turned.type, None)
    graph = {node.name: node for node in (relu, taken, turned, between)}
    assert turned.type is not None
    assert dimensions(between, graph, turned.type) == ("batch", "row", "column", "channel")
    weight = Node("weight", "placeholder", "", (), image, None)
    assert dimensions(weight, {"convolution_1": taken}, image) == ()


# ---------------------------------------------------------------- what is walked backwards, and what is held to a size


def test_a_flipped_dimension_begins_at_its_last_place() -> None:
    body = """
    x0 = (xindex % 30)
    x1 = xindex // 30
    tmp0 = tl.load(in_ptr0 + (2970 + x0 + ((-30)*x1)), xmask)
    tl.store(out_ptr0 + (x0 + 30*x1), tmp0, xmask)
"""
    text = lines(body, {"in_ptr0": "float32[100, 30]", "out_ptr0": "float32[100, 30]"})
    assert "a_ptr + (column + (ROWS - 1) * COLUMNS - row * COLUMNS)" in text


def test_an_index_that_is_held_to_a_table_is_held_to_its_rows() -> None:
    body = """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.full([1], 49, tl.int64)
    tmp2 = triton_helpers.minimum(tmp1, tmp0)
    tmp3 = tl.full([1], -50, tl.int64)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tmp5 = tl.full([1], 50, tl.int32)
    tmp6 = tmp4 + tmp5
    tmp7 = tmp4 < 0
    tmp8 = tl.where(tmp7, tmp6, tmp4)
    tmp9 = tl.load(in_ptr1 + (8*tmp8), xmask)
    tl.store(out_ptr0 + (x0), tmp9, xmask)
"""
    text = lines(body, {"in_ptr0": "int64[3000]", "in_ptr1": "float32[50, 8]", "out_ptr0": "float32[3000]"})
    assert "tl.maximum(-B_ROWS, tl.minimum(B_ROWS - 1, a))" in text


def test_a_size_of_several_dimensions_is_taken_from_all_of_them() -> None:
    body = TILE.replace("ynumel = 40", "ynumel = 24").replace("40*x1", "24*x1")
    found = readable(body, {"in_ptr0": "float32[5, 8, 24]", "out_ptr0": "float32[24, 5, 8]"})
    assert "x_size = a.shape[0] * a.shape[1]" in found.statements and "y_size = a.shape[2]" in found.statements


def test_a_small_number_is_no_fraction() -> None:
    """An epsilon is no reciprocal of a size."""
    assert [unparsed(number_of(value)) for value in (1e-05, 0.1, -1e-12)] == ["1e-05", "0.1", "-1e-12"]


# ---------------------------------------------------------------- windows

POOLED = """
    x0 = xindex % 29
    x1 = xindex // 29
    tmp0 = (-1) + 2*x1
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 57, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tmp2 & tmp4
    tmp6 = (-1) + 2*x0
    tmp7 = tmp6 >= tmp1
    tmp8 = tmp6 < tmp3
    tmp9 = tmp7 & tmp8
    tmp10 = tmp5 & tmp9
    tmp11 = tl.load(in_ptr0 + ((-58) + 2*x0 + 114*x1), tmp10 & xmask, other=0.0)
    tmp12 = 1 + 2*x0
    tmp13 = tmp12 >= tmp1
    tmp14 = tmp12 < tmp3
    tmp15 = tmp13 & tmp14
    tmp16 = tmp5 & tmp15
    tmp17 = tl.load(in_ptr0 + ((-56) + 2*x0 + 114*x1), tmp16 & xmask, other=0.0)
    tmp18 = triton_helpers.maximum(tmp11, tmp17)
    tmp19 = 1 + 2*x1
    tmp20 = tmp19 >= tmp1
    tmp21 = tmp19 < tmp3
    tmp22 = tmp20 & tmp21
    tmp23 = tmp22 & tmp9
    tmp24 = tl.load(in_ptr0 + (56 + 2*x0 + 114*x1), tmp23 & xmask, other=0.0)
    tmp25 = triton_helpers.maximum(tmp18, tmp24)
    tmp26 = tmp22 & tmp15
    tmp27 = tl.load(in_ptr0 + (58 + 2*x0 + 114*x1), tmp26 & xmask, other=0.0)
    tmp28 = triton_helpers.maximum(tmp25, tmp27)
    tmp29 = tmp28 * tmp28
    tl.store(out_ptr0 + (xindex), tmp29, xmask)
"""


def test_the_places_of_a_window_have_its_row_and_column_in_their_names() -> None:
    found = lines(POOLED, {"in_ptr0": "float32[57, 57]", "out_ptr0": "float32[29, 29]"}, 841)
    assert "inside_row_0 = row * 2 - 1 >= 0\n" in found and "inside_row_1 = row * 2 + 1 < A_ROWS\n" in found
    assert (
        "inside_column_0 = column * 2 - 1 >= 0\n" in found and "inside_column_1 = column * 2 + 1 < A_COLUMNS\n" in found
    )
    assert "a_at_0_0 = tl.load(a_ptr + (column * 2 + row * (2 * A_STRIDE_0) - (A_STRIDE_0 + 1)), inside_row_0" in found
    assert "- (A_STRIDE_0 - 1)), inside_row_0 & inside_column_1 & inside, other=0.0)" in found
    assert "a_at_1_0 = tl.load(" in found and "+ (A_STRIDE_0 - 1)), inside_row_1 & inside_column_0" in found
    assert "largest = maximum(a_at_0_0, a_at_0_1)" in found and "largest = maximum(largest, a_at_1_1)" in found
    assert not re.search(r"both|largest_|\b5[678]\b", found)


def test_all_places_along_two_dimensions_are_no_window() -> None:
    """x[3000, 3, 2] summed over both: the offsets are counted from its first element, not around a middle."""
    loads = "".join(f"    tmp{n} = tl.load(in_ptr0 + ({n} + 6*x0), xmask)\n" for n in range(6))
    total = " + ".join(f"tmp{n}" for n in range(6))
    body = f"{MASKED}{loads}    tl.store(out_ptr0 + (x0), {total}, xmask)\n"
    found = readable(body, {"in_ptr0": "float32[3000, 3, 2]", "out_ptr0": "float32[3000]"})
    text = "\n".join(found.lines)
    for name, place in (("a_at_0_1", "1"), ("a_at_1_1", "(A_STRIDE_1 + 1)"), ("a_at_2_1", "(2 * A_STRIDE_1 + 1)")):
        assert f"{name} = tl.load(a_ptr + (offset * A_STRIDE_0 + {place}), inside)" in text
    assert found.remark.endswith("a_at_0_1 is read at 0 along dimension 1 and 1 along dimension 2.")


def test_places_that_are_no_whole_window_are_numbered() -> None:
    found = lines(
        POOLED.replace("58 + 2*x0", "59 + 2*x0"), {"in_ptr0": "float32[57, 57]", "out_ptr0": "float32[29, 29]"}, 841
    )
    assert "_at_" not in found and "inside_row" not in found and "largest_2 = " in found
