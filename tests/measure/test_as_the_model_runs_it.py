"""The generated kernel as the model would run it: torch's own autotuner on a card and a clock that are told, never measured."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, capture, kernel
from span_as_text import SPAN
from told_times import KERNEL

torch = pytest.importorskip("torch")
heuristics = pytest.importorskip("torch._inductor.runtime.triton_heuristics")

from torch._inductor.runtime.hints import DeviceProperties  # noqa: E402

from inductor_lab import store  # noqa: E402
from inductor_lab.bind.heuristics import candidates  # noqa: E402
from inductor_lab.capture.configurations import configuration  # noqa: E402
from inductor_lab.eject import eject  # noqa: E402
from inductor_lab.eject.binding.configuration import decorator  # noqa: E402
from inductor_lab.ejected import load  # noqa: E402
from inductor_lab.gpus import GPUS, Card  # noqa: E402
from inductor_lab.machine import launches_of, target_named  # noqa: E402
from inductor_lab.machine.triton_private import compile_launch  # noqa: E402
from inductor_lab.measure.contest import configurations  # noqa: E402
from inductor_lab.measure.contest.configurations import (  # noqa: E402
    OLD,
    STANDS,
    AsRun,
    as_run,
    autotuner,
    captured,
    kept,
    settings_of,
    taken,
)
from inductor_lab.records import Autotuned, Capture  # noqa: E402
from inductor_lab.spans import addressed  # noqa: E402

SEVERAL = [
    ("dlrm_dynamic_h200_virtual", 31, 1), ("dlrm_train_h200_virtual", 0, 2), ("dlrm_train_h200_virtual", 33, 1),
    ("dlrm_train_h200_virtual", 34, 1), ("dlrm_train_h200_virtual", 37, 6), ("rotary_attention_train_bf16_h200_virtual", 0, 2),
]  # fmt: skip
"""Pointwise, persistent and looped reductions: a capture, the kernel's number there, and how many configurations Inductor times."""


def properties(card: Card) -> Any:
    """What torch says of a card that is here."""
    major, _ = card.capability
    return DeviceProperties(
        type="cuda", index=0, multi_processor_count=card.processors, cc=int(card.arch.removeprefix("sm_")), major=major,
        regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=card.warp_size,
    )  # fmt: skip


@cache
def stored(name: str) -> Capture:
    return store.load(CAPTURED / name)


@cache
def text(name: str, number: int) -> str:
    return eject(stored(name), stored(name).kernels[number])


def ejected(name: str, number: int, folder: Path) -> Any:
    path = folder / "mine.py"
    path.write_text(text(name, number), encoding="utf-8")
    return load(path).module


@pytest.fixture
def rows(tmp_path: Path) -> Any:
    """A reduction of six candidates."""
    return ejected("dlrm_train_h200_virtual", 37, tmp_path)


