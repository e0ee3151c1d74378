"""A kernel's names: each stored value taken apart by the table of all names, what comes first in the computation first.

The table is in the order in which its rows are tried: what takes most of a tree comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.computation import Computation
from inductor_lab.computation.naming import functions, movement
from inductor_lab.computation.naming.match import STORES, Asked, Match, Row, added, constant, moved, scattered
from inductor_lab.computation.naming.terms import Call, Fold, Leaf, Number, Place, Product, Sum, Term, product, walk

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
UNTOLD = frozenset(
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
            rows = () if _untold(term) else ROWS
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
        if (own := self.asked.normal.terms.monic(term)) in self.told or _untold(term):
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
                if name.split()[0] not in UNTOLD:
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


def _untold(term: Term) -> bool:
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
