"""One token is no matrix: a program keeps whole rows in registers, multiplies them without a tensor core, and adds once, however many neurons it had."""

import torch
import triton

from inductor_lab.kernels.sparse_ffn.kernel import fused


def launch(active, up, down, arg2, mm_2, *, NEURONS=4, PROGRAMS=396, num_warps=8):
    tokens, columns = arg2.shape
    programs = min(PROGRAMS, triton.cdiv(active.shape[0], NEURONS))
    total = torch.zeros(tokens * columns + 1, dtype=torch.float32, device=arg2.device)  # and the ticket behind it
    fused[programs, 1](
        arg2, up, None, down, active, None, total, mm_2, total[tokens * columns :].view(torch.int32),
        tokens, columns, up.shape[0], active.shape[0],
        arg2.stride(), up.stride(), None, down.stride(), active.stride(0),
        ACTIVATION="leaky_relu", ATOMIC=True, ROTATED=False,
        TOKENS=triton.next_power_of_2(tokens), NEURONS=NEURONS, COLUMNS=triton.next_power_of_2(columns),
        num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    return mm_2
