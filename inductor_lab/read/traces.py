"""TORCH_TRACE: one line of JSON for each event, and below it the event's text, each line behind a tab (`trace_structured`, torch/_logging).

    V1120 09:28:41.456000 463 torch/_inductor/graph.py:2575] {"inductor_output_code": {"filename": ...}, ..., "has_payload": "MD5"}
        # AOT ID: ['0_inference']

The MD5 is not checked: traces are handed on with names and paths taken out, which leaves the code whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_HEADER = re.compile(r"[VDIWEC]\d{4} [\d:.]+ (?P<thread>\d+) ?[^\]]{0,500}?:\d+\] \{")
KINDS = {
    "inductor_output_code": "output_code",
    "inductor_aot_wrapper_code": "output_code",
    "inductor_post_grad_graph": "post_grad_graphs",
    "after_post_grad_graph": "post_grad_graphs",
    "inductor_provenance_tracking_node_mappings": "provenance",
    "inductor_provenance_tracking_kernel_stack_traces": "provenance",
}
"""Events by the name that they stand under: a key, an artifact's name or a dump's name, by version."""
_LONGEST = 1 << 20


@dataclass(frozen=True)
class Event:
    """One event whose text we want."""

    kind: str
    stream: str
    compile_id: str
    problem: str = ""
    lead: str = ""
    """What a launcher wrote before the line: it stands before each line of the text too."""


def event(line: str) -> Event | None:
    """The event that a header announces; None for any other line and for events that hold no code."""
    if "inductor_" not in line and "after_post_grad_graph" not in line:
        return None
    match = _HEADER.search(line, 0, 2000)
    if match is None:
        return None
    try:
        if len(line) > _LONGEST:
            raise ValueError("longer than 1 MiB")
        header = json.loads(line[match.end() - 1 :])
    except (ValueError, RecursionError) as error:
        named = next((name for name in KINDS if f'"{name}"' in line), None)
        found = f"the header of an event is not whole JSON ({type(error).__name__}): its text was read without it"
        return Event(KINDS[named], match["thread"], "", found, line[: match.start()]) if named else None
    name = _name(header)
    if name is None or "has_payload" not in header:
        return None
    compile_id = _compile_id(header)
    rank = header.get("rank", "")
    lead = line[: match.start()]
    return Event(KINDS[name], f"{lead}{rank} {match['thread']} {compile_id}", compile_id, lead=lead)


def _name(header: dict[str, Any]) -> str | None:
    for key in ("artifact", "graph_dump"):
        inner = header.get(key)
        if isinstance(inner, dict):
            return inner["name"] if inner.get("name") in KINDS else None
    return next((name for name in KINDS if name in header), None)


def _compile_id(header: dict[str, Any]) -> str:
    """`0/0`, `!1/0/0` under compiled autograd, `0/0_1` for a second attempt, as `torch._guards.CompileId` prints them."""
    if header.get("frame_id") is None:
        return ""
    autograd = header.get("compiled_autograd_id")
    attempt = header.get("attempt")
    return (
        ("" if autograd is None else f"!{autograd}/")
        + f"{header['frame_id']}/{header.get('frame_compile_id', 0)}"
        + (f"_{attempt}" if attempt else "")
    )
