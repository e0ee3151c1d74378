"""The program's own Triton kernels on a machine that can not run them: they go through Triton's interpreter.

Inductor takes such a kernel's source into its module and needs no card for that. The program, which goes on in eager on
the CPU, launches it too, as it does outside torch.compile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest import mock

from inductor_lab.capture.problems import problem
from inductor_lab.gpus import Card

MOST_PROGRAMS = 4096
"""Of one launch. The interpreter takes some 2 ms for each, one after the other."""


def install(triton: ModuleType, card: Card) -> None:
    """Called when triton has been imported."""
    from triton.runtime import autotuner, jit

    jit.JITFunction.run = _run_of(jit.JITFunction.run)
    autotuner.Autotuner.run = _run_first_of(autotuner.Autotuner.run)

    from inductor_lab.capture import triton_driver

    triton_driver.install(lambda: card if _pretends() else None)


def _pretends() -> bool:
    from inductor_lab.capture import program

    return program.pretends()


def _run_of(real: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if not _pretends():
            return real(self, *args, grid=grid, warmup=warmup, **kwargs)
        return None if warmup else _interpret(self, grid, args, kwargs)

    return run


def _run_first_of(real: Callable[..., Any]) -> Callable[..., Any]:
    """Autotuning is timing."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _pretends() or len(self.configs) == 1:
            return real(self, *args, **kwargs)
        config, name = self.configs[0], self.base_fn.__name__
        problem(f"the Triton kernel {name} is tuned by timing, which needs the card: it runs with its first config")
        with mock.patch.object(self, "configs", [config]):
            return real(self, *args, **kwargs)

    return run


def _interpret(kernel: Any, grid: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Launch it in the interpreter; a problem where that is not possible, and its outputs stay as they were."""
    from triton.runtime.interpreter import InterpretedFunction

    name = kernel.__name__
    given = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
    sizes = grid(given) if callable(grid) else grid
    programs = 1
    for size in sizes:
        programs *= int(size)
    if programs > MOST_PROGRAMS:
        problem(
            f"the Triton kernel {name} did not run: {programs} programs are too many for the interpreter; "
            "what the program computes from its outputs is wrong"
        )
        return
    taken = {key: value for key, value in kwargs.items() if key in kernel.arg_names}
    try:
        with _called_from_kernels():
            InterpretedFunction(kernel.fn)[tuple(int(size) for size in sizes)](*args, **taken)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        problem(
            f"the Triton kernel {name} did not run in Triton's interpreter ({reason}); "
            "what the program computes from its outputs is wrong"
        )


@contextlib.contextmanager
def _called_from_kernels() -> Iterator[None]:
    """A kernel calls other jitted functions, which refuse outside of a compiled one."""
    from triton.runtime.interpreter import InterpretedFunction
    from triton.runtime.jit import JITFunction

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return InterpretedFunction(self.fn)(*args, **kwargs)

    with mock.patch.object(JITFunction, "__call__", call):
        yield
