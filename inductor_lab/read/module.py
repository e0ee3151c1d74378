"""One output_code module: its kernel definitions, its launches with the types of what is passed, its extern calls.

The module is Python that `PythonWrapperCodegen` writes (torch/_inductor/codegen/wrapper.py, 2.0 to 2.15): kernels as
`name = async_compile.triton('name', \'\'\'...\'\'\')`, then functions (`call`, partitions, subgraphs) that allocate buffers and launch
them. Modules with readable kernels, and the cache's files of one kernel, define them as plain functions. It is parsed, never run.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from inductor_lab.computation.operators import called
from inductor_lab.read import provenance
from inductor_lab.read.syntax import parse_prefix, walk
from inductor_lab.read.types import tensor_type
from inductor_lab.read.wrapper import Function, Run, Wrapper
from inductor_lab.records import Claim, ExternCall, TensorType

_AOT_ID = re.compile(r"^# AOT ID: \['(?P<id>[\w.]+)'\]", re.MULTILINE)
_ASYNC = re.compile(r"^# AOT ID|^async_compile = ", re.MULTILINE)
"""What a module has, and a kernel's own file has not."""
HARNESS = {"get_args", "benchmark_compiled_module", "benchmark_all_configs"}
"""Functions that time the module: what they make tells the types of its inputs, what they launch is no part of the model."""
_LAUNCH = re.compile(r"\b(\w+)(?:\.run\(|\[[^\]\n]{0,200}\]\()")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Definition:
    """One kernel's source and where it stands."""

    name: str
    text: str
    comment: tuple[str, ...]
    line: int

    @cached_property
    def claim(self) -> Claim:
        """What the comment says, read once for all graphs, ranks and logs that hold this module."""
        return provenance.claim(list(self.comment))


@dataclass(frozen=True)
class Choice:
    """A multi-kernel: several kernels for one job, the fastest of which it picks when it runs."""

    kernels: tuple[str, ...]
    slices: list[slice]
    """Which of a launch's arguments the first kernel takes; empty for all."""


@dataclass
class Module:
    """What one module holds. `problems` are sentences on what was not understood, with the line."""

    graph_id: str
    kind: str
    definitions: list[Definition] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    """The launches of its functions."""
    externs: list[ExternCall] = field(default_factory=list)
    """Library calls, before their graph has a name."""
    problems: list[tuple[int, str]] = field(default_factory=list)
    hints: dict[str, int] = field(default_factory=dict)
    """Symbolic size -> what the harness has for it."""
    in_cpp: bool = False
    """The wrapper is C++."""
    broken: str = ""
    """Why the text is no Python as a whole: `invalid syntax in line 3`."""
    functions: list[Function] = field(default_factory=list)
    """Those that run the graph, as steps on memory; none of a wrapper in C++, nor of a module that `Parsed` keeps."""


def read_module(text: str) -> Module:
    """Read one module. What can not be read becomes a problem; what can is still there.

    Raises:
        ValueError: it is so long or so deep that it is no module of Inductor's.
    """
    named = _AOT_ID.search(text)
    graph_id = named["id"] if named else ""
    kind = graph_id.rpartition("_")[2]
    module = Module(graph_id, kind if kind in {"inference", "forward", "backward"} else "unknown")
    tree, problems, module.broken = parse_prefix(text)
    module.problems.extend(problems)
    lines = text.split("\n")
    module.definitions.extend(definitions(tree, lines))
    made = list(made_by_harness(tree))
    inputs = tensor_types(made)
    foreign: set[str] = set()
    choices: dict[str, Choice] = {}
    slices: dict[int, list[slice]] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="arg_index")], value=ast.Dict() as table):
                slices = dict(_slices(table))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if several := _several(call):
                    choices[name] = Choice(several, slices.get(0, []))
                elif _source(call) is None and ast.unparse(call.func).startswith("async_compile."):
                    foreign.add(name)
    for statement in tree.body:
        for function in _functions(statement):
            found = Wrapper(function, inputs, foreign).function
            if found.name.startswith("partition_"):  # the next one is handed what this one made, under the same names
                inputs = found.types
            module.functions.append(found)
    module.runs = [run for function in module.functions for run in function.runs]
    module.externs = [call for function in module.functions for call in function.externs]
    module.hints = _hints(tree, made)
    is_module = _ASYNC.search(text) is not None
    if not problems and is_module:
        module.problems.extend(unfinished(tree, lines))
    harness = HARNESS if is_module else HARNESS | {"call"}  # a kernel's own file times it in `call`
    launched = {definition.name for definition in module.definitions} | set(choices)
    module.problems.extend(missed_launches(text, tree, launched, module.runs, harness))
    module.runs = [_chosen(run, choices, module) for run in module.runs]
    return module


