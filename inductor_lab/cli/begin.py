"""The verbs to begin with: demo, doctor, models.

`demo` is the whole loop in one command: capture three models, look, eject one kernel, verify it, compare it, report. It works inside its own folder and
deletes nothing there: captures are replaced by captures, and an ejected file that somebody edited stays as it is. `doctor` sends one tiny kernel through
the verbs that run code, so that it says what works here and not only what is installed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from inductor_lab import store
from inductor_lab.cli import output
from inductor_lab.cli.options import Gpu, Json, option
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel, PerfDiff, Verdict

if TYPE_CHECKING:
    from inductor_lab.doctor import Check


WORKLOADS = ("dlrm", "rotary_attention", "lora_mlp")
"""What is captured; the last one is what is worked on."""

FEW = 8
"""A longer table of kernels is left to `list`."""


def run(folder: Path, gpu: str) -> None:
    """Everything lands in `folder`; what was found goes to stdout, step by step."""
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"Can not make {folder}: {error.strerror}; choose another folder with -o.") from error
    began = time.monotonic()
    try:
        with contextlib.chdir(folder):
            page, kernel, file = _loop(gpu)
    except LabError:
        if made:
            with contextlib.suppress(OSError):  # it holds something
                folder.rmdir()
        raise
    _title(f"Done in {time.monotonic() - began:.0f} s. Everything is in {folder}/")
    _next(folder, page, kernel, file)


def _loop(gpu: str) -> tuple[Path, Kernel, Path]:
    """The whole loop in this folder: the last page, the kernel that was worked on and its file."""
    captures = [_capture(name, gpu) for name in WORKLOADS]
    for capture in captures:
        _look(capture)
    lora = captures[-1]
    kernel = next((kernel for kernel in lora.kernels if "relu" in kernel.name), lora.kernels[0])
    _explain(kernel, lora)
    file = _eject(kernel, lora)
    verdict, diff = _judge(file)
    return _report(captures, kernel, verdict, diff)[-1], kernel, file


def _capture(name: str, gpu: str) -> Capture:
    from inductor_lab.capture.run import capture

    with output.progress(f"Capturing {name}") as step:
        found, _ = capture(name, gpu=gpu, progress=step)
    return found


def _look(capture: Capture) -> None:
    from inductor_lab.quantity import plural
    from inductor_lab.report import terminal

    card = capture.gpu.name + (" (virtual: there is no such GPU here)" if capture.gpu.virtual else "")
    count = plural(len(capture.kernels), "kernel")
    _title(f"{capture.name}: {count} for {card}")
    if len(capture.kernels) <= FEW:
        output.show(terminal.kernels(capture))
    else:
        output.show(f"a long table: inductor-lab list {capture.name}")


def _explain(kernel: Kernel, capture: Capture) -> None:
    from inductor_lab.report import terminal

    _title(f"{kernel.id}, explained")
    output.show(terminal.show(kernel, capture))


def _eject(kernel: Kernel, capture: Capture) -> Path:
    from inductor_lab.eject import eject

    wanted = Path(store.safe_name(kernel.id) + ".py")
    file, text = _free(wanted, lambda name: eject(capture, kernel, file=name))
    file.write_text(text, encoding="utf-8")
    _title(f"Ejected to {file}: {len(text.splitlines())} lines to read and edit")
    return file


def _free(wanted: Path, text_of: Callable[[str], str]) -> tuple[Path, str]:
    """`wanted`, or the first numbered name beside it, that is free or holds the very text that it is to hold."""
    names = itertools.chain([wanted], (wanted.with_stem(f"{wanted.stem}_{n}") for n in itertools.count(2)))
    pairs = ((path, text_of(path.name)) for path in names)
    return next((path, text) for path, text in pairs if not path.exists() or path.read_text(encoding="utf-8") == text)


def _judge(file: Path) -> tuple[Verdict, PerfDiff]:
    from inductor_lab.measure.diff import diff
    from inductor_lab.report import outcomes
    from inductor_lab.verify import verify

    with output.progress(f"Verifying {file}") as step:
        verdict = verify(file, progress=step)
    _title("Against eager PyTorch, judged by float64")
    output.show(*outcomes.outcome(verdict))
    with output.progress(f"Comparing {file} with the generated kernel"):
        found = diff(file)
    _title("Against the generated kernel")
    output.show(*outcomes.outcome(found))
    return verdict, found


def _report(captures: list[Capture], kernel: Kernel, verdict: Verdict, diff: PerfDiff) -> list[Path]:
    from inductor_lab.report import html

    measured = {kernel.id: {"verdict": verdict, "diff": diff}}
    pages = []
    with output.progress("Writing the reports"):
        for capture in captures:
            pages.append(Path(f"{capture.name}.html"))
            pages[-1].write_text(html.page(capture, measured), encoding="utf-8")
    return pages


def _next(folder: Path, page: Path, kernel: Kernel, file: Path) -> None:
    activate = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("inductor-lab") is None and activate.is_file():
        output.show(f"  source {os.path.relpath(activate)}, so that `inductor-lab` is found")
    output.show(
        f"  open {folder / page} in a browser",
        f"  cd {folder}, and from there:",
        f"    inductor-lab show {kernel.id}",
        f"    edit {file}, then: inductor-lab verify {file} && inductor-lab diff {file}",
        "    inductor-lab capture your_script.py",
    )


def _title(text: str) -> None:
    from rich.text import Text

    output.show("", Text(text, "bold"))


PROGRAM = """
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.compile(lambda x: (x * 2).relu().sum(-1))(torch.randn(100, 200, device=device))
"""
CAPTURE, VERIFY, INSPECT, REPLAY = "capture for a virtual GPU", "verify", "inspect", "replay"
LONGEST = 300
"""Characters of what went wrong."""


def tried(checks: Sequence[Check], step: Callable[[str], None]) -> tuple[Check, ...]:
    """The checks, those of what could be tried told by what came of it."""
    able = {check.name for check in checks if check.kind == "ability" and check.works}
    wrong = dict(_wrong(able, step))
    return tuple(replace(c, works=False, detail=wrong[c.name]) if c.name in wrong else c for c in checks)


def _wrong(able: set[str], step: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """What does not work of what should, and why."""
    with tempfile.TemporaryDirectory(prefix="inductor-lab-doctor-") as folder:
        trial = _Trial(Path(folder))
        for verb in (CAPTURE, VERIFY, INSPECT, REPLAY):
            if verb not in able:
                continue
            step(f"trying {verb}")
            try:
                trial.does[verb]()
            except Exception as error:  # whatever it is, it is what doctor is for
                said = " ".join(str(error).split()) or type(error).__name__
                yield verb, f"tried, and it does not: {said[:LONGEST]}"
                if verb == CAPTURE:
                    return  # there is nothing to try the others on


class _Trial:
    """A program, its capture and one ejected file."""

    def __init__(self, folder: Path) -> None:
        self.script, self.captured, self.file = folder / "program.py", folder / "tiny", folder / "mine.py"
        self.does = {CAPTURE: self.capture, VERIFY: self.verify, INSPECT: self.inspect, REPLAY: self.replay}

    def capture(self) -> None:
        from inductor_lab.capture.run import capture
        from inductor_lab.eject import eject

        self.script.write_text(PROGRAM)
        found, _ = capture(str(self.script), gpu="h200", output=self.captured)
        self.file.write_text(eject(found, found.kernels[0]))

    def verify(self) -> None:
        from inductor_lab.verify import verify

        verdict = verify(self.file, effort="quick")
        if verdict.verdict != "pass":
            raise RuntimeError(next(case.message for case in verdict.cases if not case.passed))

    def inspect(self) -> None:
        from inductor_lab.machine import inspect

        inspect(self.file, gpu="h200")

    def replay(self) -> None:
        from inductor_lab.replay.run import replay

        result = replay(self.captured)
        if result.verdict != "pass":
            raise RuntimeError("a launch departs from eager")


def demo(
    gpu: Gpu = "auto",
    folder: Annotated[Path, option("-o --output DIR", "Where everything it makes goes.")] = Path("inductor-lab-demo"),
) -> None:
    """The whole loop on this machine, GPU or not."""
    run(folder, gpu)


def doctor(json: Json = False) -> None:
    """What is installed, which GPU there is, what works.

    What can be is tried: a tiny kernel is captured, verified, inspected and replayed.
    """
    from inductor_lab import store
    from inductor_lab.doctor import examine

    with output.progress("Looking around") as step:
        checks = tried(examine(), step)
    if json:
        output.document(
            {
                "checks": store.to_dict(checks),
                "works": {check.name: check.works for check in checks if check.kind == "ability"},
            }
        )
        return
    for check in checks:
        mark = {True: "yes", False: "no ", None: "   "}[check.works]
        print(f"{mark}  {check.name:<26} {check.detail}")


def models(json: Json = False) -> None:
    """The built-in workloads."""
    from inductor_lab import store
    from inductor_lab.models import WORKLOADS

    if json:
        output.document({"workloads": [store.to_dict(workload) for workload in WORKLOADS.values()]})
        return
    for workload in WORKLOADS.values():
        print(f"{workload.name:<18} {workload.summary}")
        print(f"{'':<18} sizes {', '.join(workload.sizes)}; dtypes {', '.join(workload.dtypes)}")
