"""Memory that the interpreter drops is used for the next tensor: giving it back and asking anew took a quarter of a judgement.

Each operation on a block of millions of lanes makes an array, and glibc maps what is larger than 32 MiB apart, page by page, each time.
mallopt(3) has the parameters, their numbers are those of malloc.h; where libc is another, nothing changes.
"""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_MAX = -1, -4
KEPT = 1 << 28
"""Bytes that may lie free."""


def reuse() -> None:
    """In this process, and in those that it forks."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(MMAP_MAX, 0)
        libc.mallopt(TRIM_THRESHOLD, KEPT)
