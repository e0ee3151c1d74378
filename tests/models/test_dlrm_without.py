"""What DLRM's commands say where pyarrow, onnx or a GPU is missing; all else works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from folders import ROOT

pytest.importorskip("torch")

Said = Callable[..., tuple[int, str]]
HIDDEN = ("pyarrow", "onnx", "onnxruntime", "onnxscript")
PARQUET = "error: Parquet needs pyarrow: pip install 'inductor_lab[dlrm]'.\n"


@pytest.fixture
def said(workdir: Path) -> Said:
    """Exit code and stderr of Python with these words, no GPU to be seen and each of HIDDEN as if it was not installed."""
    for name in HIDDEN:
        (workdir / "hidden" / name).mkdir(parents=True)
        (workdir / "hidden" / name / "__init__.py").write_text(f"raise ModuleNotFoundError('No module named {name}')")
    path = os.pathsep.join(map(str, (workdir / "hidden", ROOT)))

    def run(*words: str) -> tuple[int, str]:
        environment = os.environ | {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    return run


@pytest.mark.parametrize(
    "words",
    [
        "criteo sample -o log.parquet --rows 20",
        pytest.param("criteo describe log.parquet", marks=pytest.mark.slow),
        pytest.param("criteo convert train.txt -o log.parquet", marks=pytest.mark.slow),
        pytest.param("models.dlrm_train --config small --rows 100", marks=pytest.mark.slow),
        pytest.param("models.dlrm_train --config small --data log.parquet", marks=pytest.mark.slow),
    ],
)
def test_what_reads_or_writes_a_log_names_the_extra(words: str, said: Said, workdir: Path) -> None:
    (workdir / "train.txt").write_text("")
    (workdir / "log.parquet").write_text("")
    command, *rest = words.split()
    assert said("-m", f"inductor_lab.{command}", *rest) == (2, PARQUET)


def test_the_export_names_its_extra_and_needs_no_log(said: Said) -> None:
    code, error = said("-m", "inductor_lab.models.dlrm_onnx", "--interaction", "cat", "-o", "model.onnx")
    assert (code, error) == (2, "error: The export needs onnx: pip install 'inductor_lab[onnx]'.\n")


def test_a_device_that_is_not_there_is_named(said: Said) -> None:
    words = ("--config", "small", "--rows", "100", "--device", "cuda")
    code, error = said("-m", "inductor_lab.models.dlrm_train", *words)
    assert code == 2 and error.startswith("error: There is no device 'cuda' here: ") and error.count("\n") == 1


def test_the_model_and_batches_for_it_need_none_of_them(said: Said) -> None:
    text = (
        "import sys; sys.path.insert(0, sys.argv[1]); import dlrm_talk, torch; "
        "from inductor_lab.models.dlrm_train.configuration import build, read; "
        "(rows, *_), tables = dlrm_talk.batches(4, 20, torch.device('cpu')); "
        "assert build(read('small'), tables)(rows.dense, rows.sparse).shape == (4,)"
    )
    assert said("-c", text, str(ROOT / "tests" / "benchmarks")) == (0, "")


@pytest.mark.parametrize(
    "script",
    [
        "dlrm",
        pytest.param("dlrm_grafted", marks=pytest.mark.slow),
        "dlrm_kernels",
        pytest.param("dlrm_talk", marks=pytest.mark.slow),
    ],
)
def test_what_is_timed_asks_for_a_gpu(script: str, said: Said) -> None:
    pytest.importorskip("triton")
    code, error = said(str(ROOT / "tests" / "benchmarks" / f"{script}.py"), "-o", "results")
    assert code in (1, 2) and error.startswith("error: This needs a GPU; --smoke") and error.count("\n") == 1
