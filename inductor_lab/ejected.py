"""An ejected file: written, never over another one; and imported, for `verify`, `inspect`, `bench` and `diff`, which runs it, on the user's say."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType

from inductor_lab.errors import LabError

OFFERS = ("launch", "launch_generated", "reference", "ARGUMENTS", "WRITTEN", "INTERPRETER", "TAIL", "TAKES")
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
    spec = importlib.util.spec_from_file_location(name, path)
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
    missing = [offer for offer in OFFERS if not hasattr(module, offer)]
    if missing:
        raise LabError(f"{path} is no ejected file: it has no {', '.join(missing)}; `inductor-lab eject` makes one")
    return Ejected(path, module)


def check_new(file: Path, text: str) -> None:
    """Say before long work that a file is there which `write_new` will not write over."""
    if file.exists() and (not file.is_file() or file.read_text(encoding="utf-8") != text):
        raise LabError(f"{file} exists and is never overwritten; choose another name with -o, or remove it.")


def write_new(file: Path, text: str) -> None:
    """Somebody's edits may be in a file that exists: it is never written over, unless it holds this very text."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        check_new(file, text)
    except OSError as error:
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name with -o.") from error
