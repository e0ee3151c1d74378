"""Every generation of Inductor's text, 2023 to torch 2.15: what is in a fixture is counted exactly, and identity survives the versions."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest
from folders import GENERATIONS
from generations.matrix import FEATURES_PAGE, FIXTURES, PAGE, Fixture, features, page

from inductor_lab.read import read
from inductor_lab.read.access import roles
from inductor_lab.read.kernel import list_source, read_source
from inductor_lab.read.module import read_module
from inductor_lab.records import Capture, Kernel, TensorType

FOLDER = GENERATIONS


def fixture(name: str) -> Capture:
    return read([FOLDER / f"{name}.txt"], "x")


def kernel(capture: Capture, name: str) -> Kernel:
    (found,) = (one for one in capture.kernels if one.name == name)
    return found


def passed(kernel: Kernel, launch: int = 0) -> list[tuple[str, str]]:
    return [(argument.name, argument.value) for argument in kernel.launches[launch].arguments]


@pytest.mark.parametrize("known", FIXTURES, ids=lambda known: known.file)
def test_a_fixture_is_counted_exactly(known: Fixture) -> None:
    capture = fixture(known.file)
    assert (
        sum(one.definitions for one in capture.kernels)
        == known.definitions
        == known.text.count("async_compile.triton(")
    )
    assert sum(len(one.launches) for one in capture.kernels) == known.launches
    assert len(capture.kernels) == (known.kernels or known.definitions)
    assert len(capture.extern_calls) == known.externs
    assert len(capture.problems) == known.problems, capture.problems
    for one in capture.kernels:
        assert one.category != "unknown" and one.ops and one.arguments
        assert all(a.dtype and a.role in {"in", "out", "inout"} for a in one.arguments if a.pointer)
        for launch in one.launches:
            line = capture.graphs[0].module.splitlines()[launch.line - 1]
            assert ".run(" in line
            pointers = [a for a in launch.arguments if any(p.name == a.name and p.pointer for p in one.arguments)]
            assert all(a.type and a.type.dtype for a in pointers if a.value != "workspace"), line


def test_every_file_is_listed_and_the_page_is_current() -> None:
    assert {known.file for known in FIXTURES} == {path.stem for path in FOLDER.glob("*.txt")}
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/generations/matrix.py --write"
    assert FEATURES_PAGE.read_text(encoding="utf-8") == features(), "python tests/generations/matrix.py --write"


# What each generation writes in its own way


def test_a_list_of_size_hints_is_in_the_order_of_the_sizes() -> None:
    capture = fixture("g2_torch_2.2")
    assert kernel(capture, "triton_poi_fused_0").size_hints == {"y": 128, "x": 16}
    assert kernel(capture, "triton_per_fused__softmax_1").size_hints == {"x": 16, "r0_": 128}
    assert kernel(fixture("g4_torch_2.6"), "triton_per_fused_sub_sum_0").size_hints == {"x": 16, "r0_": 16}


def test_an_anonymous_kernel_is_named_by_its_assignment() -> None:
    capture = fixture("g1_torch_2.0")
    assert [(one.name, one.category) for one in capture.kernels] == [
        ("triton__0", "pointwise"),
        ("triton__1", "reduction"),
    ]
    assert capture.kernels[0].launches[0].arguments[0].type == TensorType("float32", (10, 10, 60), (600, 60, 1))
    assert [call.target for call in capture.extern_calls] == ["extern_kernels.mm", "aten.cumsum"]


def test_the_first_comments_are_claims_too() -> None:
    (one,) = fixture("g2_torch_2.1_original_aten").kernels
    assert one.claim.aten == ("aten.relu", "aten.threshold_backward")
    assert [a.role for a in one.arguments] == ["in", "out", "out", "size", "constexpr"]


def test_a_user_written_kernel_is_bound_however_it_is_launched() -> None:
    """By keyword, by position with its constexprs, by position without them and with the grid behind."""
    by_keyword = kernel(fixture("g2_torch_2.2"), "add_kernel_0")
    assert passed(by_keyword)[2:] == [
        ("output_ptr", "reinterpret_tensor(buf5, (9, 96), (96, 1), 0)"), ("n_elements", "864"), ("BLOCK_SIZE", "64"),
    ]  # fmt: skip
    assert [a.role for a in by_keyword.arguments] == ["in", "in", "out", "size", "constexpr"]
    assert by_keyword.source[0].file == "/home/user/model.py" and by_keyword.source[0].line == 13
    with_constexprs = kernel(fixture("g4_torch_2.6"), "add_one_kernel_0")
    assert passed(with_constexprs) == [
        ("in_ptr0", "buf2"),
        ("out_ptr", "buf4"),
        ("n_elements", "2048"),
        ("BLOCK_SIZE", "4"),
    ]
    grid_behind = kernel(fixture("g5_torch_2.7"), "scale_kernel_0")
    assert passed(grid_behind) == [("x_ptr", "buf2"), ("n", "64 * s0"), ("step", "1")]
    assert grid_behind.arguments[0].role == "inout"


def test_symbolic_sizes_stay_symbols_and_computed_ones_are_told() -> None:
    capture = fixture("g7_torch_2.13_dynamic")
    assert passed(kernel(capture, "triton_poi_fused_relu_1")) == [("in_out_ptr0", "buf2"), ("xnumel", "s77 * s77")]
    (launch,) = kernel(capture, "triton_red_fused_add_relu_sum_0").launches
    assert launch.arguments[0].type == TensorType("float32", ("s77", "s27"), ("s27", 1))


def test_what_a_library_returned_is_of_the_type_that_is_asserted_of_it() -> None:
    one = kernel(fixture("g8_torch_2.15_library"), "triton_poi_fused_convolution_hardswish_2")
    assert one.launches[0].arguments[0].type == TensorType("float32", (2, 8, 16, 16), (2048, 1, 128, 8))


def test_kernels_that_stand_for_several_have_their_own_category() -> None:
    assert [one.category for one in fixture("g7_torch_2.13_combo").kernels] == ["combo", "persistent_reduction"]
    for name in ("g2_torch_2.2", "g4_torch_2.6", "g7_torch_2.13_foreach"):
        assert "foreach" in [one.category for one in fixture(name).kernels]


def test_a_multi_kernels_launch_counts_once_and_says_so() -> None:
    capture = fixture("g7_torch_2.13_multi_kernel")
    assert [len(one.launches) for one in capture.kernels] == [1, 0]
    assert "chooses one of" in capture.problems[0].message


def test_partitions_and_subgraphs_launch_like_a_call() -> None:
    launches = fixture("g6_torch_2.9").kernels[0].launches
    assert launches[1].arguments[0].type == TensorType("float32", (64, 32), (32, 1)), "made in the first partition"
    values = [
        a.value for one in fixture("g7_torch_2.13_cond").kernels for launch in one.launches for a in launch.arguments
    ]
    assert {"true_graph_0_arg0_1", "false_graph_0_arg0_1"} <= set(values)


def test_a_workspace_is_read_and_written() -> None:
    scan = kernel(fixture("g7_torch_2.13_scan"), "triton_spl_fused_cumsum_0")
    assert {a.name: a.role for a in scan.arguments if a.pointer} == {
        "in_ptr0": "in",
        "out_ptr0": "out",
        "ws_ptr": "inout",
    }


def test_a_kernel_that_is_not_python_is_listed_with_what_its_header_says(tmp_path: Path) -> None:
    text = (FOLDER / "g8_torch_2.15.txt").read_text().replace("tmp2 = tmp0 - tmp1", "tmp2 = tmp0 - [rank1]: tmp1")
    (tmp_path / "module.py").write_text(text)
    capture = read([tmp_path / "module.py"], "x")
    (one,) = capture.kernels
    assert (one.name, one.category, one.definitions, len(one.launches)) == (
        "triton_per_fused_sub_sum_0",
        "persistent_reduction",
        1,
        1,
    )
    assert [a.dtype for a in one.arguments if a.pointer] == ["float32", "float32"] and one.launches[0].arguments[
        0
    ].name == "in_ptr0"
    (problem,) = capture.problems
    assert "was not read: its source is not Python" in problem.message and "module.py" in problem.where


HOSTILE = (
    "",
    "x = 1",
    "def broken(:",
    "@triton.jit\ndef f(:",
    "\0",
    "(" * 300 + "1",
    "def f(x):\n    tl.load()\n    tmp0 = tl.load()",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_source_is_it_is_listed(text: str) -> None:
    source, problems = list_source(text)
    assert problems and source.body_sha256


def test_roles_follow_pointers_through_names_functions_and_descriptors() -> None:
    source = ast.parse(
        textwrap.dedent("""
        def kernel(a, b, c, d, n, B: tl.constexpr):
            here = tl.arange(0, B)
            ptrs = a + here
            for step in range(4):
                x = tl.load(ptrs)
                ptrs += B
            block = tl.make_block_ptr(base=b, shape=[n])
            tl.store(block, x)
            put(c + n, x)
            tl.make_tensor_descriptor(d, [n], [1], [B]).store([0], x)

        def put(pointer, x):
            tl.store(pointer, x + tl.load(pointer))
    """)
    )
    functions = {f.name: f for f in source.body if isinstance(f, ast.FunctionDef)}
    found = roles(functions["kernel"], functions)
    assert {name: found[name] for name in "abcd"} == {"a": "in", "b": "out", "c": "inout", "d": "out"}


# Identity

REDUCTION = ("g4_torch_2.6", "triton_per_fused_sub_sum_0"), ("g8_torch_2.15", "triton_per_fused_sub_sum_0")


def test_one_kernel_of_two_versions_is_one_kernel() -> None:
    """torch 2.6 and 2.15: other names of the axis, plumbing, masks, parentheses, constants, a gap in the pointers' numbers."""
    old, new = (kernel(fixture(file), name) for file, name in REDUCTION)
    assert old.body != new.body and old.body_sha256 == new.body_sha256


