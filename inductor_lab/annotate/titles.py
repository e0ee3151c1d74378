"""What a person would call each kernel, recognised from what its body computes: `residual add + rms_norm, 4,096 rows of 2,048 bf16`.

Where nothing has a name, the title is the expression over the model's own names, cut into named parts where it is long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.annotate.expressions import Called, written
from inductor_lab.annotate.summary import template, template_operators
from inductor_lab.aten import FOLDED
from inductor_lab.computation import Computation, computation, jobs_of
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.naming import functions
from inductor_lab.computation.naming.match import Asked
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.reading import SAID, SIMPLE, names
from inductor_lab.computation.naming.shapes import shape
from inductor_lab.computation.tree import Constant, Expression, Load, Operation, Reduction, walk
from inductor_lab.records import Capture, Kernel, Launch

MOST_PARTS = 4
GLUE = frozenset({"add", "sub", "mul", "div", "where"})
"""What stands between what has a name."""
PIECES = frozenset(
    {"pad", "gather", "linspace", "cat", "slice_scatter", "embedding", "avg_pool", "attention_mask", "tril", "triu", "causal_mask",
     "band_mask", "length_mask", "scan", "scatter", "scatter_add", "max_pool_backward", "avg_pool_backward", "bias_gradient", "softcap", "softplus",
     "elu", "hardswish", "hardsigmoid",
     "interpolation_index", "interpolation_weight", *(row.name for row in (*functions.ACTIVATION_BACKWARD, *functions.DROPOUTS))}
)  # fmt: skip
"""Names of what only picks elements or takes each by itself: what is computed besides is not of little account."""
OTHERWISE: Mapping[tuple[str, str], str] = {
    ("log", "softmax_statistics"): "row max and log of the sum of softmax",
}
"""An adjective and a name, where one does not simply stand before the other."""
ROTARY = frozenset({"rope", "rope_backward"})
ZEROS = "zero fill"
SCATTERED = frozenset({"embedding_backward", "max_pool_backward", "scatter_add", "scatter"})
"""Names of what writes into zeros of another kernel where data says."""
SHORT = 64
"""Characters of an expression that says more than the names in it."""


@dataclass(frozen=True)
class Naming:
    """What a kernel is called."""

    title: str
    recognised: tuple[str, ...]
    how: str
    """`recognised`, `expression`, `cut`: an expression with parts left out, `none`."""
    words: tuple[str, ...] = ()
    """The names of the title as identifiers, `residual_add` and `rms_norm`, for a function's name; nothing where it is an expression."""
    found: tuple[str, ...] = ()
    """What the expression of a title is, the additions and products between what is recognised too: `mul`, `add` and `relu`."""


