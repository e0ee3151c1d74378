"""Thousands of logs into one store: how long `inductor-lab query` takes to read a folder, to read it again, and to answer.

    python tests/benchmarks/query_scale.py [--logs 2000]

The logs are the real ones in tests/logs, each copy with its own rank, process and compile ids. Each measurement is a process of its own, and its
memory the peak of the largest of its processes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
LOGS = sorted((TESTS / "logs" / "h200").glob("*.log.gz"))
SQL = (
    "SELECT count(*) AS kernels, count(DISTINCT body_sha256) AS bodies, sum(launches)::BIGINT AS launches FROM kernels"
)


def machine() -> dict[str, object]:
    models = (
        re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else []
    )
    return {"cpu": models[0] if models else platform.processor(), "cores": os.cpu_count(), "python": platform.python_version(),
            "system": platform.platform(terse=True), "load_average_before": round(os.getloadavg()[0], 1)}  # fmt: skip


def fill(folder: Path, count: int) -> float:
    """Logs of one program's run each; returns their size in MB."""
    texts = [gzip.decompress(path.read_bytes()).decode() for path in LOGS]
    size = 0
    for number in range(count):
        rank, text = number % 16, texts[number % len(texts)]
        text = re.sub(r"(?m)^V(\d{4} [\d:.]+) \d+ ", rf"[rank{rank}]:V\1 {4000 + rank} ", text)
        text = text.replace("] [0/0] [__", f"] [{number // len(texts)}/0] [__")
        size += (folder / f"job{number:05}.log").write_text(text, encoding="utf-8")
    return size / 1e6


def asked(sql: str, *arguments: object) -> tuple[float, dict[str, object]]:
    """Seconds of `inductor-lab query`, from start to end, and the first row of its answer."""
    command = [sys.executable, "-m", "inductor_lab", "query", sql, "--json", *map(str, arguments)]
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TESTS.parent)}, capture_output=True, check=True)
    return round(time.perf_counter() - start, 2), json.loads(done.stdout)["rows"][0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "query_scale.json")
    arguments = parser.parse_args()
    result: dict[str, object] = {"machine": machine(), "logs": arguments.logs}
    with tempfile.TemporaryDirectory() as place:
        logs = Path(place) / "logs"
        logs.mkdir()
        size = fill(logs, arguments.logs)
        result["mb"] = round(size, 1)
        for kept in ("store.duckdb", "parquet"):
            store = Path(place) / kept
            first, row = asked(SQL, "--over", logs, "--store", store)
            again, _ = asked(SQL, "--over", logs, "--store", store)
            next(iter(logs.iterdir())).touch()
            one, _ = asked(SQL, "--over", logs, "--store", store)
            only, _ = asked(SQL, "--store", store)
            files = [store] if store.is_file() else list(store.iterdir())
            result[kept] = {
                "seconds": {"first": first, "nothing changed": again, "one log changed": one, "the query alone": only},
                "mb_per_s": round(size / first, 1),
                "store_mb": round(sum(file.stat().st_size for file in files) / 1e6, 1),
                "found": row,
            }
            print(kept, result[kept])
    # ru_maxrss is in KiB on Linux
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
