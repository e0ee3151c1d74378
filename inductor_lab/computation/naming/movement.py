"""What moves, picks and folds elements: copies, embeddings, rotations, pooling, concatenation, reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inductor_lab.computation.folds import RUNNING, narrowing
from inductor_lab.computation.index import Index
from inductor_lab.computation.naming.conditions import written
from inductor_lab.computation.naming.functions import causal
from inductor_lab.computation.naming.match import Asked, Match, Pattern, Row, call, is_number
from inductor_lab.computation.naming.terms import Call, Leaf, Number, Place, Term, addends, close, product, walk

LARGEST = "amax", "max", "argmax", "logsumexp", "_softmax", "_safe_softmax", "_log_softmax", "prepare_softmax_online"
"""Operators that take the largest of a row."""
PADDING = frozenset({"constant_pad_nd", "slice_backward", "slice_scatter", "select_backward", "select_scatter"})
"""Operators that leave zeros beside what they place."""

# ---------------------------------------------------------------- windows: one tensor at several places


def _places(values: Sequence[Term]) -> Term | None:
    """`relu(x[i])` of relu(x[i]), relu(x[i + 1]) ...: what is read at places of which none depends on data, where it lies inside."""
    leaves, functions = set[Leaf](), set[str]()
    for value in map(_inside, values):
        match value:
            case Leaf(chosen=()) | Call(of=(Leaf(chosen=()),)):
                leaves.update(part for part in walk(value) if isinstance(part, Leaf))
                functions.add(value.name if isinstance(value, Call) else "")
            case _:
                return None
    one = len(functions) == len({leaf.pointer for leaf in leaves}) == 1
    return _inside(values[0]) if one and len({leaf.load.index for leaf in leaves}) == len(values) else None


def _inside(value: Term) -> Term:
    match value:
        case Call(name="where", of=(_, one, Number(value=other))) if other < -1e4 or other == 0.0:
            return one
    return value


def _chain(term: Term, name: str) -> list[Term]:
    inside = call(term, name)
    return [term] if inside is None else [value for each in inside for value in _chain(each, name)]


def _largest(folded: bool) -> Pattern:
    """maximum(maximum(x[i], x[i + 1]), x[i + 2]) ..., of a window, or of a short row where the comment names what folds one."""

    def find(term: Term, asked: Asked) -> Match | None:
        for base in product(term)[1] if asked.claims(*LARGEST) is folded else ():
            chain = _chain(base, "maximum")
            if len(chain) >= 4 and (first := _places(chain)) is not None:
                return Match((first,), (base, *map(_inside, chain)), asked.normal.terms.divide(term, base), "mul")
        return None

    return find


def _max_pool_place(term: Term, asked: Asked) -> Match | None:
    """where(x[i + 1] > x[i], 1, 0) ..., the place of the largest"""
    *numbers, last = _selected(term, lambda condition, chosen: isinstance(chosen, Number))
    leaves = [part for part in walk(term) if isinstance(part, Leaf)]
    largest = any(call(part, "maximum") for part in walk(term))
    return Match(()) if len(numbers) >= 3 and isinstance(last, Number) and largest and _places(leaves) else None


def _slices(holds: Callable[[int, float, Asked], bool]) -> Callable[[Term, Asked], Match | None]:
    """Several places of one tensor, as far apart everywhere, with one number before all of them."""

    def find(term: Term, asked: Asked) -> Match | None:
        constant, parts = addends(term)
        leaves, times = [part for part in parts if isinstance(part, Leaf)], set(parts.values())
        if constant or not 2 <= len(leaves) == len(parts) or len(times) != 1 or _places(leaves) is None:
            return None
        first, *others = (leaf.load.index for leaf in leaves)
        apart = (first and other and other.plus(first.times(-1)).is_constant for other in others)
        return Match(()) if all(apart) and holds(len(leaves), times.pop(), asked) else None

    return find


def _pooled(places: int, times: float, asked: Asked) -> bool:
    named = asked.claims("avg_pool2d", "_adaptive_avg_pool2d", "avg_pool2d_backward", "adaptive_avg_pool2d")
    return named and places >= 4 and (close(times * places, 1.0) or times == 1.0)  # a fold has the number before it


def _pool_backward(term: Term, asked: Asked) -> Match | None:
    """where(a window reaches the place, g[i] / k + g[i + 1] / k, where(another one does, ...)): conditions of positions, gradients of one tensor."""
    if not asked.claims("avg_pool2d_backward", "avg_pool3d_backward"):
        return None
    for base in product(term)[1]:
        conditions = [part.of[0] for part in walk(base) if isinstance(part, Call) and part.name == "where"]
        leaves = [part for part in walk(base) if isinstance(part, Leaf)]
        placed = not any(isinstance(part, Leaf) for part in walk(*conditions))
        if call(base, "where") and placed and len({leaf.pointer for leaf in leaves}) == 1:
            return Match(tuple(leaves[:1]), tuple(leaves), asked.normal.terms.divide(term, base), "mul")
    return None


# ---------------------------------------------------------------- pieces


def _selected(term: Term, asks: Callable[[Term, Term], bool]) -> list[Term]:
    """x, y and z of where(c, x, where(d, y, z)), as long as condition and value are what is asked."""
    chosen = call(term, "where")
    return [chosen[1], *_selected(chosen[2], asks)] if chosen and asks(chosen[0], chosen[1]) else [term]


def _by_place(condition: Term) -> bool:
    match condition:
        case Call(name=("lt" | "le"), of=(Place(), Number()) | (Number(), Place())):
            return True
        case Call(name="and", of=(left, right)):
            return _by_place(left) and _by_place(right)
    return False


def _pieces(term: Term) -> tuple[list[Term], list[Term]]:
    """What a selection by one coordinate's position chooses from, and what of it is no number."""
    pieces = _selected(term, lambda condition, _: _by_place(condition))
    return pieces, [piece for piece in pieces if not isinstance(piece, Number)]


