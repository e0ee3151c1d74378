"""The configuration that Inductor's heuristics try first: what a launch needs beside its arguments.

After `pointwise`, `_persistent_reduction_configs` and `_reduction_configs` of torch/_inductor/runtime/triton_heuristics.py (2.11 to 2.13),
without max_autotune. Inductor may time a few more and keep another one; which one it kept does not stand in the log.
"""

from __future__ import annotations

from math import prod

from inductor_lab.computation import computation
from inductor_lab.records import Kernel

SUPPORTED = ("pointwise", "reduction", "persistent_reduction")


def power_of_two(number: int) -> int:
    """The next power of two, at least 1."""
    return 1 << max(number - 1, 0).bit_length()


def first_config(kernel: Kernel) -> dict[str, int] | None:
    """XBLOCK, YBLOCK, R0_BLOCK (those that the signature has) and num_warps; None for categories and sizes that are not covered.

    Raises:
        ValueError: the body is not Python.
    """
    hints = kernel.size_hints or {axis: n for axis, n in computation(kernel).numel.items() if isinstance(n, int)}
    hints = {axis: power_of_two(hint) for axis, hint in hints.items()}
    if kernel.category not in SUPPORTED or not hints:
        return None
    blocks = _pointwise(hints) if kernel.category == "pointwise" else _reduction(kernel, hints)
    parameters = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    return {name: value for name, value in blocks.items() if name in parameters or name == "num_warps"}


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
