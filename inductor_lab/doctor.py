"""What is installed, which GPU there is, and which verbs work with that. Works where torch is missing or broken."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

import inductor_lab


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    kind: str
    """`version`, `tool`, `gpu` or `ability`."""
    works: bool | None
    """None for what is only reported."""
    detail: str


def examine() -> tuple[Check, ...]:
    """Every check: versions, then the compiler's tools, the GPU, and what can be done with them."""
    packages = [_package(name, why) for name, why in PACKAGES]
    tools = [_tool(name) for name in ("ptxas", "cuobjdump", "nvdisasm")]
    gpu, torch_works = _gpu()
    have = {check.name for check in (*packages, *tools) if check.works}
    if not torch_works:
        have.discard("torch")
    if gpu.works:
        have.add("a GPU")
    return (
        Check("inductor_lab", "version", None, inductor_lab.__version__),
        Check("python", "version", None, f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *packages,
        *tools,
        gpu,
        *(_ability(name, about, needs, have) for name, about, needs in ABILITIES),
    )


PACKAGES = (
    ("torch", "pip install torch"),
    ("triton", "pip install triton (Linux only)"),
    ("numpy", "pip install numpy"),
    ("jinja2", "pip install jinja2"),
)
"""What the verbs build on, and how to get it."""

ABILITIES = (
    ("read", "and list, show, report", ()),
    ("eject", "a kernel as a file", ("jinja2",)),
    ("capture for a virtual GPU", "capture --gpu h200, without having one", ("torch", "triton")),
    ("capture on a GPU", "capture --gpu real", ("torch", "triton", "a GPU")),
    ("verify", "on the GPU, or in Triton's interpreter", ("torch", "triton", "numpy")),
    ("inspect", "for any GPU", ("torch", "triton", "ptxas", "cuobjdump", "nvdisasm")),
    ("replay", "a captured module, on the GPU or in Triton's interpreter", ("torch", "triton", "numpy")),
    ("bench", "and the times of diff", ("torch", "triton", "a GPU")),
)
"""What one can do, a word on it, and what it needs."""


def _package(name: str, way_out: str) -> Check:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(name, "version", False, f"not installed: {way_out}")
    return Check(name, "version", True, version)


def _tool(name: str) -> Check:
    """NVIDIA's tools come inside Triton's wheel; the system's serve as well."""
    spec = importlib.util.find_spec("triton")  # finds it without importing it
    for place in spec.submodule_search_locations or () if spec else ():
        path = Path(place) / "backends" / "nvidia" / "bin" / name
        if path.is_file():
            return Check(name, "tool", True, "from Triton's wheel")
    found = shutil.which(name)
    return Check(name, "tool", found is not None, found or "not found: it comes with Triton's wheel")


def _gpu() -> tuple[Check, bool]:
    """The GPU, and whether torch could be imported to ask for it."""
    try:
        import torch
    except Exception as error:  # a broken installation fails in many ways; all of them are what doctor is for
        return Check("GPU", "gpu", False, f"not known, torch can not be imported: {error}"), False
    if not torch.cuda.is_available():
        return Check(
            "GPU",
            "gpu",
            False,
            "none: kernels are captured for one that is not here, and checked in Triton's interpreter",
        ), True
    card = torch.cuda.get_device_properties(0)
    several = f", {torch.cuda.device_count()} of them" if torch.cuda.device_count() > 1 else ""
    return Check("GPU", "gpu", True, f"{card.name}, {card.total_memory / 2**30:.0f} GiB{several}"), True


def _ability(name: str, about: str, needs: tuple[str, ...], have: set[str]) -> Check:
    missing = [need for need in needs if need not in have]
    return Check(name, "ability", not missing, f"{about}: needs {' and '.join(missing)}" if missing else about)
