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

from inductor_lab.eject.wrapping import WIDTH

INDENT = " " * 4
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
    """A call with its settings behind what it is given, on a line of their own where both do not go on one."""
    whole = f"{call[:-1]}, {', '.join(settings)})" if settings else call
    if len(whole) + 2 * len(INDENT) <= WIDTH or not settings:
        return [whole]
    name, _, given = call[:-1].partition("(")
    return [f"{name}(", *_rows([given]), *_rows(settings), ")"]


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
