"""Chooses the names in a readable kernel: of axes, sizes and variables, after the tensor or the operation that they are from.

offset, numel, BLOCK, inside                   a flat axis; `row`, `r`, `R`, `BLOCK_R` where something is reduced
tl.sum(x, 1) / 768                             mean
tl.sum((x - mean) * (x - mean), 1) / 768       variance         also by one less
tl.sum(x * x, 1) / 768                         mean_square
rsqrt(variance + 1e-05)                        rstd
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import isclose, prod
from types import MappingProxyType

from inductor_lab.computation.folds import Partial, plain
from inductor_lab.computation.index import Index
from inductor_lab.computation.naming.functions import roles as optimizer_roles
from inductor_lab.computation.naming.shapes import across
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import (
    Broadcast,
    Cast,
    Constant,
    Expression,
    Load,
    Named,
    Operation,
    Random,
    Reduction,
    Scan,
    Size,
    walk,
)
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.naming import RESERVED, numbered
from inductor_lab.eject.printing.operands import is_relu
from inductor_lab.eject.printing.patterns import partner_of
from inductor_lab.records import Input


@dataclass(frozen=True)
class Names:
    """The names of one axis."""

    index: str
    numel: str
    block: str
    inside: str
    start: str
    group: str = ""
    """How many positions a program takes, where they are more than a block."""

    def all(self) -> set[str]:
        return {self.index, self.numel, self.numel.upper(), self.block, self.inside, self.start, self.group} - {""}


def kept(found: Computation) -> str:
    """What is left of a reduction: a `row` where what is folded lies side by side, a `column` where what is not does."""
    return "column" if across(found) else "row"


def named(found: Computation, sizes: Container[str]) -> Iterator[tuple[str, Names]]:
    """Each axis with its names: `offset` for a flat one, `row` or `column` beside what is reduced, `r` for that.

    Args:
        sizes: Parameters of the kernel; the number of an axis' elements that is one of them is called as it is.
    """
    axes = found.schedule.axes
    free = [axis for axis in axes if not axis.reduced]
    reduced = [axis for axis in axes if axis.reduced]
    for axis in axes:
        if axis.reduced:
            number = axis.name[1:-1] if len(reduced) > 1 else ""
            index, numel, block, inside = f"r{number}", f"R{number}", f"BLOCK_R{number}", f"inside_r{number}"
        elif len(free) == 1 and not reduced:
            index, numel, block, inside = "offset", "numel", "BLOCK", "inside"
        elif len(free) == 1:
            index, numel, block, inside = kept(found), f"{kept(found)}s", "BLOCK", "inside"
        else:
            index, numel = axis.name, f"{axis.name}_size"
            block, inside = f"BLOCK_{axis.name.upper()}", f"inside_{axis.name}"
        if axis.numel in sizes:
            numel = str(axis.numel)
        group = f"{numel.upper()}_PER_PROGRAM" if axis.group else ""
        yield axis.name, Names(index, numel, block, inside, f"{index}_start", group)


@dataclass
class Sizes:
    """Sizes by name; a name is given once."""

    taken: set[str]
    """Names that nothing new may have."""
    tensors: frozenset[str] = frozenset()
    """The names of the tensors: of a value that is read or written there, and of no other."""
    values: dict[str, tuple[int, str]] = field(default_factory=dict)
    """A compile-time size -> its value, and the launcher's text for it."""

    def fresh(self, wanted: str, own: Collection[str] = ()) -> str:
        """A name that nothing has yet.

        Args:
            own: The tensors that what is named is read from, or written to.
        """
        name = numbered(wanted, lambda n: n in self.taken or (n in self.tensors and n not in own))
        self.taken.add(name)
        return name

    def forget(self, names: set[str], kept: Iterable[str]) -> None:
        """Free what was named since `names` were all; sizes keep theirs, and so does what is `kept`."""
        self.taken &= names | set(self.values) | set(kept)

    def named(self, wanted: str, value: int, passed: str) -> str:
        """The size that the launcher takes from there: the one that there is, or a new one."""
        for name, known in self.values.items():
            if known == (value, passed) and not passed.isdigit():
                return name
        return self.add(self.fresh(wanted), value, passed)

    def add(self, name: str, value: int, passed: str) -> str:
        self.values[name] = (value, passed)
        return name


# ------------------------------------------------------------ variables


Address = tuple[str, Index]
"""A pointer, and where something is read there."""
WHOLE = {(row.name, result.part): result.noun for row in TABLE.values() for result in row.results}
RUNNING = {(row.name, result.part): result.running for row in TABLE.values() for result in row.results}
"""(fold, part) -> what a loop's own tile is called."""


