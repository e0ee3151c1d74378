"""The instrument on a real GPU: kernels that a naive loop would time wrongly. Run with `pytest -m gpu`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import CAPTURED

from inductor_lab import ejected, store
from inductor_lab.capture.run import capture
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.kernels import Prepared, prepared
from inductor_lab.measure.timing.samples import Method, measure
from inductor_lab.records import Capture, Kernel

pytestmark = pytest.mark.gpu
FEW = Method(rounds=30)

DROPOUT = """
import torch

@torch.compile
def f(x):
    return torch.nn.functional.dropout(x, 0.5) * 2 + 1

f(torch.randn(1 << 16, device="cuda"))
"""


def loaded(found: Capture, wanted: Callable[[Kernel], bool], folder: Path) -> tuple[Any, Prepared]:
    """The first kernel that is wanted, as a module, and its generated kernel ready to be timed."""
    kernel = next(one for one in found.kernels if wanted(one))
    path = folder / "kernel.py"
    path.write_text(eject(found, kernel), encoding="utf-8")
    module = ejected.load(path).module
    return module, prepared(module, {"generated": module.launch_generated})


def once(kernels: Prepared) -> list[Any]:
    """What one launch on the first inputs writes."""
    kernels.restore()
    kernels.functions["generated"]()
    return [tensor.clone() for tensor in kernels.written]


def alike(one: list[Any], other: list[Any]) -> bool:
    import torch

    return all(torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True) for a, b in zip(one, other, strict=True))


def timed(kernels: Prepared, method: Method = FEW) -> list[Any]:
    """What the last launch of a timing wrote; behind it inputs may be restored for another contestant."""
    run, wrote = kernels.functions["generated"], []

    def launched() -> None:
        run()
        wrote[:] = [tensor.clone() for tensor in kernels.written]

    found = measure({"generated": run}, kernels.restore, method)
    assert found.method == method and len(found.times["generated"]) == 30 and min(found.times["generated"]) > 0
    measure({"generated": launched}, kernels.restore, method)
    return wrote


def looped(kernels: Prepared) -> list[Any]:
    """What the last launch of a naive loop wrote."""
    for _ in range(30):
        kernels.functions["generated"]()
    return [tensor.clone() for tensor in kernels.written]


@pytest.mark.parametrize(
    ("name", "operator"),
    [("dlrm_train_h200", ""), ("dlrm_train_h200", "atomic_add"), ("sparse_ffn_train_h200", "atomic_add")],
)
def test_what_is_written_in_place_is_restored_before_each_launch(tmp_path: Path, name: str, operator: str) -> None:
    """In place or by atomics: a loop that restores nothing launches on what the launch before it left, and times another kernel's data."""

    def wanted(kernel: Kernel) -> bool:
        in_place = any(argument.role == "inout" for argument in kernel.arguments)
        return (
            operator in kernel.ops if operator else in_place and "atomic_add" not in kernel.ops and "add" in kernel.ops
        )

    _, kernels = loaded(store.load(CAPTURED / name), wanted, tmp_path)
    first = once(kernels)
    assert alike(timed(kernels), first)
    kernels.restore()
    assert not alike(looped(kernels), first)


def test_random_numbers_are_the_same_in_every_launch(tmp_path: Path) -> None:
    """The seeds are an input. A loop around the compiled function draws new ones each time: two contestants never compute the same."""
    import torch

    script = tmp_path / "program.py"
    script.write_text(DROPOUT)
    found, _ = capture(str(script), gpu="real", output=tmp_path / "capture")
    module, kernels = loaded(found, lambda kernel: True, tmp_path)
    hand = prepared(module, {"generated": module.launch})
    first = once(kernels)
    assert alike(timed(kernels), first) and alike(once(hand), first)
    x = torch.ones(1 << 16, device="cuda")
    assert not torch.equal(torch.nn.functional.dropout(x), torch.nn.functional.dropout(x))


def test_an_embedding_is_timed_on_rows_all_over_its_table(tmp_path: Path) -> None:
    """Indices that are all zero read one row, from the cache: another kernel's traffic."""
    import torch

    module, kernels = loaded(store.load(CAPTURED / "dlrm_h200"), lambda kernel: "load.gather" in kernel.ops, tmp_path)
    tensors = dict(zip(module.ARGUMENTS, module.example_inputs("cuda"), strict=True))
    indices = [x for name, x in tensors.items() if name in module.TAKES and x.dtype == torch.int64]
    assert indices and all(x.unique().numel() > x.numel() / 2 for x in indices)
    assert alike(timed(kernels), once(kernels))


@pytest.mark.parametrize(
    "method", [Method("graph", "cold", 30), Method("bare", "warm", 30), Method("graph", "warm", 30)]
)
def test_every_way_to_launch_computes_the_same(tmp_path: Path, method: Method) -> None:
    _, kernels = loaded(store.load(CAPTURED / "lora_mlp_h200"), lambda kernel: True, tmp_path)
    first = once(kernels)
    assert alike(timed(kernels, method), first)


def test_a_slow_launch_is_timed_without_the_cpu_s_time() -> None:
    """Python that takes 5 ms between the events is longer than one flush; what it launches is the same kernel."""
    import torch

    x = torch.ones(1 << 24, device="cuda")

    def slow() -> None:
        time.sleep(5e-3)
        x.mul_(1.0)

    found = measure({"quick": lambda: x.mul_(1.0), "slow": slow}, method=FEW)
    quick, late = (statistics.median(found.times[name]) for name in ("quick", "slow"))
    assert abs(late / quick - 1) < 0.1


def test_a_launch_that_waits_for_the_gpu_is_not_timed() -> None:
    import torch

    x = torch.ones(1 << 24, device="cuda")
    with pytest.raises(LabError, match="--launch graph"):
        measure({"waits": lambda: x.sum().item()}, method=FEW)
