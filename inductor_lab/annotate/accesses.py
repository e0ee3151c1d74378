"""The sentences for loads, stores and atomic operations.

Which tensor, in which pattern, how often, and what the cache is told.
"""

from __future__ import annotations

from collections import Counter

from inductor_lab.annotate.context import Context, dtype
from inductor_lab.annotate.layout import layout
from inductor_lab.annotate.lines import Lines
from inductor_lab.annotate.names import Tensor
from inductor_lab.aten import MATRIX_PRODUCTS
from inductor_lab.computation import Access
from inductor_lab.computation.folds import masks
from inductor_lab.computation.footprint import normal
from inductor_lab.computation.groups import LEFT
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.schedule import Define, Reached
from inductor_lab.computation.tree import Expression, Load, Operation
from inductor_lab.records import Size


def load(step: Define, of: Lines) -> str:
    """The sentence on a line that loads a value."""
    access, context = step.loads[0], of.context
    tensor = context.tensors.get(access.pointer)
    parts = [_subject(tensor), _pattern(access, context)]
    earlier = [a for a in context.computation.loads if a.pointer == access.pointer and a.line < access.line]
    if earlier:
        where = "the same address" if any(a.index == access.index for a in earlier) else "another address"
        parts.append(f"read again, at {where}")
    parts.append(_only_where(access, of))
    parts.append(_policy(access, context))
    if step.values[0].dtype == "float32" and access.value and access.value.dtype != "float32":
        parts.append("widened to float32 for the arithmetic")
    return "; ".join(part for part in parts if part)


def reached(found: Reached) -> str:
    """The sentence on an access whose address is not known as a sum of positions, as in the loop of a template."""
    if found.through == "workspace":
        return "each program's part of the rows, through a workspace in memory"
    how = (
        "through a block pointer or descriptor: not decoded" if found.through else "at an address that is not followed"
    )
    return f"{'an atomic operation' if found.kind.startswith('atomic') else f'a {found.kind}'} {how}"


def _subject(tensor: Tensor | None) -> str:
    told = _named(tensor, "an unknown tensor")
    if tensor is None or tensor.node is None or tensor.value == tensor.node.name or "." not in tensor.node.target:
        return told
    operator = tensor.node.target.split(".")[1]
    if operator in MATRIX_PRODUCTS:
        return f"{told}, a matrix product"
    return told if operator in tensor.label else f"{told}, of {operator}"


def _pattern(access: Access, context: Context) -> str:
    if access.gathered:
        row = _run(access, context)
        names = sorted(context.tensors[p].label if p in context.tensors else p for p in access.gathered)
        decide = f"{' and '.join(names)} {'decides' if len(names) == 1 else 'decide'} the address"
        return f"gathered: {decide}" + (f", {row:,} elements in a row" if row > 1 else "")
    box = context.computation.box(access)
    if box is None:
        return _by_coordinates(access, context)
    if context.computation.reach(access) == 1:
        return f"one value, element {access.index.constant}, for the whole launch"
    values, repeats, order = context.values(access), context.repeats(access), _order(access, context)
    if values is None:  # a mask that is no range keeps it inside its tensor
        every = context.computation.reach(access) == context.total()
        return ("element by element" if every else "each value serves several elements") + order
    if repeats > 1:
        return f"each of {values:,} values serves {repeats:,} elements" + order
    if context.total() is None and (still := _still(access, context)):
        return f"each of {values:,} values is read again all along {_listed(still)}" + order
    return ("one value for each row" if id(access.value) in context.after_folds else "element by element") + order


def _order(access: Access, context: Context) -> str:
    """Gaps, or where there are none in what order it walks."""
    gaps = _gaps(access, context)
    walked = "" if "apart" in gaps else layout(access, context.computation)
    if " of every " in gaps and walked.startswith("in runs"):
        walked = ""  # the same, said twice
    turned = ", from the end to the start" if context.writer.backwards(access.index) else ""
    return gaps + (f", {walked}" if walked else "") + turned


