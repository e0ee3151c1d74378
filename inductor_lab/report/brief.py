"""What is shown of a long kernel unless all of it is asked for: the first of its jobs, the first lines of its body, the tensors in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass

from inductor_lab.annotate.summary import computes, summary
from inductor_lab.computation import computation
from inductor_lab.records import Kernel

MOST_STORES = 4
MOST_LINES = 60
"""Lines of a body that are read in one go."""
MOST_ARGUMENTS = 24
BRANCHING = {"template", "user_autotune"}
"""Kernels whose branches are no jobs."""
LONGEST_STORE = 160
"""Characters of one of several stores."""
SHARING_OUT = re.compile(r"(num_xblocks_[1-9]\d*|\w*BLOCK\w*: tl\.constexpr) ?=")
"""A line before the first job that is about the others, or about blocks."""


@dataclass(frozen=True)
class Brief:
    """A kernel as it is shown."""

    computes: tuple[str, ...]
    """What it computes, a line a store."""
    unsaid: str
    """`53 more stores; 19 jobs, this is the first`: what the lines leave out; empty where they tell all."""
    lines: frozenset[int]
    """Those of the body that are shown, from 1."""
    arguments: frozenset[str]
    """Those that are shown."""
    left: str
    """`846 lines and 130 arguments more`; empty where all is shown."""


def brief(kernel: Kernel, *, full: bool = False) -> Brief:
    """What to show; all of it if `full`."""
    source = kernel.body.splitlines()
    whole = [number for number, line in enumerate(source, 1) if line.strip()]
    every = [argument.name for argument in kernel.arguments if argument.role != "constexpr"]
    first = _first_job(kernel) if len(whole) > MOST_LINES and not full else ()
    chosen = whole if full else [number for number in whole if not first or number in first][:MOST_LINES]
    named = set(re.findall(r"\w+", "\n".join(source[number - 1] for number in chosen)))
    shown = every if full else [name for name in every if not first or name in named][:MOST_ARGUMENTS]
    stores, unsaid = _stores(kernel, first=bool(first), full=full)
    left = _left(len(whole) - len(chosen), len(every) - len(shown))
    return Brief(stores, unsaid, frozenset(chosen), frozenset(shown), left)


def _stores(kernel: Kernel, *, first: bool, full: bool) -> tuple[tuple[str, ...], str]:
    """What it computes, or its first job does, and what is left out of that."""
    every = computes(kernel, LONGEST_STORE)
    if len(every) < 2:
        return (summary(kernel),), ""
    jobs = computation(kernel).parts if first else ()
    count = sum(access.value is not None for access in jobs[0].stores) if jobs else len(every)
    shown = every if full else every[: min(count, MOST_STORES)]
    left = len(every) - len(shown)
    said = [f"the first of {len(jobs)} jobs"] if jobs else []
    said += [f"{left} more store{'s' if left > 1 else ''}"] if left else []
    return shown, ", ".join(said)


def _first_job(kernel: Kernel) -> Collection[int]:
    """The lines that find the first of several jobs, and its own; none of a kernel that does one, or whose text is not followed."""
    try:
        jobs = computation(kernel).parts if kernel.category not in BRANCHING else ()
    except ValueError:
        return ()
    source, statements = kernel.body.splitlines(), ast.parse(kernel.body).body if jobs else []
    chain = next((each for each in statements if isinstance(each, ast.If)), None)
    if chain is None:
        return ()
    before = [number for number in range(1, chain.lineno) if not SHARING_OUT.match(source[number - 1])]
    last = chain.body[-1].end_lineno or chain.body[-1].lineno
    return {*before, *range(chain.lineno, last + 1)}


def _left(lines: int, arguments: int) -> str:
    counts = [
        f"{count:,} {word}{'s' if count > 1 else ''}"
        for count, word in ((lines, "line"), (arguments, "argument"))
        if count
    ]
    return f"{' and '.join(counts)} more" if counts else ""
