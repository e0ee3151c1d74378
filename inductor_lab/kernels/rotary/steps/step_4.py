"""The angles are loaded by all heads of the tile, which one request of a warp has at once: nothing goes through shared memory. It is the kernel."""

import triton
import triton.language as tl

from inductor_lab.kernels.rotary.kernel import rotate


def launch(query, cos, sin, key, add, add_1, *, TOKENS=1, HEADS=8, num_warps=4):
    """Both results are written and returned."""
    batch, heads, tokens, columns = query.shape
    groups = triton.cdiv(heads + key.shape[1], HEADS)
    rotate[(batch * triton.cdiv(tokens, TOKENS) * groups,)](
        query, key, add, add_1, cos, sin, None,
        query.stride(), key.stride(), add.stride(), add_1.stride(), (0, *cos.stride()), (0, *sin.stride()), None,
        tokens, tokens,
        FIRST_HEADS=heads, SECOND_HEADS=key.shape[1], HALF=columns // 2, PADDED=triton.next_power_of_2(columns // 2),
        REST=0, REST_PADDED=1, EACH=True, INTERLEAVED=False, CONJUGATE=False, WIDE=tl.float32, MANY=batch > 1,
        TOKENS=TOKENS, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1
