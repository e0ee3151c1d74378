"""Programs that reach their additions together begin at different columns: whether they wait for each other is told by what this gains."""

import triton

from inductor_lab.kernels.sparse_ffn.steps.step_2 import ffn


def launch(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=16, COLUMNS=64, num_warps=4, num_stages=3):
    (tokens, columns), active = arg2.shape, index.shape[0]
    mm_2.zero_()
    ffn[triton.cdiv(active, NEURONS), triton.cdiv(tokens, TOKENS)](
        arg2, table, table_2, index, mm_2, tokens, columns, table.shape[0], active, ATOMIC=True, ROTATED=1,
        TOKENS=TOKENS, NEURONS=NEURONS, COLUMNS=COLUMNS, num_warps=num_warps, num_stages=num_stages, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    return mm_2
