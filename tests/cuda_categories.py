"""Kernels of the categories that do more than one thing in a launch, or go along a row in order: for the CUDA printer's tests."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from functools import cache
from pathlib import Path

from kernels_as_text import capture, kernel

from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

REAL = {
    "add_relu": ("dlrm_train_h200", 1),
    "add_mul_relu": ("lora_mlp_h200", 0),
    "add_mul": ("lora_mlp_h200", 1),
    "rotary, bf16": ("rotary_train_h200", 0),
    "gather": ("sparse_ffn_train_h200", 0),
    "scatter": ("sparse_ffn_train_h200", 3),
    "persistent reduction": ("dlrm_train_h200", 33),
    "reduction": ("dlrm_train_h200", 34),
}
"""What is captured on an H200 -> the capture and the number of the kernel."""
FOLDER = Path(__file__).parent / "generations"
OF_INDUCTOR = {
    "cooperative_reduction": ("cooperative", 0, ("10000000", "100000")),
    "split_scan": ("scan", 0, ("1000000", "10000")),
    "combo": ("combo_in_turn", 0, ("", "")),
    "foreach": ("foreach", 0, ("", "")),
}
"""Category -> the text of torch 2.13 that has one, its number there, and a size that is made smaller, for the CPU."""
PRODUCTS = {
    "addmm": (("small", "large"), 0),
    "mm of columns, bf16": (("small", "large"), 1),
    "bmm, fp16": (("small", "large"), 2),
    "mm, dynamic": (("dynamic", "dynamic"), 0),
}
"""Templates of products -> the texts in tests/products/ that have one, for a CPU and for a card, and its number there."""
NORMS = {
    "rms_norm, bf16": "rms_norm",
    "layer_norm": "layer_norm",
    "layer_norm of long rows, bf16": "layer_norm_wide",
    "softmax, bf16": "softmax",
    "logsumexp, bf16": "logsumexp",
}
"""What folds rows of a model's size -> the text in tests/norms/ that has it; it has 4,096 rows, for the CPU 6."""
CUMSUM = """
    xnumel = 8
    r0_numel = 100
    R0_BLOCK: tl.constexpr = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < r0_numel
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 100*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp2, = tl.associative_scan((tmp1,), 1, _triton_helper_fn_add0)
    tl.store(out_ptr0 + (r0_1 + 100*x0), tmp2, r0_mask & xmask)
"""
ADD = """
@triton.jit
def _triton_helper_fn_add0(arg0_0, arg1_0):
    tmp0 = arg0_0 + arg1_0
    return tmp0
"""
SUM_BEHIND = (
    CUMSUM
    + """
    tmp3 = tl.where(r0_mask & xmask, tmp2, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr1 + (x0), tmp4, xmask)
"""
)
"""A fold of what was scanned."""
NAME = "gt_eq_ne_ne_gt_logical_or_logical_and_logical_or_gt_logical_and_logical_or_where_where"
CUMMAX = CUMSUM.replace(
    "    tmp2, = tl.associative_scan((tmp1,), 1, _triton_helper_fn_add0)",
    f"""    tmp3 = r0_1.to(tl.int64)
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp2, tmp5, = tl.associative_scan((tmp1, tmp4,), 1, _triton_helper_fn_{NAME}0)
    tl.store(out_ptr1 + (r0_1 + 100*x0), tmp5, r0_mask & xmask)""",
)
LARGEST = f"""
@triton.jit
def _triton_helper_fn_{NAME}0(arg0_0, arg0_1, arg1_0, arg1_1):
    tmp0 = arg0_0 > arg1_0
    tmp1 = arg0_0 == arg1_0
    tmp2 = arg0_0 != arg0_0
    tmp3 = arg1_0 != arg1_0
    tmp4 = tmp2 > tmp3
    tmp5 = tmp0 | tmp4
    tmp6 = tmp2 & tmp3
    tmp7 = tmp1 | tmp6
    tmp8 = arg0_1 > arg1_1
    tmp9 = tmp7 & tmp8
    tmp10 = tmp5 | tmp9
    tmp11 = tl.where(tmp10, arg0_0, arg1_0)
    tmp12 = tl.where(tmp10, arg0_1, arg1_1)
    return tmp11, tmp12
"""
SORT = CUMSUM.replace(
    "    tmp2, = tl.associative_scan((tmp1,), 1, _triton_helper_fn_add0)",
    """    rnumel = r0_numel
    tmp3 = (r0_1).to(tl.int16)
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp2, tmp5, = triton_helpers.sort_with_index(tmp1, tmp4, rnumel, 1, stable=True, descending=False)
    tmp6 = tmp5.to(tl.int64)
    tl.store(out_ptr1 + (r0_1 + 100*x0), tmp6, r0_mask & xmask)""",
)
NUCLEUS = SORT.replace("descending=False", "descending=True").replace(
    "    tl.store(out_ptr0",
    """    tmp7, = tl.associative_scan((tmp2,), 1, _triton_helper_fn_add0)
    tmp8 = tl.where(r0_mask & xmask, tmp7, 0)
    tmp9 = tl.sum(tmp8, 1)[:, None].to(tl.float32)
    tl.store(out_ptr2 + (x0), tmp9, xmask)
    tl.store(out_ptr0""",
)
"""What is sorted is scanned, and that is folded."""
ROWS, COLUMNS = "float32[8, 100]", "float32[100, 8]"
SCANS = {
    "cumsum": (CUMSUM, ADD, {"in_ptr0": ROWS, "out_ptr0": ROWS}),
    "cumsum of columns": (
        CUMSUM.replace("r0_1 + 100*x0", "x0 + 8*r0_1"), ADD, {"in_ptr0": COLUMNS, "out_ptr0": COLUMNS},
    ),
    "cumsum, summed": (SUM_BEHIND, ADD, {"in_ptr0": ROWS, "out_ptr0": ROWS, "out_ptr1": "float32[8]"}),
    "cummax": (CUMMAX, LARGEST, {"in_ptr0": ROWS, "out_ptr0": ROWS, "out_ptr1": "int64[8, 100]"}),
    "sort": (SORT, "", {"in_ptr0": ROWS, "out_ptr1": "int64[8, 100]", "out_ptr0": ROWS}),
    "sort of columns": (
        SORT.replace("r0_1 + 100*x0", "x0 + 8*r0_1"), "", {"in_ptr0": COLUMNS, "out_ptr1": "int64[100, 8]", "out_ptr0": COLUMNS},
    ),
    "sort of whole numbers": (
        SORT.replace("stable=True", "stable=False"), "",
        {"in_ptr0": "int64[8, 100]", "out_ptr1": "int64[8, 100]", "out_ptr0": "int64[8, 100]"},
    ),
    "sort, not stable": (
        SORT.replace("stable=True, descending=False", "stable=False, descending=True").replace("r0_1 + 100*x0", "(r0_1 // 2) + 50*x0", 1),
        "", {"in_ptr0": "float32[8, 50]", "out_ptr1": "int64[8, 100]", "out_ptr0": ROWS},
    ),
    "sorted, summed": (
        NUCLEUS, ADD, {"in_ptr0": ROWS, "out_ptr1": "int64[8, 100]", "out_ptr2": "float32[8]", "out_ptr0": ROWS},
    ),
}  # fmt: skip
"""Scans: the body, what it combines by, the tensors."""

