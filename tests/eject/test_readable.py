"""The readable printer: a body goes in, what a person would have written comes out. tests/judge/test_verify.py holds the results to the bit."""

from __future__ import annotations

import ast
import re
import textwrap

import pytest
from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS, PERSISTENT_SUM, PERSISTENT_SUM_TENSORS, kernel, tensor
from kernels_as_text import ROWS as HELD

from inductor_lab.computation import computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.printing.nouns import of_output
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.triton import readable as printed

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


def readable(body: str, tensors: dict[str, str] = FLOATS, names: dict[str, str] = NAMES, **passed: str) -> KernelText:
    """The printed body. `passed`: what a launch passes for sizes that the body does not fix."""
    made = kernel(body, tensors, passed=passed)
    roles = {argument.name: argument.role for argument in made.arguments}
    held = {
        pointer: Tensor(pointer, names[pointer], tensor(kind), roles[pointer], "normal")
        for pointer, kind in tensors.items()
    }
    return printed(computation(made), held, OF_THE_KERNEL, passed)


def pointwise(statements: str, tensors: dict[str, str] = FLOATS, head: str = MASKED) -> str:
    """What becomes of the statements after the index, as text."""
    lines = readable(head + textwrap.indent(textwrap.dedent(statements), "    "), tensors).lines
    first = next(n for n, line in enumerate(lines) if "tl.load(" in line)
    return "\n".join(lines[first:])


def test_one_element_is_loaded_and_spread_over_the_block_in_one_statement() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (0))
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
        tmp2 = tl.load(in_ptr1 + (x0), xmask)
        tl.store(out_ptr0 + (x0), tmp1 * tmp1 + tmp2, xmask)
        """
    )
    assert after.splitlines()[0] == "a = tl.broadcast_to(tl.load(a_ptr), [BLOCK])" and "a * a + b" in after


def test_an_output_is_called_after_the_fold_or_the_softmax_that_it_holds() -> None:
    body = PERSISTENT_SUM.replace("tmp0 * tmp1", "tl_math.exp(tmp0 - tmp1)")
    tensors = PERSISTENT_SUM_TENSORS | {"out_ptr1": "float32[128]", "out_ptr2": "float32[128]"}
    body += """    tl.store(out_ptr1 + (r0_0), tmp2 / tmp5, None)
    tl.store(out_ptr2 + (r0_0), libdevice.rsqrt(tmp2), None)
"""
    found = computation(kernel(body, tensors))
    pointers = ("out_ptr0", "out_ptr1", "out_ptr2", "in_out_ptr0")
    assert [of_output(found, pointer) for pointer in pointers] == ["total", "probabilities", "scale", ""]


def test_a_sum_of_a_row_divided_by_its_length_is_a_mean() -> None:
    body = f"""{HELD}
    tmp1 = tl.sum(tl.where(xmask, tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK]), 0), 1)[:, None]
    tmp2 = tmp1 / tl.full([1, 1], 128.0, tl.float32)
    tmp3 = tmp0 - tmp2
    tmp4 = tl.sum(tl.where(xmask, tl.broadcast_to(tmp3 * tmp3, [XBLOCK, R0_BLOCK]), 0), 1)[:, None]
    tmp5 = libdevice.rsqrt(tmp4 / tl.full([1, 1], 127.0, tl.float32) + tl.full([1, 1], 1e-05, tl.float32))
    tmp6 = tmp1 * tl.full([1, 1], 0.0078125, tl.float32) + tmp1 / tl.full([1, 1], 127.0, tl.float32)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr1 + (x0), tmp5, xmask)
    tl.store(out_ptr2 + (x0), tmp6, xmask)
"""
    tensors = {"in_ptr0": "float32[8, 128]"} | {f"out_ptr{n}": "float32[8]" for n in range(3)}
    found = computation(kernel(body, tensors))
    assert [of_output(found, f"out_ptr{n}") for n in range(3)] == ["mean", "rstd", ""]
    lines = "\n".join(readable(body, tensors, NAMES | {"out_ptr2": "quotient"}).lines)
    assert "mean = total / R" in lines and "rstd = " in lines
    assert "rows = total" not in lines and "quotient = " not in lines, "127 is not the length of the row"


def test_a_tensor_s_name_is_of_what_is_read_or_written_there_alone() -> None:
    body = """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.sqrt_rn(tmp0 + 1.0)
        tmp2 = tl.sqrt_rn(tmp1 + tmp0)
        tl.store(out_ptr0 + (x0), tmp1, xmask)
        tl.store(out_ptr1 + (x0), tmp2 + tmp1, xmask)
        tl.store(out_ptr2 + (x0), tmp2, xmask)
    """
    tensors = FLOATS | {"out_ptr1": "float32[3000]", "out_ptr2": "float32[3000]"}
    body = MASKED + textwrap.indent(textwrap.dedent(body), "    ")
    for names, called in ((("sqrt", "b_"), ["sqrt", "sqrt_2"]), (("sqrt_2", "sqrt"), ["sqrt_2", "sqrt"])):
        first, last = names
        lines = readable(body, tensors, NAMES | {"out_ptr0": first, "out_ptr2": last}).lines
        assert [line.partition(" = ")[0] for line in lines if "sqrt_rn" in line] == called


def test_a_line_of_the_program_stands_beside_the_statement_where_it_changes() -> None:
    statements = """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.sqrt_rn(tmp0)
    tmp2 = tl_math.exp(tmp1 + tmp0)
    tmp3 = tl_math.sin(tmp2 + tmp1)
    tl.store(out_ptr0 + (x0), tmp3 + tmp2, xmask)
