"""A span ready to be printed: its kernels, what its tensors are called, and what they are drawn from.

A tensor is called what the program calls it, else what the kernels that touch it do, else after the call that makes it:
buf2, which `mm` makes and a kernel reads as `mm`: `mm`; the graph input arg5_1, layers.0.base.weight: `base_weight`

What the steps ask of the memories that they read the inputs are drawn by; of what is made inside it is said whether it follows:

out[row, at[row, k]] = x[row, k]            no two of a row of `at` may be the same: none is drawn twice
places = ids + 2; table[places]             `places` from 0 up to 512: `ids` is drawn from 0 up to 510
a lookup in 10,000 rows and one in 500      both hold of an index from 0 up to 500
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.intervals import EVERYTHING, Interval
from inductor_lab.computation.records import Computation
from inductor_lab.eject import naming, sizes
from inductor_lab.eject.binding.arguments import LaunchSizes
from inductor_lab.eject.binding.tensors import Fill, Tensor
from inductor_lab.eject.file.examples import collides
from inductor_lab.eject.file.literals import listed
from inductor_lab.eject.inputs.collisions import different, many, walked
from inductor_lab.eject.inputs.domain import DOMAINS, between, domain, together
from inductor_lab.eject.inputs.intervals import Bounds, bound_names
from inductor_lab.eject.inputs.requirements import BackwardIntervals
from inductor_lab.eject.sizes import told
from inductor_lab.eject.span.kernels import Part, defined, once
from inductor_lab.eject.span.views import bases, touched
from inductor_lab.records import Capture, Graph, TensorType
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


MADE = ("inner", "out")
"""The roles of what holds nothing before the span."""
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
    demands: Mapping[str, MemoryDemand],
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
    demands: Mapping[str, MemoryDemand],
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
                found.open.append(f"{here} {DOMAINS[fill].means}")
        if demand.distinct:
            along = listed([f"dimension {one}" for one in demand.distinct])
            found.open.append(f"{here} with no two the same along {along}")
    return found


def _colliding(
    parts: Sequence[Part | None], demands: Mapping[str, MemoryDemand], tensors: Sequence[Tensor]
) -> Iterator[str]:
    """What no inputs can prevent."""
    for part in once(parts):
        if part.plan.colliding:
            yield collides(part.plan.colliding, f"`{part.plan.name}`: ")
    for tensor in tensors:
        if demands[tensor.parameter].distinct and not tensor.distinct:
            yield f"Two of `{tensor.name}` may be the same, and what is stored there is then what one of several programs left."


# ------------------------------------------------------------ what the steps ask of memories


def room(fills: Iterable[Fill]) -> Interval | None:
    """Between what whole numbers are asked to be; None where that is nothing, or does not go together."""
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    if not ranges:
        return None
    low, high = max(int(one[0]) for one in ranges), min(int(one[1]) for one in ranges)
    return Interval(low, high - 1) if low < high else None


@dataclass
class MemoryDemand:
    """Of one memory."""

    fills: list[Fill] = field(default_factory=list)
    """What each launch that reads it asks of it."""
    behind: list[Fill] = field(default_factory=list)
    """What is asked of inner tensors that are made of it, where that goes together with those."""
    distinct: tuple[int, ...] = ()
    """As `Tensor.distinct`: what all of them ask, or more."""


def demands_of(span: Span, parts: Sequence[Part | None], environment: Mapping[str, int]) -> dict[str, MemoryDemand]:
    """The wrapper's variable -> what is asked of it: what a step asks of an inner tensor, those before it ask of what that is made of."""
    found = {tensor.name: MemoryDemand() for tensor in span.tensors}
    types = {tensor.name: sizes.fixed(tensor.type, environment) for tensor in span.tensors}
    made = {tensor.name for tensor in span.tensors if tensor.role in MADE}
    for step, part in reversed(list(zip(span.steps, parts, strict=True))):
        held = _held(step, part) if part else []
        rooms = {
            tensor.parameter: limits
            for tensor, of in held
            if of in made and (limits := room([*found[of].fills, *found[of].behind]))
        }
        wanted = _wanted(part, rooms) if part else {}
        for tensor, of in held:
            here = found[of]
            if tensor.parameter in wanted and "int" in tensor.type.dtype:
                here.behind.append(domain(tensor.type.dtype, wanted[tensor.parameter], None))
            if tensor.role != "out":
                here.fills.append(tensor.fill)
                here.distinct = tuple(sorted({*here.distinct, *_along(tensor, types[of])}))
    return found


def follows(span: Span, parts: Sequence[Part | None], fills: Mapping[str, Fill]) -> dict[str, Interval]:
    """The wrapper's variable -> between what its whole numbers are, where that follows from what the inputs are drawn from."""
    ranges = {name: between(fill, int) for name, fill in fills.items() if isinstance(fill, tuple)}
    known = {name: ranges.get(name) or EVERYTHING for name in fills}
    for step, part in zip(span.steps, parts, strict=True):
        made = _made(step, part, known) if part else ((name, EVERYTHING) for name in touched(step) - fills.keys())
        for name, values in list(made):
            known[name] = known[name].union(values) if name in known else values
    return {name: values for name, values in known.items() if values.known}


def _held(step: SpanStep, part: Part) -> list[tuple[Tensor, str]]:
    """The kernel's tensors, and the memory that each of them is."""
    tensors = part.plan.tensors
    return [(tensors[one.name], bases(one.value)[0]) for one in step.arguments if one.name in tensors]


def _along(tensor: Tensor, of: TensorType) -> Iterable[int]:
    """The dimensions of a memory that those of a view of it walk along which must differ."""
    for dimension in tensor.distinct:
        size, step = tensor.type.shape[dimension], tensor.type.stride[dimension]
        if isinstance(size, int) and isinstance(step, int):
            yield from walked(of, step, step * size)


def _bounds(job: Computation, part: Part, loads: Mapping[str, Interval] | None = None) -> Bounds:
    return Bounds(job.numel, bound_names(job, part.plan.environment), loads or {})


def _wanted(part: Part, rooms: Mapping[str, Interval]) -> dict[str, Interval]:
    """Pointer -> between what it must be so that what is stored in others is between what it must be."""
    wanted: dict[str, Interval] = {}
    for job in part.plan.found.every() if rooms else ():
        required = BackwardIntervals(_bounds(job, part), wanted)
        for store in job.stores:
            if store.kind == "store" and store.value is not None and store.pointer in rooms:
                required.inside(store.value, rooms[store.pointer])
    return wanted


def _made(step: SpanStep, part: Part, known: Mapping[str, Interval]) -> Iterator[tuple[str, Interval]]:
    """The memories that a launch writes, and between what is what it stores there."""
    held = _held(step, part)
    loads = {tensor.parameter: known[of] for tensor, of in held if of in known and known[of].known}
    stored: dict[str, list[Interval]] = {}
    for job in part.plan.found.every():
        bounds = _bounds(job, part, loads)
        for store in job.stores:
            plain = store.kind == "store" and store.value is not None
            stored.setdefault(store.pointer, []).append(bounds.of(store.value) if plain else EVERYTHING)
    for tensor, of in held:
        if tensor.role != "in":
            yield from ((of, values) for values in stored.get(tensor.parameter, [EVERYTHING]))
