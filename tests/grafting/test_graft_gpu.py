"""Hand kernels in compiled models on a real GPU: inference, training, any sizes, CUDA graphs, streams, ranks, caches. Run with `pytest -m gpu`."""

from __future__ import annotations

import re
import runpy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from folders import CAPTURED
from graft_program import files_of, run

import inductor_lab
from inductor_lab import GraftWarning, graft
from inductor_lab.annotate.steps import steps
from inductor_lab.eject.span import eject_span
from inductor_lab.models import find_workload
from inductor_lab.spans import span

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def nothing_else_warns() -> Iterator[None]:
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraftWarning)
        yield
    torch.compiler.reset()


def scaled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x + y * 0.5)


def changed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x + y * 0.25)


def pair(rows: int = 64, device: str = "cuda") -> tuple[torch.Tensor, torch.Tensor]:
    return torch.rand(rows, 96, device=device), torch.rand(rows, 96, device=device)


def doubling(folder: Path, dynamic: bool = False) -> Path:
    """The hand kernel of `scaled`, which returns twice of it: what ran can be told by its result."""
    (kernel,) = inductor_lab.capture_model(scaled, *pair(), gpu="real", dynamic=dynamic).kernels
    file = folder / "doubling.py"
    kernel.eject(file)
    head, launch, rest = file.read_text().partition("\ndef launch(")
    assert "    return relu\n" in rest
    file.write_text(head + launch + rest.replace("    return relu\n", "    return relu.mul_(2)\n", 1))
    return file


def close(found: torch.Tensor, expected: torch.Tensor) -> bool:
    return torch.allclose(found, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("dynamic", [False, True])
def test_inference_runs_the_hand_kernel_inside_and_the_generated_one_outside(tmp_path: Path, dynamic: bool) -> None:
    file = doubling(tmp_path, dynamic)
    model = torch.compile(scaled, dynamic=dynamic)
    sizes = (64, 33, 128) if dynamic else (64,)
    for rows in sizes:
        x, y = pair(rows)
        assert close(model(x, y), scaled(x, y))
    with graft(file) as grafts:
        for rows in sizes:
            x, y = pair(rows)
            assert close(model(x, y), 2 * scaled(x, y))
    x, y = pair()
    assert close(model(x, y), scaled(x, y))
    (told,) = grafts.files
    assert dict(told.devices) == {"cuda:0": len(sizes)} and not told.passed_over and not told.recorded


def test_a_stream_of_the_user_s_is_kept(tmp_path: Path) -> None:
    file, model, (x, y) = doubling(tmp_path), torch.compile(scaled), pair()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with graft(file), torch.cuda.stream(stream):
        for _ in range(3):
            torch.cuda._sleep(20_000_000)
            found = model(x, y).clone()
    stream.synchronize()
    assert close(found, 2 * scaled(x, y))


def test_a_changed_body_runs_as_it_was_generated_and_is_told(tmp_path: Path) -> None:
    file, model, (x, y) = doubling(tmp_path), torch.compile(changed), pair()

    def a_call() -> torch.Tensor:
        with graft(file):
            return model(x, y)

    with pytest.warns(GraftWarning, match="nearest is triton_poi_fused_.*0.25.*0.5") as warned:
        found = a_call()
    assert close(found, changed(x, y)) and len(warned) == 1


def calls(model: Callable[..., torch.Tensor], *given: torch.Tensor, count: int = 5) -> torch.Tensor:
    for _ in range(count):
        torch.compiler.cudagraph_mark_step_begin()
        found = model(*given).clone()
    return found


def test_a_cuda_graph_keeps_the_kernel_it_was_recorded_with(tmp_path: Path) -> None:
    file, (x, y) = doubling(tmp_path), pair()
    model = torch.compile(scaled, mode="reduce-overhead")
    grafts = graft(file)

    def recorded() -> torch.Tensor:
        with grafts:
            return calls(model, x, y)

    with pytest.warns(GraftWarning, match=r"recorded under this graft and goes on using it; torch.compiler.reset\(\)"):
        assert close(recorded(), 2 * scaled(x, y))
    (told,) = grafts.files
    assert told.recorded >= 1 and told.launches < 5
    assert close(calls(model, x, y), 2 * scaled(x, y))
    torch.compiler.reset()
    assert close(calls(model, x, y), scaled(x, y))


def test_a_cuda_graph_that_was_recorded_before_does_not_use_a_graft_and_that_is_told(tmp_path: Path) -> None:
    file, (x, y) = doubling(tmp_path), pair()
    model = torch.compile(scaled, mode="reduce-overhead")
    calls(model, x, y)

    def replayed() -> torch.Tensor:
        with graft(file):
            return calls(model, x, y)

    with pytest.warns(GraftWarning, match="A CUDA graph that was recorded before replays what it holds"):
        assert close(replayed(), scaled(x, y))


def test_a_model_on_another_card_runs_there(tmp_path: Path) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    file, model, (x, y) = doubling(tmp_path), torch.compile(scaled), pair(device="cuda:1")
    with graft(file) as grafts:
        assert close(model(x, y), 2 * scaled(x, y))
    assert dict(grafts.files[0].devices) == {"cuda:1": 1}


# ------------------------------------------------------------ a script that is not ours


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[float], str, Path]:
    """50 steps as they were compiled, the files of every kernel, and Inductor's cache."""
    folder = tmp_path_factory.mktemp("script")
    (plain,) = run("cuda", 50, ["plain"], folder / "cache", folder / "run.log")
    files = files_of(folder / "run.log", folder)
    assert len(files) > 3
    return plain["losses"], ",".join(map(str, files)), folder / "cache"


