"""Contestants by the names that `--against` takes, each as a function that runs on the tensors of the file that is timed.

What eager, TorchScript and Inductor make of the file's eager form (checked on torch 2.11 and 2.13), and what the user brings: a function of any module,
another ejected file.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.kernels import Bound
from inductor_lab.measure.timing.samples import Function, first_line


class RefusedError(Exception):
    """A contestant is wrong, fails, or this version has it not; the text says which. The others go on without it."""


INDUCTOR: Mapping[str, Mapping[str, bool]] = {
    "default": {},
    "coordinate_descent_tuning": {"coordinate_descent_tuning": True},
    "max-autotune": {
        "max_autotune": True,
        "coordinate_descent_tuning": True,
    },  # the mode of that name, less its CUDA graphs
    "combo_kernels": {"combo_kernels": True},
    "expand_dimension_for_pointwise_nodes": {"expand_dimension_for_pointwise_nodes": True},
}
"""Name -> Inductor's settings. How it is launched is the method's: bare, or in a CUDA graph, as everybody in the comparison."""
PROFILED = 5
"""Calls after which TorchScript has specialised and fused what it ran."""
RETURNS = "It writes to memory of its own."
FROM_EAGER = ("eager", "torchscript", *INDUCTOR)
"""What is made of the eager form that the file holds."""
NAMES = ("generated", *FROM_EAGER)
"""What `--against` takes, besides module:function and other ejected files."""


@dataclass(frozen=True)
class Contestant:
    """One that runs."""

    name: str
    function: Function
    again: Function
    """The same, made once more: the difference between both is noise."""
    returns: bool
    """It returns tensors, rather than writing where the kernel does."""
    notes: tuple[str, ...] = ()


def check_named(who: str) -> None:
    """A name that says nobody is told at once, before anything is compiled or timed.

    Raises:
        LabError: it is none of the names, no module:function, no file that is there.
    """
    if who in NAMES:
        return
    if ":" in who:
        function_named(who)
    elif not who.endswith(".py"):
        raise LabError(
            f"There is no {who} to compare with; --against takes {', '.join(NAMES)}, module:function or another ejected file."
        )
    elif not Path(who).is_file():
        raise LabError(
            f"There is no file {who} to compare with; --against takes an ejected file of the same arguments."
        )


def entered(who: str, path: Path, module: ModuleType, tensors: Sequence[Any]) -> Contestant:
    """A contestant on the tensors of an ejected module.

    Raises:
        RefusedError: it can not take part, and why.
    """
    named = dict(zip(module.ARGUMENTS, tensors, strict=True))
    taken = [named[name] for name in module.TAKES]
    if who in FROM_EAGER:
        (function, notes), (again, _) = (_made(who, path, named) for _ in range(2))
        return Contestant(who, function, again, True, (*notes, RETURNS))
    if ":" in who:
        function = Bound(function_named(who), taken)
        return Contestant(who, function, function, True, (RETURNS,))
    functions = [Bound(other_file(Path(who), module), tensors) for _ in range(2)]
    return Contestant(who, functions[0], functions[1], False)


def _made(who: str, path: Path, named: Mapping[str, Any]) -> tuple[Function, tuple[str, ...]]:
    """What a name makes of the file's eager form, imported anew: what is compiled once must not be compiled a second time for another setting.

    Raises:
        RefusedError: it can not be made.
    """
    module = load(path).module
    form = eager_form(module, named)
    if form is None:
        raise RefusedError("the file has no reference to make it of")
    function, notes = made_of(who, form)
    name = "reference" if form.function is module.reference else "aten"
    return Bound(function, form.tensors), (*notes, f"What runs is the file's `{name}`.")


def made_of(who: str, form: Bound) -> tuple[Callable[..., object], tuple[str, ...]]:
    """What one of `FROM_EAGER` makes of an eager form, and what is to be said of it.

    Raises:
        RefusedError: it can not be made.
    """
    if who == "eager":
        return form.function, ()
    if who == "torchscript":
        return torchscript(form.function, form.tensors)
    return inductor(form.function, who), ()


# ---------------------------------------------------------------- of the file's eager form


def eager_form(file: Any, tensors: Mapping[str, Any]) -> Bound | None:
    """The eager form that the file holds, with its tensors; None where it has none.

    `aten`, the model's own graph, where it works at these sizes and is what `reference` computes: a reference writes out each conversion that
    one operator of the graph does by itself, and would be slower than what anybody's model runs.
    """
    if file.reference is None:
        return None
    reference = Bound(file.reference, [tensors[name] for name in file.TAKES])
    function = getattr(file, "aten", None)
    if not function or not set(inspect.signature(function).parameters) <= set(tensors):
        return reference
    aten = Bound(function, [tensors[name] for name in inspect.signature(function).parameters])
    return aten if _agree(aten, reference) else reference


def _agree(one: Callable[[], Any], other: Callable[[], Any]) -> bool:
    """Whether both give tensors of the same shapes and dtypes, and nearly the same values.

    Raises:
        torch.OutOfMemoryError: that could not be seen; which form is eager must not change with what is free.
    """
    import torch

    try:
        return all(
            x.shape == y.shape and x.dtype == y.dtype and _near(x, y) for x, y in zip(one(), other(), strict=True)
        )
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, TypeError, IndexError, ValueError):  # sizes that the graph's form holds as numbers
        return False


def _near(x: Any, y: Any) -> bool:
    import torch

    close = torch.allclose(x, y, 0.05, 0.05, equal_nan=True) if x.is_floating_point() else torch.equal(x, y)
    return bool(close)


def inductor(form: Callable[..., object], name: str) -> Callable[..., object]:
    """It compiled under one of Inductor's settings, whole, for these very shapes.

    Raises:
        RefusedError: this torch has no such setting.
    """
    import torch
    from torch._inductor import config

    options = INDUCTOR[name]
    if lacking := [option for option in options if not hasattr(config, option)]:
        raise RefusedError(f"torch {torch.__version__} has no Inductor setting {', '.join(lacking)}")
    inner, around = _apart(form)
    return around(torch.compile(inner, fullgraph=True, dynamic=False, options=dict(options)))


def torchscript(form: Callable[..., object], inputs: Sequence[Any]) -> tuple[Callable[..., object], tuple[str, ...]]:
    """It scripted; traced on these inputs where TorchScript can not read its source; and which of both.

    Raises:
        RefusedError: this version has no TorchScript, or it can do neither.
    """
    import torch

    jit: Any = getattr(torch, "jit", None)
    if not hasattr(jit, "script") or not hasattr(jit, "trace"):
        raise RefusedError(f"torch {torch.__version__} has no TorchScript")
    inner, around = _apart(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, which whoever asks for it knows
        try:
            made, how = around(jit.script(inner)), "scripted"
            _warmed(made, inputs)
        except Exception:
            try:
                made = around(jit.trace(inner, tuple(inputs), check_trace=False))
                how = "traced, as its source can not be scripted"
                _warmed(made, inputs)
            except Exception as error:
                raise RefusedError(
                    f"TorchScript can neither script nor trace the eager form ({first_line(error)})"
                ) from error
    return made, (f"It was {how}.",)


def _apart(form: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[[Any], Callable[..., Any]]]:
    """What of an eager form is compiled, and what is put around that: torch's settings, which no compiler takes into its graph."""
    return getattr(form, "__wrapped__", form), getattr(form, "around", lambda made: made)


