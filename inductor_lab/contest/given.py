"""Contestants that the user brings: a function of any module, another ejected file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from inductor_lab.contest.refusal import RefusedError
from inductor_lab.ejected import load
from inductor_lab.errors import LabError


def function_named(who: str) -> Callable[..., object]:
    """`package.module:function` or `file.py:function`; modules of the current folder are found too.

    Raises:
        LabError: there is none.
    """
    where, _, name = who.rpartition(":")
    module = _file(Path(where), who) if where.endswith(".py") else _module(where, who)
    found: object = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise LabError(f"{where} has no function {name} to compare with.")
    return found


def _module(name: str, who: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise LabError(
            f"{who} can not be compared with: {name or 'a module without a name'} does not import ({type(error).__name__}: {error})."
        ) from error


def _file(path: Path, who: str) -> ModuleType:
    if not path.is_file():
        raise LabError(f"{who} can not be compared with: there is no file {path}.")
    name = f"contestant_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise LabError(
            f"{who} can not be compared with: {path} does not import ({type(error).__name__}: {error})."
        ) from error
    return module


def other_file(path: Path, module: ModuleType) -> Callable[..., object]:
    """The `launch` of another ejected file, that takes and writes the same tensors.

    Raises:
        RefusedError: it takes others.
    """
    other = load(path).module
    mine, theirs = (_taken(one) for one in (module, other))
    if mine != theirs:
        odd = next((a, b) for a, b in zip([*mine, None], [*theirs, None], strict=False) if a != b)
        raise RefusedError(
            f"it takes other arguments: {_told(odd[1])} where {Path(str(module.__file__)).name} takes {_told(odd[0])}"
        )
    launch: Callable[..., object] = other.launch
    return launch


def _taken(module: ModuleType) -> list[tuple[object, ...]]:
    """What `launch` is given, in order: shape, strides, dtype, and whether it is written. Names are each file's own."""
    return [
        (tuple(shape), tuple(stride), dtype, name in module.WRITTEN)
        for name, (shape, stride, dtype, _fill) in module.ARGUMENTS.items()
    ]


def _told(argument: tuple[object, ...] | None) -> str:
    if argument is None:
        return "nothing"
    shape, stride, dtype, written = argument
    return f"{str(dtype).removeprefix('torch.')} {shape} with strides {stride}, {'written' if written else 'read'}"
