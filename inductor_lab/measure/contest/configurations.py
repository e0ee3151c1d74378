"""The configurations of both kernels of a file: what each states, what the model would run the generated one under, and the best of each.

An ejected file holds the decorator that stood above the kernel, a span's those of all its kernels. Torch makes its autotuner of it, which lists
the configurations for the card that is here, compiles them, times them on the tensors that are here, and keeps one. `launch_generated` takes that.
The best ones are found by a short sweep, as `tune` does it; nothing is written into the file.

Private names of torch, checked on 2.13: the heuristics and CachingAutotuner (`precompile`, `launchers`, `run`) of
torch/_inductor/runtime/triton_heuristics.py, DeviceProperties of hints.py. Where a version has them no more the file's own configuration stands, which is said.
"""

from __future__ import annotations

import ast
import inspect
import tempfile
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.capture.configurations import configuration
from inductor_lab.errors import LabError
from inductor_lab.files import seen
from inductor_lab.machine import LAUNCHERS
from inductor_lab.machine.triton_private import CaughtLaunch, launches_given_to
from inductor_lab.measure.timing.samples import first_line
from inductor_lab.measure.tuning.search import LIMIT, Progress, Wrong, begun
from inductor_lab.measure.tuning.settings import Stated, around, kind_of, stated, told
from inductor_lab.records import Autotuned

WARPS = 4
"""Triton's own, where a launcher states none. What stages default to depends on the card."""


def settings_of(launcher: Callable[..., object]) -> dict[str, int]:
    """Blocks, warps and stages that a launcher states: the numbers that its parameters default to."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(launcher).parameters.items()
        if kind_of(name) and type(parameter.default) is int
    }


def both(module: ModuleType) -> dict[str, dict[str, int]]:
    """What the hand and the generated kernel of a file are launched under."""
    return {"hand": settings_of(module.launch), "generated": settings_of(module.launch_generated)}


def matching(module: ModuleType) -> tuple[dict[str, int] | None, str]:
    """The generated kernel's configuration in the names of the hand kernel; None, and why, where the hand kernel can not take it."""
    hand, generated = settings_of(module.launch), settings_of(module.launch_generated)
    names: Mapping[str, str] = getattr(module, "ORIGIN", {}).get("blocks") or {}
    wanted = {names.get(name, name): value for name, value in generated.items()}
    several = [names[name] for name, value in generated.items() if name in names and wanted[names[name]] != value]
    if several:
        return (
            None,
            f"The generated kernels have several {' and '.join(dict.fromkeys(several))}, so both can not run under one configuration.",
        )
    lacking = [name for name, value in wanted.items() if name not in hand and not _is_default(name, value)]
    if lacking:
        return (
            None,
            f"The hand kernel takes no {' and no '.join(lacking)}, so both can not run under one configuration.",
        )
    own = [name for name, value in hand.items() if name not in wanted and not _is_default(name, value)]
    if own:
        return None, f"The generated kernel has no {' and no '.join(own)}, so both can not run under one configuration."
    return {name: value for name, value in wanted.items() if name in hand}, ""


def _is_default(name: str, value: int) -> bool:
    return kind_of(name) == "num_warps" and value == WARPS


# ---------------------------------------------------------------- what the model would run


STANDS = "The generated kernel runs under the configuration that its file states"
OLD = f"{STANDS}, which may not be the fastest that Inductor times: the file is older than that choice; `inductor-lab eject --update` adds it."
WITHOUT = {"num_stages"}
"""What a launcher may not take. Stages change a product, whose launcher states them; a loop without one is the same code under 1, 2 and 3 of them."""


@dataclass(frozen=True)
class AsRun:
    """How the model would run a generated kernel."""

    settings: Mapping[str, int] = field(default_factory=dict)
    """What `launch_generated` is to be called with; nothing where it stays at what its file states."""
    autotuned: Autotuned | None = None
    """None where the autotuner was not asked."""
    notes: tuple[str, ...] = ()
    """What a reader must know of it."""

    def stated_by(self, *modules: ModuleType) -> None:
        """From now on these imports of the file launch their generated kernel so, as if the file stated it."""
        for module in modules:
            module.launch_generated.__kwdefaults__ = {**(module.launch_generated.__kwdefaults__ or {}), **self.settings}


