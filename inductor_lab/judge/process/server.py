"""The server of verdicts: it has torch and Triton imported, and forks for each file that it is asked about.

Each request is answered by news, lines of JSON: a case began, a verdict, an end. A file is judged by two processes that have nothing in common but a
socket: one judges (`compare/judge.py`), one runs the kernel (`kernel_process.py`), and is kept out of the other: no /proc, no ptrace. Linux has both,
and both doors.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import re
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from inductor_lab.document import to_dict
from inductor_lab.errors import SHORT, LabError, short_of_memory
from inductor_lab.processes import Lines, end_with, how_ended, kill_group

LOOK = 0.01
"""Seconds between two looks at whether a judge has ended."""
THREADS = 4
"""Of the CPU, of each process beside a card: eight verdicts of all 64 cores each took more than ten minutes where 3 threads took half a one."""
IDLE = 600.0
"""Seconds that it waits for another file."""
TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Of mallopt(3); the numbers are those of malloc.h."""
KEPT = 1 << 28
"""Bytes that may lie free."""
SET_DUMPABLE, CAPBSET_DROP, SET_NO_NEW_PRIVS = 4, 24, 38
"""Of prctl(2); the numbers are those of linux/prctl.h."""
SYS_PTRACE, SYS_ADMIN, VERSION_3 = 19, 21, 0x20080522
"""Of capabilities(7) and capset(2); the numbers are those of linux/capability.h."""


def main(asking: int, told: int) -> None:
    """Judge what `asking`, the process that began this one, sends; `told` is the descriptor for the news."""
    gc.set_threshold(50_000)  # what imports make stays: it is not searched for garbage all the time
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # a process that has asked CUDA itself can not fork
    try:
        import torch

        if not torch.cuda.is_available():
            os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when it is imported, and when a kernel is decorated
        import triton
    except ImportError as error:
        _News(told, 0).tell({"error": f"verify needs {error.name}: pip install '{error.name}'"})
        return
    try:
        from inductor_lab.judge import alone
        from inductor_lab.judge.compare import verdict  # noqa: F401  # what every fork begins with
        from inductor_lab.judge.process import file_parts, kernel_process  # noqa: F401
    except LabError as error:  # Triton's interpreter is none that is known
        _News(told, 0).tell({"error": str(error)})
        return
    except Exception as error:  # said here: what Triton prints when a process ends would be its last line
        _News(told, 0).tell({"error": f"verifying did not begin: {type(error).__name__}: {error}"})
        return

    with suppress(ImportError):
        import triton.experimental.gluon  # noqa: F401  # Triton imports it at the first launch

    here = os.getpid()
    reuse_memory()
    # The first torch.erf of a fork, on two threads, had at times half the digits; beside a card many threads wait for each other more than they work.
    torch.set_num_threads(1 if alone.INTERPRETING else min(torch.get_num_threads(), THREADS))
    hide_from_others()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    gc.freeze()  # what is there by now stays: each case's own garbage is looked for without it
    for asked in _requests(asking):
        news = _News(told, asked.pop("number"))
        if alone.INTERPRETING:
            _import_what_it_asks(Path(asked["folder"], asked["path"]))
            gc.freeze()
        with tempfile.TemporaryDirectory(prefix="inductor-lab-") as folder:
            judge = os.fork()
            if not judge:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                _judge(news, here, Path(folder), asked)
            news.tell({"pid": judge})
            status = _waited(judge, asking)
        news.tell({"ended": os.waitstatus_to_exitcode(status)})


def _requests(asking: int) -> Iterator[dict[str, Any]]:
    """What it is asked, until its input ends, who asked is gone, or nothing has come for long."""
    end = time.monotonic() + IDLE

    def waits() -> bool:
        return os.getppid() == asking and time.monotonic() < end

    for asked in Lines(sys.stdin.buffer).read(waits):
        yield asked
        end = time.monotonic() + IDLE


def _import_what_it_asks(path: Path) -> None:
    """Inductor's helper functions and scipy's, where the file may ask for them: once here, not in both processes of every file.

    Inductor's bring all of Dynamo.
    """
    from inductor_lab.judge.process.file_parts import INDUCTORS

    with suppress(Exception):  # what is wrong with either is told by the process that judges
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if re.search(r"\.(erf|[lt]gamma|normcdf|cyl_bessel|[jy][01]\b)", text):
            importlib.import_module("scipy.special")
        if INDUCTORS.rpartition(".")[0] not in text:
            return
        before = set(os.environ)
        importlib.import_module(INDUCTORS)
        for name in os.environ.keys() - before:
            del os.environ[name]


def _waited(judge: int, asking: int) -> int:
    """How the process ended that judges. What it or the file began ends with it, or when who asked is gone."""
    ended, status = 0, 0
    try:
        while not ended and os.getppid() == asking:
            time.sleep(LOOK)
            ended, status = os.waitpid(judge, os.WNOHANG)
    finally:
        kill_group(judge)
    if not ended:
        sys.exit(1)
    return status


