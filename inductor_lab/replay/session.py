"""A capture, replayed: graph after graph in the order in which a program would run them, what one saves given to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch

from inductor_lab import files, staleness
from inductor_lab.errors import LabError
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.compare.reference import widened
from inductor_lab.judge.compare.verdict import device as device_name
from inductor_lab.judge.inputs.placement import copied, there
from inductor_lab.library import attention
from inductor_lab.records import Capture, Graph, Replay, ReplayedGraph, ReplayedLaunch, Saving, Timing
from inductor_lab.replay import graph as graphs
from inductor_lab.replay import inputs, module
from inductor_lab.replay.against_generated import held_to_generated, returned_by, too_large
from inductor_lab.replay.agreement import EagerValues, held_launch
from inductor_lab.replay.graph import Checked
from inductor_lab.replay.launches import Launched, Launches, index, save
from inductor_lab.replay.times import timed

ORDER = ("inference", "forward", "backward", "unknown")


@dataclass(frozen=True)
class Session:
    """What is asked of a replay."""

    capture: Capture
    seed: int
    grafts: Mapping[str, Path]
    """A kernel's index, or a span, `0_inference:12-17` -> an ejected file, whose hand kernel runs in place of what was generated."""
    made: Path
    """A folder for files on the way."""
    keep: Path | None
    """A folder in which what each kernel is given at its first launch is kept, for `verify FILE --case`."""
    kept: Path | None
    """The capture's folder, for what it kept of the program's values; None to draw all inputs."""
    against: str
    """`eager`, or `generated`: each hand kernel is held to its reference alone, the outputs to those of the generated module. An empty text is the
    first, and the second of a graph that is too large for it."""
    progress: Callable[[str], None]
    grafting: Callable[[Path], None]
    """Is given a graft's file before each launch of its kernel, which may end the process."""


def replayed(asked: Session) -> Replay:
    """Run every graph of a capture and hold each launch and output to eager.

    Raises:
        LabError: a graph can not be replayed here; it says why.
    """
    capture, grafts = asked.capture, asked.grafts
    for number, path in ((key, path) for key, path in grafts.items() if ":" not in key):
        _need_its_body(capture, number, path)
    if alone.INTERPRETING:
        stand_ins.install()
    saved: dict[str, dict[str, Any]] = {}
    launches: list[ReplayedLaunch] = []
    done: list[ReplayedGraph] = []
    notes: tuple[str, ...] = ()
    with attention.WrittenOut(card=alone.DEVICE != "cpu"):
        for graph in sorted(capture.graphs, key=lambda graph: ORDER.index(graph.kind)):
            pair = graph.id.partition("_")[0]  # 0_forward saves for 0_backward; each pair has nodes of the same names
            run = _Run(asked, graph, saved.get(pair, {}))
            done.append(run.graph_held())
            launches += run.launches
            notes += run.notes
            if graph.kind == "forward":
                saved[pair] = run.saved
    unused = sorted(key for key in grafts if not any(one.kernel.endswith(f":{key}") for one in launches))
    if unused:
        raise LabError(f"no launch of kernel {', '.join(unused)} was replayed, so no graft of it either")
    first = next((one for one in launches if _departs(one)), None)
    passed = first is None and all(
        told == "pass" for one in done for told in (*one.outputs.values(), *one.program.values())
    )
    where = f"{first.kernel} at line {first.line} of {first.graph}" if first else ""
    return Replay("pass" if passed else "fail", where, device_name(), asked.seed, tuple(done), tuple(launches), notes)


def _need_its_body(capture: Capture, number: str, path: Path) -> None:
    """A hand kernel stands for the body that its file was ejected from, and for no other."""
    kernel = next(one for one in capture.kernels if index(one) == number)
    origin = staleness.origin_of(path, files.seen(path).text)
    if origin["body_sha256"] != kernel.body_sha256:
        raise LabError(
            f"{path} was ejected from another body, {origin['name']} of {origin['capture']}; kernel {number} of {capture.name} is {kernel.name}: "
            f"eject that, or where it is what {path.name} became: inductor-lab eject {kernel.id} -o {path} --update"
        )


