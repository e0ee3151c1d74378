"""Whom a hand kernel is timed against. Kernels of plain torch on the CPU stand in for Triton's, and a table for the clock: no test asserts a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from told_times import KERNEL

torch = pytest.importorskip("torch")

from inductor_lab.ejected import load  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402
from inductor_lab.measure import diff as diff_module  # noqa: E402
from inductor_lab.measure.contest import contest, contestants  # noqa: E402
from inductor_lab.measure.contest.configurations import OLD, AsRun, Best, matching, settings_of, wider  # noqa: E402  # noqa: E402
from inductor_lab.measure.contest.contestants import RefusedError, check_named  # noqa: E402
from inductor_lab.measure.diff import diff  # noqa: E402
from inductor_lab.measure.timing.kernels import Prepared, prepared  # noqa: E402
from inductor_lab.measure.timing.samples import (  # noqa: E402
    Measured,
    Method,
    State,
)
from inductor_lab.measure.tuning.settings import stated  # noqa: E402
from inductor_lab.records import Autotuned  # noqa: E402

GPU = "NVIDIA made of clocks"


@pytest.fixture
def mine(workdir: Path) -> Path:
    path = workdir / "mine.py"
    path.write_text(KERNEL)
    return path


Times = Mapping[str, float]


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Times], list[str]]:
    """A GPU made of clocks: what each function takes, by its name; whoever is not named takes 100 us. Gives who was timed."""

    def using(microseconds: Times) -> list[str]:
        names: list[str] = []

        def measure(
            functions: Mapping[str, Callable[[], object]], restore: object, method: Method, _: object
        ) -> Measured:
            names.extend(functions)
            for function in functions.values():
                function()
            times = {
                name: [microseconds.get(name, 100.0) * (1 + 0.001 * (number % 3)) for number in range(30)]
                for name in functions
            }
            return Measured(times, method, 2.9, State(), State())

        monkeypatch.setattr(diff_module, "measure", measure)
        monkeypatch.setattr(diff_module, "present_gpu", lambda: "sm_90")
        monkeypatch.setattr(diff_module, "machine", lambda module, gpu: ({}, {}))
        monkeypatch.setattr(diff_module, "ceilings", lambda precisions: ())
        monkeypatch.setattr(diff_module, "explained", lambda found, *_: found)
        monkeypatch.setattr(diff_module, "operations", lambda module: (None, "fp32"))
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda: GPU)
        monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
        return names

    return using


# ---------------------------------------------------------------- contestants


def test_eager_is_timed_in_the_same_rounds_with_its_own_noise(mine: Path, timed: Callable[..., list[str]]) -> None:
    names = timed({"eager": 300.0, "eager again": 306.0})
    (found,) = diff(mine, against=("eager", "eager")).against
    assert {"hand", "generated", "again", "eager", "eager again"} <= set(names)
    assert (found.name, found.verdict) == ("eager", "faster")
    assert found.ratio == pytest.approx(3.0) and found.noise == pytest.approx(0.02, rel=0.05)
    assert found.timing and found.timing.median == pytest.approx(303.0, rel=0.01)
    assert found.notes[-1] == "It writes to memory of its own." and found.hand_settings == {
        "BLOCK": 512,
        "num_warps": 4,
    }


@pytest.mark.parametrize(("computes", "form"), [("torch.add(y, x, alpha=2.0)", "aten"), ("x - y", "reference")])
def test_eager_is_the_model_s_own_graph_where_that_agrees(
    mine: Path, timed: Callable[..., list[str]], computes: str, form: str
) -> None:
    mine.write_text(KERNEL + f"\n\ndef aten(y, x):\n    return ({computes},)\n")
    timed({})
    eager, scripted = diff(mine, against=("eager", "torchscript")).against
    assert [one.verdict for one in (eager, scripted)] == ["same", "same"]
    assert f"What runs is the file's `{form}`." in eager.notes and eager.notes[0] == scripted.notes[1]


@pytest.mark.parametrize(
    "edit",
    [
        "    pass  # writes nothing: what the other kernel left there is no result of its own\n",
        "    out.copy_(x * 3.0 + y)\n",
    ],
)
def test_a_hand_kernel_that_is_wrong_has_no_time(mine: Path, timed: Callable[..., list[str]], edit: str) -> None:
    text = mine.read_text()
    head, launch, rest = text.partition("def launch(")
    signature, _, body = rest.partition("\n")
    end = body.index("\n\n\n")
    mine.write_text(f"{head}{launch}{signature}\n{edit}{body[end:]}")
    names = timed({})
    with pytest.raises(
        LabError, match=r"mine.py: the hand kernel is wrong before it was timed: it computes something else"
    ):
        diff(mine)
    assert not names


CALLABLES = """
import torch


