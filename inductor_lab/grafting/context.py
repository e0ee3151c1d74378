"""`with graft("k.py", "other.py") as grafts:`: what a user opens, closes and prints."""

from __future__ import annotations

import ast
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from types import TracebackType
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.grafting import inductor, wrappers
from inductor_lab.grafting.hand import Hand, warn
from inductor_lab.grafting.inductor import Launch
from inductor_lab.records import Grafted, Kernel


def graft(*files: str | Path) -> Grafts:
    """Hand kernels for the compiled models that run inside of a `with`: each takes the place of the kernel, or of the span, that it was ejected from.

    A kernel is found by the hash of its body, at each launch: it does not matter whether the model is compiled inside of the `with`, before it, or
    comes from a cache. In a `with` inside of another the inner one's files come first. The state is the process's: backward runs on another thread.

    Raises:
        LabError: a file is no ejected file, or two are for one body.
    """
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            raise LabError(
                f"graft takes each file as an argument of its own, graft('a.py', 'b.py'); {file!r} is no path"
            )
    return Grafts([Hand(file) for file in files])


class Grafts:
    """Files whose kernels run in a model while the `with` is open; printed, it says what became of each."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        if not hands:
            raise LabError("graft takes at least one file; `inductor-lab eject` makes one")
        self._hands: dict[str, Hand] = {}
        for hand in hands:
            other = self._hands.setdefault(hand.body_sha256, hand)
            if other is not hand:
                raise LabError(
                    f"{other.path} and {hand.path} are both for {hand.kernel} (body {hand.body_sha256[:8]}): give one"
                )
        self._spans = [hand for hand in self._hands.values() if hand.steps]
        self._open = False
        self._others: dict[str, Kernel] = {}
        """Kernels that were launched and have no file here, by body."""
        self._lines: set[tuple[str, Any]] = set()
        """Lines of wrappers that launched a kernel with a file's name and another body."""

    @property
    def files(self) -> tuple[Grafted, ...]:
        """What became of each file's kernel so far."""
        return tuple(hand.record for hand in self._hands.values())

    def __enter__(self) -> Grafts:
        if self._open:
            raise LabError("this graft is open already; make another one with graft()")
        self._open = True
        inductor.listen(self._launch)
        if self._spans:
            wrappers.listen(self._spans)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        told = [*self._told()] if kind is None else []
        if self._spans:
            wrappers.leave(self._spans)
        inductor.leave(self._launch)
        self._open = False
        for message in told:
            warn(message)

    def __str__(self) -> str:
        return "\n".join(self._line(hand) for hand in self._hands.values())

    def _launch(self, launch: Launch, taken: bool) -> bool:
        hand = self._hands.get(launch.source.body_sha256)
        if hand is not None and taken:
            hand.why = hand.why or "a graft inside of this one has its kernel"
            return False
        if hand is not None:
            return hand.launch(launch)
        self._others.setdefault(launch.source.body_sha256, launch.source)
        for idle in self._hands.values():
            if idle.kernel == launch.source.name and not idle.why and not idle.launches:
                self._doubt(idle, launch)
        return False

    def _doubt(self, idle: Hand, launch: Launch) -> None:
        """A kernel has a file's name and another body. Names are no keys, so it is told when its graph runs again and the body has not come up."""
        if (idle.kernel, launch.line) in self._lines:
            idle.why = f"{self._absent(idle)}; eject that one and put your kernel into the new file"
            warn(f"{idle.path} is not used so far, the generated kernel runs: {idle.why}")
        self._lines.add((idle.kernel, launch.line))

    def _told(self) -> Iterator[str]:
        """What is not as the user may believe."""
        for hand in self._hands.values():
            if hand.recorded:
                yield (
                    f"{hand.path} is in a CUDA graph that was recorded under this graft and goes on using it; torch.compiler.reset() drops the graph"
                )
            if not hand.launches and not hand.why:
                hand.why = self._absent(hand)
                yield f"{hand.path} was not used: {hand.why}"

    def _absent(self, hand: Hand) -> str:
        if hand.steps and hand.places:
            return "the model's wrapper has its span and was not called inside of the `with`; a CUDA graph that was recorded before replays what it holds"
        if hand.steps and (like := wrappers.nearest(hand)):
            return f"no wrapper of the model has the span {hand.body_sha256[:8]} of {hand.kernel}, {like}"
        span = next((one for one in self._spans if one.launches and hand.body_sha256 in one.steps), None)
        if span:
            return f"{span.path} does its launches"
        if not self._others and inductor.wrote_only_cpp():
            return "the model was compiled for the CPU, where Inductor writes C++: there is no Triton kernel to graft; move it to the GPU"
        if not self._others:
            return (
                "nothing that torch.compile made launched a Triton kernel here; was the compiled model called inside of the `with`? A CUDA graph that was "
                "recorded before replays what it holds, and a wrapper in C++ launches by itself"
            )
        like = nearest(hand.path, self._others.values())
        unread = [source.name for source in self._others.values() if not source.body_sha256]
        like = like or (f"and the text of {', '.join(unread)} was not found" if unread else "")
        return (
            f"the model launches no kernel with the body {hand.body_sha256[:8]} of {hand.kernel}{like and ', '}{like}"
        )

    def _line(self, hand: Hand) -> str:
        record = hand.record
        places = ", ".join(f"{count} on {device}" for device, count in sorted(record.devices.items()))
        told = f"{record.launches:,} launch{'' if record.launches == 1 else 'es'} in the place of {record.kernel}{places and ': '}{places}"
        told += f", {record.recorded} of them recorded into CUDA graphs" if record.recorded else ""
        left = f"; {record.passed_over} by the generated kernel" if record.passed_over else ""
        return f"{record.file}: {told}{left}{': ' if record.message else ''}{record.message}"


SIMILAR = 0.5
"""Below this two bodies have little to do with each other."""


def nearest(file: Path, launched: Iterable[Kernel]) -> str:
    """A part of a sentence about the kernel that is nearest to a file's generated one."""
    ours = _generated(file)
    alike = [(SequenceMatcher(None, ours, _lines(source.body), autojunk=False), source) for source in launched]
    if not alike:
        return ""
    matcher, source = max(alike, key=lambda one: one[0].ratio())
    if matcher.ratio() < SIMILAR:
        return ""
    return f"nearest is {source.name} (body {source.body_sha256[:8]}){_difference(matcher, ours, _lines(source.body))}"


def _generated(file: Path) -> list[str]:
    """The body of the kernel that a file was ejected from."""
    text = file.read_text(encoding="utf-8")
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "generated":
            return _lines("\n".join(text.splitlines()[statement.body[0].lineno - 1 : statement.end_lineno]))
    return []


def _lines(body: str) -> list[str]:
    return [line.rstrip() for line in textwrap.dedent(body).splitlines() if line.strip()]


def _difference(matcher: SequenceMatcher[str], ours: list[str], theirs: list[str]) -> str:
    for what, first, end, other, other_end in matcher.get_opcodes():
        if what != "equal":
            here, there = (lines[0].strip() if lines else "" for lines in (ours[first:end], theirs[other:other_end]))
            return f", which has `{there}`" + (f" for `{here}`" if here else "") if there else f", which lacks `{here}`"
    return ", which differs in its arguments or helpers"
