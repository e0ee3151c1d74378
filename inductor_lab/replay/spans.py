"""Hand kernels of spans in a replayed module: where the span's steps stand, the file's `launch` is called with the module's own memory.

0_inference:12-17 -> the span -> the wrapper's function without its steps -> hand_0(arg2_1, buf4, buf9) -> launch(x, scale, out)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from inductor_lab import ejected, files, staleness
from inductor_lab.eject.span import eject_span
from inductor_lab.errors import LabError
from inductor_lab.grafting.fit import Fitting, Misfit
from inductor_lab.grafting.splicing import graft_in
from inductor_lab.judge.interpreter.interface import NotJudged
from inductor_lab.judge.process.kernel_process import in_words, raised
from inductor_lab.records import Capture, Graph
from inductor_lab.records.span import Span
from inductor_lab.spans import span


@dataclass(frozen=True)
class LaunchedSpan:
    """One run of a span's hand kernel, as it is about to happen or has happened."""

    span: Span
    path: Path
    name: str
    """What that file is called in its ORIGIN."""
    file: ModuleType
    """What the capture ejects for this span; `reference` is in it."""
    tensors: Mapping[str, torch.Tensor]
    """By that file's names: the module's own memory."""
    numbers: Mapping[str, Any]


AroundSpan = Callable[[LaunchedSpan, Callable[[], None]], None]
"""Is given each run and what runs it."""


class Spans:
    """The hand kernels of one graph's spans."""

    def __init__(
        self, capture: Capture, graph: Graph, folder: Path, grafts: Mapping[str, Path], around: AroundSpan
    ) -> None:
        """Args:
            folder: Where files are ejected.
            grafts: `0_inference:12-17` -> the file whose `launch` takes the steps' place; other graphs' are left alone.
            around: Called for each run.

        Raises:
            LabError: a file is of another span, or two have a step in common.
        """
        self.capture, self.folder, self.around = capture, folder, around
        self.found: dict[str, tuple[Span, Path]] = {}
        taken: dict[int, str] = {}
        for key, path in sorted(grafts.items()):
            of, _, steps = key.rpartition(":")
            if of == graph.id:
                first, last = map(int, steps.split("-"))
                for step in range(first, last + 1):
                    if taken.setdefault(step, key) != key:
                        raise LabError(
                            f"{path} has step {step} of {of} too, which {grafts[taken[step]]} takes the place of: give one"
                        )
                self.found[f"hand_{len(self.found)}"] = _of_file(capture, path, span(capture, of, first, last)), path
        self.hands = {name: Fitting(ejected.load(path).module) for name, (_, path) in self.found.items()}

    @property
    def lines(self) -> dict[int, Span]:
        """The line of each span's first step -> the span."""
        return {one.steps[0].line: one for one, _ in self.found.values()}

    def file(self, line: int) -> ModuleType:
        """The file whose `launch` takes the place of the span that begins at a line."""
        return next(self.hands[name].module for name, (one, _) in self.found.items() if one.steps[0].line == line)

    def rewritten(self, tree: ast.Module) -> ast.Module:
        """A module that asks for them."""
        for name, (one, _) in self.found.items():
            graft_in(tree, one, name, self.hands[name].expressions)
        return tree

    def around_each(self) -> dict[str, Callable[..., bool]]:
        """What stands under their names where each run is held to what it must equal."""
        return {name: partial(self._held, name) for name in self.found}

    def alone(self) -> dict[str, Callable[..., bool]]:
        """And where they are timed."""
        return {name: partial(self._run, name) for name in self.found}

    def _held(self, name: str, *given: Any) -> bool:
        one, path = self.found[name]
        target = self.folder / f"span_{one.first}_{one.last}.py"
        if not target.exists():
            target.write_text(eject_span(self.capture, one, style="verbatim", file=target.name), encoding="utf-8")
        file = ejected.load(target).module
        tensors, numbers = Fitting(file).call(given)
        named = self.hands[name].module.ORIGIN["name"]
        launched = LaunchedSpan(one, path, named, file, dict(zip(file.ARGUMENTS, tensors, strict=True)), numbers)
        self.around(launched, lambda: self._start(name, given))
        return True

    def _run(self, name: str, *given: Any) -> bool:
        self._start(name, given)
        return True

    def _start(self, name: str, given: tuple[Any, ...]) -> None:
        (one, path), fitting = self.found[name], self.hands[name]
        try:
            tensors, numbers = fitting.call(given)
        except Misfit as misfit:
            raise LabError(f"{path} does not fit the steps of {one.name}: {misfit}") from misfit
        blocks = {} if torch.cuda.is_available() else ejected.blocks(fitting.module, "launch")
        try:
            fitting.module.launch(*tensors, **numbers, **blocks)
        except (Exception, SystemExit, NotJudged) as error:
            raise LabError(
                f"the hand kernel of {path}, grafted in the place of {one.name}, does not run: {in_words(raised(error, path))}"
            ) from error


def _of_file(capture: Capture, path: Path, found: Span) -> Span:
    """A hand kernel stands for the span that its file was ejected from, and for no other."""
    origin = staleness.origin_of(path, files.seen(path).text)
    if origin["body_sha256"] != found.sha256:
        raise LabError(
            f"{path} was ejected from {'another span' if 'span' in origin else 'one kernel'}, {origin['kernel']} of {origin['capture']}, and is none of "
            f"{found.name}: eject that"
        )
    return found
