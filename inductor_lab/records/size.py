"""A size over symbols, parsed once: bound to numbers, compared, multiplied, divided, and printed as Python that stands alone.

    CeilDiv(s0, 16)     s0 = 100 -> 7      Python -(-s0 // 16)      the factor (-(-s0 // 16))
    3*s77*s27           s77 = 2, s27 = 5 -> 30                      3 times s27 times s77, which s27 divides

The texts are those of `PythonPrinter` and `CppPrinter` in torch/utils/_sympy/printers.py, and a grid's `triton.cdiv(s0, 16)`.

A record keeps a number or the text (`SizeLike`), as its JSON has it: most sizes are plain numbers, which are compared and printed as they are.
`Size.of` is cached by the text, so whoever asks what a text means shares one parsed value; a number costs no parse.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

from inductor_lab.records.captures import SizeLike

LARGEST = 1 << 128
"""What is beyond this is no size: a hostile text may multiply for ever."""
MOST_FACTORS = 64
"""The same of symbols: `s0**4**4**4`."""

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}  # fmt: skip
_CALLED: Mapping[str, Callable[..., int]] = {"max": max, "min": min, "cdiv": lambda a, b: -(-a // b)}
"""What a Python program has for a size as well: `max`, `min` and `triton.cdiv`."""
_FORMS = {
    "FloorDiv": "a, b: a // b", "CeilDiv": "a, b: -(-a // b)", "Mod": "a, b: a % b", "PythonMod": "a, b: a % b",
    "ModularIndexing": "a, b, c: a // b % c", "TruncToInt": "a: a", "trunc": "a: a", "floor": "a: a", "int": "a: a",
}  # fmt: skip
"""sympy's and C's functions by their last name, `trunc` of `math.trunc`, in Python's operators."""
_SPELLED = {"Max": "max", "Min": "min"}


