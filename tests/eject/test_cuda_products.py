"""Matrix products by Inductor's templates: read in the frame of other kernels, and what of them is printed in CUDA C++."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest
from cuda_categories import PRODUCTS, of_category
from folders import GENERATIONS, TESTS
from test_cuda import ended_by_cmake, nvcc, written

from inductor_lab.computation import product
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.tree import Reduction, walk
from inductor_lab.eject import eject_files
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

LOAD = "a = tl.load(A + (xindex), mask=a_mask, other=0.0)"
PROLOGUE = """tmp0 = tl.load(A + (xindex), mask=a_mask, other=0.0)
        tmp1 = tl.full([1], 0, tl.int32)
        tmp2 = triton_helpers.maximum(tmp1, tmp0)
        a = tmp2"""
DOT = "acc += tl.dot(a, b, allow_tf32=ALLOW_TF32, out_dtype=ACC_TYPE)"
CAST = """if B_PROLOGUE_CAST_TYPE is not None:
            b = b.to(B_PROLOGUE_CAST_TYPE)
        acc += tl.dot(a, b, allow_tf32=ALLOW_TF32)"""
"""How torch had it before 2.8, with what is fused before the product."""


def changed(name: str, *edits: tuple[str, str]) -> tuple[Capture, Kernel]:
    """A product's capture whose text says something else."""
    sizes, number = PRODUCTS[name]
    found = read([TESTS / "products" / f"{sizes[0]}.txt"], "products")
    kernel = found.kernels[number]
    for before, after in edits:
        assert kernel.text.count(before) == 1, before
        kernel = dataclasses.replace(
            kernel,
            text=kernel.text.replace(before, after),
            body=kernel.body.replace(_dedented(before), _dedented(after)),
        )
    return dataclasses.replace(found, kernels=(kernel,)), kernel


