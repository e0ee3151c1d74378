"""Every GPU that this toolkit knows, one row each: its names, what it has, what it can do at most.

Capturing for a card that is not there, compiling for it, the roofline and the words of an explanation all ask this table,
so a new card is a new row. Clocks, sizes and peaks are from the makers' data sheets and programming guides unless said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import SimpleNamespace

from inductor_lab.errors import unknown

MIB = 1 << 20
KIB = 1 << 10


@dataclass(frozen=True)
class Card:
    """One card, as torch, Triton and an explanation would meet it."""

    key: str
    """The name that `--gpu` takes."""
    name: str
    """What the card calls itself."""
    label: str
    """What people call it."""
    arch: str
    """`sm_90`, `gfx942`."""
    processors: int
    """Streaming multiprocessors (SM) or compute units (CU)."""
    memory: int
    """Bytes."""
    bandwidth: float
    """Bytes a second, from the data sheet."""
    flops: float
    """fp32 operations a second outside the matrix units."""
    half: float
    """Operations a second of the matrix units on fp16 and bf16, summed in fp32, without sparsity."""
    single: float
    """The same on 32-bit numbers: TF32 where the card has it, else fp32."""
    l2: int
    """Bytes of L2 cache; on AMD those of one die."""
    clock: int
    """kHz, the highest."""
    memory_clock: int
    """kHz."""
    bus: int
    """Bits."""
    shared_memory: int
    """Bytes that one multiprocessor has for its programs."""
    shared_memory_of_one: int
    """Bytes that one program may have at most, where it asks for more than the usual."""
    threads: int = 2048
    """Threads that one multiprocessor holds at most."""
    programs: int = 32
    """Programs that one multiprocessor holds at most."""
    registers: int = 65_536
    """32-bit registers of one multiprocessor, as torch reports them."""
    special: int | None = 16
    """Results that the special function units of one multiprocessor give in a clock (exponentials, reciprocals, roots, 32 bits): "Throughput of
    Native Arithmetic Instructions" in NVIDIA's CUDA C++ Programming Guide, the same from 8.0 to 12.0. None where the maker tells none."""
    attention: tuple[str, ...] = ("flash", "efficient")
    """Fused attention in the card's order of preference (`priority_order`, aten/.../cuda/sdp_utils.cpp, torch 2.11)."""
    measured: float | None = None
    """Bytes a second that a large copy reached; None where nobody here measured it."""
    aliases: tuple[str, ...] = ()
    """Other names that `--gpu` takes."""

    @property
    def backend(self) -> str:
        """Triton's word for its maker: `cuda` or `hip`."""
        return "cuda" if self.arch.startswith("sm_") else "hip"

    @property
    def warp_size(self) -> int:
        return warp_size(self.arch)

    @property
    def warp(self) -> str:
        """What its maker calls the threads that go in step."""
        return "warp" if self.backend == "cuda" else "wavefront"

    @property
    def processor(self) -> str:
        """What its maker calls a multiprocessor."""
        return "SM" if self.backend == "cuda" else "CU"

    @property
    def transfer(self) -> tuple[int, str]:
        """Bytes that its memory moves at least, and what its maker calls them: a sector, a line of the L2 cache."""
        return (32, "sector") if self.backend == "cuda" else (128, "cache line")

    @property
    def reachable(self) -> float:
        """Bytes a second to hold a kernel against: what was measured, else the data sheet's."""
        return self.measured or self.bandwidth

    @property
    def specials(self) -> float | None:
        """Special functions a second at most, at the highest clock."""
        return self.special * self.processors * self.clock * 1e3 if self.special else None

    @property
    def source(self) -> str:
        """Where `reachable` comes from."""
        return (
            f"a large copy, measured; its data sheet says {self.bandwidth / 1e12:.1f} TB/s"
            if self.measured
            else "data sheet"
        )

    @property
    def capability(self) -> tuple[int, int]:
        """torch.cuda.get_device_capability(); for AMD the first digits of the gfx target: (9, 4) for gfx942."""
        if self.backend == "cuda":
            return int(self.arch[3:-1]), int(self.arch[-1])
        return int(self.arch[3:-2]), int(self.arch[-2])

    @property
    def compute_capability(self) -> int | str:
        """What Triton's GPUTarget takes: 90, or `gfx942`."""
        return int(self.arch[3:]) if self.backend == "cuda" else self.arch

    @property
    def of_driver(self) -> dict[str, int | str]:
        """What Triton's driver says of it, by names and in units of its own (backends/nvidia/driver.c): clocks in kHz, the bus in bits, memory in bytes."""
        return {
            "max_shared_mem": self.shared_memory_of_one, "max_num_regs": self.registers, "multiprocessor_count": self.processors,
            "warpSize": self.warp_size, "max_threads_per_sm": self.threads, "sm_clock_rate": self.clock,
            "mem_clock_rate": self.memory_clock, "mem_bus_width": self.bus, "arch": self.arch,
        }  # fmt: skip

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
            max_threads_per_multi_processor=self.threads,
            regs_per_multiprocessor=self.registers,
            multi_processor_count=self.processors,
            total_memory=self.memory,
            shared_memory_per_block=48 * KIB if self.backend == "cuda" else self.shared_memory_of_one,
            shared_memory_per_block_optin=self.shared_memory_of_one,
            shared_memory_per_multiprocessor=self.shared_memory,
            L2_cache_size=self.l2,
            clock_rate=self.clock,
            memory_clock_rate=self.memory_clock,
            memory_bus_width=self.bus,
        )


