"""A program that asks for `cuda` on a machine without one: it runs, and Inductor writes for the card it was told of."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from folders import ROOT

from inductor_lab.capture.run import capture
from inductor_lab.errors import LabError

PROBES = Path(__file__).with_name("virtual_probes.py")
PROGRAMS = ROOT / "tests" / "versions"


without_a_card = pytest.mark.skipif(
    "__import__('torch').cuda.is_available()", reason="where a card is, the program runs on that"
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@without_a_card
def test_wrappers_in_cpp_are_written_and_none_of_them_runs(here: Path) -> None:
    """Both layouts of cpp_wrapper, and AOTInductor's, whose package can not be loaded: what was written before is kept."""
    found, _ = capture(str(PROGRAMS / "in_cpp.py"), gpu="h200")
    (kernel,) = found.kernels
    assert kernel.definitions == len(kernel.launches) == len(found.graphs) == 3
    assert {tuple(a.type.shape for a in launch.arguments if a.type) for launch in kernel.launches} == {((64, 64),)}
    first, *others = (call.target for call in found.extern_calls)
    assert others == ["aoti_torch_cuda_mm_out"] * 2
    assert first in ("aoti_torch_cuda_mm_out", "extern_kernels.mm")  # 2.11's first layout is Python until that has run
    (problem,) = found.problems
    assert problem.where == "program" and "it can not be loaded and run" in problem.message


