"""Kernels that are not even tried: what fixes more than its sizes, and what its tree does not tell whole."""

from __future__ import annotations

from inductor_lab.computation.tree import Load, Named, Random, Scan, Size, Unknown
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.generalize.walking import below, every
from inductor_lab.eject.refusal import UndeterminedError

FRAMED = {"pointwise", "reduction", "persistent_reduction"}
_JOBS = "a {} kernel also fixes how many jobs it has, and which programs do each of them: these are counted from the sizes of all"
_SHARED = "a {} kernel also fixes how many programs share a row, and the workspace through which they do"
FIXED = {
    "foreach": _JOBS,
    "combo": _JOBS,
    "split_scan": _SHARED,
    "cooperative_reduction": _SHARED,
    "template": "a {} kernel also fixes its blocks and the loop over them, which its text says and no tree does",
    "user_autotune": "it is a kernel of the program's own: its author alone knows which of its numbers are sizes",
}
"""Category -> what its kernels fix besides their sizes."""


def eligible(plan: Plan) -> None:
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
