"""What a program gives its graphs, kept with the capture: statistics, or the values that `replay` and `eject --inputs real` then use."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import shutil
from collections.abc import Callable
from contextlib import chdir, redirect_stderr
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Result

pytest.importorskip("torch")
pytest.importorskip("triton")

import numpy as np
import torch

from inductor_lab import kept as kept_files
from inductor_lab import store
from inductor_lab.capture import observe
from inductor_lab.capture.run import capture
from inductor_lab.cli import main
from inductor_lab.ejected import load
from inductor_lab.records import Node, Observed, TensorType
from inductor_lab.replay import graph, inputs, run
from inductor_lab.replay.run import replay

Lab = Callable[..., Result]

TRAINING = """
import torch
from torch.nn import functional as F

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(50, 32)
        self.to_all, self.out, self.norm = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32), torch.nn.LayerNorm(32)

    def forward(self, index):
        x = self.words(index)
        q, k, v = self.to_all(self.norm(x)).view(2, 16, 3, 4, 8).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 16, 32)
        return F.dropout(self.out(y), 0.1).relu() + x


model = Block().to(device)
compiled = torch.compile(model)
for step in range(2):
    index = torch.randint(10, 50, (2, 16), device=device)
    if step == 0:
        torch.save(index.cpu(), "first.pt")
    compiled(index).square().mean().backward()
"""

INFERENCE = """
import torch

@torch.compile
def f(x, y):
    return torch.relu(x * 2 + y).sum(-1)

torch.manual_seed(0)
x, y = torch.randn(64, 128) + 3, torch.rand(128)
out = f(x, y)
f(x + 1, y)
torch.save((x, y, out), "truth.pt")
"""


def captured(folder: Path, program: str, **asked: object) -> Path:
    """A program captured from within a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(program)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return folder / capture("program.py", gpu="h200", output="kept", **asked)[1]  # type: ignore[arg-type]
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return captured(tmp_path_factory.mktemp("training"), TRAINING, keep="inputs")


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return captured(tmp_path_factory.mktemp("inference"), INFERENCE)


# ------------------------------------------------------------ statistics


def test_by_default_statistics_are_kept_and_no_values(inference: Path) -> None:
    found = store.load(inference)
    (only,) = found.graphs
    x, y, _ = torch.load(inference.parent / "truth.pt")
    first, second = only.given
    assert [one.name for one in only.given] == [node.name for node in only.nodes if node.target == "placeholder"]
    assert first.type == TensorType("float32", (64, 128), (128, 1))
    assert first.sha256 == hashlib.sha256(x.numpy().tobytes()).hexdigest(), "the first call's, not the second's"
    assert (
        first.minimum == x.min() and first.maximum == x.max() and math.isclose(first.mean or 0, x.mean(), rel_tol=1e-6)
    )
    assert second.negative == 0 and second.maximum == y.max()
    assert not only.values and not list(inference.rglob("*.npz")) and found.problems == ()
    assert "--keep" not in found.command


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_statistics_are_of_the_finite_values(dtype: torch.dtype) -> None:
    x = torch.tensor([[1.0, 2.0, -3.0, 0.0], [math.nan, math.inf, -math.inf, 4.0]], dtype=dtype)
    found = observe.observed("x", x)
    finite = torch.tensor([1.0, 2.0, -3.0, 0.0, 4.0], dtype=torch.float64)
    assert (found.minimum, found.maximum, found.mean) == (-3.0, 4.0, finite.mean())
    assert math.isclose(found.deviation or 0, finite.std(correction=0))
    assert (found.zeros, found.negative, found.nan, found.infinite) == (1 / 8, 2 / 8, 1 / 8, 2 / 8)