class Namer:
    """Names the kernels of one capture."""

    def __init__(self, capture: Capture) -> None:
        self.capture, self.called = capture, Called(capture)
        self.kinds = {graph.id: graph.kind for graph in capture.graphs}
        folds = [kernel for kernel in capture.kernels if "reduction" in kernel.category]
        self.wrote, self.reads = _passed(folds, {"out", "inout"}), _passed(folds, {"in", "inout"})

    def name(self, kernel: Kernel) -> Naming:
        if kernel.category == "template":
            return Naming(template(kernel), (), "recognised", template_operators(kernel))
        if kernel.category == "user_autotune":
            return Naming(f"user kernel {kernel.name}", (), "recognised", (re.sub(r"_\d+$", "", kernel.name),))
        try:
            found = computation(kernel)
            named = self._named(kernel, found)
            half = self._half(kernel, found)
            if half and not named.title.startswith(half):
                return halved(named, half)
            user = self._is_for(kernel) if named.title.startswith(ZEROS) else ""
            if not user:
                return named
            words = tuple(f"{word}_for_{user}" for word in named.words)
            return replace(named, title=named.title.replace(ZEROS, f"{ZEROS} for {user}", 1), words=words)
        except (ValueError, RecursionError):  # not followed, or a formula deeper than anybody has a name for
            return Naming(", ".join(kernel.ops), (), "none")

    def _half(self, kernel: Kernel, found: Computation) -> str:
        """`partial` and `second half of`: of a fold that two kernels say they compute, by what lies between, which is no value of the graph."""
        first = kernel.launches[:1]
        folds = {
            node.name for node in kernel.claim.fragment if node.target.removeprefix("aten.").partition(".")[0] in FOLDED
        }

        def between(name: str, writer: Kernel, reader: Kernel, other: tuple[Kernel, Launch]) -> bool:
            unnamed = not set(writer.claim.nodes).issuperset(writer.claim.outputs)
            both = writer is not reader and not folds.isdisjoint(_claimed(*other))
            passed = other[1:] if writer is other[0] else first
            return unnamed and both and name in _stored_folds(passed, computation(writer))

        passed = [(launch.graph, argument.value) for launch in first for argument in launch.arguments if folds]
        behind = [(name, self.reads[graph, name]) for graph, name in passed if (graph, name) in self.reads]
        partial = any(
            between(name, kernel, other, (other, launch)) and name in _folded([launch], computation(other))
            for name, (other, launch) in behind
        )
        if partial:
            return "partial"
        folded = _folded(first, found) if folds else set()
        before = [(name, self.wrote.get((launch.graph, name))) for launch in first for name in folded]
        second = before and all(one and between(name, one[0], kernel, one) for name, one in before)
        return "second half of" if second else ""

    def _is_for(self, kernel: Kernel) -> str:
        """What the zeros of a fill are for: the name of the next kernel that writes into its memory where data says."""
        for launch in kernel.launches[:1]:
            filled = {argument.storage or argument.value for argument in launch.arguments if argument.type}
            later = [
                (other.line, user, {each.name for each in other.arguments if (each.storage or each.value) in filled})
                for user in self.capture.kernels
                for other in user.launches
                if other.graph == launch.graph and other.line > launch.line
            ]
            for _, user, pointers in sorted((one for one in later if one[2]), key=lambda one: one[0]):
                if _scatters(user, pointers):
                    return next((name for name in reversed(self.name(user).recognised) if name in SCATTERED), "")
        return ""

    def _named(self, kernel: Kernel, found: Computation) -> Naming:
        jobs = list(found.every())
        each = [_Job(job, self._asked(kernel, job), kernel) for job in jobs if job.stores]
        if not each:
            return Naming(", ".join(kernel.ops), (), "none")
        if len(each) == 1:
            return self._titled(each[0], kernel, found)
        called = self.called.of(kernel, found, jobs=True)
        said = Counter(" + ".join(job.said) or job.example(called) for job in each)
        listed = (f"{count} x {text}" if count > 1 else text for text, count in [*said.items()][:MOST_PARTS])
        return Naming(
            f"{len(each)} jobs: {', '.join(listed)}",
            tuple(dict.fromkeys(name for job in each for name in job.recognised)),
            "recognised" if all(job.said for job in each) else "expression",
            tuple(dict.fromkeys(word for job in each for word in job.words)),
        )

    def _titled(self, job: _Job, kernel: Kernel, found: Computation) -> Naming:
        """By its names where they tell, by its expression where that is whole, by what names there are where it is not."""
        size = shape(kernel, job.job)
        text = None if job.telling else written(job.job, self.called.of(kernel, found), SHORT)
        if text is None or (text.how == "cut" and job.said):
            return Naming(_with(" + ".join(job.said), size), job.recognised, "recognised", job.words)
        how = "recognised" if job.recognised else "cut" if text.how == "cut" else "expression"
        return Naming(_with(text.text, size), job.recognised, how, found=job.shown)

    def _asked(self, kernel: Kernel, job: Computation) -> Asked:
        graph = kernel.launches[0].graph if kernel.launches else kernel.graph
        operators, lowered = (
            frozenset(re.sub(r"^(aten|prims)\.", "", name).partition(".")[0] for name in names)
            for names in (kernel.claim.aten, (node.target for node in kernel.claim.fragment))
        )
        pointers = {argument.name: argument.dtype for argument in kernel.arguments if argument.pointer}
        passed = kernel.launches[0].arguments if kernel.launches else ()
        shapes = {argument.name: argument.type.shape for argument in passed if argument.type}
        return Asked(Normal(job), operators, self.kinds.get(graph, "unknown"), pointers, shapes, lowered)


def halved(named: Naming, half: str) -> Naming:
    """The first half of a fold is the last that folds: `relu_backward + partial sum`; its second half comes first: `second half of sum + add`."""
    if named.title.partition(" ")[2].startswith("= "):
        return replace(named, title=f"{half.removesuffix(' of')}: {named.title}", words=())
    words, parts = list(named.words), named.title.split(" + ", max(len(named.words) - 1, 0))
    last = half == "partial" and " + …" not in named.title  # which part it is of is not said beside "…"
    telling = [place for place, word in enumerate(words[: len(parts)]) if last and word not in GLUE]
    place = telling[-1] if telling else 0
    if parts[place].startswith(half):  # `partial statistics of layer_norm` says it already
        return named
    parts[place] = f"{half} {parts[place]}"
    if words:
        words[place] = f"{half.replace(' ', '_')}_{words[place]}"
    return replace(named, title=" + ".join(parts), words=tuple(words))