def test_a_kernel_renamed_throughout_is_the_same() -> None:
    _, new = (kernel(fixture(file), name) for file, name in REDUCTION)
    assert read_source(new.text.replace(new.name, "triton_"))[0].body_sha256 == new.body_sha256


DIFFERENT = {
    "another dtype": ("'in_ptr0': '*fp32'", "'in_ptr0': '*bf16'"),
    "another size": ("xnumel = 16", "xnumel = 32"),
    "another constant": ("2.0, tl.float32", "3.0, tl.float32"),
    "another index": ("64*x1", "65*x1"),
    "another operation": ("tmp0 - tmp1", "tmp0 + tmp1"),
    "swapped operands": ("tmp0 - tmp1", "tmp1 - tmp0"),
    "another mask": (", xmask, other", ", None, other"),
    "another other": ("other=0.0", "other=1.0"),
    "an eviction policy": ("other=0.0", "eviction_policy='evict_last', other=0.0"),
    "another block": ("R0_BLOCK: tl.constexpr = 16", "R0_BLOCK: tl.constexpr = 32"),
    "a typed constant of another type": ("tl.full([1, 1], 2.0, tl.float32)", "tl.full([1, 1], 2.0, tl.float64)"),
}


@pytest.mark.parametrize("change", DIFFERENT)
def test_what_computes_otherwise_is_another_kernel(change: str) -> None:
    one = kernel(fixture("g8_torch_2.15"), "triton_per_fused_sub_sum_0")
    before, after = DIFFERENT[change]
    assert before in one.text
    assert read_source(one.text.replace(before, after))[0].body_sha256 != one.body_sha256


