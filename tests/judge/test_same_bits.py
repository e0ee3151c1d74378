"""What a kernel computes in the interpreter is the same on every machine: other vectors, threads and libraries give the same bits."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

PROGRAM = Path(__file__).with_name("bits_of_stand_ins.py")


def features_of_numpy() -> list[str]:
    """What numpy was built to use where the processor has it, and this one has, the newest last."""
    try:
        umath = importlib.import_module("numpy._core._multiarray_umath")
    except ImportError:  # numpy 1.26
        umath = importlib.import_module("numpy.core._multiarray_umath")
    return [each for each in umath.__cpu_dispatch__ if umath.__cpu_features__[each]]


def machines() -> dict[str, dict[str, str]]:
    features = features_of_numpy()
    newer = [each for each in features if "AVX512" in each or each == "X86_V4"]
    return {
        "AVX2, one thread": {
            "ATEN_CPU_CAPABILITY": "avx2", "NPY_DISABLE_CPU_FEATURES": " ".join(newer), "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "1",
        },
        "no vectors": {"ATEN_CPU_CAPABILITY": "default", "NPY_DISABLE_CPU_FEATURES": " ".join(features), "OPENBLAS_CORETYPE": "Prescott"},
        "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
    }  # fmt: skip


def digests(**machine: str) -> dict[str, str]:
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""} | machine
    done = subprocess.run([sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    made: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return made


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return digests()


@pytest.mark.slow
@pytest.mark.parametrize("machine", machines())
def test_another_machine_computes_the_same_bits(here: dict[str, str], machine: str) -> None:
    there = digests(**machines()[machine])
    assert len(here) > 150 and here.keys() == there.keys()
    assert [what for what in here if here[what] != there[what]] == []
