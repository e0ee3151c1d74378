"""In which memory format a convolution of the card's gives its result: torch asks C++, which looks for cuDNN and a card.

torch/_subclasses/fake_impls.py asks `torch._C` which library convolves, and then for the format. Without a card the answer
is a kernel of ATen's, whose result is contiguous. Here cuDNN's rule answers, which ATen keeps in aten/src/ATen/native/ConvUtils.h
(`cudnn_conv_suggest_memory_format`) and Convolution.cpp (`use_cudnn`), of cuDNN 9.15 and later.

An AMD card's convolutions are left contiguous: MIOpen's are in torch 2.13 unless PYTORCH_MIOPEN_SUGGEST_NHWC is set. What other
versions of torch say without it was not looked up.

Checked on torch 2.13.0.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import torch
import torch._prims_common as prims
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from inductor_lab.capture.problems import problem
from inductor_lab.gpus import Card

SELECT, FORMAT, BACKENDS = "_select_conv_backend", "_conv_determine_backend_memory_format", "_ConvBackend"
CACHED, ANEW = "_cached_dispatch_impl", "_dispatch_impl"
NEEDED = (
    *((torch._C, name) for name in (SELECT, FORMAT, BACKENDS)),
    *((FakeTensorMode, name) for name in (CACHED, ANEW)),
    (prims, "suggest_memory_format"),
)

PARAMETERS = (
    "input", "weight", "bias", "stride", "padding", "dilation", "transposed", "output_padding", "groups", "bias_sizes"
)  # fmt: skip
"""Of `torch._C._select_conv_backend`, which itself does not tell them."""
CONVOLUTIONS = {torch.ops.aten.convolution, torch.ops.aten._convolution, torch.ops.aten.convolution_backward}


@contextlib.contextmanager
def answering(card: Card) -> Iterator[None]:
    """While this lasts, fake tensors on cuda are convolved as `card`'s library would convolve them."""
    missing = [f"{place.__name__}.{name}" for place, name in NEEDED if not hasattr(place, name)]
    if card.backend != "cuda" or missing:
        if card.backend == "cuda":
            problem(
                f"torch {torch.__version__} has no {missing[0]}: "
                "results of convolutions may be contiguous where the card's are channels last"
            )
        yield
        return
    backends = getattr(torch._C, BACKENDS)
    with (
        mock.patch.object(torch._C, SELECT, _selecting(card, getattr(torch._C, SELECT), backends)),
        mock.patch.object(torch._C, FORMAT, _format(getattr(torch._C, FORMAT), backends)),
        mock.patch.object(FakeTensorMode, CACHED, _asking_anew(getattr(FakeTensorMode, CACHED))),
    ):
        yield


def _asking_anew(real: Callable[..., Any]) -> Callable[..., Any]:
    """What fake tensors gave once they remember: Dynamo has asked before the card answers, and others ask afterwards."""

    @functools.wraps(real)
    def dispatch(self: FakeTensorMode, func: Any, *args: Any) -> Any:
        if getattr(func, "overloadpacket", None) in CONVOLUTIONS:
            return getattr(self, ANEW)(func, *args)
        return real(self, func, *args)

    return dispatch


def _selecting(card: Card, real: Callable[..., Any], backends: Any) -> Callable[..., Any]:
    @functools.wraps(real)
    def select(*args: Any, **kwargs: Any) -> Any:
        backend = real(*args, **kwargs)
        given = {**dict(zip(PARAMETERS, args, strict=False)), **kwargs}
        if backend == backends.Empty or not _on_card(given["input"]) or not _by_cudnn(card, given):
            return backend
        return backends.CudnnTranspose if given["transposed"] else backends.Cudnn

    return select


def _format(real: Callable[..., Any], backends: Any) -> Callable[..., Any]:
    @functools.wraps(real)
    def memory_format(input: torch.Tensor, weight: torch.Tensor, backend: Any) -> torch.memory_format:
        if backend in (backends.Cudnn, backends.CudnnTranspose) and _on_card(input):
            return cudnn_memory_format(input, weight)
        return real(input, weight, backend)

    return memory_format


def cudnn_memory_format(input: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    """Channels last where the input or the weight is, but never in float64."""
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(weight.dim())
    if torch.float64 in (input.dtype, weight.dtype) or last is None:
        return torch.contiguous_format
    return last if last in map(prims.suggest_memory_format, (input, weight)) else torch.contiguous_format


def _by_cudnn(card: Card, given: dict[str, Any]) -> bool:
    """Whether cuDNN convolves. A depthwise one may be ATen's own on the card as well, but only where both are contiguous."""
    half = torch.bfloat16 in (given["input"].dtype, given["weight"].dtype)
    if not torch.backends.cudnn.enabled or (half and card.capability < (8, 0)):
        return False
    return not (given["transposed"] and _exceeds(given["output_padding"], given["stride"]))


def _exceeds(padding: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether the output is padded by a stride or more, in one of the dimensions; one number may stand for all of them."""
    dimensions = max(len(padding), len(stride))
    each = (list(numbers) * (dimensions if len(numbers) == 1 else 1) for numbers in (padding, stride))
    return any(p >= s for p, s in zip(*each, strict=True))


def _on_card(x: Any) -> bool:
    return isinstance(x, FakeTensor) and x.fake_device.type == "cuda"
