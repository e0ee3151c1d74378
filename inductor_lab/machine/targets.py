"""The GPUs that a kernel can be compiled for, by the name people use for them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from inductor_lab.errors import LabError


@dataclass(frozen=True)
class Target:
    """One architecture, as Triton wants it told."""

    backend: str
    """`cuda` or `hip`."""
    arch: int | str
    """Compute capability (90) for cuda, `gfx942` for hip."""
    warp_size: int

    @property
    def name(self) -> str:
        """The architecture as its vendor writes it, `sm_90` or `gfx942`."""
        return f"sm_{self.arch}" if self.backend == "cuda" else str(self.arch)


def cuda(capability: int) -> Target:
    return Target("cuda", capability, 32)


def hip(arch: str) -> Target:
    """gfx9 (CDNA) runs 64 threads a wave, gfx10 and later (RDNA) 32."""
    return Target("hip", arch, 64 if re.fullmatch(r"gfx9\w\w", arch) else 32)


TARGETS = {
    "a100": cuda(80),
    "a10": cuda(86),
    "l4": cuda(89),
    "l40s": cuda(89),
    "rtx4090": cuda(89),
    "h100": cuda(90),
    "h200": cuda(90),
    "b200": cuda(100),
    "rtx5090": cuda(120),
    "mi250x": hip("gfx90a"),
    "mi300x": hip("gfx942"),
    "mi355x": hip("gfx950"),
}


def target_named(name: str) -> Target:
    """The target of `h200`, `sm_90` or `gfx942`; LabError with the near names for anything else."""
    key = name.lower().strip()
    if key in TARGETS:
        return TARGETS[key]
    if match := re.fullmatch(r"sm_?(\d{2,3})[af]?", key):
        return cuda(int(match[1]))
    if re.fullmatch(r"gfx[0-9a-f]{3,4}", key):
        return hip(key)
    near = difflib.get_close_matches(key, TARGETS, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(TARGETS)}, sm_NN and gfxNNN."
    raise LabError(f"There is no GPU named {name!r}: {meant}")


def present_gpu() -> str | None:
    """The architecture of the GPU in this machine, `sm_90` or `gfx942`; None without one."""
    import torch

    if not torch.cuda.is_available():
        return None
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    if torch.version.hip:
        return str(properties.gcnArchName).split(":")[0]  # gfx942:sramecc+:xnack-
    return f"sm_{properties.major}{properties.minor}"
