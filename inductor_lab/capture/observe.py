"""Records what each graph was given and returned at its first call: statistics, and values where the user asked.

On a real card the compiled graph itself is looked at as it is called. For a virtual one, whose code never runs, AOTAutograd makes each graph's
inputs of the program's tensors, as it does on the card. For statistics it is stopped there, and the program goes on as it would have. Where
values are kept, each graph itself is computed in eager, so that what it returns, and what the backward is given, is seen too; the card's
attention is written out (`library.attention`). Written beside the fingerprint, GRAPH.json and GRAPH.npz; the parent puts them into the capture
(`outcome`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from inductor_lab import kept
from inductor_lab.capture.problems import first_line, problem, reported
from inductor_lab.document import to_dict
from inductor_lab.quantity import size
from inductor_lab.records import Observed, TensorType

AOT_ID = re.compile(r"^# AOT ID: \['([\w.]+)'\]", re.MULTILINE)


def graph_id(compiled: Any) -> str:
    """The id that the catalog knows a compiled graph by; empty for what is none of Inductor's Python modules."""
    found = AOT_ID.search(getattr(compiled, "source_code", None) or "")
    return found[1] if found else ""


class Observer:
    """Looks at the graphs of one process."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        """Args:
        limit: Bytes of values that are kept of one graph; None for statistics alone.
        """
        self.folder, self.limit = folder, limit
        self.seen: set[str] = set()

    @property
    def keeps_values(self) -> bool:
        return self.limit is not None

    def called(self, graph: str, call: Callable[[list[Any]], Any] | None, inputs: list[Any]) -> Any:
        """The call of a graph, looked at where it is the first one; None for `call` where nothing is computed."""
        if not graph or graph in self.seen or any(isinstance(x, FakeTensor) for x in inputs):
            return call(inputs) if call else None
        self.seen.add(graph)
        look = _Look(graph, self.limit)
        what = f"what graph {graph} was given and returned could not be kept"
        with reported(what):
            look.at("given", inputs)  # before the call, which may change them
        outputs = call(inputs) if call else None
        with reported(what):
            if outputs is not None:
                look.at("returned", outputs if isinstance(outputs, (tuple, list)) else [outputs])
            look.write(self.folder)
        return outputs


class _Look:
    """What was seen of one call."""

    def __init__(self, graph: str, limit: int | None) -> None:
        self.graph, self.limit = graph, limit
        self.told: dict[str, list[Any]] = {"given": [], "returned": []}
        self.values: dict[str, Tensor] = {}
        self.size = 0

    def at(self, word: str, values: Sequence[Any]) -> None:
        with torch.no_grad(), _disable_current_modes():  # nothing of this is the program's
            for place, value in enumerate(values):
                self._add(word, place, value)

    def _add(self, word: str, place: int, value: Any) -> None:
        if isinstance(value, Tensor):
            self.size += value.numel() * value.element_size()
        self.told[word].append(to_dict(observed("", value, look=self.size <= MOST)))
        if isinstance(value, Tensor) and self.limit is not None and self.size <= self.limit:
            self.values[f"{word}_{place}"] = value.detach().to("cpu", copy=True)

    def write(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        if not self._is_first(folder):
            return
        if self.limit is not None and self.size <= self.limit:
            kept.write(folder / f"{self.graph}.npz", {"graph": self.graph}, self.values, compressed=False)
        elif self.limit is not None:
            problem(
                f"inputs and outputs of graph {self.graph} take {size(self.size)}, more than the {size(self.limit)} that "
                "--keep-limit allows for a graph: statistics of them were kept, not their values"
            )

    def _is_first(self, folder: Path) -> bool:
        """Write the statistics; False where another process has told of a graph of this number."""
        own = folder / f".{self.graph}.{os.getpid()}.json"
        own.write_text(json.dumps(self.told), encoding="utf-8")
        try:
            os.link(own, folder / f"{self.graph}.json")  # of several processes one can do it
        except FileExistsError:
            return False
        finally:
            own.unlink()
        return True


def install(compiled_graph: Any, observer: Observer) -> None:
    """Look at the calls of Inductor's compiled graphs, on the card that is here."""
    real = compiled_graph.__call__

    @wraps(real)
    def call(self: Any, inputs: Any) -> Any:
        if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
            return real(self, inputs)
        return observer.called(graph_id(self), lambda given: real(self, given), inputs)

    compiled_graph.__call__ = call


