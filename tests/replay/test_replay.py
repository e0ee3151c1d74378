"""A captured module run again: each launch by its ejected file, each buffer and output held to the graph in eager."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Result
from folders import CAPTURED
from killing import nothing_is_left

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from torch.nn.functional import scaled_dot_product_attention

from inductor_lab import store
from inductor_lab.capture.run import capture
from inductor_lab.errors import LabError
from inductor_lab.library import attention
from inductor_lab.records import Capture
from inductor_lab.replay import agreement, graph, inputs, module, session
from inductor_lab.replay.run import replay
from inductor_lab.views import CaptureView

Lab = Callable[..., Result]


@pytest.fixture(scope="module")
def lora(captured_once: Callable[..., Path]) -> Path:
    """A step of training of the LoRA MLP, captured for an H200."""
    return captured_once("lora_mlp", size="laptop", train=True)


@pytest.fixture
def loaded(lora: Path) -> Capture:
    return store.load(lora)


@pytest.fixture
def line(loaded: Capture) -> int:
    """Of the launch of kernel 1, in the module as this torch writes it."""
    return loaded.kernels[1].launches[0].line


def test_every_buffer_and_output_of_a_step_is_eager_s(lora: Path) -> None:
    steps: list[str] = []
    found = replay(lora, progress=steps.append)
    assert found.verdict == "pass" and not found.first
    assert [one.graph for one in found.graphs] == ["0_forward", "0_backward"]
    assert {name for one in found.graphs for name in one.outputs} >= {"add_1", "mm_4"}
    assert len(found.launches) == 4 and all(
        one.verdict == "pass" and one.errors["hand"] < 1e-6 for one in found.launches
    )
    assert {name: told for one in found.launches for name, told in one.buffers.items()} == {
        "mul_2": "pass",
        "relu": "pass",
    }
    assert len(steps) > 4


def test_the_launch_at_which_a_graft_departs_is_named(lora: Path, lab: Lab, workdir: Path, line: int) -> None:
    file = workdir / "mine.py"
    assert lab("eject", f"{lora}:1", "-o", file).code == 0
    right = lab("replay", lora, "--graft", f"1={file}")
    assert right.code == 0 and "(grafted)" in right.out
    before, launch, after = file.read_text().partition("\ndef launch(")
    assert "* 0.5" in before
    file.write_text(before.replace("* 0.5", "* 0.51") + launch + after)
    wrong = lab("replay", lora, "--graft", f"1={file}", "--json")
    found = json.loads(wrong.out)
    assert wrong.code == 1 and found["verdict"] == "fail"
    assert found["first"].endswith(f":1 at line {line} of 0_forward")
    assert [one["verdict"] for one in found["launches"] if one["grafted"]] == ["fail"]
    assert "float64 says" in found["graphs"][0]["outputs"]["add_1"]
    file.write_text(before + "    tl.store(bias_ptr + column, bias * 7, inside)\n\n" + launch + after)
    found = json.loads(lab("replay", lora, "--graft", f"1={file}", "--json").out)
    assert found["first"].endswith(f":1 at line {line} of 0_forward")
    assert "it changed bias, which it must only read" in [one["message"] for one in found["launches"]]


NUMEL = "    numel = mm.numel()\n"


def edited(lab: Lab, lora: Path, file: Path, before: str, after: str) -> None:
    """Kernel 1, ejected and changed in one place."""
    assert lab("eject", f"{lora}:1", "-o", file).code == 0
    assert file.read_text().count(before) == 1
    file.write_text(file.read_text().replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (NUMEL, "    raise ValueError('boom')\n", "ValueError: boom, line {}: `raise ValueError('boom')`"),
        (NUMEL, "    raise SystemExit(7)\n", "SystemExit: 7, line {}: `raise SystemExit(7)`"),
        (NUMEL, "    numel = nel()\n", "NameError: name 'nel' is not defined, line {}: `numel = nel()`"),
    ],
)
def test_what_a_hand_kernel_raises_is_its_own(
    lora: Path, lab: Lab, workdir: Path, before: str, after: str, said: str
) -> None:
    """With the traceback of the process that replays, where it is asked for."""
    file = workdir / "mine.py"
    edited(lab, lora, file, before, after)
    line = file.read_text().splitlines().index(after.rstrip()) + 1
    found = lab("--debug", "replay", lora, "--graft", f"1={file}")
    sentence = f"the hand kernel of {file}, grafted in the place of {lora}:1, does not run: {said.format(line)}"
    assert found.code == 2 and sentence in found.err
    assert f'File "{file}", line {line}, in launch' in found.err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (NUMEL, "    import os; os._exit(7)\n"),
        ("tl.store(mm_ptr + offset, bias", "tl.store(mm_ptr + offset + (1 << 34), bias"),
    ],
)
def test_where_the_process_ends_the_hand_kernels_that_were_launched_are_named(
    lora: Path, lab: Lab, workdir: Path, before: str, after: str
) -> None:
    file = workdir / "mine.py"
    edited(lab, lora, file, before, after)
    found = lab("replay", lora, "--graft", f"1={file}")
    last = found.err.splitlines()[-1]
    assert found.code == 2 and last.startswith(f"error: the replay of {lora} ended without a result: ")
    assert f"; {file} had been launched by then: `inductor-lab verify {file}` tells a store outside" in last
    assert "exit status 7" in last or "SIGSEGV" in last or "Error" in last.partition("result:")[2]


def test_a_process_that_ends_before_any_graft_blames_none(loaded: Capture, lab: Lab, lora: Path, workdir: Path) -> None:
    file = workdir / "mine.py"
    assert lab("eject", f"{lora}:1", "-o", file).code == 0
    forward, *others = loaded.graphs
    text = forward.module.replace("args.clear()", "__import__('os')._exit(3)")
    folder = store.save(replace(loaded, graphs=(replace(forward, module=text), *others)), workdir / "dies")
    with pytest.raises(LabError) as error:
        replay(folder, grafts={"1": file})
    assert str(error.value) == f"the replay of {folder} ended without a result: it ended with exit status 3"


@pytest.mark.parametrize(
    ("shape", "stride"), [((1,), (5,)), ((1, 1), (64, 5)), ((), ()), ((0, 3), (3, 1)), ((2, 3), (1, 7))]
)
def test_what_a_launch_must_only_read_is_compared_bit_by_bit_in_any_layout(
    shape: tuple[int, ...], stride: tuple[int, ...]
) -> None:
    now = torch.as_strided(torch.full((64,), torch.nan), shape, stride)
    launched: Any = SimpleNamespace(tensors={"x": now}, file=SimpleNamespace(WRITTEN=()))
    before = {"x": now.clone()}
    assert agreement._changed(launched, before) == ""
    now.fill_(-0.0)
    assert agreement._changed(launched, before) == ("x" if now.numel() else "")
    before = {"x": torch.zeros(shape)}
    assert agreement._changed(launched, before) == ("x" if now.numel() else "")  # a zero of the other sign


def test_a_kernel_that_is_not_what_the_graph_says_departs(loaded: Capture, tmp_path: Path) -> None:
    """The module's own text was changed: the graph and the reference of what stands there no longer agree."""
    kernels = tuple(
        replace(one, text=one.text.replace("0.5", "0.25"), body=one.body.replace("0.5", "0.25"))
        for one in loaded.kernels
    )
    folder = store.save(replace(loaded, kernels=kernels), tmp_path / "changed")
    found = replay(folder)
    assert found.verdict == "fail"
    assert any(told != "pass" for one in found.graphs for told in one.outputs.values())


