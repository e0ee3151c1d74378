"""What TorchInductor writes for your model, made readable, editable and measurable.

    import inductor_lab
    capture = inductor_lab.capture_model(model, *inputs, gpu="h200")
    capture.kernels[3].explain()
    capture.kernels[3].eject("mine.py")
    with inductor_lab.graft("mine.py"):
        compiled_model(*inputs)

Importing this imports neither torch nor Triton; each name below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inductor_lab.api import (
        capture_model,
        capture_program,
        diff_file,
        inspect_file,
        load,
        read_source,
        tune_file,
        verify_file,
    )
    from inductor_lab.errors import LabError
    from inductor_lab.grafting.context import graft
    from inductor_lab.grafting.hand import GraftWarning
    from inductor_lab.views import CaptureView, Explanation, KernelView

__version__ = "0.1.0"

__all__ = [
    "CaptureView",
    "Explanation",
    "GraftWarning",
    "KernelView",
    "LabError",
    "__version__",
    "capture_model",
    "capture_program",
    "diff_file",
    "graft",
    "inspect_file",
    "load",
    "read_source",
    "tune_file",
    "verify_file",
]

_HOMES = {
    "CaptureView": "inductor_lab.views",
    "Explanation": "inductor_lab.views",
    "GraftWarning": "inductor_lab.grafting.hand",
    "KernelView": "inductor_lab.views",
    "LabError": "inductor_lab.errors",
    "capture_model": "inductor_lab.api",
    "capture_program": "inductor_lab.api",
    "diff_file": "inductor_lab.api",
    "graft": "inductor_lab.grafting.context",
    "inspect_file": "inductor_lab.api",
    "load": "inductor_lab.api",
    "read_source": "inductor_lab.api",
    "tune_file": "inductor_lab.api",
    "verify_file": "inductor_lab.api",
}
"""Name -> the module that has it. None of the names is a module's: importing that would put the module in its place."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'inductor_lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
