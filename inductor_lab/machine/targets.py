"""What a kernel is compiled for, a known GPU or any architecture of Triton's; and its occupancy there.

Occupancy is the part of a card's warps that are there at once: of the programs that a multiprocessor holds, by registers, shared memory and threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inductor_lab.errors import LabError, unknown
from inductor_lab.gpus import GPUS, KIB, Card, warp_size
from inductor_lab.records import MachineCode, Residency


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


OLDEST = 70
"""Compute capability from which on Triton compiles; LLVM and ptxas say a page about what is older."""


def target_named(name: str) -> Target:
    """The target of `h200`, `sm_90` or `gfx942`; LabError with the near names for anything else."""
    key = name.lower().strip()
    for card in GPUS.values():
        if key in (card.key, *card.aliases):
            return Target(card.backend, card.compute_capability, card.warp_size)
    if match := re.fullmatch(r"sm_?(\d{2,3})[af]?", key):
        if int(match[1]) < OLDEST:
            raise LabError(f"Triton does not compile for {key}: sm_{OLDEST} is the oldest that it knows.")
        return Target("cuda", int(match[1]), warp_size(f"sm_{match[1]}"))
    if re.fullmatch(r"gfx[0-9a-f]{3,4}", key):
        return Target("hip", key, warp_size(key))
    raise unknown(f"There is no GPU named {name!r}", key, GPUS, f"known are {', '.join(GPUS)}, sm_NN and gfxNNN.")


def gpu_meant(gpu: str, captured_for: str = "") -> str:
    """`auto`: the card that is here, else the one that the kernel was generated for, else an H200; `real`: the one that is here."""
    if gpu not in ("auto", "real"):
        return gpu
    here = present_gpu()
    if gpu == "real" and not here:
        raise LabError("There is no GPU on this machine; name one, such as --gpu h200.")
    return here or captured_for or "h200"


def present_gpu() -> str | None:
    """The architecture of the GPU in this machine, `sm_90` or `gfx942`; None without one."""
    import torch

    if not torch.cuda.is_available():
        return None
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    if torch.version.hip:
        return str(properties.gcnArchName).split(":")[0]  # gfx942:sramecc+:xnack-
    return f"sm_{properties.major}{properties.minor}"


# How much of a card a launch keeps busy


REGISTERS_TOGETHER = 8
"""Registers of a thread come in eights."""
RESERVED = KIB
"""Shared memory that CUDA keeps of each program, from sm_80 on."""


def residency(code: MachineCode, programs: int, card: Card) -> Residency:
    """How one launch of so many programs fills a card."""
    limits = _limits(code, card)
    limit = min(limits, key=limits.__getitem__)
    held, threads = limits[limit], code.num_warps * card.warp_size
    occupancy = min(held, programs / card.processors) * threads / card.threads
    return Residency(programs, held, limit, occupancy, programs / max(held * card.processors, 1))


def _limits(code: MachineCode, card: Card) -> dict[str, int]:
    """What keeps a multiprocessor from holding more programs -> how many it would hold by that alone; 0 where not even one fits."""
    threads = code.num_warps * card.warp_size
    found = {"threads": card.threads // threads, "programs": card.programs}
    if code.registers:
        taken = -(-code.registers // REGISTERS_TOGETHER) * REGISTERS_TOGETHER * threads
        found["registers"] = card.registers // taken
    reserved = RESERVED if card.backend == "cuda" else 0
    if code.shared_memory > card.shared_memory_of_one:
        found["shared memory"] = 0
    elif code.shared_memory + reserved:
        found["shared memory"] = card.shared_memory // (code.shared_memory + reserved)
    return found
