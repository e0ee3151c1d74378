"""The most promising spans of models, grafted where they run: in the compiled model itself, whose outputs and gradients are held to the ungrafted ones.

    python tests/benchmarks/spans_live.py real_t5_large real_vit_large -o FOLDER --stop 1500     programs of corpus.py, each in a process on a card
    python tests/benchmarks/spans_live.py real_t5_large -o FOLDER --list                         what is left to do
    python tests/benchmarks/spans.py --of FOLDER/spans_live.json --write docs/spans.md --mark live
    TRITON_INTERPRET=1 python tests/benchmarks/spans_live.py --smoke -o FOLDER                   a small model in Triton's interpreter

A model is compiled once. Its spans are listed and ejected from what Inductor logged, and the files, unedited, grafted into that compiled model, all that
share no step at once. A span passes where its file was launched, nothing was passed over, and what the model makes is as near to what it makes
ungrafted as replays demand (`as_generated` of inductor_lab/replay/against_generated.py): the same bits, or no further away than last bits of weights
and inputs move it. Outputs, every parameter's gradient and the buffers that the model writes are held. What fails in a group is halved.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import jobs
from circumstances import Results
from corpus import chosen
from jobs import Job
from spans import TOP, Row, ejected_of, side_by_side

HERE = Path(__file__).resolve().parent
FILE = "spans_live.json"
SECONDS = 1200
"""That one model may take."""
SMOKE = "smoke"
SEED = 0


class Model:
    """A program of the corpus, compiled: one call is a step, whose results lie in the host's memory."""

    def __init__(self, model: Any, inputs: Sequence[Any], train: bool) -> None:
        import torch

        self.model, self.inputs, self.train = model, inputs, train
        self.compiled = torch.compile(model)
        self.parameters = dict(model.named_parameters())
        self.kept = _on_the_host(self._state())

    def __call__(self) -> dict[str, Any]:
        """Outputs, gradients from the sum of all outputs, and buffers, by name; all draws of random numbers are the same."""
        import torch
        from torch.utils._pytree import tree_leaves

        buffers = dict(self.model.named_buffers())
        self._restore(buffers)
        torch.manual_seed(SEED)
        try:
            with torch.set_grad_enabled(self.train):
                out = [one for one in tree_leaves(self.compiled(*self.inputs)) if isinstance(one, torch.Tensor)]
            found = {f"output {number}": one.detach() for number, one in enumerate(out)}
            if self.train:
                sum(one.sum() for one in out if one.requires_grad).backward()  # type: ignore[union-attr]
                found |= {f"gradient of {name}": p.grad for name, p in self.parameters.items() if p.grad is not None}
        finally:
            self.model.zero_grad(set_to_none=True)
        made = _on_the_host(found | buffers)
        del out, found
        _freed()  # another model may be on the card
        return made

    def _state(self) -> dict[str, Any]:
        """What a step may write, and a wrong hand kernel."""
        inputs = {f"input {number}": one for number, one in enumerate(self.inputs)}
        return {**self.parameters, **dict(self.model.named_buffers()), **inputs}

    def _restore(self, state: Mapping[str, Any]) -> None:
        import torch

        with torch.no_grad():
            for name, one in state.items():
                one.copy_(self.kept[name])

    def restore(self) -> None:
        """All as it was at first."""
        self._restore(self._state())

    def moved(self, draw: int) -> dict[str, Any]:
        """The same with weights and inputs that are a last bit away."""
        import torch

        from inductor_lab.replay.against_generated import moved_by_bits

        generator, buffers = torch.Generator().manual_seed(draw), dict(self.model.named_buffers())
        with torch.no_grad():
            for name, one in self._state().items():
                if name not in buffers:
                    one.copy_(moved_by_bits(one, generator))
        try:
            return self()
        finally:
            self.restore()


def _on_the_host(found: Mapping[str, Any]) -> dict[str, Any]:
    """Copies, also of what lies there."""
    from inductor_lab.judge.inputs.placement import copied

    return {name: copied(one, "cpu") for name, one in found.items()}


