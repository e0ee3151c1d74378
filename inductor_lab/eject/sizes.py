"""The symbols of a launch's sizes: which there are, what each was when the graph was compiled, and a type with its symbols bound.

Fixed sizes are the case in which nothing is left to bind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from inductor_lab.records import Graph, LaunchArgument, TensorType
from inductor_lab.records.size import Size

UNHINTED = 24
"""What a symbol is taken for where the text tells no value of it."""


def hints(graph: Graph) -> dict[str, int]:
    """What the symbols of a graph were when it was compiled: from the inputs that Inductor writes for its own benchmark."""
    given = {name: int(value) for name, value in re.findall(r"^ {4}(\w+) = (\d+)$", graph.module, re.MULTILINE)}
    named = re.findall(r"^\s+([a-z]\w*) = (\w+)$", graph.module, re.MULTILINE)
    return given | {symbol: given[name] for symbol, name in named if name in given}


def environment(symbols: Iterable[str], known: Mapping[str, int]) -> dict[str, int]:
    """A value for every symbol; different ones for those of which nothing is known."""
    found: dict[str, int] = {}
    for symbol in sorted(symbols):
        found[symbol] = known.get(symbol, UNHINTED + 8 * len(found))
    return found


def symbols(arguments: Iterable[LaunchArgument]) -> set[str]:
    """The symbols of the shapes, strides and sizes of one launch; a tensor whose value is asked for, `buf3.item()`, is none."""
    found: set[str] = set()
    for argument in arguments:
        sizes = [argument.value] if argument.type is None else [*argument.type.shape, *argument.type.stride]
        for size in sizes:
            named = Size.of(size).symbols
            found |= {name for name in named if re.fullmatch(r"(?!buf|arg|primals|tangents)[a-z]+\w*\d+", name)}
    return found


def fixed(type_: TensorType, environment: Mapping[str, int]) -> TensorType:
    """A tensor's type with its symbols bound."""
    return TensorType(
        type_.dtype,
        tuple(Size.of(size).bound(environment) for size in type_.shape),
        tuple(Size.of(size).bound(environment) for size in type_.stride),
    )
