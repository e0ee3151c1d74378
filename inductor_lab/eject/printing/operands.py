"""Questions of a printer on a value: what its text is made of, how often and where it is used, whether it is a number or changes nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Access, Assert, Carry, Define, Effect, Loop, Schedule, Step
from inductor_lab.computation.tree import (
    Carried,
    Constant,
    Expression,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    walk,
)
from inductor_lab.eject.printing.patterns import chosen_of

INLINE = 56
"""Characters up to which a value that is used once is written where it is used."""


def uses(
    schedule: Schedule,
    below: Callable[[Expression], Sequence[Expression]],
    ends: Callable[[Carry], bool] = lambda _: True,
) -> Counter[Expression]:
    """How often each value is used by what has an effect; what is never used is not printed.

    Args:
        below: What a value's own text is made of, `parts_of` in Triton.
        ends: Whether what a loop carries on is used behind it.
    """
    roots: list[Expression] = []
    carried: list[Expression] = []
    for step in schedule.every():
        match step:
            case Effect(access=access):
                roots += of_access(access)
            case Assert(check=check):
                roots.append(check.condition)
            case Loop(carries=carries):
                carried += [carry.end for carry in carries if ends(carry)]
    found = Counter([*roots, *carried])
    for node in walk(*roots, *carried, parts=below):
        found.update(below(node))
    return found


def of_access(access: Access) -> tuple[Expression, ...]:
    """The values that an access is made of."""
    return (*access.index.expressions(), *(value for value in (access.mask, access.value) if value is not None))


def goes_on(carry: Carry) -> bool:
    """Whether a loop carries on where a scan has come to: the last element of each block's, and what operations make of it."""
    made = walk(carry.end, parts=lambda node: node.inputs if isinstance(node, Operation) else ())
    return any(isinstance(node, Operation) and node.name == "last" for node in made)


def used_elsewhere(schedule: Schedule) -> set[Expression]:
    """Values that are used in a loop inside of where they are defined."""
    depth: dict[Expression, int] = {}
    crossing: set[Expression] = set()

    def cross(roots: Iterable[Expression], level: int) -> None:
        known = walk(*roots, parts=lambda node: () if node in depth else parts_of(node))
        crossing.update(part for part in known if depth.get(part, level) < level)

    def visit(steps: Sequence[Step], level: int) -> None:
        for step in steps:
            if isinstance(step, Define):
                for value in step.values:
                    cross(parts_of(value), level)
                    depth.setdefault(value, level)
            elif isinstance(step, Effect):
                cross(filter(None, (step.access.value, step.access.mask)), level)
            elif isinstance(step, Loop):
                visit(step.steps, level + 1)

    visit(schedule.steps, 0)
    return crossing


def unscaled(value: Operation) -> Expression | None:
    """`x` of `x * 1.0`, which changes nothing."""
    for one, other in (value.inputs, value.inputs[::-1]):
        if (
            isinstance(one, Constant)
            and not isinstance(one.value, bool)
            and one.value == 1
            and other.dtype == value.dtype
            and "float" in value.dtype
        ):
            return other
    return None


def is_relu(value: Operation) -> bool:
    match value:
        case Operation(name="maximum", inputs=(Constant(value=zero), x), spelling="triton_helpers.maximum") if (
            not isinstance(x, Constant)
        ):
            return zero == 0 and not isinstance(zero, bool) and math.copysign(1, zero) > 0
    return False


def constant_of(value: Expression) -> Constant | None:
    """The number that a value is, also where the text adds nothing to it: `tl.zeros(...) + 0`."""
    match value:
        case Constant():
            return value
        case Operation(name="add", inputs=(Constant() as one, Constant(value=0))):
            return one
    return None


def parts_of(value: Expression) -> tuple[Expression, ...]:
    """What a value's own text in Triton is made of: of the larger of two values with its index, all four."""
    choice = chosen_of(value)
    return parts(value) if choice is None else (*choice.values, *choice.indices)


def parts(value: Expression) -> tuple[Expression, ...]:
    """What a value's own text is made of."""
    match value:
        case Reduction() | Scan() | Partial() | Random() if value.call is not None:
            return value.call.values
        case Reduction() | Partial() | Carried():
            return ()
        case Position(index=index):
            return index.expressions()
    return value.operands
