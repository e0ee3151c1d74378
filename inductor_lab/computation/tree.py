"""The nodes of a computation's trees. Equal expressions of one computation are one object: `is` compares them.

    tmp8 = triton_helpers.maximum(tmp7, tmp6)      Operation("maximum", (Constant(0), Operation("add", (Load("in_ptr0"), ...))))

The names of operations are the words of `Kernel.ops`: `add`, `maximum`, `rsqrt`, `where`. The dtype of a value follows from those of its parts
after Triton's promotion rules (docs: `tl` semantics, type promotion).
"""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate, Expression, Index, Term, union, walk
from inductor_lab.computation.operators import MIRRORED, TABLE
from inductor_lab.dtypes import LANGUAGE, RANKS, TRITON

__all__ = [
    "Broadcast", "Call", "Carried", "Cast", "Constant", "Expression", "Inside", "Load", "Named", "Operation", "Position", "Random",
    "Reduction", "Scan", "Size", "Unknown", "joined", "of_text", "pointers", "union", "walk",
]  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Constant(Expression):
    """A number that was baked in."""

    value: bool | int | float


@dataclass(frozen=True, eq=False, slots=True)
class Size(Expression):
    """A size that is passed at each launch (`ks0`), or a number of the launch itself (`RSPLIT`)."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Position(Expression):
    """Where an element stands: a sum of coordinates and sizes."""

    index: Index


@dataclass(frozen=True, eq=False, slots=True)
class Inside(Expression):
    """The mask of an axis: true for elements that exist, whether the text tests it (`xindex < xnumel`) or leaves it out."""

    axis: str


@dataclass(frozen=True, eq=False, slots=True)
class Load(Expression):
    """What a tensor holds at an address. An indirect load is one whose index is made of other loads."""

    pointer: str
    index: Index | None
    """None where the address is no sum (block pointers, descriptors)."""
    mask: Expression | None
    other: Expression | None
    """What masked elements hold; None for anything."""
    version: int
    """How many stores of this kernel to the same pointer came before."""

    @property
    def operands(self) -> tuple[Expression, ...]:
        address = self.index.expressions() if self.index else ()
        return (*address, *(part for part in (self.mask, self.other) if part is not None))


class OfInputs(Expression):
    """A node whose operands are its `inputs`."""

    __slots__ = ()
    inputs: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.inputs


class OfOne(Expression):
    """A node with one operand."""

    __slots__ = ()
    operand: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, eq=False, slots=True)
class Operation(OfInputs):
    """Arithmetic, comparison, selection or a function, element by element."""

    name: str
    inputs: tuple[Expression, ...]
    spelling: str = ""
    """The call as the text has it, `libdevice.sqrt`, `tl.sqrt_rn`: functions of one name may round differently."""
    keywords: str = ""
    """What the call says beside its arguments, `propagate_nan=tl.PropagateNan.ALL`."""


@dataclass(frozen=True, eq=False, slots=True)
class Cast(OfOne):
    """The operand in another dtype."""

    operand: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Broadcast(OfOne):
    """The operand repeated along axes that it does not vary over."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the text has it, where a node says what it means and not how it is written."""

    function: str
    """`tl.sum`, `triton_helpers.welford_reduce`."""
    arguments: tuple[Expression | str, ...]
    """Values, and text where an argument is none: `_triton_helper_fn_add0`, `roffset == 0`."""
    keywords: str = ""
    result: int | None = None
    """Which of several results."""

    @property
    def values(self) -> tuple[Expression, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Expression))


@dataclass(frozen=True, eq=False, slots=True)
class Reduction(OfInputs):
    """A fold along axes: in one block, or over the blocks of a loop, which is the same to the reader."""

    name: str
    """`sum`, `prod`, `max`, `min`, `any`, `xor`, `argmax`, `argmin`, `welford`, `online_softmax`."""
    part: str
    """Which of several results: `index` of argmax; `mean`, `m2`, `weight` of welford; `max`, `sum` of online_softmax."""
    inputs: tuple[Expression, ...]
    """The elements that are folded, also where a loop takes them in block by block."""
    over: frozenset[str]
    call: Call | None = None
    """The call that folds a block."""
    group: int | None = None
    """How many positions of the axis are folded into one; None for all of them."""


@dataclass(frozen=True, eq=False, slots=True)
class Scan(OfInputs):
    """A running fold along an axis, as long as its input; `sort` too, which is as long."""

    name: str
    """`sum`, `prod`, or Inductor's name for the combining function; `sort`."""
    part: int
    """Which of several results."""
    inputs: tuple[Expression, ...]
    call: Call | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Random(OfInputs):
    """A number that depends on a seed and a position alone (Philox)."""

    name: str
    """`rand`, `randn`, `randint`."""
    inputs: tuple[Expression, ...]
    """Seed, position; the bounds of integers."""
    call: Call | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Carried(Expression):
    """What a name held when this turn of a loop began."""

    name: str
    start: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Unknown(OfInputs):
    """Something the reader does not follow (a template's product, a user's pointer arithmetic), with what it was made from."""

    text: str
    inputs: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Named(Unknown):
    """A value behind its name, because the tree under it is too deep to walk down at once."""


