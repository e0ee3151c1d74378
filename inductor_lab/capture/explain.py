"""Why a run wrote no kernel: the log and the fingerprint read for one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inductor_lab.read.artifacts import LOGGED

WRITTEN = tuple(heading.strip() for heading in LOGGED["output_code"].starts)
"""What the line before a module ends with, in Python and in C++."""

OURS = "[inductor_lab] error: "
FAILED = "could not be generated"
"""What a problem says that leaves kernels out; the others are of a program that was captured."""


def why_nothing(log: Path, status: int, fingerprint: Mapping[str, Any], *, virtual: bool) -> str:
    """One sentence that says why, with the way out."""
    found = _scan(log)
    if found.ours:
        return found.ours
    if status != 0:
        # A killed process was writing about something else; what left with a status may have said why in any words.
        said = found.last or (found.said if status > 0 else "") or "it said nothing"
        return f"The program {how_it_ended(status)} before Inductor wrote a kernel: {said}{_hint(said, virtual)}"
    if found.failure:
        return f"Inductor wrote no kernel: {found.failure}"
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
    """The last line in which the program named an error; empty where none looks like one."""
    return _scan(log).last


def how_it_ended(status: int) -> str:
    """Of a process's status that is not 0."""
    return f"was killed by signal {-status}" if status < 0 else f"ended with exit status {status}"


class _Found:
    ours = ""
    failure = ""
    last = ""
    said = ""
    cpp = 0
    graphs = 0


LOGGED = re.compile(r"^[VIWEC]\d{4} \d\d:\d\d:\d\d")
NOISE = ("Set TORCHDYNAMO_VERBOSE=1", "For even more developer context")
RANK = r"(\[rank\d+\]: )?"
ERROR = re.compile(rf"^{RANK}(\w+\.)*\w*(Error|Exception|Interrupt|Exit|Failed|Unsupported)\b|^Fatal Python error")


def _scan(log: Path) -> _Found:
    found = _Found()
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.strip()
            found.cpp += "async_compile.cpp" in text and " = async_compile.cpp" in text
            found.graphs += text.endswith(WRITTEN)
            if text.startswith(OURS):
                found.ours = text.removeprefix(OURS)
            elif text.startswith("[inductor_lab] problem: "):
                if FAILED in text:
                    found.failure = text.removeprefix("[inductor_lab] problem: ")
            elif text and not LOGGED.match(text) and not text.startswith(NOISE):
                found.said = text[:300]
                if ERROR.match(text):
                    found.last = text[:300]
    return found


def _hint(error: str, virtual: bool) -> str:
    missing = re.search(r"No module named '(torch|triton)'", error)
    if missing:
        return f"; install it where the program runs: pip install {missing[1]}."
    if virtual and ("c10d" in error or "ProcessGroup" in error):
        return "; torch.distributed has no collectives on a virtual GPU: capture one process without them."
    if virtual and re.search("CUDA|NVIDIA driver|libcuda|nvidia-smi", error):
        return "; the virtual GPU has no answer for this: leave it out of the program, or capture where a card is."
    return ""
