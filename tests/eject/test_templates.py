"""Inductor's templates, products of matrices and convolutions: the graph says what they compute, and the judge holds them to it.

All files are judged in one process, in Triton's interpreter, on matrices of 32 x 32: the log's are of 256 x 256.
"""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from asked import asked, some
from folders import GENERATIONS

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from inductor_lab.eject import eject
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.measure.contest import contestants
from inductor_lab.read import read
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

judging = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

LOG = (GENERATIONS / "g7_torch_2.13_template.txt").read_text(encoding="utf-8")
SMALL = (
    LOG.replace("256", "32")
    .replace(" 64, 1, 1, stream", " 2, 1, 1, stream")
    .replace("BLOCK_M : tl.constexpr = 32", "BLOCK_M : tl.constexpr = 16")
)
NARROW = SMALL.replace("*fp32", "*bf16").replace('"f32[', '"bf16[').replace("torch.float32", "torch.bfloat16")


@lru_cache
def ejected(log: str, folder: Path) -> str:
    (folder / "log.txt").write_text(log, encoding="utf-8")
    found = read([folder / "log.txt"], "x")
    (kernel,) = found.kernels
    return eject(found, kernel)


def test_the_reference_of_a_template_is_the_graph_s_own_form(tmp_path: Path) -> None:
    text = ejected(SMALL, tmp_path)
    assert "def reference(arg0, arg1, bias):" in text and "    return (torch.relu(arg0 @ arg1 + bias),)" in text
    assert "aten = reference" in text and 'TAKES = ("arg0", "arg1", "bias")' in text


@pytest.mark.parametrize("allowed", ["True", "False"])
def test_eager_rounds_the_operands_as_the_template_does(allowed: str, tmp_path: Path) -> None:
    text = ejected(
        SMALL.replace("ALLOW_TF32 : tl.constexpr = False", f"ALLOW_TF32 : tl.constexpr = {allowed}"), tmp_path
    )
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    reference = load(path).module.reference
    settings = torch.backends.cuda.matmul, torch.backends.cudnn.conv
    before, seen = [setting.fp32_precision for setting in settings], []

    class Watched(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append([setting.fp32_precision for setting in settings])
            return super().__torch_function__(function, types, args, kwargs)

    tensors = [torch.ones(4, 4).as_subclass(Watched) for _ in range(3)]
    assert reference(*tensors)[0].shape == (4, 4)
    assert seen and seen[0] == [{"True": "tf32", "False": "ieee"}[allowed]] * 2
    with pytest.raises(TypeError):
        reference(1, 2, 3)
    assert [setting.fp32_precision for setting in settings] == before, "torch's own setting holds again"


def test_what_compiles_the_eager_form_rounds_as_it_does(tmp_path: Path) -> None:
    """Neither Dynamo nor TorchScript takes a setting of torch into its graph."""
    path = tmp_path / "mine.py"
    path.write_text(
        ejected(SMALL.replace("ALLOW_TF32 : tl.constexpr = False", "ALLOW_TF32 : tl.constexpr = True"), tmp_path)
    )
    reference, setting = load(path).module.reference, torch.backends.cuda.matmul
    seen: list[str] = []

    def compile_(function: Any, **asked: Any) -> Any:
        assert function is reference.__wrapped__ and asked["fullgraph"]
        return lambda *tensors: seen.append(setting.fp32_precision) or function(*tensors)

    tensors = [torch.ones(4, 4)] * 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "compile", compile_)
        (made,) = contestants.inductor(reference, "default")(*tensors)
    assert seen == ["tf32"] and setting.fp32_precision != "tf32" and torch.equal(made, reference(*tensors)[0])
    traced, notes = contestants.torchscript(reference, tensors)
    assert notes and torch.equal(traced(*tensors)[0], made)


def test_no_operand_of_a_narrow_dtype_is_rounded(tmp_path: Path) -> None:
    assert "fp32_precision" not in ejected(NARROW, tmp_path)