@pytest.mark.parametrize("graft", ["1", "1=", "=mine.py", "1=none.py", "9=mine.py"])
def test_what_is_no_graft_is_said_in_a_sentence(lora: Path, lab: Lab, workdir: Path, graft: str) -> None:
    (workdir / "mine.py").write_text("")
    found = lab("replay", lora, "--graft", graft)
    assert found.code == 2 and found.err.count("\n") <= 2 and "error: " in found.err


def test_a_capture_without_its_graph_can_not_be_held_to_it(loaded: Capture, tmp_path: Path) -> None:
    bare = replace(loaded, graphs=tuple(replace(one, nodes=()) for one in loaded.graphs))
    with pytest.raises(LabError, match="has no post-grad graph to be held to"):
        replay(store.save(bare, tmp_path / "bare"))


def test_inputs_are_drawn_by_the_seed_and_weights_keep_a_product_s_size(loaded: Capture) -> None:
    first = loaded.graphs[0]
    one, same, other = (inputs.drawn(first, inputs.fills(loaded, first), seed, "cpu", {}) for seed in (0, 0, 1))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not any(torch.equal(one[name], other[name]) for name in one)
    unknown = replace(first, given=())  # of whose weights nothing was observed
    values = graph.values(unknown, inputs.drawn(unknown, inputs.fills(loaded, first), 0, "cpu", {}), "cpu")
    assert 0.25 < float(values["mm"].std() / values["primals_3"].std()) < 0.75  # half of its left operand
    assert inputs.names(first) == [f"primals_{number}" for number in range(1, 10)]


