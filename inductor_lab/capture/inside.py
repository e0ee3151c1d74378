"""What happens inside the captured program: settings applied, the virtual GPU put in, the fingerprint written.

`site/sitecustomize.py` calls `after` when it has seen a few of torch's modules imported, and `report` at the end.
The parent passes what it wants in environment variables, because any command may lie between it and this process:

    INDUCTOR_LAB_GPU          a name of `gpus.GPUS`; empty or absent: the GPU that is here
    INDUCTOR_LAB_SETTINGS     JSON, {setting: text} for torch._inductor.config
    INDUCTOR_LAB_FINGERPRINT  the file to write what this process was
    INDUCTOR_LAB_SHAPES       anything but empty: shapes are enough, what is large is not computed
    INDUCTOR_LAB_KEEP         what to tell of each graph's inputs: `statistics`, or bytes of values that may be kept; empty for nothing

Lines on stderr that begin with `[inductor_lab] ` are for the parent, which reads them in the log.
"""

from __future__ import annotations

import ast
import difflib
import json
import os
import platform
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from inductor_lab.gpus import GPUS, Card

FAILED = 3
"""Exit status after an `error` line: the program was stopped by us."""


def gpu() -> Card | None:
    """The virtual GPU that this process is to believe in."""
    return GPUS.get(os.environ.get("INDUCTOR_LAB_GPU", ""))


def stop(message: str) -> NoReturn:
    """End the program: the capture can not be what was asked for."""
    print(f"[inductor_lab] error: {message}", file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(FAILED)  # not SystemExit: this happens inside an import that the program may guard with try


def after(name: str, module: ModuleType) -> None:
    """One of the modules that `site/sitecustomize.py` watches has been imported."""
    card = gpu()
    if name == "torch" and card:
        from inductor_lab.capture import program

        program.install(card)
    elif name == "triton" and card:
        from inductor_lab.capture import user_kernels

        user_kernels.install(module, card)
    elif name == "torch._inductor.config":
        apply_settings(module, json.loads(os.environ.get("INDUCTOR_LAB_SETTINGS") or "{}"))
    elif name == "torch._inductor.runtime.triton_heuristics" and not card:
        from inductor_lab.capture import autotuned

        autotuned.install(module.CachingAutotuner)
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
    import torch

    card = gpu()
    dynamo = sys.modules.get("torch._dynamo.utils")
    counters = dynamo.counters if dynamo else {}
    seen, asked, named = (
        sys.modules.get(f"inductor_lab.capture.{name}") for name in ("autotuned", "candidates", "program_names")
    )
    return {
        "torch": str(torch.__version__),
        "triton": _version("triton"),
        "gpu": card.name if card else real_gpu()[0],
        "arch": card.arch if card else real_gpu()[1],
        "virtual": card is not None,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "settings": _changed_settings(),
        "frames": int(counters.get("frames", {}).get("total", 0)),
        "inductor": "torch._inductor.compile_fx" in sys.modules,
        "graph_breaks": [str(reason) for reason in counters.get("graph_break", {})],
        "autotuned": seen.SEEN.configurations() if seen else {},
        "candidates": asked.ASKED.candidates if asked else seen.SEEN.candidates() if seen else {},
        "called": named.TOLD if named else {},
    }


def _version(package: str) -> str:
    module = sys.modules.get(package)
    return str(getattr(module, "__version__", ""))


def real_gpu() -> tuple[str, str]:
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
