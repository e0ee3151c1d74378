"""The title of an ejected file: what its chief output is made of, in the file's own names, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.text import LEFT_OUT, Writer
from inductor_lab.computation.tree import Constant, Expression, Load, Reduction, pointers, walk
from inductor_lab.eject.tensors import IDLE, Tensor

LONGEST = 72
"""Characters of a title."""
MOST_READ = 3
"""Tensors that a call names."""
SUM_OF_EXP = ("online_softmax", "sum")
_POSITION = re.compile(r"\b([xyzr]\d?_?\d+|[xyzr]\d?_?(index|mask)|ks\d+|tmp\d+)\b")


@dataclass(frozen=True)
class Output:
    """One store of a kernel, and the job that it is part of."""

    job: Computation
    store: Access

    @property
    def value(self) -> Expression:
        assert self.store.value is not None
        return self.store.value


def title(found: Computation, tensors: Mapping[str, Tensor], name: str, limit: int = LONGEST) -> str:
    """`out = relu(x + bias)`; two outputs where several are made of none of the others, and how many more there are.

    Where no formula fits, it is the kernel's name over what it reads: `out = layer_norm(x, weight, bias)`.
    """
    chief = outputs(found, tensors)
    shown = {output.store.pointer: tensors[output.store.pointer].name for output in chief}
    if not chief:
        return _called(
            name, tensors.values(), [tensor.name for tensor in tensors.values() if tensor.role != "in"], limit
        )
    names = list(shown.values())
    rest = _and_more(names[1:])
    formula = "" if found.schedule.opaque else _formula(chief[0], tensors, limit - len(rest))
    job = {access.pointer for access in chief[0].job.accesses}
    own = [tensor for tensor in tensors.values() if tensor.parameter in job or not found.parts]
    return formula + rest if formula else _called(name, own, names, limit)


def outputs(found: Computation, tensors: Mapping[str, Tensor]) -> list[Output]:
    """The stores that no other is made of: what is computed before what is copied, the largest first, of these the last."""
    stores = [
        Output(job, access)
        for job in found.every()
        for access in job.stores
        if access.value is not None and access.pointer in tensors
    ]
    made = [(seen(output.value), _parts(output)) for output in stores]
    chief = [output for output in stores if not _is_part(seen(output.value), made)]
    chief = [output for output in chief if tensors[output.store.pointer].type.dtype != "bool"] or chief
    chief = chief if found.parts else chief[::-1]
    return sorted(chief, key=lambda output: (_bare(output.value), -tensors[output.store.pointer].numel()))


def _parts(output: Output) -> frozenset[Expression]:
    """All that a stored value is made of; nothing for a mask, which is no reason to leave out what it was made from."""
    if seen(output.value).dtype in {"int1", "bool"}:
        return frozenset()
    return frozenset(map(seen, walk(output.value)))


def _is_part(value: Expression, made: Sequence[tuple[Expression, frozenset[Expression]]]) -> bool:
    """Whether a store's value is part of another one's: not a bare copy or a constant."""
    return not _bare(value) and any(value in parts for whole, parts in made if whole is not value)


def _bare(value: Expression) -> bool:
    return isinstance(seen(value), (Load, Constant))


def _formula(output: Output, tensors: Mapping[str, Tensor], limit: int) -> str:
    """`out = relu(x + bias)`; empty where it is too long, or where elements are not where they were: gathered, scattered, reversed, shifted."""
    store = output.store
    if store.gathered or any(_moved(access) for access in output.job.loads if access.pointer in pointers(output.value)):
        return ""
    text = Writer(output.job).text(output.value, 4 * LONGEST)
    text = re.sub(r"\b\w+_ptr\d*\b", lambda name: tensors[name[0]].name if name[0] in tensors else name[0], text)
    sign = "+=" if store.kind == "atomic_add" else "="
    whole = f"{tensors[store.pointer].name} {sign} {text}"
    hidden = LEFT_OUT in text or _takes_maximum_off(output.value) or _POSITION.search(text)
    return "" if hidden or len(whole) > limit else whole


def _takes_maximum_off(value: Expression) -> bool:
    """Whether it is made of a sum of exponentials that takes the row's maximum off first, which its name does not say."""
    return any(isinstance(node, (Reduction, Partial)) and (node.name, node.part) == SUM_OF_EXP for node in walk(value))


def _moved(access: Access) -> bool:
    return bool(access.gathered) or any(term.factor < 0 for term in access.index.terms)


def _called(name: str, tensors: Iterable[Tensor], written: Sequence[str], limit: int) -> str:
    """`out = layer_norm(x, weight, bias)`, with as many tensors that are read as fit."""
    read = [tensor.name for tensor in tensors if tensor.role != "out" and tensor.node != IDLE]
    target, rest = (f"{written[0]} = ", _and_more(written[1:])) if written else ("", "")
    for most in range(MOST_READ, -1, -1):
        shown = [*read[:most], *(["..."] if len(read) > most else [])]
        text = f"{target}{name}({', '.join(shown)}){rest}"
        if len(text) <= limit:
            break
    return text


def _and_more(names: Sequence[str]) -> str:
    """`; also le` or `; also le and 3 more`."""
    if not names:
        return ""
    return f"; also {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
