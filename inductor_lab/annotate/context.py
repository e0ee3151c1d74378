"""What the rules of an explanation may ask of a kernel.

What it computes, the tensors' names, the card, which ATen node a line stands for.
"""

from __future__ import annotations

from inductor_lab.annotate.facts import Known
from inductor_lab.bind.names import tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import Computation, computation
from inductor_lab.computation.text import Writer
from inductor_lab.costs.roofline import card
from inductor_lab.dtypes import SHORT
from inductor_lab.records import Capture, Kernel, TensorType

LONGEST = 60
"""Longest expression shown beside a line."""


class Context:
    """Everything known of one kernel while its lines are explained in order."""

    def __init__(self, kernel: Kernel, capture: Capture, unread: tuple[str, ...] = ()) -> None:
        """Take a kernel apart.

        Args:
            unread: The pointers that it writes, and of which nobody reads that behind any launch, as `inductor_lab.spans` tells them.

        Raises:
            ValueError: its body is not Python.
        """
        self.kernel, self.card, self.unread = kernel, card(capture.gpu), unread
        self.kernel_computation = found = computation(kernel)
        self.tensors = tensors(kernel, capture, found)
        self.origin = origins(kernel, capture, found, self.tensors)
        """The ATen node that a line stands for, where that is clear."""
        self.accesses = {access.line: access for job in found.every() for access in job.accesses}
        """By line; Inductor writes one to a line."""
        self.enter(found)

    def enter(self, job: Computation) -> None:
        """Go on to a job's lines; at first they are the whole kernel's."""
        self.computation, self.writer, self.facts = job, Writer(job), Known(self.kernel, job)

    def source(self, line: int) -> str:
        """`aten.relu, models.py:36`: what the line came from; empty where that is not clear."""
        node = self.origin.get(line)
        if node is None:
            return ""
        name = ".".join(node.target.split(".")[:2])
        return f"{name}, {node.source.file.rpartition('/')[2]}:{node.source.line}" if node.source else name

    def node(self, line: int) -> str:
        """The node that the line computes, or whose value it loads or stores; empty where that is not clear."""
        if line in self.origin:
            return self.origin[line].name
        access = self.accesses.get(line)
        tensor = self.tensors.get(access.pointer) if access else None
        return tensor.node.name if tensor and tensor.node and tensor.certain else ""

    def total(self) -> int | None:
        """Iterations of the whole launch."""
        return self.computation.elements(frozenset(self.computation.numel))

    def width(self, pointer: str) -> int:
        """Bytes of one element behind a pointer."""
        return self.facts.width(pointer)


def dtype(type_: TensorType) -> str:
    """`f32[1024]`, short."""
    return f"{SHORT.get(type_.dtype, type_.dtype)}[{', '.join(map(str, type_.shape))}]"
