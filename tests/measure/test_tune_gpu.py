"""`tune` on a real card: times that were measured, a verdict of the judge, and the file that results. Run with `pytest -m gpu`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from folders import LOGS
from small_kernels import edited

from inductor_lab.eject import eject
from inductor_lab.measure.tuning import tune
from inductor_lab.read import read
from inductor_lab.verify import verify

pytestmark = pytest.mark.gpu
Lab = Callable[..., Result]


@pytest.fixture(scope="module")
def slow() -> str:
    """The LoRA kernel with blocks of 64 and eight warps: most threads have nothing to do."""
    capture = read([str(LOGS / "lora_bf16.log.gz")], "lora")
    return edited(eject(capture, capture.kernels[0]), ("*, BLOCK=1024, num_warps=4", "*, BLOCK=64, num_warps=8"))


@pytest.fixture
def file(workdir: Path, slow: str) -> Path:
    path = workdir / "mine.py"
    path.write_text(slow)
    return path


def test_a_bad_configuration_is_replaced_by_a_faster_one_that_verifies(file: Path) -> None:
    import torch

    found = tune(file, limit=12, seconds=0.2)
    assert found.verdict == "faster" and found.timed and found.written and found.device == torch.cuda.get_device_name()
    assert found.ratio_interval is not None and found.ratio_interval[0] > 1
    assert found.before is not None and found.after is not None and found.after.median < found.before.median
    text = file.read_text().replace("\n#    ", "")
    assert (
        "# Tuned: " in text and found.device in text and "Verified." in text and "*, BLOCK=64, num_warps=8)" not in text
    )
    assert verify(file, effort="quick").verdict == "pass"
    timed = [one for one in found.candidates if one.timing is not None]
    assert len(timed) >= 3 and found.candidates[0].settings == found.best
    again = tune(file, limit=12, seconds=0.2)
    assert again.resumed >= len(timed) and again.present == found.best


def test_what_is_faster_and_wrong_is_refused(file: Path) -> None:
    """A kernel that is right under the present configuration alone."""
    constants = ("    BLOCK: tl.constexpr,\n", "    BLOCK: tl.constexpr,\n    WARPS: tl.constexpr,\n")
    passed = ("BLOCK=BLOCK, num_warps=num_warps)", "BLOCK=BLOCK, WARPS=num_warps, num_warps=num_warps)")
    wrong = ("mm * 0.5  #", "mm * (0.5 if (BLOCK == 64) and (WARPS == 8) else 0.25)  #")
    text = edited(file.read_text(), constants, passed, wrong)
    file.write_text(text)
    found = tune(file, limit=6, seconds=0.2)
    refused = [one for one in found.candidates if one.outcome == "refused"]
    assert refused and all("does not verify" in one.why and one.settings != found.present for one in refused)
    assert found.verdict == "refused" and not found.written and file.read_text() == text


def test_the_command_writes_where_it_may_and_not_where_it_may_not(lab: Lab, file: Path) -> None:
    text = file.read_text()
    found = lab("tune", file, "--limit", 4, "--no-write")
    assert found.code == 0 and file.read_text() == text and "faster" in found.out and "us" in found.out
    assert "timing" in found.err
    static = lab("tune", file, "--limit", 3, "--gpu", "a100")
    assert static.code == 0 and "Nothing was timed" in static.out and file.read_text() == text


def test_a_configuration_that_the_card_can_not_launch_is_left_out(file: Path) -> None:
    launch = "    grid = (triton.cdiv(numel, BLOCK),)\n"
    broken = launch + '    if BLOCK == 128 and mm.device.type != "meta":\n        raise RuntimeError("told to fail")\n'
    file.write_text(edited(file.read_text(), (launch, broken)))
    found = tune(file, limit=6, seconds=0.2, write=False)
    failed = [one for one in found.candidates if "told to fail" in one.why]
    assert failed and all(one.outcome == "dropped" and one.settings["BLOCK"] == 128 for one in failed)
