"""What a template places, as Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inductor_lab.eject.header import quoted


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
