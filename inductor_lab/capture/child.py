"""Runs in the child process for targets that are no command: a workload, or `module:callable`.

    python -c 'from inductor_lab.capture.child import main; main()' JSON

`module:callable` is imported from the working directory and called without arguments. It returns `(model, inputs)`, a
module or function and the tuple that it is called with, which is then compiled and run here; or it compiles and runs
something itself and returns None.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

from inductor_lab.capture.inside import gpu, stop
from inductor_lab.errors import LabError


def main() -> None:
    request = json.loads(sys.argv[1])
    sys.argv = [request["target"]]
    device = _device()
    try:
        make = _call if ":" in request["target"] else _workload
        program = make(request, device)
        if program:
            run(*program, train=request["train"], dynamic=request["dynamic"], mode=request["mode"])
    except LabError as error:
        stop(str(error))


def _device() -> str:
    """The card, real or not; the CPU where neither could be had, whose tensors are moved when Inductor sees them."""
    import torch

    return "cuda" if torch.cuda.is_available() or not gpu() else "cpu"


def run(model: Callable[..., Any], inputs: tuple[Any, ...], *, train: bool, dynamic: bool, mode: str | None) -> None:
    """Compile and run once: inference without gradients, or forward and backward from the sum of all outputs."""
    import torch
    from torch.utils._pytree import tree_leaves

    modes = torch._inductor.list_mode_options() if mode else {}
    if mode and mode not in modes:
        raise LabError(f"torch.compile has no mode {mode!r}; it has {', '.join(modes)}.")
    compiled = torch.compile(model, dynamic=True if dynamic else None, mode=mode)
    if not train:
        with torch.no_grad():
            compiled(*inputs)
        return
    outputs = [x for x in tree_leaves(compiled(*inputs)) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not outputs:
        raise LabError("Nothing that the model returns has a gradient; leave out --train.")
    sum(x.sum() for x in outputs).backward()


def _workload(request: dict[str, Any], device: str) -> tuple[Any, tuple[Any, ...]]:
    from inductor_lab.models import find_workload

    workload = find_workload(request["target"])
    return workload.build(request["size"] or "gpu", request["dtype"], device=device, train=request["train"])


def _call(request: dict[str, Any], device: str) -> tuple[Any, tuple[Any, ...]] | None:
    import torch
    from torch.utils._pytree import tree_map

    target = request["target"]
    module_name, _, name = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and not module_name.startswith(error.name):
            raise
        raise LabError(f"There is no module {module_name!r}; the working directory is on the path.") from error
    function = module
    for part in name.split("."):
        if not hasattr(function, part):
            raise LabError(f"{module_name} has no {name!r}.")
        function = getattr(function, part)
    if not callable(function):
        raise LabError(f"{target} is a {type(function).__name__}, not a function to call.")
    returned = function()
    if returned is None:
        return None
    if not (isinstance(returned, tuple) and len(returned) == 2 and callable(returned[0])):
        raise LabError(
            f"{target}() returned a {type(returned).__name__}; "
            "it must return (model, inputs), or None when it compiled by itself."
        )
    model, inputs = returned
    inputs = inputs if isinstance(inputs, tuple) else tuple(inputs) if isinstance(inputs, list) else (inputs,)
    if device == "cuda":
        move = lambda x: x.to(device) if isinstance(x, torch.Tensor) else x  # noqa: E731
        inputs = tree_map(move, inputs)
        if isinstance(model, torch.nn.Module):
            model = model.to(device)
    return model, inputs
