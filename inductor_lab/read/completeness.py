"""Checks that nothing was missed: what a module's text plainly holds is counted a second way, and what no reader took is said."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from inductor_lab.read.wrapper import Run

_LAUNCH = re.compile(r"\b(\w+)(?:\.run\(|\[[^\]\n]{0,200}\]\()")
_CALLED = re.compile(r"(?P<void>void\s+)?\bcall_(?P<name>\w+)\(")
_CPP_END = re.compile(r"^call = |^def call\(|^def main\(", re.MULTILINE)
"""What the Python behind a C++ wrapper has; `main` where it is run once, to tune."""
Problems = Iterator[tuple[int, str]]


def missed_launches(
    text: str, tree: ast.Module, names: Collection[str], runs: Iterable[Run], harness: Collection[str]
) -> Problems:
    """Launches of kernels of this module, anywhere but in functions that time it, that are not among those that were read."""
    read = Counter((run.line, run.name) for run in runs)
    if sum(1 for name in _LAUNCH.findall(text) if name in names) <= sum(read.values()):
        return
    found: Counter[tuple[int, str]] = Counter()
    for statement in tree.body:
        if getattr(statement, "name", "") not in harness:
            found.update(
                (node.lineno, name)
                for node in ast.walk(statement)
                if isinstance(node, ast.Call) and (name := _launched(node)) in names
            )
    missed = sorted((found - read).elements())
    if missed:
        line, name = missed[0]
        more = f", and {len(missed) - 1} more launches" if len(missed) > 1 else ""
        yield line, f"a launch of {name} stands where none is looked for: it was not counted{more}"


def _launched(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr="run") | ast.Subscript(value=ast.Name(id=name)):
            return name
    return ""


def missed_calls(text: str, names: Collection[str], runs: Iterable[Run]) -> Problems:
    """The same for a C++ wrapper: calls of `call_NAME`, less its definition."""
    found = Counter(match["name"] for match in _CALLED.finditer(text) if not match["void"])
    read = Counter(run.name for run in runs)
    for name in names:
        if found[name] > read[name]:
            first = next(match for match in _CALLED.finditer(text) if match["name"] == name and not match["void"])
            line = text.count("\n", 0, first.start()) + 1
            yield line, f"{name} is called {found[name]} times, and {read[name]} launches were read"


def unfinished(tree: ast.Module, lines: Sequence[str]) -> Problems:
    """A module whose function `call` is not there, or does not return: the rest was cut off."""
    calls = [
        node
        for statement in tree.body
        for node in (statement, *(statement.body if isinstance(statement, ast.ClassDef) else ()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "call"
    ]
    if not any(_returns(function) for function in calls):
        told = "it ends before its function `call` returns" if calls else "it has no function `call`"
        yield len(lines), f"the module is not whole: {told}; what stands before was read"


def _returns(function: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(function))


def unfinished_cpp(text: str) -> Problems:
    """A C++ wrapper that ends within its entry, or within the Python around it."""
    if "cpp_wrapper_src" in text:
        whole = _CPP_END.search(text) is not None
    else:
        begun = max(text.rfind("::run_impl("), text.rfind("inductor_entry_impl("))
        whole = begun < 0 or "\n}" in text[begun:]
    if not whole:
        yield text.rstrip().count("\n") + 1, "the module is not whole: its end is missing; what stands before was read"


def defined_twice(definitions: Iterable[tuple[str, str, int]]) -> Problems:
    """Kernels, as name, text and line, that have the name of another one: a launch does not say which of them it means."""
    known: dict[str, str] = {}
    for name, text, line in definitions:
        if known.setdefault(name, text) != text:
            yield line, f"{name} is defined a second time, otherwise: all its launches are counted with the last one"
