"""The title of an ejected file: what its chief output is made of, in the file's own names, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.text import LEFT_OUT, Writer
from inductor_lab.computation.tree import Constant, Expression, Load, Reduction, pointers, walk
from inductor_lab.eject.binding.tensors import IDLE, Tensor

LONGEST = 72
"""Characters of a title."""
MOST = 3
"""Tensors that a call names, of those that it writes and of those that it reads."""
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
    """`out = relu(x + bias)`; `second = exp(x ** 2); also first` where more is written: the formula is of the first one alone.

    Where no formula fits, it is the kernel's name over what it reads: `out = layer_norm(x, weight, bias)`. That is of all that the kernel
    writes: `norm, total and 2 more = residual_add_layer_norm(x, residual, ...)`.
    """
    chief = outputs(found, tensors)
    chosen = [tensors[output.store.pointer] for output in chief]
    written = [*chosen, *(each for each in tensors.values() if each.role != "in")]
    names = list(dict.fromkeys(each.name for each in written))
    if chief and not found.schedule.opaque:
        rest = f"; also {_listed(names[1:], 1)}" if names[1:] else ""
        if formula := _formula(chief[0], tensors, limit - len(rest)):
            return formula + rest
    return _called(name, tensors.values(), names, limit)


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
    """`out, total = layer_norm(x, weight, bias)`, with as many tensors as fit, of those that are written before those that are read."""
    read = [tensor.name for tensor in tensors if tensor.role != "out" and tensor.node != IDLE]
    for left, right in product(range(MOST, 0, -1), range(MOST, -1, -1)):
        shown = [*read[:right], *(["..."] if len(read) > right else [])]
        target = f"{_listed(written, left)} = " if written else ""
        text = f"{target}{name}({', '.join(shown)})"
        if len(text) <= limit:
            break
    return text


def _listed(names: Sequence[str], most: int) -> str:
    """`norm, total and 2 more`."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")
