"""The sentences for loads, stores and atomic operations: the facts of an access in words.

Which tensor, in which pattern, how often, and what the cache is told.

    Facts(values=64, serves=576, runs={"x": ((64, 1),), "y": ((576, 0),)}, ...)       each of 64 values serves 576 elements
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from inductor_lab.annotate.context import Context, Lines, dtype
from inductor_lab.annotate.facts import Facts, Run
from inductor_lab.aten import MATRIX_PRODUCTS
from inductor_lab.bind.elements import numel
from inductor_lab.bind.names import Tensor
from inductor_lab.computation import Access
from inductor_lab.computation.folds import masks, narrowing
from inductor_lab.computation.groups import LEFT
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Define, Reached
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Load, Operation


def load(step: Define, of: Lines) -> str:
    """The sentence on a line that loads a value."""
    access, context = step.loads[0], of.context
    fact = context.facts.of(access)
    if not context.facts.reaches(access):
        return f"loads nothing: its mask holds for no element; {_filler(access, of)} everywhere"
    parts = [
        _subject(context.tensors.get(access.pointer)),
        _pattern(access, fact, context),
        _again(access, fact, context),
    ]
    parts += [_only_where(access, of), _policy(access, context)]
    if step.values[0].dtype == "float32" and access.value and access.value.dtype != "float32":
        kept = all(
            store.value and not _rounded(store.value, access.value.dtype) for store in context.computation.stores
        )
        parts.append("widened to float32" + ("" if kept else " for the arithmetic"))
    return "; ".join(part for part in parts if part)


def _again(access: Access, fact: Facts, context: Context) -> str:
    """What earlier lines have loaded of the same tensor, where any has."""
    if isinstance(access.value, Load) and access.value.version:
        return "read back: the kernel has stored to it above"
    earlier = context.facts.before(access)
    for how in ("same", "part", ""):
        if met := [a for a in earlier if fact.again.get(a.line, "") == how]:
            return AGAIN[how, any(_address(a, context) == _address(access, context) for a in met)]
    return "other elements than are loaded above" if earlier else ""


AGAIN = {
    ("same", True): "read again, at the same address",
    ("same", False): "the same elements again, by another index",
    ("part", True): "read again in part, at the same address",
    ("part", False): "read again in part, at another address",
    ("", True): "loaded above too, at the same address",
    ("", False): "loaded above too, by another index",
}
"""How elements lie to those of an earlier load, where that is known, and whether each iteration has them at one address."""


def _address(access: Access, context: Context) -> object:
    """Equal where two accesses go to one address in every iteration, however it is written."""
    steps = context.computation.steps(access.index)
    return access.index if steps is None else (access.index.constant, steps)


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


def _pattern(access: Access, fact: Facts, context: Context) -> str:
    order = _order(access, fact, context)
    if fact.gathered or access.index.expressions():
        return _computed(access, fact, context)
    if fact.still.issuperset(context.facts.axes):
        element = "" if access.index.is_scalar and access.index.terms else f", element {access.index.constant},"
        return f"one value{element} for the whole launch"
    if fact.values is not None and context.total() is None and fact.still:
        return f"each of {fact.values:,} values is read again all along {_listed(fact.still)}{order}"
    if fact.values is not None and fact.several:
        if fact.serves is None:
            return f"{fact.values:,} values, of which some serve several elements{order}"
        return f"each of {fact.values:,} values serves {fact.serves:,} elements{order}"
    told = "one value for each row" if fact.rows and fact.several is False else SEVERAL[fact.several]
    names = _names(access, context)
    alone = f": it moves with {' and '.join(names)} alone" if fact.several and context.total() is None and names else ""
    still = f", the same all along {_listed(fact.still)}" if fact.several is None and fact.still else ""
    return told + (alone or still + order)


SEVERAL = {True: "each value serves several elements", False: "element by element", None: "by position"}
"""By whether several iterations use one element, as far as that is known."""


def _computed(access: Access, fact: Facts, context: Context) -> str:
    """An address that data decides, or that arithmetic on positions makes, such as a shift that wraps around."""
    length = fact.row[1] if fact.row else 1
    if fact.gathered:
        names = sorted(context.tensors[p].label if p in context.tensors else p for p in fact.gathered)
        decide = f"{' and '.join(names)} {'decides' if len(names) == 1 else 'decide'} the address"
        return f"gathered: {decide}" + (f", {length:,} elements in a row" if length > 1 else "")
    names = _names(access, context)
    told = f"at a place computed from {_listed(names)}" if 0 < len(names) <= MOST_NAMES else "at a computed place"
    told += f", {length:,} consecutive elements at a time" if length > 1 else ""
    return told + (f", the same all along {_listed(fact.still)}" if fact.still else "")


MOST_NAMES = 6


def _names(access: Access, context: Context) -> list[str]:
    """The names in the body of what an address moves with."""
    return sorted(set(filter(None, map(context.computation.held, access.index.coordinates()))))


def _listed(names: Iterable[str]) -> str:
    *others, last = sorted(names)
    return f"{', '.join(others)} and {last}" if others else last


def _order(access: Access, fact: Facts, context: Context) -> str:
    """What an access leaves out, and in which order it walks."""
    turned = _turned(access, context)
    walked = _walk(fact, context)
    if fact.values is None or fact.box is None:
        return (walked or _stepping(fact)) + turned
    start, lies = f", from element {fact.box.start}" if fact.box.start else "", fact.box.dimensions
    if lies and lies[0][0] > 1:
        return f", {lies[0][0]:,} elements apart{start}{turned}"
    if len(lies) > 1:
        (_, length), (step, _), *_ = lies
        within = (f", in {step * n:,} of every {wider:,}" for (step, n), (wider, _) in pairwise(lies[1:]))
        start = f", {length:,} of every {step:,} elements{''.join(within)}{start}"
        if walked == IN_RUNS.format(length, step):
            walked = ""  # the same, said twice
    return start + walked + turned


def _turned(access: Access, context: Context) -> str:
    """Along what it goes backwards: as a whole only where it does so along all that it moves with."""
    back = {term.of for term in access.index.terms if term.factor < 0 and isinstance(term.of, Coordinate)}
    if context.writer.backwards(access.index) and back == {term.of for term in access.index.terms}:
        return ", from the end to the start"
    names = [*filter(None, map(context.computation.held, back))]
    return f", backwards along {_listed(names)}" if names else ""


def _stepping(fact: Facts) -> str:
    """How far apart neighbours are, where no more is known of the order; nothing of rows that lie in one piece."""
    along = {axis: step for axis, step in fact.steps.items() if axis.startswith("r")} or fact.steps
    apart = {
        axis: f"{step:,}" if isinstance(step, int) else step for axis, step in along.items() if step not in {-1, 0, 1}
    }
    if len(fact.steps) == 1:
        return "".join(f", {step} elements apart" for step in apart.values())
    return "".join(
        f", {step} apart along {'the reduction' if axis.startswith('r') else axis}" for axis, step in apart.items()
    )


def _walk(fact: Facts, context: Context) -> str:
    """In which order it walks through memory; nothing where neighbours follow each other, or where that is not known."""
    moving = {axis: walk for axis, walk in fact.runs.items() if axis not in fact.still}
    repeats = any(not walk[0][1] for walk in moving.values())  # an element, and the next only after many iterations
    if not moving or repeats or len(fact.runs) < len(context.facts.axes):
        return ""
    ordered = sorted(moving, key=lambda axis: abs(moving[axis][0][1]))
    if reduced := [axis for axis in ordered if axis.startswith("r")]:
        (length, step), *outer = moving[reduced[0]]
        rows = [axis for axis in ordered if axis not in reduced] if abs(step) != 1 else []
        across = "".join(f", {_along(moving[axis], 'from row to row')}" for axis in rows[:1])
        return f", {_along(moving[reduced[0]], 'along the reduction')}{across}" if outer or across else ""
    if len(ordered) > 1:
        return "".join(f", {_along(moving[axis], f'along {axis}')}" for axis in ordered)
    (length, step), *outer = moving[ordered[0]]
    if step > 1 and outer:
        turned = " transposed:" if any(0 < abs(further) < step for _, further in outer) else ""
        return f",{turned} neighbouring elements of the launch are {step:,} apart, {length:,} at a time"
    return IN_RUNS.format(length, abs(outer[0][1])) if outer and outer[0][1] else ""


IN_RUNS = ", in runs of {:,} consecutive elements, {:,} apart"


def _along(walk: tuple[Run, ...], axis: str) -> str:
    """`consecutive along x`, or how far apart, and how many at a time where the next are elsewhere."""
    (length, step), *outer = walk
    ends = bool(outer and outer[0][1])
    if abs(step) != 1:
        return f"{abs(step):,} apart {axis}" + (f" for {length:,} at a time" if ends else "")
    return f"in runs of {length:,} {axis}" if ends else f"consecutive {axis}"


def _only_where(access: Access, of: Lines) -> str:
    if access.mask is None or all(map(of.context.computation.decided, narrowing(access.mask))):
        return ""
    return f"only where {of.meaning(_asked(access.mask), 40)}, {_filler(access, of)} elsewhere"


def _filler(access: Access, of: Lines) -> str:
    other = access.value.other if access.kind == "load" and isinstance(access.value, Load) else None
    return "nothing" if other is None else of.meaning(other, 20)


def _asked(mask: Expression) -> Expression:
    """What a mask asks beside whether the element exists."""
    match mask:
        case Operation(name="and", inputs=(left, right)) if masks(left) or masks(right):
            return _asked(right if masks(left) else left)
    return mask


def _policy(access: Access, context: Context) -> str:
    if access.eviction == "evict_last":
        fact, reached = context.facts.of(access), filter(context.facts.reaches, context.computation.loads)
        same = [
            a for a in reached if a.pointer == access.pointer and a.index == access.index and fact.beside(a) != "apart"
        ]
        again = fact.loaded_again or len(same) > 1
        return "keep it in cache: it is read again" if again else "keep it in cache"
    return "marked evict_first" if access.eviction == "evict_first" else ""  # a hint: others may read it again


def barrier(line: int, context: Context) -> str:
    """The sentence on a barrier: what is loaded before it and written behind, or the other way round."""
    told, every = "waits until all threads of the program are here", context.computation.accesses
    for kind, told_of in BARRIERS.items():
        pointers = {one.pointer for one in every if one.line < line and one.kind == kind}
        pointers &= {one.pointer for one in every if one.line > line and one.kind != kind}
        if labels := [context.tensors[p].label if p in context.tensors else p for p in sorted(pointers)]:
            return f"{told}: {told_of.format(_listed(labels))}"
    return told


BARRIERS = {
    "load": "they have loaded {} before it is written over",
    "store": "each then sees what others have stored in {}",
}
"""What a barrier stands behind -> why."""


def effect(access: Access, of: Lines) -> str:
    """The sentence on a store or an atomic operation."""
    context = of.context
    tensor = context.tensors.get(access.pointer)
    stored = "a value" if access.value is None else of.meaning(access.value, 40)
    if access.kind != "store":
        where = "where the data says" if access.gathered else "in memory"
        adds = access.kind == "atomic_add"
        does = "adds" if adds else f"takes the {access.kind.removeprefix('atomic_')} of"
        order = "; where several meet at one element, the order of their sums is not fixed" if adds else ""
        return f"{does} {stored} {'to' if adds else 'and'} {_named(tensor, access.pointer)} {where}, atomically{order}"
    if access.pointer == LEFT and context.computation.schedule.group:
        return "the group's columns, each folded to one value: a line of partial results, which are folded behind the launch"
    parts, value = [], access.value
    place = access.pointer, access.index, access.mask
    if isinstance(value, Load) and (value.pointer, value.index, value.mask) == place and not value.version:
        parts.append(f"{stored}, where it was loaded: nothing changes")
    elif context.computation.overwrites(access):
        parts.append(f"{stored} over {tensor.label if tensor else access.pointer}: its memory is reused, no new buffer")
    elif tensor and (read := [pointer for pointer in context.facts.of(access).over if pointer != access.pointer]):
        parts.append(f"{stored} over {context.tensors[read[0]].label}, which {read[0]} reads: in place")
    else:
        parts.append(f"{stored} into {_named(tensor, access.pointer)}")
    if access.gathered:
        parts.append("scattered: the data decides the address")
    else:
        fact = context.facts.of(access)
        parts.append(_order(access, fact, context).removeprefix(", ") + _gaps(fact, tensor, context))
    parts.append(_only_where(access, of))
    narrow = tensor.type.dtype if tensor and tensor.type else ""
    if narrow in {"bfloat16", "float16"} and (value is None or _rounded(value, narrow)):
        parts.append(f"rounded to {narrow}")
    return "; ".join(part for part in parts if part)


def _rounded(value: Expression, dtype: str) -> bool:
    """Whether a value may be another one as a dtype: what was loaded as it, and moved, is not."""
    match value:
        case Constant():
            return False
        case Cast(operand=operand) | Broadcast(operand=operand):
            return _rounded(operand, dtype)
        case Operation(name="where", inputs=(_, one, other)):
            return _rounded(one, dtype) or _rounded(other, dtype)
    return not isinstance(value, Load) or value.dtype not in {dtype, "bool"}


def _gaps(fact: Facts, tensor: Tensor | None, context: Context) -> str:
    """What the gaps between stored elements are: of a tensor that is stored whole, in memory of its own, they are its padding."""
    if not fact.box or len(fact.box.dimensions) < 2 or fact.box.dimensions[0][0] > 1:
        return ""
    told = tensor.type if tensor else None
    alike = {
        one.pointer for one in context.tensors.values()
        if one.type and told and (one.type.shape, one.type.stride) == (told.shape, told.stride)
    }  # fmt: skip
    written = {store.pointer for store in context.computation.stores}
    whole = told and fact.values == numel(told) and any(map(context.facts.alone, alike & written))
    return ": the rest is padding" if whole else ": the rest is left as it is"


def _named(tensor: Tensor | None, pointer: str) -> str:
    shape = f" {dtype(tensor.type)}" if tensor and tensor.type else ""
    return f"{tensor.label}{shape}" if tensor else pointer
