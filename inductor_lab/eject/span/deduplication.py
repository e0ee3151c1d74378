"""Prints kernels of a span that differ only in names and numbers once; each launch passes its own numbers.

launch_embedding(index, table, out[:, 16:32])      launch_embedding(index, table, out[:, 16:32], start=1)
launch_embedding_2(index, table, out[:, 32:48])    launch_embedding(index, table, out[:, 32:48], start=2)

Inductor's own are one where they are launched alike too: what a file times is what the model runs.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.device_functions import own_names
from inductor_lab.eject.rendering import Baseline, Launcher, Parameter, Rendering
from inductor_lab.eject.span.antiunification import KernelTexts, Number, Numbers, Place, differences, numbers

BODY, LINES, GRID, PASSED, TAKEN = range(5)
"""Texts of a kernel and its launcher."""
REFERENCE, COMPARES = 5, 8
"""Where those of what it must equal, and of what it compares, begin."""


@dataclass(frozen=True)
class LaunchNumbers:
    """The numbers that one launch gives what it shares with others, by the names of what takes them."""

    launch: Mapping[str, Number] = field(default_factory=dict)
    reference: Mapping[str, Number] = field(default_factory=dict)
    """And what tells what it compares."""


@dataclass(frozen=True)
class SharedKernel:
    """What is printed once, and what each of its kernels gives it."""

    members: Sequence[int]
    first: int
    """The one whose names it has."""
    numbers: Numbers

    def given(self, member: int) -> LaunchNumbers:
        values = self.numbers.values[self.members.index(member)]
        named = self.numbers.of(BODY, TAKEN), self.numbers.of(REFERENCE)
        return LaunchNumbers(*({name: values[name] for name in names} for names in named))


# ------------------------------------------------------------ which are alike


@dataclass(frozen=True)
class _Printed:
    """What is printed of one kernel, as far as it is compared with others'."""

    key: str
    """What must be the same."""
    texts: KernelTexts
    """What may differ by names and numbers."""
    settings: str = ""
    work: object = None
    """By which kernels with other settings are the same all the same."""

    def given(self, other: _Printed, *, zero: bool) -> Mapping[Place, Number] | None:
        """The numbers that make the other's text of this one; None where they are not alike."""
        alike = self.key == other.key and (self.settings == other.settings or self.work == other.work)
        return differences(self.texts, other.texts, zero=zero) if alike else None


def by_hand(plans: Sequence[Plan], parts: Sequence[Rendering]) -> list[SharedKernel]:
    """The kernels that are there to be edited. Where the autotuner chose otherwise for the same work, what it chose most often is the choice."""
    printed: dict[int, _Printed] = {}
    for at, (plan, one) in enumerate(zip(plans, parts, strict=True)):
        hand = one.hand
        key = repr((
            plan.name, sorted(plan.unbacked), hand.functions, hand.remark, hand.untold, [*hand.launcher.settings],
            one.imports, one.unknown, one.inputs.interpreter, one.inputs.tail, one.baseline.checked,
            one.reference and (one.reference.functions, one.reference.by_graph, one.reference.tf32),
            one.comparing.functions, one.comparing.left_out,
        ))  # fmt: skip
        work = [tensor.type.shape for tensor in plan.written]
        printed[at] = _Printed(key, _of_hand(plan, one), repr(hand.launcher.settings), work)
    return list(_shared(printed, zero=True))


def generated(plans: Sequence[Plan], parts: Sequence[Rendering], hands: Iterable[SharedKernel]) -> list[SharedKernel]:
    """Inductor's kernels: those that are one by hand, and are launched under the same settings."""
    printed: dict[int, _Printed] = {}
    for at, (plan, one) in enumerate(zip(plans, (each.baseline for each in parts), strict=True)):
        decorator = re.sub(r"'kernel_name': '\w*'", "", "\n".join(one.decorator))
        key = repr((
            one.functions, one.helpers, one.parameters, one.checked, one.configuration, one.launcher.settings,
            decorator, plan.interpreter,
        ))  # fmt: skip
        tensors = [tensor.name for tensor in plan.tensors.values()]
        printed[at] = _Printed(key, KernelTexts(_of_launcher(one.body, one.launcher, tensors), tensors))
    found = [one for hand in hands for one in _shared({at: printed[at] for at in hand.members}, zero=False)]
    return sorted(found, key=lambda one: one.members[0])


def _shared(printed: Mapping[int, _Printed], *, zero: bool) -> Iterator[SharedKernel]:
    """Those that can be told in the words of one; of the first that has the settings of most.

    Args:
        zero: As of `differences`.
    """

    def tells(one: int, others: Iterable[int]) -> bool:
        return all(printed[one].given(printed[other], zero=zero) is not None for other in others)

    told: list[tuple[int, list[int]]] = []
    for at in printed:
        for number, (first, members) in enumerate(told):
            if tells(first, [at]) or tells(at, members):
                told[number] = (first if tells(first, [at]) else at, [*members, at])
                break
        else:
            told.append((at, [at]))
    for first, members in told:
        ((most, _),) = Counter(printed[at].settings for at in members).most_common(1)
        best = next((at for at in members if printed[at].settings == most and tells(at, members)), first)
        given = [printed[best].given(printed[at], zero=zero) or {} for at in members]
        yield SharedKernel(members, best, numbers(printed[best].texts, given))


