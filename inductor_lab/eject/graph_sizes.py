"""The symbolic sizes of a graph: which symbol each of its inputs is, what its types are in numbers, and where a tensor tells a symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.sizes import fixed
from inductor_lab.records import Launch, Node, TensorType

SYMBOL = "symbol"
"""The target of a node that is a size."""


def named(nodes: Iterable[Node], module: str) -> Iterator[Node]:
    """The same graph with a symbol, `s77`, in the place of an input that is a size: the wrapper says `s77 = arg0_1`."""
    symbols = {name: symbol for symbol, name in re.findall(r"^\s+([a-z]+\d+) = (\w+)$", module, re.MULTILINE)}
    for node in nodes:
        size = node.target == "placeholder" and node.type is None and node.name in symbols
        yield replace(node, target=SYMBOL, call=symbols[node.name]) if size else node


def in_numbers(type_: TensorType, environment: Mapping[str, int]) -> TensorType:
    """A type with its symbols bound; as it is where one is not known."""
    try:
        return fixed(type_, environment)
    except ValueError:
        return type_


def nodes_in_numbers(nodes: Mapping[str, Node], environment: Mapping[str, int]) -> dict[str, Node]:
    """Nodes whose types are compared with a launch's."""
    return {
        name: replace(node, type=in_numbers(node.type, environment)) if node.type else node
        for name, node in nodes.items()
    }


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
