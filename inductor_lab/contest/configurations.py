"""The configurations of both kernels of a file: what each states, and the generated kernel's in the hand kernel's own names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType

from inductor_lab.tuning.settings import kind_of

WARPS = 4
"""Triton's own, where a launcher states none. What stages default to depends on the card."""


def settings_of(launcher: Callable[..., object]) -> dict[str, int]:
    """Blocks, warps and stages that a launcher states: the numbers that its parameters default to."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(launcher).parameters.items()
        if kind_of(name) and type(parameter.default) is int
    }


def both(module: ModuleType) -> dict[str, dict[str, int]]:
    """What the hand and the generated kernel of a file are launched under."""
    return {"hand": settings_of(module.launch), "generated": settings_of(module.launch_generated)}


def matching(module: ModuleType) -> tuple[dict[str, int] | None, str]:
    """The generated kernel's configuration in the names of the hand kernel; None, and why, where the hand kernel can not take it."""
    hand, generated = settings_of(module.launch), settings_of(module.launch_generated)
    names: Mapping[str, str] = getattr(module, "ORIGIN", {}).get("blocks") or {}
    wanted = {names.get(name, name): value for name, value in generated.items()}
    several = [names[name] for name, value in generated.items() if name in names and wanted[names[name]] != value]
    if several:
        return (
            None,
            f"The generated kernels have several {' and '.join(dict.fromkeys(several))}, so both can not run under one configuration.",
        )
    lacking = [name for name, value in wanted.items() if name not in hand and not _is_default(name, value)]
    if lacking:
        return (
            None,
            f"The hand kernel takes no {' and no '.join(lacking)}, so both can not run under one configuration.",
        )
    own = [name for name, value in hand.items() if name not in wanted and not _is_default(name, value)]
    if own:
        return None, f"The generated kernel has no {' and no '.join(own)}, so both can not run under one configuration."
    return {name: value for name, value in wanted.items() if name in hand}, ""


def _is_default(name: str, value: int) -> bool:
    return kind_of(name) == "num_warps" and value == WARPS