@dataclass(frozen=True)
class Size:
    """A number times factors; two that are the same product are equal, however they are written."""

    number: int
    factors: tuple[str, ...] = ()
    """Sorted; symbols, and in brackets what is no product, `(s0 + 1)`. One that stands twice is squared."""
    text: str = field(default="", compare=False)
    """As it was written; empty for one that was computed."""

    @staticmethod
    def of(size: SizeLike, names: Mapping[str, str] | None = None) -> Size:
        """The size that a number or a text is.

        Args:
            size: A text that is no expression is one unknown factor.
            names: What a symbol of the text stands for, as text: `{"ks0": "s77"}`.
        """
        if isinstance(size, int):
            return Size(size)
        if names and size in names:
            return Size.of(names[size])
        parsed = _of(size)
        if not names or not (meant := {name: names[name] for name in parsed.symbols if names.get(name, name) != name}):
            return parsed
        return _renamed(size, tuple(sorted(meant.items())))

    @property
    def tree(self) -> ast.expr | None:
        """In Python's operators, `max`, `min` and `cdiv`; shared, not to be changed. None where the text is no expression."""
        return _tree(str(self))

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The names that it depends on; what is called, or looked into, is none."""
        nodes = list(ast.walk(self.tree)) if self.factors and self.tree is not None else []
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        called |= {id(node.value) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)}
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called)

    @cached_property
    def python(self) -> str:
        """As Python that stands alone: `s0 // 2` of `FloorDiv(s0, 2)`. A text that is no expression is left as it is."""
        if not self.factors and not self.text:
            return str(self.number)
        return self.text if self.tree is None else ast.unparse(self.tree)

    def __str__(self) -> str:
        return self.text or self._product

    @property
    def _product(self) -> str:
        return "*".join([*([str(self.number)] if self.number != 1 or not self.factors else []), *self.factors])

    def bound(self, symbols: Mapping[str, int]) -> int:
        """The number that it is.

        Raises:
            ValueError: a symbol is not known, or the text is no size.
        """
        if not self.factors and not self.text:
            return self.number
        try:
            return _value(self.tree, symbols)
        except (KeyError, TypeError, ArithmeticError, RecursionError, MemoryError) as error:
            raise ValueError(f"{self} is no size that can be worked out") from error

    def __mul__(self, other: Size) -> Size:
        if not self.number or not other.number:
            return Size(0)
        return Size(self.number * other.number, tuple(sorted((*self.factors, *other.factors))))

    def over(self, other: Size) -> Size | None:
        """The quotient where that is exact for every value of the symbols, else None."""
        left, taken = Counter(self.factors), Counter(other.factors)
        if not other.number or self.number % other.number or taken - left:
            return None
        return Size(self.number // other.number, tuple(sorted((left - taken).elements())))

    @property
    def is_number(self) -> bool:
        return not self.factors

    @property
    def is_one(self) -> bool:
        return self == ONE

    @property
    def order(self) -> tuple[int, int]:
        """Roughly by size: what has more factors is larger."""
        return len(self.factors), self.number


ONE = Size(1)


def product(sizes: Iterable[Size]) -> Size:
    total = ONE
    for size in sizes:
        total *= size
    return total


def contiguous(shape: Sequence[SizeLike]) -> tuple[SizeLike, ...]:
    """The strides of a tensor that lies row by row without a gap, in elements; symbolic ones as products in text."""
    strides: list[SizeLike] = []
    step: SizeLike = 1
    for size in reversed(shape):
        strides.append(step)
        if isinstance(step, int) and isinstance(size, int):
            step *= max(size, 1)
        else:
            step = f"{step}*{size}" if step != 1 else size
    return tuple(reversed(strides))


def memory_order(shape: Iterable[SizeLike], stride: Iterable[SizeLike]) -> list[int] | None:
    """The dimensions of more than one element by their strides, the widest first; None where together they leave gaps, or overlap."""
    sizes, steps = list(map(Size.of, shape)), list(map(Size.of, stride))
    left = {n for n, size in enumerate(sizes) if not size.is_one}
    order: list[int] = []
    expected = ONE
    while left:
        found = next((n for n in sorted(left, reverse=True) if steps[n] == expected), None)
        if found is None:
            return None
        order.append(found)
        left.remove(found)
        expected *= sizes[found]
    return order[::-1]


def is_row_by_row(shape: Iterable[SizeLike], stride: Iterable[SizeLike]) -> bool:
    """Whether a tensor lies as one that is newly made."""
    order = memory_order(shape, stride)
    return order is not None and order == sorted(order)


def number(size: SizeLike, symbols: Mapping[str, int]) -> int | None:
    """The number that a size is; None where a symbol is not known, or the text is no size."""
    if isinstance(size, int):
        return size
    try:
        return Size.of(size).bound(symbols)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _of(text: str) -> Size:
    if text.isdecimal():
        return Size(int(text))
    tree = _tree(text)
    found = Size(1, (text,)) if tree is None else _factored(tree)
    return Size(found.number, found.factors, text)


@lru_cache(maxsize=4096)
def _renamed(text: str, meant: tuple[tuple[str, str], ...]) -> Size:
    values = {name: ast.Name(f"({value})") for name, value in meant}
    tree = _of(text).tree
    assert tree is not None
    return _of(ast.unparse(substituted(tree, values)))


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr | None:
    try:
        return _Plain().visit(ast.parse(text, mode="eval").body)  # type: ignore[no-any-return]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@cache
def _form(text: str) -> tuple[list[str], ast.expr]:
    form = ast.parse(f"lambda {text}", mode="eval").body
    assert isinstance(form, ast.Lambda)
    return [one.arg for one in form.args.args], form.body


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given, keywords=[]) if name in _FORMS:
                names, form = _form(_FORMS[name])
                return substituted(form, dict(zip(names, given, strict=True)))
            case ast.Call(func=ast.Name(id=name)) if name in _SPELLED:
                node.func = ast.Name(_SPELLED[name])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.BinOp(node.left, ast.FloorDiv(), node.right) if isinstance(node.op, ast.Div) else node


class Substituting(ast.NodeTransformer):
    """Copies a tree, with other expressions in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        fields = {}
        for key, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[key] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            else:
                fields[key] = self.visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**fields)


def substituted(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """A copy with names replaced by what they stand for."""
    return Substituting(values).visit(node)  # type: ignore[no-any-return]


def _value(node: ast.expr | None, symbols: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return int(value)
        case ast.Name(id=name):
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, symbols)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left, symbols), _value(right, symbols)
            if isinstance(op, ast.Pow) and not 0 <= b < LARGEST.bit_length():
                raise ArithmeticError
            found = _OPERATORS[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given, keywords=[]) if name in _CALLED:
            found = _CALLED[name](*(_value(one, symbols) for one in given))
        case _:
            raise KeyError
    if abs(found) > LARGEST:
        raise ArithmeticError
    return found


def _factored(node: ast.expr) -> Size:
    """As a product; what is beyond any size is one factor, unmultiplied."""
    found = _multiplied(node)
    if found is not None and abs(found.number) <= LARGEST and len(found.factors) <= MOST_FACTORS:
        return found
    return Size(1, (f"({ast.unparse(node)})",))


def _multiplied(node: ast.expr) -> Size | None:
    match node:
        case ast.Constant(value=int(number)):
            return Size(number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return Size(-number)
        case ast.Name(id=name):
            return Size(1, (name,))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _factored(left) * _factored(right)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if 0 < power < 5:
            return product([_factored(left)] * power)
        case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(value=1), inner]):  # a stride of what may be empty
            return _factored(inner)
    return None
