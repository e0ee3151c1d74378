"""Hazards, a row and a function each: what may cost time in a kernel, or surprise; each true of this body, with its numbers.

gather          rows of 64 B from in_ptr1, wherever the data points: at least 2 sectors of 32 bytes each
fusion stopped  buf3, 50.3 MB, goes through memory to rotary:4: the producer writes it in another order than the consumer reads it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.hazards import arithmetic, memory
from inductor_lab.computation import computation
from inductor_lab.records import Capture, Kernel

OF_A_BODY: tuple[tuple[str, Callable[[Context], Iterator[str]]], ...] = (
    ("gather", memory.gathers),
    ("atomics", memory.atomics),
    ("stride", memory.strides),
    ("narrow", memory.narrow),
    ("read twice", memory.repeated),
    ("read back", memory.read_back),
    ("written twice", memory.written_twice),
    ("idle", arithmetic.idle),
    ("remainder", arithmetic.redundant_remainders),
    ("one-hot", arithmetic.one_hots),
    ("choice", arithmetic.choices),
    ("small", arithmetic.too_small),
)
"""The most general first."""
OF_ITS_LAUNCH = {"idle", "small"}
"""Those that hold where a branch decides what happens too: blocks and programs tell them."""
OF_ITS_GRAPH: tuple[tuple[str, Callable[[Context, Capture], Iterator[str]]], ...] = (
    ("unread", memory.unread),
    ("fill", memory.fills),
    ("read again", memory.read_again),
    ("fusion stopped", memory.stopped),
)


def of_body(context: Context) -> list[str]:
    """Every remark that the body and its launch tell, `word: sentence`."""
    whole = not context.computation.branches
    checks = [(word, check) for word, check in OF_A_BODY if whole or word in OF_ITS_LAUNCH]
    return list(dict.fromkeys(f"{word}: {remark}" for word, check in checks for remark in check(context)))


def of_graph(context: Context, capture: Capture) -> list[str]:
    """Every remark that its neighbours tell, of symbolic sizes by those that the graph was compiled with."""
    return [f"{word}: {remark}" for word, check in OF_ITS_GRAPH for remark in check(context, capture)]


def unsought(kernel: Kernel) -> str:
    """Why those of its body were not looked for, `statements that only some programs do`; empty where they were."""
    try:
        found = computation(kernel)
    except ValueError:
        return "its text is not Python"
    return found.schedule.opaque if found.branches else ""
