"""Beside a card the inputs of the next cases are drawn and laid out while one is tried: the same ones, in the same order, and no more than that."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from inductor_lab.judge import alone
from inductor_lab.judge.compare import verdict
from inductor_lab.judge.inputs.cases import Plan

CASES, SOON = 6, 0.05
AT_ITS_TURN = 4
"""A case whose inputs ask the card."""


def asked(
    begun: dict[int, Event], size: int = 8, placed: dict[int, Event] | None = None
) -> tuple[Any, list[tuple[Plan, Callable[[], Any]]]]:
    """A judge of tensors of that size, and its cases, which tell when they are drawn."""

    def draw(number: int) -> Any:
        begun[number].set()
        return {"x": number}

    plans = [Plan(str(number), "normal", number, boundaries=number == AT_ITS_TURN) for number in range(CASES)]
    file = SimpleNamespace(ARGUMENTS={"x": ((size,), (1,), torch.float32, "normal")})

    def place(plan: Plan, values: Any) -> Any:
        if placed:
            placed[plan.seed].set()
        return plan.seed, values

    judge = SimpleNamespace(file=file, placed=place)
    return judge, [(plan, lambda number=plan.seed: draw(number)) for plan in plans]


@pytest.mark.parametrize(
    ("interpreting", "size", "ahead"), [(False, 8, 2), (True, 8, 0), (False, 1 << 29, 1), (False, 1 << 30, 0)]
)
def test_which_are_drawn_when(monkeypatch: pytest.MonkeyPatch, interpreting: bool, size: int, ahead: int) -> None:
    monkeypatch.setattr(alone, "INTERPRETING", interpreting)
    monkeypatch.setattr(verdict, "AHEAD", 2)
    begun, placed = ({number: Event() for number in range(CASES)} for _ in range(2))
    came = 0
    for number, (plan, draw) in enumerate(verdict._drawn_ahead(*asked(begun, size, placed))):
        for later in range(number + 1, CASES):
            meanwhile = later <= number + ahead and later != AT_ITS_TURN
            assert placed[later].wait(30) if meanwhile else not begun[later].wait(SOON)
        assert plan.seed == number and draw() == ({"x": number}, (number, {"x": number}))
        came += 1
    assert came == CASES


def test_whoever_ends_early_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is being drawn then ends by itself, and what waits behind it is not begun."""
    monkeypatch.setattr(alone, "INTERPRETING", False)
    monkeypatch.setattr(verdict, "AHEAD", 2)
    begun, go, ended = {number: Event() for number in range(CASES)}, Event(), Event()

    def waits() -> Any:
        go.wait(20)
        ended.set()

    judge, inputs = asked(begun)
    threads = verdict.ThreadPoolExecutor
    monkeypatch.setattr(verdict, "ThreadPoolExecutor", lambda _: threads(1))
    inputs[0] = (inputs[0][0], waits)
    cases = verdict._drawn_ahead(judge, inputs)
    next(cases)
    cases.close()
    assert not ended.is_set()
    go.set()
    assert not any(begun[number].wait(SOON) for number in range(1, CASES))


@pytest.mark.parametrize("drawing", [True, False])
def test_an_error_is_raised_at_its_turn(monkeypatch: pytest.MonkeyPatch, drawing: bool) -> None:
    monkeypatch.setattr(alone, "INTERPRETING", False)
    judge, inputs = asked({number: Event() for number in range(CASES)})

    def fails(*_: Any) -> Any:
        raise MemoryError("no room")

    if drawing:
        inputs[1] = (inputs[1][0], fails)
    else:
        place = judge.placed
        judge.placed = lambda plan, values: fails() if plan.seed == 1 else place(plan, values)
    cases = verdict._drawn_ahead(judge, inputs)
    assert next(cases)[1]()[0] == {"x": 0}
    plan, draw = next(cases)
    assert plan.seed == 1
    with pytest.raises(MemoryError, match="no room"):
        draw()
