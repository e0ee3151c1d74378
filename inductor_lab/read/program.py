"""A module's wrapper as steps on memory: each launch and library call, what it is passed, and which allocation each variable lies in.

buf1 = empty_strided_cuda((128, 432), (432, 1), torch.float32)
buf2 = reinterpret_tensor(buf1, (128, 16), (432, 1), 16)  # alias     buf2 is a view of buf1
triton_poi_fused_0.run(arg0_1, buf2, 2048, stream=stream0)            a step: it is passed arg0_1, and buf1 from element 16 on
buf3 = buf1; del buf1  # reuse                                        buf3 has buf1's memory
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from inductor_lab.read.module import HARNESS, input_types
from inductor_lab.read.wrapper import EXTERN, NOT_PASSED, Wrapper, given, is_alias, is_launch
from inductor_lab.records import TensorType

MAKES = ("empty", "alloc_from_pool")
QUIET = {
    "assert_size_stride", "assert_alignment", "assert_tensor_metadata", "assert_size_stride_grouped",
    "set_device", "get_raw_stream", "get_cuda_stream", "clear", "record_function", "reset_to_zero",
}  # fmt: skip
"""Calls that do nothing to the graph's tensors."""
SCRATCH = ("workspace", "semaphores")
"""How variables begin that hold what programs of one launch share; a launch clears them."""


@dataclass(frozen=True)
class View:
    """What a variable or an argument is: an allocation, or a part of it in a shape of its own."""

    base: str
    """The variable that first named the memory."""
    shape: str = ""
    """As the text has it, `(128, 16)`; empty for the whole as it was made."""
    stride: str = ""
    offset: str = "0"
    """In elements from where the base begins."""

    @property
    def text(self) -> str:
        """`buf1`, `view(buf1, (128, 16), (432, 1), 16)`."""
        return f"view({self.base}, {self.shape}, {self.stride}, {self.offset})" if self.shape else self.base


@dataclass(frozen=True)
class Passed:
    """One argument."""

    name: str
    """Its position, `0`, or keyword."""
    text: str
    """What is no tensor, as the wrapper has it."""
    view: View | None = None


@dataclass
class WrapperStep:
    """One launch or library call of the wrapper."""

    line: int
    function: str
    """The kernel's variable, or the library's function."""
    launch: bool
    arguments: tuple[Passed, ...]
    target: str = ""
    """The variable that takes the result."""
    parts: dict[int, str] = field(default_factory=dict)
    """Of a result: which part has which variable."""
    barrier: str = ""
    """Why nothing can be moved across it; of what is neither a launch nor a library call."""


@dataclass
class Function:
    """One function that runs a graph, or a part of it."""

    name: str
    steps: list[WrapperStep] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    """Variables that it is given: the graph's inputs, what an earlier partition made."""
    renewed: dict[str, View] = field(default_factory=dict)
    """`buf3 = buf1; del buf1`: a variable that has the memory of one that is gone -> what that was."""
    views: dict[str, View] = field(default_factory=dict)
    types: dict[str, TensorType] = field(default_factory=dict)
    folded: set[str] = field(default_factory=set)
    """Memory of a launch's own that is read behind it: the lines of a mix-order reduction's sums."""
    returned: set[str] = field(default_factory=set)
    """Memory that it returns, by the variable that first named it."""


def program(text: str) -> list[Function]:
    """The functions of a module that launch something, in order.

    Raises:
        SyntaxError: the text is no Python.
    """
    tree = ast.parse(text)
    types = input_types(tree)
    found: list[Function] = []
    for statement in tree.body:
        for node in ast.walk(statement) if not isinstance(statement, ast.If) else ():
            if isinstance(node, ast.FunctionDef) and node.name not in HARNESS and not node.decorator_list:
                function = _Reader(node, types).function
                types |= (
                    function.types if node.name.startswith("partition_") else {}
                )  # the next one is handed what it made
                if function.steps:
                    found.append(function)
    return found


