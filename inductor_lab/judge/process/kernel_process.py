"""The process that runs the edited kernel: it is sent copies of the inputs, runs `launch` on them, and sends the memory back.

What the file does to this process stays in it: inputs, reference and comparison are the judge's, who trusts nothing but the bytes, and of what
is watched here (`watch`) takes faults, never a pass. The two say JSON to each other, and bytes behind it: nothing that is received is executed. What a
kernel raises is JSON too (`raised`), and in words (`in_words`): what it is, and on which line of its file.
"""

from __future__ import annotations

import gc
import inspect
import json
import linecache
import os
import socket
import struct
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import triton
from triton.runtime.errors import InterpreterError

from inductor_lab.ejected import CHECK_STARTS, load
from inductor_lab.errors import LabError, short_of_memory
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.inputs.placement import seen
from inductor_lab.judge.watch.escapes import Snapshot
from inductor_lab.judge.watch.launcher import Launcher
from inductor_lab.judge.watch.watch import Sample, Watch, WholeNeeded

LENGTH = struct.Struct(">Q")
"""What is written before each message."""
SETTINGS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Parameters of a launch that are no blocks; of a span's each begins with its kernel's name."""
MOST_ELEMENTS = 1 << 20
"""Of one block, for which a card's compiler takes a kernel (TRITON_MAX_TENSOR_NUMEL)."""
TOO_LARGE = "exceeds triton maximum tensor numel"
ROOM = 1 << 23
"""Elements of a block that the judge chose, for a kernel that may have blocks of several dimensions made of it."""
NO_NVCC = "CUDA_HOME environment variable is not set"
"""The error of torch.utils.cpp_extension."""
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
        send(channel, {"error": str(error)})
        return
    finally:
        _end_copies(process)
    stand_ins.put_back()
    send(channel, {})
    kernel = _Kernel(path, file, before)
    while True:
        try:
            asked, parts = receive(channel)
        except EndedError:
            return
        if "who" in asked:
            send(channel, *kernel.wrote(asked["who"], asked["place"]))
        else:
            send(channel, *_where_there_is_memory(kernel, asked, parts))
            gc.collect()  # tensors lie in cycles: of watches, of Triton's interpreter


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
            views, memories, held = _placed(asked["tensors"], parts)
            self.blocks = {**_numbers(self.file), **config}
            try:
                told = self._once(views, config, sample, asked["library"])
            except WholeNeeded as why:
                return {"whole": str(why)}, []
            if not config or not _refused(told.get("error")):
                break
        if config != asked["config"] and not sample and not (span and config):
            told["blocks"] = config or "its own"
        for memory, there in zip(memories, held, strict=True):
            there.copy_(memory)
        return told, [there.numpy().data for there in held]

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
            told["faults"] = [{"kind": x.kind, "tensor": x.tensor, "message": x.message} for x in self.watch.faults]
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
) -> tuple[dict[str, torch.Tensor], list[torch.Tensor], list[torch.Tensor]]:
    """The arguments, the copies of the judge's memory in which they lie, and memory of the CPU as large: itself, or what a card copies fastest from and to."""
    held = memories = [torch.frombuffer(part, dtype=torch.uint8) for part in parts]
    if alone.DEVICE == "cuda":
        held = [memory.pin_memory() for memory in memories]
        memories = [torch.empty_like(memory, device="cuda") for memory in held]
        torch.cuda.synchronize()
        torch.cuda._sleep(SLEEP)
        for memory, there in zip(memories, held, strict=True):
            memory.copy_(there, non_blocking=True)
    views = {name: seen(memories[how["memory"]], how) for name, how in tensors.items()}
    return views, memories, held


def _end_copies(process: int) -> None:
    """A launcher that forked leaves a second process, which must not answer too."""
    if os.getpid() != process:
        os._exit(0)


# ------------------------------------------------------------ what it and the process that judges say to each other


