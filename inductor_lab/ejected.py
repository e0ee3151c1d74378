"""Reads and writes ejected files: never overwrites one, imports (runs) it only on the user's say, and tells whether a person edited it.

Hashes in its header tell whether it was edited, and where. The last lines keep the file as it was ejected, packed, for a merge with what a later capture
makes; they are in neither hash.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import inspect
import json
import linecache
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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
    module.__file__ = str(path)  # as it was given, for the messages that name it: the import made it absolute
    check_whole(module, path, LAUNCHERS)
    source = getattr(getattr(module, "cuda_kernel", None), "path", None)
    if isinstance(source, Path) and not source.is_file():
        if source.parent == path.absolute().parent:
            source = path.with_name(source.name)
        raise LabError(f"{source} is missing, which holds the kernel of {path}: put it back, or eject both again")
    return Ejected(path, module)


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


def demanded(file: Any) -> tuple[str, ...]:
    """What an edit must write: of WRITTEN, all but what nobody behind the launch reads."""
    return tuple(name for name in file.WRITTEN if name not in getattr(file, "UNREAD", ()))


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
    """Say before long work that a file is there which `write_all` will not write over."""
    if file.exists() and (not file.is_file() or file.read_text(encoding="utf-8") != text):
        raise LabError(f"{file} exists and is never overwritten; choose another name with -o, or remove it.")


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


# ---------------------------------------------------------------- was it edited, and what was it before


RENDERED = "@RENDERED@"
"""What stands in a header until the hash is known."""
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"
CHECK_STARTS = "# ---------------------------------------------------------------- check and time"
"""From here on files are alike: it is not packed."""
KEPT = "\n# As it was ejected, packed: what `inductor-lab eject --update` merges with. "
WIDTH = 112
"""Characters of a packed line."""
BLOCK = re.compile(re.escape(KEPT) + r"(.*)((?:\n#   \S+)*)\n?")


@dataclass(frozen=True)
class Made:
    """How a file was ejected."""

    style: str = "readable"
    generalize: bool = False
    language: str = "triton"
    template: str = ""
    real: str = ""
    """The file beside it that holds what its launch was given."""


BESIDE = re.compile(r"^Kernel    sha256 (\w+), (.+)'s as it was ejected$", re.MULTILINE)
"""The line of a file whose kernel stands in another one."""


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(
        r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", unpacked(text), count=1, flags=re.MULTILINE
    )
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(unpacked(text).partition(JUDGE_STARTS)[2].encode()).hexdigest()


def judged_part(text: str) -> str:
    """A file's reference, inputs and baseline."""
    return text.partition(JUDGE_STARTS)[2].partition(CHECK_STARTS)[0]


def is_edited(text: str, path: Path | None = None) -> bool:
    """Whether a file is no more what its header says was ejected.

    Args:
        path: Where it lies, for the file beside it that holds its kernel, if one does.
    """
    found = BESIDE.search(text) if path is not None else None
    if found is not None and path is not None:
        kernel = path.parent / Path(found[2]).name
        if not kernel.is_file() or hashlib.sha256(kernel.read_bytes()).hexdigest() != found[1]:
            return True
    return f"\nRendered  sha256 {rendered_hash(text)}," not in text


def unpacked(text: str) -> str:
    """A file without the lines that keep what it was; whatever stands behind them is no part of them."""
    found = [block for block in BLOCK.finditer(text) if block.end() == len(text)]
    return text[: found[-1].start()] if found else text


def packed(text: str, made: Made) -> str:
    """What keeps a text as it was ejected, to stand at its end."""
    own = text.partition(CHECK_STARTS)[0]
    letters = base64.b85encode(zlib.compress(own.encode(), 9)).decode()
    lines = [letters[start : start + WIDTH] for start in range(0, len(letters), WIDTH)]
    return KEPT + json.dumps(asdict(made)) + "".join(f"\n#   {line}" for line in lines) + "\n"


def how_made(text: str) -> Made | None:
    """How a file was ejected; None where it does not say."""
    for block in BLOCK.finditer(text):
        try:
            return Made(**json.loads(block[1]))
        except (ValueError, TypeError):
            continue
    return None


def as_ejected(text: str, today: str = "") -> str | None:
    """What a file was before it was edited; None where it does not keep that, or not whole.

    Args:
        today: What is ejected now: its check stands for the file's own where that was edited.
    """
    for block in BLOCK.finditer(text):
        try:
            own = zlib.decompress(base64.b85decode("".join(block[2].split("\n#   ")))).decode()
        except (ValueError, zlib.error):
            continue
        for whole in (text, today):
            _, starts, check = without_blocks(whole).partition(CHECK_STARTS)
            if not is_edited(before := own + starts + check):
                return before
    return None


def without_blocks(text: str) -> str:
    """A file less the packed lines, wherever they stand."""
    return BLOCK.sub("", text)
