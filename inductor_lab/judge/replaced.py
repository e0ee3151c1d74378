"""What a file puts in the place of torch's, Triton's, numpy's or the judge's own functions when it is imported or run."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from types import CodeType
from typing import Any

from inductor_lab.judge.frames import TORCH
from inductor_lab.paths import templates_folder

WATCHED = (
    "builtins", "math", "numpy",
    "torch", "torch.nn.functional", "torch.special", "torch.cuda", "torch.library", "torch.utils._python_dispatch",
    "torch:Tensor", "torch.utils._python_dispatch:TorchDispatchMode",
    "triton", "triton.language", "triton.language.math", "triton.language.standard", "triton.language.semantic:TritonSemantic",
    "triton.language:tensor", "triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice",
    "triton.runtime", "triton.runtime.driver", "triton.runtime.jit", "triton.runtime.jit:JITFunction", "triton.runtime.jit:KernelInterface",
    "triton.runtime.autotuner:Autotuner", "triton.runtime.autotuner:Heuristics",
    "triton.runtime.interpreter", "triton.runtime.interpreter:InterpreterBuilder", "triton.runtime.interpreter:interpreter_builder",
    "triton.runtime.interpreter:GridExecutor", "triton.runtime.interpreter:InterpretedFunction",
    "triton.runtime.interpreter:ReduceOps", "triton.runtime.interpreter:ScanOps",
)  # fmt: skip
"""Modules, and behind a colon a class or an object in one. `triton.language.core` is none: the interpreter leaves its own functions there."""

IMPORTS = "import numpy as np\nimport torch\nimport triton\nimport triton.language as tl\n"
"""What an ejected file has above our texts: Python compiles a call otherwise where it sees that a name is a module's."""


class Snapshot:
    """What stood where before a file was imported."""

    def __init__(self) -> None:
        judges = [name for name in sorted(sys.modules) if name.startswith("inductor_lab.judge")]
        judges += [
            f"{name}:{one.__name__}"
            for name in judges
            for one in vars(sys.modules[name]).values()
            if _is_its_own(one, name)
        ]
        self._held = {name: _attributes(pkgutil.resolve_name(name)) for name in (*WATCHED, *judges)}

    def changed(self) -> list[str]:
        """One sentence for each attribute that is another one now. Not while a kernel runs: the interpreter itself replaces some for as long."""
        return [f"it replaces {name}" for name in self._names()]

    def _names(self) -> Iterator[str]:
        for place, before in self._held.items():
            after = _found(pkgutil.resolve_name(place))
            for name, (value, code) in before.items():
                now = after.get(name)
                if (code and now.__code__ is not code) if now is value else not _harmless(value, now):
                    yield f"{place.replace(':', '.')}.{name}"


def snapshot() -> Snapshot:
    """To be taken before a file is imported, once the judge itself stands."""
    return Snapshot()


def _is_its_own(thing: Any, module: str) -> bool:
    return inspect.isclass(thing) and thing.__module__ == module


def _attributes(thing: Any) -> dict[str, tuple[Any, CodeType | None]]:
    """Every function, class and property of a module, class or object, with its code, which can be exchanged too."""
    return {
        name: (value, getattr(value, "__code__", None))
        for name, value in _found(thing).items()
        if callable(value) or hasattr(type(value), "__get__")
    }


def _found(thing: Any) -> Mapping[str, Any]:
    """Everything that a module, class or object has by name."""
    if inspect.ismodule(thing):
        return vars(thing)
    classes = reversed((thing if inspect.isclass(thing) else type(thing)).__mro__[:-1])
    found = {name: value for one in classes for name, value in vars(one).items()}  # a subclass's stand for its bases'
    return found if inspect.isclass(thing) else found | getattr(thing, "__dict__", {})


def _harmless(before: Any, after: Any) -> bool:
    """Whether torch only wraps what was there, or the text is one that stands in every ejected file."""
    code = getattr(after, "__code__", None)
    if code is None:
        return False
    wrapped = code.co_filename.startswith(TORCH) and inspect.unwrap(after) is inspect.unwrap(before)
    return wrapped or is_ours(code)


def is_ours(code: CodeType) -> bool:
    """Whether a function's text is the toolkit's own, of the judge or a helper in an ejected file."""
    return _key(code) in _ours()


@cache
def _ours() -> frozenset[Any]:
    """The functions of all texts that an ejected file has from us and that mend the interpreter."""
    texts = sorted((templates_folder() / "helpers").glob("_*.py"))
    return frozenset(
        _key(code)
        for path in texts
        for code in _inside(compile(IMPORTS + path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True))
    )


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def _key(code: CodeType) -> Any:
    """A function's text, wherever it stands."""
    constants = tuple(_key(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts)
    return code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars
