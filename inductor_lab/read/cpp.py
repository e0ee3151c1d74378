"""What cpp_wrapper and AOTInductor write: a C++ wrapper with the Triton sources inside it, as raw strings or as comments.

    static const char* NAME_source = R"TRITON(\\n async_compile.triton('NAME', \'\'\' ... \'\'\', device_str='cuda') \\n)TRITON";     2.11 to 2.13
    static inline void call_NAME(...) { /* \\n async_compile.triton('NAME', \'\'\' ... \'\'\', device_str='cuda') \\n */             2.8, AOTInductor
    call_NAME(buf3, arg1_1, 256L, 64L, 0, stream0);                                                                        each launch

The layout is that of torch/_inductor/codegen/cpp_wrapper_gpu.py. Shapes come from the arrays that the wrapper makes tensors with.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right

from inductor_lab.read.completeness import missed_calls, unfinished_cpp
from inductor_lab.read.module import Definition, Module, Run
from inductor_lab.read.types import sizes
from inductor_lab.records import ExternCall, LaunchArgument, TensorType

_MARKS = re.compile(r"#include <torch/(?!csrc/inductor/cpp_prefix)|AOTI_TORCH_ERROR_CODE_CHECK|cpp_wrapper_src")
"""What only a wrapper has: a kernel for the CPU, inside a wrapper in Python, is C++ as well, and includes `cpp_prefix.h`."""
_DEFINITION = re.compile(
    r"^[ \t]*async_compile\.triton\('(?P<name>\w+)', '''(?P<text>.*?)'''", re.MULTILINE | re.DOTALL
)
_VARIABLE = re.compile(
    r'(?P<variable>\w+)_source = R"TRITON\(\s*\Z|void call_(?P<function>\w+)\([^{}]*\{\s*/\*\s*\Z', re.ASCII
)
"""What stands directly above a definition, in its two layouts."""
_ABOVE = 4000
"""Characters of the head of a function that launches, at most: one line for each argument."""
_EVENT = re.compile(
    r"int64_t (?P<array>int_array_\w+)\[\] = \{(?P<sizes>[^}]*)\}"
    r"|assert_size_stride\((?P<input>\w+), \{(?P<shape>[^}]*)\}, \{(?P<stride>[^}]*)\}"
    r"|aoti_torch_empty_strided\w*\(\w+, (?P<made_shape>\w+), (?P<made_stride>\w+), cached_torch_dtype_(?P<dtype>\w+),[^;\n]*&(?P<made>\w+?)(?:_handle)?\)"
    r"|auto (?P<reused>\w+) = std::move\((?P<from>\w+)\);"
    r"|(?:^[ \t]*(?:kernels\.)?(?=triton_)|(?<!void )\bcall_)(?P<launched>\w+)\((?P<arguments>[^;{}]{0,20000})\);"
    r"|(?P<extern>aoti_torch_(?:cuda|cpu|xpu|proxy_executor)_\w+)\(",
    re.MULTILINE,
)
_NO_EXTERN = re.compile(r"_(?:guard|stream|device|create|delete|get|set)\w*$")
_WRAPPED = re.compile(r"^\w*reinterpret_tensor\w*\((?P<base>\w+), \d+, (?P<shape>\w+), (?P<stride>\w+),")


def is_cpp(text: str) -> bool:
    """True for a C++ wrapper, alone or inside the Python module that loads it."""
    return _MARKS.search(text) is not None


def read_module(text: str) -> Module:
    """Kernels, launches and calls of a C++ wrapper."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    module = Module(_graph_id(text), "unknown")
    names = set()
    pieces, last = [], 0
    for match in _DEFINITION.finditer(text):
        name = _called(text, match)
        module.definitions.append(
            Definition(name, textwrap.dedent(match["text"]), (), bisect_right(starts, match.start("name")))
        )
        names.add(name)
        pieces += [text[last : match.start()], "\n" * match[0].count("\n")]
        last = match.end()
    wrapper = "".join([*pieces, text[last:]])
    _Wrapper(module, names).read(wrapper)
    module.problems.extend((*missed_calls(wrapper, names, module.runs), *unfinished_cpp(text)))
    return module


def _called(text: str, definition: re.Match[str]) -> str:
    """What a definition's launches are called: a kernel of the user's stands under one name for each set of its constants."""
    found = _VARIABLE.search(text[max(0, definition.start() - _ABOVE) : definition.start()])
    return (found["variable"] or found["function"]) if found else definition["name"]


def _graph_id(text: str) -> str:
    found = re.search(r"AOT ID: \['(?P<id>[\w.]+)'\]", text)
    return found["id"] if found else ""


class _Wrapper:
    """Goes through the wrapper's statements in order, and remembers the type of every variable."""

    def __init__(self, module: Module, names: set[str]) -> None:
        self.module = module
        self.names = names
        self.arrays: dict[str, str] = {}
        self.types: dict[str, TensorType] = {}
        self.storage: dict[str, str] = {}

    def read(self, text: str) -> None:
        line, last = 1, 0
        for match in _EVENT.finditer(text):
            line, last = line + text.count("\n", last, match.start()), match.start()
            if match["array"]:
                self.arrays[match["array"]] = match["sizes"]
            elif match["input"]:
                known = self.types.get(match["input"])
                self.types[match["input"]] = _type(known.dtype if known else "", match["shape"], match["stride"])
            elif match["made"]:
                shape, stride = self.arrays.get(match["made_shape"], ""), self.arrays.get(match["made_stride"], "")
                self.types[match["made"]] = _type(match["dtype"], shape, stride)
            elif match["reused"]:
                self.storage[match["reused"]] = self.storage.get(match["from"], match["from"])
                if match["from"] in self.types:
                    self.types[match["reused"]] = self.types[match["from"]]
            elif match["launched"]:
                self.launch(match["launched"], match["arguments"], line)
            elif not _NO_EXTERN.search(match["extern"]):
                self.module.externs.append(ExternCall(match["extern"], "", line))

    def launch(self, name: str, arguments: str, line: int) -> None:
        if name in self.names:
            found = (self.argument(position, value) for position, value in enumerate(_split(arguments)))
            self.module.runs.append(Run(name, tuple(found), line))

    def argument(self, position: int, value: str) -> LaunchArgument:
        wrapped = _WRAPPED.match(value)
        if wrapped:
            base = wrapped["base"]
            known = self.types.get(base)
            type_ = _type(
                known.dtype if known else "",
                self.arrays.get(wrapped["shape"], ""),
                self.arrays.get(wrapped["stride"], ""),
            )
            return LaunchArgument(str(position), value, type_, self.storage.get(base, base))
        number = re.fullmatch(r"(-?\d+)L?L?", value)
        if number:
            return LaunchArgument(str(position), number[1], None, number[1])
        return LaunchArgument(str(position), value, self.types.get(value), self.storage.get(value, value))


def _type(dtype: str, shape: str, stride: str) -> TensorType:
    """C++ writes `256L, 64L`, and a trailing comma after one size."""
    return TensorType(dtype, sizes(re.sub(r"(\d)L+\b", r"\1", shape)), sizes(re.sub(r"(\d)L+\b", r"\1", stride)))


def _split(arguments: str) -> list[str]:
    """Arguments of one call, split at the commas that stand in no bracket."""
    found, depth, start = [], 0, 0
    for position, letter in enumerate(arguments):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            found.append(arguments[start:position].strip())
            start = position + 1
    return [*found, arguments[start:].strip()] if arguments.strip() else []
