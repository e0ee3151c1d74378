"""Hand kernels of spans in a replayed module: where the steps stood, the file's `launch` runs on the module's memory, and is held to what the graph says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from folders import CAPTURED

from inductor_lab import store
from inductor_lab.cli.verify import _graft
from inductor_lab.eject.span import eject_span
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.compare import limits
from inductor_lab.read.module import read_module
from inductor_lab.records import Capture, Node, TensorType, Verdict
from inductor_lab.records.span import Span
from inductor_lab.replay import against_generated, agreement
from inductor_lab.replay.against_generated import held_by_eager
from inductor_lab.replay.launches import Launches
from inductor_lab.replay.run import replay
from inductor_lab.replay.times import PROFILED, _by_line
from inductor_lab.spans import span
from inductor_lab.spans.wrapper import SpanWrapper
from inductor_lab.verify import verify_all
from inductor_lab.views import CaptureView


@pytest.fixture(scope="module")
def lora(captured_once: Callable[..., Path]) -> Path:
    """A step of training of the LoRA MLP, captured for an H200."""
    return captured_once("lora_mlp", size="laptop", train=True)


@pytest.fixture
def loaded(lora: Path) -> Capture:
    return store.load(lora)


def relu(capture: Capture) -> Span:
    """Forward: the last product of LoRA, and the sum with its relu; backward needs what that writes."""
    return span(capture, "0_forward", 2, 4)


def ejected(capture: Capture, found: Span, folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    text = eject_span(capture, found)
    folder.mkdir(exist_ok=True)
    before, launch, after = text.partition(
        "\n# ---------------------------------------------------------------- what it must equal"
    )
    assert change[0] in before
    file = folder / f"span_{found.first}.py"
    file.write_text(before.replace(*change) + launch + after if change[0] else text)
    return file


def test_spans_of_both_graphs_run_in_the_place_of_their_steps(lora: Path, loaded: Capture, tmp_path: Path) -> None:
    spans = [relu(loaded), span(loaded, "0_backward", 0, 6)]
    told = replay(lora, grafts={one.name: ejected(loaded, one, tmp_path) for one in spans})
    assert told.verdict == "pass" and not told.first
    grafted = [one for one in told.launches if one.grafted]
    assert [(one.kernel, one.line) for one in grafted] == [(one.name, one.steps[0].line) for one in spans]
    assert all(one.verdict == "pass" and one.errors["hand"] < 1e-6 for one in grafted)
    assert len(told.launches) == 3 and [one.name for one in grafted] == [
        "2 x mm and add_mul_relu",
        "mul, 5 x mm and add_relu_backward",
    ]


@pytest.mark.parametrize(("left_out", "verdict"), [("relu", "pass"), ("mm_4", "fail")])
def test_an_edit_may_leave_out_what_nobody_reads_behind_the_span(
    lora: Path, loaded: Capture, tmp_path: Path, left_out: str, verdict: str
) -> None:
    """Backward overwrites what forward kept of a relu, makes two products of it, and is done with it."""
    found = span(loaded, "0_backward", 6, 8)
    begins = "    launch_add_relu_backward(relu, "
    file = ejected(loaded, found, tmp_path, (begins, f"    {left_out} = {left_out}.clone()\n{begins}"))
    assert 'UNREAD = ("relu",)' in file.read_text()
    told = replay(lora, grafts={found.name: file})
    assert told.verdict == verdict
    (grafted,) = [one for one in told.launches if one.grafted]
    assert grafted.verdict == verdict and ("mm_4" in grafted.message) == (verdict == "fail")


@pytest.mark.slow
def test_a_graph_too_large_for_eager_is_held_to_the_generated_module(
    lora: Path, loaded: Capture, tmp_path: Path
) -> None:
    spans = [relu(loaded), span(loaded, "0_backward", 0, 6)]
    files = {one.name: ejected(loaded, one, tmp_path) for one in spans}
    told = replay(lora, grafts=files, against="generated")
    assert told.verdict == "pass" and {one.against for one in told.graphs} == {"generated"}
    assert all(far == 0.0 for graph in told.graphs for far in graph.errors.values())
    assert [one.verdict for one in told.launches if one.grafted] == ["pass", "pass"]
    assert not any(one.buffers for one in told.launches)
    other = ejected(loaded, spans[0], tmp_path / "other", ("* 0.5", "* 0.51"))
    told = replay(lora, grafts=files | {spans[0].name: other}, against="generated")
    assert told.verdict == "fail" and told.first.startswith(spans[0].name)
    assert any(message != "pass" for message in told.graphs[0].outputs.values())
    told = replay(lora, grafts={spans[1].name: files[spans[1].name]}, against="generated")
    forward, backward = told.graphs
    assert told.verdict == "pass" and not forward.outputs and set(backward.outputs.values()) == {"pass"}
    assert any("0_forward has no hand kernel" in note for note in told.notes)


@pytest.mark.parametrize("given", ["bfloat16", "float32"])
def test_what_layers_make_of_one_kernel_s_rounding_is_no_fault(given: str, loaded: Capture) -> None:
    """Eight layers in bfloat16: a first one that sums in another order moves each output by far more than that output's own rounding.

    What is given may be float32, as under autocast: its own last bit is gone once it is rounded, and tells nothing.
    """
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(64, 128, generator=generator).bfloat16().to(getattr(torch, given))
    nodes = [Node(dtype, "", "", (), TensorType(dtype, (64, 128), (128, 1)), None) for dtype in (given, "bfloat16")]
    bit = against_generated._coarsest(replace(loaded.graphs[0], nodes=tuple(nodes)))
    layers = [(torch.randn(128, 128, generator=generator) / 8).bfloat16() for _ in range(8)]

    def module(first: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        x = first(x.bfloat16())
        for layer in layers:
            x = torch.layer_norm(torch.relu(x @ layer), [128])
        return x

    def twice(x: torch.Tensor) -> torch.Tensor:
        return x + x * x

    def moved(draw: int, bit: float) -> torch.Tensor:
        found: torch.Tensor = against_generated.moved_by_bits(x, torch.Generator().manual_seed(draw), bit)
        return found

    want = module(twice, x)
    if given == "float32":
        assert torch.equal(module(twice, moved(1, 0.0)), want)
    again = [module(twice, moved(draw, bit)) for draw in against_generated.DRAWS]
    other = module(lambda x: (x.float() + x.float() * x.float()).bfloat16(), x)
    assert limits.against_generated(other, want, lambda: again).message, (
        "by the judge's limit of one kernel it would be wrong"
    )
    assert against_generated.as_generated(other, want, lambda: again)[0] == "pass"
    row = other.clone()
    row[5] = other[6]
    infinite, negative = want.clone(), other.clone()
    infinite[3, 4], negative[3, 4] = torch.inf, -torch.inf
    assert against_generated.as_generated(negative, infinite, lambda: again)[0] != "pass"
    negative[3, 4] = torch.inf
    assert against_generated.as_generated(negative, infinite, lambda: again)[0] == "pass"
    for fault in (
        row,
        other * 1.2,
        module(lambda x: x + x * x * 1.2, x),
        other.index_fill(0, torch.tensor([3]), torch.nan),
    ):
        assert against_generated.as_generated(fault, want, lambda: again)[0] != "pass"


def test_a_softmax_whose_large_values_rounding_moves_or_leaves_is_no_fault() -> None:
    """Products between 8 and 16 are a sixteenth apart in bfloat16: one last bit moves a probability by 6 %, and in its row perhaps no other."""
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(256, 49, 32, generator=generator).mul(0.8).bfloat16() for _ in range(2))

    def rounded(x: torch.Tensor) -> torch.Tensor:
        return (x.float() * (1 + 2.0**-9 * torch.randn(x.shape, generator=generator))).bfloat16()

    def probabilities(change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        product = change(query).float() @ change(key).float().mT
        return torch.softmax(product.bfloat16().float(), -1).bfloat16()

    bits = torch.Generator().manual_seed(1)
    want, other = probabilities(lambda x: x), probabilities(rounded)
    again = [probabilities(lambda x: against_generated.moved_by_bits(x, bits)) for _ in against_generated.DRAWS]

    def apart(x: torch.Tensor) -> torch.Tensor:
        return (x.float() - want.float()).abs().reshape(-1, 49)

    assert bool(against_generated._stand_out(apart(other), torch.maximum(*map(apart, again))).any())
    assert against_generated.as_generated(other, want, lambda: again)[0] == "pass"
    nothing = torch.zeros_like(want)
    assert against_generated.as_generated(other, nothing, lambda: [nothing] * 2)[0] != "pass"
    assert against_generated.as_generated(-nothing, nothing, lambda: [nothing] * 2) == ("pass", 0.0)
    window, masked, small = (other.clone() for _ in range(3))
    small[want < 1e-3] = torch.where(
        torch.rand(int((want < 1e-3).sum()), generator=generator) < 0.003, 0.064, 0.0
    ).bfloat16()
    window[5] = other[6]
    masked[..., 40:] = 0
    for fault in (window, masked, small, other * 1.1, probabilities(lambda x: x * 1.05)):
        assert against_generated.as_generated(fault, want, lambda: again)[0] != "pass"


def test_what_it_takes_to_hold_a_graph_to_eager(loaded: Capture) -> None:
    """x f32[8, 4], its view and a product with it: 3 values of float32 once and of float64 three times; the view is none."""
    x, view = TensorType("float32", (8, 4), (4, 1)), TensorType("float32", (32,), (1,))
    nodes = (
        Node("x", "placeholder", "", (), x, None),
        Node("flat", "aten.view.default", "", ("x",), view, None),
        Node("twice", "aten.mul.Tensor", "", ("flat",), view, None),
    )
    assert held_by_eager(replace(loaded.graphs[0], nodes=nodes)) == 2 * 32 * (4 + 3 * 8)


@pytest.mark.slow
def test_a_fused_attention_is_part_of_a_span(captured_once: Callable[..., Path], tmp_path: Path) -> None:
    """Forward with the rotation before it, backward with that behind it: verified and replayed where there is no card."""
    attention = captured_once("rotary_attention", size="laptop", train=True)
    capture = store.load(attention)
    spans = [span(capture, "0_forward", 1, 2), span(capture, "0_backward", 0, 3)]
    assert all(any("attention" in step.call for step in one.steps) for one in spans)
    files = [ejected(capture, one, tmp_path / one.graph) for one in spans]
    for told in verify_all(files, effort="quick"):
        assert isinstance(told, Verdict) and told.verdict == "pass", told
    assert replay(attention, grafts={one.name: file for one, file in zip(spans, files, strict=True)}).verdict == "pass"
    text = files[0].read_text()
    assert re.search(r'^UNREAD = \("attention_3", "attention_4"\)', text, re.MULTILINE), "the state of random numbers"
    assert text.count("written_out(") == 2, "what it is, and the reference that calls it"


def test_an_attention_that_drops_is_a_barrier() -> None:
    capture = store.load(CAPTURED / "rotary_attention_train_h200_virtual")
    graph = next(one for one in capture.graphs if one.id == "0_forward")
    line = next(step.line for step in span(capture, "0_forward", 1, 2).steps if step.call)
    assert "0.0, True" in graph.module.split("\n")[line - 1]
    module = graph.module.replace("0.0, True", "0.25, True")
    kernels = {kernel.name: kernel for kernel in capture.kernels}
    with pytest.raises(LabError, match="drops by random numbers that only a card draws"):
        SpanWrapper(read_module(module), kernels).span((line, line))


@pytest.mark.slow
def test_what_a_span_is_given_is_kept_for_its_own_file(
    lora: Path, loaded: Capture, lab: Callable[..., Any], workdir: Path
) -> None:
    file = ejected(loaded, relu(loaded), workdir)
    assert lab("replay", lora, "--graft", f"0_forward:2-4={file}", "--keep", "real").code == 0
    assert sorted(path.name for path in Path("real").iterdir()) == ["0_forward_2-4.npz", "1.npz", "2.npz", "3.npz"]
    found = lab("verify", file, "--case", "real/0_forward_2-4.npz")
    assert found.code == 0 and "as in 0_forward, steps 2 to 4, from 0_forward_2-4.npz" in found.out


def test_the_span_at_which_a_graft_departs_is_named(lora: Path, loaded: Capture, tmp_path: Path) -> None:
    found = relu(loaded)
    file = ejected(loaded, found, tmp_path, ("* 0.5", "* 0.51"))
    told = replay(lora, grafts={found.name: file})
    assert told.verdict == "fail" and told.first == f"{found.name} at line {found.steps[0].line} of 0_forward"
    departs = next(one for one in told.launches if one.grafted)
    assert departs.verdict == "fail" and "is off by" in departs.message


def test_what_a_hand_kernel_raises_is_its_own(lora: Path, loaded: Capture, tmp_path: Path) -> None:
    file = ejected(loaded, relu(loaded), tmp_path, ("torch.mm(", "torch.nn("))
    with pytest.raises(
        LabError, match=rf"the hand kernel of {file}, grafted in the place of {relu(loaded).name}, does not run"
    ):
        replay(lora, grafts={relu(loaded).name: file})


def test_a_file_of_another_span_or_of_one_kernel_is_refused(lora: Path, loaded: Capture, tmp_path: Path) -> None:
    file = ejected(loaded, span(loaded, "0_forward", 3, 5), tmp_path)
    with pytest.raises(
        LabError, match=rf"was ejected from another span, .*:0_forward:3-5 .*, and is none of {relu(loaded).name}"
    ):
        CaptureView(loaded, folder=lora).replay({"0_forward:2-4": file})


@pytest.mark.parametrize(
    ("graft", "steps"),
    [("0_forward:2-4", "2-4"), ("{lora}:0_forward:2-4", "2-4"), ("0-1", "3-7"), ("lora_mlp.py:31", "0-7")],
)
def test_a_span_is_named_as_eject_has_it(lora: Path, loaded: Capture, workdir: Path, graft: str, steps: str) -> None:
    (workdir / "mine.py").write_text("")
    named, file = _graft(loaded, str(lora), f"{graft.format(lora=lora)}=mine.py")
    assert (named, file) == (f"{loaded.name}:0_forward:{steps}", Path("mine.py"))


def test_spans_that_share_a_step_are_refused(lora: Path, loaded: Capture, tmp_path: Path) -> None:
    spans = [relu(loaded), span(loaded, "0_forward", 3, 5)]
    with pytest.raises(LabError, match="has step 3 of 0_forward too"):
        replay(lora, grafts={one.name: ejected(loaded, one, tmp_path) for one in spans})


# ------------------------------------------------------------ its time


def times(name: str, steps: tuple[int, int], folder: Path, ran: list[tuple[str, float]], grafted: bool) -> list[float]:
    """Of the span at these steps, of what the card ran in each of twenty steps."""
    capture = store.load(CAPTURED / name)
    (graph,) = capture.graphs
    found = span(capture, graph.id, *steps)
    grafts = {f"{graph.id}:{steps[0]}-{steps[1]}": ejected(capture, found, folder)}
    launches = Launches(capture, graph, folder, grafts, lambda launched, start: start())
    line = found.steps[0].line
    (took,) = _by_line(launches, [line], {line} if grafted else set(), ran * PROFILED)
    return took


def test_a_span_takes_as_long_as_its_launches(tmp_path: Path) -> None:
    capture = store.load(CAPTURED / "dlrm_h200")
    (graph,) = capture.graphs
    launches = Launches(capture, graph, tmp_path, {}, lambda launched, start: start())
    generated = [(launches.called(one.line), 2.0) for one in span(capture, graph.id, 9, 11).steps]
    assert len(generated) == 3
    assert times("dlrm_h200", (9, 11), tmp_path, generated, grafted=False) == [6.0] * PROFILED
    text = (tmp_path / "span_9.py").read_text()
    hand = [
        (name, 1.5) for name in re.findall(r"^    (\w+)\[grid\]", text.partition("def generated_")[0], re.MULTILINE)
    ]
    assert times("dlrm_h200", (9, 11), tmp_path, hand, grafted=True) == [1.5 * len(hand)] * PROFILED


def test_a_span_with_library_calls_has_no_time_of_its_own(tmp_path: Path) -> None:
    """Under which names cuBLAS's kernels run no log tells: what such a span saves shows in the step."""
    ran = [("triton_poi_fused_add_addmm_mul_relu_0", 2.0)]
    assert times("lora_mlp_h200", (1, 5), tmp_path, ran, grafted=False) == []


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_hand_kernel_that_departs_as_inductors_do_is_right_and_one_that_departs_further_is_not(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside a card whose memory does not do for the reference."""
    monkeypatch.setattr(alone, "DEVICE", device)
    x = torch.linspace(1, 2, 64)
    off = torch.zeros(64)
    off[[3, 9]] = torch.tensor([4e-4, -2e-4])  # of sums, which the reference has in another order

    def reference(x: torch.Tensor) -> tuple[torch.Tensor]:
        if x.is_meta:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return (x + 0,)

    def generated(x: torch.Tensor, out: torch.Tensor) -> None:
        out.copy_(x + off)

    arguments = {"x": ((64,), (1,), torch.float32, "normal"), "out": ((64,), (1,), torch.float32, "out")}
    file: Any = SimpleNamespace(
        ARGUMENTS=arguments,
        TAKES=["x"],
        WRITTEN=["out"],
        UNREAD=[],
        reference=reference,
        aten=None,
        launch_generated=generated,
        INTERPRETER={"launch_generated": {}},
    )

    def verdict(out: torch.Tensor, hand: Path | None) -> str:
        launched: Any = SimpleNamespace(file=file, tensors={"x": x, "out": out}, numbers={}, hand=hand)
        return agreement._by_reference(launched, {"x": x.clone()})[0]

    assert verdict(x + off, Path("mine.py")) == "pass" and verdict(x + off, None) == "fail"
    assert verdict(x + 20 * off, Path("mine.py")) == "fail" == verdict(x + off.roll(1), Path("mine.py"))
    file.launch_generated = lambda x, out: reference(x.to("meta"))
    assert verdict(x + off, Path("mine.py")) == "unknown"


TRAINING = """
import torch
from torch import nn

torch.manual_seed(0)
model = torch.compile(nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.2), nn.LayerNorm(64), nn.Linear(64, 8)).cuda())
adam = torch.optim.Adam(model.parameters(), capturable=True)
step = torch.compile(lambda: adam.step())
x = torch.randn(32, 64, device="cuda")
for _ in range(2):
    model(x).square().mean().backward()
    step()
    adam.zero_grad()
"""


@pytest.mark.slow
def test_spans_with_random_numbers_and_of_an_optimizer(captured_once: Callable[..., Path], tmp_path: Path) -> None:
    """A dropout inside a kernel draws what it drew in the module; Adam's step writes in place what it reads."""
    program = tmp_path / "train.py"
    program.write_text(TRAINING)
    folder = captured_once(str(program))
    capture = store.load(folder)
    spans = [span(capture, "0_forward", 2, 3), span(capture, "0_backward", 0, 6), span(capture, "1_inference", 0, 1)]
    files = {one.name: ejected(capture, one, tmp_path / one.graph) for one in spans}
    assert "tl.rand(" in files[spans[0].name].read_text()
    for told in verify_all(list(files.values()), effort="quick"):
        assert isinstance(told, Verdict) and told.verdict == "pass", told
    replayed = replay(folder, grafts=files)
    assert replayed.verdict == "pass"
    assert {one.kernel for one in replayed.launches if one.grafted} == {*files}
