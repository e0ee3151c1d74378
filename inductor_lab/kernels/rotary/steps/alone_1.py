"""The kernel where query and key have as many heads, and Inductor writes one."""

import triton
import triton.language as tl

from inductor_lab.kernels.rotary.kernel import rotate


def launch(arg0, arg1, arg2, arg3, add, add_1, *, BLOCK=2048, HEADS=8, num_warps=4):
    """Both results are written and returned."""
    batch, heads, tokens, columns = arg0.shape
    token_block = BLOCK // (HEADS * columns)
    groups = triton.cdiv(heads + arg3.shape[1], HEADS)
    rotate[(batch * triton.cdiv(tokens, token_block) * groups,)](
        arg0, arg3, add, add_1, arg1, arg2, None,
        arg0.stride(), arg3.stride(), add.stride(), add_1.stride(), (0, *arg1.stride()), (0, *arg2.stride()), None,
        tokens, tokens,
        FIRST_HEADS=heads, SECOND_HEADS=arg3.shape[1], HALF=columns // 2, PADDED=triton.next_power_of_2(columns // 2),
        REST=0, REST_PADDED=1, EACH=True, INTERLEAVED=False, CONJUGATE=False, WIDE=tl.float32, MANY=batch > 1,
        TOKENS=token_block, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return add, add_1
