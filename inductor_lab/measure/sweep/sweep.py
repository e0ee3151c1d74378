"""A sweep: the points that were asked for, those that are missing measured, tables and plots of all.

They are measured in a process for each GPU of this host, or in Ray's cluster. Either runs the same function, `measuring`.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab import files
from inductor_lab.document import from_dict, to_dict
from inductor_lab.ejected import beside, content_hash, load
from inductor_lab.errors import LabError
from inductor_lab.measure.sweep.points import Axis, check_count, check_dtypes, own_sizes, symbols_of
from inductor_lab.measure.sweep.results import CONTESTANTS, WAY_OUT, Point, Results, Row, as_csv, as_markdown
from inductor_lab.measure.timing.samples import Method
from inductor_lab.workers import WorkerLostError, Workers

Question = dict[str, Any]
"""A point and how to measure it: `file`, `text` (the file's), `sizes`, `dtype`, `method`, `contestants`, `seed`, `beside`."""
BESIDE = "beside"
"""Paths of the files without which the swept one is not whole: the CUDA C++ that it launches, what the program gave its launch."""
HELD = "held"
"""Path -> what it holds, for a host that may not have it."""
COPIES = "INDUCTOR_LAB_SWEEP_COPIES"
"""The variable that names a folder for copies of files, which whoever asks removes: a process that it kills can not."""
TASK = "inductor_lab.measure.sweep.sweep:measuring"
LOST = "the process that measured it ended: the kernel crashed it, or the machine ran out of memory"
Answers = Iterator[tuple[int, Mapping[str, Any]]]
"""The number of the question, and its answer; as they come."""


def on_this_host(questions: Sequence[Question], gpus: Sequence[int] = (), task: str = TASK) -> Answers:
    """A process for each GPU takes the next question as soon as it is free; one process where no GPU is named."""
    shown = [{"CUDA_VISIBLE_DEVICES": _visible(gpu)} for gpu in gpus] or [{}]
    with (
        tempfile.TemporaryDirectory(prefix="inductor_lab_sweep_") as copies,
        Workers(task, environments=[{**one, COPIES: copies} for one in shown]) as workers,
    ):
        for number, answer in workers.as_answered(questions):
            yield number, {"lost": LOST} if isinstance(answer, WorkerLostError) else answer


def _visible(gpu: int) -> str:
    """The GPU's name for a process: numbers count those that are visible here.

    Raises:
        LabError: there is no such.
    """
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    if shown is None:
        import torch

        if 0 < (count := torch.cuda.device_count()) <= gpu:  # where there are none, the process says so
            raise LabError(f"--gpus: there is no GPU {gpu}; this host has {count}, counted from 0.")
        return str(gpu)
    each = [one.strip() for one in shown.split(",") if one.strip()]
    if gpu >= len(each):
        raise LabError(f"--gpus: there is no GPU {gpu}; CUDA_VISIBLE_DEVICES shows {len(each)}, counted from 0.")
    return each[gpu]


def gpu_numbers(text: str) -> tuple[int, ...]:
    """What `--gpus` says: `0,1`.

    Raises:
        LabError: it can not be read.
    """
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() for part in parts) or len(set(parts)) < len(parts):
        raise LabError(f"--gpus takes numbers of GPUs of this host, each once, as 0,1; not {text!r}.")
    return tuple(map(int, parts))


def through_ray(questions: Sequence[Question], gpus: float = 1, task: str = TASK) -> Answers:
    """A task of Ray for each question, on whatever hosts its cluster has; `RAY_ADDRESS` names it, and without one Ray starts on this host.

    Raises:
        LabError: Ray is not installed, or its cluster has no GPU.
    """
    try:
        import ray
    except ImportError as error:
        raise LabError("--engine ray needs Ray, which is not installed: `pip install 'inductor_lab[ray]'`.") from error
    if not ray.is_initialized():
        ray.init(logging_level="ERROR", log_to_driver=False, include_dashboard=False)
    if gpus and not ray.cluster_resources().get("GPU"):
        raise LabError("Ray's cluster has no GPU: start its nodes where there are some, or leave out --engine ray.")
    remote = ray.remote(num_gpus=gpus, max_retries=0)(_answer_remotely)
    beside = {path: ray.put(content) for path, content in _beside(questions).items()}  # once, not with each question
    numbers = {
        remote.remote(task, question, list(beside), *beside.values()): number
        for number, question in enumerate(questions)
    }
    waiting = list(numbers)
    while waiting:
        done, waiting = ray.wait(waiting)
        for one in done:
            try:
                yield numbers[one], ray.get(one)
            except ray.exceptions.RayError:
                yield numbers[one], {"lost": LOST}


