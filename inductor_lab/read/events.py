"""Why a program has several graphs: what Dynamo logs of graph breaks and recompiles (torch/_dynamo, 2.1 to 2.13).

    Graph break in user code at model.py:6                      Recompiling function forward in model.py:3
    Graph Break Reason: Data-dependent branching                    triggered by the following guard failure(s):
      Explanation: Detected data-dependent branching ...            - 0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9
      Hint: Use `torch.cond` ...
    User code traceback: ...

A trace has the same text of a break, and of a recompile the failed guards alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from inductor_lab.read.provenance import stack
from inductor_lab.records import CompileEvent, SourceLine

_BREAK = re.compile(r"Graph break\b.*?(?: at (?P<file>\S.*?):(?P<line>\d+))?:?$")
_REASON = re.compile(r"(?:Graph Break )?Reason: ?(?P<reason>.*)$", re.IGNORECASE)
_CALLING = "Encountered graph break when attempting to trace"
"""A reason that only says which instruction it was: the sentence below it is the reason."""
_FUNCTION = re.compile(r"Recompiling function (?P<name>\S+) in (?P<file>.+):(?P<line>\d+)$")
_GUARD = re.compile(r"\s*-? ?(?P<guard>!?\d+/\d\S*: .+)$")
_TRACEBACK = ("User code traceback:", "Traceback (most recent call last):", "The above exception")


def graph_break(text: str) -> tuple[CompileEvent, ...]:
    """Read one message on a graph break.

    Raises:
        ValueError: it is none.
    """
    lines = text.splitlines()
    found = _BREAK.match(lines[0]) if lines else None
    if found is None:
        raise ValueError("a message on a graph break that does not begin as one")
    end = next((n for n, line in enumerate(lines) if line.startswith(_TRACEBACK)), len(lines))
    frames = _frames(lines[end:])
    place = (found["file"], int(found["line"])) if found["file"] else None
    source = next((frame for frame in reversed(frames) if place in (None, (frame.file, frame.line))), None)
    if source is None and place:
        source = SourceLine(*place, "")
    told = lines[1:end]
    return (
        CompileEvent(
            kind="graph_break",
            where=source.place if source else "",
            reason=_reason(told),
            source=source,
            hints=tuple(_labelled(told, "Hint: ")),
            stack=frames,
        ),
    )


def recompile(text: str) -> tuple[CompileEvent, ...]:
    """Read one message on a recompile: a log's, which names the function, or a trace's.

    Raises:
        ValueError: it tells of no guard that failed.
    """
    lines = _lines(text)
    named = next((found for line in lines if (found := _FUNCTION.match(line))), None)
    guards = tuple(dict.fromkeys(_plain(found["guard"]) for line in lines if (found := _GUARD.match(line))))
    if not guards and named is None:
        raise ValueError("a message on a recompile that names no guard")
    source = SourceLine(named["file"], int(named["line"]), "") if named else None
    where = f"{named['name']} ({source.place})" if named and source else ""
    reason = guards[0].partition(": ")[2] if guards else "the text does not say which guard failed"
    frames = tuple(dict.fromkeys(stack("\n".join(re.sub(r"^\s*- ", "", line) for line in lines))))
    return (CompileEvent("recompile", where, reason, source=source, guards=guards, stack=frames),)


def _frames(lines: Iterable[str]) -> tuple[SourceLine, ...]:
    """The user's stack; what follows of Dynamo's own is left out."""
    kept = []
    for number, line in enumerate(lines):
        if number and line.startswith(_TRACEBACK):
            break
        kept.append(line)
    return stack("\n".join(kept))


def _reason(lines: list[str]) -> str:
    """The reason, and its explanation where there is one."""
    first = next((found["reason"].strip() for line in lines if (found := _REASON.match(line))), "")
    sentences = [line.strip() for line in lines if line.strip()]
    if first.startswith(_CALLING):
        below = next((line for line in sentences if not _REASON.match(line) and not line.startswith("Explanation")), "")
        first = below or first
    explained = next(iter(_labelled(lines, "Explanation: ")), "")
    whole = ": ".join(part for part in (first.rstrip(":."), explained) if part)
    return whole or next(iter(sentences), "the text does not say why")


def _labelled(lines: Iterable[str], label: str) -> list[str]:
    """What stands behind a label; a line that is indented deeper goes on with it."""
    return [line.strip()[len(label) :].strip() for line in lines if line.strip().startswith(label)]


def _lines(text: str) -> list[str]:
    """The lines of a message; a trace may have them as a JSON list of texts."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text.splitlines()
    return [line for part in data for line in str(part).splitlines()] if isinstance(data, list) else text.splitlines()


def _plain(guard: str) -> str:
    """`0/1: n == 8.0  # return x * n  # model.py:13 in g`, without the columns of spaces."""
    return re.sub(r"\s{2,}", "  ", guard.strip())
