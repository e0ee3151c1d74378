"""The sentences for loads, stores and atomic operations.

Which tensor, in which pattern, how often, and what the cache is told.
"""

from __future__ import annotations

from inductor_lab.annotate.context import Context, dtype
from inductor_lab.annotate.facts import condition
from inductor_lab.annotate.layout import layout
from inductor_lab.annotate.lines import Lines
from inductor_lab.annotate.names import Tensor
from inductor_lab.aten import MATRIX_PRODUCTS
from inductor_lab.computation import Access
from inductor_lab.computation.footprint import normal
from inductor_lab.computation.groups import LEFT
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.schedule import Define, Reached
from inductor_lab.computation.tree import Expression, Load


def load(step: Define, of: Lines) -> str:
    """The sentence on a line that loads a value."""
    access, context = step.loads[0], of.context
    tensor = context.tensors.get(access.pointer)
    parts = [_subject(tensor), _pattern(access, context)]
    parts.append(_again(access, context))
    parts.append(_only_where(access, of))
    parts.append(_policy(access, context))
    if step.values[0].dtype == "float32" and access.value and access.value.dtype != "float32":
        parts.append("widened to float32 for the arithmetic")
    return "; ".join(part for part in parts if part)


def _again(access: Access, context: Context) -> str:
    """What earlier lines have loaded of the same tensor, where any has."""
    earlier = [a for a in context.computation.loads if a.pointer == access.pointer and a.line < access.line]
    again = context.facts.again(access)
    if "same" in again.values():
        alike = any(a.index == access.index for a in earlier if again.get(a.line) == "same")
        return "read again, at the same address" if alike else "the same elements again, by another index"
    if "part" in again.values():
        return "read again in part, at another address"
    if earlier:
        return (
            "other elements than are loaded above"
            if len(again) == len(earlier)
            else "loaded above too, at another address"
        )
    return ""


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
    facts, order = context.facts, _order(access, context)
    values, serves = facts.values(access), facts.serves(access)
    if values is None:  # a mask that is no range keeps it inside its tensor
        return SEVERAL[facts.several(access)] + order
    if context.total() is None and (still := _still(access, context)):
        return f"each of {values:,} values is read again all along {_listed(still)}" + order
    if facts.several(access):
        return f"each of {values:,} values serves {f'{serves:,}' if serves else 'several'} elements" + order
    return ("one value for each row" if facts.by_row(access) else "element by element") + order


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
    several = context.facts.several(access)
    names = {of: name for name, of in reversed(list(context.computation.coordinates.items()))}
    if several and all(of in names for of in coordinates):
        return f"{SEVERAL[several]}: it moves with {' and '.join(sorted({names[of] for of in coordinates}))} alone"
    return SEVERAL[several] + (_symbolic_step(access, context) if several is False else "")


SEVERAL = {True: "each value serves several elements", False: "element by element", None: "by position"}
"""By whether several iterations use one element, as far as that is known."""


def _symbolic_step(access: Access, context: Context) -> str:
    """How far apart neighbours are along the one axis of a launch; nothing where they follow each other."""
    steps = list(context.facts.steps(access).values())
    return f", {steps[0]} elements apart" if len(steps) == 1 and steps[0] not in {0, 1} else ""


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
    return sorted(context.facts.still(access))


MOST_NAMES = 6


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
    asked = condition(access.mask)
    if asked is None:
        return ""
    other = access.value.other if access.kind == "load" and isinstance(access.value, Load) else None
    filler = "nothing" if other is None else of.meaning(other, 20)
    return f"only where {of.meaning(asked, 40)}, {filler} elsewhere"


def _policy(access: Access, context: Context) -> str:
    if access.eviction == "evict_last":
        same = [a for a in context.computation.loads if a.pointer == access.pointer and a.index == access.index]
        again = context.facts.loaded_again(access) or len(same) > 1
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
    if context.computation.overwrites(access):
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
