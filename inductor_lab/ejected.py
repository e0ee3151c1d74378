"""An ejected file: written, never over another one; changed, whole or not at all; and imported, for `verify`, `inspect`, `bench` and `diff`,
which runs it, on the user's say."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import linecache
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from io import StringIO
from itertools import count
from pathlib import Path
from types import FunctionType, ModuleType, NoneType
from typing import Any, NoReturn

from inductor_lab.errors import LabError

LAUNCHERS = ("launch", "launch_generated")
OFFERS: Mapping[str, tuple[type, ...]] = {
    "reference": (FunctionType, NoneType),
    "ARGUMENTS": (dict,),
    "TAKES": (tuple, list),
    "WRITTEN": (tuple, list),
    "INTERPRETER": (dict,),
    "TAIL": (dict,),
}
"""What every ejected file has besides its launchers, and what it is."""
OPTIONAL: Mapping[str, object] = {"aten": None, "UNKNOWN": "the file does not say why", "UNREAD": (), "ORIGIN": {}}
"""What stands for a name that a file has not, or has no more."""
KINDS: Mapping[str, tuple[type, ...]] = {
    **OFFERS,
    "aten": OFFERS["reference"],
    "UNREAD": (tuple, list),
}
ORIGINS: Mapping[str, type] = {"parameters": dict, "numbers": dict, "sizes": dict, "blocks": dict, "span": list}
"""What ORIGIN has, where it has it."""
SPAN = ("kernel", "name", "body_sha256")
"""And what that of a span must have."""
GONE = "{} has no `{}`, as every ejected file has: put it back, or eject the kernel again under another name"
SPEC = ("shape", "strides", "dtype", "what it is drawn from")
KEYS = {"INTERPRETER": LAUNCHERS, "TAIL": ("gpu", "interpreter")}
AMONG = {"TAKES": "ARGUMENTS", "WRITTEN": "ARGUMENTS", "UNREAD": "WRITTEN"}
_numbers = count()


@dataclass(frozen=True)
class Ejected:
    """One imported file."""

    path: Path
    module: ModuleType


def demanded(file: Any) -> tuple[str, ...]:
    """What an edit must write: of WRITTEN, all but what nobody behind the launch reads."""
    return tuple(name for name in file.WRITTEN if name not in getattr(file, "UNREAD", ()))


class _Afresh(SourceFileLoader):
    """Compiles the text each time: two edits in one second are two files, and no `__pycache__` is left beside a user's file.

    Triton's interpreter asks for a kernel's text at its first launch: it is given what was imported, whatever was saved since.
    """

    def path_stats(self, path: str) -> NoReturn:
        raise OSError("no compiled copy is looked for, nor kept")

    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        # no time of change: such a text is never read again
        linecache.cache[path] = len(data), None, StringIO(decode_source(data)).readlines(), path
        return data


def load(path: str | Path) -> Ejected:
    """Import a file under a name of its own.

    Raises:
        LabError: it is not there, does not import, or is no ejected file.
    """
    path = Path(path)
    if not path.is_file():
        raise LabError(f"{path} does not exist; make one with `inductor-lab eject KERNEL -o {path}`")
    name = f"ejected_{next(_numbers)}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Afresh(name, str(path)))
    if spec is None or spec.loader is None:
        raise LabError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise LabError(f"{path} does not import: {error}; an ejected file needs torch and triton") from error
    except (Exception, SystemExit) as error:
        raise LabError(f"{path} does not import: {type(error).__name__}: {error}") from error
    check_whole(module, path, LAUNCHERS)
    source = getattr(getattr(module, "cuda_kernel", None), "path", None)
    if isinstance(source, Path) and not source.is_file():
        raise LabError(f"{source} is missing, which holds the kernel of {path}: put it back, or eject both again")
    return Ejected(path, module)


def check_whole(module: ModuleType, path: Path, launchers: Sequence[str]) -> None:
    """What a file says is there and goes together; what it need not have is given to the module.

    Args:
        launchers: Those that the module has: the part that judges is imported without `launch`.

    Raises:
        LabError: a name is missing, is something else than it must be, or speaks of a tensor that is not there.
    """
    missing = [name for name in (*launchers, *OFFERS) if not hasattr(module, name)]
    if len(missing) > 1:
        raise LabError(f"{path} is no ejected file: it has no `{missing[0]}`; `inductor-lab eject` makes one")
    if missing:
        raise LabError(GONE.format(path, missing[0]))
    for name in launchers:
        if not callable(getattr(module, name)):
            raise LabError(f"{path} is no ejected file: its {name} is no function")
    for name, default in OPTIONAL.items():
        vars(module).setdefault(name, default)
    _check_origin(module.ORIGIN, path)
    for name, kinds in KINDS.items():
        if not (isinstance(value := getattr(module, name), kinds) or (callable(value) and FunctionType in kinds)):
            raise LabError(f"{path}: {name} is {value!r:.40}, which is no {kinds[0].__name__}")
    for name, keys in KEYS.items():
        if lacking := [key for key in keys if key not in getattr(module, name)]:
            raise LabError(
                f"{path}: {name} has no {lacking[0]!r}; put it back: an empty dict says that nothing is to be changed"
            )
    for name, other in AMONG.items():
        if unknown := [tensor for tensor in getattr(module, name) if tensor not in getattr(module, other)]:
            raise LabError(f"{path}: {name} names `{unknown[0]}`, which is not in {other}")
    for name, spec in module.ARGUMENTS.items():
        if not isinstance(spec, tuple) or len(spec) != len(SPEC):
            raise LabError(f"{path}: ARGUMENTS[{name!r}] is {spec!r:.60}, where {', '.join(SPEC)} must stand")
    for name in launchers:
        _check_takes(module, path, name, "ARGUMENTS")
    for name in ("reference", "compares"):
        if getattr(module, name, None):
            _check_takes(module, path, name, "TAKES")


def _check_origin(origin: object, path: Path) -> None:
    """What a file says of where it is from."""
    if not isinstance(origin, dict):
        raise LabError(f"{path}: ORIGIN is {origin!r:.40}, which is no dict")
    for key, kind in ORIGINS.items():
        if not isinstance(origin.get(key, kind()), kind):
            raise LabError(f"{path}: ORIGIN[{key!r}] is {origin[key]!r:.40}, which is no {kind.__name__}")
    for step in origin.get("span", ()):
        if not (isinstance(step, dict) and step.keys() & {"body_sha256", "call"}):
            raise LabError(f"{path}: ORIGIN['span'] has {step!r:.40}, which is neither a launch nor a library call")
    if lacking := [key for key in SPAN if "span" in origin and key not in origin]:
        raise LabError(GONE.format(path, f"ORIGIN['{lacking[0]}']"))


def _check_takes(module: ModuleType, path: Path, function: str, given: str) -> None:
    """A function of the file is passed tensors in their order, by no name."""
    parameters = inspect.signature(getattr(module, function)).parameters.values()
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    names, needed = list(getattr(module, given)), [one.name for one in places if one.default is one.empty]
    if not len(needed) <= len(names) <= len(places):
        way_out = "; the model passes no others: make other memory inside of `launch`" if given == "ARGUMENTS" else ""
        raise LabError(
            f"{path}: `{function}` takes {', '.join(needed) or 'no tensors'}, and {given} has {', '.join(names) or 'none'}{way_out}"
        )


def is_span(module: ModuleType) -> bool:
    """Whether a file is of several steps of a graph."""
    return "span" in getattr(module, "ORIGIN", {})


def blocks(module: ModuleType, launcher: str) -> dict[str, int]:
    """The blocks for Triton's interpreter that a launcher takes: an edit may have renamed them, or do without."""
    taken = inspect.signature(getattr(module, launcher)).parameters
    return {name: size for name, size in module.INTERPRETER[launcher].items() if name in taken}


