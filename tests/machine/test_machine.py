"""What the compiler made of a kernel: for targets that are not here, from the text of an ejected file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from folders import GENERATIONS

from inductor_lab.errors import LabError
from inductor_lab.machine.instructions import amd, nvidia, sass_memory, width
from inductor_lab.machine.targets import target_named
from inductor_lab.records import Kernel

EJECTED = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_mul_relu(base_ptr, bias_ptr, lora_ptr, numel, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    base = tl.load(base_ptr + offset, inside)
    bias = tl.load(bias_ptr + offset % COLUMNS, inside, eviction_policy="evict_last")
    lora = tl.load(lora_ptr + offset, inside)
    result = bias + base + lora * 0.5
    tl.store(base_ptr + offset, tl.maximum(result, 0.0, propagate_nan=tl.PropagateNan.ALL), inside)


def launch(base, bias, lora, *, BLOCK=1024, num_warps=4):
    grid = (triton.cdiv(base.numel(), BLOCK),)
    add_mul_relu[grid](base, bias, lora, base.numel(), COLUMNS=bias.numel(), BLOCK=BLOCK, num_warps=num_warps)
    return base


def reference(base, bias, lora):
    return (torch.relu(bias + base + lora * 0.5),)


ARGUMENTS = {
    "base": ((64, 1024), (1024, 1), torch.float32, "normal"),
    "bias": ((1024,), (1,), torch.float32, "normal"),
    "lora": ((64, 1024), (1024, 1), torch.float32, "normal"),
}
TAKES = ("base", "bias", "lora")
WRITTEN = ("base",)
INTERPRETER = {"launch": {}, "launch_generated": {}}
TAIL = {"gpu": {}, "interpreter": {}}


def example_inputs(device, seed=0):
    rng = torch.Generator("cpu").manual_seed(seed)
    return tuple(torch.randn(shape, generator=rng).to(device) for shape, _, _, _ in ARGUMENTS.values())


@triton.jit
def generated(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK: tl.constexpr):
    xnumel = 65536
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex % 1024), None, eviction_policy="evict_last")
    tmp1 = tl.load(in_out_ptr0 + (xindex), None)
    tmp3 = tl.load(in_ptr1 + (xindex), None)
    tmp8 = tl.maximum(0, tmp0 + tmp1 + tmp3 * 0.5, propagate_nan=tl.PropagateNan.ALL)
    tl.store(in_out_ptr0 + (xindex), tmp8, None)


def launch_generated(base, bias, lora, *, XBLOCK=512, num_warps=8):
    generated[(65536 // XBLOCK,)](base, bias, lora, 65536, XBLOCK=XBLOCK, num_warps=num_warps)
    return base
"""


# ---------------------------------------------------------------- names of GPUs


def test_a_gpu_goes_by_its_name_or_its_architecture() -> None:
    assert target_named("H200") == target_named("sm_90") == target_named("h100")
    assert target_named("mi300x") == target_named("gfx942")
    assert target_named("gfx942").warp_size == 64
    assert target_named("gfx1100").warp_size == 32


def test_an_unknown_gpu_suggests_the_near_ones() -> None:
    with pytest.raises(LabError, match="mi300x"):
        target_named("mi300")
    with pytest.raises(LabError, match="sm_NN"):
        target_named("potato")


# ---------------------------------------------------------------- what the disassemblers print


SASS = """
        /*01e0*/              @!P0 LDG.E.EL.128 R8, desc[UR6][R14.64] ;
        /*0220*/              @!P0 LDG.E.128 R4, [R2.64] ;
        /*0230*/                   LDG.E.U16.CONSTANT R4, [R2.64] ;
        /*0240*/                   LDS.128 R4, [R2] ;
        /*0250*/                   LDC R1, c[0x0][0x28] ;
        /*0430*/             @!UP0 STG.E.64 desc[UR4][R2.64], R4 ;
        /*0440*/                   STG.E desc[UR4][R2.64+0x800], R4 ;
        /*0450*/                   RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5 ;
        /*0460*/                   REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R8 ;
"""


