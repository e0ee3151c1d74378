"""What stands in a replayed module where Inductor's kernels stood: each launch goes to the kernel's ejected file, or to a hand kernel's `launch`.

0_inference:12-17 -> the span -> the wrapper's function without its steps -> hand_0(arg2_1, buf4, buf9) -> launch(x, scale, out)

The inputs of one launch (`replay.run` asks for them) are what the module has computed up to it, from the values that the capture kept.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import torch

from inductor_lab import ejected, files, staleness
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.eject.file import render
from inductor_lab.eject.span import eject_span
from inductor_lab.eject.targets import TARGETS
from inductor_lab.errors import LabError
from inductor_lab.grafting.hand import Fitting, Misfit
from inductor_lab.grafting.splicing import Splicer
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.compare.reference import expected
from inductor_lab.judge.inputs import cases
from inductor_lab.judge.inputs.placement import copied
from inductor_lab.judge.interpreter.interface import NotJudged
from inductor_lab.judge.process.kernel_process import in_words, raised
from inductor_lab.library import attention
from inductor_lab.records import Capture, Graph, Kernel, Launch
from inductor_lab.records.span import Span
from inductor_lab.replay import inputs, module
from inductor_lab.spans import span

RUN = re.compile(r"(\w+)\.run\(")


@dataclass(frozen=True)
class Launched:
    """One launch, or one run of a span's hand kernel, as it is about to happen or has happened."""

    of: Kernel | Span
    name: str
    """The kernel's; of a span what its file is called in ORIGIN."""
    graph: str
    line: int
    """Where the wrapper launches it; of a span where its first step stands."""
    file: ModuleType
    """What the capture ejects for it; `reference` is in it."""
    tensors: Mapping[str, torch.Tensor]
    """By that file's names: the module's own memory, seen as the file sees it."""
    numbers: Mapping[str, Any]
    """What is passed besides and no log tells, by the file's names."""
    hand: Path | None = None
    """The file whose kernel takes its place."""
    plan: Plan | None = None
    """Of a kernel, for this launch."""

    @property
    def key(self) -> str:
        """`3` of a kernel, `0_inference:12-17` of a span, as grafts are named."""
        return index(self.of) if isinstance(self.of, Kernel) else _key(self.of)

    @property
    def where(self) -> str:
        """`line 70`; of a span `steps 12 to 17`."""
        return f"line {self.line}" if isinstance(self.of, Kernel) else f"steps {self.of.first} to {self.of.last}"

    def __str__(self) -> str:
        if isinstance(self.of, Kernel):
            return f"{self.name}, line {self.line} of graph {self.graph}"
        return f"{self.of.name} by {self.hand}"


Around = Callable[[Launched, Callable[[], None]], None]
"""Is given each launch and what runs it."""


class _Hand:
    """The file of a graft. Only its `launch` is asked: what it is held to is the capture's own."""

    def __init__(self, path: Path) -> None:
        """Raises:
        LabError: it is no ejected file, or does not say what a launch passes.
        """
        self.path, self.fitting = path, Fitting(ejected.load(path).module)

    def run(self, fitted: Callable[[], tuple[list[Any], Mapping[str, Any]]], of: str, place: str) -> None:
        """Launch it.

        Args:
            fitted: Gives the tensors and numbers.
            of: The id of what it takes the place of.
            place: That in words.

        Raises:
            LabError: it is for other sizes, or does not run.
        """
        try:
            tensors, numbers = fitted()
        except Misfit as misfit:
            raise LabError(f"{self.path} does not fit {place}: {misfit}") from misfit
        try:
            self.fitting.module.launch(*tensors, **numbers, **launch_blocks(self.fitting.module, "launch"))
        except (Exception, SystemExit, NotJudged) as error:
            why = in_words(raised(error, self.path))
            raise LabError(
                f"the hand kernel of {self.path}, grafted in the place of {of}, does not run: {why}"
            ) from error


