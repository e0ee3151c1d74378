"""The whole loop without a GPU: every workload, both directions, captured for an H200, ejected, verified in the
interpreter, put back into the module that is run beside eager, compiled for sm_90."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from kernels_as_text import one_of_a_kind

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.eject import eject
from inductor_lab.machine import inspect
from inductor_lab.models import WORKLOADS
from inductor_lab.records import Verdict
from inductor_lab.replay.run import replay
from inductor_lab.store import load
from inductor_lab.verify import verify_all

BF16 = {"lora_mlp": True, "rotary_attention": False}
"""Workload that has it -> whether its training runs in bfloat16, and its inference in float32, or the other way round."""
SOME = {("lora_mlp", True)}
"""What `make test` takes through the loop: a workload and its direction."""
RUNS = [
    pytest.param(
        name, size, dtype, train,
        id=f"{name}-{size}-{dtype}-{'train' if train else 'forward'}",
        marks=() if (name, train) in SOME else pytest.mark.slow,
    )
    for name, workload in WORKLOADS.items()
    for size in workload.sizes
    if size.startswith("laptop")
    for train in ((False, True) if size == "laptop" else (True,))
    for dtype in ("bf16" if size == "laptop" and BF16.get(name) is train else "fp32",)
]  # fmt: skip
"""Each workload in both directions, each of its dtypes and sizes in one: all of them together take half as long again."""


@pytest.mark.parametrize(("name", "size", "dtype", "train"), RUNS)
def test_every_kernel_of_a_workload(
    name: str, size: str, dtype: str, train: bool, tmp_path: Path, captured_once: Callable[..., Path]
) -> None:
    folder = captured_once(name, size=size, dtype=dtype, train=train)
    found = load(folder)
    assert found.gpu.arch == "sm_90" and found.gpu.virtual
    assert all("needs the card" in problem.message for problem in found.problems)
    assert [graph.kind for graph in found.graphs] == (["forward", "backward"] if train else ["inference"])
    assert found.kernels and all(kernel.launches for kernel in found.kernels)

    readable = {tmp_path / f"readable_{number}.py": kernel for number, kernel in enumerate(found.kernels)}
    verbatim = {tmp_path / f"verbatim_{number}.py": kernel for number, kernel in enumerate(found.kernels)}
    for files in (readable, verbatim):
        for path, kernel in files.items():
            path.write_text(eject(found, kernel, style=path.name.partition("_")[0], file=path.name))

    # Judging a readable file runs the body to the letter too, as what it is held against.
    kinds = one_of_a_kind(found.kernels)  # judging and disassembling take a while
    judged = [path for path, kernel in (readable if train else readable | verbatim).items() if kernel in kinds]
    for path, verdict in zip(judged, verify_all(judged, effort="quick"), strict=True):
        assert isinstance(verdict, Verdict), f"{path}: {verdict}"
        assert verdict.verdict == "pass", f"{path}: {verdict.cases} {verdict.notes}"
        basis, *untried = verdict.notes  # that what is written agrees with eager everywhere, and nothing was edited
        assert all(re.search("boundary|never tried|of the launch's", note) for note in untried), f"{path}: {untried}"
        assert basis.startswith("equals eager (ATen)") or "as PyTorch printed from it" in basis, f"{path}: {basis}"

    grafts = {kernel.id: path for path, kernel in readable.items()}
    replayed = replay(folder, grafts=grafts)
    told = [(one.kernel, one.line, one.verdict, one.message, one.buffers) for one in replayed.launches]
    assert replayed.verdict == "pass", f"{replayed.first}: {told}"
    assert len({one.kernel for one in replayed.launches}) == len(grafts) and all(
        one.grafted for one in replayed.launches
    )

    for path in judged:
        (code,) = inspect(path, gpu="sm_90")
        assert code.registers and code.spills == 0, f"{path}: {code}"
