"""The catalogue under the judge: which variants it rejects, with which words, in what time."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from faults import gaming
from faults.kernels import edited
from faults.records import Variant
from inductor_lab.errors import LabError
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

ALONE = {fault.name for fault in gaming.FAULTS}
"""What may change the process that it runs in is not judged beside others."""
BATCH = 8


@dataclass(frozen=True)
class Judged:
    """What the judge says of one variant."""

    variant: Variant
    outcome: str
    """`pass`, `fail`, or `error`: the judge gives no verdict, and says why."""
    message: str
    """The first case that failed, or the error."""
    seconds: float
    """Its share of the time of the files that were judged together."""

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
    jobs: int = 1,
    tell: Callable[[Judged], None] = lambda one: None,
) -> list[Judged]:
    """Every variant under `verify_all`, some at a time, in their order.

    Args:
        folder: Where their files are written.
        tell: Is given each one as soon as it is judged.
    """
    made: dict[str, Judged] = {}
    with ThreadPoolExecutor(jobs) as pool:  # `verify_all` starts a process of its own
        for several in pool.map(lambda batch: judged_together(batch, folder, seeds), batched(variants)):
            for one in several:
                made[one.variant.name] = one
                tell(one)
    return [made[variant.name] for variant in variants]


def batched(variants: Sequence[Variant]) -> list[list[Variant]]:
    alone = [[variant] for variant in variants if variant.name in ALONE]
    others = [variant for variant in variants if variant.name not in ALONE]
    return [others[start : start + BATCH] for start in range(0, len(others), BATCH)] + alone


def judged_together(batch: Sequence[Variant], folder: Path, seeds: int) -> list[Judged]:
    results, seconds = verdicts([(variant.name, edited(variant)) for variant in batch], folder, seeds)
    share = seconds / len(batch)
    return [Judged(variant, *told(result), share) for variant, result in zip(batch, results, strict=True)]


def verdicts(files: Sequence[tuple[str, str]], folder: Path, seeds: int) -> tuple[list[Verdict | LabError], float]:
    """What the judge says of these (name, text), and how long it took. A file that writes verdicts of its own gets the first of them."""
    paths = [written(name, text, folder) for name, text in files]
    begun = time.perf_counter()
    try:
        results = verify_all(paths, seeds=seeds, fail_fast=True)
    except (ValueError, KeyError, TypeError) as error:  # what a file wrote for a verdict is none
        results = [LabError(f"the judge ended with {error!r}")] * len(paths)
    return results[: len(paths)], time.perf_counter() - begun


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
