"""Triton where the card is not there: its driver answers for the card, and the program's own kernels go through its interpreter.

Triton asks its driver for the card, and makes the driver by looking for libcuda. A program asks too, as Triton's tutorials do for their
device, and Inductor for the clocks by which it tells whether a product is worth padding.

Inductor takes a program's own kernel's source into its module and needs no card for that. The program, which goes on in eager on the CPU,
launches it too, as it does outside torch.compile.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import torch
from triton.backends.compiler import GPUTarget

from inductor_lab.capture.problems import first_line, problem
from inductor_lab.gpus import Card


def stand_in(card: Card) -> SimpleNamespace:
    """A driver for this card, as far as Python asks it."""
    return SimpleNamespace(
        get_current_target=lambda: GPUTarget(card.backend, card.compute_capability, card.warp_size),
        get_active_torch_device=lambda: torch.device("cuda", 0),
        get_current_device=lambda: 0,
        set_current_device=lambda device: None,
        get_device_capability=lambda *device: card.capability,
        get_current_stream=lambda device=None: 0,
        get_device_interface=lambda: torch.cuda,
        get_benchmarker=_benchmarker,
        # There is no cache of the card's to clear; a tensor, because the program may ask for its own.
        get_empty_cache_for_benchmark=lambda: torch.empty(1, dtype=torch.int, device="cuda"),
        clear_cache=lambda cache: cache.zero_(),
        utils=SimpleNamespace(get_device_properties=lambda *device: card.of_driver),
    )


def _benchmarker() -> Any:
    from triton.testing import do_bench

    return do_bench  # its times are those of torch.cuda.Event, which says whose they are


def _install_driver(card: Card) -> None:
    """Where Triton would make its default driver, it takes this one if the program's cuda lies in host memory by then."""
    module = importlib.import_module("triton.runtime.driver")
    real = getattr(module, "_create_driver", None)
    if real is None:
        problem("this Triton makes its driver in another way: a program that asks it for its device will fail")
        return

    def create_driver() -> Any:
        return stand_in(card) if _pretends() else real()

    module._create_driver = create_driver  # type: ignore[attr-defined]


MOST_PROGRAMS = 4096
"""Of one launch. The interpreter takes some 2 ms for each, one after the other."""


def install(triton: ModuleType, card: Card) -> None:
    """Called when triton has been imported."""
    from triton.runtime import autotuner, jit

    jit.JITFunction.run = _run_of(jit.JITFunction.run)
    autotuner.Autotuner.run = _run_first_of(autotuner.Autotuner.run)

    _install_driver(card)


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
        problem(
            f"the Triton kernel {name} did not run in Triton's interpreter ({first_line(error)}); "
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
