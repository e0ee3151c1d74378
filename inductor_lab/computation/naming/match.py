"""What a pattern finds in a term, and what all patterns ask: is this the mean of that, what is left of a product without a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Product,
    Sum,
    Term,
    close,
    parts,
    walk,
)

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