def test_a_build_that_does_not_answer_is_said_to_be_late(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from inductor_lab.capture import problems, program

    monkeypatch.setattr(problems, "_said", set())
    assert not program._survives(lambda: False)
    assert "cuda can not be made to lie in host memory: a program" in capsys.readouterr().err
    monkeypatch.setattr(program, "LONGEST", 1)
    assert not program._survives(lambda: bool(time.sleep(60)))
    assert "cuda can not be made to lie in host memory (no answer within 1 s): a program" in capsys.readouterr().err


AHEAD_ON_THE_CPU = """
import torch

model, x = torch.nn.Softmax(-1), torch.ones(64, 64)
torch._inductor.aoti_compile_and_package(torch.export.export(model, (x,)), package_path="model.pt2")
"""


@pytest.mark.slow
@without_a_card
def test_ahead_of_time_a_program_on_the_cpu_is_told_to_move(here: Path) -> None:
    (here / "ahead.py").write_text(AHEAD_ON_THE_CPU)
    with pytest.raises(LabError, match="put the model and its inputs on cuda"):
        capture("ahead.py", gpu="h200")


ASKS_FOR_CUDA = """
import copy, io
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
assert torch.cuda.get_device_capability() == (9, 0)
assert "H200" in torch.cuda.get_device_properties(0).name
torch.manual_seed(0)
torch.cuda.manual_seed_all(0)

# Tensors are on the card for all who ask.
x = torch.randn(16, 8).pin_memory().to(device, non_blocking=True)
assert x.is_cuda and x.device == torch.device("cuda", 0) and x.get_device() == 0 and str(x.device) == "cuda:0"
assert torch.zeros_like(x).is_cuda and x.half().t()[0, :, None].is_cuda and x[x > 0].is_cuda
assert x.cpu().device.type == "cpu" and x.cpu().numpy().shape == (16, 8)
generator = torch.Generator(device="cuda").manual_seed(3)
assert isinstance(generator, torch.Generator)
assert torch.randn(2, generator=generator, device="cuda").is_cuda
with torch.autocast("cuda", torch.bfloat16):
    assert (x @ x.t()).dtype == torch.bfloat16
with torch.cuda.stream(torch.cuda.Stream()):
    torch.cuda.synchronize()

# What is computed is right: views and writes share memory, and `out=` grows.
whole = torch.zeros(4, 4, device="cuda")
whole[1:3].t().add_(1)
assert whole.sum().item() == 8 and whole[0].sum().item() == 0
out = torch.empty(0, device="cuda")
torch.add(whole, 1, out=out)
assert out.shape == (4, 4) and out.is_cuda and out.max().item() == 2
whole.resize_(8, 4)
assert whole[:4].sum().item() == 8
for size in (2, 9):
    out = torch.empty(size, device="cuda")
    torch.add(torch.ones(2, 3, device="cuda"), 1, out=out)
    assert out.shape == (2, 3) and out.sum().item() == 12

# What changes a tensor's own shape changes the card's.
for change, shape in (
    (lambda x: x.t_(), (3, 2)),
    (lambda x: x.swapaxes_(0, 1), (3, 2)),
    (lambda x: x.unsqueeze_(0), (1, 2, 3)),
    (lambda x: x[:1].squeeze_(), (3,)),
    (lambda x: x.as_strided_((2, 2), (1, 2)), (2, 2)),
    (lambda x: x.resize_as_(torch.empty(3, 4, device="cuda")), (3, 4)),
):
    assert change(torch.ones(2, 3, device="cuda")).shape == shape
numbers = torch.arange(6, device="cuda").view(2, 3)
expected = numbers.cpu().t()
assert torch.equal(numbers.t_().cpu(), expected) and numbers.stride() == (1, 3)

# Devices do not mix where a card's would not; indices, lengths, copies and single numbers may be the CPU's.
for mix in (lambda: whole + torch.ones(8, 4), lambda: torch.nn.functional.linear(torch.ones(4), whole)):
    try:
        mix()
        raise AssertionError("mixed")
    except RuntimeError as error:
        assert "found at least two devices, cuda:0 and cpu" in str(error)
whole[torch.tensor([0])] = whole[torch.tensor([1])] + torch.tensor(1.0)
whole.copy_(torch.ones(8, 4))
packed = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3, 4, device="cuda"), torch.tensor([3, 2]), True)
assert packed.data.is_cuda and torch.nn.GRU(4, 5).cuda()(packed)[0].batch_sizes.tolist() == [2, 2, 1]
said = torch.randn(6, 1, 8, device="cuda").log_softmax(2)
torch.nn.functional.ctc_loss(said, torch.tensor([[1, 2]], device="cuda"), torch.tensor([6]), torch.tensor([2]))

# The card's random numbers are the CPU's, and can be had again.
state = torch.cuda.get_rng_state()
drawn = torch.rand(2, device="cuda")
torch.cuda.set_rng_state(state)
assert torch.equal(drawn, torch.rand(2, device="cuda"))
torch.cuda.manual_seed(3)
assert torch.cuda.initial_seed() == 3

# Asked around training, with answers that do nothing.
assert torch.empty(4, pin_memory=True).fill_(1).sum() == 4
with torch.cuda.nvtx.range("step"), torch.cuda.profiler.profile():
    torch.cuda.set_sync_debug_mode(1)
torch.cuda.memory._record_memory_history(enabled=None)
assert torch.cuda.utilization() == 0
assert isinstance(torch.cuda.FloatTensor([1, 2]), torch.cuda.FloatTensor)

# The same training step on the card and on the CPU.
on_cpu = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.GELU(), torch.nn.Linear(8, 1))
model = copy.deepcopy(on_cpu).cuda()
for it, data in ((on_cpu, x.cpu()), (model, x)):
    optimizer = torch.optim.AdamW(it.parameters())
    for step in range(2):
        it(data).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
for ours, theirs in zip(model.parameters(), on_cpu.parameters()):
    torch.testing.assert_close(ours.cpu(), theirs)

# So are recurrent layers, whose cells are fused on the card.
for layer in (torch.nn.LSTM(5, 7), torch.nn.GRU(5, 7)):
    data = torch.randn(4, 3, 5)
    on_card = copy.deepcopy(layer).cuda()
    for it, given in ((layer, data), (on_card, data.cuda())):
        it(given)[0].square().sum().backward()
    for ours, theirs in zip(on_card.parameters(), layer.parameters()):
        torch.testing.assert_close(ours.grad.cpu(), theirs.grad)

# Saved and loaded.
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
loaded = torch.load(file, map_location="cuda")
assert all(value.is_cuda for value in loaded.values())
model.load_state_dict(loaded)

# Compiled, with all that goes around it.
compiled = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler("cuda")
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
with torch.autocast("cuda", torch.float16):
    loss = compiled(x).square().mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
end.record()
torch.cuda.synchronize()
assert start.elapsed_time(end) > 0

@torch.compile
def attend(q):
    positions = torch.arange(16, device=q.device) + torch.zeros(16, device="cuda")
    assert q.is_cuda and q.device.type == "cuda"
    return torch.nn.functional.scaled_dot_product_attention(q, q, q) + positions
assert attend(torch.randn(2, 4, 8, 16, device="cuda", dtype=torch.bfloat16)).is_cuda

torch.set_default_device("cuda")
drop = torch.compile(lambda x: torch.nn.functional.dropout(x + torch.rand_like(x)))
assert drop(torch.ones(100)).is_cuda
"""


@without_a_card
def test_a_program_that_asks_for_cuda_runs_and_is_captured(here):
    Path("program.py").write_text(ASKS_FOR_CUDA)
    found, _ = capture("program.py", gpu="h200")
    said = [problem.message for problem in found.problems]
    assert not any("exit status" in message or "missing" in message for message in said), said
    assert all(any(what in message for message in said) for what in ("torch.cuda.Event", "utilization", "history"))
    assert [graph.kind for graph in found.graphs] == ["forward", "backward", "inference", "inference"]
    assert any("_scaled_dot_product_cudnn_attention" in call.target for call in found.extern_calls)
    assert any("load_seed_offset" in kernel.text for kernel in found.kernels)
    assert any("'*fp16'" in kernel.text for kernel in found.kernels)  # autocast outside of what is compiled
    assert all("cc=90" in kernel.text for kernel in found.kernels)


EXPLAINED = "by timing, which needs the card"
"""What every problem of the probes is about."""


@pytest.mark.slow
@without_a_card
@pytest.mark.parametrize(
    ("groups", "gpu", "probes"),
    [
        ("shapes own", "h200", 12),
        ("shapes own training", "h200", 20),
        ("control tuned", "mi300x", 16),
    ],
)
def test_every_probe_has_its_kernels(here, monkeypatch, groups, gpu, probes):
    """Dynamic shapes, optimisers, control flow, templates, the program's own kernels: `virtual_probes.py`."""
    monkeypatch.setenv("INDUCTOR_LAB_PROBES", groups)
    found, _ = capture(str(PROBES), gpu=gpu)
    wrote = {
        name: count for group in json.loads(Path("probes.json").read_text()).values() for name, count in group.items()
    }
    assert len(wrote) == probes
    assert not {name: count for name, count in wrote.items() if not isinstance(count, int) or count == 0}
    assert not [problem.message for problem in found.problems if EXPLAINED not in problem.message]
    names = {kernel.name for kernel in found.kernels}
    if "own" in groups:
        assert any("tl.constexpr" in kernel.text and "add_twice_kernel" in kernel.text for kernel in found.kernels)
        assert any("ks0" in kernel.text for kernel in found.kernels)
        assert any(kernel.category == "foreach" for kernel in found.kernels) == ("training" in groups)
    else:
        assert any(name.startswith("triton_tem_") for name in names)
        assert any("flex_attention_backward" in name for name in names)
