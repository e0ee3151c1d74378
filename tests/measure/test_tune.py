"""`tune`: which configurations are tried, which are left out, which is chosen, and how it comes into the file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Result
from folders import CAPTURED, GENERATIONS
from killing import killed_at
from small_kernels import SMALL, edited, ejected
from span_as_text import SPAN
from told_times import Told

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.ejected import JUDGE_STARTS, load
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS
from inductor_lab.machine import launches_of
from inductor_lab.machine.targets import residency
from inductor_lab.measure.tuning import candidates, tune
from inductor_lab.measure.tuning import search as sweep
from inductor_lab.measure.tuning.candidates import Results, compiled, pointless, pruned, rank
from inductor_lab.measure.tuning.search import Check
from inductor_lab.measure.tuning.settings import around, identity, rewritten, stated
from inductor_lab.read import read
from inductor_lab.records import Candidate, Case, MachineCode, Residency, Verdict

Lab = Callable[..., Result]
H200 = GPUS["h200"]


@pytest.fixture
def file(workdir: Path) -> Path:
    """A small kernel under blocks that are too small: each thread loads one element."""
    path = workdir / "mine.py"
    path.write_text(edited(ejected("affine"), ("*, BLOCK=256, num_warps=4", "*, BLOCK=128, num_warps=4")))
    return path


# ---------------------------------------------------------------- what is tried


def launching(signature: str, body: str = "pass") -> str:
    return f"def launch({signature}):\n    {body}\n"


def test_the_present_configuration_comes_first_and_the_nearest_next() -> None:
    said = stated(launching("x, *, s77=5, BLOCK=1024, num_warps=4, num_stages=2, RSPLIT=8"))
    assert said.present == {"BLOCK": 1024, "num_warps": 4, "num_stages": 2}
    found = around(said)
    assert found[0] == said.present and len(found) == 5 * 5 * 3
    assert {"BLOCK": 2048, "num_warps": 4, "num_stages": 2} in found[:7]
    assert {settings["num_warps"] for settings in found} == {1, 2, 4, 8, 16}


def test_blocks_that_a_kernel_as_inductor_wrote_it_depends_on_only_become_smaller_or_stay() -> None:
    letter = around(stated(launching("x, *, XBLOCK=64, num_warps=4")))
    assert {settings["XBLOCK"] for settings in letter} == {16, 32, 64}
    shared = launching("x, *, R0_BLOCK=64, num_warps=4", "ws_ptr = torch.zeros(8000, dtype=torch.uint8)")
    assert {settings["R0_BLOCK"] for settings in around(stated(shared))} == {64}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (launching("x, *, scale=0.5"), "nothing to tune"),
        ("def other(): pass\n", "no ejected file"),
        ("def launch(:\n", "can not be read"),
    ],
)
def test_what_states_no_configuration_is_said(text: str, why: str) -> None:
    with pytest.raises(LabError, match=why):
        stated(text)


def test_programs_of_a_multiprocessor_end_where_registers_shared_memory_or_threads_do() -> None:
    def filled(registers: int, shared_memory: int, warps: int, programs: int = 10**6) -> Residency:
        return residency(MachineCode("k", "h200", "sm_90", registers, 0, shared_memory, warps), programs, H200)

    assert filled(32, 0, 4).held == 16  # 2048 threads
    assert filled(128, 0, 8).held == 2  # 65,536 registers
    assert filled(16, 100 * 1024, 1).held == 2
    assert filled(16, 0, 1).held == 32  # programs
    assert filled(16, 228 * 1024, 4).held == 0
    assert filled(32, 0, 4).occupancy == 1.0
    assert filled(32, 0, 4, 132).occupancy == 1 / 16


@pytest.mark.parametrize(
    "grid", ["(triton.cdiv(numel, BLOCK),)", 'lambda given: (triton.cdiv(numel, given["BLOCK"]),)']
)
def test_what_need_not_be_compiled_is_told_by_what_would_be_launched(file: Path, grid: str) -> None:
    file.write_text(
        edited(file.read_text(), ("    grid = (triton.cdiv(numel, BLOCK),)\n    add", f"    grid = {grid}\n    add"))
    )
    module, present = load(file).module, {"BLOCK": 128, "num_warps": 4}
    (launch,) = launches_of(module, settings={"BLOCK": 64})
    assert launch.programs == -(-3000 // 64)
    for settings, why in (
        (present, ""),
        ({"BLOCK": 256, "num_warps": 4}, ""),
        ({"BLOCK": 128, "num_warps": 8}, "256 threads for 128 elements"),
        ({"BLOCK": 8192, "num_warps": 4}, "half of BLOCK already makes as few programs"),
        ({"BLOCK": 1 << 21, "num_warps": 4}, "more than Triton allows"),
    ):
        found = pointless(module, settings, present, H200)
        assert why in found and bool(why) == bool(found)


def test_what_spills_or_leaves_a_card_idle_that_it_could_fill_is_dropped() -> None:
    present = Candidate({"BLOCK": 1}, "ranked", spills=0, occupancy=0.1)
    spills = Candidate({"BLOCK": 2}, "ranked", spills=8, occupancy=1.0)
    idle, busy = replace(spills, settings={"BLOCK": 3}, spills=0, occupancy=0.2), replace(present, occupancy=1.0, settings={"BLOCK": 4})  # fmt: skip
    found = pruned([present, spills, idle, busy], {"BLOCK": 1})
    assert [one.outcome for one in found] == ["ranked", "dropped", "dropped", "ranked"]
    assert "spills 8 bytes" in found[1].why and "20% of the card's warps, the best 100%" in found[2].why
    half = pruned([present, replace(busy, lanes=0.5)], {"BLOCK": 1})[1]
    assert half.outcome == "dropped" and half.why == "only 50% of its threads have an element"
    few = [replace(one, spills=0, occupancy=(one.occupancy or 0) / 10) for one in found if not one.why]
    assert pruned([*few, replace(idle, occupancy=0.001)], {"BLOCK": 1})[-1].outcome == "ranked"


def test_where_nothing_is_timed_idle_threads_come_behind_then_idle_multiprocessors_then_narrow_loads() -> None:
    full = Candidate({"BLOCK": 128}, "ranked", spills=0, programs=128, occupancy=0.03, width=64, lanes=1.0)
    many = replace(full, programs=256, occupancy=0.06)
    wide = replace(full, programs=64, width=128)
    part = replace(wide, programs=1024, occupancy=0.5, lanes=0.5)
    spilling = replace(wide, programs=128, spills=8)
    ranks = [rank(one, H200, 0.0) for one in (many, full, wide, part, spilling)]
    assert ranks == sorted(ranks) and len(set(ranks)) == len(ranks)
    # On 132 multiprocessors 256 programs put two on one: they end no sooner than 128 twice as large, whose loads are wider.
    assert rank(replace(full, width=128), H200, 0.0) < rank(many, H200, 0.0)


@pytest.mark.slow
def test_threads_without_an_element_are_told_by_what_was_compiled(file: Path) -> None:
    module = load(file).module
    for block, warps, lanes in ((512, 1, 1.0), (32, 4, 0.25)):
        assert compiled(module, {"BLOCK": block, "num_warps": warps}, "h200", H200).lanes == lanes


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize("decorator", ["", "@torch.no_grad()\n"])
def test_only_the_numbers_and_what_speaks_for_them_change_in_the_text(decorator: str) -> None:
    text = f'"""é"""\nx = "é"\n\n\n{decorator}def launch(é, *, BLOCK=0x400, num_warps=4):  # BLOCK=1024\n    return BLOCK\n'
    new = rewritten(text, {"BLOCK": 2048, "num_warps": 16}, "because " * 30)
    above, _, below = new.partition("# Tuned: ")
    assert above == text.partition("def launch")[0] and "(é, *, BLOCK=2048, num_warps=16):  # BLOCK=1024\n" in below
    assert max(map(len, new.splitlines())) <= 120
    again = rewritten(new, {"BLOCK": 1024, "num_warps": 4}, "other")
    assert again.count("Tuned") == 1 and "because" not in again
    assert rewritten(again, {}) == text.replace("0x400", "1024")


def test_a_file_is_the_same_one_under_another_configuration_and_another_one_after_an_edit(file: Path) -> None:
    text = file.read_text()
    assert identity(rewritten(text, {"BLOCK": 512}, "because")) == identity(text)
    assert identity(text.replace("0.5", "0.25")) != identity(text)


# ---------------------------------------------------------------- without a GPU


def test_without_a_gpu_nothing_is_timed_or_changed_and_a_second_run_compiles_nothing(
    lab: Lab, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = file.read_text()
    found = lab("tune", file, "--limit", 2, "--gpu", "h200", "--json")
    made = json.loads(found.out)
    assert found.code == 0 and made["verdict"] == "untimed" and not made["timed"] and not made["written"]
    assert made["best"] != made["present"] == {"BLOCK": 128, "num_warps": 4} and made["left_out"]
    by = {tuple(one["settings"].values()): one for one in made["candidates"]}
    assert by[128, 4]["programs"] == 24 < by[tuple(made["best"].values())]["programs"] == 94
    assert "256 threads for 128 elements" in by[128, 8]["why"] and by[128, 8]["outcome"] == "dropped"
    assert file.read_text() == text and "Nothing was timed" in made["notes"][0]
    kept = file.with_name("mine.py.tune.jsonl")
    kept.write_text(kept.read_text()[:-20])  # the run was killed while it wrote
    calls: list[Mapping[str, int]] = []
    compiled = sweep.compiled
    monkeypatch.setattr(sweep, "compiled", lambda module, settings, *rest: calls.append(settings) or compiled(module, settings, *rest))  # type: ignore[func-returns-value]  # fmt: skip
    again = lab("tune", file, "--limit", 2, "--gpu", "h200")
    assert again.code == 0 and len(calls) == 1 and "from an earlier run" in again.out
    assert "by the static facts alone" in again.out and "inductor-lab tune" in again.err
    calls.clear()
    assert tune(file, gpu="h200", limit=2).candidates and not calls


@pytest.mark.slow
@pytest.mark.parametrize("block", [2, 32])
def test_a_kernel_of_one_warp_is_given_a_full_one_and_no_more_programs_than_that_leaves(
    workdir: Path, block: int
) -> None:
    path = workdir / "small.py"
    body, graph = (text.replace("75", "8").replace("40", "4") for text in (SMALL["affine"].body, SMALL["affine"].graph))
    small = ejected("affine", body=body.replace("3000", "32"), graph=graph)
    path.write_text(re.sub(r"\*, BLOCK=\d+, num_warps=\d", f"*, BLOCK={block}, num_warps=1", small))
    found = tune(path, gpu="h200")
    assert found.best == {"BLOCK": 32, "num_warps": 1}


KERNELS = {
    "pointwise": "lora_mlp_train_bf16_h200:2",
    "small pointwise": "dlrm_train_h200:32",
    "permute": "rotary_attention_train_bf16_h200:2",
    "persistent reduction": "dlrm_train_h200:33",
    "looped reduction": "dlrm_train_h200:34",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kernel",
    [pytest.param(kernel, id=name) for name, kernel in KERNELS.items()],
)  # fmt: skip
def test_tuning_again_what_was_chosen_without_a_gpu_changes_nothing(
    workdir: Path, monkeypatch: pytest.MonkeyPatch, kernel: str
) -> None:
    known: dict[str, Candidate] = {}

    def compiled_once(module: Any, settings: Mapping[str, int], *rest: Any) -> Candidate:
        if (name := str(settings)) not in known:
            known[name] = compiled(module, settings, *rest)
        return known[name]

    monkeypatch.setattr(sweep, "compiled", compiled_once)
    name, _, index = kernel.partition(":")
    capture = store.load(CAPTURED / name)
    path = workdir / "mine.py"
    path.write_text(
        rewritten(eject(capture, capture.kernels[int(index)]), {"num_warps": 16})
    )  # so that it has far to go
    first = tune(path, gpu="h200", limit=4)
    path.write_text(rewritten(path.read_text(), first.best))
    again = tune(path, gpu="h200", limit=4, fresh=True)
    assert again.best == again.present == first.best


@pytest.mark.slow
def test_what_is_written_without_a_gpu_is_verified_and_says_that_nothing_was_timed(lab: Lab, file: Path) -> None:
    before = file.read_text()
    found = lab("tune", file, "--limit", 3, "--gpu", "h200", "--write")
    text = file.read_text()
    assert found.code == 0 and "written to" in found.out
    assert (
        "# Tuned: " in text
        and "nothing was timed." in text.replace("\n#    ", "")
        and "BLOCK=128, num_warps=4):" not in text
    )
    assert text.partition(JUDGE_STARTS)[2] == before.partition(JUDGE_STARTS)[2]
    assert sorted(path.name for path in file.parent.iterdir()) == ["mine.py", "mine.py.tune.jsonl"]


@pytest.mark.slow
def test_what_does_not_verify_is_refused_and_the_file_left(lab: Lab, file: Path) -> None:
    constants = ("    BLOCK: tl.constexpr,\n", "    BLOCK: tl.constexpr,\n    WARPS: tl.constexpr,\n")
    passed = ("BLOCK=BLOCK, num_warps=num_warps)", "BLOCK=BLOCK, WARPS=num_warps, num_warps=num_warps)")
    wrong = ("lora * 0.5\n", "lora * (0.5 if WARPS == 4 and BLOCK != 256 else 0.25)\n")
    file.write_text(edited(file.read_text(), constants, passed, wrong))
    text = file.read_text()
    found = lab("tune", file, "--limit", 3, "--gpu", "h200", "--write")
    assert found.code == 1 and "refused" in found.out and "it does not verify" in found.out
    assert file.read_text() == text


def test_mistakes_are_said_in_a_sentence(lab: Lab, file: Path) -> None:
    for arguments, why in (
        (("none.py",), "There is no file none.py"),
        ((file, "--gpu", "h2000"), "There is no GPU named"),
        ((file, "--gpu", "real"), "There is no GPU on this machine"),
    ):
        found = lab("tune", *arguments)
        assert found.code == 2 and why in found.err
    Path("plain.py").write_text("x = 1\n")
    assert "no `launch`" in lab("tune", "plain.py").err


# ---------------------------------------------------------------- with a clock that is none


def slow_in(settings: Mapping[str, int]) -> float:
    """The larger the block the faster, and best with two warps."""
    return 20.0 - settings["BLOCK"] / 128 + abs(settings["num_warps"] - 2)


def test_the_fastest_that_verifies_is_written_with_its_evidence(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Told(monkeypatch, slow_in)
    found = tune(file)
    assert found.verdict == "faster" and found.written and found.best == {"BLOCK": 512, "num_warps": 2}
    assert found.ratio == pytest.approx(21.0 / 16.0) and found.before is not None and found.after is not None
    best, *others = found.candidates
    assert best.outcome == "chosen" and best.settings == found.best and best.timing is not None
    assert {one.outcome for one in others} == {"timed", "dropped"}
    text = file.read_text().replace("\n#    ", "")
    assert "*, BLOCK=512, num_warps=2):" in text and "NVIDIA H200, torch " in text
    assert "BLOCK=512, num_warps=2 (was BLOCK=128, num_warps=4), the fastest of 25 configurations" in text
    assert (
        re.search(r"16\.\d\d us \(16.00 to 16\.\d\d\), before 21\.\d\d us", text)
        and "; 1.312x" in text
        and "Verified." in text
    )


def test_what_is_as_fast_stays_and_a_file_that_may_not_change_does_not(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = file.read_text()
    Told(monkeypatch, lambda settings: 20.0 - 0.01 * (settings["BLOCK"] > 128))
    found = tune(file)
    assert found.verdict == "same" and found.best == found.present and not found.written
    Told(monkeypatch, slow_in)
    found = tune(file, write=False, fresh=True)
    assert found.verdict == "faster" and not found.written and file.read_text() == text


def test_the_next_one_is_taken_where_the_fastest_does_not_verify_and_that_is_not_asked_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(monkeypatch, slow_in)
    told.wrong = lambda text: "*, BLOCK=512, num_warps=2" in text
    found = tune(file, write=False)
    assert found.verdict == "faster" and found.best != {"BLOCK": 512, "num_warps": 2}
    (refused,) = [one for one in found.candidates if one.outcome == "refused"]
    assert refused.settings == {"BLOCK": 512, "num_warps": 2} and "off by one" in refused.why
    told.wrong = lambda text: True
    again = tune(file, write=True)
    assert again.verdict == "refused" and not again.written and again.resumed > 20
    assert sum(one.outcome == "refused" for one in again.candidates) > 1


def test_what_fails_on_the_card_is_left_out_and_what_was_timed_is_not_timed_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(monkeypatch, slow_in)
    told.failing = lambda settings: settings.get("BLOCK") == 512
    first = tune(file, write=False)
    assert first.best["BLOCK"] == 256
    failed = [one for one in first.candidates if "out of resource" in one.why]
    assert failed and all(one.outcome == "dropped" and one.settings["BLOCK"] == 512 for one in failed)
    short = len(told.measured)
    again = tune(file, write=False)
    assert again.best == first.best and len(told.measured) - short == 2  # the longer round and the last one


def test_the_copy_that_is_judged_has_beside_it_what_the_file_reads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.with_name("mine.inputs.npz").write_bytes(b"given")
    file.with_name("other.npz").write_bytes(b"not named")
    text = file.read_text() + '\nREAL = "mine.inputs.npz"\n'
    seen: list[set[str]] = []

    def verify(path: Path, **_: Any) -> Verdict:
        assert path != file and path.with_name("mine.inputs.npz").read_bytes() == b"given"
        seen.append({neighbour.name for neighbour in path.parent.iterdir()})
        return Verdict("pass", {}, 0.0, (), "told")

    monkeypatch.setattr(sweep, "verify", verify)
    assert not Check(file, text, Results(file, "key"), lambda step: None).wrong({"BLOCK": 64, "num_warps": 1})
    assert seen == [{"mine.py", "mine.inputs.npz"}]
    assert file.with_name("mine.inputs.npz").read_bytes() == b"given"


def test_an_ended_run_goes_on_where_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch, slow_in)
    measure = candidates.measure

    def interrupted(*arguments: Any, **keywords: Any) -> Any:
        if len(told.measured) == 1:
            raise KeyboardInterrupt
        return measure(*arguments, **keywords)

    monkeypatch.setattr(candidates, "measure", interrupted)
    text = file.read_text()
    with pytest.raises(KeyboardInterrupt):
        tune(file)
    assert file.read_text() == text
    first = told.measured[0]
    monkeypatch.setattr(candidates, "measure", measure)
    found = tune(file)
    assert found.verdict == "faster" and not any(first & group for group in told.measured[1:-2])


@pytest.mark.slow
def test_killed_at_any_line_results_lose_at_most_the_one_that_was_written(tmp_path: Path) -> None:
    file, lines = tmp_path / "file.py", 0
    kept = [Candidate({"BLOCK": number}, "timed") for number in (1, 2)]
    while True:
        lines += 1
        Results(file, "key", fresh=True).path.unlink(missing_ok=True)
        Results(file, "key").add("measured", kept[0])
        if (child := os.fork()) == 0:
            killed_at(lines, lambda: Results(file, "key").add("measured", kept[1]), "files.py")
        _, status = os.waitpid(child, 0)
        again = Results(file, "key")
        assert kept[0] in again.measured.values() and again.measured.values() <= set_of(kept)
        again.add("measured", replace(kept[0], why="again"))
        assert '{"BLOCK": 1}' in Results(file, "key").measured
        assert not Results(file, "another key").measured
        if not os.WIFSIGNALED(status):
            assert os.waitstatus_to_exitcode(status) == 0 and len(again.measured) == 2
            break
    assert lines > 15


class set_of(list[Any]):  # noqa: N801
    """Values that are among these."""

    def __ge__(self, values: Any) -> bool:
        return all(value in list(self) for value in values)


@pytest.mark.parametrize("case", ["seed 0", "its own blocks"])
def test_what_verified_under_other_blocks_is_not_said_to_have_verified(
    case: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = Verdict("pass", {}, 0.0, (Case(case, True, {}, ""),), "Triton's interpreter on the CPU")
    monkeypatch.setattr(sweep, "verify", lambda path, progress: passed)
    monkeypatch.setattr(
        sweep, "compiled", lambda _, settings, *rest: Candidate(settings, "ranked", spills=0, width=settings["BLOCK"])
    )
    found = tune(file, gpu="h200", limit=4, write=True)
    assert found.written and ("Verified under larger blocks" in file.read_text()) == (case == "seed 0")


@pytest.mark.slow
def test_the_tiles_of_a_product_stay_where_nothing_is_timed(workdir: Path) -> None:
    """Smaller ones read the operands again, which no fact of the compiler's tells."""
    log = GENERATIONS / "g7_torch_2.13_template.txt"
    capture = read([log], "product")
    path = workdir / "product.py"
    path.write_text(eject(capture, capture.kernels[0], file=path.name))
    present = stated(path.read_text()).present
    found = tune(path, gpu="h200", limit=3)
    assert len(found.candidates) > 2 and {"BLOCK_M", "BLOCK_N"} <= present.keys()
    assert {name: value for one in found.candidates for name, value in one.settings.items() if "BLOCK" in name} == {
        name: value for name, value in present.items() if "BLOCK" in name
    }
    assert len({one.settings["num_warps"] for one in found.candidates}) > 1


