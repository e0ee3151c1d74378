"""A profile that torch.profiler exported, as times by the kernel's name. The file is read elsewhere: here is what its JSON says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inductor_lab.errors import LabError


@dataclass(frozen=True)
class Seen:
    """Kernels of one name in a profile."""

    count: int
    seconds: float
    """Of all together."""


@dataclass(frozen=True)
class Profile:
    """What ran on the card."""

    file: str
    """As it was given: the page names it, for Perfetto."""
    kernels: Mapping[str, Seen]


def profile(document: Any, file: str) -> Profile:
    """Of a trace in Chrome's format, as `torch.profiler.profile.export_chrome_trace` writes it.

    Raises:
        LabError: it is no such trace, or no kernel ran in it.
    """
    events = document.get("traceEvents") if isinstance(document, Mapping) else document
    if not isinstance(events, list):
        raise LabError(f"{file} is no profile: export one with torch.profiler's export_chrome_trace.")
    found: dict[str, Seen] = {}
    for name, seconds in _kernels(events):
        before = found.get(name, Seen(0, 0.0))
        found[name] = Seen(before.count + 1, before.seconds + seconds)
    if not found:
        raise LabError(f"{file} holds no kernel that ran on a GPU: profile with ProfilerActivity.CUDA.")
    return Profile(file, found)


def _kernels(events: Iterable[Any]) -> Iterable[tuple[str, float]]:
    """Name and seconds of every kernel that ran."""
    for event in events:
        if isinstance(event, Mapping) and event.get("cat") == "kernel":
            name, microseconds = event.get("name"), event.get("dur")
            if isinstance(name, str) and isinstance(microseconds, int | float):
                yield name, microseconds * 1e-6
