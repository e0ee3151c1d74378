"""All embedding lookups of a DLRM, the hash before and the concatenation behind them, in one kernel; their gradient in another.

Inductor launches a kernel for each table: it fuses what reads a common result, and no lookup reads another one's. Each of the 26 moves some
kilobytes at batch 128, and costs a launch. Here the dense columns are a table too, whose row is the sample: what is left is one gather of
rows into a contiguous result. For large batches `lookups_grouped.py` has a faster gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from inductor_lab.kernels.dlrm import lookups_grouped

Configuration = dict[str, int]
"""SAMPLES and FEATURES that a program owns, in rows of `ROW` bytes (longer rows: fewer samples), and its warps."""
ROW = 64
CANDIDATES: list[Configuration] = [
    {"SAMPLES": samples, "FEATURES": features, "num_warps": warps}
    for samples, features, warps in (
        (16, 1, 1), (32, 1, 2), (32, 1, 4), (128, 1, 4), (4, 4, 2), (8, 4, 4), (16, 4, 4), (32, 4, 4), (64, 4, 8),
        (16, 8, 4), (8, 32, 4), (16, 32, 8),
    )
]  # fmt: skip
"""What is worth timing."""
SMALL, LARGE = CANDIDATES[5], CANDIDATES[7]
FILLED = 4 * 132
"""Programs of LARGE that keep an H200's 132 multiprocessors busy; where there are fewer, SMALL."""


def chosen(batch: int, features: int, row_bytes: int) -> Configuration:
    """The configuration for a batch and so many features, the dense one included."""
    programs = batch * features * row_bytes / (LARGE["SAMPLES"] * LARGE["FEATURES"] * ROW)
    return LARGE if programs >= FILLED else SMALL


def lookups(
    dense: Tensor,
    sparse: Tensor,
    tables: Sequence[Tensor],
    cardinalities: Tensor | None,
    *,
    configuration: Configuration | None = None,
) -> Tensor:
    """dense [B, D], sparse [B, T] int64, T tables [rows, D] -> [B, (T + 1) * D]: dense, and behind it a row of each table.

    The row of table i is `(sparse[:, i] + 1) % cardinalities[i]` with Python's sign, for any int64. Differentiable once in `dense` and
    `tables`: the gradients of tables are dense, added up in float32 in no fixed order, or as eager does it where
    `torch.use_deterministic_algorithms` asks for an order. `dense` and tables are copied where they are not contiguous.

    Args:
        cardinalities: [T] int64 on the same device, each above 0 and at most its table's rows, which is not checked on a card. None:
            `sparse` are rows already, and one outside of its table is a device-side assertion, as of `torch.nn.functional.embedding`.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together; on the CPU, a cardinality that is none of its table.
        IndexError: on the CPU, in Triton's interpreter, a row that is outside of its table.
    """
    _check(dense, sparse, tables, cardinalities)
    result: Tensor = _Lookups.apply(configuration, dense, sparse, cardinalities, *tables)  # type: ignore[no-untyped-call]
    return result


def _check(dense: Tensor, sparse: Tensor, tables: Sequence[Tensor], cardinalities: Tensor | None) -> None:
    shapes = f"dense {list(dense.shape)}, sparse {list(sparse.shape)} and {len(tables)} tables"
    if dense.ndim != 2 or not dense.shape[1] or not tables or sparse.shape != (len(dense), len(tables)):
        raise ValueError(
            f"{shapes} do not belong together: dense is [B, D] and sparse [B, T] for T tables, D and T at least one"
        )
    if not dense.is_floating_point() or sparse.dtype != torch.int64:
        raise ValueError(f"dense has floating-point numbers and sparse int64, not {dense.dtype} and {sparse.dtype}")
    for number, table in enumerate(tables):
        if table.ndim != 2 or table.shape[1] != dense.shape[1] or table.dtype != dense.dtype:
            wanted = f"[rows, {dense.shape[1]}] of {dense.dtype}, as dense has"
            raise ValueError(f"table {number} is {list(table.shape)} of {table.dtype}, and not {wanted}")
    if cardinalities is not None and (cardinalities.shape, cardinalities.dtype) != ((len(tables),), torch.int64):
        told = f"{list(cardinalities.shape)} of {cardinalities.dtype}"
        raise ValueError(f"cardinalities are {told}, and not [{len(tables)}] of torch.int64, one for each table")
    for other in (sparse, *tables, *([] if cardinalities is None else [cardinalities])):
        if other.device != dense.device:
            raise ValueError(f"all tensors lie on one device, not on {dense.device} and {other.device}")
    if sparse.device.type == "cpu":  # Triton's interpreter has no assertions
        counts = torch.tensor([len(table) for table in tables])
        if cardinalities is None:
            if ((sparse < 0) | (sparse >= counts)).any():
                raise IndexError("index out of range in self")
        elif ((cardinalities < 1) | (cardinalities > counts)).any():
            told = f"cardinalities {cardinalities.tolist()} are not 1 to a table's rows, {counts.tolist()}"
            raise ValueError(told)