def test_weights_of_half_the_size_leave_an_attention_that_is_not_scaled_calm() -> None:
    """As T5's: 24 layers, whose weights keep the size of what they are multiplied with, or half of it, in bfloat16 beside last bits."""

    def turned(scale: float) -> float:
        """Which part of a ReLU's mask last bits of the input turn, behind all layers."""
        generator = torch.Generator().manual_seed(0)
        size, heads = 128, 2
        weights = [torch.randn(24, size, size, generator=generator) * scale * size**-0.5 for _ in range(6)]
        tokens = torch.randn(64, size, generator=generator)
        masks = []
        for x in (tokens, tokens * (1 + 2.0**-7)):
            x = x.bfloat16()
            for q, k, v, o, up, down in zip(*(weight.bfloat16() for weight in weights), strict=True):
                normal = torch.nn.functional.rms_norm(x, [size])
                query, key, value = ((normal @ weight).view(64, heads, -1).transpose(0, 1) for weight in (q, k, v))
                found = (query @ key.mT).softmax(-1) @ value
                x = x + found.transpose(0, 1).reshape(64, size) @ o
                inner = torch.nn.functional.rms_norm(x, [size]) @ up
                x = x + inner.relu() @ down
            masks.append(inner > 0)
        return float((masks[0] != masks[1]).float().mean())

    assert turned(1.0) > 0.08 > 5 * turned(inputs.WEIGHT_SCALE)


def test_a_node_s_value_is_what_it_was_before_another_wrote_into_it() -> None:
    nodes = (
        {"name": "x", "target": "placeholder", "call": "", "arguments": ()},
        {
            "name": "full",
            "target": "aten.full.default",
            "call": "torch.ops.aten.full.default([2], 1.0)",
            "arguments": (),
        },
        {
            "name": "added",
            "target": "aten.add_.Tensor",
            "call": "torch.ops.aten.add_.Tensor(full, x)",
            "arguments": ("full", "x"),
        },
    )
    from inductor_lab.records import Graph, Node

    made = Graph("0", "", "inference", "", tuple(Node(**one, type=None, source=None) for one in nodes), ("added",))
    found = graph.values(made, {"x": torch.ones(2)}, "cpu")
    assert found["full"].tolist() == [1, 1] and found["added"].tolist() == [2, 2]


def test_bits_are_those_of_the_graph_s_own_dtype_also_in_float64() -> None:
    from inductor_lab.records import Graph, Node, TensorType

    calls = {
        "x": ("placeholder", "", (), "float32"),
        "bits": ("aten.view.dtype", "torch.ops.aten.view.dtype(x, torch.int32)", ("x",), "int32"),
        "high": ("aten.bitwise_and.Scalar", "torch.ops.aten.bitwise_and.Scalar(bits, -65536)", ("bits",), "int32"),
        "cut": ("aten.view.dtype", "torch.ops.aten.view.dtype(high, torch.float32)", ("high",), "float32"),
    }
    nodes = tuple(Node(name, *call, TensorType(dtype, (3,), (1,)), None) for name, (*call, dtype) in calls.items())
    made = Graph("0", "", "inference", "", nodes, ("cut",))
    x = torch.tensor([1.0, -math.pi, 1e-3])
    eager, exact = (graph.values(made, {"x": x}, "cpu", exact=exact) for exact in (False, True))
    assert torch.equal(exact["bits"], eager["bits"]) and torch.equal(exact["bits"], x.view(torch.int32))
    assert exact["cut"].dtype == torch.float64 and torch.equal(exact["cut"], eager["cut"].double())


