"""Bytes to lines: decompression, archives, encodings. Everything is streamed, nothing is written to disk, and no line is without a limit."""

from __future__ import annotations

import codecs
import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from inductor_lab.errors import LabError

LINE_LIMIT = 1 << 20
"""Characters of one line. What is longer is cut: no line that Inductor writes is near it."""
_BLOCK = 1 << 18
_BOMB = (1 << 28, 400)
"""Bytes, and how many times the compressed size: beyond both the file is no log. Repeated logs shrink some 30 times."""
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, which PowerShell's `2> run.log` writes
UNREADABLE = (OSError, EOFError, ValueError, zlib.error, tarfile.TarError)
"""What a broken archive raises while it is read; `ValueError` comes from the depths of tarfile."""


class Counted(io.RawIOBase):
    """A raw stream that knows how many bytes were taken from it."""

    def __init__(self, raw: Any) -> None:
        self.read1 = getattr(
            raw, "read1", raw.read
        )  # at most one read below: what stands before a break is not lost with it
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.read1(len(buffer))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


def opened(raw: IO[bytes], name: str) -> Iterator[tuple[str, io.BufferedReader, Counted]]:
    """The plain streams inside a file, each with its name: one, or each member of a tar. Looks at the bytes, not at the suffix.

    Raises:
        LabError: it needs `zstandard`, which is not installed.
    """
    counted = Counted(raw)
    stream: Any = io.BufferedReader(counted, _BLOCK)
    for _ in range(3):  # a gzip of a gzip of a tar, and no deeper
        head = stream.peek(4)[:4]
        if head[:2] == b"\x1f\x8b":
            stream = io.BufferedReader(Counted(gzip.GzipFile(fileobj=stream)), _BLOCK)
        elif head == b"\x28\xb5\x2f\xfd":
            stream = io.BufferedReader(Counted(_zstandard(stream, name)), _BLOCK)
        else:
            break
    if stream.peek(512)[257:262] != b"ustar":
        yield name, stream, counted
        return
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:  # never extracted: a member's name is only shown
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                yield f"{name}!{member.name}", io.BufferedReader(Counted(content), _BLOCK), counted


def _zstandard(stream: IO[bytes], name: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise LabError(
            f"{name} is compressed with zstd: pip install zstandard, or unpack it first with `zstd -d`"
        ) from None
    raw = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(stream, read_across_frames=True)
    return cast(IO[bytes], _Zstandard(raw, zstandard.ZstdError))


class _Zstandard:
    """zstandard's reader, whose errors are its own."""

    def __init__(self, raw: Any, error: type[Exception]) -> None:
        self.raw = raw
        self.error = error

    def read(self, size: int) -> bytes:
        try:
            return bytes(self.raw.read1(size))
        except self.error as error:
            raise OSError(str(error)) from error


def looks_like_text(head: bytes) -> bool:
    """False for what no log is: more than a tenth of control characters or of bytes that are no UTF-8."""
    if head.startswith(_MARKS):
        return True
    text = head.decode("utf-8", "replace")
    strange = sum(1 for c in text if c == "\ufffd" or (c < " " and c not in "\t\n\r\x1b\f\b"))
    return strange * 10 <= len(text)


def lines(stream: io.BufferedReader, counted: Counted) -> Iterator[str]:
    """The lines of a stream, without their ends; a line over `LINE_LIMIT` is cut there. Bytes that are no UTF-8 become U+FFFD.

    Raises:
        OSError: it unpacks to so much more than it is that it can be no log.
    """
    encoding = "utf-16" if stream.peek(2)[:2] in _MARKS else "utf-8-sig"
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), translate=True)
    rest, cut, total = "", False, 0
    # A TextIOWrapper would lose what it has when the archive breaks off.
    while data := stream.read1(_BLOCK):
        total += len(data)
        block = decoder.decode(data)
        if total > _BOMB[0] and total > _BOMB[1] * counted.taken:
            raise OSError(f"it unpacks to more than {_BOMB[1]} times its size; what stands before that was read")
        if "\0" in block:
            block = block.replace("\0", "\ufffd")  # Python's parser takes none
        parts = block.split("\n")
        if cut:  # inside a line that has been given already
            if len(parts) == 1:
                continue
            parts, cut = parts[1:], False
        else:
            parts[0] = rest + parts[0]
        rest = parts.pop()
        yield from parts if max(map(len, parts), default=0) <= LINE_LIMIT else (part[:LINE_LIMIT] for part in parts)
        if len(rest) > LINE_LIMIT:
            yield rest[:LINE_LIMIT]
            rest, cut = "", True
    if rest:
        yield rest
