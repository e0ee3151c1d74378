"""How a program is observed whose compiled code never runs: AOTAutograd makes each graph's inputs of the program's tensors, as it does on the card.

For statistics it is stopped there, and the program goes on as it would have. Where values are kept, each graph itself is computed in eager, so that
what it returns, and what the backward is given, is seen too; the card's attention is written out (`library.attention`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from inductor_lab.capture.observe import Observer
from inductor_lab.capture.problems import problem

Run = Callable[..., Any]


class _Seen(Exception):  # noqa: N818
    """The inputs were looked at, which is all that was wanted."""


def standing_for(observer: Observer, graph: str, traced: Any, begun: Callable[[], None] | None) -> Run:
    """What AOTAutograd is given for a compiled graph.

    Args:
        traced: The graph, computed in eager; None where only its inputs are looked at.
        begun: Called at each call.
    """

    def call(inputs: list[Any]) -> Any:
        given = list(inputs)
        inputs.clear()
        if begun:
            begun()
        if traced is None:
            observer.called(graph, None, given)
            raise _Seen
        return observer.called(graph, lambda values: _computed(graph, traced, values), given)

    call._boxed_call = True  # type: ignore[attr-defined]
    return call


def _computed(graph: str, traced: Any, inputs: list[Any]) -> Any:
    from inductor_lab.library import attention

    try:
        with torch.no_grad(), attention.WrittenOut():
            return traced(*inputs)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        problem(
            f"graph {graph} can not be computed without the card, so its values were not kept "
            f"({type(error).__name__}: {lines[0]})"
        )
        raise


def observed_calls(observer: Observer | None, compiled: Run | None, eager: Run) -> Run:
    """What the program calls: the graphs that AOTAutograd made, or eager with a look at their inputs first.

    Args:
        compiled: What AOTAutograd made; None where it did not come to that.
        eager: The graph as Dynamo traced it.
    """
    if observer is None or compiled is None:
        return eager
    return _Graphs(compiled, eager) if observer.keeps_values else _Look(compiled, eager)


class _Graphs:
    """The graphs themselves; eager from the first call on in which they do not run."""

    def __init__(self, compiled: Run, eager: Run) -> None:
        self.run, self.eager = compiled, eager

    def __call__(self, *args: Any) -> Any:
        if self.run is self.eager:
            return self.eager(*args)
        try:
            return self.run(*_lists_apart(args))
        except Exception:
            self.run = self.eager
            return self.eager(*args)


class _Look:
    """Eager, with a look at the inputs of the graphs at the first call."""

    def __init__(self, compiled: Run, eager: Run) -> None:
        self.compiled: Run | None = compiled
        self.eager = eager

    def __call__(self, *args: Any) -> Any:
        compiled, self.compiled = self.compiled, None
        if compiled is not None:
            try:
                compiled(*_lists_apart(args))
            except _Seen:
                pass
            except Exception as error:
                lines = str(error).strip().splitlines() or [""]
                problem(f"what a graph was given could not be looked at ({type(error).__name__}: {lines[0]})")
        return self.eager(*args)


def _lists_apart(args: tuple[Any, ...]) -> list[Any]:
    """The arguments, lists among them copied: compiled autograd passes one, which what AOTAutograd makes empties."""
    return [list(x) if isinstance(x, list) else x for x in args]
