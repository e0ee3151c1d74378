"""One child process under capture: its environment, its log as it grows, its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from inductor_lab.errors import LabError

SITE = Path(__file__).parent / "site"

Progress = Callable[[str], None]


def environment(
    folder: Path, gpu: str | None, settings: Mapping[str, str], keep: str = "", *, shapes_only: bool = False
) -> dict[str, str]:
    """The child's environment: a clean cache, Inductor's log on stderr, and what `inside` reads."""
    inherited = {key: value for key, value in os.environ.items() if key not in DROPPED}
    paths = [str(SITE), *filter(None, [inherited.get("PYTHONPATH")])]
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "TORCH_LOGS": "output_code,post_grad_graphs,graph_breaks,recompiles",
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        # No pool of compiling processes: it takes seconds to start, and the virtual GPU compiles nothing.
        **({"TORCHINDUCTOR_COMPILE_THREADS": "1"} if gpu else {}),
        "INDUCTOR_LAB_GPU": gpu or "",
        "INDUCTOR_LAB_SETTINGS": json.dumps(dict(settings)),
        "INDUCTOR_LAB_FINGERPRINT": str(folder / "fingerprint.json"),
        "INDUCTOR_LAB_KEEP": keep,
        "INDUCTOR_LAB_SHAPES": "1" if shapes_only else "",
    }


DROPPED = ("TORCH_LOGS_OUT", "TORCH_LOGS_FORMAT", "TORCH_TRACE")
"""They would send Inductor's log elsewhere or take its prefix away."""


def run(command: Sequence[str], env: Mapping[str, str], log: Path, progress: Progress) -> int:
    """Run the command with its stderr in `log` and its stdout on our stderr; its exit status, negative for a signal.

    Whatever ends us ends the child and all that it started.
    """
    with _terminated_as_interrupted(), log.open("wb") as file:
        try:
            child = subprocess.Popen(
                command, env=dict(env), stdin=subprocess.DEVNULL, stdout=2, stderr=file, start_new_session=True
            )
        except OSError as error:
            raise LabError(f"Can not start {command[0]!r}: {error.strerror}.") from error
        try:
            with log.open("rb") as grown:
                count = _Count(grown, progress)
                while child.poll() is None:
                    count.look()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        child.wait(0.1)
                count.look()
        finally:
            # Also after a normal end: a child may leave compiling processes behind.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    return child.returncode


class _Count:
    """Graphs and kernels seen so far in a log that is being written."""

    def __init__(self, log: IO[bytes], progress: Progress) -> None:
        self.log = log
        self.progress = progress
        self.graphs = self.kernels = 0
        self.told = (0, 0)
        self.when = 0.0
        self.rest = b""

    def look(self) -> None:
        while chunk := self.log.read(1 << 20):
            lines, _, rest = (self.rest + chunk).rpartition(b"\n")
            self.rest = rest[-4096:]  # a progress bar may never end its line
            self.graphs += len(re.findall(rb"Output code: *$", lines, re.MULTILINE))
            self.kernels += lines.count(b" = async_compile.triton(")
        now = time.monotonic()
        if (self.graphs, self.kernels) != self.told and now - self.when > 0.5:
            self.told, self.when = (self.graphs, self.kernels), now
            some = ((self.graphs, "graph"), (self.kernels, "kernel"))
            self.progress(", ".join(f"{count} {noun}{'s' * (count != 1)}" for count, noun in some))


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM, and SIGHUP of a terminal that was closed, are met like Ctrl-C, so that the child goes too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def gpu_is_here() -> bool:
    """Whether torch finds a GPU. A child is asked, where the system shows one at all: importing torch takes seconds."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    devices = [*Path("/dev").glob("nvidia[0-9]*"), *Path("/dev").glob("kfd"), *Path("/dev").glob("dxg")]
    if hidden or not (devices or shutil.which("nvidia-smi")):
        return False
    asked = subprocess.run(
        [sys.executable, "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"], capture_output=True
    )
    return asked.returncode == 0
