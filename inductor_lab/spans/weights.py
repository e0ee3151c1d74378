"""The bytes, operations and time of each step of a graph, which a span adds up.

buf1 = relu(buf0), 4,096 x 1,024 f32    reads 16.8 MB of buf0, writes 16.8 MB of buf1; 7.8 us
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.annotate.steps import Step, steps
from inductor_lab.bind.elements import nbytes
from inductor_lab.computation import computation
from inductor_lab.costs.hints import Hints, hinted_type, of_graphs
from inductor_lab.costs.launches import estimate
from inductor_lab.costs.library import arithmetic, library
from inductor_lab.costs.roofline import LAUNCH_SECONDS, bound
from inductor_lab.costs.traffic import compulsory, of_arguments, traffic
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card
from inductor_lab.read.types import sizes
from inductor_lab.records import Capture, ExternCall, Graph, Kernel, TensorType, Traffic
from inductor_lab.spans.wrapper import Access, SpanFunction, SpanWrapper

Measured = Mapping[str, float]
"""A body's hash -> seconds of one launch of it."""
PRODUCTS = {
    **dict.fromkeys(("mm", "addmm", "bmm", "baddbmm", "bias_addmm", "_scaled_mm", "_int_mm"), "matrix"),
    "convolution": "convolution",
}
"""Library calls that a kernel can do a tile of the result at a time."""


@dataclass(frozen=True)
class Use:
    """What a step does to a memory, or to a view of it."""

    base: str
    view: str
    reads: bool
    read: int
    """Bytes."""
    written: int


@dataclass(frozen=True)
class Cost:
    """What a step needs, wherever it stands."""

    units: Mapping[str, float]
    """What computes -> its seconds, which have to be spent in whichever kernel."""
    seconds: float
    """What it takes, by its estimate or as it was measured, and not less than launching it."""
    measured: bool
    least: float
    """What no kernel of its own can beat, and not less than launching it."""
    arguments: Mapping[str, tuple[int, int]]
    """Of a kernel: parameter -> bytes read and written."""


@dataclass(frozen=True)
class WeighedStep:
    """One step."""

    number: int
    """In its graph."""
    step: Step
    key: tuple[object, ...]
    """The same of steps that do the same to tensors of the same shapes."""
    cost: Cost
    uses: tuple[Use, ...]
    producers: Mapping[int, str]
    """Steps of the graph that wrote what it reads last -> the memory, as `Step.producers` calls it."""

    @property
    def product(self) -> str:
        """`matrix` or `convolution`, of a step that is one."""
        if kernel := self.step.kernel:
            return "matrix" if kernel.category == "template" else ""
        return PRODUCTS.get(self.step.id, "")


@dataclass(frozen=True)
class Barrier:
    """A step that can be in no span, and across which nothing can be moved."""

    number: int
    """In its graph; -1 of what the capture does not list."""
    why: str


@dataclass(frozen=True)
class Memory:
    """One memory of a graph's function."""

    bytes: int
    events: Sequence[tuple[int, bool, bool]]
    """Steps that touch it, by their place in the function: (place, whether it reads, whether it writes all of it)."""
    kept: bool
    """Whether it is there behind the function: an input, or returned."""

    def alive(self, place: int) -> bool:
        """Whether what is in it behind this step is read."""
        for at, reads, covers in self.events:
            if at > place and (reads or covers):
                return reads
        return self.kept


@dataclass(frozen=True)
class Weights:
    """One function's steps in order, and its memories."""

    steps: Sequence[WeighedStep | Barrier]
    memories: Mapping[str, Memory]


def weights(capture: Capture, graph: Graph, wrapper: SpanWrapper, on: Card, measured: Measured) -> list[Weights]:
    """Each function of a graph; most have one."""
    scales = _Scales(capture, graph, on, measured)
    return [scales.function(function) for function in wrapper.functions]


