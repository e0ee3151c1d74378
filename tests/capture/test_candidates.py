"""A capture for a card that is not there keeps what the installed Inductor lists for it, whichever version that is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from folders import CAPTURED

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab import store  # noqa: E402
from inductor_lab.bind import heuristics  # noqa: E402
from inductor_lab.bind.geometry import COVERED  # noqa: E402
from inductor_lab.capture import configurations  # noqa: E402
from inductor_lab.capture.run import capture  # noqa: E402
from inductor_lab.eject.binding.configuration import decorator  # noqa: E402
from inductor_lab.gpus import GPUS  # noqa: E402
from inductor_lab.records import Capture  # noqa: E402

PROGRAM = """
import torch

@torch.compile
def several(rows, columns, square):
    return rows.sum(1), columns.amax(0), (square + square.t()).relu(), rows[:, :96].softmax(1), columns.cumsum(0)

several(torch.randn(64, 40000), torch.randn(2048, 2048), torch.randn(1024, 1024))
norm = torch.compile(torch.nn.LayerNorm(1000))
norm(torch.randn(6000, 1000, requires_grad=True)).sin().sum().backward()
"""

ASKS = """
import json, sys, torch
if sys.argv[1] == "hip":
    torch.version.hip = "6.4.0"  # before Inductor is imported, which has AMD's heuristics only then
torch.cuda.is_available = lambda: True
from torch._inductor.runtime import hints, triton_heuristics

triton_heuristics.cached_autotune = lambda hints, configs, **rest: configs
names = {**vars(hints), "triton_heuristics": triton_heuristics, "__file__": "kernel.py"}
listed = [eval(text, dict(names)) for text in json.load(sys.stdin)]
print(json.dumps([[{**c.kwargs, "num_warps": c.num_warps, "num_stages": c.num_stages} for c in one] for one in listed]))
"""
"""Calls each decorator as it stands above its kernel, in a process that knows nothing of this project."""


@pytest.fixture(scope="module", params=["h200", "mi300x"])
def captured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    folder = tmp_path_factory.mktemp(request.param)
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    return capture(str(program), gpu=request.param, output=folder / "captured")[0]


def card_of(found: Capture) -> str:
    return next(key for key, card in GPUS.items() if card.name == found.gpu.name)


@pytest.mark.slow
def test_they_are_what_inductors_own_heuristics_list(captured: Capture) -> None:
    texts = [decorator(kernel) for kernel in captured.kernels]
    told = {kernel.category for kernel in captured.kernels}
    hints = {str(kernel.meta.get("reduction_hint")).rpartition(".")[2] for kernel in captured.kernels}
    assert told >= {"pointwise", "reduction", "persistent_reduction"} and hints >= {"INNER", "OUTER"}, (told, hints)
    assert any("RSPLIT_SIZE" in text for text in texts) and any("'y': " in text for text in texts)
    asked = subprocess.run(
        [sys.executable, "-c", ASKS, GPUS[card_of(captured)].backend],
        input=json.dumps(texts), text=True, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    for kernel, listed in zip(captured.kernels, json.loads(asked.stdout), strict=True):
        if all(
            argument.name != "XBLOCK" for argument in kernel.arguments
        ):  # of a split scan, whose rows are one a program: Inductor's decorator takes it out
            assert {one.pop("XBLOCK") for one in listed} == {1}
        assert list(kernel.candidates) == listed, kernel.name
    assert any(len(kernel.candidates) > 1 for kernel in captured.kernels)


@pytest.mark.slow
def test_our_tables_list_the_same_where_they_hold(captured: Capture) -> None:
    card = GPUS[card_of(captured)]
    if card.backend == "hip" and tuple(map(int, captured.torch.split(".")[:2])) != (2, 13):
        pytest.skip("AMD's tables are those of torch 2.13")
    for kernel in captured.kernels:
        alone = replace(kernel, candidates=())
        assert heuristics.configuration(alone, card) == heuristics.configuration(kernel, card), kernel.name
        if kernel.category in COVERED:
            assert heuristics.candidates(alone, card) == heuristics.candidates(kernel, card), kernel.name


def test_a_kernel_that_can_not_be_asked_for_is_a_problem_and_no_other_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [kernel.text for kernel in store.load(CAPTURED / "lora_mlp_h200").kernels[:2]]
    texts[0] = texts[0].replace("import triton\n", "import no_such_package\n", 1)
    module = tmp_path / "module.py"
    defined = [f"kernel_{n} = async_compile.triton('kernel_{n}', {text!r})" for n, text in enumerate(texts)]
    module.write_text("\n".join(["async_compile = AsyncCompile()", *defined]), encoding="utf-8")
    said: list[str] = []
    monkeypatch.setattr(configurations, "problem", said.append)
    asked = configurations.Asked()
    asked.of(str(module))
    assert list(asked.candidates) == [configurations.digest(texts[1])]
    (sentence,) = said
    assert sentence.startswith(configurations.NOT_LISTED) and "no_such_package" in sentence


def test_a_version_without_these_names_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor.runtime import triton_heuristics

    (folder,) = CAPTURED.glob("lora_mlp_h200")
    said: list[str] = []
    monkeypatch.setattr(configurations, "problem", said.append)
    monkeypatch.delattr(triton_heuristics, "cached_autotune")
    asked = configurations.Asked()
    asked.of(str(next((folder / "modules").iterdir())))
    assert asked.candidates == {} and said