def test_a_list_of_tensors_that_is_changed_in_place_is_the_value() -> None:
    from inductor_lab.records import Graph, Node

    def node(name: str, target: str, call: str, *arguments: str) -> Node:
        return Node(name, target, call, arguments, None, None)

    nodes = (
        node("x", "placeholder", ""),
        node("y", "placeholder", ""),
        node("added", "aten._foreach_add_.Scalar", "torch.ops.aten._foreach_add_.Scalar([x, y], 1)", "x", "y"),
        node("second", "getitem", "added[1]", "added"),
    )
    made = Graph("0", "", "inference", "", nodes, ("second",))
    found = graph.values(made, {"x": torch.zeros(2), "y": torch.ones(2)}, "cpu")
    assert found["second"].tolist() == [2, 2]
    assert found["x"].tolist() == [0, 0] and found["y"].tolist() == [1, 1], "what they were given"


def test_recurrent_cells_run_without_the_card() -> None:
    x, weight = torch.randn(2, 3), torch.nn.LSTMCell(3, 4)
    state, cell = torch.randn(2, 4), torch.randn(2, 4)
    wanted = weight(x, (state, cell))
    gates = (x @ weight.weight_ih.t(), state @ weight.weight_hh.t())
    with torch.no_grad(), attention.WrittenOut():
        found = torch.ops.aten._thnn_fused_lstm_cell(*gates, cell, weight.bias_ih, weight.bias_hh)
    for mine, want in zip(found, wanted, strict=False):
        torch.testing.assert_close(mine, want)


def test_the_gradients_of_a_recurrent_cell_are_those_of_torch() -> None:
    generator = torch.Generator().manual_seed(0)
    x, state, cell, grad, grad_cell = (
        torch.randn(2, 4, dtype=torch.float64, generator=generator, requires_grad=True) for _ in range(5)
    )
    torch.manual_seed(0)
    one = torch.nn.LSTMCell(4, 4, dtype=torch.float64)
    gates = (x @ one.weight_ih.t(), state @ one.weight_hh.t())
    hidden, new = one(x, (state, cell))
    bias = one.bias_ih, one.bias_hh
    wanted = torch.autograd.grad((hidden, new), (x, cell, one.bias_ih), (grad, grad_cell))
    with torch.no_grad():
        *_, workspace = attention.lstm_cell(*gates, cell, *bias)
        of_gates, of_cell, of_bias = attention.lstm_cell_backward(grad, grad_cell, cell, new, workspace, True)
    for mine, want in zip((of_gates @ one.weight_ih, of_cell, of_bias), wanted, strict=True):
        torch.testing.assert_close(mine, want)
    assert attention.lstm_cell_backward(None, None, cell, new, workspace, True) == (None, None, None)


@pytest.mark.parametrize("fourfold", [False, True])
def test_a_graph_draws_the_numbers_of_its_kernels(loaded: Capture, fourfold: bool) -> None:
    """Of a seed and a position, as Triton does; by four where the kernel that holds the node takes four of each draw."""
    from inductor_lab.eject.device_functions import eager_text
    from inductor_lab.records import Graph, Node, Provenance

    def node(name: str, call: str) -> Node:
        return Node(name, call.partition("(")[0].removeprefix("torch.ops."), call, (), None, None)

    nodes = (
        node("seeds", "torch.ops.prims.inductor_seeds.default(2, device(type='cuda', index=0))"),
        node("seed", "torch.ops.prims.inductor_lookup_seed.default(seeds, 1)"),
        node("drawn", "torch.ops.prims.inductor_random.default([2, 8], seed, 'rand')"),
    )
    made = Graph("0", "", "inference", "", nodes, ("drawn",))
    (first, *_) = loaded.kernels
    launch = replace(first.launches[0], graph="0", provenance=Provenance(nodes=("drawn",)))
    kernel = replace(first, launches=(launch,), text="triton_helpers.rand4x(" if fourfold else "tl.rand(")
    draws = graph.drawing(replace(loaded, kernels=(kernel,)), made)
    found, again = (graph.values(made, {}, "cpu", draws=draws) for _ in range(2))
    assert torch.equal(found["drawn"], again["drawn"])
    names: dict[str, object] = {"torch": torch}
    for name in ("philox", "rand", "rand_uniform_4x"):
        exec(eager_text(name), names)
    wanted = names["rand_uniform_4x" if fourfold else "rand"](found["seeds"][1], torch.arange(16))  # type: ignore[operator]
    assert torch.equal(found["drawn"], wanted.reshape(2, 8))


