"""Each kernel of a file under its best configuration: the sweep of `tune`, for the generated one too. Times are told, not measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_kernels import ejected
from told_times import Told

pytest.importorskip("torch")

from inductor_lab.ejected import load
from inductor_lab.measure.contest.configurations import best_of
from inductor_lab.measure.tuning import candidates
from inductor_lab.measure.tuning.candidates import Results


def test_a_clock_of_the_generated_kernel_launches_that_one(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[tuple[str, Mapping[str, int]]] = []
    module: Any = SimpleNamespace(
        launch=lambda *_, **settings: launched.append(("hand", settings)),
        launch_generated=lambda *_, **settings: launched.append(("generated", settings)),
    )
    monkeypatch.setattr(candidates, "laid", lambda module: ((), lambda: None))
    for which in ("hand", "generated"):
        candidates.Clock(Path("mine.py"), module, Results(Path("mine.py"), "key"), which)._function({"XBLOCK": 8})()
    assert launched == [("hand", {"XBLOCK": 8}), ("generated", {"XBLOCK": 8})]


def test_both_are_swept_and_what_computes_something_else_is_passed_over(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workdir / "mine.py"
    path.write_text(text := ejected("affine"))
    module = load(path).module
    steps: list[str] = []

    def slow(settings: Mapping[str, int]) -> float:
        """The smaller the block the faster."""
        return 20.0 + settings.get("BLOCK", settings.get("XBLOCK", 0)) / 32 + abs(settings["num_warps"] - 4)

    Told(monkeypatch, slow)
    hand = best_of(path, module, "hand", lambda settings: "wrong" if settings["BLOCK"] == 64 else "", steps.append)
    Told(monkeypatch, slow)
    generated = best_of(path, module, "generated", lambda settings: "", steps.append)
    Told(monkeypatch, slow)
    wrong = best_of(path, module, "hand", lambda settings: "wrong", steps.append)
    present = {"BLOCK": 256, "num_warps": 4}
    assert hand.settings["BLOCK"] not in (64, 256) and wrong.settings == present
    assert set(generated.settings) == {"XBLOCK", "num_warps"} and generated.settings["XBLOCK"] < 256
    assert "The generated kernel's best of" in generated.note and path.read_text() == text
    assert any(step.startswith("hand: ") for step in steps) and any(step.startswith("generated: ") for step in steps)
