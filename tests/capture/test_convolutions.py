"""Convolutions for a card that is not there: their results lie in memory as cuDNN would leave them, not as a kernel for a CPU would."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from inductor_lab.capture import convolutions, pretence  # noqa: E402
from inductor_lab.capture.run import capture  # noqa: E402
from inductor_lab.gpus import GPUS  # noqa: E402
from inductor_lab.records import Capture  # noqa: E402

LAST, LAST_3D, CONTIGUOUS = torch.channels_last, torch.channels_last_3d, torch.contiguous_format
HALF = torch.bfloat16


def convolved(card: str, x: Any, weight: Any, device: str = "cuda", dtype: Any = HALF, **asked: Any) -> list[Any]:
    """The result and the gradients of its input and weight, of these formats; fake ones."""
    dimensions = 3 if LAST_3D in (x, weight) else 2
    groups, transposed, padded = asked.get("groups", 1), asked.get("transposed", False), asked.get("padded", 0)
    space = (12,) * dimensions
    with pretence.answering(GPUS[card]), FakeTensorMode():
        given = torch.empty(2, 8, *space, device=device, dtype=dtype).to(memory_format=x)
        kernel = torch.empty(8, 8 // groups, *(3,) * dimensions, device=device, dtype=dtype).to(memory_format=weight)
        each = ([2] * dimensions, [0] * dimensions, [3] * dimensions, transposed, [padded] * dimensions, groups)
        result = torch.ops.aten.convolution(given, kernel, None, *each)
        gradient = torch.empty(result.shape, device=device, dtype=dtype)
        gradients = torch.ops.aten.convolution_backward(
            gradient, given, kernel, None, *each, output_mask=[True, True, False]
        )
        return [result, *gradients[:2]]


ON_THE_CARD: dict[str, tuple[str, Any, Any, dict[str, Any], Any]] = {
    "both are channels last": ("h100", LAST, LAST, {}, LAST),
    "the input is": ("h200", LAST, CONTIGUOUS, {}, LAST),
    "the weight is": ("a100", CONTIGUOUS, LAST, {}, LAST),
    "neither is": ("h200", CONTIGUOUS, CONTIGUOUS, {}, CONTIGUOUS),
    "float32": ("h200", LAST, LAST, {"dtype": torch.float32}, LAST),
    "never in float64": ("h200", LAST, LAST, {"dtype": torch.float64}, CONTIGUOUS),
    "depthwise": ("h200", LAST, LAST, {"groups": 8}, LAST),
    "depthwise in float64": ("h200", LAST, LAST, {"groups": 8, "dtype": torch.float64}, CONTIGUOUS),
    "in groups": ("h200", LAST, LAST, {"groups": 2}, LAST),
    "transposed": ("h200", LAST, LAST, {"transposed": True}, LAST),
    "transposed, padded by a stride": ("h200", LAST, LAST, {"transposed": True, "padded": 2}, CONTIGUOUS),
    "of volumes": ("h200", LAST_3D, CONTIGUOUS, {}, LAST_3D),
    "AMD's": ("mi300x", LAST, LAST, {}, CONTIGUOUS),
}


@pytest.mark.parametrize("name", ON_THE_CARD)
def test_the_format_is_cudnns(name: str) -> None:
    card, x, weight, asked, wanted = ON_THE_CARD[name]
    for made in convolved(card, x, weight, **asked):
        assert made.stride() == torch.empty_like(made, device="meta", memory_format=wanted).stride()


def test_who_switches_cudnn_off_gets_atens_own() -> None:
    with torch.backends.cudnn.flags(enabled=False):
        result, *_ = convolved("h200", LAST, LAST)
    assert result.is_contiguous()


def test_a_tensor_on_the_cpu_is_convolved_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def tells(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: asked.append(real(*args)) or asked[-1]

    monkeypatch.setattr(torch._C, convolutions.FORMAT, tells(getattr(torch._C, convolutions.FORMAT)))
    convolved("h200", LAST, LAST, device="cpu")
    assert len(asked) == 2, "the result's and the gradients'"
    convolved("h200", LAST, LAST)
    assert len(asked) == 2


def test_what_fake_tensors_remember_of_another_card_is_not_this_ones() -> None:
    for card, contiguous in (("mi300x", True), ("h200", False), ("mi300x", True)):
        result, *_ = convolved(card, LAST, CONTIGUOUS, groups=4)
        assert result.is_contiguous() == contiguous


def test_torch_answers_itself_again_afterwards() -> None:
    before = [getattr(torch._C, name) for name in (convolutions.SELECT, convolutions.FORMAT)]
    with pretence.answering(GPUS["h200"]), pretence.answering(GPUS["h200"]):
        assert getattr(torch._C, convolutions.SELECT) is not before[0]
    assert [getattr(torch._C, name) for name in (convolutions.SELECT, convolutions.FORMAT)] == before


def test_what_a_torch_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(convolutions, "problem", said.append)
    monkeypatch.delattr(torch._C, convolutions.FORMAT)
    with convolutions.answering(GPUS["mi300x"]):
        assert not said
    with convolutions.answering(GPUS["h200"]):
        (one,) = said
    assert f"has no torch._C.{convolutions.FORMAT}" in one and "channels last" in one


# ---------------------------------------------------------------- a model

MODEL = """
import torch
from torch import nn

