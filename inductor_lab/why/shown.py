"""What `diff --show` shows: the code of an ejected file's two kernels at one stage, compared."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from inductor_lab.machine.code import Code, code_of
from inductor_lab.why.normal import Line, asserted, lines
from inductor_lab.why.texts import unified


def difference(module: ModuleType, gpu: str, stage: str) -> str:
    """The unified diff of the generated kernel's code against the hand kernel's; empty where nothing that counts differs.

    Raises:
        LabError: there is no such stage for the kernel or the card, or one does not compile.
    """
    generated, hand = (code_of(module, gpu, which, stage) for which in ("generated", "hand"))
    titles = (_title("generated", generated, stage), _title("hand", hand, stage))
    return unified(_lines(generated, stage), _lines(hand, stage), titles)


def _lines(codes: Sequence[Code], stage: str) -> list[Line]:
    return [line for code in codes for line in lines(stage, code.text, code.kernel, asserted(code.ttgir))]


def _title(which: str, codes: Sequence[Code], stage: str) -> str:
    """`hand: add_relu, BLOCK 1024, num_warps 4 (sass)`."""
    each = "; ".join(", ".join(part for part in (code.kernel, code.given) if part) for code in codes)
    return f"{which}: {each} ({stage})"
