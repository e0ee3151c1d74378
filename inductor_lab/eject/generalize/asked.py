"""What a generalized file asks of a launch, and the sizes that it is checked on."""

from __future__ import annotations

from collections.abc import Iterable

from inductor_lab.eject.distinct import different
from inductor_lab.eject.plan import Plan
from inductor_lab.eject.sizes import fixed
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size

PRIMES = (5, 7, 3, 11, 13, 17, 19, 23, 29)
GAP = 3
"""Elements that at least lie between the rows of a part of a wider tensor."""


def others(plan: Plan) -> list[dict[str, int]]:
    """Sizes to check a generalized kernel on: small odd ones that all differ, about half, and one more of each."""
    captured = dict(plan.environment)
    small = {name: PRIMES[n % len(PRIMES)] for n, name in enumerate(captured)}
    half = {name: max(size // 2 | 1, 3) for name, size in captured.items()}
    more = {name: size + 1 for name, size in captured.items()}
    one = {name: 1 if n == 0 else size for n, (name, size) in enumerate(small.items())}
    found = [_roomy(plan, sizes) for sizes in (small, half, more, one)]
    return [sizes for sizes in found if sizes != captured and sizes is not None]


def _roomy(plan: Plan, sizes: dict[str, int]) -> dict[str, int] | None:
    """The sizes, with as many numbers to draw from as must differ, and strides that go past what lies within; None where that is no size."""
    roomy = dict(sizes)
    for tensor in plan.tensors.values():
        symbolic, within = tensor.symbolic or tensor.type, 1
        for n in sorted(range(len(symbolic.shape)), key=lambda n: int(tensor.type.stride[n])):
            step = str(symbolic.stride[n])
            if plan.bindings.get(step) == f"{tensor.name}.stride({n})":
                roomy[step] = max(roomy[step], within + GAP)
            type_ = fixed(symbolic, roomy)
            within += (int(type_.shape[n]) - 1) * int(type_.stride[n])
    for tensor in plan.tensors.values():
        if tensor.distinct and isinstance(tensor.fill, tuple):
            type_ = fixed(tensor.symbolic or tensor.type, roomy)
            many, high = different(type_.shape, tensor.distinct), tensor.fill[1]
            if isinstance(high, str) and high in roomy:
                roomy[high] = many + 1 if roomy[high] < many else roomy[high]
            elif many > Size.of(high).bound(roomy):
                return None
    return roomy


def fits(plan: Plan) -> list[str]:
    """What a launch of any sizes asks of its tensors: shapes that belong together, no gaps, positions that int32 can hold."""
    lines = []
    for tensor in plan.tensors.values():
        type_ = tensor.symbolic or tensor.type
        if type_.shape:
            lines.append(f"assert {tensor.name}.shape == {_tuple(type_.shape)}{_steps(tensor.name, type_)}")
    if any(axis.dtype == "int32" for axis in plan.found.schedule.axes):
        names = _tuple(tensor.name for tensor in plan.tensors.values())
        lines.append(f"assert max(x.numel() for x in {names}) < 2**31")
        gaps = [where for where in plan.bindings.values() if ".stride(" in where]
        lines += [f"assert {where.replace('.stride(', '.shape[')[:-1]}] * {where} < 2**31" for where in gaps]
    return lines


def fits_generated(plan: Plan) -> list[str]:
    """The same for the generated kernel: the captured sizes alone."""
    return [
        f"assert {tensor.name}.shape == {_tuple(tensor.type.shape)}"
        for tensor in plan.tensors.values()
        if tensor.type.shape
    ]


def _steps(name: str, type_: TensorType) -> str:
    moving = [n for n, size in enumerate(type_.shape) if size != 1]
    if len(moving) == len(type_.shape):
        return f" and {name}.stride() == {_tuple(type_.stride)}"
    return "".join(f" and {name}.stride({n}) == {type_.stride[n]}" for n in moving)


def _tuple(parts: Iterable[object]) -> str:
    told = [str(part) for part in parts]
    return f"({', '.join(told)}{',' if len(told) == 1 else ''})"
