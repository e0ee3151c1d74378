"""Children of the tests that import torch fork from a process that has imported it: a captured program, the judge, a replay.

Importing Inductor takes a process 4 s of a core, a fork some milliseconds, and the tests begin hundreds. `Popen` is Python's own for every other command,
under another environment of torch's, beside a real GPU, and where a test is marked `from_nothing`: where it is about how a process begins or ends.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import inspect
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from fcntl import F_DUPFD, fcntl
from importlib import import_module
from pathlib import Path
from typing import Any

from inductor_lab.capture import inside
from inductor_lab.processes import CHILD

SET_CHILD_SUBREAPER = 36
"""Of prctl(2): what descendants leave behind are our children then."""
IMPORTED = {
    "interpreting": ("torch", "triton.experimental.gluon", "torch._inductor.select_algorithm", "inductor_lab.judge.process.kernel_process",
                     "inductor_lab.judge.compare.verdict", "inductor_lab.replay.session", "scipy.special"),
    "capturing": ("torch", "triton", "torch._inductor.compile_fx", "inductor_lab.capture.observe", "inductor_lab.capture.virtual_gpu"),
}  # fmt: skip
"""What such a process does -> what it begins with."""
ASKED_AT_IMPORT = ("TORCH", "PYTORCH", "TRITON", "OMP", "MKL", "ATEN")
"""Variables whose names begin so are read when torch or Triton is imported, most of them."""
BEGUN = dict(os.environ)

_Plain = subprocess.Popen


class Popen(_Plain):  # type: ignore[type-arg]
    """A child that is forked where it can be; else Python's own."""

    forks = not Path("/dev/nvidiactl").exists()

    def _execute_child(self, *given: Any) -> None:
        asked = inspect.signature(super()._execute_child).bind(*given).arguments
        kind = _kind(asked["args"], asked["env"] or os.environ) if Popen.forks else ""
        if not kind:
            return super()._execute_child(*given)  # type: ignore[no-any-return]
        if kind not in _FORKING:
            _FORKING[kind] = _begun(kind)
        self.pid = _forked(_FORKING[kind][1], asked)
        self._child_created = True
        self._close_pipe_fds(
            *(asked[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite"))
        )
        return None


_FORKING: dict[str, tuple[Any, socket.socket]] = {}


def _kind(args: Sequence[Any], env: Mapping[str, str]) -> str:
    """What of `IMPORTED` this command may begin with; nothing for most."""
    if not isinstance(args, list) or args[0] != sys.executable:
        return ""
    if (
        args[2:4] in ([CHILD, "inductor_lab.judge.process.server:main"], [CHILD, "inductor_lab.replay.run:main"])
        or "TRITON_INTERPRET" in env
    ):
        kind = "interpreting"
    elif env.get("INDUCTOR_LAB_GPU") == "h200":
        kind = "capturing"
    else:
        return ""
    return kind if _asked_at_import(env) == _asked_at_import(_environment(kind)) else ""


def _environment(kind: str) -> dict[str, str]:
    if kind == "interpreting":
        return BEGUN
    from inductor_lab.capture.run import environment

    asked = environment(Path(tempfile.gettempdir()), "h200", {})
    return {**BEGUN, **{name: value for name, value in asked.items() if name not in os.environ}}


def interpreted(*words: object) -> str:
    """What `python WORDS` prints in Triton's interpreter, whatever card is here."""
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _asked_at_import(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith(ASKED_AT_IMPORT) and not name.endswith(("_DIR", "_INTERPRET"))
    }


def _begun(kind: str) -> tuple[Any, socket.socket]:
    """A process that forks whenever it is asked to, and ends with this one."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        command = [sys.executable, __file__, kind, str(its.fileno())]
        process = _Plain(command, env=_environment(kind), cwd="/", stdin=subprocess.DEVNULL, pass_fds=[its.fileno()])
    return process, ours


def _forked(channel: socket.socket, asked: Mapping[str, Any]) -> int:
    """The number of a child of this process that the other one forked."""
    streams = [
        fd if (fd := asked[name]) != -1 else place for place, name in enumerate(("p2cread", "c2pwrite", "errwrite"))
    ]
    request = {
        "args": asked["args"][1:],
        "env": dict(asked["env"] or os.environ),
        "cwd": str(asked["cwd"] or Path.cwd()),
        "session": asked["start_new_session"],
        "fds": [0, 1, 2, *asked["pass_fds"]],
    }
    libc = ctypes.CDLL(None)
    libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        socket.send_fds(channel, [json.dumps(request).encode()], [*streams, *asked["pass_fds"]])
        return int(channel.recv(32))
    finally:
        libc.prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


# In the process that forks


def main() -> None:
    kind, channel = sys.argv[1], socket.socket(fileno=int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if kind == "interpreting":
        os.environ["TRITON_INTERPRET"] = "1"
    for name in IMPORTED[kind]:
        module = import_module(name)
        if kind == "capturing" and name in ("torch", "triton"):
            inside.after(name, module)
    if kind == "capturing":
        _capture_one()
    gc.collect()
    gc.freeze()
    while True:
        text, fds, _, _ = socket.recv_fds(channel, 1 << 20, 64)
        if not text:
            return
        if not (middle := os.fork()):
            break
        os.waitpid(middle, 0)
        for fd in fds:
            os.close(fd)
    middle = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == middle:  # until this is a child of the process that asked
        time.sleep(0.0005)
    channel.send(str(os.getpid()).encode())
    channel.close()
    asked = json.loads(text)
    _become(asked, fds)
    if kind == "capturing":
        atexit.register(inside.report)
        for name in ("torch._inductor.config", "torch._inductor.compile_fx"):
            inside.after(name, sys.modules[name])
    _run(asked["args"])


def _capture_one() -> None:
    """A first graph makes Inductor import more, and trace its patterns. What else it changes `capture_model` gives back."""
    import torch

    from inductor_lab.capture.live import capture_model

    capture_model(torch.nn.GELU(), (torch.ones(4, 8),), gpu="h200")


def _become(asked: Mapping[str, Any], fds: Sequence[int]) -> None:
    """The process that was asked for, but for what it has imported."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    moved = [fcntl(fd, F_DUPFD, 200) for fd in fds]  # out of the way of the numbers that are asked for
    for fd in fds:
        os.close(fd)
    for fd, place in zip(moved, asked["fds"], strict=True):
        os.dup2(fd, place)
        os.close(fd)
    if asked["session"]:
        os.setsid()
    os.chdir(asked["cwd"])
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.clear()
    os.environ.update(asked["env"])
    after = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = ["", *filter(None, after), *(path for path in sys.path[1:] if path not in before)]


def _run(args: Sequence[str]) -> None:
    """What `python ARGS` does."""
    match args:
        case ["-m", module, *_]:
            sys.argv, sys.path[0] = ["-m", *args[2:]], os.getcwd()
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *_]:
            sys.argv = ["-c", *args[2:]]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        case [script, *_]:
            sys.argv, sys.path[0] = list(args), os.path.dirname(script)
            runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
