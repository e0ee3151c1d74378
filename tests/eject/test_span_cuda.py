"""Spans in CUDA C++: their kernels in one .cu file, each in a namespace, launched by the Python file between its library calls."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from folders import CAPTURED
from forking import interpreted

from inductor_lab import store
from inductor_lab.eject import eject_files
from inductor_lab.ejected import is_edited, write_all
from inductor_lab.errors import LabError
from inductor_lab.machine import cuda_source
from inductor_lab.records import Capture
from inductor_lab.spans import addressed

LORA = "lora_mlp_h200:0_inference:2-7"
"""Two launches of one body, with four products between them."""
EMBEDDING = "dlrm_h200:0_inference:6-10"
"""A product, an epilogue, and three lookups."""


def files(name: str, found: Capture | None = None, **asked: str) -> dict[str, str]:
    capture, _, which = name.partition(":")
    found = found or store.load(CAPTURED / capture)
    span = addressed(found, which)
    assert span is not None
    return eject_files(found, span, target="cuda", file="k.py", **asked)


def test_equal_kernels_stand_once_and_are_launched_by_name() -> None:
    texts = files(LORA)
    assert [*texts] == ["k.py", "k.cu", "k_cmake/cuda_on_cpu.h"]
    assert texts["k.cu"].count("__global__ void") == texts["k.cu"].count("\nnamespace ") == 1
    assert texts["k.py"].count('kernel="add_mul_relu"') == 1, "in its launcher"
    launch = texts["k.py"].partition("def launch(")[2].partition("\ndef ")[0]
    assert launch.count("launch_add_mul_relu(") == 2 and launch.count("torch.mm(") == 4
    assert "_BLOCK=" not in launch, "a .cu file's launcher chooses its blocks itself"


def test_what_several_kernels_call_stands_once_and_sizes_are_a_kernels_own() -> None:
    text = files(EMBEDDING)["k.cu"]
    shared, *kernels = text.split("\nnamespace ")
    assert shared.count("struct alignas") == 1 and "struct alignas" not in "".join(kernels)
    assert len(kernels) == len({re.match(r"\w+", one)[0] for one in kernels}) > 2  # type: ignore[index]
    assert all(one.count("constexpr int COLUMNS = ") == 1 for one in kernels)


def test_a_launch_without_the_form_is_named() -> None:
    found = store.load(CAPTURED / "lora_mlp_h200")
    kernels = tuple(replace(one, category="user_autotune") for one in found.kernels)
    with pytest.raises(LabError, match=r"lora_mlp_h200:\d+ \(\w+\) has no form in CUDA C\+\+: .*; leave --as cuda out"):
        files(LORA, replace(found, kernels=kernels))


def test_instances_of_several_kernels_are_told_apart() -> None:
    assert cuda_source.called("_ZN10embeddings10embeddingsILi4EEEvPKlPfi") == "embeddings"
    assert cuda_source.called("_Z8add_reluILi4EEvPfi") == "add_relu"


@pytest.mark.skipif(shutil.which("g++") is None, reason="without a GPU a .cu is built by g++")
def test_what_a_span_computes_is_seen_and_an_edit_of_its_kernels_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "built"))
    write_all({tmp_path / name: text for name, text in files(EMBEDDING).items()})
    assert interpreted(tmp_path / "k.py").startswith("right  buf34 is")
    source, file = tmp_path / "k.cu", tmp_path / "k.py"
    text = source.read_text(encoding="utf-8")
    assert not is_edited(file.read_text(encoding="utf-8"), file)
    source.write_text(
        text.replace("index_ptr[row * INDEX_STRIDE_0 + 1]", "index_ptr[row * INDEX_STRIDE_0]"), encoding="utf-8"
    )
    assert is_edited(file.read_text(encoding="utf-8"), file)
    with pytest.raises(AssertionError):
        interpreted(file)
