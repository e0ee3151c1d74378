"""The hook into Inductor for kernels: every launch of a Triton kernel from a Python wrapper passes here first.

A wrapper launches as `kernel.run(*arguments, stream=stream)`, whichever process or cache the kernel is from; `run` is `CachingAutotuner`'s, in
torch/_inductor/runtime/triton_heuristics.py. It is replaced while somebody listens. An autotuner's plugins (2.13) would be no better place: 2.11 has none,
and a kernel that ran once is launched past them. Read in torch 2.11, 2.13 and 2.15, run with 2.11 on an H200 and with 2.13.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock, local
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from inductor_lab.read.kernel import UNREAD, list_source
from inductor_lab.read.module import read_module
from inductor_lab.records import Kernel


class Launch(NamedTuple):
    """One launch, as it is about to happen."""

    source: Kernel
    values: tuple[Any, ...]
    named: Mapping[str, Any]
    stream: Any
    line: tuple[Any, int]
    """The wrapper's code and its line."""

    def passed(self) -> tuple[Any, ...]:
        """The value of each parameter in the order of the kernel's signature, `None` for a constexpr that the launcher chooses; nothing
        where the values are not those that the signature asks for.

        What the user wrote may be launched with its constexprs in place; a template's grid comes after its arguments.
        """
        parameters, meta = self.source.arguments, self.source.meta.get("inductor_meta")
        grid = len(meta.get("extra_launcher_args", ())) if isinstance(meta, dict) else 0
        values = self.values[: len(self.values) - grid]
        whole = len(values) + len(self.named) == len(parameters)
        asked = [one.name for one in parameters if one.name not in self.named and (whole or one.role != "constexpr")]
        if len(asked) != len(values):
            return ()
        given = {**dict(zip(asked, values, strict=True)), **self.named}
        return tuple(given.get(one.name) for one in parameters)


Listener = Callable[[Launch, bool], bool]
"""Launches something in the generated kernel's place, where none has (`taken`), and says so, or says no."""

_listeners: list[Listener] = []
_lock = Lock()
_asked = local()
"""`already` in a thread while a launch goes on that was asked about: below what somebody made of ours there may be ours once more."""
_sources: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()
"""What is known of each kernel. Not kept in the kernel itself, which is pickled into caches."""


def wrote_only_cpp() -> bool:
    """Whether all that Inductor compiled in this process is for the CPU: modules that hold C++ kernels, `cpp_fused_...`, and no Triton kernel."""
    cache = sys.modules.get("torch._inductor.codecache")
    held = [one for module in (cache.PyCodeCache.modules if cache else ()) for one in vars(module).items()]
    launched = any(callable(getattr(kernel, "run", None)) for _, kernel in held)
    return not launched and any(name.startswith("cpp_fused") for name, _ in held)


def listen(listener: Listener) -> None:
    """Ask this one before those that listen already."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    with _lock:
        take_place(CachingAutotuner, "run", _asked_first)
        _listeners.append(listener)


def leave(listener: Listener) -> None:
    """Ask it no more; with the last one Inductor's own `run` comes back."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    with _lock:
        _listeners.remove(listener)
        if not _listeners:
            give_back(CachingAutotuner, "run")


def take_place(owner: Any, method: str, made: Callable[[Any], Any]) -> None:
    """Have a method of a class of Inductor's do something else.

    Args:
        made: Is given the method, and returns what takes its place.
    """
    if not _is_ours(getattr(owner, method)):
        ours, before = made(getattr(owner, method)), vars(owner)[method]
        ours.ours, ours.before = ours, before
        setattr(owner, method, ours)


def give_back(owner: Any, method: str) -> None:
    """Not where somebody else has replaced it since: that calls ours, which then asks nobody."""
    ours = getattr(owner, method)
    if _is_ours(ours):
        setattr(owner, method, ours.before)


def _is_ours(method: Any) -> bool:
    """Not what somebody made of ours with `functools.wraps`, which has its attributes too."""
    return getattr(method, "ours", None) is method


def _asked_first(generated: Any) -> Any:
    """A `run` that asks those who listen, and then does as Inductor's own."""

    def run(self: Any, *values: Any, **named: Any) -> Any:
        if getattr(_asked, "already", False):
            return generated(self, *values, **named)
        frame = sys._getframe(1)
        if _of_the_model(self, named, frame) and _taken(self, values, named, frame):
            return None
        _asked.already = True
        try:
            return generated(self, *values, **named)
        finally:
            _asked.already = False

    return run


def _of_the_model(kernel: Any, named: Mapping[str, Any], frame: FrameType) -> bool:
    """No benchmark of Inductor's; no tuning while it compiles, which no function does; no kernel whose binary is asked for, which C++ will launch."""
    return not (
        named.get("benchmark_run") or frame.f_code.co_name == "<module>" or kernel.inductor_meta.get("store_cubin")
    )


def _taken(kernel: Any, values: tuple[Any, ...], named: Mapping[str, Any], frame: FrameType) -> bool:
    source = _sources.get(kernel)
    if source is None:
        source = _sources[kernel] = _source(kernel, frame)
    given = {name: value for name, value in named.items() if name not in ("stream", "benchmark_run")}
    launch = Launch(source, values, given, named.get("stream"), (frame.f_code, frame.f_lineno))
    taken = False
    for listener in reversed(_listeners):
        taken = listener(launch, taken) or taken
    return taken


def _source(kernel: Any, frame: FrameType | None) -> Kernel:
    """What a kernel's own file says, which Inductor keeps in its cache; where it is gone, the wrapper that launches it. Else only its name."""
    text = text_of(kernel.filename)
    while not text and frame is not None:
        names = {name for name, value in frame.f_globals.items() if value is kernel}
        module = read_module(text_of(frame.f_globals.get("__file__"))) if names else None
        text = next((one.text for one in module.definitions if one.name in names), "") if module else ""
        frame = frame.f_back
    return list_source(text)[0] if text else replace(UNREAD, name=kernel.fn.__name__)


def text_of(path: str | None) -> str:
    """Of a module's file; empty where that is gone."""
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except OSError:
        return ""
