"""One function of a module's wrapper, statement by statement: the type of every variable, each launch, each extern call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace

from inductor_lab.computation.operators import called
from inductor_lab.read.types import whole
from inductor_lab.records import ExternCall, LaunchArgument, SizeLike, TensorType
from inductor_lab.records.size import contiguous

DEVICES = re.compile(r"_(cuda|cpu|cpu_pinned|xpu|mtia|mps|npu)$")
PRECOMPUTED = re.compile(r"ps\d+")
"""Sizes that the wrapper works out once (`precomputed_replacements` in torch/_inductor/sizevars.py)."""
MADE_FROM = {
    "empty_strided": (0, 1, 2),
    "rand_strided": (0, 1, 2),
    "empty_strided_p2p": (0, 1, 2),
    "empty": (0, None, None),
    "zeros": (0, None, None),
    "alloc_from_pool": (3, 4, 2),
    "generate_example_value": (0, 1, 3),
    "_make_strided_tensor": (0, 1, 3),
}
"""What makes a tensor -> the positions of its shape, strides and dtype; strides that are not told are contiguous ones."""
VIEWS = {"reinterpret_tensor", "as_strided", "_reinterpret_tensor"}
"""Calls that give the memory of their first argument another shape: it comes second, the strides third."""
SAME = {"copy_if_misaligned", "clone_if_misaligned", "copy_misaligned"}
"""Calls that give their first argument back, at times copied."""
EXTERN = ("extern_kernels.", "torch.ops.", "aten.", "inductor_ops.", "_quantized.", "torch._scaled_mm")
"""What the names of functions that are no generated kernels begin with."""
RESULT = "out"
"""The keyword by which a library is told the buffer to write."""
_IN_PLACE = re.compile(r"(torch\.ops\.)?\w+\.\w*[^\W_]_(\.|$)")
"""An operator that writes its first argument: `aten.scatter_reduce_.two`."""
NOT_PASSED = {"grid", "stream", "num_warps", "num_stages"}
"""Keywords of `.run(` that are no arguments of the kernel."""


@dataclass(frozen=True)
class Run:
    """One `.run(` call, less the stream and the grid."""

    name: str
    values: tuple[LaunchArgument, ...]
    """Named by position, `0`, `1` ..., or by keyword; the kernel's signature gives the real names."""
    line: int


@dataclass
class Wrapper:
    """Walks the statements of one function in order."""

    types: dict[str, TensorType]
    foreign: set[str]
    """Names of kernels that are not Triton: C++, CUTLASS, Metal, Halide ..."""
    storage: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    """What the wrapper computes before a launch: `triton_poi_fused_0_xnumel` is `s77*s77`, `ps0` is `s77 // 2`."""
    runs: list[Run] = field(default_factory=list)
    calls: list[ExternCall] = field(default_factory=list)
    results: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Variable -> the number of the library call that it is the result of, and which part: `buf4 = buf3[0]` is part `0` of buf3's."""

    @property
    def externs(self) -> list[ExternCall]:
        """The library calls, with what came of each, once every statement was read."""
        return [replace(call, outputs=self.outputs(number, call)) for number, call in enumerate(self.calls)]

    def outputs(self, number: int, call: ExternCall) -> tuple[LaunchArgument, ...]:
        """The parts of a result that are used; the whole where none is taken out of it."""
        told = [a for a in call.arguments if a.name == RESULT]
        if _IN_PLACE.match(call.target):
            told = told or [a for a in call.arguments[:1] if a.storage]
        found = [(part, variable) for variable, (of, part) in self.results.items() if of == number]
        chosen = [one for one in found if one[0]] or found
        made = [LaunchArgument(part, v, self.types.get(v), self.storage.get(v, v)) for part, v in chosen]
        return tuple(told or made)

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    continue  # read on its own
                case ast.With(body=body) | ast.AsyncWith(body=body):
                    self.read(body)
                case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
                    self.read(body + orelse)
                case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
                    self.call(test)
                    self.read(body)
                    self.read(orelse)
                case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
                    self.read([*body, *(inner for handler in handlers for inner in handler.body), *orelse, *last])
                case ast.Match(cases=cases):
                    self.read([inner for case in cases for inner in case.body])
                case ast.Assign(value=ast.Tuple(elts=values)):
                    for value in values:
                        self.call(value)
                case ast.AnnAssign(value=ast.expr() as value):
                    self.call(value)
                case ast.Assign(targets=[target], value=value):
                    before = len(self.calls)
                    self.call(value)
                    if isinstance(target, ast.Name):
                        self.assign(target.id, value)
                        self.result(target.id, value, before)
                case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                    self.call(value)

    def assign(self, name: str, value: ast.expr) -> None:
        made = tensor_type(value, self.types)
        if made:
            self.types[name] = made
        else:
            self.types.pop(name, None)
        if "numel" in name or PRECOMPUTED.fullmatch(name):
            self.sizes[name] = ast.unparse(value)
        base = _aliased(value)
        self.storage[name] = self.storage.get(base, base) if base else name

    def result(self, name: str, value: ast.expr, before: int) -> None:
        """Whether a variable is what a library call gave, or a part of it."""
        match value:
            case ast.Call() if len(self.calls) > before:
                self.results[name] = (before, "")
            case ast.Subscript(value=ast.Name(id=whole), slice=ast.Constant(value=int(part))) if whole in self.results:
                self.results[name] = (self.results[whole][0], str(part))

    def library(self, function: str, call: ast.Call) -> None:
        arguments = tuple(self.passed(*one) for one in given(call))
        self.calls.append(ExternCall(function, "", call.lineno, arguments))

    def fold(self, workspace: str, call: ast.Call, lines: ast.Call) -> None:
        """What groups of rows left in a workspace, a line each, is folded to one line: `ws[...].view(512, 4096).sum(dim=0)`."""
        assert isinstance(call.func, ast.Attribute)
        known = self.types.get(workspace)
        shape = _sizes(ast.Tuple(lines.args))
        type_ = TensorType(known.dtype if known else "", shape, contiguous(shape))
        folded = LaunchArgument("0", ast.unparse(lines), type_, self.storage.get(workspace, workspace))
        self.calls.append(ExternCall(f"aten.{call.func.attr}", "", call.lineno, (folded, LaunchArgument("dim", "0"))))

    def call(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Call):
            return
        function = ast.unparse(value.func)
        name = function.rpartition(".")[0]
        if function in self.foreign or name in self.foreign:
            self.library(function, value)
        elif is_launch(value):
            self.runs.append(Run(name, tuple(self.passed(*one) for one in given(value, NOT_PASSED)), value.lineno))
        elif function.startswith(EXTERN):
            self.library(function, value)
        elif (fold := _fold(value)) is not None:
            self.fold(*fold)
        elif function == "assert_size_stride" and len(value.args) >= 3:
            self.asserted(value.args[0], value.args[1], value.args[2])
        elif function == "assert_size_stride_grouped" and len(value.args) >= 3:
            groups = [a.elts for a in value.args[:3] if isinstance(a, (ast.Tuple, ast.List))]
            if len(groups) == 3:
                for tensor, shape, stride in zip(*groups, strict=False):
                    self.asserted(tensor, shape, stride)
        elif function == "assert_tensor_metadata" and len(value.args) >= 4:  # of what a library returned, from 2.14 on
            tensor, shape, stride, dtype = value.args[:4]
            self.asserted(tensor, shape, stride, ast.unparse(dtype).removeprefix("torch."))

    def passed(self, name: str, argument: ast.expr) -> LaunchArgument:
        text = ast.unparse(argument)
        base = _aliased(argument)
        storage = self.storage.get(base, base) if base else self.storage.get(text, text)
        return LaunchArgument(name, self.sizes.get(text, text), tensor_type(argument, self.types), storage)

    def asserted(self, tensor: ast.expr, shape: ast.expr, stride: ast.expr, dtype: str = "") -> None:
        if isinstance(tensor, ast.Name):
            known = self.types.get(tensor.id)
            self.types[tensor.id] = TensorType(dtype or (known.dtype if known else ""), _sizes(shape), _sizes(stride))


