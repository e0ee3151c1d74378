"""Provenance as Inductor itself wrote it down: which post-grad nodes and which of the user's stacks each kernel was made of.

With `INDUCTOR_PROVENANCE=1` or TORCH_COMPILE_DEBUG (torch/_inductor/debug.py, 2.7 to 2.13) each graph's module is followed by

    inductor_provenance_tracking_node_mappings        {"cppCodeToPost": {"triton_poi_fused_mul_1:3": ["mul"]}, "postToPre": {"mul": ["x_1"]}, ...}
    inductor_provenance_tracking_kernel_stack_traces  {"triton_poi_fused_mul_1:3": ["  File \\"model.py\\", line 6, in squash\\n    return ...", ...]}

The number is the launch's debug handle, which the wrapper repeats in a comment above the launch; 2.7 and 2.8 wrote names without one.
A backward graph's mapping lists the kernels of its forward again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from inductor_lab.records import SourceLine

_FRAME = re.compile(r'\s*File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in ')

Stack = tuple[SourceLine, ...]


@dataclass(frozen=True)
class NodeMappings:
    """What one or more artifacts say. A kernel's key is `name:handle`, or its name alone."""

    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kernel -> its post-grad nodes, in no order that means anything."""
    pre_grad: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Post-grad node -> the nodes of the user's own graph that it was made of."""
    stacks: Mapping[str, tuple[Stack, ...]] = field(default_factory=dict)
    """Kernel -> the user's stacks, each from the outermost frame to the innermost."""

    def joined(self, other: NodeMappings) -> NodeMappings:
        """Both, where they speak of different things or kernels; the other's where they do not."""
        return NodeMappings(
            {**self.nodes, **other.nodes}, {**self.pre_grad, **other.pre_grad}, {**self.stacks, **other.stacks}
        )

    def keys(self, name: str, handle: int | None) -> tuple[str, ...]:
        """The entries for a launch: its own; else those of its kernel, where nothing tells them apart."""
        exact = name if handle is None else f"{name}:{handle}"
        for key in (exact, name):
            if key in self.nodes or key in self.stacks:
                return (key,)
        if handle is not None:
            return ()
        return tuple(dict.fromkeys(key for key in (*self.nodes, *self.stacks) if key.rpartition(":")[0] == name))


def node_mappings(text: str) -> NodeMappings:
    """Read one artifact of either kind. What does not fit is left out.

    Raises:
        ValueError: the text is not a JSON object.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the provenance artifact is not whole JSON ({type(error).__name__})") from None
    if not isinstance(data, dict):
        raise ValueError("the provenance artifact is not a JSON object")
    if "version" in data or "cppCodeToPost" in data:
        return NodeMappings(dict(_names(data.get("cppCodeToPost"))), dict(_names(data.get("postToPre"))))
    stacks = {str(kernel): tuple(dict.fromkeys(map(stack, texts))) for kernel, texts in _names(data)}
    return NodeMappings(stacks={kernel: tuple(filter(None, found)) for kernel, found in stacks.items()})


def _names(table: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, values in table.items() if isinstance(table, dict) else ():
        if isinstance(values, list):
            yield key, tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def stack(text: str) -> Stack:
    """The frames of a printed stack, outermost first; a frame's second line is its code, lines of carets mark a part of it."""
    lines = text.splitlines()
    frames: list[SourceLine] = []
    for number, line in enumerate(lines):
        found = _FRAME.match(line)
        if found:
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            code = "" if _FRAME.match(after) else after
            frames.append(SourceLine(found["file"], int(found["line"]), code))
    return tuple(frames)