def _departs(launch: ReplayedLaunch) -> bool:
    return launch.verdict == "fail" or any(told != "pass" for told in launch.buffers.values())


class _Run:
    """One graph on its inputs."""

    def __init__(self, asked: Session, graph: Graph, saved: Mapping[str, Any]) -> None:
        """Args:
        saved: What the forward graph saved for this one, by the nodes' names.
        """
        capture, seed = asked.capture, asked.seed
        self.asked, self.capture, self.graph, self.progress = asked, capture, graph, asked.progress
        self.known = inputs.kept_values(asked.kept, graph, alone.DEVICE) if asked.kept else None
        self.names = inputs.names(graph)
        self.launches: list[ReplayedLaunch] = []
        self.saved: dict[str, Any] = {}
        self.notes: tuple[str, ...] = ()
        self.random_state = attention.random_state(graph)
        self.kernels = Launches(capture, graph, asked.made, asked.grafts, self._around)
        given = self.known.given if self.known else saved
        large = "" if asked.against == "eager" else too_large(graph)
        self.meant: EagerValues | None = None
        if large or asked.against == "generated":
            self.notes += (large,) if large else ()
            self.progress(f"inputs of graph {graph.id}")
            ranges, device = inputs.fills(capture, graph), alone.DEVICE
            self.inputs = there(inputs.drawn(graph, ranges, seed, device, given, draws=device), "cpu")
        else:
            self.progress(f"graph {graph.id} in eager")
            self.inputs, eager = _drawn(capture, graph, seed, given)
            self.meant = self._meant(eager)

    def _meant(self, eager: Mapping[str, Any]) -> EagerValues:
        values = partial(
            graphs.values,
            self.graph,
            device=alone.DEVICE,
            exact=True,
            draws=graphs.drawing(self.capture, self.graph),
        )
        return EagerValues(
            self.graph,
            eager,
            values(self.inputs),
            cache(lambda nudge: values(_nudged(self.inputs, nudge))),
            cache(lambda round_: values(self.inputs, rounded=_generator(round_))),
        )

    def graph_held(self) -> ReplayedGraph:
        """Run the module and hold what it returns to the graph in eager, or to what the generated one returns."""
        if self.meant is None:
            return self._held_to_generated()
        call = module.runnable(self.graph, self.kernels.named(), alone.DEVICE, self.kernels.rewritten)
        values = [self.inputs[name] for name in self.names]
        torch.manual_seed(graphs.SEED)
        with exact_convolutions():
            returned = call([copied(x) for x in values])
        outputs: dict[str, str] = {}
        errors: dict[str, float] = {}
        for name, out in zip(self.graph.outputs, returned, strict=True):
            if name in self.random_state:
                self.saved[name] = out
            elif name:
                found = self.meant.held(out, name)
                outputs[name] = found.message or "pass"
                errors |= {name: found.errors["hand"]} if found.errors else {}
                self.saved[name] = out
        program = self._program_held(self.meant)
        step, saving = self._timed()
        return ReplayedGraph(self.graph.id, self._came(), outputs, errors, step, program, saving)

    def _came(self) -> str:
        return "kept" if self.known else "statistics" if self.graph.given else "drawn"

    def _held_to_generated(self) -> ReplayedGraph:
        self.progress(f"graph {self.graph.id} as generated")
        given = {name: self.inputs[name] for name in self.names}
        if self.asked.grafts and not self.kernels.hands:
            self.notes += (f"graph {self.graph.id} has no hand kernel, and nothing of it is held",)
            if self.graph.kind == "forward":  # the other graph's hand kernels are given what this one saves
                with exact_convolutions():
                    self.saved = there(returned_by(self._plain(), self.graph, given), "cpu")
            return ReplayedGraph(self.graph.id, self._came(), {}, {}, against="generated")
        with exact_convolutions():
            self.saved, outputs, errors = held_to_generated(
                self.graph, given, self._plain(), self._with_hand_kernels(), self.random_state
            )
        return ReplayedGraph(self.graph.id, self._came(), outputs, errors, against="generated")

    def _plain(self) -> module.Module:
        """The module as it was generated."""
        if alone.DEVICE != "cpu":
            return module.compiled(self.graph, self.kernels.kept())
        plain = Launches(self.capture, self.graph, self.kernels.folder, {}, lambda launched, start: start())
        return module.runnable(self.graph, plain.named(), alone.DEVICE)

    def _with_hand_kernels(self) -> module.Module:
        """The module in which each hand kernel is held to its reference; each launch, where there is no hand kernel, or no card."""
        if alone.DEVICE == "cpu":
            return module.runnable(self.graph, self.kernels.named(), alone.DEVICE, self.kernels.rewritten)
        lines = set(self.kernels.by_line)
        if self.kernels.hands:
            lines = {line for line in lines if self.kernels.hand(line)}
        return self.kernels.compiled(lines, held=True)

    def _timed(self) -> tuple[Mapping[str, Timing], Saving | None]:
        """The step on the card, and what grafts save of it; each launch is told its part of it."""
        if alone.DEVICE == "cpu":
            return {}, None
        self.progress(f"timing graph {self.graph.id}")
        values = [self.inputs[name] for name in self.names]
        times = timed(self.graph, values, self.kernels, [launch.line for launch in self.launches])
        self.notes += times.notes
        self.launches = [
            replace(launch, microseconds=took) for launch, took in zip(self.launches, times.launches, strict=True)
        ]
        return times.step, times.saving

    def _program_held(self, meant: EagerValues) -> dict[str, str]:
        """What the program itself computed, held to the graph in eager on the same inputs."""
        if self.known is None or any(graphs.draws(node) for node in self.graph.nodes):
            return {}
        return {name: meant.held(out, name).message or "pass" for name, out in self.known.returned.items()}

    def _around(self, launched: Launched, start: Callable[[], None]) -> None:
        self.progress(str(launched))
        before = {name: launched.tensors[name].clone() for name in launched.file.TAKES}
        if self.asked.keep is not None:
            file = self.asked.keep / f"{launched.key.replace(':', '_')}.npz"
            if not file.exists():  # of the first launch
                save(file, launched.name, f"as in {self.graph.id}, {launched.where}", before)
        if launched.hand:
            self.asked.grafting(launched.hand)
        start()
        self.launches.append(held_launch(self.capture, launched, before, self.meant))


