"""What one launch of a captured program is given: its graph run on the values that the capture kept, up to that launch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from inductor_lab.eject.binding.plan import plan
from inductor_lab.errors import LabError
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.compare.reference import expected
from inductor_lab.judge.inputs.cases import REAL, Plan, save_inputs
from inductor_lab.library import attention
from inductor_lab.records import Capture, Kernel
from inductor_lab.replay import inputs, module, observed
from inductor_lab.replay.launches import Launched, Launches


class _Reached(Exception):  # noqa: N818
    """The launch whose inputs were wanted."""


def keep_launch_inputs(
    capture: Capture, folder: Path, kernel: Kernel, file: Path, made: Path, progress: Callable[[str], None]
) -> None:
    """Write what a kernel's ejected file takes, as `verify --save` does, of the launch that the file is made for.

    In the interpreter the launches before it are computed by their references: they are eager's values then.

    Args:
        folder: The capture's.
        made: A folder for files on the way.

    Raises:
        LabError: the capture holds no values of that graph, or its module does not run here.
    """
    wanted = plan(capture, kernel).launch
    graph = next(one for one in capture.graphs if one.id == wanted.graph)
    known = observed.values(folder, graph, alone.DEVICE)
    if known is None:
        raise LabError(
            f"{folder} holds no values of graph {graph.id}: capture the program again with `--keep inputs`, and with a higher `--keep-limit` "
            "where a problem of the capture says that they were too large"
        )
    if alone.INTERPRETING:
        stand_ins.install()

    def around(launched: Launched, start: Callable[[], None]) -> None:
        progress(f"{launched.kernel.name}, line {launched.launch.line} of graph {graph.id}")
        if launched.kernel.id == kernel.id and launched.launch.line == wanted.line:
            _save(file, launched)
            raise _Reached
        if alone.INTERPRETING and launched.file.reference:
            _computed(launched)
        else:
            start()

    call = module.runnable(graph, Launches(capture, graph, made, {}, around).kernels(), alone.DEVICE)
    values = [known.given[name] for name in inputs.names(graph)]
    try:
        with attention.WrittenOut(card=alone.DEVICE != "cpu"):
            call([inputs.copied(x) if isinstance(x, torch.Tensor) else x for x in values])
    except _Reached:
        return
    raise LabError(f"the module of graph {graph.id} ended before line {wanted.line}, where {kernel.name} is launched")


def _save(file: Path, launched: Launched) -> None:
    names = [name for name, spec in launched.file.ARGUMENTS.items() if spec[-1] != "out" and spec[-1][0] != "same"]
    case = Plan(REAL, "normal", 0)
    save_inputs(file, Path(launched.kernel.name), case, {name: launched.tensors[name].cpu() for name in names}, "")


def _computed(launched: Launched) -> None:
    file = launched.file
    results = expected(file, {name: launched.tensors[name] for name in file.TAKES})
    for name, value in zip(file.WRITTEN, results, strict=True):
        out = launched.tensors[name]
        out.copy_(value.reshape(out.shape))