class _News:
    """What is told of one request, by its number."""

    def __init__(self, told: int, number: int) -> None:
        self.told, self.number = told, number

    def tell(self, line: dict[str, Any]) -> None:
        os.write(self.told, (json.dumps({"number": self.number, **line}) + "\n").encode())


def _renew_threads() -> None:
    """PyTorch's pool of threads, which a fork has not, is made anew at its first use: two threads at once would find none there."""
    import torch

    torch.set_num_threads(torch.get_num_threads())


def _judge(news: _News, server: int, folder: Path, asked: dict[str, Any]) -> NoReturn:
    """Judge one file, and end; the judged part of it is copied into `folder`."""
    os.setpgid(0, 0)  # what is begun from here on ends together
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the next request is not the file's to read
    end_with(server)
    with suppress(OSError):
        os.chdir(asked.pop("folder"))  # where the call works
    path = Path(asked.pop("path"))
    content = path.read_bytes() if path.is_file() else b""  # before any of it runs, which may change it
    here, there = socket.socketpair()
    judge = os.getpid()
    runner = os.fork()
    if not runner:
        here.close()
        os.close(news.told)
        end_with(judge)
        _renew_threads()
        _run(path, there)
    there.close()
    _renew_threads()
    from inductor_lab.judge import alone, stand_ins
    from inductor_lab.judge.compare.judge import Judge
    from inductor_lab.judge.compare.verdict import verdict
    from inductor_lab.judge.inputs.cases import Asked
    from inductor_lab.judge.process.file_parts import judged_part
    from inductor_lab.judge.process.kernel_process import EndedError

    if alone.INTERPRETING:
        stand_ins.install()
    wanted = Asked(**asked)
    code = 0
    try:
        file = judged_part(path, folder)
        stand_ins.put_back()
        found = verdict(
            Judge(path, file, here, wanted),
            wanted,
            content,
            lambda case, far: news.tell({"case": case, "far": far}),
            lambda case: news.tell({"did": to_dict(case)}),
            lambda: _how(runner),
        )
        news.tell({"found": to_dict(found)})
    except LabError as error:
        news.tell({"error": str(error)})
    except EndedError:
        news.tell({"error": _not_imported(path, runner)})
    except BaseException as error:
        if short_of_memory(error):
            news.tell({"error": f"there is no verdict: in the process that judges {SHORT}"})
        else:
            traceback.print_exc()
            news.tell({"broke": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"})
            code = 1
    finally:
        sys.stderr.flush()
        with suppress(ProcessLookupError):
            os.kill(runner, signal.SIGKILL)
        os._exit(code)


def _not_imported(path: Path, runner: int) -> str:
    """How the process ended that was to import the file."""
    try:
        return f"{path} does not import: {_how(runner)}"
    except LabError as error:
        return str(error)


def _run(path: Path, channel: socket.socket) -> NoReturn:
    from inductor_lab.judge.process.kernel_process import serve

    give_up_looking_at_others()
    try:
        serve(path, channel)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(70)
    os._exit(0)


def _how(runner: int) -> str:
    """How the process ended that ran the kernel.

    Raises:
        LabError: the system killed it, as where memory runs out.
    """
    for _ in range(100):
        ended, status = os.waitpid(runner, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            if code == -signal.SIGKILL:  # the kernel is not told from the machine here
                raise LabError(f"there is no verdict: the process that runs the kernel {how_ended(code)}")
            if code < 0:
                return f"it {how_ended(code)}: it reads or writes memory that is not its own"
            return f"it ended the process with exit status {code}"
        time.sleep(0.01)
    return "it hung up"


# ------------------------------------------------------------ what libc is asked


def reuse_memory() -> None:
    """Memory that the interpreter drops is used for the next tensor, in this process and in those that it forks.

    Each operation on a block of millions of lanes makes an array, and glibc maps what is larger than 32 MiB apart, page by page, each time:
    giving it back and asking anew took a quarter of a judgement. Where libc is another, nothing changes.
    """
    if (libc := _libc()) and hasattr(libc, "mallopt"):
        libc.mallopt(MMAP_MAX, 0)
        libc.mallopt(TRIM_THRESHOLD, KEPT)


def hide_from_others() -> None:
    """Nobody but root may look at this process, and at those that it forks: at their memory, or at what they have open."""
    if libc := _libc():
        libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)


def give_up_looking_at_others() -> None:
    """Give up what lets root look at others all the same; no program that is begun here gets it back."""
    libc = _libc()
    if not libc:
        return
    header = (ctypes.c_uint32 * 2)(VERSION_3, 0)
    held = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, twice: 64 bits
    if libc.capget(header, held):
        return
    for capability in (SYS_PTRACE, SYS_ADMIN):
        libc.prctl(CAPBSET_DROP, capability, 0, 0, 0)
        for place in range(3):
            held[place] &= ~(1 << capability) & 0xFFFFFFFF
    libc.capset(header, held)
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _libc() -> Any:
    return ctypes.CDLL(None) if sys.platform == "linux" else None
