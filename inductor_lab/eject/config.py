"""The configuration that Inductor's heuristics try first, and the grid: what a launch needs beside its arguments.

After `pointwise`, `_persistent_reduction_configs` and `_reduction_configs` of torch/_inductor/runtime/triton_heuristics.py (2.11 to 2.13),
without max_autotune. Inductor may time a few more and keep another one; which one it kept does not stand in the log.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod

from inductor_lab.errors import LabError
from inductor_lab.records import Kernel

SUPPORTED = ("pointwise", "reduction", "persistent_reduction")
INTERPRETED = 1 << 17
"""Elements a program of Triton's interpreter, which takes milliseconds a program however little it does."""


def power_of_two(number: int) -> int:
    """The next power of two, at least 1."""
    return 1 << max(number - 1, 0).bit_length()


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
    hints = {prefix: power_of_two(hint) for prefix, hint in (kernel.size_hints or _sizes(kernel)).items()}
    blocks = _pointwise(hints) if kernel.category == "pointwise" else _reduction(kernel, hints)
    parameters = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    return {name: value for name, value in blocks.items() if name in parameters or name == "num_warps"}


def _sizes(kernel: Kernel) -> dict[str, int]:
    """The sizes of the first launch, where the source has no hints."""
    passed = (argument for launch in kernel.launches[:1] for argument in launch.arguments)
    return {
        a.name.removesuffix("numel"): int(a.value) for a in passed if a.name.endswith("numel") and a.value.isdigit()
    }


def _pointwise(hints: dict[str, int]) -> dict[str, int]:
    numel = prod(hints.values())
    if len(hints) == 1:
        block = {"x": max(256, min(numel // 128, 1024))}
    else:
        block = dict(zip(("x", "y", "z"), (32, 32) if len(hints) == 2 else (16, 16, 16), strict=False))
    target = prod(block.values())
    if numel < target:
        target //= 8
    block = {prefix: min(size, hints[prefix]) for prefix, size in block.items()}
    for prefix in block:
        while block[prefix] < hints[prefix] and prod(block.values()) < target:
            block[prefix] *= 2
    total = prod(block.values())
    warps = power_of_two(min(max(total // 256, 1), 8))
    return {f"{prefix.upper()}BLOCK": size for prefix, size in block.items()} | {
        "num_warps": max(warps, 4) if total >= 128 else warps
    }


def _reduction(kernel: Kernel, hints: dict[str, int]) -> dict[str, int]:
    x, r = hints.get("x", 1), prod(hint for prefix, hint in hints.items() if prefix.startswith("r"))
    hint = str(kernel.meta.get("reduction_hint", "")).rpartition(".")[2]
    if kernel.category == "persistent_reduction":
        block, r_block, intensive = 1, r, True
        if hint == "INNER" and 256 <= r <= 1024 and x // 8 >= 128:
            return {"XBLOCK": min(max(1024 // r, 1), 8, x), "num_warps": 1}
        if hint == "OUTER":
            block = max(b for b in (1, 8, 32, 128) if b == 1 or (r * b <= 4096 and b <= x))
        if hint == "OUTER_TINY":
            block, intensive = 2 * (256 // r) if r <= 256 else 1, False
    elif hint == "OUTER":
        intensive = False
        block = (
            max(min(x // 128, 8), 2)
            if x <= 1024
            else 16
            if x // 4096 <= 8
            else max(min(256, power_of_two(x // 4096)), 64)
        )
        r_block = min(r, 64) if x <= 1024 else 512 // block
    else:
        intensive = False
        block, r_block = (
            (2 * (256 // r) if r <= 256 else 1) if hint == "OUTER_TINY" else 2 if r <= 2048 else 1,
            min(r, 2048),
        )
    block = min(block, x)
    target = block * r_block if x * r >= block * r_block else block * r_block // 8
    while block < x and block * r_block < target:
        block *= 2
    warps = r_block // 128 if hint == "INNER" else block * r_block // 128
    most = (16 if r_block <= 8192 else 32) // (2 if intensive else 1)
    return {"XBLOCK": block, "R0_BLOCK": r_block, "num_warps": power_of_two(min(max(warps, 2), most))}


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