FLAT = """
    xnumel = {numel}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % {columns})
    x1 = xindex // {columns}
    tmp0 = tl.load(in_ptr0 + (x2), xmask).to(tl.float32)
"""
ROTATED = (
    FLAT
    + """
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last').to(tl.float32)
    tmp3 = x0
    tmp4 = tl.full([1], {half}, tl.int64)
    tmp5 = tmp3 < tmp4
    tmp6 = tl.load(in_ptr0 + ({half} + {columns}*x1 + (x0)), tmp5 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp7 = -tmp6
    tmp8 = tmp3 >= tmp4
    tmp9 = tl.load(in_ptr0 + ({columns}*x1 + ((-{half}) + x0)), tmp8 & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp10 = tl.where(tmp5, tmp7, tmp9)
    tmp11 = tmp10 * tmp1
    tmp12 = tmp0 + tmp11
    tl.store(out_ptr0 + (x2), tmp12, xmask)
"""
)
"""Half a row away, under a mask: what rotary position embeddings read."""
SCATTERED = (
    FLAT
    + """
    tmp1 = tl.load(in_ptr1 + (x1), xmask, eviction_policy='evict_last')
    tl.device_assert(((0 <= tmp1) & (tmp1 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp1 < 50")
    tl.atomic_add(out_ptr0 + (x0 + {columns}*tmp1), tmp0, xmask, sem='relaxed')
"""
)
"""Rows that the data chooses."""


