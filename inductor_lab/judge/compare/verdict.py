"""The verdict on one file: runs its cases in order, and finds the simplest inputs on which a wrong kernel still fails.

x, weight, bias as drawn        x 1.5 at [3, 7], else 0; all others 0

What is right: `limits`.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from inductor_lab.ejected import is_edited, is_span, judged_hash
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.compare.judge import Judge, Tried, failed_case
from inductor_lab.judge.compare.limits import nearness
from inductor_lab.judge.inputs.cases import (
    REAL,
    Asked,
    Plan,
    asked_plans,
    blocks_of,
    is_large,
    load_inputs,
    real_inputs,
    save_inputs,
    total_bytes,
)
from inductor_lab.judge.inputs.domains import domain
from inductor_lab.judge.inputs.placement import Placement
from inductor_lab.judge.process.file_parts import forbidden_name
from inductor_lab.judge.process.kernel_process import EndedError, HangsError
from inductor_lab.records import Case, Verdict

Values = Mapping[str, torch.Tensor]
Inputs = Sequence[tuple[Plan, Callable[[], Values]]]
"""The cases, and what draws the inputs of each."""
Placed = tuple[Values, Placement]
"""Inputs as they were drawn, and as they lie in memory."""
TELLING = 2.0
"""Seconds that are worth being told about."""
BUDGET = 3.0
"""Seconds after which what was found so far is the answer."""
AHEAD, ROOM = min(4, max(2, (os.cpu_count() or 1) // 4)), 1 << 32
"""Cases whose inputs are drawn and placed while another is tried, by a thread each; fewer where both together take more bytes than there is room for."""


def verdict(
    judge: Judge,
    asked: Asked,
    content: bytes,
    begin: Callable[[str, str], None],
    did: Callable[[Case], None],
    ended: Callable[[], str],
) -> Verdict:
    """Every case, and where the first one that failed is wrong.

    Args:
        content: What the file held before any of it ran.
        begin: Told each case as it begins, and how far that is: the how many-th it is, and about how long the others take.
        did: Told each one that has an end.
        ended: Says how the process ended that runs the kernel.
    """
    tried = _all_tried(judge, asked, begin, did, ended)
    text = content.decode("utf-8")
    if all(one.case.passed for one in tried) and (name := forbidden_name(text)):
        tried.append(Tried(failed_case("what the file uses", name), "eager", 0.0))
    cases = tuple(one.case for one in tried)
    passed = all(case.passed for case in cases)
    measured = [one for one in tried if one.case.errors]
    by_eager = [one for one in measured if one.against == "eager" or not one.case.passed]
    nearest = max(by_eager or measured, key=lambda one: nearness(one.case.errors["hand"], one.limit), default=tried[0])
    notes = [
        *_edited(judge.path, text),
        *_saved_since(judge.path, content),
        *_basis(judge, tried, "equals" if passed else "held to"),
        *_ran(judge),
        *judge.notes,
    ]
    if passed and not (asked.case or asked.inputs):
        notes += judge.coverage.missing()
    word, judged, where = "pass" if passed else "fail", judged_hash(text), judge.file.ORIGIN.get("target", "triton")
    return Verdict(word, nearest.case.errors, nearest.limit, cases, device(where), tuple(notes), judged)


def _all_tried(
    judge: Judge,
    asked: Asked,
    begin: Callable[[str, str], None],
    did: Callable[[Case], None],
    ended: Callable[[], str],
) -> list[Tried]:
    """The cases up to where no other would say more; the first one that failed with what is wrong."""
    tried: list[Tried] = []
    if alone.INTERPRETING and is_large(judge.file):
        begin("how long a launch takes", "")
    inputs, began = _inputs(judge, asked), time.monotonic()
    for number, (plan, draw) in enumerate(_drawn_ahead(judge, inputs)):
        begin(plan.name, far(number, len(inputs), time.monotonic() - began))
        gc.collect()  # the case before has left tensors in cycles
        values, placement = draw()
        try:
            tried.append(judge.tried(plan, values, placement))
            did(tried[-1].case)
            if asked.fail_fast and not tried[-1].case.passed:
                break
            if len(tried) == 1 and not tried[0].runs:
                judge.note("no other case was tried")
                break
            if [one.case.passed for one in tried].count(False) == 1 and not tried[-1].case.passed:
                begin(f"{plan.name}: where it is wrong", "")
                tried[-1] = _explained(judge, asked, plan, values, tried[-1])
                if asked.effort != "thorough" and judge.time.long:
                    judge.note("the cases behind it were left out, since each takes seconds; --thorough runs them")
                    break
        except (HangsError, EndedError) as error:
            how = str(error) if isinstance(error, HangsError) else ended()
            tried.append(Tried(failed_case(plan.name, how), "eager", 0.0, extreme=plan.is_extreme))
            if asked.save:
                save_inputs(Path(asked.save), judge.path, plan, values, how)
            break
        except LabError as error:
            if all(one.case.passed for one in tried):
                raise
            judge.note(f"no other case was tried: {error}")  # a fail stays one
            break
        del values, placement  # before there are others
    return tried


def _drawn_ahead(judge: Judge, inputs: Inputs) -> Iterator[tuple[Plan, Callable[[], Placed]]]:
    """The cases in order. On a card the inputs of the next ones are drawn in threads while one is tried: of large tensors that takes as long as all else."""
    ahead = 0 if alone.INTERPRETING else min(AHEAD, ROOM // max(1, 2 * total_bytes(judge.file)))
    threads = ThreadPoolExecutor(max(1, ahead))
    drawn = deque[tuple[Plan, Callable[[], Placed]]]()

    def placed(plan: Plan, draw: Callable[[], Values]) -> Placed:
        return (values := draw()), judge.placed(plan, values)

    try:
        for plan, draw in inputs:  # what asks the card itself waits for its turn
            made = partial(placed, plan, draw)
            drawn.append((plan, threads.submit(made).result if ahead and not plan.boundaries else made))
            if len(drawn) > ahead:
                yield drawn.popleft()
        while drawn:
            yield drawn.popleft()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _saved_since(path: Path, content: bytes) -> list[str]:
    same = path.is_file() and path.read_bytes() == content
    return [] if same else ["saved anew while it was judged: the verdict is of what it was before"]


def far(number: int, count: int, seconds: float) -> str:
    """`3 of 8, about 25 s left`: the rest as the cases before it took."""
    left = seconds / number * (count - number) if number else 0.0
    return f"{number + 1} of {count}" + (f", about {left:.0f} s left" if left > TELLING else "")


def _inputs(judge: Judge, asked: Asked) -> Inputs:
    if asked.inputs:
        name, plan, values = load_inputs(Path(asked.inputs), judge.file)
        return [(replace(plan, name=name, blocks=plan.blocks or blocks_of(judge.file)[0]), lambda: values)]
    real = real_inputs(judge.path, judge.file) if asked.case in ("", REAL) else None
    given = [(real[0], lambda: real[1])] if real else []
    return (
        given
        if given and asked.case
        else [
            *given,
            *((plan, partial(judge.drawn, plan)) for plan in asked_plans(judge.path, judge.file, asked, judge.time)),
        ]
    )


def _explained(judge: Judge, asked: Asked, plan: Plan, values: Values, found: Tried) -> Tried:
    """The same with the first wrong element, and with the smallest inputs that still fail."""
    if judge.ran and plan.sampled:  # what all wrong elements have in common is told of all
        plan = replace(plan, sampled=False)
        whole = judge.tried(plan, values)
        if whole.case.passed:
            return found
        found = whole
    where = judge.where(found, values)
    if where and not plan.sizes:
        only = replace(plan, only=found.written)
        fewer, words = reduced(judge.file.ARGUMENTS, values, lambda each: not judge.tried(only, each).case.passed)
        where["smallest"] = words
        if asked.save:
            save_inputs(Path(asked.save), judge.path, plan, fewer, found.case.message)
    elif asked.save:
        save_inputs(Path(asked.save), judge.path, plan, values, found.case.message)
    return replace(found, case=replace(found.case, where=where))


def _ran(judge: Judge) -> list[str]:
    """What of a large launch was not run."""
    if judge.time.long and judge.whole:
        return [f"all programs of the launch ran in each case, though it is large: {judge.whole}"]
    if judge.ran is None:
        return []
    count, programs = len(judge.ran.places), math.prod(judge.ran.grid)
    where = "in a case" if judge.time.long else "under its own blocks"
    return [
        f"{count} of the launch's {programs:,} programs ran {where}: the first, the last, and some that were drawn; --thorough runs all"
    ]


def _edited(path: Path, text: str) -> list[str]:
    notes = []
    if is_edited(text, path):
        notes.append("edited since it was ejected")
        if f"Judged    sha256 {judged_hash(text)}," not in text:
            notes.append(
                "what it must equal, its inputs or its baseline were edited too: the verdict holds against those only"
            )
    return notes


def _basis(judge: Judge, tried: list[Tried], word: str) -> list[str]:
    """Against what the file held.

    Not told of cases with values among which eager itself overflows: there a few elements follow the generated kernel, which says nothing.
    """
    file = judge.file
    if file.reference is None:
        return [f"{word} what the generated kernel computes; eager is not known because {file.UNKNOWN}"]
    usual = [one for one in tried if not one.extreme]
    by_generated = [one.case.name for one in usual if one.against == "generated"]
    measured = [one for one in usual if one.case.errors]
    same = any(one.against == "eager" for one in measured) if file.aten is file.reference else judge.agrees_with_graph()
    if same:
        notes = [f"{word} eager (ATen), judged by float64"]
    else:
        why = file.UNKNOWN if same is None else "the graph's values are not what the kernel computes"
        generated = "the generated kernel computes, as PyTorch printed from it"
        if is_span(file):
            generated = "the captured steps compute one after the other, as PyTorch printed from them"
        notes = [f"{word} what {generated}; eager is not known because {why}"]
    other = [one.case.name for one in usual if not one.agrees]
    if other:
        notes.append(f"the generated kernel itself does not compute what the reference says, in: {', '.join(other)}")
    if by_generated:
        notes.append(f"held to the generated kernel itself, not to that reference, in: {', '.join(by_generated)}")
    return notes


# ------------------------------------------------------------ the simplest inputs on which it fails


def reduced(
    arguments: Mapping[str, Any], values: Mapping[str, torch.Tensor], fails: Callable[[dict[str, torch.Tensor]], bool]
) -> tuple[dict[str, torch.Tensor], str]:
    """Delta debugging (Zeller and Hildebrandt, 2002) over elements, tensor by tensor.

    Returns the values and a sentence that says what they are.
    """
    end = time.monotonic() + BUDGET
    found = {name: value for name, value in values.items() if not domain(arguments, name).same}
    own = list(found)  # of two names of one memory, the one that it was drawn for
    plain = {name: domain(arguments, name).plain(values[name]) for name in own}

    def still(simpler: Mapping[str, torch.Tensor]) -> bool:
        return time.monotonic() < end and fails({**found, **simpler})

    def made_plain(names: list[str]) -> None:
        """All at once where they do not matter, else the halves of them."""
        if still({name: plain[name] for name in names}):
            found.update((name, plain[name]) for name in names)
        elif len(names) > 1:
            made_plain(names[: len(names) // 2])
            made_plain(names[len(names) // 2 :])

    def fails_with(name: str) -> Callable[[torch.Tensor], bool]:
        return lambda value: still({name: value})

    made_plain(sorted(own, key=lambda one: -values[one].numel()))
    for name in own:
        if not torch.equal(found[name], plain[name]):
            found[name] = _fewest(found[name], plain[name], fails_with(name), end)
    told: dict[str, list[str]] = {}
    for name in own:
        told.setdefault(_words(found[name], plain[name]), []).append(name)
    return found, _told(told)


def _told(names: Mapping[str, list[str]]) -> str:
    """`index, table as drawn; all others 0`: what is alike together, the largest part of what is plain last."""
    *before, last = sorted(names, key=lambda words: words.startswith("all ") * len(names[words]))
    said = [f"{', '.join(names[words])} {words}" for words in before]
    others = said and last.startswith("all ") and len(names[last]) > 1
    return "; ".join([*said, f"all others {last[4:]}" if others else f"{', '.join(names[last])} {last}"])


def _fewest(
    value: torch.Tensor, plain: torch.Tensor, fails: Callable[[torch.Tensor], bool], end: float
) -> torch.Tensor:
    """As few elements as can be that are not plain: halves are made plain in turn, then quarters ..."""
    kept = (value != plain).reshape(-1).nonzero().reshape(-1)
    pieces = 2
    while len(kept) > 1 and time.monotonic() < end:
        for piece in kept.chunk(pieces):
            rest = kept[~torch.isin(kept, piece)]
            if time.monotonic() < end and fails(_with(plain, value, rest)):
                kept, pieces = rest, max(pieces - 1, 2)
                break
        else:
            if pieces >= len(kept):
                break
            pieces = min(2 * pieces, len(kept))
    return _with(plain, value, kept)


def _with(plain: torch.Tensor, value: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    made = plain.clone()
    made.reshape(-1)[places] = value.reshape(-1)[places]
    return made


def _words(value: torch.Tensor, plain: torch.Tensor) -> str:
    other = ~((value == plain) | (value.isnan() & plain.isnan()))
    count = int(other.sum())
    same = plain.numel() and bool((plain == plain.reshape(-1)[0]).all())
    rest = _number(plain.reshape(-1)[0].item()) if same else ""
    if not count:
        return f"all {rest}" if rest else "as drawn"
    if count > 3 or not rest:
        return f"as drawn at {count} of {value.numel()} places" if rest and count < value.numel() else "as drawn"
    places = [tuple(place.tolist()) for place in other.nonzero()]
    named = ", ".join(f"{_number(value[place].item())} at {list(place)}" for place in places)
    return named + (f", else {rest}" if value.numel() > count else "")


def _number(value: float | int | bool) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def device(target: str = "triton") -> str:
    """Where kernels run that are written for this: `triton`, or `cuda` for CUDA C++."""
    if alone.DEVICE == "cuda":
        return str(torch.cuda.get_device_name())
    return "the CPU, as C++ built by g++" if target == "cuda" else "Triton's interpreter on the CPU"
