"""Captures a program: runs it as a child process, reads its log, saves the capture. Only the child imports torch."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from inductor_lab import store
from inductor_lab.capture import outcome
from inductor_lab.errors import LabError
from inductor_lab.gpus import DEFAULT, GPUS, find_gpu
from inductor_lab.processes import kill_group
from inductor_lab.records import Capture

KEEP = ("nothing", "statistics", "inputs")
"""What may be kept of what the program gives its graphs."""
LIMIT = 2.0
"""GB of values that are kept of one graph at most, unless asked otherwise."""


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    target: str | Sequence[str]
    gpu: str = "auto"
    size: str | None = None
    dtype: str | None = None
    train: bool = False
    dynamic: bool = False
    mode: str | None = None
    settings: tuple[str, ...] = ()
    keep: str = "statistics"
    keep_limit: float = LIMIT
    shapes_only: bool = False


OF_A_WORKLOAD = ("size", "dtype", "train", "dynamic", "mode")
"""Fields of a request that tell what is built and how it runs: a command decides that itself."""


def capture(
    target: str | Sequence[str],
    *,
    gpu: str = "auto",
    size: str | None = None,
    dtype: str | None = None,
    train: bool = False,
    dynamic: bool = False,
    mode: str | None = None,
    settings: Sequence[str] = (),
    keep: str = "statistics",
    keep_limit: float = LIMIT,
    shapes_only: bool = False,
    output: str | Path | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> tuple[Capture, Path]:
    """Run the target under Inductor's log and keep what it wrote; the capture, and the folder that it was saved in.

    target: a workload's name, `module:callable`, `script.py`, or a command as a list of words.
    gpu: `auto`, `real`, or a name of `gpus.GPUS`, for which Inductor generates without having it.
    settings: `key=value` entries for torch._inductor.config.
    keep: Of what each graph is given at its first call: `nothing`, `statistics` (shapes, hashes, ranges, means), or `inputs`: the values
        themselves, of inputs, parameters and outputs, up to `keep_limit` GB for each graph.
    shapes_only: For a card that is not there: what is large is not computed and takes no memory, and nothing of the inputs is kept.

    Raises:
        LabError: the target is unknown, the program failed, or Inductor wrote no kernel; it says why.
    """
    request = Request(target, gpu, size, dtype, train, dynamic, mode, tuple(settings), keep, keep_limit, shapes_only)
    progress = progress or (lambda step: None)
    kind = _kind(request)
    kept = _kept(request)
    chosen = _settings(request.settings)
    card = _card(gpu, progress)
    if shapes_only:
        if card is None or gpu_is_here():
            raise LabError(
                "--shapes-only is for a card that is not there: the one that is here computes; leave it out."
            )
        progress("shapes alone: nothing large is computed, and nothing of the inputs is kept")
    command = _command(request, kind)
    typed = _as_typed(request)
    folder = (
        Path(output) if output else store.free_folder(store.safe_name(name or folder_name(request, kind, card)), typed)
    )
    store.check_folder(folder)
    with _temporary(folder) as temporary:
        log = temporary / "log.txt"
        status = run_child(command, environment(temporary, card, chosen, kept, shapes_only=shapes_only), log, progress)
        fingerprint, values = outcome.read_fingerprint(temporary / "fingerprint.json"), temporary / "values"
        found, text = outcome.captured(log, folder.name, typed, card, fingerprint, values, status)
        return found, store.save(found, folder, log=text, values=values)


# What to run


def _kind(request: Request) -> str:
    """`command`, `script`, `callable` or `workload`."""
    target = request.target
    if not isinstance(target, str):
        kind = "command"
    elif target.endswith(".py"):
        kind = "script"
        if not Path(target).is_file():
            raise LabError(f"There is no file {target!r}.")
    elif ":" in target:
        kind = "callable"
    else:
        from inductor_lab.models import WORKLOADS, find_workload

        if target not in WORKLOADS and Path(target).is_file():
            raise LabError(
                f"{target} is no script.py: `capture -- python {target}` runs it as a program, `read {target}` reads it as a log."
            )
        kind = "workload"
        find_workload(target)
    takes = {"workload": OF_A_WORKLOAD, "callable": ("train", "dynamic", "mode")}.get(kind, ())
    for field in OF_A_WORKLOAD:
        if getattr(request, field) and field not in takes:
            option = _option(field)
            raise LabError(f"{option} does not apply to a {kind}, which decides that itself; leave it out.")
    return kind


def _option(field: str) -> str:
    """A field of the request as it is typed."""
    return f"--{field.replace('_', '-')}"


def _kept(request: Request) -> str:
    """What the child is told to keep."""
    if request.keep not in KEEP:
        raise LabError(f"There is no --keep {request.keep}; it takes {', '.join(KEEP)}.")
    if request.keep != "inputs" and request.keep_limit != LIMIT:
        raise LabError("--keep-limit is for --keep inputs, which keeps values; leave it out.")
    if request.shapes_only and request.keep == "inputs":
        raise LabError(
            "With --shapes-only there are no values to keep: leave out one of --shapes-only and --keep inputs."
        )
    if request.shapes_only:
        return ""
    return {"nothing": "", "inputs": str(int(request.keep_limit * 1e9))}.get(request.keep, request.keep)


def _command(request: Request, kind: str) -> list[str]:
    if kind == "command":
        return list(request.target)
    if kind == "script":
        return [sys.executable, str(request.target)]
    wanted = json.dumps({field: getattr(request, field) for field in ("target", *OF_A_WORKLOAD)})
    return [sys.executable, "-c", "from inductor_lab.capture.inside import main; main()", wanted]


def _settings(entries: Sequence[str]) -> dict[str, str]:
    split = {entry: entry.partition("=") for entry in entries}
    for entry, (key, equals, _) in split.items():
        if not (key.strip() and equals):
            raise LabError(f"--set takes key=value, such as --set max_fusion_size=8, not {entry!r}.")
    return {key.strip(): value.strip() for key, _, value in split.values()}


def _card(gpu: str, progress: Progress) -> str | None:
    """The virtual GPU's name, or None for the real one."""
    if gpu not in ("auto", "real"):
        return find_gpu(gpu).key
    if gpu_is_here():
        return None
    if gpu == "real":
        raise LabError(f"No GPU that torch can use is here; capture for a virtual one: --gpu {' or '.join(GPUS)}.")
    progress(f"no GPU here: generating for a virtual {find_gpu(DEFAULT).name}")
    return DEFAULT


