"""An address told by the tensor's own dimensions: which coordinate walks along which, what is repeated, what the data decides.

in_ptr0 + (x0 + 64*x1 + 3072*x5) of bf16[4096, 48, 64]:   dimension 0 by x5, 1 by x1, 2 by x0
in_ptr2 + (x0 + 16*tmp17)        of f32[10000, 16]:        dimension 0 gathered by in_ptr0 and in_ptr1, 1 by x0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import pointers
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size, product


@dataclass(frozen=True)
class Dimension:
    """How an access moves along one dimension of its tensor."""

    size: SizeLike
    stride: SizeLike
    """In elements."""
    coordinates: tuple[Coordinate, ...]
    """What walks along it; a coordinate that runs over several dimensions at once stands at each of them."""
    step: int
    """Elements of this dimension from one value of the coordinate to the next; 0 where nothing walks along it."""
    gathered: frozenset[str]
    """The pointers whose contents choose the place along it."""
    start: SizeLike
    """The place along it where the access begins."""


@dataclass(frozen=True)
class Pattern:
    """One access, by the tensor's dimensions."""

    dimensions: tuple[Dimension, ...]
    broadcast: frozenset[str]
    """Axes of the launch that the address does not move with: along them every program reads the same elements again."""


def pattern(found: Computation, access: Access, tensor: TensorType | None) -> Pattern | None:
    """The address by dimensions; None where the tensor is not known, or a term of the address fits none of its strides."""
    if tensor is None:
        return None
    strides = list(enumerate(tensor.stride))
    walked: list[list[Coordinate]] = [[] for _ in strides]
    steps = [0] * len(strides)
    gathered: list[set[str]] = [set() for _ in strides]
    begins = starts(access.index.constant, tensor)
    for term in access.index.terms:
        at = dimension(term, tensor, found.sizes)
        if at is None:
            return None
        if term.of is None and begins[at] == 0:  # one element that the launch chooses
            begins[at] = "*".join((*([str(term.factor)] if term.factor != 1 else []), *term.sizes))
        if isinstance(term.of, Coordinate):
            stride = tensor.stride[at]
            steps[at] = term.factor // stride if isinstance(stride, int) and not term.sizes else 1
            for covered in _covered(found, term.of, at, steps[at], tensor):
                walked[covered].append(term.of)
        elif term.of is not None:
            gathered[at] |= pointers(term.of)
    moving = frozenset(coordinate.axis for coordinate in access.index.coordinates())
    dimensions = tuple(
        Dimension(size, stride, tuple(walked[n]), steps[n], frozenset(gathered[n]), begins[n])
        for n, (size, stride) in enumerate(zip(tensor.shape, tensor.stride, strict=True))
    )
    return Pattern(dimensions, frozenset(axis for axis in found.numel if axis not in moving and found.numel[axis] != 1))


def dimension(term: Term, tensor: TensorType, sizes: Mapping[str, str]) -> int | None:
    """The dimension whose stride is the largest that divides the term's factor."""
    factor = product([Size(abs(term.factor)), *(Size.of(name, sizes) for name in term.sizes)])
    best: tuple[int, int, int] | None = None
    for n, stride in enumerate(map(Size.of, tensor.stride)):
        if stride.number and tensor.shape[n] != 1 and factor.over(stride) is not None:
            best = max(best or (-1, 0, 0), (*stride.order, n))
    return best[2] if best else 0 if len(tensor.shape) == 1 else None


def _covered(found: Computation, coordinate: Coordinate, at: int, step: int, tensor: TensorType) -> list[int]:
    """The dimension itself, and those around it that a long coordinate runs on into where memory has no gap."""
    extent = found.extent(coordinate)
    covered = [at]
    if extent is None or abs(step) != 1:
        return covered
    for _ in tensor.shape:
        size, stride = tensor.shape[covered[-1]], tensor.stride[covered[-1]]
        if not isinstance(size, int) or not isinstance(stride, int) or extent <= size or extent % size:
            break
        outer = next((n for n, s in enumerate(tensor.stride) if s == size * stride and n not in covered), None)
        if outer is None:
            break
        covered.append(outer)
        extent //= size
    return covered


def starts(constant: int, tensor: TensorType) -> list[SizeLike]:
    """A constant offset as a place along each dimension, widest strides first."""
    starts: list[SizeLike] = [0] * len(tensor.shape)
    known = [(stride, n) for n, stride in enumerate(tensor.stride) if isinstance(stride, int) and stride > 0]
    for stride, n in sorted(known, reverse=True):
        if tensor.shape[n] != 1 and constant > 0:
            starts[n], constant = divmod(constant, stride)
    return starts
