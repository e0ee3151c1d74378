"""What a kernel computes, in one line, derived from its body: `relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)`."""

from __future__ import annotations

from inductor_lab.annotate import templates
from inductor_lab.bind.claims import computed, differences
from inductor_lab.computation import Access, Computation, computation
from inductor_lab.computation.idioms import holds, seen
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import Constant, Expression, Load, walk
from inductor_lab.records import Kernel

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
        named = templates.computed(kernel) if wider else computed(kernel.claim)
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
    try:
        jobs = list(computation(kernel).every())
    except ValueError:
        return []
    return [(job, access) for job in jobs for access in job.stores if access.value is not None]


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