def test_a_scan_is_what_its_helper_combines() -> None:
    scan = kernel(fixture("g7_torch_2.13_scan"), "triton_spl_fused_cumsum_0")
    product = scan.text.replace("arg0_0 + arg1_0", "arg0_0 * arg1_0")
    assert read_source(product)[0].body_sha256 != scan.body_sha256
    assert (
        read_source(scan.text.replace("_triton_helper_fn_add0", "_triton_helper_fn_add1"))[0].body_sha256
        == scan.body_sha256
    )


def test_a_kernels_own_file_defines_it_and_its_harness_launches_nothing() -> None:
    """A file of Inductor's cache, with the harness of `benchmark_kernel`; readable modules define kernels the same way."""
    one = kernel(fixture("g8_torch_2.15"), "triton_per_fused_sub_sum_0")
    harness = "\n\ndef get_args():\n    arg_0 = rand_strided((4, 4), (4, 1), device='cuda:0', dtype=torch.float32)\n    return arg_0,\n"
    harness += (
        f"\n\ndef call(args):\n    stream0 = get_raw_stream(0)\n    {one.name}.run(*args, 16, 16, stream=stream0)\n"
    )
    module = read_module(one.text + harness)
    (definition,) = module.definitions
    assert definition.name == one.name and read_source(definition.text)[0].body_sha256 == one.body_sha256
    assert not module.runs and not module.problems
