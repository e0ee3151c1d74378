"""A comparison with what explains it: the whole of `diff` on times made by hand, ceilings, the place under them, CUPTI beside the events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from conftest import Result
from folders import CAPTURED, GENERATIONS

from inductor_lab.computation import computation
from inductor_lab.costs.traffic import compulsory
from inductor_lab.document import from_dict
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS
from inductor_lab.measure import diff as judge
from inductor_lab.measure.timing import ceilings as ceiling_module
from inductor_lab.measure.timing import kernels as kernel_module
from inductor_lab.measure.timing.ceilings import ceilings, product_flops_per_second
from inductor_lab.measure.timing.kernels import Prepared
from inductor_lab.measure.timing.samples import Measured, Method, State
from inductor_lab.measure.why.explanation import operations, position
from inductor_lab.measure.why.explanation import precision as precision_of
from inductor_lab.read import read
from inductor_lab.records import Ceiling, PerfDiff, Timing, Traffic
from inductor_lab.report.results import result
from inductor_lab.store import load as load_capture

H200 = GPUS["h200"]
COPY, FP32 = Ceiling("copy", 4e12, "a copy", 500.0), Ceiling("fp32", 50e12, "a product", 2000.0)
Lab = Callable[..., Result]


# ---------------------------------------------------------------- the roofline


def test_a_kernel_is_held_to_what_was_measured() -> None:
    timing = Timing(10.0, (9.9, 10.1), 300, 2e12)
    found = position(Traffic(20_000_000, 0, 10_000_000), "fp32", timing, (COPY, FP32), H200)
    assert found is not None
    assert (found.bytes_per_second, found.bytes_share) == (pytest.approx(2e12), pytest.approx(0.5))
    assert (found.flops_per_second, found.flops_share) == (pytest.approx(1e12), pytest.approx(0.02))
    assert (found.intensity, found.wall) == (0.5, "memory")


@pytest.mark.parametrize(
    ("flops", "special", "wall"),
    [(100, 0, "memory"), (10**9, 0, "arithmetic"), (10**7, 10**7, "special functions"), (None, 0, "")],
)
def test_the_nearer_wall_is_what_takes_longer_at_its_ceiling(flops: int | None, special: int, wall: str) -> None:
    for most in ((COPY, FP32), ()):  # without a GPU the data sheet's
        found = position(Traffic(1_000_000, 0, flops, special=special), "fp32", None, most, H200)
        assert found is not None and found.wall == wall
        assert found.bytes_share is None and found.flops_per_second is None


def test_what_is_not_known_is_not_placed() -> None:
    assert position(Traffic(flops=10), "fp32", None, (COPY,), H200) is None
    found = position(Traffic(1000, 0, 10), "bf16", None, (COPY,), H200)  # the data sheet's row has no such peak
    assert found is not None and found.wall == ""


def test_operations_are_those_of_the_capture_and_none_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = load_capture(CAPTURED / "lora_mlp_h200")
    kernel = capture.kernels[0]
    module = ModuleType("ejected")
    assert operations(module) == (Traffic(), "fp32")
    module.ORIGIN = {"capture": str(CAPTURED / "lora_mlp_h200"), "body_sha256": kernel.body_sha256}  # type: ignore[attr-defined]
    assert operations(module) == (replace(kernel.traffic, read=None, written=None), "fp32") and kernel.traffic.flops
    module.BYTES = {"read": 8, "written": 4}  # type: ignore[attr-defined]
    assert operations(module)[0].moved == 12
    module.ORIGIN = {"capture": str(CAPTURED / "lora_mlp_h200"), "body_sha256": "another"}  # type: ignore[attr-defined]
    assert operations(module) == (Traffic(8, 4), "fp32")


@pytest.mark.parametrize(
    ("was", "now", "precision"),
    [
        ("", "", "fp32"),
        ("ALLOW_TF32 : tl.constexpr = False", "ALLOW_TF32 : tl.constexpr = True", "tf32"),
        ("*fp32", "*bf16", "bf16"),
    ],
)
def test_a_template_s_product_is_counted_from_its_shapes(tmp_path: Path, was: str, now: str, precision: str) -> None:
    text = (GENERATIONS / "g7_torch_2.13_template.txt").read_text(encoding="utf-8")
    log = tmp_path / "log.txt"
    log.write_text(text.replace(was, now) if was else text, encoding="utf-8")
    (kernel,) = read([log], "x").kernels
    found = compulsory(kernel, computation(kernel))
    assert isinstance(found, Traffic) and found.flops == 2 * 256**3
    assert precision_of(kernel) == precision


# ---------------------------------------------------------------- ceilings


def test_a_ceiling_says_what_was_run_and_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    modes: list[str] = []
    drawn = torch.randn
    monkeypatch.setattr(torch, "randn", lambda *size, device, **rest: drawn(*size, **rest))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (2**20, 2**30))
    monkeypatch.setattr(ceiling_module, "need_gpu", lambda: None)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(ceiling_module, "LEAST", 2**17)
    monkeypatch.setattr(ceiling_module, "SIDES", {"bf16": 16, "tf32": 16, "fp32": 8})

    def measured(functions: Mapping[str, Callable[[], object]], method: Method) -> Measured:
        for function in functions.values():
            function()
        modes.append(torch.backends.cuda.matmul.fp32_precision)
        return Measured({name: [4.0, 2.0, 3.0] for name in functions}, method, 0.0, State(), State())

    monkeypatch.setattr(ceiling_module, "measure", measured)
    before = torch.backends.cuda.matmul.fp32_precision
    copy, tf32, fp32 = ceilings(["tf32", "fp32", "tf32"])
    assert (copy.name, copy.per_second) == ("copy", pytest.approx(2 * 2**17 / 3e-6))  # an eighth of what is free
    assert (tf32.name, tf32.per_second) == ("tf32", pytest.approx(2 * 16**3 / 3e-6))
    assert fp32.what == "a 8 x 8 x 8 product in fp32" and fp32.microseconds == 3.0
    assert modes[1:] == ["tf32", "ieee"] and torch.backends.cuda.matmul.fp32_precision == before
    with pytest.raises(LabError, match="no ceiling for 'fp8'; it is bf16, tf32, fp32"):
        product_flops_per_second("fp8")
    monkeypatch.setattr(ceiling_module, "LEAST", 2**18)  # a copy that the cache holds is no ceiling
    with pytest.raises(LabError, match="too little of the GPU's memory is free"):
        ceilings(["fp32"])


# ---------------------------------------------------------------- CUPTI beside the events


def test_the_kernels_of_a_call_are_added_and_those_of_the_restore_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    seen: list[tuple[str, float]] = []
    took = {"restore": [1.0], "flush": [50.0], "hand": [7.0, 1.0]}

    def ran(what: str) -> Callable[[], None]:
        def run() -> None:
            calls.append(what)
            seen.extend((what, time) for time in took.get(what, [0.5]))

        return run

    def profiled(function: Callable[[], object], restore: Callable[[], object], *, count: int) -> Any:
        seen.clear()
        for _ in range(count):
            restore()
            function()
        return list(seen)

    monkeypatch.setattr(kernel_module, "flusher", lambda: ran("flush"))
    monkeypatch.setattr(kernel_module, "empty_kernel", lambda: ran(kernel_module.EMPTY))
    monkeypatch.setattr(kernel_module, "kernels_run", profiled)
    kernels = Prepared("mine.py", {"hand": ran("hand")}, ran("restore"), [])
    assert kernel_module.profiled(kernels, "hand", Method()) == 8.0
    assert calls[:5] == ["restore", "flush", kernel_module.EMPTY, "hand", kernel_module.EMPTY]
    calls.clear()
    assert kernel_module.profiled(kernels, "hand", Method(cache="warm")) == 8.0
    assert "flush" not in calls
    took["hand"] = []  # the profiler does not see it
    assert kernel_module.profiled(kernels, "hand", Method()) is None
    monkeypatch.setattr(kernel_module, "kernels_run", lambda *given, count: [])  # nor anything else
    assert kernel_module.profiled(kernels, "hand", Method()) is None


@pytest.mark.parametrize(
    ("events", "cupti", "said"),
    [
        (20.0, 20.5, ""),
        (20.0, 21.0, "20.00 us by events and 21.00 us by CUPTI, 4.8% apart"),
        (5.0, 6.0, ""),  # too short to tell
        (20.0, None, "The profiler did not see the hand kernel"),
    ],
)
def test_a_disagreement_is_said(events: float, cupti: float | None, said: str) -> None:
    timing = Timing(events, (events, events), 300, None, profiled=cupti)
    found = kernel_module.disagreement("hand", timing)
    assert said in found and bool(said) == bool(found)


# ---------------------------------------------------------------- the whole comparison, its times made by hand


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel whose loads were made narrow, on a card of which only the times are there."""
    torch = pytest.importorskip("torch")
    tl = pytest.importorskip("triton.language")
    if type(tl.sum).__name__ == "InterpretedFunction":
        pytest.skip("Triton was imported under TRITON_INTERPRET: it can not compile in this process")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    capture = load_capture(CAPTURED / "lora_mlp_h200")
    path = tmp_path / "mine.py"
    text = eject(capture, capture.kernels[0], file=path.name)
    was = "offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    assert was in text
    path.write_text(text.replace(was, was.replace("tl.arange(0, BLOCK)", "tl.arange(0, BLOCK) * 3 % BLOCK"), 1))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(judge, "present_gpu", lambda: "sm_90")
    monkeypatch.setattr(judge, "prepared", lambda module, launchers: Prepared("mine.py", {}, lambda: None, []))
    monkeypatch.setattr(judge, "_need_right", lambda *asked: None)
    monkeypatch.setattr(judge, "ceilings", lambda precisions: (COPY, FP32))
    monkeypatch.setattr(judge, "profiled", lambda kernels, name, method: 12.0)
    return path


