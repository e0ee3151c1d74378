"""What a verb found, and what every object of Python's has that the command line can show: text where it is printed, HTML in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inductor_lab.records import MachineCode, PerfDiff, Replay, Tuning, Verdict
from inductor_lab.records.span import FoundSpan


class Shown:
    """Shown as the command line shows it."""

    def __rich__(self) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__()).rstrip()

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())


class OfRecord(Shown):
    """Every field of its record can be asked for here too."""

    record: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "record":  # copy and pickle ask before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.record == other.record


class ResultView(OfRecord):
    """What a verb found, shown as the command line shows it; every field of its record can be asked for here too."""

    def __init__(self, kind: str, record: Any) -> None:
        """Args:
        kind: A key of `SHOWN`.
        """
        self.record = record
        self._kind = kind

    def __rich__(self) -> Any:
        from rich.console import Group

        return Group(*SHOWN[self._kind](self.record))

    def __repr__(self) -> str:
        return str(self)

    def __getitem__(self, key: str | int) -> Any:
        """Of machine code of a file: `hand` or `generated`; of spans by position."""
        return self.record[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.record)


def _verdict(found: Verdict) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.verdict(found)


def _machine(found: MachineCode | Mapping[str, Sequence[MachineCode]]) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.machine_code({found.kernel: [found]} if isinstance(found, MachineCode) else found)


def _diff(found: PerfDiff) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.perf_diff(found)


def _tuning(found: Tuning) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.tuning(found)


def _replay(found: Replay) -> Iterable[Any]:
    from inductor_lab.report.outcomes import replayed

    return replayed(found)


def _spans(found: Sequence[FoundSpan]) -> Iterable[Any]:
    from inductor_lab.report import spans

    return (spans.table(found),)


SHOWN: Mapping[str, Callable[[Any], Iterable[Any]]] = {
    "verdict": _verdict,
    "machine": _machine,
    "diff": _diff,
    "tuning": _tuning,
    "replay": _replay,
    "spans": _spans,
}
"""What was found -> how it is shown."""