layers = nn.Conv2d(3, 128, 4, stride=4), nn.GELU(), nn.Conv2d(128, 128, 7, padding=3, groups=128)
half = nn.Sequential(*layers).to("cuda", torch.bfloat16)
torch.compile(half)(torch.ones(8, 3, 64, 64, device="cuda", dtype=torch.bfloat16)).sum().backward()

double = nn.Conv2d(3, 8, 3).to("cuda", torch.float64, memory_format=torch.channels_last)
with torch.no_grad():
    torch.compile(double, dynamic=False)(torch.ones(2, 3, 8, 8, device="cuda", dtype=torch.float64))
"""


@pytest.fixture(scope="module")
def convolutional(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    """That model, captured for an H200."""
    here = tmp_path_factory.mktemp("convolutional")
    (here / "model.py").write_text(MODEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        return capture("model.py", gpu="h200")[0]


def results(found: Capture, kind: str, what: str = "convolution") -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Shapes and strides that the module of this kind asserts of its convolutions' results."""
    (module,) = (graph.module for graph in found.graphs if graph.kind == kind)
    written = re.findall(
        rf"assert_size_stride\(\w+, \(([\d, ]+)\), \(([\d, ]+)\), 'torch.ops.aten.{what}.default'\)", module
    )
    shapes = [tuple(tuple(int(size) for size in part.split(", ")) for part in one) for one in written]
    return [(shape, strides) for shape, strides in shapes if len(shape) == 4]


def last(shape: tuple[int, ...]) -> tuple[int, ...]:
    _, channels, height, width = shape
    return channels * height * width, 1, width * channels, channels


@pytest.mark.slow
def test_a_module_takes_what_follows_a_convolution_as_channels_last(convolutional: Capture) -> None:
    forward = results(convolutional, "forward")
    assert [shape for shape, _ in forward] == [(8, 128, 16, 16)] * 2  # the second is depthwise
    backward = results(convolutional, "backward", "convolution_backward")
    assert all(strides == last(shape) for shape, strides in forward)
    # That of the depthwise one is given contiguous tensors: its operands have the strides of the graph before Inductor.
    assert dict(backward)[128, 3, 4, 4] == last((128, 3, 4, 4))


def test_a_module_in_float64_stays_contiguous(convolutional: Capture) -> None:
    assert results(convolutional, "inference") == [((2, 8, 6, 6), (288, 36, 6, 1))]


def test_nothing_of_it_is_missing(convolutional: Capture) -> None:
    assert not convolutional.problems