def test_many_parts_tell_what_the_whole_does(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(1000, generator=torch.Generator().manual_seed(0)) * 3 + 100
    whole = observe.observed("x", x)
    monkeypatch.setattr(observe, "CHUNK", 7)
    parts = observe.observed("x", x)
    assert parts.sha256 == whole.sha256
    assert math.isclose(parts.mean or 0, whole.mean or 1) and math.isclose(parts.deviation or 0, whole.deviation or 1)


def test_what_is_no_tensor_of_numbers_is_told_as_far_as_it_can_be() -> None:
    assert observe.observed("s", 7) == Observed("s", value=7)
    assert observe.observed("n", None) == Observed("n")
    empty = observe.observed("e", torch.empty(0, 3))
    assert empty.type and empty.type.shape == (0, 3) and empty.minimum is None and empty.sha256
    assert observe.observed("c", torch.ones(2, dtype=torch.complex64)).mean is None
    flags = observe.observed("b", torch.tensor([True, False, True, True]))
    assert (flags.mean, flags.minimum, flags.maximum, flags.zeros) == (0.75, 0, 1, 0.25)
    unseen = observe.observed("u", torch.ones(3), look=False)
    assert unseen.type and not unseen.sha256 and unseen.mean is None


def test_strides_are_told_and_elements_are_hashed_in_order() -> None:
    x = torch.arange(6.0).reshape(2, 3).t()
    found = observe.observed("x", x)
    assert found.type and found.type.stride == (1, 3)
    assert found.sha256 == hashlib.sha256(x.contiguous().numpy().tobytes()).hexdigest()


@pytest.mark.slow
def test_inputs_are_drawn_as_the_program_s_were_on_the_whole(inference: Path) -> None:
    found = replay(inference)
    assert found.verdict == "pass" and [one.inputs for one in found.graphs] == ["statistics"]
    told = replace(store.load(inference).graphs[0].given[0], zeros=0.25)
    generator = torch.Generator().manual_seed(0)
    drawn = inputs.observed_like(told, (64, 128), (1, 64), torch.float32, generator)
    assert drawn.stride() == (1, 64) and 0.2 < float((drawn == 0).float().mean()) < 0.3
    assert told.minimum is not None and told.maximum is not None and told.mean is not None
    assert drawn[drawn != 0].min() >= told.minimum and drawn.max() <= told.maximum
    assert abs(float(drawn[drawn != 0].mean()) - told.mean) < 0.1
    whole = Observed("i", minimum=3, maximum=5, mean=4, deviation=1)
    assert set(inputs.observed_like(whole, (100,), (1,), torch.int64, generator).tolist()) == {3, 4, 5}
    few = Observed("b", minimum=0, maximum=1, mean=0.1, deviation=0.3)
    assert 20 < int(inputs.observed_like(few, (500,), (1,), torch.bool, generator).sum()) < 90


def test_nothing_is_kept_where_nothing_is_asked(tmp_path: Path) -> None:
    found = store.load(captured(tmp_path, INFERENCE, keep="nothing"))
    assert found.graphs[0].given == () and found.command.endswith("--keep nothing")


# ------------------------------------------------------------ values


@pytest.mark.slow
def test_values_are_those_of_the_first_call(training: Path) -> None:
    forward, backward = store.load(training).graphs
    values = inputs.kept_values(training, forward, "cpu")
    assert values is not None
    index = torch.load(training.parent / "first.pt")
    (name,) = (node.name for node in forward.nodes if node.type and node.type.dtype == "int64" and not node.call)
    assert torch.equal(values.given[name], index)
    told = next(one for one in forward.given if one.name == name)
    assert (told.minimum, told.maximum) == (index.min(), index.max())
    saved = {one.name for one in backward.given} & {*forward.outputs}
    after = inputs.kept_values(training, backward, "cpu")
    assert after is not None and saved, "the backward is given what the forward saved"
    for one in saved:
        assert torch.equal(after.given[one].contiguous(), values.returned[one].contiguous())


@pytest.mark.slow
def test_a_replay_uses_what_was_kept_and_holds_the_program_to_the_graph(training: Path) -> None:
    found = replay(training)
    assert found.verdict == "pass", found
    assert [one.inputs for one in found.graphs] == ["kept", "kept"]
    forward, backward = found.graphs
    assert not forward.program, "it drew a dropout's numbers, which no other run draws"
    assert backward.program and set(backward.program.values()) == {"pass"}
    drawn = replay(training, seed=3)
    assert drawn.seed == 3 and [one.inputs for one in drawn.graphs] == ["statistics", "statistics"]


@pytest.mark.slow
def test_what_the_program_computed_otherwise_departs(training: Path, tmp_path: Path, lab: Lab) -> None:
    """As if the card had computed something else than the graph says."""
    found = store.load(training)
    folder = store.save(found, tmp_path / "changed")
    (folder / "values").mkdir()
    for one in found.graphs:
        head, tensors = kept_files.read(training / one.values)
        if one.kind == "backward":
            name = next(name for name, x in tensors.items() if name.startswith("returned") and x.is_floating_point())
            tensors[name] = tensors[name] * 1.5 + 1
        kept_files.write(folder / one.values, head, tensors)
    told = lab("replay", folder)
    assert told.code == 1 and re.search(r"the program's \w+ is", told.out)


@pytest.mark.slow
def test_a_broken_file_of_values_is_said_in_a_sentence(training: Path, tmp_path: Path, lab: Lab) -> None:
    folder = store.save(store.load(training), tmp_path / "broken")
    (folder / "values").mkdir()
    (folder / "values" / "0_forward.npz").write_bytes(b"nothing")
    told = lab("replay", folder)
    assert told.code == 2 and "0_forward.npz can not be read" in told.err and "--keep inputs" in told.err


@pytest.mark.slow
def test_more_than_the_limit_is_not_kept_and_said(tmp_path: Path) -> None:
    folder = captured(tmp_path, INFERENCE, keep="inputs", keep_limit=1e-5)
    found = store.load(folder)
    assert not list(folder.rglob("*.npz")) and found.graphs[0].given and found.graphs[0].returned
    assert re.search(r"take [\d.]+ KB, more than the 10.0 KB that --keep-limit allows", found.problems[0].message)


DROPPED = """
import torch
from torch.nn import functional as F

x = torch.randn(2, 4, 16, 8, requires_grad=True)


@torch.compile
def f(x):
    return F.scaled_dot_product_attention(x, x, x, dropout_p=0.5).relu() * 2


f(x).sum().backward()
print("gradient", x.grad is not None)
"""


@pytest.mark.slow
def test_a_graph_that_only_the_card_computes_goes_on_in_eager_and_is_said(tmp_path: Path) -> None:
    folder = captured(
        tmp_path, DROPPED.replace("randn(2, 4, 16, 8", "randn(2, 4, 16, 8, dtype=torch.bfloat16"), keep="inputs"
    )
    found = store.load(folder)
    assert [one.kind for one in found.graphs] == ["forward", "backward"], "the program went on and called its backward"
    assert any("can not be computed without the card" in problem.message for problem in found.problems)
    assert found.graphs[0].values == ""


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--keep", "weights"), "There is no --keep weights; it takes nothing, statistics, inputs."),
        (("--keep-limit", "3"), "--keep-limit is for --keep inputs"),
    ],
)
def test_what_can_not_be_kept_is_said(lab: Lab, asked: tuple[str, ...], why: str) -> None:
    told = lab("capture", "lora_mlp", "--gpu", "h200", *asked)
    assert told.code == 2 and why in told.err and not Path("captured").exists()


