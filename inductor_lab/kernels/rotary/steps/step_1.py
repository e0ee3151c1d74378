"""One launch for both tensors: a program is told by its number whose elements it owns, and else does what Inductor's does."""

import triton
import triton.language as tl


@triton.jit
def rope(
    query_ptr,  # bf16[tokens, QUERY_HEADS, COLUMNS]
    key_ptr,  # bf16[tokens, KEY_HEADS, COLUMNS]
    cos_ptr,  # bf16[tokens, COLUMNS]
    sin_ptr,
    query_out_ptr,
    key_out_ptr,
    query_numel,
    key_numel,
    QUERY_HEADS: tl.constexpr,
    KEY_HEADS: tl.constexpr,
    COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    of_query = tl.cdiv(query_numel, BLOCK)
    program = tl.program_id(0)
    if program < of_query:
        rope_of_one(query_ptr, cos_ptr, sin_ptr, query_out_ptr, program, query_numel, QUERY_HEADS, COLUMNS, BLOCK)
    else:
        rope_of_one(key_ptr, cos_ptr, sin_ptr, key_out_ptr, program - of_query, key_numel, KEY_HEADS, COLUMNS, BLOCK)


@triton.jit
def rope_of_one(
    x_ptr, cos_ptr, sin_ptr, out_ptr, block, numel, HEADS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr
):
    offset = block * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    column = offset % COLUMNS
    element = column + offset // (HEADS * COLUMNS) * COLUMNS
    below = column < COLUMNS // 2
    partner = offset + tl.where(below, COLUMNS // 2, -(COLUMNS // 2))
    x = tl.load(x_ptr + offset, inside).to(tl.float32)
    cos = tl.load(cos_ptr + element, inside, eviction_policy="evict_last").to(tl.float32)
    sin = tl.load(sin_ptr + element, inside, eviction_policy="evict_last").to(tl.float32)
    other = tl.load(x_ptr + partner, inside, eviction_policy="evict_last").to(tl.float32)
    tl.store(out_ptr + offset, x * cos + tl.where(below, -other, other) * sin, inside)


def launch(query, cos, sin, key, add, add_1, *, BLOCK=1024, num_warps=4):
    """`add` and `add_1` are written and returned."""
    grid = (triton.cdiv(query.numel(), BLOCK) + triton.cdiv(key.numel(), BLOCK),)
    rope[grid](
        query, key, cos, sin, add, add_1, query.numel(), key.numel(),
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], COLUMNS=cos.shape[1], BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1
