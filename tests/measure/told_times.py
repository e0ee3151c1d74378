"""Times that are told, not measured: a kernel of plain torch and a clock without a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from inductor_lab.gpus import GPUS
from inductor_lab.measure.timing.samples import Measured, Method, State
from inductor_lab.measure.tuning import candidates
from inductor_lab.measure.tuning import search as sweep
from inductor_lab.records import Candidate, Case, Verdict

KERNEL = """
import torch


def launch(x, y, out, *, BLOCK=512, num_warps=4):
    out.copy_(x * 2.0 + y)


def launch_generated(x, y, out, *, XBLOCK=1024, num_warps=4):
    out.copy_(x * 2.0 + y)


def reference(x, y):
    return (x * 2.0 + y,)


ARGUMENTS = {
    "x": ((64, 32), (32, 1), torch.float32, "normal"),
    "y": ((64, 32), (32, 1), torch.float32, "normal"),
    "out": ((64, 32), (32, 1), torch.float32, "out"),
}
TAKES = ("x", "y")
WRITTEN = ("out",)
INTERPRETER = {"launch": {}, "launch_generated": {}}
TAIL = {"gpu": {}, "interpreter": {}}
ORIGIN = {"blocks": {"XBLOCK": "BLOCK"}, "numbers": {"xnumel": "2048"}}


def example_inputs(device, seed=0):
    rng = torch.Generator("cpu").manual_seed(seed)
    return (*(torch.randn(64, 32, generator=rng) for _ in range(2)), torch.full((64, 32), torch.nan))
"""


class Told:
    """Times that are told, not measured, and a judge that says what it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, microseconds: Callable[[Mapping[str, int]], float]) -> None:
        self.measured: list[set[str]] = []
        self.failing: Callable[[Mapping[str, int]], bool] = lambda settings: False
        self.wrong: Callable[[str], bool] = lambda text: False
        self.settings: Mapping[str, int] = {}

        def measure(functions: Mapping[str, Callable[[], object]], *_: Any) -> Measured:
            self.measured.append(set(functions))
            times = {}
            for name, function in functions.items():
                function()
                at = microseconds(self.settings)
                times[name] = [at * (1 + 0.001 * (number % 3)) for number in range(25)]
            return Measured(times, Method(), 0.0, State(), State())

        def failure(function: Callable[[], object]) -> Exception | None:
            self.settings = {}
            function()
            return RuntimeError("out of resource: threads\nmore") if self.failing(self.settings) else None

        def verify(path: Path, **_: Any) -> Verdict:
            failed = self.wrong(path.read_text())
            case = Case("seed 0", not failed, {}, "off by one" if failed else "")
            return Verdict("fail" if failed else "pass", {}, 0.0, (case,), "told")

        def compiled(module: object, settings: Mapping[str, int], *_: object) -> Candidate:
            return Candidate(settings, "ranked", registers=32, spills=0, shared_memory=0, programs=9000, occupancy=1.0, width=128)  # fmt: skip

        def function(_: object, settings: Mapping[str, int], module: object = None) -> Callable[[], object]:
            return lambda: setattr(self, "settings", settings)

        monkeypatch.setattr(sweep, "_device", lambda gpu, meant: ("NVIDIA H200", GPUS["h200"], True))
        monkeypatch.setattr(sweep, "compiled", compiled)
        monkeypatch.setattr(candidates, "laid", lambda module: ((), lambda: None))
        monkeypatch.setattr(candidates, "failure", failure)
        monkeypatch.setattr(candidates, "measure", measure)
        monkeypatch.setattr(candidates.Clock, "_function", function)
        monkeypatch.setattr(sweep, "verify", verify)
