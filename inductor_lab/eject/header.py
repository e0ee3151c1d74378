"""The header of an ejected file: its title, where the kernel is from, and what it replaces, as far as the graph or the body tells."""

from __future__ import annotations

from pathlib import Path

from inductor_lab.aten import EXTERN
from inductor_lab.bind.claims import SILENT, differences
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.rendering import Header
from inductor_lab.eject.title import title
from inductor_lab.records import Capture, Kernel, SourceLine

TITLE = 117
"""Characters of the first line, less the quotation marks before it."""
SOURCE_LINES = 4
"""Lines of the user's program that the header quotes."""


def header(plan: Plan, file: str) -> Header:
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


def quoted(text: str) -> str:
    """A log's text as it may stand in a docstring: it can neither end it nor escape out of a character."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.replace("\\", "\\\\").replace('"""', "'''")
