"""What stands in a replayed module where Inductor's kernels stood: each launch goes to the kernel's ejected file.

The inputs of one launch (`replay.run` asks for them) are what the module has computed up to it, from the values that the capture kept.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from inductor_lab import ejected
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.eject.file import render
from inductor_lab.eject.targets import TARGETS
from inductor_lab.errors import LabError
from inductor_lab.grafting.fit import Fitting, Misfit
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.compare.reference import expected
from inductor_lab.judge.inputs import cases
from inductor_lab.judge.interpreter.interface import NotJudged
from inductor_lab.judge.process.kernel_process import in_words, raised
from inductor_lab.library import attention
from inductor_lab.records import Capture, Graph, Kernel, Launch
from inductor_lab.replay import inputs, module

RUN = re.compile(r"(\w+)\.run\(")


@dataclass(frozen=True)
class Launched:
    """One launch, as it is about to happen or has happened."""

    kernel: Kernel
    launch: Launch
    plan: Plan
    file: ModuleType
    """What is ejected for this launch; `reference` is in it."""
    tensors: Mapping[str, torch.Tensor]
    """By the file's names: the module's own memory, seen as the file sees it."""
    numbers: Mapping[str, Any]
    """What the launch passes besides and no log tells, by the file's names."""
    grafted: bool


Around = Callable[[Launched, Callable[[], None]], None]
"""Is given each launch and what runs it."""


class Launches:
    """The launches of one graph, ready to run."""

    def __init__(
        self, capture: Capture, graph: Graph, folder: Path, grafts: Mapping[str, Path], around: Around
    ) -> None:
        """Args:
        folder: Where files are ejected.
        grafts: A kernel's index in the capture -> the file whose kernel takes its place.
        around: Called for each launch.
        """
        self.capture, self.graph, self.folder, self.grafts, self.around = capture, graph, folder, grafts, around
        self.by_line = {
            launch.line: (kernel, launch)
            for kernel in capture.kernels
            for launch in kernel.launches
            if launch.graph == graph.id
        }
        self.files: dict[tuple[str, Any], tuple[Plan, ModuleType]] = {}
        self.hands: dict[str, ModuleType] = {}
        self.fitting: dict[ModuleType, Fitting] = {}

    def kernels(self) -> dict[str, Any]:
        """What the module's names for kernels stand for."""
        lines = self.graph.module.splitlines()
        found = (RUN.search(lines[line - 1]) for line in self.by_line)
        return {run[1]: _Kernel(self) for run in found if run}

    def called(self, line: int) -> str:
        """The module's name for the kernel that a line launches."""
        found = RUN.search(self.graph.module.splitlines()[line - 1])
        assert found, line
        return found[1]

    def kept(self) -> dict[str, Mapping[str, int]]:
        """The module's name for a kernel -> what its autotuner kept, where the capture saw it."""
        return {self.called(line): kernel.autotuned for line, (kernel, _) in self.by_line.items() if kernel.autotuned}

    def is_grafted(self, line: int) -> bool:
        return index(self.by_line[line][0]) in self.grafts

    def grafted_file(self, line: int) -> ModuleType:
        """The file whose kernel takes a launch's place."""
        return self._hand(self.by_line[line][0])

    def run(self, line: int, given: tuple[Any, ...]) -> None:
        """Launch what stands at a line, in the hands of `around`."""
        self.around(*self.prepared(line, given))

    def prepared(self, line: int, given: tuple[Any, ...]) -> tuple[Launched, Callable[[], None]]:
        """A launch with what it is given, and what runs it."""
        kernel, launch = self.by_line[line]
        planned, file = self._file(kernel, launch)
        passed = dict(zip((argument.name for argument in launch.arguments), given, strict=False))
        tensors = dict(_seen(planned, file, passed))
        grafted = index(kernel) in self.grafts
        numbers = {number.name: passed[parameter] for parameter, number in planned.unbacked.items()}
        run, started = (self._hand(kernel), "launch") if grafted else (file, "launch_generated")
        seen, named = self._fitted(kernel, line, passed) if grafted else (list(tensors.values()), numbers)
        blocks = {} if torch.cuda.is_available() else ejected.blocks(run, started)

        def start() -> None:
            try:
                getattr(run, started)(*seen, **named, **blocks)
            except (Exception, SystemExit, NotJudged) as error:
                if not grafted:
                    raise
                raise LabError(
                    f"the hand kernel of {run.__file__}, grafted in the place of {kernel.id}, does not run: "
                    f"{in_words(raised(error, Path(str(run.__file__))))}"
                ) from error

        return Launched(kernel, launch, planned, file, tensors, numbers, grafted), start

    def _file(self, kernel: Kernel, launch: Launch) -> tuple[Plan, ModuleType]:
        """The ejected file for one launch: two launches of one body may see tensors of other shapes."""
        key = (
            kernel.id,
            tuple((argument.type, argument.value if argument.type is None else "") for argument in launch.arguments),
        )
        if key not in self.files:
            planned = plan(self.capture, replace(kernel, launches=(launch,)))
            path = self.folder / f"{kernel.name[:60]}_{len(self.files)}.py"
            path.write_text(
                render(planned, TARGETS["triton"](planned, "verbatim"), template=None, file=path.name),
                encoding="utf-8",
            )
            self.files[key] = planned, ejected.load(path).module
        return self.files[key]

    def _fitted(self, kernel: Kernel, line: int, passed: Mapping[str, Any]) -> tuple[list[Any], Mapping[str, Any]]:
        """What a graft's `launch` is given: its file is of the first launch, whose tensors may have other shapes."""
        hand = self._hand(kernel)
        if hand not in self.fitting:
            self.fitting[hand] = Fitting(hand)
        try:
            return self.fitting[hand].fitted(passed)
        except Misfit as misfit:
            raise LabError(
                f"{hand.__file__} does not fit the launch of {kernel.id} at line {line} of {self.graph.id}: {misfit}"
            ) from misfit

    def _hand(self, kernel: Kernel) -> ModuleType:
        """The file of a graft. Only its `launch` is asked: what it is held to is the capture's own."""
        if index(kernel) not in self.hands:
            self.hands[index(kernel)] = ejected.load(self.grafts[index(kernel)]).module
        return self.hands[index(kernel)]


