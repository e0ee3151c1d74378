"""A process that is ended, at a chosen line of Python or as a user ends it: what is it that is left?"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any


def killed_at(line: int, run: Callable[[], object], within: str = "") -> None:
    """Run in this process, a fork, and end it by SIGKILL at the line of that number; with 1 where `run` raises, else with 0.

    Args:
        within: The name of the file whose lines are counted; those of all files without.
    """
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if within and Path(frame.f_code.co_filename).name != within:
            return None
        if event == "line":
            count += 1
            if count == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    status = 1
    try:
        sys.settrace(trace)
        run()
        sys.settrace(None)
        status = 0
    finally:
        os._exit(status)


def processes() -> list[int]:
    """Those that work in the directory, but this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == os.getcwd() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def nothing_is_left(seconds: float) -> bool:
    """Whether that comes true; how soon it does is the machine's affair."""
    end = time.monotonic() + seconds
    while processes() and time.monotonic() < end:
        time.sleep(0.05)
    return not processes() and not list(Path("kept_nowhere").glob("inductor-lab-*"))
