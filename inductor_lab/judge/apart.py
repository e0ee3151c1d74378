"""What keeps the process that runs a file out of those that judge it: no /proc, no ptrace. Linux has both, and both doors.

`prctl` and `capset` as in prctl(2), capabilities(7); the numbers are those of linux/prctl.h and linux/capability.h.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

SET_DUMPABLE, CAPBSET_DROP, SET_NO_NEW_PRIVS = 4, 24, 38
SYS_PTRACE, SYS_ADMIN = 19, 21
VERSION_3 = 0x20080522


def close() -> None:
    """Nobody but root may look at this process, and at those that it forks: at their memory, or at what they have open."""
    if libc := _libc():
        libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)


def keep_out() -> None:
    """Give up what lets root look at others all the same; no program that is begun here gets it back."""
    libc = _libc()
    if not libc:
        return
    header = (ctypes.c_uint32 * 2)(VERSION_3, 0)
    held = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, twice: 64 bits
    if libc.capget(header, held):
        return
    for capability in (SYS_PTRACE, SYS_ADMIN):
        libc.prctl(CAPBSET_DROP, capability, 0, 0, 0)
        for place in range(3):
            held[place] &= ~(1 << capability) & 0xFFFFFFFF
    libc.capset(header, held)
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _libc() -> Any:
    return ctypes.CDLL(None) if sys.platform == "linux" else None