class Times:
    """Microseconds of every kernel, as the instrument would give them."""

    base: ClassVar[list[float]] = [20.0, 20.1, 19.9] * 20

    def __init__(self, hand: float) -> None:
        self.hand = hand

    def __call__(self, functions: object, restore: object, method: Method, _: object) -> Measured:
        times: Mapping[str, Sequence[float]] = {
            "hand": [self.hand * time for time in self.base],
            "generated": self.base,
            "again": self.base,
        }
        return Measured(times, method, 2.9, State(), State())


@pytest.mark.parametrize(
    ("hand", "verdict", "why"),
    [
        (
            1.3,
            "slower",
            "Most likely slower because the hand kernel loads in narrower pieces: 24 LDG.E, the other 6 LDG.E.128.",
        ),
        pytest.param(0.7, "faster", "Nothing that was looked at explains it", marks=pytest.mark.slow),
        pytest.param(1.0, "same", "and no difference in time is seen.", marks=pytest.mark.slow),
    ],
)
def test_diff_explains_what_it_measured(
    edited: Path, monkeypatch: pytest.MonkeyPatch, hand: float, verdict: str, why: str
) -> None:
    monkeypatch.setattr(judge, "measure", Times(hand))
    found = judge.diff(edited, show=["source"], profile=True)
    assert found.verdict == verdict and why in found.because[0]
    place: Any = found.hand["roofline"]
    assert place.bytes_share == pytest.approx(50_335_744 / (20e-6 * hand) / 4e12)
    assert found.ceilings == (COPY, FP32)
    assert "* 3 % BLOCK" in found.texts["source"]
    assert any("by CUPTI" in note for note in found.notes)
    told = result(found)
    rows = {row[0]: row[1:] for row in told.rows}
    assert rows["of the copy"][1] == "63%" and rows["by CUPTI"] == ("12.00 us", "12.00 us")
    assert rows["programs"][0].startswith("4,096 (") and rows["  global loads"] == (
        "24",
        "6",
    )  # how many waves hangs on registers
    assert told.notes[0] == found.because[0]
    assert "60 rounds, launched bare, cold L2; launching, 2.9 us, is taken off." in told.notes
    assert any("differs from itself by up to 0.0%; a difference up to 1." in note for note in told.notes)
    assert "Measured in the same run: a copy, 4.00 TB/s; a product, 50.00 TFLOP/s." in told.notes


