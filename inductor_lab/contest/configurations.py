"""The configurations of both kernels of a file: what each states, and the generated kernel's in the hand kernel's own names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType

DEFAULTS = {"num_warps": 4}
"""Triton's own, where a launcher states none. Stages are left out: what they default to depends on the card."""


def settings_of(launcher: Callable[..., object]) -> dict[str, int]:
    """Blocks, warps and stages that a launcher states: the numbers that its parameters default to."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(launcher).parameters.items()
        if ("BLOCK" in name or name in ("num_warps", "num_stages")) and type(parameter.default) is int
    }


def both(module: ModuleType) -> dict[str, dict[str, int]]:
    """What the hand and the generated kernel of a file are launched under."""
    return {"hand": settings_of(module.launch), "generated": settings_of(module.launch_generated)}


def matching(module: ModuleType) -> tuple[dict[str, int] | None, str]:
    """The generated kernel's configuration in the names of the hand kernel; None, and why, where the hand kernel can not take it."""
    hand, generated = settings_of(module.launch), settings_of(module.launch_generated)
    names: Mapping[str, str] = getattr(module, "ORIGIN", {}).get("blocks") or {}
    wanted = {names.get(name, name): value for name, value in generated.items()}
    lacking = [
        name
        for name, value in wanted.items()
        if name not in hand and not (name in DEFAULTS and DEFAULTS[name] == value)
    ]
    if lacking:
        return (
            None,
            f"The hand kernel takes no {' and no '.join(lacking)}, so both can not run under one configuration.",
        )
    own = [name for name in hand if name not in wanted and not (name in DEFAULTS and DEFAULTS[name] == hand[name])]
    if own:
        return None, f"The generated kernel has no {' and no '.join(own)}, so both can not run under one configuration."
    return {name: value for name, value in wanted.items() if name in hand}, ""
