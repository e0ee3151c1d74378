"""The hand kernels' cases, in Triton's interpreter and on a card: one process each, as Triton decides at its import which of both it does."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from folders import ROOT
from forking import interpreted

pytest.importorskip("triton")

CASES = sorted(path.name.removesuffix("_cases.py") for path in Path(__file__).parent.glob("*_cases.py"))
QUICK = ("swiglu",)


def command(name: str) -> list[str]:
    return [
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "",
        str(Path(__file__).with_name(f"{name}_cases.py")),
    ]


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in CASES])
def test_in_the_interpreter(name: str) -> None:
    assert "passed" in interpreted(*command(name))


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_on_a_card(name: str) -> None:
    done = subprocess.run([sys.executable, *command(name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_benchmark_runs() -> None:
    rows = [json.loads(line) for line in interpreted(ROOT / "tests/benchmarks/dlrm_kernels.py", "--smoke").splitlines()]
    assert len(rows) == 8 and not any("hand" in row["refused"] or "eager" in row["refused"] for row in rows)
    public = {"lookups": ["fbgemm"], "pairwise": ["dot_based_interact"]}
    assert all([*row["refused"]] == public.get(row["kernel"], []) for row in rows)
    (why,) = {row["refused"]["dot_based_interact"] for row in rows if row["kernel"] == "pairwise"}
    assert why == "LabError: DEEP_LEARNING_EXAMPLES names no checkout of github.com/NVIDIA/DeepLearningExamples"


@pytest.mark.parametrize("precision", ["tf32", "fp16"])
def test_nvidia_s_kernel_where_there_is_a_checkout_of_it(
    precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    folder = tmp_path / "PyTorch/Recommendation/DLRM/dlrm/cuda_src/dot_based_interact_ampere"
    folder.mkdir(parents=True)
    sources = [folder / "pytorch_ops.cpp", folder / "dot_based_interact_pytorch_types.cu"]
    for source in sources:
        source.touch()

    def interact(features: torch.Tensor, dense: torch.Tensor) -> torch.Tensor:
        row, column = torch.tril_indices(features.shape[1], features.shape[1], -1)
        found = torch.cat([dense, torch.bmm(features, features.mT)[:, row, column]], 1)
        return torch.nn.functional.pad(found, (0, -found.shape[1] % 8), value=torch.nan)

    def load(name: str, given: list[str]) -> SimpleNamespace:
        assert given == [*map(str, sources)]
        return SimpleNamespace(dotBasedInteractFwd=interact)

    monkeypatch.setenv("DEEP_LEARNING_EXAMPLES", str(tmp_path))
    monkeypatch.setattr("torch.utils.cpp_extension.load", load)
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    script = runpy.run_path(str(ROOT / "tests/benchmarks/dlrm_kernels.py"))
    job = script["of_pairwise"](script["Point"]("pairwise", 5, 16, 0, precision), "cpu")
    functions, refused = script["checked"](job, ("eager", "dot_based_interact"))
    assert [*functions] == ["eager", "dot_based_interact"] and not refused


def test_no_kernel_is_tuned_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    script = runpy.run_path(str(ROOT / "tests/benchmarks/dlrm_kernels.py"))
    for precision, count in (("ieee", 1), ("tf32", 14)):  # the one in CUDA C++ has nothing to choose from
        candidates = script["of_outer"](script["Point"]("outer", 4, 16, 0, precision), "meta").candidates
        assert len({str(one) for one in candidates}) == len(candidates) == count
