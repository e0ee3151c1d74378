"""Facts of a kernel and a capture as plain data, for the terminal and the HTML page alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.annotate import explain, titled
from inductor_lab.annotate.context import Context
from inductor_lab.bind.names import Tensor, full_name, passed_as, scratch, tensors, term
from inductor_lab.computation import jobs_of
from inductor_lab.gpus import Card
from inductor_lab.quantity import article, shape
from inductor_lab.records import Argument, Capture, Kernel, Note, SourceLine
from inductor_lab.spans import unread

ROLES = {
    "in": "read",
    "out": "written",
    "inout": "read and written",
    "size": "size",
    "constexpr": "chosen by the autotuner",
}


@dataclass(frozen=True)
class Facts:
    """One kernel, ready to be shown."""

    kernel: Kernel
    computes: str
    marks: tuple[str, ...]
    """`in place`, `atomic`, `gather`: what a reader wants to know before the first line."""
    notes: dict[str, tuple[str, ...]]
    """Notes on the whole kernel by kind."""
    lines: tuple[Note, ...]
    """The notes on single lines."""
    tensors: dict[str, Tensor]
    called: Mapping[str, Mapping[str, str]]
    """Graph -> the wrapper's variables of its inputs -> the program's names."""
    unread: tuple[str, ...]
    """Outputs that nobody reads behind any launch."""


def facts(kernel: Kernel, capture: Capture) -> Facts:
    """Everything that is known of one kernel."""
    named, notes = told(kernel, capture)
    kinds: dict[str, tuple[str, ...]] = {}
    for note in notes:
        if note.line == 0:
            kinds[note.kind] = (*kinds.get(note.kind, ()), note.text)
    lines = tuple(note for note in notes if note.line)
    called = {graph.id: passed_as(graph) for graph in capture.graphs}
    return Facts(kernel, titled(kernel), marks(kernel), kinds, lines, named, called, unread(capture, kernel))


def told(kernel: Kernel, capture: Capture) -> tuple[dict[str, Tensor], list[Note]]:
    """The tensors behind a kernel's pointers, and the notes on it, which call them by their names."""
    try:
        context = Context(kernel, capture, unread(capture, kernel))
        named = context.tensors
    except ValueError:
        context, named = None, tensors(kernel, capture, None)
    return named, [replace(note, text=spoken(note.text, named)) for note in explain(kernel, capture, context)]


def spoken(text: str, named: Mapping[str, Tensor]) -> str:
    """`relu(x + fc.bias)` of `relu(in_ptr0 + in_ptr1)`: an expression with the names that the table of arguments has.

    The reader in `over fc.bias, which in_ptr1 reads` stays an argument: its tensor is the one that was named.
    """
    return POINTER.sub(lambda found: _name(named[found[1]], found[2]) if found[1] in named else found[0], text)


POINTER = re.compile(r"\b((?:in_out|in|out)_ptr\d+)(_new)?\b(?! reads: in place)")


def _name(tensor: Tensor, suffix: str | None) -> str:
    """`fc.bias`, `mm_3_new?`, or what the graph calls that."""
    if suffix and tensor.becomes:
        return tensor.becomes
    name = term(tensor.input) if tensor.input and tensor.certain else tensor.label
    return name.removesuffix("?") + (suffix or "") + "?" * name.endswith("?")


@dataclass(frozen=True)
class ArgumentRow:
    """One argument, as the first launch passes it."""

    name: str
    passed: str
    type: str
    holds: str
    role: str


def arguments(known: Facts) -> Iterator[ArgumentRow]:
    """A row for each argument of a kernel."""
    kernel = known.kernel
    passed = {a.name: a.value for a in (kernel.launches[0].arguments if kernel.launches else ())}
    for argument in kernel.arguments:
        tensor = known.tensors.get(argument.name)
        kind = shape(tensor.type) if tensor and tensor.type else argument.dtype
        done = role(argument, kernel, known.unread)
        yield ArgumentRow(argument.name, passed.get(argument.name, ""), kind, holds(tensor), done)


def holds(tensor: Tensor | None) -> str:
    """What of the program, else the graph's node, is behind a pointer; said to be likely where only the order speaks for it."""
    if tensor and tensor.input:
        return full_name(tensor.input) if tensor.certain else f"likely {full_name(tensor.input)}"
    if tensor is None:
        return ""
    known = tensor.node is not None and tensor.node.name != tensor.value
    before = ("" if tensor.certain else "likely ") + tensor.node.name if tensor.node and known else ""
    return ", ".join(filter(None, (before, f"then {tensor.becomes}" if tensor.becomes else "")))


@dataclass(frozen=True)
class Launched:
    """One of a kernel's several launches, by what sets it apart."""

    number: int
    """From 1, in the order of the text."""
    at: str
    """`0_inference:123`, graph and line of its module."""
    passed: str
    """`in_ptr0 = norm.weight, out_ptr0 = buf3`, the arguments that are not the same in every launch."""
    place: str
    """`models.py:31`, what this launch was made of; empty where the text does not say."""


