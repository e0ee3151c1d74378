"""Long lists of a span's functions on as many lines as they need, the settings of one kernel together.

def launch(
    index, table, table_2, out,
    *,
    embedding_BLOCK=128, embedding_num_warps=4, embedding_num_stages=1,
    gelu_BLOCK=1024, gelu_num_warps=4, gelu_num_stages=1,
):
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from inductor_lab.eject.file.literals import tuple_of
from inductor_lab.eject.file.wrapping import WIDTH

INDENT = " " * 4
ROOM = "WRITTEN = "
HEAD = "def launch_generated():"


def taken(tensors: Sequence[str], settings: Iterable[Mapping[str, object]]) -> str:
    """What stands between the brackets of a function that takes tensors and settings.

    Args:
        settings: Of each kernel.
    """
    own = [[f"{key}={value}" for key, value in one.items()] for one in settings if one]
    whole = ", ".join([*tensors, *(["*"] if own else []), *(word for words in own for word in words)])
    if len(HEAD) + len(whole) <= WIDTH:
        return whole
    lines = [*_rows(tensors), *([f"{INDENT}*,"] if own else []), *(line for words in own for line in _rows(words))]
    return "\n".join(["", *lines, ""])


def called(call: str, settings: Sequence[str]) -> list[str]:
    """A call with its settings behind what it is given, on lines of their own where both do not go on one."""
    whole = f"{call[:-1]}, {', '.join(settings)})" if settings else call
    name, _, given = call[:-1].partition("(")
    words = _words(given)
    if 2 * len(INDENT) + len(whole) <= WIDTH or any(2 * len(INDENT) + len(word) >= WIDTH for word in words):
        return [whole]
    return [f"{name}(", *_rows(words), *_rows(settings), ")"]


def _words(given: str) -> list[str]:
    """What a call is given, at its outer commas."""
    words, depth = [""], 0
    for character in given:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            words.append("")
        else:
            words[-1] += character
    return [word.strip() for word in words]


def returned(names: Sequence[str]) -> str:
    """What a function returns, inside of it."""
    whole = ", ".join(names)
    return (
        whole
        if len("    return ") + len(whole) <= WIDTH
        else "\n".join(["(", *(INDENT + row for row in _rows(names)), INDENT + ")"])
    )


def listed_names(names: Sequence[str]) -> str:
    """A tuple of texts."""
    words = [f'"{name}"' for name in names]
    whole = tuple_of(words)
    return whole if len(whole) + len(ROOM) <= WIDTH else "\n".join(["(", *_rows(words), ")"])


def _rows(words: Iterable[str]) -> Iterator[str]:
    """Words, each with its comma, as many on a line as go there."""
    line = ""
    for word in words:
        if line and 2 * len(INDENT) + len(line) + len(word) + 2 > WIDTH:
            yield INDENT + line
            line = ""
        line += f"{' ' if line else ''}{word},"
    if line:
        yield INDENT + line
