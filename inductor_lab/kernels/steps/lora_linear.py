"""The second layer of `lora_mlp`, [4096, 1024] x [1024, 1024] of rank 8 with ReLU: three library calls and a kernel, then ever fewer launches."""

import torch
import triton
import triton.language as tl

from inductor_lab.kernels.lora_linear.kernel import first_product, multiply


@triton.jit
def add_low_rank(
    out_ptr,  # [rows, outputs]: the base product and the bias; overwritten
    s_ptr,  # [rows, RANK]
    b_ptr,  # [outputs, RANK]
    rows,
    outputs,
    RANK: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_R: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    r = tl.arange(0, BLOCK_R)
    s = tl.load(s_ptr + m[:, None] * RANK + r[None, :], (m < rows)[:, None] & (r < RANK)[None, :], 0.0)
    b = tl.load(b_ptr + n[None, :] * RANK + r[:, None], (n < outputs)[None, :] & (r < RANK)[:, None], 0.0)
    inside = (m < rows)[:, None] & (n < outputs)[None, :]
    out_ptr += m[:, None] * outputs + n[None, :]
    total = tl.load(out_ptr, inside, 0.0).to(tl.float32) + 0.5 * tl.dot(s, b)
    tl.store(out_ptr, tl.where(total < 0, 0.0, total), inside)


def step_1(arg6, addmm, arg5, arg7, arg8, addmm_2, *, BLOCK_M=64, BLOCK_N=128, num_warps=4):
    """The kernel behind the library's calls makes the second low-rank product itself: its [rows, outputs] are neither written nor read."""
    torch.addmm(arg6, addmm, arg5.t(), out=addmm_2)
    s = torch.mm(addmm, arg7.t())
    (rows, outputs), rank = addmm_2.shape, s.shape[1]
    add_low_rank[triton.cdiv(rows, BLOCK_M), triton.cdiv(outputs, BLOCK_N)](
        addmm_2, s, arg8, rows, outputs,
        RANK=rank, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_R=max(16, triton.next_power_of_2(rank)), num_warps=num_warps,
    )  # fmt: skip
    return addmm_2


@triton.jit
def seeded(
    x_ptr,  # [rows, DEPTH]
    weight_ptr,  # [outputs, DEPTH]
    s_ptr,  # [rows, RANK]
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
    s = tl.load(s_ptr + m[:, None] * RANK + r[None, :], in_rows & (r < RANK)[None, :], 0.0)
    b = tl.load(b_ptr + n[None, :] * RANK + r[:, None], in_outputs & (r < RANK)[:, None], 0.0)
    total = 0.5 * tl.dot(s, b)
    for k in range(0, DEPTH, BLOCK_K):
        left = k + depth < DEPTH
        x = tl.load(x_ptr + m[:, None] * DEPTH + (k + depth)[None, :], in_rows & left[None, :], 0.0)
        weight = tl.load(weight_ptr + n[None, :] * DEPTH + (k + depth)[:, None], in_outputs & left[:, None], 0.0)
        total = tl.dot(x, weight, total)
    total += tl.load(bias_ptr + n, n < outputs, 0.0).to(tl.float32)[None, :]
    tl.store(out_ptr + m[:, None] * outputs + n[None, :], tl.where(total < 0, 0.0, total), in_rows & in_outputs)


def step_2(arg6, addmm, arg5, arg7, arg8, addmm_2, *, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8, num_stages=4):
    """The base product too: a sum begins with what the low-rank product gives, bias and ReLU stand at its end, and the result is written once."""
    s = torch.mm(addmm, arg7.t())
    (rows, outputs), rank = addmm_2.shape, s.shape[1]
    seeded[triton.cdiv(rows, BLOCK_M), triton.cdiv(outputs, BLOCK_N)](
        addmm, arg5, s, arg8, arg6, addmm_2, rows, outputs, DEPTH=addmm.shape[1],
        RANK=rank, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, BLOCK_R=max(16, triton.next_power_of_2(rank)),
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return addmm_2


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


def step_3(arg6, addmm, arg5, arg7, arg8, addmm_2, *, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8, num_stages=4):
    """All in one launch: the first low-rank product is summed beside the main one, from the same tiles of x, and each tile of the result sums it again."""
    (rows, outputs), rank = addmm_2.shape, arg7.shape[0]
    alone[triton.cdiv(rows, BLOCK_M), triton.cdiv(outputs, BLOCK_N)](
        addmm, arg5, arg7, arg8, arg6, addmm_2, rows, outputs, DEPTH=addmm.shape[1],
        RANK=rank, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, BLOCK_R=max(16, triton.next_power_of_2(rank)),
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return addmm_2


def step_4(arg6, addmm, arg5, arg7, arg8, addmm_2, *, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=4, num_stages=3):
    """s by a kernel of its own again: the main one begins beside it, reads by tensor descriptors, and waits for s behind its loop alone."""
    sizes = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K, "TURNED": 0}
    how = sizes | {"num_warps": num_warps, "num_stages": num_stages}
    s = first_product(addmm, arg7.t(), scale=0.5, precision="ieee")
    multiply(addmm, arg5, s, arg8, addmm_2, bias=arg6, activation="relu", early=True, configuration=how)
    return addmm_2