"""
    made = kernel(MASKED + textwrap.indent(textwrap.dedent(statements), "    "), FLOATS)
    found = computation(made)
    at = {name: line for line, names in found.lines.items() for name in names}
    sources = {at["tmp1"]: "model.py:7", at["tmp2"]: "model.py:9", at["tmp3"]: "model.py:9"}
    held = {
        p: Tensor(p, NAMES[p], tensor(kind), "in" if p[0] == "i" else "out", "normal") for p, kind in FLOATS.items()
    }
    lines = printed(found, held, OF_THE_KERNEL, {}, sources=sources).lines
    assert [line.partition("  # ")[2] for line in lines] == ["", "", "", "model.py:7", "model.py:9", "", ""]


def text(after: str) -> str:
    return textwrap.dedent(after).strip()


@pytest.mark.parametrize(
    ("out", "cast", "stored"),
    [
        ("bfloat16", ".to(tl.bfloat16).to(tl.float32)", "a * a"),
        (
            "float32",
            ".to(tl.bfloat16).to(tl.float32)",
            "(a * a).to(tl.bfloat16).to(tl.float32)",
        ),  # it is rounded, and stays so
        (
            "float16",
            ".to(tl.bfloat16).to(tl.float32)",
            "(a * a).to(tl.bfloat16).to(tl.float32)",
        ),  # by another dtype than the store's
    ],
)
def test_a_store_rounds_by_itself(out: str, cast: str, stored: str) -> None:
    kinds = FLOATS | {"out_ptr0": f"{out}[3000]"}
    found = pointwise(
        f"tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = (tmp0 * tmp0){cast}\ntl.store(out_ptr0 + (x0), tmp1, xmask)\n",
        kinds,
    )
    assert f"tl.store(out_ptr + offset, {stored}, inside)" in found


# ---------------------------------------------------------------- the index


def test_offset_and_mask_take_one_line_each() -> None:
    found = readable(MASKED + "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n")
    assert list(found.lines) == [
        "offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "inside = offset < NUMEL",
        "a = tl.load(a_ptr + offset, inside)",
        "tl.store(out_ptr + offset, a, inside)",
    ]
    assert found.blocks == {"XBLOCK": "BLOCK"} and found.grid == "(triton.cdiv(numel, BLOCK),)"
    assert [parameter.name for parameter in found.parameters] == ["a_ptr", "b_ptr", "out_ptr", "NUMEL", "BLOCK"]
    assert found.statements == ("numel = a.shape[0]",) and found.arguments == "a, b, out, NUMEL=numel, BLOCK=BLOCK"


def test_a_dropped_mask_comes_back_and_costs_nothing_where_the_block_divides() -> None:
    found = readable(UNMASKED + "    tmp0 = tl.load(in_ptr0 + (x0), None)\n    tl.store(out_ptr0 + (x0), tmp0, None)\n")
    assert list(found.lines[1:]) == [
        "inside = (offset < NUMEL) | (NUMEL % BLOCK == 0)",
        "a = tl.load(a_ptr + offset, inside)",
        "tl.store(out_ptr + offset, a, inside)",
    ]


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
        a = tl.load(a_ptr)
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
        a = tl.load(a_ptr + offset, below & inside, other=0.0)
        b = tl.load(b_ptr + offset, below & inside, other=0.0)
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
    assert 'tl.device_assert((0 <= a) & (a < B_SIZE) | ~inside, "index out of bounds: 0 <= index < 50")' in after
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
    assert list(found.lines[2:]) == [
        "column = offset % COLUMNS",
        "row = offset // COLUMNS",
        "a = tl.load(a_ptr + column, inside)",
        "b = tl.load(b_ptr + row, inside)",
        "tl.store(out_ptr + offset, a * b, inside)",
    ]
    assert "COLUMNS=30" in found.arguments


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
    assert list(lines[2:5]) == ["d2 = offset % D2", "d0 = offset // (D1 * D2)", "d1 = offset // D2 % D1"]
    assert "a = tl.load(a_ptr + (d2 + d0 * D2), inside)" in lines


def test_three_dimensions_of_a_tensor_are_planes_rows_and_columns() -> None:
    sizes = {"in_ptr0": "float32[10, 30, 10]", "in_ptr1": "float32[300]", "out_ptr0": "float32[10, 30, 10]"}
    found = readable(
        MASKED
        + """
    x3 = (xindex % 10)
    x4 = ((xindex // 10) % 30)
    x5 = xindex // 300
    x6 = xindex // 10
    tmp0 = tl.load(in_ptr0 + (x3 + 10*x4 + 300*x5), xmask)
    tmp1 = tl.load(in_ptr1 + (x6), xmask)
    tl.store(out_ptr0 + (x3 + 10*x5 + 100*x4), tmp0 * tmp1, xmask)
""",
        sizes,
    )
    assert "flat_row = offset // COLUMNS" in found.lines and "row = offset // COLUMNS % ROWS" in found.lines
    assert "COLUMNS=a.shape[2], ROWS=a.shape[1]" in found.arguments


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
    assert list(found.lines) == [
        "y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]",
        "inside_y = (y < Y_SIZE) | (Y_SIZE % BLOCK_Y == 0)",
        "x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]",
        "inside_x = x < X_SIZE",
        'a = tl.load(a_ptr + y, inside_y, eviction_policy="evict_last")',
        'b = tl.load(b_ptr + (y + x * Y_SIZE), inside_x & inside_y, eviction_policy="evict_last")',
        "tl.store(out_ptr + (x + y * X_SIZE), a + b, inside_x & inside_y)",
    ]


# ---------------------------------------------------------------- constants


@pytest.mark.parametrize(
    ("constant", "use", "after"),
    [
        ("tl.full([1], 0.5, tl.float32)", "tmp0 * tmp1", "a * 0.5"),
        ("tl.full([1], -0.5, tl.float32)", "tmp0 - tmp1", "a - -0.5"),
        ("tl.full([1], -0.0, tl.float32)", "tmp0 + tmp1", "a + -0.0"),
        ("tl.full([1], 2, tl.int32)", "tmp0 * tmp1", "a * 2.0"),  # it becomes what the other operand is
        ("tl.full([1], 2, tl.int64)", "tmp0 * tmp1", "a * 2.0"),  # any integer does beside a float32
        ("tl.full([1], 2.0, tl.float64)", "tmp0 * tmp1", "a * tl.full([1], 2.0, tl.float64)"),  # the product is a float64
        ("tl.full([1], 2.0, tl.float32)", "libdevice.pow(tmp0, tmp1)", "libdevice.pow(a, tl.full([1], 2.0, tl.float32))"),
        ("tl.full([1], 0.0, tl.float32)", "tl.where(tmp0 > tmp1, tmp0, tmp1)", "tl.where(a > 0.0, a, 0.0)"),
        ('tl.full([1], float("inf"), tl.float32)', "tmp0 * tmp1", 'a * float("inf")'),
        ('tl.full([1], float("-inf"), tl.float32)', "tmp0 * tmp1", 'a * float("-inf")'),
        ('tl.full([1], float("nan"), tl.float32)', "tmp0 * tmp1", 'a * float("nan")'),
    ],
)  # fmt: skip
def test_a_constant_is_bare_only_where_the_dtype_stays(constant: str, use: str, after: str) -> None:
    lines = pointwise(
        f"tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = {constant}\ntmp2 = {use}\ntl.store(out_ptr0 + (x0), tmp2, xmask)"
    ).splitlines()
    if "pow(" in after:  # a function that branches keeps its place
        assert lines[1:] == [f"power = {after}", "tl.store(out_ptr + offset, power, inside)"]
    else:
        assert lines[1:] == [f"tl.store(out_ptr + offset, {after}, inside)"]


def test_an_integer_stays_as_wide_as_it_is_beside_a_narrower_one() -> None:
    """int32 times int64 is an int64: a bare number would make it overflow."""
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.full([1], 7, tl.int64)
        tmp2 = tmp0 * tmp1
        tl.store(out_ptr0 + (x0), tmp2, xmask)
        """,
        {"in_ptr0": "int32[3000]", "out_ptr0": "int64[3000]"},
    )
    assert after.endswith("tl.store(out_ptr + offset, a * tl.full([1], 7, tl.int64), inside)")


def test_a_number_that_does_not_fit_is_compared_as_wide_as_it_is() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.full([1], 4294967296, tl.int64)
        tmp2 = tmp0 < tmp1
        tl.store(out_ptr0 + (x0), tmp2, xmask)
        """,
        {"in_ptr0": "int32[3000]", "out_ptr0": "bool[3000]"},
    )
    assert after.endswith("tl.store(out_ptr + offset, a < tl.full([1], 4294967296, tl.int64), inside)")


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


def test_a_maximum_that_is_told_to_keep_nan_still_is() -> None:
    """As Inductor writes it from torch 2.15 on: without the third argument it is another function."""
    after = pointwise(RELU.replace("triton_helpers.maximum(tmp3, tmp2)", "tl.maximum(tmp0, tmp1, tl.PropagateNan.ALL)"))
    assert "tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)" in after


def test_another_maximum_calls_the_helper_by_its_name() -> None:
    after = pointwise(RELU.replace("triton_helpers.maximum(tmp3, tmp2)", "triton_helpers.maximum(tmp0, tmp2)"))
    assert after.endswith("tl.store(out_ptr + offset, maximum(a, a + b), inside)")
    body = MASKED + textwrap.indent(textwrap.dedent(RELU.replace("maximum(tmp3", "maximum(tmp0")), "    ")
    assert readable(body).helpers == {"maximum"}


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
        "total = (((((b * a + b) * a + b) * a + b) * a + b) * a + b) * a + b",
        "total_2 = (((((total * a + b) * a + b) * a + b) * a + b) * a + b) * a + b",
        "tl.store(out_ptr + offset, total_2, inside)",
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
        a_2 = tl.load(a_ptr + (offset + 1), inside)
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
    assert list(found.lines) == [
        "column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]",
        "inside = column < COLUMNS",
        "accumulator = tl.full([BLOCK, BLOCK_R], 0.0, tl.float32)",
        "for r_start in tl.range(0, R, BLOCK_R):",
        "    r = r_start + tl.arange(0, BLOCK_R)[None, :]",
        "    inside_r = r < R",
        "    element = column + r * COLUMNS",
        '    base = tl.load(base_ptr + element, inside_r & inside, other=0.0, eviction_policy="evict_first")',
        '    a = tl.load(a_ptr + element, inside_r & inside, other=0.0, eviction_policy="evict_first")',
        "    chosen = tl.where(base <= 0.0, 0.0, a)",
        "    accumulator = accumulator + chosen",
        "    tl.store(base_ptr + element, chosen, inside_r & inside)",
        "total = tl.sum(accumulator, 1)[:, None]",
        "tl.store(out_ptr + column, total, inside)",
    ]
    assert found.arguments == "base, a, out, COLUMNS=columns, R=base.shape[0], BLOCK=BLOCK, BLOCK_R=BLOCK_R"
    assert found.statements == ("columns = base.shape[1]",)


def test_an_accumulator_gets_its_guard_back_where_the_block_happened_to_divide() -> None:
    body = (
        LOOPED_SUM.replace("r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]")
        .replace("r0_mask & xmask, tmp7, _tmp6", "xmask, tmp7, _tmp6")
        .replace("r0_mask & xmask", "xmask")
    )
    lines = [line.strip() for line in readable(body, LOOPED_SUM_TENSORS).lines]
    assert "inside_r = (r < R) | (R % BLOCK_R == 0)" in lines
    assert any(line.startswith("a = tl.load(a_ptr + element, inside & inside_r, ") for line in lines)
    assert "accumulator = tl.where(inside_r, accumulator + chosen, accumulator)" in lines
    assert "tl.store(base_ptr + element, chosen, inside & inside_r)" in lines
    assert lines[-1] == "tl.store(out_ptr + column, total, inside)"


def test_an_accumulator_without_any_mask_gets_one() -> None:
    body = LOOPED_SUM.replace(
        "r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]"
    ).replace("_tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)", "_tmp6 = tmp7")
    lines = [line.strip() for line in readable(body, LOOPED_SUM_TENSORS).lines]
    assert "accumulator = tl.where(inside_r, accumulator + chosen, accumulator)" in lines


def test_a_row_that_is_held_whole_needs_no_mask_along_it() -> None:
    found = readable(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS)
    assert found.arguments.endswith("BLOCK_R=128, BLOCK=BLOCK") and found.blocks["XBLOCK"] == "BLOCK"
    assert "a = tl.load(a_ptr + r)" in found.lines and not any("inside_r" in line for line in found.lines)
    (block,) = [each for each in found.parameters if each.name == "BLOCK_R"]
    assert block.comment == "the whole row, no more and no less: nothing masks it"


def test_what_is_kept_is_called_as_it_lies_in_memory() -> None:
    """A sum over the rows of a matrix keeps its columns, which lie side by side; a sum along them keeps its rows."""
    down, along = (
        readable(LOOPED_SUM.replace("x0 + 256*r0_1", address), LOOPED_SUM_TENSORS)
        for address in ("x0 + 256*r0_1", "r0_1 + 128*x0")
    )
    assert down.remark == "One program takes BLOCK columns, a block of each at a time."
    assert along.remark == "One program takes BLOCK rows, a block of each at a time."


def test_one_row_alone_is_stored_once_whatever_the_block() -> None:
    """Its address does not move with the row, so every row of a larger block would write there, also those outside."""
    lines = readable(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS).lines
    assert lines[-1] == "tl.store(out_ptr + tl.full([BLOCK, 1], 0, tl.int32), total, inside)"


def test_a_mask_never_has_more_dimensions_than_the_address_it_guards() -> None:
    """An index loaded along the row moves along it only: a mask of both dimensions would not compile."""
    body = PERSISTENT_SUM.replace(
        "tmp1 = tl.load(in_out_ptr0 + (r0_0), None)",
        "tmp9 = tl.load(in_ptr1 + (r0_0), None)\n    tmp1 = tl.load(in_out_ptr0 + (tmp9), None)",
    )
    lines = readable(body, PERSISTENT_SUM_TENSORS | {"in_ptr1": "int64[128]"}).lines
    assert "base = tl.load(base_ptr + b)" in lines


def test_the_place_of_the_largest_is_unpacked_and_gets_its_dimension_back() -> None:
    body = PERSISTENT_SUM.replace(
        "tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)",
        "tmp6 = tl.broadcast_to(r0_index, tmp3.shape)\n    tmp5_val, tmp5_idx = triton_helpers.max_with_index(tmp3, tmp6, 1)\n"
        "    tmp5 = tmp5_idx[:, None]",
    )
    found = readable(body, PERSISTENT_SUM_TENSORS | {"out_ptr0": "int64[1, 1]"})
    assert [line for line in found.lines if "place" in line] == [
        "_, place = max_with_index(tl.broadcast_to(product, [BLOCK, BLOCK_R]), tl.broadcast_to(r, [BLOCK, BLOCK_R]), 1)",
        "place = place[:, None]",
        "tl.store(out_ptr + tl.full([BLOCK, 1], 0, tl.int32), place, inside)",
    ]
    assert found.helpers == {"max_with_index"}


LARGER = """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tl.load(in_ptr2 + (x0), xmask)
    tmp3 = tmp0 > tmp1
    tmp4 = tmp0 == tmp1
    tmp5 = tmp0 != tmp0
    tmp6 = tmp1 != tmp1
    tmp7 = tmp5 > tmp6
    tmp8 = tmp3 | tmp7
    tmp9 = tmp5 & tmp6
    tmp10 = tmp4 | tmp9
    tmp11 = tl.full([1], 0, tl.int64)
    tmp12 = tl.full([1], 1, tl.int64)
    tmp13 = tmp11 < tmp12
    tmp14 = tmp10 & tmp13
    tmp15 = tmp8 | tmp14
    tmp16 = tl.where(tmp15, tmp0, tmp1)
    tmp17 = tl.where(tmp15, tmp11, tmp12)
    tmp18 = tmp16 > tmp2
    tmp19 = tmp16 == tmp2
    tmp20 = tmp16 != tmp16
    tmp21 = tmp2 != tmp2
    tmp22 = tmp20 > tmp21
    tmp23 = tmp18 | tmp22
    tmp24 = tmp20 & tmp21
    tmp25 = tmp19 | tmp24
    tmp26 = tl.full([1], 2, tl.int64)
    tmp27 = tmp17 < tmp26
    tmp28 = tmp25 & tmp27
    tmp29 = tmp23 | tmp28
    tmp30 = tl.where(tmp29, tmp16, tmp2)
    tmp31 = tl.where(tmp29, tmp17, tmp26)
    tl.store(out_ptr0 + (x0), tmp31, xmask)
"""
THREE = FLOATS | {"in_ptr2": "float32[3000]", "out_ptr0": "int64[3000]"}


def test_the_place_of_the_largest_in_a_window_is_found_by_a_call_for_each_place() -> None:
    assert pointwise(LARGER, THREE).splitlines()[3:] == [
        "best, best_place = maximum_with_index(a, 0, b, 1)",
        "_, best_place = maximum_with_index(best, best_place, c, 2)",
        "tl.store(out_ptr + offset, best_place, inside)",
    ]
    smallest = LARGER.replace("tmp0 > tmp1", "tmp0 < tmp1").replace("tmp16 > tmp2", "tmp16 < tmp2")
    assert "best, best_place = minimum_with_index(a, 0, b, 1)" in pointwise(smallest, THREE)


def test_what_is_needed_behind_the_next_comparison_keeps_its_name() -> None:
    kept = LARGER + "    tl.store(in_ptr1 + (x0), tmp16, xmask)\n"
    assert "_, best_place = maximum_with_index(best, best_place, c, 2)" in pointwise(kept, THREE)
    assert "b_ptr + offset, best, inside" in pointwise(kept, THREE)
    both = kept + "    tl.store(in_ptr2 + (x0), tmp30, xmask)\n"
    assert "best_2, best_place = maximum_with_index(best, best_place, c, 2)" in pointwise(both, THREE)


@pytest.mark.parametrize(
    ("part", "instead"),
    [("tmp5 > tmp6", "tmp5 < tmp6"), ("tmp0 == tmp1", "tmp0 == tmp2"), ("tmp5 & tmp6", "tmp5 & tmp5"), ("tmp11 < tmp12", "tmp12 < tmp11")],
)  # fmt: skip
def test_a_comparison_that_is_not_quite_the_helpers_is_written_out(part: str, instead: str) -> None:
    assert "maximum_with_index(a" not in pointwise(LARGER.replace(part, instead), THREE)


ROWS = """
    xnumel = 50
    r0_numel = 300
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
"""
TURN = """
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 300*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
"""
WELFORD = (
    ROWS
    + """
    tmp2_mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
"""
    + TURN.lstrip("\n")
    + """
        tmp2_mean_next, tmp2_m2_next, tmp2_weight_next = triton_helpers.welford_reduce(
            tmp1, tmp2_mean, tmp2_m2, tmp2_weight, roffset == 0
        )
        tmp2_mean = tl.where(r0_mask & xmask, tmp2_mean_next, tmp2_mean)
        tmp2_m2 = tl.where(r0_mask & xmask, tmp2_m2_next, tmp2_m2)
        tmp2_weight = tl.where(r0_mask & xmask, tmp2_weight_next, tmp2_weight)
    tmp3, tmp4, tmp5 = triton_helpers.welford(tmp2_mean, tmp2_m2, tmp2_weight, 1)
    tmp2 = tmp3[:, None]
    tmp6 = tmp4[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr1 + (x0), tmp6, xmask)
"""
)
ARGMAX = (
    ROWS
    + """
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    _tmp2_index = tl.full([XBLOCK, R0_BLOCK], 2147483647, tl.int32)
"""
    + TURN.lstrip("\n")
    + """
        _tmp2_next, _tmp2_index_next = triton_helpers.maximum_with_index(_tmp2, _tmp2_index, tmp1, rindex)
        _tmp2 = tl.where(r0_mask & xmask, _tmp2_next, _tmp2)
        _tmp2_index = tl.where(r0_mask & xmask, _tmp2_index_next, _tmp2_index)
    tmp2_val, tmp2_idx = triton_helpers.max_with_index(_tmp2, _tmp2_index, 1)
    tmp2 = tmp2_idx[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
)
SOFTMAX = (
    ROWS
    + """
    _tmp2_max = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
    _tmp2_sum = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
"""
    + TURN.lstrip("\n")
    + """
        _tmp2_max_next, _tmp2_sum_next = triton_helpers.online_softmax_combine(_tmp2_max, _tmp2_sum, tmp1, False)
        _tmp2_max = tl.where(r0_mask & xmask, _tmp2_max_next, _tmp2_max)
        _tmp2_sum = tl.where(r0_mask & xmask, _tmp2_sum_next, _tmp2_sum)
    tmp2, tmp3 = triton_helpers.online_softmax_reduce(_tmp2_max, _tmp2_sum, 1, False)
    tmp2 = tmp2[:, None]
    tmp3 = tmp3[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr1 + (x0), tmp3, xmask)
"""
)
SEVERAL = {"in_ptr0": "float32[50, 300]", "out_ptr0": "float32[50]", "out_ptr1": "float32[50]"}


@pytest.mark.parametrize(
    ("body", "tensors", "said"),
    [
        (WELFORD, SEVERAL, ["= welford_reduce(a, running_mean, running_m2, running_count, r_start == 0)",
          "= welford(running_mean, running_m2, running_count, 1)"]),
        (ARGMAX, SEVERAL | {"out_ptr0": "int64[50]"},
         ["= maximum_with_index(best, best_place, a, tl.broadcast_to(r, [BLOCK, BLOCK_R]))", "= max_with_index(best, best_place, 1)"]),
        (SOFTMAX, SEVERAL, ["online_softmax_combine(", "online_softmax_reduce("]),
    ],
    ids=["welford", "argmax", "online softmax"],
)  # fmt: skip
def test_a_fold_of_several_results_carries_them_all(body: str, tensors: dict[str, str], said: list[str]) -> None:
    kept = {pointer: kind for pointer, kind in tensors.items() if pointer in body}
    lines = readable(body, kept).lines
    joined = "\n".join(lines)
    for part in said:
        assert part in joined, joined
    stored = re.findall(r"tl\.store\(out\w*_ptr \+ row, (\w+), inside\)", joined)
    assert len(stored) == sum(pointer.startswith("out") for pointer in kept)
    for name in stored:  # each result has its dimension back
        assert f"{name} = {name}[:, None]" in lines
    assert not re.search(r"\btmp\d|[xr]\d?_?offset|RBLOCK", joined)


def test_a_place_goes_to_whole_numbers_as_it_is_where_float32_has_them_all() -> None:
    body = ARGMAX.replace("tmp2_idx[:, None]", "tmp2_idx[:, None].to(tl.float32)")
    stored = {"in_ptr0": "float32[50, 300]", "out_ptr0": "int64[50]"}
    assert readable(body, stored).lines[-1] == "tl.store(out_ptr + row, place, inside)"
    assert "place.to(tl.float32)" in readable(body, stored | {"out_ptr0": "float32[50]"}).lines[-1]
    long, held = body.replace("300", "30000000"), {"in_ptr0": "float32[50, 30000000]", "out_ptr0": "int64[50]"}
    assert long != body and "place.to(tl.float32)" in readable(long, held).lines[-1]


def test_three_dimensions_are_a_tile_of_three() -> None:
    body = """
    ynumel = 24
    xnumel = 40
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, None, :]
    r0_2 = r0_index
    y0 = yindex
    x1 = xindex
    tmp0 = tl.load(in_ptr0 + (x1 + 40*r0_2 + 2560*y0), xmask & ymask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [YBLOCK, XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask & ymask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 2)[:, :, None]
    tl.store(out_ptr0 + (x1 + 40*y0), tmp4, xmask & ymask)
"""
    found = readable(body, {"in_ptr0": "float32[24, 64, 40]", "out_ptr0": "float32[24, 40]"})
    assert "y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None, None]" in found.lines
    assert "x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :, None]" in found.lines
    assert "r = tl.arange(0, BLOCK_R)[None, None, :]" in found.lines
    assert any("tl.sum(" in line and line.endswith(", 2)[:, :, None]") for line in found.lines)
    assert found.grid == "(triton.cdiv(x_size, BLOCK_X), triton.cdiv(y_size, BLOCK_Y))"


def test_the_first_dimension_of_a_scan_goes_on_with_a_function_of_the_kernels_own() -> None:
    body = PERSISTENT_SUM.replace(
        "tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)",
        "tmp6, = tl.associative_scan((tmp3,), 1, _triton_helper_fn_add0)\n    tmp5 = tl.sum(tmp6, 1)[:, None]",
    )
    lines = readable(body, PERSISTENT_SUM_TENSORS).lines
    assert any(
        re.match(r"\w+, = tl\.associative_scan\(\(.*,\), 1, _triton_helper_fn_add0\)", line) for line in lines
    ), lines


def test_what_is_stored_is_read_again_as_it_was_stored() -> None:
    """In place: the load behind a store is another value than the one before it."""
    after = pointwise(
        """
        tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr0 + (x0), xmask)
        tmp2 = tmp0 + tmp1
        tl.store(in_out_ptr0 + (x0), tmp2, xmask)
        tmp3 = tl.load(in_out_ptr0 + (x0), xmask)
        tmp4 = tmp3 * tmp0
        tl.store(out_ptr0 + (x0), tmp4, xmask)
        """,
        {"in_out_ptr0": "float32[3000]", "in_ptr0": "float32[3000]", "out_ptr0": "float32[3000]"},
    )
    assert after.splitlines() == [
        "base = tl.load(base_ptr + offset, inside)",
        "a = tl.load(a_ptr + offset, inside)",
        "tl.store(base_ptr + offset, base + a, inside)",
        "base_2 = tl.load(base_ptr + offset, inside)",
        "tl.store(out_ptr + offset, base_2 * base, inside)",
    ]


def test_positions_beyond_int32_are_counted_in_int64() -> None:
    body = MASKED.replace("tl.program_id(0) * XBLOCK", "tl.program_id(0).to(tl.int64) * XBLOCK").replace(
        "tl.arange(0, XBLOCK)[:]", "tl.arange(0, XBLOCK)[:].to(tl.int64)"
    )
    found = readable(body + "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n")
    assert found.lines[0].startswith("offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)")


def test_a_float16_and_a_bfloat16_are_computed_with_where_the_body_does() -> None:
    """Casts stand where they stood, and a converted load reads as short as any other."""
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask).to(tl.float32)
        tmp1 = tl.load(in_ptr1 + (x0), xmask).to(tl.float32)
        tmp2 = tmp0 * tmp1
        tmp3 = tmp2 + tmp1
        tmp4 = tmp3.to(tl.float32)
        tl.store(out_ptr0 + (x0), tmp4, xmask)
        """,
        {"in_ptr0": "bfloat16[3000]", "in_ptr1": "bfloat16[3000]", "out_ptr0": "bfloat16[3000]"},
    )
    assert after.splitlines() == [
        "a = tl.load(a_ptr + offset, inside).to(tl.float32)",
        "b = tl.load(b_ptr + offset, inside).to(tl.float32)",
        "tl.store(out_ptr + offset, a * b + b, inside)",
    ]


def test_an_atomic_addition_stays_one() -> None:
    after = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr1 + (x0), xmask)
        tl.atomic_add(out_ptr0 + (tl.broadcast_to(tmp0, [XBLOCK])), tmp1, xmask, sem='relaxed')
        """,
        {"in_ptr0": "int64[3000]", "in_ptr1": "float32[3000]", "out_ptr0": "float32[50]"},
    )
    assert re.search(r'tl\.atomic_add\(out_ptr \+ .*, b, inside, sem="relaxed"\)', after), after


