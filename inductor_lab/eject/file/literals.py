"""Writes values as Python literals for the templates: strings, numbers, names, tuples, and long lists over several lines.

def launch(
    index, table, table_2, out,
    *,
    embedding_BLOCK=128, embedding_num_warps=4, embedding_num_stages=1,
    gelu_BLOCK=1024, gelu_num_warps=4, gelu_num_stages=1,
):
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from inductor_lab.eject.file.wrapping import WIDTH


def quoted(text: str) -> str:
    """A log's text as it may stand in a docstring: it can neither end it nor escape out of a character."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.replace("\\", "\\\\").replace('"""', "'''")


def literal(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def in_quotes(text: str) -> str:
    """The same between two quotation marks."""
    return quoted(text).replace('"', "'")


def keywords(values: Mapping[str, object]) -> list[str]:
    """Parameters that are passed by name, after a star."""
    return ["*", *(f"{name}={value}" for name, value in values.items())] if values else []


def tuple_of(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ------------------------------------------------------------ on as many lines as they need


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


def called(function: str, given: Sequence[str], settings: Sequence[str]) -> list[str]:
    """A call with its settings behind what it is given, on lines of their own where both do not go on one."""
    whole = f"{function}({', '.join([*given, *settings])})"
    if 2 * len(INDENT) + len(whole) <= WIDTH or any(2 * len(INDENT) + len(word) >= WIDTH for word in given):
        return [whole]
    return [f"{function}(", *_rows(given), *_rows(settings), ")"]


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
