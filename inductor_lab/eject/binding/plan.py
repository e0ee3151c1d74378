"""What an ejected file is made of: one kernel and one launch of it, every tensor and size bound, before anything is printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.annotate.titles import Namer, Naming
from inductor_lab.aten import VIEWS
from inductor_lab.computation import computation, product
from inductor_lab.computation.records import Computation
from inductor_lab.eject import naming, sizes
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.arguments import LaunchSizes, bound_arguments, numels, scalars, settled
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import NAMES
from inductor_lab.eject.eager import Eager, eager
from inductor_lab.eject.graph import Reference, aten
from inductor_lab.eject.graph.flex_attention import attention, is_flex
from inductor_lab.eject.refusal import or_why
from inductor_lab.eject.sizes import told
from inductor_lab.eject.triton import subkernel_tables
from inductor_lab.eject.triton.subkernel_tables import Table
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Graph, Kernel, Launch
from inductor_lab.spans import unread


@dataclass(frozen=True)
class Plan(LaunchSizes):
    """A kernel ready to be printed."""

    capture: Capture
    kernel: Kernel
    launch: Launch
    graph: Graph
    found: Computation
    tensors: Mapping[str, Tensor]
    """By parameter, in the order of the signature; workspaces are not among them."""
    workspaces: Mapping[str, tuple[str, int]]
    """Scratch memory that a launch clears: parameter -> dtype and elements."""
    scalars: Mapping[str, str]
    """Parameter -> the launcher's text for a number that is passed: `s77`, `4096`."""
    guessed: frozenset[str]
    """Symbols of which the log tells no value."""
    numels: Mapping[str, int]
    """`xnumel`, `r0_numel` ... in numbers."""
    config: Mapping[str, int]
    interpreter: Mapping[str, int]
    dropped: frozenset[str]
    """Axes whose mask Inductor dropped."""
    graph_form: Reference | None
    """The graph's own ATen form, where it reads what the kernel reads."""
    no_form: str
    """Why there is none."""
    reference: Eager | None
    """What the kernel must equal, in eager PyTorch."""
    no_reference: str
    """Why there is none."""
    colliding: tuple[str, ...]
    """Tensors that several programs may write in one place, whatever is drawn."""
    words: Sequence[str]
    """What it computes, in a few names of operators."""
    name: str
    table: Table | None = None
    """Its jobs, where they are many and of few kinds."""
    generated: Plan | None = None
    """The plan of the generated kernel, where this one is for more sizes than that is."""
    unread: tuple[str, ...] = ()
    """Names of what is written, and nobody reads behind any launch."""

    @property
    def written(self) -> tuple[Tensor, ...]:
        return tuple(tensor for tensor in self.tensors.values() if tensor.role != "in")

    def not_told(self, numbers: Iterable[str]) -> str:
        """Which of some numbers the log does not tell, and what stands for them."""
        tried = {symbol: str(self.environment[symbol]) for symbol in sorted(self.guessed & self.environment.keys())}
        tried |= {number.name: number.tried for number in self.unbacked.values()}
        said = [f"`{name}` ({tried[name]} is tried)" for name in numbers if name in tried]
        return f"the log does not tell {', '.join(said)}" if said else ""


def plan(capture: Capture, kernel: Kernel) -> Plan:
    """Plan one kernel by its first launch.

    Raises:
        LabError: it was never launched, or what its launch passes can not be worked out.
    """
    if not kernel.launches:
        raise LabError(f"{kernel.id} ({kernel.name}) is defined but never launched, so its shapes are unknown")
    launch = kernel.launches[0]
    graph = next(graph for graph in capture.graphs if graph.id == launch.graph)
    found = _computation(kernel)
    known = sizes.hints(graph)
    pointers = {argument.name for argument in kernel.arguments if argument.pointer}
    telling = [a for a in launch.arguments if a.type is not None or a.name not in pointers]
    environment = sizes.environment(sizes.symbols(telling), known)
    passed = bound_arguments(kernel, launch, graph, found, environment)
    shared = passed.colliding or passed.workspaces
    tensors, kinds = (passed.tensors, []) if shared else subkernel_tables.named(found, passed.tensors)
    names = {tensor.name for tensor in tensors.values()}
    bindings = told(tensors.values(), environment)
    numbers, unbacked = scalars(kernel, launch, environment, known, names)
    tried = {number.name: int(number.tried) for number in unbacked.values() if number.tried.isdigit()}
    sized = numels(found, numbers, environment | tried)
    dropped = frozenset(axis.name for part in found.every() for axis in part.schedule.axes if not axis.masked)
    guessed = frozenset(environment.keys() - known.keys())
    reference, unknown = referenced(kernel, found, tensors, numbers)
    tensors = settled(tensors, found, reference.takes if reference else None)
    table = None if numbers else subkernel_tables.table(kernel, kinds, tensors, numbers)
    form, why = or_why(lambda: aten(kernel, launch, graph, found, tensors, known | environment))
    words = _words(Namer(capture).name(kernel), form.operators if form else (), kernel)
    return Plan(
        environment, bindings, unbacked, capture, kernel, launch, graph, found, tensors, passed.workspaces, numbers, guessed, sized,
        config.first_config(kernel, sized), config.interpreter_config(kernel, sized, dropped), dropped,
        form, why, reference, unknown, passed.colliding, words,
        naming.function_name(words, names | naming.RESERVED | NAMES, kernel.category),
        table=table, unread=tuple(tensors[pointer].name for pointer in unread(capture, kernel) if pointer in tensors),
    )  # fmt: skip


def _words(named: Naming, operators: Sequence[str], kernel: Kernel) -> Sequence[str]:
    """What the kernel's title consists of; of an expression the graph's operators, where what is recognised in it is one of them: a GELU
    written out is none. Where the graph does not tell, or nothing is recognised, what stands in the tree."""
    if kernel.title not in {"", named.title}:  # an older version's, by which `list` and `show` call it
        return kernel.recognised or naming.operations(kernel.ops)
    if kernel.category == "template" and len(named.words) == 1:  # a product, and what is done to it before it is stored
        return naming.operations([*named.words, *(name for name in operators if name not in VIEWS)])
    if named.words:
        return named.words
    if len(operators) == 1 or (operators and set(named.recognised) <= set(operators)):
        return naming.operations(operators)
    return named.found if named.recognised else naming.operations(kernel.ops)


def whole(plan: Plan) -> Plan:
    """The plan by elements and rows, however Inductor's programs share them: a cooperative reduction for one program a row, a product as a sum.

    Raises:
        ValueError: it is a template that is not read so.
    """
    if plan.kernel.category == "template":
        found = product(plan.kernel)
        passed = {f"{axis}numel": plan.scalars[str(size)] for axis, size in found.numel.items() if size in plan.scalars}
        return dataclasses.replace(
            plan, found=found, numels=numels(found, {**plan.scalars, **passed}, plan.environment)
        )
    return dataclasses.replace(plan, found=computation(plan.kernel, alone=True)) if plan.workspaces else plan


def _computation(kernel: Kernel) -> Computation:
    try:
        return computation(kernel)
    except ValueError as error:
        raise LabError(f"{kernel.id} ({kernel.name}) can not be ejected: {error}") from error


def referenced(
    kernel: Kernel, found: Computation, tensors: Mapping[str, Tensor], scalars: Mapping[str, str]
) -> tuple[Eager | None, str]:
    """The eager reference; None, with the reason, where there is none."""
    return or_why(lambda: attention(kernel, tensors) if is_flex(kernel) else eager(kernel, found, tensors, scalars))
