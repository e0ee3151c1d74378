"""A process that is ended at a chosen line of Python: what is it that is left?"""

from __future__ import annotations

import os
import signal
import sys
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