def beside(module: ModuleType) -> list[Path]:
    """The files that an ejected one is not whole without: the CUDA C++ that it launches, what the program gave its launch."""
    source = getattr(getattr(module, "cuda_kernel", None), "path", None)
    real = getattr(module, "REAL", "")
    kept = [Path(str(module.__file__)).with_name(real)] if real else []
    return [*([source] if isinstance(source, Path) else []), *kept]


def content_hash(path: Path) -> str:
    """Of what a file computes: its bytes, and those of the CUDA C++ that it launches."""
    source = path.with_suffix(".cu")
    texts = [path.read_bytes(), *([source.read_bytes()] if source.is_file() else [])]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def check_new(file: Path, text: str) -> None:
    """Say before long work that a file is there which `write_new` will not write over."""
    if file.exists() and (not file.is_file() or file.read_text(encoding="utf-8") != text):
        raise LabError(f"{file} exists and is never overwritten; choose another name with -o, or remove it.")


def write_new(file: Path, text: str) -> None:
    """Somebody's edits may be in a file that exists: it is never written over, unless it holds this very text."""
    write_all({file: text})


def write_all(files: Mapping[Path, str]) -> None:
    """All of some files, or none; what holds the very text is left as it is.

    Raises:
        LabError: one exists with another text, or can not be written.
    """
    for file, text in files.items():
        check_new(file, text)
    new = [file for file in files if not file.exists()]
    made: list[Path] = []
    try:
        for file in new:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as stream:
                made.append(file)
                stream.write(files[file])
    except OSError as error:
        for one in made:
            one.unlink(missing_ok=True)
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name with -o.") from error


