"""Answers for a card that is not there, while Inductor compiles: Dynamo's device interface, Triton, C++ guards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
import torch._subclasses.fake_tensor as fake_tensor
import torch._utils_internal as torch_internal
import torch.utils._triton as torch_triton
from torch._dynamo.device_interface import CudaInterface
from triton.runtime import driver as active_driver

from inductor_lab.capture import cuda_stubs, program, triton_driver
from inductor_lab.capture.problems import problem
from inductor_lab.gpus import Card


def _answers(card: Card) -> list[tuple[Any, dict[str, Any]]]:
    """Where -> {name: what it says while the pretence lasts}. The values stand in for functions of any signature."""
    properties = card.properties
    clock_khz = properties.clock_rate

    def says(value: Any) -> Any:
        return staticmethod(lambda *args, **kwargs: value)

    of_a_card = {
        "get_device_properties": says(properties),
        "current_device": says(0),
    }
    return [
        (fake_tensor, {"init_gpu_context": says(None)}),
        (torch.cuda, {**program.describing(card), **program.present()}),
        (
            CudaInterface,
            {
                **of_a_card,
                "is_available": says(True),
                "device_count": says(1),
                "get_compute_capability": says(card.compute_capability),
                "is_bf16_supported": says(True),
                "is_triton_capable": says(True),
                "raise_if_triton_unavailable": says(None),
                "get_raw_stream": says(0),
                "synchronize": says(None),
                "exchange_device": says(0),
                "maybe_exchange_device": says(0),
            },
        ),
        (CudaInterface.Worker, of_a_card),
        # In MHz, from nvidia-smi; for AMD torch has a table of its own.
        *([(torch_internal, {"max_clock_rate": says(clock_khz // 1000)})] if card.backend == "cuda" else []),
        # A CPU-only torch has none of these; cudagraphs (mode="reduce-overhead") asks.
        (torch._C, {"_cuda_cudaCachingAllocator_is_enabled": says(True)}),
    ]


@contextlib.contextmanager
def card(card: Card) -> Iterator[None]:
    """While this lasts, torch and Triton on this process's Python side meet `card` as cuda:0."""
    with contextlib.ExitStack() as stack:
        for place, answers in _answers(card):
            for name, answer in answers.items():
                if not hasattr(place, name) and place is not torch._C:
                    where = f"{place.__name__}.{name}"
                    problem(f"torch {torch.__version__} has no {where}, which the virtual GPU answers for")
                value = answer if isinstance(place, type) else getattr(answer, "__func__", answer)
                stack.enter_context(mock.patch.object(place, name, value, create=True))
        stack.enter_context(_triton(card))
        stack.enter_context(cuda_stubs.device_guard())
        yield


@contextlib.contextmanager
def _triton(card: Card) -> Iterator[None]:
    """Triton's active driver, and torch's memory of what it asked Triton before."""
    # Not set_active and reset_active: those make a default driver, which looks for libcuda.
    slot = "_active" if "_active" in vars(active_driver) else "active"
    with mock.patch.object(active_driver, slot, triton_driver.stand_in(card)):
        _forget()
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    for function in vars(torch_triton).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()
