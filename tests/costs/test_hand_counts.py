"""Bytes that kernels move, counted by hand from their shapes and bodies: the tool has to come to the same.

Each row says what a person counts, tensor by tensor, and why; nothing here was taken from what the tool prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import kernels_as_text as texts
import pytest
from folders import GENERATIONS

from inductor_lab.costs.traffic import traffic
from inductor_lab.read import read
from inductor_lab.records import Kernel


class Count(NamedTuple):
    """One kernel, and what a person counts."""

    kernel: Callable[[], Kernel]
    read: int
    written: int
    why: str
    hints: dict[str, int] = {}  # noqa: RUF012 (nobody writes to it)


def of_text(body: str, tensors: dict[str, str], category: str = "pointwise") -> Callable[[], Kernel]:
    return lambda: texts.kernel(body, tensors, category=category)


def of_inductor(file: str, number: int) -> Callable[[], Kernel]:
    """A kernel that Inductor wrote, of a committed log."""
    return lambda: read([GENERATIONS / file], "counted").kernels[number]


HALVES = (
    texts.HEAD.format(numel=17200)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (2*x0), xmask)
    tmp9 = tl.load(in_ptr0 + (1 + 2*x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0 * tmp9, xmask)
"""
)
EVEN = (
    texts.HEAD.format(numel=17200)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (2*x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
"""
)
FILL = (
    texts.HEAD.format(numel=4096)
    + """
    x0 = xindex
    tmp0 = tl.full([1], 0.0, tl.float32)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
"""
)
MASK = (
    texts.HEAD.format(numel=1152)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask).to(tl.int1)
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tl.full([1], float("-inf"), tl.float32)
    tl.store(out_ptr0 + (x0), tl.where(tmp0, tmp1, tmp2), xmask)
"""
)
SHUFFLED = (
    texts.HEAD.format(numel=6912)
    + """
    x0 = (xindex % 48)
    x1 = xindex // 48
    x2 = xindex
    tmp0 = 1 + 2*x0
    tmp1 = tl.full([1], 48, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (2*(((1 + 2*x0) % 48)) + 96*x1 + (triton_helpers.div_floor_integer(1 + 2*x0,  48))), tmp2 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp3, xmask)
"""
)
READ_BACK = (
    texts.HEAD.format(numel=4096)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 * tmp0
    tl.store(out_ptr0 + (x0), tmp1, xmask)
    tmp2 = tl.load(out_ptr0 + (x0), xmask)
    tl.store(out_ptr1 + (x0), tmp2 + tmp0, xmask)
"""
)
NORM = (
    texts.ROWS
    + """
    tmp1 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp0 * tmp0
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.where(xmask, tmp3, 0)
    tmp6 = tl.sum(tmp5, 1)[:, None]
    tmp7 = libdevice.rsqrt(tmp6)
    tmp8 = tmp0 * tmp7 * tmp1
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp8, xmask)
"""
)

SEARCHED = (
    texts.HEAD.format(numel=100)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = {row}*x0
    tmp2 = triton_helpers.bucketize_binary_search(tmp0, in_ptr1, {row}, 100*{row}, 1, tmp1, tl.int64, False, None, None, None, )
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
)
SEARCHED_TENSORS = {"in_ptr0": "float32[100]", "in_ptr1": "float32[100, 40]", "out_ptr0": "int64[100]"}

TABLE = {
    "pointwise, in place, a bias for each row": Count(
        of_text(texts.ADD_RELU, texts.ADD_RELU_TENSORS),
        4096 * 1024 * 4 + 1024 * 4 + 4096 * 1024 * 4,
        4096 * 1024 * 4,
        "the product that it overwrites, the bias once however many rows use it, the other summand",
    ),
    "gather": Count(
        of_text(texts.EMBEDDING, texts.EMBEDDING_TENSORS),
        128 * 8 + 8 + 128 * 16 * 4,
        128 * 16 * 4,
        "one of 26 columns of the indices, one offset, and a row of 16 for each of 128 indices: repeats would be fewer",
    ),
    "binary search": Count(
        of_text(SEARCHED.format(row=40), SEARCHED_TENSORS),
        100 * 4 + 100 * 6 * 4,
        100 * 8,
        "a value each, and as many boundaries as halvings make one place of 41: 41, 21, 11, 6, 3, 2",
    ),
    "binary search, dynamic": Count(
        lambda: texts.kernel(SEARCHED.format(row="ks0"), SEARCHED_TENSORS, passed={"ks0": "s68"}),
        100 * 4 + 100 * 6 * 4,
        100 * 8,
        "the number of boundaries decides how many are read, though 100 values are 100 values",
        {"s68": 40},
    ),
    "broadcast, read twice": Count(
        of_text(texts.OUTER_PRODUCT, texts.OUTER_PRODUCT_TENSORS),
        128 * 432 * 4,
        128 * 432 * 432 * 4,
        "both loads go over the same tensor: it is read once, and its outer product written",
    ),
    "masked halves of rows, bf16": Count(
        of_text(texts.ROTARY, texts.ROTARY_TENSORS),
        4096 * 1024 * 2 + 1024 * 64 * 2 + 1024 * 64 * 2,
        4096 * 1024 * 2,
        "the first 1,024 of 3,072 columns, which the two masked loads read again; a table of cosines, one of sines",
    ),
    "reduction in a loop, in place": Count(
        of_text(texts.LOOPED_SUM, texts.LOOPED_SUM_TENSORS, "reduction"),
        128 * 256 * 4 + 128 * 256 * 4,
        128 * 256 * 4 + 256 * 4,
        "two tensors in; one of them is overwritten, and a sum for each of 256 columns",
    ),
    "persistent reduction of one row, in place": Count(
        of_text(texts.PERSISTENT_SUM, texts.PERSISTENT_SUM_TENSORS, "persistent_reduction"),
        128 * 4 + 128 * 4,
        128 * 4 + 4,
        "two rows in; their product over one of them, and one sum",
    ),
    "persistent reduction that writes whole rows": Count(
        of_text(NORM, {"in_ptr0": "bfloat16[8, 128]", "in_ptr1": "float32[128]", "out_ptr0": "bfloat16[8, 128]"}, "persistent_reduction"),
        8 * 128 * 2 + 128 * 4,
        8 * 128 * 2,
        "the rows once, though they are used twice: a row is held whole; the weight in float32",
    ),
    "atomic": Count(
        of_text(texts.SCATTER, texts.SCATTER_TENSORS),
        1024 * 8 + 1024 * 1024 * 4 + 1024 * 1024 * 4,
        1024 * 1024 * 4,
        "indices, gradients, and what they are added to: 1,024 rows of it are read and written, were no index twice",
    ),
    "concatenation": Count(
        of_text(texts.CAT, {"in_ptr0": "float32[4, 50, 6]", "in_ptr1": "float32[4, 50, 6]", "out_ptr0": "float32[4, 100, 6]"}),
        4 * 50 * 6 * 4 + 4 * 50 * 6 * 4,
        4 * 100 * 6 * 4,
        "each side is read where its mask holds: 50 of 100 places",
    ),
    "strided, both halves": Count(
        of_text(HALVES, {"in_ptr0": "float32[100, 344]", "out_ptr0": "float32[100, 172]"}),
        100 * 344 * 4,
        100 * 172 * 4,
        "the even and the odd elements: together all",
    ),
    "strided, one half": Count(
        of_text(EVEN, {"in_ptr0": "float32[100, 344]", "out_ptr0": "float32[100, 172]"}),
        100 * 172 * 4,
        100 * 172 * 4,
        "every second element; that memory moves the others too is a hazard, no traffic",
    ),
    "computed addresses under a mask": Count(
        of_text(SHUFFLED, {"in_ptr0": "float32[144, 96]", "out_ptr0": "float32[144, 48]"}),
        144 * 24 * 4,
        144 * 48 * 4,
        "of 48 lanes of a row 1 + 2*x0 < 48 lets 24 load, each another element",
    ),
    "stored and read back": Count(
        of_text(READ_BACK, dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1"), "float32[4096]")),
        4096 * 4,
        2 * 4096 * 4,
        "what the program has stored itself need not come from memory",
    ),
    "fill": Count(of_text(FILL, {"out_ptr0": "bfloat16[4096]"}), 0, 4096 * 2, "a constant is not read"),
    "mask of one byte": Count(
        of_text(MASK, {"in_ptr0": "bool[2, 1, 24, 24]", "out_ptr0": "float32[2, 1, 24, 24]"}),
        2 * 24 * 24 * 1,
        2 * 24 * 24 * 4,
        "a bool is a byte",
    ),
    "transposed tile": Count(
        of_text(texts.TRANSPOSE, {"in_ptr0": "float16[256, 96]", "out_ptr0": "float16[96, 256]"}),
        256 * 96 * 2,
        96 * 256 * 2,
        "each element once, in whatever order",
    ),
    "split scan": Count(
        of_inductor("g7_torch_2.13_scan.txt", 0),
        1_000_000 * 4,
        1_000_000 * 4,
        "the row and its running sum; the workspace between programs is not counted",
    ),
    "cooperative reduction": Count(
        of_inductor("g7_torch_2.13_cooperative.txt", 0),
        10_000_000 * 4,
        4,
        "the row, and one sum; partial sums in the workspace are not counted",
    ),
    "foreach, 2.13": Count(
        of_inductor("g7_torch_2.13_foreach.txt", 0),
        (512 + 512 + 1000 + 1000) * 4,
        (512 + 1000) * 4,
        "two jobs, each of two summands",
    ),
    "foreach, 2.2": Count(
        of_inductor("g2_torch_2.2.txt", 2), (9 * 96 + 96) * 4, (9 * 96 + 96) * 4, "two jobs of one tensor each"
    ),
    "combo": Count(
        of_inductor("g7_torch_2.13_combo.txt", 0), (512 + 1000) * 4, (512 + 1000) * 4, "two jobs of one tensor each"
    ),
    "combo of reductions that share tensors": Count(
        of_inductor("g7_torch_2.13_combo_in_turn.txt", 0),
        4 * (60 * 90 * 4) + 60 * 90 * 1 + 4 + 60 * 4 + 90 * 4,
        60 * 90 * 4 + 60 * 4 + 90 * 4,
        "four float32 matrices, of which both jobs read two; a bool one; a number, a column, a row",
    ),
    "template": Count(
        of_inductor("g2_torch_2.2.txt", 3),
        9 * 96 * 4 + 96 * 96 * 4,
        9 * 96 * 4,
        "the least of a product: both operands and the result, once each",
    ),
    "template with an epilogue": Count(
        of_inductor("g7_torch_2.13_template.txt", 0),
        256 * 256 * 4 + 256 * 256 * 4 + 256 * 4,
        256 * 256 * 4,
        "both operands, the bias that the epilogue adds, the result",
    ),
    "dynamic reduction": Count(
        of_inductor("g7_torch_2.13_dynamic.txt", 0),
        48 * 96 * 4 + 48 * 96 * 4,
        48 * 4,
        "two matrices of s77 by s27 in, a sum for each of s77 rows",
        {"s77": 48, "s27": 96},
    ),
    "dynamic, a size squared": Count(
        of_inductor("g7_torch_2.13_dynamic.txt", 1), 48 * 48 * 4, 48 * 48 * 4, "s77 by s77, in place", {"s77": 48}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_the_bytes_are_what_a_person_counts(name: str) -> None:
    row = TABLE[name]
    found = traffic(row.kernel(), row.hints)
    assert (found.read, found.written) == (row.read, row.written), row.why
    assert found.hinted == bool(row.hints)


def test_a_users_kernel_is_not_counted() -> None:
    """Its grid stands in the user's program: how many programs there are, the text does not tell."""
    found = traffic(of_inductor("g4_torch_2.6.txt", 3)())
    assert (found.read, found.written) == (None, None)


def test_a_dynamic_kernel_without_hints_is_not_counted() -> None:
    assert traffic(TABLE["dynamic reduction"].kernel()).read is None
