"""Two kernels' code held to each other: what is named freely makes no difference, and nothing else is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import CAPTURED

from inductor_lab.eject import eject, eject_files
from inductor_lab.ejected import load, write_all
from inductor_lab.errors import LabError
from inductor_lab.machine.inspection import COMPILED, code_of
from inductor_lab.measure.diff import diff
from inductor_lab.measure.why.normal import asserted, lines
from inductor_lab.measure.why.texts import difference, unified
from inductor_lab.store import load as load_capture

STAGES = ("source", *COMPILED["cuda"])
GENERATED = '''
@triton.jit
def generated(in_ptr0, in_ptr1, XBLOCK: tl.constexpr):
    """Inductor's."""
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), None)  # the first
    tmp1 = tl.load(in_ptr1 + (xindex), None, eviction_policy='evict_last')
    tmp2 = tmp0 - tmp1
    tl.store(in_ptr0 + xindex, tmp2, None)
'''
RENAMED = """
@triton.jit
def hand(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:]
    x = tl.load(x_ptr + at, None)
    y = tl.load(y_ptr + at, None, eviction_policy="evict_last")
    x = x - y
    tl.store(x_ptr + at, x, None)
"""


def compared(stage: str, old: str, new: str, names: tuple[str, str] = ("generated", "hand")) -> str:
    return unified(lines(stage, old, names[0]), lines(stage, new, names[1]), names)


def changes(text: str) -> list[str]:
    return [line for line in text.splitlines()[2:] if line[0] in "+-"]


def test_names_comments_and_docstrings_make_no_difference() -> None:
    assert compared("source", GENERATED, RENAMED) == ""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("x = x - y", "x = y - x"),  # the same names in another order
        ("x = x - y", "x = x + y"),
        ("x_ptr + at, x", "y_ptr + at, x"),  # stored elsewhere
        (', eviction_policy="evict_last"', ""),
        ("BLOCK: tl.constexpr", "BLOCK"),
    ],
)
def test_what_is_computed_makes_one(was: str, now: str) -> None:
    found = changes(compared("source", GENERATED, RENAMED.replace(was, now)))
    assert len(found) == 2 and found[0][0] == "-" and found[1][0] == "+"


def test_a_line_more_is_one_line_and_shows_as_it_is_written() -> None:
    more = RENAMED.replace("    x = x - y\n", "    x = x - y\n    x = tl.exp(x)\n")
    text = compared("source", GENERATED, more)
    assert changes(text) == ["+    x = tl.exp(x)"]
    assert text.startswith("--- generated\n+++ hand\n@@ -5,4 +5,5 @@\n")


TTGIR = """#blocked = #ttg.blocked<{sizePerThread = [4]}>
#loc = loc("mine.py":27:0)
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @hand(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc))) {
    %a = arith.addf %x, %x : tensor<1024xf32, #blocked> loc(#loc8)
    tt.assert %a, "index out of bounds" : tensor<256xi1, #blocked> loc(#loc31)
  } loc(#loc)
}
#loc8 = loc("mine.py":36:27)
#loc31 = loc("check"(#loc9))
#loc9 = loc("mine.py":51:4)
"""


def test_locations_and_ssa_names_of_ttgir_make_no_difference() -> None:
    other = (
        TTGIR.replace("%a", "%total_3")
        .replace("%x", "%in_ptr0")
        .replace("@hand", "@generated")
        .replace("mine.py", "b.py")
    )
    assert compared("ttgir", other, TTGIR) == ""
    wider = TTGIR.replace("sizePerThread = [4]", "sizePerThread = [8]")
    assert changes(compared("ttgir", other, wider))[0] == "-#blocked = #ttg.blocked<{sizePerThread = [4]}>"
    assert asserted(TTGIR) == {51}


PTX = """
.visible .entry hand(
	.param .u64 .ptr .global .align 1 hand_param_0
)
{
	.reg .b32 	%r<64>;
	.loc	1 27 0                          // mine.py:27:0
$L__func_begin0:
	ld.param.b64 	%rd9, [hand_param_0];
	setp.lt.f32 	%p1, %r63, 0f00000000;
	@%p1 bra 	$L__BB0_2;
	add.f32 	%r48, %r8, %r16;
	sub.f32 	%r49, %r8, %r48;
$L__BB0_2:
	ret;
}
	.section	.debug_abbrev
"""


def test_registers_and_labels_of_ptx_make_no_difference_and_operands_do() -> None:
    other = PTX.replace("hand", "generated").replace("%r8", "%r7").replace("BB0_2", "BB0_5").replace("27", "119")
    assert compared("ptx", other, PTX) == ""
    assert changes(compared("ptx", other, PTX.replace("%r8, %r48", "%r48, %r8"))) == [
        "-sub.f32 %r49, %r7, %r48;",
        "+sub.f32 %r49, %r48, %r8;",
    ]
    assert changes(compared("ptx", other, PTX.replace("0f00000000", "0f3F000000")))


SASS = """
.text.hand:
        /*0000*/                   LDC.64 R2, c[0x0][0x210] ;
        /*0010*/                   IMAD.MOV.U32 R8, RZ, RZ, 0x33 ;
        /*0020*/               @P0 BRA `(.L_x_3) ;
        /*0030*/                   LDG.E.128 R12, desc[UR6][R2.64+0x800] ;
        /*0040*/                   FADD R0, R11.reuse, R7 ;
.L_x_3:
        /*0050*/                   RET.REL.NODEC R6 `(hand) ;
.L_x_0:
        /*0060*/                   BRA `(.L_x_0);
        /*0070*/                   NOP;
"""


def test_registers_addresses_and_places_of_parameters_in_sass_make_no_difference() -> None:
    other = SASS.replace("R12", "R20").replace("@P0", "@P3").replace("R11.reuse", "R4").replace(".L_x_3", ".L_x_7")
    other = other.replace("0x210", "0x218").replace("hand", "generated").replace("/*0040*/", "/*0050*/")
    assert compared("sass", other, SASS) == ""
    for was, now in (("E.128", "E.64"), ("0x800", "0x400"), ("@P0", "@!P0"), ("FADD", "FMUL"), ("0x33", "0x34")):
        assert changes(compared("sass", other, SASS.replace(was, now))), (was, now)


def test_the_line_that_a_failing_assertion_reports_makes_no_difference() -> None:
    def read(text: str, line: int) -> list[str]:
        return [one.skeleton for one in lines("sass", text, "hand", (line,))]

    assert read(SASS, 0x33) == read(SASS.replace("0x33", "0x40"), 0x40) != read(SASS, 7)


# ---------------------------------------------------------------- ejected files, compiled for cards that are not here


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    tl = pytest.importorskip("triton.language")
    if type(tl.sum).__name__ == "InterpretedFunction":
        pytest.skip("Triton was imported under TRITON_INTERPRET: it can not compile in this process")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


def ejected(folder: Path, kernel: str, style: str = "readable") -> Path:
    name, _, index = kernel.partition(":")
    capture = load_capture(CAPTURED / name)
    path = folder / f"{name}_{index}_{style}.py"
    path.write_text(eject(capture, capture.kernels[int(index)], style=style, file=path.name))
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("compiles")
@pytest.mark.parametrize("gpu", ["h200", "a100"])
def test_an_unedited_verbatim_file_differs_at_no_stage(tmp_path: Path, gpu: str) -> None:
    for kernel in ("lora_mlp_h200:0", "dlrm_h200:4"):  # the second asserts something
        module = load(ejected(tmp_path, kernel, "verbatim")).module
        assert {stage: difference(module, gpu, stage) for stage in STAGES} == dict.fromkeys(STAGES, "")


@pytest.mark.usefixtures("compiles")
@pytest.mark.parametrize("kernel", ["lora_mlp_h200:0", pytest.param("dlrm_h200:4", marks=pytest.mark.slow)])
def test_an_unedited_readable_file_becomes_the_same_sass(tmp_path: Path, kernel: str) -> None:
    module = load(ejected(tmp_path, kernel)).module
    assert difference(module, "h200", "sass") == ""
    assert changes(difference(module, "h200", "source"))


@pytest.mark.slow
@pytest.mark.usefixtures("compiles")
def test_an_edit_shows_at_every_stage(tmp_path: Path) -> None:
    path = ejected(tmp_path, "lora_mlp_h200:0", "verbatim")
    edited = path.read_text().replace("    tmp2 = tmp0 + tmp1\n", "    tmp2 = tmp0 * tmp1\n", 1)
    assert edited != path.read_text()
    path.write_text(edited)
    module = load(path).module
    found = {stage: changes(difference(module, "h200", stage)) for stage in STAGES}
    assert found["source"] == ["-    tmp2 = tmp0 + tmp1", "+    tmp2 = tmp0 * tmp1"]
    assert any("arith.addf" in line for line in found["ttgir"]) and any("arith.mulf" in line for line in found["ttgir"])
    assert found["ptx"] and any("FADD" in line for line in found["sass"])


@pytest.mark.usefixtures("compiles")
def test_an_amd_gpu_has_assembly_and_no_ptx(tmp_path: Path) -> None:
    module = load(ejected(tmp_path, "lora_mlp_h200:0", "verbatim")).module
    assert "v_" in code_of(module, "mi300x", "hand", "amdgcn")[0].text
    way = "the machine code of gfx942 is AMDGCN, --show amdgcn; it also has ttir, ttgir and llir"
    for stage in ("ptx", "sass"):
        with pytest.raises(LabError, match=f"An AMD GPU has no {stage.upper()}: {way}"):
            difference(module, "mi300x", stage)
        with pytest.raises(LabError, match=f"An AMD GPU has no {stage.upper()}: {way}"):
            diff(tmp_path / "none.py", gpu="mi300x", show=[stage])
    with pytest.raises(
        LabError, match="An NVIDIA GPU has no AMDGCN: the machine code of sm_90 is SASS, --show sass; it"
    ):
        difference(module, "h200", "amdgcn")
    assert difference(module, "mi300x", "amdgcn") == difference(module, "mi300x", "llir") == ""
    with pytest.raises(LabError, match="no 'hlo' to show; it is source, ttir, ttgir, llir, ptx, sass or amdgcn"):
        difference(module, "h200", "hlo")


def test_cuda_c_is_compared_as_it_stands_and_has_no_ttgir(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    capture = load_capture(CAPTURED / "lora_mlp_h200")
    files = {
        tmp_path / name: text
        for name, text in eject_files(capture, capture.kernels[0], target="cuda", file="mine.py").items()
    }
    write_all(files)
    module = load(tmp_path / "mine.py").module
    (code,) = code_of(module, "h200", "hand", "source")
    (kernel,) = tmp_path.glob("*.cu")
    assert code.kernel == kernel.name and "__global__" in code.text
    shown = [line.shown for line in lines("source", code.text, code.kernel)]
    assert any("__global__" in line for line in shown) and not any("//" in line for line in shown)
    with pytest.raises(LabError, match="has no TTGIR; --show ptx or sass"):
        code_of(module, "h200", "hand", "ttgir")
    with pytest.raises(LabError, match="compiled for NVIDIA's cards alone"):
        code_of(module, "mi300x", "hand", "sass")