def test_which_nodes_draw_random_numbers() -> None:
    def node(target: str, call: str = "") -> Node:
        return Node("x", target, call, (), None, None)

    attention = "aten._scaled_dot_product_flash_attention.default"
    assert graph.draws(node("prims.inductor_seeds.default")) and graph.draws(node("aten.rand.default"))
    assert not graph.draws(node("aten.native_dropout_backward.default")) and not graph.draws(node("aten.add.Tensor"))
    assert graph.draws(node(attention, f"torch.ops.{attention}(q, k, v, 0.1, scale=0.125)"))
    assert not graph.draws(node(attention, f"torch.ops.{attention}(q, k, v, 0.0, scale=0.125)"))


# ------------------------------------------------------------ the file


@pytest.mark.parametrize("shape", [(0, 32), (0,), (3, 0), (), (2, 3)])
def test_tensors_are_read_as_they_were_written_of_any_size(tmp_path: Path, shape: tuple[int, ...]) -> None:
    dtypes = (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64)
    written = {str(dtype): torch.ones(shape, dtype=dtype) for dtype in dtypes}
    kept_files.write(tmp_path / "kept.npz", {"graph": "0"}, written)
    head, read = kept_files.read(tmp_path / "kept.npz")
    assert head == {"graph": "0"} and read.keys() == written.keys()
    for name, value in written.items():
        assert read[name].dtype == value.dtype and torch.equal(read[name], value)