def agrees(one: dict[str, Any], losses: list[float], steps: int = 50) -> None:
    """Another number of warps may add up in another order."""
    assert one["losses"] == pytest.approx(losses[:steps], rel=1e-4)
    assert all(sum(launches.values()) == steps for launches in one["launches"]) and not one["warnings"]


def test_the_loss_curve_of_a_training_loop_agrees(script: tuple[list[float], str, Path], tmp_path: Path) -> None:
    """Compiled under the graft; then from its cache without, and with."""
    losses, files, _ = script
    (cold,) = run("cuda", 50, [files], tmp_path)
    agrees(cold, losses)
    plain, warm = run("cuda", 50, ["plain", files], tmp_path)
    assert plain["losses"] == pytest.approx(losses, rel=1e-4) and not plain["launches"]
    agrees(warm, losses)
    assert cold["hits"] == 0 and plain["hits"] > 0


def test_a_cache_that_knows_nothing_of_grafts_is_used(script: tuple[list[float], str, Path]) -> None:
    losses, files, cache = script
    (warm,) = run("cuda", 50, [files], cache)
    agrees(warm, losses)
    assert warm["hits"] > 0


def test_each_rank_grafts_by_itself(script: tuple[list[float], str, Path], tmp_path: Path) -> None:
    """On a card each, or on one that both share."""
    _, files, cache = script
    plain = {one["rank"]: one["losses"] for one in run("cuda", 10, ["plain"], cache, ranks=2)}
    grafted = run("cuda", 10, [files], cache, ranks=2)
    assert sorted(plain) == [0, 1] == sorted(one["rank"] for one in grafted)
    cards = torch.cuda.device_count()
    for one in grafted:
        agrees(one, plain[one["rank"]], 10)
        assert all(list(launches) == [f"cuda:{one['rank'] % cards}"] for launches in one["launches"])


