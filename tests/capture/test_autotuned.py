"""What Inductor's autotuner kept: seen as a kernel first runs, written into the catalog, taken by what is ejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED

from inductor_lab import store
from inductor_lab.bind.heuristics import configuration
from inductor_lab.capture import configurations
from inductor_lab.document import from_dict, to_dict
from inductor_lab.eject import eject
from inductor_lab.gpus import GPUS
from inductor_lab.records import Capture, Kernel

KEPT = {"XBLOCK": 64, "num_warps": 2, "num_stages": 1}


@pytest.fixture(scope="module")
def loaded() -> Capture:
    """A capture that does not know what was kept."""
    found = store.load(CAPTURED / "dlrm_train_h200")
    return replace(found, kernels=tuple(replace(one, autotuned={}) for one in found.kernels))


@pytest.fixture(scope="module")
def kernel(loaded: Capture) -> Kernel:
    return loaded.kernels[3]


def launcher(**kept: int) -> SimpleNamespace:
    constants = {name: value for name, value in kept.items() if not name.startswith("num_")}
    config = SimpleNamespace(kwargs=constants, num_warps=kept["num_warps"], num_stages=kept["num_stages"])
    return SimpleNamespace(config=config)


class Autotuner:
    """As far as one of Inductor's is looked at: it tunes at its first run."""

    def __init__(self, file: Path, launchers: Sequence[SimpleNamespace]) -> None:
        self.filename, self.launchers = str(file), launchers

    def run(self, *given: Any, stream: int) -> tuple[Any, ...]:
        self.launchers = self.launchers[-1:]
        return (*given, stream)


def test_the_configuration_that_is_left_is_told(kernel: Kernel, loaded: Capture, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(f"\n{kernel.text.strip()}\n", encoding="utf-8")

    class Watched(Autotuner):
        pass

    seen = configurations.Seen()
    configurations.install(Watched, seen)
    tuned, idle = (Watched(file, [launcher(**{**KEPT, "XBLOCK": 8}), launcher(**KEPT)]) for _ in range(2))
    assert seen.configurations() == {}
    assert tuned.run(1, 2, stream=0) == (1, 2, 0)
    assert seen.configurations() == {configurations.digest(kernel.text): KEPT} and len(idle.launchers) == 2
    found = configurations.with_configurations(loaded, seen.configurations(), seen.candidates())
    assert [one.id for one in found.kernels if one.autotuned] == [kernel.id]
    read = from_dict(Kernel, to_dict(found.kernels[3]))
    assert (read.autotuned, read.candidates) == (KEPT, ({**KEPT, "XBLOCK": 8}, KEPT))


def test_a_kernel_without_a_file_or_not_tuned_tells_nothing(tmp_path: Path) -> None:
    seen = configurations.Seen()
    gone = Autotuner(tmp_path / "gone.py", [launcher(**KEPT)])
    undecided = Autotuner(Path(__file__), [launcher(**KEPT)] * 2)
    for autotuner in (gone, undecided):
        seen.runs(autotuner)
    assert seen.configurations() == {}


def test_an_ejected_file_is_launched_with_what_was_kept(loaded: Capture, kernel: Kernel) -> None:
    before, after = eject(loaded, kernel), eject(loaded, replace(kernel, autotuned=KEPT))
    assert (
        "*, BLOCK=256, num_warps=4)" in before
        and "the first of 2 configurations that Inductor's heuristics list" in before
    )
    assert "*, BLOCK=64, num_warps=2, num_stages=1)" in after and "Inductor's autotuner kept" in after


def test_what_one_architecture_kept_is_no_other_s(kernel: Kernel) -> None:
    tuned = replace(kernel, autotuned=KEPT)
    for card in (None, GPUS["h200"], GPUS["h100"]):
        found = configuration(tuned, card)
        assert found is not None and (found.constants, found.num_warps) == ({"XBLOCK": 64}, 2)
    assert configuration(tuned, GPUS["a100"]) == configuration(kernel, GPUS["a100"])


def test_an_autotuner_is_left_what_was_kept_elsewhere(tmp_path: Path) -> None:
    kept, other = launcher(**KEPT), launcher(**{**KEPT, "XBLOCK": 8})
    one = Autotuner(tmp_path, [other, kept])
    configurations.pin(one, KEPT)
    assert one.launchers == [kept]
    configurations.pin(one, {**KEPT, "XBLOCK": 1024})
    assert one.launchers == [kept]  # none of its own: all stay
