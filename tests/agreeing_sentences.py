"""What the sentences of `show` say in numbers, held to counted addresses: whoever prints them, and from what.

"each of 64 values serves 40 elements, 2 elements apart"   ->   64 different elements, each used 40 times, 2 between neighbours
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from agreeing import Seen, beside
from agreeing_titles import titled
from agreeing_values import Claim, valued
from counting import WIDTHS, letters, run, small

from inductor_lab.annotate import explain
from inductor_lab.annotate.titles import Naming
from inductor_lab.quantity import size
from inductor_lab.records import Capture, Kernel

N = r"([\d,]+)"

TOLD = {
    "walk over (?:the|a) ": r"range\(0, ",
    "walk over this program's part": r"range\(rsplit_start, rsplit_end, ",
    "keep it in cache": "evict_last",
    "marked evict_first": "evict_first",
    "persistent, no loop": r"^\s*R\w*BLOCK\w*: tl\.constexpr = \d+$",
    "over this turn's rows": r", 0\)",
    "stops the kernel if": "device_assert",
}
"""What a sentence says of its line's own text, and what then stands there."""


def claimed(kernel: Kernel, capture: Capture, named: Naming | None = None) -> Iterator[Claim]:
    """What is said of each access and of each value of a kernel, in a small launch.

    Raises:
        UncountedError: it can not be run.
    """
    launched = small(kernel)
    whole = launched.body == kernel.body
    seen = {one.line: Seen(one, launched) for one in run(launched) if one.addresses is not None and one.met is not None}
    notes: dict[int, list[str]] = defaultdict(list)
    found: list[Claim] = []
    for note in explain(launched, capture):
        if not note.line:
            counted = read_twice(note.text, launched, seen.values()) if whole else None
            found += [] if counted is None else [Claim(0, note.text, note.text, counted, "a hazard")]
            continue
        notes[note.line].append(note.text)
        if (one := seen.get(note.line)) and one.known and one.live.size and not one.touched.drawn:
            same = [each for each in seen.values() if each.touched.pointer == one.touched.pointer and each is not one]
            others = [other for other in same if other.touched.kind == "load"] if whole else None
            found += (Claim(note.line, note.text, said, counted) for said, counted in claims(note.text, one, others))
        if said := re.search(rf"BLOCK\w* is ([\d, or]+), (?:each of )?which divides? {N}", note.text):
            rest = [block for block in re.split(", | or ", said[1]) if number(said[2]) % number(block)]
            found.append(Claim(note.line, note.text, said[0], f"{rest}" if rest else "", "a line's text"))
        text = launched.body.splitlines()[note.line - 1]
        for sentence, source in TOLD.items():
            if said := re.search(sentence, note.text):
                counted = "" if re.search(source, text) else text
                found.append(Claim(note.line, note.text, said[0], counted, "a line's text"))
    values, ran = valued(launched, notes, whole=whole)
    found += values
    if named:
        found += (Claim(0, named.title, said, counted, "a title") for said, counted in titled(kernel, named, ran))
    yield from found
    held = {(claim.line, claim.sentence) for claim in found}
    yield from (
        Claim(line, text, "", "", "not held")
        for line, texts in notes.items()
        for text in texts
        if (line, text) not in held
    )


