"""A span's file as statements: the hand kernels' launches, Inductor's own launches, and eager PyTorch.

scaled = torch.empty((64, 32), dtype=torch.float32, device=x.device)
launch_double(x, scaled, BLOCK=double_BLOCK)    launch_generated_0(x, scaled, XBLOCK=XBLOCK_0)    into((scaled,), double_reference(x))
torch.mm(scaled, weight.t(), out=y)

Several launches of one kernel in a row are a table and a loop over it. A library call is told as calls of torch that anybody can run:

extern_kernels._mm_plus_mm(a, b, c, d, out=y)   torch.mm(a, b, out=y); y.addmm_(c, d)
aten.sum.dim_IntList(x, [0])                    torch.ops.aten.sum.dim_IntList(x, [0])
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from inductor_lab.eject import naming
from inductor_lab.eject.file.literals import called, tuple_of
from inductor_lab.eject.rendering import Launcher
from inductor_lab.eject.span.kernels import Part
from inductor_lab.eject.span.plan import MADE, SpanPlan
from inductor_lab.eject.span.views import bases, said
from inductor_lab.errors import LabError
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size, is_row_by_row, memory_order
from inductor_lab.records.span import SpanStep, SpanTensor

ROW = 3
"""Launches of one kernel in a row that are told as a loop, at least."""


@dataclass(frozen=True)
class LaunchStatement:
    """One launch as a statement."""

    form: tuple[str, ...]
    """The function, and what it is given, with a place for each argument."""
    arguments: tuple[str, ...]
    names: tuple[str, ...]
    """What a loop calls them."""
    settings: tuple[str, ...] = ()

    def lines(self, arguments: Sequence[str] = ()) -> list[str]:
        function, *given = (word.format(*(arguments or self.arguments)) for word in self.form)
        return called(function, given, self.settings)


class Composer:
    """Tells a span as statements."""

    def __init__(self, plan: SpanPlan) -> None:
        self.plan, self.span, self.parts, self.names = plan, plan.span, plan.parts, plan.called
        self.symbols = plan.environment.keys() | plan.unbacked.keys()

    def hand(self) -> list[str]:
        return list(self._statements(self._launched))

    def generated(self) -> list[str]:
        return list(self._statements(partial(self._launched, generated=True), reuse=True))

    def eager(self) -> list[str]:
        """The caller goes on with its inputs: those that are written over are copied first, and laid as they were where a view counts on it."""
        lines = [*self._statements(self._eager, eager=True)]
        copied = []
        for tensor in self.span.tensors:
            name = self.names[tensor.name]
            gaps = memory_order(tensor.type.shape, tensor.type.stride) is None
            counts = gaps and any(f"as_strided({name}," in line for line in lines)
            if tensor.role == "inout" or (tensor.role == "in" and counts):
                copied.append(f"{name} = {f'{empty(tensor.type)}.copy_({name})' if counts else f'{name}.clone()'}")
        return [*copied, *lines]

    def compared(self) -> dict[str, Part]:
        """What kernels compare that read the span's own inputs alone, as they are given: the call that tells it, and whose it is."""
        given = {tensor.name for tensor in self.span.tensors if tensor.role in ("in", "inout")}
        found: dict[str, Part] = {}
        for step, part in zip(self.span.steps, self.parts, strict=True):
            values = {argument.name: argument.value for argument in step.arguments}
            if part and part.parts.comparing.rows and part.parts.reference:
                tensors = [t for t in part.plan.tensors.values() if t.name in part.parts.reference.takes]
                if {base for t in tensors for base in bases(values[t.parameter])} <= given:
                    passed = [self._said(values[t.parameter]) for t in tensors]
                    numbers = [f"{name}={value}" for name, value in part.given.reference.items()]
                    found[f"{part.plan.name}_compares({', '.join([*passed, *self._sizes(part), *numbers])})"] = part
            given -= self._written(step, part)
        return found

    def _written(self, step: SpanStep, part: Part | None) -> set[str]:
        """What a step writes, of whatever it may write."""
        written = {tensor.parameter for tensor in part.plan.written} if part else None
        told = {base for a in step.arguments if written is None or a.name in written for base in bases(a.value)}
        return {tensor.name for tensor in self.span.tensors if tensor.role != "in" and tensor.name in told}

    def _sizes(self, part: Part) -> list[str]:
        return [f"{key}={key}" for key in part.hand.launcher.settings if key in self.symbols]

    def settings(self) -> list[dict[str, object]]:
        """The keywords of `launch`: of every hand kernel those of its launcher, by its name."""
        return [self._settings(part.hand.launcher, part.setting) for part in self.plan.hands]

    def generated_settings(self) -> list[dict[str, object]]:
        return [self._settings(part.baseline.launcher, part.generated_setting) for part in self.plan.baselines]

    def _settings(self, launcher: Launcher, named: Callable[[str], str]) -> dict[str, object]:
        return {named(key): value for key, value in launcher.settings.items() if key not in self.symbols}

    # ---- steps

    def _statements(
        self, told: Callable[[SpanStep, Part], LaunchStatement], *, reuse: bool = False, eager: bool = False
    ) -> Iterator[str]:
        row: list[LaunchStatement] = []
        for one in self._told(told, reuse, eager):
            if row and (isinstance(one, str) or one.form != row[0].form or one.settings != row[0].settings):
                yield from self._row(row)
                row = []
            if isinstance(one, str):
                yield one
            else:
                row.append(one)
        yield from self._row(row)

    def _row(self, row: Sequence[LaunchStatement]) -> Iterator[str]:
        """Launches of one kernel, one after the other."""
        changes = [
            at for at, values in enumerate(zip(*(one.arguments for one in row), strict=True)) if len({*values}) > 1
        ]
        if len(row) < ROW or not changes:
            for one in row:
                yield from one.lines()
            return
        taken = {*self.names.values(), *self.symbols}
        names = dict.fromkeys(changes, "")
        for at in changes:
            wanted = re.sub(r"_\d+$", "", row[0].names[at])
            names[at] = naming.unique(f"each_{wanted}" if wanted in taken else wanted, taken)
        yield f"for {', '.join(names.values())} in ("
        yield from (f"    {tuple_of([one.arguments[at] for at in changes])}," for one in row)
        yield "):"
        lines = row[0].lines([names.get(at, value) for at, value in enumerate(row[0].arguments)])
        yield from (f"    {line}" for line in lines)

    def _told(
        self, told: Callable[[SpanStep, Part], LaunchStatement], reuse: bool, eager: bool
    ) -> Iterator[str | LaunchStatement]:
        there = {tensor.name for tensor in self.span.tensors if tensor.role not in (MADE if eager else ("inner",))}
        for step, part in zip(self.span.steps, self.parts, strict=True):
            used = {variable for argument in step.arguments for variable in bases(argument.value)}
            for tensor in self.span.tensors:
                if tensor.name in used - there and not tensor.made:
                    yield f"{self.names[tensor.name]} = {self._memory(tensor, reuse)}"
                    there.add(tensor.name)
            if part is None:
                yield from self._called(step, there, eager)
            else:
                yield told(step, part)

    def _memory(self, tensor: SpanTensor, reuse: bool) -> str:
        before = next((one for one in self.span.tensors if one.name == tensor.storage), None)
        if reuse and before is not None and before.role == "inner" and before.type.dtype == tensor.type.dtype:
            name, type_ = self.names[before.name], tensor.type
            if (type_.shape, type_.stride) == (before.type.shape, before.type.stride):
                return name
            return f"torch.as_strided({name}, {_sizes(type_.shape)}, {_sizes(type_.stride)})"
        return empty(tensor.type)

    def _launched(self, step: SpanStep, part: Part, *, generated: bool = False) -> LaunchStatement:
        """A launch of the hand kernel, or of Inductor's."""
        name, named, launcher, given = part.plan.name, part.setting, part.hand.launcher, part.given.launch
        if generated:
            name, named = f"generated_{part.number}", part.generated_setting
            launcher, given = part.baseline.launcher, part.given_generated
        tensors = self._passed(step, part)
        form = (f"launch_{name}", *_places(len(tensors), given))
        settings = tuple(f"{key}={key if key in self.symbols else named(key)}" for key in launcher.settings)
        return LaunchStatement(form, (*tensors, *map(str, given.values())), part.hand.launcher.takes, settings)

    def _eager(self, step: SpanStep, part: Part) -> LaunchStatement:
        reference, given = part.parts.reference, part.given.reference
        assert reference is not None, "a span with a kernel without a reference has none"
        own = [tensor.name for tensor in part.plan.tensors.values()]
        passed, named = (
            dict(zip(own, of, strict=False)) for of in (self._passed(step, part), part.hand.launcher.takes)
        )
        written = [tensor.name for tensor in part.plan.written]
        arguments = [passed[name] for name in (*written, *reference.takes)]
        places = _places(len(arguments), given)
        taken = *places[len(written) : len(arguments)], *self._sizes(part), *places[len(arguments) :]
        form = "into", tuple_of(places[: len(written)]), f"{part.plan.name}_reference({', '.join(taken)})"
        names = [f"new_{named[name]}" if name in reference.takes else named[name] for name in written]
        names += [named[name] for name in reference.takes]
        return LaunchStatement(form, (*arguments, *map(str, given.values())), (*names, *given))

    def _called(self, step: SpanStep, there: set[str], eager: bool) -> Iterator[str]:
        passed = [(argument.name, self._said(argument.value)) for argument in step.arguments]
        *before, value = call(step.call, passed, eager=eager)
        yield from before
        if not step.results:
            yield value
            return
        left = {tensor.name for tensor in self.span.tensors if tensor.unread} & there
        made = {
            name: f"{self.names[name]}_made" if name in there else self.names[name]
            for name in step.results
            if name and name not in left
        }
        types = {tensor.name: tensor.type for tensor in self.span.tensors}
        if step.parts:
            yield f"{', '.join([*(made.get(name, '_') for name in step.results), '*_'])} = {value}"
            values = made
        else:
            values = dict.fromkeys(made, value)
        for name, text in values.items():
            if name in there:
                yield f"{self.names[name]}.copy_({text})"
            elif len(types[name].shape) > 1:
                yield f"{self.names[name]} = laid({text}, {_sizes(types[name].stride)})"
            elif text != self.names[name]:
                yield f"{self.names[name]} = {text}"
            there.add(name)

    # ---- what is passed

    def _passed(self, step: SpanStep, part: Part) -> list[str]:
        values = {argument.name: argument.value for argument in step.arguments}
        return [self._said(values[parameter]) for parameter in part.plan.tensors]

    def _said(self, value: str) -> str:
        tensors = {tensor.name: (self.names[tensor.name], tensor.type) for tensor in self.span.tensors}
        return ast.unparse(said(value, tensors))