class Launches:
    """The launches of one graph, and the hand kernels of its spans, ready to run."""

    def __init__(
        self, capture: Capture, graph: Graph, folder: Path, grafts: Mapping[str, Path], around: Around
    ) -> None:
        """Args:
            folder: Where files are ejected.
            grafts: A kernel's index in the capture, or a span, `0_inference:12-17` -> the file whose kernel takes its place; those of other graphs
                are left alone.
            around: Called for each launch.

        Raises:
            LabError: a file is of another span, or two have a step in common.
        """
        self.capture, self.graph, self.folder, self.around = capture, graph, folder, around
        self.by_line = {
            launch.line: (kernel, launch)
            for kernel in capture.kernels
            for launch in kernel.launches
            if launch.graph == graph.id
        }
        self.spans = {f"hand_{n}": one for n, one in enumerate(_spans(capture, graph, grafts))}
        """The module's name for what takes a span's place -> the span."""
        mine = {index(kernel) for kernel, _ in self.by_line.values()} | {_key(one) for one in self.spans.values()}
        self.hands = {key: _Hand(path) for key, path in grafts.items() if key in mine}
        self.files: dict[tuple[str, Any], tuple[Plan, ModuleType]] = {}

    # ------------------------------------------------------------ by the lines of the module

    def called(self, line: int) -> str:
        """The module's name for the kernel that a line launches; empty where none is launched there."""
        found = RUN.search(self.graph.module.splitlines()[line - 1])
        return found[1] if found else ""

    def kept(self) -> dict[str, Mapping[str, int]]:
        """The module's name for a kernel -> what its autotuner kept, where the capture saw it."""
        return {self.called(line): kernel.autotuned for line, (kernel, _) in self.by_line.items() if kernel.autotuned}

    def span_at(self, line: int) -> Span | None:
        """The span with a hand kernel whose first step stands at a line."""
        return next((one for one in self.spans.values() if one.steps[0].line == line), None)

    def hand(self, line: int) -> ModuleType | None:
        """The file whose kernel takes the place of what stands at a line."""
        one = self.span_at(line)
        found = self.hands.get(_key(one) if one else index(self.by_line[line][0]))
        return found.fitting.module if found else None

    # ------------------------------------------------------------ what the module calls

    def rewritten(self, tree: ast.Module) -> ast.Module:
        """A module that asks for the hand kernels of spans where their steps stand."""
        splicer = Splicer(tree)
        for name, one in sorted(self.spans.items(), key=lambda named: min(named[1].lines)):
            splicer.graft_in(one, name, self.hands[_key(one)].fitting.expressions)
        return tree

    def named(
        self,
        lines: Collection[int] | None = None,
        generated: Mapping[str, Any] = MappingProxyType({}),
        *,
        held: bool = True,
    ) -> dict[str, Any]:
        """What the module's names for kernels and for spans' hand kernels stand for.

        Args:
            lines: Those at which kernels are launched from here; all unless given.
            generated: The module's own kernels by its names, which other lines launch.
            held: Whether each launch is in the hands of `around`.
        """
        lines = self.by_line if lines is None else lines
        names = {self.called(line) for line in lines if line in self.by_line}
        kernels = {name: _Kernel(self, lines, generated.get(name), held) for name in names - {""}}
        return {**kernels, **{name: partial(self._run_span, name, held) for name in self.spans}}

    def compiled(self, lines: Collection[int], *, held: bool) -> module.Module:
        """The module, compiled by Inductor but for the launches at these lines and the spans.

        Args:
            held: As of `named`.
        """
        kernels = partial(self.named, lines, held=held)
        return module.compiled(self.graph, self.kept(), kernels, self.rewritten)

    def run(self, line: int, given: tuple[Any, ...], *, held: bool) -> None:
        """Launch what stands at a line."""
        launched, start = self._prepared(line, given)
        if held:
            self.around(launched, start)
        else:
            start()

    def _prepared(self, line: int, given: tuple[Any, ...]) -> tuple[Launched, Callable[[], None]]:
        """A launch with what it is given, and what runs it."""
        kernel, launch = self.by_line[line]
        planned, file = self._file(kernel, launch)
        passed = dict(zip((argument.name for argument in launch.arguments), given, strict=False))
        tensors = dict(_seen(planned, file, passed))
        numbers = {number.name: passed[parameter] for parameter, number in planned.unbacked.items()}
        hand = self.hands.get(index(kernel))
        path = hand.path if hand else None
        launched = Launched(
            kernel, kernel.name, launch.graph, line, file, tensors, numbers, path, replace(planned, launch=launch)
        )
        if hand is None:
            blocks = launch_blocks(file, "launch_generated")
            return launched, partial(file.launch_generated, *tensors.values(), **numbers, **blocks)
        place = f"the launch of {kernel.id} at line {line} of {self.graph.id}"  # its file is of the first launch
        return launched, partial(hand.run, partial(hand.fitting.fitted, passed), kernel.id, place)

    def _run_span(self, name: str, held: bool, *given: Any) -> bool:
        """Launch a span's hand kernel; True says to the module that it ran."""
        one = self.spans[name]
        hand = self.hands[_key(one)]
        start = partial(hand.run, partial(hand.fitting.call, given), one.name, f"the steps of {one.name}")
        if not held:
            start()
            return True
        target = self.folder / f"span_{one.first}_{one.last}.py"
        if not target.exists():
            target.write_text(eject_span(self.capture, one, style="verbatim", file=target.name), encoding="utf-8")
        file = ejected.load(target).module
        tensors, numbers = Fitting(file).call(given)
        called, line = hand.fitting.module.ORIGIN["name"], one.steps[0].line
        seen = dict(zip(file.ARGUMENTS, tensors, strict=True))
        self.around(Launched(one, called, one.graph, line, file, seen, numbers, hand.path), start)
        return True

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


