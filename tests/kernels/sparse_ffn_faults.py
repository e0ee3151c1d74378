"""The faults of the sparse layer that the seed had, planted in an ejected file, which `verify` must fail; the tests and notebook 08 plant them."""

from __future__ import annotations

import re
from pathlib import Path

import torch

import inductor_lab
from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.kernels.steps import EDITED, END
from inductor_lab.kernels.steps.sparse_ffn import layer, one_token
from inductor_lab.spans import addressed

RIGHT = """
@triton.jit
def ffn(
    x_ptr, up_ptr, down_ptr, active_ptr, total_ptr, tokens, columns, neurons, active, x_stride, total_stride,
    TOKENS: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr,
):
    place = tl.program_id(0) * NEURONS + tl.arange(0, NEURONS)
    row = tl.load(active_ptr + place, place < active, other=0)
    row = tl.where(row < 0, row + neurons, row)[:, None] * columns
    token = (tl.program_id(1) * TOKENS + tl.arange(0, TOKENS))[:, None]
    hidden = tl.zeros([TOKENS, NEURONS], tl.float32)
    for start in range(0, columns, COLUMNS):
        column = (start + tl.arange(0, COLUMNS))[None, :]
        x = tl.load(x_ptr + token * x_stride + column, (token < tokens) & (column < columns), other=0)
        up = tl.load(up_ptr + row + column, (place < active)[:, None] & (column < columns), other=0)
        hidden = tl.dot(x, tl.trans(up), hidden)
    hidden = hidden.to(x_ptr.dtype.element_ty)
    hidden = tl.where(hidden > 0, hidden, hidden * 0.01)
    for start in range(0, columns, COLUMNS):
        column = (start + tl.arange(0, COLUMNS))[None, :]
        down = tl.load(down_ptr + row + column, (place < active)[:, None] & (column < columns), other=0)
        part = tl.dot(hidden, down)
        tl.atomic_add(total_ptr + token * total_stride + column, part, (token < tokens) & (column < columns))


CHOSEN = {}


def launch(active, up, down, arg7, mm_2, *, NEURONS=16):
    (tokens, columns), count, neurons = arg7.shape, active.shape[0], up.shape[0]
    total = torch.empty((tokens, columns), dtype=torch.float32, device=arg7.device)
    for tried in (NEURONS, 2 * NEURONS):  # as a tuner does, each on the same result
        total.zero_()
        programs = triton.cdiv(count, tried)
        ffn[programs, triton.cdiv(tokens, 16)](
            arg7, up, down, active, total, tokens, columns, neurons, count, arg7.stride(0), total.stride(0),
            TOKENS=16, NEURONS=tried, COLUMNS=32,
        )
    mm_2.copy_(total)
    return mm_2
"""
"""The layer as one kernel with atomic additions, tried under two blocks in the call."""
FAULTS = {
    "right": ("", ""),
    "the result is not cleared before each block that is tried": ("        total.zero_()\n", ""),
    "the grid is kept by a key that has no number of active neurons": (
        "programs = triton.cdiv(count, tried)",
        "programs = CHOSEN.setdefault((tokens, columns, neurons, tried), triton.cdiv(count, tried))",
    ),
    "a product of float32 and float16": ("    hidden = hidden.to(x_ptr.dtype.element_ty)\n", ""),
    "the result's rows lie as the input's": ("arg7.stride(0), total.stride(0)", "arg7.stride(0), arg7.stride(0)"),
}


def around(folder: Path, *, dim: int = 64, neurons: int = 96, active: int = 24, other: int = 77) -> tuple[str, str]:
    """What stands before and behind the edited part: of four tokens, parts of longer rows, judged for `other` active neurons too."""
    _, chosen, up, down = one_token(dim=dim, neurons=neurons, active=active)
    given = torch.randn(4, 2 * dim).half()[:, :dim], chosen, up.half(), down.half()
    inductor_lab.capture_model(layer, *given, gpu="h200", dynamic=True, name="layer").save(folder / "layer")
    found = store.load(folder / "layer")
    text = eject(found, addressed(found, "0_inference:0-3"), file="layer.py")
    sizes = re.search(r"^SIZES = (\{.*?\})", text, re.MULTILINE)
    if sizes is None or sizes[1].count(f": {active}") != 1:
        raise ValueError(f"the ejected layer has no size that is {active} alone")
    others = sizes[1].replace(f": {active}", f": {other}")
    text = re.sub(r"^OTHER_SIZES = .*$", f"OTHER_SIZES = [{others}]", text, flags=re.MULTILINE)
    before, after = EDITED.split(text)
    return before + text[len(before) : -len(after)], END + after.partition(END)[2]


def planted(fault: str, ends: tuple[str, str]) -> str:
    """The text of an ejected file with the layer that has the fault."""
    good, bad = FAULTS[fault]
    if good not in RIGHT:
        raise ValueError(f"nothing in the layer is {good!r}")
    return f"{ends[0]}{RIGHT.replace(good, bad)}\n\n{ends[1]}"
