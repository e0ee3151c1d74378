"""What a kernel computes, in one line, derived from its body: `relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)`."""

from __future__ import annotations

from inductor_lab.computation import Access, Computation, computation
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import Constant, Expression, Load
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
    if kernel.category == "template":
        told = [name.removeprefix("aten.") for name in kernel.claim.aten] or kernel.ops[
            :6
        ]  # its body says little of it
        return f"a template: {', '.join(told)}" if told else "a template"
    try:
        found = computation(kernel)
    except ValueError:
        return ", ".join(kernel.ops)
    jobs = [(job, access) for job in found.every() for access in job.stores if access.value is not None]
    if not jobs or (found.branches and len(jobs) > MOST_STORES):
        return ", ".join(kernel.ops) or "no store found"
    if len(jobs) == 1 and jobs[0][1].kind == "store" and not jobs[0][1].gathered:
        job, access = jobs[0]
        written = Writer(job).text(_value(access), limit)
        return f"{written} everywhere" if isinstance(seen(_value(access)), Constant) else written
    share = max((limit - 2) // len(jobs) - 14, 18)
    joined = "; ".join(_stored(job, access, share) for job, access in jobs)
    return joined if len(joined) <= limit + 20 else joined[: limit - 1] + "…"


def computes(kernel: Kernel, limit: int = LONGEST_IN_FULL) -> tuple[str, ...]:
    """Each store of the body, in its order; empty for templates and for what is not Python."""
    if kernel.category == "template":
        return ()
    try:
        found = computation(kernel)
    except ValueError:
        return ()
    jobs = ((job, access) for job in found.every() for access in job.stores if access.value is not None)
    return tuple(_stored(job, access, limit) for job, access in jobs)


def _value(access: Access) -> Expression:
    assert access.value is not None
    return access.value


def _stored(job: Computation, access: Access, limit: int) -> str:
    """`out_ptr0 = sum(in_out_ptr0_new)`: what other stores hold is named; `_new` tells an overwritten tensor from its old self."""
    known = {
        seen(_value(store)): f"{store.pointer}_new" if job.overwrites(store) else store.pointer
        for store in reversed(job.stores)
        if store.value is not None and store.kind == "store" and not store.gathered
        if not isinstance(seen(store.value), (Load, Constant))
    }
    value = seen(_value(access))
    if known.get(value) in {access.pointer, f"{access.pointer}_new"}:
        del known[value]
    writer = Writer(job, known)
    target = access.pointer
    if access.gathered or access.kind != "store":
        target = f"{target}[{writer.chosen(access.index, 30) or '…'}]"
    return f"{target} {'+=' if access.kind == 'atomic_add' else '='} {writer.text(value, limit)}"
