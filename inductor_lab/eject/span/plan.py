"""A span ready to be printed: its kernels, what its tensors are called, and what they are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.eject import naming, sizes
from inductor_lab.eject.file.examples import FILLS
from inductor_lab.eject.graph_sizes import told
from inductor_lab.eject.span.fills import together
from inductor_lab.eject.span.kernels import Part, by_name, by_number, defined, distinct
from inductor_lab.eject.span.names import names, operator
from inductor_lab.eject.span.views import bases
from inductor_lab.eject.tensors import Fill, Tensor
from inductor_lab.eject.untold import Untold
from inductor_lab.records import Capture, Graph
from inductor_lab.records.span import ROLES, Span

ANYTHING = ("any", "bool", "finite", "normal")
"""What is asked of numbers that a kernel may be given any of."""


@dataclass(frozen=True)
class SpanPlan:
    """What is known of a span before any text of it is written."""

    capture: Capture
    graph: Graph
    span: Span
    parts: Sequence[Part | None]
    """For each step the kernel that it launches; None for a library call."""
    called: Mapping[str, str]
    """The wrapper's variable -> the name here."""
    tensors: Sequence[Tensor]
    """What the file's functions are given: what is read alone first, what is only written last."""
    inside: Sequence[str]
    """What its kernels ask of what is made inside."""
    environment: Mapping[str, int]
    """The symbols that its sizes are made of."""
    bindings: Mapping[str, str]
    """Those that a tensor tells, and where."""

    @property
    def kernels(self) -> list[Part]:
        """Each once."""
        return distinct(self.parts)

    @property
    def hands(self) -> list[Part]:
        """Each that is printed to be edited once."""
        return by_name(self.parts)

    @property
    def baselines(self) -> list[Part]:
        """Each of Inductor's that is printed once."""
        return by_number(self.parts)

    @property
    def written(self) -> list[str]:
        return [tensor.name for tensor in self.tensors if tensor.role != "in"]

    @property
    def unread(self) -> list[str]:
        return [self.called[tensor.name] for tensor in self.span.tensors if tensor.unread]

    @property
    def untold(self) -> dict[str, Untold]:
        """Numbers that the wrapper passes and no log tells, by their names: one for all its kernels."""
        return {one.name: one for part in self.kernels for one in part.plan.untold.values()}

    @property
    def loose(self) -> dict[str, object]:
        """What a caller has to tell: symbols that no tensor does, and those numbers."""
        symbols = {symbol: value for symbol, value in self.environment.items() if symbol not in self.bindings}
        return {**symbols, **{name: one.tried for name, one in self.untold.items()}}

    def steps(self) -> list[str]:
        """What its steps are called, one after the other."""
        pairs = zip(self.span.steps, self.parts, strict=True)
        return [part.parts.hand.name if part else operator(step.call) for step, part in pairs]


def plan(capture: Capture, span: Span, parts: Sequence[Part | None]) -> SpanPlan:
    """Name the tensors of a span whose kernels are printed, and say what they hold.

    Raises:
        LabError: what its kernels ask of a tensor does not go together.
    """
    graph = next(graph for graph in capture.graphs if graph.id == span.graph)
    each = distinct(parts)
    taken = {*naming.RESERVED, "into", "laid", *(name for part in each for name in _names_of(part))}
    called = names(graph, span, parts, taken)
    environment = _environment(graph, span, each)
    asked = _asked(span, parts)
    tensors = list(_tensors(span, asked, called, environment))
    inside = list(_inside(span, asked, called))
    return SpanPlan(capture, graph, span, parts, called, tensors, inside, environment, told(tensors, environment))


def _names_of(part: Part) -> list[str]:
    name, number = part.plan.name, part.number
    functions = [*part.hand.functions, *part.baseline.functions]
    functions += part.printed.reference.functions if part.printed.reference else ()
    own = [name, f"launch_{name}", f"{name}_reference", f"generated_{number}", f"launch_generated_{number}"]
    return [*own, *(each for text in functions for each in defined(text))]


def _environment(graph: Graph, span: Span, parts: Iterable[Part]) -> dict[str, int]:
    """The symbols that the span's tensors and launches speak of."""
    texts = [str(size) for tensor in span.tensors for size in (*tensor.type.shape, *tensor.type.stride)]
    symbols = {symbol for text in texts if not text.isdigit() for symbol in sizes.Dim(text).symbols}
    symbols |= {symbol for part in parts for symbol in part.plan.environment}
    functions = {"FloorDiv", "CeilDiv", "Mod", "PythonMod", "ModularIndexing", "Max", "Min", "TruncToInt"}
    return sizes.environment(symbols - functions, sizes.hints(graph))


def _asked(span: Span, parts: Sequence[Part | None]) -> dict[str, list[Fill]]:
    """The wrapper's variable -> what each launch that reads it asks of it."""
    asked: dict[str, list[Fill]] = {}
    for step, part in zip(span.steps, parts, strict=True):
        for passed in step.arguments if part else ():
            tensor = part.plan.tensors.get(passed.name) if part else None
            if tensor is not None and tensor.role != "out":
                asked.setdefault(bases(passed.value)[0], []).append(tensor.fill)
    return asked


def _tensors(
    span: Span, asked: Mapping[str, Sequence[Fill]], called: Mapping[str, str], environment: Mapping[str, int]
) -> Iterator[Tensor]:
    for one in sorted(span.tensors, key=lambda tensor: ROLES.index(tensor.role)):
        if one.role == "inner":
            continue
        fixed = sizes.fixed(one.type, environment)
        whole = "int" in one.type.dtype
        fills = asked.get(one.name) or [(0, 2) if whole else "bool" if one.type.dtype == "bool" else "normal"]
        fill = "out" if one.role == "out" else together(called[one.name], fills)
        symbolic = one.type if fixed != one.type else None
        yield Tensor(one.name, called[one.name], fixed, one.role, fill, symbolic=symbolic)


def _inside(span: Span, asked: Mapping[str, Sequence[Fill]], called: Mapping[str, str]) -> Iterator[str]:
    """What is asked of a tensor that is made inside, where that is more than any number."""
    for tensor in span.tensors:
        for fill in dict.fromkeys(asked.get(tensor.name, ())) if tensor.role == "inner" else ():
            if isinstance(fill, tuple):
                yield f"`{called[tensor.name]}` from {fill[0]} up to {fill[1]}"
            elif fill not in ANYTHING:
                yield f"`{called[tensor.name]}` {FILLS[fill]}"
