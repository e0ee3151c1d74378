"""What moves, picks and folds elements: copies, embeddings, rotations, pooling, concatenation, reductions."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.naming.match import Asked, Match, Row, bases, call, is_number
from inductor_lab.computation.naming.softmaxes import causal
from inductor_lab.computation.naming.terms import (
    Call,
    Fold,
    Leaf,
    Number,
    Place,
    Sum,
    Term,
    addends,
    close,
    product,
    walk,
)
from inductor_lab.computation.naming.written import written
from inductor_lab.computation.tree import Expression


def _embedding(term: Term, asked: Asked) -> Match | None:
    """table[index, :]"""
    for base, power in bases(term).items():
        if isinstance(base, Leaf) and power == 1.0 and len(base.chosen) == 1 and _row_of(base.load.index):
            rest = asked.normal.terms.divide(term, base)
            return Match((*base.chosen,), (base,), None if is_number(rest, 1.0) else rest, "mul")
    return None


def _row_of(index: Index | None) -> bool:
    """True for row * length + column: the row from data, the columns next to each other."""
    if index is None:
        return False
    rows = [each for each in index.terms if isinstance(each.of, Expression)]
    columns = [each for each in index.terms if isinstance(each.of, Coordinate)]
    return (
        len(rows) == 1
        and len(columns) == 1
        and columns[0].factor == 1
        and (abs(rows[0].factor) > 1 or bool(rows[0].sizes))
    )


def _gather(term: Term, asked: Asked) -> Match | None:
    for base, power in bases(term).items():
        if isinstance(base, Leaf) and base.chosen and power == 1.0:
            rest = asked.normal.terms.divide(term, base)
            return Match(base.chosen, (base,), None if is_number(rest, 1.0) else rest, "mul")
    return None


# ---------------------------------------------------------------- rotations


def _rotated(term: Term, asked: Asked) -> tuple[Call, Match] | None:
    """The selection with a turned sign, and the match, of x * cos + where(i < half, -x[i + half], x[i - half]) * sin."""
    if not isinstance(term, Sum) or term.constant:
        return None
    terms = asked.normal.terms
    addends_ = [terms.multiply(terms.number(by), part) for part, by in term.of.items()]
    for turned in addends_:
        for rotated in bases(turned):
            match rotated:
                case Call(name="where", of=(Call(name="lt", of=(Place(), Number())), one, other)) if _turned(
                    one, other
                ):
                    angles = [
                        *bases(terms.divide(turned, rotated)),
                        *(base for base in bases(one) if _angle(base, one)),
                    ]
                    for straight in addends_:
                        if straight is turned or not _both(rotated, straight, angles):
                            continue
                        rest = terms.subtract(terms.subtract(term, turned), straight)
                        return rotated, Match(
                            _normed(one), (rotated,), None if isinstance(rest, Number) else rest, "add"
                        )
    return None


def _angle(base: Term, one: Term) -> bool:
    """A sine, or one of two tensors in a product: it may hold one."""
    return call(base, "sin") is not None or (
        isinstance(base, Leaf) and sum(isinstance(each, Leaf) for each in bases(one)) > 1
    )


def _both(rotated: Term, straight: Term, angles: list[Term]) -> bool:
    """Whether one term is turned and the other straight, of the same tensor, the one by sines and the other by cosines, or tensors that may be."""
    sines = [base for base in angles if call(base, "sin") is not None or isinstance(base, Leaf)]
    shared, also = _pointers(rotated) & _pointers(straight), _pointers(straight) - _pointers(rotated)
    return bool(sines) and len(sines) == len(angles) and bool(shared) and (_has(straight, "cos") or bool(also))


def _rope(term: Term, asked: Asked) -> Match | None:
    found = _rotated(term, asked)
    return found[1] if found and product(found[0].of[1])[0] < 0 else None


def _rope_transposed(term: Term, asked: Asked) -> Match | None:
    """x * cos + where(i < half, x[i + half], -x[i - half]) * sin"""
    found = _rotated(term, asked)
    return found[1] if found and product(found[0].of[1])[0] > 0 else None


def _normed(one: Term) -> tuple[Term, ...]:
    """What is rotated, where that is computed."""
    return () if sum(isinstance(part, Leaf) for part in walk(one)) < 2 else (one,)


def _turned(one: Term, other: Term) -> bool:
    """-x[there] and x[here]"""
    first, second = product(one), product(other)
    return close(first[0], -second[0]) and _pointers(one) == _pointers(other) != set() and one is not other


def _pointers(term: Term) -> set[str]:
    return {leaf.pointer for leaf in walk(term) if isinstance(leaf, Leaf)}


def _has(term: Term, name: str) -> bool:
    return any(call(part, name) is not None for part in walk(term))


def _rope_backward(term: Term, asked: Asked) -> Match | None:
    """g * cos + where(i >= half, -(g * sin)[i - half], 0) + where(i < half, (g * sin)[i + half], 0)"""
    if not isinstance(term, Sum) or term.constant or len(term.of) < 3:
        return None
    halves = []
    for part, by in term.of.items():
        match part:
            case Call(name="where", of=(Call(name=("lt" | "le"), of=sides), value, zero)) if is_number(zero, 0):
                if any(isinstance(side, Place) for side in sides):
                    halves.append((part, asked.normal.terms.multiply(asked.normal.terms.number(by), value)))
    if len(halves) != 2:
        return None
    (one, a), (two, b) = halves
    straight = [part for part in term.of if part is not one and part is not two]
    if not _turned(a, b) or not any(_has(part, "cos") or len(_pointers(part) - _pointers(a)) for part in straight):
        return None
    if not _has(a, "sin") and not any(_has(part, "cos") for part in straight):
        return None
    return Match(()) if asked.backward else None


def _rope_backward_part(term: Term, asked: Asked) -> Match | None:
    """g * sin, for another kernel to turn"""
    angles = [
        base
        for base in bases(term)
        if (inside := call(base, "sin")) and any(isinstance(part, Place) for part in walk(*inside))
    ]
    angles += [
        base
        for base in bases(term)
        if (inside := call(base, "sin")) and asked.spread(inside[0]) < asked.spread(term) and base not in angles
    ]
    others = [base for base in bases(term) if base not in angles]
    turned = asked.backward and len(angles) == 1 and len(others) == 1 and product(term)[0] > 0
    return Match(tuple(others), tuple(angles)) if turned else None


# ---------------------------------------------------------------- pooling, slices, pieces


def _shifted(leaves: list[Leaf]) -> bool:
    """One tensor read at several places of which none depends on data."""
    return (
        len({leaf.pointer for leaf in leaves}) == 1
        and len({leaf.load.index for leaf in leaves}) == len(leaves)
        and not any(leaf.chosen for leaf in leaves)
    )


def _chain(term: Term, name: str) -> Iterator[Term]:
    inside = call(term, name)
    if inside is None:
        yield term
    else:
        for each in inside:
            yield from _chain(each, name)


def _stripped(term: Term) -> Term:
    """What a window reads where it lies inside."""
    match term:
        case Call(name="where", of=(_, one, Number(value=value))) if value < -1e4 or value == 0.0:
            return one
    return term


def _max_pool(term: Term, asked: Asked) -> Match | None:
    """maximum(maximum(x[i], x[i + 1]), x[i + 2]) ..."""
    for base in bases(term):
        chain = [_stripped(part) for part in _chain(base, "maximum")]
        leaves = [leaf for part in chain if (leaf := _activated(part)[1]) is not None]
        same = len({_activated(part)[0] for part in chain}) == 1
        if len(chain) >= 4 and len(leaves) == len(chain) and same and _shifted(leaves):
            return Match((chain[0],), (base, *chain), asked.without(term, base), "mul")
    return None


def _activated(term: Term) -> tuple[str, Leaf | None]:
    """A tensor, and the function of one value that it went through: `relu`."""
    match term:
        case Leaf():
            return "", term
        case Call(name=name, of=(Leaf() as leaf,)):
            return name, leaf
    return "", None


def _max_pool_place(term: Term, asked: Asked) -> Match | None:
    """where(x[i + 1] > x[i], 1, 0) ..., the place of the largest"""
    numbers, current, depth = 0, term, 0
    while (chosen := call(current, "where")) and depth < 40:
        if isinstance(chosen[1], Number):
            numbers, current = numbers + 1, chosen[2]
        else:
            break
        depth += 1
    leaves = [part for part in walk(term) if isinstance(part, Leaf)]
    return (
        Match(())
        if numbers >= 3 and _shifted(leaves) and isinstance(current, Number) and _has(term, "maximum")
        else None
    )


def _slices(term: Term) -> tuple[list[Leaf], float] | None:
    """One tensor at several places, all with the same number before them."""
    constant, parts = addends(term)
    leaves = [part for part in parts if isinstance(part, Leaf)]
    numbers = set(parts.values())
    if constant or len(leaves) != len(parts) or len(leaves) < 2 or len(numbers) != 1 or not _shifted(leaves):
        return None
    first = leaves[0].load.index
    for leaf in leaves[1:]:
        other = leaf.load.index
        if first is None or other is None or not other.plus(first.times(-1)).is_constant:
            return None
    return leaves, numbers.pop()


def _avg_pool(term: Term, asked: Asked) -> Match | None:
    found = _slices(term)
    pooled = asked.claims("avg_pool2d", "_adaptive_avg_pool2d", "avg_pool2d_backward", "adaptive_avg_pool2d")
    return Match(()) if found and pooled and len(found[0]) >= 4 and close(found[1] * len(found[0]), 1.0) else None


def _few(name: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        found = _slices(term)
        if found is None:
            return None
        mean = close(found[1] * len(found[0]), 1.0)
        return (
            Match(()) if (mean and name == "mean_of_slices") or (found[1] == 1.0 and name == "sum_of_slices") else None
        )

    number = {
        "mean_of_slices": "(x[i] + x[i + n] + ...) / k of k slices",
        "sum_of_slices": "x[i] + x[i + n] + ..., slices of one tensor",
    }
    return Row(name, number[name], find, name.replace("_", " "), simple=True)


def _branches(term: Term) -> tuple[list[Term], int] | None:
    """What a selection by one coordinate's position chooses from, and how often it asks."""
    values, current, depth = [], term, 0
    while (chosen := call(current, "where")) and depth < 60:
        if not _by_place(chosen[0]):
            break
        values.append(chosen[1])
        current, depth = chosen[2], depth + 1
    return ([*values, current], depth) if depth else None


