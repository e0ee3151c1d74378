"""The rotary kernel's cases, in Triton's interpreter and on a card."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from forking import interpreted

pytest.importorskip("triton")

CASES = (
    "-m",
    "pytest",
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-m",
    "",
    str(Path(__file__).with_name("rotary_cases.py")),
)


def test_in_the_interpreter() -> None:
    assert "passed" in interpreted(*CASES)


@pytest.mark.gpu
def test_on_a_card() -> None:
    done = subprocess.run([sys.executable, *CASES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
