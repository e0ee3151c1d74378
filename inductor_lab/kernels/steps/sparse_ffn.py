"""A feed-forward layer of the neurons that are told, in steps that each replace the whole layer: of 64 tokens in float32, and, the last two, of one."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from inductor_lab.kernels.sparse_ffn.kernel import hidden, mapped_down
from inductor_lab.kernels.sparse_ffn.one_token import counted, down_of_one, hidden_of_one, linked, rows, weights


def step_1(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=32, COLUMNS=64, num_warps=4, num_stages=3):
    """No row is copied: both products gather what they multiply, and the first one's activation is in its registers. Two launches for four."""
    (tokens, columns), bound = arg2.shape, index.shape[0]
    tiles, padded = triton.cdiv(tokens, TOKENS), triton.cdiv(bound, NEURONS) * NEURONS
    between = torch.empty((tokens, padded), dtype=arg2.dtype, device=arg2.device)
    sizes = {"TOKENS": TOKENS, "NEURONS": NEURONS, "COLUMNS": COLUMNS, "num_warps": num_warps, "num_stages": num_stages}
    hidden[(tiles * triton.cdiv(padded, NEURONS),)](
        arg2, table, None, index, None, between, tokens, columns, table.shape[0], bound, padded,
        arg2.stride(), table.stride(), None, index.stride(0),
        ACTIVATION="leaky_relu", **sizes, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    mapped_down[tiles, triton.cdiv(columns, COLUMNS)](
        between, table_2, index, None, mm_2, tokens, columns, table.shape[0], bound, padded,
        index.stride(0), table_2.stride(), **sizes,
    )  # fmt: skip
    return mm_2


@triton.jit
def ffn(
    x_ptr,  # f32[tokens, columns]
    up_ptr,  # f32[neurons, columns]
    down_ptr,  # f32[neurons, columns]
    active_ptr,  # i64[active]
    total_ptr,  # f32[tokens, columns], added to, or f32[programs, tokens, columns], written
    tokens,
    columns,
    neurons,
    active,
    ATOMIC: tl.constexpr,
    ROTATED: tl.constexpr,
    TOKENS: tl.constexpr,
    NEURONS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    place = tl.program_id(0) * NEURONS + tl.arange(0, NEURONS)
    row = tl.load(active_ptr + place, place < active, other=0)
    row = tl.where(row < 0, row + neurons, row)
    tl.device_assert((row >= 0) & (row < neurons), "index out of range")
    weight = row[:, None] * columns + tl.arange(0, COLUMNS)[None, :]
    token = tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)
    own = token[:, None] * columns + tl.arange(0, COLUMNS)[None, :]
    inside, there = (token < tokens)[:, None], (place < active)[:, None]
    hidden = tl.zeros([TOKENS, NEURONS], tl.float32)
    for start in range(0, columns, COLUMNS):
        left = (start + tl.arange(0, COLUMNS) < columns)[None, :]
        x = tl.load(x_ptr + own + start, inside & left, other=0)
        up = tl.load(up_ptr + weight + start, there & left, other=0)
        hidden = tl.dot(x, tl.trans(up), hidden, input_precision="ieee")
    hidden = tl.where(hidden > 0, hidden, hidden * 0.01).to(x_ptr.dtype.element_ty)
    chunks = tl.cdiv(columns, COLUMNS)
    for number in range(chunks):
        start = (number + tl.program_id(0) * ROTATED) % chunks * COLUMNS
        left = (start + tl.arange(0, COLUMNS) < columns)[None, :]
        down = tl.load(down_ptr + weight + start, there & left, other=0)
        part = tl.dot(hidden, down, input_precision="ieee")
        if ATOMIC:
            tl.atomic_add(total_ptr + own + start, part, inside & left, sem="relaxed")
        else:
            first = tl.program_id(0) * tokens * columns
            tl.store(total_ptr + first + own + start, part, inside & left)


def step_2(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=16, COLUMNS=64, num_warps=4, num_stages=3):
    """One kernel: a program has some neurons from their sums to what they add to the result, which is cleared before. No hidden layer is stored."""
    mm_2.zero_()  # in the call: whoever times it, or tries blocks, adds to it again and again
    return launch_ffn(index, table, table_2, arg2, mm_2, True, 0, TOKENS, NEURONS, COLUMNS, num_warps, num_stages)


def step_3(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=16, COLUMNS=64, num_warps=4, num_stages=3):
    """Programs that reach their additions together begin at different columns: whether they wait for each other is told by what this gains."""
    mm_2.zero_()
    return launch_ffn(index, table, table_2, arg2, mm_2, True, 1, TOKENS, NEURONS, COLUMNS, num_warps, num_stages)


def launch_ffn(index, up, down, x, total, ATOMIC, ROTATED, TOKENS, NEURONS, COLUMNS, num_warps, num_stages):
    (tokens, columns), active = x.shape, index.shape[0]
    ffn[triton.cdiv(active, NEURONS), triton.cdiv(tokens, TOKENS)](
        x, up, down, index, total, tokens, columns, up.shape[0], active, ATOMIC=ATOMIC, ROTATED=ROTATED,
        TOKENS=TOKENS, NEURONS=NEURONS, COLUMNS=COLUMNS, num_warps=num_warps, num_stages=num_stages, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    return total


@triton.jit
def summed(
    parts_ptr,  # f32[parts, numel]
    out_ptr,  # f32[numel], written
    parts,
    numel,
    PARTS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    offset = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros([PARTS, COLUMNS], tl.float32)
    for first in range(0, parts, PARTS):
        part = first + tl.arange(0, PARTS)[:, None]
        inside = (part < parts) & (offset < numel)[None, :]
        total += tl.load(parts_ptr + part.to(tl.int64) * numel + offset[None, :], inside, other=0)
    tl.store(out_ptr + offset, tl.sum(total, 0), offset < numel)


def step_4(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=32, COLUMNS=64, num_warps=4, num_stages=3):
    """In a fixed order: each program stores its part, and a second kernel adds them up. Nothing is cleared, the parts are written and read."""
    programs = triton.cdiv(index.shape[0], NEURONS)
    parts = torch.empty((programs, *arg2.shape), dtype=torch.float32, device=arg2.device)
    launch_ffn(index, table, table_2, arg2, parts, False, 0, TOKENS, NEURONS, COLUMNS, num_warps, num_stages)
    summed[(triton.cdiv(mm_2.numel(), 256),)](parts, mm_2, programs, mm_2.numel(), PARTS=8, COLUMNS=256)
    return mm_2


@triton.jit
def fused(
    x_ptr,  # [columns]
    up_ptr,  # [neurons, columns]
    down_ptr,  # [neurons, columns]
    active_ptr,  # i64[active]
    total_ptr,  # f32[columns], zero, added to
    ticket_ptr,  # i32[1], zero
    out_ptr,  # [columns], written by the program that comes last
    columns,
    neurons,
    active,
    NEURONS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    program, programs = tl.program_id(0), tl.num_programs(0)
    column = tl.arange(0, COLUMNS)
    own = column < columns
    x = tl.load(x_ptr + column, own, other=0).to(tl.float32)[None, :]
    y = tl.zeros([COLUMNS], tl.float32)
    for first in range(program * NEURONS, active, programs * NEURONS):
        place = first + tl.arange(0, NEURONS)
        there = place < active
        row = tl.load(active_ptr + place, there, other=0)
        row = tl.where(row < 0, row + neurons, row)
        tl.device_assert((row >= 0) & (row < neurons), "index out of range")
        weight, inside = row[:, None] * columns + column[None, :], there[:, None] & own[None, :]
        up = tl.load(up_ptr + weight, inside, other=0, eviction_policy="evict_first").to(tl.float32)
        down = tl.load(down_ptr + weight, inside, other=0, eviction_policy="evict_first").to(tl.float32)
        hidden = tl.sum(x * up, 1)
        hidden = tl.where(there, tl.where(hidden > 0, hidden, hidden * 0.01), 0.0)
        y += tl.sum(hidden[:, None] * down, 0)
    tl.atomic_add(total_ptr + column, y, own, sem="relaxed")
    tl.debug_barrier()  # all threads have added before the ticket says so
    if tl.atomic_add(ticket_ptr, 1, sem="acq_rel") == programs - 1:
        y = tl.load(total_ptr + column, own, other=0, cache_modifier=".cg")
        tl.store(out_ptr + column, y.to(out_ptr.dtype.element_ty), own)


def step_5(active, up, down, arg2, mm_2, *, NEURONS=4, PROGRAMS=396, num_warps=8):
    """One token is no matrix: a program keeps whole rows in registers, multiplies them without a tensor core, and adds once, however many neurons it had."""
    columns, count = arg2.shape[1], active.shape[0]
    total = torch.zeros(columns + 1, dtype=torch.float32, device=arg2.device)  # and the ticket behind it
    fused[(min(PROGRAMS, triton.cdiv(count, NEURONS)),)](
        arg2, up, down, active, total, total[columns:].view(torch.int32), mm_2, columns, up.shape[0], count,
        NEURONS=NEURONS, COLUMNS=triton.next_power_of_2(columns), num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    return mm_2


@triton.jit
def down_by_rows(
    hidden_ptr,  # f32[bound]
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    out_ptr,  # [columns], written
    columns, neurons, bound,
    active_stride, down_strides,
    NEURONS: tl.constexpr, COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    own = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    place = tl.arange(0, NEURONS)
    count = counted(count_ptr, bound)
    # Rows are on their way while those before are added up, and their numbers before that; the first ones while the hidden layer is made.
    row, _ = rows(active_ptr, place, count, neurons, active_stride)
    down = weights(down_ptr, row[:, None], own[None, :], down_strides, columns)
    row, _ = rows(active_ptr, NEURONS + place, count, neurons, active_stride)
    if LINKED:
        tl.extra.cuda.gdc_wait()
    y = tl.zeros([NEURONS, COLUMNS], tl.float32)
    for first in range(0, count, NEURONS):
        between = tl.load(hidden_ptr + first + place, first + place < count, other=0)
        ahead = weights(down_ptr, row[:, None], own[None, :], down_strides, columns)
        row, _ = rows(active_ptr, first + 2 * NEURONS + place, count, neurons, active_stride)
        y += between[:, None] * down.to(tl.float32)
        down = ahead
    tl.store(out_ptr + own, tl.sum(y, 0).to(out_ptr.dtype.element_ty), own < columns)


def step_6(active, up, down, arg2, mm_2, *, NEURONS=1, ROWS=512, COLUMNS=32, num_warps=4, DOWN_WARPS=16):
    """Two launches again, and nothing to clear, add up twice or wait for: a program of the second has its first rows on their way while the first one runs."""
    columns, bound, link = arg2.shape[1], active.shape[0], linked(arg2.device)
    between = torch.empty(bound, dtype=torch.float32, device=arg2.device)
    hidden_of_one[(triton.cdiv(bound, NEURONS),)](
        arg2, up, None, active, None, between, columns, up.shape[0], bound,
        arg2.stride(), up.stride(), None, active.stride(0), ACTIVATION="leaky_relu", NEURONS=NEURONS,
        COLUMNS=triton.next_power_of_2(columns), LINKED=link, num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    down_by_rows[(triton.cdiv(columns, COLUMNS),)](
        between, down, active, None, mm_2, columns, up.shape[0], bound, active.stride(0), down.stride(),
        NEURONS=ROWS, COLUMNS=COLUMNS, LINKED=link, launch_pdl=link, num_warps=DOWN_WARPS,
    )  # fmt: skip
    return mm_2


def step_7(active, up, down, arg2, mm_2, *, NEURONS=2, ROWS=64, TILES=9, COLUMNS=32, num_warps=4, DOWN_WARPS=8):
    """Tiles of fewer rows than threads, and nine of them on their way at once: a thread loads its own rows' numbers, and no turn waits for another thread."""
    columns, bound, link = arg2.shape[1], active.shape[0], linked(arg2.device)
    between = torch.empty(bound, dtype=torch.float32, device=arg2.device)
    hidden_of_one[(triton.cdiv(bound, NEURONS),)](
        arg2, up, None, active, None, between, columns, up.shape[0], bound,
        arg2.stride(), up.stride(), None, active.stride(0), ACTIVATION="leaky_relu", NEURONS=NEURONS,
        COLUMNS=triton.next_power_of_2(columns), LINKED=link, num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    down_of_one[(triton.cdiv(columns, COLUMNS),)](
        between, down, active, None, mm_2, columns, up.shape[0], bound, active.stride(0), down.stride(),
        NEURONS=ROWS, TILES=TILES, COLUMNS=COLUMNS, LINKED=link, launch_pdl=link, num_warps=DOWN_WARPS,
    )  # fmt: skip
    return mm_2


def layer(x: Tensor, active: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """`sparse_ffn` in eager; with `one_token`'s inputs, `inductor_lab.capture_model(layer, *one_token(), gpu="h200").save(FOLDER)`, their capture."""
    return torch.nn.functional.leaky_relu(x @ up[active].T) @ down[active]


def one_token(*, dim: int = 4096, neurons: int = 11008, active: int = 1101) -> tuple[Tensor, ...]:
    """Of Llama-2 7B's sizes with a tenth of its neurons: x [1, dim], active [active] int64, up and down [neurons, dim], bfloat16."""
    up, down = (torch.randn(neurons, dim, dtype=torch.bfloat16) / dim**0.5 for _ in range(2))
    chosen = torch.randperm(neurons)[:active].sort().values
    return torch.randn(1, dim, dtype=torch.bfloat16), chosen, up, down
