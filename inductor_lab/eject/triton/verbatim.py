"""Prints a kernel as Inductor wrote it, or with tensors' names where the tree does not hold all of it.

The generated baseline of every file, `--style verbatim`, and the readable form of what a person or a template wrote already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.bind.blocks import as_dict, number
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.launch_grid import BlockGrid, along_scans, block_grid, grid
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.device_functions import exchanged
from inductor_lab.eject.rendering import KernelText, Parameter, names_in, passed_for
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
    counted = block_grid(plan)
    lines = plan.kernel.body.splitlines()
    body = "\n".join(line for number, line in enumerate(lines) if counted is None or number not in counted.lines)
    remark = f"As it was written: {why}."
    written = _text(plan, tuple(exchanged(body, names).splitlines()), names, remark)
    if counted is not None:
        return _over_blocks(written, counted)
    if plan.kernel.category in ("template", config.WRITTEN) and not names_in(written.grid):
        remark += " The grid in `launch` is for the blocks that it has now."
    return replace(written, remark=remark)


def _over_blocks(text: KernelText, counted: BlockGrid) -> KernelText:
    """The blocks that the grid is made of as parameters: `launch` counts its programs by them."""
    blocks = (Parameter(name, ": tl.constexpr", passed=name) for name in counted.blocks)
    parameters = (*text.parameters, *blocks)
    return replace(
        text, parameters=parameters, arguments=passed_for(parameters), grid=counted.text, tuned=counted.blocks
    )


def _text(plan: Plan, lines: tuple[str, ...], names: Mapping[str, str], remark: str) -> KernelText:
    kernel = plan.kernel
    parameters = tuple(
        Parameter(
            names.get(argument.name, argument.name),
            ": tl.constexpr" if argument.role == "constexpr" else "",
            _comment(plan, argument.name, bool(names)),
            _passed(plan, argument),
        )
        for argument in kernel.arguments
    )
    return KernelText(
        parameters, lines, remark, _prepared(plan), grid(plan), passed_for(parameters),
        {name: name for name in plan.config if name.isupper()}, plan.dropped,
        to_the_letter=not names,
    )  # fmt: skip


def _comment(plan: Plan, parameter: str, named: bool) -> str:
    """What a parameter is; a tensor's name too, where the parameter is not called by it."""
    if parameter in plan.unbacked:
        return plan.unbacked[parameter].comment()
    tensor = plan.tensors.get(parameter)
    return "" if tensor is None else tensor.comment() if named else f"{tensor.name}: {tensor.comment()}"


def _passed(plan: Plan, argument: Argument) -> str:
    """What a launch passes for a parameter: a name of the launcher, or a number."""
    if argument.name in plan.tensors:
        return plan.tensors[argument.name].name
    if argument.role != "constexpr" or argument.name in plan.config:
        return argument.name
    told = config.constants(plan.kernel, plan.launch)
    if plan.kernel.category == config.WRITTEN and argument.name not in told:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}): its text does not tell what {argument.name} is")
    return told.get(argument.name, argument.name)


def _prepared(plan: Plan) -> dict[str, str]:
    """Sizes of the launch under the generated kernel's names; scratch memory, cleared."""
    sizes = [a.name for a in plan.kernel.arguments if a.role == "size" and a.name in plan.scalars]
    prepared = {name: plan.scalars[name] for name in sizes}
    device = next((tensor.name for tensor in plan.tensors.values()), "")
    for name, (dtype, elements) in plan.workspaces.items():
        needed = _of_programs(plan, elements)
        prepared[name] = f"torch.zeros({needed}, dtype=torch.{dtype}, device={device}.device)"
    return prepared


def _of_programs(plan: Plan, elements: int) -> str:
    """A workspace's elements: a split scan's as many for each program, whatever the block and the sizes; the wrapper's are for the least block."""
    least = number(as_dict(plan.kernel.meta.get("inductor_meta")), "min_split_scan_rblock", 0)
    if plan.kernel.category != "split_scan" or not least:
        return str(elements)
    programs = plan.numels["xnumel"] * -(-plan.numels["r0_numel" if "r0_numel" in plan.numels else "rnumel"] // least)
    return f"{-(-elements // programs)} * {' * '.join(along_scans(plan))}"
