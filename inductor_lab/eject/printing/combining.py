"""Reads the function by which a scan combines two elements: Inductor wrote it above the kernel, and each printer writes it in its language.

@triton.jit
def _triton_helper_fn_mul_add0(arg0_0, arg0_1, arg1_0, arg1_1):      of two values: those before, then those next
    tmp0 = arg0_1 * arg1_0                                           a step
    tmp1 = tmp0 + arg1_1                                             another one
    return tmp0, tmp1                                                the results
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation.evaluation import Evaluation
from inductor_lab.computation.operators import function_name
from inductor_lab.computation.schedule import Define
from inductor_lab.computation.tree import Expression, Unknown
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Combination:
    """What two elements become."""

    arguments: Mapping[str, Expression]
    """By name: the values of what came before, then those of what comes next."""
    steps: tuple[Define, ...]
    results: tuple[Expression, ...]


def combining_function(name: str, functions: Mapping[str, ast.FunctionDef]) -> ast.FunctionDef:
    """The function of a scan's name, of those above the kernel, whose names have numbers.

    Raises:
        UnprintableError: there is none, or there are several that differ.
    """
    found = [function for called, function in functions.items() if function_name(called) == name]
    if len({ast.unparse(ast.Module(function.body, [])) for function in found}) != 1:
        raise UnprintableError(f"a scan that combines by `{name}`, whose text is not there")
    return found[0]


def combination(function: ast.FunctionDef, inputs: tuple[Expression, ...]) -> Combination:
    """What it computes, statement by statement.

    Args:
        inputs: What is scanned.

    Raises:
        UnprintableError: it takes something else than that, or does more than compute.
    """
    names = [argument.arg for argument in function.args.args]
    if len(names) != 2 * len(inputs):
        raise UnprintableError(f"`{function.name}` combines something else than what is scanned")
    reading = Evaluation()
    arguments = {
        name: reading.make(Unknown, given.dtype, given.axes, name, ())
        for name, given in zip(names, (*inputs, *inputs), strict=True)
    }
    reading.names |= arguments
    steps: list[Define] = []
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=node):
                reading.names[target] = value = reading.of(node)
                steps.append(Define(statement.lineno, (target,), (value,), ()))
            case ast.Return(value=ast.expr() as node):
                results = map(reading.of, node.elts if isinstance(node, ast.Tuple) else [node])
                return Combination(arguments, tuple(steps), tuple(results))
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                break
    raise UnprintableError(f"`{function.name}` is more than an expression")
