"""What the rules of an explanation may ask of a kernel.

What it computes, the tensors' names, the card, which ATen node a line stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.annotate.facts import Known
from inductor_lab.bind.names import Tensor, tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import Access, Computation, computation
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.text import Writer
from inductor_lab.costs.roofline import card
from inductor_lab.dtypes import SHORT
from inductor_lab.gpus import Card
from inductor_lab.records import Capture, Kernel, Node

LONGEST = 60
"""Longest expression shown beside a line."""


@dataclass
class Context:
    """Everything known of one kernel while its lines are explained in order."""

    kernel: Kernel
    kernel_computation: Computation
    card: Card
    tensors: dict[str, Tensor]
    origin: dict[int, Node]
    """The ATen node that a line stands for, where that is clear."""
    accesses: dict[int, Access]
    """By line; Inductor writes one to a line."""
    computation: Computation
    """The job that the line belongs to, or the whole kernel."""
    writer: Writer
    facts: Known
    """Of the accesses of that job."""
    unread: tuple[str, ...] = ()
    """The pointers that it writes, and of which nobody reads that behind any launch."""

    @staticmethod
    def make(kernel: Kernel, capture: Capture, unread: tuple[str, ...] = ()) -> Context:
        """Take a kernel apart.

        Args:
            unread: As `inductor_lab.spans` tells it, which stands above this room.

        Raises:
            ValueError: its body is not Python.
        """
        found = computation(kernel)
        accesses = {access.line: access for job in found.every() for access in job.accesses}
        named = tensors(kernel, capture, found)
        origin = origins(kernel, capture, found, named)
        return Context(
            kernel,
            found,
            card(capture.gpu),
            named,
            origin,
            accesses,
            found,
            Writer(found),
            Known(kernel, found),
            unread,
        )

    def enter(self, job: Computation) -> None:
        """Go on to a job's lines."""
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

    def values(self, access: Access) -> int | None:
        """How many different elements an access reaches where its mask holds; None where that is not known."""
        return self.facts.of(access).values

    def extent(self, coordinate: Coordinate) -> int | None:
        """How many values a coordinate takes."""
        return self.computation.extent(coordinate)

    def width(self, pointer: str) -> int:
        """Bytes of one element behind a pointer."""
        return self.facts.width(pointer)


def dtype(tensor: Tensor | None) -> str:
    """`f32[1024]`, short; empty without a type."""
    if tensor is None or tensor.type is None:
        return ""
    return f"{SHORT.get(tensor.type.dtype, tensor.type.dtype)}[{', '.join(str(s) for s in tensor.type.shape)}]"
