"""Generates a synthetic click log, as Kaggle's tables, skewed as words are, with missing values, the same for the same
seed.

Whether a row was clicked depends on its categories and on one count, so that there is something to learn.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from inductor_lab.criteo.format import DENSE, GROUP, LABEL, SPARSE, parquet, schema, whole, write_metadata
from inductor_lab.errors import LabError

# fmt: off
KAGGLE = (
    1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194,
    27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572,
)
# fmt: on
"""Values of SPARSE_0 to SPARSE_25 in Kaggle's Display Advertising Challenge."""
CAP = 100_000
"""Values of the largest tables, where nobody asks for more."""
SKEW = 1.05
"""Zipf's exponent: the value of rank r comes r ** -1.05 as often as the first."""
MISSING = 0.02
"""Share of counts and categories that is missing."""


def write_sample(
    path: Path,
    metadata: Path,
    rows: int,
    *,
    seed: int = 0,
    cap: int | None = CAP,
    skew: float = SKEW,
    missing: float = MISSING,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> None:
    """A Parquet file of that many rows, and the metadata of its tables, of at most `cap` values each.

    Raises:
        LabError: a number makes no sense, pyarrow is missing, or they can not be written there.
    """
    for wrong, said in (
        (rows < 1, f"A sample has at least one row, and not {rows}."),
        (seed < 0, f"A seed is 0 or above, and not {seed}."),
        (cap is not None and cap < 1, f"A table has at least one value, and not {cap}."),
        (not 0 < skew < 10, f"Zipf's exponent is above 0 and below 10, and not {skew}."),
        (not 0 <= missing < 1, f"The missing share is at least 0 and below 1, and not {missing}."),
    ):
        if wrong:
            raise LabError(said)
    arrow = parquet()
    sizes = [min(size, cap or size) for size in KAGGLE]
    random = np.random.default_rng(seed)
    with whole(path, metadata) as (log, tables):
        with arrow.ParquetWriter(log, schema()) as writer:
            for done in range(0, rows, GROUP):
                writer.write_table(_group(random, sizes, min(GROUP, rows - done), seed, skew, missing))
                progress(min(done + GROUP, rows), rows)
        write_metadata(tables, (hashes(table, np.arange(size), seed) for table, size in enumerate(sizes)))


def hashes(table: int, rank: np.ndarray, seed: int) -> np.ndarray:
    """Of each rank of a table its category, in [0, 2**32), int64: none twice, as MurmurHash3's last step is one to one."""
    word = (rank.astype(np.uint64) | np.uint64(table << 24)) ^ np.uint64(seed * 0x9E3779B1 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor) & np.uint64(0xFFFFFFFF)
    return word.astype(np.int64)


def zipf(random: np.random.Generator, size: int, rows: int, skew: float) -> np.ndarray:
    """Ranks in [0, size), of which r comes about (r + 1) ** -skew as often as 0: [rows] int64.

    The density x ** -skew on [1, size + 1), its distribution inverted and rounded down.
    """
    drawn, power = random.random(rows), 1 - skew
    place = (1 + drawn * ((size + 1.0) ** power - 1)) ** (1 / power) if power else (size + 1.0) ** drawn
    return np.minimum(place.astype(np.int64), size) - 1


def _group(random: np.random.Generator, sizes: list[int], rows: int, seed: int, skew: float, missing: float) -> Any:
    """One row group as a table of pyarrow."""
    import pyarrow

    dense = [np.exp(random.normal(1, 2, rows)).astype(np.int64) for _ in DENSE]
    sparse = [hashes(table, zipf(random, size, rows, skew), seed) for table, size in enumerate(sizes)]
    # A hash is as good as random: its size is what the category is worth to the one who clicks.
    inclination = -1.5 + 0.3 * np.log1p(dense[0]) + sum(column / 2**32 - 0.5 for column in sparse)
    clicked = random.random(rows) < 1 / (1 + np.exp(-inclination))
    columns = {LABEL: pyarrow.array(clicked.astype(np.int64))}
    for name, column in zip((*DENSE, *SPARSE), (*dense, *sparse), strict=True):
        columns[name] = pyarrow.array(column, mask=random.random(rows) < missing)
    return pyarrow.table(columns, schema=schema())
