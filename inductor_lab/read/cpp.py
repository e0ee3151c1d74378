"""What cpp_wrapper and AOTInductor write: a C++ wrapper, and the Triton sources before it or inside it.

    r\"""Compile-time auto-tuning block: ...                       cpp_wrapper that tunes at compile time, the default of 2.11
    NAME = async_compile.triton('NAME', \'\'\' ... \'\'\', device_str='cuda') ... NAME.run(...)\"""

    static const char* NAME_source = R"TRITON(                     cpp_wrapper that tunes when it runs, the default from 2.12 on
    async_compile.triton('NAME', \'\'\' ... \'\'\', device_str='cuda')
    )TRITON";

    static inline void call_NAME(...) { /*                         AOTInductor
    async_compile.triton('NAME', \'\'\' ... \'\'\', device_str='cuda') */

    call_NAME(buf3, arg1_1, 256L, 64L, 0, stream0);                each launch, of all three

A wrapper that was written in the second of two passes has no sources: those stand in what the first wrote. What the auto-tuning block launches is
made up, and no launch of the model. The layout is that of torch/_inductor/codegen/cpp_wrapper_gpu.py, 2.11 to 2.15. Shapes come from the arrays that
the wrapper makes tensors with, from its checks of its inputs and from what it says of its constants.
"""

from __future__ import annotations

import ast
import re
import textwrap
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from inductor_lab.read.module import Definition, Module, assigned, definitions, made_by_harness, tensor_types
from inductor_lab.read.syntax import parse_prefix
from inductor_lab.read.types import size, split, tensor_type
from inductor_lab.read.wrapper import RESULT, Run
from inductor_lab.records import ExternCall, LaunchArgument, SizeLike, TensorType

