"""Patterns: a formula as text becomes a term with variables, which is matched against a kernel's terms.

"g * s * (1 - s)"      Product(1, {?g: 1, ?s: 1, Sum(1, {?s: -1}): 1})
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.normal import Normal, computed
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Product,
    Sum,
    Term,
    Terms,
    close,
    parts,
    walk,
)
from inductor_lab.computation.operators import OPERATORS
from inductor_lab.computation.tree import Expression


def whole_rows(index: Index | None) -> bool:
    """True for row * length + column, the row not a coordinate alone, the columns next to each other."""
    rows = [each for each in index.terms if isinstance(each.of, Expression)] if index else []
    columns = [each.factor for each in index.terms if isinstance(each.of, Coordinate)] if index else []
    return len(rows) == 1 and columns == [1] and (abs(rows[0].factor) > 1 or bool(rows[0].sizes))


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


# ---- formulas

FOLDS = {
    "sum": "sum", "mean": "sum", "max": "max", "min": "min", "prod": "prod", "any": "any", "argmax": "argmax index", "argmin": "argmin index",
    "welford_mean": "welford mean", "welford_m2": "welford m2", "welford_weight": "welford weight",
}  # fmt: skip
"""A fold as a formula writes it -> as a term does."""
CALLED = {"int": "to int32"}
"""The same of another call."""


@dataclass(frozen=True)
class Bound:
    """What the names of a formula stand for."""

    of: Mapping[str, Term] = field(default_factory=dict)
    over: frozenset[str] | None = None
    """The axes of its folds."""
    scaled: bool = False
    """True where a number makes up for another one below a root: then none may be left beside the formula."""

    def __getitem__(self, name: str) -> Term:
        return self.of[name]


def parsed(text: str, terms: Terms) -> Term:
    """A formula as a term; its names are calls without arguments."""

    def made(node: ast.AST) -> Term:
        match node:
            case ast.Constant(value=int() | float() as value):
                return terms.number(float(value))
            case ast.Name(id="pi"):
                return terms.number(math.pi)
            case ast.Name(id=name):
                return terms.call(f"?{name}")
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return terms.negative(made(inner))
            case ast.UnaryOp(op=ast.Invert(), operand=inner):
                return terms.call("not", made(inner))
            case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
                return computed(terms, OPERATORS[type(op)], (made(left), made(right)))
            case ast.Call(func=ast.Name(id=name), args=inputs):
                return computed(terms, CALLED.get(name, name), tuple(map(made, inputs)))
            case ast.Subscript(value=tensor, slice=chosen):
                return terms.call(CHOSEN, made(tensor), made(chosen))
        raise ValueError(f"no part of a formula: {ast.unparse(node)}")

    return made(ast.parse(text, mode="eval").body)


def name_of(term: Term) -> str:
    """The name that a part of a formula is; empty for others."""
    return term.name[1:] if isinstance(term, Call) and term.name.startswith("?") else ""


@dataclass(frozen=True)
class Formula:
    """A formula that is found in terms."""

    text: str
    terms: Terms = field(default_factory=Terms, compare=False)
    """Its own: a sum begins with what is written first, whatever other formulas there are."""

    @cached_property
    def term(self) -> Term:
        return parsed(self.text, self.terms)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """In the order in which they are written."""
        values = {name_of(part) for part in walk(self.term)}
        return tuple(dict.fromkeys(word for word in re.findall(r"\w+", self.text) if word in values))

    @cached_property
    def steps(self) -> tuple[Term, ...]:
        """What is computed on the way, names and the whole among it."""
        steps = list(walk(self.term))
        roots = (
            self.terms.power(base, by) for part in steps if isinstance(part, Product) for base, by in part.of.items()
        )
        return tuple(dict.fromkeys([*steps, *roots]))

    @cached_property
    def calls(self) -> frozenset[str]:
        """What a term must call somewhere to hold it."""
        own = (name for part in walk(self.term) if not name_of(part) for name in called(part))
        return frozenset(FOLDS.get(name, name) for name in own)
