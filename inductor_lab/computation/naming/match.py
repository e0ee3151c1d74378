"""What a pattern finds in a term, and what all patterns ask: is this the mean of that, what is left of a product without a part.

What a store does beside computing (it copies, permutes, casts, fills, scatters) is told by its address and the load's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Place,
    Product,
    Sum,
    Term,
    close,
    parts,
    product,
    walk,
)
from inductor_lab.computation.tree import Expression

Digit = tuple[str, int | str]
PIECES = "slice", "select", "split", "split_with_sizes", "unbind", "cat", "stack", "constant_pad_nd"
"""Operators that take a part of a tensor, or fill one."""
DIAGONALS = "diagonal_backward", "diagonal_scatter"
"""Operators that write over a diagonal."""

STORES: Mapping[str, str] = {
    "fill": "one number everywhere",
    "arange": "positions alone",
    "copy": "what is loaded, at the same place",
    "slice": "what is loaded, in the same order of dimensions, a part of it or into a part",
    "diagonal_backward": "what is loaded, in the same order, into a part, where the comment names a diagonal's backward",
    "diagonal_scatter": "the same, where it names a diagonal that is set in",
    "rearrange": "what is loaded, at a place that arithmetic on positions chooses; an embedding of whole rows where the comment names one",
    "transpose": "what is loaded, the innermost dimension of the store another one than the load's",
    "permute": "what is loaded, the dimensions in another order, the innermost kept",
    "expand": "what is loaded, repeated along dimensions that the load does not go along",
    "cast": "what is loaded, as another dtype",
    "embedding_backward": "added atomically to whole rows chosen by data, 0 where the index is the padding's",
    "max_pool_backward": "added atomically where data says, where the comment names a max pooling's backward",
    "scatter_add": "added atomically where data says",
    "scatter": "stored where data says",
}
"""A name for a way to store -> what it demands."""


def moved(leaf: Leaf, store: Access, found: Computation, asked: Asked) -> tuple[str, ...]:
    """How a store of what was loaded is called."""
    cast = asked.dtypes.get(leaf.pointer) != asked.dtypes.get(store.pointer)
    how = order(leaf.load.index, store.index, found)
    if how == "rearrange" and asked.claims("embedding") and whole_rows(leaf.load.index):
        how = "embedding"
    whole = {asked.elements(leaf.pointer), asked.elements(store.pointer)} == {found.elements(frozenset(found.numel))}
    if how == "slice" and whole and not asked.claims(*PIECES):
        how = "copy"  # of rows that lie apart
    if how in {"slice", "rearrange"}:
        how = next((name for name in DIAGONALS if asked.claims(name)), how)
    if how == "copy" and cast:
        return ("cast",)
    return (how, "cast") if cast else (how,)


def order(load: Index | None, store: Index, found: Computation) -> str:
    """How elements lie to those that are loaded, by both addresses."""
    if load is None or load == store:
        return "copy"
    if load.expressions():
        return "rearrange"
    read, written = _steps(load, found), _steps(store, found)
    if read == written:
        return "copy" if load.constant == store.constant else "slice"
    nested = all(axis in found.digits and found.digits[axis].nested for axis, _ in (*read, *written))
    if not nested and read.keys() != written.keys():
        return "slice"
    if not read.keys() >= written.keys():
        return "expand"
    by_store, by_load = (
        sorted(written, key=lambda digit: (len(steps[digit][0]), abs(steps[digit][1]))) for steps in (written, read)
    )
    if by_store == by_load:
        return "slice"
    return "permute" if by_store[0] == by_load[0] else "transpose"


def _steps(index: Index, found: Computation) -> Mapping[Digit, tuple[tuple[str, ...], int]]:
    """(axis, stride on it) -> step in memory, the sizes and the number that it is a product of."""
    steps: dict[Digit, tuple[tuple[str, ...], int]] = {}
    for term in index.terms:
        if isinstance(term.of, Coordinate):
            digits = found.digits[term.of.axis].of(term.of) if term.of.axis in found.digits else None
            for stride, size, weight in ((term.of.stride, 0, 1),) if digits is None else digits:
                sizes, step = steps.get((term.of.axis, stride), ((), 0))
                if size != 1:
                    steps[term.of.axis, stride] = max(sizes, term.sizes, key=len), step + term.factor * weight
    return steps


def whole_rows(index: Index | None) -> bool:
    """True for row * length + column, the row not a coordinate alone, the columns next to each other."""
    rows = [each for each in index.terms if isinstance(each.of, Expression)] if index else []
    columns = [each.factor for each in index.terms if isinstance(each.of, Coordinate)] if index else []
    return len(rows) == 1 and columns == [1] and (abs(rows[0].factor) > 1 or bool(rows[0].sizes))


def added(store: Access, value: Term) -> Term:
    """What is added atomically where it is not the padding's."""
    chosen = call(value, "where")
    if store.kind == "atomic_add" and chosen and any(isinstance(part, Number) for part in chosen[1:]):
        return next((part for part in chosen[1:] if not isinstance(part, Number)), value)
    return value


