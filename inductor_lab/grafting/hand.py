"""One hand kernel in a model: whether its file fits the tensors passed, and its launch in place of the generated kernel.

Sizes are found in the tensors and numbers that are passed, and everything else must then be as the file has it.
"""

from __future__ import annotations

import inspect
import keyword
import re
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from inductor_lab import ejected
from inductor_lab.errors import LabError
from inductor_lab.grafting.inductor import Launch
from inductor_lab.records import Grafted
from inductor_lab.records.size import Size

TOLD = re.compile(r"(\w+)\.(shape|stride)[\[(](\d+)[\])]")
"""Where a file finds a size: `x.shape[0]`, `x.stride(1)`."""
FACTS = ("name", "body_sha256", "parameters", "numbers", "sizes")
"""What ORIGIN tells of a launch, and of which."""
SHOWN = 3
"""Differences that a reason names."""
LARGEST = 1 << 31
"""No dimension is larger than this."""
KEPT = 256
"""Launches of other shapes or numbers whose fit is remembered."""


class Misfit(Exception):  # noqa: N818
    """The hand kernel can not run on this; why, as a part of a sentence."""


@dataclass(frozen=True)
class PassedTensor:
    """A tensor as far as it can be compared."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any

    def same(self, other: PassedTensor) -> bool:
        """The steps of a dimension of one element say nothing."""
        steps = zip(self.shape, self.stride, other.stride, strict=False)
        return (self.shape, self.dtype) == (other.shape, other.dtype) and all(a == b for n, a, b in steps if n != 1)

    def covers(self, other: PassedTensor) -> bool:
        """Whether it is the same memory in another shape."""
        return (self.dtype, *self._extent()) == (other.dtype, *other._extent())

    def _extent(self) -> tuple[int, int]:
        elements, span = 1, 1
        for size, step in zip(self.shape, self.stride, strict=True):
            elements, span = elements * size, span + (size - 1) * step
        return elements, span if elements else 0

    def __str__(self) -> str:
        strides, lying = "", 1
        for size, step in reversed(list(zip(self.shape, self.stride, strict=True))):
            strides = strides if size == 1 or step == lying else f" with strides {list(self.stride)}"
            lying *= size
        return f"{str(self.dtype).removeprefix('torch.')}{list(self.shape)}{strides}"


@dataclass(frozen=True)
class Fit:
    """How a file's `launch` is called."""

    views: Mapping[str, PassedTensor | None]
    """Its tensors in order -> the shape in which it takes each, where that is another."""
    numbers: Mapping[str, Any]
    """Passed by name: what no tensor tells."""


