"""A kernel in CUDA C++: printed from the same tree, built for the CPU and judged there, compiled by nvcc without a card."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from small_kernels import SMALL, captured

from inductor_lab.edited import is_edited
from inductor_lab.eject import eject_files
from inductor_lab.ejected import write_all
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.store import load

CAPTURED = Path(__file__).parents[1] / "captured"
HOLDS = """
import importlib.util, sys
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("file", path)
    file = sys.modules["file"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(file)
    try:
        print(path, file.hold(file, file.launch, 0, edges=True)[3] or "right", sep="\\t")
    except RuntimeError as error:
        print(path, error, sep="\\t")
"""
"""Runs the check of ejected files in Triton's interpreter; a line for each: its path, and what is wrong."""


def files(name: str, folder: Path, *, edit: tuple[str, str] | None = None, **asked: object) -> Path:
    """One small kernel's files, the .cu edited."""
    return written(*captured(name), folder / f"{name}.py", edit=edit, **asked)


def written(
    found: Capture, kernel: Kernel, file: Path, *, edit: tuple[str, str] | None = None, **asked: object
) -> Path:
    texts = eject_files(found, kernel, target="cuda", file=file.name, **asked)  # type: ignore[arg-type]
    write_all({file.parent / name: text for name, text in texts.items()})
    if edit is not None:
        text = file.with_suffix(".cu").read_text()
        assert edit[0] in text
        file.with_suffix(".cu").write_text(text.replace(*edit))
    return file


def cu(name: str) -> str:
    return eject_files(*captured(name), target="cuda", file="k.py")["k.cu"]


def held(*paths: Path) -> dict[str, str]:
    """What is wrong with each file, by its stem; `right` for nothing."""
    environment = {**os.environ, "TRITON_INTERPRET": "1", "TORCH_EXTENSIONS_DIR": str(paths[0].parent / "built")}
    done = subprocess.run([sys.executable, "-c", HOLDS, *paths], capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stderr
    pairs = [line.split("\t", 1) for line in done.stdout.splitlines()]
    return {Path(path).stem: wrong for path, wrong in pairs}


needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="without a GPU a .cu is built by g++")


# ---------------------------------------------------------------- what is printed


def test_numbers_among_floats_are_floats() -> None:
    text = cu("affine")
    assert "maximum(0.0f, bias_1 + base + lora * 0.5f)" in text
    assert not re.search(r"\d\.\d+(?![\df])", text.partition("__global__")[2])


def test_what_lies_side_by_side_is_loaded_at_once_where_it_is_aligned() -> None:
    text = cu("affine")
    assert "load<VEC>(base_ptr + first, numel - first)" in text and "const float bias_1 = bias_1_ptr[column];" in text
    assert "if (aligned<4>(base_ptr) && aligned<4>(lora_ptr)) {" in text


def test_two_names_of_one_memory_are_not_said_to_be_apart() -> None:
    text = cu("running_mean").partition("__global__")[2]
    assert "const float* __restrict__ batch_ptr" in text
    assert "const float* running_ptr" in text and "float* add_ptr,  // f32[40, 75]" in text


def test_half_precision_is_computed_with_in_float_and_rounded_once() -> None:
    text = cu("affine_bf16")
    assert "#include <cuda_bf16.h>" in text
    assert re.search(r"base_pack\[k\] = __float2bfloat16\(maximum\(0\.0f, .*\)\);", text)


def test_a_column_s_threads_lie_side_by_side_and_a_row_s_too() -> None:
    assert "const int lane = threadIdx.y;" in cu("sum") and "fold_columns<LANES>(" in cu("sum")
    assert "const int lane = threadIdx.x;" in cu("argmax") and "fold<LANES>(" in cu("argmax")


def test_what_has_no_form_is_refused_in_a_sentence() -> None:
    found = load(CAPTURED / "lora_mlp_h200")
    with pytest.raises(LabError, match="leave it out with --as cuda"):
        eject_files(found, found.kernels[0], target="cuda", style="verbatim")
    with pytest.raises(LabError, match=r"-o names the Python file, k\.py"):
        eject_files(found, found.kernels[0], target="cuda", file="k.cu")


# ---------------------------------------------------------------- what it computes


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every small kernel, built for the CPU and held to eager on edge values; one barrier that not all threads reach."""
    folder = tmp_path_factory.mktemp("small")
    made = [files(name, folder) for name in SMALL]
    (folder / "edited").mkdir()
    made += [
        files("affine", folder / "edited", edit=("lora * 0.5f", "lora * 0.25f")),
        files("welford", folder / "edited", edit=("step > 0; step /= 2", "step > 1; step /= 2")),
        files("argmax", folder / "edited", edit=("a.index < b.index", "a.index > b.index")),
        files("tile", folder / "edited", edit=("y < y_size", "y < y_size - 1")),
    ]  # fmt: skip
    right = held(*made[: len(SMALL)])
    return right | {f"edited {name}": wrong for name, wrong in held(*made[len(SMALL) :]).items()}


@needs_gxx
@pytest.mark.parametrize("name", SMALL)
def test_it_computes_what_eager_computes(name: str, verdicts: dict[str, str]) -> None:
    assert verdicts[name] == "right"


@needs_gxx
@pytest.mark.parametrize("name", ["affine", "welford", "argmax", "tile"])
def test_an_edit_that_is_wrong_is_told(name: str, verdicts: dict[str, str]) -> None:
    assert verdicts[f"edited {name}"] != "right"


@needs_gxx
def test_a_file_that_does_not_compile_is_one_sentence(tmp_path: Path) -> None:
    file = files("affine", tmp_path, edit=("const float lora =", "const flaot lora ="))
    assert re.fullmatch(r"affine\.cu does not compile: affine\.cu:\d+:\d+: error: .*", held(file)["affine"])


@needs_gxx
def test_threads_that_wait_at_different_barriers_end_the_program(tmp_path: Path) -> None:
    file = files(
        "argmax",
        tmp_path,
        edit=("const int lane = threadIdx.x;", "const int lane = threadIdx.x; if (lane) __syncthreads();"),
    )
    with pytest.raises(AssertionError, match="threads of a block wait at different barriers"):
        held(file)


@needs_gxx
def test_verify_runs_the_kernel_for_the_cpu(
    tmp_path: Path, lab: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "built"))
    file = files("affine", tmp_path)
    right = lab("verify", file, "--quick")
    assert right.code == 0 and "edited" not in right.out, right.out + right.err
    text = file.with_suffix(".cu").read_text()
    file.with_suffix(".cu").write_text(text.replace("lora * 0.5f", "lora * 0.25f"))
    wrong = lab("verify", file, "--quick")
    assert wrong.code == 1 and "edited since it was ejected" in wrong.out


# ---------------------------------------------------------------- files


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    file = files("affine", tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == [
        "affine.cu", "affine.py", "affine_cmake/CMakeLists.txt", "affine_cmake/cuda_on_cpu.h", "affine_cmake/test.cu",
    ]  # fmt: skip
    file.unlink()
    file.with_suffix(".cu").write_text("somebody's")
    with pytest.raises(LabError, match=r"affine\.cu exists and is never overwritten"):
        files("affine", tmp_path)
    assert not file.exists() and file.with_suffix(".cu").read_text() == "somebody's"


def test_an_edit_of_the_cu_file_is_an_edit(tmp_path: Path) -> None:
    file = files("affine", tmp_path)
    assert not is_edited(file.read_text(), file)
    file.with_suffix(".cu").write_text(file.with_suffix(".cu").read_text() + "// mine\n")
    assert is_edited(file.read_text(), file)


def test_a_template_of_ones_own_for_the_cu_file(tmp_path: Path) -> None:
    template = tmp_path / "short.cu.jinja"
    template.write_text("// {{ cuda.name }}({{ cuda.arguments }})\n")
    texts = eject_files(*captured("affine"), target="cuda", file="k.py", template=template)
    assert (
        texts["k.cu"] == "// add_mul_relu(base_ptr, bias_1_ptr, lora_ptr, numel)\n"
        and "def reference(" in texts["k.py"]
    )


# ---------------------------------------------------------------- without a card


def nvcc() -> str | None:
    """The compiler: installed, or from the package registry's wheels."""
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/bin/nvcc"))
    return shutil.which("nvcc") or next(map(str, wheels), None)


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize("name", ["affine", "affine_bf16", "argmax", "functions", "scatter", "sum", "tile", "welford"])
def test_nvcc_compiles_it_without_double_arithmetic(name: str, tmp_path: Path) -> None:
    file = files(name, tmp_path).with_suffix(".cu")
    flags = ["-arch=sm_90", "-std=c++17", "-Werror", "all-warnings", "-ptx"]
    done = subprocess.run([str(nvcc()), *flags, "-o", tmp_path / "k.ptx", file], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    text = (tmp_path / "k.ptx").read_text()
    assert ".entry" in text and ".f64" not in text
    if name == "affine":
        assert "ld.global.v4" in text.replace(".nc", "")


@needs_gxx
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
@pytest.mark.parametrize(("name", "edit"), [("welford", None), ("affine", ("0.5f", "0.25f"))])
def test_the_cmake_project_tells_right_from_wrong(name: str, edit: tuple[str, str] | None, tmp_path: Path) -> None:
    project = files(name, tmp_path, edit=edit).with_name(f"{name}_cmake")
    for command in (
        ["cmake", "-S", project, "-B", tmp_path / "b", "-DON_CPU=ON"],
        ["cmake", "--build", tmp_path / "b"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([tmp_path / "b" / "test_kernel"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == ((1, "WRONG") if edit else (0, "right"))
