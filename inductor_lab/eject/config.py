"""The configurations that an ejected file is launched with: Inductor's first, one for Triton's interpreter, and blocks that do not divide."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod

from inductor_lab.annotate import heuristics
from inductor_lab.annotate.heuristics import SUPPORTED, power_of_two
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel

INTERPRETED = 1 << 17
"""Elements a program of Triton's interpreter, which takes milliseconds a program however little it does."""


def first_config(kernel: Kernel) -> dict[str, int]:
    """XBLOCK, YBLOCK, R0_BLOCK (those that the signature has) and num_warps.

    Raises:
        LabError: the category is not one that can be ejected.
    """
    if kernel.category not in SUPPORTED:
        raise LabError(
            f"{kernel.id} ({kernel.name}) is a {kernel.category} kernel; eject handles {', '.join(SUPPORTED)}: "
            f"`inductor-lab show {kernel.id}` shows it"
        )
    found = heuristics.first_config(kernel)
    if found is None:
        raise LabError(f"{kernel.id} ({kernel.name}) tells no size to choose blocks by: capture it without --dynamic")
    return found


def interpreter_config(kernel: Kernel, sizes: Mapping[str, int], dropped: Collection[str]) -> dict[str, int]:
    """Blocks for Triton's interpreter: as large as is sensible, and dividing a size whose mask Inductor dropped.

    Args:
        sizes: `xnumel`, `r0_numel` ... of the launch.
        dropped: Prefixes (`x`, `r0_`) whose mask the body does not have.
    """
    parameters = [
        argument.name
        for argument in kernel.arguments
        if argument.role == "constexpr" and argument.name.endswith("BLOCK")
    ]
    budget = INTERPRETED
    persistent = kernel.category == "persistent_reduction"
    if persistent:
        budget = max(1, budget // power_of_two(prod(size for name, size in sizes.items() if name.startswith("r"))))
    blocks: dict[str, int] = {}
    for name in sorted(parameters, key=lambda name: name == "XBLOCK"):  # the reduced dimension first
        prefix = name.removesuffix("BLOCK").lower()
        size = sizes.get(f"{prefix}numel", 1)
        block = min(power_of_two(size), budget)
        while prefix in dropped and size % block:
            block //= 2
        blocks[name] = max(block, 1)
        budget = max(1, budget // blocks[name])
    return blocks


def tail_config(kernel: Kernel, sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """Blocks that do not divide their sizes, so that the last program is partly outside; none where every block divides.

    Args:
        most: Elements that one program may hold: a GPU's registers end where the interpreter goes on.
    """
    parameters = [
        argument.name
        for argument in kernel.arguments
        if argument.role == "constexpr" and argument.name.endswith("BLOCK")
    ]
    held = (
        prod(size for name, size in sizes.items() if name.startswith("r"))
        if kernel.category == "persistent_reduction"
        else 1
    )
    budget = most // power_of_two(held)
    blocks: dict[str, int] = {}
    for name in sorted(parameters, key=lambda name: name == "XBLOCK"):  # the reduced dimension first
        size = sizes.get(f"{name.removesuffix('BLOCK').lower()}numel", 1)
        fitting = [
            block
            for block in (1 << n for n in range(21))
            if block <= min(budget, 2 * power_of_two(size)) and size % block
        ]
        if fitting:
            blocks[name] = fitting[-1]
            budget = max(budget // fitting[-1], 1)
    return blocks
