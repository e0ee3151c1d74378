"""One token is no matrix: a program keeps whole rows in registers, multiplies them without a tensor core, and adds once, however many neurons it had."""

import torch
import triton
import triton.language as tl


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


def launch(active, up, down, arg2, mm_2, *, NEURONS=4, PROGRAMS=396, num_warps=8):
    columns, count = arg2.shape[1], active.shape[0]
    total = torch.zeros(columns + 1, dtype=torch.float32, device=arg2.device)  # and the ticket behind it
    fused[(min(PROGRAMS, triton.cdiv(count, NEURONS)),)](
        arg2, up, down, active, total, total[columns:].view(torch.int32), mm_2, columns, up.shape[0], count,
        NEURONS=NEURONS, COLUMNS=triton.next_power_of_2(columns), num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    return mm_2
