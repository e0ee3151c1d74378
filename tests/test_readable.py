"""Rewriting a generated body: what goes in, what comes out. Nothing is run here; tests/test_verify.py holds the results to the bit."""

from __future__ import annotations

import ast
import re
import textwrap

import pytest
from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS, PERSISTENT_SUM, PERSISTENT_SUM_TENSORS, kernel

from inductor_lab.eject.readable import Readable, rewrite

FLOATS = {"in_ptr0": "float32[3000]", "in_ptr1": "float32[3000]", "out_ptr0": "float32[3000]"}
NAMES = {"in_out_ptr0": "base", "in_ptr0": "a", "in_ptr1": "b", "in_ptr2": "c", "out_ptr0": "out", "out_ptr1": "out_2"}
MASKED = """
    xnumel = 3000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
"""
UNMASKED = MASKED.replace("xindex < xnumel", "tl.full([XBLOCK], True, tl.int1)[:]").replace("3000", "4096")


def readable(body: str, tensors: dict[str, str] = FLOATS, names: dict[str, str] = NAMES) -> Readable:
    """The rewritten body, its sizes read off `xnumel = 3000`."""
    found = kernel(body, tensors)
    sizes = {name: int(size) for name, size in re.findall(r"^(\w*numel) = (\d+)$", found.body, flags=re.MULTILINE)}
    return rewrite(found, {pointer: names[pointer] for pointer in tensors}, sizes)


def pointwise(statements: str, tensors: dict[str, str] = FLOATS, head: str = MASKED) -> str:
    """What becomes of the statements after the index, as text."""
    lines = readable(head + textwrap.indent(textwrap.dedent(statements), "    "), tensors).lines
    first = next(n for n, line in enumerate(lines) if "tl.load(" in line)
    return "\n".join(lines[first:])


def text(after: str) -> str:
    return textwrap.dedent(after).strip()


# ---------------------------------------------------------------- the index


def test_offset_and_mask_take_one_line_each() -> None:
    found = readable(MASKED + "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n")
    assert found.lines == [
        "offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "inside = offset < numel",
        "a = tl.load(a_ptr + offset, inside)",
        "tl.store(out_ptr + offset, a, inside)",
    ]
    assert found.numels == {"xnumel": "numel"} and found.blocks == {"XBLOCK": "BLOCK"} and not found.evens


def test_a_dropped_mask_comes_back_and_costs_nothing_where_the_block_divides() -> None:
    found = readable(UNMASKED + "    tmp0 = tl.load(in_ptr0 + (x0), None)\n    tl.store(out_ptr0 + (x0), tmp0, None)\n")
    assert found.lines[1:] == [
        "inside = tl.full([BLOCK], True, tl.int1) if EVEN else offset < numel",
        "a = tl.load(a_ptr + offset, inside)",
        "tl.store(out_ptr + offset, a, inside)",
    ]
    assert found.evens == {"EVEN": "numel % BLOCK == 0"}


def test_a_load_that_does_not_move_needs_no_mask() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (0))
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
        tl.store(out_ptr0 + (x0), tmp1, None)
        """,
        head=UNMASKED,
    )
    assert after == text(
        """
        a = tl.load(a_ptr + 0)
        tl.store(out_ptr + offset, tl.broadcast_to(a, [BLOCK]), inside)
        """
    )


def test_a_mask_of_the_kernels_own_stays_beside_the_one_that_comes_back() -> None:
    after = pointwise(
        """
        x1 = (xindex % 64)
        tmp0 = x1
        tmp1 = tl.full([1], 32, tl.int64)
        tmp2 = tmp0 < tmp1
        tmp3 = tl.load(in_ptr0 + (x0), tmp2, other=0.0)
        tmp4 = tl.load(in_ptr1 + (x0), tmp2, other=0.0)
        tl.store(out_ptr0 + (x0), tmp3 + tmp4, None)
        """,
        head=UNMASKED,
    )
    assert after == text(
        """
        a = tl.load(a_ptr + offset, below_32 & inside, other=0.0)
        b = tl.load(b_ptr + offset, below_32 & inside, other=0.0)
        tl.store(out_ptr + offset, a + b, inside)
        """
    )


def test_a_bounds_check_lets_pass_what_the_mask_that_came_back_left_outside() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), None)
        tl.device_assert((0 <= tmp0) & (tmp0 < 50), "index out of bounds: 0 <= tmp0 < 50")
        tmp1 = tl.load(in_ptr1 + (tmp0), None)
        tl.store(out_ptr0 + (x0), tmp1, None)
        """,
        {"in_ptr0": "int64[4096]", "in_ptr1": "float32[50]", "out_ptr0": "float32[4096]"},
        head=UNMASKED,
    )
    assert "tl.device_assert((0 <= a) & (a < 50) | ~inside, " in after
    assert "b = tl.load(b_ptr + a, inside)" in after


