"""What a hand kernel raised, as words: what it is, and on which line of its file."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import triton
from triton.runtime.errors import InterpreterError

from inductor_lab.edited import CHECK_STARTS


def raised(error: BaseException, path: Path) -> dict[str, Any]:
    """An exception that came out of a file's `launch`."""
    line, in_kernel = None, isinstance(error, InterpreterError | triton.CompilationError)
    found: BaseException | None = error
    while found is not None:  # the interpreter's error is on the launcher's line, and its cause on the kernel's
        if isinstance(error, InterpreterError):
            error = found
        for frame, number in traceback.walk_tb(found.__traceback__):
            if frame.f_code.co_filename == str(path):
                line = number
        found = found.__cause__
    if line is not None and line > _own_lines(path):
        line = None  # what builds a .cu file is the same in every file: the message says where in that one
    if isinstance(error, triton.CompilationError) and line is None:
        line = getattr(error.node, "lineno", None)
    text = " ".join(str(error).split())[:300]
    return {
        "type": type(error).__name__,
        "in_kernel": in_kernel,
        "text": text,
        "line": line,
        "code": linecache.getline(str(path), line).strip() if line else "",
    }


def in_words(error: Mapping[str, Any]) -> str:
    """``ValueError: boom, line 47: `raise ValueError('boom')` ``"""
    line = f", line {error['line']}: `{error['code']}`" if error.get("line") else ""
    return ": ".join(filter(None, (error["type"], error["text"]))) + line


def _own_lines(path: Path) -> int:
    """How many lines of a file are above those that are the same in every one."""
    lines = linecache.getlines(str(path))
    return next((number for number, line in enumerate(lines) if line.startswith(CHECK_STARTS)), len(lines))