def _rows(body: str, columns: int, dtype: str, **tensors: str) -> tuple[str, dict[str, str]]:
    """A flat kernel over 40 rows: its body, its tensors."""
    text = body.format(numel=40 * columns, columns=columns, half=columns // 2)
    text = text if dtype == "bfloat16" else text.replace(").to(tl.float32)", ")")
    return text, {name: f"{dtype}[{told}]" if "[" not in told else told for name, told in tensors.items()}


def _rotated(columns: int, dtype: str) -> tuple[str, dict[str, str]]:
    return _rows(ROTATED, columns, dtype, in_ptr0=f"40, {columns}", in_ptr1=str(columns), out_ptr0=f"40, {columns}")


def _scattered(columns: int, dtype: str) -> tuple[str, dict[str, str]]:
    return _rows(SCATTERED, columns, dtype, in_ptr0=f"40, {columns}", in_ptr1="int64[40]", out_ptr0=f"50, {columns}")


PACKED = {
    "rotated": _rotated(64, "bfloat16"),
    "rotated, packs of four": _rotated(24, "bfloat16"),
    "rotated, odd halves": _rotated(50, "float32"),
    "scattered": _scattered(64, "float32"),
    "scattered, bf16": _scattered(48, "bfloat16"),
    "scattered, one by one": _scattered(75, "float32"),
}
"""What neighbours access side by side, where the number of columns lets a thread take several elements at once, and where not."""


@cache
def of_category(name: str, *, small: bool = True) -> tuple[Capture, Kernel]:
    """A kernel of one of the categories, or a scan; `small` for a CPU, else of the size that it was captured with."""
    if name in SCANS:
        body, combine, tensors = SCANS[name]
        made = _kernel(name, body, tensors, "persistent_reduction")
        made = dataclasses.replace(made, text=combine + made.text)
        return capture(made), made
    if name in PRODUCTS:
        sizes, number = PRODUCTS[name]
        found = _read((FOLDER.parent / "products" / f"{sizes[not small]}.txt").read_text(encoding="utf-8"))
        return found, found.kernels[number]
    if name in NORMS:
        text = (FOLDER.parent / "norms" / f"{NORMS[name]}.txt").read_text(encoding="utf-8")
        found = _read(text.replace("4096", "6") if small else text)
        return found, found.kernels[0]
    if name in PACKED:
        text, tensors = PACKED[name]
        made = _kernel(name, text, tensors, "pointwise")
        return capture(made), made
    file, number, (size, smaller) = OF_INDUCTOR[name]
    text = (FOLDER / f"g7_torch_2.13_{file}.txt").read_text(encoding="utf-8")
    found = _read(text.replace(size, smaller) if small and size else text)
    return found, found.kernels[number]


def _kernel(name: str, body: str, tensors: dict[str, str], category: str) -> Kernel:
    """A kernel of a body, launched with the sizes that the body says."""
    passed = dict(re.findall(r"^\s*(\w+numel) = (\d+)$", body, re.MULTILINE))
    return kernel(body, tensors, category=category, name=f"triton_{re.sub(r'[^a-z]+', '_', name)}", passed=passed)


def _read(text: str) -> Capture:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "module.py")
        path.write_text(text, encoding="utf-8")
        return read([path], "categories")


CATEGORIES = (*OF_INDUCTOR, *SCANS, *PRODUCTS, *PACKED, *NORMS)
