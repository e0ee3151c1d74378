"""The committed captures: real ones from an H200, and virtual ones that were made for it with the same torch."""

from __future__ import annotations

import sys

import pytest
from folders import CAPTURED, TESTS

from inductor_lab.eject import eject
from inductor_lab.store import load

sys.path.append(str(TESTS / "benchmarks"))
from real_against_virtual import KEPT, aligned
from virtual_gpu_page import cause

REAL = sorted(path.parent.name for path in CAPTURED.glob("*/capture.json") if not path.parent.name.endswith("_virtual"))
SIMILAR = ("dlrm_h200", "dlrm_train_h200", "dlrm_dynamic_h200")
"""To one that is looked at."""
KERNELS = {
    "dlrm_h200": 32,
    "lora_mlp_h200": 2,
    "lora_mlp_train_h200": 5,
    "rotary_attention_bf16_h200": 1,
    "sparse_ffn_train_h200": 5,
}


def test_there_are_captures_of_every_model_in_both_directions() -> None:
    models = {"dlrm", "lora_mlp", "rotary", "rotary_attention", "sparse_ffn"}
    assert {name for model in models for name in (f"{model}_h200", f"{model}_train_h200")} <= set(REAL)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SIMILAR else name for name in REAL]
)
def test_a_committed_capture_reads_back_whole(name: str) -> None:
    capture = load(CAPTURED / name)
    assert not capture.problems and not capture.gpu.virtual and capture.gpu.name == "NVIDIA H200"
    assert len(capture.kernels) == KERNELS.get(name, len(capture.kernels))
    text = "\n".join(graph.module for graph in capture.graphs)
    assert sum(kernel.definitions for kernel in capture.kernels) == text.count("async_compile.triton(")
    assert sum(len(kernel.launches) for kernel in capture.kernels) == text.count(".run(")
    for kernel in capture.kernels:
        assert kernel.source or "_dynamic" in name
        assert kernel.traffic.read is not None or "_dynamic" in name
        assert "def launch(" in eject(capture, kernel)


@pytest.mark.parametrize("name", REAL)
def test_a_virtual_capture_is_the_real_one_to_the_letter(name: str) -> None:
    """Same torch, same Triton: what was generated without looking at the card is what the card's own Inductor wrote."""
    real, virtual = load(CAPTURED / name), load(CAPTURED / f"{name}_virtual")
    assert virtual.gpu.virtual and all("needs the card" in problem.message for problem in virtual.problems)
    assert (real.torch, real.triton) == (virtual.torch, virtual.triton)
    found = aligned(real, virtual)
    unexplained = [one for one in found["differences"] if not cause(KEPT[name.removesuffix("_h200")], one)]
    assert not unexplained
    if not found["differences"]:
        assert [graph.module for graph in real.graphs] == [graph.module for graph in virtual.graphs]
        assert {kernel.body_sha256 for kernel in real.kernels} == {kernel.body_sha256 for kernel in virtual.kernels}


def test_no_path_of_a_machine_is_in_a_capture() -> None:
    for path in CAPTURED.glob("*/capture.json"):
        assert '"file": "/' not in path.read_text(encoding="utf-8"), path
