"""Builds C++ text: expressions with only the brackets that they need, and number literals of each dtype.

Half precision is stored, and computed with in `float`; the host's check holds every float as a `double`.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Constant
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.records.size import Size

CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, COMPARED, SHIFT, SUM, PRODUCT, PREFIX, ATOM = range(13)
"""How tightly C++ binds, the loosest first."""

SIGNS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT), ast.Div: ("/", PRODUCT), ast.FloorDiv: ("/", PRODUCT),
    ast.Mod: ("%", PRODUCT), ast.LShift: ("<<", SHIFT), ast.RShift: (">>", SHIFT), ast.BitAnd: ("&", BIT_AND), ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR), ast.Lt: ("<", COMPARED), ast.LtE: ("<=", COMPARED), ast.Gt: (">", COMPARED), ast.GtE: (">=", COMPARED),
    ast.Eq: ("==", EQUAL), ast.NotEq: ("!=", EQUAL),
}  # fmt: skip
"""Python's operators -> C++'s; its division of whole numbers rounds to zero, as Triton's does."""
LEVELS = {**dict(SIGNS.values()), "||": OR}
"""C++'s operators -> how tightly each binds."""
OF_NAME = {row.name: SIGNS[row.symbol] for row in TABLE.values() if row.symbol in SIGNS}


@dataclass(frozen=True)
class Code:
    """An expression."""

    text: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The text where something that binds as tightly stands around it."""
        return self.text if self.level >= level else f"({self.text})"


TRUE, FALSE = Code("true"), Code("false")


def binary(left: Code, sign: tuple[str, int], right: Code) -> Code:
    word, level = sign
    return Code(f"{left.at(level)} {word} {right.at(level + 1)}", level)


def both(left: Code, right: Code) -> Code:
    """`left && right`, where neither is known."""
    if FALSE in (left, right):
        return FALSE
    return right if left == TRUE else left if right == TRUE else binary(left, ("&&", AND), right)


def either(left: Code, right: Code) -> Code:
    if TRUE in (left, right):
        return TRUE
    return right if left == FALSE else left if right == FALSE else binary(left, ("||", OR), right)


def unequal(left: Code, right: Code) -> Code:
    return binary(left, ("!=", EQUAL), right)


LOGICAL = {"and": both, "or": either, "xor": unequal}
"""What makes one answer of two."""


def opposite(value: Code) -> Code:
    if value in (TRUE, FALSE):
        return FALSE if value == TRUE else TRUE
    return Code(f"!{value.at(PREFIX)}", PREFIX)


def negative(value: Code) -> Code:
    inner = value.at(PREFIX)
    return Code(f"-({inner})" if inner.startswith("-") else f"-{inner}", PREFIX)


def choice(condition: Code, one: Code, other: Code) -> Code:
    if condition in (TRUE, FALSE):
        return one if condition == TRUE else other
    return Code(f"{condition.at(CHOICE + 1)} ? {one.at(CHOICE + 1)} : {other.at(CHOICE)}", CHOICE)


def call(function: str, *arguments: Code) -> Code:
    return Code(f"{function}({', '.join(argument.text for argument in arguments)})")


def translated(text: str) -> Code:
    """A Python expression of sizes and positions, none of which is negative where it is divided."""
    return _translated(Size.of(text).tree, text)


def _translated(node: ast.expr | None, text: str) -> Code:
    match node:
        case ast.Name(id=name):
            return Code(name)
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return Code(f"{number}LL" if abs(number) >= 2**31 else str(number))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            return binary(_translated(left, text), SIGNS[type(op)], _translated(right, text))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negative(_translated(operand, text))
    raise UnprintableError(f"the size `{text}` has no form in C++")


def words(lines: Iterable[str]) -> set[str]:
    """Every name that statements say, which tells what must be defined before them: what was asked for a name may have been left out since."""
    return set(re.findall(r"\w+", "\n".join(lines)))


def guarded(statement: str, when: str, mask: Code) -> str:
    """A statement that is done where all holds that must; `when` is empty where nothing must besides."""
    if mask == TRUE:
        return f"if ({when}) {statement}" if when else statement
    return f"if ({when} && {mask.at(AND)}) {statement}" if when else f"if ({mask.text}) {statement}"


def block(head: str, inside: Iterable[str]) -> list[str]:
    """Statements in braces."""
    return [f"{head} {{", *("    " + line for line in inside), "}"]


# ------------------------------------------------------------ numbers

STORED = {
    "float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "bool": "bool",
    "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t",
}  # fmt: skip
"""torch's dtype -> the type of an element in memory."""
WIDENED = {"float16": "__half2float", "bfloat16": "__bfloat162float"}
ROUNDED = {"float16": "__float2half", "bfloat16": "__float2bfloat16"}
HEADERS = {"float16": "cuda_fp16.h", "bfloat16": "cuda_bf16.h"}
NARROW = frozenset({"int8", "int16", "uint8", "uint16"})
"""Whole numbers that C++ computes with as `int`."""
LEAST = {-(2**31): "INT32_MIN", -(2**63): "INT64_MIN"}


