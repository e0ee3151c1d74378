"""Which nodes of the graph a template's pointers hold: the operands of its product, what its epilogue reads, and what that leaves.

A template's loop is not read as a tree, so the order of its loads is not known. But its operands come first in its signature, its claim
names what it reads in that order, and the product is the one among the claimed that follows from what is read.

    convolution = aten.convolution(getitem, arg21_1, ...)        arg_A = buf4: getitem      arg_B = arg21_1
    relu_3 = aten.relu(... + convolution)                        out_ptr2 = buf13: relu_3

It is a guess as far as the claim is: the judge holds the kernel to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from inductor_lab.aten import PRODUCTS
from inductor_lab.bind.dependencies import computable, fits, leaving, operator, same_shape
from inductor_lab.computation import Computation
from inductor_lab.computation.tree import Expression
from inductor_lab.records import Argument, Kernel, LaunchArgument, Node


def own(kernel: Kernel, nodes: Mapping[str, Node], read: Mapping[str, str]) -> frozenset[str]:
    """The claimed products that the kernel does not read: those that it can compute itself."""
    return frozenset(_claimed(kernel, nodes)) - set(read.values())


def read(
    kernel: Kernel,
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    likely: set[str],
) -> dict[str, str]:
    """Parameter -> node whose value it holds before the launch: an input of the graph, else a node that the claim lists.

    The claim lists a buffer of which the graph has no name by its own: an operand is then a copy in another layout, and what the epilogue
    reads is another launch's product.
    """
    found: dict[str, str] = {}
    unknown: list[str] = []
    for name, pointer in pointers.items():
        if pointer.role == "out":
            continue
        argument = passed[name]
        reused = pointer.role == "inout" and argument.storage in kernel.claim.inputs  # else it was written over before
        variable = argument.storage if reused else argument.value
        node = nodes.get(variable)
        if node is not None and node.target == "placeholder" and fits(node, argument.type, pointer.dtype):
            found[name] = variable
        else:
            unknown.append(name)
    made_here = {*kernel.claim.nodes} & {*kernel.claim.outputs}
    listed = [name for name in kernel.claim.inputs if name in nodes.keys() - made_here - {*found.values()}]
    told = [name for name in unknown if passed[name].value not in {*kernel.claim.inputs} - nodes.keys()]
    _take(told, listed, pointers, passed, nodes, found, likely)
    operands = [name for name in unknown if name not in found and name.startswith("arg_")]
    _take(operands, _operands(kernel, nodes, found), pointers, passed, nodes, found, likely, copied=True)
    others = [name for name in unknown if name not in found]
    _take(others, _others(kernel, nodes, found), pointers, passed, nodes, found, likely)
    return {name: found[name] for name in pointers if name in found}


def _take(
    unknown: Sequence[str],
    candidates: Sequence[str],
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    found: dict[str, str],
    likely: set[str],
    copied: bool = False,
) -> None:
    """Give each pointer of which nothing is known the first candidate that fits, one of its own shape before others.

    Args:
        copied: Only one of its own shape: it is the same tensor, laid out anew.
    """
    for name in unknown:
        wanted = passed[name].type
        fitting = [c for c in candidates if c not in found.values() and fits(nodes[c], wanted, pointers[name].dtype)]
        exact = [c for c in fitting if same_shape(nodes[c], wanted)]
        chosen = exact if exact or copied else fitting
        if chosen:
            found[name] = chosen[0]
            if len(chosen) > 1:
                likely.add(name)


def _claimed(kernel: Kernel, nodes: Mapping[str, Node]) -> list[str]:
    return [name for name in kernel.claim.nodes if name in nodes and operator(nodes[name]) in PRODUCTS]


def _others(kernel: Kernel, nodes: Mapping[str, Node], found: Mapping[str, str]) -> list[str]:
    """Claimed products of what the kernel does not read: another launch's, of which this one is given the result."""
    held, claimed = set(found.values()), _claimed(kernel, nodes)
    return [name for name in claimed if not computable(name, nodes, held, claimed)]


def _operands(kernel: Kernel, nodes: Mapping[str, Node], found: Mapping[str, str]) -> list[str]:
    """What the claimed products are made of, first those of which an operand is read: a copy in another layout has no name in the graph."""
    held = set(found.values())
    products = sorted(_claimed(kernel, nodes), key=lambda name: held.isdisjoint(nodes[name].arguments))
    return [a for name in products for a in nodes[name].arguments if a in nodes.keys() - held]


def written(
    kernel: Kernel,
    pointers: Mapping[str, Argument],
    passed: Mapping[str, LaunchArgument],
    nodes: Mapping[str, Node],
    read: Mapping[str, str],
    outputs: Collection[str],
    found: Computation,
    likely: set[str],
) -> dict[str, str]:
    """Parameter -> node whose value it holds afterwards: of the claimed ones that follow from what is read, the last that others need."""
    held, products = set(read.values()), own(kernel, nodes, read)
    possible = [
        name
        for name in nodes
        if name in {*kernel.claim.nodes, *kernel.claim.outputs} - held and computable(name, nodes, held, products)
    ]
    needed = leaving({*possible}, nodes, outputs)
    values = _values(found)
    tied: dict[str, str] = {}
    for name, pointer in reversed(list(pointers.items())):
        if pointer.role == "in":
            continue
        same = [other for other in tied if name in values and values[other] is values[name]]
        if same:  # one value in two buffers
            tied[name] = tied[same[0]]
            continue
        fitting = [n for n in possible if fits(nodes[n], passed[name].type, pointer.dtype) and n not in tied.values()]
        leave = [n for n in fitting if n in needed] or fitting
        if len(leave) > 1:
            likely.add(name)
        if leave:
            tied[name] = leave[-1]
    return {name: tied[name] for name in pointers if name in tied}


def _values(found: Computation) -> dict[str, Expression]:
    """Pointer -> the value that is stored to it, as far as the body tells it."""
    stores = [access for part in found.every() for access in part.stores]
    return {access.pointer: access.value for access in stores if access.value is not None}