_MARKS = re.compile(
    r'#include <torch/(?!csrc/inductor/cpp_prefix)|AOTI_TORCH_ERROR_CODE_CHECK|cpp_wrapper_src|\A\s*r?"""\s*Compile-time auto-tuning block'
)
"""What only a wrapper has: a kernel for the CPU, inside a wrapper in Python, is C++ as well, and includes `cpp_prefix.h`."""
_BLOCK = re.compile(r'\A\s*r?"""\s*Compile-time auto-tuning block:.*\n(?P<python>(?:.*\n)*?)(?:"""|\Z)')
"""The docstring that is the auto-tuning block. Quotes inside it are escaped."""
_SYMBOL = re.compile(r"^ *int64_t [su]\d+ = ", re.MULTILINE)
"""A size that is known when it runs: the Python around the wrapper has a number for it."""
_HARNESS = re.compile(r"^def (?:get_args|make_inputs)\(", re.MULTILINE)
"""Where the Python begins that makes the inputs, behind the C++: by name, or in order where AOTInductor's first wrapper is run once."""
_DEFINITION = re.compile(
    r"^[ \t]*async_compile\.triton\('(?P<name>\w+)', '''(?P<text>.*?)'''", re.MULTILINE | re.DOTALL
)
_VARIABLE = re.compile(
    r'(?P<variable>\w+)_source = R"TRITON\(\s*\Z|void call_(?P<function>\w+)\([^{}]*\{\s*/\*\s*\Z', re.ASCII
)
"""What stands directly above a definition, in its two layouts inside the C++."""
_ABOVE = 4000
"""Characters of the head of a function that launches, at most: one line for each argument."""
_EVENT = re.compile(
    r"int64_t (?P<array>int_array_\w+)\[\] = \{(?P<sizes>[^}]*)\}"
    r"|assert_size_stride\((?P<input>\w+), \{(?P<shape>[^}]*)\}, \{(?P<stride>[^}]*)\}"
    r"|aoti_torch_empty_strided\w*\(\w+, (?P<made_shape>\w+), (?P<made_stride>\w+), cached_torch_dtype_(?P<dtype>\w+),[^;\n]*&(?P<made>\w+?)(?:_handle)?\)"
    r"|(?:auto|RAIIAtenTensorHandle) (?P<alias>\w+)(?: = |\()(?P<from>std::move\(\w+\)|(?:wrap_with_raii|reinterpret_tensor)\w*\([^;\n]*)"
    r"|aoti_torch_assign_tensors_out\((?P<outer>\w+), &(?P<inner>\w+)_handle\)"
    r"|constants_info_\[\d+\]\.name = \"(?P<constant>\w+)\"(?P<told>(?:;\s*constants_info_\[\d+\]\.(?!name\b)\w+ = [^;\n]*)*)"
    r"|int32_t (?P<checked>\w+)_expected_dtype = aoti_torch_dtype_(?P<expected>\w+)\("
    r"|if \((?P<extent>\d+) != (?P<of>\w+)_(?P<which>size|stride)\[(?P<dimension>\d+)\]\)"
    r"|int64_t (?P<symbol>\w*numel\w*|ps\d+|u\d+) = (?P<value>[^;\n]+);"
    r"|(?:^[ \t]*(?:kernels\.)?(?=triton_)|(?<!void )\bcall_)(?P<launched>\w+)\((?P<arguments>[^;{}]{0,20000})\);"
    r"|aoti_torch_call_dispatcher\(\"(?P<operator>\w+::\w+)\", \"(?P<overload>\w*)\""
    r"|PyTuple_SetItem\(\w+, 0, PyUnicode_FromString\(\"(?P<python>[\w.:]+)\"\)\)"
    r"|(?P<extern>aoti_torch_(?:cuda|cpu|xpu|proxy_executor)_\w+)\(",
    re.MULTILINE,
)
_CONSTANT = re.compile(r"\.(?P<key>dtype|shape|stride) = (?:cached_torch_dtype_)?\{?(?P<value>[^;\n}]*)")
_NO_EXTERN = re.compile(r"_(?:guard|stream|device|create|delete|get|set)\w*$")
_WRAPPED = re.compile(
    r"(?:wrap_with_raii_handle_if_needed\()?\w*reinterpret_tensor\w*\((?P<base>\w+), \d+, (?P<shape>\w+), (?P<stride>\w+),"
)
_CAST = re.compile(r"static_cast<int\w+>(?=\()|\bc10::(?=div_floor_integer)")
_ARITHMETIC = re.compile(r"\w\)* ?[-+*/] ?\(*\w|\bdiv_floor_integer\(")
BRACKETS = "()[]{}<>"
_STREAM = re.compile(r"(?:raw_)?stream\d*")
_INPUT = re.compile(r"auto (?P<name>\w+) = std::move\(inputs\[(?P<number>\d+)\]\);")
_KINDS = {"arg": "inference", "primals": "forward", "tangents": "backward"}
"""How AOTAutograd calls inputs -> of what graph they are; a backward has its forward's too."""


_CALLED = re.compile(r"(?P<void>void\s+)?\bcall_(?P<name>\w+)\(")
_END = re.compile(r"^call = |^def call\(|^def main\(", re.MULTILINE)
"""What the Python behind a wrapper has; `main` where it is run once, to tune."""


def is_cpp(text: str) -> bool:
    """True for a C++ wrapper, alone or inside the Python module that loads it."""
    return _MARKS.search(text) is not None


