"""Which fused attention a card chooses: the conditions of torch's sdp_utils.cpp (`can_use_cudnn_attention` and its kin), a row for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from torch.nn.functional import scaled_dot_product_attention  # noqa: E402

from inductor_lab.capture import attention  # noqa: E402
from inductor_lab.capture.attention import Inputs, attention_of, chosen  # noqa: E402
from inductor_lab.capture.run import capture  # noqa: E402
from inductor_lab.gpus import GPUS  # noqa: E402

HALF, FULL = torch.bfloat16, torch.float32


def inputs(
    dtype: Any = HALF, tokens: int = 32, width: int = 64, mask: Any = None, learned: bool = False, **asked: Any
) -> Inputs:
    """A call of 4 heads, 2 in a batch."""
    query, key, value = (torch.empty(2, 4, tokens, width, dtype=dtype, requires_grad=learned) for _ in range(3))
    asked = {"dropout": 0.0, "causal": False, "scale": None, "grouped": False} | asked
    return Inputs(query, key, value, mask, **asked)


def bias(*shape: int, permuted: bool = False, learned: bool = False) -> Any:
    made = torch.empty(*shape, dtype=HALF, requires_grad=learned)
    return made.transpose(-1, -2) if permuted else made


CHOICES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "half precision": ("h200", "cudnn", {}),
    "half precision, training": ("h100", "cudnn", {"learned": True}),
    "no cuDNN before Hopper": ("a100", "flash", {}),
    "float32": ("h200", "efficient", {"dtype": FULL}),
    "float64": ("h200", "math", {"dtype": torch.float64}),
    "a width that nothing wide reads": ("h200", "flash", {"width": 36}),
    "one key": ("h200", "flash", {"tokens": 1}),
    "a mask of two dimensions": ("h200", "cudnn", {"mask": bias(32, 32)}),
    "a mask that broadcasts": ("h200", "cudnn", {"mask": bias(2, 1, 1, 32)}),
    "a mask of three dimensions": ("h200", "efficient", {"mask": bias(4, 32, 32)}),
    "a learned bias": ("h200", "efficient", {"mask": bias(1, 4, 32, 32, learned=True)}),
    "a bias that was permuted": ("h200", "math", {"mask": bias(1, 4, 32, 32, permuted=True)}),
    "a float32 bias that was permuted": ("h200", "math", {"mask": bias(1, 4, 32, 32, permuted=True), "dtype": FULL}),
    "a mask, no cuDNN": ("a100", "efficient", {"mask": bias(32, 32)}),
    "dropout": ("a100", "flash", {"dropout": 0.1, "learned": True}),
    "dropout in float32": ("h200", "efficient", {"dropout": 0.1, "learned": True, "dtype": FULL}),
    "wide heads": ("a100", "flash", {"width": 256, "learned": True}),
    "wide heads on a small card": ("l4", "efficient", {"width": 224, "learned": True}),
    "the widest on a small card": ("rtx4090", "flash", {"width": 256, "learned": True}),
    "the widest with dropout on a small card": ("rtx5090", "efficient", {"width": 256, "learned": True, "dropout": 0.1}),
    "wide heads on a small card, inference": ("l4", "flash", {"width": 224}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_a_card_chooses_by_these_conditions(name: str) -> None:
    card, wanted, given = CHOICES[name]
    assert chosen(inputs(**given), GPUS[card]) == wanted


def test_what_the_user_switched_off_is_not_chosen() -> None:
    card = GPUS["h200"]
    torch.use_deterministic_algorithms(True)
    try:
        assert chosen(inputs(), card) == "flash", "cuDNN's is not deterministic"
    finally:
        torch.use_deterministic_algorithms(False)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION):
        assert chosen(inputs(), card) == "efficient"


@pytest.mark.parametrize("name", ["cudnn", "flash", "efficient"])
def test_a_row_is_there_for_every_kernel_of_every_card(name: str) -> None:
    assert name in attention.FUSED
    assert all(set(card.attention) <= set(attention.FUSED) for card in GPUS.values())


def test_autocast_narrows_before_a_kernel_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Inputs] = []
    for name in ("cudnn", "efficient"):
        serves, _ = attention.FUSED[name]
        monkeypatch.setitem(attention.FUSED, name, (serves, lambda given: seen.append(given) or given.query))
    call, query = attention_of(GPUS["h200"]), torch.randn(2, 4, 32, 64)
    allowed = torch.ones(32, 32, dtype=torch.bool)
    assert call(query, query, query).dtype == FULL
    with torch.autocast("cpu", HALF):
        assert call(query, query, query, attn_mask=allowed).dtype == HALF
        assert torch.is_autocast_enabled("cpu")
    assert [one.query.dtype for one in seen] == [FULL, HALF]
    assert seen[1].mask is not None and seen[1].mask.dtype == torch.bool


def test_autocast_does_not_reach_into_what_is_written_out() -> None:
    """A bias that no kernel takes: torch computes all of it in the narrow dtype, its softmax too."""
    query = torch.randn(1, 2, 16, 8, generator=torch.Generator().manual_seed(0))
    mask = torch.randn(16, 16).t()
    with torch.autocast("cpu", HALF):
        found = attention_of(GPUS["h200"])(query, query, query, attn_mask=mask)
        wanted = scaled_dot_product_attention(query, query, query, attn_mask=mask)
    assert found.dtype == wanted.dtype == HALF
    torch.testing.assert_close(found, wanted, atol=0.05, rtol=0.05)


PROGRAM = """
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() and ON_CARD else "cpu"


