"""Bytes to the lines that a program wrote: decompression, archives, encodings, and what carried the log and wrapped each line on its way.

Everything is streamed, nothing is written to disk, and no line is without a limit. Carriers are unwrapped, and cut lines joined (`Carried`):

{"log":"V1120 09:28:41 ... TEXT\\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}     Docker's json-file; no \\n: it goes on
2026-01-02T03:04:05.123456789Z stderr P V1120 09:28:41 ... TE                             Kubernetes (CRI); P: it goes on
2026-01-02T03:04:05.123456790Z stderr F XT                                                F: it ends here
{"MESSAGE":"V1120 09:28:41 ... TEXT","_PID":"463"}                                        journalctl -o json, fluentd, Cloud Logging
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
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
UNREADABLE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, tarfile.TarError)
"""What a broken archive raises while it is read; `ValueError` comes from the depths of tarfile."""
_ZIP_ERRORS = (zipfile.BadZipFile, RuntimeError, NotImplementedError)
"""What zipfile raises beside them: a password is a `RuntimeError`."""


class Counted(io.RawIOBase):
    """A raw stream that knows how many bytes were taken from it."""

    def __init__(self, raw: Any) -> None:
        self.read1 = getattr(
            raw, "read1", raw.read
        )  # at most one read below: what stands before a break is not lost with it
        self.taken = 0
        self.given = 0
        """Bytes that came out of it unpacked, all members of an archive together."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.read1(len(buffer))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


def opened(raw: IO[bytes], name: str) -> Iterator[tuple[str, io.BufferedReader[Any], Counted]]:
    """The plain streams inside a file, each with its name: one, or each member of a tar or zip. Looks at the bytes, not at the suffix.

    Raises:
        LabError: it needs `zstandard`, which is not installed, or is a zip that can not be read from its end.
    """
    counted = Counted(raw)
    stream: io.BufferedReader[Any] = io.BufferedReader(counted, _BLOCK)
    if stream.peek(4)[:4] == b"PK\x03\x04":
        yield from _zipped(raw, name)
        return
    stream = _unpacked(stream, name)
    if stream.peek(512)[257:262] != b"ustar":
        yield name, stream, counted
        return
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:  # never extracted: a member's name is only shown
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                inner: io.BufferedReader[Any] = io.BufferedReader(Counted(content), _BLOCK)
                yield f"{name}!{member.name}", _unpacked(inner, member.name), counted


def _unpacked(stream: io.BufferedReader[Any], name: str) -> io.BufferedReader[Any]:
    """What is inside gzip, zstd, bzip2 and xz."""
    for _ in range(3):  # a gzip of a gzip, and no deeper
        head = stream.peek(4)[:4]
        if head[:2] == b"\x1f\x8b":
            stream = io.BufferedReader(Counted(gzip.GzipFile(fileobj=stream)), _BLOCK)
        elif head == b"\x28\xb5\x2f\xfd":
            stream = io.BufferedReader(Counted(_zstandard(stream, name)), _BLOCK)
        elif head == b"\xfd7zX":
            stream = io.BufferedReader(Counted(lzma.LZMAFile(stream)), _BLOCK)  # noqa: SIM115  closed with the stream
        elif head[:3] == b"BZh" and stream.peek(10)[4:10] == b"1AY&SY":
            stream = io.BufferedReader(Counted(bz2.BZ2File(stream)), _BLOCK)
        else:
            break
    return stream


def _zipped(raw: IO[bytes], name: str) -> Iterator[tuple[str, io.BufferedReader[Any], Counted]]:
    if not raw.seekable():
        raise LabError(
            f"{name} is a zip archive, whose contents stand at its end: give the file itself, or unzip it first"
        )
    counted = Counted(raw)
    counted.taken = raw.seek(0, io.SEEK_END)
    try:
        with zipfile.ZipFile(raw) as archive:
            for member in archive.infolist():  # never extracted: a member's name is only shown
                if not member.is_dir():
                    with archive.open(member) as content:
                        inner = io.BufferedReader(Counted(_Guarded(content, _ZIP_ERRORS)), _BLOCK)
                        yield f"{name}!{member.filename}", _unpacked(inner, member.filename), counted
    except _ZIP_ERRORS as error:
        raise OSError(f"the zip archive is broken, or needs a password: {error}") from error


