"""The rotary kernel's file of machine code: what is in it, what a launch is given, and on a card what comes out."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

pytest.importorskip("triton")

from inductor_lab.kernels.rotary.ahead_of_time import load, write

ON_A_CARD = """
import sys
sys.modules["triton"] = None  # importing it is an error
import torch
from inductor_lab.kernels.rotary.ahead_of_time import load

rotary = load(sys.argv[1])
for tokens in (0, 1, 13, 4096):
    query, key = (torch.randn(tokens, heads, 128, device="cuda").bfloat16() for heads in (32, 8))
    angle = torch.rand(tokens, 64, device="cuda") * 6
    cos, sin = angle.cos().bfloat16(), angle.sin().bfloat16()
    for x, out in zip((query, key), rotary(query, key, cos, sin), strict=True):
        a, b = x.double().chunk(2, -1)
        c, s = cos.double()[:, None], sin.double()[:, None]
        torch.testing.assert_close(out.double(), torch.cat((a * c - b * s, b * c + a * s), -1), rtol=2**-8, atol=1e-6)
print("right")
"""


class Driver:
    """A CUDA driver that keeps what it is asked for."""

    def __init__(self) -> None:
        self.code, self.launches = b"", list[Any]()

    def cuModuleLoadData(self, module: Any, code: bytes) -> int:  # noqa: N802
        self.code = code
        return 0

    def cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:  # noqa: N802
        return 0 if name == b"rotate" else 500

    def cuLaunchKernel(self, function: Any, *given: Any) -> int:  # noqa: N802
        *sizes, _, cells, _ = given
        values = [ctypes.cast(cell, ctypes.POINTER(ctypes.c_uint64)).contents.value for cell in cells[:6]]
        tokens = ctypes.cast(cells[6], ctypes.POINTER(ctypes.c_int32)).contents.value
        self.launches.append((sizes, values, tokens, len(cells)))
        return 0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rotary") / "rope.zip"
    write(path, 32, 8, 128)
    return path


def test_a_file_has_the_machine_code_and_what_a_launch_needs(file: Path) -> None:
    with zipfile.ZipFile(file) as kept:
        code, told = kept.read("rotate.cubin"), json.loads(kept.read("rotate.json"))
    assert code.startswith(b"\x7fELF") and b"rotate" in code
    assert (told["dtype"], told["heads"], told["columns"], told["name"]) == ("bf16", [32, 8], 128, "rotate")
    assert file.stat().st_size < 16_384


def test_a_launch_is_given_what_the_kernel_takes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six pointers, the tokens, and whatever Triton adds at the end."""
    driver = Driver()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    monkeypatch.setattr(torch, "zeros", lambda *sizes, device: torch.empty(*sizes))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=0))
    rotary = load(file)
    given = [torch.zeros(size, device="").bfloat16() for size in ((13, 32, 128), (13, 8, 128), (13, 64), (13, 64))]
    out = rotary(*given)
    with zipfile.ZipFile(file) as kept:
        told = json.loads(kept.read("rotate.json"))
    (sizes, pointers, tokens, count), *more = driver.launches
    assert driver.code.startswith(b"\x7fELF") and not more
    assert pointers == [x.data_ptr() for x in (*given[:2], *out, *given[2:])] and tokens == 13
    assert count == told["parameters"]
    assert sizes[0] == 13 // told["TOKENS"] * 40 // told["HEADS"] and sizes[3] == told["threads"]
    for wrong in ((given[1], given[0], *given[2:]), (*given[:3], given[3][:12]), (given[0].half(), *given[1:])):
        with pytest.raises(ValueError, match="compiled for dense"):
            rotary(*wrong)
    assert len(driver.launches) == 1


@pytest.mark.gpu
def test_it_is_launched_without_triton(file: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ON_A_CARD, str(file)], capture_output=True, text=True, check=False)
    assert done.stdout.strip().endswith("right"), done.stderr[-2000:]