def read_module(text: str) -> Module:
    """Kernels, launches and calls of a C++ wrapper."""
    module = Module(_graph_id(text), _kind(text), in_cpp=True)
    inputs: dict[str, TensorType] = {}
    block = _BLOCK.match(text)
    if block:
        first = text.count("\n", 0, block.start("python"))
        python = block["python"].replace('\\"\\"\\"', '"""')
        tree, problems, _ = parse_prefix(python)
        module.problems.extend((line + first, message) for line, message in problems)
        found = definitions(tree, python.split("\n"))
        module.definitions.extend(replace(one, line=one.line + first) for one in found)
        inputs.update(_made_up(tree))
        text = "\n" * block[0].count("\n") + text[block.end() :]  # what follows stays in its line
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    for match in _DEFINITION.finditer(text):
        line = bisect_right(starts, match.start("name"))
        module.definitions.append(Definition(_called(text, match), _source(match["text"]), (), line))
    wrapper = _DEFINITION.sub(lambda match: "\n" * match[0].count("\n"), text)
    inputs.update(_given(wrapper))
    dtypes = {name: type_.dtype for name, type_ in inputs.items()}
    if _SYMBOL.search(wrapper):
        inputs = _claimed(module, wrapper)
    _Wrapper(module, inputs, dtypes).read(wrapper)
    names = {one.name for one in module.definitions} | {run.name for run in module.runs}
    module.problems.extend((*_missed_calls(wrapper, names, module.runs), *_unfinished(text)))
    return module


def _missed_calls(text: str, names: Collection[str], runs: Iterable[Run]) -> Iterator[tuple[int, str]]:
    """Calls of `call_NAME`, less its definition, that are not among the launches that were read."""
    found = Counter(match["name"] for match in _CALLED.finditer(text) if not match["void"])
    read = Counter(run.name for run in runs)
    for name in names:
        if found[name] > read[name]:
            first = next(match for match in _CALLED.finditer(text) if match["name"] == name and not match["void"])
            line = text.count("\n", 0, first.start()) + 1
            yield line, f"{name} is called {found[name]} times, and {read[name]} launches were read"


def _unfinished(text: str) -> Iterator[tuple[int, str]]:
    """A wrapper that ends within its entry, or within the Python around it."""
    if "cpp_wrapper_src" in text:
        whole = _END.search(text) is not None
    else:
        begun = max(text.rfind("::run_impl("), text.rfind("inductor_entry_impl("))
        whole = begun < 0 or "\n}" in text[begun:]
    if not whole:
        yield text.rstrip().count("\n") + 1, "the module is not whole: its end is missing; what stands before was read"


def _given(wrapper: str) -> dict[str, TensorType]:
    """The wrapper's inputs, as the Python behind it makes them."""
    harness = _HARNESS.search(wrapper)
    if harness is None:
        return {}
    tree = parse_prefix(wrapper[harness.start() :])[0]
    match tree.body[:1]:
        case [ast.FunctionDef(name="make_inputs", body=[ast.Return(value=ast.List(elts=values))])]:
            made = {str(number): tensor_type(value, {}) for number, value in enumerate(values)}
            named = {match["name"]: made.get(match["number"]) for match in _INPUT.finditer(wrapper)}
            return {name: type_ for name, type_ in named.items() if type_}
    return tensor_types(made_by_harness(tree))


def _claimed(module: Module, wrapper: str) -> dict[str, TensorType]:
    """The wrapper's inputs as the kernels' comments have them, with their symbols."""
    names = {match["name"] for match in _INPUT.finditer(wrapper)}
    nodes = (node for definition in module.definitions for node in definition.claim.fragment)
    found = {node.name: node.type for node in nodes if node.target == "placeholder" and node.name in names}
    return {
        name: _type(type_.dtype, _listed(type_.shape), _listed(type_.stride)) for name, type_ in found.items() if type_
    }


def _made_up(tree: ast.Module) -> dict[str, TensorType]:
    """What the auto-tuning block makes to stand for the model's tensors: of what a library returns it alone may tell the sizes."""
    return tensor_types(assigned(tree.body))


def _called(text: str, definition: re.Match[str]) -> str:
    """What a definition's launches are called: a kernel of the user's stands under one name for each set of its constants."""
    found = _VARIABLE.search(text[max(0, definition.start() - _ABOVE) : definition.start()])
    return (found["variable"] or found["function"]) if found else definition["name"]


