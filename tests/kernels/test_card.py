"""The card that several processes take turns at, with files in its place."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from folders import ROOT
from forking import interpreted

pytest.importorskip("triton")

BENCHMARKS = ROOT / "tests" / "benchmarks"
sys.path.append(str(BENCHMARKS))

import card  # noqa: E402

from inductor_lab.errors import SHORT  # noqa: E402


def noted(lock: Path, had: list[tuple[float, float]]) -> None:
    """Holds the card and lends it, and notes when it had it."""
    own = card.Card(lock)
    for _ in range(3):
        with own.held():
            begin = time.monotonic()
            time.sleep(0.01)
            had.append((begin, time.monotonic()))
            with own.held(False):
                time.sleep(0.01)


def test_no_two_hold_the_card_at_once(tmp_path: Path) -> None:
    had: list[tuple[float, float]] = []
    with ThreadPoolExecutor() as pool:
        for one in [pool.submit(noted, tmp_path / "lock", had) for _ in range(4)]:
            one.result()
    assert len(had) == 12
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(had)))


def test_what_is_held_is_not_taken_again_and_what_is_not_is_not_lent(tmp_path: Path) -> None:
    one, other = card.Card(tmp_path / "lock"), card.Card(tmp_path / "lock")
    with one.held(False):
        assert not one.ours
    with one.held(), one.held(), one.held(False), other.held():
        assert other.ours and not one.ours
    assert not one.ours and not other.ours


def test_turns_are_added_up_and_what_is_lent_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10, 11, 20, 25])  # taken, lent, taken back, given
    monkeypatch.setattr(card, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    own = card.Card(tmp_path / "lock")
    with own.held(), own.held(False):
        own.give()  # by who compiles, once more
    assert own.had == 6


def test_a_failure_gives_the_card_back(tmp_path: Path) -> None:
    one, other = card.Card(tmp_path / "lock"), card.Card(tmp_path / "lock")
    with pytest.raises(ValueError, match="wrong"), one.held(), one.held(False):
        raise ValueError("wrong")
    with other.held():
        assert other.ours


def compiled(lock: str) -> list[tuple[str, bool]]:
    """Whose the card was while something was compiled, while a candidate was timed, and afterwards."""
    from torch._inductor.runtime.benchmarking import InductorBenchmarker

    found: list[tuple[str, bool]] = []
    card.CARD = card.Card(Path(lock))
    InductorBenchmarker.benchmark_gpu = lambda *_: found.append(("timed", card.CARD.ours))  # type: ignore[method-assign]
    card.share()

    def backend(graph: Any, inputs: Any) -> Any:
        found.append(("compiled", card.CARD.ours))
        InductorBenchmarker().benchmark_gpu(None)
        return graph

    with card.CARD.held():
        torch.compiler.reset()
        card.compiling_lends()
        torch.compile(torch.sin, backend=backend)(torch.ones(2))
        found.append(("ran", card.CARD.ours))
    return found


@pytest.mark.slow
def test_who_compiles_lends_the_card_but_for_the_candidates_that_are_timed(tmp_path: Path) -> None:
    for found in card.each(compiled, [(str(tmp_path / "lock"),)] * 2, 2):
        assert found == [("compiled", False), ("timed", True), ("ran", True)]


def verbs(lock: str) -> list[tuple[str, bool]]:
    """Whose the card was in a verb, while that only compiled or another process replayed, and afterwards."""
    import inductor_lab.cli
    import inductor_lab.measure.diff as diff
    import inductor_lab.replay.run as run

    found: list[tuple[str, bool]] = []
    card.CARD = card.Card(Path(lock))
    diff.machine = lambda *_: found.append(("compiled", card.CARD.ours))  # type: ignore[assignment,return-value,func-returns-value]
    card.Child = lambda task: found.append((task, card.CARD.ours))  # type: ignore[assignment,return-value,misc,func-returns-value]
    run._answer = lambda: run.Child("the replay's own")  # type: ignore[assignment]

    def main() -> None:
        diff.machine(*[])
        found.append(("timed", card.CARD.ours))
        run._answer()  # type: ignore[call-arg]
        found.append(("timed", card.CARD.ours))

    inductor_lab.cli.main = main  # type: ignore[assignment]
    card.verb()
    return [*found, ("behind", card.CARD.ours)]


@pytest.mark.slow
def test_a_verb_holds_the_card_and_lends_it_where_it_only_compiles(tmp_path: Path) -> None:
    for found in card.each(verbs, [(str(tmp_path / "lock"),)] * 2, 2):
        assert found == [
            ("compiled", False),
            ("timed", True),
            ("card:replaying", False),
            ("timed", True),
            ("behind", False),
        ]


def replays(lock: str) -> list[tuple[str, bool]]:
    """Whose the card was in a verb's replay, while that was asked, had Inductor compile, and answered."""
    from inductor_lab.replay import launches, module, run, session

    found: list[tuple[str, bool]] = []
    card.CARD = card.Card(Path(lock))

    def note(what: str) -> Any:
        return lambda: found.append((what, card.CARD.ours))

    def replayed() -> None:
        module.compiled()  # type: ignore[call-arg]
        note("timed")()

    module.compiled, session.replayed, launches.keep_launch_inputs = note("compiled"), replayed, note("kept")  # type: ignore[assignment]

    def main(*_: int) -> None:
        note("asked")()
        session.replayed()  # type: ignore[call-arg]
        launches.keep_launch_inputs()  # type: ignore[call-arg]

    run.main = main
    card.replaying(os.getppid(), 1)
    return [*found, ("behind", card.CARD.ours)]