class _Lookups(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        configuration: Configuration | None,
        dense: Tensor,
        sparse: Tensor,
        cardinalities: Tensor | None,
        *tables: Tensor,
    ) -> Tensor:
        cardinalities = None if cardinalities is None else cardinalities.contiguous()
        ctx.save_for_backward(sparse, cardinalities)
        ctx.rows, ctx.configuration = [len(table) for table in tables], configuration
        out = dense.new_empty(len(dense), (len(tables) + 1) * dense.shape[1])
        contiguous = [table.contiguous() for table in tables]
        return launch(out, dense.contiguous(), sparse, contiguous, cardinalities, configuration=configuration)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        sparse, cardinalities = ctx.saved_tensors
        dense = grad[:, : grad.shape[1] // (len(ctx.rows) + 1)]
        tables: Sequence[Tensor | None] = [None] * len(ctx.rows)
        if any(ctx.needs_input_grad[4:]):
            tables = gradients(grad, sparse, ctx.rows, cardinalities, configuration=ctx.configuration)
        return None, dense, None, None, *tables


def gradients(
    grad: Tensor,
    sparse: Tensor,
    rows: Sequence[int],
    cardinalities: Tensor | None,
    *,
    configuration: Configuration | None = None,
) -> list[Tensor]:
    """The gradient [rows, D] of each table from the result's, [B, (T + 1) * D]: views of one tensor, which one memset clears.

    Lookups are grouped by row first where `lookups_grouped` is faster, unless a configuration is given.
    """
    columns = grad.shape[1] // (len(rows) + 1)
    if torch.are_deterministic_algorithms_enabled():
        found = sparse if cardinalities is None else (sparse + 1) % cardinalities
        parts = zip(grad.split(columns, dim=1)[1:], found.unbind(1), rows, strict=True)
        return [torch.ops.aten.embedding_dense_backward(part, row, count, -1, False) for part, row, count in parts]
    if configuration is None and lookups_grouped.faster(len(sparse), rows, columns):
        return lookups_grouped.gradients(grad, sparse, rows, cardinalities)
    summed = torch.float64 if grad.dtype == torch.float64 else torch.float32
    flat = grad.new_zeros(sum(rows), columns, dtype=summed)
    launch_backward(flat.split(list(rows)), grad.contiguous(), sparse, cardinalities, configuration=configuration)
    return list(flat.to(grad.dtype).split(list(rows)))


def launch(
    out: Tensor,
    dense: Tensor | None,
    sparse: Tensor,
    tables: Sequence[Tensor],
    cardinalities: Tensor | None,
    *,
    configuration: Configuration | None = None,
) -> Tensor:
    """Write `out` [B, (T + 1) * D], of contiguous rows, and return it; without `dense` its first D columns are left alone."""
    rows = None if cardinalities is not None else (0, *(len(table) for table in tables))
    # Without a hash the assertion of the range is compiled in; overflow of int64 is none of its business.
    asserted = {"debug": True, "sanitize_overflow": False} if rows else {}
    grid, sizes = _launched(out, sparse, tables, int(dense is None), configuration)
    with torch.cuda.device_of(out):
        gather[grid](
            sparse, cardinalities, (tables[0] if dense is None else dense, *tables), rows, out, **sizes, **asserted
        )
    return out


def launch_backward(
    tables: Sequence[Tensor],
    grad: Tensor,
    sparse: Tensor,
    cardinalities: Tensor | None,
    *,
    configuration: Configuration | None = None,
) -> None:
    """Add the columns of `grad` [B, (T + 1) * D] behind the first D to the rows of `tables` [rows, D] that were looked up."""
    grid, sizes = _launched(grad, sparse, tables, 1, configuration)
    with torch.cuda.device_of(grad):
        scatter_add[grid](sparse, cardinalities, (tables[0], *tables), grad, **sizes)


def _launched(
    features: Tensor, sparse: Tensor, tables: Sequence[Tensor], first: int, configuration: Configuration | None
) -> tuple[tuple[int], dict[str, Any]]:
    """The grid and what both kernels are told of sizes; `first` is the feature they begin at."""
    columns = tables[0].shape[1]
    row_bytes = columns * features.element_size()
    configuration = dict(configuration or chosen(len(sparse), len(tables) + 1, row_bytes))
    configuration["SAMPLES"] = max(
        1, configuration["SAMPLES"] * ROW // ((1 << (columns - 1).bit_length()) * features.element_size())
    )
    groups = -(-(len(tables) + 1 - first) // configuration["FEATURES"])
    sizes = {
        "batch": len(sparse),
        "sample_stride": sparse.stride(0),
        "table_stride": sparse.stride(1),
        "features_stride": features.stride(0),
        "FIRST": first,
        "GROUPS": groups,
        "COLUMNS": columns,
        "PADDED": 1 << (columns - 1).bit_length(),
        **configuration,
    }
    return (-(-len(sparse) // configuration["SAMPLES"]) * groups,), sizes


@triton.jit
def gather(
    sparse_ptr,  # i64[batch, tables]
    cardinality_ptr,  # i64[tables]; None where sparse are rows
    tables,  # dense [batch, COLUMNS], then [rows, COLUMNS] for each table
    rows,  # of each of these, to assert; None where they are hashed
    features_ptr,  # [batch, (1 + tables) * COLUMNS], written
    batch,
    sample_stride,
    table_stride,
    features_stride,
    FIRST: tl.constexpr,  # 1: the dense columns are somebody else's
    GROUPS: tl.constexpr,
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    SAMPLES: tl.constexpr,
    FEATURES: tl.constexpr,
):
    sample, feature, inside = owned(batch, len(tables), FIRST, GROUPS, SAMPLES, FEATURES)
    row = rows_of(sparse_ptr, cardinality_ptr, sample, feature, inside, sample_stride, table_stride, len(tables))
    if rows is not None:
        count = tl.zeros([FEATURES], tl.int64)
        for number in tl.static_range(1, len(tables)):
            count = tl.where(feature == number, rows[number], count)
        asked = inside & (feature > 0)[None, :]
        tl.device_assert((row >= 0) & (row < count[None, :]), "index out of range in self", asked)
    row = tl.where(feature[None, :] == 0, sample[:, None], row)
    column = tl.arange(0, PADDED)[None, None, :]
    kept = inside[:, :, None] & (column < COLUMNS)
    looked_up = tl.load(table_of(tables, feature)[None, :, None] + row[:, :, None] * COLUMNS + column, kept)
    features_ptr += sample[:, None, None] * features_stride + feature[None, :, None] * COLUMNS
    tl.store(features_ptr + column, looked_up, kept)


@triton.jit
def scatter_add(
    sparse_ptr,  # i64[batch, tables]
    cardinality_ptr,  # i64[tables]; None where sparse are rows
    tables,  # one that stands for dense, then [rows, COLUMNS] for each table, added to
    features_ptr,  # [batch, (1 + tables) * COLUMNS], the gradient
    batch,
    sample_stride,
    table_stride,
    features_stride,
    FIRST: tl.constexpr,
    GROUPS: tl.constexpr,
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    SAMPLES: tl.constexpr,
    FEATURES: tl.constexpr,
):
    sample, feature, inside = owned(batch, len(tables), FIRST, GROUPS, SAMPLES, FEATURES)
    row = rows_of(sparse_ptr, cardinality_ptr, sample, feature, inside, sample_stride, table_stride, len(tables))
    column = tl.arange(0, PADDED)[None, None, :]
    kept = inside[:, :, None] & (column < COLUMNS)
    features_ptr += sample[:, None, None] * features_stride + feature[None, :, None] * COLUMNS
    table = table_of(tables, feature)[None, :, None]
    gradient = tl.load(features_ptr + column, kept).to(table.dtype.element_ty)
    tl.atomic_add(table + row[:, :, None] * COLUMNS + column, gradient, kept, sem="relaxed")


@triton.jit
def owned(
    batch, COUNT: tl.constexpr, FIRST: tl.constexpr, GROUPS: tl.constexpr, SAMPLES: tl.constexpr, FEATURES: tl.constexpr
):
    """Samples [SAMPLES] and features [FEATURES] of this program, and which of them there are.

    Programs that follow each other own the same samples: what one reads of `sparse` beyond its own features is in the cache for the next.
    """
    program = tl.program_id(0).to(tl.int64)
    sample = program // GROUPS * SAMPLES + tl.arange(0, SAMPLES)
    feature = (program % GROUPS).to(tl.int32) * FEATURES + FIRST + tl.arange(0, FEATURES)
    return sample, feature, (sample < batch)[:, None] & (feature < COUNT)[None, :]


@triton.jit
def rows_of(sparse_ptr, cardinality_ptr, sample, feature, inside, sample_stride, table_stride, COUNT: tl.constexpr):
    """Row [SAMPLES, FEATURES] of each sample in each table; of dense, feature 0, nothing that is used."""
    looked_up = (feature > 0) & (feature < COUNT)
    offset = sample[:, None] * sample_stride + (feature - 1).to(tl.int64)[None, :] * table_stride
    row = tl.load(sparse_ptr + offset, inside & looked_up[None, :], other=0)
    if cardinality_ptr is not None:
        cardinality = tl.load(cardinality_ptr + feature - 1, looked_up, other=1)[None, :]
        # Where a thread has one remainder, LLVM takes that of numbers under 2**32 in 32 bits: what they are is asked at run time.
        row = (row + 1) % cardinality
        row = tl.where(row < 0, row + cardinality, row)
    return row


@triton.jit
def table_of(tables, feature):
    """The table [FEATURES] of each feature: chosen once for all samples of a program."""
    table = tl.where(feature == 0, tables[0], tables[1])
    for number in tl.static_range(2, len(tables)):
        table = tl.where(feature == number, tables[number], table)
    return table
