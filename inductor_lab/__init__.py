"""What TorchInductor writes for your model, made readable, editable and measurable.

    import inductor_lab
    capture = inductor_lab.load("captured/lora_mlp")
    print(capture.kernels[0].text)

Importing this imports neither torch nor Triton; each name below is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inductor_lab.errors import LabError
    from inductor_lab.read import read
    from inductor_lab.store import load

__version__ = "0.1.0"

__all__ = ["LabError", "__version__", "load", "read"]

_HOMES = {
    "LabError": "inductor_lab.errors",
    "load": "inductor_lab.store",
    "read": "inductor_lab.read",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'inductor_lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