class _Reader:
    """Walks one function's statements."""

    def __init__(self, node: ast.FunctionDef, types: Mapping[str, TensorType]) -> None:
        self.function = Function(node.name)
        self.wrapper = Wrapper(dict(types), set())
        self.wrapper.read(node.body)
        self.function.types = self.wrapper.types
        self.results: dict[str, WrapperStep] = {}
        self.sizes: dict[str, str] = {}
        self._read(node.body)

    def _read(self, body: list[ast.stmt]) -> None:
        for number, statement in enumerate(body):
            following = body[number + 1] if number + 1 < len(body) else None
            match statement:
                case ast.With(body=inner):
                    self._read(inner)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assigned(name, value, following)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Name()):
                    self.function.given |= {one.id for one in targets if isinstance(one, ast.Name)}
                case ast.Expr(value=ast.Call() as call):
                    self._called(call, "")
                case ast.Return(value=ast.expr() as value):
                    self.function.returned |= {self._view(one).base for one in _named(value)}
                case ast.Delete() | ast.Expr() | ast.Return() | ast.Import() | ast.ImportFrom() | ast.Pass():
                    pass
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    self._barrier(statement, f"`{ast.unparse(value)[:60]}` gives several results at once")
                    self.function.given |= {one.id for one in targets if isinstance(one, ast.Name)}
                case _:
                    self._barrier(statement, f"line {statement.lineno} is neither a launch nor a library call")

    def _barrier(self, statement: ast.stmt, why: str) -> None:
        used = tuple(Passed(str(n), "", self._view(name)) for n, name in enumerate(_named(statement)))
        self.function.steps.append(WrapperStep(statement.lineno, "", False, used, barrier=why))

    def _assigned(self, name: str, value: ast.expr, following: ast.stmt | None) -> None:
        views = self.function.views
        match value:
            case ast.Name(id=other):
                gone = isinstance(following, ast.Delete) and other in _named(following)
                self._renamed(name, views.get(other, View(other)), other, gone)
            case ast.Call() if value.args and is_alias(value):
                other = next(iter(_named(value.args[0])), "")
                gone = isinstance(following, ast.Delete) and other in _named(following)
                self._renamed(name, self._viewed(value), other, gone)
            case ast.Subscript(value=ast.Name(id=whole), slice=ast.Constant(value=int(part))) if whole in self.results:
                self.results[whole].parts[part] = name
                views[name] = View(name)
            case ast.Call():
                views[name] = View(name)
                self._called(value, name)
            case _ if name in self.wrapper.sizes:  # one variable in front of every launch of a kernel
                self.sizes[name] = ast.unparse(value)
            case _:
                views[name] = View(name)

    def _renamed(self, name: str, view: View, other: str, gone: bool) -> None:
        """Another name for a memory. Where the old one ends the new one may hold something else: it counts as a memory of its own."""
        if gone and self._view(other) == View(other):
            self.function.renewed[name] = view
            view = View(name)
        self.function.views[name] = view

    def _called(self, call: ast.Call, target: str) -> None:
        function = ast.unparse(call.func)
        owner, _, method = function.rpartition(".")
        if is_launch(call):
            self._step(call, owner, True, target)
        elif function.startswith(EXTERN):
            self._step(call, function, False, target)
        elif method in QUIET or function.startswith(MAKES) or (method == "zero_" and owner.startswith(SCRATCH)):
            pass
        else:
            used = tuple(Passed(str(n), "", self._view(name)) for n, name in enumerate(_named(call)))
            self.function.folded |= {name for name in _named(call) if name.startswith(SCRATCH)}
            why = f"`{function}` is no launch of Inductor's and no library call that is known"
            self.function.steps.append(WrapperStep(call.lineno, function, False, used, target, barrier=why))

    def _step(self, call: ast.Call, function: str, launch: bool, target: str) -> None:
        arguments = tuple(self._passed(*one) for one in given(call, NOT_PASSED if launch else frozenset()))
        step = WrapperStep(call.lineno, function, launch, arguments, target)
        self.function.steps.append(step)
        if target:
            self.results[target] = step

    def _passed(self, name: str, argument: ast.expr) -> Passed:
        text = ast.unparse(argument)
        match argument:
            case ast.Name(id=variable) if self._is_tensor(variable):
                return Passed(name, text, self._view(variable))
            case ast.Call() if is_alias(argument):
                return Passed(name, text, self._viewed(argument))
        return Passed(name, self.sizes.get(text, text))

    def _is_tensor(self, variable: str) -> bool:
        return variable in self.function.views or variable in self.wrapper.types

    def _view(self, variable: str) -> View:
        return self.function.views.get(variable, View(variable))

    def _viewed(self, call: ast.Call) -> View:
        """`reinterpret_tensor(x, shape, stride, offset)`, whose offset counts from where x begins; `copy_if_misaligned(x)`."""
        of = call.args[0]
        inner = self._viewed(of) if isinstance(of, ast.Call) else self._view(ast.unparse(of))
        if len(call.args) < 3:
            return inner
        shape, stride, *rest = map(ast.unparse, call.args[1:])
        return View(inner.base, shape, stride, _sum(inner.offset, rest[0] if rest else "0"))


def _sum(one: str, other: str) -> str:
    if one == "0" or other == "0":
        return other if one == "0" else one
    return str(int(one) + int(other)) if one.isdecimal() and other.isdecimal() else f"{one} + {other}"


def _named(node: ast.AST) -> Iterator[str]:
    """Variables that a statement or an expression says."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
