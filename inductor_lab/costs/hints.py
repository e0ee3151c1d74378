"""Numbers for symbolic sizes, from the program's first call, by which the traffic of a dynamic shape is counted.

Inductor writes these numbers into the module's own harness (`primals_3 = 4096`, and `s77 = primals_3` in `call`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.records import Capture, ExternCall, Kernel, Launch, LaunchArgument, SizeLike, TensorType
from inductor_lab.records.size import number

Hints = Mapping[str, int]
"""Symbol -> number, `{"s77": 4096}`."""


def of_graphs(capture: Capture) -> dict[str, Hints]:
    """Graph -> its hints; graphs whose sizes are all fixed, or whose text does not tell, have none."""
    return {graph.id: graph.hints for graph in capture.graphs if graph.hints}


def first_graph(kernel: Kernel) -> str:
    """The graph of its first launch, by which it is counted."""
    return kernel.launches[0].graph if kernel.launches else kernel.graph


def hinted(kernel: Kernel, launch: Launch, hints: Hints) -> Kernel:
    """The kernel as if it were launched once, with the sizes of the hints."""
    if not hints:
        return replace(kernel, launches=(launch,))
    arguments = tuple(_argument(argument, hints) for argument in launch.arguments)
    return replace(kernel, launches=(replace(launch, arguments=arguments),))


def hinted_call(call: ExternCall, hints: Hints) -> ExternCall:
    """The same of a library call."""
    arguments, outputs = (
        tuple(_argument(argument, hints) for argument in several) for several in (call.arguments, call.outputs)
    )
    return replace(call, arguments=arguments, outputs=outputs)


def _argument(argument: LaunchArgument, hints: Hints) -> LaunchArgument:
    if argument.type is not None:
        return replace(argument, type=hinted_type(argument.type, hints))
    value = number(argument.value, hints)
    return argument if value is None else replace(argument, value=str(value))


def hinted_type(type_: TensorType, hints: Hints) -> TensorType:
    """A tensor's type with the sizes of the hints."""
    shape, stride = (tuple(_size(size, hints) for size in sizes) for sizes in (type_.shape, type_.stride))
    return replace(type_, shape=shape, stride=stride)


def _size(size: SizeLike, hints: Hints) -> SizeLike:
    value = number(size, hints)
    return size if value is None else value
