"""The hook into Inductor for spans: rewrites loaded wrappers so that a span's steps become one call.

    a module of Inductor's -> its steps -> the span of a file's hash -> its function's code, rewritten -> put back when the last `with` is over

A function's `__code__` is replaced, not the function: whoever holds it, `runner.call` or a partition in a CUDA graph's tree, runs the new one, and no
cache holds anything of it: what Inductor keeps is the module's text. All modules come through `PyCodeCache.load_by_key_path`
(torch/_inductor/codecache.py). Read in torch 2.13, with wrappers of 2.11 to 2.15; run with 2.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.grafting.hand import Hand
from inductor_lab.grafting.inductor import give_back, take_place, text_of
from inductor_lab.grafting.splicing import Splicer
from inductor_lab.read.kernel import list_source
from inductor_lab.read.module import Module, read_module
from inductor_lab.read.wrapper import WrapperStep
from inductor_lab.records import Kernel
from inductor_lab.records.span import Span
from inductor_lab.spans.wrapper import SpanWrapper


@dataclass
class _Wrapper:
    """A module of Inductor's that runs a graph, and what of it is replaced."""

    module: ModuleType
    text: str
    replaced: dict[FunctionType, CodeType] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    """Of hand kernels, among the module's globals."""

    @cached_property
    def held(self) -> Module:
        """What Inductor's text of it holds."""
        return read_module(self.text)

    @cached_property
    def kernels(self) -> dict[str, Kernel]:
        return {one.name: list_source(one.text)[0] for one in self.held.definitions}

    @cached_property
    def steps_read(self) -> SpanWrapper:
        return SpanWrapper(self.held, self.kernels)

    def signature(self, steps: Sequence[WrapperStep]) -> list[str]:
        """As `Hand.steps`."""
        return [
            self.kernels[one.function].body_sha256 if one.launch and one.function in self.kernels else one.function
            for one in steps
        ]

    def spans(self, sought: Hand) -> Iterator[Span]:
        """Where a span stands: the same steps, passed the same, with the same read behind them."""
        length = len(sought.steps)
        for function in self.steps_read.functions:
            signature = self.signature(function.steps)
            first = 0
            while first + length <= len(signature):
                found = (
                    self._span(function.steps[first : first + length])
                    if signature[first : first + length] == [*sought.steps]
                    else None
                )
                if found is not None and found.sha256 == sought.body_sha256:
                    yield found
                    first += length
                else:
                    first += 1

    def _span(self, steps: Sequence[WrapperStep]) -> Span | None:
        try:
            return self.steps_read.span((steps[0].line, steps[-1].line))
        except LabError:
            return None

    def rewrite(self, hands: Sequence[Hand]) -> None:
        """Put hand kernels in their places, the first ones first, in the place of whatever was there."""
        self.restore()
        taken: set[int] = set()
        places: list[tuple[Span, Hand]] = []
        for hand in hands:
            for span in self.spans(hand):
                if span.lines & taken:
                    hand.why = hand.why or "a graft inside of this one has a part of its steps"
                else:
                    places.append((span, hand))
                    taken |= span.lines
        tree = ast.parse(self.text)
        splicer = Splicer(tree)
        for span, hand in sorted(places, key=lambda place: min(place[0].lines)):
            name = f"_hand_{next(_numbers)}"
            try:
                splicer.graft_in(span, name, hand.numbers)
            except LabError as error:
                hand.why = str(error)
                continue
            hand.places += 1
            self.names.append(name)
            where = f"lines {min(span.lines)} to {max(span.lines)} of {self.module.__file__}"
            setattr(self.module, name, partial(hand.asked, where))
        if self.names:
            self._replace(tree)

    def _replace(self, tree: ast.Module) -> None:
        """Of each function that asks for a hand kernel the code."""
        asking = {
            (one.name, one.lineno): one
            for one in ast.walk(tree)
            if isinstance(one, ast.FunctionDef)
            and {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} & {*self.names}
        }
        for function in _functions(self.module):
            made = asking.get((function.__name__, function.__code__.co_firstlineno))
            if made is not None:
                names: dict[str, Any] = {}
                exec(compile(ast.Module([made], type_ignores=[]), str(self.module.__file__), "exec"), names)
                self.replaced[function] = function.__code__
                function.__code__ = names[made.name].__code__

    def restore(self) -> None:
        for function, code in self.replaced.items():
            function.__code__ = code
        for name in self.names:
            delattr(self.module, name)
        self.replaced.clear()
        self.names.clear()


