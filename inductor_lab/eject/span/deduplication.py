"""Kernels of a span that differ by names and numbers alone, printed as one that its launches give their numbers.

launch_embedding(index, table, out[:, 16:32])      launch_embedding(index, table, out[:, 16:32], start=1)
launch_embedding_2(index, table, out[:, 32:48])    launch_embedding(index, table, out[:, 32:48], start=2)

Inductor's own are one where they are launched alike too: what a file times is what the model runs.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.file.literals import keywords
from inductor_lab.eject.rendering import Baseline, Launcher, Parameter, Rendering
from inductor_lab.eject.span.antiunification import Number, Numbers, Place, Texts, apart, numbers

BODY, LINES, GRID, PASSED, TAKEN = range(5)
"""Texts of a kernel and its launcher."""
REFERENCE, COMPARES = 5, 8
"""Where those of what it must equal, and of what it compares, begin."""


@dataclass(frozen=True)
class Given:
    """The numbers that one launch gives what it shares with others, by the names of what takes them."""

    launch: Mapping[str, Number] = field(default_factory=dict)
    reference: Mapping[str, Number] = field(default_factory=dict)
    """And what tells what it compares."""


@dataclass(frozen=True)
class Shared:
    """What is printed once, and what each of its kernels gives it."""

    members: Sequence[int]
    first: int
    """The one whose names it has."""
    numbers: Numbers

    def given(self, member: int) -> Given:
        values = self.numbers.values[self.members.index(member)]
        named = self.numbers.of(BODY, TAKEN), self.numbers.of(REFERENCE)
        return Given(*({name: values[name] for name in names} for names in named))


# ------------------------------------------------------------ which are alike


def by_hand(plans: Sequence[Plan], parts: Sequence[Rendering]) -> list[Shared]:
    """The kernels that are there to be edited. Where the autotuner chose otherwise for the same work, what it chose most often is the choice."""

    def key(at: int) -> str:
        one, hand = parts[at], parts[at].hand
        return repr((
            plans[at].name, sorted(plans[at].unbacked), hand.functions, hand.remark, hand.untold, [*hand.launcher.settings],
            one.imports, one.unknown, one.inputs.interpreter, one.inputs.tail, one.baseline.checked,
            one.reference and (one.reference.functions, one.reference.by_graph, one.reference.tf32),
            one.comparing.functions, one.comparing.left_out,
        ))  # fmt: skip

    def settings(at: int) -> str:
        return repr(parts[at].hand.launcher.settings)

    def work(at: int) -> list[object]:
        return [tensor.type.shape for tensor in plans[at].written]

    def between(one: int, other: int) -> Mapping[Place, Number] | None:
        agree = settings(one) == settings(other) or work(one) == work(other)
        return apart(texts[one], texts[other], nought=True) if agree else None

    texts = [_of_hand(*both) for both in zip(plans, parts, strict=True)]
    return list(_shared(range(len(parts)), key, between, texts.__getitem__, settings))


def generated(plans: Sequence[Plan], parts: Sequence[Rendering], hands: Iterable[Shared]) -> list[Shared]:
    """Inductor's kernels: those that are one by hand, and are launched under the same settings."""

    def key(at: int) -> str:
        one = parts[at].baseline
        decorator = re.sub(r"'kernel_name': '\w*'", "", "\n".join(one.decorator))
        return repr((
            one.functions, one.namespace, one.parameters, one.checked, one.configuration, one.launcher.settings,
            decorator, plans[at].interpreter,
        ))  # fmt: skip

    def texts(at: int) -> Texts:
        one = parts[at].baseline
        tensors = [tensor.name for tensor in plans[at].tensors.values()]
        return Texts(_of_launcher(one.body, one.launcher, tensors), tensors)

    def between(one: int, other: int) -> Mapping[Place, Number] | None:
        return apart(texts(one), texts(other))

    found = [one for hand in hands for one in _shared(hand.members, key, between, texts, lambda _: "")]
    return sorted(found, key=lambda one: one.members[0])


