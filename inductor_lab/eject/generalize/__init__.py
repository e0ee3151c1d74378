"""A kernel of fixed sizes as one for any sizes: each number of its text is read back as the product of sizes that it was.

    x0 = xindex % 75, in_ptr0 + (x0 + 75*x1) of f32[40, 75]      x0 = xindex % s1, in_ptr0 + (x0 + s1*x1) of f32[s0, s1]

Every axis is cut into digits where a coordinate or a dimension of a tensor begins. A dimension is the product of the digits that walk along
it; digits that walk along the same dimension are the same (`dimensions`). A digit is a symbol, and a stride the product of the
dimensions within (`rewriting`), but for one that leaves a gap, which is a size of its own. A number of the body is a size where its place says
so (`numbers`), and so is an end of the range that a tensor is drawn from (`other_sizes`).

What this does not tell stays as it is: a dimension of which an address takes a part, or whose position is held against a number
(`positions`), keeps its size. A number that may be a size by chance is refused (`numbers`).
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.computation.tree import Load, Named, Random, Scan, Size, Unknown
from inductor_lab.eject.binding.plan import Plan, referenced
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.generalize.numbers import numbers
from inductor_lab.eject.generalize.other_sizes import fits, fits_generated, others, with_ranges
from inductor_lab.eject.generalize.positions import below, every
from inductor_lab.eject.generalize.rewriting import Rewriting, Symbols
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.errors import LabError

__all__ = ["fits", "fits_generated", "generalize", "others"]

FRAMED = {"pointwise", "reduction", "persistent_reduction"}
_SUBKERNELS = "a {} kernel also fixes how many jobs it has, and which programs do each of them: these are counted from the sizes of all"
_SHARED = "a {} kernel also fixes how many programs share a row, and the workspace through which they do"
FIXED = {
    "foreach": _SUBKERNELS,
    "combo": _SUBKERNELS,
    "split_scan": _SHARED,
    "cooperative_reduction": _SHARED,
    "template": "a {} kernel also fixes its blocks and the loop over them, which its text says and no tree does",
    "user_autotune": "it is a kernel of the program's own: its author alone knows which of its numbers are sizes",
}
"""Category -> what its kernels fix besides their sizes."""


def generalize(plan: Plan) -> Plan:
    """The plan of the same kernel for any sizes; `generated` is the one of its own.

    Raises:
        LabError: the text does not determine what a number in it is.
    """
    try:
        return _general(plan)
    except UndeterminedError as reason:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: {reason}") from reason


def _general(plan: Plan) -> Plan:
    _eligible(plan)
    dimensions = Dimensions(plan.found, plan.tensors)
    symbols = Symbols(dimensions, {plan.name, *(tensor.name for tensor in plan.tensors.values())})
    meant = numbers(plan.found, dimensions, symbols)
    found = Rewriting(plan.found, symbols, meant).computation()
    environment = {name: digit.size for digit, name in symbols.names.items()}
    typed = {name: symbols.tensor(tensor) for name, tensor in plan.tensors.items()}
    tensors = with_ranges(found, typed, environment)
    numels = {f"{axis}numel": str(numel) for axis, numel in found.numel.items()}
    scalars = numels | dict(found.sizes)
    reference, unknown = referenced(plan.kernel, found, tensors, scalars)
    return replace(
        plan, found=found, tensors=tensors, scalars=scalars, reference=reference, no_reference=unknown, bindings=dict(symbols.bindings(tensors)),
        environment=environment, dropped=frozenset(), generated=plan,
    )  # fmt: skip


def _eligible(plan: Plan) -> None:
    """Return for a kernel that can be tried.

    Raises:
        UndeterminedError: why it can not.
    """
    found = plan.found
    if plan.bindings or plan.environment:
        raise UndeterminedError("its sizes are symbolic already")
    if plan.kernel.category not in FRAMED:
        category = plan.kernel.category.replace("_", " ")
        why = FIXED.get(plan.kernel.category, "a {} kernel may fix more than its sizes")
        raise UndeterminedError(why.format(category))
    if found.parts or plan.workspaces:
        raise UndeterminedError("it does several jobs" if found.parts else "its programs share a workspace")
    if found.schedule.opaque or found.unknown or found.branches:
        raise UndeterminedError(found.schedule.opaque or "its tree does not tell all that it does")
    for axis, numel in found.numel.items():
        if not isinstance(numel, int) or found.schedule.axis(axis) is None:
            raise UndeterminedError(f"the extent of {axis} is no number")
    others = [name for name in plan.scalars if not name.endswith("numel")]
    if others:
        raise UndeterminedError(f"its launch passes {others[0]}")
    for node in every(found):
        if isinstance(node, Unknown) and not isinstance(node, Named):
            raise UndeterminedError(f"`{node.text[:40]}` is not understood")
        for part in below(node):
            if isinstance(part, Size) and not part.name.endswith(("numel", "offset")):
                raise UndeterminedError(f"it computes with {part.name}")
        if isinstance(node, (Scan, Random)):
            raise UndeterminedError("a scan" if isinstance(node, Scan) else "random numbers")
        if isinstance(node, Load) and node.index is None:
            raise UndeterminedError("an address is no sum")
    for access in found.accesses:
        if access.pointer not in plan.tensors:
            raise UndeterminedError(f"{access.pointer} is no tensor of the launch")
