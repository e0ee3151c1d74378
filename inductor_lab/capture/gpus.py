"""The GPUs that Inductor can be made to generate for without having one: what each would say about itself."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

from inductor_lab.errors import LabError

MIB = 1 << 20
KIB = 1 << 10


@dataclass(frozen=True)
class VirtualGpu:
    """One card, as torch and Triton would meet it."""

    name: str
    """What the card calls itself."""
    backend: str
    """Triton's word for its maker: `cuda` or `hip`."""
    capability: tuple[int, int]
    """torch.cuda.get_device_capability(); for AMD the number of the gfx target."""
    arch: str
    """`sm_90`, `gfx942`."""
    warp_size: int
    attention: tuple[str, ...]
    """Fused attention in the card's order of preference (`priority_order`, aten/.../cuda/sdp_utils.cpp, torch 2.11)."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """The rest of torch.cuda.get_device_properties()."""

    @property
    def compute_capability(self) -> int | str:
        """What Triton's GPUTarget takes: 90, or `gfx942`."""
        return self.capability[0] * 10 + self.capability[1] if self.backend == "cuda" else self.arch

    @property
    def properties(self) -> SimpleNamespace:
        """A stand-in for torch's _CudaDeviceProperties."""
        major, minor = self.capability
        return SimpleNamespace(
            name=self.name,
            major=major,
            minor=minor,
            warp_size=self.warp_size,
            gcnArchName="" if self.backend == "cuda" else f"{self.arch}:sramecc+:xnack-",
            uuid="00000000-0000-0000-0000-000000000000",
            is_integrated=False,
            is_multi_gpu_board=False,
            max_threads_per_block=1024,
            max_threads_per_multi_processor=2048,
            regs_per_multiprocessor=65536,
            **self.fields,
        )


def _nvidia(name: str, capability: tuple[int, int], attention: tuple[str, ...], **fields: object) -> VirtualGpu:
    arch = f"sm_{capability[0]}{capability[1]}"
    return VirtualGpu(name, "cuda", capability, arch, 32, attention, {"shared_memory_per_block": 48 * KIB, **fields})


def _hopper(name: str, mebibytes: int, l2_mebibytes: int, memory_clock_khz: int, bus_bits: int) -> VirtualGpu:
    return _nvidia(
        name,
        (9, 0),
        ("cudnn", "flash", "efficient"),
        multi_processor_count=132,
        total_memory=mebibytes * MIB,
        shared_memory_per_block_optin=227 * KIB,
        shared_memory_per_multiprocessor=228 * KIB,
        L2_cache_size=l2_mebibytes * MIB,
        clock_rate=1_980_000,  # kHz, as are all clocks here
        memory_clock_rate=memory_clock_khz,
        memory_bus_width=bus_bits,
    )


# The H200's numbers were read from one; the others are from their makers' data sheets and programming guides.
GPUS: dict[str, VirtualGpu] = {
    "h100": _hopper("NVIDIA H100 80GB HBM3", 81_559, 50, 2_619_000, 5120),
    "h200": _hopper("NVIDIA H200", 143_155, 60, 3_201_000, 6144),
    "a100": _nvidia(
        "NVIDIA A100-SXM4-80GB",
        (8, 0),
        ("flash", "efficient"),
        multi_processor_count=108,
        total_memory=81_920 * MIB,
        shared_memory_per_block_optin=163 * KIB,
        shared_memory_per_multiprocessor=164 * KIB,
        L2_cache_size=40 * MIB,
        clock_rate=1_410_000,
        memory_clock_rate=1_593_000,
        memory_bus_width=5120,
    ),
    "b200": _nvidia(
        "NVIDIA B200",
        (10, 0),
        ("cudnn", "flash", "efficient"),
        multi_processor_count=148,
        total_memory=183_359 * MIB,
        shared_memory_per_block_optin=227 * KIB,
        shared_memory_per_multiprocessor=228 * KIB,
        L2_cache_size=126 * MIB,
        clock_rate=1_965_000,
        memory_clock_rate=3_996_000,
        memory_bus_width=8192,
    ),
    "mi300x": VirtualGpu(
        "AMD Instinct MI300X",
        "hip",
        (9, 4),
        "gfx942",
        64,
        ("flash", "efficient"),
        {
            "multi_processor_count": 304,
            "total_memory": 196_592 * MIB,
            "shared_memory_per_block": 64 * KIB,
            "shared_memory_per_block_optin": 64 * KIB,
            "shared_memory_per_multiprocessor": 64 * KIB,
            "L2_cache_size": 4 * MIB,
            "clock_rate": 2_100_000,
            "memory_clock_rate": 1_300_000,
            "memory_bus_width": 8192,
        },
    ),
}
"""Every virtual GPU by the name that `--gpu` takes."""


def find_gpu(name: str) -> VirtualGpu:
    """The card of that name; LabError with the near names for any other."""
    if (key := name.lower()) in GPUS:
        return GPUS[key]
    near = difflib.get_close_matches(key, ("auto", "real", *GPUS), n=2, cutoff=0.4)
    meant = f"did you mean {' or '.join(near)}?" if near else f"use auto, real, {', '.join(GPUS)}."
    raise LabError(f"Inductor can not be made to generate for {name!r}: {meant}")