def _places(count: int, given: Iterable[str]) -> list[str]:
    """A place for each argument, first those without a name: `{0}`, `start={1}`."""
    return [f"{{{at}}}" for at in range(count)] + [f"{name}={{{at}}}" for at, name in enumerate(given, count)]


def empty(type_: TensorType) -> str:
    """An allocation; DEVICE is the place of the first tensor that the function is given."""
    like = f"dtype=torch.{type_.dtype}, device=DEVICE"
    if is_row_by_row(type_.shape, type_.stride):
        return f"torch.empty({_sizes(type_.shape)}, {like})"
    return f"torch.empty_strided({_sizes(type_.shape)}, {_sizes(type_.stride)}, {like})"


def _sizes(sizes: Sequence[SizeLike]) -> str:
    return tuple_of([Size.of(size).python for size in sizes])


PLAIN = {"mm", "addmm", "bmm", "baddbmm", "convolution", "_int_mm", "_scaled_mm"}
"""Functions of `extern_kernels` that torch calls by the same name, and gives the same arguments."""
ATTENTION = "_scaled_dot_product"
"""What the names of fused attentions have."""
OPERATOR = re.compile(r"(?:torch\.ops\.)?((aten|prims)\.\w+(\.\w+)?)")


def call(target: str, arguments: Sequence[tuple[str, str]], *, eager: bool = False) -> list[str]:
    """Statements that do what a call does; the last one's value is its result.

    Args:
        arguments: Position or keyword, and what is passed.
        eager: Whether a fused attention is to run where the card's own does not, too.

    Raises:
        LabError: no function of torch's does it.
    """
    passed = ", ".join(value if name.isdecimal() else f"{name}={value}" for name, value in arguments)
    name = target.rpartition(".")[2]
    if target.startswith("extern_kernels."):
        if name == "_mm_plus_mm" and len(arguments) == 5:
            a, b, c, d, out = (value for _, value in arguments)
            return [f"torch.mm({a}, {b}, out={out})", f"{out}.addmm_({c}, {d})"]
        if name in PLAIN:
            return [f"torch.{name}({passed})"]
        if name == "bias_addmm":
            return [f"torch.addmm({passed})"]
    if target == "torch._scaled_mm":
        return [f"{target}({passed})"]
    if found := OPERATOR.fullmatch(target):
        wrapped = eager and ATTENTION in target
        return [f"written_out(torch.ops.{found[1]}, {passed})" if wrapped else f"torch.ops.{found[1]}({passed})"]
    raise LabError(f"no function of torch's does what `{target}` does")
