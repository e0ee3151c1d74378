"""`diff` and `inspect` of a span: the total, both ways to launch, and each kernel. Times are told, not measured, but on a GPU."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Result
from folders import CAPTURED
from span_as_text import SPAN

torch = pytest.importorskip("torch")
tl = pytest.importorskip("triton.language")

from inductor_lab import store  # noqa: E402
from inductor_lab.eject.span import eject_span  # noqa: E402
from inductor_lab.ejected import load  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402
from inductor_lab.measure import diff as judge  # noqa: E402
from inductor_lab.measure.contest.configurations import AsRun, matching  # noqa: E402
from inductor_lab.measure.timing import kernels as kernel_module  # noqa: E402
from inductor_lab.measure.timing.kernels import Prepared  # noqa: E402
from inductor_lab.measure.timing.samples import (  # noqa: E402
    EMPTY,
    Function,
    Measured,
    Method,
    State,
)
from inductor_lab.records import KernelTime  # noqa: E402
from inductor_lab.report.results import besides, result  # noqa: E402
from inductor_lab.spans import span as span_of  # noqa: E402

if type(tl.sum).__name__ == "InterpretedFunction":
    pytest.skip(
        "Triton was imported under TRITON_INTERPRET: it can not compile in this process", allow_module_level=True
    )
Lab = Callable[..., Result]
FUSED = """
def launch(x, weight, bias, y, scratch, *, BLOCK=256):
    fused[(triton.cdiv(1024, BLOCK),)](x, weight, bias, y, BLOCK=BLOCK)
    return y, scratch


