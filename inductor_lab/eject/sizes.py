"""Symbolic sizes of a launch: which symbols it has, the number of each at compile time, and which tensor's shape tells it.

Fixed sizes are the case in which nothing is left to bind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.records import Graph, Launch, LaunchArgument, Node, TensorType
from inductor_lab.records.size import Size

UNHINTED = 24
"""What a symbol is taken for where the text tells no value of it."""


def hints(graph: Graph) -> dict[str, int]:
    """What the symbols of a graph were when it was compiled: from the inputs that Inductor writes for its own benchmark."""
    return {**_hints(graph.module)}


@lru_cache(maxsize=4)
def _hints(module: str) -> dict[str, int]:
    """Of a text that may have megabytes, and of which many kernels are ejected one after the other."""
    given = {name: int(value) for name, value in re.findall(r"^ {4}(\w+) = (\d+)$", module, re.MULTILINE)}
    named = re.findall(r"^\s+([a-z]\w*) = (\w+)$", module, re.MULTILINE)
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
    """A tensor's type with its symbols bound; the same where it has none."""
    if not any(isinstance(size, str) for size in (*type_.shape, *type_.stride)):
        return type_
    return TensorType(
        type_.dtype,
        tuple(Size.of(size).bound(environment) for size in type_.shape),
        tuple(Size.of(size).bound(environment) for size in type_.stride),
    )


SYMBOL = "symbol"
"""The target of a node that is a size."""


def named(nodes: Iterable[Node], module: str) -> Iterator[Node]:
    """The same graph with a symbol, `s77`, in the place of an input that is a size: the wrapper says `s77 = arg0_1`."""
    symbols = _symbols(module)
    for node in nodes:
        size = node.target == "placeholder" and node.type is None and node.name in symbols
        yield replace(node, target=SYMBOL, call=symbols[node.name]) if size else node


@lru_cache(maxsize=4)
def _symbols(module: str) -> dict[str, str]:
    """What the wrapper calls an input that is a size -> the symbol."""
    return {name: symbol for symbol, name in re.findall(r"^\s+([a-z]+\d+) = (\w+)$", module, re.MULTILINE)}


def in_numbers(type_: TensorType, environment: Mapping[str, int]) -> TensorType:
    """A type with its symbols bound; as it is where one is not known."""
    try:
        return fixed(type_, environment)
    except ValueError:
        return type_


def nodes_in_numbers(nodes: Mapping[str, Node], environment: Mapping[str, int]) -> dict[str, Node]:
    """Nodes whose types are compared with a launch's."""

    def in_number(node: Node) -> Node:
        type_ = in_numbers(node.type, environment) if node.type else None
        return node if type_ is node.type else replace(node, type=type_)

    return {name: in_number(node) for name, node in nodes.items()}


def launch_in_numbers(launch: Launch, environment: Mapping[str, int]) -> Launch:
    arguments = (
        replace(argument, type=in_numbers(argument.type, environment)) if argument.type else argument
        for argument in launch.arguments
    )
    return replace(launch, arguments=tuple(arguments))


def told(tensors: Iterable[Tensor], symbols: Iterable[str]) -> dict[str, str]:
    """Where each symbol is found in a tensor: as a size, else as a stride."""
    found: dict[str, str] = {}
    types = [(tensor.name, tensor.symbolic) for tensor in tensors if tensor.symbolic is not None]
    for symbol in symbols:
        for name, type_ in types:
            if symbol in found:
                break
            if symbol in type_.shape:
                found[symbol] = f"{name}.shape[{type_.shape.index(symbol)}]"
            elif symbol in type_.stride:
                found[symbol] = f"{name}.stride({type_.stride.index(symbol)})"
    return found