REPEATED = """
import torch

torch.manual_seed(0)
weights = [torch.nn.Parameter(torch.randn(8, 8)) for _ in range(2)]


@torch.compile
def f(x):
    for weight in weights:
        x = torch.tanh(x @ weight) * 2
    return x


with torch.no_grad():
    f(torch.randn(4, 8))
"""


@pytest.mark.slow
def test_a_kernel_that_is_launched_again_is_held_to_its_own_nodes(workdir: Path) -> None:
    """Its comment names those of the first launch alone."""
    Path("program.py").write_text(REPEATED)
    _, folder = capture("program.py", gpu="h200")
    found = replay(workdir / folder)
    assert found.verdict == "pass", [one.buffers for one in found.launches]
    assert len({one.kernel for one in found.launches}) == 1 and len(found.launches) == 2
    first, second = (set(one.buffers) for one in found.launches)
    assert first and not first & second


SUMMED_IN_OTHER_SHAPES = """
import torch

w = torch.randn(2, 8, 8)

@torch.compile
def f(x):
    one = (torch.mm(x, w[0]) + 1).sum(1)
    other = torch.bmm(x.reshape(2, 2, 8), w)
    return one, torch.mm(one[None], one[:, None]), (other + 1).sum(2)

with torch.no_grad():
    f(torch.randn(4, 8))
"""


@pytest.mark.slow
def test_a_graft_runs_where_its_body_is_launched_on_another_shape(lab: Lab, workdir: Path) -> None:
    """The file's `launch` reads its sizes from the shapes of the first launch's tensors."""
    Path("program.py").write_text(SUMMED_IN_OTHER_SHAPES)
    found, folder = capture("program.py", gpu="h200")
    (kernel,) = (one for one in found.kernels if len(one.launches) == 2)
    shapes = {one.arguments[0].type.shape for one in kernel.launches if one.arguments[0].type}
    assert shapes == {(4, 8), (2, 2, 8)}
    assert lab("eject", kernel.id, "-o", "mine.py").code == 0
    told = json.loads(lab("replay", folder, "--graft", f"{kernel.id.rpartition(':')[2]}=mine.py", "--json").out)
    assert told["verdict"] == "pass" and sum(one["grafted"] for one in told["launches"]) == 2


PARTITIONED = """
import torch

def f(w, x, y):
    a = (w * 3).relu()
    n = a.sum().cpu() * 2
    return a, (x * n.to(a.device)).sin() + y

def model():
    return f, tuple(torch.randn(4, 8) for _ in range(3))
"""


@pytest.mark.slow
def test_partitions_that_take_a_part_of_the_inputs_each_are_judged_launch_by_launch(workdir: Path) -> None:
    """What the CPU computes in between parts the graph in two."""
    Path("partitioned.py").write_text(PARTITIONED)
    found, folder = capture("partitioned:model", gpu="h200", mode="reduce-overhead")
    (only,) = found.graphs
    assert inputs.names(only) == ["arg0_1", "arg1_1", "arg2_1"] and "\n    arg0_1, = args" in only.module
    told = replay(workdir / folder)
    assert told.verdict == "pass" and [one.verdict for one in told.launches] == ["pass", "pass"]
    assert [set(one.buffers) for one in told.launches] == [{"a", "sum_1"}, {"add"}]


STACKED = """
import torch

ws = [torch.randn(8, 1) for _ in range(10)]

@torch.compile
def f(x):
    return torch.stack([torch.mm(x, w)[:, 0] for w in ws], -1)

with torch.no_grad():
    f(torch.randn(64, 8))
"""


@pytest.mark.slow
def test_a_launch_is_held_to_a_node_only_where_it_was_given_what_that_is_made_of(workdir: Path) -> None:
    """One body copies each of ten products into a stack; the comment says which product the first launch copies, and the others' lines all ten."""
    Path("program.py").write_text(STACKED)
    found, folder = capture("program.py", gpu="h200")
    assert any(len(one.launches) > 2 for one in found.kernels)
    told = replay(workdir / folder)
    assert told.verdict == "pass", [one.buffers for one in told.launches]
    assert any(one.buffers for one in told.launches)


def test_a_node_that_does_not_run_is_named(loaded: Capture) -> None:
    first = loaded.graphs[0]
    broken = tuple(
        replace(one, call="torch.ops.aten.nothing(primals_1)") if one.name == "mm" else one for one in first.nodes
    )
    values = inputs.drawn(first, {}, 0, "cpu", {})
    with pytest.raises(LabError, match=r"mm = aten\.mm\.default of graph 0_forward does not run here"):
        graph.values(replace(first, nodes=broken), values, "cpu")


