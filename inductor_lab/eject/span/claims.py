"""The comment above a kernel, as it would be of another launch of its body: Inductor writes it once, for the launch that it generates first.

sum_24 = sum(mul_61, [0, 1, 2]) of mul_61      of a later launch, which is given mul_77: sum_31 = sum(mul_77, [0, 1, 2])
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.records import Claim, Kernel, Launch, Node

NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w*=)")
"""A name in a call, no part of an operator's and no keyword."""


def is_claimed(kernel: Kernel, launch: Launch) -> bool:
    """Whether the comment is of this launch."""
    first = kernel.launches[0]
    return (first.graph, first.line) == (launch.graph, launch.line) or launch.provenance.nodes == kernel.claim.nodes


def of_launch(kernel: Kernel, launch: Launch, nodes: Mapping[str, Node], known: Mapping[str, str]) -> Claim:
    """The claim with this launch's nodes; one that claims nothing where they are not known.

    Args:
        nodes: Of the graph, by name.
        known: What the first launch reads -> what this one reads in its place, as far as that is known.
    """
    if is_claimed(kernel, launch):
        return kernel.claim
    claim, own = kernel.claim, launch.provenance.nodes
    names = _matched(claim, own, nodes) if len(own) == len(claim.nodes) else _followed(claim, known, nodes)
    if not names:
        return Claim()
    first = {argument.name: argument.value for argument in kernel.launches[0].arguments}
    names |= {first[argument.name]: argument.value for argument in launch.arguments if argument.name in first}
    inputs, made, outputs = (
        tuple(names[name] for name in told if name in names) for told in (claim.inputs, claim.nodes, claim.outputs)
    )
    return replace(claim, inputs=inputs, nodes=made, outputs=outputs, fragment=())


def _matched(claim: Claim, own: tuple[str, ...], nodes: Mapping[str, Node]) -> dict[str, str]:
    """Name -> name, where the launch's nodes are known, in the same order; none where they are not alike."""
    names = dict(zip(claim.nodes, own, strict=True))
    for name, other in [*names.items()]:
        node, its = nodes.get(name), nodes.get(other)
        if node is None or its is None or (node.target, len(node.arguments)) != (its.target, len(its.arguments)):
            return {}
        pairs = zip(node.arguments, its.arguments, strict=True)
        if any(names.setdefault(argument, given) != given for argument, given in pairs):
            return {}
    return names


def _followed(claim: Claim, known: Mapping[str, str], nodes: Mapping[str, Node]) -> dict[str, str]:
    """The same from what is read on: each node is the graph's that makes the same call of them; none where one is not there."""
    names, calls = dict(known), {node.call: node.name for node in nodes.values() if node.arguments}
    for name in claim.nodes:
        node = nodes.get(name)
        if node is None or not node.arguments or not names.keys() >= {*node.arguments}:
            return {}
        made = calls.get(NAME.sub(lambda said: names.get(said[0], said[0]), node.call))
        if made is None:
            return {}
        names[name] = made
    return names