def as_run(module: ModuleType, tensors: Sequence[Any]) -> AsRun:
    """What the autotuner keeps on these tensors, which it may write to.

    A span's kernels are asked about one after the other, each where it is launched: what the steps before it have written is there.
    """
    choices = _decorators(module)
    if choices is None:
        return AsRun(notes=(OLD,))
    runs: dict[str, AsRun] = {}

    def asked(launch: CaughtLaunch) -> bool:
        which = next((name for name in choices if getattr(module, name, None) is launch.kernel), "")
        if which in runs or not choices.get(which):
            return False
        runs[which] = _asked(module, which, choices[which], launch)
        return runs[which].autotuned is not None  # whose autotuner has launched it

    if any(choices.values()):
        try:
            with launches_given_to(asked):
                module.launch_generated(*tensors)
        except Exception as error:
            return _not_asked(error)
    return _joined(runs.values())


def _decorators(module: ModuleType) -> Mapping[str, str] | None:
    """Each generated kernel's, by its name, empty where Inductor has no choice; None for a file from before they were kept."""
    several = getattr(module, "DECORATORS", None)
    if several is not None:
        return {f"generated_{number}": decorator for number, decorator in enumerate(several)}
    decorator = getattr(module, "DECORATOR", None)
    return None if decorator is None else {"generated": decorator}


def _asked(module: ModuleType, which: str, decorator: str, launch: CaughtLaunch) -> AsRun:
    import torch

    try:
        with tempfile.TemporaryDirectory() as folder:
            kernel = captured(launch, decorator, folder)
            tuner = autotuner(kernel, decorator, _device(), folder)
            found = kept(tuner, launch.arguments, torch.cuda.current_stream().cuda_stream)
    except Exception as error:  # another version's private names; what Inductor alone can launch
        return _not_asked(error)
    return taken(module, found, which.removeprefix("generated"))


def _not_asked(error: Exception) -> AsRun:
    why = f"{type(error).__name__}: {first_line(error)}"
    return AsRun(notes=(f"{STANDS}: Inductor's autotuner can not be asked ({why}).",))


def _joined(runs: Collection[AsRun]) -> AsRun:
    """Those of a span's kernels as one; of one kernel itself."""
    if len(runs) == 1:
        return next(iter(runs))
    found = [run.autotuned for run in runs if run.autotuned]
    settings = {name: value for run in runs for name, value in run.settings.items()}
    whole = Autotuned(
        {name: value for one in found for name, value in one.settings.items()},
        tuple(candidate for one in found for candidate in one.candidates),
    )
    return AsRun(settings, whole if found else None, tuple(note for run in runs for note in run.notes))


def taken(module: ModuleType, found: Autotuned, number: str = "") -> AsRun:
    """What of it the file's launcher takes.

    Args:
        number: What stands behind the names of a span's generated kernel, `_1`.
    """
    stated = module.launch_generated.__kwdefaults__ or {}
    found = Autotuned(_numbered(found.settings, number), tuple(_numbered(one, number) for one in found.candidates))
    without = {name + number for name in WITHOUT}
    if lacking := found.settings.keys() - stated.keys() - without:
        return AsRun(notes=(f"{STANDS}: it takes no {', '.join(sorted(lacking))}, which Inductor's autotuner chose.",))
    settings = {name: value for name, value in found.settings.items() if name in stated}
    return AsRun(settings, found, tuple(_told(found)))


def _numbered(settings: Mapping[str, int], number: str) -> dict[str, int]:
    return {name + number: value for name, value in settings.items()}


def autotuner(kernel: Any, decorator: str, device: Any, folder: str) -> Any:
    """Torch's autotuner of a generated kernel for a card, torch's DeviceProperties; what it finds is looked up, and kept, in the folder alone."""
    from torch._inductor.runtime import hints, triton_heuristics

    names = {
        **vars(hints),
        "triton_heuristics": triton_heuristics,
        "DeviceProperties": lambda **of_the_capture: device,
        "__file__": str(Path(folder) / "generated.py"),
    }
    return eval(decorator.strip(), names)(kernel)