_open: list[Sequence[Hand]] = []
_wrappers: dict[int, _Wrapper] = {}
"""By the module's identity, while somebody asks."""
_lock = RLock()
_numbers = count()


def listen(hands: Sequence[Hand]) -> None:
    """Put hand kernels in the place of their spans, before those that were asked for already."""
    from torch._inductor.codecache import PyCodeCache

    with _lock:
        _open.append(hands)
        take_place(PyCodeCache, "load_by_key_path", _seen_when_loaded)
        for module in PyCodeCache.modules:
            _see(module)
        _rewrite_all()


def leave(hands: Sequence[Hand]) -> None:
    """Ask for these no more; with the last ones all is as Inductor made it."""
    from torch._inductor.codecache import PyCodeCache

    with _lock:
        _open.remove(hands)
        _rewrite_all()
        if not _open:
            _wrappers.clear()
            give_back(PyCodeCache, "load_by_key_path")


def nearest(sought: Hand) -> str:
    """A part of a sentence about where most of a span's steps stand, and the first that differs."""
    names = sought.names
    best: tuple[int, str] = (0, "")
    for wrapper in _wrappers.values():
        for function in wrapper.steps_read.functions:
            theirs = wrapper.signature(function.steps)
            for first in range(len(theirs)):
                same = [ours == other for ours, other in zip(sought.steps, theirs[first:], strict=False)]
                if sum(same) > best[0]:
                    where = f"{wrapper.module.__file__}, line {function.steps[first].line}"
                    best = sum(same), f"nearest is {where}: {_difference(names, function.steps[first:], same)}"
    return best[1] or (f"no wrapper launches {names[0]}" if _wrappers else "")


def _difference(names: Sequence[str], steps: Sequence[WrapperStep], same: Sequence[bool]) -> str:
    if all(same) and len(same) == len(names):
        return f"all its {len(names)} steps are there, but what they are passed, or what of it is read behind them, is not what the file was ejected from"
    first = same.index(False) if False in same else len(same)
    stands = (steps[first].function or steps[first].barrier) if first < len(steps) else "the end"
    other = "another " if stands == names[first] else ""
    return f"{sum(same)} of its {len(names)} steps are there, and where {names[first]} was stands {other}{stands}"


def _see(module: ModuleType) -> _Wrapper | None:
    """What runs a graph; a kernel's own module does not."""
    if id(module) not in _wrappers:
        text = text_of(str(module.__file__))
        if not callable(getattr(module, "call", None)) or "async_compile" not in text:
            return None
        _wrappers[id(module)] = _Wrapper(module, text)
    return _wrappers[id(module)]


def _rewrite_all() -> None:
    hands = [hand for several in reversed(_open) for hand in several]
    for hand in hands:
        hand.places = 0
    for wrapper in _wrappers.values():
        _rewrite(wrapper, hands)


def _rewrite(wrapper: _Wrapper, hands: Sequence[Hand]) -> None:
    try:
        wrapper.rewrite(hands)
    except (LabError, ValueError, SyntaxError):  # no wrapper in Python
        wrapper.restore()


def _seen_when_loaded(load: Any) -> Any:
    """A `load_by_key_path` that puts hand kernels into what it loads."""

    def load_by_key_path(*given: Any, **named: Any) -> ModuleType:
        module: ModuleType = load(*given, **named)
        with _lock:
            if _open and id(module) not in _wrappers and (wrapper := _see(module)):
                _rewrite(wrapper, [hand for several in reversed(_open) for hand in several])
        return module

    return load_by_key_path


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """A module's functions, and those of its classes: `partition_0`, `Runner.call`."""
    for value in vars(module).values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            yield from (one for one in vars(value).values() if isinstance(one, FunctionType))