def _beside(questions: Sequence[Question]) -> dict[str, bytes]:
    """What other hosts may not have: the files without which the swept one is not whole, `task.BESIDE` of a question."""
    paths = {path for question in questions if isinstance(question, Mapping) for path in question.get(BESIDE, ())}
    return {path: Path(path).read_bytes() for path in sorted(paths) if Path(path).is_file()}


_answering: dict[str, Any] = {}
"""Task -> what answers in this process, which keeps what it learnt."""


def _answer_remotely(task: str, question: Question, beside: Sequence[str] = (), *contents: bytes) -> Any:
    """In a process of another host: what stands beside the file is sent too."""
    if beside:
        question = {**question, HELD: dict(zip(beside, contents, strict=True))}
    if task not in _answering:
        module, _, function = task.partition(":")
        _answering[task] = getattr(import_module(module), function)()
    return _answering[task](question)


_copies: list[tempfile.TemporaryDirectory[str]] = []
"""Removed as the process ends: CUDA C++ is built when it is first launched, and a traceback quotes a file's lines."""


def measuring() -> Callable[[Question], dict[str, Any]]:
    """What answers a process's questions: `{"machine": facts, "row": what was found}`, or `{"error": sentence}`."""
    modules: dict[str, ModuleType] = {}

    def answer(question: Question) -> dict[str, Any]:
        try:
            return _answer(question, modules)
        except LabError as error:
            return {"error": str(error)}

    return answer


def _answer(question: Question, modules: dict[str, ModuleType]) -> dict[str, Any]:
    from inductor_lab.measure.sweep import measurement

    machine = measurement.machine()
    key = question["text"]
    if key not in modules:
        modules[key] = _module(Path(question["file"]), question["text"], question.get(HELD, {}))
    point = Point(question["sizes"], question["dtype"])
    found = measurement.row(
        modules[key], point, Method(**question["method"]), tuple(question["contestants"]), question["seed"]
    )
    if found.outcome == "failed" and measurement.broken():
        print(f"{point.name}: {found.why}", file=sys.stderr, flush=True)
        os._exit(1)  # whoever asked starts another process, and goes on with the other points
    return {"machine": machine, "row": to_dict(found)}


def _module(path: Path, text: str, beside: Mapping[str, bytes]) -> ModuleType:
    """The file; where it or what stands beside it is not here, or another one, as on another host, a copy."""
    whole = {path: text.encode(), **{Path(other): content for other, content in beside.items()}}
    if not all(one.is_file() and one.read_bytes() == content for one, content in whole.items()):
        folder = tempfile.TemporaryDirectory(prefix="inductor_lab_sweep_", dir=os.environ.get(COPIES))
        _copies.append(folder)
        for one, content in whole.items():
            Path(folder.name, one.name).write_bytes(content)
        path = Path(folder.name, path.name)
    return load(path).module


# ---------------------------------------------------------------- a whole sweep


Engine = Callable[[Sequence[Question]], Answers]
Progress = Callable[[int, int, Row], None]
"""Called with how many points are done, of how many, and the row that was finished."""


@dataclass(frozen=True)
class Swept:
    """What came of it."""

    results: Results
    points: Sequence[Point]
    axes: Mapping[str, str]
    """Name of a size, as the user called it -> its symbol."""
    measured: int
    """Rows of this run; the others were there."""
    plots: Sequence[Path]
    notes: Sequence[str]

    @property
    def rows(self) -> list[Row]:
        return self.results.of(self.points)

    def document(self) -> dict[str, Any]:
        return self.results.document(self.rows)