def test_a_mask_that_has_a_name_is_called_by_it_and_what_always_holds_is_left_out() -> None:
    after = pointwise("""
        tmp0 = x0 < tl.full([1], 5, tl.int64)
        tmp1 = x0 > tl.full([1], 1, tl.int64)
        tmp2 = tmp0 & tmp1
        tmp3 = tl.load(in_ptr0 + (x0), tmp2 & xmask, other=0.0)
        tmp4 = tl.full([1], 0, tl.int64) < tl.full([1], 1, tl.int64)
        tl.store(out_ptr0 + (x0), tl.where(tmp2 & tmp4, tmp3, 1.0), xmask)
    """)
    assert "a = tl.load(a_ptr + offset, both & inside, other=0.0)" in after
    assert "tl.where(both, a, 1.0)" in after


# ---------------------------------------------------------------- symbolic sizes, and what has no form here


def test_a_symbolic_size_is_passed_at_each_launch() -> None:
    body = MASKED.replace("    xnumel = 3000\n", "") + (
        "    x1 = xindex // ks0\n    x2 = (xindex % ks0)\n    tmp0 = tl.load(in_ptr0 + (x2), xmask)\n"
        "    tl.store(out_ptr0 + (x2 + ks0*x1), tmp0, xmask)\n"
    )
    body = body.replace("xmask = xindex < xnumel", "xmask = xindex < xnumel")
    found = readable(body, {"in_ptr0": "float32[30]", "out_ptr0": "float32[100, 30]"}, xnumel="s0*s1", ks0="s1")
    assert [parameter.name for parameter in found.parameters] == ["a_ptr", "out_ptr", "numel", "ks0", "BLOCK"]
    assert "inside = offset < numel" in found.lines and found.statements == ("numel = s0*s1",)
    assert found.arguments == "a, out, numel, s1, BLOCK=BLOCK"