def captured(model: Model, name: str) -> Any:
    """What Inductor logs while the model is compiled, as a capture; which configurations its autotuner keeps is seen as they run."""
    from inductor_lab.capture import configurations, inside, live, outcome

    log = io.StringIO()
    with live.logged(log), configurations.observed() as seen:
        model()
        told = {"autotuned": seen.configurations(), "candidates": seen.candidates()}
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder, "log.txt")).write_text(log.getvalue(), encoding="utf-8")
        return outcome.captured(path, name, "", None, {**inside.of_process(None), **told}, None)[0]


def grafted(
    model: Model,
    rows: Sequence[Row],
    folder: Path,
    want: Mapping[str, Any],
    told: Callable[[Row], None],
    says: Callable[[str], None],
) -> None:
    """Each row with what became of its file in the model.

    Args:
        want: What the ungrafted model makes.
        told: Called with a row that is whole.
        says: With what is done.
    """
    from inductor_lab.replay.against_generated import DRAWS

    @cache
    def draws() -> list[dict[str, Any]]:
        return [model.moved(draw) for draw in DRAWS]

    groups = together([row for row in rows if row["eject"] == "pass"])
    while groups:
        some = groups.pop(0)
        found = _run(model, some, folder, want, draws)
        wrong = found["live"] != "pass"
        says(f"{len(some)} grafted: {found['live']} {found['live_says']}")
        left = [row for row in some if row["span"] in found["idle"]]
        if len(some) > 1 and (wrong or left):
            middle = len(some) // 2
            groups += [some[:middle], some[middle:]] if wrong else [[row] for row in left]
        for row in some if len(some) == 1 else [] if wrong else [row for row in some if row not in left]:
            idle = found["idle"].get(row["span"])
            verdict = (
                {"live": "not used", "live_says": idle}
                if idle and not wrong
                else {"live": found["live"], "live_says": found["live_says"]}
            )
            launched = {"live_launches": found["launches"].get(row["span"], 0)}
            told(row | verdict | launched | {"live_with": len(some), "live_held": found["held"]})
        if wrong:  # once its row is there: behind an error of the card nothing can be restored
            model.restore()
        _freed()


def together(rows: Sequence[Row]) -> list[list[Row]]:
    """Groups that may be grafted at once: no step is in two of their spans, and no two files are for one body, as two places of a model may be."""
    found: list[list[Row]] = []
    for some in side_by_side(list(rows)):
        apart: list[dict[str, Row]] = []
        for row in some:
            free = next((one for one in apart if row["body"] not in one), None)
            if free is None:
                apart.append(free := {})
            free[row["body"]] = row
        found += [list(one.values()) for one in apart]
    return found