def folder_name(request: Request, kind: str, card: str | None) -> str:
    """`dlrm_train_bf16`: the target, and what is not as it would be without options."""
    if kind == "command":
        words = [word for word in request.target if not word.startswith("-")]
        programs = [word for word in words if word.endswith(".py")] or words or ["program"]
        base = Path(programs[0]).name.removesuffix(".py")
    elif kind == "script":
        base = Path(str(request.target)).stem
    else:
        base = str(request.target).rpartition(":")[2]
    parts = (
        base,
        request.size if request.size != "gpu" else None,
        "train" if request.train else None,
        {"bfloat16": "bf16", "float32": None, "fp32": None}.get(str(request.dtype), request.dtype),
        "dynamic" if request.dynamic else None,
        request.mode if request.mode != "default" else None,
        card if request.gpu != "auto" and card != DEFAULT else None,
    )
    return store.safe_name("_".join(part for part in parts if part))


def _as_typed(request: Request) -> str:
    """The command line that makes this capture again, wherever it is put."""
    words = ["inductor-lab", "capture"]
    if isinstance(request.target, str):
        words.append(request.target)
    for field in ("gpu", "size", "dtype", "mode", "keep", "keep_limit"):
        value = getattr(request, field)
        if value != getattr(Request, field) and value != "":
            words += [_option(field), f"{value:g}" if isinstance(value, float) else value]
    words += [_option(field) for field in ("train", "dynamic", "shapes_only") if getattr(request, field)]
    words += [word for entry in request.settings for word in ("--set", entry)]
    if not isinstance(request.target, str):
        words += ["--", *request.target]
    return shlex.join(words)


# What came of it


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """A folder beside the destination for the log and the cache, gone afterwards however it ends."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise LabError(f"Can not write {folder}: {error.strerror}; choose another folder with -o.") from error
    try:
        yield temporary.resolve()
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# The child process


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


def run_child(command: Sequence[str], env: Mapping[str, str], log: Path, progress: Progress) -> int:
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
            kill_group(child.pid)
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