def test_only_a_module_of_inductor_s_runs(loaded: Capture) -> None:
    for text, why in (("def call(:", "is no Python"), ("x = 1", "has no function `call`")):
        with pytest.raises(LabError, match=why):
            module.runnable(replace(loaded.graphs[0], module=text), {}, "cpu")


def test_a_capture_replays_itself_from_python_saved_or_not(lora: Path, tmp_path: Path) -> None:
    view = CaptureView(store.load(lora))
    file = view[1].eject(tmp_path / "mine.py")
    found = view.replay({1: file})
    assert found.verdict == "pass" and [one.grafted for one in found.launches] == [False, True, False, False]
    with pytest.raises(KeyError, match="0 kernels are called 'nothing'"):
        view.replay({"nothing": file})


def test_a_capture_that_is_not_there_is_said(lab: Lab) -> None:
    found = lab("replay", "nothing")
    assert found.code == 2 and "There is no capture 'nothing'" in found.err


@pytest.mark.parametrize("name", attention.NAMES)
def test_the_card_s_attention_is_attention(name: str) -> None:
    """Forward and backward of each of the card's operators, against PyTorch's own in float64."""
    generator = torch.Generator().manual_seed(0)
    query, key, value, grad = (torch.randn(2, 3, 16, 8, dtype=torch.float64, generator=generator) for _ in range(4))
    right = [x.clone().requires_grad_() for x in (query, key, value)]
    out = scaled_dot_product_attention(*right, is_causal=True)
    gradients = torch.autograd.grad(out, right, grad)
    operator, backward = (getattr(torch.ops.aten, each).default for each in (name, f"{name}_backward"))
    words = {one.name for one in operator._schema.arguments}
    given = {"attn_bias": None, "compute_log_sumexp": True, "dropout_p": 0.0, "is_causal": True}
    with attention.WrittenOut():
        mine = operator(query, key, value, **{word: x for word, x in given.items() if word in words})
    torch.testing.assert_close(mine[0], out.detach())
    first = backward._schema.arguments[0].name
    known = {
        first: grad, "query": query, "key": key, "value": value, "out": mine[0], "logsumexp": mine[1], "dropout_p": 0.0, "is_causal": True,
        "grad_input_mask": [True] * 3 + [False], "max_q": 16, "max_k": 16, "attn_bias": None,
    }  # fmt: skip
    empty = torch.empty(0, dtype=torch.int64)
    arguments = {one.name: known.get(one.name, empty) for one in backward._schema.arguments if one.name != "scale"}
    with attention.WrittenOut():
        for found, want in zip(backward(**arguments), gradients, strict=False):
            torch.testing.assert_close(found, want)
    with pytest.raises(NotImplementedError, match="random numbers"), attention.WrittenOut():
        operator(query, key, value, **{word: x for word, x in (given | {"dropout_p": 0.1}).items() if word in words})


@pytest.mark.slow
def test_what_a_kernel_is_given_is_kept_for_its_own_file(lora: Path, lab: Lab, workdir: Path, line: int) -> None:
    assert lab("replay", lora, "--keep", "real").code == 0
    assert sorted(path.name for path in Path("real").iterdir()) == ["0.npz", "1.npz", "2.npz", "3.npz"]
    assert lab("eject", f"{lora}:1", "-o", "mine.py").code == 0
    found = lab("verify", "mine.py", "--case", "real/1.npz")
    assert found.code == 0 and f"as in 0_forward, line {line}, from 1.npz" in found.out
    again = lab("replay", lora, "--keep", "real")
    assert again.code == 2 and "real exists and is never overwritten" in again.err
    other = lab("verify", "mine.py", "--case", "real/0.npz")
    assert other.code == 2 and "inputs of another kernel" in other.err


def test_what_fails_keeps_nothing(loaded: Capture, tmp_path: Path) -> None:
    bare = replace(loaded, graphs=tuple(replace(one, nodes=()) for one in loaded.graphs))
    folder = store.save(bare, tmp_path / "bare")
    with pytest.raises(LabError, match="has no post-grad graph"):
        replay(folder, keep=tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir()] == ["bare"]
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(
        LabError, match=r"Can not write .*notes/kept: (File exists|Not a directory); choose another name"
    ):
        replay(folder, keep=tmp_path / "notes" / "kept")


