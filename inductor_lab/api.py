"""What Python users call: a capture from a model, a program, or text; each is an object that explains, ejects and shows itself (`views`).

The verbs have names that no room of the package has: importing a room puts it in the package under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inductor_lab.views import CaptureView, ResultView


def capture_model(
    model: Callable[..., Any],
    *inputs: Any,
    gpu: str = "auto",
    train: bool = False,
    dynamic: bool = False,
    mode: str | None = None,
    settings: Mapping[str, object] | None = None,
    name: str | None = None,
    keep: str = "statistics",
) -> CaptureView:
    """Call a model, or any function of tensors, once under torch.compile, here in this process, and keep what Inductor wrote.

    Args:
        gpu: `h200`, `h100` and the like, for which Inductor generates without having it; `real`; `auto`: the card on which the model
            lies, a virtual H200 for one on the CPU.
        train: Backward too, from the sum of all outputs; gradients are left as they were.
        settings: Entries of torch._inductor.config.
        keep: Of what each graph is given and returns: `nothing`, `statistics`, or `inputs`: the values, for `replay` and
            `eject(inputs="real")`; they are gone with the object unless it is saved.

    Raises:
        LabError: torch or triton are missing, there is no such card, or Inductor wrote no kernel; it says why.
    """
    from inductor_lab.errors import LabError

    try:
        from inductor_lab.capture import live
    except ModuleNotFoundError as error:
        raise LabError(f"capturing a model needs {error.name}: pip install {error.name}") from error
    values = TemporaryDirectory(prefix="inductor-lab-values-") if keep == "inputs" else None
    found, log = live.capture_model(
        model, inputs, gpu=gpu, train=train, dynamic=dynamic, mode=mode, settings=settings, name=name, keep=keep,
        values=Path(values.name) if values else None,
    )  # fmt: skip
    return CaptureView(found, log, values=values)


def capture_program(target: str | Sequence[str], **options: Any) -> CaptureView:
    """Run a workload, `module:callable`, script.py or a command (a list of words) in a process of its own: `inductor-lab capture`.

    The options are those of `capture.run.capture`: gpu, size, dtype, train, dynamic, mode, settings, keep, shapes_only, output. It is saved under captured/.
    """
    from inductor_lab import store
    from inductor_lab.capture.run import capture

    _, folder = capture(target, **options)
    return CaptureView(store.load(folder), folder=folder)


def read_source(*sources: str | Path, name: str = "", kind: str = "auto") -> CaptureView:
    """A capture from text that others made: logs, traces, output_code modules, folders of them. Nothing in them is executed.

    Args:
        name: What kernel ids begin with; made from the first source unless given.
        kind: What the sources are where they would be taken for something else: `log`, `trace`, `module`, `debug` or `tlparse`.

    Raises:
        LabError: a source can not be read, or none of them holds generated code.
    """
    from inductor_lab import store
    from inductor_lab.annotate import annotate
    from inductor_lab.errors import LabError
    from inductor_lab.read import read
    from inductor_lab.read.sources import name_of

    if not sources:
        raise LabError("read_source needs a log, a trace, a module, or a folder of them.")
    found = annotate(read(sources, store.safe_name(name or name_of(str(sources[0]))), kind))
    typed = ", ".join(repr(str(source)) for source in sources)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return CaptureView(replace(found, command=f"inductor_lab.read_source({typed})", created=made))


def load(capture: str | Path) -> CaptureView:
    """A capture that is on disk, by its name under captured/ or by its folder.

    Raises:
        LabError: there is none.
    """
    from inductor_lab import shelf, store

    name = str(capture)
    return CaptureView(shelf.whole(name), folder=store.folder_of(name))


def verify_file(file: str | Path, **asked: Any) -> ResultView:
    """Hold an ejected file to eager PyTorch, judged by float64: `inductor-lab verify`. The file runs in processes of its own.

    Args:
        asked: What `inductor_lab.verify.verify` takes: effort ("quick", "default", "thorough"), seeds, seed, case, inputs, save, limit.

    Raises:
        LabError: it is no ejected file, or can not be judged here, or torch or triton are missing.
    """
    from inductor_lab.verify import verify

    return ResultView(verify(file, **asked))


def inspect_file(file: str | Path, gpu: str = "auto") -> ResultView:
    """What the compiler makes of both kernels of an ejected file, `hand` and `generated`, a record a launch: `inductor-lab inspect`.

    Raises:
        LabError: it is no ejected file, there is no such card, Triton is missing, or a kernel does not compile.
    """
    from inductor_lab.machine import LAUNCHERS, gpu_meant, inspect

    card = gpu_meant(gpu)
    return ResultView({which: inspect(file, gpu=card, which=which) for which in LAUNCHERS})


def diff_file(
    file: str | Path,
    gpu: str = "auto",
    *,
    capture: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    **asked: Any,
) -> ResultView:
    """The hand kernel of an ejected file against the generated one, with times where there is a GPU: `inductor-lab diff`.

    Args:
        capture: Of a model that launches the kernel: what the edit is worth in its step.
        asked: What `inductor_lab.measure.diff.diff` takes: method, against, best, progress, show, profile.

    Raises:
        LabError: it is no ejected file, there is no such card, or a kernel does not compile or run; the capture does not hold the kernel.
    """
    from inductor_lab.machine import gpu_meant
    from inductor_lab.measure.diff import diff
    from inductor_lab.step import effect, its_kernel

    asked |= {"progress": progress} if progress else {}
    if capture is not None:
        its_kernel(Path(file), str(capture))  # said before anything is measured
    found = diff(file, gpu=None if gpu == "auto" else gpu_meant(gpu), **asked)
    if capture is not None:
        found = replace(found, step=effect(file, str(capture), timed=found.ratio is not None, progress=progress))
    return ResultView(found)


def tune_file(file: str | Path, **asked: Any) -> ResultView:
    """Sweep the blocks, warps and stages of an ejected file, and write the best into it where times speak for it: `inductor-lab tune`.

    Args:
        asked: What `inductor_lab.measure.tuning.tune` takes: gpu, limit, write, fresh, seconds, progress.

    Raises:
        LabError: it is no ejected file, states no configuration, does not compile or run, or there is no such card.
    """
    from inductor_lab.measure.tuning import tune

    return ResultView(tune(file, **asked))
