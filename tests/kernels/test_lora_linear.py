"""The linear layer with a low-rank correction: its cases in a process of Triton's interpreter, or on a card."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from forking import interpreted

pytest.importorskip("triton")

CASES = [
    "-m",
    "pytest",
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-m",
    "",
    str(Path(__file__).with_name("lora_linear_cases.py")),
]


def test_in_the_interpreter() -> None:
    assert "passed" in interpreted(*CASES)


@pytest.mark.gpu
def test_on_a_card() -> None:
    done = subprocess.run([sys.executable, *CASES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