def _of_hand(plan: Plan, parts: Rendering) -> KernelTexts:
    hand, reference, comparing = parts.hand, parts.reference, parts.comparing
    tensors = [tensor.name for tensor in plan.tensors.values()]
    texts = [
        *_of_launcher(hand.body, hand.launcher, tensors),
        "\n".join(reference.lines) if reference else "", reference.results if reference else "",
        f"_({', '.join(reference.takes)})" if reference else "",
        "\n".join(comparing.lines), *comparing.rows, f"_({', '.join(one.name for one in hand.parameters)})",
    ]  # fmt: skip
    own = own_names(*map(ast.parse, texts))
    return KernelTexts(texts, {*tensors, *(one.name for one in hand.parameters), *own})


def _of_launcher(body: Sequence[str], launcher: Launcher, tensors: Sequence[str]) -> list[str]:
    lines = [line for line in launcher.lines if not line.startswith("# ")]  # why it is launched so
    return ["\n".join(body), "\n".join(lines), launcher.grid, f"_({launcher.passed})", f"_({', '.join(tensors)})"]


# ------------------------------------------------------------ as it is printed


def one_for_all(plan: Plan, parts: Rendering, of: Numbers, others: Sequence[Rendering]) -> Rendering:
    """A kernel's parts as they stand for all that are alike.

    Args:
        others: Theirs, by hand.
    """
    if not others:
        return parts
    hand, reference, comparing = parts.hand, parts.reference, parts.comparing
    body, launcher = _launched(plan, hand.body, hand.launcher, of)
    parameters = [
        replace(one, comment=_of_all([other.hand.parameters[at].comment for other in (parts, *others)]))
        for at, one in enumerate(hand.parameters)
    ]
    if len({repr(one.hand.launcher.settings) for one in (parts, *others)}) > 1:
        why = (line.replace("autotuner kept.", "autotuner kept for most.") for line in launcher.lines)
        launcher = replace(launcher, lines=tuple(why))
    hand = replace(hand, parameters=_given(parameters, hand.launcher, of), body=body, launcher=launcher)
    if reference:
        lines = of.placed(REFERENCE, "\n".join(reference.lines), upper=False)
        results = of.placed(REFERENCE + 1, reference.results, upper=False)
        taken = ", ".join([*([reference.parameters] if reference.parameters else []), *of.of(REFERENCE)])
        reference = replace(reference, parameters=taken, lines=_lines(lines), results=results)
    rows = tuple(of.placed(COMPARES + 1 + at, row, upper=False) for at, row in enumerate(comparing.rows))
    lines = of.placed(COMPARES, "\n".join(comparing.lines), upper=False)
    return replace(parts, hand=hand, reference=reference, comparing=replace(comparing, lines=_lines(lines), rows=rows))


def one_baseline(plan: Plan, baseline: Baseline, of: Numbers) -> Baseline:
    """Inductor's kernel as it stands for all that are alike."""
    body, launcher = _launched(plan, baseline.body, baseline.launcher, of)
    return replace(baseline, takes=_given(baseline.takes, baseline.launcher, of), body=body, launcher=launcher)


def _given(parameters: Sequence[Parameter], launcher: Launcher, of: Numbers) -> tuple[Parameter, ...]:
    """A kernel's parameters with the numbers, which are compiled in as before, in front of the blocks."""
    new = [Parameter(name.upper(), ": tl.constexpr", of.range(name)) for name in of.of(BODY, BODY)]
    at = next((at for at, one in enumerate(parameters) if one.name in launcher.settings), len(parameters))
    return (*parameters[:at], *new, *parameters[at:])


def _launched(plan: Plan, body: Sequence[str], launcher: Launcher, of: Numbers) -> tuple[tuple[str, ...], Launcher]:
    """A kernel's body and its launcher that take the numbers."""
    passed = of.placed(PASSED, f"_({launcher.passed})", upper=False)[2:-1]
    new = "".join(f", {name.upper()}={name}" for name in of.of(BODY, BODY))
    cut = min((at for key in launcher.settings if (at := passed.find(f", {key}=")) >= 0), default=len(passed))
    tensors = [tensor.name for tensor in plan.tensors.values()]
    changed = replace(
        launcher,
        takes=(*tensors, *of.of(BODY, TAKEN)),
        lines=_lines(of.placed(LINES, "\n".join(launcher.lines), upper=False)),
        grid=of.placed(GRID, launcher.grid, upper=False),
        passed=passed[:cut] + new + passed[cut:],
    )
    return _lines(of.placed(BODY, "\n".join(body), upper=True)), changed


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _of_all(comments: Sequence[str]) -> str:
    """What is said of all: `f32[128, 16]; output` of `f32[128, 16], graph input a; output` and `f32[128, 16], graph input b; output`.

    A template places a comment as a sentence, so that a parameter has no more of it; only here is one taken apart.
    """
    if len({*comments}) == 1:
        return comments[0]
    halves = [comment.partition("; ") for comment in comments]
    types = {head.partition(", graph input")[0].partition(", aten.")[0] for head, _, _ in halves}
    roles = {tail for _, _, tail in halves}
    return "; ".join(one.pop() for one in (types, roles) if len(one) == 1 and one != {""})
