"""What the steps of a span ask of the memories that they read: its inputs are drawn so; of what is made inside it is said whether it follows.

out[row, at[row, k]] = x[row, k]            no two of a row of `at` may be the same: none is drawn twice
places = ids + 2; table[places]             `places` from 0 up to 512: `ids` is drawn from 0 up to 510
a lookup in 10,000 rows and one in 500      both hold of an index from 0 up to 500
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from inductor_lab.computation.intervals import EVERYTHING, Interval
from inductor_lab.computation.records import Computation
from inductor_lab.eject import sizes
from inductor_lab.eject.binding.tensors import Fill, Tensor
from inductor_lab.eject.file.examples import FILLS
from inductor_lab.eject.inputs.collisions import walked
from inductor_lab.eject.inputs.domain import domain
from inductor_lab.eject.inputs.intervals import Bounds, bound_names
from inductor_lab.eject.inputs.requirements import BackwardIntervals
from inductor_lab.eject.span.kernels import Part
from inductor_lab.eject.span.views import bases, touched
from inductor_lab.errors import LabError
from inductor_lab.records import TensorType
from inductor_lab.records.span import Span, SpanStep

ASKS_NOTHING = ("any", "normal")
NARROWER = ("finite", "positive", "count", "above_one")
"""Each is within those before it, but `positive`, which has infinities; of that and `finite` both are `count`."""


def together(name: str, fills: Iterable[Fill], wishes: Iterable[Fill] = ()) -> Fill:
    """What all of some demands on one tensor leave, and those wishes that go together with them.

    Raises:
        LabError: nothing.
    """
    found: Fill | None = None
    for one in fills:
        found = one if found is None else _both(name, found, one)
    for one in wishes:
        with suppress(LabError):
            found = one if found is None else _both(name, found, one)
    return "normal" if found is None else found


def room(fills: Iterable[Fill]) -> Interval | None:
    """Between what whole numbers are asked to be; None where that is nothing, or does not go together."""
    ranges = [fill for fill in fills if isinstance(fill, tuple)]
    if not ranges:
        return None
    low, high = max(int(one[0]) for one in ranges), min(int(one[1]) for one in ranges)
    return Interval(low, high - 1) if low < high else None


def _both(name: str, one: Fill, other: Fill) -> Fill:
    if one == other or other in ASKS_NOTHING:
        return one
    if one in ASKS_NOTHING:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        low, high = max(int(one[0]), int(other[0])), min(int(one[1]), int(other[1]))
        if low < high:
            return (low, high, *(value for value in one[2:] if value in other[2:]))
    elif one in NARROWER and other in NARROWER:
        pair = {one, other}
        return "count" if pair == {"finite", "positive"} else max(pair, key=lambda word: NARROWER.index(str(word)))
    elif {one, other} == {"finite", "unit"}:
        return "unit"
    said = " and ".join(
        f"{fill[0]} up to {fill[1]}" if isinstance(fill, tuple) else FILLS[fill] for fill in (one, other)
    )
    raise LabError(f"`{name}` would have to hold {said}: its kernels ask what does not go together")


MADE = ("inner", "out")
"""The roles of what holds nothing before the span."""


@dataclass
class Demand:
    """Of one memory."""

    fills: list[Fill] = field(default_factory=list)
    """What each launch that reads it asks of it."""
    behind: list[Fill] = field(default_factory=list)
    """What is asked of inner tensors that are made of it, where that goes together with those."""
    distinct: tuple[int, ...] = ()
    """As `Tensor.distinct`: what all of them ask, or more."""


def demands_of(span: Span, parts: Sequence[Part | None], environment: Mapping[str, int]) -> dict[str, Demand]:
    """The wrapper's variable -> what is asked of it: what a step asks of an inner tensor, those before it ask of what that is made of."""
    found = {tensor.name: Demand() for tensor in span.tensors}
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
    known = {name: _between(fill) for name, fill in fills.items()}
    for step, part in zip(span.steps, parts, strict=True):
        made = _made(step, part, known) if part else ((name, EVERYTHING) for name in touched(step) - fills.keys())
        for name, values in list(made):
            known[name] = known[name].union(values) if name in known else values
    return {name: values for name, values in known.items() if values.known}


def _between(fill: Fill) -> Interval:
    """Of what is drawn."""
    if not isinstance(fill, tuple):
        return EVERYTHING
    low, high, *others = map(int, fill)
    return Interval(min([low, *others]), max([high - 1, *others]))


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