@triton.jit
def fused(x_ptr, weight_ptr, bias_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(bias_ptr + at % 16, at < 1024)
    for k in range(32):
        weight = tl.load(weight_ptr + at % 16 * 32 + k, at < 1024)
        total += 2 * tl.load(x_ptr + at // 16 * 32 + k, at < 1024) * weight
    tl.store(y_ptr + at, tl.where(total < 0, 0.0, total), at < 1024)


# ------"""


@pytest.fixture
def span(workdir: Path) -> Path:
    path = workdir / "span.py"
    path.write_text(SPAN)
    return path


def fused() -> str:
    """Three steps as one kernel, which does not write what nobody reads."""
    return SPAN[: SPAN.index("\n\ndef launch(")] + FUSED + SPAN.partition("# ------")[2]


@pytest.mark.slow
def test_each_kernel_of_a_span_is_a_row(span: Path, lab: Lab) -> None:
    inspected = lab("inspect", span, "--gpu", "h200")
    assert inspected.code == 0, inspected.err
    rows = [line.split()[:2] for line in inspected.out.splitlines()[2:]]
    assert rows == [
        ["hand", "double"],
        ["hand", "bias_relu"],
        ["generated", "generated_0"],
        ["generated", "generated_1"],
    ]
    compared = lab("diff", span, "--gpu", "h200")
    told = compared.out.splitlines()
    assert "All launches together must move 14.4 KB." in compared.out
    assert "launches       2" in compared.out and "registers      " not in compared.out
    assert [line.split()[:3] for line in told if line.startswith(("hand ", "generated "))] == [
        ["hand", "double", "8"], ["hand", "bias_relu", "4"], ["generated", "generated_0", "8"], ["generated", "generated_1", "4"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("option", "said"), [("--sweep", "a span of fixed shapes"), ("--dtypes", "makes its inner buffers")]
)
def test_what_a_span_can_not_be_swept_over_is_said(span: Path, lab: Lab, option: str, said: str) -> None:
    swept = lab("bench", span, option, "rows=64,128" if option == "--sweep" else "bfloat16")
    assert swept.code == 2 and said in swept.err


@pytest.mark.slow
def test_a_fused_kernel_is_held_against_all_that_it_replaces(span: Path, lab: Lab) -> None:
    span.write_text(fused())
    document = json.loads(lab("diff", span, "--gpu", "h200", "--json").out)
    assert [len(document[side]["machine"]) for side in ("hand", "generated")] == [1, 2]
    assert "The generated kernel launches 2 kernels, the other 1." in document["because"]
    assert document["settings"]["hand"] == {"BLOCK": 256} and "XBLOCK_0" in document["settings"]["generated"]


def test_both_sides_can_run_under_one_configuration(span: Path) -> None:
    """`ORIGIN["blocks"]` has each kernel's blocks and warps; a span that was fused has them no more."""
    found = store.load(CAPTURED / "sparse_ffn_h200")
    span.write_text(eject_span(found, span_of(found, "0_inference", 0, 2)))
    module = load(span).module
    module.launch_generated.__kwdefaults__ |= {"XBLOCK_0": 512, "num_warps_0": 8}
    own = {"gather_BLOCK": 512, "gather_num_warps": 8, "leaky_relu_BLOCK": 512, "leaky_relu_num_warps": 4}
    assert matching(module) == (own, "")
    tuned = store.load(CAPTURED / "dlrm_train_h200")  # which saw what the autotuner kept, stages too
    span.write_text(eject_span(tuned, span_of(tuned, "0_backward", 15, 18)))
    settings, why = matching(load(span).module)
    assert settings and not why and any("num_stages" in name for name in settings)
    module.launch.__kwdefaults__ = {"BLOCK": 256}
    settings, why = matching(module)
    assert settings is None and "takes no gather_BLOCK and no gather_num_warps and no leaky_relu_BLOCK" in why


# ---------------------------------------------------------------- its times made by hand


class Times:
    """Microseconds as the instrument would give them: bare a launch costs the card more than from a graph."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def __call__(self, functions: Mapping[str, object], restore: object, method: Method, _: object) -> Measured:
        self.asked.append((method.launch, list(functions)))
        base, hand = ([10.0, 10.1, 9.9] * 20, 0.8) if method.launch == "graph" else ([14.0, 14.1, 13.9] * 20, 0.5)
        times: Mapping[str, Sequence[float]] = {
            name: [hand * time for time in base] if name == "hand" else base for name in functions
        }
        return Measured(times, method, 2.9, State(), State())


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Times:
    """A card of which only the times are there."""
    times, function = Times(), lambda: None
    every = dict.fromkeys(("hand", "generated", "again"), function)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(judge, "present_gpu", lambda: "sm_90")
    monkeypatch.setattr(judge, "as_run", lambda module, tensors: AsRun())
    monkeypatch.setattr(judge, "prepared", lambda *_: Prepared("span.py", every, lambda: None, []))
    monkeypatch.setattr(judge, "_need_right", lambda *_: None)
    monkeypatch.setattr(judge, "ceilings", lambda precisions: ())
    monkeypatch.setattr(judge, "measure", times)
    ran = {"hand": (KernelTime("double", 2.0), KernelTime("sgemm", 4.0), KernelTime("bias_relu", 1.0)), "generated": ()}
    monkeypatch.setattr(judge, "launch_times", lambda kernels, which, method: ran[which])
    return times


@pytest.mark.parametrize(
    ("way", "other", "ratio"), [("bare", "graph", 1.25), pytest.param("graph", "bare", 2.0, marks=pytest.mark.slow)]
)
def test_a_span_is_launched_both_ways(span: Path, card: Times, way: str, other: str, ratio: float) -> None:
    found = judge.diff(span, method=Method(way))
    assert [launch for launch, _ in card.asked] == [way, other]
    assert found.launched and found.launched.name == other and found.launched.ratio == pytest.approx(ratio)
    assert found.ratio == pytest.approx(2.5 / ratio) and found.launched.verdict == "faster"
    each, others = besides(found)
    assert [row[:3] for row in each.rows][:3] == [
        ("hand", "double", "2.00 us"), ("hand", "sgemm", "4.00 us"), ("hand", "bias_relu", "1.00 us"),
    ]  # fmt: skip
    assert [row[1] for row in each.rows][3:] == ["generated_0", "generated_1"]
    assert others.rows[0][:3] == (
        f"both {'from CUDA graphs' if other == 'graph' else 'launched bare'}",
        "faster",
        f"{ratio:.3f}x",
    )
    assert ("launches", "3", "2") in result(found).rows


@pytest.mark.slow
def test_what_can_not_be_recorded_is_said(span: Path, card: Times, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(functions: Mapping[str, object], restore: object, method: Method, progress: object) -> Measured:
        if method.launch == "graph":
            raise LabError("hand can not be recorded in a CUDA graph (it waits for the card)")
        return card(functions, restore, method, progress)

    monkeypatch.setattr(judge, "measure", measured)
    found = judge.diff(span)
    assert found.verdict == "faster" and found.launched and found.launched.verdict == "refused"
    assert "can not be recorded" in found.launched.notes[0]


def test_the_kernels_of_a_call_are_those_between_two_that_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, float]] = []
    lost: list[int] = []

    def profiled(function: Function, restore: Function, *, count: int) -> Sequence[tuple[str, float]]:
        for number in range(count):
            restore()
            function()
            del ran[len(ran) - 2 : len(ran) - (1 if number in lost else 2)]
        return ran

    def runs(*kernels: str) -> Function:
        return lambda: ran.extend((kernel, 1.0 + len(ran) % 2) for kernel in kernels)

    kernels = Prepared("span.py", {"hand": runs("copy", "double", "double")}, runs("copy"), [])
    monkeypatch.setattr(kernel_module, "empty_kernel", lambda: runs(EMPTY))
    monkeypatch.setattr(kernel_module, "flusher", lambda: runs("flush"))
    monkeypatch.setattr(kernel_module, "kernels_run", profiled)
    found = kernel_module.launch_times(kernels, "hand", Method())
    assert [one.kernel for one in found] == ["copy", "double", "double"]
    assert {one.microseconds for one in found} <= {1.0, 1.5, 2.0}
    ran.clear()
    lost.append(3)  # a kernel that the profiler missed
    assert kernel_module.launch_times(kernels, "hand", Method()) == ()


# ---------------------------------------------------------------- on a GPU


@pytest.mark.gpu
def test_an_unedited_span_is_timed_both_ways_and_kernel_by_kernel(span: Path) -> None:
    found = judge.diff(span, method=Method(rounds=60))
    assert found.launched and found.launched.name == "graph" and found.launched.ratio is not None, found.launched
    for side, names in ((found.hand, ["double", "bias_relu"]), (found.generated, ["generated_0", "generated_1"])):
        ran: Any = side["launches"]
        assert [one.kernel for one in ran if one.kernel in names] == names and len(ran) >= 3
    autotuned: Any = found.conditions["autotuned"]
    assert set(autotuned["settings"]) == {"XBLOCK_0", "num_warps_0", "num_stages_0"}


@pytest.mark.gpu
def test_a_span_is_tuned_kernel_by_kernel(span: Path) -> None:
    from inductor_lab.measure.tuning import tune

    found = tune(span, seconds=0.1, write=False)
    tried = [one.settings for one in found.candidates]
    assert found.timed and all(set(settings) == set(found.present) for settings in tried)
    assert {"double_BLOCK", "bias_relu_BLOCK"} <= {
        name for settings in tried for name, value in settings.items() if value != found.present[name]
    }
