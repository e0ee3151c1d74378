"""What a kernel computes, in one line, derived from its body: `relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)`; and its row in a catalog.

A template's body says little: its launch and the graph say the product and its shapes. The row says what a kernel's launches move, each by its own
shapes, and the least time that they take on the card.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from inductor_lab.annotate.context import dtype
from inductor_lab.aten import PRODUCTS
from inductor_lab.bind import claims
from inductor_lab.bind.claims import computed, differences
from inductor_lab.computation import Access, Computation, computation, jobs_of
from inductor_lab.computation.idioms import holds, seen
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import Constant, Expression, Load, walk
from inductor_lab.costs.hints import Hints, of_graphs
from inductor_lab.costs.launches import of_calls, of_kernel
from inductor_lab.costs.library import Library, library
from inductor_lab.costs.roofline import card
from inductor_lab.dtypes import SHORT
from inductor_lab.gpus import Card
from inductor_lab.records import Called, Capture, Kernel, Listed, TensorType

AFTER = {
    "relu": {"maximum"}, "sigmoid": {"sigmoid", "exp"}, "silu": {"sigmoid", "exp"}, "gelu": {"erf", "tanh"}, "tanh": {"tanh"}, "exp": {"exp"},
}  # fmt: skip
"""What may be done to a product before it is stored -> the operations of which the body must have one."""


def template_operators(kernel: Kernel) -> tuple[str, ...]:
    """`("mm", "relu")`: a template's product, and what is done to its result."""
    claimed = [
        name.removeprefix("aten.").rpartition("higher_order.")[2].partition(".")[0]
        for name in claims.computed(kernel.claim)
    ]
    products = [name for name in claimed if name in PRODUCTS or "attention" in name]
    return tuple(
        dict.fromkeys([*products, *(one for one in claimed if AFTER.get(one, set()).intersection(kernel.ops))])
    )


def template(kernel: Kernel) -> str:
    """`mm template: [128, 512] x [512, 2048] f32, relu`."""
    told = template_operators(kernel)
    types = [argument.type for launch in kernel.launches[:1] for argument in launch.arguments if argument.type]
    if any("flex_attention" in name for name in told):
        kind = "flex attention, backward" if any("backward" in name for name in told) else "flex attention"
        return f"{kind} template: {dtype(types[0])}" if types else f"{kind} template"
    if PRODUCTS.intersection(told) and len(types) >= 2 and all(len(type_.shape) >= 2 for type_ in types[:2]):
        left, right = _multiplied(types[0], types[1], types[-1])
        after = (name for name in told if name in AFTER)
        return ", ".join([f"{told[0]} template: {left} x {right} {SHORT.get(types[0].dtype, types[0].dtype)}", *after])
    told = told or kernel.ops[:4]
    return f"template: {', '.join(told)}" if told else "template"


def _multiplied(left: TensorType, right: TensorType, result: TensorType) -> tuple[str, str]:
    """Both sides of a product as it takes them: a tensor is passed as it lies in memory, a weight transposed, rows under several dimensions."""
    whole = [size for type_ in (left, right, result) for size in type_.shape]
    if len(right.shape) == 2 and all(isinstance(size, int) for size in whole):
        inner, columns = left.shape[-1], result.shape[-1]
        rows = prod(int(size) for size in left.shape[:-1])
        fits = sorted(map(int, right.shape)) == sorted((int(inner), int(columns)))
        if fits and prod(int(size) for size in result.shape) == rows * int(columns):
            return f"[{rows}, {inner}]", f"[{inner}, {columns}]"
    return f"[{', '.join(map(str, left.shape))}]", f"[{', '.join(map(str, right.shape))}]"


def listed(capture: Capture) -> tuple[Listed, ...]:
    """A row for each kernel, in the capture's order."""
    kinds = {graph.id: graph.phase or graph.kind for graph in capture.graphs}
    on, hints = card(capture.gpu), of_graphs(capture)
    return tuple(_row(kernel, kinds, on, hints) for kernel in capture.kernels)


def called(capture: Capture) -> tuple[Called, ...]:
    """The library calls, those of one operator together, what takes longest first."""
    on = card(capture.gpu)
    found: dict[str, list[Library]] = {}
    for call in capture.extern_calls:
        one = library(call, on)
        found.setdefault(one.name, []).append(one)
    costs = {name: of_calls(calls) for name, calls in found.items()}
    rows = (Called(**vars(cost), name=name) for name, cost in costs.items())
    return tuple(sorted(rows, key=lambda row: (-(row.all_seconds or 0.0), -row.launches)))