# Of a program whose compiled code never runs


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
        problem(
            f"graph {graph} can not be computed without the card, so its values were not kept "
            f"({type(error).__name__}: {first_line(error)})"
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
    run: Run | None = compiled

    def graphs(*args: Any) -> Any:
        """The graphs themselves; eager from the first call on in which they do not run."""
        nonlocal run
        if run:
            try:
                return run(*_lists_apart(args))
            except Exception:
                run = None
        return eager(*args)

    def eager_with_a_look(*args: Any) -> Any:
        """Eager, with a look at the inputs of the graphs at the first call."""
        nonlocal run
        looked, run = run, None
        if looked:
            with reported("what a graph was given could not be looked at"), suppress(_Seen):
                looked(*_lists_apart(args))
        return eager(*args)

    return graphs if observer.keeps_values else eager_with_a_look


def _lists_apart(args: tuple[Any, ...]) -> list[Any]:
    """The arguments, lists among them copied: compiled autograd passes one, which what AOTAutograd makes empties."""
    return [list(x) if isinstance(x, list) else x for x in args]


# A tensor's statistics: what is told of it where its values are not kept


CHUNK = 1 << 15
"""Elements that are looked at together: they stay in a processor's cache, and are too few to be shared among threads."""
MOST = 4 << 30
"""Bytes of one graph's tensors that are looked at; of what comes behind them only shapes are told."""


def observed(name: str, value: Any, *, look: bool = True) -> Observed:
    """What a graph's input or output holds: a tensor, a number, or nothing.

    Args:
        look: Whether a tensor's values are looked at.
    """
    if not isinstance(value, Tensor):
        return Observed(name, value=value if isinstance(value, (int, float)) else None)
    type_ = TensorType(str(value.dtype).removeprefix("torch."), tuple(value.shape), tuple(value.stride()))
    if not look:
        return Observed(name, type_)
    elements = value.detach().cpu().contiguous().reshape(-1)
    digest = hashlib.sha256(memoryview(elements.view(torch.uint8).numpy())).hexdigest()
    if value.is_complex() or not value.numel():
        return Observed(name, type_, sha256=digest)
    return _counted(name, type_, digest, elements)


def _counted(name: str, type_: TensorType, digest: str, elements: Tensor) -> Observed:
    total = elements.numel()
    counts = dict.fromkeys(("zeros", "negative", "nan", "infinite"), 0)
    summed, finite = 0.0, 0
    least: list[float] = []
    most: list[float] = []
    for part in _parts(elements):
        known = _finite(part)
        counts["zeros"] += part.numel() - _count(part)
        counts["negative"] += _count(part < 0)
        if known is not part:
            counts["nan"] += _count(part.isnan())
            counts["infinite"] += _count(part.isinf())
        if known.numel():
            summed, finite = summed + float(known.sum()), finite + known.numel()
            low, high = known.aminmax()
            least.append(float(low))
            most.append(float(high))
    shares = {word: count / total for word, count in counts.items()}
    if not finite:
        return Observed(name, type_, sha256=digest, **shares)
    mean = summed / finite
    squares = sum(float((_finite(part) - mean).square().sum()) for part in _parts(elements))
    deviation = (squares / finite) ** 0.5
    return Observed(
        name, type_, None, digest, minimum=min(least), maximum=max(most), mean=mean, deviation=deviation, **shares
    )


def _count(x: Tensor) -> int:
    return int(torch.count_nonzero(x))


def _finite(part: Tensor) -> Tensor:
    """The finite elements; the very tensor where all are."""
    flags = torch.isfinite(part)
    return part if bool(flags.all()) else part[flags]


def _parts(elements: Tensor) -> Iterator[Tensor]:
    """Pieces in float64."""
    for first in range(0, elements.numel(), CHUNK):
        yield elements[first : first + CHUNK].double()
