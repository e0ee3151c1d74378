"""The fused kernels that the talk points at, as our captures of DLRM have them; `dlrm_tables.py` writes them.

A name of the talk's is one of Inductor's operators; that of a kernel is all that are in it. No kernel is a concatenation: what would be its
inputs are written into parts of its result, by the kernels that compute them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from inductor_lab import store
from inductor_lab.records import Capture, Kernel, Launch

ROOT = Path(__file__).parents[2]
CAPTURES = ("dlrm_h200", "dlrm_train_h200")
TALK = {"fused_relu": "relu", "fused_cat": "cat", "fused_embedding": "embedding", "fused_sigmoid_squeeze": "sigmoid"}
"""The talk's name -> what our catalog recognises, except `cat`."""
MODEL = "inductor_lab/models/dlrm.py"

Launched = tuple[Kernel, Launch]


def launched(capture: Capture) -> list[Launched]:
    """The launches of the forward, or of inference, where the talk looks."""
    forward = {graph.id for graph in capture.graphs if graph.kind != "backward"}
    return [(kernel, launch) for kernel in capture.kernels for launch in kernel.launches if launch.graph in forward]


def meant(found: str, launches: list[Launched]) -> list[Launched]:
    """The launches of a kernel in which that is recognised; for `cat`, those that write a part of it."""
    if found != "cat":
        return [(kernel, launch) for kernel, launch in launches if found in kernel.recognised]
    whole = {
        argument.storage: argument.value
        for kernel, launch in launches
        if "cat" in kernel.claim.inputs
        for argument in launch.arguments
        if argument.name.startswith("in_ptr")
    }
    return [
        (kernel, launch)
        for kernel, launch in launches
        if any(one.value != whole.get(one.storage, one.value) for one in launch.arguments)
    ]


def rows(capture: Capture) -> Iterator[str]:
    """A row for each name of the talk's and each kind of kernel: kernels that differ in their number alone are one kind."""
    launches = launched(capture)
    for name, found in TALK.items():
        for kind, alike in groupby(meant(found, launches), lambda one: one[0].name.rpartition("_")[0]):
            yield row(name, capture.name, kind, list(alike))


def row(name: str, capture: str, kind: str, alike: list[Launched]) -> str:
    kernels = list({kernel.id: kernel for kernel, _ in alike}.values())
    numbers = [kernel.name.rpartition("_")[2] for kernel in kernels]
    to = f" to `_{numbers[-1]}`" if len(numbers) > 1 else ""
    lines = sorted({source.line for _, launch in alike for source in launch.provenance.source if source.file == MODEL})
    linked = ", ".join(f"[{line}](../../../../{MODEL}#L{line})" for line in lines)
    title = kernels[0].title.replace("|", "\\|")
    return (
        f"| `{name}` | `{capture}` | `{kind}_{numbers[0]}`{to} | {len(kernels)} | {len(alike)} | `{title}` | {linked} |"
    )


def captures() -> Iterator[Capture]:
    return (store.load(ROOT / "captured" / name) for name in CAPTURES)


def counted(captures: Iterable[Capture]) -> str:
    """The kernels of each forward."""
    counts = []
    for capture in captures:
        launches = launched(capture)
        counts.append(f"`{capture.name}` {len({kernel.id for kernel, _ in launches})} in {len(launches)} launches")
    return ", ".join(counts)


def table(captures: Iterable[Capture]) -> str:
    """Markdown: each name of the talk's and the kernels that have it in our captures."""
    captures = list(captures)
    head = (
        "| in the talk | capture | kernels | how many | launches | the first one's title | lines |",
        "|---|---|---|---|---|---|---|",
    )
    found = (one for capture in captures for one in rows(capture))
    return "\n".join((*head, *found, "", f"Kernels of a forward: {counted(captures)}.", ""))
