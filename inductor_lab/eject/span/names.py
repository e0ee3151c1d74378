"""What a span's tensors are called: as the program calls them, else as the kernels that touch them do, else as the call that makes them.

buf2, which `mm` makes and a kernel reads as `mm`: `mm`; the graph input arg5_1, layers.0.base.weight: `base_weight`
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from inductor_lab.eject import naming
from inductor_lab.eject.file.literals import listed
from inductor_lab.eject.span.kernels import Part
from inductor_lab.eject.span.views import bases
from inductor_lab.records import Graph
from inductor_lab.records.span import Span, SpanStep

MOST_NAMED = 3
"""Names of steps that a title has."""
SAYS_NOTHING = re.compile(r"(out|in|partial_sums|buf|arg|primals|view|tensor)(_?\d+)*(_1)?$")
"""Names that any tensor may have."""


def names(graph: Graph, span: Span, parts: Sequence[Part | None], taken: set[str]) -> dict[str, str]:
    """The wrapper's variable -> the name in the file.

    Args:
        taken: Names that mean something else; the new ones are added.
    """
    inputs = {tensor.name: graph.called[tensor.name] for tensor in span.tensors if tensor.name in graph.called}
    found = naming.of_the_program(inputs, taken)
    wanted: dict[str, list[str]] = {}
    for step, part in zip(span.steps, parts, strict=True):
        for variable, name in _of_kernel(step, part) if part else _of_call(step):
            wanted.setdefault(variable, []).append(name)
    made, _ = naming.library_calls(graph.module)
    called = {}
    for tensor in span.tensors:
        choices = [name for name in wanted.get(tensor.name, ()) if not SAYS_NOTHING.match(name)]
        plain = (
            "out" if tensor.role == "out" else tensor.name.removesuffix("_1" if tensor.name.startswith("arg") else "")
        )
        name = found.get(tensor.name) or next(iter(choices), "") or made.get(tensor.name, plain)
        called[tensor.name] = naming.unique(name, taken)
    return called


def _of_kernel(step: SpanStep, part: Part) -> Iterator[tuple[str, str]]:
    """What a kernel calls its tensors; what is in a part of one is no name for the whole."""
    for argument in step.arguments:
        if argument.name in part.plan.tensors and argument.value.isidentifier():
            yield argument.value, part.plan.tensors[argument.name].name


def _of_call(step: SpanStep) -> Iterator[tuple[str, str]]:
    name = word(step.call)
    for argument in step.arguments:
        if argument.name == "out":
            yield from ((variable, name) for variable in bases(argument.value))
    yield from ((variable, name) for variable in step.results if variable)


def operator(call: str) -> str:
    """`mm` of `extern_kernels.mm`, `convolution` of `torch.ops.aten.convolution.default`."""
    return call.removeprefix("torch.ops.").split(".")[1].strip("_")


def word(call: str) -> str:
    """The same, in short: `attention` of `torch.ops.aten._scaled_dot_product_flash_attention.default`."""
    return re.sub(r"^scaled_dot_product_\w+?_(?=attention)", "", operator(call))


def together(steps: Sequence[str]) -> str:
    """What steps are called in a title: `26 x embedding`; `mm, 2 x gelu and add`; `mm, gelu, add and 4 more`."""
    counted = Counter(steps)
    words = [f"{count} x {name}" if count > 1 else name for name, count in counted.items()]
    if more := sum([*counted.values()][MOST_NAMED:]):
        words = [*words[:MOST_NAMED], f"{more} more"]
    return listed(words)