def _warmed(function: Callable[..., object], inputs: Sequence[Any]) -> None:
    for _ in range(PROFILED):
        function(*inputs)


# ---------------------------------------------------------------- what the user brings


def function_named(who: str) -> Callable[..., object]:
    """`package.module:function` or `file.py:function`; modules of the current folder are found too.

    Raises:
        LabError: there is none.
    """
    where, _, name = who.rpartition(":")
    module = _file(Path(where), who) if where.endswith(".py") else _module(where, who)
    found: object = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise LabError(f"{where} has no function {name} to compare with.")
    return found


def _module(name: str, who: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise LabError(
            f"{who} can not be compared with: {name or 'a module without a name'} does not import ({type(error).__name__}: {error})."
        ) from error


def _file(path: Path, who: str) -> ModuleType:
    if not path.is_file():
        raise LabError(f"{who} can not be compared with: there is no file {path}.")
    name = f"contestant_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise LabError(
            f"{who} can not be compared with: {path} does not import ({type(error).__name__}: {error})."
        ) from error
    return module


def other_file(path: Path, module: ModuleType) -> Callable[..., object]:
    """The `launch` of another ejected file, that takes and writes the same tensors.

    Raises:
        RefusedError: it takes others.
    """
    other = load(path).module
    mine, theirs = (_taken(one) for one in (module, other))
    if mine != theirs:
        odd = next((a, b) for a, b in zip([*mine, None], [*theirs, None], strict=False) if a != b)
        raise RefusedError(
            f"it takes other arguments: {_told(odd[1])} where {Path(str(module.__file__)).name} takes {_told(odd[0])}"
        )
    launch: Callable[..., object] = other.launch
    return launch


def _taken(module: ModuleType) -> list[tuple[object, ...]]:
    """What `launch` is given, in order: shape, strides, dtype, and whether it is written. Names are each file's own."""
    return [
        (tuple(shape), tuple(stride), dtype, name in module.WRITTEN)
        for name, (shape, stride, dtype, _fill) in module.ARGUMENTS.items()
    ]


def _told(argument: tuple[object, ...] | None) -> str:
    if argument is None:
        return "nothing"
    shape, stride, dtype, written = argument
    return f"{str(dtype).removeprefix('torch.')} {shape} with strides {stride}, {'written' if written else 'read'}"
