"""One function of a module's wrapper, walked once: each launch and library call, what it is passed, and which memory each variable lies in.

buf1 = empty_strided_cuda((128, 432), (432, 1), torch.float32)
buf2 = reinterpret_tensor(buf1, (128, 16), (432, 1), 16)  # alias     buf2 is a view of buf1
triton_poi_fused_0.run(arg0_1, buf2, 2048, stream=stream0)            a step: it is passed arg0_1, and buf1 from element 16 on
buf3 = buf1; del buf1  # reuse                                        buf3 has buf1's memory
if arg1_1: extern_kernels.mm(buf3, buf3, out=buf4)                    a barrier, and a library call in it

The catalog lists every launch and library call (`Function.runs`, `Function.externs`); spans are made of the steps.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest

from inductor_lab.read.syntax import blocks
from inductor_lab.read.types import extents, folded_lines, is_alias, tensor_type
from inductor_lab.records import ExternCall, LaunchArgument, TensorType
from inductor_lab.records.size import contiguous

PRECOMPUTED = re.compile(r"ps\d+")
"""Sizes that the wrapper works out once (`precomputed_replacements` in torch/_inductor/sizevars.py)."""
EXTERN = ("extern_kernels.", "torch.ops.", "aten.", "inductor_ops.", "_quantized.", "torch._scaled_mm")
"""What the names of functions that are no generated kernels begin with."""
RESULT = "out"
"""The keyword by which a library is told the buffer to write."""
IN_PLACE = re.compile(r"(torch\.ops\.)?\w+\.\w*[^\W_]_(\.|$)")
"""An operator that writes its first argument: `aten.scatter_reduce_.two`."""
NOT_PASSED = {"grid", "stream", "num_warps", "num_stages"}
"""Keywords of `.run(` that are no arguments of the kernel."""
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
    """As the wrapper has it; a size that it works out before a launch as it does: `s77*s77` for `triton_poi_fused_0_xnumel`."""
    view: View | None = None
    """Of what has a memory."""
    type: TensorType | None = None
    storage: str = ""
    """The variable that first named the memory, also where that one is gone: `buf1` of the view of buf3 above."""

    @property
    def argument(self) -> LaunchArgument:
        """As the catalog has it."""
        return LaunchArgument(self.name, self.text, self.type, self.storage)


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


@dataclass(frozen=True)
class Run:
    """One `.run(` call, less the stream and the grid."""

    name: str
    values: tuple[LaunchArgument, ...]
    """Named by position, `0`, `1` ..., or by keyword; the kernel's signature gives the real names."""
    line: int


@dataclass
class Function:
    """One function that runs a graph, or a part of it."""

    name: str
    types: dict[str, TensorType]
    """Of variables, behind its last statement."""
    steps: list[WrapperStep] = field(default_factory=list)
    """What it does, in order; of a branch or a loop one step, a barrier."""
    launches: list[WrapperStep] = field(default_factory=list)
    """Every launch, inside of branches too."""
    calls: list[WrapperStep] = field(default_factory=list)
    """Every library call, inside of branches too, with the calls of kernels that are not Triton."""
    given: set[str] = field(default_factory=set)
    """Variables that it is given: the graph's inputs, what an earlier partition made."""
    renewed: dict[str, View] = field(default_factory=dict)
    """`buf3 = buf1; del buf1`: a variable that has the memory of one that is gone -> what that was."""
    views: dict[str, View] = field(default_factory=dict)
    storage: dict[str, str] = field(default_factory=dict)
    """Of what was renewed: the variable that first named the memory."""
    folded: set[str] = field(default_factory=set)
    """Memory of a launch's own that is read behind it: the lines of a mix-order reduction's sums."""
    returned: set[str] = field(default_factory=set)
    """Memory that it returns, by the variable that first named it."""

    @property
    def runs(self) -> list[Run]:
        """The launches, as the catalog lists them."""
        return [Run(step.function, tuple(one.argument for one in step.arguments), step.line) for step in self.launches]

    @property
    def externs(self) -> list[ExternCall]:
        """The library calls, with what came of each."""
        return [self._extern(step) for step in self.calls]

    def _extern(self, step: WrapperStep) -> ExternCall:
        """What a call writes: what it is told to, else the parts of its result that are used; the whole where none is taken out of it."""
        arguments = tuple(one.argument for one in step.arguments)
        outputs = [argument for argument in arguments if argument.name == RESULT]
        if not outputs and IN_PLACE.match(step.function):
            outputs = [argument for argument in arguments[:1] if argument.storage]
        if not outputs:
            made = [(str(part), name) for part, name in step.parts.items()] or [("", step.target)]
            outputs = [
                LaunchArgument(part, name, self.types.get(name), self.storage_of(View(name)))
                for part, name in made
                if name
            ]
        return ExternCall(step.function, "", step.line, arguments, tuple(outputs))

    def view(self, variable: str) -> View:
        """What a variable is."""
        return self.views.get(variable, View(variable))

    def storage_of(self, view: View) -> str:
        """The variable that first named its memory."""
        return self.storage.get(view.base, view.base)


