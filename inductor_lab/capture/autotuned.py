"""What Inductor's autotuner kept of each kernel on the card: the blocks, warps and stages, which no log tells.

Seen at a kernel's first run (`CachingAutotuner.run` in torch/_inductor/runtime/triton_heuristics.py), because most autotuners come unpickled
from a process that only compiles. A kernel is known by the text of its file, which is the text that the module defines it by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from inductor_lab.records import Capture, Kernel

Configuration = dict[str, int]


class Seen:
    """The autotuners that ran in this process."""

    def __init__(self) -> None:
        self.autotuners: dict[int, Any] = {}

    def configurations(self) -> dict[str, Configuration]:
        """SHA-256 of a kernel's text -> the one configuration that is left of it."""
        return dict(filter(None, map(_kept, self.autotuners.values())))


SEEN = Seen()


def install(autotuner: type, seen: Seen = SEEN) -> None:
    """Have the class of Inductor's autotuners tell which of them run."""
    run = autotuner.run  # type: ignore[attr-defined]

    @wraps(run)
    def told(self: Any, *given: Any, **named: Any) -> Any:
        seen.autotuners.setdefault(id(self), self)
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
        CachingAutotuner.run = run  # type: ignore[method-assign]


def _kept(autotuner: Any) -> tuple[str, Configuration] | None:
    launchers = getattr(autotuner, "launchers", ())
    config = getattr(launchers[0], "config", None) if len(launchers) == 1 else None
    try:
        text = Path(autotuner.filename).read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError):  # a user's own kernel may have no file
        return None
    return None if config is None else (digest(text), configuration(config))


def configuration(config: Any) -> Configuration:
    """One of Triton's configs as the catalog writes it."""
    found = {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}
    return {name: value for name, value in found.items() if type(value) is int}


def pin(autotuner: Any, kept: Mapping[str, int]) -> None:
    """Leave an autotuner that is compiled no other choice than what was kept elsewhere; all of them, where that is none of its own."""
    launchers = [one for one in getattr(autotuner, "launchers", ()) if configuration(one.config) == kept]
    if launchers:
        autotuner.launchers = launchers[:1]


def digest(text: str) -> str:
    """The key of a kernel's text."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def with_configurations(found: Capture, told: Mapping[str, Configuration]) -> Capture:
    """The capture with what its autotuners kept."""
    kernels: Sequence[Kernel] = [
        replace(kernel, autotuned=told.get(digest(kernel.text), kernel.autotuned)) for kernel in found.kernels
    ]
    return replace(found, kernels=tuple(kernels))
