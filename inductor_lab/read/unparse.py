"""Python's syntax trees as text again, letter for letter as `ast.unparse` writes them, in a fraction of its time.

Reading the logs of `tests/logs` for the first time takes a fifth longer with `ast.unparse`: bodies are hashed as they are printed here.
It writes the part of Python that Inductor does. Anything else (a lambda, a comprehension, an f-string) is handed to `ast.unparse` whole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import IntEnum
from typing import Any


class _Binds(IntEnum):
    """How strongly: an operand that binds less than its place asks for is put in parentheses."""

    TUPLE = 1
    TEST = 2
    OR = 3
    AND = 4
    NOT = 5
    COMPARE = 6
    BIT_OR = 7
    BIT_XOR = 8
    BIT_AND = 9
    SHIFT = 10
    ARITHMETIC = 11
    TERM = 12
    FACTOR = 13
    POWER = 14
    ATOM = 16


_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _Binds.ARITHMETIC), ast.Sub: ("-", _Binds.ARITHMETIC), ast.Mult: ("*", _Binds.TERM), ast.Div: ("/", _Binds.TERM),
    ast.FloorDiv: ("//", _Binds.TERM), ast.Mod: ("%", _Binds.TERM), ast.MatMult: ("@", _Binds.TERM), ast.Pow: ("**", _Binds.POWER),
    ast.LShift: ("<<", _Binds.SHIFT), ast.RShift: (">>", _Binds.SHIFT),
    ast.BitOr: ("|", _Binds.BIT_OR), ast.BitXor: ("^", _Binds.BIT_XOR), ast.BitAnd: ("&", _Binds.BIT_AND),
}  # fmt: skip
_UNARY = {
    ast.USub: ("-", _Binds.FACTOR), ast.UAdd: ("+", _Binds.FACTOR), ast.Invert: ("~", _Binds.FACTOR), ast.Not: ("not ", _Binds.NOT),
}  # fmt: skip
_COMPARED = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_TEST, _ATOM = _Binds.TEST, _Binds.ATOM


def unparse(node: ast.AST) -> str:
    """What `ast.unparse(node)` gives, for an expression or a statement."""
    try:
        if isinstance(node, ast.stmt):
            return "\n".join(_statement(node, ""))
        return _EXPRESSIONS[node.__class__](node, _TEST)
    except KeyError:  # something that is in none of the tables
        return ast.unparse(node)


def _expression(node: ast.expr, place: int = _TEST) -> str:
    return _EXPRESSIONS[node.__class__](node, place)


def _listed(nodes: list[ast.expr]) -> str:
    return ", ".join([_EXPRESSIONS[node.__class__](node, _TEST) for node in nodes])


def _constant(node: ast.Constant, place: int) -> str:
    value = node.value
    if value.__class__ is int or value.__class__ is bool or value is None:
        return repr(value)
    if node.kind is not None or not isinstance(value, (str, bytes, float)) or value != value or "inf" in repr(value):
        raise KeyError(value)
    return repr(value)


def _name(node: ast.Name, place: int) -> str:
    return node.id


def _attribute(node: ast.Attribute, place: int) -> str:
    value = node.value
    if value.__class__ is ast.Name:
        return f"{value.id}.{node.attr}"
    space = " " if isinstance(value, ast.Constant) and isinstance(value.value, int) else ""
    return f"{_expression(value, _ATOM)}{space}.{node.attr}"


def _call(node: ast.Call, place: int) -> str:
    passed = [_EXPRESSIONS[argument.__class__](argument, _TEST) for argument in node.args]
    passed += [f"{'**' if k.arg is None else k.arg + '='}{_expression(k.value)}" for k in node.keywords]
    return f"{_expression(node.func, _ATOM)}({', '.join(passed)})"


def _subscript(node: ast.Subscript, place: int) -> str:
    index = node.slice
    inside = _tuple(index, 0) if isinstance(index, ast.Tuple) and index.elts else _expression(index)
    return f"{_expression(node.value, _ATOM)}[{inside}]"


def _slice(node: ast.Slice, place: int) -> str:
    lower, upper = (_expression(end) if end else "" for end in (node.lower, node.upper))
    return f"{lower}:{upper}" + (f":{_expression(node.step)}" if node.step else "")


def _binary(node: ast.BinOp, place: int) -> str:
    sign, own = _BINARY[node.op.__class__]
    right_first = own == _Binds.POWER
    left, right = _expression(node.left, own + right_first), _expression(node.right, own + (not right_first))
    return f"({left} {sign} {right})" if place > own else f"{left} {sign} {right}"


def _unary(node: ast.UnaryOp, place: int) -> str:
    sign, own = _UNARY[node.op.__class__]
    text = sign + _expression(node.operand, own)
    return f"({text})" if place > own else text


def _compare(node: ast.Compare, place: int) -> str:
    text = _expression(node.left, _Binds.COMPARE + 1)
    for operator, value in zip(node.ops, node.comparators, strict=True):
        text += f" {_COMPARED[operator.__class__]} {_expression(value, _Binds.COMPARE + 1)}"
    return f"({text})" if place > _Binds.COMPARE else text


def _boolean(node: ast.BoolOp, place: int) -> str:
    sign, own = (" and ", _Binds.AND) if isinstance(node.op, ast.And) else (" or ", _Binds.OR)
    # Each value's place asks for more than the one before it: so `ast.unparse` has it.
    text = sign.join(_expression(value, min(own + number, _ATOM)) for number, value in enumerate(node.values, 1))
    return f"({text})" if place > own else text


def _conditional(node: ast.IfExp, place: int) -> str:
    body, test = _expression(node.body, _TEST + 1), _expression(node.test, _TEST + 1)
    text = f"{body} if {test} else {_expression(node.orelse)}"
    return f"({text})" if place > _TEST else text


def _tuple(node: ast.Tuple, place: int) -> str:
    text = f"{_expression(node.elts[0])}," if len(node.elts) == 1 else _listed(node.elts)
    return f"({text})" if place > _Binds.TUPLE or not node.elts else text


def _list(node: ast.List, place: int) -> str:
    return f"[{_listed(node.elts)}]"


def _starred(node: ast.Starred, place: int) -> str:
    return "*" + _expression(node.value, _Binds.BIT_OR)


_EXPRESSIONS: dict[type[ast.AST], Callable[[Any, int], str]] = {
    ast.Name: _name, ast.Constant: _constant, ast.Attribute: _attribute, ast.Call: _call, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _boolean, ast.IfExp: _conditional,
    ast.Tuple: _tuple, ast.List: _list, ast.Starred: _starred,
}  # fmt: skip


def _statement(node: ast.stmt, indent: str) -> list[str]:
    """The lines of a statement."""
    match node:
        case ast.Assign(targets=targets, value=value, type_comment=None):
            given = "".join(f"{_expression(target, _Binds.TUPLE)} = " for target in targets)
            return [f"{indent}{given}{_expression(value)}"]
        case ast.AugAssign(target=target, op=operator, value=value):
            return [f"{indent}{_expression(target)} {_BINARY[operator.__class__][0]}= {_expression(value)}"]
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value, simple=1):
            return [f"{indent}{name}: {_expression(annotation)} = {_expression(value)}"]
        case ast.Expr(value=value):
            return [indent + _expression(value)]
        case ast.Return(value=None):
            return [f"{indent}return"]
        case ast.Return(value=ast.expr() as value):
            return [f"{indent}return {_expression(value)}"]
        case ast.Pass():
            return [f"{indent}pass"]
        case ast.For(target=target, iter=over, body=body, orelse=[], type_comment=None):
            return [f"{indent}for {_expression(target, _Binds.TUPLE)} in {_expression(over)}:", *_block(body, indent)]
        case ast.While(test=test, body=body, orelse=[]):
            return [f"{indent}while {_expression(test)}:", *_block(body, indent)]
        case ast.If(test=test, body=body, orelse=[]):
            return [f"{indent}if {_expression(test)}:", *_block(body, indent)]
        case ast.If(test=test, body=body, orelse=[ast.If() as other]):
            first, *rest = _statement(other, indent)
            return [f"{indent}if {_expression(test)}:", *_block(body, indent), f"{indent}el{first.lstrip()}", *rest]
        case ast.If(test=test, body=body, orelse=orelse):
            return [
                f"{indent}if {_expression(test)}:",
                *_block(body, indent),
                f"{indent}else:",
                *_block(orelse, indent),
            ]
        case ast.FunctionDef(decorator_list=[], returns=None, type_comment=None, body=body) if (
            not indent and ast.get_docstring(node, clean=False) is None
        ):
            return [f"def {node.name}({_parameters(node.args)}):", *_block(body, indent)]
    raise KeyError(node.__class__)


def _block(statements: list[ast.stmt], indent: str) -> list[str]:
    inner = indent + "    "
    return [line for statement in statements for line in _statement(statement, inner)]


def _parameters(arguments: ast.arguments) -> str:
    if arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        raise KeyError("parameters of other kinds")
    plain = len(arguments.args) - len(arguments.defaults)
    return ", ".join(
        argument.arg
        + (f": {_expression(argument.annotation)}" if argument.annotation else "")
        + (f"={_expression(arguments.defaults[number - plain])}" if number >= plain else "")
        for number, argument in enumerate(arguments.args)
    )
