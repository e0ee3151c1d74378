"""Where Inductor's text comes from: files, folders and standard input in, whole messages out, one at a time.

Bytes become lines in `files`, lines become messages in `scanner`. Folders that tools leave behind are gone through here, in any mixture:
TORCH_COMPILE_DEBUG, tlparse, Inductor's cache, a cluster's logs.

torch_compile_debug/run_*/torchinductor/model_*/{output_code.py, fx_graph_transformed.py, ...}     torch/_inductor/debug.py; output_code.cpp of AOTInductor
                                              inductor_provenance_tracking_node_mappings.json      2.8 to 2.13
torch_compile_debug/tlparse/dedicated_log_torch_trace_*.log                                       the same graphs again, 2.13
tl_out/{compile_directory.json, -_0_0_0/inductor_output_code_NAME_12.{html,txt}}                  tlparse's src/parsers.rs
"""

from __future__ import annotations

import html
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from inductor_lab.errors import LabError
from inductor_lab.read import files
from inductor_lab.read.artifacts import EVENTS, FILES
from inductor_lab.read.files import is_record, named_like_a_log
from inductor_lab.read.message import MESSAGE_LIMIT, Document, problem
from inductor_lab.read.scanner import Position, scan

__all__ = ["KINDS", "Document", "documents"]

KINDS = ("auto", "log", "trace", "module", "debug", "tlparse")
"""What `--as` takes: what a source is said to be, where it would be taken for something else."""


def documents(source: str | Path, as_: str = "auto", read: Read | None = None) -> Iterator[Document]:
    """Every module and graph in one source: a log, trace or module (`.gz`, `.zst`, `.tar`, `.zip` too), a folder of them, or `-` for standard input.

    `read` reads one file, where another way than `from_file` is wanted.

    Raises:
        LabError: the source does not exist, or is not text.
    """
    if as_ not in KINDS:
        raise LabError(f"{as_} is no kind of source; one of {', '.join(KINDS)}")
    if str(source) == "-":
        yield from _from_stream(sys.stdin.buffer, "stdin", as_)
        return
    path, read = Path(source), read or partial(from_file, as_=as_)
    if path.is_dir():
        yield from in_folder(path, as_, read)
        return
    if not path.exists():
        raise LabError(
            f"{path} does not exist; give a log, an output_code module, a folder of them, or - for standard input"
        )
    yield from read(path)


def name_of(source: str) -> str:
    """What a capture of it is called: `dlrm main` of `runs/dlrm main.log.gz`."""
    return (
        "stdin"
        if source == "-"
        else re.sub(r"(\.(gz|bz2|xz|zst|zip|log|txt|py|cpp|tgz|tar))+$", "", Path(source).resolve().name)
    )


