"""A span ready to be printed: its kernels, what its tensors are called, and what they are drawn from.

A tensor is called what the program calls it, else what the kernels that touch it do, else after the call that makes it:
buf2, which `mm` makes and a kernel reads as `mm`: `mm`; the graph input arg5_1, layers.0.base.weight: `base_weight`
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.intervals import EVERYTHING
from inductor_lab.eject import naming, sizes
from inductor_lab.eject.binding.arguments import LaunchSizes
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.file.examples import FILLS, collides
from inductor_lab.eject.file.literals import listed
from inductor_lab.eject.inputs.collisions import different, many
from inductor_lab.eject.sizes import told
from inductor_lab.eject.span.demands import MADE, Demand, demands_of, follows, together
from inductor_lab.eject.span.kernels import Part, defined, once
from inductor_lab.eject.span.views import bases
from inductor_lab.records import Capture, Graph
from inductor_lab.records.size import Size
from inductor_lab.records.span import ROLES, Span, SpanStep

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


def title(steps: Sequence[str]) -> str:
    """What steps are called in a title: `26 x embedding`; `mm, 2 x gelu and add`; `mm, gelu, add and 4 more`."""
    counted = Counter(steps)
    words = [f"{count} x {name}" if count > 1 else name for name, count in counted.items()]
    if more := sum([*counted.values()][MOST_NAMED:]):
        words = [*words[:MOST_NAMED], f"{more} more"]
    return listed(words)


ANYTHING = ("any", "bool", "finite", "normal")
"""What is asked of numbers that a kernel may be given any of."""


@dataclass(frozen=True)
class SpanPlan(LaunchSizes):
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
    remarks: Sequence[str]
    """What its inputs do not see to: of what is made inside, and of places that several programs write."""

    @property
    def kernels(self) -> list[Part]:
        """Each once."""
        return once(self.parts)

    @property
    def hands(self) -> list[Part]:
        """Each that is printed to be edited once."""
        return once(self.parts, lambda part: part.plan.name)

    @property
    def baselines(self) -> list[Part]:
        """Each of Inductor's that is printed once."""
        return once(self.parts, lambda part: part.number)

    @property
    def written(self) -> list[str]:
        return [tensor.name for tensor in self.tensors if tensor.role != "in"]

    @property
    def unread(self) -> list[str]:
        return [self.called[tensor.name] for tensor in self.span.tensors if tensor.unread]

    def steps(self) -> list[str]:
        """What its steps are called, one after the other."""
        pairs = zip(self.span.steps, self.parts, strict=True)
        return [part.parts.hand.name if part else word(step.call) for step, part in pairs]


def plan(capture: Capture, span: Span, parts: Sequence[Part | None]) -> SpanPlan:
    """Name the tensors of a span whose kernels are printed, and say what they hold.

    Raises:
        LabError: what its kernels ask of a tensor does not go together.
    """
    graph = next(graph for graph in capture.graphs if graph.id == span.graph)
    each = once(parts)
    taken = {*naming.RESERVED, "into", "laid", *(name for part in each for name in _names_of(part))}
    called = names(graph, span, parts, taken)
    environment = _environment(graph, span, each)
    demands = demands_of(span, parts, environment)
    drawn = [list(_tensors(span, demands, called, environment, wishes=wishes)) for wishes in (False, True)]
    left = [_inside(span, parts, demands, called, tensors) for tensors in drawn]
    wished = len(left[1].open) < len(left[0].open)  # what does not help only leaves values out
    tensors = drawn[wished]
    remarks = [*left[wished].said(), *_colliding(parts, demands, tensors)]
    unbacked = {one.name: one for part in each for one in part.plan.unbacked.values()}
    bindings = told(tensors, environment)
    return SpanPlan(environment, bindings, unbacked, capture, graph, span, parts, called, tensors, remarks)


