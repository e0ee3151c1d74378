"""What a kernel can be ejected as: a name for `eject --as`, and the printer that writes the hand kernel.

A target is one row here and one module: a function from the plan and the style to a `KernelText`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from inductor_lab.bind.names import tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import computation
from inductor_lab.eject import naming
from inductor_lab.eject.binding.plan import Plan, whole
from inductor_lab.eject.cuda import printer as cuda_printer
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.triton import readable
from inductor_lab.eject.triton.subkernel_tables import looped
from inductor_lab.eject.triton.subkernels import jobs
from inductor_lab.eject.triton.verbatim import renamed, verbatim
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel


def source_lines(kernel: Kernel, capture: Capture) -> dict[int, str]:
    """Line of the body -> `model.py:30`, where that is clear; nothing where all are from one line, which the header says."""
    found = computation(kernel)
    nodes = origins(kernel, capture, found, tensors(kernel, capture, found))
    told = {
        line: f"{PurePath(node.source.file).name}:{node.source.line}" for line, node in nodes.items() if node.source
    }
    return told if len({*told.values()}) > 1 else {}


def triton(plan: Plan, style: str) -> KernelText:
    """Triton, from the tree; what the tree does not tell whole stays as it was written."""
    if style == "verbatim":
        return verbatim(plan)
    if plan.workspaces:
        return renamed(plan, _together(plan))
    try:
        taken = {*naming.OF_THE_KERNEL, plan.name, *(number.name for number in plan.unbacked.values())}
        remarks = {parameter: number.comment() for parameter, number in plan.unbacked.items()}
        if plan.table and not plan.generated:
            return looped(plan.found, plan.table)
        if plan.found.parts and not plan.generated:
            return jobs(plan.found, plan.tensors, taken, plan.scalars)
        sources = source_lines(plan.kernel, plan.capture)
        return readable(plan.found, plan.tensors, taken, plan.scalars, remarks, sources)
    except UnprintableError as reason:
        if plan.generated:
            raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: {reason}") from reason
        return renamed(plan, str(reason))


def _together(plan: Plan) -> str:
    """How programs share the work, as `launch` has it."""
    memory = " and ".join(plan.workspaces)
    if "RSPLIT" not in plan.config:
        return f"programs share the work, through memory beside the tensors ({memory})"
    alone = ", and with RSPLIT=1, as `launch` has it, each works alone" if plan.config["RSPLIT"] == 1 else ""
    return f"RSPLIT programs share each row, through memory beside the tensors ({memory}){alone}"


def cuda(plan: Plan, style: str) -> KernelText:
    """CUDA C++, from the same tree; where programs share a row of Inductor's kernel, one block does it here.

    Raises:
        LabError: the kernel has no form in it.
    """
    name = f"{plan.kernel.id} ({plan.kernel.name})"
    if style == "verbatim":
        raise LabError("--style verbatim keeps Triton's text to the letter; leave it out with --as cuda")
    if plan.kernel.category == "user_autotune":
        raise LabError(f"{name} has no form in CUDA C++: a {plan.kernel.category} kernel's loop is not read as a tree")
    taken = {*naming.OF_THE_KERNEL, plan.name}
    remarks = {parameter: number.comment() for parameter, number in plan.unbacked.items()}
    try:
        plan = whole(plan)
        found = plan.found
        if plan.table:  # a job of one element as it is told there
            found = replace(found, parts=tuple(job.found for _, job in plan.table.jobs))
        text = cuda_printer.text(found, plan.tensors, taken, plan.scalars, plan.name, remarks, functions(plan.kernel))
        if plan.table:  # its jobs' sizes are all that it takes beside the tensors
            return replace(text, launcher=plan.table.sizes(), arguments="*tensors, *sizes")
        return text
    except (UnprintableError, ValueError) as reason:
        raise LabError(f"{name} has no form in CUDA C++: {reason}") from reason


TARGETS: dict[str, Callable[[Plan, str], KernelText]] = {"triton": triton, "cuda": cuda}
