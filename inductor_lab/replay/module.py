"""A graph's module as a function: the wrapper that Inductor wrote, its kernels given by the caller, on the device that is there.

The module's definitions are executed, its kernels are not: they are texts, compiled elsewhere. Imports of another version of torch that fail are
left out; whoever calls what they would have given is told so. C++ kernels are compiled as they stand.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from inductor_lab.capture import configurations
from inductor_lab.errors import LabError
from inductor_lab.records import Graph

Module = Callable[[list[Any]], Any]
Rewritten = Callable[[ast.Module], ast.Module]
CUDA = re.compile(r"cuda(:\d+)?")
IN_CPP = "AOTI_TORCH_ERROR_CODE_CHECK"
"""What stands around the calls of a wrapper in C++."""
HARNESS = {"get_args", "benchmark_compiled_module", "benchmark_all_kernels"}
"""Functions that time the module or its kernels."""


def runnable(graph: Graph, kernels: Mapping[str, Any], device: str, rewritten: Rewritten = lambda tree: tree) -> Module:
    """The module's `call`: it takes the graph's inputs in a list, which it empties, and returns a tuple.

    Args:
        kernels: What stands under each kernel's name; it has `run`.
        device: `cuda`, or `cpu`, where every tensor lies that the wrapper makes.
        rewritten: Is given the module's tree, and returns what is run.

    Raises:
        LabError: the text is no module of Inductor's.
    """
    names: dict[str, Any] = {"__name__": f"replayed_{graph.id}", "__builtins__": __builtins__, "async_compile": _Cpp}
    for statement in rewritten(parsed(graph)).body:
        if _is_kept(statement):
            placed = statement if device == "cuda" else ast.fix_missing_locations(_OnTheCpu().visit(statement))
            with contextlib.suppress(ImportError, AttributeError):
                code = compile(ast.Module([placed], type_ignores=[]), f"graph {graph.id}", "exec")
                exec(code, names)
    names |= kernels
    names.setdefault("copy_if_misaligned", lambda tensor: tensor)  # newer than torch 2.11; nothing is misaligned here
    if device != "cuda":
        names |= _on_the_cpu()
    if not callable(names.get("call")):
        raise LabError(
            f"the module of graph {graph.id} has no function `call`: Inductor writes one in Python, not in C++"
        )
    return _told(names["call"], graph)


def parsed(graph: Graph) -> ast.Module:
    """The module's text as a tree.

    Raises:
        LabError: the text is no Python, or is around a wrapper in C++.
    """
    if IN_CPP in graph.module:
        raise LabError(
            f"the wrapper of graph {graph.id} is C++, which launches its kernels itself: capture the program without cpp_wrapper, "
            "or under torch.compile in place of AOTInductor, and replay that"
        )
    try:
        return ast.parse(graph.module)
    except SyntaxError as error:
        raise LabError(f"the module of graph {graph.id} is no Python: {error}") from error


def compiled(
    graph: Graph,
    kept: Mapping[str, Mapping[str, int]],
    kernels: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda names: {},
    rewritten: Rewritten = lambda tree: tree,
) -> Module:
    """The module's `call` with its kernels compiled by Inductor, on the card that the text is for; loaded anew, beside those of an earlier call.

    Args:
        kept: The module's name for a kernel -> the configuration that it ran with when it was captured. Inductor tunes the others again, and
            what it keeps of a kernel of a few microseconds is another one each time.
        kernels: Is given the module's names, and returns what stands in their place.
        rewritten: As of `runnable`.
    """
    _forget_kernels()
    names: dict[str, Any] = {"__name__": f"compiled_{graph.id}", "__builtins__": __builtins__}
    tree = rewritten(ast.parse(graph.module))
    for statement in tree.body:
        if not isinstance(statement, ast.If):  # `if __name__ == "__main__"`
            newer = isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("torch.")
            with contextlib.suppress(*[ImportError] * newer):
                exec(compile(ast.Module([statement], type_ignores=[]), f"graph {graph.id}", "exec"), names)
    for name, configuration in kept.items():
        configurations.pin(names[name], configuration)
    names |= kernels(names)
    names["assert_size_stride"] = laid_where_it_is_not(torch._C._dynamo.guards.assert_size_stride)
    names.setdefault("copy_if_misaligned", lambda tensor: tensor)
    return _told(names["call"], graph)


def _forget_kernels() -> None:
    """Have Inductor load each kernel again, and not hand out the one that it has in this process."""
    from torch._inductor.async_compile import CompiledTritonKernels
    from torch._inductor.codecache import PyCodeCache

    CompiledTritonKernels.cache_clear()
    PyCodeCache.cache_clear()


def _told(call: Module, graph: Graph) -> Module:
    """The same; what the module misses here is an error of ours."""

    def run(inputs: list[Any]) -> Any:
        try:
            return call(inputs)
        except (NameError, AttributeError, NotImplementedError) as error:
            here = f"torch {torch.__version__} on {'the GPU' if torch.cuda.is_available() else 'the CPU'}"
            raise LabError(
                f"graph {graph.id} does not run with {here}: {' '.join(str(error).split())[:300]}"
            ) from error

    return run


def _is_kept(statement: ast.stmt) -> bool:
    """Definitions and what they need; no Triton kernel's text, nothing that times the module."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name not in HARNESS
    if isinstance(statement, ast.Assign):
        compiles = any(
            isinstance(node, ast.Name) and node.id in ("async_compile", "AsyncCompile")
            for node in ast.walk(statement.value)
        )
        return not compiles or ast.unparse(statement.value).startswith("async_compile.cpp_pybinding(")
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.ClassDef))


