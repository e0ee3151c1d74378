"""Inputs and users of each graph node, and whether a tensor of a launch can hold it, by dtype and number of elements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod

from inductor_lab.aten import COPIES, EXTERN, VIEWS
from inductor_lab.records import Argument, Kernel, LaunchArgument, Node, TensorType


def operator(node: Node) -> str:
    """`add` of `aten.add.Tensor`."""
    parts = node.target.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def is_part(node: Node, of: str, place: int | str) -> bool:
    """Whether a node is one result of another, `of[place]`."""
    return node.arguments == (of,) and str(node.part) == str(place)


def ancestors(names: Iterable[str], nodes: Mapping[str, Node]) -> list[str]:
    """What nodes are made of, nearest first, also names that are not there."""
    seen: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        for argument in nodes[waiting.pop()].arguments:
            if argument in nodes and argument not in seen:
                waiting.append(argument)
            seen[argument] = None
    return list(seen)


def missing(names: Iterable[str], nodes: Mapping[str, Node]) -> str:
    """A node that values are made of and that is not there: a comment's fragment leaves out `getitem`. Empty where all are."""
    return next((name for name in ancestors(names, nodes) if name not in nodes), "")


def leaving(claimed: set[str], nodes: Mapping[str, Node], outputs: Collection[str]) -> set[str]:
    """Claimed nodes that someone outside the kernel needs, as themselves or as a view."""
    users: dict[str, set[str]] = {name: set() for name in nodes}
    for node in nodes.values():
        for argument in node.arguments:
            if argument in users:  # a comment's fragment names nodes that it does not hold
                users[argument].add(node.name)

    def leaves(name: str) -> bool:
        views = {user for user in users[name] if operator(nodes[user]) in VIEWS}
        return (
            name in outputs
            or not users[name]
            or bool(users[name] - claimed - views)
            or any(leaves(user) for user in views)
        )

    return {name for name in claimed if name in nodes and leaves(name)}


def fits(node: Node, wanted: TensorType | None, dtype: str) -> bool:
    """Whether a node's value can lie in a tensor: the dtype and the number of elements."""
    if node.type is None or node.type.dtype != dtype:
        return False
    return wanted is None or elements(node.type) == elements(wanted)


def same_shape(node: Node, wanted: TensorType | None) -> bool:
    """Whether it lies there as the graph sees it."""
    return wanted is None or node.type is None or _sizes(node.type) == _sizes(wanted)


@dataclass(frozen=True)
class Pointers:
    """The pointers of one launch, and the nodes that they may hold."""

    kernel: Kernel
    pointers: Mapping[str, Argument]
    passed: Mapping[str, LaunchArgument]
    nodes: Mapping[str, Node]

    def fits(self, name: str, node: str) -> bool:
        """Whether a node's value can lie in a pointer's tensor: the dtype and the number of elements."""
        return fits(self.nodes[node], self.passed[name].type, self.pointers[name].dtype)

    def is_shaped(self, name: str, node: str) -> bool:
        """Whether it lies there as the graph sees it."""
        return same_shape(self.nodes[node], self.passed[name].type)

    def input(self, name: str) -> str:
        """The input of the graph that a pointer holds before the launch, by its name; empty where it is none."""
        argument = self.passed[name]
        reused = self.pointers[name].role == "inout" and argument.storage in self.kernel.claim.inputs
        variable = argument.storage if reused else argument.value  # else it was written over
        node = self.nodes.get(variable)
        return variable if node and node.target == "placeholder" and self.fits(name, variable) else ""


def elements(type_: TensorType) -> int | tuple[object, ...]:
    """The number of elements; the sorted sizes where some are symbolic."""
    sizes = [size for size in type_.shape if isinstance(size, int)]
    return prod(sizes) if len(sizes) == len(type_.shape) else tuple(sorted(_sizes(type_)))


def _sizes(type_: TensorType) -> list[str]:
    """The wrapper writes `2 * s0` where the graph has `2*s0`."""
    return [str(size).replace(" ", "") for size in type_.shape]


def view_base(name: str, nodes: Mapping[str, Node]) -> str:
    """The node whose elements, all of them, a view or a copy has."""
    node = nodes.get(name)
    while node and operator(node) in VIEWS | COPIES and len(node.arguments) == 1 and node.arguments[0] in nodes:
        inner = nodes[node.arguments[0]]
        if not node.type or not inner.type or elements(node.type) != elements(inner.type):
            break
        node = inner
    return node.name if node else ""


def computable(name: str, nodes: Mapping[str, Node], available: set[str], own: Collection[str]) -> bool:
    """True when a node follows from available ones and sizes without a graph input or a library product that the kernel does not read."""
    sizes = {one for one, node in nodes.items() if node.target == "placeholder" and node.type is None}
    try:
        needed(name, nodes, available | sizes, own)
    except KeyError:
        return False
    return True


def needed(name: str, nodes: Mapping[str, Node], available: Collection[str], own: Collection[str] = ()) -> list[str]:
    """The nodes to compute for `name`, in order, itself last.

    Args:
        own: Products that the kernel computes itself, and numbers that it draws.

    Raises:
        KeyError: it depends on a value that is not available.
    """
    order: list[str] = []
    seen: set[str] = set(available)

    def visit(current: str, top: bool) -> None:
        if current in seen and not top:
            return
        node = nodes[current]
        called = operator(node)
        if (
            node.target == "placeholder"
            or (called in EXTERN and current not in own)
            or called.startswith("_scaled_dot_product")
            or ("rand" in called and current not in own)
        ):
            raise KeyError(current)
        seen.add(current)
        for argument in node.arguments:
            visit(argument, top=False)
        if current not in order:
            order.append(current)

    if name in available and nodes[name].target == "placeholder":
        return []
    visit(name, top=True)
    return order
