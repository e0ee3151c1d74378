"""Lets Inductor write C++ wrappers (cpp_wrapper, AOTInductor) for a card that is not there.

    it would                                                              instead
    run the auto-tuning block, to choose each kernel's configuration      the block is written and not run; the first configuration stands for the chosen one
    load each kernel's machine code by the path that tuning left          a path that names the kernel
    run the first of AOTInductor's two wrappers, which tunes              nothing runs
    compile AOTInductor's C++ and link it                                 the C++ is what the package holds

Checked on torch 2.11.0, 2.12.1, 2.13.0, 2.14.1 and 2.15.0.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
from torch._inductor import codecache, config
from torch._inductor.codegen import wrapper as wrappers
from torch._inductor.runtime import triton_helpers
from torch._inductor.virtualized import V


@contextlib.contextmanager
def written_only() -> Iterator[None]:
    """While this lasts, C++ wrappers are written and logged as on a card, and nothing of them is compiled or run."""
    from torch._inductor.graph import GraphLowering

    # Kernels' Python is loaded as ever, whatever stands in for loading a whole module at that time.
    load = functools.partial(_loaded, codecache.PyCodeCache.load_by_key_path)
    answers: list[tuple[Any, str, Callable[..., Any]]] = [
        (codecache.CudaKernelParamCache, "get", functools.partial(_tuned, load)),
        (codecache.AotCodeCompiler, "compile", _packaged),
        (triton_helpers, "set_driver_to_gpu", lambda: None),  # each kernel's file begins with it; it looks for libcuda
        (GraphLowering, "_run_jit_variant_for_autotune", _logged_alone),  # 2.14 on
    ]
    with contextlib.ExitStack() as stack:
        for place, name, answer in answers:
            if hasattr(place, name):  # a module in Python is written without any of them
                stack.enter_context(mock.patch.object(place, name, answer))
        # The block is run by the builtin `exec`, in the module's one call of it; a name of the module's own goes before.
        stack.enter_context(mock.patch.object(wrappers, "exec", mock.Mock(), create=True))
        yield


def _loaded(load_by_key_path: Callable[..., Any], source: str, name: str) -> Any:
    """The kernel of that name in Inductor's source: decorated, and not compiled."""
    return getattr(load_by_key_path(*codecache.PyCodeCache.write(source)), name)


def _tuned(load: Callable[[str, str], Any], name: str) -> dict[str, Any]:
    """What tuning on the card would have left of a kernel of the graph that is being written."""
    from torch._inductor.runtime.triton_heuristics import CompileResult, config_to_dict, get_constexprs

    call = ast.parse(V.graph.wrapper_code._kernel_name_to_body[name].strip(), mode="eval").body
    assert isinstance(call, ast.Call)
    kernel = load(ast.literal_eval(call.args[1]), ast.literal_eval(call.args[0]))
    first = kernel.configs[0]
    chosen = config_to_dict(first)
    result = CompileResult(None, first, kernel._create_compile_meta(first), kernel.inductor_meta)
    _, parameters, _ = result._get_arg_lists(kernel.fn.arg_names, get_constexprs(kernel.fn))
    signature = kernel.triton_meta["signature"]
    return {
        "mangled_name": kernel.fn.__name__,
        "num_warps": first.num_warps,
        "shared_mem": 0,
        "global_scratch": 0,
        "profile_scratch": 0,
        "config": chosen,
        "inductor_meta": kernel.inductor_meta,
        "triton_meta": kernel.triton_meta,
        "def_args": [parameter for parameter in parameters if parameter not in chosen],
        "call_args": [name for name in kernel.fn.arg_names if signature.get(name, "constexpr") != "constexpr"],
        codecache.get_cpp_wrapper_cubin_path_name(): f"{name}.cubin",
    }


def _logged_alone(graph: Any, wrapper_code: Any, kernel_code: Any, real_inputs: Any, kernel_names: list[str]) -> None:
    """The first of AOTInductor's two wrappers: its text is the one that has the kernels."""
    given = [value for value in ([] if graph.is_const_graph else real_inputs()) if value is not None]
    tensors = [value if isinstance(value, torch.Tensor) else torch.tensor(value) for value in given]
    graph._log_jit_variant_for_autotune_repro(
        cpp_source=wrapper_code.value,
        kernel_source=kernel_code.value if kernel_code else None,
        device_type="cuda",
        num_outputs=len(graph.graph_outputs),
        kernel_names=kernel_names,
        input_exprs=[graph._tensor_repro_expr(tensor) for tensor in (*tensors, *graph.constants.values())],
    )


def _packaged(graph: Any, wrapper_code: str, *args: Any, **kwargs: Any) -> list[str] | str:
    """The files of a package, or the path of what would be a library: the wrapper's C++."""
    folder, _ = codecache.split_aot_inductor_output_path(config.aot_inductor.output_path)
    _, path = codecache.write(wrapper_code, "wrapper.cpp", specified_dir=folder)
    codecache.output_code_log.info("AOT wrapper code written to: %s", path)
    return [path] if config.aot_inductor.package else path


NOT_LOADED = (
    "what AOTInductor packs for a virtual GPU is C++ that nothing was compiled of: it can not be loaded and run"
)


def refuse_packages() -> None:
    """A program that loads what `_packaged` has packed is told so; torch would miss one file or another."""
    from torch._inductor import package as packages

    real = packages.load_package

    @functools.wraps(real)
    def load_package(path: Any, *args: Any, **kwargs: Any) -> Any:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as package:
                ends = {name.rpartition(".")[2] for name in package.namelist()}
            if "cpp" in ends and "so" not in ends:
                raise RuntimeError(NOT_LOADED)
        return real(path, *args, **kwargs)

    packages.load_package = load_package
