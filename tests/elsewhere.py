"""Where a file's reference, `aten` and `compares` compute, and in which dtypes: run without values, their inputs on another device than DEVICE.

A judge on a GPU has inputs on both: it looks for boundaries on the CPU. What runs here, runs there; no GPU is needed, and size costs nothing.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode as ValueAskedError
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inductor_lab.judge import alone
from inductor_lab.judge.compare.reference import widened
from inductor_lab.judge.process.file_parts import STARTS

BASELINE = "# ---------------------------------------------------------------- the baseline"
FUNCTIONS = "reference", "aten", "compares"
CASES = ("cpu", "meta", False), ("meta", "cpu", True)
"""DEVICE, where the inputs are, and whether they are in float64."""
BITS = "aten.new_empty.default", "aten.copy_.default"
"""How `bits` makes floats of one dtype, whatever the others become: their bits are what is asked."""


class _Stays(TorchDispatchMode):
    """Nothing is made elsewhere; in float64, nothing is made in another floating dtype. A number of Python's own is no tensor yet."""

    def __init__(self, device: str, exact: bool) -> None:
        super().__init__()
        self.device, self.exact = device, exact

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = function(*args, **kwargs or {})
        for x in tree_leaves(made):
            if isinstance(x, torch.Tensor) and (x.ndim or x.device.type != "cpu"):
                assert x.device.type == self.device, f"{function} is made on {x.device.type}"
                narrow = self.exact and x.dtype != alone.wide(x.dtype) and str(function) not in BITS
                assert not narrow, f"{function} makes {x.dtype} of float64"
        return made


def misplaced(text: str) -> Iterator[str]:
    """What of an ejected file does not run where its inputs are, or not in their dtype, each in a sentence.

    Raises:
        ValueAskedError: it asks for a value, as an index of one element does.
    """
    for device, given, exact in CASES:
        with FakeTensorMode(shape_env=ShapeEnv()):
            file = loaded(text, device)
            for name in FUNCTIONS:
                function = getattr(file, name, None)
                if function is None or (name == "aten" and function is file.reference):
                    continue
                where = f"{name}, {'in float64, ' if exact else ''}inputs on {given}, DEVICE {device}"
                try:
                    made = _ran(file, function, given, exact)
                except ValueAskedError:
                    raise
                except Exception as error:
                    yield f"{where}: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
                    continue
                if name != "compares":
                    yield from (f"{where}: {wrong}" for wrong in _other_dtypes(file, made, exact))


def loaded(text: str, device: str) -> ModuleType:
    """The part of a file that says what its kernel must equal."""
    file = ModuleType("judged")
    vars(file).update(torch=torch, math=math, np=np, DEVICE=device)
    exec(text[text.index(STARTS) : text.index(BASELINE)], vars(file))
    return file


def _ran(file: ModuleType, function: Callable[..., Any], device: str, exact: bool) -> Sequence[Any]:
    inputs = {
        name: torch.empty_strided(shape, stride, dtype=dtype, device=device)
        for name, (shape, stride, dtype, _) in file.ARGUMENTS.items()
    }
    read = [inputs[name] for name in inspect.signature(function).parameters if name in inputs]
    with ExitStack() as modes:
        if read:
            modes.enter_context(_Stays(device, exact))
        if exact:
            read = [widened(x) for x in read]
            modes.enter_context(alone.Exact())
        return function(*read)  # type: ignore[no-any-return]


def _other_dtypes(file: ModuleType, made: Sequence[Any], exact: bool) -> Iterator[str]:
    for name, x in zip(file.WRITTEN, made, strict=True):
        dtype = file.ARGUMENTS[name][2]
        wanted = alone.wide(dtype) if exact else dtype
        if not isinstance(x, torch.Tensor) or x.dtype != wanted:
            yield f"{name} is {getattr(x, 'dtype', type(x).__name__)}, not {wanted}"
