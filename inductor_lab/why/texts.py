"""The unified diff of two kernels' code, of which only what differs once names are set apart (`normal.py`) remains. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from inductor_lab.why.normal import Line

CONTEXT = 3
Edit = tuple[str, str]
"""`-`, `+` or a space, and a line."""


def unified(old: Sequence[Line], new: Sequence[Line], titles: tuple[str, str]) -> str:
    """The diff, each line as its side writes it; what is alike as the old side does. Empty where nothing differs."""
    made = list(edits(old, new))
    if all(mark == " " for mark, _ in made):
        return ""
    text = [f"--- {titles[0]}", f"+++ {titles[1]}"]
    for start, end in _hunks(made):
        before, part = made[:start], made[start:end]
        places = [
            f"{sum(mark != other for mark, _ in before) + 1},{sum(mark != other for mark, _ in part)}"
            for other in ("+", "-")
        ]
        text.append(f"@@ -{places[0]} +{places[1]} @@")
        text += [mark + line for mark, line in part]
    return "\n".join(text) + "\n"


def edits(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Edit]:
    """Every line of both, in order. Lines are alike where their skeletons are and each name stands for the one that it stood for before."""
    matcher = SequenceMatcher(None, [line.skeleton for line in old], [line.skeleton for line in new], autojunk=False)
    known: dict[str, str] = {}
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        if what == "equal":
            yield from _paired(old[i:i_end], new[j:j_end], known)
        else:
            yield from (("-", line.shown) for line in old[i:i_end])
            yield from (("+", line.shown) for line in new[j:j_end])


def _paired(old: Sequence[Line], new: Sequence[Line], known: dict[str, str]) -> Iterator[Edit]:
    removed: list[Edit] = []
    added: list[Edit] = []
    for one, other in zip(old, new, strict=True):
        if _means_the_same(one, other, known):
            yield from (*removed, *added)
            removed, added = [], []
            yield " ", one.shown
        else:
            removed.append(("-", one.shown))
            added.append(("+", other.shown))
    yield from (*removed, *added)


def _means_the_same(one: Line, other: Line, known: dict[str, str]) -> bool:
    """Whether what is read is the same on both sides; what is assigned stands for it from here on, also where it is not."""
    pairs = list(zip(one.names, other.names, strict=True))
    alike = all(known.setdefault(mine, theirs) == theirs for mine, theirs in pairs[one.assigned :])
    known.update(pairs[: one.assigned])
    return alike


def _hunks(made: Sequence[Edit]) -> list[tuple[int, int]]:
    """(start, end) of what is shown: every change and the lines around it."""
    found: list[tuple[int, int]] = []
    for position, (mark, _) in enumerate(made):
        if mark == " ":
            continue
        start, end = max(position - CONTEXT, 0), min(position + CONTEXT + 1, len(made))
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found
