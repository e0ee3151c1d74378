"""No row is copied: both products gather what they multiply, and the first one's activation is in its registers. Two launches for four."""

import torch
import triton

from inductor_lab.kernels.sparse_ffn.kernel import hidden, mapped_down


def launch(index, table, table_2, arg2, mm_2, *, TOKENS=64, NEURONS=32, COLUMNS=64, num_warps=4, num_stages=3):
    (tokens, columns), bound = arg2.shape, index.shape[0]
    tiles, padded = triton.cdiv(tokens, TOKENS), triton.cdiv(bound, NEURONS) * NEURONS
    between = torch.empty((tokens, padded), dtype=arg2.dtype, device=arg2.device)
    sizes = {"TOKENS": TOKENS, "NEURONS": NEURONS, "COLUMNS": COLUMNS, "num_warps": num_warps, "num_stages": num_stages}
    hidden[(tiles * triton.cdiv(padded, NEURONS),)](
        arg2, table, None, index, None, between, tokens, columns, table.shape[0], bound, padded,
        arg2.stride(), table.stride(), None, index.stride(0),
        ACTIVATION="leaky_relu", **sizes, debug=True, sanitize_overflow=False,
    )  # fmt: skip
    mapped_down[tiles, triton.cdiv(columns, COLUMNS)](
        between, table_2, index, None, mm_2, tokens, columns, table.shape[0], bound, padded,
        index.stride(0), table_2.stride(), **sizes,
    )  # fmt: skip
    return mm_2
