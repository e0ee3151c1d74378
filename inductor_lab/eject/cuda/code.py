"""C++ expressions as text that knows how tightly it binds: brackets stand where the language needs them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from inductor_lab.computation.operators import TABLE
from inductor_lab.eject.refusal import UnprintableError

CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, COMPARED, SHIFT, SUM, PRODUCT, PREFIX, ATOM = range(13)
"""How tightly C++ binds, the loosest first."""

SIGNS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT), ast.Div: ("/", PRODUCT), ast.FloorDiv: ("/", PRODUCT),
    ast.Mod: ("%", PRODUCT), ast.LShift: ("<<", SHIFT), ast.RShift: (">>", SHIFT), ast.BitAnd: ("&", BIT_AND), ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR), ast.Lt: ("<", COMPARED), ast.LtE: ("<=", COMPARED), ast.Gt: (">", COMPARED), ast.GtE: (">=", COMPARED),
    ast.Eq: ("==", EQUAL), ast.NotEq: ("!=", EQUAL),
}  # fmt: skip
"""Python's operators -> C++'s; its division of whole numbers rounds to zero, as Triton's does."""
OF_NAME = {row.name: SIGNS[row.symbol] for row in TABLE.values() if row.symbol in SIGNS}
LOGICAL = {"and": ("&&", AND), "or": ("||", OR), "xor": ("!=", EQUAL)}
"""The same of bools."""


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
    return right if left == TRUE else left if right == TRUE else binary(left, LOGICAL["and"], right)


def either(left: Code, right: Code) -> Code:
    if TRUE in (left, right):
        return TRUE
    return right if left == FALSE else left if right == FALSE else binary(left, LOGICAL["or"], right)


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
    return _translated(ast.parse(text, mode="eval").body, text)


def _translated(node: ast.expr, text: str) -> Code:
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