def test_rows_and_columns_get_their_names_and_the_size_becomes_a_parameter() -> None:
    found = readable(
        MASKED
        + """
    x1 = (xindex % 30)
    x2 = xindex // 30
    tmp0 = tl.load(in_ptr0 + (x1), xmask)
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tl.store(out_ptr0 + (x0), tmp0 * tmp1, xmask)
"""
    )
    assert found.lines[2:] == [
        "column = offset % COLUMNS",
        "row = offset // COLUMNS",
        "a = tl.load(a_ptr + column, inside)",
        "b = tl.load(b_ptr + row, inside)",
        "tl.store(out_ptr + offset, a * b, inside)",
    ]
    assert [(size.name, size.value) for size in found.sizes] == [("COLUMNS", 30)]


def test_more_than_two_coordinates_are_numbered_from_the_outermost() -> None:
    lines = readable(
        MASKED
        + """
    x3 = (xindex % 10)
    x4 = ((xindex // 10) % 30)
    x5 = xindex // 300
    tmp0 = tl.load(in_ptr0 + (x3 + 10*x5), xmask)
    tmp1 = tl.load(in_ptr1 + (x4), xmask)
    tl.store(out_ptr0 + (x0), tmp0 * tmp1, xmask)
"""
    ).lines
    assert lines[2:5] == ["d2 = offset % 10", "d1 = offset // 10 % 30", "d0 = offset // 300"]
    assert "a = tl.load(a_ptr + (d2 + 10 * d0), inside)" in lines


def test_two_free_dimensions_are_a_tile_with_a_mask_each() -> None:
    found = readable(
        """
    ynumel = 64
    xnumel = 40
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = tl.full([YBLOCK], True, tl.int1)[:, None]
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr1 + (y0 + 64*x1), xmask, eviction_policy='evict_last')
    tl.store(out_ptr0 + (x1 + 40*y0), tmp0 + tmp1, xmask)
"""
    )
    assert found.lines == [
        "y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]",
        "inside_y = tl.full([BLOCK_Y], True, tl.int1)[:, None] if EVEN_Y else y < y_size",
        "x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]",
        "inside_x = x < x_size",
        'a = tl.load(a_ptr + y, inside_y, eviction_policy="evict_last")',
        'b = tl.load(b_ptr + (y + 64 * x), inside_x & inside_y, eviction_policy="evict_last")',
        "tl.store(out_ptr + (x + 40 * y), a + b, inside_x & inside_y)",
    ]


# ---------------------------------------------------------------- constants


@pytest.mark.parametrize(
    ("constant", "use", "after"),
    [
        ("tl.full([1], 0.5, tl.float32)", "tmp0 * tmp1", "a * 0.5"),
        ("tl.full([1], -0.5, tl.float32)", "tmp0 - tmp1", "a - -0.5"),
        ("tl.full([1], 2, tl.int32)", "tmp0 * tmp1", "a * 2"),  # int32 becomes what the other operand is
        ("tl.full([1], 2.0, tl.float64)", "tmp0 * tmp1", "a * constant"),  # float64 makes the product a float64
        ("tl.full([1], 2, tl.int64)", "tmp0 * tmp1", "a * constant"),  # unsure, so it stays
        ("tl.full([1], 2.0, tl.float32)", "libdevice.pow(tmp0, tmp1)", "libdevice.pow(a, constant)"),
        ("tl.full([1], 0.0, tl.float32)", "tl.where(tmp0 > tmp1, tmp0, tmp1)", "tl.where(a > 0.0, a, 0.0)"),
        ('tl.full([1], float("inf"), tl.float32)', "tmp0 * tmp1", "a * constant"),
    ],
)
def test_a_constant_folds_only_where_the_dtype_stays(constant: str, use: str, after: str) -> None:
    lines = pointwise(
        f"tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = {constant}\ntmp2 = {use}\ntl.store(out_ptr0 + (x0), tmp2, xmask)"
    ).splitlines()
    assert lines[-1] == f"tl.store(out_ptr + offset, {after}, inside)"
    kept = [line for line in lines if line.startswith("constant = ")]
    assert kept == ([f"constant = {constant}"] if "constant" in after else [])


