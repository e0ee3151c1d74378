"""The sentences for a body's values: constants, arithmetic, selections, folds. Words of an operator are those of its row.

tmp8 = triton_helpers.maximum(tmp7, tmp6)      relu(in_ptr0 + in_ptr1 * 0.5); NaN stays NaN (tl.maximum alone would drop it)
tmp5 = tl.where(r0_mask & xmask, tmp3, 0)      in_ptr0 where the element exists, 0 elsewhere: no matter to the sum
"""

from __future__ import annotations

from inductor_lab.annotate import frame
from inductor_lab.annotate.context import Lines, shortened
from inductor_lab.computation.folds import ACCUMULATED, Partial, masks
from inductor_lab.computation.idioms import named, seen, wrapped
from inductor_lab.computation.operators import TABLE, Operator
from inductor_lab.computation.schedule import Define
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Constant,
    Expression,
    Limit,
    Load,
    Operation,
    Position,
    Reduction,
    Scan,
    Unknown,
    limits,
    walk,
)


def value(step: Define, of: Lines) -> str:
    """The sentence on a line that gives a value a name."""
    name, found = step.names[0], step.values[0]
    if name in of.context.computation.coordinates and isinstance(found, Position):
        return frame.coordinate(of.context.computation.coordinates[name], of.context)
    if (told := _of_loop(step, of)) is not None:
        return told
    if isinstance(found, Constant):
        return _constant(found, of)
    if isinstance(found, Position) and found.index.only():
        return f"{of.meaning(found)} as a number to compute with"
    if (known := of.known(found)) and not isinstance(found, (Scan, Unknown)):
        return _known(found, name, known, of)
    match found:
        case Broadcast(operand=operand):
            return f"{of.meaning(operand, 36)}{_repeated(found.axes - operand.axes, of)}"
        case Cast(operand=Broadcast(operand=operand) as spread, dtype=dtype) if not of.known(spread):
            return f"{of.meaning(operand, 36)} as {dtype}{_repeated(spread.axes - operand.axes, of)}"
        case Cast(operand=operand, dtype=dtype) if of.known(operand):
            return f"{of.brief(operand)} as {dtype}"
        case Cast(operand=operand, dtype=dtype):
            return f"{value(Define(step.line, (name,), (operand,), ()), of)}; as {dtype}"
        case Operation():
            return _operation(found, of)
        case Reduction() | Partial() | Scan():
            return _fold(found, of)
        case Carried(name="earlier blocks"):
            return "waits for what the programs before this one came to, and hands on its own"
        case Unknown(text=text):
            return f"{text} by a short name" if text in of.context.tensors else shortened(text)
    return of.meaning(found)


def _known(found: Expression, name: str, known: str, of: Lines) -> str:
    """Of a value that has a name already."""
    if known == name:
        return "the same value as before"
    if not of.context.computation.schedule.axes:  # in other kernels than Inductor's own: no tile's shape is known
        return of.meaning(found)
    whole = of.whole(found, 40)
    return f"the same as {known}" + (f": {whole}" if whole else "")


def _of_loop(step: Define, of: Lines) -> str | None:
    """What a loop carries on: where it starts, and how a turn ends."""
    name, found = step.names[0], step.values[0]
    carry = of.carries.get(name)
    if carry is None or not carry.start.dtype:  # an address
        return None
    if not of.loop:
        group = of.context.computation.schedule.group
        if found is carry.start and group and not name.startswith("_"):
            return f"one value for each column: {group} rows are folded to it, a turn of the loop after the other"
        start = f", starting at {of.meaning(found)}" if isinstance(found, Constant) else ""
        scanned = any(isinstance(part, Operation) and part.name == "last" for part in carry.end.operands)
        what = "what the blocks before came to" if scanned else "an accumulator for each element of the tile"
        return what + start if found is carry.start else None
    match found:
        case Operation(name="where", inputs=(condition, _, Carried())) if masks(condition):
            return "lanes outside the tensor keep what they had"
    return "which the next turn goes on with" if of.known(found) else None


def _constant(found: Constant, of: Lines) -> str:
    if isinstance(found.value, bool):
        return _ever(found.value)
    return f"the constant {of.meaning(found)}" + (f" as {found.dtype}" if found.dtype not in {"int", "float"} else "")


def _repeated(new: frozenset[str], of: Lines) -> str:
    """`, repeated along the row`; nothing where a repetition has one turn."""
    axes = sorted(new.intersection(of.context.facts.axes))
    if not axes:
        return ""
    if len(axes) == len(of.context.facts.axes):
        return ", repeated over the tile"
    if all(axis.startswith("r") for axis in axes):
        return ", repeated along the row"
    rows = any(axis.startswith("r") for axis in of.context.computation.numel)
    return ", repeated for every row" if rows and len(axes) == 1 else f", repeated along {' and '.join(axes)}"


# ---- operations


