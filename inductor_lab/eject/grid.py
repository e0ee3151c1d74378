"""How many programs a launch has along x, y and z: what the launch states, else as Inductor's launcher counts them."""

from __future__ import annotations

import ast
import re

from inductor_lab.eject.plan import Plan
from inductor_lab.eject.stated import stated
from inductor_lab.errors import LabError


def grid(plan: Plan) -> str:
    """Programs along x, y, z, as Inductor's launcher counts them (`GridExpr` in torch/_inductor/runtime/triton_heuristics.py, 2.13).

    Raises:
        LabError: the text does not tell.
    """
    kernel = plan.kernel
    if told := stated(plan):
        return told
    if plan.found.parts:
        return _jobs(plan)
    if kernel.category == "split_scan":
        return f"({', '.join(along_scans(plan))})"
    if kernel.category == "cooperative_reduction":
        return f"(RSPLIT, triton.cdiv({_numel(plan, 'x')}, XBLOCK))"
    axes: dict[int, str] = {}
    overflow = False
    for axis in plan.found.schedule.axes:
        place = re.search(r"tl\.program_id\((\d)\)", axis.program)
        if place is None:
            continue
        overflow = overflow or "tl.program_id(2)" in axis.program
        axes[int(place[1])] = f"triton.cdiv({_numel(plan, axis.name)}, {axis.group or axis.fixed or axis.block})"
    if not axes:
        raise _untold(plan)
    ordered = [axes.get(place, "1") for place in range(max(axes) + 1)]
    if overflow and len(ordered) == 2:
        ordered = [ordered[0], f"min({ordered[1]}, 65535)", f"triton.cdiv({ordered[1]}, 65535)"]
    return f"({ordered[0]},)" if len(ordered) == 1 else f"({', '.join(ordered)})"


def along_scans(plan: Plan) -> tuple[str, str]:
    """The programs of a split scan: along each row, and the rows."""
    block = "R0_BLOCK" if any(a.name == "R0_BLOCK" for a in plan.kernel.arguments) else "RBLOCK"
    return f"triton.cdiv({_numel(plan, 'r0_' if block == 'R0_BLOCK' else 'r')}, {block})", _numel(plan, "x")


def _numel(plan: Plan, axis: str) -> str:
    name = f"{axis}numel"
    if any(argument.name == name for argument in plan.kernel.arguments) and name in plan.scalars:
        return name
    return str(plan.numels[name])


def _jobs(plan: Plan) -> str:
    """The programs of jobs side by side: where the last one ends."""
    if in_turn := _in_turn(plan):
        return in_turn
    names: dict[str, str] = {}
    for statement in plan.found.statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("num_xblocks_"):
                names[name] = re.sub(
                    r"\bnum_xblocks_\d+\b", lambda found: f"({names[found[0]]})", ast.unparse(value)
                ).replace("tl.", "triton.")
    ends = [
        int(bound)
        for statement in plan.found.statements
        if isinstance(statement, ast.If)
        for bound in re.findall(r"xpid < (\d+)", ast.unparse(statement.test))
    ]
    if names:
        blocks = dict(re.findall(r"(\w*BLOCK\w*): tl\.constexpr = (\d+)", plan.kernel.body))
        text = list(names.values())[-1]
        text += _rows_of_jobs(plan)
        text = re.sub(r"\b\w*BLOCK\w*\b", lambda found: blocks.get(found[0], found[0]), text)
        return f"({text})"
    if ends:
        return f"({max(ends)},)"
    raise _untold(plan)


def _rows_of_jobs(plan: Plan) -> str:
    """Programs along y, behind those along x: as many as the job with the most rows needs."""
    rows = [str(part.numel["y"]) for part in plan.found.parts if "y" in part.numel]
    return f", triton.cdiv({_largest(rows)}, YBLOCK)" if rows else ","


def _in_turn(plan: Plan) -> str:
    """The programs of jobs that take turns, as many for each as the longest needs; nothing for other jobs.

    `RoundRobinComboKernelGrid` in torch/_inductor/runtime/triton_heuristics.py, 2.13.
    """
    described = plan.kernel.meta.get("inductor_meta")
    if not isinstance(described, dict) or described.get("grid_type") != "RoundRobinComboKernelGrid":
        return ""
    told = described["combo_grid_meta"]
    jobs = range(told["num_kernels"])
    if told["default_config"] or any(f"ynumel_{job}" in told for job in jobs):
        return ""
    numels = {job: str(told[f"xnumel_{job}"] or f"xnumel_{job}") for job in jobs}
    longest = [numel for job, numel in numels.items() if told[f"no_x_dim_{job}"]]
    blocked = [numel for job, numel in numels.items() if not told[f"no_x_dim_{job}"]]
    if blocked:
        longest.append(f"triton.cdiv({_largest(blocked)}, XBLOCK)")
    programs = f"{_largest(longest)} * {len(numels)}"
    return f"({_largest([programs, str(told['min_blocks'])]) if told['min_blocks'] else programs},)"


def _largest(texts: list[str]) -> str:
    if all(text.isdigit() for text in texts):
        return str(max(map(int, texts)))
    return texts[0] if len(texts) == 1 else f"max({', '.join(texts)})"


def _untold(plan: Plan) -> LabError:
    return LabError(f"{plan.kernel.id} ({plan.kernel.name}): its text does not tell how many programs a launch has")
