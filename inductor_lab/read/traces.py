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

from inductor_lab.read.artifacts import EVENTS

_HEADER = re.compile(r"[VDIWEC]\d{4} [\d:.]+ (?P<thread>\d+) ?[^\]]{0,500}?:\d+\] \{")
_NAMED = re.compile("|".join(f'"{name}"' for name in EVENTS))
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
    named = _NAMED.search(line)
    if named is None:
        return None
    match = _HEADER.search(line, 0, 2000)
    if match is None:
        return None
    try:
        if len(line) > _LONGEST:
            raise ValueError("longer than 1 MiB")
        header = json.loads(line[match.end() - 1 :])
    except (ValueError, RecursionError) as error:
        found = f"the header of an event is not whole JSON ({type(error).__name__}): its text was read without it"
        return Event(EVENTS[named[0].strip('"')], match["thread"], "", found, line[: match.start()])
    name = _name(header)
    if name is None or "has_payload" not in header:
        return None
    compile_id = _compile_id(header)
    rank = header.get("rank", "")
    lead = line[: match.start()]
    return Event(EVENTS[name], f"{lead}{rank} {match['thread']} {compile_id}", compile_id, lead=lead)


def _name(header: dict[str, Any]) -> str | None:
    for key in ("artifact", "graph_dump"):
        inner = header.get(key)
        if isinstance(inner, dict):
            return inner["name"] if inner.get("name") in EVENTS else None
    return next((name for name in EVENTS if name in header), None)


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
