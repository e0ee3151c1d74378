"""What a user may call the sizes of an ejected file: its symbols, the dimensions that they are, `rows` and `cols`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import ModuleType

from inductor_lab.ejected import is_span
from inductor_lab.errors import LabError, unknown
from inductor_lab.sweep.axes import Axis

PRIMES = (10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079, 10091, 10093, 10099, 10103)
"""Sizes by which a dimension tells the symbol that it is."""
WORDS = {1: (("numel", "n"),), 2: (("rows",), ("cols", "columns"))}
"""Dimensions of the largest tensor -> what each is called."""


def names(module: ModuleType) -> dict[str, str]:
    """Name -> symbol: `s0`, `mm.shape[0]` and, where the largest tensor has one or two dimensions, `rows`, `cols` or `numel`."""
    symbols = dict(module.SIZES)
    found = {symbol: symbol for symbol in symbols}
    found |= {str(place): symbol for symbol, place in module.ORIGIN.get("sizes", {}).items() if symbol in symbols}
    if len(symbols) > len(PRIMES):
        return found
    values = dict(zip(symbols, PRIMES, strict=False))
    told = {value: symbol for symbol, value in values.items()}
    shape = max((spec[0] for spec in module.arguments(**values).values()), key=math.prod)
    for size, words in zip(shape, WORDS.get(len(shape), ()), strict=False):
        if size in told:
            found |= dict.fromkeys((word for word in words if word not in symbols), told[size])
    return found


def symbols(module: ModuleType, axes: Sequence[Axis], file: str) -> dict[str, str]:
    """Axis -> the symbol that it names.

    Raises:
        LabError: the file is for one launch's shapes, or has no such size, or two axes name one.
    """
    if not axes:
        return {}
    if not hasattr(module, "SIZES") or not hasattr(module, "arguments"):
        if is_span(module):
            raise LabError(
                f"{file} is a span of fixed shapes, which no option generalizes: --sweep times one of a capture with symbolic sizes "
                "(`torch.compile(dynamic=True)`), or its kernels, each ejected by itself."
            )
        kernel = module.ORIGIN.get("kernel", "KERNEL") if hasattr(module, "ORIGIN") else "KERNEL"
        raise LabError(
            f"{file} is right for the shapes of one launch alone; `inductor-lab eject {kernel} --generalize -o OTHER.py` "
            "writes the kernel for any, which --sweep can time."
        )
    known = names(module)
    found: dict[str, str] = {}
    for axis in axes:
        if axis.name not in known:
            raise unknown(f"{file} has no size {axis.name!r}", axis.name, known, f"it has {_told(known)}.")
        if known[axis.name] in found.values():
            raise LabError(f"--sweep names {known[axis.name]} twice, once as {axis.name}.")
        found[axis.name] = known[axis.name]
    return found


def _told(known: Mapping[str, str]) -> str:
    """Each symbol with its other names."""
    each = {
        symbol: [name for name, of in known.items() if of == symbol and name != symbol] for symbol in known.values()
    }
    return ", ".join(f"{symbol} ({', '.join(others)})" if others else symbol for symbol, others in each.items())
