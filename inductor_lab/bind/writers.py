"""Which node of the graph each variable of the wrapper holds when a launch begins, as the launch or the library call says that wrote it.

    triton_poi_fused_add_mul_16.run(buf15, buf19, ...)      return %add_40, %add_44      buf15: add_40, buf19: add_44

A fragment's `return` names what its launch writes in the order of the buffers. It is a claim of the first launch of a body alone: what another
launch writes is not known here, and neither is what is passed as a part of a variable's memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from inductor_lab.aten import COPIES, VIEWS
from inductor_lab.bind.made_of import elements, operator
from inductor_lab.records import Capture, ExternCall, Kernel, Launch, Node


def written_before(
    capture: Capture, launch: Launch, variables: Collection[str], nodes: Mapping[str, Node]
) -> dict[str, str]:
    """Variable -> node, for what the last step of the launch's graph before it has written there, where that is known."""
    steps: dict[str, tuple[int, Kernel | ExternCall]] = {}
    for call in capture.extern_calls:
        if call.graph == launch.graph and call.line < launch.line:
            for output in call.outputs:
                if output.value in variables:
                    steps[output.value] = max(steps.get(output.value, (0, call)), (call.line, call), key=_line)
    for kernel in capture.kernels:
        roles = {one.name: one.role for one in kernel.arguments if one.pointer}
        for one in kernel.launches:
            if one.graph == launch.graph and one.line < launch.line:
                for argument in one.arguments:
                    if argument.value in variables and roles.get(argument.name, "in") != "in":
                        last = steps.get(argument.value, (0, kernel))
                        steps[argument.value] = max(last, (one.line, kernel), key=_line)
    found = {
        variable: _called(variable, step, nodes) if isinstance(step, ExternCall) else _launched(variable, line, step)
        for variable, (line, step) in steps.items()
    }
    return {variable: name for variable, name in found.items() if name in nodes}


def _line(step: tuple[int, Kernel | ExternCall]) -> int:
    return step[0]


def _launched(variable: str, line: int, kernel: Kernel) -> str:
    """What the fragment returns for a variable, where that is as much as the launch writes."""
    first = kernel.launches[0]
    pointers = {one.name for one in kernel.arguments if one.pointer and one.role != "in"}
    written = sorted((one.value for one in first.arguments if one.name in pointers), key=number)
    told = kernel.claim.outputs if first.line == line and len(kernel.claim.outputs) == len(written) else ()
    return dict(zip(written, told, strict=False)).get(variable, "")


def _called(variable: str, call: ExternCall, nodes: Mapping[str, Node]) -> str:
    """The node of a library call, or the part of its result that the variable is."""
    (name,) = call.provenance.nodes if len(call.provenance.nodes) == 1 else ("",)
    (place, *_) = (one.name for one in call.outputs if one.value == variable)
    parts = (node.name for node in nodes.values() if node.target == "getitem" and node.call == f"{name}[{place}]")
    return next(parts, "") if place.isdigit() else name


def number(variable: str) -> int:
    """3 of `buf3`; a graph input that is written in place comes last."""
    return int(variable[3:]) if variable[:3] == "buf" and variable[3:].isdigit() else 10**9


def laid(name: str, nodes: Mapping[str, Node]) -> str:
    """The node whose elements, all of them, a view or a copy has."""
    node = nodes.get(name)
    while node and operator(node) in VIEWS | COPIES and len(node.arguments) == 1 and node.arguments[0] in nodes:
        inner = nodes[node.arguments[0]]
        if not node.type or not inner.type or elements(node.type) != elements(inner.type):
            break
        node = inner
    return node.name if node else ""