def is_float(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat"))


def stored(dtype: str) -> str:
    """The type of an element in memory.

    Raises:
        UnprintableError: C++ has none that we print, as for 8-bit floats.
    """
    if dtype not in STORED:
        raise UnprintableError(f"{dtype} is not printed in CUDA C++ yet")
    return STORED[dtype]


@dataclass(frozen=True)
class Numbers:
    """How values of each dtype are held and written."""

    double: bool = False
    """True on the host, where the test program computes what is right."""

    def held(self, dtype: str) -> str:
        """The type of a variable."""
        if is_float(dtype):
            if dtype not in {"float", *STORED}:
                stored(dtype)
            return "double" if self.double or dtype == "float64" else "float"
        return "int" if dtype == "int" else stored(dtype)

    def read(self, place: Code, dtype: str) -> Code:
        """An element of memory as a variable's value."""
        stored(dtype)
        return call(WIDENED[dtype], place) if dtype in WIDENED else place

    def written(self, value: Code, dtype: str, into: str) -> Code:
        """A value as it is stored."""
        stored(into)
        if self.double and is_float(into):
            return value if is_float(dtype) else self.cast(value, dtype, "float64")
        if into in ROUNDED:
            return call(ROUNDED[into], value if self.held(dtype) == "float" else call("float", value))
        return value if self.held(dtype) == STORED[into] else self.cast(value, dtype, into)

    def cast(self, value: Code, dtype: str, into: str) -> Code:
        """A value in another dtype; rounded where that is a half, and stays a `float`."""
        if dtype == into:
            return value
        if into in ROUNDED and not self.double:
            return call(WIDENED[into], call(ROUNDED[into], value if is_float(dtype) else call("float", value)))
        if into == "bool":
            return Code(f"{value.at(EQUAL + 1)} != 0", EQUAL)
        held = self.held(into)
        return value if held == self.held(dtype) and into not in NARROW else call(held, value)

    def literal(self, constant: Constant, beside: str = "") -> Code:
        """A number as the operand beside it asks for: `0.5f` among floats, never a double by accident."""
        value, dtype = constant.value, constant.dtype
        if isinstance(value, bool) and not is_float(beside):
            return Code("true" if value else "false")
        if is_float(dtype) or is_float(beside):
            wanted = beside if dtype in {"int", "float"} or not is_float(dtype) else dtype
            return self._real(float(value), wide=self.double or wanted == "float64")
        number = int(value)
        if number in LEAST:
            return Code(LEAST[number])
        wide = not -(2**31) <= number < 2**31
        return Code(f"{number}LL" if wide else str(number), PREFIX if number < 0 else ATOM)

    def _real(self, value: float, *, wide: bool) -> Code:
        if math.isnan(value):
            return Code("NAN")
        if math.isinf(value):
            return Code("INFINITY" if value > 0 else "-INFINITY", ATOM if value > 0 else PREFIX)
        text = repr(value)
        return Code(text if wide else f"{text}f", PREFIX if text.startswith("-") else ATOM)

    def function(self, name: str, dtype: str) -> str:
        """A function of <math.h> for this dtype."""
        return name if self.held(dtype) == "double" else f"{name}f"