class Clock:
    """In the place of a card: each configuration's microseconds are told, and a launch is written down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, told: Any) -> None:
        self.launched: list[tuple[dict[str, int], tuple[object, ...]]] = []

        def compiled(tuner: Any) -> None:
            tuner.launchers = [self._launcher(config) for config in tuner.configs]

        def bench(tuner: Any, launcher: Any, *arguments: object, **_: object) -> float:
            return float(told(configuration(launcher.config)))

        monkeypatch.setattr(heuristics.CachingAutotuner, "precompile", compiled)
        monkeypatch.setattr(heuristics.CachingAutotuner, "bench", bench)

    def _launcher(self, config: Any) -> Any:
        def launch(*arguments: object, stream: int) -> None:
            self.launched.append((configuration(config), arguments))

        facts = {"n_regs": 32, "n_spills": 0, "shared": 0, "cache_hash": "", "store_cubin": False}
        for name, value in {"config": config, **facts}.items():
            setattr(launch, name, value)
        return launch


@pytest.mark.parametrize(("name", "number", "count"), SEVERAL)
@pytest.mark.parametrize("card", ["h200", "b200", "a100"])
def test_the_candidates_are_inductor_s_for_the_card_that_is_here(
    tmp_path: Path, name: str, number: int, count: int, card: str
) -> None:
    """Whatever card the file was captured for. What `show` lists by the sizes, and what torch makes of the decorator, are the same."""
    module = ejected(name, number, tmp_path)
    tuner = autotuner(module.generated, module.DECORATOR, properties(GPUS[card]), str(tmp_path))
    listed = candidates(stored(name).kernels[number], GPUS[card])
    assert [configuration(one) for one in tuner.configs] == [
        {**one.constants, "num_warps": one.num_warps, "num_stages": one.num_stages} for one in listed
    ]
    assert len(listed) == count and tuner.device_props.multi_processor_count == GPUS[card].processors
    assert taken(module, Autotuned(configuration(tuner.configs[-1]), ())).settings


@pytest.mark.parametrize(("name", "number", "count"), SEVERAL)
def test_inductor_s_launcher_takes_what_the_file_s_passes(tmp_path: Path, name: str, number: int, count: int) -> None:
    module = ejected(name, number, tmp_path)
    tuner = autotuner(module.generated, module.DECORATOR, properties(GPUS["h200"]), str(tmp_path))
    (launch,) = launches_of(module, "generated")
    result = heuristics.TritonCompileResult(
        None, tuner.configs[0], tuner._create_compile_meta(tuner.configs[0]), tuner.inductor_meta
    )
    function = module.generated
    _, parameters, _ = result._get_arg_lists(function.arg_names, heuristics.get_constexprs(function))
    assert parameters == function.arg_names[: len(launch.arguments)]


@pytest.mark.parametrize("fastest", range(6))
def test_the_fastest_is_what_the_model_would_run(rows: Any, tmp_path: Path, monkeypatch: Any, fastest: int) -> None:
    tuner = autotuner(rows.generated, rows.DECORATOR, properties(GPUS["h200"]), str(tmp_path))
    listed = [configuration(one) for one in tuner.configs]
    clock = Clock(monkeypatch, lambda settings: 10.0 + (settings != listed[fastest]))
    found = kept(tuner, ("a", "b"), 7)
    assert found == Autotuned(listed[fastest], tuple(listed))
    assert clock.launched == [(listed[fastest], ("a", "b"))]


def test_a_run_before_leaves_nothing_to_look_up(rows: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Inductor keeps what it found beside the kernel's file: the next run asks the clock again."""
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=0))
    monkeypatch.setattr(configurations, "_device", lambda: properties(GPUS["h200"]))
    rows.DECORATOR = rows.DECORATOR.replace("'force_disable_caches': True", "'force_disable_caches': False")
    inputs = rows.example_inputs("cpu")
    before = sorted(tmp_path.rglob("*"))
    for warps in (4, 16):
        Clock(monkeypatch, lambda settings, warps=warps: abs(settings["num_warps"] - warps))
        run = as_run(rows, inputs)
        assert run.autotuned and len(run.autotuned.candidates) == 6 and run.settings["num_warps"] == warps, run.notes
    assert sorted(tmp_path.rglob("*")) == before
    (note,) = run.notes
    assert note.startswith("generated, the fastest of 6 configurations that Inductor times here: ")


def test_every_import_of_a_file_launches_what_was_kept(rows: Any) -> None:
    again = load(rows.__file__).module
    stated = settings_of(rows.launch_generated)
    found = Autotuned({**stated, "XBLOCK": 1, "num_warps": 16, "num_stages": 1}, ())
    run = taken(rows, found)
    run.stated_by(rows, again)
    wanted = {**stated, "XBLOCK": 1, "num_warps": 16}
    assert settings_of(rows.launch_generated) == settings_of(again.launch_generated) == wanted
    (launch,) = launches_of(again, "generated")
    assert {name: launch.keywords[name] for name in wanted} == wanted
    assert settings_of(load(rows.__file__).module.launch_generated) == stated


def test_what_the_launcher_does_not_take_is_told(rows: Any) -> None:
    run = taken(rows, Autotuned({"RSPLIT": 8, "num_stages": 1}, ()))
    assert run == AsRun(notes=(f"{STANDS}: it takes no RSPLIT, which Inductor's autotuner chose.",))


def test_stages_that_no_launcher_takes_change_nothing(rows: Any) -> None:
    """A loop that holds no product: its machine code is the same."""
    (launch,) = launches_of(rows, "generated")
    codes = [
        compile_launch(replace(launch, keywords={**launch.keywords, "num_stages": stages}), target_named("h200")).facts
        for stages in (1, 2, 3)
    ]
    assert "num_stages" not in launch.keywords and codes[0].instructions
    assert [code.instructions for code in codes] == [codes[0].instructions] * 3


def test_what_is_tuned_further_is_none_of_the_candidates(rows: Any) -> None:
    (note,) = taken(rows, Autotuned({"XBLOCK": 4}, ({"XBLOCK": 1}, {"XBLOCK": 2}))).notes
    assert note == "generated, what Inductor makes here of the fastest of 2 configurations, tuned further: XBLOCK=4."


