"""The process that runs the edited kernel: it is sent copies of the inputs, runs `launch` on them, and sends the memory back.

What the file does to this process stays in it: inputs, reference and comparison are the judge's, who trusts nothing but the bytes, and of what
is watched here (`watch`) takes faults, never a pass.
"""

from __future__ import annotations

import inspect
import os
import socket
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import triton

from inductor_lab.ejected import load
from inductor_lab.errors import LabError, short_of_memory
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.inputs.placement import GUARD
from inductor_lab.judge.process import messages
from inductor_lab.judge.process.messages import raised
from inductor_lab.judge.watch.escapes import Snapshot
from inductor_lab.judge.watch.launcher import Launcher
from inductor_lab.judge.watch.watch import Sample, Watch, WholeNeeded

SETTINGS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Parameters of a launch that are no blocks; of a span's each begins with its kernel's name."""
MOST_ELEMENTS = 1 << 20
"""Of one block, for which a card's compiler takes a kernel (TRITON_MAX_TENSOR_NUMEL)."""
TOO_LARGE = "exceeds triton maximum tensor numel"
ROOM = 1 << 23
"""Elements of a block that the judge chose, for a kernel that may have blocks of several dimensions made of it."""
SLEEP = 20_000_000
"""GPU clock cycles, some 10 ms, for which a stream waits before the inputs arrive: another stream does not."""


def serve(path: Path, channel: socket.socket) -> None:
    """Answer the judge until it hangs up."""
    if alone.INTERPRETING:
        stand_ins.install()
    before = Snapshot()
    process = os.getpid()
    try:
        file = load(path).module
    except LabError as error:
        messages.send(channel, {"error": str(error)})
        return
    finally:
        _end_copies(process)
    stand_ins.put_back()
    messages.send(channel, {})
    kernel = _Kernel(path, file, before)
    while True:
        try:
            asked, parts = messages.receive(channel)
        except messages.EndedError:
            return
        if "who" in asked:
            messages.send(channel, *kernel.wrote(asked["who"], asked["place"]))
        else:
            messages.send(channel, *_where_there_is_memory(kernel, asked, parts))


def _where_there_is_memory(
    kernel: _Kernel, asked: Mapping[str, Any], parts: Sequence[bytearray]
) -> tuple[dict[str, Any], list[memoryview]]:
    """What comes of a launch. That memory runs out is no fault of the kernel's: nobody knows who else has it."""
    try:
        return kernel.launched(asked, parts)
    except Exception as error:
        if not short_of_memory(error):
            raise
        return {"short": True}, []


def _numbers(file: ModuleType) -> dict[str, int]:
    """Parameters of the launcher that are whole numbers unless given: its blocks."""
    parameters = inspect.signature(file.launch).parameters.values()
    return {p.name: p.default for p in parameters if type(p.default) is int and not p.name.endswith(SETTINGS)}


