"""A program owns whole rows, and a thread both members of a pair: each element is loaded once, not again as its partner's."""

import triton
import triton.language as tl


@triton.jit
def rope(
    query_ptr,  # bf16[tokens, QUERY_HEADS, 2 * HALF]
    key_ptr,  # bf16[tokens, KEY_HEADS, 2 * HALF]
    cos_ptr,  # bf16[tokens, 2 * HALF]
    sin_ptr,
    query_out_ptr,
    key_out_ptr,
    tokens,
    QUERY_HEADS: tl.constexpr,
    KEY_HEADS: tl.constexpr,
    HALF: tl.constexpr,
    ROWS: tl.constexpr,
):
    of_query = tl.cdiv(tokens * QUERY_HEADS, ROWS)
    program = tl.program_id(0)
    if program < of_query:
        rope_of_one(query_ptr, cos_ptr, sin_ptr, query_out_ptr, program, tokens, QUERY_HEADS, HALF, ROWS)
    else:
        rope_of_one(key_ptr, cos_ptr, sin_ptr, key_out_ptr, program - of_query, tokens, KEY_HEADS, HALF, ROWS)


@triton.jit
def rope_of_one(
    x_ptr, cos_ptr, sin_ptr, out_ptr, block, tokens, HEADS: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr
):
    row = block * ROWS + tl.arange(0, ROWS)[:, None]
    inside = row < tokens * HEADS
    pair = tl.arange(0, HALF)[None, :]
    first, second = row * (2 * HALF) + pair, row * (2 * HALF) + HALF + pair
    angle = row // HEADS * (2 * HALF) + pair
    a = tl.load(x_ptr + first, inside).to(tl.float32)
    b = tl.load(x_ptr + second, inside).to(tl.float32)
    cos_a = tl.load(cos_ptr + angle, inside, eviction_policy="evict_last").to(tl.float32)
    sin_a = tl.load(sin_ptr + angle, inside, eviction_policy="evict_last").to(tl.float32)
    cos_b = tl.load(cos_ptr + angle + HALF, inside, eviction_policy="evict_last").to(tl.float32)
    sin_b = tl.load(sin_ptr + angle + HALF, inside, eviction_policy="evict_last").to(tl.float32)
    tl.store(out_ptr + first, a * cos_a - b * sin_a, inside)
    tl.store(out_ptr + second, b * cos_b + a * sin_b, inside)


def launch(query, cos, sin, key, add, add_1, *, ROWS=32, num_warps=4):
    """`add` and `add_1` are written and returned."""
    tokens, columns = cos.shape
    grid = (triton.cdiv(tokens * query.shape[1], ROWS) + triton.cdiv(tokens * key.shape[1], ROWS),)
    rope[grid](
        query, key, cos, sin, add, add_1, tokens,
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], HALF=columns // 2, ROWS=ROWS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1
