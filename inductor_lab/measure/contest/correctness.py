"""Does a kernel or a contestant compute what it must, on the very tensors that are timed? Judged by float64, as the file's own check does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from inductor_lab.ejected import demanded
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.kernels import DRIFT, Prepared
from inductor_lab.measure.timing.samples import Function, first_line

PART = 2**26
"""Elements that are compared at once where memory is short."""
SHORT = "held to eager alone, within 1 %: float64 does not fit"
UNJUDGED = "not held to eager: the file has no reference"


class CrashedError(LabError):
    """A contestant crashed on the GPU, which this process can use no more: nobody goes on."""


class Judge:
    """What one file's tensors held before, and what eager and the generated kernel make of them."""

    def __init__(self, module: ModuleType, kernels: Prepared) -> None:
        self.module, self.kernels = module, kernels
        self.named = dict(zip(module.ARGUMENTS, kernels.tensors, strict=True))
        self.how = ""
        """How far was looked at the last one, where that is not as far as float64."""
        kernels.restore()
        self.before = {name: tensor.clone() for name, tensor in self.named.items()}
        self.generated = self._of_generated() if "generated" in kernels.functions else None

    def wrong(self, function: Function, *, returns: bool) -> str:
        """Why a contestant can not be compared; empty where it computes the same.

        Args:
            returns: It returns what the kernel writes; otherwise it writes where the kernel does.

        Raises:
            CrashedError: it leaves a GPU that nothing runs on any more.
        """
        try:
            made = self._made(function, returns)
        except CrashedError:
            raise
        except Exception as error:
            return f"it fails ({type(error).__name__}: {first_line(error)})"
        return self._judged(*made)

    def checked(self, function: Function) -> str:
        """The same of what writes where the kernel does; what it raises is raised."""
        return self._judged(*self._made(function, returns=False))

    def _made(self, function: Function, returns: bool) -> tuple[Mapping[str, Any] | str, list[str]]:
        """What comes of a call, or what is wrong with it; and which tensors it changed that it must only read."""
        self.kernels.restore()
        self._poison()
        try:
            given = function()
            found = self._returned(given) if returns else self._written()
            _finish()
        except Exception as error:
            _check_usable(error)
            self._undone()
            self.kernels.restore()
            raise
        changed = self._undone()
        self.kernels.restore()
        return found, changed

    def _judged(self, found: Mapping[str, Any] | str, changed: Sequence[str]) -> str:
        if isinstance(found, str):
            return found
        if changed:
            return f"it changes {changed[0]}, which it must only read"
        wrong = self._differs(found)
        return f"it computes something else: {wrong}" if wrong else ""

    def _of_generated(self) -> Mapping[str, Any]:
        self.kernels.functions["generated"]()
        found = self._written()
        self.kernels.restore()
        return found

    def _written(self) -> Mapping[str, Any]:
        return {name: self.named[name].clone() for name in self.module.WRITTEN}

    def _poison(self) -> None:
        """What is only written holds what is not the result: a contestant that writes nothing must not look right."""
        import torch

        for name in self.module.WRITTEN:
            held = self.named[name]
            if self.module.ARGUMENTS[name][3] != "out":
                continue
            if held.is_floating_point():
                held.fill_(float("nan"))
            elif self.generated is not None:  # of whole numbers none is no result: what is not this one
                result = self.generated[name]
                held.copy_(torch.logical_not(result) if result.dtype == torch.bool else result + 1)

    def _returned(self, given: object) -> Mapping[str, Any] | str:
        """What was returned, by the names of what the kernel writes, in its shapes and dtypes; or what is wrong with it."""
        import torch

        values: Sequence[Any] = given if isinstance(given, (tuple, list)) else (given,)
        written, needed = tuple(self.module.WRITTEN), demanded(self.module)
        names = needed if len(values) == len(needed) else written
        if len(values) != len(names) or not all(isinstance(value, torch.Tensor) for value in values):
            wanted = ", ".join(names)
            return f"it returns {_kinds(given)}, not the tensors that the kernel writes ({wanted}), in this order"
        found = {}
        for name, value in zip(names, values, strict=True):
            held = self.named[name]
            if value.numel() != held.numel() or value.device != held.device:
                return f"it returns {list(value.shape)} on {value.device} for {name}, which is {list(held.shape)} on {held.device}"
            found[name] = value.reshape(held.shape).to(held.dtype).clone()
        return found

    def _undone(self) -> list[str]:
        """The tensors that are only read and were changed; they have their values back.

        One that is written is passed again under another name where the kernel reads it before: it is no tensor that is only read.
        """
        changed = []
        written = [self.named[name] for name in self.module.WRITTEN]
        for name, before in self.before.items():
            now = self.named[name]
            if any(now is one for one in written) or bool(
                ((now == before) | ((now != now) & (before != before))).all()
            ):
                continue
            once = tuple(slice(1) if step == 0 else slice(None) for step in now.stride())  # expanded: one element
            now[once].copy_(before[once])
            changed.append(name)
        return changed

    def _differs(self, found: Mapping[str, Any]) -> str:
        """Held to eager; to the generated kernel where that itself does not agree with eager on these inputs, or there is no eager.

        Where float64 does not fit into memory: to the generated kernel; to eager as it is where that is not for these sizes.
        """
        import torch

        from inductor_lab.judge.compare import reference

        self.how = ""
        if self.module.reference:
            try:
                wrong = reference.against_eager(self.module, self.before, found)
                if not wrong or self.generated is None:
                    return wrong
                if not reference.against_eager(self.module, self.before, self.generated):
                    return wrong
            except torch.OutOfMemoryError:
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()
                if self.generated is None:
                    self.how = SHORT
                    return self._from_eager(found)
        if self.generated is None:
            self.how = UNJUDGED
            return ""
        return reference.against_generated(self.module, found, self.generated)

    def _from_eager(self, found: Mapping[str, Any]) -> str:
        """Held to eager as it is, part by part."""
        eager = self.module.reference(*(self.before[name] for name in self.module.TAKES))
        for name, want in zip(self.module.WRITTEN, eager, strict=True):
            if name not in demanded(self.module):
                continue
            off = size = 0.0
            for one, other in zip(found[name].reshape(-1).split(PART), want.reshape(-1).split(PART), strict=True):
                off += (one.float() - other.float()).square().sum().item()
                size += other.float().square().sum().item()
            if not off <= DRIFT**2 * size:
                return f"{name} is {(off / size) ** 0.5 if size else off:.1e} from eager in the norm"
        return ""


def _finish() -> None:
    """Wait for the GPU, where there is one: an error of a kernel that runs there is raised here."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _check_usable(error: Exception) -> None:
    try:
        _finish()
    except Exception as broken:
        raise CrashedError(
            f"crashes on the GPU ({first_line(error)}), which can not be used any more by this process: leave it out"
        ) from broken


def _kinds(given: object) -> str:
    """What was returned, in a few words."""
    if given is None:
        return "nothing"
    if isinstance(given, (tuple, list)):
        return f"{len(given)} of {', '.join(dict.fromkeys(type(one).__name__ for one in given)) or 'nothing'}"
    return f"one {type(given).__name__}"
