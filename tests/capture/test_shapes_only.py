"""`capture --shapes-only`: a program whose tensors are never computed is compiled to the same kernels, in no memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.capture import run
from inductor_lab.capture.run import capture
from inductor_lab.errors import LabError

Lab = Callable[..., Result]
here = pytest.mark.skipif(run.gpu_is_here(), reason="the card that is here computes")

TRAINING = """
import torch
from torch import nn

torch.manual_seed(0)
with torch.device("cuda"):
    model = nn.Sequential(nn.Embedding(4096, 512), nn.Linear(512, 2048), nn.GELU(), nn.LayerNorm(2048), nn.Linear(2048, 512))
    tokens = torch.randint(4096, (8, 128))
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
loss = torch.compile(model)(tokens).square().mean()
loss.backward()
torch.compile(optimizer.step)()
kept = tokens[tokens > 100]
assert kept.numel() < 1024 and int(tokens.max()) > 100, "what is small is computed"
assert loss.item() == loss.item()
"""
HUGE = """
import resource
import torch

x = torch.randn(1 << 16, 1 << 14, device="cuda", dtype=torch.bfloat16, requires_grad=True)
torch.compile(lambda x: (x.sin() * 2).relu())(x).sum().backward()
out = torch.empty(0, device="cuda")
torch.add(x.detach()[:1024], 1, out=out)
assert out.shape == (1024, 1 << 14) and x.grad.shape == x.shape and x.grad.device.type == "cuda"
assert x[0, :4].detach().cpu().tolist() == [0.0] * 4
y = x.detach().to(torch.float32)
assert y.add_(1) is y and y.t().stride() == (1, 1 << 14)
top, order = y.sort(-1)
assert order.dtype == torch.int64 and order.shape == y.shape
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert peak < 1_500_000, f"{peak} kB"
"""
"""Some ten tensors of 2 GB and more."""


@pytest.mark.slow
@here
@pytest.mark.from_nothing
def test_kernels_are_those_of_a_program_that_computes(tmp_path: Path) -> None:
    (tmp_path / "training.py").write_text(TRAINING)
    told = [
        capture(str(tmp_path / "training.py"), shapes_only=only, output=tmp_path / f"out_{only}")[0]
        for only in (False, True)
    ]
    bodies = [[kernel.body for kernel in found.kernels] for found in told]
    assert bodies[0] == bodies[1] and len(bodies[0]) > 4
    assert "--shapes-only" in told[1].command and not told[1].problems
    assert any(graph.given for graph in told[0].graphs) and not any(graph.given for graph in told[1].graphs)


@here
@pytest.mark.from_nothing
@pytest.mark.slow
def test_no_memory_is_taken(tmp_path: Path, lab: Lab) -> None:
    (tmp_path / "huge.py").write_text(HUGE)
    result = lab("capture", str(tmp_path / "huge.py"), "--shapes-only", "-o", str(tmp_path / "huge"))
    assert result.code == 0, result.err
    assert "nothing of the inputs is kept" in result.err


def test_there_are_no_values_to_keep(tmp_path: Path) -> None:
    (tmp_path / "huge.py").write_text(HUGE)
    with pytest.raises(LabError, match="there are no values to keep"):
        capture(str(tmp_path / "huge.py"), shapes_only=True, keep="inputs", output=tmp_path / "huge")
    with pytest.raises(LabError, match=r"computes; leave it out|No GPU that torch can use"):
        capture(str(tmp_path / "huge.py"), shapes_only=True, gpu="real", output=tmp_path / "huge")
    assert not (tmp_path / "huge").exists()