# ---------------------------------------------------------------- a span


def test_each_kernel_of_a_span_is_tuned_by_itself() -> None:
    said = stated(SPAN)
    assert said.present == {
        "double_BLOCK": 256, "double_num_warps": 4, "bias_relu_BLOCK": 256, "bias_relu_num_warps": 4,
    }  # fmt: skip
    assert said.apart == ({"double_BLOCK", "double_num_warps"}, {"bias_relu_BLOCK", "bias_relu_num_warps"})
    first, second = (around(part) for part in said.parts)
    assert len(first) == len(second) == 25 and first[0] == said.present
    assert {one["bias_relu_BLOCK"] for one in first} == {256} == {one["double_BLOCK"] for one in second}
    generated = stated(SPAN, launcher="launch_generated")
    assert generated.apart == ({"XBLOCK_0", "num_warps_0"}, {"XBLOCK_1", "num_warps_1"})
    assert generated.shrinking == {"XBLOCK_0", "XBLOCK_1"}


def test_only_the_kernel_whose_launcher_makes_memory_for_its_blocks_keeps_them() -> None:
    text = edited(SPAN, ("    double[(", "    scratch = torch.zeros(2048, dtype=torch.uint8)\n    double[("))
    assert stated(SPAN).fixed == frozenset() and stated(text).fixed == {"double_BLOCK"}
    said = stated(edited(SPAN, ("double_BLOCK", "double_XBLOCK")))
    assert said.shrinking == {"double_XBLOCK"}


def test_a_fused_span_is_tuned_as_one_kernel() -> None:
    body = "y = torch.empty_strided((4,), (1,))\n    fused[(4 // BLOCK,)](x, y, BLOCK=BLOCK, num_warps=num_warps)"
    both = launching("x, *, BLOCK=256, num_warps=4", body)
    assert stated(both).apart == ({"BLOCK", "num_warps"},) and not stated(both).fixed


def test_the_best_of_one_kernel_stays_while_the_next_is_tuned(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workdir / "span.py"
    path.write_text(SPAN)
    fastest = {"double_BLOCK": 128, "double_num_warps": 4, "bias_relu_BLOCK": 256, "bias_relu_num_warps": 2}
    Told(monkeypatch, lambda settings: 10.0 + sum(settings[name] != value for name, value in fastest.items()))
    monkeypatch.setattr(sweep, "pointless", lambda *_: "")
    found = tune(path)
    assert found.verdict == "faster" and found.best == fastest and found.written
    assert found.ratio == pytest.approx(1.2) and len(found.candidates) + found.left_out == 25 + 24
    assert [one.settings for one in found.candidates if one.outcome == "chosen"] == [fastest]
    assert stated(path.read_text()).present == fastest
