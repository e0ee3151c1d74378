"""The instructions of a kernel's machine code, counted by what they do, in the words of people who write kernels.

SASS alone is read: AMD's instructions are not counted by kind. Counts are of the code, not of what runs: a loop's body counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

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
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;\n]*)", re.MULTILINE)
LABEL = re.compile(r"^\s*(\.L_x?_?\w+):", re.MULTILINE)
BRANCH = re.compile(r"^[^\n]*\bBRA[^\n]*`\((\.L_x?_?\w+)\)", re.MULTILINE)


def by_kind(sass: str) -> dict[str, int]:
    """Kind -> instructions of it, in the order of `KINDS`; what pads the code is left out."""
    found: Counter[str] = Counter()
    for opcode, _ in INSTRUCTION.findall(executed(sass)):
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