def claims(text: str, one: Seen, others: Sequence[Seen] | None = None) -> Iterator[tuple[str, str]]:
    """(what a sentence says, what was counted where that is something else); `others` load the same tensor, of a launch that is whole."""
    values, first, gaps = one.elements.size, int(one.elements[0]), np.diff(one.elements)
    least, most = int(one.times.min()), int(one.times.max())

    def held(said: re.Match[str], counted: str, *, so: bool) -> tuple[str, str]:
        return said[0], "" if so else counted

    if said := re.search(rf"each of {N} values (?:serves (?:{N}|several) elements|is read again)", text):
        uses = number(said[2]) == least == most if said[2] else most > 1
        yield held(said, f"{values} values, each serves {least} to {most}", so=number(said[1]) == values and uses)
    if said := re.search("element by element|one value for each row", text):
        yield held(said, f"each serves {least} to {most}", so=most == 1)
    if said := re.search("each value serves several", text):
        yield held(said, "each serves one", so=most > 1)
    if said := re.search(rf"one value, element {N}, for the whole launch", text):
        yield held(said, f"{values} values from {first}", so=values == 1 and number(said[1]) == first)
    if (said := re.search(rf", {N} elements apart", text)) and gaps.size:
        steps = {abs(int(lines[0][0, 1] - lines[0][0, 0])) for axis in one.touched.dims if (lines := one.along(axis))}
        yield held(said, f"{gaps.min()} apart, steps of {steps}", so=number(said[1]) in {int(gaps.min()), *steps})
    if said := re.search(rf"from element {N}", text):
        yield held(said, f"from element {first}", so=number(said[1]) == first)
    if said := re.search(rf"{N} of every {N} elements", text):
        ends = np.flatnonzero(gaps != 1)
        length = int(ends[0]) + 1 if ends.size else values
        step = int(one.elements[length]) - first if ends.size else number(said[2])
        yield held(said, f"{length} of every {step}", so=(length, step) == (number(said[1]), number(said[2])))
    yield from walks(text, one)
    if others is not None and (said := re.search("it is read again", text)):
        met = any(beside(one, other) in {"same", "part"} for other in others)
        yield held(said, "each is loaded once", so=one.again or met)
    if said := re.search(r"only where .*, (\S+) elsewhere", text):
        fill = one.touched.other or "nothing"
        yield held(said, f"{fill} elsewhere", so=value(fill) == value(said[1]))
    else:
        yield "no mask", "" if one.mask.all() else "a mask leaves some out"


def read_twice(text: str, kernel: Kernel, seen: Iterable[Seen]) -> str | None:
    """Of "read twice: in_ptr0 has 2 loads, 8.2 KB by address for 4.1 KB" what was counted, nothing where it is so; None for another text."""
    if not (said := re.match(rf"read twice: (\w+) has {N} loads, ([\d.,]+ \w+) by address for ([\d.,]+ \w+)", text)):
        return None
    loads = [one for one in seen if one.touched.pointer == said[1] and one.touched.kind == "load"]
    if not all(one.known for one in loads):
        return None
    width = WIDTHS[letters(kernel, said[1])]
    each, once = (
        sum(one.elements.size for one in loads),
        np.unique(np.concatenate([one.elements for one in loads])).size,
    )
    counted = len(loads), size(each * width), size(once * width)
    return "" if counted == (number(said[2]), said[3], said[4]) else f"{counted}"


WALKED = re.compile(
    rf"(?:(?P<next>consecutive)|in runs of (?P<run>{N})|(?P<step>{N}) apart) "
    rf"(?:along (?:the (?P<row>reduction)|(?P<axis>[xyz]))|from (?P<rows>row) to row)(?: for (?P<time>{N}) at a time)?"
)
"""How neighbours along an axis lie to each other."""


def walks(text: str, one: Seen) -> Iterator[tuple[str, str]]:
    """The same of what is said of an axis: the steps that most neighbours are apart, and where runs of them end."""
    for said in WALKED.finditer(text):
        rows = [axis for axis in one.touched.dims if axis.startswith("r") == bool(said["row"])]
        axis = said["axis"] or (rows[0] if len(rows) == 1 else "")
        if axis not in one.touched.dims or (lines := one.along(axis)) is None:
            continue
        alive = [addresses[mask] for addresses, mask in zip(*lines, strict=True) if mask.sum() > 1]
        for line in alive[:: max(len(alive) // 16, 1)]:
            steps, length = np.diff(line), number(said["run"] or said["time"] or "0")
            ends = np.arange(1, steps.size + 1) % length == 0 if length else np.zeros(steps.size, bool)
            most = (abs(steps[~ends]) == number(said["step"] or "1")).mean()
            goes_on = said["run"] and ends.any() and (steps[ends] == 1).all()
            if goes_on or most < (1 if length else 0.5):
                yield said[0], f"steps of {steps[:6]} along {axis}"
                break
        else:
            yield said[0], ""


def number(text: str) -> int:
    return int(text.replace(",", ""))


def value(fill: str) -> float | str:
    """`0.0` and `False` are one number."""
    named = {"False": 0.0, "True": 1.0}
    try:
        return named[fill] if fill in named else float(fill)
    except ValueError:
        return fill
