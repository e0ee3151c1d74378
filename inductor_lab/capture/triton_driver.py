"""What Triton's active driver says of a card that is not there: its target, its device, its clocks.

Triton asks its driver for the card, and makes the driver by looking for libcuda. A program asks too, as Triton's
tutorials do for their device, and Inductor for the clocks by which it tells whether a product is worth padding.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from triton.backends.compiler import GPUTarget

from inductor_lab.capture.problems import problem
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
        utils=SimpleNamespace(get_device_properties=lambda *device: _properties(card)),
    )


def _properties(card: Card) -> dict[str, Any]:
    """Names and units of Triton's own (backends/nvidia/driver.c): clocks in kHz, the bus in bits, memory in bytes."""
    has = card.properties
    return {
        "max_shared_mem": has.shared_memory_per_block_optin,
        "max_num_regs": has.regs_per_multiprocessor,
        "multiprocessor_count": has.multi_processor_count,
        "warpSize": card.warp_size,
        "max_threads_per_sm": has.max_threads_per_multi_processor,
        "sm_clock_rate": has.clock_rate,
        "mem_clock_rate": has.memory_clock_rate,
        "mem_bus_width": has.memory_bus_width,
        "arch": card.arch,
    }


def _benchmarker() -> Any:
    from triton.testing import do_bench

    return do_bench  # its times are those of torch.cuda.Event, which says whose they are


def install(card: Callable[[], Card | None]) -> None:
    """Where Triton would make its default driver, it takes this one if `card` then names a card."""
    module = importlib.import_module("triton.runtime.driver")
    real = getattr(module, "_create_driver", None)
    if real is None:
        problem("this Triton makes its driver in another way: a program that asks it for its device will fail")
        return

    def create_driver() -> Any:
        wanted = card()
        return real() if wanted is None else stand_in(wanted)

    module._create_driver = create_driver  # type: ignore[attr-defined]
    if not hasattr(type(module.driver), "active"):  # before 3.5 each instance kept the function that it was made with
        for slot in ("default", "active"):
            proxy = vars(module.driver).get(slot)
            if hasattr(proxy, "_init_fn"):
                proxy._init_fn = create_driver
