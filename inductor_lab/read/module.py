"""One output_code module: its kernel definitions, its launches with the types of what is passed, its extern calls.

The module is Python that `PythonWrapperCodegen` writes (torch/_inductor/codegen/wrapper.py, 2.11 to 2.15): kernels as
`name = async_compile.triton('name', \'\'\'...\'\'\')`, then a `call` that allocates buffers and launches them. It is parsed, never run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from inductor_lab.read.types import contiguous
from inductor_lab.records import LaunchArgument, Size, TensorType

_AOT_ID = re.compile(r"^# AOT ID: \['(?P<id>[\w.]+)'\]", re.MULTILINE)
_SKIPPED = {"get_args", "benchmark_compiled_module"}
_TYPE_CALLS = {"empty_strided": 0, "rand_strided": 0, "reinterpret_tensor": 1, "empty_strided_p2p": 0}


@dataclass(frozen=True)
class Definition:
    """One `async_compile.triton` definition."""

    name: str
    text: str
    comment: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Run:
    """One `.run(` call: positional arguments only, less the stream."""

    name: str
    values: tuple[LaunchArgument, ...]
    """Named by position, `0`, `1` ...; the kernel's signature gives the real names."""
    line: int


@dataclass
class Module:
    """What one module holds. `problems` are sentences on what was not understood, with the line."""

    graph_id: str
    kind: str
    definitions: list[Definition] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    externs: list[tuple[str, int]] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    device: str = ""


def read_module(text: str) -> Module:
    """Read one module. What can not be read becomes a problem; what can is still there."""
    found = _AOT_ID.search(text)
    graph_id = found["id"] if found else ""
    kind = graph_id.rpartition("_")[2]
    module = Module(graph_id, kind if kind in {"inference", "forward", "backward"} else "unknown")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        tree, cut = _parse_until(text, error.lineno or 1)
        module.problems.append((cut, f"the module is not whole: {error.msg}; what stands before line {cut} was read"))
    lines = text.splitlines()
    inputs = _input_types(tree)
    for statement in tree.body:
        definition = _definition(statement, lines)
        if definition:
            module.definitions.append(definition)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and statement.name not in _SKIPPED:
            for function in (n for n in ast.walk(statement) if isinstance(n, ast.FunctionDef)):
                _Wrapper(module, dict(inputs)).read(function.body)
    return module


def _parse_until(text: str, line: int) -> tuple[ast.Module, int]:
    """The longest run of whole statements before the line where parsing failed."""
    lines = text.splitlines()
    for end in [
        line - 1,
        *(n for n in range(min(line, len(lines)) - 1, 0, -1) if lines[n] and not lines[n][0].isspace()),
    ]:
        try:
            return ast.parse("\n".join(lines[:end])), end + 1
        except SyntaxError:
            continue
    return ast.Module([], []), 1


def _definition(statement: ast.stmt, lines: list[str]) -> Definition | None:
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="async_compile"), attr="triton"),
                args=[_, ast.Constant(value=str(text)), *_],
            ),
        ):
            first = last = statement.lineno - 1
            while first > 0 and lines[first - 1].startswith("#"):
                first -= 1
            return Definition(name, text, tuple(lines[first:last]), statement.lineno)
    return None


def _input_types(tree: ast.Module) -> dict[str, TensorType]:
    """The graph's inputs, as the module's own benchmark harness makes them (`rand_strided`): the one place with their dtypes."""
    types: dict[str, TensorType] = {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in _SKIPPED:
            for node in ast.walk(statement):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    made = _type(node.value, {})
                    if made:
                        types[node.targets[0].id] = made
    return types


class _Wrapper:
    """Walks the statements of a `call` in order and remembers the type of every variable."""

    def __init__(self, module: Module, types: dict[str, TensorType]) -> None:
        self.module = module
        self.types = types
        self.storage: dict[str, str] = {}

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            match statement:
                case ast.FunctionDef():
                    continue  # read on its own
                case ast.With(body=body) | ast.For(body=body) | ast.While(body=body):
                    self.read(body)
                case ast.If(body=body, orelse=orelse):
                    self.read(body)
                    self.read(orelse)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.call(value)
                    self.assign(name, value)
                case ast.Expr(value=value):
                    self.call(value)

    def assign(self, name: str, value: ast.expr) -> None:
        made = _type(value, self.types)
        if made:
            self.types[name] = made
        else:
            self.types.pop(name, None)
        base = _aliased(value)
        self.storage[name] = self.storage.get(base, base) if base else name

    def call(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Call):
            return
        function = ast.unparse(value.func)
        if isinstance(value.func, ast.Attribute) and value.func.attr == "run":
            arguments = tuple(
                LaunchArgument(
                    str(position),
                    text := ast.unparse(argument),
                    _type(argument, self.types),
                    self.storage.get(text, text),
                )
                for position, argument in enumerate(value.args)
            )
            self.module.runs.append(Run(ast.unparse(value.func.value), arguments, value.lineno))
        elif function.startswith(("extern_kernels.", "torch.ops.", "aten.", "inductor_ops.")):
            self.module.externs.append((function, value.lineno))
        elif function == "assert_size_stride" and len(value.args) >= 3 and isinstance(value.args[0], ast.Name):
            self.asserted(value.args[0].id, _sizes(value.args[1]), _sizes(value.args[2]))

    def asserted(self, name: str, shape: tuple[Size, ...], stride: tuple[Size, ...]) -> None:
        known = self.types.get(name)
        self.types[name] = TensorType(known.dtype if known else "", shape, stride)


def _type(value: ast.expr, types: dict[str, TensorType]) -> TensorType | None:
    """The type of an expression of the wrapper; an empty dtype where only the shape is told."""
    match value:
        case ast.Name(id=name):
            return types.get(name)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            name = ast.unparse(function).rpartition(".")[2]
            if name in {"copy_if_misaligned", "clone_if_misaligned"} and arguments:
                return _type(arguments[0], types)
            base = re.sub(r"_(cuda|cpu|cpu_pinned|xpu|mtia)$", "", name)
            if base not in _TYPE_CALLS or len(arguments) < _TYPE_CALLS[base] + 2:
                return None
            first = _TYPE_CALLS[base]
            dtype = next((ast.unparse(keyword.value) for keyword in keywords if keyword.arg == "dtype"), "")
            if base == "reinterpret_tensor":
                known = _type(arguments[0], types)
                dtype = known.dtype if known else ""
            elif not dtype and len(arguments) > first + 2:
                dtype = ast.unparse(arguments[first + 2])
            shape, stride = _sizes(arguments[first]), _sizes(arguments[first + 1])
            return TensorType(dtype.removeprefix("torch."), shape, stride or contiguous(shape))
    return None


def _aliased(value: ast.expr) -> str:
    """The variable whose memory an expression names: `buf0` for `buf0` and for `reinterpret_tensor(buf0, ...)`; else empty."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Call(func=function, args=[ast.Name(id=name), *_]) if ast.unparse(function) in {
            "reinterpret_tensor",
            "copy_if_misaligned",
        }:
            return name
    return ""


def _sizes(node: ast.expr) -> tuple[Size, ...]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    return tuple(
        e.value if isinstance(e, ast.Constant) and isinstance(e.value, int) else ast.unparse(e) for e in elements
    )