def test_a_constant_with_one_use_that_cannot_fold_stays_everywhere() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.full([1], 2.0, tl.float32)
        tmp2 = tmp0 * tmp1
        tmp3 = libdevice.pow(tmp2, tmp1)
        tl.store(out_ptr0 + (x0), tmp3, xmask)
        """
    )
    assert "libdevice.pow(a * constant, constant)" in after


def test_integers_compare_whatever_their_width() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.full([1], 7, tl.int64)
        tmp2 = tmp0 < tmp1
        tl.store(out_ptr0 + (x0), tmp2, xmask)
        """,
        {"in_ptr0": "int32[3000]", "out_ptr0": "bool[3000]"},
    )
    assert after.endswith("tl.store(out_ptr + offset, a < 7, inside)")


# ---------------------------------------------------------------- what Inductor writes at length


RELU = """
tmp0 = tl.load(in_ptr0 + (x0), xmask)
tmp1 = tl.load(in_ptr1 + (x0), xmask)
tmp2 = tmp0 + tmp1
tmp3 = tl.full([1], 0, tl.int32)
tmp4 = triton_helpers.maximum(tmp3, tmp2)
tl.store(out_ptr0 + (x0), tmp4, xmask)
"""


def test_relu_is_a_choice_that_keeps_nan_and_negative_zero() -> None:
    """`triton_helpers.maximum(0, x)` takes 0 where 0 > x, so -0.0 and NaN come through; `tl.maximum` would drop the NaN."""
    assert pointwise(RELU) == text(
        """
        a = tl.load(a_ptr + offset, inside)
        b = tl.load(b_ptr + offset, inside)
        total = a + b
        tl.store(out_ptr + offset, tl.where(total < 0, 0.0, total), inside)
        """
    )


def test_another_maximum_calls_the_helper_by_its_name() -> None:
    after = pointwise(RELU.replace("triton_helpers.maximum(tmp3, tmp2)", "triton_helpers.maximum(tmp0, tmp2)"))
    assert "largest = maximum(a, a + b)" in after


def test_a_test_of_a_dtype_is_decided() -> None:
    """Inductor asks of every remainder whether it is a float; here it is an integer."""
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = (libdevice.signbit(tmp0) != 0) if (tmp0).dtype is tl.float32 else tmp0 < 0
        tl.store(out_ptr0 + (x0), tmp1, xmask)
        """,
        {"in_ptr0": "int64[3000]", "out_ptr0": "bool[3000]"},
    )
    assert after == text(
        """
        a = tl.load(a_ptr + offset, inside)
        tl.store(out_ptr + offset, a < 0, inside)
        """
    )


def test_a_choice_inside_the_same_choice_is_made_once() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr1 + (x0), xmask)
        tmp2 = tmp0 < tmp1
        tmp3 = -tmp0
        tmp4 = tl.full(tmp3.shape, 0.0, tmp3.dtype)
        tmp5 = tl.where(tmp2, tmp3, tmp4)
        tmp6 = tl.where(tmp2, tmp5, tmp1)
        tl.store(out_ptr0 + (x0), tmp6, xmask)
        """
    )
    assert after == text(
        """
        a = tl.load(a_ptr + offset, inside)
        b = tl.load(b_ptr + offset, inside)
        tl.store(out_ptr + offset, tl.where(a < b, -a, b), inside)
        """
    )