@dataclass(frozen=True)
class Seen:
    """A file as it was read, which what is written over it is made of."""

    path: Path
    content: bytes

    @property
    def text(self) -> str:
        """Its text, lines ended by a line feed alone."""
        return self.content.decode("utf-8").replace("\r\n", "\n")


def seen(path: Path) -> Seen:
    """Read a file that will be changed; of a link, the file that it leads to.

    Raises:
        LabError: it can not be read.
    """
    try:
        path = path.resolve()
        file = Seen(path, path.read_bytes())
        file.text  # noqa: B018  is it text?
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} can not be read: {error}") from error
    return file


def write_over(file: Seen, text: str) -> None:
    """Put a text in the place of a file. Another process, or one that goes on after a crash, finds the old file or the new one.

    Raises:
        LabError: the folder can not be written, or the file was saved since it was read.
    """
    ends = "\r\n" if b"\r\n" in file.content else "\n"
    temporary = _beside(file, text.replace("\n", ends).encode())
    try:
        if file.path.read_bytes() != file.content:
            raise LabError(f"{file.path} was saved in the meantime and is left as it is; run this again.")
        os.replace(temporary, file.path)
    except OSError as error:
        raise LabError(f"Can not write {file.path}: {error.strerror}.") from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def keep(file: Seen) -> Path:
    """What was read, beside the file as FILE.orig; FILE.orig.1 where that is another version.

    Raises:
        LabError: the folder can not be written.
    """
    temporary = _beside(file, file.content)
    try:
        for number in count():
            kept = file.path.with_name(f"{file.path.name}.orig" + (f".{number}" if number else ""))
            try:
                os.link(temporary, kept)  # unlike a rename it never takes the place of another file
            except FileExistsError:
                if not kept.is_file() or kept.read_bytes() != file.content:
                    continue
            except OSError:  # a file system without links
                if kept.exists():
                    continue
                os.replace(temporary, kept)
            return kept
    except OSError as error:
        raise LabError(f"Can not write beside {file.path}: {error.strerror}.") from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    raise AssertionError("unreachable")


def _beside(file: Seen, content: bytes) -> str:
    """A new hidden file in the same folder, on the disk before its name is used."""
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{file.path.name}.", suffix=".tmp", dir=file.path.parent)
        with open(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        shutil.copymode(file.path, temporary)
    except OSError as error:
        if temporary:
            os.unlink(temporary)
        raise LabError(f"Can not write beside {file.path}: {error.strerror}.") from error
    return temporary
