"""Kernels in CUDA C++ on a real GPU: built by torch and by CMake, held to eager, compared with the generated kernel. `pytest -m gpu`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cuda_categories import CATEGORIES, REAL, of_category
from folders import CAPTURED
from small_kernels import SMALL, captured

from inductor_lab.eject import eject_files
from inductor_lab.ejected import write_all
from inductor_lab.errors import LabError
from inductor_lab.machine import cuda_source
from inductor_lab.measure.diff import diff
from inductor_lab.measure.timing.samples import Method
from inductor_lab.records import Capture, Kernel
from inductor_lab.store import load
from inductor_lab.verify import verify

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch looks for nvcc where CUDA_HOME says."""
    try:
        found = Path(cuda_source.nvcc()).resolve()
    except LabError as error:
        pytest.skip(str(error))
    if "CUDA_HOME" not in os.environ and found.parent.parent.joinpath("include").is_dir():
        monkeypatch.setenv("CUDA_HOME", str(found.parent.parent))


def written(found: Capture, kernel: Kernel, file: Path) -> Path:
    texts = eject_files(found, kernel, target="cuda", file=file.name)
    write_all({file.parent / name: text for name, text in texts.items()})
    return file


@pytest.mark.parametrize("name", SMALL)
def test_a_small_kernel_is_right(name: str, tmp_path: Path) -> None:
    found = verify(written(*captured(name), tmp_path / f"{name}.py"), effort="quick")
    assert found.verdict == "pass", [case.message for case in found.cases]


@pytest.mark.parametrize("name", CATEGORIES)
def test_a_kernel_of_each_category_is_right(name: str, tmp_path: Path) -> None:
    found = verify(written(*of_category(name), tmp_path / "kernel.py"), effort="quick")
    assert found.verdict == "pass", [case.message for case in found.cases]


@pytest.mark.parametrize("name", REAL)
def test_a_captured_kernel_is_right_and_timed(name: str, tmp_path: Path) -> None:
    capture, number = REAL[name]
    found = load(CAPTURED / capture)
    file = written(found, found.kernels[number], tmp_path / "kernel.py")
    verdict = verify(file)
    assert verdict.verdict == "pass", [case.message for case in verdict.cases]
    told = diff(file, method=Method(rounds=100))
    assert told.ratio is not None and told.ratio > 0
    print(f"{name}: {told.verdict}, {told.ratio:.3f}x the generated kernel's speed, interval {told.ratio_interval}")


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
@pytest.mark.parametrize("name", ["affine", "affine_bf16", "welford", "sum", "scatter", *CATEGORIES])
def test_the_cmake_project_runs_on_the_card(name: str, tmp_path: Path) -> None:
    found, kernel = of_category(name) if name in CATEGORIES else captured(name)
    project = written(found, kernel, tmp_path / "kernel.py").with_name("kernel_cmake")
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", project, "-B", build, f"-DCMAKE_CUDA_COMPILER={cuda_source.nvcc()}"], check=True)
    subprocess.run(["cmake", "--build", build], check=True)
    done = subprocess.run([build / "test_kernel"], capture_output=True, text=True)
    assert not done.returncode, done.stdout