def right(x, y):
    return y + x + x


def wrong(x, y):
    return x * 2.0


def nothing(x, y):
    x.add_(0)


def changes(x, y):
    found = x * 2.0 + y
    y.zero_()
    return found


def other_shape(x, y):
    return (x * 2.0 + y)[:3]


def fails(x, y):
    raise RuntimeError("no kernel image\\nmore")
"""


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("wrong", "it computes something else: out is"),
        ("nothing", "it returns nothing, not the tensors that the kernel writes (out)"),
        ("changes", "it changes y, which it must only read"),
        ("other_shape", "it returns [3, 32] on cpu for out, which is [64, 32] on cpu"),
        ("fails", "it fails (RuntimeError: no kernel image)"),
    ],
)
def test_a_callable_that_is_wrong_is_refused_and_the_others_are_timed(
    mine: Path, timed: Callable[..., list[str]], function: str, why: str
) -> None:
    Path("theirs.py").write_text(CALLABLES)
    names = timed({})
    found = diff(mine, against=(f"theirs.py:{function}", "theirs.py:right"))
    refused = next(one for one in found.against if one.name.endswith(function))
    assert refused.verdict == "refused" and refused.ratio is None and refused.notes[0].startswith(f"Refused: {why}")
    assert refused.name not in names and "theirs.py:right again" in names
    assert [one.verdict for one in found.against if one.name.endswith("right")] == ["same"]


def test_a_function_of_a_module_of_the_folder_is_found(mine: Path, timed: Callable[..., list[str]]) -> None:
    Path("their_module.py").write_text(CALLABLES)
    timed({"their_module:right": 50.0})
    (found,) = diff(mine, against=("their_module:right",)).against
    assert found.verdict == "slower" and found.ratio == pytest.approx(0.5)


def test_another_ejected_file_takes_the_same_arguments_under_names_of_its_own(
    mine: Path, timed: Callable[..., list[str]]
) -> None:
    Path("other.py").write_text(KERNEL.replace('"out"', '"result"', 1).replace('("out",)', '("result",)'))
    Path("narrow.py").write_text(KERNEL.replace("float32", "float16"))
    Path("lazy.py").write_text(KERNEL.replace("    out.copy_(x * 2.0 + y)\n", "    pass\n", 1))
    timed({"other.py": 120.0, "other.py again": 120.0})
    other, narrow, lazy = sorted(
        diff(mine, against=("other.py", "narrow.py", "lazy.py")).against, key=lambda one: "oanl".index(one.name[0])
    )
    assert other.verdict == "faster" and not other.notes
    assert (
        "it takes other arguments: float16 (64, 32) with strides (32, 1), read where mine.py takes float32"
        in narrow.notes[0]
    )
    assert "it computes something else" in lazy.notes[0]  # what it should write held no result


def test_a_contestant_that_is_wrong_behind_its_timing_is_refused(mine: Path, timed: Callable[..., list[str]]) -> None:
    Path("late.py").write_text(
        "calls = []\n\ndef late(x, y):\n    calls.append(1)\n    return x * 2.0 + y + (len(calls) > 2)\n"
    )
    timed({})
    (found,) = diff(mine, against=("late.py:late",)).against
    assert found.verdict == "refused" and "after it was timed, it computes something else" in found.notes[0]


def laid_out(path: Path) -> tuple[Any, Prepared]:
    module = load(path).module
    return module, prepared(module, {"hand": module.launch, "generated": module.launch_generated})


@pytest.mark.parametrize(("launch", "refused"), [("graph", ["theirs.py:right"]), ("bare", [])])
def test_who_can_not_be_recorded_is_refused_alone_where_everybody_is_replayed(
    mine: Path, timed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, launch: str, refused: list[str]
) -> None:
    Path("theirs.py").write_text(CALLABLES)
    timed({})

    def recorded(name: str, function: object, restore: object) -> object:
        if name == "theirs.py:right":
            raise LabError(f"{name} can not be recorded in a CUDA graph (it waits)")
        return function

    monkeypatch.setattr(contest, "recorded", recorded)
    module, kernels = laid_out(mine)
    who = ("theirs.py:right", "eager")
    made = contest.contest(mine, module, kernels, who, best=False, progress=lambda step: None, launch=launch)
    assert list(made.refused) == refused and "eager again" in made.functions
    assert all("can not be recorded" in why for why in made.refused.values())


def test_a_tensor_that_is_written_may_be_read_under_another_name(mine: Path, timed: Callable[..., list[str]]) -> None:
    timed({})
    text = KERNEL.replace('"out": ((64, 32), (32, 1), torch.float32, "out")', '"out": ((64, 32), (32, 1), torch.float32, ("same", "x"))')  # fmt: skip
    drawn = "return (*(torch.randn(64, 32, generator=rng) for _ in range(2)), torch.full((64, 32), torch.nan))"
    assert drawn in text and "same" in text
    text = text.replace(drawn, "x, y = (torch.randn(64, 32, generator=rng) for _ in range(2))\n    return x, y, x")
    for path in (mine, Path("other.py")):
        path.write_text(text)
    assert [(one.verdict, one.notes) for one in diff(mine, against=("other.py",)).against] == [("same", ())]


@pytest.mark.parametrize("lasting", [False, True])
def test_what_a_contestant_s_kernel_raises_late_is_its_own(
    mine: Path, timed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, lasting: bool
) -> None:
    Path("theirs.py").write_text(CALLABLES)
    timed({})
    module, kernels = laid_out(mine)
    errors = [RuntimeError("CUDA error: illegal memory access\nmore")] * (2 if lasting else 1)

    def synchronize() -> None:
        if errors:
            raise errors.pop()

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", synchronize)
    made = contest.Contest(mine, module, kernels)
    if lasting:
        with pytest.raises(
            LabError, match=r"^theirs.py:right crashes on the GPU \(CUDA error: illegal memory access\)"
        ):
            made.enter("theirs.py:right")
    else:
        made.enter("theirs.py:right")
        assert made.refused["theirs.py:right"].startswith("it fails (RuntimeError: CUDA error")


@pytest.mark.parametrize(
    ("who", "sentence"),
    [
        ("egaer", "There is no egaer to compare with; --against takes generated, eager, torchscript, default"),
        ("gone.py", "There is no file gone.py"),
        ("gone.py:function", "there is no file gone.py"),
        ("no_such_module:function", "no_such_module does not import"),
        ("math:no_such", "math has no function no_such"),
    ],
)
def test_a_name_that_nobody_has_is_told_at_once(workdir: Path, who: str, sentence: str) -> None:
    with pytest.raises(LabError, match=sentence.replace("(", r"\(")):
        check_named(who)


# ---------------------------------------------------------------- what is made of the reference


def test_inductor_is_asked_for_each_setting_and_for_the_whole_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(torch, "compile", lambda function, **options: asked.append(options) or function)
    for name in contestants.INDUCTOR:
        contestants.inductor(abs, name)
    assert [one["options"] for one in asked] == [dict(options) for options in contestants.INDUCTOR.values()]
    assert all(one["fullgraph"] and one["dynamic"] is False for one in asked)
    monkeypatch.setitem(contestants.INDUCTOR, "of_tomorrow", {"no_such_setting": True})  # type: ignore[arg-type]
    with pytest.raises(RefusedError, match=r"torch .* has no Inductor setting no_such_setting"):
        contestants.inductor(abs, "of_tomorrow")


def test_torchscript_says_how_it_was_made_and_where_there_is_none(
    mine: Path, timed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    timed({})
    (found,) = diff(mine, against=("torchscript",)).against
    assert found.verdict == "same" and "scripted" in found.notes[0]
    mine.write_text(KERNEL.replace("(x * 2.0 + y,)", "tuple(z for z in [x * 2.0 + y])"))
    (found,) = diff(mine, against=("torchscript",)).against
    assert found.verdict == "same" and "traced" in found.notes[0]
    monkeypatch.delattr(torch, "jit")
    (found,) = diff(mine, against=("torchscript",)).against
    assert found.verdict == "refused" and "has no TorchScript" in found.notes[0]


@pytest.mark.slow
def test_two_settings_of_inductor_really_compile_the_reference(mine: Path, timed: Callable[..., list[str]]) -> None:
    timed({})
    found = diff(mine, against=("default", "combo_kernels")).against
    assert [(one.name, one.verdict) for one in found] == [("default", "same"), ("combo_kernels", "same")]


# ---------------------------------------------------------------- configurations


def module(path: Path, *changes: tuple[str, str]) -> Any:
    text = KERNEL
    for old, new in changes:
        text = text.replace(old, new, 1)
    path.write_text(text)
    return load(path).module


def test_the_generated_configuration_is_told_in_the_hand_kernel_s_names(mine: Path) -> None:
    assert matching(module(mine)) == ({"BLOCK": 1024, "num_warps": 4}, "")
    assert matching(module(mine, (", num_warps=4", "")))[0] == {"BLOCK": 1024}  # four is what Triton takes
    found, why = matching(module(mine, ("BLOCK=512", "ROWS_A_BLOCK=4, COLUMNS_BLOCK=16")))
    assert found is None and why.startswith("The hand kernel takes no BLOCK,")
    found, why = matching(module(mine, ("BLOCK=512", "BLOCK=512, SPLIT_BLOCK=2")))
    assert found is None and why.startswith("The generated kernel has no SPLIT_BLOCK,")
    assert settings_of(module(mine, ("BLOCK=512", "BLOCK=512, scale=3, flag_BLOCK=True")).launch) == {"BLOCK": 512, "num_warps": 4}  # fmt: skip


def test_diff_states_both_configurations_and_times_the_matched_one(mine: Path, timed: Callable[..., list[str]]) -> None:
    names = timed({"hand": 80.0, "matched hand": 100.0})
    found = diff(mine)
    assert "matched hand" in names and found.best is None and found.against == ()
    assert found.settings == {"hand": {"BLOCK": 512, "num_warps": 4}, "generated": {"XBLOCK": 1024, "num_warps": 4}}
    assert found.verdict == "faster" and found.matched is not None
    assert (found.matched.verdict, found.matched.hand_settings) == ("same", {"BLOCK": 1024, "num_warps": 4})


def test_where_the_configurations_are_the_same_the_comparison_is_the_matched_one(
    mine: Path, timed: Callable[..., list[str]]
) -> None:
    module(mine, ("BLOCK=512", "BLOCK=1024"))
    names = timed({"hand": 80.0})
    found = diff(mine)
    assert names == ["hand", "generated", "again"]
    assert found.matched and (found.matched.ratio, found.matched.interval) == (found.ratio, found.ratio_interval)


def test_a_hand_kernel_that_is_wrong_under_the_other_configuration_is_not_timed_there(
    mine: Path, timed: Callable[..., list[str]]
) -> None:
    module(mine, ("    out.copy_(x * 2.0 + y)", "    out.copy_(x * 2.0 + y + (BLOCK > 512))"))
    names = timed({})
    found = diff(mine)
    assert found.matched is None and "matched hand" not in names
    assert any("can not be timed: it computes something else" in note for note in found.notes)


def test_each_at_its_best_is_what_the_sweeps_found(
    mine: Path, timed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    best = {"hand": {"BLOCK": 256, "num_warps": 2}, "generated": {"XBLOCK": 2048, "num_warps": 8}}
    asked = []

    def best_of(path: Path, module: object, which: str, wrong: Callable[..., str], progress: object) -> Best:
        asked.append((which, wrong(best[which])))
        return Best(best[which], f"The {which} kernel's best.")

    monkeypatch.setattr(contest, "best_of", best_of)
    text = mine.read_text()
    timed({"best hand": 70.0, "best": 77.0, "best again": 77.0})
    found = diff(mine, best=True).best
    assert found and asked == [("hand", ""), ("generated", "")] and mine.read_text() == text
    assert (found.hand_settings, found.settings) == (best["hand"], best["generated"])
    assert found.verdict == "faster" and found.ratio == pytest.approx(1.1) and len(found.notes) == 2


def test_a_block_of_inductor_s_grows_only_where_no_mask_is_missed(mine: Path) -> None:
    said = stated(KERNEL, "mine.py", "launch_generated")
    assert said.present == {"XBLOCK": 1024, "num_warps": 4} and said.shrinking == {"XBLOCK"}
    for numbers, largest in (
        ({"xnumel": "2048"}, 2048),
        ({"xnumel": "3000"}, 4096),
        ({"xnumel": "ks0"}, 1024),
        ({}, 1024),
    ):
        assert max(settings["XBLOCK"] for settings in wider(said, numbers)) == largest


@pytest.mark.parametrize(("asked", "named"), [({"best": True}, "--best"), ({"against": ("eager",)}, "--against")])
def test_without_a_gpu_what_needs_one_is_told(
    mine: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], named: str
) -> None:
    monkeypatch.setattr(diff_module, "present_gpu", lambda: None)
    monkeypatch.setattr(diff_module, "machine", lambda module, gpu: ({}, {}))
    monkeypatch.setattr(diff_module, "explained", lambda found, *_: found)
    with pytest.raises(LabError, match=f"{named} needs a GPU, and there is none here"):
        diff(mine, **asked)
    assert diff(mine, against=("generated",)).settings["hand"] == {"BLOCK": 512, "num_warps": 4}


# ---------------------------------------------------------------- the baseline


def test_the_baseline_is_what_the_model_would_run(
    mine: Path, timed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generated kernel is timed, twice, under what Inductor's autotuner keeps; so are both under one configuration."""
    candidates = ({"XBLOCK": 1024, "num_warps": 4}, {"XBLOCK": 256, "num_warps": 8})
    chosen = AsRun(candidates[1], Autotuned(candidates[1], candidates), ("generated, the fastest of 2.",))
    launched: list[object] = []
    text = mine.read_text().replace(
        "XBLOCK=1024, num_warps=4):", "XBLOCK=1024, num_warps=4):\n    SEEN.append((XBLOCK, num_warps))"
    )
    mine.write_text(text + "\n\nimport builtins\n\nSEEN = builtins.SEEN_BY_THE_TEST\n")
    monkeypatch.setattr("builtins.SEEN_BY_THE_TEST", launched, raising=False)
    monkeypatch.setattr(diff_module, "as_run", lambda module, tensors: launched.clear() or chosen)
    timed({"matched hand": 50.0})
    found = diff(mine)
    assert launched and set(launched) == {(256, 8)}
    assert found.settings == {"hand": {"BLOCK": 512, "num_warps": 4}, "generated": {"XBLOCK": 256, "num_warps": 8}}
    assert found.conditions["autotuned"] == {"settings": candidates[1], "candidates": candidates}
    assert (
        found.notes[0] == "generated, the fastest of 2." and found.matched and found.matched.ratio == pytest.approx(2.0)
    )
    assert found.matched.hand_settings == {"BLOCK": 256, "num_warps": 8} and found.matched.settings == candidates[1]


def test_an_older_file_says_that_its_baseline_may_not_be_the_fastest(
    mine: Path, timed: Callable[..., list[str]]
) -> None:
    timed({})
    found = diff(mine)
    assert found.notes[0] == OLD and "autotuned" not in found.conditions
    assert found.settings["generated"] == {"XBLOCK": 1024, "num_warps": 4}
