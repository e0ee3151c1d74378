"""A span as statements, three times: launches of its hand kernels, Inductor's own with the memory that its wrapper uses again, and eager PyTorch.

scaled = torch.empty((64, 32), dtype=torch.float32, device=x.device)
launch_double(x, scaled, BLOCK=double_BLOCK)    launch_generated_0(x, scaled, XBLOCK=XBLOCK_0)    into((scaled,), double_reference(x))
torch.mm(scaled, weight.t(), out=y)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from inductor_lab.eject.file.literals import tuple_of
from inductor_lab.eject.rendering import Launcher
from inductor_lab.eject.sizes import python
from inductor_lab.eject.span.calls import call
from inductor_lab.eject.span.kernels import Part, distinct
from inductor_lab.eject.span.plan import SpanPlan
from inductor_lab.eject.span.views import bases, is_dense, is_row_by_row, said
from inductor_lab.records import TensorType
from inductor_lab.records.span import SpanStep, SpanTensor

ATTENTION = re.compile(r"(torch\.ops\.aten\._scaled_dot_product_\w+\.\w+)\(")
Told = Callable[[SpanStep, Part], str]
"""One launch as a statement."""


class Composer:
    """Tells a span as statements."""

    def __init__(self, plan: SpanPlan) -> None:
        self.span, self.parts, self.names = plan.span, plan.parts, plan.called
        self.symbols = plan.environment.keys() | plan.untold.keys()

    def hand(self) -> list[str]:
        return list(self._statements(self._launched, given=("in", "inout", "out")))

    def generated(self) -> list[str]:
        return list(self._statements(self._generated, given=("in", "inout", "out"), reuse=True))

    def eager(self) -> list[str]:
        """The caller goes on with its inputs: those that are written over are copied first, and laid as they were where a view counts on it."""
        told = self._statements(self._eager, given=("in", "inout"))
        lines = [ATTENTION.sub(r"written_out(\1, ", line) for line in told]
        copied = []
        for tensor in self.span.tensors:
            name = self.names[tensor.name]
            counts = any(f"as_strided({name}," in line for line in lines) and not is_dense(tensor.type)
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
                    found[f"{part.plan.name}_compares({', '.join([*passed, *self._sizes(part)])})"] = part
            given -= self._written(step, part)
        return found

    def _written(self, step: SpanStep, part: Part | None) -> set[str]:
        """What a step writes, of whatever it may write."""
        written = {tensor.parameter for tensor in part.plan.written} if part else None
        told = {base for a in step.arguments if written is None or a.name in written for base in bases(a.value)}
        return {tensor.name for tensor in self.span.tensors if tensor.role != "in" and tensor.name in told}

    def _sizes(self, part: Part) -> list[str]:
        return [f"{key}={key}" for key in part.hand.launcher.settings if key in self.symbols]

    def settings(self) -> dict[str, object]:
        """The keywords of `launch`: those of every hand kernel's launcher, by its name."""
        return {
            _of_hand(part, key): value for part in distinct(self.parts) for key, value in self._own(part.hand.launcher)
        }

    def generated_settings(self) -> dict[str, object]:
        return {
            f"{key}_{part.number}": value
            for part in distinct(self.parts)
            for key, value in self._own(part.parts.baseline.launcher)
        }

    # ---- steps

    def _statements(self, told: Told, given: Collection[str], reuse: bool = False) -> Iterator[str]:
        there = {tensor.name for tensor in self.span.tensors if tensor.role in given}
        for step, part in zip(self.span.steps, self.parts, strict=True):
            used = {variable for argument in step.arguments for variable in bases(argument.value)}
            for tensor in self.span.tensors:
                if tensor.name in used - there and not tensor.made:
                    yield f"{self.names[tensor.name]} = {self._memory(tensor, reuse)}"
                    there.add(tensor.name)
            if part is None:
                yield from self._called(step, there)
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

    def _launched(self, step: SpanStep, part: Part) -> str:
        passed = [*self._passed(step, part), *self._keywords(part.hand.launcher, lambda key: _of_hand(part, key))]
        return f"launch_{part.plan.name}({', '.join(passed)})"

    def _generated(self, step: SpanStep, part: Part) -> str:
        launcher = part.parts.baseline.launcher
        passed = [*self._passed(step, part), *self._keywords(launcher, lambda key: f"{key}_{part.number}")]
        return f"launch_generated_{part.number}({', '.join(passed)})"

    def _eager(self, step: SpanStep, part: Part) -> str:
        reference = part.parts.reference
        assert reference is not None, "a span with a kernel without a reference has none"
        by_name = dict(zip((t.name for t in part.plan.tensors.values()), self._passed(step, part), strict=True))
        outs = [by_name[tensor.name] for tensor in part.plan.written]
        takes = [by_name[name] for name in reference.takes]
        return f"into({tuple_of(outs)}, {part.plan.name}_reference({', '.join([*takes, *self._sizes(part)])}))"

    def _called(self, step: SpanStep, there: set[str]) -> Iterator[str]:
        *before, value = call(step.call, [(argument.name, self._said(argument.value)) for argument in step.arguments])
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
        return said(value, {tensor.name: (self.names[tensor.name], tensor.type) for tensor in self.span.tensors})

    def _keywords(self, launcher: Launcher, named: Callable[[str], str]) -> list[str]:
        return [f"{key}={key if key in self.symbols else named(key)}" for key in launcher.settings]

    def _own(self, launcher: Launcher) -> list[tuple[str, object]]:
        return [(key, value) for key, value in launcher.settings.items() if key not in self.symbols]


def _of_hand(part: Part, key: str) -> str:
    return f"{part.plan.name}_{key}"


def empty(type_: TensorType) -> str:
    """An allocation; DEVICE is the place of the first tensor that the function is given."""
    like = f"dtype=torch.{type_.dtype}, device=DEVICE"
    if is_row_by_row(type_.shape, type_.stride):
        return f"torch.empty({_sizes(type_.shape)}, {like})"
    return f"torch.empty_strided({_sizes(type_.shape)}, {_sizes(type_.stride)}, {like})"


def _sizes(sizes: Sequence[object]) -> str:
    return tuple_of([python(str(size)) for size in sizes])