class _Kernel:
    """The edited file, and what its last launch did."""

    def __init__(self, path: Path, file: ModuleType, before: Snapshot) -> None:
        self.path, self.file, self.before = path, file, before
        self.process = os.getpid()
        self.watch: Watch | None = None
        self.called: Collection[str] = ()
        """The tensors that library calls of the last launch wrote, which the watch does not see."""
        self.blocks: dict[str, int] = {}
        """Of the last launch."""

    def launched(self, asked: Mapping[str, Any], parts: Sequence[bytearray]) -> tuple[dict[str, Any], list[memoryview]]:
        """Run `launch` under the first blocks that it takes: those asked for, else its own."""
        told: dict[str, Any] = {}
        if alone.INTERPRETING:
            stand_ins.choose(asked["choice"])
        sample = _sample(asked.get("sample"))
        span = asked["library"] is not None
        for config in _configurations(asked["config"], asked["doubled"], _numbers(self.file), span):
            views, memories = _placed(asked["tensors"], parts)
            self.blocks = {**_numbers(self.file), **config}
            try:
                told = self._once(views, config, sample, asked["library"])
            except WholeNeeded as why:
                return {"whole": str(why)}, []
            if not config or not _refused(told.get("error")):
                break
        if config != asked["config"] and not sample and not (span and config):
            told["blocks"] = config or "its own"
        back = [memory.cpu().numpy().data for memory in memories]
        return told, back

    def _once(
        self,
        views: Mapping[str, torch.Tensor],
        config: Mapping[str, int],
        sample: Sample | None,
        library: Sequence[str] | None,
    ) -> dict[str, Any]:
        versions = {name: view._version for name, view in views.items()}
        launcher = Launcher(self.file, views, library)
        told: dict[str, Any] = {}
        self.watch = Watch(views, sample) if alone.INTERPRETING else None
        with ExitStack() as stack:
            if self.watch:
                stack.enter_context(self.watch)
            stack.enter_context(launcher)
            try:
                if self.watch:
                    chosen = any("BLOCK" in name for name in config)
                    triton._utils.TRITON_MAX_TENSOR_NUMEL = ROOM if chosen else MOST_ELEMENTS
                self.file.launch(*views.values(), **config)
            except WholeNeeded:
                raise
            except BaseException as error:
                if short_of_memory(error):
                    raise
                told["error"] = raised(error, self.path)
            finally:
                _end_copies(self.process)
        told["did"] = [*launcher.faults, *self.before.changed()]
        told["notes"] = list(launcher.notes)
        told["unwritten"] = [*launcher.unwritten_reads, *(self.watch.unwritten_reads if self.watch else ())]
        self.called = launcher.called
        told["changed"] = [name for name, view in views.items() if view._version != versions[name]]
        if self.watch:
            told["faults"] = [asdict(fault) for fault in self.watch.faults]
            told["stored"] = self.watch.stored
        return told

    def wrote(self, name: str, place: int) -> tuple[dict[str, Any], list[memoryview]]:
        """Which program, and which lane of its block, wrote an element last; the launch's blocks; and the elements that no program wrote."""
        if not self.watch or self.file.ORIGIN.get("target") == "cuda":  # whose stores nobody sees
            return {"blocks": self.blocks}, []
        if name in self.called:
            return {"blocks": self.blocks}, []
        programs, lanes = (each.reshape(-1) for each in self.watch.writer(name))
        number, lane = int(programs[place]), int(lanes[place])
        told = {"program": list(self.watch.place(number)), "lane": lane} if number else {}
        return {"blocks": self.blocks, **told}, [np.ascontiguousarray(programs == 0).data]


def _sample(asked: Mapping[str, Any] | None) -> Sample | None:
    return asked and Sample(tuple(asked["grid"]), frozenset(map(tuple, asked["places"])))  # type: ignore[return-value]


def _refused(error: Mapping[str, Any] | None) -> bool:
    """Whether a launcher does not take blocks, they are too large, or something asserts what holds for its own alone: no kernel went wrong by itself."""
    return error is not None and (
        not error["in_kernel"] or error["type"] == "AssertionError" or TOO_LARGE in error["text"]
    )


def _configurations(
    asked: Mapping[str, int], doubled: bool, has: Mapping[str, int], span: bool
) -> Iterator[dict[str, int]]:
    """Blocks to launch under, in turn, until one runs: an editor may have renamed them, or asserts what holds for its own alone.

    Args:
        span: Each block begins with its kernel's name: those of the kernels that are left are taken.
    """
    if asked and asked.keys() <= has.keys():
        yield dict(asked)
    elif doubled:
        powers = {name: 2 * number for name, number in has.items() if number > 1 and not number & (number - 1)}
        if powers:
            yield powers
    elif span:
        lost = {name.partition("BLOCK")[0] for name in asked if name not in has}
        yield {name: block for name, block in asked.items() if name.partition("BLOCK")[0] not in lost}
    yield {}


def _placed(
    tensors: Mapping[str, Mapping[str, Any]], parts: Sequence[bytearray]
) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    """The arguments, as they lie in copies of the judge's memory."""
    memories = [torch.frombuffer(part, dtype=torch.uint8) for part in parts]
    if alone.DEVICE == "cuda":
        pinned = [memory.pin_memory() for memory in memories]
        memories = [torch.empty_like(memory, device="cuda") for memory in pinned]
        torch.cuda.synchronize()
        torch.cuda._sleep(SLEEP)
        for memory, there in zip(memories, pinned, strict=True):
            memory.copy_(there, non_blocking=True)
    views = {
        name: memories[how["memory"]].view(getattr(torch, how["dtype"])).as_strided(how["shape"], how["stride"], GUARD)
        for name, how in tensors.items()
    }
    return views, memories


def _end_copies(process: int) -> None:
    """A launcher that forked leaves a second process, which must not answer too."""
    if os.getpid() != process:
        os._exit(0)