def _by_place(condition: Term) -> bool:
    match condition:
        case Call(name=("lt" | "le"), of=(Place(), Number()) | (Number(), Place())):
            return True
        case Call(name="and", of=(left, right)):
            return _by_place(left) and _by_place(right)
    return False


def _cat(term: Term, asked: Asked) -> Match | None:
    """where(i < n, x, where(i < m, y, z))"""
    found = _branches(term)
    if found is None:
        return None
    values = [value for value in found[0] if not isinstance(value, Number)]
    if len(values) < 2 or len(set(values)) != len(values):
        return None
    if len(values) == 2 and _turned(values[0], values[1]):
        return None
    return Match(tuple(values))


def _pad(term: Term, asked: Asked) -> Match | None:
    """where(0 <= i & i < n, x, constant)"""
    found = _branches(term)
    if found is None:
        return None
    values = [value for value in found[0] if not isinstance(value, Number)]
    return Match(tuple(values)) if len(values) == 1 and len(found[0]) == 2 else None


def _mask(term: Term, asked: Asked) -> Match | None:
    """where(condition of positions, 0, -inf), or the condition alone"""
    chosen = call(term, "where")
    if (
        chosen
        and isinstance(chosen[1], Number)
        and isinstance(chosen[2], Number)
        and min(chosen[1].value, chosen[2].value) < -1e4
    ):
        return Match((), (), None, "", "causal" if causal(chosen[0]) else "")
    return None