class EndedError(Exception):
    """The other process has ended."""


class HangsError(Exception):
    """The process that runs the kernel does not answer."""


class GarbledError(Exception):
    """It sent what is no message."""


def send(channel: socket.socket, head: Mapping[str, Any], parts: Sequence[memoryview] = ()) -> None:
    """One message: its head, and pieces of memory.

    Raises:
        EndedError: the other process has ended.
    """
    text = json.dumps({**head, "parts": [part.nbytes for part in parts]}).encode()
    try:
        channel.sendall(LENGTH.pack(len(text)) + text)
        for part in parts:
            channel.sendall(part)
    except OSError as error:
        raise EndedError from error


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[bytearray]]:
    """The next message.

    Raises:
        EndedError: the other process has ended.
        TimeoutError: it sent nothing for as long as the channel waits.
        GarbledError: it sent something else.
    """
    (length,) = LENGTH.unpack(_exactly(channel, LENGTH.size))
    try:
        head: dict[str, Any] = json.loads(_exactly(channel, length))
        return head, [_exactly(channel, length) for length in head.pop("parts")]
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
        raise GarbledError from error


def answer(channel: socket.socket, doing: str, limit: float) -> tuple[dict[str, Any], list[bytearray]]:
    """The next message of the process that runs the kernel.

    Args:
        doing: What it was asked, for the error.
        limit: Seconds.

    Raises:
        EndedError: it has ended.
        HangsError: it does not answer.
    """
    channel.settimeout(limit)
    try:
        return receive(channel)
    except TimeoutError as error:
        raise HangsError(f"{doing} did not end within {limit:.0f} s") from error
    except GarbledError as error:
        raise HangsError(
            f"{doing} is answered by what is no answer: the file changes how its process speaks"
        ) from error


def _exactly(channel: socket.socket, length: int) -> bytearray:
    held = bytearray(length)
    view, got = memoryview(held), 0
    while got < length:
        try:
            read = channel.recv_into(view[got:])
        except TimeoutError:
            raise
        except OSError as error:
            raise EndedError from error
        if not read:
            raise EndedError
        got += read
    return held


# ------------------------------------------------------------ what a kernel raised


def raised(error: BaseException, path: Path) -> dict[str, Any]:
    """An exception that came out of a file's `launch`."""
    line, in_kernel = None, isinstance(error, InterpreterError | triton.CompilationError)
    found: BaseException | None = error
    while found is not None:  # the interpreter's error is on the launcher's line, and its cause on the kernel's
        if isinstance(error, InterpreterError):
            error = found
        for frame, number in traceback.walk_tb(found.__traceback__):
            if frame.f_code.co_filename == str(path):
                line = number
        found = found.__cause__
    if line is not None and line > _own_lines(path):
        line = None  # what builds a .cu file is the same in every file: the message says where in that one
    if isinstance(error, triton.CompilationError) and line is None:
        line = getattr(error.node, "lineno", None)
    text = " ".join(str(error).split())[:300]
    if isinstance(error, OSError) and NO_NVCC in text:
        text = "not judged here: it builds CUDA C++ by nvcc, which is not found: set CUDA_HOME"
    return {
        "type": type(error).__name__,
        "in_kernel": in_kernel,
        "text": text,
        "line": line,
        "code": linecache.getline(str(path), line).strip() if line else "",
    }


def in_words(error: Mapping[str, Any]) -> str:
    """``ValueError: boom, line 47: `raise ValueError('boom')` ``"""
    line = f", line {error['line']}: `{error['code']}`" if error.get("line") else ""
    return ": ".join(filter(None, (error["type"], error["text"]))) + line


def _own_lines(path: Path) -> int:
    """How many lines of a file are above those that are the same in every one."""
    lines = linecache.getlines(str(path))
    return next((number for number, line in enumerate(lines) if line.startswith(CHECK_STARTS)), len(lines))
