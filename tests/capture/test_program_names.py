"""What a capture knows of its graphs' inputs: a training step of a block, a function, a model of this process, the card that is here."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

import inductor_lab
from inductor_lab import store
from inductor_lab.capture import program_names
from inductor_lab.capture.outcome import with_names
from inductor_lab.capture.run import capture
from inductor_lab.eject import eject
from inductor_lab.records import Capture, Graph, Input, Kernel
from inductor_lab.replay.run import replay
from inductor_lab.report.contents import Beside, contents
from inductor_lab.report.facts import facts, holds, launches

BLOCK = """
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(64), nn.Linear(64, 96), nn.Linear(96, 64)
        self.register_buffer("scale", torch.ones(64))

    def forward(self, x, batch, labels):
        h = x + self.down(F.gelu(self.up(self.norm(x) * self.scale)))
        loss = F.cross_entropy(h * batch["weight"], labels)
        return loss, h


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block()])

    def forward(self, x, batch, labels):
        return self.layers[0](x, batch, labels)


def inputs():
    return torch.randn(32, 64, requires_grad=True), {"weight": torch.ones(64)}, torch.zeros(32, dtype=torch.long)
"""
STEP = """
model = Model()
optimizer = torch.optim.AdamW(model.parameters())
loss, h = torch.compile(model)(*inputs())
(loss + h.sum()).backward()
torch.compile(optimizer.step)()
"""
FORWARD = {
    "primals_1": "parameter layers.0.norm.weight",
    "primals_2": "parameter layers.0.norm.bias",
    "primals_3": "argument x",
    "primals_4": "buffer layers.0.scale",
    "primals_5": "parameter layers.0.up.weight",
    "primals_6": "parameter layers.0.up.bias",
    "primals_7": "parameter layers.0.down.weight",
    "primals_8": "parameter layers.0.down.bias",
    "primals_9": "argument batch['weight']",
    "primals_10": "argument labels",
}
GRADIENTS = {"tangents_1": "gradient loss", "tangents_2": "gradient h"}


def told(graph: Graph) -> dict[str, str]:
    return {name: f"{one.kind} {one.name}" for name, one in graph.called.items()}


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script that trains the block for one step."""
    folder = tmp_path_factory.mktemp("step")
    (folder / "program.py").write_text(BLOCK + STEP)
    with chdir(folder):
        return folder / capture("program.py", gpu="h200", output="kept")[1]


@pytest.mark.slow
def test_the_inputs_of_a_training_step_are_known(step: Path) -> None:
    forward, backward, optimizer = store.load(step).graphs
    assert told(forward) == FORWARD
    saved = {name: said for name, said in FORWARD.items() if name in told(backward)}
    assert told(backward) == saved | GRADIENTS and {"primals_1", "primals_3", "primals_10"} <= saved.keys()
    parameters = [said.removeprefix("parameter ") for said in FORWARD.values() if said.startswith("parameter")]
    kinds = ("parameter", "gradient", "step", "exp_avg", "exp_avg_sq")
    assert sorted(told(optimizer).values()) == sorted(f"{kind} {name}" for kind in kinds for name in parameters)
    assert told(optimizer)["arg0_1"] == "parameter layers.0.norm.weight"


def test_a_title_says_the_state_that_all_launches_share(step: Path) -> None:
    assert [kernel.title for kernel in store.load(step).kernels if len(kernel.launches) == 6] == ["step + 1.0, 1 f32"]


def kernel_at(found: Capture, name: str) -> Kernel:
    """The first kernel of which a launch is passed the input of the graph that has this name in the program."""
    wanted = {(graph.id, input_) for graph in found.graphs for input_, said in told(graph).items() if said == name}
    passed = ((k, (launch.graph, a.value)) for k in found.kernels for launch in k.launches for a in launch.arguments)
    return next(kernel for kernel, argument in passed if argument in wanted)


def test_tables_sentences_and_launches_have_the_names(step: Path) -> None:
    found = store.load(step)
    shown = facts(kernel_at(found, "parameter layers.0.norm.bias"), found)
    held = {pointer: holds(tensor) for pointer, tensor in shown.tensors.items()}
    assert {"x", "parameter layers.0.norm.weight", "parameter layers.0.norm.bias", "buffer layers.0.scale"} <= {
        *held.values()
    }
    assert any(line.text.startswith("layers.0.norm.bias f32[64]; ") for line in shown.lines)
    adam = facts(kernel_at(found, "exp_avg layers.0.norm.bias"), found)
    assert "exp_avg of layers.0.norm.weight" in {holds(tensor) for tensor in adam.tensors.values()}  # of the first
    assert "exp_avg of layers.0.norm.bias" in launches(adam.kernel, adam.called)[1].passed
    backward = facts(kernel_at(found, "gradient h"), found)
    assert {"gradient of h", "gradient of loss", "labels"} <= {holds(tensor) for tensor in backward.tensors.values()}


def test_an_ejected_file_has_the_names(step: Path) -> None:
    found = store.load(step)
    text = eject(found, kernel_at(found, "exp_avg layers.0.norm.weight"))
    (launch,) = re.findall(r"^def launch\((.*), \*,", text, re.MULTILINE)
    assert {"weight", "exp_avg", "grad", "exp_avg_sq", "step"} <= set(launch.split(", "))
    assert "    exp_avg_ptr,  # f32[64], exp_avg of layers.0.norm.weight\n" in text
    norm = eject(found, kernel_at(found, "parameter layers.0.norm.bias"))
    assert "    bias_ptr,  # f32[64], parameter layers.0.norm.bias\n" in norm
    assert "    primals_3_ptr,  # f32[32, 64], graph input x\n" in norm  # a file calls something else x
    loss = eject(found, kernel_at(found, "gradient loss"))
    assert "    loss_grad_ptr,  # f32[], gradient of loss\n" in loss and "def launch(labels, loss_grad, " in loss