class _Scales:
    """Weighs a graph's steps, those that are alike once."""

    def __init__(self, capture: Capture, graph: Graph, on: Card, measured: Measured) -> None:
        self.numbers = {step.line: (number, step) for number, step in enumerate(steps(capture)[graph.id])}
        self.hints = of_graphs(capture).get(graph.id, {})
        self.first = {kernel.id: _key(kernel) for kernel in capture.kernels if kernel.launches}
        self.on, self.measured = on, measured
        self.known: dict[tuple[object, ...], Cost] = {}

    def function(self, function: SpanFunction) -> Weights:
        types = {base: self._type(function, base) for base in {one.base for of in function.accesses for one in of}}
        made: list[WeighedStep | Barrier] = []
        events: dict[str, list[tuple[int, bool, bool]]] = {base: [] for base in types}
        for at, (one, of) in enumerate(zip(function.steps, function.accesses, strict=True)):
            why = function.refused(one)
            if not why and one.line not in self.numbers:
                why = "the capture does not tell what it does"
            if not why and not one.launch and "_scaled_dot_product" in one.function:
                why = f"`{one.function}` is a fused attention, on either side of which spans are looked for; name the steps to eject it with others"
            if not why and (untold := [each.base for each in of if types[each.base] is None]):
                why = f"the module does not tell the type of {untold[0]}"
            uses = [_use(each, types[each.base], {}, self.hints) for each in of]
            if not why:
                number, step = self.numbers[one.line]
                key = _key(step.made)
                if key not in self.known:
                    self.known[key] = self._cost(step, key)
                cost = self.known[key]
                uses = [_use(each, types[each.base], cost.arguments, self.hints) for each in of]
                made.append(
                    WeighedStep(number, step, key, cost, tuple(uses), {n: m for m, n in step.producers.items()})
                )
            else:
                number = self.numbers[one.line][0] if one.line in self.numbers else -1
                made.append(Barrier(number, f"line {one.line}: {why}"))
            for base in dict.fromkeys(use.base for use in uses):
                whole = nbytes(types[base]) or 0
                written = sum(use.written for use in uses if use.base == base)
                events[base].append((at, any(u.reads for u in uses if u.base == base), written >= whole > 0))
        kept = function.function.given | function.returned
        memories = {b: Memory(nbytes(t) or 0, events[b], b in kept) for b, t in types.items()}
        return Weights(made, memories)

    def _type(self, function: SpanFunction, base: str) -> TensorType | None:
        try:
            return hinted_type(function.type_of(base), self.hints)
        except LabError:
            return None

    def _cost(self, step: Step, key: tuple[object, ...]) -> Cost:
        if isinstance(step.made, ExternCall):
            told = library(step.made, self.on)
            least = max(told.bound.seconds if told.bound else 0.0, LAUNCH_SECONDS)
            return Cost({"products": arithmetic(step.made, self.on)}, least, False, least, {})
        kernel = step.made
        counted = traffic(kernel)
        arguments = of_arguments(kernel)
        moved = counted
        if counted.moved is None:
            read, written = map(sum, zip(*arguments.values(), strict=True))
            moved = Traffic(read, written)
        units = _units(kernel, counted, self.on)
        found = bound(moved, self.on)
        least = max(found.seconds if found else 0.0, *units.values(), LAUNCH_SECONDS)
        seconds = self.measured.get(kernel.body_sha256) if key == self.first.get(kernel.id) else None
        about = max(estimate(kernel, counted, self.on) or 0.0, least) if seconds is None else seconds
        return Cost(units, about, seconds is not None, least, arguments)


def _units(kernel: Kernel, counted: Traffic, on: Card) -> dict[str, float]:
    if kernel.category == "template":
        product = compulsory(kernel, computation(kernel))
        rate = on.single if any(a.dtype == "float32" and a.role == "in" for a in kernel.arguments) else on.half
        return {"products": 0.0 if isinstance(product, str) else (product.flops or 0) / rate}
    specials = counted.special / on.specials if on.specials else 0.0
    return {"arithmetic": (counted.flops or 0) / on.flops, "special functions": specials}


def _key(made: Kernel | ExternCall) -> tuple[object, ...]:
    """What its cost depends on: body and shapes."""
    if isinstance(made, Kernel):
        return (made.id, *(a.type or a.value for a in made.launches[0].arguments))
    return (made.target, *(a.type or a.value for a in (*made.arguments, *made.outputs)))


def _use(access: Access, type_: TensorType | None, counted: Mapping[str, tuple[int, int]], hints: Hints) -> Use:
    """By what its kernel's body reaches; else all that the view holds."""
    if access.parameter in counted:
        read, written = counted[access.parameter]
    else:
        view = access.view
        shape, stride = sizes(view.shape[1:-1]), sizes(view.stride[1:-1])
        held = hinted_type(replace(type_, shape=shape, stride=stride), hints) if type_ and view.shape else type_
        read = written = nbytes(held) or 0
    return Use(access.base, access.view.text, access.reads, access.reads * read, access.writes * written)