def test_dead_code_goes() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr1 + (x0), xmask)
        tmp2 = tmp1 * tmp1
        tmp3 = tmp2 + tmp0
        tl.store(out_ptr0 + (x0), tmp0, xmask)
        """
    )
    assert after == text(
        """
        a = tl.load(a_ptr + offset, inside)
        tl.store(out_ptr + offset, a, inside)
        """
    )


# ---------------------------------------------------------------- names


def test_what_is_used_once_is_written_where_it_is_used() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr1 + (x0), xmask)
        tmp2 = tmp0 + tmp1
        tmp3 = tmp2 * tmp1
        tmp4 = tmp0 - tmp3
        tmp5 = tmp3 / tmp4
        tl.store(out_ptr0 + (x0), tmp5, xmask)
        """
    )
    assert after.splitlines()[2:] == [
        "product = (a + b) * b",
        "tl.store(out_ptr + offset, product / (a - product), inside)",
    ]


def test_a_long_expression_is_broken_into_named_parts() -> None:
    terms = "\n".join(f"tmp{n} = tmp{n - 1} * tmp0 + tmp1" for n in range(2, 14))
    after = pointwise(
        f"tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = tl.load(in_ptr1 + (x0), xmask)\n{terms}\ntl.store(out_ptr0 + (x0), tmp13, xmask)"
    )
    assert after.splitlines()[2:] == [
        "total = ((((b * a + b) * a + b) * a + b) * a + b) * a + b",
        "total_2 = ((((total * a + b) * a + b) * a + b) * a + b) * a + b",
        "tl.store(out_ptr + offset, (total_2 * a + b) * a + b, inside)",
    ]


