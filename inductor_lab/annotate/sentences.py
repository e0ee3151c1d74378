"""One sentence for each statement of a body, from what the statement is: its trees, its accesses, its place in the frame.

tmp0 = tl.load(in_ptr0 + (x0), xmask)       buf1 f32[9, 96]; element by element
tmp2 = tmp0 + tmp1                          in_ptr0 + 1.0
"""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate import accesses, frame, values
from inductor_lab.annotate.context import Context
from inductor_lab.annotate.lines import Lines, plain, shortened
from inductor_lab.computation.schedule import (
    Alias,
    Assert,
    Barrier,
    Define,
    Effect,
    Fixed,
    Frame,
    Loop,
    Reached,
    Said,
    Statement,
)
from inductor_lab.computation.tree import Constant, Load, Operation

SAID = {
    "only where": "only where {}",
    "promise": "a promise to the compiler: {}",
    "checked": "checked when the kernel is compiled: {}",
    "return": "this program is done",
    "text": "computes nothing",
    "": "no rule of this explanation fits; read it as Triton",
}
"""What is said of what only the text tells."""


def sentences(context: Context) -> Iterator[tuple[Statement, str]]:
    """Each statement of a kernel with its sentence, job by job."""
    for job in context.kernel_computation.jobs():
        context.enter(job)
        lines = Lines(context, job)
        for statement in job.told:
            yield statement, sentence(statement, lines)


def sentence(statement: Statement, lines: Lines) -> str:
    """The sentence on one statement; the names that it gives are known from then on."""
    context, what = lines.context, statement.what
    match what:
        case Frame():
            lines.frame(what)
            return frame.frame(what, context)
        case Alias(of=of):
            return f"another name for {of}"
        case Fixed(value=value):
            return f"{value}, fixed when the kernel is compiled"
        case Said(kind=kind, text=text):
            return SAID[kind].format(shortened(text))
        case Reached():
            return accesses.reached(what)
        case Effect(access=access):
            return accesses.effect(access, lines)
        case Assert(check=check):
            return f"stops the kernel if {check.message}" if check.message else "stops the kernel if this is false"
        case Barrier():
            return accesses.barrier(statement.line, context)
        case Loop():
            return frame.loop(what, context, sharing=lines.parted)
        case Define():
            lines.begin(what)
            told = _defined(what, lines)
            lines.end(what)
            return told


def _defined(step: Define, lines: Lines) -> str:
    if step.loads and isinstance(plain(step.values[0]), Load):
        return accesses.load(step, lines)
    if len(step.names) > 1 and all(isinstance(found, Constant) for found in step.values):
        return f"{', '.join(map(lines.meaning, step.values))}: one for each name"
    told = values.value(step, lines)
    return f"{told}; nothing reads it" if lines.dead and isinstance(plain(step.values[0]), Operation) else told
