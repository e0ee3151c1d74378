"""What the process that judges and the one that runs the kernel say to each other: JSON, and bytes behind it. Nothing that is received is executed.

What a kernel raises is told as JSON too (`raised`), and in words (`in_words`): what it is, and on which line of its file.
"""

from __future__ import annotations

import json
import linecache
import socket
import struct
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import triton
from triton.runtime.errors import InterpreterError

from inductor_lab.ejected import CHECK_STARTS

LENGTH = struct.Struct(">Q")


class EndedError(Exception):
    """The other process has ended."""


class HangsError(Exception):
    """The process that runs the kernel does not answer."""


class GarbledError(Exception):
    """It sent what is no message."""


def send(channel: socket.socket, head: Mapping[str, Any], parts: Sequence[memoryview] = ()) -> None:
    """One message: its head, and pieces of memory.

    Raises:
        EndedError: the other process has ended.
    """
    text = json.dumps({**head, "parts": [part.nbytes for part in parts]}).encode()
    try:
        channel.sendall(LENGTH.pack(len(text)) + text)
        for part in parts:
            channel.sendall(part)
    except OSError as error:
        raise EndedError from error


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[bytearray]]:
    """The next message.

    Raises:
        EndedError: the other process has ended.
        TimeoutError: it sent nothing for as long as the channel waits.
        GarbledError: it sent something else.
    """
    (length,) = LENGTH.unpack(_exactly(channel, LENGTH.size))
    try:
        head: dict[str, Any] = json.loads(_exactly(channel, length))
        return head, [_exactly(channel, length) for length in head.pop("parts")]
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
        raise GarbledError from error


def answer(channel: socket.socket, doing: str, limit: float) -> tuple[dict[str, Any], list[bytearray]]:
    """The next message of the process that runs the kernel.

    Args:
        doing: What it was asked, for the error.
        limit: Seconds.

    Raises:
        EndedError: it has ended.
        HangsError: it does not answer.
    """
    channel.settimeout(limit)
    try:
        return receive(channel)
    except TimeoutError as error:
        raise HangsError(f"{doing} did not end within {limit:.0f} s") from error
    except GarbledError as error:
        raise HangsError(
            f"{doing} is answered by what is no answer: the file changes how its process speaks"
        ) from error


def _exactly(channel: socket.socket, length: int) -> bytearray:
    held = bytearray(length)
    view, got = memoryview(held), 0
    while got < length:
        try:
            read = channel.recv_into(view[got:])
        except TimeoutError:
            raise
        except OSError as error:
            raise EndedError from error
        if not read:
            raise EndedError
        got += read
    return held


# ------------------------------------------------------------ what a kernel raised


class NotJudged(BaseException):
    """A sentence that begins "not judged here". No `Exception`: neither the interpreter nor a launcher's `except` may make it one of theirs."""


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
