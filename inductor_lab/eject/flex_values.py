"""Values of flex attention's body as eager PyTorch: its score, its mask and what is done to its result, each a few assignments to `tmp0` ..."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy

from inductor_lab.computation.operators import CANONICAL, TABLE, called
from inductor_lab.dtypes import LANGUAGE
from inductor_lab.eject.refusal import NoReference

SAME = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators that are the same between tensors of torch."""


class Values:
    """Expressions of the template's text, each told by what it is made of.

    Args:
        names: A variable of the template -> what the reference has for it.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.known = {name: parsed(text) for name, text in names.items()}

    def assign(self, statements: Iterable[ast.stmt]) -> None:
        """Learn what the variables `tmp0` ... of some statements are; others of them are left."""
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("tmp"):
                    self.known[name] = self.visit(deepcopy(value))

    def text(self, value: ast.expr) -> str:
        """An expression in PyTorch.

        Raises:
            NoReference: it has a part that is no operation on these values alone.
        """
        return ast.unparse(self.visit(deepcopy(value)))

    def visit(self, node: ast.AST) -> ast.expr:
        match node:
            case ast.Name(id=name) if name in self.known:
                return deepcopy(self.known[name])
            case ast.Constant() | ast.Call(func=ast.Name(id="float"), args=[ast.Constant()]):
                return node
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, SAME):
                return ast.BinOp(self.visit(left), op, self.visit(right))
            case ast.UnaryOp(op=ast.USub() | ast.Invert() as op, operand=operand):
                return ast.UnaryOp(op, self.visit(operand))
            case ast.Compare(left=left, ops=[test], comparators=[right]):
                return ast.Compare(self.visit(left), [test], [self.visit(right)])
            case ast.Call(func=ast.Attribute(value=value, attr="to"), args=[ast.Attribute(attr=dtype)]):
                return parsed(f"({ast.unparse(self.visit(value))}).to(torch.{LANGUAGE.get(dtype, dtype)})")
            case ast.Call(func=ast.Attribute(attr="full"), args=[ast.List(), value, ast.Attribute()]):
                return self.visit(value)
            case ast.Call():
                return self.call(node)
        raise unreadable(node)

    def call(self, node: ast.Call) -> ast.expr:
        name = called(node)
        row = TABLE.get(CANONICAL.get(name, name))
        if row is None or node.keywords or (row.places and row.places != len(node.args)):
            raise unreadable(node)
        operands = [self.visit(value) for value in node.args]
        numbers = [value for value in operands if isinstance(value, ast.Constant)]
        texts = [f"({ast.unparse(value)})" for value in operands]
        if row.bound and len(operands) == 2 and len(numbers) == 1:
            number = operands.index(numbers[0])
            return parsed(f"{texts[1 - number]}.{row.bound}({texts[number]})")
        if numbers and row.name != "where":
            raise unreadable(node)
        return parsed(row.form(len(texts)).format(*texts))


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def unreadable(node: ast.AST) -> NoReference:
    return NoReference(f"`{ast.unparse(node)[:60]}` in its text is no operation on scores and places alone")