@pytest.mark.slow
def test_a_replay_of_a_verb_takes_its_own_turns(tmp_path: Path) -> None:
    for found in card.each(replays, [(str(tmp_path / "lock"),)] * 2, 2):
        assert found == [("asked", False), ("compiled", False), ("timed", True), ("kept", True), ("behind", False)]


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_verb_and_its_replay_do_not_wait_for_each_other(tmp_path: Path) -> None:
    verb = [sys.executable, str(BENCHMARKS / "card.py"), "replay", str(ROOT / "captured" / "sparse_ffn_h200"), "--json"]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run(verb, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path, timeout=200)
    assert json.loads(done.stdout)["verdict"] == "pass"


def spoilt(number: int, lost: Mapping[str, str] | None = None) -> tuple[int, dict[str, str]]:
    """The first is left by two contestants without a card, the second ends its process."""
    lost = dict(lost or {})
    if number == 0 and len(lost) < 2:
        raise card.LostError(f"contestant {len(lost)}", "an illegal memory access")
    if number == 1 and not lost:
        os._exit(1)
    return number, lost


EACH = [
    (0, {"contestant 0": "an illegal memory access", "contestant 1": "an illegal memory access"}),
    (1, {"": "its process ended"}),
    (2, {}),
    (3, {}),
]


class Inline:
    """A process in name: what it is asked is done here; one that ended, or was shut down, does nothing more."""

    def __init__(self, *_: object) -> None:
        self.ended = False

    def submit(self, work: Callable[..., Any], *arguments: Any, **options: Any) -> Future[Any]:
        assert not self.ended
        future: Future[Any] = Future()
        try:
            if arguments == (1,) and not options:
                raise BrokenProcessPool("os._exit")
            future.set_result(work(*arguments, **options))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool) -> None:
        self.ended = True


def test_who_loses_the_card_costs_one_row_its_time_and_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "ProcessPoolExecutor", Inline)
    assert sorted(card.each(spoilt, [(number,) for number in range(4)], 2)) == EACH


@pytest.mark.slow
def test_processes_that_end_are_replaced() -> None:
    assert sorted(card.each(spoilt, [(number,) for number in range(4)], 2)) == EACH


def test_a_lost_card_is_told_with_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    import contests

    def bad() -> torch.Tensor:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    job = contests.Job(
        lambda configuration: 2 * x, lambda x: x + x, (x := torch.randn(3),), [], 24, beside={"bad": bad}
    )
    assert contests.checked(job, ("hand", "bad"))[1].keys() == {"bad"}
    monkeypatch.setattr(contests, "is_lost", lambda: True)
    with pytest.raises(card.LostError, match=r"after bad's call .* illegal memory access"):
        contests.checked(job, ("hand", "bad"))


def test_a_row_is_made_without_whom_the_card_was_lost_with(monkeypatch: pytest.MonkeyPatch) -> None:
    import hand_kernels

    asked = argparse.Namespace(kernel="swiglu", who=["hand", "eager", "liger"], smoke=True, tune=False)
    contest = hand_kernels.importlib.import_module("contests.swiglu")
    monkeypatch.setattr(hand_kernels, "checked", lambda job, who: (dict.fromkeys(who), {}))
    rest = (contest.SMOKE[0], asked, "cuda", math.inf, "")
    monkeypatch.setattr(contest, "job", lambda point, on, job=contest.job: job(point, "cpu"))
    assert hand_kernels.row_of({}, *rest, lost={"liger": "illegal"})["refused"] == {"liger": "illegal"}
    assert hand_kernels.row_of({}, *rest, lost={"": "it ended"})["failed"] == "it ended"


