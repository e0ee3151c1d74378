"""Read a cluster's Inductor logs with Dask: `rows`, the function that `inductor-lab query` runs on one machine, on many.

    pip install 'inductor_lab[query]' 'dask>=2024.8'
    python docs/read_with_dask.py LOGS... --store cluster.duckdb                          # this machine's cores
    python docs/read_with_dask.py LOGS... --store cluster.duckdb --cluster tcp://head:8786   # needs dask.distributed

Workers need inductor_lab without torch or a GPU, and the paths must lead to the logs from each of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import dask.bag

from inductor_lab.query import keep
from inductor_lab.tables import Parsed, Rows, rows, sources


def read_part(paths: Iterable[str]) -> list[Rows]:
    parsed = Parsed()
    return [rows(path, parsed) for path in paths]


def main() -> None:
    parser = argparse.ArgumentParser(description="Read Inductor logs with Dask.")
    parser.add_argument("logs", nargs="+", help="folders, files and globs of logs and captures")
    parser.add_argument("--store", type=Path, required=True, help="FILE.duckdb, or a folder for Parquet")
    parser.add_argument("--scheduler", default="processes", help="processes, threads or sync, without a cluster")
    parser.add_argument("--cluster", help="address of a dask.distributed scheduler")
    options = parser.parse_args()
    if options.cluster:
        from dask.distributed import Client

        Client(options.cluster)  # becomes what computes from here on
        options.scheduler = None

    # Some logs to a task: what they share is parsed once in it, and a lost worker repeats its own only.
    read = dask.bag.from_sequence(sources(options.logs), partition_size=32).map_partitions(read_part)

    # Rows travel, logs do not: a few kB for each log come back, however long it is.
    keep(read.compute(scheduler=options.scheduler), options.store)

    # What needs no store can stay on the workers: how often each distinct kernel is launched, over all logs.
    kernels = read.map(lambda found: found.get("kernels", [])).flatten()
    launched = kernels.foldby(
        lambda kernel: (kernel["body_sha256"][:8], kernel["name"]),
        lambda total, kernel: total + kernel["launches"],
        0,
        lambda one, other: one + other,
        0,
    )
    for (body, name), launches in launched.topk(10, key=1).compute(scheduler=options.scheduler):
        print(f"{launches:8}  {body}  {name}")


if __name__ == "__main__":
    main()