def _shared(
    of: Iterable[int],
    key: Callable[[int], str],
    apart_: Callable[[int, int], Mapping[Place, Number] | None],
    texts: Callable[[int], Texts],
    chosen: Callable[[int], str],
) -> Iterator[Shared]:
    """Those of the same key that can be told in the words of one; of the first that has what most have chosen."""
    keys = {at: key(at) for at in of}

    def tells(one: int, others: Iterable[int]) -> bool:
        return all(keys[one] == keys[other] and apart_(one, other) is not None for other in others)

    told: list[tuple[int, list[int]]] = []
    for at in keys:
        for number, (first, members) in enumerate(told):
            if tells(first, [at]) or tells(at, members):
                told[number] = (first if tells(first, [at]) else at, [*members, at])
                break
        else:
            told.append((at, [at]))
    for first, members in told:
        ((most, _),) = Counter(map(chosen, members)).most_common(1)
        best = next((at for at in members if chosen(at) == most and tells(at, members)), first)
        yield Shared(members, best, numbers(texts(best), [apart_(best, at) or {} for at in members]))


def _of_hand(plan: Plan, parts: Rendering) -> Texts:
    hand, reference, comparing = parts.hand, parts.reference, parts.comparing
    tensors = [tensor.name for tensor in plan.tensors.values()]
    texts = [
        *_of_launcher(hand.body, hand.launcher, tensors),
        "\n".join(reference.lines) if reference else "", reference.results if reference else "",
        f"_({', '.join(reference.takes)})" if reference else "",
        "\n".join(comparing.lines), *comparing.rows, f"_({', '.join(one.name for one in hand.parameters)})",
    ]  # fmt: skip
    return Texts(texts, {*tensors, *(one.name for one in hand.parameters), *_stored(texts)})


def _of_launcher(body: Sequence[str], launcher: Launcher, tensors: Sequence[str]) -> list[str]:
    lines = [line for line in launcher.lines if not line.startswith("# ")]  # why it is launched so
    return ["\n".join(body), "\n".join(lines), launcher.grid, f"_({launcher.passed})", f"_({', '.join(tensors)})"]


def _stored(texts: Iterable[str]) -> set[str]:
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


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
        why = (re.sub(r"autotuner kept\.$", "autotuner kept for most.", line) for line in launcher.lines)
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
    parameters = [Parameter(word.strip()) for word in baseline.parameters.split(",")]
    taken = ", ".join(one.name + one.annotation for one in _given(parameters, baseline.launcher, of))
    return replace(baseline, parameters=taken, body=body, launcher=launcher)


def _given(parameters: Sequence[Parameter], launcher: Launcher, of: Numbers) -> tuple[Parameter, ...]:
    """A kernel's parameters with the numbers, which are compiled in as before, in front of the blocks."""
    new = [Parameter(name.upper(), ": tl.constexpr", of.range(name)) for name in of.of(BODY, BODY)]
    at = next(
        (at for at, one in enumerate(parameters) if one.name.partition(":")[0] in launcher.settings), len(parameters)
    )
    return (*parameters[:at], *new, *parameters[at:])


def _launched(plan: Plan, body: Sequence[str], launcher: Launcher, of: Numbers) -> tuple[tuple[str, ...], Launcher]:
    """A kernel's body and its launcher that take the numbers."""
    passed = of.placed(PASSED, f"_({launcher.passed})", upper=False)[2:-1]
    new = "".join(f"{name.upper()}={name}, " for name in of.of(BODY, BODY))
    cut = min((found.start() for key in launcher.settings if (found := re.search(rf"\b{key}=", passed))), default=None)
    if new:
        passed = f"{passed}, {new[:-2]}" if cut is None else passed[:cut] + new + passed[cut:]
    tensors = [tensor.name for tensor in plan.tensors.values()]
    changed = replace(
        launcher,
        parameters=", ".join([*tensors, *of.of(BODY, TAKEN), *keywords(launcher.settings)]),
        lines=_lines(of.placed(LINES, "\n".join(launcher.lines), upper=False)),
        grid=of.placed(GRID, launcher.grid, upper=False),
        passed=passed,
    )
    return _lines(of.placed(BODY, "\n".join(body), upper=True)), changed


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _of_all(comments: Sequence[str]) -> str:
    """What is said of all: `f32[128, 16]; output` of `f32[128, 16], graph input a; output` and `f32[128, 16], graph input b; output`."""
    if len({*comments}) == 1:
        return comments[0]
    halves = [comment.partition("; ") for comment in comments]
    types = {head.partition(", graph input")[0].partition(", aten.")[0] for head, _, _ in halves}
    roles = {tail for _, _, tail in halves}
    return "; ".join(one.pop() for one in (types, roles) if len(one) == 1 and one != {""})