def captured(launch: CaughtLaunch, decorator: str, folder: str) -> Any:
    """A launch's kernel as its decorator stood above it: with numbers where a span's file has parameters, which tell it from others like it."""
    kernel = launch.kernel
    numbers = {name: value for name, value in launch.keywords.items() if name in kernel.arg_names}
    numbers = {name: value for name, value in numbers.items() if f"'{name}'" not in decorator}
    if not numbers:
        return kernel
    tree = ast.parse(textwrap.dedent(inspect.getsource(kernel.fn)))
    path = Path(folder) / f"{kernel.fn.__name__}_captured.py"
    path.write_text(ast.unparse(_Numbered(numbers).visit(tree)), encoding="utf-8")
    names = {**kernel.fn.__globals__}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names[kernel.fn.__name__]


class _Numbered(ast.NodeTransformer):
    """A function with numbers in the place of parameters."""

    def __init__(self, numbers: Mapping[str, object]) -> None:
        self.numbers = numbers

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.args = [one for one in node.args if one.arg not in self.numbers]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.numbers[node.id]) if node.id in self.numbers else node  # type: ignore[arg-type]


def kept(tuner: Any, arguments: Sequence[object], stream: int) -> Autotuned:
    """What an autotuner keeps at its first launch."""
    tuner.precompile()
    candidates = tuple(configuration(launcher.config) for launcher in tuner.launchers)
    tuner.run(*arguments, stream=stream)
    return Autotuned(configuration(tuner.launchers[0].config), candidates)


def _device() -> Any:
    import torch
    from torch._inductor.runtime.hints import DeviceProperties

    return DeviceProperties.create(torch.device("cuda", torch.cuda.current_device()))


def _told(found: Autotuned) -> list[str]:
    count = len(found.candidates)
    if found.settings not in found.candidates:
        what = f"what Inductor makes here of the fastest of {count} configurations, tuned further"
    elif count > 1:
        what = f"the fastest of {count} configurations that Inductor times here"
    else:
        return []
    return [f"generated, {what}: {told(found.settings)}."]


# ---------------------------------------------------------------- the best that a sweep finds


SECONDS = 0.5
"""Of each configuration in a sweep's last round: what wins is timed once more, beside everybody else."""


@dataclass(frozen=True)
class Best:
    """The configuration of one kernel."""

    settings: Mapping[str, int]
    note: str


def best_of(path: Path, module: ModuleType, which: str, wrong: Wrong, progress: Progress) -> Best:
    """The fastest configuration of the `hand` or `generated` kernel that computes the same; the present one where none is faster.

    Raises:
        LabError: the present configuration does not compile or run.
    """
    launcher = LAUNCHERS[which]
    text = seen(path).text
    try:
        said = stated(text, str(path), launcher)
    except LabError:
        return Best(settings_of(getattr(module, launcher)), f"The {which} kernel has no configuration to choose.")
    own = settings_of(getattr(module, launcher))  # of the generated kernel, what Inductor's autotuner keeps here
    said = replace(said, present={name: own.get(name, value) for name, value in said.present.items()})
    numbers = getattr(module, "ORIGIN", {}).get("numbers") or {}
    sweep = begun(path, text, said, "auto", False, lambda step: progress(f"{which}: {step}"), which)
    found = sweep.tuned(said, LIMIT, SECONDS, wrong, partial(wider, numbers=numbers))
    tried, timed = len(found.tried) + found.left_out, sum(one.timing is not None for one in found.tried.values())
    return Best(found.chosen, f"The {which} kernel's best of {tried} configurations, {timed} of them timed.")


def wider(said: Stated, numbers: Mapping[str, str]) -> list[dict[str, int]]:
    """As `around`, where blocks of a kernel as Inductor wrote it may grow too.

    It may lack a mask, which Inductor leaves out where every block it tries divides the size. A block that divides the size needs none, and where
    the present one does not divide it there is one.
    """
    sizes = {name: numbers.get(f"{name.removesuffix('BLOCK').lower()}numel", "") for name in said.shrinking}
    known = {name: int(size) for name, size in sizes.items() if size.isdecimal()}

    def right(settings: Mapping[str, int]) -> bool:
        return all(
            settings[name] <= said.present[name] or size % settings[name] == 0 or size % said.present[name] != 0
            for name, size in known.items()
        )

    said = replace(said, shrinking=said.shrinking - set(known))
    return list(filter(right, around(said)))
