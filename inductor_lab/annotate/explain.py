"""One kernel explained: the launch, the bound, the hazards, what the comment claims, and a note for every line of the body.

A line's sentence is told from what its statement is: its trees, its accesses, its place in the frame.

tmp0 = tl.load(in_ptr0 + (x0), xmask)       buf1 f32[9, 96]; element by element
tmp2 = tmp0 + tmp1                          in_ptr0 + 1.0
"""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate import accesses, frame
from inductor_lab.annotate import value_sentences as values
from inductor_lab.annotate.context import Context, Lines, plain, shortened
from inductor_lab.annotate.hazards import of_body
from inductor_lab.annotate.neighbours import of_graph
from inductor_lab.bind.claims import differences
from inductor_lab.bind.geometry import sentence, tried
from inductor_lab.computation import Computation, computation
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
from inductor_lab.costs import launches, roofline
from inductor_lab.costs.hints import Hints, first_graph, hinted, of_graphs
from inductor_lab.costs.traffic import traffic, uncounted, workspace
from inductor_lab.gpus import Card
from inductor_lab.quantity import size
from inductor_lab.records import Capture, Kernel, Note, Traffic

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
            yield statement, statement_sentence(statement, lines)


def statement_sentence(statement: Statement, lines: Lines) -> str:
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


def explain(kernel: Kernel, capture: Capture, context: Context | None = None) -> list[Note]:
    """Notes on the whole kernel (line 0), then one for each line of `kernel.body` that is not empty, in order."""
    try:
        context = context or Context(kernel, capture)
    except ValueError as error:
        return [Note(0, f"{error}; its lines are not explained", "hazard"), *_unread(kernel)]
    hints = of_graphs(capture).get(first_graph(kernel), {})
    counted = kernel.traffic if kernel.traffic.read is not None else traffic(kernel, hints)
    concrete = hinted(kernel, kernel.launches[0], hints) if counted.hinted and kernel.launches else kernel
    likely = launches.told(concrete, counted, context.card)
    notes = [
        Note(0, _launch(kernel, context, hints), "launch"),
        Note(0, _bound(kernel, counted, context.card, hints, binds=not likely), "traffic"),
    ]
    notes += [
        Note(0, text, kind) for text, kind in ((likely, "estimate"), (tried(kernel, context.card), "choices")) if text
    ]
    notes += [Note(0, remark, "hazard") for remark in _hazards(kernel, concrete, context, capture, hints)]
    notes += [Note(0, remark, "claim") for remark in (difference.text for difference in differences(kernel))]
    return notes + _lines(kernel, context)


def _hazards(kernel: Kernel, concrete: Kernel, context: Context, capture: Capture, hints: Hints) -> Iterator[str]:
    """What holds whatever the sizes are, then what does with those that it was compiled with: of a graph's buffers all does."""
    found = of_body(context)
    others = of_graph(context, capture)
    if concrete is not kernel and _symbolic(context.kernel_computation):
        known = {text.partition(": ")[0] for text in found}
        new = (text for text in of_body(Context(concrete, capture)) if text.partition(": ")[0] not in known)
        others = [*new, *others]
    yield from found
    yield from (f"{text} ({_sizes(hints)})" if hints else text for text in others)


def _lines(kernel: Kernel, context: Context) -> list[Note]:
    by_line: dict[int, str] = {}
    for statement, said in sentences(context):
        by_line[statement.line] = said
        for line in range(statement.line + 1, statement.last + 1):
            by_line.setdefault(line, f"continues line {statement.line}")
    texts = kernel.body.splitlines()
    return [
        Note(
            number,
            by_line.get(number) or _between(line),
            origin=context.source(number),
            node=context.node(number),
        )
        for number, line in enumerate(texts, 1)
        if line.strip()
    ]


def _between(line: str) -> str:
    """What a line says that is no statement of its own."""
    said = line.strip()
    return "otherwise" if said == "else:" else "a comment" if said.startswith("#") else "part of the block above"


def _unread(kernel: Kernel) -> list[Note]:
    return [Note(n, "not explained") for n, line in enumerate(kernel.body.splitlines(), 1) if line.strip()]


def _launch(kernel: Kernel, context: Context, hints: Hints) -> str:
    """The launch in words; of a dynamic shape also as it was when the graph was compiled."""
    words = sentence(kernel, context.kernel_computation, context.card)
    if not (_symbolic(context.kernel_computation) and kernel.launches and hints):
        return words
    as_compiled = hinted(kernel, kernel.launches[0], hints)
    found = computation(as_compiled)
    return words if _symbolic(found) else f"{words}; {_sizes(hints)}: {sentence(as_compiled, found, context.card)}"


def _symbolic(found: Computation) -> bool:
    return any(isinstance(numel, str) for part in found.every() for numel in part.numel.values())


def _sizes(hints: Hints) -> str:
    """`when compiled, s77 = 4,096`."""
    return "when compiled, " + ", ".join(f"{name} = {value:,}" for name, value in hints.items())


def _bound(kernel: Kernel, counted: Traffic, on: Card, hints: Hints, *, binds: bool) -> str:
    """What a launch moves, the floor on the card, and what binds it there, unless the estimate says that something else does."""
    found = roofline.bound(counted, on)
    if found is None:
        return f"traffic not counted: {uncounted(kernel)}"
    least = "at least " if counted.least else ""
    moved = f"moves {least}{size(found.bytes)}: {size(counted.read)} read, {size(counted.written)} written"
    if (beside := workspace(kernel, on)) is not None:
        moved += f", beside what its programs leave for each other in a workspace of {size(beside)}"
    if counted.hinted:
        moved += f" ({_sizes(hints)})" if hints else ", by the sizes it was compiled with"
    if counted.least:
        epilogue = ", what its epilogue reads" if "load" in kernel.ops else ""
        moved += f", its operands{epilogue} and its result once each"
    return f"{moved}; {roofline.told(found, counted, on, binds=binds)}"
