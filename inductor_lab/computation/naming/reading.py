"""Names every value that a kernel stores, by the table of all names, in the order of computation.

The table is in the order in which its rows are tried: what takes most of a tree comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming import functions, movement
from inductor_lab.computation.naming.match import Asked, Match, Row, call, is_number, whole_rows
from inductor_lab.computation.naming.terms import Call, Fold, Leaf, Number, Place, Product, Sum, Term, product, walk

CUT = "slice", "select", "split", "split_with_sizes", "unbind", "cat", "stack", "constant_pad_nd"
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


ROWS: tuple[Row, ...] = (
    *functions.OPTIMIZERS, *functions.SOFTMAX_BACKWARD, *functions.ACTIVATION_BACKWARD, *functions.NORM_GRADIENTS,
    *functions.NORM_ROWS, *functions.SOFTMAX_FORWARD, *movement.ROTATIONS, *functions.DROPOUTS, *functions.GATED, *functions.ACTIVATIONS,
    *functions.SOFTMAX_PARTS, *functions.NORM_STATISTICS, *movement.ROWS,
)  # fmt: skip
SAID: dict[str, str] = {row.name: row.words or row.name for row in ROWS} | {name: name for name in STORES} | {
    "residual_add": "residual add", "bias_gradient": "bias gradient", "swiglu_backward": "swiglu_backward", "geglu_backward": "geglu_backward",
}  # fmt: skip
"""Name -> what people are told."""
SIMPLE = frozenset(row.name for row in ROWS if row.simple)
"""Names whose call is as short: an expression says more."""


NORMS = frozenset({"rms_norm", "layer_norm", "rms", "layer_norm_statistics"})
COUNTED = {
    "rope",
    "rope_backward",
    *(f"{kind}_norm{of}" for kind in ("rms", "layer", "batch", "group") for of in ("", "_backward")),
}
"""Names that say of how many values they are told."""
CHOOSING = frozenset({"gather", "embedding"})
"""Names of what takes elements where data says."""
ADDRESSED = frozenset({"mod", "floordiv"})
"""Calls of an address, which takes the number of a place apart."""
NAMELESS = frozenset(
    {"lt", "le", "eq", "ne", "and", "or", "not", "where", "maximum", "minimum", "to", "inside", "size", "unknown", "carried"}
)  # fmt: skip
"""Calls that stand between what has a name."""
GATED = {"silu": "swiglu_backward", "gelu": "geglu_backward", "gelu_tanh": "geglu_backward"}
"""An activation stored beside its derivative, each times the gradient -> the gate whose two gradients they are."""
POWERS = {2.0: "square", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
"""What a power of one value is called; others are `pow`."""


@dataclass
class Reading:
    """Names the values of one job."""

    asked: Asked
    matches: dict[Term, tuple[Row, Match] | None] = field(default_factory=dict)
    cores: dict[Term, tuple[str, Match]] = field(default_factory=dict)
    """What stands for a part that has a name -> the name, and what it is made of."""
    inner: set[Term] = field(default_factory=set)
    """What is part of something that has a name."""
    adjectives: dict[str, str] = field(default_factory=dict)
    told: set[Term] = field(default_factory=set)

    # ---- what is what

    def match(self, term: Term) -> tuple[Row, Match] | None:
        if term not in self.matches:
            rows = () if _is_given(term) else ROWS
            found = next(((row, found) for row in rows if (found := row.find(term, self.asked)) is not None), None)
            self.matches[term] = found
            if found is not None:
                monic = self.asked.normal.terms.monic
                self.inner |= {*map(monic, found[1].inner)} - {monic(term)}
                if found[1].adjective:
                    self.adjectives.setdefault(found[0].name, found[1].adjective)
        return self.matches[term]

    def whole(self, row: Row, term: Term, found: Match) -> Term | None:
        """The term with something that stands for what has the name; None where that is all of it."""
        if found.rest is None or isinstance(found.rest, Number):
            return None
        terms = self.asked.normal.terms
        core = terms.call(f"found {row.name}", term)
        self.cores[core] = row.name, found
        return terms.add(core, found.rest) if found.glue == "add" else terms.multiply(core, found.rest)

    # ---- in order

    def names(self, term: Term) -> Iterator[str]:
        """The names in a value that were not told before, what is computed first first."""
        if (own := self.asked.normal.terms.monic(term)) in self.told or _is_given(term):
            return  # a sum of what was told before may have its factors outside
        self.told.add(own)
        if own in self.cores:  # a number before it is of no account
            name, found = self.cores[own]
            yield from self._parts(found.parts)
            yield name
            return
        matched = self.match(term)
        if matched is None:
            yield from self._glued(term)
            return
        row, found = matched
        whole = self.whole(row, term, found)
        if whole is not None:
            yield from self.names(whole)
        else:
            told = self._parts(found.parts)
            yield from (name for name in told if row.name not in CHOOSING or name not in ADDRESSED)
            yield row.name

    def taken(self, name: str) -> set[Term]:
        """The values that a function was found to be taken of."""
        matches = (match for row, match in filter(None, self.matches.values()) if row.name == name)
        return {self.asked.normal.terms.monic(match.parts[0] if match.parts else match.bound["y"]) for match in matches}

    def gated(self, activation: str) -> bool:
        """Whether an activation and its derivative are of one tensor, as those of a gate are."""

        def of(name: str) -> set[str]:
            matches = (match for row, match in filter(None, self.matches.values()) if row.name == name)
            return {leaf.pointer for match in matches for leaf in walk(match.bound["x"]) if isinstance(leaf, Leaf)}

        return not of(activation).isdisjoint(of(f"{activation}_backward"))

    def _parts(self, parts: Iterable[Term]) -> Iterator[str]:
        for part in parts:
            yield from self.names(part)

    def _glued(self, term: Term) -> Iterator[str]:
        match term:
            case Sum(of=of):
                yield from self._parts(of)
                if len(of) > 1 and self._subtracts(of, term.constant):
                    yield "sub"
                elif len(of) > 1:
                    yield self._sum(of, term.axes)
            case Product(times=times, of=of):
                turned = next((base for base in of if isinstance(base, Sum)), None) if times < 0 else None
                yield from self._parts(
                    self.asked.normal.terms.negative(base) if base is turned else base for base in of
                )
                if len(of) > 1:
                    yield "div" if any(power < 0 for power in of.values()) else "mul"
                elif (power := next(iter(of.values()), 1.0)) != 1.0:
                    yield POWERS.get(power, "pow")
            case Call(name=name, of=inputs):
                yield from self._parts(inputs[1:] if name == "where" else inputs)
                if name.split()[0] not in NAMELESS:
                    yield name.split()[0]
            case Fold(name=name, of=inputs):
                yield from self._parts(inputs)
                yield name.split()[0]

    def _subtracts(self, of: Mapping[Term, float], constant: float) -> bool:
        """Whether a sum is a difference. A sign may be that of a sum among a part's factors: there the comment chooses."""
        added = sum(by > 0 for by in of.values()) + (constant > 0)
        turned = not added or any(
            by < 0 and any(isinstance(base, Sum) for base in product(part)[1]) for part, by in of.items()
        )
        return added <= 1 and (not turned or not self.asked.aten.isdisjoint(("sub", "rsub")))

    def _sum(self, of: Iterable[Term], axes: frozenset[str]) -> str:
        """A residual's addition: of tensors as large as the result, one of them as it was loaded, in a forward graph."""
        most = max(map(self.asked.spread, of))  # a table of positions goes along the axes of its batch too
        whole = [part for part in of if part.axes == axes and self.asked.spread(part) == most]
        loaded = any(isinstance(part, Leaf) and not part.chosen for part in whole)
        return "residual_add" if loaded and len(whole) > 1 and not self.asked.backward else "add"