def _operation(found: Operation, of: Lines) -> str:
    block = [part for part in found.inputs if not isinstance(part, Carried)]
    if len(block) == 1 < len(found.inputs) and found.name in ACCUMULATED and found.dtype:
        if not all(part.dtype for part in found.inputs if isinstance(part, Carried)):  # an address
            return f"moved on by {of.meaning(block[0], 44)} elements, for the next turn"
        if isinstance(block[0], Scan):
            return "goes on from what the blocks before came to"
        return f"this block's {of.meaning(block[0], 44)}, taken into {_words(ACCUMULATED[found.name]).fold} so far"
    idiom = named(found)
    function = idiom[0] if idiom else found.name
    row = _words(function)
    if row.says:
        return row.says.format(*(of.meaning(part, 40) for part in found.inputs))
    if function in {"where", ""}:
        return _chosen(found, *(idiom[1] if function and idiom else found.inputs), of=of)
    if found.dtype == "bool":
        decided = of.context.computation.decided(found)
        return f"true where {of.meaning(found)}" if decided is None else f"{of.meaning(found)}: {_ever(decided)}"
    notes = [f"NaN {row.nan}"] if row.nan and "float" in found.dtype else [row.note] if row.note else []
    return "; ".join([of.meaning(found), *notes])


def _words(name: str) -> Operator:
    return TABLE.get(name, Operator(""))


def _ever(decided: bool) -> str:
    return "always true" if decided else "never true"


def _chosen(found: Operation, condition: Expression, one: Expression, other: Expression, *, of: Lines) -> str:
    """Of a selection: a mask's filler, an index from the end, the pieces of a concatenation, or a choice."""
    if masks(condition):
        return f"{of.meaning(one, 40)} where the element exists, {of.meaning(other, 20)} elsewhere{_unseen(found, other, of)}"
    if wrapped(found) and id(found) in of.addresses:
        return f"{of.meaning(found)}: a negative index counts from the end"
    if (decided := of.context.computation.decided(condition)) is not None:
        return f"{of.meaning(found)}: the condition is {_ever(decided)}"
    if seen(one) is seen(other):
        whole = seen(found.inputs[1]) is seen(found.inputs[2])
        return f"{of.meaning(found)}: both sides are the same" + ("" if whole else ", each where it is chosen")
    parts = of.context.writer.selection(found, 90) or [of.meaning(part, 30) for part in (condition, one, other)]
    told = f"{parts[1]} where {parts[0]}, {parts[2]} elsewhere"
    if _joined(condition, one, other, of):
        told += "; a concatenation: each element chooses its side"
    return told


def _unseen(found: Operation, other: Expression, of: Lines) -> str:
    """`: no matter to the sum`, where a fold takes the chosen values and what stands elsewhere is its neutral element."""
    if not isinstance(other, Constant):
        return ""
    rows = {_words(fold.name).fold: _words(fold.name).neutral for fold in of.folds_of(found)}
    (words, neutral), *others = rows.items() or [("", None)]
    return f": no matter to {words}" if not others and neutral == other.value else ""


def _joined(condition: Expression, one: Expression, other: Expression, of: Lines) -> bool:
    """Whether positions alone choose, and each side reads something, only where it is chosen."""
    if not limits(condition) or any(isinstance(node, Load) for node in walk(condition)):
        return False
    sides = [
        [
            limits(node.mask)
            for node in walk(side)
            if isinstance(node, Load) and of.context.computation.decided(node.mask) is not False
        ]
        for side in (one, other)
    ]
    return all(sides) and all(_apart(a, b) for a in sides[0] for b in sides[1])


def _apart(some: tuple[Limit, ...], others: tuple[Limit, ...]) -> bool:
    """Whether no element is within both bounds."""
    pairs = [(a, b) for a in some for b in others if a.index == b.index]
    return any((a.high is not None and a.high <= b.low) or (b.high is not None and b.high <= a.low) for a, b in pairs)


# ---- folds


def _fold(found: Reduction | Partial | Scan, of: Lines) -> str:
    row = _words(found.name.split("_")[0] if isinstance(found, Scan) else found.name)
    words = row.fold or "the fold"
    match found:
        case Partial() if not of.loop:
            return f"{words} " + ("that each lane of the loop came to" if of.loops else "of each lane's one element")
        case Partial():
            return f"takes this block into {words} so far"
        case Scan() if row.says:
            return row.says
        case Scan() if of.known(found):
            return "goes on from what the blocks before came to"
        case Scan(name=name, call=call):
            of_blocks = call is None or any(
                isinstance(part, Scan) for part in call.values
            )  # what came before, and this block's
            whole = of_blocks or not (of.loop or of.sharing)
            told = f"{words} of {'the row' if whole else 'this block'} up to each element"
            return told + (", from its end" if name.endswith("reversed") else "")
    if found.group:
        return f"{words} of each column of {of.meaning(found.inputs[0], 48)} over this turn's rows"
    shown = of.whole(found, 48) if not found.part else None
    shown = f": {shown}" if shown else ""
    if of.sharing:
        return f"{words} over this program's part of the row"
    note = _words(found.call.function.rpartition(".")[2]).note if found.call else ""
    note = "of the parts that are loaded" if found.name == "welford" and len(found.inputs) > 1 else note
    left = "one of each" if found.part else "one value"
    return f"{words}{note and f', {note},'} over the row, {left} left for each row{shown}"
