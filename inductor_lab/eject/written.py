"""A kernel as it was written: to the letter, or with its tensors' names where the schedule does not tell all that it does.

The generated baseline of every file, `--style verbatim`, and the readable form of what a person or a template wrote already.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from inductor_lab.eject.helpers import called_in
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.rendering import KernelText, Parameter
from inductor_lab.errors import LabError
from inductor_lab.records import Argument


def verbatim(plan: Plan) -> KernelText:
    """The body to the letter, under the generated kernel's own signature."""
    return _text(plan, tuple(plan.kernel.body.splitlines()), {}, "")


def renamed(plan: Plan, why: str) -> KernelText:
    """The body with the tensors' names, where it can not be printed from its tree.

    Args:
        why: The reason, told above the body.
    """
    names = {parameter: f"{tensor.name}_ptr" for parameter, tensor in plan.tensors.items()}
    body = "\n".join(plan.kernel.body.splitlines())
    text = (
        re.sub(
            r"(?<![\w.])(" + "|".join(map(re.escape, names)) + r")\b(?!\s*=[^=])", lambda found: names[found[1]], body
        )
        if names
        else body
    )
    return _text(plan, tuple(text.splitlines()), names, f"As it was written: {why}.")


def _text(plan: Plan, lines: tuple[str, ...], names: Mapping[str, str], remark: str) -> KernelText:
    kernel = plan.kernel
    parameters, passed = [], []
    for argument in kernel.arguments:
        tensor = plan.tensors.get(argument.name)
        comment = "" if tensor is None else tensor.comment() if names else f"{tensor.name}: {tensor.comment()}"
        constexpr = argument.role == "constexpr"
        parameters.append(
            Parameter(names.get(argument.name, argument.name), ": tl.constexpr" if constexpr else "", comment)
        )
        value = _passed(plan, argument)
        passed.append(f"{argument.name}={value}" if constexpr else value)
    return KernelText(
        tuple(parameters), lines, remark, tuple(_prepared(plan)), _grid(plan), ", ".join(passed),
        {name: name for name in plan.config if name.isupper()}, plan.dropped, called_in("\n".join(lines)),
        options="", to_the_letter=not names,
    )  # fmt: skip


def _passed(plan: Plan, argument: Argument) -> str:
    if argument.name in plan.tensors:
        return plan.tensors[argument.name].name
    if argument.role == "constexpr":
        launch = next((a.value for a in plan.launch.arguments if a.name == argument.name), "")
        return argument.name if argument.name in plan.config else launch or argument.name
    return argument.name


def _prepared(plan: Plan) -> list[str]:
    """Scratch memory, cleared; sizes of the launch under the generated kernel's names."""
    lines = []
    device = next((tensor.name for tensor in plan.tensors.values()), "")
    for name, (dtype, elements) in plan.workspaces.items():
        lines.append(f"{name} = torch.zeros({elements}, dtype=torch.{dtype}, device={device}.device)")
    for argument in plan.kernel.arguments:
        if argument.role == "size" and argument.name in plan.scalars:
            lines.append(f"{argument.name} = {plan.scalars[argument.name]}")
    return lines


def _grid(plan: Plan) -> str:
    """Programs along x, y, z, as Inductor's launcher counts them (`GridExpr` in torch/_inductor/runtime/triton_heuristics.py, 2.13)."""
    kernel = plan.kernel
    fixed = _fixed_grid(plan)
    if fixed:
        return fixed
    if plan.found.parts:
        return _jobs(plan)
    if kernel.category == "split_scan":
        block = "R0_BLOCK" if any(a.name == "R0_BLOCK" for a in kernel.arguments) else "RBLOCK"
        return f"(triton.cdiv({_numel(plan, 'r0_' if block == 'R0_BLOCK' else 'r')}, {block}), {_numel(plan, 'x')})"
    if kernel.category == "cooperative_reduction":
        return f"(RSPLIT, triton.cdiv({_numel(plan, 'x')}, XBLOCK))"
    axes: dict[int, str] = {}
    overflow = False
    for axis in plan.found.schedule.axes:
        place = re.search(r"tl\.program_id\((\d)\)", axis.program)
        if place is None:
            continue
        overflow = overflow or "tl.program_id(2)" in axis.program
        numel = _numel(plan, axis.name)
        axes[int(place[1])] = (
            f"triton.cdiv({numel}, {axis.block})" if axis.fixed is None else f"triton.cdiv({numel}, {axis.fixed})"
        )
    if not axes:
        raise LabError(f"{kernel.id} ({kernel.name}): its text does not tell how many programs a launch has")
    ordered = [axes.get(place, "1") for place in range(max(axes) + 1)]
    if overflow and len(ordered) == 2:
        ordered = [ordered[0], f"min({ordered[1]}, 65535)", f"triton.cdiv({ordered[1]}, 65535)"]
    return f"({ordered[0]},)" if len(ordered) == 1 else f"({', '.join(ordered)})"


def _numel(plan: Plan, axis: str) -> str:
    name = f"{axis}numel"
    if any(argument.name == name for argument in plan.kernel.arguments) and name in plan.scalars:
        return name
    return str(plan.numels[name])


def _fixed_grid(plan: Plan) -> str:
    """The grid that a launch states: three numbers behind the arguments (2.6 on), or `grid=(2, 1, 1)`."""
    statement = _launch_call(plan)
    if statement is None:
        return ""
    for keyword in statement.keywords:
        if keyword.arg == "grid":
            written = ast.unparse(keyword.value)
            return written if re.fullmatch(r"\([\d\s,]+\)", written) else ""
    extra = statement.args[len(plan.launch.arguments) :]
    if len(extra) == 3 and all(isinstance(argument, ast.Constant) for argument in extra):
        return f"({', '.join(ast.unparse(argument) for argument in extra)})"
    return ""


def _launch_call(plan: Plan) -> ast.Call | None:
    """The launch in the module's text."""
    lines = plan.graph.module.splitlines()[plan.launch.line - 1 :]
    for count in range(1, min(len(lines), 8) + 1):
        try:
            found = ast.parse(" ".join(line.strip() for line in lines[:count])).body
        except SyntaxError:
            continue
        match found:
            case [ast.Expr(value=ast.Call() as call)]:
                return call
        return None
    return None


def _jobs(plan: Plan) -> str:
    """The programs of jobs side by side: where the last one ends."""
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
        for bound in re.findall(r"xpid < (\d+)", ast.unparse(statement).split("\n")[0])
    ]
    if names:
        blocks = dict(re.findall(r"(\w*BLOCK\w*): tl\.constexpr = (\d+)", plan.kernel.body))
        text = list(names.values())[-1]
        text = re.sub(r"\b\w*BLOCK\w*\b", lambda found: blocks.get(found[0], found[0]), text)
        return f"({text},)"
    if ends:
        return f"({max(ends)},)"
    raise LabError(f"{plan.kernel.id} ({plan.kernel.name}): its text does not tell how many programs a launch has")
