"""Read what the vendors' disassemblers print: registers, spills, every global load and store with its width, and instructions by what they do.

Text in, numbers out; nothing here runs a tool. Kinds of instructions are in the words of people who write kernels, and read from SASS alone: AMD's are not
counted by kind. Counts are of the code, not of what runs: a loop's body counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

KINDS: Mapping[str, str] = {
    "global loads": "LDG LD LDGSTS UTMALDG UBLKCP LDGMC",
    "global stores": "STG ST UTMASTG",
    "global atomics": "ATOM ATOMG RED REDG UTMAREDG",
    "local memory": "LDL STL",
    "shared memory": "LDS LDSM STS STSM ATOMS REDS LDT STT LDTM STTM",
    "constant loads": "LDC ULDC LDCU",
    "fp32": "FADD FMUL FFMA FFMA32I FADD32I FMUL32I FADD2 FMUL2 FFMA2 FMNMX FMNMX3 FSEL FSET FSETP FCHK FSWZADD",
    "half precision": "HADD2 HFMA2 HMUL2 HMNMX2 HSET2 HSETP2 HADD2_32 HFMA2_32 HMUL2_32",
    "fp64": "DADD DMUL DFMA DMNMX DSET DSETP",
    "special functions": "MUFU",
    "conversions": "F2F F2I I2F I2I F2FP I2FP F2IP I2IP FRND",
    "integer": "IADD IADD3 IADD32I IMAD IMUL IMNMX VIMNMX VIMNMX3 VIADD VIADDMNMX LEA LOP LOP3 LOP32I SHF SHL SHR ISETP ISET ICMP IABS BFE BFI "
    "BMSK SGXT POPC FLO BREV PRMT PLOP3 XMAD UIADD3 UIMAD ULEA ULOP3 USHF UISETP UPRMT USGXT UBMSK UFLO UPOPC UPLOP3 UVIADD UVIMNMX UIABS IDP",
    "shuffles and votes": "SHFL REDUX CREDUX VOTE VOTEU MATCH",
    "barriers": "BAR WARPSYNC SYNCS MEMBAR FENCE ERRBAR DEPBAR LDGDEPBAR LDGDEP WARPGROUP ARRIVES UCGABAR_ARV UCGABAR_WAIT ACQBULK",
    "moves and selections": "MOV MOV32I UMOV SEL USEL S2R S2UR CS2R R2UR R2P P2R R2B B2R MOVM",
    "branches": "BRA BRX JMP JMX CALL RET EXIT BSSY BSYNC BREAK KILL BPT NANOSLEEP YIELD LEPC",
}
KIND: Mapping[str, str] = {family: kind for kind, families in KINDS.items() for family in families.split()}
TENSOR_CORE = re.compile(r"(?:[HIBDQOF]|UTC[A-Z]*?)G?MMA")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.x]*)", re.MULTILINE)
LABEL = re.compile(r"^\s*(\.L_x?_?\w+):", re.MULTILINE)
BRANCH = re.compile(r"^[^\n]*\bBRA[^\n]*`\((\.L_x?_?\w+)\)", re.MULTILINE)


def by_kind(sass: str) -> dict[str, int]:
    """Kind -> instructions of it, in the order of `KINDS`; what pads the code is left out."""
    found: Counter[str] = Counter()
    for opcode in INSTRUCTION.findall(executed(sass)):
        if kind := kind_of(opcode):
            found[kind] += 1
    return {kind: found[kind] for kind in (*KINDS, "tensor cores", "other") if found[kind]}


def kind_of(opcode: str) -> str:
    """`fp32` of `FFMA.FTZ`; empty for NOP, which pads."""
    family, *modifiers = opcode.split(".")
    if family == "NOP":
        return ""
    if TENSOR_CORE.fullmatch(family):
        return "tensor cores"
    if family == "IMAD" and "MOV" in modifiers:
        return "moves and selections"
    return KIND.get(family, "other")


def has_loop(sass: str) -> bool:
    """Whether something in the code runs more than once: a branch to a label before it."""
    code = executed(sass)
    labels = {found[1]: found.start() for found in LABEL.finditer(code)}
    return any(labels.get(found[1], len(code)) < found.start() for found in BRANCH.finditer(code))


def executed(sass: str) -> str:
    """The code less the branch to itself that stands at its end, in case something runs past it."""
    return re.sub(r"^\s*(\.L_x?_?\w+):\s*\n[^\n]*\bBRA `\(\1\)[^\n]*\n", "", sass, flags=re.MULTILINE)


# NVIDIA: kinds of instructions that reach global memory; atomics write, so they are counted with the stores.
REACHES = {"global loads": "load", "global stores": "store", "global atomics": "store"}

# Modifiers that say how to cache or order an access, not how wide it is: LDG.E.EL.128 is counted with LDG.E.128.
CACHING = re.compile(r"EL|EF|EU|LU|NA|CONSTANT|STRONG|WEAK|PRIVATE|GPU|SYS|SM|CTA|BYPASS|ACCESS|ZFILL|LTC\d+B|ENL\d|PT")

RESOURCES = re.compile(r"Function (\S+?):?\s+REG:(\d+) STACK:(\d+)")

# AMD: the mnemonic tells everything, buffer_load_dwordx4.
GCN_LINE = re.compile(r"^\s*((?:global|buffer|flat)_(load|store|atomic)_\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """What one compiled kernel needs and does: fields of a `MachineCode`."""

    registers: int | None
    spills: int | None
    """Bytes of stack a thread."""
    loads: Mapping[str, int]
    stores: Mapping[str, int]
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Kind (`KINDS`) -> instructions of it; none where they are not read."""
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
    for opcode in INSTRUCTION.findall(sass):
        if reaches := REACHES.get(kind_of(opcode)):
            family, *modifiers = opcode.split(".")
            found.append((reaches, ".".join([family, *(m for m in modifiers if not CACHING.fullmatch(m))])))
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
