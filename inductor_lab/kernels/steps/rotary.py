"""Rotary embedding in steps, in the place of what Inductor writes for 32 heads of a query and 8 of a key: two kernels.

The last step is also put where heads are equal and Inductor writes one kernel: alone (`alone_1`), as the gradient (`backward_1`), and on slices of an
attention's projection (`attention_1`).
"""

import triton
import triton.language as tl

from inductor_lab.kernels.rotary.kernel import rotate


@triton.jit
def rope_of_elements(
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
        elements_of_one(query_ptr, cos_ptr, sin_ptr, query_out_ptr, program, query_numel, QUERY_HEADS, COLUMNS, BLOCK)
    else:
        elements_of_one(
            key_ptr, cos_ptr, sin_ptr, key_out_ptr, program - of_query, key_numel, KEY_HEADS, COLUMNS, BLOCK
        )


@triton.jit
def elements_of_one(
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


def step_1(query, cos, sin, key, add, add_1, *, BLOCK=1024, num_warps=4):
    """One launch for both tensors: a program is told by its number whose elements it owns, and else does what Inductor's does."""
    grid = (triton.cdiv(query.numel(), BLOCK) + triton.cdiv(key.numel(), BLOCK),)
    rope_of_elements[grid](
        query, key, cos, sin, add, add_1, query.numel(), key.numel(),
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], COLUMNS=cos.shape[1], BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1


@triton.jit
def rope_of_rows(
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
        rows_of_one(query_ptr, cos_ptr, sin_ptr, query_out_ptr, program, tokens, QUERY_HEADS, HALF, ROWS)
    else:
        rows_of_one(key_ptr, cos_ptr, sin_ptr, key_out_ptr, program - of_query, tokens, KEY_HEADS, HALF, ROWS)


@triton.jit
def rows_of_one(
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


def step_2(query, cos, sin, key, add, add_1, *, ROWS=32, num_warps=4):
    """A program owns whole rows, and a thread both members of a pair: each element is loaded once, not again as its partner's."""
    tokens, columns = cos.shape
    grid = (triton.cdiv(tokens * query.shape[1], ROWS) + triton.cdiv(tokens * key.shape[1], ROWS),)
    rope_of_rows[grid](
        query, key, cos, sin, add, add_1, tokens,
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], HALF=columns // 2, ROWS=ROWS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1


@triton.jit
def rope_of_tiles(
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


def step_3(query, cos, sin, key, add, add_1, *, TOKENS=2, HEADS=8, num_warps=4):
    """A tile of tokens, heads and pairs, whose angles are loaded once for all of its heads; but the compiler moves query and key to the angles' threads."""
    tokens, columns = cos.shape
    grid = (triton.cdiv(tokens, TOKENS) * triton.cdiv(query.shape[1] + key.shape[1], HEADS),)
    rope_of_tiles[grid](
        query, key, cos, sin, add, add_1, tokens,
        QUERY_HEADS=query.shape[1], KEY_HEADS=key.shape[1], HALF=columns // 2, TOKENS=TOKENS, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1


def step_4(query, cos, sin, key, add, add_1, *, TOKENS=1, HEADS=8, num_warps=4):
    """The angles are loaded by all heads of the tile, which one request of a warp has at once: nothing goes through shared memory. It is the kernel."""
    return launch_rotate(query, key, cos, sin, add, add_1, TOKENS, HEADS, num_warps)


def alone_1(arg0, arg1, arg2, arg3, add, add_1, *, BLOCK=2048, HEADS=8, num_warps=4):
    """The kernel where query and key have as many heads, and Inductor writes one."""
    return launch_rotate(arg0, arg3, arg1, arg2, add, add_1, BLOCK // (HEADS * arg0.shape[3]), HEADS, num_warps)


def attention_1(mm, arg2, arg3, out, out_2, *, BLOCK=2048, HEADS=8, num_warps=4):
    """Query and key are slices of the projection that the attention begins with, read where they lie: their strides are the projection's."""
    batch, heads, tokens, columns = out.shape
    projected = mm.view(batch, tokens, -1, columns).transpose(1, 2)
    query, key = projected[:, :heads], projected[:, heads : 2 * heads]
    return launch_rotate(query, key, arg2, arg3, out, out_2, BLOCK // (HEADS * columns), HEADS, num_warps)


def backward_1(grad_out_2, primals_3, primals_2, grad_out_1, add_2, add_3, *, BLOCK=2048, HEADS=8, num_warps=4):
    """The gradient, which is the rotation with the other sign: the same kernel, where Inductor writes one with six loads of each element and its partner."""
    tokens = BLOCK // (HEADS * grad_out_2.shape[3])
    return launch_rotate(
        grad_out_2, grad_out_1, primals_2, primals_3, add_2, add_3, tokens, HEADS, num_warps, CONJUGATE=True
    )


def launch_rotate(query, key, cos, sin, query_out, key_out, TOKENS, HEADS, num_warps, CONJUGATE=False):
    """Both results are written and returned."""
    batch, heads, tokens, columns = query.shape
    groups = triton.cdiv(heads + key.shape[1], HEADS)
    rotate[(batch * triton.cdiv(tokens, TOKENS) * groups,)](
        query, key, query_out, key_out, cos, sin, None,
        query.stride(), key.stride(), query_out.stride(), key_out.stride(), (0, *cos.stride()), (0, *sin.stride()), None,
        tokens, tokens,
        FIRST_HEADS=heads, SECOND_HEADS=key.shape[1], HALF=columns // 2, PADDED=triton.next_power_of_2(columns // 2),
        REST=0, REST_PADDED=1, EACH=True, INTERLEAVED=False, CONJUGATE=CONJUGATE, WIDE=tl.float32, MANY=batch > 1,
        TOKENS=TOKENS, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return query_out, key_out
