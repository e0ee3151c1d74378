"""What each graph of the captured program is given and returns at its first call: statistics, and the values where the user asked for them.

On a real card the compiled graph itself is looked at as it is called. For a virtual one, whose code never runs, `virtual_gpu` calls in what stands
for it. Written beside the fingerprint, GRAPH.json and GRAPH.npz; the parent puts them into the capture (`outcome`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from inductor_lab import kept
from inductor_lab.capture import statistics
from inductor_lab.capture.problems import problem
from inductor_lab.document import to_dict
from inductor_lab.quantity import size

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
        with _reported(graph):
            look.at("given", inputs)  # before the call, which may change them
        outputs = call(inputs) if call else None
        with _reported(graph):
            if outputs is not None:
                look.at("returned", outputs if isinstance(outputs, (tuple, list)) else [outputs])
            look.write(self.folder)
        return outputs


@contextmanager
def _reported(graph: str) -> Iterator[None]:
    """A look that fails (a full disk, memory that is out) is a problem of the capture, and none of the program."""
    try:
        yield
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        problem(f"what graph {graph} was given and returned could not be kept ({type(error).__name__}: {first})")


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
        self.told[word].append(to_dict(statistics.observed("", value, look=self.size <= statistics.MOST)))
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
