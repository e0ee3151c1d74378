"""The rule `linear`: whole numbers that are compared, added and chosen among are the same for all values that their variables can have.

The changed statement is worked out, before and after, path by path: each comparison is a linear inequality, each `tl.where` one of its arms. Of
every two paths that can be taken together the results must be equal. What is known of the variables: a remainder is nearer to 0 than its
divisor, and nobody divides by 0; an integer that is loaded without a mask is in the range that the file states for its values, another one in
that of its dtype. No sum on a path may overflow; what is not of these forms ends the proof.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import product

from faults.equivalence import function_of, mutant_undone
from faults.filled import assigned_once
from faults.inequalities import Linear, contradict, variable
from faults.mutation import Mutant, around, called

Path = tuple[frozenset[Linear], "Linear | bool"]
"""Inequalities under which an expression has a value."""
BITS = {"int64": 63, "int32": 31}
MOST_PATHS = 64


class NotLinearError(Exception):
    """An expression of another form, or a sum that may overflow."""


def is_linear(mutant: Mutant) -> bool:
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    statement = next((one for one in found[1] if isinstance(one, ast.stmt)), None) if found else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    after = ast.parse(f"({around(mutant, statement.value)[3]})", mode="eval").body
    numbers = Numbers(assigned_once(function, statement.lineno), mutant.text)
    try:
        return all(numbers.same(*both) for both in product(numbers.paths(statement.value), numbers.paths(after)))
    except NotLinearError:
        return False


class Numbers:
    """The whole numbers of a kernel."""

    def __init__(self, once: dict[str, ast.expr], text: str) -> None:
        self.once = once
        row = r'^    "(\w+)": \(.*torch\.(int32|int64), (?:\((-?\d+), (-?\d+)\))?'
        self.stated = {name: (dtype, low, high) for name, dtype, low, high in re.findall(row, text, re.M)}
        self.facts: set[Linear] = set()
        self.bits = 63

    def same(self, before: Path, after: Path) -> bool:
        """Whether two paths have one value, or are never taken together."""
        holds = self.facts | before[0] | after[0]
        if contradict(holds):
            return True
        first, second = before[1], after[1]
        if isinstance(first, bool) or isinstance(second, bool):
            return first is second
        more, less = (Linear(1).plus(one).plus(other, -1) for one, other in ((first, second), (second, first)))
        return contradict(holds | {more}) and contradict(holds | {less})

    def paths(self, node: ast.expr) -> list[Path]:
        """The values of an expression, each with when it has it."""
        found = [one for one in self.forms(node) if not contradict(self.facts | one[0])]
        if len(found) > MOST_PATHS:
            raise NotLinearError
        return found

    def forms(self, node: ast.expr) -> Iterator[Path]:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield frozenset(), node.value if isinstance(node.value, bool) else Linear(node.value)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            yield from self.forms(ast.Constant(-ast.literal_eval(node.operand)))
        elif isinstance(node, ast.Name) and node.id in self.once:
            yield from self.paths(self.once[node.id])
        elif isinstance(node, ast.Name) and node.id.isupper():
            yield frozenset(), variable(node.id)  # a size, of which nothing is known: a sum with it may overflow
        elif isinstance(node, ast.Call):
            yield from self.call(node)
        elif isinstance(node, ast.Compare):
            for (one, left), (other, right) in product(self.paths(node.left), self.paths(node.comparators[0])):
                for told, value in compared(node.ops[0], left, right):
                    yield one | other | told, value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            yield from self.remainder(node)
        elif isinstance(node, ast.BinOp):
            for (one, left), (other, right) in product(self.paths(node.left), self.paths(node.right)):
                if not contradict(self.facts | one | other):
                    yield one | other, self.combined(node.op, left, right, one | other)
        else:
            raise NotLinearError

    def call(self, node: ast.Call) -> Iterator[Path]:
        name = called(node)
        if name == "tl.where":
            for told, condition in self.paths(node.args[0]):
                if not isinstance(condition, bool):
                    raise NotLinearError
                for more, value in self.paths(node.args[1 if condition else 2]):
                    yield told | more, value
        elif name == "tl.broadcast_to" or (name == "tl.full" and isinstance(node.args[1], ast.Constant)):
            yield from self.paths(node.args[name == "tl.full"])
        elif name == "tl.load":
            yield frozenset(), self.loaded(node)
        else:
            raise NotLinearError

    def loaded(self, node: ast.Call) -> Linear:
        pointer = next((one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)), "")
        if pointer.removesuffix("_ptr") not in self.stated or len(node.args) > 2:
            raise NotLinearError
        dtype, low, high = self.stated[pointer.removesuffix("_ptr")]
        name, bits = ast.unparse(node), BITS[dtype]
        self.bits = min(self.bits, bits)
        valid = bool(high) and len(node.args) == 1
        self.facts.add(Linear(int(low) if valid else -(2**bits)).plus(variable(name), -1))
        self.facts.add(variable(name).plus(Linear(-int(high) if valid else 1 - 2**bits)))
        return variable(name)

    def remainder(self, node: ast.BinOp) -> Iterator[Path]:
        """As C has it: nearer to 0 than the divisor, which is not 0."""
        rest = variable(ast.unparse(node))
        for told, divisor in self.paths(node.right):
            if isinstance(divisor, bool):
                raise NotLinearError
            for sign in (1, -1):
                size = divisor.times(sign)
                limits = {Linear(1).plus(rest, way).plus(size, -1) for way in (1, -1)}
                yield told | limits | {Linear(1).plus(size, -1)}, rest

    def combined(
        self, op: ast.operator, left: Linear | bool, right: Linear | bool, told: frozenset[Linear]
    ) -> Linear | bool:
        if isinstance(left, bool) and isinstance(right, bool) and isinstance(op, (ast.BitAnd, ast.BitOr)):
            return left and right if isinstance(op, ast.BitAnd) else left or right
        if isinstance(left, bool) or isinstance(right, bool) or not isinstance(op, (ast.Add, ast.Sub)):
            raise NotLinearError
        made = left.plus(right, 1 if isinstance(op, ast.Add) else -1)
        holds, end = self.facts | told, Linear(2**self.bits)
        if not contradict(holds | {end.plus(made, -1)}) or not contradict(holds | {Linear(1).plus(end).plus(made)}):
            raise NotLinearError
        return made


def compared(op: ast.cmpop, left: Linear | bool, right: Linear | bool) -> Iterator[tuple[frozenset[Linear], bool]]:
    if isinstance(left, bool) and isinstance(right, bool):
        if not isinstance(op, (ast.Eq, ast.NotEq)):
            raise NotLinearError
        yield frozenset(), (left is right) == isinstance(op, ast.Eq)
    elif isinstance(left, bool) or isinstance(right, bool):
        raise NotLinearError
    else:
        less, more = left.plus(right, -1), right.plus(left, -1)
        below, above, same = {Linear(1).plus(less)}, {Linear(1).plus(more)}, {less, more}
        yield frozenset(below), isinstance(op, (ast.Lt, ast.LtE, ast.NotEq))
        yield frozenset(above), isinstance(op, (ast.Gt, ast.GtE, ast.NotEq))
        yield frozenset(same), isinstance(op, (ast.LtE, ast.GtE, ast.Eq))
