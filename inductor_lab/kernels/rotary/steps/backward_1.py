"""The gradient, which is the rotation with the other sign: the same kernel, where Inductor writes one with six loads of each element and its partner."""

import triton
import triton.language as tl

from inductor_lab.kernels.rotary.kernel import rotate


def launch(grad_out_2, primals_3, primals_2, grad_out_1, add_2, add_3, *, BLOCK=2048, HEADS=8, num_warps=4):
    """Both results are written and returned."""
    batch, heads, tokens, columns = grad_out_2.shape
    token_block = BLOCK // (HEADS * columns)
    groups = triton.cdiv(heads + grad_out_1.shape[1], HEADS)
    rotate[(batch * triton.cdiv(tokens, token_block) * groups,)](
        grad_out_2, grad_out_1, add_2, add_3, primals_2, primals_3, None,
        grad_out_2.stride(), grad_out_1.stride(), add_2.stride(), add_3.stride(), (0, *primals_2.stride()), (0, *primals_3.stride()), None,
        tokens, tokens,
        FIRST_HEADS=heads, SECOND_HEADS=grad_out_1.shape[1], HALF=columns // 2, PADDED=triton.next_power_of_2(columns // 2),
        REST=0, REST_PADDED=1, EACH=True, INTERLEAVED=False, CONJUGATE=True, WIDE=tl.float32, MANY=batch > 1,
        TOKENS=token_block, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return add_2, add_3