def points_of(module: ModuleType, axes: Sequence[Axis], symbols: Mapping[str, str], dtypes: list[str]) -> list[Point]:
    """Every dtype with every combination; sizes that no axis names are as captured."""
    check_count(axes, len(dtypes))
    own = own_sizes(module)
    each = list(itertools.product(*(axis.values for axis in axes)))
    sizes = [own | {symbols[axis.name]: value for axis, value in zip(axes, values, strict=True)} for values in each]
    return [Point(one, dtype) for dtype in dtypes for one in sizes]


def sweep(
    path: str | Path,
    axes: Sequence[Axis] = (),
    dtypes: Sequence[str] = (),
    *,
    folder: Path,
    method: Method | None = None,
    points: Sequence[Mapping[str, int]] | None = None,
    contestants: Sequence[str] = CONTESTANTS,
    engine: Engine = on_this_host,
    seed: int = 0,
    command: str = "",
    progress: Progress = lambda done, count, row: None,
) -> Swept:
    """Time an ejected file's kernel over sizes and dtypes; write results.json, table.csv, table.md and plots into a folder.

    Points that the folder holds are not measured again. Where none is missing, no GPU is needed.

    Args:
        points: Sizes by name, the same names in each, in the place of all combinations of `axes`.

    Raises:
        LabError: a size or a dtype is not the file's, the folder holds another sweep, or there is no GPU.
    """
    path = Path(path)
    module = load(path).module
    symbols = symbols_of(module, axes or [Axis(name, ()) for name in (points or [{}])[0]], str(path))
    chosen = check_dtypes(module, list(dtypes))
    if points is None:
        asked = points_of(module, axes, symbols, chosen)
    else:
        own = own_sizes(module)
        sizes = [own | {symbols[name]: size for name, size in one.items()} for one in points]
        asked = [Point(one, dtype) for dtype in chosen for one in sizes]
    method = method or Method()
    text = path.read_text(encoding="utf-8")
    head = {
        "file": path.name,
        "file_sha256": content_hash(path),
        "kernel": module.ORIGIN.get("kernel", "") if hasattr(module, "ORIGIN") else "",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "axes": symbols,
        "method": asdict(method),
        "seed": seed,
        "contestants": list(contestants),
    }
    results = Results(folder, head, command)
    missing = results.missing(asked)
    if missing:
        question = {"file": str(path.resolve()), "text": text, "seed": seed, "contestants": list(contestants)}
        question[BESIDE] = [str(other.resolve()) for other in beside(module)]
        _measure(results, missing, question | {"method": asdict(method)}, engine, len(asked), progress)
    return Swept(results, asked, symbols, len(missing), *_written(results, asked, symbols))


def _measure(
    results: Results, missing: Sequence[Point], question: Question, engine: Engine, count: int, progress: Progress
) -> None:
    """Each point, kept as it comes."""
    asked = [{**question, "sizes": dict(point.sizes), "dtype": point.dtype} for point in missing]
    done = count - len(missing)
    for number, answer in engine(asked):
        if "error" in answer:
            raise LabError(answer["error"])
        point = missing[number]
        if "lost" in answer:
            row = Row(point.sizes, point.dtype, "failed", answer["lost"])
        else:
            results.on(answer["machine"])
            row = from_dict(Row, answer["row"])
        results.add(row)
        done += 1
        progress(done, count, row)


def _written(results: Results, points: Sequence[Point], axes: Mapping[str, str]) -> tuple[list[Path], list[str]]:
    """The tables and plots; the plots' paths, and what a reader must know."""
    rows = results.of(points)
    document = results.document(rows)
    files.write(results.folder / "table.csv", as_csv(rows, axes), WAY_OUT)
    files.write(results.folder / "table.md", as_markdown(rows, axes, document), WAY_OUT)
    try:
        from inductor_lab.measure.sweep import plots
    except ImportError:
        return [], ["No plots were drawn: matplotlib is not installed; `pip install 'inductor_lab[plots]'`."]
    return plots.draw(results.folder, rows, axes, str(document["file"])), []
