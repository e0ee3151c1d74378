"""What Inductor's autotuner kept of each kernel on the card, and what it timed: the blocks, warps and stages, which no log tells.

Seen at a kernel's first run (`CachingAutotuner.run` in torch/_inductor/runtime/triton_heuristics.py), because most autotuners come unpickled
from a process that only compiles. A kernel is known by the text of its file, which is the text that the module defines it by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

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
        CachingAutotuner.run = run  # type: ignore[method-assign]


def _kept(autotuner: Any) -> tuple[str, Configuration] | None:
    launchers = getattr(autotuner, "launchers", ())
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