def from_file(path: Path, as_: str = "auto", name: str | None = None) -> Iterator[Document]:
    """One file, shown as `name`.

    Raises:
        LabError: it is not text, or can not be opened.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise LabError(f"{path} can not be opened: {error.strerror}; give another file") from error
    with raw:
        yield from _from_stream(raw, name or str(path), as_)


def _from_stream(raw: IO[bytes], name: str, as_: str) -> Iterator[Document]:
    """A broken archive gives what stands before the break, and a problem; one that gives nothing at all is refused."""
    given = False
    number = Position()
    try:
        for inner, stream, counted in files.opened(raw, name):
            head = stream.peek(4096)[:4096]
            packed = inner != name and files.is_archive(head)
            if packed or not files.looks_like_text(head):
                if inner == name:
                    raise LabError(f"{name} is not a readable text log: {NO_TEXT}")
                if files.named_like_a_log(inner):
                    why = "it is an archive inside another one: unpack it first" if packed else NO_TEXT
                    yield problem(f"it was not read: {why}", f"{inner}:1")
                continue
            for document in scan(files.lines(stream, counted), inner, as_, number):
                given = True
                yield document
    except files.UNREADABLE as error:
        if not given:
            raise LabError(f"{name} is not a readable text log: {error}") from error
        yield problem(f"reading stopped here: {error}", f"{name}:{number.line}")


NO_TEXT = "most of its bytes are no text"
"""What the error says of a file that is no log at all: in a folder there is no need to say so."""
Read = Callable[[Path], Iterator[Document]]
_NO_TEXT = {
    ".so", ".o", ".a", ".cubin", ".hsaco", ".ptx", ".ttir", ".ttgir", ".llir", ".sass", ".json", ".pkl", ".pt", ".pth", ".safetensors",
    ".npy", ".lock", ".pyc", ".html", ".svg", ".png", ".pdf", ".parquet", ".best_config", ".dot",
}  # fmt: skip
"""Files that stand beside logs and caches, and never hold an output_code module. Any other file is looked into."""
_TLPARSE_NAME = re.compile(rf"(?P<event>{'|'.join(EVENTS)})\w*\.(?:html|txt|py|json)$")
_CAPTURE, _CAPTURED_LOG = "capture.json", "log.txt"
"""What our own captures hold, beside `modules/`: the log, out of which the modules were taken."""
_TAG = re.compile(r"<[^>]*>")


def in_folder(folder: Path, as_: str, read: Read) -> Iterator[Document]:
    """Everything in a folder, in the order of its paths. A file that can not be read is a problem; links to folders are not followed."""
    traced: set[str] = set()
    for kind, here, names in _places(folder, as_):
        if kind == "model":
            for document in _model(here, names):
                if document.kind == "post_grad_graphs" or document.text.strip() not in traced:
                    yield document
        elif kind == "tlparse":
            yield from _tlparse(here)
        for path in _files(here, names) if kind == "files" else ():
            try:
                for document in read(path):
                    if here.name == "tlparse" and document.kind == "output_code":
                        traced.add(document.text.strip())
                    yield document
            except LabError as error:
                if NO_TEXT not in str(error) or named_like_a_log(path.name):
                    yield problem(str(error), f"{path}:1")


def files_below(folder: Path, as_: str) -> Iterator[Path]:
    """The files that `in_folder` reads whole, in its order."""
    for kind, here, names in _places(folder, as_):
        if kind == "files":
            yield from _files(here, names)


def _places(folder: Path, as_: str) -> Iterator[tuple[str, Path, list[str]]]:
    """Every folder that is looked into, as what (`model`, `tlparse` or `files`), and what stands in it."""
    for top, folders, names in os.walk(folder):
        folders.sort(key=lambda name: (name != "tlparse", name))  # traces first: their graphs have strides
        here, names = Path(top), sorted(names)
        if as_ in {"auto", "debug"} and {"output_code.py", "output_code.cpp"} & set(names):
            yield "model", here, names
        elif as_ == "tlparse" or (as_ == "auto" and "compile_directory.json" in names):
            folders.clear()
            yield "tlparse", here, names
        else:
            if _CAPTURE in names and any(name.startswith(_CAPTURED_LOG) for name in names) and "modules" in folders:
                folders.remove("modules")
            yield "files", here, names


def _files(folder: Path, names: list[str]) -> Iterator[Path]:
    is_debug_log = folder.parent.name.startswith("run_") and folder.name in {"torchinductor", "torchdynamo"}
    for name in names:
        path = folder / name
        may_hold = path.suffix.lower() not in _NO_TEXT or (path.suffix.lower() == ".json" and _carries_lines(path))
        if may_hold and path.is_file() and not (is_debug_log and name.endswith("debug.log")):
            yield path


def _carries_lines(path: Path) -> bool:
    """The first line of a `.json` is a record of a line of a log, as Docker and collectors write them."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            first = file.readline(1 << 16)
    except OSError:
        return False
    return first.endswith("\n") and is_record(first)


def _model(folder: Path, names: list[str]) -> Iterator[Document]:
    """One graph of TORCH_COMPILE_DEBUG."""
    for file, kind in FILES.items():
        if file in names:
            yield from _file(folder / file, kind, str(folder), "")


def _tlparse(folder: Path) -> Iterator[Document]:
    """tlparse numbers what it writes in the order of the trace: a graph stands before the module that was made of it."""
    found = [
        (path, match) for path in folder.rglob("*") if (match := _TLPARSE_NAME.search(path.name)) and path.is_file()
    ]
    for path, match in sorted(found, key=lambda item: (str(item[0].parent), _number(item[0].stem), item[0].name)):
        kind = EVENTS[match["event"]]
        compile_id = (
            "" if path.parent == folder else path.parent.name.strip("-_").replace("_", "/", 1).partition("_")[0]
        )
        yield from _file(path, kind, str(path.parent), compile_id)


def _number(stem: str) -> int:
    digits = stem.rpartition("_")[2]
    return int(digits) if digits.isdigit() else 0


def _file(path: Path, kind: str, stream: str, compile_id: str) -> Iterator[Document]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(MESSAGE_LIMIT).replace("\0", "\ufffd")
    except OSError as error:
        yield problem(f"it can not be opened: {error.strerror}", str(path))
        return
    if path.suffix == ".html":  # syntect's: <pre> of <span>s, one for each colour
        text = html.unescape(_TAG.sub("", text)).lstrip("\n")
    yield Document(kind, stream, compile_id, text.rstrip() + "\n", f"{path}:1")
