"""What speaks for a configuration, as the sentence that stands above `launch`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from inductor_lab.records import Timing
from inductor_lab.tuning.settings import told
from inductor_lab.tuning.timing import Rival


def evidence(
    device: str,
    present: Mapping[str, int],
    chosen: Mapping[str, int],
    rival: Rival | None,
    tried: int,
    of: int,
    elsewhere: bool,
) -> str:
    """When, where, what against what, and what was measured.

    Args:
        elsewhere: Whether it was verified under other blocks than these.
    """
    import torch
    import triton

    when = f"{datetime.now(UTC):%Y-%m-%d}, {device}, torch {torch.__version__}, triton {triton.__version__}"
    changed = {name: value for name, value in chosen.items() if value != present[name]}
    was = {name: present[name] for name in changed}
    if rival is None:
        return (
            f"{when}: {told(changed)} (was {told(was)}) by what the compiler made of {tried} of {of} configurations; nothing was timed. "
            + ("Verified under larger blocks, which the interpreter is faster at." if elsewhere else "Verified.")
        )
    low, high = rival.compared.interval
    return (
        f"{when}: {told(changed)} (was {told(was)}), the fastest of {of} configurations, {tried} of them timed: {_time(rival.timing)}, "
        f"before {_time(rival.before)}; {rival.compared.ratio:.3f}x (95 %: {low:.3f} to {high:.3f}). Verified."
    )


def _time(timing: Timing) -> str:
    low, high = timing.interval
    return f"{timing.median:.2f} us ({low:.2f} to {high:.2f})"
