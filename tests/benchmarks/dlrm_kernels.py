"""DLRM's hand kernels beside eager, Inductor under each of its settings, FBGEMM and NVIDIA's dot_based_interact: CUDA graphs in the same rounds.

    python tests/benchmarks/dlrm_kernels.py -o tests/benchmarks/results/dlrm/kernels.json        goes on where an earlier run stopped
    python tests/benchmarks/dlrm_kernels.py --tune -o tuned.json                                 every candidate of the kernels' own tables
    TRITON_INTERPRET=1 python tests/benchmarks/dlrm_kernels.py --smoke                           without a card: checks, times nothing

Inputs are cold, the order in a round is random, `hand` is there twice: what it differs from itself by is the noise. Each contestant is held to eager in
float64 before it is timed; who is not installed is refused, with the reason in the row. Bytes are counted by hand: what comes in and goes out once, and of
tables each row as often as it is looked up. NVIDIA's kernel is built of a checkout of its DeepLearningExamples, which DEEP_LEARNING_EXAMPLES names.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from card import CARD, compiling_lends, each, jobs, said
from circumstances import LEFT, Results
from contests import OURS, SETTINGS, Job, Row, begun, checked, timed, told, tuned
from torch import Tensor
from torch.nn.functional import embedding

from inductor_lab.errors import LabError
from inductor_lab.kernels.dlrm import lookups as lookups_
from inductor_lab.kernels.dlrm import lookups_grouped, outer_ieee, pairwise_ieee
from inductor_lab.kernels.dlrm import outer as outer_
from inductor_lab.kernels.dlrm import pairwise as pairwise_
from inductor_lab.measure.timing.ceilings import copy_bytes_per_second

TABLES = 26
PUBLIC = ("fbgemm", "dot_based_interact")
WHO = (*OURS, "eager", *SETTINGS[:4], *PUBLIC)
HIDDEN = 512
"""Outputs of the first top layer."""
LIMIT = {"ieee": 1e-5, "tf32x3": 1e-5, "tf32": 2e-3, "fp16": 2e-3, "bf16": 2e-2}
"""How far a result may be from float64's, relative to its largest."""
HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}
PRECISIONS = {
    "outer": ("ieee", "tf32x3", "tf32", "bf16"),
    "outer_folded": ("ieee", "tf32x3", "tf32", "bf16"),
    "pairwise": ("ieee", "tf32x3", "tf32", "fp16"),  # NVIDIA's kernel has the last two
    "pairwise_backward": ("ieee", "tf32x3"),
}
"""Those of a kernel's products; lookups have none."""


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    kernel: str
    batch: int
    columns: int
    rows: int
    """Of each table; 0 where there is none."""
    precision: str = "ieee"


# ---------------------------------------------------------------- what is computed, in eager


def looked_up(dense: Tensor, sparse: Tensor, cardinalities: Tensor, *tables: Tensor) -> Tensor:
    rows = (sparse + 1) % cardinalities
    return torch.cat([dense, *(embedding(rows[:, number], table) for number, table in enumerate(tables))], dim=1)


def looked_up_backward(grad: Tensor, sparse: Tensor, cardinalities: Tensor, count: int) -> list[Tensor]:
    rows = (sparse + 1) % cardinalities
    parts = grad.view(len(grad), TABLES + 1, -1)[:, 1:].unbind(1)
    backward = torch.ops.aten.embedding_dense_backward
    return [backward(part, rows[:, number], count, -1, False) for number, part in enumerate(parts)]


