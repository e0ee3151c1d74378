"""Query and key are slices of the projection that the attention begins with, read where they lie: their strides are the projection's."""

import triton
import triton.language as tl

from inductor_lab.kernels.rotary.kernel import rotate


def launch(mm, arg2, arg3, out, out_2, *, BLOCK=2048, HEADS=8, num_warps=4):
    """Both results are written and returned."""
    batch, heads, tokens, columns = out.shape
    query = mm.view(batch, tokens, -1, columns).transpose(1, 2)[:, :heads]
    key = mm.view(batch, tokens, -1, columns).transpose(1, 2)[:, heads : 2 * heads]
    token_block = BLOCK // (HEADS * columns)
    groups = triton.cdiv(2 * heads, HEADS)
    rotate[(batch * triton.cdiv(tokens, token_block) * groups,)](
        query, key, out, out_2, arg2, arg3, None,
        query.stride(), key.stride(), out.stride(), out_2.stride(), (0, *arg2.stride()), (0, *arg3.stride()), None,
        tokens, tokens,
        FIRST_HEADS=heads, SECOND_HEADS=heads, HALF=columns // 2, PADDED=triton.next_power_of_2(columns // 2),
        REST=0, REST_PADDED=1, EACH=True, INTERLEAVED=False, CONJUGATE=False, WIDE=tl.float32, MANY=batch > 1,
        TOKENS=token_block, HEADS=HEADS, num_warps=num_warps,
    )  # fmt: skip
    return out, out_2
