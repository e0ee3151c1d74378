"""Answers for a card that is not there, while Inductor compiles: Dynamo's device interface, Triton, C++ guards, convolutions;
which attention it would fuse; and nothing is timed."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
import torch._subclasses.fake_tensor as fake_tensor
import torch._utils_internal as torch_internal
import torch.utils._triton as torch_triton
from torch import Tensor
from torch._dynamo.device_interface import CudaInterface
from torch.nn.functional import dropout
from triton.runtime import driver as active_driver

from inductor_lab.capture import convolutions, cuda_stubs, program, triton_stubs
from inductor_lab.capture.attention import HALVES, attention_of
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
def answering(card: Card) -> Iterator[None]:
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
        stack.enter_context(convolutions.answering(card))
        yield


@contextlib.contextmanager
def _triton(card: Card) -> Iterator[None]:
    """Triton's active driver, and torch's memory of what it asked Triton before."""
    # Not set_active and reset_active: those make a default driver, which looks for libcuda.
    with mock.patch.object(active_driver, "_active", triton_stubs.stand_in(card)):
        _forget()
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    for function in vars(torch_triton).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


# Attention that was written out


Check = Callable[[Any], bool]
MARK = "of_inductor_lab"
BERT = "_sfdp_replacement_16"

_moved = False


@contextlib.contextmanager
def written_out_attention(card: Card, moved: bool) -> Iterator[None]:
    """While this lasts, where Inductor recognises attention that was written out it puts the card's fused one in its place.

    torch/_inductor/fx_passes/fuse_attention.py asks a match's query for its device: on cuda float32 is fused only where products may be rounded
    to TF32, some patterns are not for cuda at all, and that of BERT stays written out there (torch 2.13). Inductor keeps the checks with its
    patterns, once in a process, so they are made before it does.

    Args:
        moved: The graph is on the CPU yet, and will be on the card: patterns are checked as they are there.
    """
    from torch._inductor.fx_passes import fuse_attention

    name = "_scaled_dot_product_attention"
    if not hasattr(fuse_attention, name):
        problem(f"torch {torch.__version__} has no fuse_attention.{name}: attention written out may be the CPU's")
        yield
        return
    with (
        mock.patch.object(fuse_attention, name, attention_of(card)),
        _checked(fuse_attention) if moved else contextlib.nullcontext(),
    ):
        yield


@contextlib.contextmanager
def _checked(fuse_attention: Any) -> Iterator[None]:
    """While this lasts, a match on the CPU is checked as if it were on the card."""
    global _moved
    if not _prepared(fuse_attention):
        problem(
            f"with torch {torch.__version__} attention that is written out is looked at as on the CPU: "
            "in float32 it may be fused where on the card it is not"
        )
    before, _moved = _moved, True
    try:
        yield
    finally:
        _moved = before


def _prepared(fuse_attention: Any) -> bool:
    """Whether Inductor's patterns have, or will be given, checks that ask here."""
    if hasattr(fuse_attention, MARK):
        return True
    names = ("_sfdp_params_check", "_sfdp_extra_check", "_sfdp_init")
    if not all(hasattr(fuse_attention, name) for name in names) or fuse_attention._sfdp_init.cache_info().currsize:
        return False
    setattr(fuse_attention, MARK, True)
    fuse_attention._sfdp_params_check = _params(fuse_attention._sfdp_params_check)
    fuse_attention._sfdp_extra_check = _extra(fuse_attention._sfdp_extra_check)
    bert = getattr(fuse_attention, BERT, None)
    if bert is not None and "cuda" in bert.__code__.co_consts:
        setattr(fuse_attention, BERT, _bert(bert))
    return True


def _params(real: Check) -> Check:
    def check(match: Any) -> bool:
        return not (_moved and not _tf32() and _dtype(match) == torch.float32) and real(match)

    return check


def _extra(real: Callable[..., Check]) -> Callable[..., Check]:
    def extra_check(scale_factor_op: Any = None, disable_cuda: bool = False) -> Check:
        check = real(scale_factor_op, disable_cuda)
        return lambda match: not (_moved and disable_cuda) and check(match)

    return extra_check


