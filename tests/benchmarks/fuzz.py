"""Thousands of broken and hostile logs: no error but the tool's own, none slow, nothing written.

    python tests/benchmarks/fuzz.py [--count 10000] [--start 0]

The whole way of `inductor-lab read` is taken, annotation and store included. A slow one is one that takes ten times its original, in seconds of
the processor (another process may have the core), counted from 0.05 s: below that the clock says more about the machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tarfile
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]
SMALL = ("lora_train", "rotary_bf16_train", "sparse_ffn_train", "sparse_ffn", "lora", "rotary_bf16")
FLOOR = 0.05
"""Seconds."""


@dataclass(frozen=True)
class Outcome:
    """What became of one mutated log."""

    seed: int
    source: str
    outcome: str
    """`read`, `refused` (a LabError), or the error that should not have been."""
    seconds: float
    times_original: float


def attempt(seed: int) -> Outcome:
    from mutations import mutated

    source, text, original = _originals()[seed % len(_originals())]
    start = time.process_time()
    outcome = _read(mutated(text, seed))
    seconds = time.process_time() - start
    return Outcome(seed, source, outcome, round(seconds, 3), round(seconds / max(original, FLOOR), 2))


def _read(text: str) -> str:
    from inductor_lab import store
    from inductor_lab.annotate import annotate
    from inductor_lab.errors import LabError
    from inductor_lab.read import read

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in" / "run.log"
        path.parent.mkdir()
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            store.save(annotate(read([path], "fuzz")), Path(folder) / "out")
            outcome = "read"
        except LabError:
            outcome = "refused"
        except Exception:
            outcome = traceback.format_exc(limit=-3)
        outside = {p.name for p in Path(folder).iterdir()} - {"in", "out"}
        assert not outside and not Path("/tmp/inductor_lab_was_run").exists(), f"written outside: {outside}"
        return outcome


_known: list[tuple[str, str, float]] = []


def _originals() -> list[tuple[str, str, float]]:
    """Name, text and seconds of each log."""
    if not _known:
        for name, text in _texts():
            _read(text)
            start = time.process_time()
            _read(text)
            _known.append((name, text, time.process_time() - start))
    return _known


def _texts() -> Iterator[tuple[str, str]]:
    for name in SMALL:
        yield name, gzip.decompress((TESTS / "logs" / "h200" / f"{name}.with_post_grad.log.gz").read_bytes()).decode()
    yield "cpp_wrapper", gzip.decompress((TESTS / "sources" / "cpp_wrapper.py.gz").read_bytes()).decode()
    with tarfile.open(TESTS / "sources" / "cpp_wrappers.tgz") as archive:
        for name in ("tuned_first-2.11.log", "ahead-2.11.log"):
            file = archive.extractfile(name)
            assert file
            yield name, file.read().decode()
    with tarfile.open(TESTS / "sources" / "rotary_bf16.torch_trace.tgz") as archive:
        yield "trace", next(file.read().decode() for member in archive if (file := archive.extractfile(member)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "fuzz.json")
    arguments = parser.parse_args()
    seeds = range(arguments.start, arguments.start + arguments.count)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(attempt, seeds, chunksize=20))
    errors = [o for o in outcomes if o.outcome not in ("read", "refused")]
    slow = [o for o in outcomes if o.times_original > 10]
    for outcome in [*errors[:20], *slow[:20]]:
        print(outcome)
    result = {
        "count": len(outcomes),
        "read": sum(o.outcome == "read" for o in outcomes),
        "refused": sum(o.outcome == "refused" for o in outcomes),
        "errors": len(errors),
        "slower_than_10_times": len(slow),
        "slowest": asdict(max(outcomes, key=lambda o: o.times_original)),
    }
    print(json.dumps(result, indent=1))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.exit(bool(errors or slow))


if __name__ == "__main__":
    main()
