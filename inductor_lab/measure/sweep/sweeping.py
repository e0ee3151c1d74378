"""A sweep: the points that were asked for, those that are missing measured, tables and plots of all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.document import from_dict
from inductor_lab.ejected import beside, content_hash, load
from inductor_lab.errors import LabError
from inductor_lab.measure import disk
from inductor_lab.measure.sweep import engines, placed, tables
from inductor_lab.measure.sweep.engines import BESIDE, Question
from inductor_lab.measure.sweep.results import CONTESTANTS, WAY_OUT, Point, Results, Row
from inductor_lab.measure.sweep.size_axes import Axis, check_count, symbols_of
from inductor_lab.measure.timing.samples import Method

Engine = Callable[[Sequence[Question]], engines.Answers]
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
    own = placed.own_sizes(module)
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
    engine: Engine = engines.on_this_host,
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
    chosen = placed.check_dtypes(module, list(dtypes))
    if points is None:
        asked = points_of(module, axes, symbols, chosen)
    else:
        own = placed.own_sizes(module)
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
    disk.write(results.folder / "table.csv", tables.as_csv(rows, axes), WAY_OUT)
    disk.write(results.folder / "table.md", tables.as_markdown(rows, axes, document), WAY_OUT)
    try:
        from inductor_lab.measure.sweep import plots
    except ImportError:
        return [], ["No plots were drawn: matplotlib is not installed; `pip install 'inductor_lab[plots]'`."]
    return plots.draw(results.folder, rows, axes, str(document["file"])), []
