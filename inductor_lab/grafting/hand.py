"""One hand kernel in a compiled model: it is launched in the place of the generated kernel, or of a span's steps, where it can be, and counts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from inductor_lab import ejected
from inductor_lab.grafting.fit import Fitting, Misfit
from inductor_lab.grafting.inductor import Launch
from inductor_lab.records import Grafted


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
