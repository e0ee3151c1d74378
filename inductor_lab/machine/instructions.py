"""Read what the vendors' disassemblers print: registers, spills, and every global load and store with its width.

Text in, numbers out; nothing here runs a tool.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inductor_lab.machine.kinds import by_kind, has_loop

# NVIDIA: what each SASS opcode that reaches global memory does (atomics write, so they stand with the stores).
SASS_KINDS = {
    "LDG": "load",
    "LD": "load",
    "LDGSTS": "load",  # cp.async: global to shared
    "UTMALDG": "load",  # the tensor memory accelerator
    "STG": "store",
    "ST": "store",
    "UTMASTG": "store",
    "UTMAREDG": "store",
    "RED": "store",
    "REDG": "store",
    "ATOM": "store",
    "ATOMG": "store",
}

# Modifiers that say how to cache or order an access, not how wide it is: LDG.E.EL.128 is counted with LDG.E.128.
CACHING = re.compile(r"EL|EF|EU|LU|NA|CONSTANT|STRONG|WEAK|PRIVATE|GPU|SYS|SM|CTA|BYPASS|ACCESS|ZFILL|LTC\d+B|ENL\d|PT")

SASS_LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.x]+)", re.MULTILINE)

RESOURCES = re.compile(r"Function (\S+?):?\s+REG:(\d+) STACK:(\d+)")

# AMD: the mnemonic tells everything, buffer_load_dwordx4.
GCN_LINE = re.compile(r"^\s*((?:global|buffer|flat)_(load|store|atomic)_\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """What one compiled kernel needs and does."""

    registers: int | None
    spills: int | None
    """Bytes of stack a thread."""
    loads: Mapping[str, int]
    stores: Mapping[str, int]
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Kind (`machine/kinds.py`) -> instructions of it; none where they are not read."""
    loops: bool | None = None
    """Whether some of them run more than once."""


UNKNOWN = Facts(None, None, {}, {})


def counted(instructions: Iterable[tuple[str, str]]) -> tuple[dict[str, int], dict[str, int]]:
    """(loads, stores) of (`load` or `store`, instruction) pairs, each sorted by name."""
    pairs = Counter(instructions)
    loads = {name: count for (kind, name), count in sorted(pairs.items()) if kind == "load"}
    stores = {name: count for (kind, name), count in sorted(pairs.items()) if kind == "store"}
    return loads, stores


def sass_memory(sass: str) -> tuple[dict[str, int], dict[str, int]]:
    """(loads, stores) of what `nvdisasm` prints. No width in the name means 32 bits: LDG.E."""
    found = []
    for opcode in SASS_LINE.findall(sass):
        family, *modifiers = opcode.split(".")
        if family in SASS_KINDS:
            width = [m for m in modifiers if not CACHING.fullmatch(m)]
            found.append((SASS_KINDS[family], ".".join([family, *width])))
    return counted(found)


def nvidia(kernel: str, resources: str, sass: str) -> Facts:
    """Facts of `kernel`, from `cuobjdump --dump-resource-usage` and `nvdisasm`; what spills goes to the stack."""
    usage = {name: (int(registers), int(stack)) for name, registers, stack in RESOURCES.findall(resources)}
    registers, stack = usage.get(kernel, (None, None))
    return Facts(registers, stack, *sass_memory(sass), by_kind(sass), has_loop(sass))


def amd(amdgcn: str) -> Facts:
    """Facts of the one kernel in Triton's `amdgcn` text; its metadata stands at the end of it."""

    def number(key: str) -> int | None:
        found = re.search(rf"^\s*(?:- )?\.{key}:\s+(\d+)", amdgcn, re.MULTILINE)
        return int(found[1]) if found else None

    memory = ((("load" if kind == "load" else "store"), name) for name, kind in GCN_LINE.findall(amdgcn))
    return Facts(number("vgpr_count"), number("private_segment_fixed_size"), *counted(memory))


def width(instruction: str) -> int:
    """Bits that a load or store moves for a thread: `LDG.E.128`, `global_load_dwordx4`, `LDG.E.U16`, `REDG.E.ADD.F32x4`."""
    if "dword" in instruction:
        words = re.search(r"dwordx(\d)", instruction)
        return 32 * int(words[1] if words else 1)
    if several := re.search(r"F(16|32)x(\d)", instruction):
        return int(several[1]) * int(several[2])
    bits = re.search(r"\.[US]?(8|16|64|128|256)\b", instruction) or re.search(r"_[us]?(?:byte|short)", instruction)
    if bits is None:
        return 32
    return int(bits[1]) if bits.lastindex else (8 if "byte" in bits[0] else 16)
