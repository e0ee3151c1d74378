"""Bytes, operations and instructions of one launch, counted from the body: each element once.

Reads of one tensor through several addresses are united, so an element read twice counts once, as a perfect cache would
have it; what a program has stored itself and loads again is not read at all. An address that depends on data (a gather,
a scatter) counts as many elements as the launch can reach, at most the whole tensor: an upper bound when rows repeat;
a binary search one boundary for each of its turns.
An atomic addition reads and writes. Negation, comparison and selection are free; a transcendental function is one
operation. What programs leave for each other in a workspace is not counted: how many share a row is the launch's
choice.

A template's loop is no tree, so its loads are not counted: it reads an operand once for each row or column of blocks, from the cache at best. By the
shapes of its product `compulsory` tells the least: both operands, what its epilogue reads, and the result, once each.

`work` is what a body issues for all elements of a launch, equal values once:

    tmp3 = tl_math.exp(tmp2)            1 special function, 8 instructions for each element of tmp2
    tmp6 = tmp3 / tmp5                  a reciprocal for each element of tmp5: a row's sum has one, whatever is divided by it

Special functions are exponentials, roots and quotients, 16 a clock and multiprocessor: MUFU in SASS. The operators' rows have what the machine code
executes for every element, as Triton 3.7 compiles each operator for sm_80, sm_90, sm_100 and sm_120. Logarithms, sine and cosine are polynomials there; of
tanh, erf and pow a branch decides: of these none is counted. Neither is any of float64, of whole numbers, and of a division by a number, which is
a product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.bind.elements import numel, total, type_of
from inductor_lab.bind.heuristics import configuration
from inductor_lab.bind.names import WORKSPACE
from inductor_lab.computation import Access, Computation, computation, jobs_of
from inductor_lab.computation.build import OPAQUE
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Define, Said
from inductor_lab.computation.space import distinct
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Random,
    Reduction,
    Scan,
    Size,
    Unknown,
    union,
    walk,
)
from inductor_lab.costs.hints import Hints, hinted, of_graphs
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.gpus import Card
from inductor_lab.quantity import size
from inductor_lab.records import Capture, Kernel, Launch, Traffic

SHARED = {"split_scan", "cooperative_reduction"}
"""Categories in which several programs share a row, and leave their parts for each other in a workspace."""
COUNTED = {"pointwise", "reduction", "persistent_reduction", "foreach", "combo"} | SHARED
"""Categories whose every program does the same, or its share of a row, or one of several jobs."""


def traffic(kernel: Kernel, hints: Hints | None = None) -> Traffic:
    """What the first launch of a kernel moves and computes: None for what can not be counted.

    Args:
        hints: Symbolic sizes as the program's first call had them; where they were needed, the result says so.
    """
    counted = _counted(kernel)
    if counted.moved is not None or not hints or not kernel.launches:
        return counted
    found = _counted(hinted(kernel, kernel.launches[0], hints))
    return replace(found, hinted=True) if found.read is not None else counted


def of_launch(kernel: Kernel, launch: Launch, hints: Mapping[str, Hints]) -> Traffic:
    """What one launch of a kernel moves and computes, by its own shapes.

    Args:
        hints: By graph, as `hints.of_graphs` has them.
    """
    first = kernel.launches[0]
    alike = _shapes(launch) == _shapes(first) and hints.get(launch.graph) == hints.get(first.graph)
    return kernel.traffic if alike else traffic(replace(kernel, launches=(launch,)), hints.get(launch.graph))


def _shapes(launch: Launch) -> list[object]:
    """What a launch's bytes depend on: tensors' types, and the sizes that it passes."""
    return [argument.type or argument.value for argument in launch.arguments]


def moved(capture: Capture) -> dict[str, list[int | None]]:
    """Kernel -> the bytes of each of its launches; None where they can not be counted."""
    hints = of_graphs(capture)
    return {kernel.id: [of_launch(kernel, one, hints).moved for one in kernel.launches] for kernel in capture.kernels}


def _counted(kernel: Kernel) -> Traffic:
    try:
        found = computation(kernel)
    except ValueError:
        return Traffic()
    if kernel.category == "template" and isinstance(least := compulsory(kernel, found), Traffic):
        return replace(least, flops=None)  # of which units it runs on, its text does not always tell
    if kernel.category not in COUNTED:
        return Traffic()
    jobs = list(found.every())
    shared = kernel.category in SHARED and _followed(kernel, found)
    if not shared and (found.branches or any(job.branches for job in jobs)):
        return Traffic()
    read, written = (
        {name: elements(kernel, accesses) for name, accesses in by_tensor(jobs, reads).items()}
        for reads in (True, False)
    )
    done = [work(job) for job in jobs]
    special = sum(one.special for one in done)
    return Traffic(_bytes(kernel, read), _bytes(kernel, written), total(one.flops for one in done), special=special)


def uncounted(kernel: Kernel) -> str:
    """Why the traffic of a kernel whose body is Python is not counted."""
    found = computation(kernel)
    if kernel.category == "template" and isinstance(why := compulsory(kernel, found), str):
        return why
    sizes = [numel for part in found.every() for numel in part.numel.values()]
    if any(isinstance(size, str) for size in sizes) or any(
        _turns(one) is None for part in found.every() for one in part.accesses
    ):
        return "its sizes are symbolic"
    return OPAQUE.get(kernel.category, "its addresses are not decoded") + _held(kernel)


def _held(kernel: Kernel) -> str:
    """What the tensors that a user's own kernel is passed hold: what it moves, if it touches each element once. Nothing where one is not known."""
    if kernel.category != "user_autotune":
        return ""
    pointers = [argument for argument in kernel.arguments if argument.pointer and not argument.untouched]
    counts = {argument.name: numel(type_of(kernel, argument.name)) for argument in pointers}
    read = _bytes(kernel, {a.name: counts[a.name] for a in pointers if a.role in {"in", "inout"}})
    written = _bytes(kernel, {a.name: counts[a.name] for a in pointers if a.role in {"out", "inout"}})
    if not pointers or read is None or written is None:
        return "; the text does not tell the sizes of all that it is passed"
    return f"; each element of its tensors once is {size(read)} read, {size(written)} written"