def _run(
    model: Model, rows: Sequence[Row], folder: Path, want: Mapping[str, Any], draws: Callable[[], list[dict[str, Any]]]
) -> Row:
    """One step with the files of some spans; which of them were idle, and why."""
    from inductor_lab import GraftWarning, graft

    found: Row = {"live": "pass", "live_says": "", "held": {}, "idle": {}, "launches": {}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraftWarning)  # asked for below
            with graft(*(folder / row["file"] for row in rows)) as grafts:
                out = model()
        for row, one in zip(rows, grafts.files, strict=True):
            found["launches"][row["span"]] = one.launches
            if not one.launches or one.passed_over:
                found["idle"][row["span"]] = one.message or "the generated kernels ran"
        wrong, found["held"] = held(out, want, draws)
        found |= {"live": "fail", "live_says": wrong} if wrong else {}
    except Exception as error:
        found |= {"live": "error", "live_says": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
    return found


def held(out: Mapping[str, Any], want: Mapping[str, Any], draws: Callable[[], list[dict[str, Any]]]) -> tuple[str, Row]:
    """What is not as without grafts, in a sentence; and how many results there are, and how many the same to the bit."""
    from inductor_lab.replay.against_generated import as_generated

    wrong, same = "", 0
    for name, one in out.items():
        message, far = as_generated(one, want[name], lambda name=name: [draw[name] for draw in draws()])
        same += not far and message == "pass"
        wrong = wrong or (f"{name} {message}" if message != "pass" else "")
    return wrong, {"results": len(out), "same": same}


def _freed() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
        torch.cuda.empty_cache()


def made(name: str) -> Model:
    """A program of the corpus; the small model."""
    import torch

    torch.manual_seed(SEED)
    if name == SMOKE:
        small, nn = importlib.import_module("graft_program"), torch.nn
        layers = [nn.Linear(24, 40), nn.ReLU(), small.Scaled(), nn.Linear(40, 8), small.Centered(8), nn.ReLU()]
        return Model(nn.Sequential(*layers), [torch.randn(4, 24)], train=True)
    (entry,) = chosen([name])
    module, _, function = entry.target.partition(":")
    program, inputs = attrgetter(function)(importlib.import_module(module))()
    return Model(
        program.cuda(), [one.cuda() if hasattr(one, "cuda") else one for one in inputs], "--train" in entry.options
    )


def one(name: str, results: Results, files: Path, top: int, says: Callable[[str], None]) -> None:
    """All rows of a model, and its files."""
    model = made(name)
    says("made")
    found = captured(model, name)
    says(f"captured, {sum(len(kernel.launches) for kernel in found.kernels)} launches")
    rows = ejected_of(found, files, top)
    says(f"{len(rows)} spans, {sum(row['eject'] == 'pass' for row in rows)} ejected")
    want = model()
    done = {row["span"] for row in results.rows()}
    for row in rows:
        if row["eject"] != "pass" and row["span"] not in done:
            results.add(row)
    left = [row for row in rows if row["span"] not in done]
    grafted(model, left, files, want, results.add, says)
    says("done")


def every(asked: argparse.Namespace) -> list[Job]:
    """A model each."""
    own = [sys.executable, str(HERE / "spans_live.py"), "-o", str(asked.output.resolve()), "--top", str(asked.top)]
    names = [SMOKE] if asked.smoke else [entry.name for entry in chosen(asked.models)]
    return [Job(name, [[*own, "--here", name]], FILE, SECONDS, ("capture", name)) for name in names]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of corpus.py: 'real_*'")
    parser.add_argument("--top", type=int, default=TOP, help="spans of each model")
    parser.add_argument("--beside", type=int, default=1, help="models at once on each card")
    parser.add_argument("--smoke", action="store_true", help="a small model in Triton's interpreter, without a card")


def here() -> None:
    """One model, in this process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--here", required=True)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--top", type=int, default=TOP)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # nothing that was compiled before is found
        os.environ |= {"TORCHINDUCTOR_CACHE_DIR": folder, "HF_HUB_OFFLINE": "1"}
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
        if asked.here == SMOKE:
            sys.path.append(str(HERE.parent / "grafting"))
            importlib.import_module("graft_program").triton_on_the_cpu()
        results = Results(asked.output / FILE, (__doc__ or "").partition("\n")[0])
        results.begin("spans_live.py")
        (files := asked.output / "files").mkdir(exist_ok=True)
        begun, code = time.monotonic(), 0
        with (asked.output / f"{asked.here}.log").open("a", encoding="utf-8", buffering=1) as log:

            def says(what: str) -> None:
                print(f"{time.monotonic() - begun:4.0f} s  {what}", file=log)

            try:
                one(asked.here, results, files, asked.top, says)
            except Exception:
                code = 1
                for where in (log, sys.stderr):
                    traceback.print_exc(file=where)
    sys.stdout.flush()
    os._exit(code)  # Inductor's own end waits for its compile workers, of which some never end (torch 2.11)


if __name__ == "__main__":
    if "--here" in sys.argv:
        here()
    else:
        jobs.main("spans_live.py", __doc__ or "", every, HERE / "spans", options=options)
