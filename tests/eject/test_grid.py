"""How many programs a launch has, as the wrappers of every generation state it: read off their text, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from folders import GENERATIONS

from inductor_lab.annotate import annotate
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.read import read

LOGS = GENERATIONS
WRAPPER = "        def grid_wrapper_for_add_kernel_0(meta):\n            return (14, 1, 1)\n"
TEMPLATE = "torch._inductor.kernel.mm_common.mm_grid(9, 96, meta0)"
META = "{'GROUP_M': 8, 'EVEN_K': True, 'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}"


def ejected(log: str, name: str, folder: Path, *changes: tuple[str, str]) -> str:
    """The file of one kernel of a log, parts of whose text were changed."""
    text = (LOGS / f"{log}.txt").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path = folder / "log.txt"
    path.write_text(text)
    capture = annotate(read([path], "test"))
    return eject(capture, next(kernel for kernel in capture.kernels if kernel.name == name))


def grids(text: str) -> set[str]:
    return set(re.findall(r"^    grid = (.*)$", text, re.MULTILINE))


CALLS = {
    "mm_common.mm_grid(9, 96, meta0)": "(triton.cdiv(9, 64) * triton.cdiv(96, 64), 1, 1)",
    "mm_common.persistent_mm_grid(9, 96, meta0)": "(min(132, triton.cdiv(9, 64) * triton.cdiv(96, 64)), 1, 1)",
    "bmm.bmm_grid(7, 9, 96, meta0)": "(triton.cdiv(9, 64) * triton.cdiv(96, 64), 7, 1)",
    "conv.conv2d_grid(2, 96, 5, 3, meta0)": "(triton.cdiv(2 * 5 * 3, 64), triton.cdiv(96, 64), 4)",
    "conv.conv3d_grid(2, 96, 7, 5, 3, meta0)": "(triton.cdiv(2 * 7 * 5 * 3, 64), triton.cdiv(96, 64), 4)",
    "flex_attention.flex_attention_grid(2, 8, 100, 32, meta0)": "(triton.cdiv(100, 64), 2 * 8, 1)",
    "flex_attention.flex_attention_backward_grid(2, 8, 100, 32, 4, 50, meta0)":
        "(triton.cdiv(100, 32) * (8 // 4) + triton.cdiv(50, 16), 1, 2 * 4)",
    "flex_decoding.flex_decoding_grid(2, 4, 2, 100, 32, meta0)": "(2 * 4, 6, 1)",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_template_s_function_of_sizes_and_constants(call: str, tmp_path: Path) -> None:
    constants = META.removesuffix("}") + ", 'NUM_SMS': 132, 'GROUPS': 4, 'BLOCK_M2': 32, 'BLOCK_N1': 16, 'SPLIT_KV': 6}"
    changes = ((TEMPLATE, f"torch._inductor.kernel.{call}"), (META, constants))
    assert CALLS[call] in grids(ejected("g2_torch_2.2", "triton_tem_fused_mm_relu_3", tmp_path, *changes))


def test_the_launch_of_a_template_counts_its_programs_by_its_blocks(tmp_path: Path) -> None:
    text = ejected("g7_torch_2.13_template", "triton_tem_fused_add_mm_relu_0", tmp_path)
    assert grids(text) == {"(triton.cdiv(256, BLOCK_M) * triton.cdiv(256, BLOCK_N), 1, 1)", "(64, 1, 1)"}
    assert "def launch(arg0, arg1, bias, relu, *, BLOCK_M=32, BLOCK_N=32, num_warps" in text
    assert text.count("BLOCK_M : tl.constexpr = 32") == 1  # the baseline's own


def test_a_grid_that_no_known_function_makes_stays_in_numbers(tmp_path: Path) -> None:
    change = ("buf1, 64, 1, 1,", "buf1, 65, 1, 1,")
    text = ejected("g7_torch_2.13_template", "triton_tem_fused_add_mm_relu_0", tmp_path, change)
    assert grids(text) == {"(65, 1, 1)"} and "is for the blocks that it has now" in " ".join(text.split())


@pytest.mark.parametrize(
    "change",
    [
        (TEMPLATE, "torch._inductor.kernel.mm_common.other_grid(9, 96, meta0)"),
        (TEMPLATE, "torch._inductor.kernel.mm_common.mm_grid(9, 96, 3, meta0)"),
        (TEMPLATE, "torch._inductor.kernel.mm_common.mm_grid(9, 96, meta7)"),
        (TEMPLATE, "torch._inductor.kernel.mm_common.mm_grid(9, len(args), meta0)"),
        (TEMPLATE, "mine.mm_common.mm_grid(9, 96, meta0)"),
        ("'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}", "'BLOCK_M': 64, 'BLOCK_K': 32}"),
    ],
)
def test_what_is_not_known_is_refused(change: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(LabError, match="how many programs"):
        ejected("g2_torch_2.2", "triton_tem_fused_mm_relu_3", tmp_path, change)


def wrapper(*lines: str) -> str:
    return "        def grid_wrapper_for_add_kernel_0(meta):\n" + "".join(f"            {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("written", "grid"),
    [
        (wrapper("return (14, 1, 1)"), "(14, 1, 1)"),
        (wrapper("if meta['BLOCK_SIZE'] == 128: return (7, 1, 1)", "if meta['BLOCK_SIZE'] == 64: return (14, 1, 1)"), "(14, 1, 1)"),
        (wrapper("return (1, 1, 1)") + wrapper("return (14, 1, 1)"), "(14, 1, 1)"),
    ],
)  # fmt: skip
def test_a_user_s_kernel_has_a_function_above_its_launch(written: str, grid: str, tmp_path: Path) -> None:
    assert grids(ejected("g2_torch_2.2", "add_kernel_0", tmp_path, (WRAPPER, written))) == {grid}


@pytest.mark.parametrize(
    "written",
    [
        wrapper("return (triton.next_power_of_2(14), 1, 1)"),
        wrapper("return (meta['OTHER'], 1, 1)"),
        wrapper("if meta['BLOCK_SIZE'] == 128: return (7, 1, 1)"),
        wrapper("if meta['DTYPE'] == 3: return (7, 1, 1)", "return (14, 1, 1)"),
        wrapper("import os", "return (14, 1, 1)"),
        wrapper("return (14, 1, 1)").replace("_0(meta)", "_1(meta)"),
    ],
)
def test_a_function_that_is_more_than_arithmetic_is_refused(written: str, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="how many programs"):
        ejected("g2_torch_2.2", "add_kernel_0", tmp_path, (WRAPPER, written))


def test_symbolic_sizes_behind_the_arguments(tmp_path: Path) -> None:
    text = ejected("g5_torch_2.7", "triton_tem_fused_mm_1", tmp_path)
    assert grids(text) == {"((s0 + 63) // 64, 1, 1)"}
    assert "s0 = primals_2.shape[0]" in text


def test_a_user_s_kernel_is_launched_with_what_its_author_listed_first(tmp_path: Path) -> None:
    text = ejected("g5_torch_2.7", "scale_kernel_0", tmp_path)
    assert grids(text) == {"(s0, 1, 1)"}
    assert "FACTOR=3, BLOCK=BLOCK" in text  # the one from what it was compiled for, the other from its configurations
    assert "BLOCK=128, num_warps=4, num_stages=3" in text


FIXED = (
    "'grid_type': 'FixedGrid', 'fixed_grid': ['_grid_0', '_grid_1', '_grid_2'], "
    "'extra_launcher_args': ['_grid_0', '_grid_1', '_grid_2'], 'kernel_name': 'scale"
)
FOR_EACH = (
    "'grid_type': 'PrecomputedGrid', 'precomputed_grids': ["
    "{'config': {'BLOCK': 256, 'num_warps': 8, 'num_stages': 3}, 'python': ['(_launcher_s0 + 3) // 4', '1', '1']}, "
    "{'config': {'BLOCK': 128, 'num_warps': 4, 'num_stages': 3}, 'python': ['(_launcher_s0 + 1) // 2', '1', '1']}"
    "], 'extra_launcher_args': ['_launcher_s0'], 'kernel_name': 'scale"
)


def test_a_grid_for_each_configuration(tmp_path: Path) -> None:
    launched = ("64*s0, 1, s0, 1, 1, stream", "64*s0, 1, s0, stream")
    text = ejected("g5_torch_2.7", "scale_kernel_0", tmp_path, (FIXED, FOR_EACH), launched)
    assert grids(text) == {"((s0 + 1) // 2, 1, 1)"}


def test_a_constant_that_nothing_tells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="does not tell what FACTOR is"):
        ejected("g5_torch_2.7", "scale_kernel_0", tmp_path, ("'constants': {'step': 1, 'FACTOR': 3}", "'constants': {'step': 1}"))  # fmt: skip


def test_jobs_that_take_turns_are_as_many_as_the_longest_needs() -> None:
    capture = annotate(read([LOGS / "g7_torch_2.13_combo_in_turn.txt"], "test"))
    (combo,) = [kernel for kernel in capture.kernels if "RoundRobinComboKernelGrid" in kernel.text]
    told = combo.meta["inductor_meta"]["combo_grid_meta"]
    longest = max(told[f"xnumel_{job}"] for job in range(told["num_kernels"]))
    assert grids(eject(capture, combo, style="verbatim")) == {
        f"(triton.cdiv({longest}, XBLOCK) * {told['num_kernels']},)"
    }


def test_a_tensor_descriptor_has_blocks_that_it_takes() -> None:
    capture = annotate(read([LOGS / "g7_torch_2.13_descriptor.txt"], "test"))
    least = {kernel.name: kernel.meta["inductor_meta"].get("tma_min_block_sizes") for kernel in capture.kernels}
    (kernel,) = [
        kernel
        for kernel in capture.kernels
        if (least[kernel.name] or {}).get("XBLOCK") == 4 and "XBLOCK: tl.constexpr = 1" not in kernel.body
    ]
    block = re.search(r"def launch\(.*XBLOCK=(\d+)", eject(capture, kernel, style="verbatim"))
    assert block and int(block[1]) >= 4


def test_jobs_of_two_dimensions_have_programs_along_both(tmp_path: Path) -> None:
    text = ejected(
        "g7_torch_2.13_foreach", "triton_for_fused_0", tmp_path,
        ("    XBLOCK: tl.constexpr = 1024\n", "    YBLOCK: tl.constexpr = 32\n    XBLOCK: tl.constexpr = 1024\n"),
        ("        xnumel = 512\n", "        ynumel = 70\n        xnumel = 512\n        yoffset = tl.program_id(1) * YBLOCK\n"),
        ("        xnumel = 1000\n", "        ynumel = 50\n        xnumel = 1000\n        yoffset = tl.program_id(1) * YBLOCK\n"),
    )  # fmt: skip
    assert "((triton.cdiv(512, 1024)) + triton.cdiv(1000, 1024), triton.cdiv(70, 32))" in grids(text)