LOOPED_SCAN = (
    LOOPED_SUM.partition("    _tmp6 =")[0]
    + """
    tmp3 = tl.full([XBLOCK, 1], float('nan'), tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 128*x0), r0_mask & xmask, other=0.0)
        tmp2, = tl.associative_scan((tmp0,), 1, _triton_helper_fn_add0)
        tmp4 = triton_helpers.select_one((tmp2), rbase == (RBLOCK - 1), dim=-1, keep_dims=True)
        tmp5 = tmp3 + tmp4
        tmp6 = tmp3 + tmp2
        tmp7 = tl.where(roffset > 0, tmp6, tmp2)
        tmp3 = tl.where(roffset > 0, tmp5, tmp4)
        tl.store(out_ptr0 + (r0_1 + 128*x0), tmp7, r0_mask & xmask)
"""
)


def test_a_scan_goes_on_from_one_block_to_the_next() -> None:
    found = readable(LOOPED_SCAN, {"in_ptr0": "float32[256, 128]", "out_ptr0": "float32[256, 128]"})
    assert 'so_far = tl.full([BLOCK, 1], float("nan"), tl.float32)' in found.lines
    assert [line.strip() for line in found.lines][-6:] == [
        "running, = tl.associative_scan((a,), 1, _triton_helper_fn_add0)",
        "last = triton_helpers.select_one(running, tl.arange(0, BLOCK_R)[None, :] == BLOCK_R - 1, dim=-1, keep_dims=True)",
        "total = so_far + running",
        "running_2 = tl.where(r_start > 0, total, running)",
        "so_far = tl.where(r_start > 0, so_far + last, last)",
        "tl.store(out_ptr + (r + row * R), running_2, inside_r & inside)",
    ]


