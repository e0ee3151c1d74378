"""What a kernel goes over, in words: `4,096 rows of 2,048 bf16`, `4 x 512 x 2,048 bf16`."""

from __future__ import annotations

import re
from math import prod

from inductor_lab.computation import Computation
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Kernel

FLOATS = ("float", "bfloat")


def shape(kernel: Kernel, job: Computation) -> str:
    """In words; empty where the launch tells no sizes."""
    reduced = {axis: size for axis, size in job.numel.items() if axis.startswith("r")}
    dtype = _dtype(kernel, job)
    dtype = SHORT.get(dtype, dtype)
    if not reduced:
        return _whole(kernel, job, dtype)
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
            elements[steps[True] > steps[False]] += prod(job.extent(each) or 1 for each in set(index.coordinates()))
    return elements[True] > elements[False]


def _whole(kernel: Kernel, job: Computation, dtype: str) -> str:
    passed = {argument.name: argument.type for launch in kernel.launches[:1] for argument in launch.arguments}
    types = [type_ for store in job.stores if (type_ := passed.get(store.pointer)) is not None]
    types.sort(key=lambda type_: not type_.dtype.startswith(FLOATS))  # a mask is beside the point
    for type_ in types:
        sizes = [size for size in type_.shape if size != 1]
        whole = prod(map(int, sizes)) if all(isinstance(size, int) for size in sizes) else None
        if sizes and whole == job.elements(frozenset(job.numel)):
            return f"{' x '.join(f'{size:,}' if isinstance(size, int) else _factor(size) for size in sizes)} {SHORT.get(types[0].dtype, types[0].dtype)}"
    numel = _product(job, list(job.numel))
    return f"{numel} {dtype}".strip() if numel else ""


def _product(job: Computation, axes: list[str]) -> str:
    """The number of elements along axes; symbolic ones as they are passed."""
    number, symbols = 1, list[str]()
    for axis in axes:
        size = job.numel[axis]
        if isinstance(size, int):
            number *= size
        else:
            symbols.append(job.sizes.get(size, size))
    if not symbols:
        return f"{number:,}"
    factors = [f"{number:,}"] * (number != 1) + symbols
    return "*".join(map(_factor, factors)) if len(factors) > 1 else factors[0]


def _factor(size: str) -> str:
    """A sum or a quotient in parentheses, as it stands beside others."""
    return f"({size})" if re.search(r"[-+%/] ", size) else size


def _dtype(kernel: Kernel, job: Computation) -> str:
    """Of the floats that it folds, else reads, else writes; of anything else where there are none."""
    pointers = [argument for argument in kernel.arguments if argument.pointer]
    read, folded = [a for a in pointers if a.role != "out"], _folded(job)
    of = [a for a in pointers if a.name in folded] or [*read, *(a for a in pointers if a.role == "out")]
    if all(a.dtype == "bool" for a in of):
        of += read  # a mask is beside the point
    floats = [a.dtype for a in of if a.dtype.startswith(FLOATS)]
    low = [dtype for dtype in floats if dtype != "float32"]
    return (low or floats or [a.dtype for a in of] or [""])[0]


def _folded(job: Computation) -> set[str]:
    """The tensors that are loaded along the most axes, a reduction's among them: a scale of each row or column is beside the point."""
    along = {(load.pointer, load.value.axes) for load in job.loads if load.value is not None}
    most = max((len(axes) for _, axes in along if any(axis.startswith("r") for axis in axes)), default=0)
    return {pointer for pointer, axes in along if len(axes) == most and any(axis.startswith("r") for axis in axes)}
