"""What a kernel goes over, in words: `4,096 rows of 2,048 bf16`, `4 x 512 x 2,048 bf16`."""

from __future__ import annotations

from inductor_lab.computation import Computation
from inductor_lab.computation.naming.match import over_rows
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import Fold, walk
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Kernel, Size, TensorType

FLOATS = ("float", "bfloat")


def shape(kernel: Kernel, job: Computation, normal: Normal) -> str:
    """In words; empty where the launch tells no sizes."""
    reduced = {axis: size for axis, size in job.numel.items() if axis.startswith("r")}
    dtype = _dtype(kernel, job)
    dtype = SHORT.get(dtype, dtype)
    if not reduced:
        return _whole(kernel, job, dtype)
    rows, length = _product(job, [axis for axis in job.numel if axis not in reduced]), _product(job, list(reduced))
    if rows in {"1", ""}:
        return f"{length} {dtype}".strip() if length else ""
    values = [normal.of(store.value) for store in job.stores if store.value is not None]
    folds = [term for term in walk(*values) if isinstance(term, Fold)]
    across = bool(folds) and all(over_rows(fold) for fold in folds)
    return f"{rows} {'columns' if across else 'rows'} of {length} {dtype}".strip()


def _whole(kernel: Kernel, job: Computation, dtype: str) -> str:
    stored = [store.pointer for store in job.stores]
    passed = {argument.name: argument.type for launch in kernel.launches[:1] for argument in launch.arguments}
    types = [type_ for pointer in stored if (type_ := passed.get(pointer)) is not None]
    numel = _product(job, list(job.numel))
    types.sort(key=lambda type_: not type_.dtype.startswith(FLOATS))  # a mask is beside the point
    for type_ in types:
        inside = _shape(type_)
        if inside and _elements(type_) == _count(job):
            return f"{inside} {SHORT.get(type_.dtype, type_.dtype)}"
    return f"{numel} {dtype}".strip() if numel else ""


def _shape(type_: TensorType) -> str:
    sizes = [size for size in type_.shape if size != 1]
    return " x ".join(map(_said, sizes))


def _elements(type_: TensorType) -> int | None:
    total = 1
    for size in type_.shape:
        if not isinstance(size, int):
            return None
        total *= size
    return total


def _count(job: Computation) -> int | None:
    return job.elements(frozenset(job.numel))


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
    return "*".join([f"{number:,}"] * (number != 1) + symbols)


def _said(size: Size) -> str:
    return f"{size:,}" if isinstance(size, int) else size


def _dtype(kernel: Kernel, job: Computation) -> str:
    """Of the floats that it folds, else reads, else writes; of anything else where there are none."""
    pointers = [argument for argument in kernel.arguments if argument.pointer]
    folded = _folded(job)
    ordered = [a for a in pointers if a.name in folded] or [
        *(a for a in pointers if a.role != "out"), *(a for a in pointers if a.role == "out")
    ]  # fmt: skip
    floats = [argument.dtype for argument in ordered if argument.dtype.startswith(FLOATS)]
    low = [dtype for dtype in floats if dtype != "float32"]
    return (low or floats or [argument.dtype for argument in ordered] or [""])[0]


def _folded(job: Computation) -> set[str]:
    """The tensors that are loaded along the most axes, a reduction's among them: a scale of each row or column is beside the point."""
    along = {(load.pointer, load.value.axes) for load in job.loads if load.value is not None}
    most = max((len(axes) for _, axes in along if any(axis.startswith("r") for axis in axes)), default=0)
    return {pointer for pointer, axes in along if len(axes) == most and any(axis.startswith("r") for axis in axes)}
