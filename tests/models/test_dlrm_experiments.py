"""What the talk's experiments say of a profile: shares, what ran on the card, and whether `loss.item()` waits."""

from __future__ import annotations

import runpy
from pathlib import Path

import chrome
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SCRIPT = runpy.run_path(str(BENCHMARKS / "dlrm_profile.py"))


def event(category: str, name: str, begin: float, lasts: float, thread: int = 1) -> dict[str, object]:
    return {"cat": category, "name": name, "ts": begin, "dur": lasts, "tid": thread}


TRACE = [
    event("cpu_op", "aten::item", 0, 100),
    event("cpu_op", "aten::_local_scalar_dense", 1, 80),
    event("cuda_runtime", "cudaMemcpyAsync", 2, 10),
    event("cuda_runtime", "cudaStreamSynchronize", 12, 60),
    event("cuda_runtime", "cudaLaunchKernel", 20, 5, thread=2),
    event("cuda_runtime", "cudaLaunchKernel", 200, 5),
    event("kernel", "addmm", 0, 40),
    event("kernel", "relu", 40, 10),
    event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 60, 2),
    event("gpu_user_annotation", "ProfilerStep", 0, 100),
]


@pytest.mark.parametrize("on", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_kept_trace_is_one_that_perfetto_opens(on: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(BENCHMARKS)
    talk = runpy.run_path(str(BENCHMARKS / "dlrm_talk.py"))
    ones = torch.ones(4, 4, device=on)

    def loop(steps: int) -> float:
        for _ in range(steps):
            ones @ ones
        return 1.0

    talk["profiled"](talk["Point"]("modes"), loop, on == "cuda", trace := tmp_path / "row.pt.trace.json.gz")
    kinds = [event["cat"] for event in chrome.events(trace) if "cat" in event]
    assert "cpu_op" in kinds and ("kernel" in kinds) == (on == "cuda")


def test_the_first_operators_have_their_share_of_all() -> None:
    own = {f"op{number}": float(number) for number in range(1, 8)}
    found = SCRIPT["top"](own, 2)
    assert [row["name"] for row in found] == ["op7", "op6", "op5", "op4", "op3"]
    assert found[0] == {"name": "op7", "us": 3.5, "share": 7 / 28}
    assert SCRIPT["top"]({}, 2) == []


def test_what_ran_on_the_card_is_kernels_and_copies_and_no_annotation() -> None:
    found = SCRIPT["on_card"](TRACE, 2, 104.0)
    assert (found["kernels"], found["copies"], found["kernel_us"], found["busy_profiled"]) == (1, 0.5, 25, 0.5)
    assert [row["name"] for row in found["longest"]] == ["addmm", "relu", "Memcpy DtoH (Device -> Pageable)"]


def test_item_waits_where_it_is_mostly_calls_that_wait() -> None:
    found = SCRIPT["waited"](TRACE, 160.0, 1)
    assert found["item_share"] == 0.5 and found["item_is"] == "waiting"
    assert found["item_calls_us"] == {"cudaStreamSynchronize": 60, "cudaMemcpyAsync": 10}
    assert found["item_waiting_share"] == pytest.approx(70 / 80) and found["copy_on_card_us"] == 2
    computing = [row for row in TRACE if row["name"] != "cudaStreamSynchronize"]
    assert SCRIPT["waited"](computing, 160.0, 1)["item_is"] == "computing"


def test_what_item_costs_is_of_loops_that_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(BENCHMARKS)
    talk = runpy.run_path(str(BENCHMARKS / "dlrm_talk.py"))
    drift, order = 0.0, []

    def loop(steps: int, begin: int, asks: bool) -> float:
        nonlocal drift
        drift += 1.0  # each loop is slower than the one before
        order.append(asks)
        assert (steps, begin) == (talk["LOOP"], (len(order) - 1) // 3 * talk["LOOP"])
        return 1000 + drift + 70 * asks

    row = talk["paired"](loop, 0.0)
    assert (row["rounds"], row["steps"]) == (talk["LEAST"], talk["LOOP"] * talk["LEAST"])
    threes = [order[i : i + 3] for i in range(0, len(order), 3)]
    assert all(sum(one) == 1 for one in threes) and len({one.index(True) for one in threes}) > 1
    assert abs(row["costs_us"][0] - 70) <= 2 and abs(row["noise_us"][0]) <= 2
    assert row["step_us"][0] - row["without_us"][0] == pytest.approx(70, abs=4)