def _linspace(term: Term, asked: Asked) -> Match | None:
    """where(i < 10, i * 0.1 - 0.95, 0.95 - (19 - i) * 0.1): one line, whose second half is counted from its end"""
    match [list(addends(piece)[1].items()) for piece in _pieces(term)[0]]:
        case [[(Place(index=first), step)], [(Place(index=last), back)]]:
            return Match(()) if first.plus(last).is_scalar and close(-back, step) else None
    return None


def _cat(term: Term, asked: Asked) -> Match | None:
    pieces, values = _pieces(term)
    if (
        len(pieces) == 2
        and len(values) == 1
        and asked.claims("cat")
        and (PADDING.isdisjoint(asked.aten | asked.lowered) or not any(is_number(piece, 0.0) for piece in pieces))
    ):
        return Match(tuple(values))
    loaded = any(isinstance(part, Leaf) for part in walk(*values)) or asked.claims("cat", "stack")  # else positions
    return Match(tuple(values)) if _joined(values) and loaded and not _over(values, asked) else None


def _slice_scatter(term: Term, asked: Asked) -> Match | None:
    _, values = _pieces(term)
    return Match(tuple(values)) if _joined(values) and _over(values, asked) else None


def _joined(values: Sequence[Term]) -> bool:
    """Whether there are several different ones, and not the two halves of a rotation."""
    rotated = len(values) == 2 and product(values[0])[0] == -product(values[1])[0]
    return len(values) > 1 and len(set(values)) == len(values) and not rotated


def _over(values: Sequence[Term], asked: Asked) -> bool:
    """Whether a part of a tensor is written over: nobody says that pieces are put together, and they are of one or the comment slices."""
    of = {part.pointer for part in walk(*values) if isinstance(part, Leaf)}
    sliced = len(of) == 1 or asked.claims("slice", "select") or "slice_scatter" in asked.lowered
    return sliced and not asked.claims("cat", "stack")


def _pad(term: Term, asked: Asked) -> Match | None:
    pieces, values = _pieces(term)
    if len(pieces) != 2 or len(values) != 1:
        return None
    copied = any(isinstance(part, Leaf) and not narrowing(part.load.mask) for part in walk(*values))
    condition, *_ = call(term, "where") or (term,)
    # r0_1 + 8185 * x0 < 3200000: where a tensor ends of which each row folds a part, the last a shorter one
    match condition:
        case Call(name="lt", of=(Place(index=Index(constant=0)), Number())):
            divided = {axis.startswith("r") for axis in condition.axes} == {True, False}
            if divided and not asked.claims("constant_pad_nd", "slice_backward"):
                return None
    return None if copied and condition.axes & values[0].axes else Match(tuple(values))  # else it lies everywhere