def _source(written: str) -> str:
    """The text of a string, as Python has it that reads it; a comment is indented."""
    written = textwrap.dedent(written)
    if "\\" not in written:
        return written
    try:
        return str(ast.literal_eval(f"'''{written}'''"))
    except (SyntaxError, ValueError):
        return written


def _graph_id(text: str) -> str:
    found = re.search(r"AOT ID: \['(?P<id>[\w.]+)'\]", text)
    return found["id"] if found else ""


def _kind(text: str) -> str:
    """`inference`, `forward` or `backward`, by what its inputs are called; AOTInductor's are for inference alone."""
    if "AOTInductorModel::" in text:
        return "inference"
    found = {_KINDS.get(match["name"].partition("_")[0].rstrip("0123456789"), "") for match in _INPUT.finditer(text)}
    return next((kind for kind in ("backward", "forward", "inference") if kind in found), "unknown")


@dataclass
class _Check:
    """What a wrapper asks of one of its inputs before it runs."""

    dtype: str = ""
    size: dict[int, str] = field(default_factory=dict)
    stride: dict[int, str] = field(default_factory=dict)

    @property
    def type(self) -> TensorType | None:
        """None where a dimension may be any: the check of it is another."""
        order = range(len(self.size))
        if not set(self.size) == set(self.stride) == set(order):
            return None
        shape, stride = (_listed(told[dimension] for dimension in order) for told in (self.size, self.stride))
        return _type(self.dtype, shape, stride)


