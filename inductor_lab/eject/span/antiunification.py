"""Merges functions that differ only in names and numbers into one function that takes the numbers.

index = tl.load(index_ptr + (row * 26 + 1))    index = tl.load(index_ptr + (row * 26 + START)), and START is 1 and 2
value = tl.load(value_ptr + (row * 26 + 2))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from inductor_lab.eject import naming

WORD = re.compile(r"[A-Za-z_]\w*")
DIGITS = re.compile(r"(?<![\w.])\d+(?!\w)")
"""Numbers in the sentences of assertions and comparisons, which are one string to Python: these have no tree to be compared by."""
NAMED = {ast.Name: "id", ast.arg: "arg", ast.keyword: "arg", ast.FunctionDef: "name"}
"""Where a name stands that may be a function's own."""
Number = int | float
Place = tuple[int, int, int]
"""A number in texts: of which text, the how manieth node of it, and the how manieth number in that, where it is a string."""


@dataclass(frozen=True)
class KernelTexts:
    """What is printed of a kernel."""

    texts: Sequence[str]
    own: Collection[str]
    """Names that mean something in it alone."""


def differences(one: KernelTexts, other: KernelTexts, *, zero: bool = False) -> Mapping[Place, Number] | None:
    """The numbers of `other` that are not those of `one`; None where more than own names and numbers differ.

    Args:
        zero: Whether `x` is taken for `x + 0` where `one` adds a number.
    """
    if len(one.texts) != len(other.texts):
        return None
    beside = _Comparison(one.own, other.own, zero)
    for number, (left, right) in enumerate(zip(one.texts, other.texts, strict=True)):
        if left != right and _comments(left) != _comments(right):
            return None
        tree = ast.parse(left)
        beside.text, beside.places = number, {id(node): at for at, node in enumerate(ast.walk(tree))}
        if not beside.same(tree, ast.parse(right)):
            return None
    return beside.found


def _comments(text: str) -> list[str]:
    return [line.partition("# ")[2] for line in text.split("\n") if "# " in line]


@dataclass
class _Comparison:
    """Two texts, compared node by node."""

    own: Collection[str]
    others_own: Collection[str]
    zero: bool
    names: dict[str, str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)
    found: dict[Place, Number] = field(default_factory=dict)
    text: int = 0
    places: Mapping[int, int] = field(default_factory=dict)

    def same(self, one: object, other: object) -> bool:
        match one, other:
            case ast.BinOp(left, ast.Add(), ast.Constant(value=int()) as right), ast.AST() if self._adds_nothing(other):
                self.found[self.text, self.places[id(right)], 0] = 0
                return self.same(left, other)
        if type(one) is not type(other):
            return False
        match one, other:
            case list(), list():
                return len(one) == len(other) and all(map(self.same, one, other))
            case ast.JoinedStr(), ast.JoinedStr():
                return ast.dump(one) == ast.dump(other)
            case ast.Constant(value=value), ast.Constant(value=its):
                return self._constants(one, value, its)
            case ast.AST(), ast.AST():
                named = NAMED.get(type(one))
                fields = [name for name in one._fields if name != named]
                return (named is None or self._names(getattr(one, named), getattr(other, named))) and all(
                    self.same(getattr(one, name, None), getattr(other, name, None)) for name in fields
                )
        return one == other

    def _adds_nothing(self, other: ast.AST) -> bool:
        added = isinstance(other, ast.BinOp) and isinstance(other.op, ast.Add) and isinstance(other.right, ast.Constant)
        return self.zero and not added

    def _names(self, one: str | None, other: str | None) -> bool:
        if one is None or other is None or (one not in self.own and other not in self.others_own):
            return one == other
        if one not in self.own or other not in self.others_own:
            return False
        return self.names.setdefault(one, other) == other and self.back.setdefault(other, one) == one

    def _constants(self, node: ast.Constant, one: object, other: object) -> bool:
        if one == other and type(one) is type(other):
            return True
        if type(one) is not type(other) or node.lineno != node.end_lineno:
            return False
        at = self.places[id(node)]
        if isinstance(one, str) and isinstance(other, str):
            one = WORD.sub(lambda found: self.names.get(found[0], found[0]), one)  # what is said of a tensor
            if one == other:
                return True
            pairs = list(enumerate(zip(DIGITS.findall(one), DIGITS.findall(other), strict=False)))
            plain = DIGITS.sub("0", one) == DIGITS.sub("0", other) and not re.search(r"[{}\\]", one)
            if not plain or any(str(int(number)) != number for _, pair in pairs for number in pair):
                return False
            self.found |= {(self.text, at, which): int(its) for which, (own, its) in pairs if own != its}
            return True
        if isinstance(other, int | float) and not isinstance(other, bool):
            self.found[self.text, at, 0] = other
            return True
        return False


