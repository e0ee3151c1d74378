"""The comment that the wrapper writes above each launch: source nodes, ATen operators and, with provenance on, the debug handle.

# Topologically Sorted Source Nodes: [sigmoid_1, x_3], Original ATen: [aten.sigmoid, aten.mul]
# [Provenance debug handles] triton_poi_fused_mul_sigmoid_1:5
raw_stream0 = get_raw_stream(0)
triton_poi_fused_mul_sigmoid_1.run(buf3, buf4, 16384, stream=raw_stream0)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inductor_lab.read.provenance import HEAD, listed

_HANDLE = re.compile(r"(?:#|//) ?\[Provenance debug handles\] (?P<name>\S+):(?P<handle>\d{1,9})$")
_OTHER_CALL = re.compile(r"\.run\(|extern_kernels\.|torch\.ops\.|^(?:def|return|for|while|if) ")
_ABOVE = 12
"""Lines between a launch and its comment, at most: the stream, sizes that it computes."""


@dataclass(frozen=True)
class Mark:
    """The comment above one launch."""

    key: str = ""
    """The kernel's name in Inductor's mapping; a multi-kernel has its own."""
    handle: int | None = None
    source_nodes: tuple[str, ...] | None = None
    aten: tuple[str, ...] = ()


def mark_above(lines: Sequence[str], line: int) -> Mark:
    """The comment above the launch in this line (1-based); an empty mark where there is none before another call."""
    head: re.Match[str] | None = None
    handle: re.Match[str] | None = None
    for text in _upwards(lines, line):
        if text.startswith(("#", "//")):
            handle = handle or _HANDLE.match(text)
            head = head or HEAD.match(text)
        elif head or handle or _OTHER_CALL.search(text):
            break
    return Mark(
        handle["name"] if handle else "",
        int(handle["handle"]) if handle else None,
        listed(head["nodes"]) if head else None,
        listed(head["aten"] or "") if head else (),
    )


def _upwards(lines: Sequence[str], line: int) -> Iterator[str]:
    start = min(line, len(lines)) - 2
    for number in range(start, max(start - _ABOVE, -1), -1):
        yield lines[number].strip()