def test_a_file_whose_tensors_have_other_shapes_than_it_says_is_broken(tmp_path: Path) -> None:
    head = json.dumps({"tensors": {"x": [[3], "float32"]}}).encode()
    np.savez(tmp_path / "kept.npz", _head=np.frombuffer(head, np.uint8), x=np.zeros(4, np.uint8))
    with pytest.raises(kept_files.BROKEN):
        kept_files.read(tmp_path / "kept.npz")


# ------------------------------------------------------------ eject --inputs real


@pytest.fixture(scope="module")
def folder_of_mine(training: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ejected once, from a process that runs the whole module."""
    folder, said = tmp_path_factory.mktemp("mine"), io.StringIO()
    shutil.copytree(training, folder / "captured" / "kept")
    kernels = [one for one in store.load(folder / "captured" / "kept").kernels if one.graph == "0_backward"]
    kernel = min(kernels, key=lambda one: one.launches[0].line)
    with chdir(folder), redirect_stderr(said), pytest.raises(SystemExit) as ended:
        main(["eject", kernel.id, "--inputs", "real", "-o", "mine.py"])
    assert not ended.value.code and "mine.inputs.npz: what the launch was given" in said.getvalue()
    return folder


@pytest.fixture
def mine(folder_of_mine: Path, workdir: Path) -> Path:
    """The first kernel of the backward, with what its launch was given."""
    shutil.copytree(folder_of_mine, workdir, dirs_exist_ok=True)
    return workdir / "mine.py"


def test_an_ejected_file_is_judged_on_what_its_launch_was_given(mine: Path, lab: Lab, training: Path) -> None:
    only = lab("verify", mine, "--case", "as in the program", "--json")
    found = json.loads(only.out)
    assert only.code == 0 and [one["name"] for one in found["cases"]] == ["as in the program"]
    module = load(mine).module
    real, drawn = module.real_inputs(), dict(zip(module.ARGUMENTS, module.example_inputs("cpu"), strict=True))
    assert real and all(torch.equal(drawn[name], value) for name, value in real.items())
    values = inputs.kept_values(training, store.load(training).graphs[1], "cpu")
    assert values is not None
    shared = {name for name in real for one in values.given.values() if isinstance(one, torch.Tensor) and one.numel() == real[name].numel()
              and torch.equal(one.reshape(-1), real[name].reshape(-1))}  # fmt: skip
    assert shared, "what the graph itself was given reaches the launch"
    again = lab("eject", module.ORIGIN["kernel"], "--inputs", "real", "-o", mine)
    assert again.code == 2 and "is never overwritten" in again.err


def test_status_knows_a_file_with_real_inputs(mine: Path, lab: Lab) -> None:
    (told,) = json.loads(lab("status", mine, "--json").out)["files"]
    assert told["state"] == "fresh" and not told["edited"]


def test_inputs_that_are_missing_are_said_and_can_be_left_out(mine: Path, lab: Lab) -> None:
    mine.with_name("mine.inputs.npz").unlink()
    told = lab("verify", mine, "--quick")
    assert told.code == 2 and "mine.inputs.npz is missing, what the launch was given in the program" in told.err
    with pytest.raises(FileNotFoundError, match=r"mine\.inputs\.npz is missing"):
        load(mine).module.example_inputs("cpu")
    mine.write_text(re.sub(r'^REAL = ".*?"', 'REAL = ""', mine.read_text(), flags=re.MULTILINE))
    assert load(mine).module.example_inputs("cpu")
    assert lab("verify", mine, "--case", "seed 0").code == 0


def test_the_file_to_edit_is_named_also_where_the_inputs_are_the_program_s(
    training: Path, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "launch_inputs", lambda folder, kernel, file, progress: file.write_bytes(b""))
    told = lab("eject", f"{training}:0", "-o", "mine.py", "--as", "cuda", "--inputs", "real")
    assert told.code == 0 and "Edit mine.cu, then: inductor-lab verify mine.py" in " ".join(told.err.split())


def test_inputs_of_a_capture_that_kept_none_are_refused_and_nothing_is_written(
    inference: Path, lab: Lab, workdir: Path
) -> None:
    told = lab("eject", f"{inference}:0", "--inputs", "real", "-o", "mine.py")
    assert told.code == 2 and "capture the program again with `--keep inputs`" in told.err
    assert lab("eject", f"{inference}:0", "--inputs", "real", "-o", "-").code == 2
    assert not list(workdir.iterdir())


# ------------------------------------------------------------ on a card


@pytest.mark.gpu
@pytest.mark.parametrize(
    "program",
    [INFERENCE.replace("(64, 128)", "(64, 128, device='cuda')").replace("(128)", "(128, device='cuda')"), TRAINING],
    ids=["inference", "training"],
)
def test_on_a_card_the_compiled_graphs_themselves_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, lab: Lab
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(program)
    found, folder = capture("program.py", gpu="real", keep="inputs", output="kept")
    assert all(one.values and one.given and one.returned for one in found.graphs) and not found.problems
    told = replay(tmp_path / folder)
    assert told.verdict == "pass" and {one.inputs for one in told.graphs} == {"kept"}
    assert any(one.program for one in told.graphs)
    for index, _ in enumerate(found.kernels):
        assert lab("eject", f"{folder}:{index}", "--inputs", "real", "-o", f"k{index}.py").code == 0
    assert lab("verify", "k0.py", "--case", "as in the program").code == 0
    assert lab("bench", "k0.py", "--json").code == 0
    assert lab("diff", "k0.py", "--json").code == 0


def test_a_look_that_fails_is_a_problem_and_not_the_program_s_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "values").write_text("a file where the folder should be")
    observer = observe.Observer(tmp_path / "values")
    assert observer.called("0_inference", lambda inputs: [inputs[0] + 1], [torch.ones(2)])[0].tolist() == [2, 2]
    assert "what graph 0_inference was given and returned could not be kept (FileExistsError" in capfd.readouterr().err


def test_of_two_processes_with_a_graph_of_one_number_the_first_is_kept_whole(tmp_path: Path) -> None:
    for value in (1.0, 2.0):  # each with an observer of its own
        observer = observe.Observer(tmp_path / "values", limit=1 << 20)
        observer.called("0_inference", lambda inputs: [inputs[0] + 1], [torch.full((2,), value)])
    _, kept = kept_files.read(tmp_path / "values" / "0_inference.npz")
    told = json.loads((tmp_path / "values" / "0_inference.json").read_text())
    assert kept["given_0"].tolist() == [1, 1] and told["given"][0]["maximum"] == 1
    assert sorted(path.name for path in (tmp_path / "values").iterdir()) == ["0_inference.json", "0_inference.npz"]