def of_arguments(kernel: Kernel) -> dict[str, tuple[int, int]]:
    """Pointer -> the bytes that the first launch reads and writes of it; of what can not be counted, all that its tensor holds."""
    jobs = jobs_of(kernel) if kernel.category in COUNTED else []
    counted = [{name: elements(kernel, of) for name, of in by_tensor(jobs, reads).items()} for reads in (True, False)]
    found = {}
    for argument in (one for one in kernel.arguments if one.pointer and not one.untouched):
        whole, width = numel(type_of(kernel, argument.name)) or 0, ITEMSIZE.get(argument.dtype, 0)
        roles = argument.role != "out", argument.role != "in"
        counts = [of.get(argument.name, 0) if jobs else None for of in counted]
        read, written = (role and (whole if n is None else n) * width for n, role in zip(counts, roles, strict=True))
        found[argument.name] = int(read), int(written)
    return found


def workspace(kernel: Kernel, on: Card | None) -> int | None:
    """Bytes in which programs that share a row leave their parts for each other, at most; None where none do."""
    if kernel.category not in SHARED or not kernel.launches:
        return None
    if (chosen := configuration(kernel, on)) and chosen.constants.get("RSPLIT") == 1:
        return None
    sizes = [
        numel(argument.type)
        for argument in kernel.launches[0].arguments
        if WORKSPACE.match(argument.name) and argument.type is not None and argument.type.dtype == "uint8"
    ]
    return total(sizes) if sizes else None


