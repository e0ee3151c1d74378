"""Runs inside the captured program: applies settings, sets up the virtual GPU, and writes the fingerprint.

`site/sitecustomize.py` calls `after` when it has seen a few of torch's modules imported, and `report` at the end.
The parent passes what it wants in environment variables, because any command may lie between it and this process:

    INDUCTOR_LAB_GPU          a name of `gpus.GPUS`; empty or absent: the GPU that is here
    INDUCTOR_LAB_SETTINGS     JSON, {setting: text} for torch._inductor.config
    INDUCTOR_LAB_FINGERPRINT  the file to write what this process was
    INDUCTOR_LAB_SHAPES       anything but empty: shapes are enough, what is large is not computed
    INDUCTOR_LAB_KEEP         what to tell of each graph's inputs: `statistics`, or bytes of values that may be kept; empty for nothing

Lines on stderr that begin with `[inductor_lab] ` are for the parent, which reads them in the log.

A target that is no command, a workload or `module:callable`, is run by `python -c 'from inductor_lab.capture.inside import main; main()' JSON`.
`module:callable` is imported from the working directory and called without arguments. It returns `(model, inputs)`, a module or function and
the tuple that it is called with, which is then compiled and run here; or it compiles and runs something itself and returns None.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from inductor_lab.capture.problems import ERROR
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS, Card

FAILED = 3
"""Exit status after an `error` line: the program was stopped by us."""


def gpu() -> Card | None:
    """The virtual GPU that this process is to believe in."""
    return GPUS.get(os.environ.get("INDUCTOR_LAB_GPU", ""))


def stop(message: str) -> NoReturn:
    """End the program: the capture can not be what was asked for."""
    print(f"{ERROR}{message}", file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(FAILED)  # not SystemExit: this happens inside an import that the program may guard with try


def after(name: str, module: ModuleType) -> None:
    """One of the modules that `site/sitecustomize.py` watches has been imported."""
    card = gpu()
    if name == "torch" and card:
        from inductor_lab.capture import program

        program.install(card)
    elif name == "triton" and card:
        from inductor_lab.capture import triton_stubs

        triton_stubs.install(module, card)
    elif name == "torch._inductor.config":
        apply_settings(module, json.loads(os.environ.get("INDUCTOR_LAB_SETTINGS") or "{}"))
    elif name == "torch._inductor.runtime.triton_heuristics" and not card:
        from inductor_lab.capture import configurations

        configurations.install(module.CachingAutotuner)
    elif name == "torch._inductor.compile_fx" and card:
        from inductor_lab.capture import virtual_gpu

        virtual_gpu.install(module, card, observer())
    elif name == "torch._inductor.compile_fx":
        from inductor_lab.capture import observe, program_names

        program_names.install(module)
        if looks := observer():
            observe.install(module.CompiledFxGraph, looks)


def observer() -> Any:
    """Who looks at each graph's inputs; None where nobody is to."""
    keep = os.environ.get("INDUCTOR_LAB_KEEP", "")
    if not keep:
        return None
    from inductor_lab.capture.observe import Observer

    folder = Path(os.environ["INDUCTOR_LAB_FINGERPRINT"]).with_name("values")
    return Observer(folder, None if keep == "statistics" else int(keep))


def apply_settings(config: Any, settings: dict[str, str]) -> None:
    """Set each `key` of torch._inductor.config to the value that its text means for that key's present type."""
    known = config.get_config_copy()
    for key, text in settings.items():
        name = key.replace("-", "_")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.6) or [k for k in known if name in k][:3]
            meant = f"did you mean {' or '.join(near)}?" if near else "`torch._inductor.list_options()` lists all."
            stop(f"torch._inductor.config has no setting {key!r}; {meant}")
        setattr(config, name, value_of(key, text, known[name]))


def value_of(key: str, text: str, present: object) -> object:
    """`text` as a Python literal where it is one, else as a string; it must fit what is there."""
    if text.lower() in ("true", "false"):
        text = text.capitalize()
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(present, bool) and value in (0, 1):
        value = bool(value)
    if isinstance(present, str) and not isinstance(value, str):
        value = text
    if isinstance(present, (bool, int, float)) and not isinstance(value, (bool, int, float, type(None))):
        stop(f"--set {key}={text}: it is {present!r} now and takes a {type(present).__name__}.")
    return value


def report() -> None:
    """Write the fingerprint. Of several processes the one that compiled speaks."""
    path = Path(os.environ["INDUCTOR_LAB_FINGERPRINT"])
    found = fingerprint()
    if path.exists() and not found["frames"]:
        return
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(path)


def fingerprint() -> dict[str, Any]:
    """Versions, card, settings, and what Dynamo says it compiled. torch has been imported by the program."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    counters = dynamo.counters if dynamo else {}
    tuned, named = (sys.modules.get(f"inductor_lab.capture.{name}") for name in ("configurations", "program_names"))
    return {
        **of_process(gpu()),
        "settings": _changed_settings(),
        "frames": int(counters.get("frames", {}).get("total", 0)),
        "inductor": "torch._inductor.compile_fx" in sys.modules,
        "graph_breaks": [str(reason) for reason in counters.get("graph_break", {})],
        "autotuned": tuned.SEEN.configurations() if tuned else {},
        "candidates": {**tuned.SEEN.candidates(), **tuned.ASKED.candidates} if tuned else {},
        "called": named.TOLD if named else {},
    }


def of_process(card: Card | None) -> dict[str, Any]:
    """The part of a fingerprint that every graph of this process shares: its versions, and the card, virtual or real."""
    name, arch = (card.name, card.arch) if card else _real_gpu()
    return {
        "torch": _version("torch"),
        "triton": _version("triton"),
        "gpu": name,
        "arch": arch,
        "virtual": card is not None,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _version(package: str) -> str:
    module = sys.modules.get(package)
    return str(getattr(module, "__version__", ""))


def _real_gpu() -> tuple[str, str]:
    import torch

    if not torch.cuda.is_available():
        return "", ""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    if torch.version.hip:
        return properties.name, properties.gcnArchName.split(":")[0]
    return properties.name, f"sm_{properties.major}{properties.minor}"


def _changed_settings() -> dict[str, str]:
    """Entries of torch._inductor.config that are not at their default, `name: repr(value)`."""
    config = sys.modules.get("torch._inductor.config")
    if config is None:
        return {}
    entries = getattr(config, "_config", {})
    changed = {}
    for line in config.codegen_config().splitlines():
        name, _, value = line.removeprefix("torch._inductor.config.").partition(" = ")
        # It lists what was ever set, also what a `with config.patch` has set back.
        if value and value != repr(getattr(entries.get(name), "default", None)):
            changed[name] = value
    return changed


# Targets that are no command


def main() -> None:
    """What the request in the command line asks for."""
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

    mode_options(mode)
    compiled = torch.compile(model, dynamic=True if dynamic else None, mode=mode)
    if not train:
        with torch.no_grad():
            compiled(*inputs)
        return
    outputs = [x for x in tree_leaves(compiled(*inputs)) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not outputs:
        raise LabError("Nothing that the model returns has a gradient; leave out --train.")
    sum(x.sum() for x in outputs).backward()


def mode_options(mode: str | None) -> dict[str, object]:
    """The settings that a mode of torch.compile stands for; none for no mode.

    Raises:
        LabError: there is no such mode.
    """
    import torch

    modes = torch._inductor.list_mode_options() if mode else {}
    if mode and mode not in modes:
        raise LabError(f"torch.compile has no mode {mode!r}; it has {', '.join(modes)}.")
    return dict(modes[mode]) if mode else {}


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
