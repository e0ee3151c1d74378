"""The header of an ejected file: its title, where the kernel is from, and what it replaces, as far as the graph or the body tells.

The title is what the chief output is made of, in the file's own names, on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from inductor_lab.aten import EXTERN
from inductor_lab.bind.claims import SILENT, differences
from inductor_lab.computation import Access, Computation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.text import LEFT_OUT, Writer
from inductor_lab.computation.tree import Constant, Expression, Load, Reduction, pointers, walk
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.binding.tensors import IDLE, Tensor
from inductor_lab.eject.file.literals import quoted
from inductor_lab.eject.rendering import Header
from inductor_lab.records import Capture, Kernel, SourceLine

TITLE = 117
"""Characters of the first line, less the quotation marks before it."""
SOURCE_LINES = 4
"""Lines of the user's program that the header quotes."""


def header_of(plan: Plan, file: str) -> Header:
    """The docstring's parts, of which no text of a log can end it."""
    kernel = plan.kernel
    return Header(
        quoted(_title(plan)), quoted(plan.capture.name), plan.launch.graph, kernel.id.rpartition(":")[2], kernel.name,
        ", ".join(replaced_by(plan)), plan.graph_form is not None, tuple(quoted(f"{Path(line.file).name}:{line.line}  {line.code}") for line in _source(plan)),
        quoted(target(plan.capture)), kernel.body_sha256[:16], quoted(file),
    )  # fmt: skip


def _title(plan: Plan) -> str:
    ending = f": one fusion of `{plan.capture.name}`, ejected to be edited."
    found, tensors = plan.found, plan.tensors
    if plan.table:
        kind = max((one.kind for one in plan.table.kinds), key=lambda kind: len(kind.jobs))
        found, tensors = kind.jobs[0].found, kind.jobs[0].called(kind.words)
        ending = f", in {len(plan.table.jobs)} jobs{ending}"
    return title(found, tensors, plan.name, TITLE - len(ending)) + ending


def replaced_by(plan: Plan) -> list[str]:
    """The operators of the graph's form; without one what Inductor's comment claims."""
    if plan.graph_form is None:
        return claimed(plan.kernel)
    nodes = plan.graph.nodes or plan.kernel.claim.fragment
    primitive = [node.target.removesuffix(".default") for node in nodes if node.target.startswith("prims.")]
    full = {name.rpartition(".")[2]: name for name in (*primitive, *plan.kernel.claim.aten)}
    return [full.get(name, f"aten.{name}") for name in plan.graph_form.operators]


def claimed(kernel: Kernel) -> list[str]:
    """The operators that the comment names, less those that other kernels or a library compute."""
    elsewhere = {name for found in differences(kernel) for name in found.what}
    named = [name for name in kernel.claim.aten if name not in elsewhere]
    return [name for name in named if not _called_by_the_wrapper(name, kernel)]


def _called_by_the_wrapper(name: str, kernel: Kernel) -> bool:
    """Whether a claimed operator is a library's call, of which the body has no trace.

    A sum that is claimed for a convolution's backward alone is the gradient of its bias.
    """
    operator = name.rpartition(".")[2]
    if kernel.category in {"template", "user_autotune"} or "dot" in kernel.ops:
        return False
    if operator == "convolution_backward":
        others = {claimed.rpartition(".")[2] for claimed in kernel.claim.aten} - SILENT - {operator}
        return bool(others) or "sum" not in kernel.ops
    if operator in {"sort", "topk"}:
        return not any(word.startswith(("sort", "topk")) for word in kernel.ops)
    return operator in EXTERN or operator.startswith("_scaled_dot_product")


def _source(plan: Plan) -> list[SourceLine]:
    """The lines of the user's program that are nearest to what is stored, in the order in which this launch is made of them."""
    own = list(plan.launch.provenance.source or plan.kernel.source)
    nodes = {node.name: node for node in plan.graph.nodes}
    held = [name for tensor in plan.written if (name := tensor.node.rpartition(" ")[2]) in nodes]
    claimed = [name for name in plan.kernel.claim.outputs if name in nodes]
    order = {name: number for number, name in enumerate(nodes)}
    waiting = sorted(dict.fromkeys(claimed or held), key=lambda name: -order[name])  # the last is made of the others
    inside, seen = {*plan.kernel.claim.nodes, *waiting}, list(dict.fromkeys(waiting))
    for name in seen:
        seen += [argument for argument in nodes[name].arguments if argument in inside & nodes.keys() - {*seen}]
    near = list(dict.fromkeys(line for name in seen if (line := nodes[name].source) is not None))
    chosen = sorted(own, key=lambda line: near.index(line) if line in near else len(near))[:SOURCE_LINES]
    return [line for line in own if line in chosen]


def target(capture: Capture) -> str:
    """The card and the versions that a capture is for."""
    gpu = capture.gpu.name or "a GPU that the log does not name"
    versions = ", ".join(
        f"{name} {version}" for name, version in (("torch", capture.torch), ("triton", capture.triton)) if version
    )
    absent = ", not there when this was captured" if capture.gpu.virtual else ""
    return f"{gpu} ({capture.gpu.arch or 'unknown'}){absent}{', ' + versions if versions else ''}"


