"""Who asks: the Python frames above a function that the judge put in another's place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import torch
import triton

TORCH, TRITON = (str(Path(module.__file__).parent) for module in (torch, triton))
PRINTER = str(Path(TORCH) / "_tensor_str.py")
JUDGE = str(Path(__file__).parent)
WATCH = {str(Path(JUDGE) / name) for name in ("frames.py", "honesty.py", "doors.py")}


def asked_by() -> FrameType | None:
    """The nearest caller that is neither torch's nor of the watch itself."""
    return next((frame for frame in callers() if not of_torch(frame)), None)


def callers() -> Iterator[FrameType]:
    """The callers, the nearest first, from outside of the watch (`honesty.py`, `doors.py`, this file)."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename not in WATCH:
            yield frame
        frame = frame.f_back


def of_torch(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(TORCH)


def of_triton(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(TRITON)


def of_the_judge(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(JUDGE)


def prints() -> bool:
    """Whether a tensor is being shown as text."""
    return any(frame.f_code.co_filename == PRINTER for frame in callers())