class _Wrapper:
    """Goes through the wrapper's statements in order, and remembers the type of every variable."""

    def __init__(self, module: Module, given: dict[str, TensorType], dtypes: dict[str, str]) -> None:
        """Args:
        given: Types that are known before the wrapper's first statement.
        dtypes: Of tensors whose sizes the wrapper tells.
        """
        self.module = module
        self.arrays: dict[str, str] = {}
        self.types = dict(given)
        self.dtypes = dtypes
        self.storage: dict[str, str] = {}
        self.symbols: dict[str, str] = {}
        """What the wrapper works out before a launch."""
        self.checks: defaultdict[str, _Check] = defaultdict(_Check)

    def read(self, text: str) -> None:
        line, last = 1, 0
        for match in _EVENT.finditer(text):
            line, last = line + text.count("\n", last, match.start()), match.start()
            if match["array"]:
                self.arrays[match["array"]] = match["sizes"]
            elif match["input"]:
                self.types[match["input"]] = _type(self.dtype(match["input"]), match["shape"], match["stride"])
            elif match["made"]:
                shape, stride = self.arrays.get(match["made_shape"], ""), self.arrays.get(match["made_stride"], "")
                self.types[match["made"]] = _type(match["dtype"], shape, stride)
            elif match["from"]:
                self.alias(match["alias"], match["from"].removeprefix("std::move(").rstrip(")"))
            elif match["outer"]:
                self.alias(match["inner"], match["outer"])
            elif match["constant"]:
                told = {one["key"]: one["value"] for one in _CONSTANT.finditer(match["told"])}
                self.types[match["constant"]] = _type(
                    told.get("dtype", ""), told.get("shape", ""), told.get("stride", "")
                )
            elif match["checked"]:
                self.checks[match["checked"]].dtype = match["expected"]
            elif match["extent"]:
                check = self.checks[match["of"]]
                (check.size if match["which"] == "size" else check.stride)[int(match["dimension"])] = match["extent"]
            elif match["symbol"]:
                self.symbols[match["symbol"]] = _plain(match["value"])
            elif match["launched"]:
                self.launch(match["launched"], match["arguments"], line)
            elif match["operator"]:
                name = f"torch.ops.{match['operator'].replace('::', '.')}.{match['overload'] or 'default'}"
                self.module.externs.append(ExternCall(name, "", line))
            elif match["python"]:
                self.module.externs.append(ExternCall(match["python"], "", line))
            elif not _NO_EXTERN.search(match["extern"]):
                self.library(match["extern"], _between(text, match.end()), line)
        # The type of what a call makes is told behind it.
        for number, call in enumerate(self.module.externs):
            outputs = tuple(replace(one, type=one.type or self.types.get(one.value)) for one in call.outputs)
            self.module.externs[number] = replace(call, outputs=outputs)

    def alias(self, name: str, value: str) -> None:
        """Another name for a tensor, or for its memory seen with other sizes."""
        known = self.argument("", value)
        self.storage[name] = known.storage
        if known.type:
            self.types[name] = known.type

    def dtype(self, name: str) -> str:
        """Of an input, whose sizes are told elsewhere."""
        known = self.types.get(name)
        told = known.dtype if known else self.dtypes.get(name, "")
        return told or (self.checks[name].dtype if name in self.checks else "")

    def launch(self, name: str, arguments: str, line: int) -> None:
        values = split(arguments, BRACKETS)
        behind = next((n for n, value in enumerate(values) if value == "this->device_idx_"), len(values))
        values = values[:behind]
        if values and _STREAM.fullmatch(values[-1]):  # `..., 0, stream0`: the device, and the stream
            values = values[:-2]
        found = (self.argument(str(position), value) for position, value in enumerate(values))
        self.module.runs.append(Run(name, tuple(found), line))

    def library(self, name: str, arguments: str, line: int) -> None:
        """A call of a function that stands for an operator: what it writes is its first argument, or comes back behind a `&`."""
        values = split(arguments, BRACKETS)
        made = [value[1:].removesuffix("_handle") for value in values if re.fullmatch(r"&\w+_handle", value)]
        given = [value for value in values if not value.startswith("&")]
        out = given[:1] if name.endswith("_out") else []
        passed = [self.argument(str(position), value) for position, value in enumerate(given[len(out) :])]
        told = [self.argument(RESULT, value) for value in out]
        results = [self.argument(str(part) if len(made) > 1 else "", value) for part, value in enumerate(made)]
        self.module.externs.append(ExternCall(name, "", line, (*passed, *told), tuple(told or results)))

    def argument(self, name: str, value: str) -> LaunchArgument:
        wrapped = _WRAPPED.match(value)
        if wrapped:
            base = wrapped["base"]
            shape, stride = self.arrays.get(wrapped["shape"], ""), self.arrays.get(wrapped["stride"], "")
            return LaunchArgument(name, value, _type(self.dtype(base), shape, stride), self.storage.get(base, base))
        if re.fullmatch(r"-?\d+L*", value):
            value = value.rstrip("L")
            return LaunchArgument(name, value, None, value)
        type_ = self.types.get(value) or (self.checks[value].type if value in self.checks else None)
        return LaunchArgument(name, self.symbols.get(value, _plain(value)), type_, self.storage.get(value, value))


def _plain(expression: str) -> str:
    """A size as a wrapper in Python has it: `64 * s77` for `64L*s77`, and an operator for a division that rounds down."""
    expression = _CAST.sub("", re.sub(r"(\d)L+\b", r"\1", expression))
    if not _ARITHMETIC.search(expression):
        return expression
    try:
        return ast.unparse(_Divisions().visit(ast.parse(expression, mode="eval").body))
    except SyntaxError:
        return expression


class _Divisions(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="div_floor_integer"), args=[above, below]):
                return ast.BinOp(above, ast.FloorDiv(), below)
        return node


def _type(dtype: str, shape: str, stride: str) -> TensorType:
    """C++ writes `256L, 64L`, and a trailing comma after one size."""
    return TensorType(dtype, *(tuple(size(_plain(item)) for item in split(one, BRACKETS)) for one in (shape, stride)))


def _listed(extents: Iterable[SizeLike]) -> str:
    return ", ".join(map(str, extents))


def _between(text: str, start: int) -> str:
    """What stands between a bracket, just before `start`, and the one that closes it."""
    depth = 1
    for bracket in re.compile(r"[()]").finditer(text, start, start + 20000):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return text[start : bracket.start()]
    return ""
