"""Training itself: steps over a log, evaluated on its last rows, kept and taken up again as if nothing had happened.

An unbroken run and one that was killed and resumed have the same parameters, bit for bit where the device computes so: a checkpoint holds
the parameters, the optimizer, the random state and the place in the log, and the order of the rows depends on seed and pass alone. `Profile` records a few
steps with torch's profiler: a Chrome trace for Perfetto or TensorBoard, and which operators took longest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from inductor_lab.criteo.format import digest, read_metadata, whole
from inductor_lab.criteo.reader import ClickLog, Missing, Rows, batches
from inductor_lab.errors import LabError
from inductor_lab.models.dlrm_train.configuration import Configuration, build

HELD_OUT = 0.1
"""Share of the log, its last rows, that is not trained on: Criteo's are in the order of time."""


@dataclass
class Training:
    """A model, its optimizer, and where it is in the log."""

    configuration: Configuration
    model: nn.Module
    optimizer: torch.optim.Optimizer
    train: ClickLog
    held_out: ClickLog
    device: torch.device
    forward: Callable[[Tensor, Tensor], Tensor]
    """The model, compiled or not: [batch, 13] float32 and [batch, 26] int64 -> [batch]."""
    workers: int = 0
    epoch: int = 0
    """Passes that are over."""
    taken: int = 0
    """Batches taken of this pass."""
    steps: int = 0
    """Batches in all."""
    metadata: str = ""
    """A digest of the tables: which category is which row of a checkpoint depends on them."""

    def step(self, rows: Rows) -> Tensor:
        """One step of Adam; the loss, on the device, which nobody waits for."""
        self.optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy(self.predicted(rows), rows.labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def predicted(self, rows: Rows) -> Tensor:
        """Click probabilities: [rows]."""
        dense = rows.dense.clamp(min=0).log1p() if self.configuration.log_counts else rows.dense
        return self.forward(dense, rows.sparse)

    def run(self, steps: int) -> Iterator[Tensor]:
        """The loss of each step until there were that many in all.

        Raises:
            LabError: a value of the log can not be, or it has fewer rows than a batch.
        """
        for rows in islice(self._batches(), max(steps - self.steps, 0)):
            loss = self.step(rows.to(self.device))
            self.taken += 1
            self.steps += 1
            yield loss

    def _batches(self) -> Iterator[Rows]:
        for epoch in count(self.epoch):
            shuffled = batches(
                self.train, self.configuration.batch, shuffled=(self.configuration.seed, epoch), workers=self.workers
            )
            if epoch > self.epoch:
                self.epoch, self.taken = epoch, 0
            begun = self.taken
            yield from islice(shuffled, begun, None)
            if not self.taken:
                raise LabError(
                    f"{self.train.path} has no {self.configuration.batch} rows to train on, which is a batch."
                )

    @torch.no_grad()
    def evaluate(self, progress: Callable[[int, int], None] = lambda done, of: None) -> tuple[float, float]:
        """Mean loss and area under the ROC curve on the rows that were held out, by the model as it is, not compiled."""
        forward, self.forward = self.forward, self.model
        labels, scores, seen = [], [], 0
        try:
            for rows in batches(self.held_out, self.configuration.batch, rest=True, workers=self.workers):
                scores.append(self.predicted(rows.to(self.device)).cpu())
                labels.append(rows.labels)
                progress(seen := seen + len(rows.labels), self.held_out.rows)
        finally:
            self.forward = forward
        if not labels:
            raise LabError(
                f"{self.held_out.path}: a value is missing in each of the last {self.held_out.rows} rows, which are held out."
            )
        clicked, score = torch.cat(labels), torch.cat(scores)
        return float(nn.functional.binary_cross_entropy(score, clicked)), auc(clicked, score)

    def save(self, path: Path) -> None:
        """A checkpoint in the place of the one before, whole or not at all.

        Raises:
            LabError: it can not be written there.
        """
        with whole(path) as (file,):
            torch.save(self._state(), file)

    def resume(self, path: Path) -> None:
        """Go on where the checkpoint is.

        Raises:
            LabError: it is none, or of another configuration or log.
        """
        try:
            state = torch.load(path, map_location=self.device, weights_only=True)
            told = {name: state[name] for name in ("configuration", "log", "epoch", "taken", "steps")}
        except OSError as error:
            raise LabError(f"Can not read the checkpoint {path}: {error.strerror}.") from error
        except Exception as error:  # torch.load says in many ways that a file is none of its own
            raise LabError(
                f"{path} is no checkpoint of this training, or a broken one: name another, or remove it."
            ) from error
        for name, asked in (("configuration", self._state_of_configuration()), ("log", self._log())):
            if differing := sorted(key for key in asked if told[name].get(key) != asked[key]):
                was = ", ".join(f"{key} {told[name].get(key)!r}, and not {asked[key]!r}" for key in differing)
                raise LabError(f"{path} is of another {name}: {was}; name another, or remove it.")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch, self.taken, self.steps = (told[name] for name in ("epoch", "taken", "steps"))
        torch.set_rng_state(state["random"].cpu())
        if self.device.type == "cuda" and "random_cuda" in state:  # it was kept on a card too
            torch.cuda.set_rng_state(state["random_cuda"].cpu(), self.device)

    def _state(self) -> dict[str, Any]:
        on_card = self.device.type == "cuda"
        return {
            "configuration": self._state_of_configuration(),
            "log": self._log(),
            "epoch": self.epoch,
            "taken": self.taken,
            "steps": self.steps,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            **({"random_cuda": torch.cuda.get_rng_state(self.device)} if on_card else {}),
        }

    def _state_of_configuration(self) -> dict[str, Any]:
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self.configuration).items()
        }

    def _log(self) -> dict[str, Any]:
        """What the rows, their order and their categories' rows depend on; a log that was moved is the same."""
        return {
            "bytes": self.train.path.stat().st_size,
            "rows": self.train.rows,
            "missing": self.train.missing,
            "metadata": self.metadata,
        }


def begin(
    configuration: Configuration,
    log: Path,
    metadata: Path,
    *,
    missing: Missing = "error",
    device: str = "cpu",
    compiled: bool = False,
    mode: str = "default",
    workers: int = 0,
) -> Training:
    """A training at its first step: Adam and binary cross-entropy, as in the talk.

    Raises:
        LabError: as `ClickLog`, `read_metadata` and `build`.
    """
    rows = ClickLog(log, missing="zero").metadata.num_rows
    split = rows - max(int(rows * HELD_OUT), 1)
    train, held_out = ClickLog(log, last=split, missing=missing), ClickLog(log, first=split, missing=missing)
    tables = read_metadata(metadata)
    model = build(configuration, tables).to(device)
    forward = torch.compile(model, mode=mode) if compiled else model
    optimizer = torch.optim.Adam(model.parameters(), lr=configuration.learning_rate)
    told = torch.device(device), forward, workers
    return Training(configuration, model, optimizer, train, held_out, *told, metadata=digest(tables))


def auc(labels: Tensor, scores: Tensor) -> float:
    """The area under the ROC curve: how often a clicked row scores above one that was not, a tie counting half. NaN of one kind alone.

    By the ranks' sum (Mann and Whitney 1947). labels and scores [rows].
    """
    from scipy.stats import rankdata

    clicked = labels.bool().numpy()
    ranks = rankdata(scores.double().numpy())
    n, others = int(clicked.sum()), int((~clicked).sum())
    return float((ranks[clicked].sum() - n * (n + 1) / 2) / (n * others)) if n and others else float("nan")


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
