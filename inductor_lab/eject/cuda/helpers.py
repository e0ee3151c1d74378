"""The device functions above a CUDA kernel, those that others call first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from inductor_lab.eject.cuda.page import RESERVED, Page
from inductor_lab.paths import templates_folder

NEEDS = {
    "rand_uniform": ("philox", "uniform_of"), "rand_normal": ("philox", "uniform_of", "normal_of"), "rand_bits": ("philox",),
    "rand_between": ("philox",), "rand_uniform_4x": ("philox", "uniform_of"), "rand_normal_4x": ("philox", "uniform_of", "normal_of"),
    "Largest": ("maximum",), "Smallest": ("minimum",), "Softmax": ("maximum",), "aligned": ("Pack",), "to_the_end": ("Pack",),
    "add_all": ("Pack",), "sort_row": ("Sortable", "OutOfOrder"),
    "MergeWelford": ("Welford",), "MergeSoftmax": ("maximum", "Softmax"), "MergeLargest": ("Best",), "MergeSmallest": ("Best",),
    "Tile": ("Pack",), "FloatProduct": ("Tile",), "TensorProduct": ("Tile",),
}  # fmt: skip
"""A function -> those that it calls. `Welford` holds `MergeWelford`, `Softmax` `MergeSoftmax`."""
INSIDE = {"MergeWelford": "Welford", "MergeSoftmax": "Softmax"}
FIRST = ("cdiv", "Pack", "to_the_end", "aligned", "maximum", "minimum", "shuffled", "Tile")
"""What stands above all others."""


def texts(called: Iterable[str]) -> tuple[str, ...]:
    """The functions' texts."""
    names: dict[str, None] = {}
    for word in called:
        name = word.partition("<")[0]
        for each in (*NEEDS.get(name, ()), name):
            names[INSIDE.get(each, each)] = None
    ordered = sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return tuple(text(name) for name in ordered)


def above(page: Page) -> tuple[str, ...]:
    """All that stands above one kernel: the functions that it calls, and what only it combines by."""
    return (*texts(page.helpers), *(text for _, text in page.own.values()))


def text(name: str) -> str:
    return _folder()[name]


def shared() -> frozenset[str]:
    """The texts that any kernel may have above it, and none writes itself."""
    return frozenset(_folder().values())


def cplusplus() -> frozenset[str]:
    """Names that no kernel may have where several stand in one file."""
    return frozenset(RESERVED | {*_folder()})


@cache
def _folder() -> dict[str, str]:
    files = sorted((templates_folder() / "cuda" / "helpers").glob("*.cuh"))
    return {file.stem: file.read_text(encoding="utf-8").rstrip() for file in files}