def _names_of(part: Part) -> list[str]:
    name, number = part.plan.name, part.number
    functions = [*part.hand.functions, *part.baseline.functions]
    functions += part.printed.reference.functions if part.printed.reference else ()
    own = [name, f"launch_{name}", f"{name}_reference", f"generated_{number}", f"launch_generated_{number}"]
    return [*own, *(each for text in functions for each in defined(text))]


def _environment(graph: Graph, span: Span, parts: Iterable[Part]) -> dict[str, int]:
    """The symbols that the span's tensors and launches speak of."""
    extents = [size for tensor in span.tensors for size in (*tensor.type.shape, *tensor.type.stride)]
    symbols = {symbol for size in extents for symbol in Size.of(size).symbols}
    symbols |= {symbol for part in parts for symbol in part.plan.environment}
    return sizes.environment(symbols, sizes.hints(graph))


def _tensors(
    span: Span,
    demands: Mapping[str, Demand],
    called: Mapping[str, str],
    environment: Mapping[str, int],
    *,
    wishes: bool,
) -> Iterator[Tensor]:
    for one in sorted(span.tensors, key=lambda tensor: ROLES.index(tensor.role)):
        if one.role == "inner":
            continue
        fixed = sizes.fixed(one.type, environment)
        whole, demand = "int" in one.type.dtype, demands[one.name]
        fills = demand.fills or [(0, 2) if whole else "bool" if one.type.dtype == "bool" else "normal"]
        fill = "out" if one.role == "out" else together(called[one.name], fills, demand.behind if wishes else ())
        apart = demand.distinct if different(fixed.shape, demand.distinct) <= many(fill) else ()
        fill = fill[:2] if apart and isinstance(fill, tuple) else fill
        symbolic = one.type if fixed != one.type else None
        yield Tensor(one.name, called[one.name], fixed, one.role, fill, symbolic=symbolic, distinct=apart)


@dataclass
class _Inside:
    """What is asked of tensors that are made inside, where that is more than any number."""

    follows: list[str] = field(default_factory=list)
    """What follows from the inputs."""
    open: list[str] = field(default_factory=list)
    """What does not."""

    def said(self) -> Iterator[str]:
        if self.follows:
            yield f"What is made inside of such inputs is in its place: {', '.join(self.follows)}."
        if self.open:
            yield f"What is made inside has to be in its place by itself: {', '.join(self.open)}."


def _inside(
    span: Span,
    parts: Sequence[Part | None],
    demands: Mapping[str, Demand],
    called: Mapping[str, str],
    tensors: Sequence[Tensor],
) -> _Inside:
    found = _Inside()
    known = follows(span, parts, {tensor.parameter: tensor.fill for tensor in tensors if tensor.role != "out"})
    for name in (tensor.name for tensor in span.tensors if tensor.role in MADE):
        demand, here = demands[name], f"`{called[name]}`"
        for fill in dict.fromkeys(demand.fills):
            if isinstance(fill, tuple):
                there, low, high = known.get(name, EVERYTHING), int(fill[0]), int(fill[1])
                held = low <= there.low and there.high < high
                (found.follows if held else found.open).append(f"{here} from {low} up to {high}")
            elif fill not in ANYTHING:
                found.open.append(f"{here} {FILLS[fill]}")
        if demand.distinct:
            along = listed([f"dimension {one}" for one in demand.distinct])
            found.open.append(f"{here} with no two the same along {along}")
    return found


def _colliding(parts: Sequence[Part | None], demands: Mapping[str, Demand], tensors: Sequence[Tensor]) -> Iterator[str]:
    """What no inputs can prevent."""
    for part in once(parts):
        if part.plan.colliding:
            yield collides(part.plan.colliding, f"`{part.plan.name}`: ")
    for tensor in tensors:
        if demands[tensor.parameter].distinct and not tensor.distinct:
            yield f"Two of `{tensor.name}` may be the same, and what is stored there is then what one of several programs left."