def noun(
    value: Expression,
    tensors: Mapping[str, Tensor],
    roles: Mapping[Address, str],
    numel: Mapping[str, int | str] = MappingProxyType({}),
) -> str:
    """The word for a value.

    Args:
        tensors: What each pointer holds, by parameter.
        roles: What tells a load from the others of its tensor.
        numel: The elements along each axis.
    """
    if found := statistic(value, numel):
        return found
    match value:
        case Load(pointer=pointer, index=index):
            role = roles.get((pointer, index), "") if index is not None else ""
            return f"{tensors[pointer].name}_{role}" if role else tensors[pointer].name
        case Cast(operand=Load() as load):
            return noun(load, tensors, roles)
        case Cast(operand=operand, dtype=dtype):
            return "index" if "int" in dtype and "float" not in operand.dtype else noun(operand, tensors, roles)
        case Broadcast(operand=operand) | Named(inputs=(operand,)):
            return noun(operand, tensors, roles)
        case Operation() if is_relu(value):
            return "relu"
        case Operation(name="add") if partner_of(value):
            return "partner"
        case Operation() if _is_softmax(value):
            return "probabilities"
        case Operation(name=name):
            return _word(name) if name.isidentifier() else "value"
        case Partial(name=name, part=part) if part:
            return "next_best" if running(value) == "best" else re.sub("running|best", "next", running(value))
        case Reduction(name=name, part=part) | Partial(name=name, part=part):
            return WHOLE.get((name, part), part) or _word("xor_sum" if name == "xor" else name)
        case Scan(name=name, part=part) if name.startswith("sort"):
            return "order" if part else "sorted_"
        case Scan(name=name):
            return {"sum": "running", "prod": "running"}.get(name, "scanned")
        case Random():
            return "noise"
    return "value"


def _is_softmax(value: Expression) -> bool:
    """Whether exponentials are divided by the sum of all of them."""
    match value:
        case Operation(name="div", inputs=(Operation(name="exp" | "exp2") as part, whole)):
            whole = plain(whole)
            summed = isinstance(whole, Reduction) and whole.name == "sum" and part in walk(whole)
            return summed or (
                isinstance(whole, (Reduction, Partial)) and (whole.name, whole.part) == ("online_softmax", "sum")
            )
    return False


def _word(operator: str) -> str:
    row = TABLE.get(operator)
    return (row.noun if row else "") or operator


def running(value: Expression) -> str:
    """What a loop's own tile is called that becomes a value."""
    if isinstance(value, Partial):
        return RUNNING.get((value.name, value.part), "accumulator")
    if isinstance(value, Reduction):
        return f"column_{value.name}s"
    return "accumulator"


def of_output(found: Computation, pointer: str) -> str:
    """What an output is called that holds a fold of each row, its softmax or its scale: `largest`, `mean`; empty for any other."""
    every = [(part, access) for part in found.every() for access in part.stores if access.pointer == pointer]
    if len(every) == 1 and every[0][1].value is not None:
        value = bare(every[0][1].value)
        if told := statistic(value, every[0][0].numel):
            return told
        folded = isinstance(value, (Reduction, Partial)) or (isinstance(value, Operation) and value.name == "rsqrt")
        if folded or _is_softmax(value):
            return noun(value, {}, {})
    return ""


def owners(found: Computation, tensors: Mapping[str, Tensor]) -> dict[Expression, set[str]]:
    """A value less its casts -> the tensors that it is read from, or written to as it is."""
    held: dict[Expression, set[str]] = {}
    for access in found.accesses:
        if access.value is not None and access.pointer in tensors:
            held.setdefault(bare(access.value), set()).add(tensors[access.pointer].name)
    return held


def bare(value: Expression) -> Expression:
    """The value without casts, broadcasts and masks."""
    while isinstance(value := plain(value), Cast):
        value = value.operand
    return value


# ------------------------------------------------------------ a row and its sums


DIVIDED = {("sum", ""), ("welford", "m2")}
"""Folds that are divided, and which of their results."""