def pointers(*roots: Expression) -> frozenset[str]:
    """The tensors whose contents a value depends on."""
    return frozenset(node.pointer for node in walk(*roots) if isinstance(node, Load))


DTYPES = {name: rank for rank, name in enumerate(RANKS)}
PREDICATES = frozenset(row.name for row in TABLE.values() if row.predicate)
"""Operations that answer yes or no."""


def of_text(text: str) -> str:
    """torch's name of `tl.float32`, `tl.int1`; empty for anything else."""
    name = text.rpartition(".")[2]
    name = LANGUAGE.get(name, name)
    return name if name in DTYPES else TRITON.get(name, "")


def joined(*values: Expression) -> str:
    """The dtype of operands together. A bare number takes the others' width, and is a float at least where it is written as one."""
    known = [value.dtype for value in values if value.dtype in DTYPES]
    bare = [value.dtype for value in values if isinstance(value, Constant) and value.dtype in {"int", "float"}]
    if not known:
        return "float" if "float" in bare else "int" if bare else values[0].dtype if values else ""
    widest = max(known, key=DTYPES.__getitem__)
    if {"float16", "bfloat16"} <= set(known) and widest != "float64":
        return "float32"
    if "float" in bare and not widest.startswith(("float", "bfloat")):
        return "float32"
    return "int32" if "int" in bare and widest == "bool" else widest


# ---- what values say of coordinates: the address that an expression is, and the bounds that hold where a mask is true


def index_of(value: Expression) -> Index:
    """The index of an expression: through sums and products of integers down to coordinates, sizes and loads."""
    match value:
        case Position(index=index):
            return index
        case Constant(value=int() as number):
            return Index(int(number))
        case Size(name=name):
            return Index(0, (Term(1, None, (name,)),))
        case Operation(name="add", inputs=(left, right)):
            return index_of(left).plus(index_of(right))
        case Operation(name="sub", inputs=(left, right)):
            return index_of(left).plus(index_of(right).times(-1))
        case Operation(name="neg", inputs=(operand,)):
            return index_of(operand).times(-1)
        case Broadcast(operand=operand):
            return index_of(operand)
        case Operation(name="mul", inputs=(left, right)):
            product = index_of(left).product(index_of(right))
            if product is not None:
                return product
    return Index(0, (Term(1, value),))


def scale(term: Term) -> str:
    """What a term multiplies with, as text: `2*ks0*ks1`; empty for 1."""
    return "*".join((*([str(term.factor)] if term.factor != 1 else []), *term.sizes))


@dataclass(frozen=True)
class Limit:
    """`low <= index < high` where a mask is true; no high means no upper bound. The index is a sum of positive multiples of coordinates."""

    index: Index
    low: int
    high: int | None

    @property
    def coordinate(self) -> Coordinate | None:
        """The coordinate that is bounded, where it is one alone."""
        return self.index.only()

    def inverse(self) -> Limit | None:
        """What holds where this does not, if that is one range."""
        if self.low == 0 and self.high is not None:
            return Limit(self.index, self.high, None)
        return Limit(self.index, 0, self.low) if self.high is None else None


def limits(mask: Expression | None) -> tuple[Limit, ...]:
    """The bounds on coordinates, and on sums of them, that hold wherever a mask is true."""
    match mask:
        case Operation(name="and", inputs=(left, right)):
            return (*limits(left), *limits(right))
        case Operation(name="not", inputs=(operand,)):
            inner = limits(operand)
            flipped = inner[0].inverse() if len(inner) == 1 else None
            return (flipped,) if flipped else ()
        case Operation(name=name, inputs=(left, right)):
            found = _limit(index_of(left), name, index_of(right))
            return (found,) if found else ()
    return ()


def _limit(left: Index, name: str, right: Index) -> Limit | None:
    if left.is_constant:
        left, name, right = right, MIRRORED.get(name, name), left
    if not right.is_constant or left.is_constant:
        return None
    if any(term.factor < 1 or term.sizes or not isinstance(term.of, Coordinate) for term in left.terms):
        return None
    at = right.constant - left.constant
    bounds = {"lt": (0, at), "le": (0, at + 1), "ge": (at, None), "gt": (at + 1, None), "eq": (at, at + 1)}
    if name not in bounds:
        return None
    low, high = bounds[name]
    return Limit(Index(0, left.terms), max(low, 0), high)