def is_launch(call: ast.Call) -> bool:
    """`KERNEL.run(...)`. A harness launches with `*args`: it times the kernel, and is no part of the model."""
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "run"
    return named and not any(isinstance(argument, ast.Starred) for argument in call.args)


def given(call: ast.Call, without: Set[str] = frozenset()) -> Iterator[tuple[str, ast.expr]]:
    """What a call is passed, by position, `0`, `1` ..., or by keyword, but for some keywords."""
    yield from ((str(position), argument) for position, argument in enumerate(call.args))
    yield from ((k.arg, k.value) for k in call.keywords if k.arg and k.arg not in without)


def is_alias(call: ast.Call) -> bool:
    """Whether a call gives the memory of its first argument: a view of it, or itself."""
    return called(call) in VIEWS | SAME


def tensor_type(value: ast.expr, types: dict[str, TensorType]) -> TensorType | None:
    """The type of an expression of the wrapper; an empty dtype where only the shape is told."""
    match value:
        case ast.Name(id=name):
            return types.get(name)
        case ast.Call(func=ast.Attribute(attr="view"), args=[told]) if (fold := _fold(value)) is not None:
            known = types.get(fold[0])
            return TensorType(known.dtype if known else "", _sizes(told), contiguous(_sizes(told)))
        case ast.Call(args=[first, *_] as arguments, keywords=keywords):
            name = called(value)
            if name in SAME:
                return tensor_type(first, types)
            if name in VIEWS and len(arguments) >= 3:
                known = tensor_type(first, types)
                return TensorType(known.dtype if known else "", _sizes(arguments[1]), _sizes(arguments[2]))
            places = MADE_FROM.get(DEVICES.sub("", name))
            if places is None:
                return None
            at = [arguments[place] if place is not None and place < len(arguments) else None for place in places]
            if at[0] is None:
                return None
            named = next((keyword.value for keyword in keywords if keyword.arg == "dtype"), at[2])
            shape = _sizes(at[0])
            strides = _sizes(at[1]) if at[1] is not None else ()
            dtype = ast.unparse(named).removeprefix("torch.") if named is not None else ""
            return TensorType(dtype, shape, strides or contiguous(shape))
    return None


def _fold(value: ast.expr) -> tuple[str, ast.Call, ast.Call] | None:
    """The workspace of `ws[a : b].view(512, 4096).sum(dim=0).view([4096])`, its fold and the lines that are folded (mix-order reductions, 2.10 on)."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="view")) if _fold(inner) is not None:
            return _fold(inner)
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=workspace)), attr="view")
                ) as lines
            ),
            args=[],
            keywords=[ast.keyword(arg="dim")],
        ):
            return workspace, value, lines
    return None


def _aliased(value: ast.expr) -> str:
    """The variable whose memory an expression names: `buf0` for `buf0` and for `reinterpret_tensor(buf0, ...)`; else empty."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Call(args=[ast.Name(id=name), *_]):
            return name if is_alias(value) else ""
    return ""


def _sizes(node: ast.expr) -> tuple[SizeLike, ...]:
    elements = (
        node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node] if isinstance(node, ast.Constant) else []
    )
    told = map(whole, elements)
    return tuple(e.value if isinstance(e, ast.Constant) and isinstance(e.value, int) else ast.unparse(e) for e in told)
