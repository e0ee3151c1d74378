"""A captured kernel's code at each stage of its compilation, every line tied to the kernel's line that it is from."""

from __future__ import annotations

import pytest
from folders import CAPTURED

from inductor_lab import store
from inductor_lab.machine.source import compilable
from inductor_lab.machine.stages import of_assembly, of_ir, of_llvm, of_sass, stages
from inductor_lab.records import CompiledCode, Kernel


def test_the_remarks_of_an_ir_become_line_numbers() -> None:
    text = """#loc = loc("/tmp/x/kernel.py":2:0)
#loc1 = loc("/tmp/x/kernel.py":7:20)
#loc2 = loc("/usr/triton_helpers.py":90:4)
#loc3 = loc("tmp8"(#loc1))
#loc4 = loc(callsite(#loc2 at #loc3))
module {
  tt.func public @k(%in_ptr0: !tt.ptr<f32> loc("in_ptr0"(#loc))) attributes {noinline = false} {
    %0 = arith.addf %a, %b : f32 loc(#loc3)
    %1 = arith.maxnumf %0, %c : f32 loc(#loc4)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)"""
    assert list(of_ir(text)) == [
        ("module {", 0),
        ("  tt.func public @k(%in_ptr0: !tt.ptr<f32>) attributes {noinline = false} {", 0),
        ("    %0 = arith.addf %a, %b : f32", 7),
        ("    %1 = arith.maxnumf %0, %c : f32", 7),
        ("    tt.return", 2),
        ("  }", 2),
        ("}", 2),
    ]


def test_what_llvm_inlined_is_from_the_line_that_calls_it_and_its_tables_are_left_out() -> None:
    text = """; ModuleID = 'LLVMDialectModule'
target triple = "amdgcn-amd-amdhsa"

; Function Attrs: nounwind
define amdgpu_kernel void @k(ptr %0) #0 !dbg !4 {
  %2 = load float, ptr %0, align 4, !dbg !12
  %3 = fmul float %2, %2
  tail call void @f(float %3), !dbg !13
}
attributes #0 = { nounwind }
!4 = distinct !DISubprogram(name: "k", line: 2)
!12 = !DILocation(line: 9, column: 30, scope: !4)
!13 = !DILocation(line: 290, column: 4, scope: !5, inlinedAt: !14)
!14 = distinct !DILocation(line: 12, column: 4, scope: !4)"""
    assert list(of_llvm(text)) == [
        ('target triple = "amdgcn-amd-amdhsa"', 0),
        ("define amdgpu_kernel void @k(ptr %0) #0 {", 0),
        ("  %2 = load float, ptr %0, align 4", 9),
        ("  %3 = fmul float %2, %2", 0),
        ("  tail call void @f(float %3)", 12),
        ("}", 0),
    ]


def test_what_was_inlined_is_from_the_line_that_calls_it() -> None:
    text = """\t.loc\t1 7 20                         // kernel.py:7:20
\tadd.f32 \t%f3, %f1, %f2;
\t.loc\t2 90 4, function_name $L__info_string0, inlined_at 1 9 30 // triton_helpers.py:90:4 @[ kernel.py:9:30 ]
$L__tmp3:
\tmax.f32 \t%f4, %f3, 0f00000000;
\tret;
\t.file\t1 "/tmp/x" "kernel.py"
\t.section\t.debug_abbrev
\t{
.b8 1"""
    assert [(line.split()[0], number) for line, number in of_assembly(text)] == [
        ("add.f32", 7),
        ("max.f32", 9),
        ("ret;", 9),
    ]


def test_instructions_are_all_that_stays_of_a_disassembly() -> None:
    text = """\t.headerflags\t@"EF_CUDA_SM90"
.text.k:
\t//## File "/usr/standard.py", line 290 inlined at "/tmp/x/kernel.py", line 12
\t//## File "/tmp/x/kernel.py", line 12
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_0:
        /*0020*/                   BRA `(.L_x_0);"""
    assert list(of_sass(text)) == [
        ("/*0010*/  S2R R0, SR_TID.X ;", 12),
        (".L_x_0:", 0),
        ("/*0020*/  BRA `(.L_x_0);", 12),
    ]


def test_lines_of_the_compiled_text_are_those_of_the_captured_body() -> None:
    source = compilable(
        "@triton.jit\ndef k(in_ptr0,\n      XBLOCK : tl.constexpr):\n    # a remark\n    x = (1 +\n         2)\n\n    if x:\n        y = x\n"
    )
    written = source.text.splitlines()
    body = {number: written[line - 1].strip() for line, number in source.lines.items()}
    assert body == {1: "x = 1 + 2", 4: "if x:", 5: "y = x"}


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    found = store.load(CAPTURED / "rotary_attention_train_h200")
    return next(one for one in found.kernels if len(one.body.splitlines()) < 12)


@pytest.mark.parametrize(
    ("gpu", "names"),
    [("h200", ["ttir", "ttgir", "llir", "ptx", "sass"]), ("mi300x", ["ttir", "ttgir", "llir", "amdgcn"])],
)
def test_every_stage_tells_the_lines_of_the_body(kernel: Kernel, gpu: str, names: list[str]) -> None:
    found = stages(kernel, gpu)
    assert [code.stage for code in found] == names
    lines = kernel.body.splitlines()
    loads = {number for number, line in enumerate(lines, 1) if "tl.load(" in line}
    stores = {number for number, line in enumerate(lines, 1) if "tl.store(" in line}
    for code in found:
        assert code.missing == "" and len(code.lines) == len(code.text.splitlines())
        assert from_lines(code, LOADS) == loads and from_lines(code, STORES) == stores
        assert not any(remark in code.text for remark in ("loc(", ".loc", "//##", "!dbg"))


LOADS = ("tt.load", "ld.global", "= load ", "LDG", "global_load", "buffer_load")
STORES = ("tt.store", "st.global", "  store ", "STG", "global_store", "buffer_store")


def from_lines(code: CompiledCode, words: tuple[str, ...]) -> set[int]:
    """The body's lines that the lines with one of these words are from."""
    pairs = zip(code.text.splitlines(), code.lines, strict=True)
    return {number for line, number in pairs if any(word in line for word in words)}