def statistic(value: Expression, numel: Mapping[str, int | str]) -> str:
    """The word for a value; empty for any other.

    Args:
        numel: The elements along each axis.
    """
    match bare(value):
        case Operation(name="div", inputs=(total, by)):
            return _divided(bare(total), bare(by), numel)
        case Operation(name="mul", inputs=(total, by)) if isinstance(share := bare(by), Constant) and share.value:
            return _divided(bare(total), 1 / float(share.value), numel)
        case Operation(name="rsqrt", inputs=(spread,)):
            match bare(spread):
                case Operation(name="add", inputs=(spread, other)) if isinstance(bare(other), Constant):
                    return "rstd" if statistic(spread, numel) == "variance" else ""
    return ""


def _divided(total: Expression, by: Expression | float, numel: Mapping[str, int | str]) -> str:
    if not isinstance(total, Reduction) or total.group is not None or (total.name, total.part) not in DIVIDED:
        return ""
    sizes = [numel.get(axis) for axis in total.over]
    if isinstance(by, Size):
        whole, less = sizes == [by.name], False
    else:
        number = float(by.value) if isinstance(by, Constant) else by if isinstance(by, float) else 0.0
        count = prod(size if isinstance(size, int) else 0 for size in sizes)
        whole, less = isclose(number, count), isclose(number, count - 1)
    found = "variance" if total.part else _summed(bare(total.inputs[0]), numel)
    return found if whole or (less and found == "variance") else ""


def _summed(value: Expression, numel: Mapping[str, int | str]) -> str:
    """What the sum of such values is, divided by their number."""
    match value:
        case Operation(name="mul", inputs=(one, other)) if bare(one) is bare(other):
            match bare(one):
                case Operation(name="sub", inputs=(_, middle)) if statistic(middle, numel) == "mean":
                    return "variance"
            return "mean_square"
    return "mean"


# ------------------------------------------------------------ the tensors of several jobs


NUMBER = re.compile(r"_?\d+$")
"""What tells a job's tensor from another's."""
FEWEST = 3
"""Jobs of which a table is shorter than their names."""


def words_of_jobs(found: Computation, tensors: Sequence[Sequence[Tensor]], named: Collection[str]) -> tuple[str, ...]:
    """What the tensors of jobs of one kind are called: by what each is to the program, else by what their own names share.

    Args:
        found: The first job.
        tensors: Each job's.
        named: Parameters that keep their own names.
    """
    words: list[str] = []
    try:
        told: Mapping[str, str] = optimizer_roles(found)
    except ValueError:  # too much to take apart
        told = {}
    own = [[tensor.name for tensor in each] for each in tensors]
    for alike in zip(*tensors, strict=True):
        over = {
            names.index(t.overwrites) if t.overwrites in names else None for t, names in zip(alike, own, strict=True)
        }
        place = over.pop() if len(over) == 1 else None
        word = f"{words[place]}_new" if place is not None and place < len(words) else _job_s_word(alike, told, named)
        words.append(numbered(word, words.__contains__))
    return tuple(words)


def stem(tensors: Iterable[Tensor]) -> str:
    """What the names of all tensors are but for a number; empty where they differ in more."""
    stems = {NUMBER.sub("", tensor.name) for tensor in tensors}
    return stems.pop() if len(stems) == 1 else ""


def _job_s_word(tensors: Sequence[Tensor], told: Mapping[str, str], named: Collection[str]) -> str:
    """What one tensor of each job is called: `param`, `grad`, `exp_avg`; its own name in no optimizer's step, if it is one that keeps it."""
    if not told and tensors[0].parameter in named:
        return tensors[0].name
    of_the_program = {_role(tensor.input) for tensor in tensors}
    if len(of_the_program) == 1 and (role := of_the_program.pop() or told.get(tensors[0].parameter)):
        return role
    if tensors[0].parameter in named:
        return tensors[0].name
    return stem(tensors) or ("out" if tensors[0].role == "out" else common_end({each.name for each in tensors}) or "x")


def _role(one: Input | None) -> str:
    """What an input of the graph is to an optimizer; empty for any other."""
    if one is None or one.kind in ("buffer", "argument"):
        return ""
    if one.kind in ("parameter", "gradient"):
        return "grad" if one.kind == "gradient" or one.name.endswith(".grad") else "param"
    return one.kind if one.kind.isidentifier() else ""


def common_end(names: Collection[str]) -> str:
    """The words in which all names end: `exp_avg` of `up_weight_exp_avg` and `up_bias_exp_avg`; empty where that is no name."""
    words = zip(*(NUMBER.sub("", name).split("_")[::-1] for name in names), strict=False)
    alike = takewhile(lambda each: len({*each}) == 1, words)
    end = "_".join(each[0] for each in [*alike][::-1])
    return end if end.isidentifier() and end not in RESERVED else ""