@pytest.mark.slow
def test_ceilings_that_can_not_be_measured_leave_the_times(edited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(precisions: object) -> None:
        raise LabError("The ceilings were not measured: too little of the GPU's memory is free.")

    monkeypatch.setattr(judge, "measure", Times(1.0))
    monkeypatch.setattr(judge, "ceilings", fails)
    found = judge.diff(edited)
    assert found.verdict == "same" and found.ceilings == ()
    assert any("ceilings were not measured" in note for note in found.notes)
    place: Any = found.hand["roofline"]
    assert place.bytes_per_second and place.bytes_share is None


def test_a_launcher_that_can_not_be_inspected_leaves_the_times_and_names_no_folder(
    edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "measure", Times(1.0))
    text = edited.read_text()
    (launch,) = [line for line in text.splitlines(keepends=True) if line.startswith("    add_mul_relu[grid](mm, ")]
    asks = "    if mm.device.type == 'meta':\n        raise ValueError('float32 is asked for')\n"
    edited.write_text(text.replace(launch, asks + launch))
    found = judge.diff(edited)
    (note,) = [note for note in found.notes if "tensors without values" in note]
    assert note.startswith("`launch` can not be called on tensors without values") and "(ValueError: float32" in note
    assert found.verdict == "same" and "machine" not in found.hand
    assert not [note for note in found.notes if str(edited.parent) in note]


@pytest.mark.slow
def test_a_kernel_that_is_launched_twice_is_two_launches(edited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "present_gpu", lambda: None)
    text = edited.read_text()
    (launch,) = [line for line in text.splitlines(keepends=True) if line.startswith("    add_mul_relu[grid](mm, ")]
    edited.write_text(text.replace(launch, launch.replace("(mm, ", "(mm.clone(), ") + launch))
    found = judge.diff(edited)
    assert [len(found.hand["machine"]), len(found.hand["residency"])] == [2, 2]  # type: ignore[arg-type]
    assert "The hand kernel launches 2 kernels, the other 1." in found.because


# ---------------------------------------------------------------- the command line, without a GPU


@pytest.mark.slow
def test_show_is_in_the_text_and_in_the_document(edited: Path, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "present_gpu", lambda: None)
    plain = lab("diff", edited, "--show", "source", "--profile", "--gpu", "a100")
    assert plain.code == 0 and "\x1b" not in plain.out
    assert "\n--- generated: generated, XBLOCK 1024, num_warps 4 (source)\n+++ hand: " in plain.out
    assert "A profiler was asked for, and there is no GPU here for it to see." in plain.out
    assert "The hand kernel loads in narrower pieces" in plain.out and "faster" not in plain.out
    document = json.loads(lab("diff", edited, "--show", "source", "--show", "ttgir", "--json").out)
    assert set(document["texts"]) == {"source", "ttgir"} and document["because"]
    assert {"verdict", "ratio", "ratio_interval", "noise", "hand", "generated", "device", "notes"} <= set(document)
    wrong = lab("diff", edited, "--show", "hlo")
    assert (
        wrong.code == 2
        and "There is no 'hlo' to show; it is source, ttir, ttgir, llir, ptx, sass or amdgcn." in wrong.err
    )


def test_bench_with_a_profiler_needs_a_gpu(edited: Path, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest.importorskip("torch").cuda, "is_available", lambda: False)
    found = lab("bench", edited, "--profile")
    assert found.code == 2 and "needs a GPU" in found.err


def test_a_comparison_of_before_is_still_shown() -> None:
    old = asdict(PerfDiff("same", 1.0, (0.99, 1.01), 0.01, {}, {}, "NVIDIA H200"))
    for key in ("because", "ceilings", "texts"):
        del old[key]
    assert result(from_dict(PerfDiff, old)).word == "same"


# ---------------------------------------------------------------- on a GPU


@pytest.mark.gpu
def test_on_a_card_both_kernels_stand_below_its_ceilings(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    capture = load_capture(CAPTURED / "lora_mlp_h200")
    path = tmp_path / "mine.py"
    path.write_text(eject(capture, capture.kernels[0], file=path.name))
    found = judge.diff(path, show=["sass"], profile=True)
    names = [ceiling.name for ceiling in found.ceilings]
    assert names == ["copy", "fp32"] and all(ceiling.per_second > 1e11 for ceiling in found.ceilings)
    for side in (found.hand, found.generated):
        place: Any = side["roofline"]
        timing: Any = side["timing"]
        assert place.bytes_share > 0 and timing.profiled


@pytest.mark.gpu
def test_products_of_a_card_are_faster_the_coarser_they_are() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() < (8, 0):
        pytest.skip("needs a GPU with TF32")
    _, bf16, tf32, fp32 = ceilings(["bf16", "tf32", "fp32"])
    assert bf16.per_second > tf32.per_second > fp32.per_second
