"""The whole loop without a GPU: every workload, both directions, captured for an H200, ejected, verified in the
interpreter, put back into the module that is run beside eager, compiled for sm_90."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.capture.run import capture
from inductor_lab.eject import eject
from inductor_lab.machine import inspect
from inductor_lab.models import WORKLOADS
from inductor_lab.records import Kernel, Verdict
from inductor_lab.replay.run import replay
from inductor_lab.verify import verify_all

pytestmark = pytest.mark.slow

BF16 = {"lora_mlp": True, "rotary_attention": False}
"""Workload that has it -> whether its training runs in bfloat16, and its inference in float32, or the other way round."""
RUNS = [
    pytest.param(name, size, dtype, train, id=f"{name}-{size}-{dtype}-{'train' if train else 'forward'}")
    for name, workload in WORKLOADS.items()
    for size in workload.sizes
    if size.startswith("laptop")
    for train in ((False, True) if size == "laptop" else (True,))
    for dtype in ("bf16" if size == "laptop" and BF16.get(name) is train else "fp32",)
]
"""Each workload in both directions, each of its dtypes and sizes in one: all of them together take half as long again."""


@pytest.mark.parametrize(("name", "size", "dtype", "train"), RUNS)
def test_every_kernel_of_a_workload(name: str, size: str, dtype: str, train: bool, tmp_path: Path) -> None:
    found, _ = capture(name, gpu="h200", size=size, dtype=dtype, train=train, output=tmp_path / "captured")
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
    judged = one_of_a_kind(readable) + ([] if train else one_of_a_kind(verbatim))
    for path, verdict in zip(judged, verify_all(judged, effort="quick"), strict=True):
        assert isinstance(verdict, Verdict), f"{path}: {verdict}"
        assert verdict.verdict == "pass", f"{path}: {verdict.cases} {verdict.notes}"
        basis, *untried = verdict.notes  # that what is written agrees with eager everywhere, and nothing was edited
        assert all("boundary" in note or "never tried" in note for note in untried), f"{path}: {untried}"
        assert basis.startswith("equals eager (ATen)") or "as PyTorch printed from it" in basis, f"{path}: {basis}"

    grafts = {kernel.id: path for path, kernel in readable.items()}
    replayed = replay(tmp_path / "captured", grafts=grafts)
    told = [(one.kernel, one.line, one.verdict, one.message, one.buffers) for one in replayed.launches]
    assert replayed.verdict == "pass", f"{replayed.first}: {told}"
    assert len({one.kernel for one in replayed.launches}) == len(grafts) and all(
        one.grafted for one in replayed.launches
    )

    for path in judged:
        (code,) = inspect(path, gpu="sm_90")
        assert code.registers and code.spills == 0, f"{path}: {code}"


def one_of_a_kind(files: dict[Path, Kernel]) -> list[Path]:
    """The first file of those whose kernels differ in their numbers alone, as 26 lookups in 26 tables do: judging and disassembling take a while."""
    kinds: dict[str, Path] = {}
    for path, kernel in files.items():
        kinds.setdefault(re.sub(r"\d+", "", kernel.body), path)
    return list(kinds.values())