def test_teal_is_given_room_for_the_last_block_of_its_weights() -> None:
    from contests import sparse_ffn

    weight = torch.randn(3, 700)
    given = sparse_ffn.with_room(weight)
    inputs, outputs = weight.shape
    assert torch.equal(given, weight.half().T) and given.stride() == (1, outputs)
    reads = (inputs - 1) * outputs + -(-outputs // sparse_ffn.LARGEST) * sparse_ffn.LARGEST
    assert given.untyped_storage().nbytes() >= 2 * reads


@pytest.mark.parametrize(
    ("cores", "gigabytes", "processes"), [(16, 150, 8), (16, 85, 5), (64, 150, 8), (6, 150, 3), (1, 150, 1), (16, 8, 1), (16, 0, 8)]
)  # fmt: skip
def test_as_many_take_turns_as_there_are_cores_and_memory_for(
    monkeypatch: pytest.MonkeyPatch, cores: int, gigabytes: int, processes: int
) -> None:
    """Without a card its memory is no limit."""
    monkeypatch.setattr(card, "CORES", cores)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gigabytes > 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda: SimpleNamespace(total_memory=gigabytes * 1e9))
    assert card.jobs() == processes


def test_one_process_is_this_one() -> None:
    assert list(card.each(lambda number: (number, os.getpid()), [(1,), (2,)], 1)) == [
        (1, os.getpid()),
        (2, os.getpid()),
    ]


@pytest.mark.slow
def test_several_processes_have_all_rows() -> None:
    said = interpreted(BENCHMARKS / "hand_kernels.py", "rotary", "--smoke", "--jobs", "2")
    rows = [json.loads(line) for line in said.splitlines()]
    assert len(rows) == 4 and not any(row["refused"] for row in rows)


def test_who_had_too_little_memory_to_be_judged_beside_the_others_is_judged_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import hand_kernels

    asked_for: list[tuple[int, list[tuple[str, int]]]] = []

    def each(work: Any, on: list[tuple[Any, ...]], jobs: int, timed: bool = True) -> Iterator[dict[str, Any]]:
        asked_for.append((jobs, [(head["step"], *threads) for head, _, _, *threads in on]))
        for head, *_ in on:
            yield head | ({"failed": f"error: {SHORT}."} if head["step"] == "b" and jobs != 1 else {"verdict": "pass"})

    monkeypatch.setattr(hand_kernels, "each", each)
    monkeypatch.setattr(hand_kernels, "JUDGES", 5)
    monkeypatch.setattr(hand_kernels, "CORES", 16)
    left = [({"verb": "verify", "step": step}, None) for step in "abc"]
    rows = [*hand_kernels.found_of(left, argparse.Namespace(jobs=6))]
    assert [(row["step"], row["verdict"]) for row in rows] == [("a", "pass"), ("c", "pass"), ("b", "pass")]
    assert asked_for == [(6, []), (3, [("a", 5), ("b", 5), ("c", 5)]), (1, [("b",)])]


def test_what_takes_long_begins_first(monkeypatch: pytest.MonkeyPatch) -> None:
    import hand_kernels

    begun: list[str] = []

    def each(work: Any, on: list[tuple[Any, ...]], jobs: int, **how: bool) -> Iterator[dict[str, Any]]:
        begun.extend(head["step"] for head, *_ in on)
        yield from ()

    monkeypatch.setattr(hand_kernels, "each", each)
    heads = [
        {"verb": "verify", "step": "e"},
        {"verb": "time", "step": "c", "what": "forward"},
        {"verb": "time", "step": "a", "what": "backward"},
        {"verb": "time", "step": "d", "backward": False},
        {"verb": "step", "step": "b"},
    ]
    assert not [*hand_kernels.found_of([(head, None) for head in heads], argparse.Namespace(jobs=6))]
    assert begun == ["a", "b", "c", "d", "e"]


def timed(path: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[dict[str, Any]]:
    """The rows of a run that measures nothing."""
    import hand_kernels

    monkeypatch.setattr(sys, "argv", ["hand_kernels.py", "swiglu", "-o", str(path), "--jobs", "1", *options])
    monkeypatch.setattr(hand_kernels, "copied", lambda: 1.0)
    monkeypatch.setattr(hand_kernels, "measured", lambda *_: {"bytes": 0})
    monkeypatch.setattr(hand_kernels, "of_step", lambda *_, verb, step, **how: {"step": step})
    hand_kernels.main()
    return json.loads(path.read_text())["rows"]  # type: ignore[no-any-return]


def test_a_run_goes_on_where_one_stopped_and_ends_with_the_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.json"
    with pytest.raises(SystemExit) as stopped:
        timed(path, monkeypatch, "--stop", "50")  # less than a step is given
    assert stopped.value.code == 3
    first = json.loads(path.read_text())["rows"]
    rows = timed(path, monkeypatch)
    assert rows[: len(first)] == first and {row["verb"] for row in first} == {"time"}
    assert [row["verb"] for row in rows[len(first) :]] == ["step"] * 2 + ["verify"] * 2
    assert timed(path, monkeypatch) == rows
