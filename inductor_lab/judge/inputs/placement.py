"""Lays inputs out in memory: each tensor strided inside a larger one, with poison in outputs and noise around."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from inductor_lab.ejected import demanded
from inductor_lab.errors import short_of_memory
from inductor_lab.judge import alone
from inductor_lab.judge.inputs.domains import domain

T = TypeVar("T")

GUARD = 1 << 14
"""Elements before and after each tensor that no kernel may touch."""


@dataclass(frozen=True)
class Placement:
    """The arguments of one launch."""

    memories: tuple[torch.Tensor, ...]
    """Bytes, on the CPU; two arguments may lie in one."""
    layout: Mapping[str, dict[str, Any]]
    """Argument -> which memory, shape, stride, dtype: what JSON can hold."""
    device: str
    """Where the arguments are read, and what is right is worked out: `cpu` also beside a card whose memory does not do."""

    def read(self, device: str = "") -> dict[str, torch.Tensor]:
        """The arguments for who only reads them: in this memory itself, where that is the device."""
        return self._seen([memory.to(device or self.device) for memory in self.memories])

    def on(self, device: str) -> dict[str, torch.Tensor]:
        """The arguments in a fresh copy of the memory."""
        copies = [memory.clone() if device == "cpu" else memory.to(device) for memory in self.memories]
        return self._seen(copies)

    def after(self, parts: list[bytearray]) -> dict[str, torch.Tensor]:
        """The arguments in memory that came back from a launch."""
        return self._seen([torch.frombuffer(part, dtype=torch.uint8) for part in parts])

    def memories_of(self, views: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
        """The memory in which arguments lie that `on` gave, as bytes on the CPU."""
        found = {self.layout[name]["memory"]: view.untyped_storage() for name, view in views.items()}
        return [torch.empty(0, dtype=torch.uint8, device=found[n].device).set_(found[n]).cpu() for n in sorted(found)]

    def _seen(self, memories: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        return {name: seen(memories[how["memory"]], how) for name, how in self.layout.items()}


def seen(memory: torch.Tensor, how: Mapping[str, Any]) -> torch.Tensor:
    """One argument in its memory."""
    return memory.view(getattr(torch, how["dtype"])).as_strided(how["shape"], how["stride"], GUARD)


def place_inputs(file: Any, values: Mapping[str, torch.Tensor], seed: int) -> Placement:
    """Values in memory, as the file's launcher is given them."""
    generator = torch.Generator("cpu").manual_seed(seed)
    memories: list[torch.Tensor] = []
    layout: dict[str, dict[str, Any]] = {}
    for name, (shape, stride, dtype, _) in file.ARGUMENTS.items():
        how = {"shape": list(shape), "stride": list(stride), "dtype": str(dtype).removeprefix("torch.")}
        if same := domain(file.ARGUMENTS, name).same:
            layout[name] = {**how, "memory": layout[same]["memory"]}
            continue
        layout[name] = {**how, "memory": len(memories)}
        memory, view = placed(values.get(name), shape, stride, dtype, generator)
        # whoever leaves a NaN where it lay is found too
        if name not in values and seed % 2 and dtype.is_floating_point:
            view.copy_(torch.randn(view.shape, generator=generator, dtype=torch.float32))
        memories.append(memory)
    return Placement(tuple(memories), layout, alone.DEVICE)


def span(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements of memory from a tensor's first to its last."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) if all(shape) else 0


def once(stride: Sequence[int]) -> tuple[slice, ...]:
    """One element along each dimension that a tensor is expanded over."""
    return tuple(slice(1) if step == 0 else slice(None) for step in stride)


def with_room(found: Callable[[str], T]) -> T:
    """What a function finds on a device: on the card, if there is one and its memory does, else on the CPU."""
    if alone.DEVICE == "cpu":
        return found("cpu")
    try:
        return found(alone.DEVICE)
    except Exception as error:
        if not short_of_memory(error):
            raise
    torch.cuda.empty_cache()
    return found("cpu")


def there(values: Mapping[str, T], device: str) -> dict[str, T]:
    """Tensors on a device, with the same strides; themselves where they lie on it, as numbers are."""
    return {name: at(x, device) for name, x in values.items()}


def at(x: Any, device: str) -> Any:
    """One of them."""
    return copied(x, device) if isinstance(x, torch.Tensor) and x.device.type != device else x


def copied(x: Any, device: str | None = None) -> Any:
    """A tensor's values with the same strides, gaps and all, in memory of its own; `clone` closes gaps, which a module asserts. A number as it is."""
    if not isinstance(x, torch.Tensor):
        return x
    size = span(x.shape, x.stride())
    memory = torch.as_strided(x, (size,), (1,)) if size else x.new_empty(0)
    return torch.as_strided(memory.to(device or x.device, copy=True), x.shape, x.stride(), 0)


def placed(
    values: torch.Tensor | None,
    shape: Sequence[int],
    stride: Sequence[int],
    dtype: torch.dtype,
    generator: torch.Generator,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Values, or poison for None, in a tensor inside a larger piece of memory, as (its bytes, the tensor): noise lies around it."""
    poison = 0xFF if dtype.is_floating_point else 0xAA  # NaN; an unlikely integer; no valid bool
    memory = torch.full(((span(shape, stride) + 2 * GUARD) * dtype.itemsize,), poison, dtype=torch.uint8)
    # other bytes around each tensor: a kernel that forgets its mask would copy poison onto poison
    guard = GUARD * dtype.itemsize
    for around in (memory[:guard], memory[-guard:]):
        around.copy_(torch.randint(0, 256, (guard,), generator=generator, dtype=torch.uint8))
    view = memory.view(dtype).as_strided(shape, stride, GUARD)
    if values is not None:
        view[once(stride)].copy_(values[once(stride)])
    return memory, view


def strayed(
    file: Any, placement: Placement, parts: list[bytearray], some: bool = False, theirs: Sequence[torch.Tensor] = ()
) -> str:
    """Which memory was changed that is not there to be written, or was left as it was; empty for none.

    Args:
        some: Whether only some of the programs ran, so that much is left.
        theirs: The memory as the generated kernel leaves it; a byte that this one changes too is not told of.
    """
    after = [torch.frombuffer(part, dtype=torch.uint8) for part in parts]
    written = {placement.layout[name]["memory"] for name in file.WRITTEN}
    before = [memory.clone() if number in written else memory for number, memory in enumerate(placement.memories)]
    names = {how["memory"]: name for name, how in placement.layout.items()}
    for name in file.WRITTEN:
        how = placement.layout[name]
        names[how["memory"]] = name
        how = {**how, "dtype": "uint8"} if how["dtype"] == "bool" else how  # what was never written is no bool
        out = seen(after[how["memory"]], how)
        if placement.layout[name]["dtype"] == "bool" and not some and name in demanded(file) and (out > 1).any():
            return f"some of {name} was never written"
        seen(before[how["memory"]], how).copy_(out)  # what it is there to write
    for number in written if theirs else ():
        before[number] = torch.where(theirs[number] != placement.memories[number], after[number], before[number])
    for number, name in names.items():
        if not torch.equal(after[number], before[number]):
            if name in file.WRITTEN:
                return f"it wrote outside of {name}"
            return f"it changed {name}, which it must only read"
    return ""
