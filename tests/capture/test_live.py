"""A model that lives in this process, captured for a card that is not there: twice, and torch is afterwards as it was."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("torch._inductor.compile_fx")  # which makes the loggers that `state` looks at

import inductor_lab  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)
        self.norm = torch.nn.BatchNorm1d(16)

    def forward(self, x: Any) -> Any:
        return torch.relu(self.norm(self.linear(x))) * 2


class Broken(Net):
    """A graph break in the middle."""

    def forward(self, x: Any) -> Any:
        y = super().forward(x)
        torch._dynamo.graph_break()
        return y.softmax(-1)


def state(model: Any) -> dict[str, Any]:
    """What a compilation changes."""
    from torch._dynamo.utils import counters
    from torch._inductor import config

    loggers = [
        logging.getLogger(f"torch._inductor.{name}") for name in ("codecache.__output_code", "graph.__output_code")
    ]
    return {
        "environment": dict(os.environ),
        "settings": config.get_config_copy(),
        "cuda": (torch.cuda.is_available(), torch.version.cuda, torch.version.hip),
        "loggers": [(one.level, one.propagate, list(one.handlers)) for one in loggers],
        "random": torch.get_rng_state().tolist(),
        "counters": {key: dict(value) for key, value in counters.items()},
        "gradients": [p.grad for p in model.parameters()],
        "model": {key: value.tolist() for key, value in model.state_dict().items()},
        "grad mode": torch.is_grad_enabled(),
    }


@pytest.mark.parametrize("train", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["inference", "training"])
def test_a_model_is_captured_twice_and_nothing_stays(train: bool, capfd: pytest.CaptureFixture[str]) -> None:
    model, x = Net().train(train), torch.randn(8, 16)
    before = state(model)
    first, second = (inductor_lab.capture_model(model, x, gpu="h200", train=train) for _ in range(2))
    assert state(model) == before
    assert [k.body_sha256 for k in first.kernels] == [k.body_sha256 for k in second.kernels]
    assert (
        [g.id for g in first.graphs]
        == [g.id for g in second.graphs]
        == (["0_forward", "0_backward"] if train else ["0_inference"])
    )
    assert all(kernel.candidates for kernel in (*first.kernels, *second.kernels))
    assert first.gpu.virtual and first.gpu.arch == "sm_90" and first.torch == torch.__version__
    assert any("torch.relu(self.norm" in line.code for kernel in first.kernels for line in kernel.source)
    said = capfd.readouterr()
    assert "Output code" not in said.out + said.err


@pytest.mark.slow
def test_what_a_graph_was_given_is_kept_and_ejected(tmp_path: Path) -> None:
    x = torch.randn(4, 16)
    plain = inductor_lab.capture_model(Net().eval(), x, gpu="h200", keep="nothing")
    assert not plain.graphs[0].given
    with pytest.raises(LabError, match="keep"):
        inductor_lab.capture_model(Net().eval(), x, gpu="h200", keep="all")
    found = inductor_lab.capture_model(Net().eval(), x, gpu="h200", keep="inputs")
    assert found.graphs[0].given and found.command.endswith("keep='inputs')")
    for capture in (found, inductor_lab.load(found.save(tmp_path / "net"))):  # before it is saved, and after
        assert capture.replay().graphs[0].inputs == "kept"
    file = found.kernels[0].eject(tmp_path / "real.py", inputs="real")
    assert file.with_name("real.inputs.npz").is_file()
    assert [case.name for case in inductor_lab.verify_file(file, case="as in the program").cases] == [
        "as in the program"
    ]
    with pytest.raises(LabError, match="inputs='made'"):
        found.kernels[0].eject(tmp_path / "other.py", inputs="made")


@pytest.mark.slow
def test_another_size_is_no_dynamic_one() -> None:
    for rows in (8, 12, 5):
        found = inductor_lab.capture_model(Broken().eval(), torch.randn(rows, 16), gpu="h200")
        assert len(found.graphs) == 2
        values = [argument.value for k in found.kernels for launch in k.launches for argument in launch.arguments]
        assert not any(value.startswith("s") and value[1:].isdigit() for value in values)


def test_the_user_s_own_compiled_model_is_not_touched() -> None:
    """Dynamo keeps code by function: what was compiled for a card that is not there must never be run for the user."""
    model, x = Broken().eval(), torch.randn(8, 16)
    seen: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        seen.append(graph)
        return graph.forward

    compiled = torch.compile(model, backend=backend)
    wanted = model(x)
    assert torch.equal(compiled(x), wanted) and len(seen) == 2
    found = inductor_lab.capture_model(compiled, x, gpu="h200")
    assert found.name == "Broken" and len(found.graphs) == 2
    assert torch.equal(compiled(x), wanted) and len(seen) == 2, "what the user compiled is still there"


@pytest.mark.slow
def test_more_captures_than_dynamo_compiles_one_function_for() -> None:
    function = torch.nn.functional.gelu
    counts = {len(inductor_lab.capture_model(function, torch.randn(4, 4), gpu="a100").kernels) for _ in range(10)}
    assert counts == {1}


def test_settings_modes_and_options_reach_inductor() -> None:
    x = torch.randn(64, 64)

    def two(x: Any) -> Any:
        return (x.sin() + 1, x.cos() * 2)

    assert len(inductor_lab.capture_model(two, x, gpu="h200").kernels) == 1
    apart = inductor_lab.capture_model(two, x, gpu="h200", settings={"max_fusion_size": 1})
    assert len(apart.kernels) == 2 and apart.environment["torch._inductor.config.max_fusion_size"] == "1"
    symbolic = inductor_lab.capture_model(two, x, gpu="h200", dynamic=True)
    assert symbolic.command == "inductor_lab.capture_model(two, *inputs, gpu='h200', dynamic=True)"
    assert any(a.role == "size" for a in symbolic[0].arguments)


def test_what_can_not_be_captured_is_said() -> None:
    x = torch.randn(4, 4)
    with pytest.raises(LabError, match="did you mean h200"):
        inductor_lab.capture_model(torch.sin, x, gpu="h20")
    with pytest.raises(LabError, match="process of its own"):
        inductor_lab.capture_model(torch.sin, x, gpu="mi300x")
    with pytest.raises(LabError, match="went to a library"):
        inductor_lab.capture_model(lambda x: x @ x, x, gpu="h200")
    with pytest.raises(LabError, match="no mode"):
        inductor_lab.capture_model(torch.sin, x, gpu="h200", mode="fastest")
    with pytest.raises(LabError, match="gradient"):
        inductor_lab.capture_model(torch.sin, x, gpu="h200", train=True)
    if not torch.cuda.is_available():
        with pytest.raises(LabError, match="move them to cuda"):
            inductor_lab.capture_model(torch.sin, x, gpu="real")


def test_an_error_of_the_model_is_its_own_and_torch_is_as_it_was() -> None:
    model, x = Net(), torch.randn(8, 3)
    before = state(model)
    with pytest.raises(Exception, match=r"reduction dim|shape"):
        inductor_lab.capture_model(model, x, gpu="h200")
    assert state(model) == before


@pytest.mark.gpu
def test_a_model_on_the_card_is_captured_for_it() -> None:
    model, x = Net().cuda().eval(), torch.randn(8, 16, device="cuda")
    real = inductor_lab.capture_model(model, x)
    assert not real.gpu.virtual and real.kernels
    virtual = inductor_lab.capture_model(model, x, gpu="h200")
    assert virtual.gpu.virtual and virtual.kernels
    on_cpu = inductor_lab.capture_model(Net().eval(), x.cpu(), gpu="h200")
    assert [k.body_sha256 for k in on_cpu.kernels] == [k.body_sha256 for k in virtual.kernels]
    assert torch.allclose(torch.compile(model)(x), model(x), atol=1e-3)