def test_an_index_outside_is_an_index_error_on_every_device() -> None:
    table, far, grad = torch.ones(4, 2), torch.tensor([0, 4]), torch.ones(2, 2)
    calls: tuple[Callable[[], object], ...] = (
        lambda: torch.ops.aten.embedding(table, far),
        lambda: torch.ops.aten.embedding_dense_backward(grad, far, 4, -1, False),
        lambda: torch.ops.aten.index.Tensor(table, [None, torch.tensor([-3])]),
        lambda: torch.ops.aten.index_put(table, [far], torch.ones(2, 2), True),
        lambda: torch.ops.aten.gather(table, 1, torch.full((4, 1), 2)),
        lambda: torch.ops.aten.nll_loss_forward(table, torch.tensor([0, 1, 2, -100]), None, 1, -100),
    )
    for call in calls:
        with graph.Checked(), pytest.raises(IndexError, match="index out of range in aten::"):
            call()
    with graph.Checked():
        assert torch.ops.aten.index.Tensor(table, [None, torch.tensor([-2])]).shape == (4, 1)
        torch.ops.aten.nll_loss_forward(table, torch.tensor([0, 1, -100, -100]), None, 1, -100)


@pytest.mark.slow
def test_a_number_that_a_c_kernel_computes_is_given_to_each_launch_and_its_graft(lab: Lab, workdir: Path) -> None:
    """The log does not tell `buf3.item()`; the second launch of the same body takes `buf8.item()`."""
    found = store.load(CAPTURED / "lora_mlp_train_dynamic_h200")
    few = (
        replace(one, module=one.module.replace(" = 4096\n", " = 64\n")) for one in found.graphs
    )  # rows that it takes
    capture = store.save(replace(found, graphs=tuple(few)), Path("few"))
    assert lab("eject", f"{capture}:0", "-o", "mine.py").code == 0
    found = json.loads(lab("replay", capture, "--graft", "0=mine.py", "--json").out)
    assert found["verdict"] == "pass"
    assert [one["grafted"] for one in found["launches"]] == [True, True, False, False, False, False]


def test_roundings_of_half_precision_move_later_values(loaded: Capture) -> None:
    first = loaded.graphs[0]
    drawn = inputs.drawn(first, inputs.fills(loaded, first), 0, "cpu", {})
    exact = graph.values(first, drawn, "cpu", exact=True)
    halved = replace(
        first,
        nodes=tuple(
            replace(one, type=replace(one.type, dtype="bfloat16")) if one.name == "mm" and one.type else one
            for one in first.nodes
        ),
    )
    moved = graph.values(halved, drawn, "cpu", exact=True, rounded=torch.Generator().manual_seed(0))
    relative = ((moved["mm"] - exact["mm"]) / exact["mm"]).abs()
    assert relative.min() > 0.49 * 2**-7 and relative.max() < 0.51 * 2**-7
    assert not torch.equal(moved["add_1"], exact["add_1"]) and torch.equal(
        graph.values(first, drawn, "cpu", exact=True, rounded=torch.Generator())["add_1"], exact["add_1"]
    )


def test_a_library_s_result_lies_as_the_card_s_does() -> None:
    """A convolution on the CPU returns another layout than the card's; kernels read it by the card's strides."""
    laid = module._on_the_cpu()["assert_size_stride"]
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    before = x.clone()
    laid(x, (1, 2, 3, 4), (24, 1, 8, 2), "torch.ops.aten.convolution.default")
    assert x.stride() == (24, 1, 8, 2) and torch.equal(x, before)
    with pytest.raises(AssertionError, match="expected size 4==5"):
        laid(x, (1, 2, 3, 5), (24, 1, 8, 2))


def test_a_value_is_kept_when_a_view_of_it_is_written() -> None:
    from inductor_lab.records import Graph, Node

    calls = {
        "x": ("placeholder", "", ()),
        "full": ("aten.full.default", "torch.ops.aten.full.default([4], 0.0)", ()),
        "part": ("aten.view.default", "torch.ops.aten.view.default(full, [2, 2])", ("full",)),
        "copy": ("aten.copy_.default", "torch.ops.aten.copy_.default(part, x)", ("part", "x")),
    }
    nodes = tuple(Node(name, target, call, arguments, None, None) for name, (target, call, arguments) in calls.items())
    found = graph.values(Graph("0", "", "inference", "", nodes, ("copy",)), {"x": torch.ones(2, 2)}, "cpu")
    assert found["full"].tolist() == [0] * 4 and found["part"].tolist() == [[0, 0]] * 2
    assert found["copy"].tolist() == [[1, 1]] * 2


