"""Two launches again, and nothing to clear, add up twice or wait for: a program of the second has its first rows on their way while the first one runs."""

import torch
import triton

from inductor_lab.kernels.sparse_ffn.kernel import down_of_one, hidden_of_one, linked


def launch(active, up, down, arg2, mm_2, *, NEURONS=1, ROWS=512, COLUMNS=32, num_warps=4, DOWN_WARPS=16):
    columns, bound, link = arg2.shape[1], active.shape[0], linked(arg2.device)
    between = torch.empty(bound, dtype=torch.float32, device=arg2.device)
    hidden_of_one[(triton.cdiv(bound, NEURONS),)](
        arg2, up, None, active, None, between, columns, up.shape[0], bound,
        arg2.stride(), up.stride(), None, active.stride(0), ACTIVATION="leaky_relu", NEURONS=NEURONS,
        COLUMNS=triton.next_power_of_2(columns), LINKED=link, num_warps=num_warps, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    down_of_one[(triton.cdiv(columns, COLUMNS),)](
        between, down, active, None, mm_2, columns, up.shape[0], bound, active.stride(0), down.stride(),
        NEURONS=ROWS, COLUMNS=COLUMNS, LINKED=link, launch_pdl=link, num_warps=DOWN_WARPS,
    )  # fmt: skip
    return mm_2