class Wrapper:
    """Walks one function's statements in order."""

    def __init__(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, types: Mapping[str, TensorType], foreign: Set[str]
    ) -> None:
        """Args:
        types: Of the variables that it is given.
        foreign: Names of kernels that are not Triton: C++, CUTLASS, Metal, Halide ...
        """
        self.function = Function(node.name, dict(types))
        self.foreign = foreign
        self.sizes: dict[str, str] = {}
        """What the wrapper computes before a launch: `triton_poi_fused_0_xnumel` is `s77*s77`, `ps0` is `s77 // 2`."""
        self.results: dict[str, WrapperStep] = {}
        """Variable -> the call that it is the result of."""
        self._read(node.body)

    def _read(self, body: Sequence[ast.stmt]) -> None:
        for statement, following in zip_longest(body, body[1:]):
            match statement:
                case ast.With(body=inner):
                    self._read(inner)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assigned(name, value, following)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    self.function.given |= {one.id for one in targets if isinstance(one, ast.Name)}
                    if not isinstance(value, ast.Name):
                        self._barrier(statement, f"`{ast.unparse(value)[:60]}` gives several results at once")
                case ast.Expr(value=ast.Call() as call):
                    self._called(call)
                case ast.Return(value=ast.expr() as value):
                    self.function.returned |= {self.function.view(one).base for one in _named(value)}
                    self._count(value)
                case ast.Delete() | ast.Expr() | ast.Return() | ast.Import() | ast.ImportFrom() | ast.Pass():
                    pass
                case _:
                    self._barrier(statement, f"line {statement.lineno} is neither a launch nor a library call")

    def _barrier(self, statement: ast.stmt, why: str) -> None:
        self.function.steps.append(WrapperStep(statement.lineno, "", False, self._used(statement), barrier=why))
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return  # read on its own
        parts = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
        inner = [one for part in parts for block in blocks(part).values() for one in block]
        self._count(getattr(statement, "value", None) or getattr(statement, "test", None), inner)

    def _count(self, value: ast.expr | None, inner: Sequence[ast.stmt] = ()) -> None:
        """Take note of launches and library calls that are no steps: inside of a value, of a branch or a loop."""
        steps, self.function.steps = self.function.steps, []
        for one in value.elts if isinstance(value, ast.Tuple) else [value]:
            if isinstance(one, ast.Call):
                self._called(one)
        self._read(inner)
        self.function.steps = steps

    def _assigned(self, name: str, value: ast.expr, following: ast.stmt | None) -> None:
        type_ = tensor_type(value, self.function.types)
        self.function.storage.pop(name, None)
        match value:
            case ast.Name(id=other):
                self._renamed(name, self.function.view(other), other, following)
            case ast.Call() if value.args and is_alias(value):
                self._renamed(name, self._viewed(value), next(iter(_named(value.args[0])), ""), following)
            case ast.Call():
                self.function.views[name] = View(name)
                self._called(value, name)
            case _ if is_size(name):
                pass
            case _:
                self.function.views[name] = View(name)
                match value:
                    case ast.Subscript(value=ast.Name(id=whole), slice=ast.Constant(value=int(part))):
                        if whole in self.results:
                            self.results[whole].parts[part] = name
                    case ast.Tuple():
                        self._count(value)
        if is_size(name):
            self.sizes[name] = ast.unparse(value)
        if type_:
            self.function.types[name] = type_
        else:
            self.function.types.pop(name, None)

    def _renamed(self, name: str, view: View, other: str, following: ast.stmt | None) -> None:
        """Another name for a memory. Where the old one ends the new one may hold something else: it counts as a memory of its own."""
        function = self.function
        gone = isinstance(following, ast.Delete) and other in _named(following)
        if gone and function.view(other) == View(other):
            function.renewed[name] = view
            function.storage[name] = function.storage_of(view)
            view = View(name)
        function.views[name] = view

    def _called(self, call: ast.Call, target: str = "") -> None:
        function = ast.unparse(call.func)
        owner, _, method = function.rpartition(".")
        foreign = function in self.foreign or owner in self.foreign
        if foreign:
            self._call(WrapperStep(call.lineno, function, False, self._passed(call), target))
        if is_launch(call):
            step = WrapperStep(call.lineno, owner, True, self._passed(call, NOT_PASSED), target)
            self.function.steps.append(step)
            if not foreign:
                self.function.launches.append(step)
                self.results[target] = step
        elif function.startswith(EXTERN):
            step = WrapperStep(call.lineno, function, False, self._passed(call), target)
            self.function.steps.append(step)
            self._call(step)
        elif method in QUIET:
            self._asserted(function, call.args)
        elif not (function.startswith(MAKES) or (method == "zero_" and owner.startswith(SCRATCH))):
            self._fold(call, target)
            self.function.folded |= {name for name in _named(call) if name.startswith(SCRATCH)}
            why = f"`{function}` is no launch of Inductor's and no library call that is known"
            self.function.steps.append(WrapperStep(call.lineno, function, False, self._used(call), target, barrier=why))

    def _call(self, step: WrapperStep) -> None:
        self.function.calls.append(step)
        self.results[step.target] = step

    def _fold(self, call: ast.Call, target: str) -> None:
        """What groups of rows left in a workspace, a line each, is folded to one line: `ws[...].view(512, 4096).sum(dim=0)`."""
        found = folded_lines(call)
        if found is None:
            return
        workspace, operator, lines = found
        known = self.function.types.get(workspace)
        shape = extents(ast.Tuple(lines.args))
        type_ = TensorType(known.dtype if known else "", shape, contiguous(shape))
        storage = self.function.storage_of(self.function.view(workspace))
        folded = Passed("0", ast.unparse(lines), None, type_, storage)
        self._call(WrapperStep(call.lineno, f"aten.{operator}", False, (folded, Passed("dim", "0")), target))

    def _asserted(self, function: str, arguments: Sequence[ast.expr]) -> None:
        """What an assertion says of the types of tensors."""
        match function, arguments:
            case "assert_size_stride", [tensor, shape, stride, *_]:
                self._typed(tensor, shape, stride)
            case "assert_size_stride_grouped", [
                ast.Tuple(elts=tensors) | ast.List(elts=tensors),
                ast.Tuple(elts=shapes) | ast.List(elts=shapes),
                ast.Tuple(elts=strides) | ast.List(elts=strides),
                *_,
            ]:
                for tensor, shape, stride in zip(tensors, shapes, strides, strict=False):
                    self._typed(tensor, shape, stride)
            case "assert_tensor_metadata", [
                tensor,
                shape,
                stride,
                dtype,
                *_,
            ]:  # of what a library returned, from 2.14 on
                self._typed(tensor, shape, stride, ast.unparse(dtype).removeprefix("torch."))

    def _typed(self, tensor: ast.expr, shape: ast.expr, stride: ast.expr, dtype: str = "") -> None:
        if isinstance(tensor, ast.Name):
            known = self.function.types.get(tensor.id)
            dtype = dtype or (known.dtype if known else "")
            self.function.types[tensor.id] = TensorType(dtype, extents(shape), extents(stride))

    def _passed(self, call: ast.Call, without: Set[str] = frozenset()) -> tuple[Passed, ...]:
        """What a call is passed, by position, `0`, `1` ..., or by keyword, but for some keywords."""
        by_name = [(k.arg, k.value) for k in call.keywords if k.arg and k.arg not in without]
        return tuple(self._argument(*one) for one in (*((str(n), one) for n, one in enumerate(call.args)), *by_name))

    def _argument(self, name: str, value: ast.expr) -> Passed:
        function, text = self.function, value.id if isinstance(value, ast.Name) else ast.unparse(value)
        type_ = tensor_type(value, function.types)
        view = None
        match value:
            case ast.Name(id=variable) if variable in function.views or variable in function.types:
                view = function.view(variable)
            case ast.Call() if value.args and is_alias(value):
                view = self._viewed(value)
        return Passed(name, self.sizes.get(text, text), view, type_, function.storage_of(view) if view else text)

    def _used(self, node: ast.AST) -> tuple[Passed, ...]:
        """The variables that a barrier may read or write."""
        return tuple(Passed(str(n), "", self.function.view(name)) for n, name in enumerate(_named(node)))

    def _viewed(self, call: ast.Call) -> View:
        """`reinterpret_tensor(x, shape, stride, offset)`, whose offset counts from where x begins; `copy_if_misaligned(x)`."""
        of = call.args[0]
        inner = self._viewed(of) if isinstance(of, ast.Call) and of.args else self.function.view(ast.unparse(of))
        if len(call.args) < 3:
            return inner
        shape, stride, *rest = map(ast.unparse, call.args[1:])
        return View(inner.base, shape, stride, _sum(inner.offset, rest[0] if rest else "0"))


def is_launch(call: ast.Call) -> bool:
    """`KERNEL.run(...)`. A harness launches with `*args`: it times the kernel, and is no part of the model."""
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "run"
    return named and not any(isinstance(argument, ast.Starred) for argument in call.args)


def is_size(name: str) -> bool:
    """Whether a variable is a size that the wrapper works out before a launch."""
    return "numel" in name or PRECOMPUTED.fullmatch(name) is not None


def _sum(one: str, other: str) -> str:
    if one == "0" or other == "0":
        return other if one == "0" else one
    return str(int(one) + int(other)) if one.isdecimal() and other.isdecimal() else f"{one} + {other}"


def _named(node: ast.AST) -> Iterator[str]:
    """Variables that a statement or an expression says."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