def test_the_random_state_of_an_attention_is_no_result() -> None:
    """The card leaves what it likes in it where nothing is dropped; the backward is given it all the same."""
    from inductor_lab.records import Graph, Node, TensorType

    fused = Node("fused", "aten._scaled_dot_product_cudnn_attention.default", "", (), None, None)
    types = {
        "out": TensorType("bfloat16", (2, 2), (2, 1)),
        "sums": TensorType("float32", (2,), (1,)),
        "state": TensorType("int64", (), ()),
    }
    parts = tuple(
        Node(name, "getitem", f"fused[{at}]", ("fused",), told, None) for at, (name, told) in enumerate(types.items())
    )
    assert attention.random_state(Graph("0", "", "forward", "", (fused, *parts), ("out",))) == {"state"}


def test_convolutions_are_exact_and_repeatable_while_a_module_is_held_and_only_then() -> None:
    cudnn = torch.backends.cudnn
    before = cudnn.conv.fp32_precision, cudnn.deterministic
    with session.exact_convolutions():
        assert (cudnn.conv.fp32_precision, cudnn.deterministic) == ("ieee", True)
    assert (cudnn.conv.fp32_precision, cudnn.deterministic) == before


def test_a_kernel_may_print_more_than_a_pipe_holds(lora: Path, lab: Lab, workdir: Path) -> None:
    assert lab("eject", f"{lora}:1", "-o", "mine.py").code == 0
    with Path("mine.py").open("a") as file:
        file.write('\nimport os\nprint("x\\n" * 200_000)\nos.write(1, b"by C\\n")\n')
    assert lab("replay", lora, "--graft", "1=mine.py").code == 0


def test_a_graft_is_held_to_the_capture_s_reference_and_stands_for_its_own_body_alone(
    lora: Path, lab: Lab, workdir: Path
) -> None:
    assert lab("eject", f"{lora}:1", "-o", "mine.py").code == 0
    text = Path("mine.py").read_text()
    assert text.count("* 0.5") >= 2, "in the kernel and in the reference"
    Path("mine.py").write_text(text.replace("* 0.5", "* 0.51"))
    found = json.loads(lab("replay", lora, "--graft", "1=mine.py", "--json").out)
    assert [one["verdict"] for one in found["launches"] if one["grafted"]] == ["fail"]
    other = lab("replay", lora, "--graft", "0=mine.py")
    assert other.code == 2 and "mine.py was ejected from another body, triton_poi_fused_add_addmm_mul_1" in other.err
    assert lab("eject", f"{lora}:1", "-o", "two.py").code == 0
    both = lab("replay", lora, "--graft", "1=mine.py", "--graft", "1=two.py")
    assert both.code == 2 and "can have one hand kernel: mine.py or two.py" in both.err


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_a_replay_leaves_neither_a_process_nor_a_folder(
    lora: Path, lab: Lab, workdir: Path, how: signal.Signals, monkeypatch: pytest.MonkeyPatch, line: int
) -> None:
    """Ctrl-C is for all processes of the terminal, any other end for the one that was asked."""
    assert lab("eject", f"{lora}:1", "-o", "loop.py").code == 0
    text = Path("loop.py").read_text()
    Path("loop.py").write_text(
        text.replace("    grid = (", "    while True: __import__('time').sleep(0.1)\n    grid = (")
    )
    Path("kept_nowhere").mkdir()
    monkeypatch.setenv("TMPDIR", str(workdir / "kept_nowhere"))
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job ignores it
    code = f"{heard}; from inductor_lab.cli import main; main(['replay', {str(lora)!r}, '--graft', '1=loop.py'])"
    asking = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert asking.stderr is not None
    assert any(f"line {line} of graph 0_forward" in text for text in asking.stderr), "the launch of the graft"
    assert list(Path("kept_nowhere").iterdir())
    (os.killpg if how == signal.SIGINT else os.kill)(asking.pid, how)
    asking.communicate(timeout=120)
    assert asking.returncode == (130 if how == signal.SIGINT else -how)
    assert nothing_is_left(30)