class Biased(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_all, self.table = nn.Linear(64, 192), nn.Parameter(torch.randn(31, 4))

    def forward(self, x):
        q, k, v = self.to_all(x).view(2, 16, 3, 4, 16).permute(2, 0, 3, 1, 4)
        place = torch.arange(16, device=x.device)
        bias = self.table[place[:, None] - place[None] + 15].permute(2, 0, 1).unsqueeze(0)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


class Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_all, self.drop = nn.Linear(64, 192), nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = self.to_all(x).view(2, 16, 3, 4, 16).permute(2, 0, 3, 1, 4)
        weights = self.drop(torch.matmul(q, k.transpose(-2, -1)).div(4.0).softmax(-1))
        return torch.matmul(weights, v)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_all = nn.Linear(64, 192)

    def forward(self, x):
        with torch.autocast(device, torch.bfloat16):
            q, k, v = self.to_all(x).float().view(2, 16, 3, 4, 16).permute(2, 0, 3, 1, 4)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)


for model in (Biased(), Written(), Wide()):
    torch._dynamo.reset()
    torch.compile(model.to(device))(torch.randn(2, 16, 64, device=device)).relu().sum().backward()
"""

WANTED = [set(), set(), {"_scaled_dot_product_cudnn_attention"}]
"""A bias that was permuted is written out, as is attention in float32 that the program wrote out; autocast's is cuDNN's."""


def forwards(found: Any) -> list[set[str]]:
    """The fused attention of each forward graph."""
    targets = [
        [node.target.split(".")[1] for node in graph.nodes if "." in node.target]
        for graph in found.graphs
        if graph.kind == "forward"
    ]
    return [{name for name in names if "dot_product" in name} for names in targets]


@pytest.mark.slow
@pytest.mark.parametrize("on_card", [True, False], ids=["on cuda", "on the CPU"])
def test_programs_get_the_attention_that_the_card_would_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_card: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM.replace("ON_CARD", str(on_card)))
    found, _ = capture("program.py", gpu="h200")
    assert forwards(found) == WANTED
    narrowed = [problem for problem in found.problems if "autocast" in problem.message]
    assert bool(narrowed) is not on_card, "the CPU's autocast narrows other operators than the card's"


@pytest.mark.gpu
def test_the_card_itself_chooses_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM.replace("ON_CARD", "True"))
    real, _ = capture("program.py", gpu="real", output="real")
    card = next((key for key, one in GPUS.items() if one.name.split()[1] in real.gpu.name.split()), "")
    if card not in ("h100", "h200"):
        pytest.skip(f"the expectations are for an H100 or H200, this is {real.gpu.name}")
    virtual, _ = capture("program.py", gpu=card, output="virtual")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    alone, _ = capture("program.py", gpu=card, output="alone")
    assert forwards(real) == forwards(virtual) == forwards(alone) == WANTED
    bodies = [{kernel.body_sha256 for kernel in one.kernels} for one in (real, virtual, alone)]
    assert bodies[0] == bodies[1] == bodies[2]
