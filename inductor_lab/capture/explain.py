"""Why a run wrote no kernel: the log and the fingerprint read for one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OURS = "[inductor_lab] error: "


def why_nothing(log: Path, status: int, fingerprint: Mapping[str, Any], *, virtual: bool) -> str:
    """One sentence that says why, with the way out."""
    found = _scan(log)
    if found.ours:
        return found.ours
    if status != 0:
        how = f"was killed by signal {-status}" if status < 0 else f"failed with exit status {status}"
        said = found.last or "it said nothing"
        return f"The program {how} before Inductor wrote a kernel: {said}{_hint(said, virtual)}"
    if found.problem:
        return f"Inductor wrote no kernel: {found.problem}"
    if found.cpp:
        return (
            f"Inductor compiled {found.cpp} kernels for the CPU only; move the model to the GPU, "
            "or capture for a virtual one with --gpu h200."
        )
    if found.graphs:
        return f"Inductor compiled {found.graphs} graph(s) and wrote no kernel: every operation went to a library."
    if not fingerprint:
        return "The program never imported torch; capture runs Python programs that call torch.compile."
    if not fingerprint.get("frames"):
        return (
            "The program never ran anything under torch.compile; wrap the model, model = torch.compile(model), "
            "and call it (TORCH_COMPILE_DISABLE must not be set)."
        )
    if not fingerprint.get("inductor"):
        return "torch.compile was used with a backend other than inductor; leave out backend=."
    if breaks := fingerprint.get("graph_breaks"):
        reason = breaks[0].splitlines()[0]
        return f"Graph breaks left nothing to compile ({reason}); TORCH_LOGS=graph_breaks shows each."
    return "torch.compile ran, yet no output code reached the log; does the program set torch._logging or TORCH_LOGS?"


def last_error(log: Path) -> str:
    """The last line of the program's own words."""
    return _scan(log).last


class _Found:
    ours = ""
    problem = ""
    last = ""
    cpp = 0
    graphs = 0


LOGGED = re.compile(r"^[VIWEC]\d{4} \d\d:\d\d:\d\d")
NOISE = ("Set TORCHDYNAMO_VERBOSE=1", "For even more developer context")
ERROR = re.compile(r"^(\w+\.)*\w*(Error|Exception|Interrupt|Exit|Failed|Unsupported)\b")


def _scan(log: Path) -> _Found:
    found = _Found()
    said = ""
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.strip()
            found.cpp += "async_compile.cpp" in text and " = async_compile.cpp" in text
            found.graphs += text.endswith("Output code:")
            if text.startswith(OURS):
                found.ours = text.removeprefix(OURS)
            elif text.startswith("[inductor_lab] problem: "):
                found.problem = text.removeprefix("[inductor_lab] problem: ")
            elif text and not LOGGED.match(text) and not text.startswith(NOISE):
                said = text
                if ERROR.match(text):
                    found.last = text
    found.last = (found.last or said)[:300]
    return found


def _hint(error: str, virtual: bool) -> str:
    missing = re.search(r"No module named '(torch|triton)'", error)
    if missing:
        return f"; install it where the program runs: pip install {missing[1]}."
    if virtual and ("CUDA" in error or "NVIDIA driver" in error):
        return "; for a virtual GPU the program runs on the CPU: let it choose its device by torch.cuda.is_available()."
    return ""