def pairs(features: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """With the triangle's indices in memory, as TorchRec has them: from `tril_indices` Inductor makes square roots in float64."""
    return torch.cat([features[:, 0], torch.bmm(features, features.mT)[:, row, column]], dim=1)


def pairs_backward(features: Tensor, grad: Tensor, row: Tensor, column: Tensor) -> Tensor:
    columns = features.shape[2]
    square = features.new_zeros(len(features), TABLES + 1, TABLES + 1)
    square[:, row, column] = grad[:, columns:]
    gradient = torch.bmm(square + square.mT, features)
    gradient[:, 0] += grad[:, :columns]
    return gradient


def outer(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.relu(torch.nn.functional.linear((x[:, :, None] * x[:, None, :]).flatten(1), weight, bias))


# ---------------------------------------------------------------- jobs


def of_lookups(point: Point, on: str) -> Job:
    batch, columns = point.batch, point.columns
    dense = torch.randn(batch, columns, device=on)
    sparse = torch.randint(0, 2**32, (batch, TABLES), device=on)
    cardinalities = torch.full((TABLES,), point.rows, device=on)
    index, row = 8 * sparse.numel(), 4 * batch * columns
    if point.kernel == "lookups":
        tables = list(torch.randn(TABLES * point.rows, columns, device=on).split(point.rows))
        return Job(
            lambda configuration: lookups_.lookups(dense, sparse, tables, cardinalities, configuration=configuration),
            looked_up,
            (dense, sparse, cardinalities, *tables),
            lookups_.CANDIDATES,
            index + row + TABLES * row + (TABLES + 1) * row,
            limit=LIMIT[point.precision],
            public={"fbgemm": lambda: fbgemm(dense, sparse, cardinalities, tables)},
        )
    grad = torch.randn(batch, (TABLES + 1) * columns, device=on)
    counts = [point.rows] * TABLES
    own: Any = lookups_grouped if lookups_grouped.faster(batch, counts, columns) else lookups_
    return Job(
        lambda configuration: own.gradients(grad, sparse, counts, cardinalities, configuration=configuration),
        looked_up_backward,
        (grad, sparse, cardinalities, point.rows),
        own.CANDIDATES,
        index + TABLES * row + 4 * sum(counts) * columns,
        limit=LIMIT[point.precision],
    )


def of_pairwise(point: Point, on: str) -> Job:
    dtype = HALF.get(point.precision, torch.float32)
    features = torch.randn(point.batch, TABLES + 1, point.columns, device=on, dtype=dtype)
    precision = "ieee" if dtype.itemsize == 2 else point.precision
    out = point.batch * (point.columns + TABLES * (TABLES + 1) // 2)
    row, column = torch.tril_indices(TABLES + 1, TABLES + 1, -1, device=on)
    if point.kernel == "pairwise":
        ieee = point.precision == "ieee" and on != "cpu"

        def hand(configuration: dict[str, int] | None) -> Tensor:
            if ieee:
                return pairwise_ieee.pairwise(features)
            return pairwise_.pairwise(features, input_precision=precision, configuration=configuration)

        return Job(
            hand,
            pairs,
            (features, row, column),
            [{}] if ieee else pairwise_.CANDIDATES,
            (features.numel() + out) * dtype.itemsize,
            precision=point.precision,
            limit=LIMIT[point.precision],
            public={"dot_based_interact": lambda: dot_based_interact(features)},
        )
    grad = torch.randn(point.batch, out // point.batch, device=on, dtype=dtype)
    return Job(
        lambda configuration: pairwise_.gradient(
            features, grad, input_precision=precision, configuration=configuration
        ),
        pairs_backward,
        (features, grad, row, column),
        pairwise_.CANDIDATES,
        (2 * features.numel() + out) * dtype.itemsize,
        precision=point.precision,
        limit=LIMIT[point.precision],
    )


def of_outer(point: Point, on: str) -> Job:
    features = (TABLES + 1) * point.columns
    dtype = HALF.get(point.precision, torch.float32)
    x = torch.randn(point.batch, features, device=on, dtype=dtype)
    weight, bias = torch.randn(HIDDEN, features**2, device=on, dtype=dtype) / features, x.new_ones(HIDDEN)
    ieee = point.precision == "ieee" and on != "cpu"

    @cache
    def given(block_j: int) -> Tensor | outer_.Folded:
        return outer_.fold(weight, block_j) if point.kernel == "outer_folded" else weight

    def hand(configuration: dict[str, int] | None) -> Tensor:
        if ieee:
            return outer_ieee.outer_linear(x, given(outer_ieee.BLOCK_J), bias, relu=True)
        tiles = outer_.Tiles(**configuration) if configuration else None
        precision = point.precision if dtype == torch.float32 else "tf32x3"
        own = given((tiles or outer_.Tiles()).block_j)
        return outer_.outer_linear(x, own, bias, relu=True, precision=precision, tiles=tiles)

    first = given(outer_ieee.BLOCK_J if ieee else outer_.Tiles().block_j)
    read = first.tiles if isinstance(first, outer_.Folded) else first
    moved = (read.numel() + x.numel() + point.batch * HIDDEN) * dtype.itemsize
    candidates: list[dict[str, int]] = [{}] if ieee else [asdict(one) for one in outer_.CANDIDATES]
    how: dict[str, Any] = {"precision": point.precision, "limit": LIMIT[point.precision]}
    return Job(hand, outer, (x, weight, bias), candidates, moved, **how)


def fbgemm(dense: Tensor, sparse: Tensor, cardinalities: Tensor, tables: list[Tensor]) -> Callable[[], Tensor]:
    """FBGEMM's table-batched embedding of the same tables, between the hash and the concatenation in eager.

    Raises:
        ImportError: it is not installed.
    """
    from fbgemm_gpu.split_table_batched_embeddings_ops_common import EmbeddingLocation
    from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
        ComputeDevice,
        SplitTableBatchedEmbeddingBagsCodegen,
    )

    own = [(len(table), table.shape[1], EmbeddingLocation.DEVICE, ComputeDevice.CUDA) for table in tables]
    bags = SplitTableBatchedEmbeddingBagsCodegen(own, device=dense.device)
    for weights, table in zip(bags.split_embedding_weights(), tables, strict=True):
        weights.copy_(table)
    offsets = torch.arange(sparse.numel() + 1, device=dense.device)
    return lambda: torch.cat([dense, bags(((sparse + 1) % cardinalities).t().reshape(-1), offsets)], dim=1)


def dot_based_interact(features: Tensor) -> Callable[[], Tensor]:
    """NVIDIA's kernel, of DeepLearningExamples' DLRM, without the columns that fill its rows up to a multiple of 8. Of float32 it makes TF32 products.

    Its own setup.py asks for architectures that CUDA 13 no longer has, so it is built here for the card that is there.

    Raises:
        LabError: there is no checkout of it.
    """
    from torch.utils.cpp_extension import load

    checkout = os.environ.get("DEEP_LEARNING_EXAMPLES", "")
    folder = Path(checkout, "PyTorch/Recommendation/DLRM/dlrm/cuda_src/dot_based_interact_ampere")
    sources = [folder / name for name in ("pytorch_ops.cpp", "dot_based_interact_pytorch_types.cu")]
    if not all(source.exists() for source in sources):
        raise LabError("DEEP_LEARNING_EXAMPLES names no checkout of github.com/NVIDIA/DeepLearningExamples")
    with CARD.held(False):  # nvcc builds it once, and one process waits for another's
        module = load("interaction_ampere", [str(source) for source in sources])
    count, columns = features.shape[1:]
    own = columns + count * (count - 1) // 2
    dense = features[:, 0].contiguous()  # it asks for its dtype, and reads the features
    return lambda: module.dotBasedInteractFwd(features, dense)[:, :own]


def points(asked: argparse.Namespace) -> list[Point]:
    found = []
    for kernel, batch, columns in itertools.product(asked.kernels, asked.batches, asked.columns):
        if kernel.startswith("outer") and (columns != 16 or batch >= 65_536):  # at 65,536 eager's product has 49 GB
            continue
        # In the backward a table of a million rows is one memset.
        rows = {"lookups": asked.rows, "lookups_backward": [min(asked.rows)]}.get(kernel, [0])
        for precision, count in itertools.product(PRECISIONS.get(kernel, ("ieee",)), rows):
            found += [Point(kernel, batch, columns, count, precision)] * (precision in asked.precisions)
    return found


JOBS = {
    "lookups": of_lookups,
    "lookups_backward": of_lookups,
    "outer": of_outer,
    "outer_folded": of_outer,
    "pairwise": of_pairwise,
    "pairwise_backward": of_pairwise,
}


# ---------------------------------------------------------------- the command


def measured(point: Point, asked: argparse.Namespace, on: str, copy: float, lost: Mapping[str, str]) -> Row:
    """What a row says of a point."""
    start = time.monotonic()
    with CARD.held(), begun(lambda: JOBS[point.kernel](point, on)) as job:
        compiling_lends()
        row: Row = {"tables": TABLES, "bytes": job.bytes}
        if asked.tune:
            row |= tuned(job, asked.seconds)
        else:
            functions, refused = checked(job, [who for who in asked.who if who in job.who() and who not in lost])
            row["refused"] = {**refused, **lost}
            if not asked.smoke and "hand" in functions:
                row |= {"copy_bytes_per_s": copy, **told(timed(functions, asked.seconds), job.bytes, copy)}
            elif "hand" in refused:
                row["failed"] = refused["hand"]
    return row | {"took_s": round(time.monotonic() - start, 1)}


def row_of(
    point: Point, asked: argparse.Namespace, on: str, copy: float, end: float, lost: Mapping[str, str] = {}
) -> Row | None:
    """A row, in whatever process; None where it is too late to begin. `lost`: with whom the card was when it was tried before."""
    if time.monotonic() > end:
        return None
    found = said(lambda: measured(point, asked, on, copy, lost), lost)
    return {"verb": "tune" if asked.tune else "time", **asdict(point), **found}


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--kernels", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--batches", nargs="+", type=int, default=[128, 2048, 65536])
    parser.add_argument("--columns", nargs="+", type=int, default=[16, 64, 128])
    parser.add_argument("--rows", nargs="+", type=int, default=[10_000, 1_000_000], help="of each table")
    parser.add_argument("--precisions", nargs="+", choices=LIMIT, default=list(LIMIT))
    parser.add_argument("--who", nargs="+", choices=WHO, default=list(WHO))
    parser.add_argument("--seconds", type=float, default=0.5, help="of samples, for each contestant")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no point is begun")
    parser.add_argument("--tune", action="store_true", help="time the hand kernels' candidates, nobody else")
    parser.add_argument("--smoke", action="store_true", help="small sizes, checked and not timed, on the CPU too")
    parser.add_argument("--jobs", type=int, help="processes that take turns at the card")
    asked = parser.parse_args(words)
    asked.jobs = asked.jobs or min(5, jobs())
    if asked.smoke:
        asked.batches, asked.columns, asked.rows, asked.who = [5], [16], [50], ["hand", "eager", *PUBLIC]
        asked.kernels = [one for one in asked.kernels if not one.startswith("outer")]  # minutes in the interpreter
    return asked


def main() -> None:
    asked = parsed()
    if not asked.smoke and not torch.cuda.is_available():
        raise LabError("This needs a GPU; --smoke checks small sizes without one")
    on = "cpu" if asked.smoke and not torch.cuda.is_available() else "cuda"
    end, verb = time.monotonic() + asked.stop, "tune" if asked.tune else "time"
    results = Results(asked.output, (__doc__ or "").partition("\n")[0])
    done = {(one["verb"], *(one[name] for name in Point.__annotations__)) for one in results.rows()}
    left = [point for point in points(asked) if (verb, *asdict(point).values()) not in done]
    copy = 0.0
    if left and not asked.smoke:
        with CARD.held():
            copy = copy_bytes_per_second().per_second
            results.begin("dlrm_kernels.py", copy_bytes_per_s=copy)
    failed, late = [], 0
    for row in each(row_of, [(point, asked, on, copy, end) for point in left], asked.jobs):
        late += row is None
        if row:
            failed += [row["failed"]] if "failed" in row else []
            results.add(row)
    if late:
        sys.exit(LEFT)
    if failed:
        sys.exit(f"error: of {len(failed)} rows the hand kernel was not timed: {failed[0]}")


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
