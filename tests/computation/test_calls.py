"""A call that says more than is read is no call of that meaning: no keyword and no argument gets lost."""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import replace
from functools import cache

import pytest
from faults import corpus
from folders import CAPTURED, GENERATIONS

from inductor_lab.computation import Computation, computation
from inductor_lab.computation.operators import called, is_module
from inductor_lab.read import read
from inductor_lab.records import Kernel
from inductor_lab.store import load

Form = tuple[str, bool, int, tuple[str, ...]]
"""Function, whether it is a method, its arguments, its keywords."""
SAID = "odd_12345"
TELLS_NOTHING = {"cdiv", "signbit"}
"""What counts the programs of jobs, which the launch tells; and stands in a branch for floats, of a whole number."""
SIZES = ("broadcast_to", True)
"""The method that takes the sizes of a shape, as many as there are."""


def calls(body: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Call)]


@cache
def forms(every: bool) -> dict[Form, tuple[Kernel, int]]:
    """Each form in which a text calls a function -> a kernel, and which of its calls: of every version's text, or of every text that is kept here."""
    kernels = [kernel for path in sorted(GENERATIONS.glob("*.txt")) for kernel in read([path], path.stem).kernels]
    if every:
        kernels += [kernel for _, kernel in corpus.kernels().values()]
        kernels += [kernel for folder in sorted(CAPTURED.iterdir()) for kernel in load(folder).kernels]
    found: dict[Form, tuple[Kernel, int]] = {}
    for kernel in {kernel.body: kernel for kernel in kernels}.values():
        if any(part.schedule.opaque for part in computation(kernel).every()):
            continue
        for number, call in enumerate(calls(kernel.body)):
            method = isinstance(call.func, ast.Attribute) and not is_module(call.func.value)
            form = called(call), method, len(call.args), tuple(sorted(str(word.arg) for word in call.keywords))
            found.setdefault(form, (kernel, number))
    return found


def said_more(kernel: Kernel, number: int, keyword: bool) -> Computation:
    """The kernel with one call that says something more."""
    tree = ast.parse(kernel.body)
    call = [node for node in ast.walk(tree) if isinstance(node, ast.Call)][number]
    if keyword:
        call.keywords.append(ast.keyword(SAID, ast.Constant(1)))
    else:
        call.args.append(ast.Name(SAID, ast.Load()))
    return computation(replace(kernel, body=ast.unparse(tree)))


def holds(node: object, seen: set[int]) -> bool:
    """Whether what is said is anywhere in a tree."""
    if id(node) in seen:
        return False
    seen.add(id(node))
    if isinstance(node, str):
        return SAID in node
    if isinstance(node, (tuple, list, frozenset)):
        return any(holds(one, seen) for one in node)
    if not dataclasses.is_dataclass(node):
        return False
    return any(holds(getattr(node, field.name), seen) for field in dataclasses.fields(node))


@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["every version", "every text"]
)
@pytest.mark.parametrize("keyword", [True, False], ids=["keyword", "argument"])
def test_nothing_that_a_call_says_gets_lost(keyword: bool, every: bool) -> None:
    lost = []
    for form, (kernel, number) in forms(every).items():
        found = said_more(kernel, number, keyword)
        kept = any(part.schedule.opaque or holds(part.schedule.steps, set()) for part in found.every())
        if not kept and form[0] not in TELLS_NOTHING and (keyword or form[:2] != SIZES):
            lost.append((form, kernel.id))
    assert len(forms(every)) > (50 if every else 40) and not lost
