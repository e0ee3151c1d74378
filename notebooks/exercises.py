"""Exercises that check themselves: a kernel written in a cell takes the place of the ejected one, and the project's judge says whether it holds."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import inductor_lab as lab

BEGINS = "@triton.jit\n"
ENDS = "# ---------------------------------------------------------------- what it must equal"
"""What an ejected file says above its kernel's reference: what stands between the two is the reader's."""


class Exercise:
    """One kernel to write: what it must compute is known from a captured one."""

    def __init__(self, number: int, kernel: lab.KernelView) -> None:
        self.number = number
        self._folder = TemporaryDirectory()
        self.file = kernel.eject(Path(self._folder.name) / f"exercise_{number}.py")
        self._ejected = self.file.read_text(encoding="utf-8")

    def check(self, *functions: Any) -> None:
        """Say whether kernel and launcher, as the cell has them, compute what eager PyTorch computes; never raises for a wrong answer.

        Args:
            functions: The kernel, with whatever else it calls, and `launch`, in the order of the cell.
        """
        texts = [source_of(function) for function in functions]
        if missing := [line for text in texts for line in unwritten(text)]:
            print(f"Exercise {self.number} is open. Still to write: {'; '.join(missing)}")
            return
        self.write(*functions)
        try:
            found = lab.verify_file(self.file, effort="quick")
        except lab.LabError as error:
            print(f"Exercise {self.number}: it does not run. {error}")
            return
        if found.verdict == "pass":
            print(f"Exercise {self.number} holds: all {len(found.cases)} cases of the judge pass.")
            return
        wrong = next(case for case in found.cases if not case.passed)
        print(f"Exercise {self.number}: not yet. On the judge's case {wrong.name!r}: {wrong.message}")

    def write(self, *functions: Any) -> None:
        """Put these in the place of the ejected kernel and its launcher, unchecked."""
        begin = self._ejected.index(BEGINS)
        end = self._ejected.index(ENDS, begin)
        text = "\n\n".join(map(source_of, functions))
        self.file.write_text(f"{self._ejected[:begin]}{text}\n\n\n{self._ejected[end:]}", encoding="utf-8")


def source_of(function: Any) -> str:
    """A function's text, as its cell has it; of a `@triton.jit` one too."""
    plain: Callable[..., Any] = getattr(function, "fn", function)
    return textwrap.dedent(inspect.getsource(plain)).rstrip() + "\n"


def unwritten(text: str) -> list[str]:
    """The statements that are still `...`, as they stand."""
    lines = text.splitlines()
    marks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and node.value is ...]
    return [f"`{lines[node.lineno - 1].strip()}`" for node in marks]
