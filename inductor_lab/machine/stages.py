"""The code of a captured kernel at each stage of its compilation, with the line of the kernel that each line of it is from.

The compiler tells lines in remarks: `loc(#loc3)` in Triton's IRs, `!dbg !12` in LLVM's, `.loc` in PTX and AMD's assembly, `//## File` in what
nvdisasm prints.
Here they are read off and taken out, so that what remains is the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inductor_lab.machine.generated import compile_kernel
from inductor_lab.machine.targets import target_named
from inductor_lab.machine.triton_private import KERNEL_FILE, disassembled
from inductor_lab.records import CompiledCode, Kernel

NO_TOOLS = "SASS is printed by nvdisasm, which Triton's wheel for Linux carries and which is missing here."
Located = Iterator[tuple[str, int]]
"""Lines of code, each with the line of the compiled text that it is from; 0 where none is told."""


def stages(kernel: Kernel, gpu: str = "h200") -> tuple[CompiledCode, ...]:
    """A captured kernel at every stage on its way to `gpu`, in the order of compilation.

    Raises:
        LabError: as `inspect_kernel`.
    """
    source, compiled = compile_kernel(kernel, gpu)
    target = target_named(gpu)

    def made(stage: str, located: Located) -> CompiledCode:
        lines = list(located)
        text = "\n".join(line for line, _ in lines)
        return CompiledCode(stage, gpu, text, tuple(source.lines.get(line, 0) for _, line in lines))

    texts = [made(stage, take(compiled.assembly[stage])) for stage, take in TEXTS.items() if stage in compiled.assembly]
    if target.backend != "cuda":
        return tuple(texts)
    told = disassembled(compiled.assembly["cubin"], lines=True)
    sass = made("sass", of_sass(told[1])) if told else CompiledCode("sass", gpu, "", missing=NO_TOOLS)
    return (*texts, sass)


HERE = re.compile(rf"{re.escape(KERNEL_FILE)}(?::|\", line |\":)(\d+)")
"""A line of the kernel in a remark; of a helper that was inlined, where the kernel calls it."""


def _line(remark: str) -> int:
    """The kernel's line that a remark ends with: what is before it was inlined there."""
    found = HERE.findall(remark)
    return int(found[-1]) if found else 0


REFERENCE = re.compile(r"#loc\d*")
LOCATION = re.compile(r"\s*loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


def of_ir(text: str) -> Located:
    """Of TTIR and TTGIR."""
    lines = text.splitlines()
    told = dict(line.split(" = ", 1) for line in lines if REFERENCE.match(line) and " = " in line)

    def resolved(remark: str, depth: int = 0) -> int:
        if here := _line(remark):
            return here
        further = (resolved(told[name], depth + 1) for name in reversed(REFERENCE.findall(remark)) if name in told)
        return next(filter(None, further), 0) if depth < 20 else 0

    for line in lines:
        if not REFERENCE.match(line):
            remarks = LOCATION.findall(line)
            is_header = " func " in line or "tt.func" in line
            yield LOCATION.sub("", line), resolved(remarks[-1]) if remarks and not is_header else 0


LLVM_PLACE = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)(?:.*?inlinedAt: !(\d+))?", re.MULTILINE)
LLVM_REMARK = re.compile(r",? !dbg !(\d+)")
LLVM_TABLES = re.compile(r"(attributes #\d+ = |!|; (?:ModuleID|Function Attrs)|source_filename)")


def of_llvm(text: str) -> Located:
    """Of LLVM's IR, without its tables of attributes and metadata."""
    told = {number: (int(line), outer) for number, line, outer in LLVM_PLACE.findall(text)}

    def resolved(number: str) -> int:
        """What was inlined is from the line that calls it."""
        line, outer = told.get(number, (0, ""))
        return resolved(outer) if outer in told else line

    for line in text.splitlines():
        if line.strip() and not LLVM_TABLES.match(line):
            remark = LLVM_REMARK.search(line)
            yield LLVM_REMARK.sub("", line), resolved(remark[1]) if remark and not line.startswith("define") else 0


NOISE = re.compile(r"\s*(\.file\b|\$L__(tmp|func_)\w*:|\.Ltmp\d+:|\.Lfunc_\w+:|//( |$)|;|\s*$|\.cfi_)")
DEBUGGING = re.compile(r"\s*\.section\s+\"?\.(debug|rodata|AMDGPU)")


def of_assembly(text: str) -> Located:
    """Of PTX and AMD's assembly, without the tables for debuggers at their end."""
    current = 0
    for line in text.splitlines():
        if DEBUGGING.match(line):
            return
        if line.lstrip().startswith(".loc"):
            current = _line(line)
        elif not NOISE.match(line):
            yield line.expandtabs(4), 0 if line.lstrip().startswith((".", "$", "{", "}", ")")) else current


INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/|\s*\.L_\w+:")
PLACED = re.compile(r"^ {8}(/\*[0-9a-f]+\*/) {3,}")


def of_sass(text: str) -> Located:
    """Of what nvdisasm prints: instructions and labels."""
    current = 0
    for line in text.splitlines():
        if "//## File" in line:
            current = _line(line)
        elif INSTRUCTION.match(line):
            label = line.lstrip().startswith(".L")
            yield PLACED.sub(r"\1  ", line.expandtabs(4)), 0 if label else current


TEXTS: dict[str, Callable[[str], Located]] = {
    "ttir": of_ir,
    "ttgir": of_ir,
    "llir": of_llvm,
    "ptx": of_assembly,
    "amdgcn": of_assembly,
}
"""Triton's name of a stage -> how its remarks are read."""