class Fitting:
    """What one file asks for."""

    def __init__(self, module: ModuleType) -> None:
        """Raises:
        LabError: the file does not say what a launch passes.
        """
        origin, path = module.ORIGIN, module.__file__
        if lacking := [key for key in FACTS if key not in origin]:
            raise LabError(
                f"{path} does not say what its launch passes (`{lacking[0]}` in ORIGIN): an older inductor_lab ejected it; eject "
                f"{origin.get('kernel', 'the kernel')} again and put your kernel and its `launch` into the new file"
            )
        single = None if ejected.is_span(module) else getattr(module, "generated", None)
        if not (single or ejected.is_span(module)):
            raise LabError(ejected.GONE.format(path, "generated"))
        self.module = module
        self.names: Mapping[str, str] = origin["parameters"]
        self.numbers: Mapping[str, str] = module.ORIGIN["numbers"]
        self.expressions = () if single else tuple(self.numbers.values())
        """Of a span, what its wrapper says for the numbers that `launch` takes besides, which are passed behind the memory."""
        if not single:
            self.numbers = {name: name for name in self.numbers}
        self.told: Mapping[str, str] = module.ORIGIN["sizes"]
        self.parameters: tuple[str, ...] = tuple(single.arg_names if single else (*self.names, *self.numbers))
        """Those of the generated kernel, in the order of its signature; of a span the memory that it reads and leaves, then numbers."""
        launch = inspect.signature(module.launch).parameters.values()
        self.asked = [one.name for one in launch if one.kind is one.KEYWORD_ONLY]
        self._fit = lru_cache(maxsize=KEPT)(self._fit_of)

    def call(self, passed: tuple[Any, ...]) -> tuple[list[Any], Mapping[str, Any]]:
        """The tensors and the numbers for `launch`.

        Args:
            passed: The value of each of the kernel's parameters, in order.

        Raises:
            Misfit: it is for other sizes.
        """
        if len(passed) != len(self.parameters):
            raise Misfit(f"the model does not pass what its signature asks for: {', '.join(self.parameters)}")
        return self.fitted(dict(zip(self.parameters, passed, strict=True)))

    def fitted(self, given: Mapping[str, Any]) -> tuple[list[Any], Mapping[str, Any]]:
        """The same, of the values by the names of the generated kernel's parameters."""
        tensors = {name: given[parameter] for parameter, name in self.names.items()}
        odd = next((name for name, tensor in tensors.items() if not hasattr(tensor, "as_strided")), "")
        if odd:
            raise Misfit(f"{odd} is passed as {type(tensors[odd]).__name__}, not as a tensor")
        seen = tuple((tensor.shape, tensor.stride(), tensor.dtype) for tensor in tensors.values())
        found = self._fit(seen, tuple(given[parameter] for parameter in self.numbers))
        if isinstance(found, Misfit):
            raise found.with_traceback(None)
        views = [
            tensors[name].as_strided(view.shape, view.stride) if view else tensors[name]
            for name, view in found.views.items()
        ]
        return views, found.numbers

    def _fit_of(self, seen: tuple[tuple[Any, ...], ...], numbers: tuple[Any, ...]) -> Fit | Misfit:
        """What is remembered of one kind of launch."""
        given = {name: PassedTensor(*one) for name, one in zip(self.names.values(), seen, strict=True)}
        try:
            return self._fitted(given, dict(zip(self.numbers, numbers, strict=True)))
        except Misfit as misfit:
            return misfit

    def _fitted(self, given: Mapping[str, PassedTensor], passed: Mapping[str, Any]) -> Fit:
        sizes = self._solved(dict(self._sizes(given, passed)), passed)
        expected = self._expected(sizes)
        wrong = [*self._wrong_numbers(passed, sizes), *_wrong_tensors(given, expected)]
        if wrong:
            raise Misfit(_listed(wrong))
        views = {name: None if given[name].same(want) else want for name, want in expected.items()}
        return Fit(views, {name: sizes[name] for name in self.asked if name in sizes})

    def _sizes(self, given: Mapping[str, PassedTensor], passed: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Each symbol's value: what a tensor tells, then, which counts, a number that is the symbol itself."""
        for symbol, where in self.told.items():
            found = TOLD.fullmatch(where)
            told = getattr(given[found[1]], found[2]) if found else ()
            if found and int(found[3]) < len(told):
                yield symbol, told[int(found[3])]
        for parameter, text in self.numbers.items():
            if text.isidentifier() and not keyword.iskeyword(text):
                yield text, passed[parameter]

    def _solved(self, sizes: dict[str, Any], passed: Mapping[str, Any]) -> dict[str, Any]:
        """With the symbols that only an expression tells, `(s78 - 1) // 2`: the least value that gives the number. Others may give it
        too: then they give the launch the same numbers, to all of which they are held.
        """
        texts = dict(self.numbers)
        while found := next(
            ((p, t, one) for p, t in texts.items() if (one := _only(Size.of(t).symbols - sizes.keys()))), None
        ):
            parameter, text, symbol = found
            del texts[parameter]
            value = _least(Size.of(text), symbol, sizes, passed[parameter])
            if value is not None:
                sizes[symbol] = value
        return sizes

    def _expected(self, sizes: Mapping[str, Any]) -> dict[str, PassedTensor]:
        """The tensors that the file takes at these sizes."""
        arguments = self.module.ARGUMENTS
        if hasattr(self.module, "SIZES"):
            missing = [symbol for symbol in self.module.SIZES if symbol not in sizes]
            if missing:
                raise Misfit(f"nothing that is passed tells {', '.join(missing)}")
            arguments = self.module.arguments(**{symbol: sizes[symbol] for symbol in self.module.SIZES})
        return {name: PassedTensor(shape, step, dtype) for name, (shape, step, dtype, _) in arguments.items()}

    def _wrong_numbers(self, passed: Mapping[str, Any], sizes: Mapping[str, Any]) -> Iterator[str]:
        for parameter, text in self.numbers.items():
            expected = sizes[text] if text in sizes else _number(text, sizes)
            if passed[parameter] != expected:
                yield f"{parameter} is {passed[parameter]}, not {expected}"


def _only(symbols: frozenset[str]) -> str:
    """The one symbol that there is."""
    return next(iter(symbols)) if len(symbols) == 1 else ""


def _least(size: Size, symbol: str, sizes: Mapping[str, Any], number: Any) -> int | None:
    """The symbol's value, where the size grows with it."""
    try:
        return bisect_left(range(LARGEST), number, key=lambda value: size.bound({**sizes, symbol: value}))
    except ValueError:
        return None


def _number(text: str, sizes: Mapping[str, Any]) -> Any:
    try:
        return Size.of(text).bound(sizes)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise Misfit(f"{text} can not be worked out from what is passed") from None


def _wrong_tensors(given: Mapping[str, PassedTensor], expected: Mapping[str, PassedTensor]) -> Iterator[str]:
    for name, want in expected.items():
        if not given[name].same(want) and not given[name].covers(want):
            yield f"{name} is {given[name]}, not {want}"


def _listed(wrong: list[str]) -> str:
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    return "; ".join(wrong[:SHOWN]) + more


class GraftWarning(UserWarning):
    """The generated kernel runs where a hand kernel was meant to, or the other way round."""


class Hand:
    """An ejected file in one `with`."""

    def __init__(self, path: str | Path) -> None:
        """Raises:
        LabError: it is no ejected file, or one of an inductor_lab that did not write what a launch passes.
        """
        file = ejected.load(path)
        self.path, self.module = file.path, file.module
        self._fitting = Fitting(file.module)
        origin = file.module.ORIGIN
        self.body_sha256: str = origin["body_sha256"]
        span = origin.get("span", ())
        self.kernel: str = origin["kernel"] if span else origin["name"]
        """What it takes the place of: a kernel's name, or a span's."""
        self.steps: Sequence[str] = tuple(step.get("body_sha256") or step["call"] for step in span)
        """Of a span; nothing of one kernel."""
        self.names: tuple[str, ...] = tuple(step.get("name") or step["call"] for step in span)
        self.places = 0
        """Of a span: in how many places of the model's wrappers it stands."""
        self.devices: Counter[str] = Counter()
        self.recorded = self.passed_over = 0
        self.why = ""
        """Why the generated kernel ran instead, the first time that it did."""
        self.numbers: Sequence[str] = self._fitting.expressions
        self._lock = Lock()

    @property
    def launches(self) -> int:
        """How often the hand kernel was launched."""
        return self.devices.total()

    @property
    def record(self) -> Grafted:
        """What became of it so far."""
        return Grafted(
            str(self.path), self.kernel, self.body_sha256, self.launches, self.recorded, dict(self.devices), self.passed_over, self.why
        )  # fmt: skip

    def launch(self, launch: Launch) -> bool:
        """Run the hand kernel in a generated one's place."""
        return self.run(launch.source.name, launch.passed(), launch.stream)

    def asked(self, name: str, *passed: Any) -> bool:
        """The same in the place of a span's steps, as a wrapper calls it."""
        return self.run(name, passed)

    def run(self, name: str, passed: tuple[Any, ...], stream: Any = None) -> bool:
        """Run the hand kernel; not where it is for other sizes, of which the first are warned of.

        Args:
            name: What it takes the place of.
            passed: The value of each parameter, in order; of a span the memory that it reads and leaves.
        """
        try:
            tensors, numbers = self._fitting.call(passed)
        except Misfit as misfit:
            self._pass_over(name, str(misfit))
            return False
        device = tensors[0].device
        try:
            with _on(device, stream):
                recording = device.type == "cuda" and _recording()
                self.module.launch(*tensors, **numbers)
        except Exception as error:
            error.add_note(f"raised by the hand kernel of {self.path}, which is grafted in the place of {name}")
            raise
        with self._lock:
            self.devices[str(device)] += 1
            self.recorded += recording
            self.why = self.why if self.passed_over else ""  # its body has come up after all
        return True

    def _pass_over(self, name: str, why: str) -> None:
        with self._lock:
            self.passed_over += 1
            first, self.why = not self.why, self.why or why
        if first:
            warn(f"{self.path} is for other sizes than {name} is launched with, so the generated kernel runs: {why}")


def warn(message: str) -> None:
    """At the line of the `with` that ends; at a launch, whose user is far above Inductor's wrapper, the message says what it is about."""
    warnings.warn(message, GraftWarning, stacklevel=3)


def _recording() -> bool:
    """Whether a CUDA graph records what is launched."""
    import torch

    return bool(torch.cuda.is_current_stream_capturing())


@contextmanager
def _on(device: Any, stream: Any) -> Iterator[None]:
    """The device and the stream that Inductor launches on, outside of autograd."""
    import torch

    with torch.no_grad():
        if device.type == "cpu":
            yield
            return
        with torch.get_device_module(device).device(device):
            other = device.type == "cuda" and stream not in (None, torch.cuda.current_stream(device).cuda_stream)
            with torch.cuda.stream(torch.cuda.ExternalStream(stream, device)) if other else nullcontext():
                yield