def _scan(name: str, scan: str, demands: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        for base, power in product(term)[1].items():
            if isinstance(base, Call) and base.name.startswith(f"scan {scan}") and power == 1.0:
                return Match(base.of, (base,), asked.normal.terms.divide(term, base), "mul")
        return None

    return Row(name, demands, find, simple=True)


HALVES = "where(i < c, {}y, {}z)"
"""Of a row, the halves changed over and one of them with a turned sign."""
ANGLES = {"i": "a position", "u": "loaded or a cosine", "v": "loaded or a sine"}
ROTATIONS = (
    *(
        written(name, f"x * u + {halves} * v", f"x * u + {halves}", where=ANGLES, held="y and z the halves of x", inputs=("y",))
        for name, halves in (("rope", HALVES.format("-", "")), ("rope_backward", HALVES.format("", "-")))
    ),
    written("rope_backward", "g * u + where(i < c, y, 0) + where(i >= c, -z, 0)", "g * u + where(i < c, -y, 0) + where(i >= c, z, 0)",
            where=ANGLES, held="y and z of one tensor", when="in a backward graph", inputs=()),
    written("rope_backward_sine", "h * sin(y)", h="one factor", held="y of positions or of fewer elements", when="in a backward graph",
            alone=True, words="rope_backward (its sine part)", inputs=("h",)),
)  # fmt: skip
"""Before what gates and activates: their sums are taken apart otherwise."""
CAUSAL = "i <= c", "i < c", "i >= c", "i > c"
ROWS = (
    written("tril", "where(i <= c, x, 0)", "where(i < c, x, 0)", i="a column less a row"),
    written("triu", "where(i >= c, x, 0)", "where(i > c, x, 0)", i="a column less a row"),
    written("causal_mask", *CAUSAL, *(f"({one}) == 0" for one in CAUSAL), *(f"~({one})" for one in CAUSAL), i="a column less a row", alone=True,
            words="causal mask"),
    written("band_mask", "abs(i) < c", "abs(i) <= c", i="a position less another", alone=True, words="band mask"),
    written("length_mask", "i < n", i="a position", n="loaded", alone=True, words="mask of lengths"),
    Row("max_of_slices", "maximum of four or more places of one tensor, or of one function of it, where the comment names a softmax or a maximum",
        _largest(folded=True), "max of slices"),
    Row("max_pool", "maximum of four or more places of one tensor, or of one function of it", _largest(folded=False)),
    Row("max_pool_indices", "the place of the largest of four or more places of one tensor", _max_pool_place, "places of max_pool"),
    written("max_pool_backward", "where(t == i, g, 0)", "where(m & (t == i), h, x)", i="a position", h="one addend", inputs=("x",),
            when="where the comment names a max pooling's backward"),
    Row("avg_pool", "the sum of k >= 4 places of one tensor by k, or of it a fold, where the comment names a pooling", _slices(_pooled)),
    Row("avg_pool_backward", "where(windows reach the place, g[i] / k + ..., 0), g one tensor, where the comment names an average pooling's backward",
        _pool_backward),
    Row("mean_of_slices", "(x[i] + x[i + n] + ...) / k of k slices", _slices(lambda k, times, _: close(times * k, 1.0)), "mean of slices", simple=True),
    Row("sum_of_slices", "x[i] + x[i + n] + ..., slices of one tensor", _slices(lambda k, times, _: times == 1.0), "sum of slices", simple=True),
    written("attention_mask", "where(m, 0, c)", "where(m, c, 0)", c="below -10,000", alone=True, words="mask", inputs=("m",),
            shown=lambda m: (None, "causal" if causal(m) else "")),
    written("interpolation_index", "int(maximum(p, 0))", "minimum(int(maximum(p, 0)) + 1, c)", p="(i + 0.5) * c - 0.5, i a position", alone=True,
            words="index of an interpolation"),
    written("interpolation_weight", "minimum(maximum(y - int(y), 0), 1)", "y - int(y)", y="maximum(p, 0)", p="(i + 0.5) * c - 0.5, i a position",
            alone=True, words="weight of an interpolation"),
    Row("linspace", "where(i < c, i * k + b, e - (n - i) * k), i a position", _linspace),
    Row("cat", "where(i < n, x, where(i < m, y, z)) of different values, no slice_scatter, i a position, one loaded or a cat named, or one a number, not 0 "
        "where an operator pads, and a cat named", _cat),
    Row("slice_scatter", "where(i < n, x, y) of different values, of one tensor or where the comment names a slice or its fragment a slice_scatter, "
        "and it names no cat", _slice_scatter),
    Row("pad", "where(i < n, x, number), i a position, x loaded there alone, or the same along i, not where the last part of a divided fold ends", _pad),
    written("embedding", "r[t]", r="whole rows", when="where the comment names no index", inputs=("t",)),
    written("gather", "x[t]", inputs=("t",)),
    written("logsumexp", "max(x) + log(sum(exp(x - max(x))))", alone=True),
    written("mean", "sum(x) / c", c="the elements, or more where the comment names a mean", simple=True),
    written("amax", "max(x)", simple=True),
    written("amin", "min(x)", simple=True),
    *(written(name, f"{name}(x)", simple=True) for name in ("sum", "prod", "any", "argmax", "argmin")),
    *(_scan(name, name, f"{name}(x)") for name in dict.fromkeys(RUNNING.values())),
    _scan("sort", "sort", "a running fold of x, sorted"),
    _scan("scan", "", "a running fold of x by another function"),
)  # fmt: skip
