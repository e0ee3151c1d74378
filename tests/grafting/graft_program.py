"""A script that is not ours: it trains a small model under torch.compile. `python graft_program.py DEVICE STEPS HOW TURN...` prints one JSON line a turn.

A turn is `plain`, or files to graft joined by `,`: then one `with` stands around the loop. Under torch.distributed.run each rank trains on its own part
of the batch, on the card of its number where there are several. HOW they share what they learn: `behind` the compiled function the gradients are
reduced, `ddp` does it, or `inside` the function a mean is reduced too, by a collective among its steps. `padded`, alone, multiplies a part of a result in
its own memory, padded with zeros, as Inductor does with an odd number of classes on a card. On the CPU Inductor is told to write Triton for
it, which Triton's interpreter runs.
Tests start it with `run`, and eject what its log shows with `files_of`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._functional_collectives import all_reduce


class Scaled(nn.Module):
    """A norm by the mean magnitude, without a function of libdevice's: the interpreter has none."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / (x.abs().mean(-1, keepdim=True) + 1e-5)


class Centered(nn.Module):
    """Its mean is carried on from batch to batch, as a batch norm's is."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.lerp_(x.detach().mean(0), 0.1)
        return x - self.mean


class Whole(nn.Module):
    """DDP is not compiled, and what is called from it is where it is not a module of torch's own."""

    def __init__(self, layers: nn.Module) -> None:
        super().__init__()
        self.layers = layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def train(device: str, steps: int, rank: int, how: str) -> list[float]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(24, 40), nn.ReLU(), Scaled(), nn.Linear(40, 8)).to(device)
    called = torch.compile(nn.parallel.DistributedDataParallel(Whole(model))) if how == "ddp" else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(1 + rank)
    inputs, targets = torch.randn(4, 24).to(device), torch.randn(4, 8).to(device)

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if how == "inside":
            x = model[:3](x)
            x = model[3](x - all_reduce(x.detach().mean(0), "avg", dist.group.WORLD))
        elif how == "padded":
            part = model(x)[:, :6] * 0.1
            x = nn.functional.pad(part, (0, 2, 0, 0)) @ y.t() @ y + part.sum(0).mean()
        else:
            x = called(x)
        return (x - y).square().mean()

    loss_of = loss_of if how == "ddp" else torch.compile(loss_of)
    losses = []
    for _ in range(steps):
        loss = loss_of(inputs, targets)
        loss.backward()
        for weight in model.parameters() if dist.is_initialized() and how != "ddp" else ():
            dist.all_reduce(weight.grad)
            weight.grad /= dist.get_world_size()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def triton_on_the_cpu() -> None:
    """Without a card: a driver is asked for nothing but its name, as a part of a cache's key."""
    import torch._inductor.config as config
    import torch.utils._triton as triton

    config.cpu_backend = "triton"
    triton.triton_hash_with_backend = lambda: "the interpreter"


def rows_are_padded() -> None:
    """As on a card, where Inductor begins each row of a large tensor at a multiple of 128 bytes: here of small ones, of 16 bytes."""
    import torch._inductor.config as config

    config.disable_padding_cpu, config.padding_stride_threshold, config.padding_alignment_bytes = False, 4, 16


def main(device: str, steps: int, how: str, *turns: str) -> None:
    rank = int(os.environ.get("RANK", 0))
    if device == "cpu":
        triton_on_the_cpu()
    else:
        device = f"cuda:{rank % torch.cuda.device_count()}"
        torch.cuda.set_device(device)
    if how == "padded":
        rows_are_padded()
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    from torch._dynamo.utils import counters

    from inductor_lab import graft

    for turn in turns:
        torch._dynamo.reset()
        counters.clear()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with contextlib.nullcontext() if turn == "plain" else graft(*turn.split(",")) as grafts:
                losses = train(device, steps, rank, how)
        told: dict[str, Any] = {
            "rank": rank,
            "losses": losses,
            "launches": [dict(one.devices) for one in grafts.files] if grafts else [],
            "warnings": [str(one.message) for one in warned if one.category.__name__ == "GraftWarning"],
            "hits": counters["inductor"]["fxgraph_cache_hit"],
        }
        print(json.dumps(told) + "\n", end="", flush=True)
    if dist.is_initialized():
        dist.destroy_process_group()


def run(
    device: str,
    steps: int,
    turns: Iterable[str],
    cache: Path,
    log: Path | None = None,
    ranks: int = 1,
    how: str = "behind",
) -> list[dict[str, Any]]:
    """What it says, with Inductor's cache in a folder of its own, and its output code in a log."""
    several = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"] if ranks > 1 else []
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    environment |= {"TORCH_LOGS": "output_code"} if log else {}
    environment |= {"TRITON_INTERPRET": "1"} if device == "cpu" else {}
    environment |= {"GLOO_SOCKET_IFNAME": "lo"} if ranks > 1 else {}
    command = [sys.executable, *several, __file__, device, str(steps), how, *turns]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    if log:
        log.write_text(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def files_of(log: Path, folder: Path) -> list[Path]:
    """Every kernel that a log shows, ejected."""
    from inductor_lab.eject import eject
    from inductor_lab.read import read

    found = read([log], "program")
    files = [folder / f"kernel_{number}.py" for number in range(len(found.kernels))]
    for file, kernel in zip(files, found.kernels, strict=True):
        file.write_text(eject(found, kernel))
    return files


def spans_of(log: Path, folder: Path) -> list[Path]:
    """Every graph of a log as one span, ejected; where there are barriers, what is before, between and behind them. Ranks have the same."""
    from inductor_lab.annotate.steps import steps
    from inductor_lab.eject.span import eject_span
    from inductor_lab.errors import LabError
    from inductor_lab.read import read
    from inductor_lab.spans import span

    found = read([log], "program")
    files: dict[str, Path] = {}
    for graph, of in steps(found).items():
        first = 0
        while first < len(of):
            for last in range(len(of) - 1, first, -1):
                with contextlib.suppress(LabError):
                    one = span(found, graph, first, last)
                    first = last
                    if one.sha256 not in files:
                        files[one.sha256] = folder / f"span_{graph}_{one.first}.py"
                        files[one.sha256].write_text(eject_span(found, one))
                    break
            first += 1
    return list(files.values())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
