"""The catalogue under the judge: which variants it rejects, with which words, in what time."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from faults.kernels import edited
from faults.records import Variant
from inductor_lab.errors import LabError
from inductor_lab.records import Verdict
from inductor_lab.verify import Judges

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Judged:
    """What the judge says of one variant."""

    variant: Variant
    outcome: str
    """`pass`, `fail`, or `error`: the judge gives no verdict, and says why."""
    message: str
    """The first case that failed, or the error."""
    seconds: float

    @property
    def rejected(self) -> bool:
        return self.outcome != "pass"

    @property
    def does_not_run(self) -> bool:
        """A fault that is no fault: its edit does not fit the kernel."""
        return "it does not run:" in self.message


def judged(
    variants: Sequence[Variant],
    folder: Path,
    *,
    seeds: int = 2,
    tell: Callable[[Judged], None] = lambda one: None,
) -> list[Judged]:
    """Every variant under the judge, on all cores, in their order.

    Args:
        folder: Where their files are written.
        tell: Is given each one as soon as it is judged.
    """

    def one(judges: Judges, variant: Variant) -> Judged:
        found = Judged(variant, *judged_text(judges, variant.name, edited(variant), folder, seeds))
        tell(found)
        return found

    return on_all_cores(one, variants)


def on_all_cores(one: Callable[[Judges, T], R], several: Sequence[T], most: int | None = None) -> list[R]:
    """What is made of each, as many at a time as there are servers that judge; `most` at most."""
    with Judges(min(len(several), most or len(several))) as judges, ThreadPoolExecutor(max(judges.count, 1)) as pool:
        return list(pool.map(lambda each: one(judges, each), several))


def judged_text(judges: Judges, name: str, text: str, folder: Path, seeds: int) -> tuple[str, str, float]:
    """(outcome, message, seconds) of one file. What a file wrote for a verdict of its own is none."""
    path = written(name, text, folder)
    begun = time.perf_counter()
    try:
        (result,) = judges.judged([path], lambda case: None, {"seeds": seeds, "fail_fast": True})
    except (ValueError, KeyError, TypeError) as error:
        result = LabError(f"the judge ended with {error!r}")
    return *told(result), time.perf_counter() - begun


def written(name: str, text: str, folder: Path) -> Path:
    words = "".join(letter if letter.isalnum() else "_" for letter in name)
    path = folder / f"{words[:100]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}.py"
    path.write_text(text, encoding="utf-8")
    return path


def told(result: Verdict | LabError) -> tuple[str, str]:
    if isinstance(result, LabError):
        return "error", str(result)
    wrong = [f"{case.name}: {case.message}" for case in result.cases if not case.passed]
    return result.verdict, wrong[0] if wrong else ""
