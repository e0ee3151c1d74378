"""The rule `same code`: the kernel and its mutant compile to the same code (trivial compiler equivalence, Papadakis et al. 2015).

All launches of the file are compiled for sm_90, with the arguments that they pass, under the file's own settings and under its blocks that do
not divide the sizes. The code is Triton's own (TTIR, before any optimisation) or else PTX, both less what names lines of the file. Optimising
compilers use nothing but what holds for all inputs, so the same code computes the same from them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from faults.mutation import Mutant

GPU = "h200"
DEBUG_PTX = re.compile(r"^\s*(//|\.loc\b|\.file\b|\$L__(tmp|func)|\.target\b)|^[^\n]*\bassert(File|Message|Func)_")
DEBUG_TTIR = re.compile(r" loc\(.*\)$|^#loc.*$", re.M)


def same_code(mutant: Mutant) -> str:
    """The rule's name where it proves that a mutant computes the same, else ""."""
    with TemporaryDirectory(prefix="inductor-lab-code-") as folder:
        before = launches(imported(mutant.original, Path(folder, "before")))
        after = launches(imported(mutant.text, Path(folder, "after")))
        same = bool(before) and len(before) == len(after)
        same = same and all(equal(one, other) for one, other in zip(before, after, strict=True))
    return "same code" if same else ""


def imported(text: str, folder: Path) -> ModuleType:
    from inductor_lab.ejected import load

    folder.mkdir()
    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    return load(path).module


def launches(file: ModuleType) -> list[Any]:
    """What the launcher would launch under each setting; nothing is run."""
    import torch

    from inductor_lab.machine.triton_private import caught_launches

    found: list[Any] = []
    for blocks, arguments in settings(file):
        tensors = [torch.empty_strided(*lies, dtype=dtype, device="meta") for *lies, dtype, _ in arguments.values()]
        with caught_launches() as caught:
            file.launch(*tensors, **blocks)
        found += caught
    return found


def settings(file: ModuleType) -> Iterator[tuple[dict[str, int], dict[str, Sequence[object]]]]:
    """(blocks, arguments): its own, the blocks that do not divide, the other sizes that it states."""
    yield {}, file.ARGUMENTS
    if file.TAIL["gpu"]:
        yield file.TAIL["gpu"], file.ARGUMENTS
    for sizes in getattr(file, "OTHER_SIZES", ()):
        yield {}, file.arguments(**sizes)


def equal(before: Any, after: Any) -> bool:
    """Whether two launches are of one grid's kernel with the same code."""
    from inductor_lab.machine.targets import target_named
    from inductor_lab.machine.triton_private import compile_launch, front_end

    target = target_named(GPU)
    if without_lines(front_end(before, target)) == without_lines(front_end(after, target)):
        return True
    first, second = (kept(compile_launch(one, target).assembly["ptx"]) for one in (before, after))
    return first == second


def without_lines(ttir: str) -> str:
    return DEBUG_TTIR.sub("", ttir)


def kept(ptx: str) -> list[str]:
    code = ptx.partition(".section\t.debug")[0]
    return [line for line in code.splitlines() if line.strip() and not DEBUG_PTX.search(line)]