def test_the_address_of_one_row_is_as_wide_as_what_is_stored_there() -> None:
    body = LOOPED_SCAN.replace("xnumel = 256", "xnumel = 1").replace(" + 128*x0", "")
    body = body.replace("xmask = xindex < xnumel", "xmask = tl.full([XBLOCK], True, tl.int1)[:, None]")
    found = readable(body, {"in_ptr0": "float32[128]", "out_ptr0": "float32[128]"})
    assert (
        found.lines[-1].strip()
        == "tl.store(out_ptr + r + tl.full([BLOCK, 1], 0, tl.int32), running_2, inside_r & inside)"
    )
    assert any("a = tl.load(a_ptr + r, inside_r" in line for line in found.lines)


def test_what_a_scan_carries_on_has_no_lanes_outside_where_the_block_happened_to_divide() -> None:
    body = LOOPED_SCAN.replace("r0_mask = r0_index < r0_numel", "r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]")
    found = readable(body, {"in_ptr0": "float32[256, 128]", "out_ptr0": "float32[256, 128]"})
    assert "    so_far = tl.where(r_start > 0, so_far + last, last)" in found.lines


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("if xnumel > 5:\n        tl.store(out_ptr0 + (x0), tmp0, xmask)", "only some programs do"),
        ("with tl.something():\n        pass", "no rule reads"),
        (
            "tmp1 = tl.sum(triton_helpers.select_one(tmp0, x0 == (XBLOCK - 1), dim=-1, keep_dims=True))\n    tl.store(out_ptr0, tmp1)",
            "from one block to the next",
        ),
    ],
)
def test_what_has_no_form_is_refused_with_its_reason(statement: str, said: str) -> None:
    body = (
        MASKED
        + f"    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    {statement}\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
    )
    with pytest.raises(UnprintableError, match=said):
        readable(body)


def test_which_seed_is_taken_stays_a_number_of_the_launch():
    """As a constant it changed the order of the machine code: a dropout with a layer norm took 5.7 us for 5.25 (H200, Triton 3.6)."""
    body = MASKED.replace("3000", "4096") + "    tmp0 = tl.load(in_ptr0 + load_seed_offset)\n"
    body += "    tmp1 = tl.rand(tmp0, x0.to(tl.uint32))\n    tl.store(out_ptr0 + x0, tmp1, xmask)\n"
    tensors = {"in_ptr0": "int64[5]", "out_ptr0": "float32[4096]"}
    text = readable(body, tensors, {"in_ptr0": "seeds", "out_ptr0": "out"}, load_seed_offset="3")
    assert "seeds = tl.load(seeds_ptr + seed_offset)" in text.lines
    assert "out, 3," in text.arguments
    assert "3: which of the seeds" in [each.comment for each in text.parameters]
