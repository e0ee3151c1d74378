"""How often each value of a schedule is used, and which are used in another loop than where they are defined: what may stand inline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inductor_lab.computation.schedule import Assert, Define, Effect, Loop, Schedule, Step
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.triton_values import parts_of, under


def uses(schedule: Schedule) -> Counter[Expression]:
    """How often each value is used by what has an effect; what is never used is not printed."""
    roots: list[Expression] = []
    ends: list[Expression] = []
    for step in schedule.every():
        match step:
            case Effect(access=access):
                roots += [*access.index.expressions(), *filter(None, (access.mask, access.value))]
            case Assert(check=check):
                roots.append(check.condition)
            case Loop(carries=carries):
                ends += [carry.end for carry in carries]
    found: Counter[Expression] = Counter([*roots, *ends])
    waiting, seen = [*roots, *ends], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for part in parts_of(node):
            found[part] += 1
            waiting.append(part)
    return found


def used_elsewhere(schedule: Schedule) -> set[Expression]:
    """Values that are used in a loop inside of where they are defined."""
    depth: dict[Expression, int] = {}
    crossing: set[Expression] = set()

    def visit(steps: Sequence[Step], level: int) -> None:
        for step in steps:
            if isinstance(step, Define):
                for value in step.values:
                    crossing.update(part for part in under(value, depth) if depth[part] < level)
                    depth.setdefault(value, level)
            elif isinstance(step, Effect):
                for root in filter(None, (step.access.value, step.access.mask)):
                    crossing.update(part for part in (root, *under(root, depth)) if depth.get(part, level) < level)
            elif isinstance(step, Loop):
                visit(step.steps, level + 1)

    visit(schedule.steps, 0)
    return crossing