def _zstandard(stream: IO[bytes], name: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise LabError(
            f"{name} is compressed with zstd: pip install zstandard, or unpack it first with `zstd -d`"
        ) from None
    raw = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(stream, read_across_frames=True)
    return cast(IO[bytes], _Guarded(raw, (zstandard.ZstdError,)))


class _Guarded:
    """The reader of an archive whose errors are its own."""

    def __init__(self, raw: Any, errors: tuple[type[Exception], ...]) -> None:
        self.raw = raw
        self.errors = errors

    def read(self, size: int) -> bytes:
        try:
            return bytes(self.raw.read1(size))
        except self.errors as error:
            raise OSError(str(error)) from error


_LOG_NAME = re.compile(
    r"\.(?:log|txt|out|err|stderr|stdout)(?:[.\-_][^/]*)?$|\.(?:7z|rar|lz4|lzma|br|sz|tar|t[gbx]z2?|zip|gz|zst|bz2|xz|z)$",
    re.IGNORECASE,
)


def named_like_a_log(name: str) -> bool:
    """A log or an archive by its name: one that can not be read is a loss, which a picture or a binary is not."""
    return _LOG_NAME.search(name) is not None


def is_archive(head: bytes) -> bool:
    """A tar or a zip, which is not looked into where it stands in another one."""
    return head[257:262] == b"ustar" or head[:4] == b"PK\x03\x04"


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
    rest, cut = "", False
    # A TextIOWrapper would lose what it has when the archive breaks off.
    while data := stream.read1(_BLOCK):
        counted.given += len(data)
        block = decoder.decode(data)
        if counted.given > _BOMB[0] and counted.given > _BOMB[1] * counted.taken:
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


# Carriers


_KUBERNETES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?P<stream>stdout|stderr) (?P<end>[PF])(?: |$)")
_TEXT = ("log", "MESSAGE", "message", "textPayload", "msg", "@message", "line", "body", "text", "content")
"""Keys under which a record of JSON holds the line."""
_WRITER = re.compile(
    r"(?:^|[_.])(?:pod|host|hostname|container|node|instance|machine|rank|pid|task|worker)(?:_?(?:name|id|ip|uid))?$",
    re.IGNORECASE,
)
"""Keys that say who wrote the line: two pods have the same process id."""
_DEEPEST = 3
_STREAMS = ("stdout", "stderr")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Carried:
    """Lines as they stand in the file in, lines as the program wrote them out."""

    def __init__(self) -> None:
        self.begun: dict[str, list[str]] = {}
        """Pieces of lines that go on, by the stream that they were written to."""

    def take(self, line: str) -> str | None:
        """The line that is whole now; None while it goes on."""
        if "\x1b" in line:
            line = _COLOUR.sub("", line)
        first = line[:2]
        writer = ""
        if first == '{"' or line.startswith('{ "'):
            line, stream, ends, writer = _record(line)
        elif first == "20" and (match := _KUBERNETES.match(line)):
            line, stream, ends = line[match.end() :], match["stream"], match["end"] == "F"
        else:
            return line
        stream = f"{stream} {writer}"
        if ends and stream not in self.begun:
            return _signed(line, writer)
        pieces = self.begun.setdefault(stream, [])
        pieces.append(line)
        if not ends and sum(map(len, pieces)) < LINE_LIMIT:
            return None
        del self.begun[stream]
        return _signed("".join(pieces)[:LINE_LIMIT], writer)

    def rest(self) -> Iterator[str]:
        """What never ended."""
        for pieces in self.begun.values():
            yield "".join(pieces)
        self.begun = {}


def _signed(line: str, writer: str) -> str:
    """A line of torch's logging with its writer before it, as a launcher would put it there."""
    return f"{writer}| {line}" if writer and "__" in line else line


def is_record(line: str) -> bool:
    """A record of JSON that holds a line of text."""
    return line.startswith(('{"', '{ "')) and _record(line)[0] != line


def _record(line: str) -> tuple[str, str, bool, str]:
    """The text, the stream, whether the line ends with it, and who wrote it; the line itself where it is no record of a line."""
    if not any(f'"{key}"' in line for key in _TEXT):
        return line, "", True, ""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line, "", True, ""
    inner = record.get("jsonPayload")
    holders = (record, inner) if isinstance(inner, dict) else (record,)
    text = next((one[key] for one in holders for key in _TEXT if isinstance(one.get(key), str)), None)
    if text is None:
        return line, "", True, ""
    stream = record.get("stream")
    goes_on = "log" in record and stream in _STREAMS and not text.endswith("\n")
    return (
        _COLOUR.sub("", text.rstrip("\r\n")),
        stream if stream in _STREAMS else "",
        not goes_on,
        " ".join(_writers(record)),
    )


def _writers(record: dict[str, Any], depth: int = _DEEPEST) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, dict) and depth:
            yield from _writers(value, depth - 1)
        elif isinstance(value, (str, int)) and _WRITER.search(key):
            yield str(value)