def _followed(kernel: Kernel, found: Computation) -> bool:
    """Whether programs that share a row branch by their place in it alone, and nothing but a workspace is reached by computed addresses."""
    asked = any(isinstance(one.what, Said) and one.what.kind == "only where" for one in found.told)
    tensors = {
        argument.name for argument in kernel.arguments if argument.pointer and not WORKSPACE.match(argument.name)
    }
    reached = {access.pointer for access in found.accesses}
    return not asked and not found.unknown and tensors <= reached


def by_tensor(jobs: Iterable[Computation], reads: bool) -> dict[str, list[tuple[Computation, Access]]]:
    """What reads (or writes) each pointer, in whichever job, but for what is read back. An atomic operation does both."""
    groups: dict[str, list[tuple[Computation, Access]]] = {}
    for job in jobs:
        for access in job.accesses:
            if isinstance(access.value, Load) and access.kind == "load" and job.stored(access.value):
                continue
            if (access.kind == "load" if reads else access.kind == "store") or access.kind.startswith("atomic"):
                groups.setdefault(access.pointer, []).append((job, access))
    return groups


def elements(kernel: Kernel, accesses: Sequence[tuple[Computation, Access]]) -> int | None:
    """Distinct elements of one tensor that the accesses reach together, at most the tensor's own number."""
    boxes = [(job, access, job.box(access)) for job, access in accesses]
    count = distinct([box for _, _, box in boxes if box])
    alike: dict[tuple[int, Index], list[tuple[Computation, Access]]] = {}
    for job, access, box in boxes:
        if box is None:
            alike.setdefault((id(job), access.index), []).append((job, access))
    for (_, index), same in alike.items():
        job = same[0][0]
        reached = job.reach(*(access for _, access in same))
        if reached is None:
            reached = job.elements(frozenset(c.axis for c in index.coordinates()))
        turns = _turns(same[0][1])
        if reached is None or turns is None:
            return None
        count += reached * turns
    capacity = numel(type_of(kernel, accesses[0][1].pointer))
    return count if capacity is None else min(count, capacity)


def _turns(access: Access) -> int | None:
    """Elements that an access reads for each address: of a binary search one a turn, as it halves n boundaries and the end; None where n is symbolic."""
    match access.searched:
        case None:
            return 1
        case Constant(value=int() as boundaries):
            return boundaries.bit_length()
    return None


def _bytes(kernel: Kernel, counts: dict[str, int | None]) -> int | None:
    widths = {argument.name: ITEMSIZE.get(argument.dtype) for argument in kernel.arguments}
    known = ((count, widths.get(name)) for name, count in counts.items())
    return total(None if count is None or width is None else count * width for count, width in known)


# ---------------------------------------------------------------- templates


def compulsory(kernel: Kernel, found: Computation) -> Traffic | str:
    """The least that one launch reads and writes, and the operations of its product, two for each pair of elements that meet; a reason where its
    shapes do not tell."""
    parameters = {argument.name for argument in kernel.arguments}
    if "arg_KV_IDX" in parameters:
        return "its block mask decides which keys and values it reads"
    if "arg_X" in parameters:
        return "a convolution's stride and border decide which of its input it reads"
    operands, sizes = _told(found, "A", "B"), _told(found, "M", "N", "K")
    if len(operands) < 2 or len(sizes) < 3 or not parameters.issuperset(operands):
        return "its text does not tell what it multiplies"
    if not all(size.isdigit() for size in sizes):
        return "its sizes are symbolic"
    rows, columns, inner = map(int, sizes)
    output, products = _result(kernel, rows * columns) or ("", 0)
    held = [numel(type_of(kernel, operand)) for operand in operands]
    if not products or any(
        count not in (one, one * products) for count, one in zip(held, (rows * inner, inner * columns), strict=True)
    ):
        return "its tensors have not the shapes of its product"
    beside = [a.name for a in kernel.arguments if a.pointer and a.role == "in" and a.name not in operands]
    read = [_tensor_bytes(kernel, operand) for operand in dict.fromkeys(operands)]
    read += [_tensor_bytes(kernel, pointer, rows * columns * products) for pointer in beside]
    return Traffic(sum(read), _tensor_bytes(kernel, output), 2 * rows * columns * inner * products, least=True)


