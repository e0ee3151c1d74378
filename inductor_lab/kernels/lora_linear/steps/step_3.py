"""All in one launch: the first low-rank product is summed beside the main one, from the same tiles of x, and each tile of the result sums it again."""

import triton
import triton.language as tl


@triton.jit
def alone(
    x_ptr,  # [rows, DEPTH]
    weight_ptr,  # [outputs, DEPTH]
    a_ptr,  # [RANK, DEPTH]
    b_ptr,  # [outputs, RANK]
    bias_ptr,  # [outputs]
    out_ptr,  # [rows, outputs]
    rows,
    outputs,
    DEPTH: tl.constexpr,
    RANK: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    BLOCK_R: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    r, depth = tl.arange(0, BLOCK_R), tl.arange(0, BLOCK_K)
    in_rows, in_outputs = (m < rows)[:, None], (n < outputs)[None, :]
    total, inner = tl.zeros([BLOCK_M, BLOCK_N], tl.float32), tl.zeros([BLOCK_M, BLOCK_R], tl.float32)
    for k in range(0, DEPTH, BLOCK_K):
        left = k + depth < DEPTH
        x = tl.load(x_ptr + m[:, None] * DEPTH + (k + depth)[None, :], in_rows & left[None, :], 0.0)
        weight = tl.load(weight_ptr + n[None, :] * DEPTH + (k + depth)[:, None], in_outputs & left[:, None], 0.0)
        a = tl.load(a_ptr + r[None, :] * DEPTH + (k + depth)[:, None], left[:, None] & (r < RANK)[None, :], 0.0)
        total = tl.dot(x, weight, total)
        inner = tl.dot(x, a, inner)
    b = tl.load(b_ptr + n[None, :] * RANK + r[:, None], in_outputs & (r < RANK)[:, None], 0.0)
    total = tl.dot((0.5 * inner).to(b.dtype), b, total)
    total += tl.load(bias_ptr + n, n < outputs, 0.0).to(tl.float32)[None, :]
    tl.store(out_ptr + m[:, None] * outputs + n[None, :], tl.where(total < 0, 0.0, total), in_rows & in_outputs)


def launch(arg6, addmm, arg5, arg7, arg8, addmm_2, *, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8, num_stages=4):
    (rows, outputs), rank = addmm_2.shape, arg7.shape[0]
    alone[triton.cdiv(rows, BLOCK_M), triton.cdiv(outputs, BLOCK_N)](
        addmm, arg5, arg7, arg8, arg6, addmm_2, rows, outputs, DEPTH=addmm.shape[1],
        RANK=rank, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, BLOCK_R=max(16, triton.next_power_of_2(rank)),
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return addmm_2