def index(kernel: Kernel) -> str:
    """`3` of `dlrm:3`: where a kernel stands in its capture, however that is addressed."""
    return kernel.id.rpartition(":")[2]


def _key(one: Span) -> str:
    return f"{one.graph}:{one.first}-{one.last}"


def launch_blocks(file: ModuleType, launcher: str) -> dict[str, int]:
    """What Triton's interpreter is launched with."""
    return {} if torch.cuda.is_available() else ejected.blocks(file, launcher)


class _Kernel:
    """One of Inductor's kernels, as the wrapper calls it: at some lines what is ejected or grafted, at others as it was generated."""

    def __init__(self, launches: Launches, lines: Collection[int], generated: Any, held: bool) -> None:
        self.launches, self.lines, self.generated, self.held = launches, lines, generated, held

    def run(self, *given: Any, **named: Any) -> None:
        """Launch it; `grid` and `stream` are the launcher's own affair."""
        line = sys._getframe(1).f_lineno
        if line in self.lines:
            self.launches.run(line, given, held=self.held)
        else:
            self.generated.run(*given, **named)


def _spans(capture: Capture, graph: Graph, grafts: Mapping[str, Path]) -> Iterator[Span]:
    """The spans of a graph that have hand kernels."""
    taken: dict[int, str] = {}
    for key, path in sorted(grafts.items()):
        of, _, steps = key.rpartition(":")
        if of != graph.id:
            continue
        first, last = map(int, steps.split("-"))
        for step in range(first, last + 1):
            if taken.setdefault(step, key) != key:
                raise LabError(
                    f"{path} has step {step} of {of} too, which {grafts[taken[step]]} takes the place of: give one"
                )
        found = span(capture, of, first, last)
        origin = staleness.origin_of(path, files.seen(path).text)
        if origin["body_sha256"] != found.sha256:  # a hand kernel stands for the span that its file was ejected from
            raise LabError(
                f"{path} was ejected from {'another span' if 'span' in origin else 'one kernel'}, {origin['kernel']} of {origin['capture']}, and is none of "
                f"{found.name}: eject that"
            )
        yield found


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


# ------------------------------------------------------------ the inputs of one launch


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
        progress(str(launched))
        if launched.of.id == kernel.id and launched.line == wanted.line:
            names = [n for n, spec in launched.file.ARGUMENTS.items() if spec[-1] != "out" and spec[-1][0] != "same"]
            save(file, kernel.name, cases.REAL, {name: launched.tensors[name] for name in names})
            raise _Reached
        if alone.INTERPRETING and launched.file.reference:
            _computed(launched)
        else:
            start()

    call = module.runnable(graph, Launches(capture, graph, made, {}, around).named(), alone.DEVICE)
    values = [known.given[name] for name in inputs.names(graph)]
    try:
        with attention.WrittenOut(card=alone.DEVICE != "cpu"):
            call([copied(x) for x in values])
    except _Reached:
        return
    raise LabError(f"the module of graph {graph.id} ended before line {wanted.line}, where {kernel.name} is launched")


def save(file: Path, name: str, title: str, given: Mapping[str, torch.Tensor]) -> None:
    """Write what a kernel, or a span's file, is given, as `verify --save` writes inputs that fail."""
    case = cases.Plan(title, "normal", 0)
    cases.save_inputs(file, Path(name), case, {name: value.cpu() for name, value in given.items()}, "")


def _computed(launched: Launched) -> None:
    file = launched.file
    results = expected(file, {name: launched.tensors[name] for name in file.TAKES})
    for name, value in zip(file.WRITTEN, results, strict=True):
        out = launched.tensors[name]
        out.copy_(value.reshape(out.shape))