class _Job:
    """One job of a kernel with its names."""

    def __init__(self, job: Computation, asked: Asked, kernel: Kernel) -> None:
        self.job, self.asked = job, asked
        found, self.adjectives = names(job, asked)
        self.recognised = tuple(name for name in found if name in SAID)
        whole = any(name not in SIMPLE | PIECES for name in self.recognised)
        self.shown = tuple(name for name in found if not (whole and name in GLUE))
        """What is said: beside what computes much the additions between are of no account, beside what moves elements they are."""
        pieces = [name for name in self.recognised if name in PIECES]
        derived = any(name.endswith("_backward") for name in pieces)
        self.telling = whole or derived or (bool(pieces) and GLUE.isdisjoint(found))
        """Whether the names say more than a short expression."""

    @property
    def said(self) -> Sequence[str]:
        """The names for people, the simple ones left out where they are too many."""
        shown: Sequence[str] = self.shown if self.recognised else ()
        for known in (set(SAID), SAID.keys() - SIMPLE):
            if len(shown) > MOST_PARTS and not SIMPLE.issuperset(self.recognised):
                shown = [name for name in shown if name in known]
        text = [self._one(name) for name in shown[:MOST_PARTS]]
        return [*text, "…"] if len(shown) > MOST_PARTS else text

    @property
    def words(self) -> tuple[str, ...]:
        """What is said, as identifiers."""
        return tuple(re.sub(r"\W+|_(?=_)", "_", text).strip("_") for text in self.said if text != "…")

    def example(self, called: Mapping[str, str]) -> str:
        """Its expression; numbered tensors of one kind by one name."""
        text = written(self.job, called, SHORT).text
        return re.sub(r"\b(arg|primals_|buf)(\d+)(_1)?\b", lambda found: found[1].rstrip("_"), text)

    def _one(self, name: str) -> str:
        adjective, said = self.adjectives.get(name, ""), SAID.get(name, name)
        if name == "fill":
            return ZEROS if adjective == "0" else f"fill with {adjective}"
        if adjective.isdigit():
            often = "twice" if adjective == "2" else f"{adjective} times"
            return f"{said} of {adjective} tensors" if name in ROTARY else f"{said} {often}"
        return OTHERWISE.get((adjective, name)) or f"{adjective} {said}".strip()


Passed = Mapping[tuple[str, str], tuple[Kernel, Launch]]


def _passed(kernels: Iterable[Kernel], roles: Collection[str]) -> Passed:
    """Graph and variable -> the last launch that is passed it in such a role."""
    return {
        (launch.graph, argument.value): (kernel, launch)
        for kernel in kernels
        for launch in kernel.launches
        for argument in launch.arguments
        if argument.type and {one.name: one.role for one in kernel.arguments}.get(argument.name) in roles
    }


def _claimed(kernel: Kernel, launch: Launch) -> set[str]:
    """The nodes that a launch is said to compute: of the first launch by the comment above the kernel, of another by its own."""
    of = launch.provenance
    return {*kernel.claim.nodes} if launch is kernel.launches[0] else {*of.nodes, *of.pre_grad}


def _folded(launches: Iterable[Launch], found: Computation) -> set[str]:
    """What is passed to a kernel and folded as it is: what something is computed of first is no part of the fold."""
    values = walk(*(store.value for job in found.every() for store in job.stores if store.value is not None))
    taken = (_loaded(part) for value in values if isinstance(value, Reduction) for part in value.inputs)
    along = {part.pointer for part in taken if isinstance(part, Load)}
    return {argument.value for launch in launches for argument in launch.arguments if argument.name in along}


def _loaded(value: Expression) -> Expression:
    """A value without casts, shapes and a number where it does not exist."""
    while True:
        match seen(value):
            case Operation(name="where", inputs=(_, chosen, Constant())):
                value = chosen
            case inner:
                return inner


def _stored_folds(launches: Iterable[Launch], found: Computation) -> set[str]:
    """What is passed to a kernel and holds what it has folded rows to."""
    stores = (store for job in found.every() for store in job.stores)
    folds = {store.pointer for store in stores if store.value is not None and isinstance(seen(store.value), Reduction)}
    return {argument.value for launch in launches for argument in launch.arguments if argument.name in folds}


def _scatters(kernel: Kernel, pointers: Collection[str]) -> bool:
    """Whether a kernel stores, or adds, to what a pointer holds where data says."""
    stores = (store for job in jobs_of(kernel) for store in job.stores)
    return any((store.gathered or store.kind == "atomic_add") and store.pointer in pointers for store in stores)


def _with(text: str, size: str) -> str:
    return f"{text}, {size}" if size else text