def _bert(real: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(real)
    def replacement(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor, inv_scale: float, dropout_p: float
    ) -> Tensor:
        if not _moved or torch.version.hip is not None:
            return real(query, key, value, attn_mask, inv_scale, dropout_p)
        query, key, value = (x.transpose(1, 2) for x in (query, key, value))
        weights = (torch.matmul(query, key.transpose(-2, -1)).div(inv_scale) + attn_mask).softmax(dim=-1)
        weights = dropout(weights, p=dropout_p) if dropout_p else weights
        return torch.matmul(weights.to(dtype=query.dtype), value)

    return replacement


def _dtype(match: Any) -> Any:
    query = match.kwargs.get("query")
    return query.meta["val"].dtype if query is not None else None


def _tf32() -> bool:
    return bool(torch.backends.cuda.matmul.fp32_precision == "tf32")


# What is found out by timing


NOT_PADDED = (
    "whether the operands of a matrix product are padded to aligned sizes is found out by timing, which needs the card: "
    "they are not padded here"
)

PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.bmm.default)


def say_what_would_be_padded(gm: torch.fx.GraphModule, card: Card) -> None:
    """A graph traced on the CPU has passed Inductor's padding by; on the card it would have been looked at."""
    from torch._inductor.fx_passes import pad_mm

    for node in gm.graph.nodes:
        if node.target not in PRODUCTS:
            continue
        left, right = (argument.meta.get("val") for argument in node.args[-2:])
        sizes = (*left.shape[-2:], right.shape[-1])
        if not all(isinstance(size, int) for size in sizes):
            continue
        alignment = 8 if left.dtype in HALVES else 4  # elements of 16 bytes, pad_mm.get_alignment_size
        if any(size % alignment for size in sizes):
            with answering(card):
                if pad_mm.is_mm_compute_bound(sizes[0], sizes[1], sizes[2], left.dtype):
                    problem(NOT_PADDED)


@contextlib.contextmanager
def nothing_timed() -> Iterator[None]:
    """Where Inductor chooses by timing: the first template wins under max-autotune, and no product is padded."""
    from torch._inductor import config, select_algorithm
    from torch._inductor.fx_passes import pad_mm
    from torch._inductor.runtime import benchmarking

    def do_autotuning(
        self: Any,
        name: str,
        input_nodes: Any,
        layout: Any,
        gens: Any,
        key: Any,
        choices: Any,
        *args: Any,
        **kwargs: Any,
    ) -> dict[Any, float]:
        problem(f"max-autotune chooses by timing, which needs the card: the first template stands for {name}'s winner")
        templates_first = sorted(choices, key=lambda x: not isinstance(x, select_algorithm.TritonTemplateCaller))
        return {choice: float(time) for time, choice in enumerate(templates_first)}

    def get_cached_should_pad(key: str) -> bool:
        problem(NOT_PADDED)
        return False

    def benchmark(*args: Any, **kwargs: Any) -> float:
        raise RuntimeError("Inductor would time something here, which needs the card")

    timed = ("benchmark_epilogue_fusion", "benchmark_fusion", "autotune_in_subproc")
    no_timing = known(config, dict.fromkeys(timed, False))
    with contextlib.ExitStack() as stack:
        stack.enter_context(config.patch(no_timing))
        for place, name, answer in (
            (select_algorithm.AlgorithmSelectorCache, "do_autotuning", do_autotuning),
            (pad_mm, "get_cached_should_pad", get_cached_should_pad),
            (benchmarking.Benchmarker, "benchmark_gpu", benchmark),
        ):
            if hasattr(place, name):
                stack.enter_context(mock.patch.object(place, name, answer))
            else:
                problem(f"torch {torch.__version__} has no {place.__name__}.{name}, which would time on a card")
        yield


def known(config: Any, entries: dict[str, object]) -> dict[str, object]:
    """The entries that this torch's config module has; the others are problems."""
    for name in entries:
        if not hasattr(config, name):
            where = f"{config.__name__}.{name}"
            problem(f"torch {torch.__version__} has no {where}: what is written for the virtual GPU may be incomplete")
    return {name: value for name, value in entries.items() if hasattr(config, name)}