def test_the_second_load_of_a_tensor_gets_another_name() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr0 + (1 + x0), xmask)
        tl.store(out_ptr0 + (x0), tmp0 - tmp1, xmask)
        """
    )
    assert after == text(
        """
        a = tl.load(a_ptr + offset, inside)
        a_2 = tl.load(a_ptr + (1 + offset), inside)
        tl.store(out_ptr + offset, a - a_2, inside)
        """
    )


@pytest.mark.parametrize(
    "name", ["total", "offset", "inside", "numel", "BLOCK", "constant", "tl", "largest", "maximum"]
)
def test_a_tensors_name_collides_with_nothing(name: str) -> None:
    """Every variable is assigned once, and none hides a parameter, a module or a helper."""
    body = MASKED + textwrap.indent(
        RELU.replace("tmp4 = ", "tmp9 = triton_helpers.maximum(tmp0, tmp1)\ntmp4 = tmp9 + "), "    "
    )
    lines = readable(body, names=NAMES | {"in_ptr0": name}).lines
    assigned = [
        n.id for n in ast.walk(ast.parse("\n".join(lines))) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    assert len(assigned) == len(set(assigned))
    assert not {"tl", "numel", "BLOCK", "maximum", f"{name}_ptr"} & set(assigned)


def test_a_helper_and_the_value_it_gives_have_different_names() -> None:
    lines = readable(
        PERSISTENT_SUM.replace("tl.sum(tmp3, 1)[:, None]", "triton_helpers.any(tmp3, 1)[:, None]"),
        PERSISTENT_SUM_TENSORS,
    ).lines
    assert any(line.startswith("some = any(") for line in lines)


# ---------------------------------------------------------------- reductions


def test_a_loop_over_blocks_reads_like_one() -> None:
    found = readable(LOOPED_SUM, LOOPED_SUM_TENSORS)
    assert found.lines == [
        "row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]",
        "inside = row < rows",
        "r_base = tl.arange(0, BLOCK_R)[None, :]",
        "accumulator = tl.full([BLOCK, BLOCK_R], 0, tl.float32)",
        "for r_start in tl.range(0, R, BLOCK_R):",
        "    r = r_start + r_base",
        "    inside_r = r < R",
        '    base = tl.load(base_ptr + (row + 256 * r), inside_r & inside, eviction_policy="evict_first", other=0.0)',
        '    a = tl.load(a_ptr + (row + 256 * r), inside_r & inside, eviction_policy="evict_first", other=0.0)',
        "    chosen = tl.where(base <= 0.0, 0.0, a)",
        "    total = accumulator + tl.broadcast_to(chosen, [BLOCK, BLOCK_R])",
        "    accumulator = tl.where(inside_r & inside, total, accumulator)",
        "    tl.store(base_ptr + (row + 256 * r), chosen, inside_r & inside)",
        "sum_ = tl.sum(accumulator, 1)[:, None]",
        "tl.store(out_ptr + row, sum_, inside)",
    ]
    assert [(size.name, size.value) for size in found.sizes] == [("R", 128)]


def test_an_accumulator_gets_its_guard_back_where_the_block_happened_to_divide() -> None:
    body = (
        LOOPED_SUM.replace("r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]")
        .replace("r0_mask & xmask, tmp7, _tmp6", "xmask, tmp7, _tmp6")
        .replace("r0_mask & xmask", "xmask")
    )
    lines = [line.strip() for line in readable(body, LOOPED_SUM_TENSORS).lines]
    assert "inside_r = tl.full([BLOCK_R], True, tl.int1)[None, :] if R % BLOCK_R == 0 else r < R" in lines
    assert 'a = tl.load(a_ptr + (row + 256 * r), inside & inside_r, eviction_policy="evict_first", other=0.0)' in lines
    assert "accumulator = tl.where(inside_r & inside, total, accumulator)" in lines
    assert "tl.store(base_ptr + (row + 256 * r), chosen, inside & inside_r)" in lines
    assert "tl.store(out_ptr + row, sum_, inside)" in lines


def test_an_accumulator_without_any_mask_gets_one() -> None:
    body = LOOPED_SUM.replace(
        "r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]"
    ).replace("_tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)", "_tmp6 = tmp7")
    lines = [line.strip() for line in readable(body, LOOPED_SUM_TENSORS).lines]
    assert "accumulator = tl.where(inside_r, total, accumulator)" in lines


def test_a_row_that_is_held_whole_needs_no_mask_along_it() -> None:
    found = readable(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS)
    assert found.fixed == {"R0_BLOCK": "BLOCK_R"} and found.blocks == {"XBLOCK": "BLOCK"}
    assert "a = tl.load(a_ptr + r)" in found.lines and not any("inside_r" in line for line in found.lines)


def test_one_row_alone_is_stored_once_whatever_the_block() -> None:
    """Its address does not move with the row, so every row of a larger block would write there, also those outside."""
    lines = readable(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS).lines
    assert lines[-1] == "tl.store(out_ptr + tl.full([1, 1], 0, tl.int32).broadcast_to(BLOCK, 1), sum_, inside)"


def test_a_mask_never_has_more_dimensions_than_the_address_it_guards() -> None:
    """An index loaded along the row moves along it only: a mask of both dimensions would not compile."""
    body = PERSISTENT_SUM.replace(
        "tmp1 = tl.load(in_out_ptr0 + (r0_0), None)",
        "tmp9 = tl.load(in_ptr1 + (r0_0), None)\n    tmp1 = tl.load(in_out_ptr0 + (tmp9), None)",
    )
    lines = readable(body, PERSISTENT_SUM_TENSORS | {"in_ptr1": "int64[128]"}).lines
    assert "base = tl.load(base_ptr + b)" in lines


def test_several_results_of_one_call_are_unpacked() -> None:
    body = PERSISTENT_SUM.replace(
        "tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)",
        "tmp4 = tmp3 * tmp3\n    tmp5_val, tmp5_idx = triton_helpers.max_with_index(tmp4, tl.broadcast_to(r0_index, tmp4.shape), 1)\n"
        "    tmp5 = tmp5_idx[:, None]\n    tmp6, = tl.associative_scan((tmp3,), 1, _triton_helper_fn_add0)",
    )
    lines = readable(body, PERSISTENT_SUM_TENSORS).lines
    assert any(re.match(r"part, part_2 = max_with_index\(", line) for line in lines)
    assert any(
        re.match(r"part_3, = tl\.associative_scan\(\(tile,\), 1, _triton_helper_fn_add0\)", line) for line in lines
    )
    assert not any(re.search(r"\btmp\d|triton_helpers", line) for line in lines)