def definitions(tree: ast.Module, lines: list[str]) -> Iterator[Definition]:
    """The kernels that statements of a module define, `lines` being its text."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                source = _source(call)
                if source is not None:
                    yield Definition(name, source, _comment(lines, statement.lineno), statement.lineno)
            case ast.FunctionDef(decorator_list=[first, *_]) if "heuristics" in ast.unparse(first):
                start = first.lineno
                source = "\n".join(lines[start - 1 : statement.end_lineno])
                yield Definition(statement.name, source, _comment(lines, start), start)


def _source(call: ast.Call) -> str | None:
    """The text of `async_compile.triton('name', \'\'\'...\'\'\')`; before torch 2.1 there was no name."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="async_compile"), attr="triton"), args=arguments, keywords=keywords
        ):
            given = [*arguments, *(keyword.value for keyword in keywords if keyword.arg == "source_code")]
            texts = [a.value for a in given[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            return texts[-1] if texts else None
    return None


def _several(call: ast.Call) -> tuple[str, ...]:
    """The kernels of `async_compile.multi_kernel('name', [a, b])`, `MultiKernelCall([a, b])`, or by sizes, of a dict."""
    if called(call) not in {"multi_kernel", "size_hint_multi_kernel", "MultiKernelCall"}:
        return ()
    for argument in call.args:
        match argument:
            case ast.List(elts=kernels) | ast.Dict(values=kernels):
                return tuple(ast.unparse(kernel) for kernel in kernels)
    return ()


def _slices(table: ast.Dict) -> Iterator[tuple[int, list[slice]]]:
    """Which of a launch's arguments each kernel of a multi-kernel takes: `{0: [slice(0, 4, None)], 1: ...}`."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, int) and isinstance(value, ast.List):
            parts = [part.args[:2] for part in value.elts if isinstance(part, ast.Call)]
            ends = [[end.value for end in part if isinstance(end, ast.Constant)] for part in parts]
            yield key.value, [slice(*end) for end in ends if len(end) == 2 and all(isinstance(n, int) for n in end)]


def _chosen(run: Run, choices: dict[str, Choice], module: Module) -> Run:
    """A launch of a multi-kernel, as one of the first of its kernels."""
    choice = choices.get(run.name)
    if choice is None:
        return run
    names = ", ".join(choice.kernels)
    message = f"{run.name} chooses one of {names} when it runs: the launch is counted with the first"
    module.problems.append((run.line, message))
    values = tuple(value for part in choice.slices for value in run.values[part]) if choice.slices else run.values
    return replace(run, name=choice.kernels[0], values=values)


def _comment(lines: list[str], line: int) -> tuple[str, ...]:
    """The comment above a definition. An empty line may stand in it, or under it (2.0 to 2.4)."""
    first = last = line - 1
    while first > 0 and (
        _commented(lines, first - 1) or (not lines[first - 1].strip() and _commented(lines, first - 2))
    ):
        first -= 1
    return tuple(line for line in lines[first:last] if line.strip())


def _commented(lines: list[str], index: int) -> bool:
    return index >= 0 and lines[index].startswith("#")


def _functions(statement: ast.stmt) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that run a graph: all but kernels and the harness."""
    if not isinstance(statement, (*_FUNCTION, ast.ClassDef)) or statement.name in HARNESS:
        return
    if any("triton" in ast.unparse(decorator) for decorator in statement.decorator_list):
        return
    yield from _within(statement)


def _within(statement: ast.stmt) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """A function and those inside it, however deep in its blocks."""
    if isinstance(statement, _FUNCTION):
        yield statement
    for block in ("body", "orelse", "finalbody"):
        for inner in getattr(statement, block, []):
            if isinstance(inner, ast.stmt):
                yield from _within(inner)


def _hints(tree: ast.Module, made: Iterable[tuple[str, ast.expr]]) -> dict[str, int]:
    """`s77 = primals_3` of a function, where the harness makes `primals_3 = 4096`."""
    numbers = {
        name: value.value for name, value in made if isinstance(value, ast.Constant) and isinstance(value.value, int)
    }
    found: dict[str, int] = {}
    for statement in tree.body if numbers else ():
        for function in _functions(statement):
            for inner in function.body:
                match inner:
                    case ast.Assign(targets=[ast.Name(id=symbol)], value=ast.Name(id=name)) if name in numbers:
                        found[symbol] = numbers[name]
    return found


def tensor_types(made: Iterable[tuple[str, ast.expr]]) -> dict[str, TensorType]:
    """Of variables and what each is assigned, the tensors."""
    found = ((name, tensor_type(value, {})) for name, value in made)
    return {name: type_ for name, type_ in found if type_}


def assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Variables and what each is assigned, of the assignments among some nodes."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def made_by_harness(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """What the functions that time the module assign: of the graph's inputs (`rand_strided`) the one place with their dtypes."""
    for statement in tree.body:
        harness = isinstance(statement, ast.FunctionDef) and statement.name in HARNESS
        if harness or isinstance(statement, ast.If):  # `if __name__ == "__main__":` before torch 2.1
            yield from assigned(walk(statement))


# Whether something was missed: what the text plainly holds is counted a second way


def missed_launches(
    text: str, tree: ast.Module, names: Collection[str], runs: Iterable[Run], harness: Collection[str]
) -> Iterator[tuple[int, str]]:
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


def unfinished(tree: ast.Module, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
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