def _is_given(term: Term) -> bool:
    """Whether nothing is computed for it: a number, a position, what is loaded as it lies."""
    return isinstance(term, (Number, Place)) or (isinstance(term, Leaf) and not term.chosen)


def names(job: Computation, asked: Asked) -> tuple[tuple[str, ...], dict[str, str]]:
    """The names of everything that a job stores, in order, and the adjectives of some."""
    reading = Reading(asked)
    values = [(store, added(store, asked.normal.of(store.value))) for store in job.stores if store.value is not None]
    for _, value in values:
        list(Reading.names(reading, value))  # finds what is part of what
    reading.told.clear()
    found: list[str] = []
    plain: list[str] = []
    told = True
    for store, value in values:
        how = scattered(store, asked.normal.of(store.value), asked) if store.value else ""
        if isinstance(value, Leaf) and not value.chosen and not how:
            plain.extend(moved(value, store, job, asked))
            continue
        inner = asked.normal.terms.monic(value) in reading.inner
        if inner and not how and any(other is not value for _, other in values):
            continue
        found.extend(reading.names(value))
        if alone := constant(value):
            plain.append(alone)
            if alone == "fill":
                reading.adjectives.setdefault("fill", f"{product(value)[0]:g}")
        elif not how:
            told = False  # beside what is computed, a copy is not all
        if how:
            found.append(how)
    kept = _settled(tuple(found), [one for one in GATED if len(values) == 2 and reading.gated(one)])
    for name in COUNTED.intersection(kept):
        if kept.count(name) == 1 and (count := len(reading.taken(name))) > 1:
            reading.adjectives[name] = f"{count}"
    return kept or (tuple(dict.fromkeys(plain)) if told else ()), reading.adjectives


def _settled(names: tuple[str, ...], gates: Sequence[str]) -> tuple[str, ...]:
    """Each name once in a row; an addition is a residual's where a norm comes after it. `gates`: activations whose gate has its gradients here."""
    kept: list[str] = []
    for number, name in enumerate(names):
        if name == "residual_add" and NORMS.isdisjoint(names[number:]):
            name = "add"
        if name not in kept or (name in NORMS and kept[-1] != name and "residual_add" in kept[kept.index(name) :]):
            kept.append(name)
    if any(name.endswith(("_weight_gradient", "batch_norm_sums", "batch_norm_backward")) for name in kept):
        kept = ["bias_gradient" if name == "sum" and "batch_norm_backward" not in kept else name for name in kept]
    for activation in gates:
        if activation in kept and f"{activation}_backward" in kept:
            whole = GATED[activation]
            kept = [whole if name == activation else name for name in kept if name != f"{activation}_backward"]
    left_out = {"add"} if "residual_add" in kept else {"bias_gradient"} if "batch_norm_sums" in kept else set()
    return tuple(name for name in kept if name not in left_out)


# ---- what a store does beside computing: it copies, permutes, casts, fills, scatters, as its address and the load's tell

Digit = tuple[str, int | str]


def moved(leaf: Leaf, store: Access, found: Computation, asked: Asked) -> tuple[str, ...]:
    """How a store of what was loaded is called."""
    cast = asked.dtypes.get(leaf.pointer) != asked.dtypes.get(store.pointer)
    how = order(leaf.load.index, store.index, found)
    if how == "rearrange" and asked.claims("embedding") and whole_rows(leaf.load.index):
        how = "embedding"
    whole = {asked.elements(leaf.pointer), asked.elements(store.pointer)} == {found.elements(frozenset(found.numel))}
    if how == "slice" and whole and not asked.claims(*CUT):
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