def _by_coordinates(access: Access, context: Context) -> str:
    """An address whose numbers are not all known: which coordinates it moves with tells whether values are shared."""
    terms = [term.of for term in access.index.terms if term.of is not None]
    coordinates = [of for of in terms if isinstance(of, Coordinate)]
    if len(coordinates) < len(terms):
        return _computed(access, context)
    if not coordinates:
        return "one value for the whole launch"
    axes = [axis for axis, size in context.computation.numel.items() if size != 1]
    if all(covers([c for c in coordinates if c.axis == axis]) for axis in axes):
        return "element by element" + _symbolic_step(access, axes)
    names = {of: name for name, of in reversed(list(context.computation.coordinates.items()))}
    if _condition(access.mask) is not None or any(of not in names for of in coordinates):
        return "by position"
    return f"each value serves several elements: it moves with {' and '.join(sorted({names[of] for of in coordinates}))} alone"


def _symbolic_step(access: Access, axes: list[str]) -> str:
    """How far apart neighbours are along the one axis of a launch; nothing where they follow each other."""
    inner = [term for term in access.index.terms if isinstance(term.of, Coordinate) and term.of.stride == 1]
    if len(axes) != 1 or len(inner) != 1:
        return ""
    step = "*".join(
        (*([f"{inner[0].factor:,}"] if inner[0].factor != 1 or not inner[0].sizes else []), *inner[0].sizes)
    )
    return f", {step} elements apart" if step != "1" else ""


def _computed(access: Access, context: Context) -> str:
    """An address that arithmetic on positions makes, such as a shift that wraps around."""
    behind_it = {of for term in access.index.terms if isinstance(term.of, Expression) for of in behind(term.of)}
    behind_it |= {term.of for term in access.index.terms if isinstance(term.of, Coordinate) and abs(term.factor) > 1}
    known = {of: name for name, of in reversed(list(context.computation.coordinates.items()))}
    names = sorted({known[of] for of in behind_it if of in known})
    told = f"at a place computed from {_listed(names)}" if names and len(names) <= MOST_NAMES else "at a computed place"
    row = _run(access, context)
    still = _still(access, context)
    told += f", {row:,} consecutive elements at a time" if row > 1 else ""
    return told + (f", the same all along {_listed(still)}" if still else "")


def _still(access: Access, context: Context) -> list[str]:
    """The axes of the launch that an address does not move with."""
    moving = {coordinate.axis for coordinate in access.index.coordinates()}
    return sorted(a for a, size in context.computation.numel.items() if size != 1 and a not in moving)


MOST_NAMES = 6


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def covers(coordinates: list[Coordinate]) -> bool:
    """Whether coordinates of one axis tell all its elements apart: `x % 64` and `x // 64`, or `x` itself."""
    reached = Counter[str]()
    for coordinate in sorted(coordinates, key=lambda c: (c.size is None, c.stride != 1)):
        if factors(coordinate.stride) != reached:
            return False
        if coordinate.size is None:
            return True
        reached += factors(coordinate.size)
    return False


def factors(extent: Size) -> Counter[str]:
    """`ks0*ks1` as what it is made of; nothing for 1."""
    return Counter(part.strip() for part in str(extent).split("*") if part.strip() != "1")


def _run(access: Access, context: Context) -> int:
    """Consecutive elements that one gathered index brings: the extent of the terms with factor 1."""
    for term in access.index.terms:
        if term.factor == 1 and not term.sizes and isinstance(term.of, Coordinate):
            return context.extent(term.of) or 1
    return 1