def test_what_triton_lacks_for_a_card_is_said_to_be_its_own() -> None:
    """AdamW on an MI300X: Inductor calls `mul_rn`, which Triton has for NVIDIA's cards alone."""
    pytest.importorskip("triton")
    from inductor_lab.machine.triton_private import message_of

    error = AttributeError("module 'triton.language.extra.hip.libdevice' has no attribute 'mul_rn'")
    assert message_of(error) == "Triton's libdevice for hip has no `mul_rn`, which the kernel calls"


def test_widths_are_counted_without_cache_hints_and_only_in_global_memory() -> None:
    loads, stores = sass_memory(SASS)
    assert loads == {"LDG.E.128": 2, "LDG.E.U16": 1}
    assert stores == {"RED.E.ADD.F32.FTZ.RN": 1, "REDG.E.ADD.F32x4.FTZ.RN": 1, "STG.E": 1, "STG.E.64": 1}
    assert [width(name) for name in (*loads, *stores)] == [128, 16, 32, 128, 32, 64]


def test_registers_and_spills_are_those_of_the_named_function() -> None:
    resources = """
 Function helper:
  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:400
 Function kernel:
  REG:255 STACK:96 SHARED:0 LOCAL:0 CONSTANT[0]:400
"""
    facts = nvidia("kernel", resources, SASS)
    assert (facts.registers, facts.spills) == (255, 96)
    assert nvidia("absent", resources, SASS).registers is None


def test_amd_metadata_and_mnemonics() -> None:
    facts = amd(
        "\tbuffer_load_dwordx4 v[0:3], v12, s[0:3], 0 offen\n\ts_load_dwordx2 s[0:1], s[2:3], 0x0\n"
        "\tglobal_store_dword v0, v1, s[0:1]\n\tglobal_atomic_add_f32 v0, v1, s[0:1]\n"
        "    .private_segment_fixed_size: 16\n    .vgpr_count:     14\n"
    )
    assert (facts.registers, facts.spills) == (14, 16)
    assert facts.loads == {"buffer_load_dwordx4": 1}
    assert facts.stores == {"global_atomic_add_f32": 1, "global_store_dword": 1}


# ---------------------------------------------------------------- a file, compiled for a GPU that is not here


@pytest.fixture
def compile_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    tl = pytest.importorskip("triton.language")
    if type(tl.sum).__name__ == "InterpretedFunction":
        pytest.skip("Triton was imported under TRITON_INTERPRET: it can not compile in this process")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


def written(folder: Path, text: str) -> Path:
    path = folder / "ejected.py"
    path.write_text(text)
    return path