@pytest.mark.parametrize("norm", [torch.nn.LayerNorm, torch.nn.RMSNorm])
def test_a_norm_s_backward_that_folds_groups_of_rows_is_grafted(tmp_path: Path, norm: type[torch.nn.Module]) -> None:
    model = norm(1000).cuda()  # type: ignore[call-arg]
    x = torch.randn(6000, 1000, device="cuda", requires_grad=True)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return model(x).sin().sum()

    def gradients(called: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        return list(torch.autograd.grad(called(x), [x, *model.parameters()]))

    captured = inductor_lab.capture_model(loss, x, gpu="real", train=True)
    (kernel,) = [kernel for kernel in captured.kernels if "RSPLIT_SIZE" in kernel.text]
    file = tmp_path / "backward.py"
    kernel.eject(file)
    torch.compiler.reset()
    compiled = torch.compile(loss)
    generated = gradients(compiled)
    with graft(file) as grafts:
        grafted = gradients(compiled)
    (told,) = grafts.files
    assert dict(told.devices) == {"cuda:0": 1} and not told.passed_over
    for one, other, eager in zip(grafted, generated, gradients(loss), strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-5)
        assert torch.allclose(one, eager, rtol=1e-3, atol=1e-3)


# ------------------------------------------------------------ spans


def layer(x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ weight + y * 0.5)


def three(rows: int = 64) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.rand(rows, 96, device="cuda"), torch.rand(96, 128, device="cuda"), torch.rand(rows, 128, device="cuda")


def doubling_span(folder: Path, dynamic: bool = False) -> Path:
    """Of the product and of what is made of it: twice of it."""
    captured = inductor_lab.capture_model(layer, *three(), gpu="real", dynamic=dynamic).record
    (graph,) = captured.graphs
    text = eject_span(captured, span(captured, graph.id, 0, len(steps(captured)[graph.id]) - 1))
    head, launch, rest = text.partition("\ndef launch(")
    (out,) = re.findall(r'^WRITTEN = \("(\w+)",\)', rest, re.MULTILINE)
    file = folder / "doubling_span.py"
    file.write_text(head + launch + rest.replace(f"    return {out}\n", f"    return {out}.mul_(2)\n", 1))
    return file


def like(found: torch.Tensor, expected: torch.Tensor) -> bool:
    return torch.allclose(found, expected, rtol=1e-2)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_span_is_its_hand_kernel_inside_and_the_generated_steps_outside(tmp_path: Path, dynamic: bool) -> None:
    file = doubling_span(tmp_path, dynamic)
    model = torch.compile(layer, dynamic=dynamic)
    sizes = (64, 33, 128) if dynamic else (64,)
    for rows in sizes:
        given = three(rows)
        assert like(model(*given), layer(*given))
    with graft(file) as grafts:
        for rows in sizes:
            given = three(rows)
            assert like(model(*given), 2 * layer(*given))
    assert like(model(*given), layer(*given))
    (told,) = grafts.files
    assert dict(told.devices) == {"cuda:0": len(sizes)} and not told.passed_over and not told.recorded


def test_a_cuda_graph_keeps_the_span_it_was_recorded_with(tmp_path: Path) -> None:
    file, given = doubling_span(tmp_path), three()
    model = torch.compile(layer, mode="reduce-overhead")
    grafts = graft(file)

    def recorded() -> torch.Tensor:
        with grafts:
            return calls(model, *given)

    with pytest.warns(GraftWarning, match=r"recorded under this graft and goes on using it; torch.compiler.reset\(\)"):
        assert like(recorded(), 2 * layer(*given))
    (told,) = grafts.files
    assert told.recorded >= 1 and told.launches < 5
    torch.compiler.reset()
    assert like(calls(model, *given), layer(*given))


def test_a_notebook_s_lookups_run_in_the_model_that_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that notebook 04 makes of a kept capture, in DLRM as it is compiled here; a lookup rounds nothing."""
    monkeypatch.chdir(CAPTURED.parent / "notebooks")
    monkeypatch.setattr(inductor_lab, "verify_file", lambda file, **asked: SimpleNamespace(verdict="not asked"))
    made = runpy.run_path("04_what_lies_between_kernels.py")
    if made["dlrm"].record.torch.partition("+")[0] != torch.__version__.partition("+")[0]:
        pytest.skip("another torch writes other kernels")
    model, inputs = find_workload("dlrm").build(device="cuda")
    compiled = torch.compile(model)
    with torch.no_grad():
        generated = compiled(*inputs)
        with graft(made["file"]) as grafts:
            grafted = compiled(*inputs)
    (told,) = grafts.files
    assert dict(told.devices) == {"cuda:0": 1} and not told.passed_over
    assert torch.equal(grafted, generated)
