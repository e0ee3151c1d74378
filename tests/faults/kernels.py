"""The catalogue's kernels, ejected: what `models.py` has, read from the log that was captured of it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from faults.records import Variant, applied
from inductor_lab.annotate import annotate
from inductor_lab.eject import eject
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

LOG = Path(__file__).with_name("kernels.log.gz")


@cache
def kernels() -> dict[str, tuple[Capture, Kernel]]:
    """Every kernel by its name in the catalogue: its model's, and `_2` behind it for the second kernel of a graph."""
    capture = annotate(read([LOG], "faults"))
    models = names_of_models()
    counted: Counter[str] = Counter()
    found = {}
    for kernel in capture.kernels:
        model = models[int(kernel.graph.partition("_")[0])]
        counted[model] += 1
        found[model if counted[model] == 1 else f"{model}_{counted[model]}"] = (capture, kernel)
    return found


def names_of_models() -> list[str]:
    """In the order in which they were compiled: the number of a model's graph is its place here."""
    source = Path(__file__).with_name("models.py").read_text(encoding="utf-8")
    table = source.partition("MODELS = {\n")[2].partition("\n}\n")[0]
    return [line.partition('"')[2].partition('"')[0] for line in table.splitlines() if line.startswith('    "')]


@cache
def ejected(name: str) -> str:
    """The readable file of one kernel."""
    return eject(*kernels()[name], file=f"{name}.py")


def edited(variant: Variant) -> str:
    """The file of a fault or of a right variant."""
    try:
        return applied(ejected(variant.kernel), variant.changes)
    except ValueError as error:
        raise ValueError(f"{variant.name}: {error}") from error