# ---------------------------------------------------------------- folds


def _fold(name: str, words: str, folded: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        for base, power in bases(term).items():
            if isinstance(base, Fold) and base.name == folded and power == 1.0:
                rest = asked.normal.terms.divide(term, base)
                return Match(base.of, (base,), None if is_number(rest, 1.0) else rest, "mul")
        return None

    return Row(name, f"{words} of a fold over one axis or more", find, simple=True)


def _mean(term: Term, asked: Asked) -> Match | None:
    """sum(x) / n"""
    for fold in asked.folds(term):
        count = asked.normal.count(fold.over)
        if count is None:
            continue
        rest = asked.normal.terms.divide(asked.normal.terms.multiply(term, count), fold)
        number = product(rest)[0]  # not 1 where the elements have a number before them, which stands before the fold
        if (close(number, 1.0) or (asked.claims("mean") and 0 < number < 1)) and not any(
            power < 0 for power in bases(rest).values()
        ):
            return Match(fold.of, (fold,), None if is_number(rest, 1.0) else rest, "mul")
    return None


def _logsumexp(term: Term, asked: Asked) -> Match | None:
    """max(x) + log(sum(exp(x - max(x))))"""
    parts = addends(term)[1]
    folds = [part for part in parts if isinstance(part, Fold) and part.name == "max"]
    logs = [inside[0] for part in parts if (inside := call(part, "log"))]
    if len(folds) == len(logs) == 1 and len(parts) == 2 and isinstance(logs[0], Fold):
        power = call(logs[0].of[0], "exp")
        if power and power[0] is asked.normal.terms.subtract(folds[0].of[0], folds[0]):
            return Match(folds[0].of, (folds[0], logs[0]))
    return None


def _scan(name: str, scan: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        for base, power in bases(term).items():
            if isinstance(base, Call) and base.name.startswith(f"scan {scan}") and power == 1.0:
                rest = asked.normal.terms.divide(term, base)
                return Match(base.of, (base,), None if is_number(rest, 1.0) else rest, "mul")
        return None

    return Row(
        name,
        f"a running fold of x by {scan or 'another function'}".replace(" by sort", ", sorted"),
        find,
        simple=name != "scan",
    )


ROTATIONS = (
    Row("rope", "x * cos + where(i < half, -x[i + half], x[i - half]) * sin, sin and cos computed or loaded", _rope),
    Row("rope_backward", "the same with the other sign: x * cos + where(i < half, x[i + half], -x[i - half]) * sin", _rope_transposed),
    Row("rope_backward", "g * cos + where(i < half, (g * sin)[i + half], 0) + where(i >= half, -(g * sin)[i - half], 0) in a backward graph", _rope_backward),
    Row("rope_backward_sine", "g * sin alone in a backward graph, for another kernel to turn", _rope_backward_part, "rope_backward (its sine part)"),
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
    Row("max_pool", "maximum of four or more places of one tensor, or of one function of it", _max_pool),
    Row("max_pool_indices", "the place of the largest of four or more places of one tensor", _max_pool_place, "places of max_pool"),
    Row("avg_pool", "the sum of k >= 4 places of one tensor by k, where the comment names a pooling", _avg_pool),
    _few("mean_of_slices"),
    _few("sum_of_slices"),
    Row("attention_mask", "where(condition, 0, -inf)", _mask, "mask"),
    Row("cat", "where(i < n, x, where(i < m, y, z)) of different values, i a position", _cat),
    Row("pad", "where(i < n, x, number), i a position", _pad),
    Row("embedding", "table[index, :], whole rows chosen by data", _embedding),
    Row("gather", "x[index], elements chosen by data", _gather),
    Row("logsumexp", "max(x) + log(sum(exp(x - max(x))))", _logsumexp),
    Row("mean", "sum(x) / n, n the number of elements", _mean, simple=True),
    _fold("sum", "the sum", "sum"),
    _fold("amax", "the largest", "max"),
    _fold("amin", "the smallest", "min"),
    _fold("prod", "the product", "prod"),
    _fold("any", "whether one is true", "any"),
    _fold("argmax", "the place of the largest", "argmax index"),
    _fold("argmin", "the place of the smallest", "argmin index"),
    _scan("cumsum", "sum "),
    _scan("cumprod", "prod "),
    _scan("sort", "sort"),
    _scan("scan", ""),
)  # fmt: skip
