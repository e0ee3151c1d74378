"""Twenty rows of a click log, of which the first two are those that the talk prints: `python tests/criteo/golden.py` writes golden.parquet.

Rows 2 to 19 count on: row r has DENSE_i = r * i and SPARSE_i = r * 100 + i, was clicked where r is a multiple of 4, and row 7 has no DENSE_3
and row 11 no SPARSE_25.
"""

from __future__ import annotations

from pathlib import Path

from inductor_lab.criteo.format import COLUMNS, parquet, schema

FILE = Path(__file__).with_name("golden.parquet")
# fmt: off
TALK_DENSE = [
    [5, 110, 0, 16, 0, 1, 0, 14, 7, 1, 0, 306, 0],
    [32, 3, 5, 0, 1, 0, 0, 61, 5, 0, 1, 3157, 5],
]
TALK_SPARSE = [
    [1651969401, 3793706328, 2951365679, 2489089999, 951068488, 1875733963, 897624609, 679512323, 1189011366, 771915201, 209470001, 2509774111,
     12976055, 3192841527, 2316006604, 1289502458, 3523761834, 3088518074, 2501034507, 3280875304, 351689309, 632402057, 3619814411, 2091868316,
     809724924, 3977271069],
    [3857972621, 2695561126, 1873417685, 3666490401, 1020698403, 1875733963, 2870406529, 1128426537, 502653268, 2112471209, 1716706404, 2582335015,
     12976055, 3192841527, 4089183897, 1289502458, 3523761834, 2716538129, 2501034507, 4273985635, 2737978529, 3370249814, 391309800, 1966410890,
     2568167914, 3075991895],
]
# fmt: on


def rows() -> list[list[int | None]]:
    """Label, 13 counts, 26 categories, twenty times."""
    talk = [[0, *dense, *sparse] for dense, sparse in zip(TALK_DENSE, TALK_SPARSE, strict=True)]
    counted: list[list[int | None]] = [
        [int(r % 4 == 0), *(r * i for i in range(13)), *(r * 100 + i for i in range(26))] for r in range(2, 20)
    ]
    every = [*talk, *counted]
    every[7][COLUMNS.index("DENSE_3")] = None
    every[11][COLUMNS.index("SPARSE_25")] = None
    return every


def write(path: Path, rows: list[list[int | None]], row_group_size: int = 8) -> Path:
    """These rows as a log: groups of 8, 8 and 4 rows of twenty."""
    import pyarrow

    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    parquet().write_table(pyarrow.table(columns, schema=schema()), path, row_group_size=row_group_size)
    return path


if __name__ == "__main__":
    write(FILE, rows())
