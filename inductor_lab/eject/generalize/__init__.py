"""A kernel of fixed sizes as one for any sizes: each number of its text is read back as the product of sizes that it was.

    x0 = xindex % 75, in_ptr0 + (x0 + 75*x1) of f32[40, 75]      x0 = xindex % s1, in_ptr0 + (x0 + s1*x1) of f32[s0, s1]

Every axis is cut into digits where a coordinate or a dimension of a tensor begins. A dimension is the product of the digits that walk along
it; digits that walk along the same dimension are the same (`dimensions`). A digit is a symbol, and a stride the product of the
dimensions within (`rewriting`), but for one that leaves a gap, which is a size of its own. A number of the body is a size where its place says
so (`numbers`), and so is an end of the range that a tensor is drawn from: of (-9998, 9999), places in a table of 10000 rows, it is (2 - s2, s2 - 1).

What this does not tell stays as it is: a dimension of which an address takes a part, or whose position is held against a number
(`positions`), keeps its size. A number that may be a size by chance is refused (`numbers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation import tree
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load, Named, Random, Scan, Unknown
from inductor_lab.eject.binding.plan import Plan, referenced
from inductor_lab.eject.binding.tensors import Fill, Tensor
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.generalize.numbers import numbers
from inductor_lab.eject.generalize.positions import below, every
from inductor_lab.eject.generalize.rewriting import Rewriting, Symbols
from inductor_lab.eject.inputs.collisions import different
from inductor_lab.eject.inputs.domain import Domain as Drawn
from inductor_lab.eject.inputs.solver import inputs
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.eject.sizes import fixed
from inductor_lab.errors import LabError
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size

FRAMED = {"pointwise", "reduction", "persistent_reduction"}
_SUBKERNELS = "a {} kernel also fixes how many jobs it has, and which programs do each of them: these are counted from the sizes of all"
_SHARED = "a {} kernel also fixes how many programs share a row, and the workspace through which they do"
FIXED = {
    "foreach": _SUBKERNELS,
    "combo": _SUBKERNELS,
    "split_scan": _SHARED,
    "cooperative_reduction": _SHARED,
    "template": "a {} kernel also fixes its blocks and the loop over them, which its text says and no tree does",
    "user_autotune": "it is a kernel of the program's own: its author alone knows which of its numbers are sizes",
}
"""Category -> what its kernels fix besides their sizes."""


def generalize(plan: Plan) -> Plan:
    """The plan of the same kernel for any sizes; `generated` is the one of its own.

    Raises:
        LabError: the text does not determine what a number in it is.
    """
    try:
        return _general(plan)
    except UndeterminedError as reason:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: {reason}") from reason


def _general(plan: Plan) -> Plan:
    _eligible(plan)
    dimensions = Dimensions(plan.found, plan.tensors)
    symbols = Symbols(dimensions, {plan.name, *(tensor.name for tensor in plan.tensors.values())})
    meant = numbers(plan.found, dimensions, symbols)
    found = Rewriting(plan.found, symbols, meant).computation()
    environment = {name: digit.size for digit, name in symbols.names.items()}
    typed = {name: symbols.tensor(tensor) for name, tensor in plan.tensors.items()}
    tensors = with_ranges(found, typed, environment)
    numels = {f"{axis}numel": str(numel) for axis, numel in found.numel.items()}
    scalars = numels | dict(found.sizes)
    reference, unknown = referenced(plan.kernel, found, tensors, scalars)
    return replace(
        plan, found=found, tensors=tensors, scalars=scalars, reference=reference, no_reference=unknown, bindings=dict(symbols.bindings(tensors)),
        environment=environment, dropped=frozenset(), generated=plan,
    )  # fmt: skip


def _eligible(plan: Plan) -> None:
    """Return for a kernel that can be tried.

    Raises:
        UndeterminedError: why it can not.
    """
    found = plan.found
    if plan.bindings or plan.environment:
        raise UndeterminedError("its sizes are symbolic already")
    if plan.kernel.category not in FRAMED:
        category = plan.kernel.category.replace("_", " ")
        why = FIXED.get(plan.kernel.category, "a {} kernel may fix more than its sizes")
        raise UndeterminedError(why.format(category))
    if found.parts or plan.workspaces:
        raise UndeterminedError("it does several jobs" if found.parts else "its programs share a workspace")
    if found.schedule.opaque or found.unknown or found.branches:
        raise UndeterminedError(found.schedule.opaque or "its tree does not tell all that it does")
    for axis, numel in found.numel.items():
        if not isinstance(numel, int) or found.schedule.axis(axis) is None:
            raise UndeterminedError(f"the extent of {axis} is no number")
    passed = [name for name in plan.scalars if not name.endswith("numel")]
    if passed:
        raise UndeterminedError(f"its launch passes {passed[0]}")
    for node in every(found):
        if isinstance(node, Unknown) and not isinstance(node, Named):
            raise UndeterminedError(f"`{node.text[:40]}` is not understood")
        for part in below(node):
            if isinstance(part, tree.Size) and not part.name.endswith(("numel", "offset")):
                raise UndeterminedError(f"it computes with {part.name}")
        if isinstance(node, (Scan, Random)):
            raise UndeterminedError("a scan" if isinstance(node, Scan) else "random numbers")
        if isinstance(node, Load) and node.index is None:
            raise UndeterminedError("an address is no sum")
    for access in found.accesses:
        if access.pointer not in plan.tensors:
            raise UndeterminedError(f"{access.pointer} is no tensor of the launch")


# ------------------------------------------------------------ sizes other than the captured ones

PRIMES = (5, 7, 3, 11, 13, 17, 19, 23, 29)
GAP = 3
"""Elements that at least lie between the rows of a part of a wider tensor."""
CLOSE = 2
"""How far from a size an end may be that follows it."""
SMALL = 4
"""A size that all have at once where it is tried whether a range goes too far."""
Tried = Sequence[tuple[Mapping[str, int], Drawn | None]]
"""Sizes, the captured ones first, and what a tensor may hold there."""


def others(plan: Plan) -> list[dict[str, int]]:
    """Sizes to check a generalized kernel on: small odd ones that all differ, about half, and one more of each."""
    captured = dict(plan.environment)
    small = {name: PRIMES[n % len(PRIMES)] for n, name in enumerate(captured)}
    half = {name: max(size // 2 | 1, 3) for name, size in captured.items()}
    more = {name: size + 1 for name, size in captured.items()}
    one = {name: 1 if n == 0 else size for n, (name, size) in enumerate(small.items())}
    found = [_roomy(plan, sizes) for sizes in (small, half, more, one)]
    return [sizes for sizes in found if sizes != captured and sizes is not None]


def _roomy(plan: Plan, sizes: dict[str, int]) -> dict[str, int] | None:
    """The sizes, with as many numbers to draw from as must differ, and strides that go past what lies within; None where that is no size."""
    roomy = dict(sizes)
    for tensor in plan.tensors.values():
        symbolic, within = tensor.symbolic or tensor.type, 1
        for n in sorted(range(len(symbolic.shape)), key=lambda n: int(tensor.type.stride[n])):
            step = str(symbolic.stride[n])
            if plan.bindings.get(step) == f"{tensor.name}.stride({n})":
                roomy[step] = max(roomy[step], within + GAP)
            type_ = fixed(symbolic, roomy)
            within += (int(type_.shape[n]) - 1) * int(type_.stride[n])
    for tensor in plan.tensors.values():
        if tensor.distinct and isinstance(tensor.fill, tuple):
            type_ = fixed(tensor.symbolic or tensor.type, roomy)
            many, high = different(type_.shape, tensor.distinct), tensor.fill[1]
            if isinstance(high, str) and high in roomy:
                roomy[high] = many + 1 if roomy[high] < many else roomy[high]
            elif many > Size.of(high).bound(roomy):
                return None
    return roomy


def fits(plan: Plan) -> list[str]:
    """What a launch of any sizes asks of its tensors: shapes that belong together, no gaps, positions that int32 can hold."""
    lines = []
    for tensor in plan.tensors.values():
        type_ = tensor.symbolic or tensor.type
        if type_.shape:
            lines.append(f"assert {tensor.name}.shape == {_tuple(type_.shape)}{_steps(tensor.name, type_)}")
    if any(axis.dtype == "int32" for axis in plan.found.schedule.axes):
        names = _tuple(tensor.name for tensor in plan.tensors.values())
        lines.append(f"assert max(x.numel() for x in {names}) < 2**31")
        gaps = [where for where in plan.bindings.values() if ".stride(" in where]
        lines += [f"assert {where.replace('.stride(', '.shape[')[:-1]}] * {where} < 2**31" for where in gaps]
    return lines


def fits_generated(plan: Plan) -> list[str]:
    """The same for the generated kernel: the captured sizes alone."""
    return [
        f"assert {tensor.name}.shape == {_tuple(tensor.type.shape)}"
        for tensor in plan.tensors.values()
        if tensor.type.shape
    ]


def _steps(name: str, type_: TensorType) -> str:
    moving = [n for n, size in enumerate(type_.shape) if size != 1]
    if len(moving) == len(type_.shape):
        return f" and {name}.stride() == {_tuple(type_.stride)}"
    return "".join(f" and {name}.stride({n}) == {type_.stride[n]}" for n in moving)


def _tuple(parts: Iterable[object]) -> str:
    told = [str(part) for part in parts]
    return f"({', '.join(told)}{',' if len(told) == 1 else ''})"


# ------------------------------------------------------------ what tensors may hold there


def with_ranges(found: Computation, tensors: Mapping[str, Tensor], sizes: Mapping[str, int]) -> dict[str, Tensor]:
    """The tensors with ranges in symbols.

    Args:
        found: The computation in symbols.
        sizes: Symbol -> what it was.

    Raises:
        UndeterminedError: no size tells where a range ends.
    """
    ranged = {name: tensor for name, tensor in tensors.items() if isinstance(tensor.fill, tuple)}
    halved = [{**sizes, symbol: size // 2 + 1} for symbol, size in sizes.items()]
    drawn = []
    for tried in (sizes, *halved, dict.fromkeys(sizes, SMALL)) if ranged else ():
        types = {name: fixed(tensor.symbolic or tensor.type, tried) for name, tensor in tensors.items()}
        drawn.append((tried, inputs(found, types, tried)))
    moved = dict(tensors)
    for name, tensor in ranged.items():
        moved[name] = replace(tensor, fill=_range(tensor, [(tried, of.get(name)) for tried, of in drawn]))
    return moved


def _range(tensor: Tensor, drawn: Tried) -> Fill:
    """A range to both sides of 0 ends as far below as above, also where the addresses alone ask for one side."""
    assert isinstance(tensor.fill, tuple)
    low, high, *others = tensor.fill
    top = _end(tensor, int(high), 1, drawn)
    below = drawn[0][1]
    if low == -int(high) and isinstance(below, tuple) and below[0] != low:
        return (f"-{top}" if str(top).isidentifier() else f"-({top})", top, *others)
    return (_end(tensor, int(low), 0, drawn), top, *others)


def _end(tensor: Tensor, end: int, n: int, drawn: Tried) -> SizeLike:
    """What an end is the same as, and goes nowhere too far."""
    candidates: list[SizeLike] = [end, *_told(end, drawn[0][0])]
    for told in candidates:
        if all(
            isinstance(fill, tuple) and _inside(Size.of(told).bound(sizes), int(fill[n]), n) for sizes, fill in drawn
        ):
            return told
    if end in (0, 1):
        return end
    raise UndeterminedError(f"{tensor.name} holds {tensor.fill[0]} to {tensor.fill[1]}, which no size tells")


def _inside(end: int, furthest: int, n: int) -> bool:
    return end <= furthest if n else end >= furthest


def _told(end: int, sizes: Mapping[str, int]) -> Iterator[str]:
    """An end by a size that it is close to; where it is far below all, by the smaller of it and one."""
    for symbol, size in sizes.items():
        if abs(more := end - size) <= CLOSE:
            yield symbol if not more else f"{symbol} {'-' if more < 0 else '+'} {abs(more)}"
        if abs(more := end + size) <= CLOSE:
            yield f"{more} - {symbol}" if more else f"-{symbol}"
    for symbol in sizes if end > 0 else ():
        yield f"min({end}, {symbol})"