def index(kernel: Kernel) -> str:
    """`3` of `dlrm:3`: where a kernel stands in its capture, however that is addressed."""
    return kernel.id.rpartition(":")[2]


class _Kernel:
    """One of Inductor's kernels, as the wrapper calls it."""

    def __init__(self, launches: Launches) -> None:
        self.launches = launches

    def run(self, *given: Any, **named: Any) -> None:
        """Launch it; `grid` and `stream` are the launcher's own affair."""
        self.launches.run(sys._getframe(1).f_lineno, given)


def _seen(planned: Plan, file: ModuleType, passed: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """The file's arguments: the memory that the module passes, with the shapes and strides that the file has for it."""
    for tensor, (name, (shape, stride, dtype, _)) in zip(planned.tensors.values(), file.ARGUMENTS.items(), strict=True):
        given = passed[tensor.parameter]
        if given.dtype != dtype:
            raise LabError(f"{planned.kernel.id}: the module passes {given.dtype} for {name}, the file takes {dtype}")
        try:
            yield name, torch.as_strided(given, shape, stride, given.storage_offset())
        except RuntimeError as error:
            raise LabError(
                f"{planned.kernel.id} can not be replayed: the module passes {list(given.shape)} for {name}, the file takes {list(shape)}, "
                "which the log did not tell better"
            ) from error


class _Reached(Exception):  # noqa: N818
    """The launch whose inputs were wanted."""


def keep_launch_inputs(
    capture: Capture, folder: Path, kernel: Kernel, file: Path, made: Path, progress: Callable[[str], None]
) -> None:
    """Write what a kernel's ejected file takes, as `verify --save` does, of the launch that the file is made for.

    In the interpreter the launches before it are computed by their references: they are eager's values then.

    Args:
        folder: The capture's.
        made: A folder for files on the way.

    Raises:
        LabError: the capture holds no values of that graph, or its module does not run here.
    """
    wanted = plan(capture, kernel).launch
    graph = next(one for one in capture.graphs if one.id == wanted.graph)
    known = inputs.kept_values(folder, graph, alone.DEVICE)
    if known is None:
        raise LabError(
            f"{folder} holds no values of graph {graph.id}: capture the program again with `--keep inputs`, and with a higher `--keep-limit` "
            "where a problem of the capture says that they were too large"
        )
    if alone.INTERPRETING:
        stand_ins.install()

    def around(launched: Launched, start: Callable[[], None]) -> None:
        progress(f"{launched.kernel.name}, line {launched.launch.line} of graph {graph.id}")
        if launched.kernel.id == kernel.id and launched.launch.line == wanted.line:
            _save(file, launched)
            raise _Reached
        if alone.INTERPRETING and launched.file.reference:
            _computed(launched)
        else:
            start()

    call = module.runnable(graph, Launches(capture, graph, made, {}, around).kernels(), alone.DEVICE)
    values = [known.given[name] for name in inputs.names(graph)]
    try:
        with attention.WrittenOut(card=alone.DEVICE != "cpu"):
            call([inputs.copied(x) if isinstance(x, torch.Tensor) else x for x in values])
    except _Reached:
        return
    raise LabError(f"the module of graph {graph.id} ended before line {wanted.line}, where {kernel.name} is launched")


def _save(file: Path, launched: Launched) -> None:
    names = [name for name, spec in launched.file.ARGUMENTS.items() if spec[-1] != "out" and spec[-1][0] != "same"]
    case = cases.Plan(cases.REAL, "normal", 0)
    cases.save_inputs(
        file, Path(launched.kernel.name), case, {name: launched.tensors[name].cpu() for name in names}, ""
    )


def _computed(launched: Launched) -> None:
    file = launched.file
    results = expected(file, {name: launched.tensors[name] for name in file.TAKES})
    for name, value in zip(file.WRITTEN, results, strict=True):
        out = launched.tensors[name]
        out.copy_(value.reshape(out.shape))
