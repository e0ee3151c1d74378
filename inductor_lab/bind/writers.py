"""Which node of the graph each variable of the wrapper holds when a launch begins, as the launch or the library call says that wrote it.

    triton_poi_fused_add_mul_16.run(buf15, buf19, ...)      return %add_40, %add_44      buf15: add_40, buf19: add_44

Of a body launched several times the comment is about the first launch alone: what another writes is not known here, and neither is what is passed
as a part of a variable's memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from inductor_lab.bind.bindings import bind
from inductor_lab.computation import computation
from inductor_lab.records import Capture, ExternCall, Kernel, Launch, Node


def written_before(
    capture: Capture, launch: Launch, variables: Collection[str], nodes: Mapping[str, Node], outputs: Collection[str]
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
        variable: _called(variable, step, nodes)
        if isinstance(step, ExternCall)
        else _launched(variable, line, step, nodes, outputs)
        for variable, (line, step) in steps.items()
    }
    return {variable: name for variable, name in found.items() if name in nodes}


def _line(step: tuple[int, Kernel | ExternCall]) -> int:
    return step[0]


def _launched(variable: str, line: int, kernel: Kernel, nodes: Mapping[str, Node], outputs: Collection[str]) -> str:
    """What the kernel's first launch is sure to write to a variable."""
    first = kernel.launches[0]
    pointer = next((one.name for one in first.arguments if one.value == variable), "")
    if first.line != line:
        return ""
    try:
        tied = bind(kernel, first, nodes, outputs, computation(kernel))
    except (ValueError, RecursionError):  # its body is not followed
        return ""
    return "" if pointer in tied.unsure else tied.written.get(pointer, "")


def _called(variable: str, call: ExternCall, nodes: Mapping[str, Node]) -> str:
    """The node of a library call, or the part of its result that the variable is."""
    (name,) = call.provenance.nodes if len(call.provenance.nodes) == 1 else ("",)
    (place, *_) = (one.name for one in call.outputs if one.value == variable)
    parts = (node.name for node in nodes.values() if node.target == "getitem" and node.call == f"{name}[{place}]")
    return next(parts, "") if place.isdigit() else name
