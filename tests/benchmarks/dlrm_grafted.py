"""The step of DLRM's main model, compiled as a user does, before and after hand kernels are grafted into it; inference and training, at batch 128.

    python tests/benchmarks/dlrm_grafted.py -o tests/benchmarks/results/dlrm/grafted.json        on a card; goes on where it stopped
    TRITON_INTERPRET=1 python tests/benchmarks/dlrm_grafted.py --smoke                           lookups at tiny sizes, held to eager, nothing timed

`graph` is the step as a CUDA graph on a cold cache, the card's time: recorded from the compiled model, and from the same model inside of
`inductor_lab.graft`, whose hand kernels the graph keeps. `wall` is a loop of steps as Python launches them. Both are timed in the same rounds, in random
order; intervals are of 95 %. A training step is forward, BCELoss, backward, and Adam in eager, which moves no weight: each step is the same.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from circumstances import LEFT, Results
from torch import Tensor, nn

from inductor_lab import GraftWarning, graft
from inductor_lab.errors import LabError
from inductor_lab.grafting.context import Grafts

Row = dict[str, Any]
ROOT = Path(__file__).parents[2]
TINY = {"batch": 4, "bottom": (13, 8, 8, 8, 8), "top": (8, 8, 1), "tables": 26, "cardinality": 50}
LIMIT = 1e-4
"""How far what a step makes may be from eager's in float64, relative to the largest: the probabilities, or each gradient. Twice what the
generated step is where that is more, as where a ReLU is at 0."""
WARM, BLOCKS, LOOP = 3, 20, 10
"""Steps before anything is timed; of `wall` the rounds, and the steps of a round, which waits for the card at its end."""
RATE = 1e-12
"""Adam's: no weight moves. (With 0 a step on the card would divide by it.)"""
SECONDS = 1.0
"""Of samples of each graph."""


@dataclass(frozen=True)
class Point:
    """What is measured: a row of the results."""

    training: bool
    steps: tuple[str, ...]
    """Of `inductor_lab/kernels/steps/dlrm.py`, grafted together."""


POINTS = (
    Point(False, ("lookups_2", "outer_3")),
    Point(False, ("lookups_2", "outer_2")),
    Point(False, ("lookups_2", "outer_1")),
    Point(True, ("lookups_forward_1", "lookups_backward_1")),
)
SMOKE = (Point(False, ("lookups_2",)), Point(True, ("lookups_forward_1",)))


class Step:
    """One step of the model, compiled, on one batch."""

    def __init__(self, model: nn.Module, inputs: tuple[Tensor, ...], training: bool) -> None:
        self.model, self.inputs, self.training = model, inputs, training
        self.compiled = torch.compile(model)
        self.labels = (torch.rand(len(inputs[0]), device=inputs[0].device) < 0.5).float()
        self.adam = torch.optim.Adam(model.parameters(), lr=RATE, capturable=inputs[0].is_cuda)

    def __call__(self) -> Tensor:
        if not self.training:
            with torch.no_grad():
                return self.compiled(*self.inputs)  # type: ignore[no-any-return]
        self.adam.zero_grad()
        loss = nn.functional.binary_cross_entropy(self.compiled(*self.inputs), self.labels)
        loss.backward()
        self.adam.step()
        return loss.detach()  # whoever keeps it keeps no node of the graph

    def far(self, exact: Mapping[str, Tensor]) -> float:
        """How far one step is from float64's, relative to the largest."""
        found = self.made(self.model, self())
        return max(float((found[name] - right).abs().max() / right.abs().max()) for name, right in exact.items())

    def made(self, model: nn.Module, result: Tensor) -> dict[str, Tensor]:
        if not self.training:
            return {"": result}
        return {name: one.grad for name, one in model.named_parameters() if one.grad is not None}

    def exact(self) -> dict[str, Tensor]:
        """What eager makes in float64."""
        model = copy.deepcopy(self.model).double()
        with torch.set_grad_enabled(self.training):
            result = model(*(one.double() if one.is_floating_point() else one for one in self.inputs))
            if self.training:
                nn.functional.binary_cross_entropy(result, self.labels.double()).backward()
        return self.made(model, result)


def built(training: bool, smoke: bool) -> Step:
    from inductor_lab.models import find_workload
    from inductor_lab.models.dlrm import example

    torch.manual_seed(0)
    if smoke:
        model, inputs = example(**TINY)  # type: ignore[arg-type]
        return Step(model.train(training), inputs, training)
    return Step(*find_workload("dlrm").build(device="cuda", train=training), training)


