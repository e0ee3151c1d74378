"""A few steps under torch's profiler: a Chrome trace for Perfetto or TensorBoard, and which operators took longest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from inductor_lab.errors import LabError

WARM, PROFILED = 5, 10
"""Steps before, which compile and warm up, and steps that are recorded."""


@dataclass(frozen=True)
class Operator:
    """One operator or kernel over the steps that were recorded."""

    name: str
    calls: int
    cpu: float
    """Its own time on the host, in us a step."""
    device: float
    """Its own time on the card, in us a step; 0 without one."""


@dataclass
class Profile:
    """What the profiler found."""

    folder: Path
    trace: Path | None = None
    operators: list[Operator] = field(default_factory=list)
    """Of the recorded steps, the longest first: by the time on the card where there is one."""

    def over(self, losses: Iterable[Tensor], device: torch.device) -> Iterator[Tensor]:
        """The same losses, of WARM + PROFILED steps at least, while the steps behind the first ones are recorded.

        Raises:
            LabError: the trace can not be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LabError(f"Can not write to {self.folder}: {error.strerror}.") from error
        activities = [torch.profiler.ProfilerActivity.CPU]
        if device.type == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        schedule = torch.profiler.schedule(wait=WARM - 1, warmup=1, active=PROFILED, repeat=1)
        with torch.profiler.profile(activities=activities, schedule=schedule, on_trace_ready=self._keep) as profiler:
            for loss in losses:
                yield loss
                profiler.step()

    def _keep(self, profiler: Any) -> None:
        self.trace = self.folder / f"step_{profiler.step_num}.pt.trace.json"
        profiler.export_chrome_trace(str(self.trace))
        found = [
            Operator(
                event.key, event.count, event.self_cpu_time_total / PROFILED, event.self_device_time_total / PROFILED
            )
            for event in profiler.key_averages()
            if not event.key.startswith("ProfilerStep")
        ]
        on_card = any(operator.device for operator in found)
        self.operators = sorted(found, key=lambda one: one.device if on_card else one.cpu, reverse=True)
