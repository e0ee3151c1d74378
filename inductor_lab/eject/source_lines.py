"""Which line of the user's program each line of a body is from, for a comment beside the statement where it changes.

tmp9 = libdevice.rsqrt(tmp8)      rsqrt = libdevice.rsqrt(total)  # model.py:30
"""

from __future__ import annotations

from pathlib import PurePath

from inductor_lab.bind.names import tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import computation
from inductor_lab.records import Capture, Kernel


def source_lines(kernel: Kernel, capture: Capture) -> dict[int, str]:
    """Line of the body -> `model.py:30`, where that is clear; nothing where all are from one line, which the header says."""
    found = computation(kernel)
    nodes = origins(kernel, capture, found, tensors(kernel, capture, found))
    told = {
        line: f"{PurePath(node.source.file).name}:{node.source.line}" for line, node in nodes.items() if node.source
    }
    return told if len({*told.values()}) > 1 else {}