def files(point: Point, step: Step, folder: Path, smoke: bool) -> list[Path]:
    """The steps as ejected files, of the captures that lie in the repository; in the interpreter of a tiny one that is made here."""
    from inductor_lab import capture_model
    from inductor_lab.kernels.steps import written

    capture = ROOT / "captured" / ("dlrm_train_h200" if point.training else "dlrm_h200")
    if smoke:
        capture = folder / "capture"
        with torch.set_grad_enabled(point.training):
            capture_model(step.model, *step.inputs, gpu="h200", train=point.training).save(capture)
        torch.compiler.reset()
    found = [folder / f"{name}.py" for name in point.steps]
    for name, file in zip(point.steps, found, strict=True):
        file.write_text(written("dlrm", name, capture, file.name), encoding="utf-8")
    return found


@contextmanager
def opened(grafts: Grafts) -> Iterator[None]:
    """The hand kernels in the place of their spans.

    Raises:
        LabError: the generated kernels ran where one should have.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraftWarning)  # that a graph keeps it is what is meant; others are raised below
        with grafts:
            yield
    for one in grafts.files:
        if not one.launches or one.passed_over:
            raise LabError(f"{Path(one.file).name}: the generated kernels ran: {one.message}")


def measured(point: Point, smoke: bool, folder: Path) -> Row:
    """A row's figures."""
    step = built(point.training, smoke)
    hand, exact = graft(*files(point, step, folder, smoke)), step.exact()
    far = {"generated": step.far(exact)}
    with opened(hand):
        far["grafted"] = step.far(exact)
    if not far["grafted"] <= (limit := max(LIMIT, 2 * far["generated"])):
        raise LabError(f"grafted, it is {far['grafted']:.1e} from float64's, over {limit:.0e}")
    del exact
    return {"far": far} | ({} if smoke else {"graph": graphs(step, hand), "wall": walls(step, hand)})


def graphs(step: Step, hand: Grafts) -> Row:
    """The step as a CUDA graph. `again` is the generated one recorded a second time: the noise."""
    from inductor_lab.measure.timing.samples import Method, measure, recorded

    runs = {name: recorded(name, step, warm_up=WARM) for name in ("generated", "again")}
    with opened(hand):
        runs["grafted"] = recorded("grafted", step, warm_up=WARM)
    return told(measure(runs, method=Method(rounds=None, seconds=SECONDS)).times)


def walls(step: Step, hand: Grafts) -> Row:
    """Steps of a loop of Python's, us each."""
    order, times = random.Random(0), dict[str, list[float]](generated=[], again=[], grafted=[])
    for _ in range(BLOCKS):
        for name in order.sample(list(times), len(times)):
            with opened(hand) if name == "grafted" else nullcontext():
                loop(step, WARM)
                times[name].append(loop(step, LOOP))
    return told(times)


def loop(step: Callable[[], Any], count: int) -> float:
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begun) / count


def told(times: Mapping[str, Any]) -> Row:
    """Medians with their intervals; what is saved, its noise, and the ratio are of pairs of one round."""
    from inductor_lab.measure.timing.significance import median_interval

    generated, again, hand = (times[name] for name in ("generated", "again", "grafted"))
    pairs = partial(zip, strict=True)
    return {
        "us": {name: median_interval(own) for name, own in times.items()},
        "saved": median_interval([one - other for one, other in pairs(generated, hand)]),
        "noise": median_interval([one - other for one, other in pairs(generated, again)]),
        "ratio": median_interval([one / other for one, other in pairs(generated, hand)]),
        "rounds": len(hand),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no row is begun")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes in Triton's interpreter, without a card")
    asked = parser.parse_args()
    if asked.smoke:
        sys.path.append(str(ROOT / "tests" / "grafting"))
        from graft_program import triton_on_the_cpu

        triton_on_the_cpu()
    elif not torch.cuda.is_available():
        raise LabError("This needs a GPU; --smoke runs some rows without one")
    begun, results = time.monotonic(), Results(asked.output, (__doc__ or "").partition("\n")[0])
    done = [(row["training"], tuple(row["steps"])) for row in results.rows()]
    left = [point for point in (SMOKE if asked.smoke else POINTS) if (point.training, point.steps) not in done]
    if left:
        results.begin("dlrm_grafted.py")
    failed = []
    for point in left:
        if time.monotonic() - begun > asked.stop:
            sys.exit(LEFT)
        started = time.monotonic()
        torch.compiler.reset()
        row: Row = asdict(point)
        with tempfile.TemporaryDirectory() as folder:
            try:
                row |= measured(point, asked.smoke, Path(folder))
            except Exception as error:
                row["failed"] = (
                    f"{type(error).__name__}: {' '.join(str(error).replace(f'{folder}/', '').split())[:300]}"
                )
                failed.append(row["failed"])
        row["took_s"] = round(time.monotonic() - started, 1)
        results.add(row)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    if failed:
        sys.exit(f"error: {len(failed)} rows were not measured: {failed[0]}")


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
