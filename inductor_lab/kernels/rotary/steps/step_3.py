"""A tile of tokens, heads and pairs, whose angles are loaded once for all of its heads; but the compiler moves query and key to the angles' threads."""

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
    TOKENS: tl.constexpr,
    HEADS: tl.constexpr,
):
    GROUPS: tl.constexpr = (QUERY_HEADS + KEY_HEADS + HEADS - 1) // HEADS
    token = (tl.program_id(0) // GROUPS * TOKENS + tl.arange(0, TOKENS))[:, None, None]
    head = (tl.program_id(0) % GROUPS * HEADS + tl.arange(0, HEADS))[None, :, None]
    pair = tl.arange(0, HALF)[None, None, :]
    there = token < tokens
    inside = there & (head < QUERY_HEADS + KEY_HEADS)
    of_query = (token * QUERY_HEADS + head) * (2 * HALF)
    of_key = (token * KEY_HEADS + head - QUERY_HEADS) * (2 * HALF)
    x_ptr = tl.where(head < QUERY_HEADS, query_ptr + of_query, key_ptr + of_key)
    out_ptr = tl.where(head < QUERY_HEADS, query_out_ptr + of_query, key_out_ptr + of_key)
    angle = token * (2 * HALF) + pair
    a = tl.load(x_ptr + pair, inside).to(tl.float32)
    b = tl.load(x_ptr + HALF + pair, inside).to(tl.float32)
    cos_a = tl.load(cos_ptr + angle, there).to(tl.float32)
    cos_b = tl.load(cos_ptr + angle + HALF, there).to(tl.float32)
    sin_a = tl.load(sin_ptr + angle, there).to(tl.float32)
    sin_b = tl.load(sin_ptr + angle + HALF, there).to(tl.float32)
    tl.store(out_ptr + pair, a * cos_a - b * sin_a, inside)
    tl.store(out_ptr + HALF + pair, b * cos_b + a * sin_b, inside)


def launch(query, cos, sin, key, add, add_1, *, TOKENS=2, HEADS=8, num_warps=4):
    """`add` and `add_1` are written and returned."""
    tokens, columns = cos.shape
    grid = (triton.cdiv(tokens, TOKENS) * triton.cdiv(query.shape[1] + key.shape[1], HEADS),)
    rope[grid](
        query, key, cos, sin, add, add_1, tokens,
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], HALF=columns // 2, TOKENS=TOKENS, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1