@pytest.mark.parametrize(
    ("log", "category", "said"),
    [
        ("g2_torch_2.2", "template", "a template's own loop is not read as a tree, and the text holds no graph"),
        ("g5_torch_2.7", "template", "a template's own loop is not read as a tree, and the comment above it leaves out primals_2"),
        ("g5_torch_2.7", "user_autotune", "the graph says triton_kernel_wrapper_functional_proxy and no ATen operator"),
    ],
)  # fmt: skip
def test_a_kernel_without_a_reference_says_why(log: str, category: str, said: str) -> None:
    found = read([GENERATIONS / f"{log}.txt"], "x")
    text = eject(found, next(kernel for kernel in found.kernels if kernel.category == category))
    assert "\nreference = None" in text and "\naten = None" in text
    (unknown,) = (node.value for node in ast.parse(text).body if ast.unparse(node).startswith("UNKNOWN = "))
    assert said in ast.literal_eval(unknown)


def test_flex_attention_walks_over_blocks_that_there_are() -> None:
    """Counts and places of blocks that are drawn at random would lead out of the tensors."""
    found = read([GENERATIONS / "g7_torch_2.13_flex.txt"], "x")
    text = eject(found, next(kernel for kernel in found.kernels if kernel.category == "template"))
    (arguments,) = (node.value for node in ast.parse(text).body if ast.unparse(node).startswith("ARGUMENTS = "))
    assert isinstance(arguments, ast.Dict)
    integers = [ast.unparse(value) for value in arguments.values if "int32" in ast.unparse(value)]
    assert [each.rpartition(", (")[2] for each in integers] == ["1, 2))", "0, 1))"]


QUICKLY = ("as it is", "without its relu")
"""What is judged on few cases: the others, which are slow, on all."""


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict | LabError]:
    folder = tmp_path_factory.mktemp("templates")
    text = ejected(SMALL, folder)
    relu = "    tmp3 = triton_helpers.maximum(tmp2, tmp1)"
    texts = {
        "as it is": text,
        "narrow": ejected(NARROW, folder),
        "without a grid of its own": text.replace("triton.cdiv(32, BLOCK_M)", "1", 1),
        "without its relu": text.replace(relu, "    tmp3 = tmp1", 1),
        "another graph": text.replace("torch.relu(", "torch.sin("),
    }
    found: dict[str, Verdict | LabError] = {}
    for quickly in (False, True):
        names = [name for name in asked(request, "name") if (name in QUICKLY) is quickly]
        paths = [folder / f"{name.replace(' ', '_')}.py" for name in names]
        for name, path in zip(names, paths, strict=True):
            path.write_text(texts[name], encoding="utf-8")
        how = {"effort": "quick", "fail_fast": True} if quickly else {}
        found |= zip(names, verify_all(paths, seeds=1, **how), strict=True)
    return found


@judging
@pytest.mark.parametrize("name", some(["as it is", "narrow"], ["as it is"]))
def test_a_template_equals_eager(judged: dict[str, Verdict | LabError], name: str) -> None:
    found = judged[name]
    assert isinstance(found, Verdict) and found.verdict == "pass", found
    assert found.notes == ("equals eager (ATen), judged by float64",)


@judging
@pytest.mark.slow
@pytest.mark.parametrize("name", ["without a grid of its own"])
def test_what_leaves_programs_out_fails_under_the_blocks_that_need_them(
    judged: dict[str, Verdict | LabError], name: str
) -> None:
    found = judged[name]
    assert isinstance(found, Verdict)
    assert [case.name for case in found.cases if not case.passed] == ["its own blocks"]


@judging
@pytest.mark.parametrize("name", ["without its relu"])
def test_an_epilogue_that_lost_an_operation_fails(judged: dict[str, Verdict | LabError], name: str) -> None:
    found = judged[name]
    assert isinstance(found, Verdict) and found.verdict == "fail", found
    message = next(case.message for case in found.cases if not case.passed)
    assert "float64 says" in message


@judging
@pytest.mark.slow
@pytest.mark.parametrize("name", ["another graph"])
def test_a_graph_that_says_something_else_is_not_what_it_equals(
    judged: dict[str, Verdict | LabError], name: str
) -> None:
    """The claim above a template may be wrong: then the generated kernel is the basis, and the verdict says so."""
    found = judged[name]
    assert isinstance(found, Verdict) and found.verdict == "pass", found
    assert any("the graph's values are not what the kernel computes" in note for note in found.notes)
