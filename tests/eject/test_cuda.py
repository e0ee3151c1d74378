"""A kernel in CUDA C++: printed from the same tree, built for the CPU and judged there, compiled by nvcc without a card."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from conftest import Result
from cuda_categories import CATEGORIES, CUMSUM, of_category
from folders import CAPTURED, ROOT
from forking import interpreted
from kernels_as_text import ROWS, capture, kernel
from many_jobs import decay
from small_kernels import SMALL, captured
from test_jobs import SCALED
from test_jobs import TENSORS as JOBS

from inductor_lab.eject import eject_files
from inductor_lab.eject.cuda.launch import Constant, Cuda
from inductor_lab.eject.rendering import (
    Baseline,
    Comparisons,
    CudaFile,
    EagerReference,
    GraphForm,
    HandKernel,
    Header,
    Inputs,
    Launcher,
    Rendering,
    SubkernelKind,
    SubkernelTable,
)
from inductor_lab.ejected import is_edited, write_all
from inductor_lab.errors import LabError
from inductor_lab.machine import cuda_source, inspect
from inductor_lab.measure.diff import diff
from inductor_lab.records import Capture, Kernel
from inductor_lab.store import load

SOFTMAX = (
    ROWS
    + """
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, float("-inf"))
    tmp4 = triton_helpers.max2(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tmp0 - tmp4
    tmp6 = tl_math.exp(tmp5)
    tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
    tmp9 = tl.where(xmask, tmp7, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None].to(tl.float32)
    tmp11 = (tmp6 / tmp10)
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp11, xmask)
"""
)
"""Rows that are held whole, and folded twice."""
CHOSEN = (
    ROWS
    + """
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tl.device_assert(((0 <= tmp1) & (tmp1 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp1 < 50")
    tmp2 = tl.load(in_ptr2 + (r0_1 + 128*tmp1), xmask, other=0.0)
    tmp3 = tmp0 + tmp2
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(xmask, tmp4, 0)
    tmp7 = tl.sum(tmp6, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp7, xmask)
"""
)
"""Rows that are held whole, to each of which one that an index chooses is added."""
HOLDS = """
import sys
from inductor_lab.ejected import load
from inductor_lab.judge import stand_ins
from inductor_lab.judge.inputs import placement
from inductor_lab.judge.inputs import families
from inductor_lab.judge.compare import reference

def wrong(file, family):
    given = placement.place_inputs(file, families.drawn(file.ARGUMENTS, family, 0), 0)
    made = {}
    for launch in (file.launch, file.launch_generated):
        made[launch] = given.on("cpu")
        launch(*made[launch].values(), **file.INTERPRETER[launch.__name__])
    views, generated = made.values()
    strayed = placement.strayed(file, given, [bytearray(memory.numpy()) for memory in given.memories_of(views)])
    if strayed or not file.reference:
        return strayed or reference.against_generated(file, views, generated)
    found = reference.against_eager(file, given.on("cpu"), views)
    if found and reference.against_eager(file, given.on("cpu"), generated):
        return reference.against_generated(file, views, generated)
    return found

stand_ins.install()
for path in sys.argv[1:]:
    file = load(path).module
    try:
        print(path, wrong(file, "normal") or wrong(file, "edges") or "right", sep="\\t")
    except RuntimeError as error:
        print(path, error, sep="\\t")
"""
"""Runs the check of ejected files in Triton's interpreter, on normal numbers and on edge values, which alone tell nothing of a product: each of
its elements is then a NaN. A line for each: its path, and what is wrong."""


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


def others() -> dict[str, tuple[Capture, Kernel]]:
    """Kernels that are none of the small ones."""
    two = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8, 128]"}
    made = {
        "softmax": kernel(SOFTMAX, two, category="persistent_reduction"),
        "jobs": kernel(SCALED, JOBS, category="foreach"),
    }
    return {name: (capture(one), one) for name, one in made.items()}


def cu(name: str) -> str:
    return eject_files(*captured(name), target="cuda", file="k.py")["k.cu"]


def held(*paths: Path) -> dict[str, str]:
    """What is wrong with each file, by its stem; `right` for nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCH_EXTENSIONS_DIR", str(paths[0].parent / "built"))
        pairs = [line.split("\t", 1) for line in interpreted("-c", HOLDS, *paths).splitlines()]
    return {Path(path).stem: wrong for path, wrong in pairs}


def file_name(name: str) -> str:
    """A category's name as a file's."""
    return re.sub(r"\W+", "_", name)


def of_file(name: str) -> str:
    return eject_files(*of_category(name), target="cuda", file="k.py")["k.cu"]


needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="without a GPU a .cu is built by g++")


# ---------------------------------------------------------------- what is printed


def test_numbers_among_floats_are_floats() -> None:
    text = cu("affine")
    assert "maximum(0.0f, bias_1 + base + lora * 0.5f)" in text
    assert not re.search(r"\d\.\d+(?![\df])", text.partition("__global__")[2])


def test_what_lies_side_by_side_is_loaded_at_once_where_it_is_aligned() -> None:
    text = cu("affine")
    assert "load<VEC>(base_ptr + first, numel - first)" in text and "bias_1_ptr[column]" in text  # of 75 columns
    assert "if (aligned<4>(base_ptr) && aligned<4>(lora_ptr)) {" in text
    text = of_file("rotated")
    assert "const auto weight_pack = load<VEC>(weight_ptr + column);" in text
    assert "&& COLUMNS % 8 == 0 && numel % 8 == 0 && COLUMNS / 2 % 8 == 0) {" in text


def test_a_mask_that_is_one_for_a_pack_is_asked_once() -> None:
    before, _, inside = of_file("rotated").partition("for (int k")
    inside, _, _ = inside.partition("// Launch")
    assert "const bool below = column < COLUMNS / 2;" in before and "= below ? load<VEC>(buf0_ptr + " in before
    assert "below ? " in inside and "column" not in inside
    assert "aligned<4>(buf0_ptr)" in of_file("rotated, packs of four")
    text = of_file("rotated, odd halves")
    assert "? load<VEC>" not in text and "buf0_ptr[row * COLUMNS + (column + k) + COLUMNS / 2]" in text


def test_a_pack_is_added_at_once_in_a_row_that_the_data_chooses() -> None:
    text = of_file("scattered")
    before, _, behind = text.partition("    #pragma unroll\n    for (int k = 0; k < VEC; ++k) {")
    assert "= index_ptr[row];" in before and "assert(" in before
    assert "add_all(buf2_ptr + column + index * COLUMNS, buf2_pack);" in behind
    assert "load<VEC>" not in of_file("scattered, one by one")  # neighbours add side by side, an element each


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


def test_a_row_that_is_needed_again_stays_in_registers() -> None:
    text = eject_files(*others()["softmax"], target="cuda", file="k.py")["k.cu"]
    assert text.count("#pragma unroll (HOLDS ? ITEMS : 1)") == 3
    assert re.search(r"if \(HOLDS\) (\w+)_held\[(k|item)\] = \1(_pack)?;", text) and "__expf(" in text


def test_the_compiler_is_told_how_many_threads_are_launched() -> None:
    """With registers for more threads than there are, what a row holds would be spilled."""
    text = eject_files(*others()["softmax"], target="cuda", file="k.py")["k.cu"]
    assert "__launch_bounds__(LANES < 128 ? 128 : LANES) softmax(" in text and "dim3(LANES, PER_BLOCK)" in text
    assert "__launch_bounds__(32 * LANES) " in cu("sum") and "dim3(32, " in cu("sum")
    bounds = ("256", "32 * LANES", "LANES < 128 ? 128 : LANES")
    assert [cuda_source.threads(each, {"LANES": 32}) for each in bounds] == [256, 1024, 128]


def test_a_row_s_threads_take_what_one_instruction_loads() -> None:
    """A row of 128 floats: four at once where all are aligned, and kept as they were loaded; one at a time else."""
    text = eject_files(*others()["softmax"], target="cuda", file="k.py")["k.cu"]
    assert "template <int LANES, int VEC>" in text and re.search(r"Pack<float, VEC> \w+_held\[", text)
    assert re.search(r"const auto (\w+)_pack = load<VEC>\(\1_ptr \+ first \+ row \* R\);", text)
    assert re.search(r"if \(inside\) store\(out_ptr \+ first \+ row \* R, out_pack\);", text)
    assert re.search(r"if \(aligned<4>\(.*R % 4 == 0\) \w+<LANES, 4><<<", text) and "else softmax<LANES, 1><<<" in text
    assert "const int64_t row = " in text


def test_a_size_that_no_tensor_has_is_not_said_twice() -> None:
    assert Constant("R", 100, "100", "").said == ""
    assert Constant("R", 100, "x.shape[1]", "columns").said == "x.shape[1]: columns"


def test_jobs_of_one_kind_are_one_function() -> None:
    text = eject_files(*others()["jobs"], target="cuda", file="k.py")["k.cu"]
    assert text.count("__device__ __forceinline__ void step(") == 1
    assert text.count("return step(block, ") == 2 and "block -= int(cdiv(numel_0, 256));" in text


def test_many_jobs_of_one_kind_are_a_table() -> None:
    made = decay()
    text = eject_files(capture(made), made, target="cuda", file="k.py")["k.cu"]
    assert "const __grid_constant__ Jobs jobs) {" in text and "    Job all[4];" in text
    assert "one job after the other; a thread takes one element of a job." in text
    assert text.count("return step(") == 1 and len(re.findall(r"^        \{param_\d_ptr, ", text, re.MULTILINE)) == 4


def test_programs_that_share_a_row_are_one_block_without_a_workspace() -> None:
    for name in ("cooperative_reduction", "split_scan"):
        found, one = of_category(name)
        assert any(argument.name == "ws_ptr" for argument in one.arguments)
        texts = eject_files(found, one, target="cuda", file="k.py")
        assert not re.search(r"workspace|semaphore|ws_ptr", texts["k.cu"])


def test_a_long_row_is_summed_in_parts() -> None:
    text = eject_files(*of_category("cooperative_reduction"), target="cuda", file="k.py")["k.cu"]
    assert "for (int start = lane * VEC; start < R; start += 32 * LANES) {" in text
    assert "first < start + 32 * LANES; first += LANES * VEC" in text and re.search(
        r"(\w+) = Sum\(\)\(\1_before, \1\);", text
    )


def test_what_chooses_a_row_is_checked_before_the_row_is_read() -> None:
    passed = {
        "in_ptr0": "float32[8, 128]",
        "in_ptr1": "int64[8]",
        "in_ptr2": "float32[50, 128]",
        "out_ptr0": "float32[8]",
    }
    rows = kernel(CHOSEN, passed, category="persistent_reduction")
    text = eject_files(capture(rows), rows, target="cuda", file="k.py")["k.cu"].partition("__global__")[2]
    assert text.count("assert(0 <= ") == 1 and text.index("assert(0 <= ") < text.index("for (")


def test_a_row_s_threads_scan_it_together_and_store_what_exists() -> None:
    text = eject_files(*of_category("cumsum"), target="cuda", file="k.py")["k.cu"]
    assert "scan_row<LANES, float>(" in text and "start == 0, Sum());" in text
    assert "if (inside && within) out_ptr[" in text
    assert (
        "scan_columns<LANES, float>("
        in eject_files(*of_category("cumsum of columns"), target="cuda", file="k.py")["k.cu"]
    )


def test_a_scan_combines_by_the_function_that_inductor_wrote() -> None:
    text = eject_files(*of_category("cummax"), target="cuda", file="k.py")["k.cu"]
    assert "struct Values { float of_0; int64_t of_1; };" in text
    assert "before.of_0 > next.of_0" in text and "scan_row<LANES, Combine::Values>(Combine::Values{" in text


def test_a_row_is_sorted_in_shared_memory_before_anything_takes_from_it() -> None:
    text = of_file("sort").partition("__global__")[2]
    before, _, behind = text.partition("sort_row<LANES>(sorted_, R, lane, OutOfOrder<true, false>());")
    assert "[LANES == 32 && R <= 512 ? 4 : 1][padded(R)];" in before and "sorted_[r] = {buf0, int16_t(r)};" in before
    assert "= sorted_[r].value;" in behind and "int64_t(sorted_[r].place)" in behind
    assert "OutOfOrder<false, true>" in of_file("sort, not stable")
    assert "sorted_[r].value, " in of_file("sorted, summed") and "scan_row<LANES, float>(" in of_file("sorted, summed")


def test_jobs_that_fold_take_a_warp_a_row() -> None:
    text = eject_files(*of_category("combo"), target="cuda", file="k.py")["k.cu"]
    assert "constexpr int LANES = 32;" in text and "fold<LANES>(" in text
    assert "const int place = block * blockDim.y + threadIdx.y" in text and "dim3(32, 8)" in text
    assert "a warp takes one row of a job, or 8 threads share each of 32 columns of a job." in text


def test_what_has_no_form_is_refused_in_a_sentence() -> None:
    found = load(CAPTURED / "lora_mlp_h200")
    with pytest.raises(LabError, match="leave it out with --as cuda"):
        eject_files(found, found.kernels[0], target="cuda", style="verbatim")
    two = {"in_ptr0": "float32[8, 100]", "out_ptr0": "float32[8, 100]"}
    scan = "tmp2, = tl.associative_scan((tmp1,), 1, _triton_helper_fn_add0)"
    assert scan in CUMSUM
    backwards = kernel(CUMSUM.replace("add0)", "add0, reverse=True)"), two, category="persistent_reduction")
    with pytest.raises(LabError, match=r"has no form in CUDA C\+\+: a scan \(sum_reversed\) is not printed"):
        eject_files(capture(backwards), backwards, target="cuda")
    longer = (
        CUMSUM.replace("100", "600")
        .replace("128", "1024")
        .replace(
            scan,
            "tmp2, tmp3 = triton_helpers.sort_with_index(tmp1, r0_1.to(tl.int16), None, 1, stable=True, descending=False)",
        )
    )
    rows = {"in_ptr0": "float32[8, 600]", "out_ptr0": "float32[8, 600]"}
    sort = kernel(longer, rows, category="persistent_reduction")
    with pytest.raises(LabError, match=r"has no form in CUDA C\+\+: a sort of more than 512 elements is not printed"):
        eject_files(capture(sort), sort, target="cuda")
    with pytest.raises(LabError, match=r"-o names the Python file, k\.py"):
        eject_files(found, found.kernels[0], target="cuda", file="k.cu")


# ---------------------------------------------------------------- what it computes


SOME = ("affine_bf16", "sum", "scatter", "cumsum", "addmm", "rotated")
REST = [name for name in (*SMALL, "softmax", "jobs", *CATEGORIES) if name not in SOME]
EDITS = {
    "affine": ("lora * 0.5f", "lora * 0.25f"),
    "tile": ("y < y_size", "y < y_size - 1"),
    "sort": ("> right.place", "< right.place"),
    "welford": ("step > 0; step /= 2", "step > 1; step /= 2"),
    "argmax": ("a.index < b.index", "a.index > b.index"),
    "cumsum": ("if (lane >= step)", "if (lane > step)"),
    "addmm": ("y < y_size && r < R", "y < y_size && r < R - 1"),
    "rotated": ("below = column <", "below = column <="),
}


def built(folder: Path, names: Iterable[str], edits: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Kernels of any kind, built for the CPU and held to eager, on edge values too."""
    return held(*(written(*one_of(name), folder / f"{file_name(name)}.py", edit=edits.get(name)) for name in names))


def one_of(name: str) -> tuple[Capture, Kernel]:
    if name in SMALL:
        return captured(name)
    return of_category(name) if name in CATEGORIES else others()[name]


@needs_gxx
@pytest.mark.parametrize("names", [SOME, pytest.param(REST, marks=pytest.mark.slow)], ids=["some", "the rest"])
def test_it_computes_what_eager_computes(names: Sequence[str], tmp_path: Path) -> None:
    assert {name: wrong for name, wrong in built(tmp_path, names, {}).items() if wrong != "right"} == {}


@needs_gxx
@pytest.mark.parametrize(
    "names", [list(EDITS)[:2], pytest.param(list(EDITS)[2:], marks=pytest.mark.slow)], ids=["some", "the rest"]
)
def test_an_edit_that_is_wrong_is_told(names: Sequence[str], tmp_path: Path) -> None:
    assert "right" not in built(tmp_path, names, EDITS).values()


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


@pytest.mark.slow
@needs_gxx
def test_verify_runs_the_kernel_for_the_cpu(
    tmp_path: Path, lab: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "built"))
    file = files("affine", tmp_path)
    right = lab("verify", file, "--quick")
    assert right.code == 0 and "edited" not in right.out, right.out + right.err
    assert " cases on the CPU, as C++ built by g++" in right.out and "interpreter" not in right.out
    text = file.with_suffix(".cu").read_text()
    file.with_suffix(".cu").write_text(text.replace("lora * 0.5f", "lora * 0.25f"))
    wrong = lab("verify", file, "--quick")
    assert wrong.code == 1 and "edited since it was ejected" in wrong.out
    file.with_suffix(".cu").write_text(text.replace("const float lora =", "const flaot lora ="))
    broken = lab("verify", file, "--quick")
    assert broken.code == 1 and "does not compile: affine.cu:" in broken.out and "raise" not in broken.out


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


def test_the_docs_name_every_field_of_a_template() -> None:
    text = (ROOT / "docs" / "cuda.md").read_text()
    kinds = (
        Header,
        HandKernel,
        EagerReference,
        SubkernelTable,
        SubkernelKind,
        Comparisons,
        GraphForm,
        Inputs,
        Baseline,
        Launcher,
        CudaFile,
        Rendering,
    )
    names = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    assert names <= set(re.findall(r"`(\w+)`", text))
    parts = {f"cuda.{field.name}" for field in dataclasses.fields(Cuda)}
    assert parts <= set(re.findall(r"`(cuda\.\w+)`", text))


# ---------------------------------------------------------------- without a card


def nvcc() -> str | None:
    """The compiler: installed, or from the package registry's wheels."""
    try:
        return cuda_source.nvcc()
    except LabError:
        return None


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize(
    "name",
    [
        "affine", "argmax",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("rotated", "affine_bf16", "scatter", "split_scan", "sort", "functions", "sum", "tile", "welford", "combo", "cummax",
                         "scattered, bf16", "sort, not stable")
        ),
    ],
)  # fmt: skip
def test_nvcc_compiles_it_without_double_arithmetic(name: str, tmp_path: Path) -> None:
    one = of_category(name) if name in CATEGORIES else captured(name)
    file = written(*one, tmp_path / "k.py").with_suffix(".cu")
    flags = ["-arch=sm_90", "-std=c++17", "-Werror", "all-warnings", "-ptx"]
    done = subprocess.run([str(nvcc()), *flags, "-o", tmp_path / "k.ptx", file], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    text = (tmp_path / "k.ptx").read_text()
    assert ".entry" in text and ".f64" not in text
    if name == "affine":
        assert "ld.global.v4" in text.replace(".nc", "")


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_inspect_tells_what_nvcc_makes_of_it(tmp_path: Path) -> None:
    file = files("affine", tmp_path)
    wide, narrow = inspect(file, "h200")
    assert (wide.kernel, narrow.kernel) == ("add_mul_relu<4>", "add_mul_relu<1>")
    assert (wide.constants, narrow.constants) == ({"VEC": 4}, {"VEC": 1})
    told = " ".join(diff(file, gpu="h200").because)
    assert (
        f"the other {wide.loads['LDG.E']} LDG.E, 2 LDG.E.128." in told
    )  # the wide one runs here, and is compared alone
    assert wide.loads["LDG.E.128"] == 2 and wide.spills == 0 and "LDG.E.128" not in narrow.loads
    with pytest.raises(LabError, match="compiled for NVIDIA's cards alone"):
        inspect(files("affine", tmp_path), "mi300x")


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize(
    ("name", "loads", "stores"),
    [
        pytest.param("rotated", {"LDG.E.128": 4}, {"STG.E.128": 1}, marks=pytest.mark.slow),
        pytest.param(
            "scattered", {"LDG.E.128": 1, "LDG.E.64": 1}, {"REDG.E.ADD.F32x4.FTZ.RN": 1}, marks=pytest.mark.slow
        ),
        ("scattered, bf16", {"LDG.E.128": 1, "LDG.E.64": 1}, {"REDG.E.ADD.BF16x8.RN": 1}),
    ],
)
def test_all_of_a_pack_is_one_instruction(
    name: str, loads: dict[str, int], stores: dict[str, int], tmp_path: Path
) -> None:
    wide = inspect(written(*of_category(name), tmp_path / "k.py"), "h200")[0]
    assert (wide.loads, wide.stores, wide.spills) == (loads, stores, 0)


def test_what_is_for_triton_alone_says_so(lab: Callable[..., Result]) -> None:
    files("affine", Path())
    for words, said in (
        (("tune", "affine.py"), "launches CUDA C++, and tune sweeps the blocks, warps and stages of Triton alone"),
        (("tune", "affine.cu"), "affine.cu is launched by the Python file beside it: name affine.py."),
        (("eject", "affine.cu", "--update"), "name affine.py."),
        (("verify", "affine.cu"), "name affine.py."),
        (("diff", "affine.cu"), "name affine.py."),
        (("inspect", "affine.cu"), "name affine.py."),
    ):
        found = lab(*words)
        assert found.code == 2 and said in found.err, words


@needs_gxx
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("affine", ("0.5f", "0.25f")),
        pytest.param("welford", None, marks=pytest.mark.slow),
        pytest.param("sort", None, marks=pytest.mark.slow),
    ],
)
def test_the_cmake_project_tells_right_from_wrong(name: str, edit: tuple[str, str] | None, tmp_path: Path) -> None:
    one = of_category(name) if name in CATEGORIES else captured(name)
    written(*one, tmp_path / "k.py", edit=edit)
    assert ended_by_cmake(tmp_path) == ((1, "WRONG") if edit else (0, "right"))


@needs_gxx
@pytest.mark.catalogue
@pytest.mark.skipif(shutil.which("cmake") is None or nvcc() is None, reason="needs cmake and nvcc")
@pytest.mark.parametrize("name", CATEGORIES)
def test_the_cmake_project_of_every_category_is_right_and_compiles_for_a_card(name: str, tmp_path: Path) -> None:
    """Its test program runs on the CPU in the small size, and in the captured one is what a card would run."""
    for size in ("small", "large"):
        (tmp_path / size).mkdir()
        written(*of_category(name, small=size == "small"), tmp_path / size / "k.py")
    assert ended_by_cmake(tmp_path / "small") == (0, "right")
    project = tmp_path / "large" / "k_cmake"
    flags = ["-arch=sm_90", "-std=c++17", "-I", project.parent, "-I", project]
    subprocess.run([str(nvcc()), *flags, "-c", "-o", tmp_path / "test.o", project / "test.cu"], check=True)


def ended_by_cmake(folder: Path) -> tuple[int, str]:
    """How the test program of `k_cmake` ends on the CPU, and its last line."""
    build = folder / "build"
    for command in (["cmake", "-S", folder / "k_cmake", "-B", build, "-DON_CPU=ON"], ["cmake", "--build", build]):
        subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([build / "test_kernel"], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()[-1]