def _gaps(access: Access, context: Context) -> str:
    """What an access leaves out, or how far apart it steps."""
    box = context.computation.box(access)
    if box is None:
        return ""
    plain = normal(box)
    if context.values(access) is None:
        step = context.fastest(access) or 0
        return f", {step:,} elements apart" if step > 1 else ""
    start = f", from element {plain.start}" if plain.start else ""
    if not plain.dimensions:
        return start
    if plain.dimensions[0][0] > 1:
        return f", {plain.dimensions[0][0]:,} elements apart{start}"
    if len(plain.dimensions) > 1:
        return f", {plain.dimensions[0][1]:,} of every {plain.dimensions[1][0]:,} elements{start}"
    return start


def _only_where(access: Access, of: Lines) -> str:
    condition = _condition(access.mask)
    if condition is None:
        return ""
    other = access.value.other if access.kind == "load" and isinstance(access.value, Load) else None
    filler = "nothing" if other is None else of.meaning(other, 20)
    return f"only where {of.meaning(condition, 40)}, {filler} elsewhere"


def _condition(mask: Expression | None) -> Expression | None:
    """What a mask asks beside whether the element exists."""
    if mask is None or masks(mask):
        return None
    match mask:
        case Operation(name="and", inputs=(left, right)):
            one, other = _condition(left), _condition(right)
            return mask if one is not None and other is not None else one if other is None else other
    return mask


def _policy(access: Access, context: Context) -> str:
    if access.eviction == "evict_last":
        same = [a for a in context.computation.loads if a.pointer == access.pointer and a.index == access.index]
        again = context.repeats(access) > 1 or len(same) > 1 or (context.total() is None and _still(access, context))
        return "keep it in cache: it is read again" if again else "keep it in cache"
    return "not needed again: let it leave the cache first" if access.eviction == "evict_first" else ""


def effect(access: Access, of: Lines) -> str:
    """The sentence on a store or an atomic operation."""
    context = of.context
    tensor = context.tensors.get(access.pointer)
    stored = "a value" if access.value is None else of.meaning(access.value, 40)
    if access.kind != "store":
        where = "where the data says" if access.gathered else "in memory"
        adds = access.kind == "atomic_add"
        does = "adds" if adds else f"takes the {access.kind.removeprefix('atomic_')} of"
        told = f"{does} {stored} {'to' if adds else 'and'} {_named(tensor, access.pointer)} {where}, atomically: programs may meet at one element"
        return told + (", and the order of their sums is not fixed" if adds else "")
    if access.pointer == LEFT and context.computation.schedule.group:
        return "the group's columns, each folded to one value: a line of partial results, which are folded behind the launch"
    parts = []
    if any(load.pointer == access.pointer for load in context.computation.loads):
        parts.append(f"{stored} over {tensor.label if tensor else access.pointer}: its memory is reused, no new buffer")
    elif tensor and (read := _read_elsewhere(tensor, context)):
        parts.append(f"{stored} over {read.label}, which {read.pointer} reads: in place")
    else:
        parts.append(f"{stored} into {_named(tensor, access.pointer)}")
    if access.gathered:
        parts.append("scattered: the data decides the address")
    elif gaps := _order(access, context):
        parts.append(gaps.removeprefix(", ") + (": a slice of a wider buffer" if " of every " in gaps else ""))
    parts.append(_only_where(access, of))
    if tensor and tensor.type and tensor.type.dtype in {"bfloat16", "float16"}:
        parts.append(f"rounded to {tensor.type.dtype}")
    return "; ".join(part for part in parts if part)


def _read_elsewhere(tensor: Tensor, context: Context) -> Tensor | None:
    """The tensor by the pointer that reads it, where the launch passes the same one for both: an optimizer's state."""
    read = {access.pointer: context.tensors.get(access.pointer) for access in context.computation.loads}
    return next(
        (one for one in read.values() if one and one.pointer != tensor.pointer and one.value == tensor.value), None
    )


def _named(tensor: Tensor | None, pointer: str) -> str:
    if tensor is None:
        return pointer
    shape = f" {dtype(tensor)}" if tensor.type else ""
    return f"{tensor.label}{shape}"
