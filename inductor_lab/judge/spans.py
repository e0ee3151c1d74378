"""What a span's file may do that a single kernel's may not: call the library as the captured steps do, copy, launch kernels in turn.

{"call": "extern_kernels.addmm"} in ORIGIN["span"]      its launcher may call aten.addmm, and aten.mm, a part of that
"""

from __future__ import annotations

import re
from typing import Any

from inductor_lab.ejected import is_span

SEVERAL = "its launches read what the ones before them wrote"
"""Why some programs of a span say nothing."""
PARTS = {
    "addmm": ("mm",),
    "bias_addmm": ("addmm", "mm"),
    "baddbmm": ("bmm",),
    "_mm_plus_mm": ("addmm", "mm"),
}
"""What a library call is made of: an edit may do the rest in a kernel of its own."""
WRAPPERS = re.compile(r"^(torch\.ops\.)?(aten|extern_kernels)\.")


def library(file: Any) -> list[str] | None:
    """Operators that a span's launcher may call, as their schemas name them; None of a kernel's, which computes by itself."""
    if not is_span(file):
        return None
    named = [operator(step["call"]) for step in file.ORIGIN["span"] if "call" in step]
    return sorted({name for call in named for name in (call, *PARTS.get(call, ()))})


def operator(call: str) -> str:
    """`extern_kernels.mm` -> `mm`, `torch.ops.aten.sort.stable` -> `sort`, `torch.ops.mine.op.default` -> `mine::op`."""
    own = WRAPPERS.sub("", call)
    space, name, *_ = own.removeprefix("torch.ops.").split(".") if own.startswith("torch.ops.") else ("", own)
    return in_place_too(f"{space}::{name}" if space else name.partition(".")[0])


def in_place_too(name: str) -> str:
    """`addmm_` -> `addmm`: what an operator computes, wherever it leaves it."""
    return name.rstrip("_")