# ------------------------------------------------------------ the title


LONGEST = 72
"""Characters of a title."""
MOST = 3
"""Tensors that a call names, of those that it writes and of those that it reads."""
SUM_OF_EXP = ("online_softmax", "sum")
_POSITION = re.compile(r"\b([xyzr]\d?_?\d+|[xyzr]\d?_?(index|mask)|ks\d+|tmp\d+)\b")
"""Names of Inductor's that no title may say: only the finished sentence tells whether a phrase put one in it."""


@dataclass(frozen=True)
class Output:
    """One store of a kernel, and the job that it is part of."""

    job: Computation
    store: Access

    @property
    def value(self) -> Expression:
        assert self.store.value is not None
        return self.store.value


def title(found: Computation, tensors: Mapping[str, Tensor], name: str, limit: int = LONGEST) -> str:
    """`out = relu(x + bias)`; `second = exp(x ** 2); also first` where more is written: the formula is of the first one alone.

    Where no formula fits, it is the kernel's name over what it reads: `out = layer_norm(x, weight, bias)`. That is of all that the kernel
    writes: `norm, total and 2 more = residual_add_layer_norm(x, residual, ...)`.
    """
    chief = outputs(found, tensors)
    chosen = [tensors[output.store.pointer] for output in chief]
    written = [*chosen, *(each for each in tensors.values() if each.role != "in")]
    names = list(dict.fromkeys(each.name for each in written))
    if chief and not found.schedule.opaque:
        rest = f"; also {_listed(names[1:], 1)}" if names[1:] else ""
        if formula := _formula(chief[0], tensors, limit - len(rest)):
            return formula + rest
    return _called(name, tensors.values(), names, limit)


def outputs(found: Computation, tensors: Mapping[str, Tensor]) -> list[Output]:
    """The stores that no other is made of: what is computed before what is copied, the largest first, of these the last."""
    stores = [
        Output(job, access)
        for job in found.every()
        for access in job.stores
        if access.value is not None and access.pointer in tensors
    ]
    made = [(seen(output.value), _parts(output)) for output in stores]
    chief = [output for output in stores if not _is_part(seen(output.value), made)]
    chief = [output for output in chief if tensors[output.store.pointer].type.dtype != "bool"] or chief
    chief = chief if found.parts else chief[::-1]
    return sorted(chief, key=lambda output: (_bare(output.value), -tensors[output.store.pointer].numel()))


def _parts(output: Output) -> frozenset[Expression]:
    """All that a stored value is made of; nothing for a mask, which is no reason to leave out what it was made from."""
    if seen(output.value).dtype in {"int1", "bool"}:
        return frozenset()
    return frozenset(map(seen, walk(output.value)))


def _is_part(value: Expression, made: Sequence[tuple[Expression, frozenset[Expression]]]) -> bool:
    """Whether a store's value is part of another one's: not a bare copy or a constant."""
    return not _bare(value) and any(value in parts for whole, parts in made if whole is not value)


def _bare(value: Expression) -> bool:
    return isinstance(seen(value), (Load, Constant))


def _formula(output: Output, tensors: Mapping[str, Tensor], limit: int) -> str:
    """`out = relu(x + bias)`; empty where it is too long, or where elements are not where they were: gathered, scattered, reversed, shifted."""
    store = output.store
    if store.gathered or any(_moved(access) for access in output.job.loads if access.pointer in pointers(output.value)):
        return ""
    called = {pointer: tensor.name for pointer, tensor in tensors.items()}
    text = Writer(output.job, None, called).text(output.value, 4 * LONGEST)
    sign = "+=" if store.kind == "atomic_add" else "="
    whole = f"{tensors[store.pointer].name} {sign} {text}"
    hidden = LEFT_OUT in text or _takes_maximum_off(output.value) or _POSITION.search(text)
    return "" if hidden or len(whole) > limit else whole


def _takes_maximum_off(value: Expression) -> bool:
    """Whether it is made of a sum of exponentials that takes the row's maximum off first, which its name does not say."""
    return any(isinstance(node, (Reduction, Partial)) and (node.name, node.part) == SUM_OF_EXP for node in walk(value))


def _moved(access: Access) -> bool:
    return bool(access.gathered) or any(term.factor < 0 for term in access.index.terms)


def _called(name: str, tensors: Iterable[Tensor], written: Sequence[str], limit: int) -> str:
    """`out, total = layer_norm(x, weight, bias)`, with as many tensors as fit, of those that are written before those that are read."""
    read = [tensor.name for tensor in tensors if tensor.role != "out" and tensor.node != IDLE]
    for left, right in product(range(MOST, 0, -1), range(MOST, -1, -1)):
        shown = [*read[:right], *(["..."] if len(read) > right else [])]
        target = f"{_listed(written, left)} = " if written else ""
        text = f"{target}{name}({', '.join(shown)})"
        if len(text) <= limit:
            break
    return text


def _listed(names: Sequence[str], most: int) -> str:
    """`norm, total and 2 more`."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")
