"""Messages between the process that judges and the one that runs the kernel: JSON, and bytes behind it. Nothing that is received is executed."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LENGTH = struct.Struct(">Q")


class ClosedError(Exception):
    """The other process has ended."""


class GarbledError(Exception):
    """It sent what is no message."""


def send(channel: socket.socket, head: Mapping[str, Any], parts: Sequence[memoryview] = ()) -> None:
    """One message: its head, and pieces of memory.

    Raises:
        ClosedError: the other process has ended.
    """
    text = json.dumps({**head, "parts": [part.nbytes for part in parts]}).encode()
    try:
        channel.sendall(LENGTH.pack(len(text)) + text)
        for part in parts:
            channel.sendall(part)
    except OSError as error:
        raise ClosedError from error


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[bytearray]]:
    """The next message.

    Raises:
        ClosedError: the other process has ended.
        TimeoutError: it sent nothing for as long as the channel waits.
        GarbledError: it sent something else.
    """
    (length,) = LENGTH.unpack(_exactly(channel, LENGTH.size))
    try:
        head: dict[str, Any] = json.loads(_exactly(channel, length))
        return head, [_exactly(channel, length) for length in head.pop("parts")]
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
        raise GarbledError from error


def _exactly(channel: socket.socket, length: int) -> bytearray:
    held = bytearray(length)
    view, got = memoryview(held), 0
    while got < length:
        try:
            read = channel.recv_into(view[got:])
        except TimeoutError:
            raise
        except OSError as error:
            raise ClosedError from error
        if not read:
            raise ClosedError
        got += read
    return held