def _dedented(text: str) -> str:
    """Lines behind the first as a body has them, which is four columns to the left."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(line.removeprefix("    ") for line in rest)])


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("name", "sizes", "rows", "columns"),
    [
        ("addmm", {"y": 72, "x": 41, "r0_": 53}, {"y": 53, "r0_": 1}, {"x": 1, "r0_": 41}),
        ("mm of columns, bf16", {"y": 72, "x": 88, "r0_": 40}, {"y": 1, "r0_": 72}, {"x": 40, "r0_": 1}),
        (
            "bmm, fp16",
            {"y": 40, "x": 56, "r0_": 24, "z": 3},
            {"y": 24, "r0_": 1, "z": 960},
            {"x": 1, "r0_": 56, "z": 1344},
        ),
    ],
)
def test_a_template_is_rows_columns_and_a_sum(
    name: str, sizes: dict[str, int], rows: dict[str, int], columns: dict[str, int]
) -> None:
    found = product(of_category(name)[1])
    assert found.numel == sizes and not found.unknown and not found.schedule.opaque
    assert [axis.name for axis in found.schedule.axes if axis.reduced] == ["r0_"]
    steps = [
        {term.of.axis: term.factor for term in access.index.terms if isinstance(term.of, Coordinate)}
        for access in found.loads[:2]
    ]
    assert steps == [rows, columns]
    (store,) = found.stores
    assert store.value is not None
    (total,) = (node for node in walk(store.value) if isinstance(node, Reduction))
    assert (total.name, total.axes) == ("sum", frozenset(sizes) - {"r0_"})


def test_sizes_that_a_launch_tells_stay_names() -> None:
    found = product(of_category("mm, dynamic")[1])
    assert found.numel == {"y": "ks0", "x": "ks1", "r0_": "ks2"}


def test_the_text_of_older_versions_is_read_too() -> None:
    older = ((DOT, CAST), ("ACC_TYPE : ", "B_PROLOGUE_CAST_TYPE : tl.constexpr = None\n    ACC_TYPE : "))
    was, now = (product(changed("addmm", *edits)[1]) for edits in ((), older))
    assert [access.index for access in was.loads[:2]] == [access.index for access in now.loads[:2]]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("ACC_TYPE : tl.constexpr = tl.float32", "ACC_TYPE : tl.constexpr = tl.int32"), "summed in tl.int32"),
        (("for k_idx in range(0, tl.cdiv(K, BLOCK_K)):", "for k_idx in range(1, 4):"), "its template's loop `for k_idx"),
        ((DOT, f"{DOT}\n        {DOT}"), "with 2 products along its loop"),
        (("if M * N == 0:", "if M * N == 7:"), "its template's statement `return`"),
        (("acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)", "acc = tl.full([1], 2.0, tl.float32)"), "`acc = tl.full"),
        ((DOT, f"{DOT}\n        tl.store(out_ptr1 + xindex, a)"), "`tl.store(out_ptr1 + xindex, a)`"),
        (("M = 72", "M = 72 + 1"), "none of a matrix product"),
        (("tl.assume(pid_n >= 0)", "pid_m = pid_n"), "pid_n"),
    ],
)  # fmt: skip
def test_what_no_product_does_is_refused_in_a_sentence(edit: tuple[str, str], said: str) -> None:
    found, kernel = changed("addmm", edit)
    with pytest.raises(LabError, match=r"has no form in CUDA C\+\+: ") as told:
        eject_files(found, kernel, target="cuda")
    assert said in str(told.value)


def test_other_templates_are_refused_in_a_sentence() -> None:
    found = read([GENERATIONS / "g7_torch_2.13_flex.txt"], "flex")
    kernel = next(kernel for kernel in found.kernels if kernel.category == "template")
    with pytest.raises(LabError, match="its template is none of a matrix product that is read as a tree"):
        eject_files(found, kernel, target="cuda")


# ---------------------------------------------------------------- what is printed


def text_of(name: str, *edits: tuple[str, str]) -> str:
    return eject_files(*changed(name, *edits), target="cuda", file="k.py")["k.cu"]


def test_floats_are_summed_as_floats_and_halves_on_tensor_cores() -> None:
    single, half = text_of("addmm"), text_of("bmm, fp16")
    assert "using Product = FloatProduct;" in single and "__launch_bounds__(256)" in single and "mma.h" not in single
    assert "using Product = TensorProduct<__half>;" in half and "#include <mma.h>" in half


def test_a_tile_lies_as_its_tensor_does() -> None:
    assert "Product::ROWS, Product::DEPTH, true> left;" in text_of("addmm")
    columns = text_of("mm of columns, bf16")
    assert "Product::ROWS, Product::DEPTH, false> left;" in columns
    assert "Product::DEPTH, Product::COLUMNS, false> right;" in columns


def test_neighbours_are_loaded_at_once_where_all_rows_are_aligned() -> None:
    text = text_of("mm of columns, bf16")
    assert "pack = load<VEC>(&arg3_ptr[y + r * Y_SIZE]);" in text
    assert "aligned<8>(arg3_ptr) && y_size % 8 == 0 && Y_SIZE % 8 == 0 && aligned<8>(arg4_ptr) && R % 8 == 0" in text


def test_what_is_fused_stands_behind_the_sum_and_before_it() -> None:
    text = text_of("addmm", (LOAD, PROLOGUE))
    before, behind = text.partition("product.finish();")[::2]
    assert "pack[0] = maximum(0.0f, " in before and "erff(" in behind and "bias_ptr[x]" in behind


def test_positions_have_64_bits_where_inductors_have() -> None:
    wide = text_of("addmm", ("INDEX_DTYPE : tl.constexpr = tl.int32", "INDEX_DTYPE : tl.constexpr = tl.int64"))
    assert "const int64_t y = y_start + left.row(k)" in wide and "int64_t y_size" in wide
    assert "int64_t" not in text_of("addmm").partition("__global__")[2].partition('extern "C"')[0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("g++") is None, reason="needs cmake and g++")
def test_the_test_program_of_one_with_a_prologue_is_right(tmp_path: Path) -> None:
    file = written(*changed("addmm", (LOAD, PROLOGUE)), tmp_path / "k.py")
    assert ended_by_cmake(tmp_path) == (0, "right"), file.with_suffix(".cu").read_text()


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize(
    "name", [name if name == "bmm, fp16" else pytest.param(name, marks=pytest.mark.slow) for name in PRODUCTS]
)
def test_nvcc_compiles_it_for_tensor_cores_where_it_is_in_half_precision(name: str, tmp_path: Path) -> None:
    file = written(*of_category(name, small=False), tmp_path / "k.py").with_suffix(".cu")
    flags = ["-arch=sm_90", "-std=c++17", "-Werror", "all-warnings", "-ptx"]
    done = subprocess.run([str(nvcc()), *flags, "-o", tmp_path / "k.ptx", file], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    text = (tmp_path / "k.ptx").read_text()
    assert (
        ("wmma.mma.sync" in text) == ("16" in name) and ".f64" not in text and "ld.global.v4" in text.replace(".nc", "")
    )
