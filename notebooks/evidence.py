"""What the notebooks compute their answers with: small kernels compiled for a card that is not here, and the memory that a warp touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inductor_lab.machine.inspection import printed
from inductor_lab.machine.instructions import sass_memory
from inductor_lab.machine.targets import target_named
from inductor_lab.machine.triton_private import caught_launches, variant

WARP = 32
"""Threads of an NVIDIA warp: one instruction of theirs is one request to memory."""
SECTOR, LINE = 32, 128
"""Bytes of a sector, the least that memory moves, and of a line of the cache, four of them (CUDA C++ Best Practices Guide, "Coalesced Access")."""


def compiled(
    kernel: Any, arguments: Mapping[str, str], gpu: str = "h200", *, aligned: bool = True, **constants: int
) -> dict[str, str]:
    """A `@triton.jit` function compiled for a card, never run: its `ttgir`, `ptx` and `sass`.

    Args:
        arguments: Name -> Triton's word for its type.
        aligned: Whether the compiler is told that pointers are multiples of 16 bytes, as those of torch's tensors are.
        constants: The constexprs, and num_warps.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    target = target_named(gpu)
    options = {"num_warps": constants.pop("num_warps", 4)}
    signature = {name: arguments.get(name, "constexpr") for name in kernel.arg_names}
    pointers = [(place,) for place, kind in enumerate(signature.values()) if kind.startswith("*")]
    facts = {place: [["tt.divisibility", 16]] for place in pointers if aligned}
    source = ASTSource(kernel, signature, constants, facts)
    code = triton.compile(source, target=GPUTarget(target.backend, target.arch, target.warp_size), options=options)
    return {stage: printed(code.asm, stage) for stage in ("ttgir", "ptx", "sass")}


def variants(launch: Callable[[int], object], sizes: Iterable[int], gpu: str = "h200") -> dict[str, list[list[int]]]:
    """For each kernel that `launch` would launch at one of the sizes, which is caught: the sizes that share a compiled kernel, a list for each."""
    target = target_named(gpu)
    found: dict[str, dict[str, list[int]]] = {}
    for size in sizes:
        with caught_launches() as caught:
            launch(size)
        for one in caught:
            found.setdefault(one.kernel.__name__, {}).setdefault(variant(one, target), []).append(size)
    return {kernel: list(own.values()) for kernel, own in found.items()}


def accesses(sass: str) -> tuple[dict[str, int], dict[str, int]]:
    """The global loads and the global stores of machine code, each instruction with its count."""
    loads, stores = sass_memory(sass)
    return dict(loads), dict(stores)


def layout(ttgir: str) -> dict[str, int]:
    """How the compiler gave the elements of a one-dimensional block to threads."""
    found = re.search(r"sizePerThread = \[(\d+)\], threadsPerWarp = \[(\d+)\], warpsPerCTA = \[(\d+)\]", ttgir)
    if found is None:
        raise ValueError("no one-dimensional blocked layout in this code")
    return dict(zip(("elements side by side", "threads of a warp", "warps"), map(int, found.groups()), strict=True))


def first_warp(side_by_side: int) -> NDArray[np.int64]:
    """The positions in a block that the first instruction of warp 0 asks for: a row a thread, `side_by_side` elements each."""
    return (np.arange(WARP)[:, None] * side_by_side + np.arange(side_by_side)[None, :]).astype(np.int64)


def touched(elements: NDArray[np.int64] | Iterable[int], size: int) -> dict[str, int | str]:
    """What one instruction of a warp touches.

    Args:
        elements: The offsets that its threads ask for, in elements of `size` bytes.
    """
    offsets = np.unique(np.asarray(list(np.ravel(np.asarray(elements))), dtype=np.int64)) * size
    sectors = len(np.unique(offsets // SECTOR))
    return {
        "bytes asked for": int(len(offsets) * size),
        "sectors": sectors,
        "lines": len(np.unique(offsets // LINE)),
        "of each sector used": f"{len(offsets) * size / (sectors * SECTOR):.0%}",
    }


def coordinates(body: str, xindex: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """What a generated kernel's `x0 = (xindex % 64)` and the like give for some positions: whole numbers, `%`, `//` and nothing else."""
    found: dict[str, NDArray[np.int64]] = {}
    for name, expression in re.findall(r"^(x\d+) = ([\sxindex\d()%/*+-]+)$", body, re.MULTILINE):
        found[name] = eval(expression, {"__builtins__": {}}, {"xindex": xindex})
    return found


def lines_with(text: str, *words: str) -> str:
    """The lines of a listing that hold one of the words, without what stands around the instruction."""
    found = (re.sub(r"^\s*/\*\w+\*/\s*", "", line).strip() for line in text.splitlines())
    return "\n".join(line for line in found if any(word in line for word in words))
