"""How fast `read` is, and how much memory it takes: a log of 16 interleaved ranks made of real ones, several sizes, several files; and a log
in which no two kernels are the same.

    python tests/benchmarks/reading_scale.py                        100 MB, and the sizes for linearity up to 1 GB
    python tests/benchmarks/reading_scale.py --megabytes 20         less

Each measurement is a process of its own: its time is that of `read` alone, its memory the peak of the process (and of its children).
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import platform
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
LOGS = sorted((TESTS / "logs" / "h200").glob("*.log.gz"))
TRACE = TESTS / "sources" / "rotary_bf16.torch_trace.tgz"
RANKS = 16
BURST = 40
"""Lines that one rank writes before another comes: a pipe hands on what fits its buffer."""


def interleaved(size: int, ranks: int = RANKS, seed: int = 0) -> Iterator[str]:
    """Lines of a log of about `size` bytes: each rank writes the real logs in its own order, under its own prefix, again and again."""
    chance = random.Random(seed)
    logs = [gzip.decompress(path.read_bytes()).decode().splitlines() for path in LOGS]
    queues = [_rank(rank, logs, random.Random(seed + rank)) for rank in range(ranks)]
    written = 0
    while queues:
        queue = chance.choice(queues)
        for _ in range(chance.randrange(1, BURST)):
            line = next(queue)
            if line is not None:
                written += len(line) + 1
                yield line
            elif written >= size:
                queues.remove(queue)
                break


def _rank(rank: int, logs: list[list[str]], chance: random.Random) -> Iterator[str | None]:
    for compiled in itertools.count():
        for line in chance.choice(logs):
            line = line.replace("] [0/0] [__", f"] [{compiled}/0] [__", 1)
            yield re.sub(r"^V(\d{4} [\d:.]+) \d+ ", rf"[rank{rank}]:V\1 {4000 + rank} ", line)
        yield None  # a program has ended: the log may too


def all_distinct(size: int) -> Iterator[str]:
    """Lines of a log of about `size` bytes in which every kernel computes something else: each has a constant of its own."""
    texts = [gzip.decompress(path.read_bytes()).decode() for path in LOGS]
    constant = itertools.count(1)
    written = 0
    for compiled in itertools.count():
        text = re.sub(r"(xoffset = tl\.program_id\(0\) \* XBLOCK)$", lambda m: f"{m[1]} + {next(constant)}", texts[compiled % len(texts)],
                      flags=re.MULTILINE)  # fmt: skip
        for line in text.replace("] [0/0] [__", f"] [{compiled}/0] [__").splitlines():
            written += len(line) + 1
            yield line
        if written >= size:
            return


def measured(paths: list[Path], cores: int | None = None) -> dict[str, object]:
    """Read in a fresh process; `ru_maxrss` is in KiB on Linux."""
    code = (
        f"import os; os.cpu_count = lambda: {cores or os.cpu_count()}\n"
        "import json, resource, sys, time; from inductor_lab.read import read; start = time.perf_counter()\n"
        "capture = read(sys.argv[1:], 'x'); seconds = time.perf_counter() - start\n"
        "who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps({'seconds': round(seconds, 3), 'peak_mb': max(resource.getrusage(w).ru_maxrss for w in who) // 1024,\n"
        " 'kernels': len(capture.kernels), 'definitions': sum(k.definitions for k in capture.kernels),\n"
        " 'launches': sum(len(k.launches) for k in capture.kernels), 'graphs': len(capture.graphs), 'problems': len(capture.problems)}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    out = subprocess.run(
        [sys.executable, "-c", code, *map(str, paths)], env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(out.stdout)
    size = sum(path.stat().st_size for path in paths) / 1e6
    return {"mb": round(size, 1), **found, "mb_per_s": round(size / found["seconds"], 1)}


def command_line(source: Path) -> float:
    """Seconds of `inductor-lab read SOURCE`, from start to end, the interpreter's start included."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "inductor_lab", "read", str(source), "-o", f"{folder}/out", "--json"]
        start = time.perf_counter()
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TESTS.parent)}, capture_output=True, check=True)
        return round(time.perf_counter() - start, 3)


def machine() -> dict[str, object]:
    models = (
        re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else []
    )
    return {"cpu": models[0] if models else platform.processor(), "cores": os.cpu_count(), "python": platform.python_version(),
            "system": platform.platform(terse=True), "load_average_before": round(os.getloadavg()[0], 1)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--distinct", type=int, default=25, help="MB of the log in which no two kernels are the same")
    parser.add_argument("--linear", type=int, nargs="*", default=[30, 300, 1000], help="sizes in MB beside it")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "reading_scale.json")
    arguments = parser.parse_args()
    result: dict[str, object] = {"machine": machine(), "ranks": RANKS}
    with tempfile.TemporaryDirectory() as folder:
        sizes = {}
        for size in sorted({arguments.megabytes, *arguments.linear}):
            path = Path(folder) / f"{size}.log"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in interleaved(size * 1_000_000))
            sizes[str(size)] = measured([path])
            print(size, "MB:", sizes[str(size)])
            if size == arguments.megabytes:
                copies = [Path(folder) / f"copy{n}.log" for n in range(2)]
                for copy in copies:
                    copy.hardlink_to(path)
                result["two_files"] = measured(copies)
                result["two_files_on_one_core"] = measured(copies, cores=1)
                print(
                    "two files of it at once:",
                    result["two_files"],
                    "one after the other:",
                    result["two_files_on_one_core"],
                )
                for copy in copies:
                    copy.unlink()
            path.unlink()
        result["sizes_mb"] = sizes
        distinct = Path(folder) / "distinct.log"
        with distinct.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in all_distinct(arguments.distinct * 1_000_000))
        result["all_distinct"] = measured([distinct])
        print("no two kernels the same:", result["all_distinct"])
        with tarfile.open(TRACE) as archive:
            text = next(file.read() for member in archive if (file := archive.extractfile(member)))
        trace = Path(folder) / "trace.log"
        trace.write_bytes(text * -(-1_300_000 // len(text)))
        seconds = min(command_line(trace) for _ in range(5))
        result["trace"] = {"mb": round(trace.stat().st_size / 1e6, 2), "end_to_end_seconds": seconds}
        print("trace:", result["trace"])
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
