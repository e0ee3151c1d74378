"""Keeps which configurations the autotuner timed and chose for each kernel, which no log tells.

On a card they are seen at a kernel's first run (`CachingAutotuner.run` in torch/_inductor/runtime/triton_heuristics.py), because most autotuners
come unpickled from a process that only compiles. For a virtual card the Inductor that is installed is asked, while it believes in the card. The
decorator above a kernel, `@triton_heuristics.pointwise(...)`, lists configurations for the sizes and the card that it states and makes an
autotuner of them. Here it is called as the module would call it, with `_handed_back` in the autotuner's place: nothing is compiled.
A kernel is known by the text of its file, which is the text that the module defines it by.

Private names of torch, checked on 2.11 to 2.15: `cached_autotune` of torch/_inductor/runtime/triton_heuristics.py, and the classes that it makes
an autotuner of. Where a version has them no more nothing is kept, which is a problem.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from inductor_lab.capture.problems import problem
from inductor_lab.records import Capture

Configuration = dict[str, int]


class Seen:
    """The autotuners that ran in this process."""

    def __init__(self) -> None:
        self.autotuners: dict[int, Any] = {}
        self.timed: dict[int, list[Configuration]] = {}
        """What each had compiled as it ran first."""

    def runs(self, autotuner: Any) -> None:
        """It is about to run: at the first time it times all that it has compiled, and keeps one."""
        if id(autotuner) not in self.autotuners:
            self.autotuners[id(autotuner)] = autotuner
            launchers = getattr(autotuner, "launchers", ())
            self.timed[id(autotuner)] = written(getattr(one, "config", None) for one in launchers)

    def configurations(self) -> dict[str, Configuration]:
        """SHA-256 of a kernel's text -> the one configuration that is left of it."""
        return dict(filter(None, map(_kept, self.autotuners.values())))

    def candidates(self) -> dict[str, list[Configuration]]:
        """SHA-256 of a kernel's text -> all that were timed."""
        texts = {key: _text(one) for key, one in self.autotuners.items()}
        return {digest(text): self.timed[key] for key, text in texts.items() if text is not None}


SEEN = Seen()


def install(autotuner: type, seen: Seen = SEEN) -> None:
    """Have the class of Inductor's autotuners tell which of them run."""
    run = autotuner.run  # type: ignore[attr-defined]

    @wraps(run)
    def told(self: Any, *given: Any, **named: Any) -> Any:
        seen.runs(self)
        return run(self, *given, **named)

    autotuner.run = told  # type: ignore[attr-defined]


@contextmanager
def observed() -> Iterator[Seen]:
    """The autotuners that run inside of the block."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    seen, run = Seen(), CachingAutotuner.run
    install(CachingAutotuner, seen)
    try:
        yield seen
    finally:
        CachingAutotuner.run = run


def _kept(autotuner: Any) -> tuple[str, Configuration] | None:
    launchers: Sequence[Any] = getattr(autotuner, "launchers", ())
    config = getattr(launchers[0], "config", None) if len(launchers) == 1 else None
    text = _text(autotuner)
    return None if config is None or text is None else (digest(text), configuration(config))


def _text(autotuner: Any) -> str | None:
    try:
        return Path(autotuner.filename).read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError):  # a user's own kernel may have no file
        return None


def configuration(config: Any) -> Configuration:
    """One of Triton's configs as the catalog writes it."""
    found = {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}
    return {name: value for name, value in found.items() if type(value) is int}


def written(configs: Iterable[Any]) -> list[Configuration]:
    """A list of Triton's configs as the catalog writes it; nothing where they hold more than whole numbers: a user's, whose text states them."""
    every = list(configs)
    whole = all(one is not None and all(type(value) is int for value in one.kwargs.values()) for one in every)
    return [configuration(one) for one in every] if whole else []


def pin(autotuner: Any, kept: Mapping[str, int]) -> None:
    """Leave an autotuner that is compiled no other choice than what was kept elsewhere; all of them, where that is none of its own."""
    launchers = [one for one in getattr(autotuner, "launchers", ()) if configuration(one.config) == kept]
    if launchers:
        autotuner.launchers = launchers[:1]


def digest(text: str) -> str:
    """The key of a kernel's text."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def with_configurations(
    found: Capture, kept: Mapping[str, Configuration], candidates: Mapping[str, Sequence[Configuration]]
) -> Capture:
    """The capture with what its autotuners keep, and choose from."""
    keyed = [(kernel, digest(kernel.text)) for kernel in found.kernels]
    kernels = [
        replace(
            kernel, autotuned=kept.get(key, kernel.autotuned), candidates=tuple(candidates.get(key, kernel.candidates))
        )
        for kernel, key in keyed
    ]
    return replace(found, kernels=tuple(kernels))


# For a virtual card


NOT_LISTED = "Inductor does not say which configurations its autotuner times: those of another version may be shown"


class Asked:
    """The kernels of the modules that Inductor wrote."""

    def __init__(self) -> None:
        self.candidates: dict[str, list[Configuration]] = {}
        """SHA-256 of a kernel's text -> what the autotuner would time, the first one first."""

    def of(self, module: str) -> None:
        """Ask for each kernel of a module's file; one candidate of a template is a file too, and defines none."""
        text = Path(module).read_text(encoding="utf-8")
        if "async_compile" not in text:
            return
        from inductor_lab.read.parsing import Parsed  # not in a process that runs on a card

        _, found = Parsed().module(text)
        for definition in found.definitions:
            try:
                self.candidates[digest(definition.text)] = listed(definition.text, module)
            # A version without these names, a text whose imports are not here: the graph is captured all the same.
            except Exception as error:
                problem(f"{NOT_LISTED} ({type(error).__name__}: {error})")


ASKED = Asked()


def listed(text: str, file: str) -> list[Configuration]:
    """What the decorator above a kernel lists.

    Args:
        file: Where the kernel is said to stand.
    """
    from torch._inductor.runtime import triton_heuristics

    statements = ast.parse(text).body
    (kernel,) = (one for one in statements if isinstance(one, ast.FunctionDef) and _is_heuristic(one.decorator_list))
    heuristic, kernel.decorator_list, kernel.body = kernel.decorator_list[0], [], kernel.body[:1]
    imports = [one for one in statements if isinstance(one, (ast.Import, ast.ImportFrom))]
    names: dict[str, Any] = {"__file__": file}
    exec(compile(ast.Module([*imports, kernel], []), file, "exec"), names)
    instead = partial(
        triton_heuristics.cached_autotune, caching_autotuner_cls=_handed_back, debug_autotuner_cls=_handed_back
    )
    with mock.patch.object(triton_heuristics, "cached_autotune", instead):
        decorate = eval(compile(ast.Expression(heuristic), file, "eval"), names)
        found = decorate(SimpleNamespace(fn=names[kernel.name]))
    return written(found)


def _is_heuristic(decorators: list[ast.expr]) -> bool:
    match decorators:
        case [ast.Call(func=ast.Attribute(value=ast.Name("triton_heuristics"))), *_]:
            return True
    return False


def _handed_back(function: Any, *, configs: list[Any], **rest: Any) -> list[Any]:
    return configs
