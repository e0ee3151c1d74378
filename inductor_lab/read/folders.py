"""Folders that tools leave behind: TORCH_COMPILE_DEBUG, tlparse, Inductor's cache, a cluster's logs; or any mixture of them.

torch_compile_debug/run_*/torchinductor/model_*/{output_code.py, fx_graph_transformed.py, ...}     torch/_inductor/debug.py
torch_compile_debug/tlparse/dedicated_log_torch_trace_*.log                                       the same graphs again, 2.13
tl_out/{compile_directory.json, -_0_0_0/inductor_output_code_NAME_12.{html,txt}}                  tlparse's src/parsers.rs
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from inductor_lab.errors import LabError
from inductor_lab.read.message import MESSAGE_LIMIT, Document, problem

NO_TEXT = "most of its bytes are no text"
"""What the error says of a file that is no log at all: in a folder there is no need to say so."""
Read = Callable[[Path], Iterator[Document]]
_NO_TEXT = {
    ".so", ".o", ".a", ".cubin", ".hsaco", ".ptx", ".ttir", ".ttgir", ".llir", ".sass", ".json", ".pkl", ".pt", ".pth", ".safetensors",
    ".npy", ".lock", ".pyc", ".html", ".svg", ".png", ".pdf", ".parquet", ".best_config", ".dot",
}  # fmt: skip
"""Files that stand beside logs and caches, and never hold an output_code module. Any other file is looked into."""
_TLPARSE_NAME = re.compile(r"(?P<kind>inductor_output_code|inductor_post_grad_graph)\w*\.(?:html|txt|py)$")
_TAG = re.compile(r"<[^>]*>")


def in_folder(folder: Path, as_: str, read: Read) -> Iterator[Document]:
    """Everything in a folder, in the order of its paths. A file that can not be read is a problem; links to folders are not followed."""
    traced: set[str] = set()
    for top, folders, names in os.walk(folder):
        folders.sort(key=lambda name: (name != "tlparse", name))  # traces first: their graphs have strides
        here, names = Path(top), sorted(names)
        if as_ in {"auto", "debug"} and "output_code.py" in names:
            for document in _model(here, names):
                if document.kind == "post_grad_graphs" or document.text.strip() not in traced:
                    yield document
            continue
        if as_ == "tlparse" or (as_ == "auto" and "compile_directory.json" in names):
            yield from _tlparse(here)
            folders.clear()
            continue
        is_debug_log = here.parent.name.startswith("run_") and here.name in {"torchinductor", "torchdynamo"}
        for name in names:
            path = here / name
            if path.suffix.lower() in _NO_TEXT or not path.is_file() or (is_debug_log and name.endswith("debug.log")):
                continue
            try:
                for document in read(path):
                    if here.name == "tlparse" and document.kind == "output_code":
                        traced.add(document.text.strip())
                    yield document
            except LabError as error:
                if NO_TEXT not in str(error):
                    yield problem(str(error), f"{path}:1")


def _model(folder: Path, names: list[str]) -> Iterator[Document]:
    """One graph of TORCH_COMPILE_DEBUG. The transformed graph is the one after the post-grad passes."""
    stream = str(folder)
    if "fx_graph_transformed.py" in names:
        yield from _file(folder / "fx_graph_transformed.py", "post_grad_graphs", stream, "")
    yield from _file(folder / "output_code.py", "output_code", stream, "")


def _tlparse(folder: Path) -> Iterator[Document]:
    """tlparse numbers what it writes in the order of the trace: a graph stands before the module that was made of it."""
    found = [
        (path, match) for path in folder.rglob("*") if (match := _TLPARSE_NAME.search(path.name)) and path.is_file()
    ]
    for path, match in sorted(found, key=lambda item: (str(item[0].parent), _number(item[0].stem), item[0].name)):
        kind = "output_code" if match["kind"] == "inductor_output_code" else "post_grad_graphs"
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