@pytest.mark.usefixtures("compile_kernels")
class TestInspect:
    @pytest.mark.parametrize(
        ("gpu", "arch"),
        [
            pytest.param("a100", "sm_80", marks=pytest.mark.slow),
            ("h200", "sm_90"),
            pytest.param("b200", "sm_100", marks=pytest.mark.slow),
        ],
    )
    def test_nvidia_kernels_load_and_store_16_bytes_a_thread(self, tmp_path: Path, gpu: str, arch: str) -> None:
        from inductor_lab.machine import inspect

        (code,) = inspect(written(tmp_path, EJECTED), gpu)
        assert (code.kernel, code.gpu, code.arch, code.num_warps) == ("add_mul_relu", gpu, arch, 4)
        assert code.registers in range(16, 65)
        assert (code.spills, code.shared_memory) == (0, 0)
        assert set(code.loads) == {"LDG.E.128"}
        assert set(code.stores) == {"STG.E.128"}
        assert code.constants == {"COLUMNS": 1024, "BLOCK": 1024}

    def test_amd_without_rocm(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        (code,) = inspect(written(tmp_path, EJECTED), "mi300x", "generated")
        assert (code.kernel, code.arch, code.num_warps, code.spills) == ("generated", "gfx942", 8, 0)
        assert code.registers
        assert code.loads
        assert code.stores

    def test_a_row_that_is_not_divisible_by_16_costs_the_width(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        odd = EJECTED.replace("1024, 1)", "1023, 1)").replace("(64, 1024)", "(64, 1023)").replace("(1024,)", "(1023,)")
        (code,) = inspect(written(tmp_path, odd))
        assert "LDG.E" in code.loads  # the bias, whose column wraps anywhere

    def test_an_edited_file_is_read_again(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        inspect(written(tmp_path, EJECTED))
        (code,) = inspect(written(tmp_path, EJECTED.replace("BLOCK=1024, num_warps=4", "BLOCK=256, num_warps=2")))
        assert (code.constants["BLOCK"], code.num_warps) == (256, 2)

    def test_every_launch_of_a_launcher_is_told(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        second = "    generated[(64,)](base, bias, lora, 65536, XBLOCK=1024)\n    return base\n"
        twice = EJECTED.replace("    return base\n", second, 1)
        assert [code.kernel for code in inspect(written(tmp_path, twice))] == ["add_mul_relu", "generated"]

    def test_an_autotuned_kernel_takes_its_first_configuration(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        configs = "[triton.Config({'BLOCK': 2048}, num_warps=8), triton.Config({'BLOCK': 512})]"
        tuned = EJECTED.replace("@triton.jit", f"@triton.autotune({configs}, key=['numel'])\n@triton.jit", 1)
        tuned = tuned.replace(", BLOCK=BLOCK, num_warps=num_warps)", ")")
        (code,) = inspect(written(tmp_path, tuned))
        assert (code.constants["BLOCK"], code.num_warps) == (2048, 8)

    def test_a_kernel_that_does_not_compile_says_so_in_one_line(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        with pytest.raises(LabError, match=r"can not compile `add_mul_relu` for sm_90: .*undefined_name") as caught:
            inspect(written(tmp_path, EJECTED.replace("lora * 0.5\n    tl.store", "undefined_name\n    tl.store")))
        assert "\n" not in str(caught.value)

    def test_ptx_is_refused_for_an_amd_gpu_before_its_compiler_ends_the_process(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        halved = 'tl.inline_asm_elementwise("mul.f32 $0, $1, 0f3F000000;", "=r,r", [lora], dtype=tl.float32, is_pure=True, pack=1)'
        file = written(tmp_path, EJECTED.replace("lora * 0.5", halved, 1))
        assert inspect(file, "h200")
        with pytest.raises(LabError, match="its inline assembly is PTX, which only an NVIDIA GPU runs"):
            inspect(file, "mi300x")

    def test_a_launcher_that_looks_at_values_says_so(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        looking = EJECTED.replace("    grid =", "    assert base.max().item() > 0\n    grid =")
        with pytest.raises(LabError, match="`launch` can not be called on tensors without values"):
            inspect(written(tmp_path, looking))

    def test_a_file_that_was_not_ejected_is_refused(self, tmp_path: Path) -> None:
        from inductor_lab.machine import inspect

        with pytest.raises(LabError):
            inspect(written(tmp_path, "x = 1\n"))
        with pytest.raises(LabError):
            inspect(tmp_path / "absent.py")

    def test_interpreting_and_compiling_exclude_each_other(self, tmp_path: Path, monkeypatch) -> None:
        from inductor_lab.machine import inspect

        monkeypatch.setenv("TRITON_INTERPRET", "1")
        with pytest.raises(LabError, match="unset it"):
            inspect(written(tmp_path, EJECTED))


# ---------------------------------------------------------------- a captured kernel, compiled from its text


def captured(file: str, name: str) -> Kernel:
    from inductor_lab.read import read

    return next(kernel for kernel in read([str(GENERATIONS / file)], "capture").kernels if kernel.name == name)


@pytest.mark.usefixtures("compile_kernels")
class TestInspectKernel:
    @pytest.mark.parametrize(
        ("file", "name", "constants"),
        [
            ("g1_torch_2.0.txt", "triton__0", {"XBLOCK": 256}),  # positions for names
            pytest.param("g2_torch_2.2.txt", "triton_tem_fused_mm_relu_3", {}, marks=pytest.mark.slow),
            pytest.param(
                "g2_torch_2.2.txt", "add_kernel_0", {"BLOCK_SIZE": 64}, marks=pytest.mark.slow
            ),  # a constant beside the signature
            pytest.param("g3_torch_2.4.txt", "triton_spl_fused_cumsum_2", {"RBLOCK": 256}, marks=pytest.mark.slow),
            pytest.param("g4_torch_2.6.txt", "triton_poi_fused_1", {}, marks=pytest.mark.slow),  # foreach
            ("g4_torch_2.6.txt", "triton_unk_fused_sum_2", {"XBLOCK": 1, "RBLOCK": 32, "RSPLIT": 64}),
            ("g5_torch_2.7.txt", "scale_kernel_0", {"step": 1, "FACTOR": 3, "BLOCK": 128}),
            pytest.param("g7_torch_2.13_combo.txt", "triton_poi_fused_0", {"XBLOCK": 256}, marks=pytest.mark.slow),
            pytest.param(
                "g7_torch_2.13_cooperative.txt",
                "triton_unk_fused_sum_0",
                {"XBLOCK": 1, "R0_BLOCK": 2048, "RSPLIT": 64},
                marks=pytest.mark.slow,
            ),
            pytest.param(
                "g7_torch_2.13_dynamic.txt",
                "triton_red_fused_add_relu_sum_0",
                {"XBLOCK": 2, "R0_BLOCK": 32},
                marks=pytest.mark.slow,
            ),
            pytest.param(
                "g7_torch_2.13_scan.txt", "triton_spl_fused_cumsum_0", {"R0_BLOCK": 2048}, marks=pytest.mark.slow
            ),
            pytest.param(
                "g7_torch_2.13_flex.txt",
                "triton_tem_fused__to_copy_flex_attention_ones_slice_sum_transpose_zeros_2",
                {},
                marks=pytest.mark.slow,
            ),
            ("g8_torch_2.15.txt", "triton_per_fused_sub_sum_0", {"XBLOCK": 1}),
        ],
    )
    def test_every_category_of_every_generation(self, file: str, name: str, constants: dict[str, int]) -> None:
        from inductor_lab.machine import inspect_kernel

        code = inspect_kernel(captured(file, name), "h200")
        assert (code.kernel, code.arch, code.constants) == (name, "sm_90", constants)
        assert code.registers
        assert code.loads
        assert code.stores

    @pytest.mark.parametrize(
        ("gpu", "warps"), [pytest.param("a100", 16, marks=pytest.mark.slow), ("b200", 8), ("mi300x", 8)]
    )
    def test_blocks_and_warps_are_the_cards(self, gpu: str, warps: int) -> None:
        from inductor_lab.machine import inspect_kernel

        code = inspect_kernel(captured("g7_torch_2.13_cooperative.txt", "triton_unk_fused_sum_0"), gpu)
        assert (code.num_warps, code.constants["R0_BLOCK"]) == (warps, 1024 if gpu == "b200" else 2048)

    def test_what_a_decorator_knows_of_its_arguments_decides_the_width(self) -> None:
        from inductor_lab.machine import inspect_kernel

        kernel = captured("g7_torch_2.13_partition.txt", "triton_poi_fused_add_mul_sin_0")
        assert "LDG.E.64" in inspect_kernel(kernel).loads
        meta = {**kernel.meta, "triton_meta": {**kernel.meta["triton_meta"], "configs": [{}]}}  # type: ignore[dict-item]
        assert set(inspect_kernel(replace(kernel, meta=meta)).loads) == {"LDG.E"}

    def test_nothing_of_the_text_runs(self) -> None:
        from inductor_lab.machine import inspect_kernel

        kernel = captured("g8_torch_2.15.txt", "triton_per_fused_sub_sum_0")
        stop = "raise SystemExit\nexit()\nimport os\nx = os.getcwd()\n"
        assert inspect_kernel(replace(kernel, text=stop + kernel.text)).registers
        armed = kernel.text.replace("XBLOCK : tl.constexpr)", "XBLOCK : tl.constexpr = exit())")
        assert armed != kernel.text
        with pytest.raises(LabError, match="captured text is not run"):
            inspect_kernel(replace(kernel, text=armed))

    def test_assembly_is_for_one_maker_alone(self) -> None:
        from inductor_lab.machine import inspect_kernel

        kernel = captured("g8_torch_2.15.txt", "triton_per_fused_sub_sum_0")
        halved = "tl.inline_asm_elementwise('mul.f32 $0, $1, 0f3F000000;', '=f, f', [tmp3], dtype=tl.float32, is_pure=True, pack=1)"
        text = kernel.text.replace("tl.where(xmask, tmp3, 0)", f"tl.where(xmask, {halved}, 0)")
        assert text != kernel.text
        assert inspect_kernel(replace(kernel, text=text), "a100").registers
        with pytest.raises(LabError, match="another maker's cards"):
            inspect_kernel(replace(kernel, text=text), "mi300x")

    def test_what_a_card_has_not_is_said_in_the_compilers_words(self) -> None:
        from inductor_lab.machine import inspect_kernel

        kernel = captured("g8_torch_2.15.txt", "triton_per_fused_sub_sum_0")
        small = replace(
            kernel,
            text=kernel.text.replace(
                "tl.where(xmask, tmp3, 0)", "tl.where(xmask, tmp3.to(tl.float8e4nv).to(tl.float32), 0)"
            ),
        )
        assert small.text != kernel.text
        assert inspect_kernel(small, "h200").registers
        with pytest.raises(LabError, match=r"for sm_80: type fp8e4nv not supported"):
            inspect_kernel(small, "a100")

    def test_a_text_that_tells_too_little_says_what_is_missing(self) -> None:
        from inductor_lab.machine import inspect_kernel

        kernel = captured("g8_torch_2.15.txt", "triton_per_fused_sub_sum_0")
        untyped = {**kernel.meta, "triton_meta": {"signature": {"in_ptr0": "*fp32"}}}
        with pytest.raises(LabError, match="does not tell the type or value of out_ptr1, xnumel"):
            inspect_kernel(replace(kernel, meta=untyped))
        with pytest.raises(LabError, match="holds no @triton"):
            inspect_kernel(replace(kernel, text="x = 1"))
        broken = kernel.text.replace("tmp0 = ", "tmp0 = unheard_of + ")
        with pytest.raises(LabError, match=r"can not compile .* for sm_90: .*unheard_of"):
            inspect_kernel(replace(kernel, text=broken))


@pytest.mark.usefixtures("compile_kernels")
@pytest.mark.parametrize(
    ("file", "name"),
    [
        pytest.param("g7_torch_2.13_partition.txt", "triton_poi_fused_add_mul_sin_0", marks=pytest.mark.slow),
        pytest.param("g7_torch_2.13_dynamic.txt", "triton_red_fused_add_relu_sum_0", marks=pytest.mark.slow),
        pytest.param(
            "g7_torch_2.13_multi_kernel.txt",
            "triton_per_fused__softmax_prepare_softmax_online_1",
            marks=pytest.mark.slow,
        ),
        ("g7_torch_2.13_cooperative.txt", "triton_unk_fused_sum_0"),
        pytest.param("g7_torch_2.13_template.txt", "triton_tem_fused_add_mm_relu_0", marks=pytest.mark.slow),
    ],
)
def test_the_code_is_what_inductor_itself_asks_the_compiler_for(
    file: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The captured source, decorators and all, executed as Inductor does; its call of Triton's compiler against ours."""
    import importlib.util

    import torch
    import triton

    from inductor_lab.machine import inspect_kernel
    from inductor_lab.machine.triton_private import disassembled

    heuristics = pytest.importorskip("torch._inductor.runtime.triton_heuristics")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("torch._inductor.runtime.triton_helpers.set_driver_to_gpu", lambda: None)
    kernel = captured(file, name)
    path = tmp_path / "source.py"
    path.write_text(kernel.text)
    spec = importlib.util.spec_from_file_location("source", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tuner = next(value for value in vars(module).values() if isinstance(value, heuristics.CachingAutotuner))

    class Compiled(Exception):  # noqa: N818
        pass

    real = triton.compile

    def compile_and_stop(*arguments: object, **options: object) -> None:
        raise Compiled(real(*arguments, **options))

    monkeypatch.setattr(triton, "compile", compile_and_stop)
    with pytest.raises(Compiled) as caught:
        tuner._precompile_config(tuner.configs[0])
    monkeypatch.setattr(triton, "compile", real)
    (theirs,) = caught.value.args
    told = disassembled(theirs.asm["cubin"])
    assert told is not None
    facts, ours = nvidia(theirs.metadata.name, *told), inspect_kernel(kernel, "h200")
    assert (ours.registers, ours.spills, ours.loads, ours.stores) == (
        facts.registers, facts.spills, facts.loads, facts.stores,
    )  # fmt: skip
    assert (ours.num_warps, ours.shared_memory) == (theirs.metadata.num_warps, theirs.metadata.shared)