def scattered(store: Access, value: Term, asked: Asked) -> str:
    """How a store to an address from data is called; empty for others."""
    if not store.gathered or store.kind != "atomic_add":
        return "scatter" if store.gathered else ""
    condition, *chosen = call(value, "where") or (value,)
    padded = any(is_number(part, 0.0) for part in chosen) and not asked.calls(condition).isdisjoint({"eq", "ne"})
    if padded and asked.claims("embedding_dense_backward", "embedding_backward"):
        return "embedding_backward"
    return "max_pool_backward" if asked.claims("max_pool2d_with_indices_backward") else "scatter_add"


def constant(value: Term) -> str:
    """`fill` or `arange`, where a value is nothing else."""
    if isinstance(value, Number):
        return "fill"
    _, powers = product(value)
    return "arange" if isinstance(value, Place) or (len(powers) == 1 and isinstance(next(iter(powers)), Place)) else ""


NORMS = "batch_norm", "group_norm", "layer_norm"
"""Norms that the operators of a comment name."""


@dataclass(frozen=True)
class Match:
    """A function that was found in a term."""

    parts: tuple[Term, ...]
    """What it is computed of: its names come first."""
    inner: tuple[Term, ...] = ()
    """What is computed on the way; a store of it is part of the same."""
    rest: Term | None = None
    """What the found product is multiplied with, or the found sum added to."""
    glue: str = ""
    """`mul` or `add`: how the rest stands beside it."""
    adjective: str = ""
    """`causal`, `masked`."""
    bound: Mapping[str, Term] = field(default_factory=dict)
    """What the variables of its formula are."""


@dataclass(frozen=True)
class Asked:
    """What patterns may ask beside the term."""

    normal: Normal
    aten: frozenset[str]
    """The operators of the comment's claim, `native_layer_norm`: they choose between names that one tree may have, and never give one."""
    kind: str
    """Of the graph: `forward`, `backward`, `inference`, `unknown`."""
    dtypes: Mapping[str, str]
    """Pointer -> dtype."""
    shapes: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)
    """Pointer -> the shape that is passed, where the launch tells it."""
    lowered: frozenset[str] = frozenset()
    """The operators of the comment's fragment, what passes over the graph have made among them: `slice_scatter` of a sum that a slice is set in."""
    called: dict[Term, frozenset[str]] = field(default_factory=dict)

    def calls(self, term: Term) -> frozenset[str]:
        """The functions that are called anywhere in a term, and `TIMES_SUM` where a sum is multiplied."""
        if term not in self.called:
            self.called[term] = called(term).union(*map(self.calls, parts(term)))
        return self.called[term]

    def claims(self, *operators: str) -> bool:
        return bool(self.aten.intersection(operators))

    @property
    def norm(self) -> str:
        """The norm that the comment names; empty where it names none."""
        return self._norm("")

    @property
    def derived(self) -> str:
        """The norm whose backward the comment names, else the norm that it names: a layer norm's may stand beside a batch norm that is made again."""
        return self._norm("_backward") or self.norm

    def _norm(self, ending: str) -> str:
        return next((name for name in NORMS if any(name in one and one.endswith(ending) for one in self.aten)), "")

    @property
    def backward(self) -> bool:
        return self.kind == "backward"

    def elements(self, pointer: str) -> int | None:
        """Of the tensor that is passed; None where that is not known, or symbolic."""
        shape = [size for size in self.shapes.get(pointer, ()) if isinstance(size, int)]
        return prod(shape) if len(shape) == len(self.shapes.get(pointer, ("",))) else None

    def spread(self, term: Term) -> int:
        """Elements of the widest tensor in a term; a million for each symbolic dimension."""
        indices = [leaf.load.index for leaf in walk(term) if isinstance(leaf, Leaf) and leaf.load.index]
        sizes = ([self.normal.found.extent(each) or 10**6 for each in set(index.coordinates())] for index in indices)
        return max(map(prod, sizes), default=1)


Pattern = Callable[[Term, Asked], Match | None]


@dataclass(frozen=True)
class Row:
    """A function that people have a name for."""

    name: str
    """For machines: it does not change."""
    demands: str
    """What the tree must compute, over x, weights w and b, an incoming gradient g."""
    find: Pattern
    words: str = ""
    """For people, where that is more than the name."""
    simple: bool = False
    """True for one whose call is as short as its name: then the expression is the better title."""


TIMES_SUM = "* +"
CHOSEN = "[]"
"""What `called` says of elements that data chooses, and the call that a formula has for them."""


def called(term: Term) -> frozenset[str]:
    """What a term itself calls."""
    match term:
        case Call(name=name) | Fold(name=name):
            return frozenset({name})
        case Product(of=of) if any(isinstance(base, Sum) for base in of):
            return frozenset({TIMES_SUM})
        case Leaf(chosen=(_, *_)):
            return frozenset({CHOSEN})
    return frozenset()


def call(term: Term, name: str) -> tuple[Term, ...] | None:
    """The arguments of a call of this name."""
    return term.of if isinstance(term, Call) and term.name == name else None


def is_number(term: Term, value: float) -> bool:
    return isinstance(term, Number) and close(term.value, value)