def _row(kernel: Kernel, kinds: Mapping[str, str], on: Card, hints: Mapping[str, Hints]) -> Listed:
    cost = of_kernel(kernel, on, hints)
    graphs = tuple(dict.fromkeys([kernel.graph, *(launch.graph for launch in kernel.launches)]))
    return Listed(
        **vars(cost),
        id=kernel.id,
        name=kernel.name,
        title=titled(kernel),
        recognised=kernel.recognised,
        category=kernel.category,
        body_sha256=kernel.body_sha256,
        graph=kernel.graph,
        graphs=graphs,
        kinds=kernel.phases or tuple(dict.fromkeys(kinds.get(graph, "unknown") for graph in graphs)),
        ops=kernel.ops,
        source=tuple(line.place for line in kernel.source),
        code=tuple(line.code.strip() for line in kernel.source),
    )


LONGEST = 100
LONGEST_IN_FULL = 400
"""Characters of one expression where nobody has to read it in a column."""
MOST_STORES = 4
"""Kernels with more stores, or with branches and more stores, are told by their operations."""


def titled(kernel: Kernel) -> str:
    """How lists and pages call it; what it computes where it was not annotated, as captures of older versions are not."""
    return kernel.title or summary(kernel)


def summary(kernel: Kernel, limit: int = LONGEST) -> str:
    """The stored expressions; with the pointer's name where there are several. Falls back on the list of operations."""
    if kernel.category == "template":  # its body says little of it
        wider = any(one.kind == "absent" for one in differences(kernel))
        named = template_operators(kernel) if wider else computed(kernel.claim)
        told = [name.removeprefix("aten.") for name in named] or kernel.ops[:6]
        return f"a template: {', '.join(told)}" if told else "a template"
    stores = _stores(kernel)
    if not stores or (len(stores) > MOST_STORES and computation(kernel).branches):
        return ", ".join(kernel.ops) or "no store found"
    job, access = stores[0]
    if len(stores) == 1 and access.kind == "store" and not access.gathered:
        written = Writer(job).text(_value(access), limit)
        return f"{written} everywhere" if isinstance(seen(_value(access)), Constant) else written
    share = max((limit - 2) // len(stores) - 14, 18)
    joined = "; ".join(_stored(job, access, share) for job, access in stores)
    return joined if len(joined) <= limit + 20 else joined[: limit - 1] + "…"


def computes(kernel: Kernel, limit: int = LONGEST_IN_FULL) -> tuple[str, ...]:
    """Each store of the body, in its order; empty for templates and for what is not Python."""
    stores = _stores(kernel) if kernel.category != "template" else []
    return tuple(_stored(job, access, limit) for job, access in stores)


def _stores(kernel: Kernel) -> list[tuple[Computation, Access]]:
    """Every store of which the value is known, with its job; none where the body is not Python."""
    return [(job, access) for job in jobs_of(kernel) for access in job.stores if access.value is not None]


def _value(access: Access) -> Expression:
    assert access.value is not None
    return access.value


def _stored(job: Computation, access: Access, limit: int) -> str:
    """`out_ptr0 = sum(in_out_ptr0_new)`: what other stores hold is named."""
    known = {
        seen(_value(store)): _called(job, store)
        for store in reversed(job.stores)
        if holds(store) and not isinstance(seen(_value(store)), (Load, Constant))
    }
    value, target = seen(_value(access)), _called(job, access)
    known.pop(value, None)  # a second store of it may be rounded otherwise
    again = ((load, job.stored(load)) for load in walk(value) if isinstance(load, Load))
    known |= {load: _called(job, store) for load, store in again if store and job.overwrites(store)}
    writer = Writer(job, known)
    if access.gathered or access.kind != "store":
        target = f"{access.pointer}[{writer.chosen(access.index, 30) or '…'}]"
    return f"{target} {'+=' if access.kind == 'atomic_add' else '='} {writer.text(value, limit)}"


def _called(job: Computation, store: Access) -> str:
    """What a store leaves, by its pointer; `in_out_ptr0_new` tells an overwritten tensor from its old self."""
    return f"{store.pointer}_new" if job.overwrites(store) else store.pointer