def _drawn(
    capture: Capture, graph: Graph, seed: int, saved: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs, and the graph's values on them in eager: whole numbers from smaller ranges until every index lies inside of its tensor."""
    fills = inputs.fills(capture, graph)
    for most in inputs.RANGES:
        found = inputs.drawn(graph, fills, seed, alone.DEVICE, saved, most)
        try:
            with Checked(), exact_convolutions():
                return found, graphs.values(graph, found, alone.DEVICE, draws=graphs.drawing(capture, graph))
        except LabError as error:
            if most == inputs.RANGES[-1] or not isinstance(error.__cause__, IndexError):
                raise
    raise AssertionError("the last one returns or raises")


@contextmanager
def exact_convolutions() -> Iterator[None]:
    """Convolutions in float32 throughout, and each the same every time.

    torch allows cuDNN TF32 in them, by which two ways to lay out their input differ more than kernels do, and sums in whichever order threads come.
    """
    cudnn = torch.backends.cudnn
    before = cudnn.conv.fp32_precision, cudnn.deterministic
    cudnn.conv.fp32_precision, cudnn.deterministic = "ieee", True
    try:
        yield
    finally:
        cudnn.conv.fp32_precision, cudnn.deterministic = before


def _nudged(values: Mapping[str, Any], draw: int) -> dict[str, Any]:
    """Inputs that are all off by the last bit of a float32, up or down."""
    generator = _generator(draw)
    return {name: widened(x, generator) if isinstance(x, torch.Tensor) else x for name, x in values.items()}


def _generator(seed: int) -> torch.Generator:
    return torch.Generator("cpu").manual_seed(seed)