@pytest.mark.slow
def test_each_launch_runs_by_a_file_with_the_names(step: Path) -> None:
    found = replay(step)
    assert found.verdict == "pass", found
    assert len(found.graphs) == 3


def test_the_page_has_the_names(step: Path) -> None:
    found = store.load(step)
    page = contents(found, Beside({}, {}, {}, None))
    forward = page.graphs[0]
    assert {node.name: node.call for node in forward.nodes}["primals_4"] == "buffer layers.0.scale"
    assert "layers.0.norm.bias" in {buffer.name for step in forward.steps for buffer in step.reads}


def test_a_model_of_this_process_has_the_names_of_its_own_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named_block.py").write_text(BLOCK)
    monkeypatch.syspath_prepend(tmp_path)
    block = importlib.import_module("named_block")
    found = inductor_lab.capture_model(block.Model(), *block.inputs(), gpu="h200", train=True)
    forward, backward = found.graphs
    assert told(forward) == FORWARD and GRADIENTS.items() <= told(backward).items()


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_function_of_this_process_has_the_names_of_its_arguments(dynamic: bool) -> None:
    def scaled(a: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        return (a * rest[0] + rest[1]).relu()

    (graph,) = inductor_lab.capture_model(scaled, *torch.ones(3, 8, 8), gpu="h200", dynamic=dynamic).graphs
    assert list(told(graph).values()) == ["argument a", "argument rest[0]", "argument rest[1]"]


def test_on_a_card_that_is_here_names_are_told_as_inductor_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import compile_fx

    class Compiled:
        """What Inductor makes of a graph; nothing needs to run."""

        source_code, _boxed_call = "# AOT ID: ['7_inference']", True

        def __call__(self, given: list[Any]) -> Sequence[Any]:
            return [given[0]]

    monkeypatch.setattr(compile_fx, "compile_fx", compile_fx.compile_fx)  # as it was, afterwards
    monkeypatch.setattr(compile_fx, "compile_fx_inner", lambda graph, *args, **kwargs: Compiled())
    monkeypatch.setattr(program_names, "TOLD", {})
    program_names.install(compile_fx)
    torch.compile(lambda query, key: query + key)(torch.ones(2), torch.ones(2))
    assert program_names.TOLD == {
        "7_inference": {
            "arg0_1": {"kind": "argument", "name": "query", "shape": [2]},
            "arg1_1": {"kind": "argument", "name": "key", "shape": [2]},
        }
    }


@pytest.mark.parametrize(
    ("text", "kind", "path", "whole"),
    [
        ("L['x']", "argument", "x", "x"),
        ("L['batch']['weight'][0]", "argument", "batch['weight'][0]", "batch['weight'][0]"),
        ("L['self']._modules['up']._parameters['weight']", "parameter", "up.weight", "self.up.weight"),
        ("G['models'][1]._modules['up']._buffers['scale']", "buffer", "up.scale", "models[1].up.scale"),
        ("L['self']._modules['_orig_mod']._modules['up']._parameters['bias']", "parameter", "up.bias", "self.up.bias"),
        ("L['f'].__closure__[0].cell_contents._parameters['weight']", "parameter", "weight", "weight"),
    ],
)
def test_an_expression_of_dynamo_s_is_read_as_a_name(text: str, kind: str, path: str, whole: str) -> None:
    assert program_names._source(text) == program_names.Source(kind, path, whole)


@pytest.mark.parametrize("text", ["L['x'].size()[0]", "L['___stack0']", "L['f'].__closure__[0].cell_contents", "x y"])
def test_an_expression_that_is_no_name_tells_nothing(text: str) -> None:
    assert program_names._source(text) is None


def test_a_parameter_of_no_module_is_told_by_its_place_in_the_optimizer() -> None:
    one, other = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    optimizer = torch.optim.SGD([one, other], momentum=0.9)
    one.grad, other.grad = torch.ones(2), torch.ones(2)
    optimizer.step()
    held = program_names._held_by_optimizers()
    assert held[id(other)] == Input("parameter", "params[1]") and held[id(other.grad)] == Input("gradient", "params[1]")
    assert held[id(optimizer.state[one]["momentum_buffer"])] == Input("momentum_buffer", "params[0]")


def test_a_parameter_that_two_models_call_differently_has_no_path() -> None:
    shared = torch.nn.Linear(2, 2)
    first, second = torch.nn.Sequential(shared), torch.nn.ModuleDict({"head": shared})
    assert program_names._paths([first, second, shared]) == {}
    assert set(program_names._paths([first, shared]).values()) == {"0.weight", "0.bias"}


def test_names_of_another_process_s_graph_are_left_out(step: Path) -> None:
    found = store.load(step)
    bare: Capture = replace(found, graphs=tuple(replace(graph, called={}) for graph in found.graphs))

    def named(said: Mapping[str, Any]) -> Mapping[str, Input]:
        return with_names(bare, {"0_forward": said}).graphs[0].called

    right = {"kind": "argument", "name": "x", "shape": [32, 64]}
    assert named({"primals_3": right}) == {"primals_3": Input("argument", "x")}
    assert named({"primals_3": {**right, "shape": [64]}}) == named({"primals_99": right}) == {}
