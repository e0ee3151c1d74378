"""The sparse feed-forward layer's cases, in Triton's interpreter and on a card; its steps, and the faults that `verify` must see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from forking import interpreted

pytest.importorskip("triton")

COMMAND = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(Path(__file__).with_name("sparse_ffn_cases.py"))]


def test_in_the_interpreter() -> None:
    assert "passed" in interpreted(*COMMAND)


@pytest.mark.gpu
def test_on_a_card() -> None:
    done = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