def _told(found: Computation, *names: str) -> list[str]:
    """What the text gives these names first (`A = arg_A`, `M = 256`), as far as it does."""
    told: dict[str, str] = {}
    for statement in found.told:
        match statement.what:
            case Define(names=(name,), values=(Constant(value=value),)) if name in names:
                told.setdefault(name, str(value))
            case Define(names=(name,), values=(Unknown(text=text) | Size(name=text),)) if name in names:
                told.setdefault(name, text)
    return [told[name] for name in names if name in told]


def _result(kernel: Kernel, product: int) -> tuple[str, int] | None:
    """The output that holds the product, and how many products it holds."""
    for argument in kernel.arguments:
        count = numel(type_of(kernel, argument.name)) if argument.role in ("out", "inout") else None
        if count and product and count % product == 0:
            return argument.name, count // product
    return None


def _tensor_bytes(kernel: Kernel, pointer: str, most: int | None = None) -> int:
    dtype = next(argument.dtype for argument in kernel.arguments if argument.name == pointer)
    count = numel(type_of(kernel, pointer)) or 0
    return (count if most is None else min(count, most)) * ITEMSIZE[dtype]


# ---------------------------------------------------------------- what a body issues


DRAWN = {"rand": (0, 45), "randn": (0, 100), "randint64": (0, 55)}
"""Random number -> what an operator's row has as `issued`: Philox is no operator."""
SCANNED = 10
ACCESS = 3
"""Instructions of a load or a store: its address, its mask, itself."""


@dataclass(frozen=True)
class Work:
    """Of all programs together."""

    flops: int | None
    """None where a size is symbolic."""
    special: int
    """Special functions; 0 where a size is symbolic, as of instructions."""
    instructions: int


def work(job: Computation) -> Work:
    """What a job computes."""
    flops = [(count, job.elements(axes)) for count, axes in job.work]
    total = Counter[str]()
    for unit, count, axes in _issued(job):
        total[unit] += count * (job.elements(axes) or 0)
    return Work(
        None if any(elements is None for _, elements in flops) else sum(count * (of or 0) for count, of in flops),
        total["special"],
        total["instructions"],
    )


def _issued(job: Computation) -> Iterator[tuple[str, int, frozenset[str]]]:
    """(unit, how many for one element, axes over which they are repeated)."""
    stored = [access.value for access in job.stores if access.value is not None]
    addresses = [part for access in job.accesses for part in access.index.expressions()]
    seen: set[tuple[object, ...]] = set()
    for node in walk(*stored, *addresses):
        name = getattr(node, "name", "")
        special, instructions = TABLE[name].issued if name in TABLE else DRAWN.get(name, (0, 1))
        of, axes = node.operands, node.axes
        key: tuple[object, ...] = (id(node),)
        match node:
            case Operation(name="div", inputs=(_, Constant())) | Cast():
                special, instructions = 0, 1
            case Operation(name="div", inputs=(_, by)):
                of, key = (by,), ("div", id(by))
            case Reduction(name=name, inputs=inputs):  # of which each result is a node
                if (name, *map(id, inputs)) in seen:
                    continue
                key, axes = (name, *map(id, inputs)), union(inputs)
            case Scan():
                instructions = SCANNED
            case Operation() | Random():
                pass
            case _:
                continue
        yield "instructions", instructions, axes
        if special and node.dtype == "float32" and key not in seen:
            yield "special", special, _varies(*of)
        seen.add(key)
    for access in job.accesses:
        yield "instructions", ACCESS, frozenset(coordinate.axis for coordinate in access.index.coordinates())


def _varies(*values: Expression) -> frozenset[str]:
    """The axes over which values differ: Triton works on a value before it repeats it (its pass `reorder-broadcast`)."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = list(values)
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, (Broadcast, Cast, Operation)):
                waiting.extend(node.operands)
            else:
                found |= node.axes
    return frozenset(found)
