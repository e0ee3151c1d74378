"""ATen calls as PyTorch that a person would write, as trees of Python's own `ast`.

Each has a spelling in a table; one that is in none stays `torch.ops.aten...`, which is always right.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from inductor_lab.aten import FUNCTIONS, METHODS, MULTIPLIED, RESHAPES, SAME_VALUE
from inductor_lab.bind.dependencies import operator
from inductor_lab.computation.operators import OF_ATEN, Operator
from inductor_lab.eject.eager.torch_values import (
    ALL,
    call,
    filled,
    literal,
    method,
    name,
    of_torch,
    subscript,
    tuple_of,
)
from inductor_lab.records import Node
from inductor_lab.records.size import Substituting

ENDLESS = 9223372036854775807
"""The end of a slice that goes on to the last element."""
NOT_FINITE = {word: of_torch(f"math.{word}") for word in ("inf", "nan")}
UNSAID = {"layout", "pin_memory", "memory_format"}
"""What does not change a value."""
Keywords = Mapping[str, ast.expr]
Spelling = Callable[[Sequence[ast.expr], Keywords], "ast.expr | None"]


def spelled(node: Node, values: Mapping[str, ast.expr]) -> ast.expr:
    """What a node computes, over what stands for the nodes that it reads."""
    value: ast.expr = _Placed({**values, **NOT_FINITE}).visit(node.tree)
    if not isinstance(value, ast.Call):
        return value
    made = _spelled(operator(node), value)
    chosen = operator(node) == "where" and all(map(is_number, value.args[1:]))
    if chosen and node.type and node.type.dtype not in {"float32", "int64"}:
        return method(made, "to", of_torch(f"torch.{node.type.dtype}"))  # two numbers have no dtype
    return made


def is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=number):
            return isinstance(number, (int, float)) and not isinstance(number, bool)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_number(operand)
        case ast.Attribute(value=ast.Name(id="math")):
            return True
    return False


class _Placed(Substituting):
    """Puts values into the places of the nodes that a call names."""

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        if isinstance(node.func, ast.Name) and node.func.id == "device":
            return name("DEVICE")
        return self.generic_visit(node)


def _spelled(called: str, written: ast.Call) -> ast.expr:
    arguments = written.args
    keywords = {k.arg: k.value for k in written.keywords if k.arg and k.arg not in UNSAID}
    if called in SPELLINGS and (special := SPELLINGS[called](arguments, keywords)) is not None:
        return special
    if called in FORMS:
        return filled(FORMS[called], *arguments)
    if called in METHODS:
        first, *rest = arguments
        said = {METHODS[called]: rest.pop()} if METHODS[called] and len(rest) == 2 else {}
        return method(first, called, *rest, **said, **keywords)
    if called in FUNCTIONS:
        return call(f"torch.{called}", *arguments, **keywords)
    if called in OF_ATEN and (operation := _operation(OF_ATEN[called], arguments, keywords)) is not None:
        return operation
    return call(ast.unparse(written.func), *arguments, **keywords)


def _operation(row: Operator, arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    """A row's form of the arguments; None where the form has no place for all of them."""
    if row.bound and len(arguments) == 2:
        for tensor, bound in (arguments, arguments[::-1]):
            if is_number(bound):
                return method(tensor, row.bound, bound)
    if not row.places:
        return call(row.function, *arguments, **keywords)
    return filled(row.torch, *arguments) if len(arguments) == row.places and not keywords else None


def _full(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr:
    sizes, number = arguments[:2]
    dtype = keywords.get("dtype")
    if isinstance(sizes, ast.List) and not sizes.elts:  # the number itself
        whole = is_number(number) and ast.unparse(number).lstrip("-").isdigit()
        return literal(float(ast.literal_eval(number))) if whole and dtype and "float" in ast.unparse(dtype) else number
    return call("torch.full", sizes, number, **({"dtype": dtype} if dtype else {}), device=name("DEVICE"))


def _iota(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    if [ast.unparse(keywords[word]) for word in ("start", "step")] != ["0", "1"]:
        return None
    return call("torch.arange", arguments[0], dtype=keywords["dtype"], device=name("DEVICE"))


def _slice(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    first, dim, start, end, step = [*arguments, *map(literal, (0, 0, ENDLESS, 1)[len(arguments) - 1 :])]
    if not isinstance(dim, ast.Constant) or not isinstance(dim.value, int):  # counted from the last
        return None
    part = ast.Slice(_unless(start, 0), _unless(end, ENDLESS), _unless(step, 1))
    return subscript(first, [*[ALL] * dim.value, part])


def _unless(value: ast.expr, usual: int) -> ast.expr | None:
    return None if isinstance(value, ast.Constant) and value.value == usual else value


def _index(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    if not isinstance(arguments[1], ast.List):
        return None
    return subscript(arguments[0], [ALL if _is_none(index) else index for index in arguments[1].elts])


def _index_put(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    first, indices, value, *accumulate = arguments
    if not isinstance(indices, ast.List) or any(map(_is_none, indices.elts)):
        return None
    return method(
        first, "index_put", tuple_of(indices.elts), value, **({"accumulate": accumulate[0]} if accumulate else {})
    )


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _convolution(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    transposed, stride = ast.unparse(arguments[6]), arguments[3]
    if transposed != "False" or not isinstance(stride, ast.List) or keywords:
        return None
    options = {"stride": (3, 1), "padding": (4, 0), "dilation": (5, 1), "groups": (8, 1)}
    given = {word: arguments[at] for word, (at, usual) in options.items() if {*_numbers(arguments[at])} != {usual}}
    bias = [] if _is_none(arguments[2]) else [arguments[2]]
    return call(f"torch.nn.functional.conv{len(stride.elts)}d", *arguments[:2], *bias, **given)


def _numbers(value: ast.expr) -> list[object]:
    found = ast.literal_eval(value)
    return found if isinstance(found, list) else [found]


def _to_copy(arguments: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    return method(arguments[0], "to", keywords["dtype"]) if list(keywords) == ["dtype"] else None


SPELLINGS: dict[str, Spelling] = {
    "convolution": _convolution,
    "full": _full,
    "slice": _slice,
    "index": _index,
    "_unsafe_index": _index,
    "index_put": _index_put,
    "index_put_": _index_put,
    "iota": _iota,
    "cat": lambda arguments, _: call("torch.cat", *arguments),
    "_to_copy": _to_copy,
}
FORMS = {
    "embedding": "torch.nn.functional.embedding({1}, {0})",
    "rev": "{0}.flip({1})",
    "convert_element_type": "{0}.to({1})",
    "sym_size": "{0}.shape[{1}]",
    **dict.fromkeys(MULTIPLIED, "{0} @ {1}"),
    **dict.fromkeys(RESHAPES, "{0}.reshape({1})"),
    **dict.fromkeys(SAME_VALUE, "{0}"),
}
"""Operators that are their first operands in a text; what else they are given does not matter."""