class _Cpp:
    """Compiles a module's C++ kernels, which compute scalars on the CPU beside the card, as Inductor does."""

    @staticmethod
    def cpp_pybinding(arguments: list[str], text: str) -> Any:
        from torch._inductor.codecache import CppPythonBindingsCodeCache

        return CppPythonBindingsCodeCache.load_pybinding(arguments, text)


class _OnTheCpu(ast.NodeTransformer):
    """`device='cuda:0'` and `device(type='cuda', index=0)` are the CPU."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and CUDA.fullmatch(node.value):
            return ast.copy_location(ast.Constant("cpu"), node)
        return node


def _on_the_cpu() -> dict[str, Any]:
    """What the wrapper calls on a card, and what stands for it where there is none."""
    nothing = contextlib.nullcontext()

    class Cuda:
        _DeviceGuard = staticmethod(lambda index: nothing)
        device = staticmethod(lambda index: nothing)
        set_device = synchronize = staticmethod(lambda *index: None)

    class Torch:
        """torch, but that it has such a card."""

        cuda = Cuda()

        def __getattr__(self, name: str) -> Any:
            return getattr(torch, name)

    empty = torch._C._dynamo.guards._empty_strided_cpu
    return {
        "torch": Torch(),
        "assert_size_stride": laid_where_it_is_not(torch._C._dynamo.guards.assert_size_stride),
        "empty_strided_cuda": empty,
        "get_raw_stream": lambda index: 0,
        "get_cuda_stream": lambda index: 0,
        "triton_helpers": SimpleNamespace(set_driver_to_gpu=lambda: None),
    }


def laid_where_it_is_not(check: Callable[..., None]) -> Callable[..., None]:
    """The wrapper's check of where a tensor lies, which lays what lies otherwise as it lay where the module was compiled.

    So does a convolution's result on the CPU, and on a card where the module was compiled for a virtual one: cuDNN can not be asked there.
    """

    def laid(x: torch.Tensor, size: tuple[int, ...], stride: tuple[int, ...], *operator: str) -> None:
        try:
            check(x, size, stride, *operator)
        except AssertionError:
            if tuple(x.shape) != tuple(size):
                raise
            x.set_(torch.empty_strided(size, stride, dtype=x.dtype, device=x.device).copy_(x))

    return laid