@dataclass(frozen=True)
class Numbers:
    """What texts that are alike are given, each number under one name."""

    names: Mapping[Place, tuple[str, int]]
    """And what is added to what it is."""
    values: Sequence[Mapping[str, Number]]
    """Of each of the texts, by those names."""

    def of(self, first: int, last: float = inf) -> list[str]:
        """Names that stand in some of the texts."""
        return list(
            dict.fromkeys(name for (text, _, _), (name, _) in sorted(self.names.items()) if first <= text <= last)
        )

    def range(self, name: str) -> str:
        """What it is, from the least to the most."""
        values = [one[name] for one in self.values]
        return f"{min(values)} to {max(values)}"

    def placed(self, number: int, text: str, *, upper: bool) -> str:
        """A text with the names where the numbers were.

        Args:
            upper: As a kernel's constants are written.
        """
        named = {(at, which): _sum(*said, upper) for (of, at, which), said in self.names.items() if of == number}
        lines = text.encode().split(b"\n")  # ast counts bytes
        tree = ast.parse(text)
        nodes = [(node, at) for at, node in enumerate(ast.walk(tree)) if isinstance(node, ast.Constant)]
        bounds = {bound for node in ast.walk(tree) if isinstance(node, ast.Slice) for bound in (node.lower, node.upper)}
        for node, at in sorted(nodes, key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True):
            here = {which: name for (of, which), name in named.items() if of == at}
            if here:
                line, start, end = lines[node.lineno - 1], node.col_offset, node.end_col_offset
                new = _said(line[start:end].decode(), here) if isinstance(node.value, str) else here[0]
                bare = isinstance(node.value, str) or new.isidentifier() or node in bounds
                new = new if bare else f"({new})"
                lines[node.lineno - 1] = line[:start] + new.encode() + line[end:]
        return b"\n".join(lines).decode()


def _sum(name: str, more: int, upper: bool) -> str:
    name = name.upper() if upper else name
    return f"{name} {'+' if more > 0 else '-'} {abs(more)}" if more else name


def _said(text: str, names: Mapping[int, str]) -> str:
    """`"0 <= row < 500"` as `f"0 <= row < {NUMBER}"`."""
    numbers = iter(range(len(text)))

    def named(found: re.Match[str]) -> str:
        name = names.get(next(numbers))
        return f"{{{name}}}" if name else found[0]

    return "f" + DIGITS.sub(named, text)


def numbers(first: KernelTexts, others: Sequence[Mapping[Place, Number]]) -> Numbers:
    """What tells texts apart, given where each has another number than the first."""
    trees = [ast.parse(text) for text in first.texts]
    places = {place for one in others for place in one}
    found = {place: _value(trees, place) for place in sorted(places, key=lambda place: _stands(trees, place))}
    columns: dict[tuple[Number, ...], str] = {}  # of all texts
    taken = {*first.own, *(name.lower() for name in first.own)}
    names = {}
    for place, own in found.items():
        column = tuple(one.get(place, own) for one in others)
        near = ((name, _between(known, column)) for known, name in columns.items())
        name, more = next(((name, more) for name, more in near if more is not None), ("", 0))
        if not name:
            name = columns[column] = naming.unique("start" if _is_start(trees, place) else "number", taken)
        names[place] = name, more
    return Numbers(names, [{name: column[at] for column, name in columns.items()} for at in range(len(others))])


def _between(one: Sequence[Number], other: Sequence[Number]) -> int | None:
    """What makes the one the other, the same for all."""
    gaps = {right - left for left, right in zip(one, other, strict=True)}
    gap = gaps.pop()
    whole = all(isinstance(value, int) for value in (*one, *other))
    return int(gap) if not gaps and (whole or not gap) else None


def _node(trees: Sequence[ast.Module], place: Place) -> ast.Constant:
    node = list(ast.walk(trees[place[0]]))[place[1]]
    assert isinstance(node, ast.Constant), "places are those of numbers"
    return node


def _stands(trees: Sequence[ast.Module], place: Place) -> tuple[int, int, int, int]:
    node = _node(trees, place)
    return place[0], node.lineno, node.col_offset, place[2]


def _value(trees: Sequence[ast.Module], place: Place) -> Number:
    value = _node(trees, place).value
    return int(DIGITS.findall(value)[place[2]]) if isinstance(value, str) else value  # type: ignore[return-value]


def _is_start(trees: Sequence[ast.Module], place: Place) -> bool:
    """Whether it is where something begins: what is added to an address, or an index."""
    node = _node(trees, place)
    around = next(one for one in ast.walk(trees[place[0]]) if node in ast.iter_child_nodes(one))
    return isinstance(around, ast.Subscript | ast.Tuple) or (
        isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add)
    )