@pytest.mark.parametrize(
    ("asked", "notes"),
    [
        (None, (OLD,)),
        ("", ()),
        ("gone(size_hints={})", (f"{STANDS}: Inductor's autotuner can not be asked (NameError: name 'gone' is not defined).",)),
    ],
)  # fmt: skip
def test_what_can_not_be_asked_stays_at_what_its_file_states(
    tmp_path: Path, monkeypatch: Any, asked: str | None, notes: tuple[str, ...]
) -> None:
    """A file that was ejected before it held a decorator, one without a choice, and a version of torch without the heuristic."""
    path = tmp_path / "old.py"
    path.write_text(KERNEL if asked is None else f"{KERNEL}\n\nDECORATOR = {asked!r}\n")
    module: Any = load(path).module
    module.generated = None
    monkeypatch.setattr(module, "launch_generated", lambda *tensors: None)

    def launched(take: Any) -> Any:
        assert not take(SimpleNamespace(kernel=None, arguments=(), keywords={}))  # and is launched as it stands
        return nullcontext()

    monkeypatch.setattr(configurations, "launches_given_to", launched)
    monkeypatch.setattr(configurations, "_device", lambda: properties(GPUS["h200"]))
    assert as_run(module, module.example_inputs("cpu")) == AsRun(notes=notes)


def test_a_span_s_kernels_are_asked_about_where_they_are_launched(tmp_path: Path, monkeypatch: Any) -> None:
    """One after the other: the second one's inputs hold what the first and the library have made."""
    path = tmp_path / "span.py"
    path.write_text(SPAN)
    module = load(path).module
    module.DECORATORS = tuple(
        module.DECORATORS[0].replace("poi_fused_mul_0", name) for name in ("poi_fused_mul_0", "poi_fused_add_relu_1")
    )
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=0))
    monkeypatch.setattr(configurations, "_device", lambda: properties(GPUS["h200"]))
    clock = Clock(monkeypatch, lambda settings: settings["XBLOCK"])
    inputs = module.example_inputs("cpu")
    run = as_run(module, inputs)
    first, second = clock.launched
    assert run.autotuned and len(run.notes) == len(run.autotuned.candidates) / 2 == 2
    assert run.settings == {
        "XBLOCK_0": first[0]["XBLOCK"], "num_warps_0": 4, "XBLOCK_1": second[0]["XBLOCK"], "num_warps_1": 4
    }  # fmt: skip
    assert first[1][0] is inputs[0] and second[1][0] is inputs[3]
    product: Any = first[1][1] @ inputs[1].t()  # of whatever the memory held: nothing but the library has run here
    assert torch.allclose(inputs[3], product, equal_nan=True)
    run.stated_by(module)
    assert {"XBLOCK_0": 128, "XBLOCK_1": 128}.items() <= settings_of(module.launch_generated).items()


def test_of_a_span_s_kernels_only_those_with_a_choice_are_asked_about(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "span.py"
    path.write_text(SPAN)
    module = load(path).module
    module.DECORATORS = ("", "")
    monkeypatch.setattr(module, "launch_generated", lambda *tensors: pytest.fail("nothing is asked"))
    assert as_run(module, ()) == AsRun()


@pytest.mark.parametrize(
    ("category", "told"), [("pointwise", True), ("foreach", True), ("template", False), ("user_autotune", False)]
)
def test_a_file_has_its_kernel_s_decorator_where_inductor_has_a_choice(category: str, told: bool) -> None:
    found = kernel(ADD_RELU, ADD_RELU_TENSORS, category=category)
    assert bool(decorator(found)) == told and (not told or f"@{decorator(found)}\n@triton.jit" in found.text)


@pytest.mark.parametrize("category", ["pointwise", "template"])
def test_a_file_says_that_there_is_no_choice(category: str) -> None:
    pointwise = kernel(ADD_RELU, ADD_RELU_TENSORS)
    text = eject(capture(pointwise), replace(pointwise, text=pointwise.text.replace("pointwise", category)))
    assert ('\nDECORATOR = ""  # ' in text) == (category == "template")
    assert ("\ntriton_heuristics.pointwise(" in text) == (category == "pointwise")


@pytest.mark.slow
def test_a_span_s_kernel_that_is_given_numbers_is_asked_about_as_it_was_captured(tmp_path: Path) -> None:
    found = store.load(CAPTURED / "dlrm_h200")
    span = addressed(found, "4-29")
    assert span is not None
    path = tmp_path / "span.py"
    path.write_text(eject(found, span), encoding="utf-8")
    module = load(path).module
    launch = next(one for one in launches_of(module, "generated") if "START" in one.keywords)
    number = int(launch.kernel.fn.__name__.removeprefix("generated_"))
    written = captured(launch, module.DECORATORS[number], str(tmp_path))
    assert "START" not in written.arg_names
    own = replace(launch, kernel=written, keywords={k: v for k, v in launch.keywords.items() if k != "START"})
    codes = [compile_launch(one, target_named("h200")).facts.instructions for one in (launch, own)]
    assert codes[0] and codes[0] == codes[1], "compiled in, as before"
    assert captured(launches_of(module, "generated")[0], module.DECORATORS[0], str(tmp_path)) is module.generated_0