def launches(kernel: Kernel, called: Mapping[str, Mapping[str, str]]) -> tuple[Launched, ...]:
    """Every launch of a kernel that has several; nothing where one tells it all.

    Args:
        called: What the program calls the inputs of each graph.
    """
    if len(kernel.launches) < 2:
        return ()
    passed = [
        {a.name: called.get(launch.graph, {}).get(a.value, a.value) for a in launch.arguments}
        for launch in kernel.launches
    ]
    names = list(dict.fromkeys(name for values in passed for name in values))
    apart = [name for name in names if len({values.get(name) for values in passed}) > 1]
    return tuple(
        Launched(
            number,
            f"{launch.graph}:{launch.line}",
            ", ".join(f"{name} = {values[name]}" for name in apart if name in values),
            _places(launch.provenance.source),
        )
        for number, (launch, values) in enumerate(zip(kernel.launches, passed, strict=True), 1)
    )


def _places(lines: Sequence[SourceLine]) -> str:
    """`models.py:31, models.py:40 and 3 more`."""
    told = ", ".join(line.place for line in lines[:MOST_PLACES])
    return f"{told} and {len(lines) - MOST_PLACES} more" if len(lines) > MOST_PLACES else told


MOST_PLACES = 3


def marks(kernel: Kernel) -> tuple[str, ...]:
    """Short words on a kernel's nature, as far as the model's tensors are concerned: scratch memory says nothing of it."""
    passed = {a.name: a.value for launch in kernel.launches[:1] for a in launch.arguments if a.type}
    read = {passed[a.name] for a in kernel.arguments if a.role == "in" and a.name in passed}
    inout = any(
        passed.get(a.name) in read if a.role == "out" else a.role == "inout" and not scratch(kernel, a.name)
        for a in kernel.arguments
    )
    atomic = any(op.startswith("atomic") for op in kernel.ops)
    found = {"in place": inout and not atomic, "atomic": atomic, "gather": _gathers(kernel)}
    return tuple(word for word, holds in found.items() if holds)


def _gathers(kernel: Kernel) -> bool:
    """Whether values of a tensor say where another one is read; where the body can not be followed, by its words."""
    if "load.gather" not in kernel.ops:
        return False
    found = jobs_of(kernel)
    if not found or not any(scratch(kernel, argument.name) for argument in kernel.arguments):
        return True
    return any(load.gathered and not scratch(kernel, load.pointer) for job in found for load in job.loads)


def role(argument: Argument, kernel: Kernel, unread: Collection[str] = ()) -> str:
    """What a kernel does with an argument, and whether it is one of those that nobody reads behind it."""
    done = _done(argument, kernel)
    return f"{done}; nobody reads it behind the kernel" if argument.name in unread else done


def _done(argument: Argument, kernel: Kernel) -> str:
    if argument.untouched:
        return "not touched: its branch is not compiled"
    if argument.pointer and scratch(kernel, argument.name):  # programs read there what others have left
        split = any(other.name == "RSPLIT" for other in kernel.arguments)
        return ROLES["inout"] + ", if RSPLIT is above 1" * split
    if argument.role == "out" and _read_back(argument.name, kernel):
        return "written, then read"
    if argument.role == "size" and argument.name.startswith("load_seed_offset"):
        return "which seed"
    if argument.role == "size" and argument.dtype.startswith("float"):
        return "number"
    return ROLES.get(argument.role, argument.role)


def _read_back(pointer: str, kernel: Kernel) -> bool:
    return any(load.pointer == pointer for job in jobs_of(kernel) for load in job.loads)


def target(capture: Capture, on: Card) -> str:
    """`NVIDIA H200 (sm_90), not present`: what the kernels were made for."""
    assumed = f"{capture.gpu.arch or 'a card that the text does not name'}, taken for {article(on.label)} {on.label}"
    name = capture.gpu.name or assumed
    arch = f" ({capture.gpu.arch})" if capture.gpu.name and capture.gpu.arch else ""
    return f"{name}{arch}{', generated without the card' if capture.gpu.virtual else ''}"


TRACED = {
    "artifact": "from Inductor's own record of which lines became which kernel",
    "graph": "those of the graph's nodes that the comment above the kernel names",
    "written": "those of the graph's nodes that lead to what it writes, as no comment names any",
    "comment": "from the comment above the kernel alone, which may name too many",
    "unknown": "unknown: the text does not say what this was made from",
}


def traced(kernel: Kernel) -> str:
    """How the user's lines are known, and the lines that called them."""
    known = kernel.provenance
    if known.origin == "unknown" and kernel.source:
        return ""  # captured before this was kept
    callers = dict.fromkeys(frame for stack in known.stacks for frame in stack[:-1])
    called = ", ".join(frame.place for frame in callers)
    missing = "" if kernel.source or known.origin == "unknown" else "; no line of the program is named"
    return TRACED.get(known.origin, known.origin) + missing + (f"; called from {called}" if called else "")