def warp_size(arch: str) -> int:
    """Threads that go in step: 32 on NVIDIA; on AMD 64 for gfx9 (GCN, CDNA), 32 for gfx10 and later (RDNA)."""
    return 64 if re.fullmatch(r"gfx9\w\w", arch) else 32


ROWS = (
    # Its properties were read from one; the copy moved 4.3 GB.
    Card(
        "h200", "NVIDIA H200", "H200", "sm_90", processors=132, memory=143_155 * MIB, bandwidth=4.8e12, measured=4.28e12,
        flops=67e12, half=989.4e12, single=494.7e12, l2=60 * MIB, clock=1_980_000, memory_clock=3_201_000, bus=6144, shared_memory=228 * KIB,
        shared_memory_of_one=227 * KIB, attention=("cudnn", "flash", "efficient"),
    ),
    Card(
        "h100", "NVIDIA H100 80GB HBM3", "H100 SXM", "sm_90", processors=132, memory=81_559 * MIB, bandwidth=3.35e12,
        flops=67e12, half=989.4e12, single=494.7e12, l2=50 * MIB, clock=1_980_000, memory_clock=2_619_000, bus=5120, shared_memory=228 * KIB,
        shared_memory_of_one=227 * KIB, attention=("cudnn", "flash", "efficient"),
    ),
    Card(
        "a100", "NVIDIA A100-SXM4-80GB", "A100 80GB SXM", "sm_80", processors=108, memory=81_920 * MIB, bandwidth=2.039e12,
        flops=19.5e12, half=312e12, single=156e12, l2=40 * MIB, clock=1_410_000, memory_clock=1_593_000, bus=5120, shared_memory=164 * KIB,
        shared_memory_of_one=163 * KIB,
    ),
    Card(
        "b200", "NVIDIA B200", "B200", "sm_100", processors=148, memory=183_359 * MIB, bandwidth=8.0e12, flops=75e12, half=2250e12, single=1125e12,
        l2=126 * MIB, clock=1_965_000, memory_clock=3_996_000, bus=8192, shared_memory=228 * KIB,
        shared_memory_of_one=227 * KIB, attention=("cudnn", "flash", "efficient"),
    ),
    Card(
        "mi300x", "AMD Instinct MI300X", "MI300X", "gfx942", processors=304, memory=196_592 * MIB, bandwidth=5.3e12,
        flops=163.4e12, half=1307.4e12, single=653.7e12, l2=4 * MIB, clock=2_100_000, memory_clock=1_300_000, bus=8192, special=None, shared_memory=64 * KIB,
        shared_memory_of_one=64 * KIB,
    ),
    Card(
        "a10", "NVIDIA A10", "A10", "sm_86", processors=72, memory=23_028 * MIB, bandwidth=600e9, flops=31.2e12, half=125e12, single=62.5e12,
        l2=6 * MIB, clock=1_695_000, memory_clock=6_251_000, bus=384, shared_memory=100 * KIB,
        shared_memory_of_one=99 * KIB, threads=1536, programs=16, aliases=("a10g",),
    ),
    Card(
        "l40s", "NVIDIA L40S", "L40S", "sm_89", processors=142, memory=46_068 * MIB, bandwidth=864e9, flops=91.6e12, half=362.05e12, single=183e12,
        l2=96 * MIB, clock=2_520_000, memory_clock=9_001_000, bus=384, shared_memory=100 * KIB,
        shared_memory_of_one=99 * KIB, threads=1536, programs=24,
    ),
    Card(
        "l4", "NVIDIA L4", "L4", "sm_89", processors=58, memory=23_034 * MIB, bandwidth=300e9, flops=30.3e12, half=121e12, single=60e12,
        l2=48 * MIB, clock=2_040_000, memory_clock=6_251_000, bus=192, shared_memory=100 * KIB,
        shared_memory_of_one=99 * KIB, threads=1536, programs=24,
    ),
    Card(
        "rtx4090", "NVIDIA GeForce RTX 4090", "RTX 4090", "sm_89", processors=128, memory=24_564 * MIB, bandwidth=1.008e12,
        flops=82.6e12, half=165.2e12, single=82.6e12, l2=72 * MIB, clock=2_520_000, memory_clock=10_501_000, bus=384, shared_memory=100 * KIB,
        shared_memory_of_one=99 * KIB, threads=1536, programs=24,
    ),
    Card(
        "rtx5090", "NVIDIA GeForce RTX 5090", "RTX 5090", "sm_120", processors=170, memory=32_607 * MIB, bandwidth=1.792e12,
        flops=104.8e12, half=209.5e12, single=104.8e12, l2=96 * MIB, clock=2_407_000, memory_clock=14_001_000, bus=512, shared_memory=100 * KIB,
        shared_memory_of_one=99 * KIB, threads=1536, programs=24,
    ),
    # One of the two dies: each is a device of its own.
    Card(
        "mi250x", "AMD Instinct MI250X", "MI250X (one die)", "gfx90a", processors=110, memory=65_520 * MIB,
        bandwidth=1.638e12, flops=23.9e12, half=191.5e12, single=47.9e12, l2=8 * MIB, clock=1_700_000, memory_clock=1_600_000, bus=4096,
        special=None, shared_memory=64 * KIB, shared_memory_of_one=64 * KIB,
    ),
    Card(
        "mi355x", "AMD Instinct MI355X", "MI355X", "gfx950", processors=256, memory=294_896 * MIB, bandwidth=8.0e12,
        flops=157.3e12, half=2516.6e12, single=157.3e12, l2=4 * MIB, clock=2_400_000, memory_clock=2_000_000, bus=8192, special=None, shared_memory=160 * KIB,
        shared_memory_of_one=160 * KIB, registers=131_072,
    ),
)  # fmt: skip
"""The first row of an architecture stands for it where only the architecture is known."""

GPUS: dict[str, Card] = {row.key: row for row in ROWS}
"""Every card by the name that `--gpu` takes."""

DEFAULT = "h200"
"""The card for which everything is done that names none."""


def find_gpu(name: str) -> Card:
    """The card of that name, or the one that stands for an architecture; LabError with the near names for any other."""
    key = name.lower().strip()
    for card in GPUS.values():
        if key in (card.key, card.arch, *card.aliases):
            return card
    known = ("auto", "real", *GPUS)
    raise unknown(f"There is no GPU named {name!r} to generate for", key, known, f"use {', '.join(known)}.")


def card_of(name: str, arch: str) -> Card:
    """The card that a capture tells: by the name that it gives itself, else by its architecture; the default where neither is known."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    told = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 2, len(words)) + 1)}
    for card in GPUS.values():
        if name == card.name or told & {card.key, *card.aliases}:
            return card
    plain = re.sub(r"(?<=\d)[af]$", "", arch) if arch.startswith("sm_") else arch
    return next((card for card in GPUS.values() if card.arch == plain), GPUS[DEFAULT])
