"""What a kernel goes over, in words: `4,096 rows of 2,048 bf16`, `4 x 512 x 2,048 bf16`."""

from __future__ import annotations

import re
from math import prod

from inductor_lab.computation import Computation
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.tree import DTYPES, Load, Reduction, walk
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Kernel

FLOATS = ("float", "bfloat")


def shape(kernel: Kernel, job: Computation) -> str:
    """In words; empty where the launch tells no sizes."""
    reduced = {axis: size for axis, size in job.numel.items() if axis.startswith("r")}
    if not reduced:
        return _whole(kernel, job)
    dtype = _short(_dtype(kernel, job))
    rows, length = _product(job, [axis for axis in job.numel if axis not in reduced]), _product(job, list(reduced))
    if rows in {"1", ""}:
        return f"{length} {dtype}".strip() if length else ""
    return f"{rows} {'columns' if across(job) else 'rows'} of {length} {dtype}".strip()


def across(job: Computation) -> bool:
    """Whether most of what is folded, or written beside it, lies far apart in memory: what is next to each other belongs to different rows."""
    elements = {True: 0, False: 0}
    for _, index in {(access.pointer, access.index) for access in (*job.loads, *job.stores)}:
        steps = dict[bool, int]()
        for term in index.terms:
            of = [term.of] if isinstance(term.of, Coordinate) else [*behind(term.of)] if term.of else []
            folded = any(coordinate.axis.startswith("r") for coordinate in of)
            if of and not term.sizes:
                steps[folded] = min(abs(term.factor), steps.get(folded, abs(term.factor)))
        if len(steps) == 2:
            elements[steps[True] > steps[False]] += _reached(index, job)
    return elements[True] > elements[False]


def _reached(index: Index | None, job: Computation) -> int:
    """How many elements an address goes over."""
    return prod(job.extent(each) or 1 for each in set(index.coordinates())) if index else 1


def _whole(kernel: Kernel, job: Computation) -> str:
    """Of the tensor that is written; where the launch writes a part of it, the number of elements and its dtype."""
    passed = {argument.name: argument.type for launch in kernel.launches[:1] for argument in launch.arguments}
    dtypes = {argument.name: argument.dtype for argument in kernel.arguments}
    stores = [
        store for store in job.stores if dtypes[store.pointer].startswith(FLOATS)
    ] or job.stores  # no mask beside them
    for store in stores:
        type_ = passed.get(store.pointer)
        sizes = [size for size in type_.shape if size != 1] if type_ else []
        whole = prod(map(int, sizes)) if all(isinstance(size, int) for size in sizes) else None
        if sizes and (store.gathered or whole == job.elements(frozenset(job.numel))):
            said = (f"{size:,}" if isinstance(size, int) else _factor(size) for size in sizes)
            return f"{' x '.join(said)} {_short(dtypes[store.pointer])}"
    numel = _product(job, list(job.numel))
    return f"{numel} {_short(dtypes[stores[0].pointer])}".strip() if numel else ""


def _short(dtype: str) -> str:
    return SHORT.get(dtype, dtype)


def _product(job: Computation, axes: list[str]) -> str:
    """The number of elements along axes; symbolic ones as they are passed."""
    sizes = [job.numel[axis] for axis in axes]
    number = prod(size for size in sizes if isinstance(size, int))
    symbols = [job.sizes.get(size, size) for size in sizes if isinstance(size, str)]
    factors = [f"{number:,}"] * (number != 1 or not symbols) + symbols
    return "*".join(map(_factor, factors)) if len(factors) > 1 else factors[0]


def _factor(size: str) -> str:
    """A sum or a quotient in parentheses, as it stands beside others."""
    return f"({size})" if re.search(r"[-+%/] ", size) else size


def _dtype(kernel: Kernel, job: Computation) -> str:
    """Of the floats along the fold in memory, the narrowest; else what is folded: an index that is only compared is no float. Of columns,
    each fold has the widest of those that meet in it: a gradient in f32 that is multiplied by bf16 is summed as f32."""
    pointers = [argument for argument in kernel.arguments if argument.pointer]
    read, folded = [a for a in pointers if a.role != "out"], _folded(job)
    of = [a for a in pointers if a.name in folded] or [*read, *(a for a in pointers if a.role == "out")]
    if all(a.dtype == "bool" for a in of):
        of += read  # a mask is beside the point
    values = walk(*(store.value for store in job.stores if store.value is not None))
    folds = [value for value in values if isinstance(value, Reduction)]
    made = [part.dtype for value in folds for part in value.inputs]
    floats = [dtype for dtype in (*(a.dtype for a in of), *made) if dtype.startswith(FLOATS)]
    if across(job):
        known = {a.name: a.dtype for a in of if a.dtype.startswith(FLOATS)}
        loads = ([part for part in walk(*fold.inputs) if isinstance(part, Load)] for fold in folds)
        met = [
            [(_reached(one.index, job), known[one.pointer]) for one in each if one.pointer in known] for each in loads
        ]
        whole = [[dtype for count, dtype in each if count == max(each)[0]] for each in met if each]
        floats = [max(each, key=lambda dtype: DTYPES.get(dtype, 0)) for each in whole] or floats
    low = [dtype for dtype in floats if dtype != "float32"]
    return (low or floats or [a.dtype for a in of] or [""])[0]


def _folded(job: Computation) -> set[str]:
    """The tensors that are loaded along the most axes, a reduction's among them: a scale of each row or column is beside the point."""
    along = {(load.pointer, load.value.axes) for load in job.loads if load.value is not None}
    most = max((len(axes) for _, axes in along if any(axis.startswith("r") for axis in axes)), default=0)
    return {pointer for pointer, axes in along if len(axes) == most and any(axis.startswith("r") for axis in axes)}
