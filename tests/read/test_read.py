"""Reading: text in, records out. Small logs stand in the test; real ones from an H200 are held to exact counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import H200

from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.read.kernel import read_source
from inductor_lab.read.provenance import claim, graph
from inductor_lab.read.types import fx_type
from inductor_lab.records import SourceLine, TensorType

KERNEL = """
import triton
import triton.language as tl

@triton_heuristics.pointwise(
    size_hints={'x': 4096},
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i64', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
                 'device': DeviceProperties(type='cuda', cc=90), 'configs': [{(0,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'mutated_arg_names': ['in_out_ptr0']},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_out_ptr0 + (x0 + 16*tmp0), None)
    tmp2 = tl.full([1], 0.5, tl.float32)
    tmp3 = triton_helpers.maximum(tmp1 * tmp2, tmp2)
    tl.store(in_out_ptr0 + (x0), tmp3, None)
"""
MODULE = f"""# AOT ID: ['3_forward']
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()

# kernel path: /tmp/x.py
# Topologically Sorted Source Nodes: [y], Original ATen: [aten.add]
# Source node to ATen node mapping:
#   y => add
# Graph fragment:
#   %primals_1 : Tensor "i64[4096][1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm : Tensor "f32[64, 64][64, 1]cuda:0" = PlaceHolder[target=mm]
#   %add : Tensor "f32[64, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm, 1), kwargs = {{}})
#   return %add
triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''{KERNEL}''', device_str='cuda')

async_compile.wait(globals())
class Runner:
    def call(self, args):
        primals_1, primals_2 = args
        args.clear()
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((64, 64), (64, 1), torch.float32)
            extern_kernels.mm(primals_2, primals_2, out=buf0)
            buf1 = buf0; del buf0  # reuse
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_0.run(buf1, primals_1, 4096, stream=stream0)
        return (buf1, )

def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((4096, ), (1, ), device='cuda:0', dtype=torch.int64)
    primals_2 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_2]
"""


def as_log(module: str, compile_id: str = "[0/0]", thread: int = 463, rank: str = "") -> list[str]:
    head = f"{rank}V1120 09:28:41.455000 {thread} torch/_inductor/graph.py:2552] {compile_id} [__output_code] "
    return [head + line for line in ["Output code: ", *module.splitlines(), "Output code written to: /tmp/x.py"]]


def test_a_kernel_source_becomes_a_record() -> None:
    source, _ = read_source(KERNEL)
    assert (source.name, source.category, source.size_hints) == ("triton_poi_fused_add_0", "pointwise", {"x": 4096})
    assert [(a.name, a.dtype, a.role) for a in source.arguments] == [
        ("in_out_ptr0", "float32", "inout"), ("in_ptr0", "int64", "in"), ("xnumel", "int32", "size"), ("XBLOCK", "", "constexpr"),
    ]  # fmt: skip
    assert source.ops == ("load", "load.gather", "mul", "maximum", "store")
    assert source.meta["triton_meta"]["device"] == {"type": "cuda", "cc": 90}
    assert source.body.startswith("xnumel = 4096\n")


def test_the_body_hash_does_not_depend_on_the_name() -> None:
    assert (
        read_source(KERNEL)[0].body_sha256
        == read_source(KERNEL.replace("triton_poi_fused_add_0", "triton_"))[0].body_sha256
    )
    assert read_source(KERNEL)[0].body_sha256 != read_source(KERNEL.replace("0.5", "0.25"))[0].body_sha256
    assert read_source(KERNEL)[0].body_sha256 != read_source(KERNEL.replace("*fp32", "*bf16"))[0].body_sha256


def test_a_source_that_is_no_python_is_refused() -> None:
    with pytest.raises(ValueError, match="not Python"):
        read_source("def broken(:")


def test_reading_never_runs_the_text(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    hostile = MODULE + f"\nopen({str(trap)!r}, 'w').write('x')\n"
    (tmp_path / "module.py").write_text(hostile)
    assert len(read([tmp_path / "module.py"], "m").kernels) == 1
    assert not trap.exists()


def test_a_launch_knows_the_types_of_what_it_passes(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("\n".join(["some other line", *as_log(MODULE)]))
    capture = read([path], "demo")
    (graph_,), (kernel,) = capture.graphs, capture.kernels
    assert (graph_.id, graph_.compile_id, graph_.kind) == ("3_forward", "0/0", "forward")
    assert kernel.id == "demo:0" and kernel.definitions == 1
    (launch,) = kernel.launches
    assert [(a.name, a.value, a.storage) for a in launch.arguments] == [
        ("in_out_ptr0", "buf1", "buf0"), ("in_ptr0", "primals_1", "primals_1"), ("xnumel", "4096", ""),
    ]  # fmt: skip
    assert launch.arguments[0].type == TensorType("float32", (64, 64), (64, 1))
    assert launch.arguments[1].type == TensorType("int64", (4096,), (1,))
    assert graph_.module.splitlines()[launch.line - 1].strip().startswith("triton_poi_fused_add_0.run(")
    assert [(call.target, call.graph) for call in capture.extern_calls] == [("extern_kernels.mm", "3_forward")]
    assert capture.gpu.arch == "sm_90"


def test_two_ranks_mixed_line_by_line_are_told_apart(tmp_path: Path) -> None:
    a, b = as_log(MODULE, thread=1, rank="[rank0]:"), as_log(MODULE.replace("0.5", "0.25"), thread=1, rank="[rank1]:")
    path = tmp_path / "run.log"
    path.write_text("\n".join(line for pair in zip(a, b, strict=True) for line in pair))
    capture = read([path], "demo")
    assert [graph_.id for graph_ in capture.graphs] == ["3_forward", "3_forward.1"]
    assert len(capture.kernels) == 2 and not capture.problems


def test_the_same_body_twice_is_one_kernel_with_all_its_launches(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("\n".join(as_log(MODULE) + as_log(MODULE, "[1/0]")))
    (kernel,) = read([path], "demo").kernels
    assert kernel.definitions == 2 and [launch.graph for launch in kernel.launches] == ["3_forward", "3_forward.1"]


def test_a_log_that_was_cut_off_keeps_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    lines = as_log(MODULE)
    cut = next(n for n, line in enumerate(lines) if "buf1 = buf0" in line)
    path.write_text("\n".join(lines[:cut] + [lines[cut][:-20] + "("]))
    capture = read([path], "demo")
    assert [kernel.name for kernel in capture.kernels] == ["triton_poi_fused_add_0"]
    assert "not whole" in capture.problems[0].message and "run.log" in capture.problems[0].where


@pytest.mark.parametrize("content", ["", "hello\nworld\n", "{}"])
def test_text_without_output_code_says_how_to_make_some(tmp_path: Path, content: str) -> None:
    path = tmp_path / "empty.log"
    path.write_text(content)
    with pytest.raises(LabError, match="TORCH_LOGS=output_code"):
        read([path], "x")


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.log"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(LabError, match="not a readable text log"):
        read([path], "x")


def test_a_printed_graph_has_nodes_and_the_users_lines() -> None:
    nodes, outputs = graph(
        'class <lambda>(torch.nn.Module):\n'
        '    def forward(self, arg0_1: "f32[4, 8][8, 1]cuda:0"):\n'
        '        # File: model.py:31 in forward, code: y = x + 1\n'
        '        add: "f32[4, 8][8, 1]cuda:0" = torch.ops.aten.add.Tensor(arg0_1, 1);  arg0_1 = None\n'
        '        split = torch.ops.aten.split.Tensor(add, 2, -1);  add = None\n'
        '        getitem: "f32[4, 2][8, 1]cuda:0" = split[0];  split = None\n'
        '        return (getitem, None)\n'
    )  # fmt: skip
    assert [(n.name, n.target, n.arguments) for n in nodes] == [
        ("arg0_1", "placeholder", ()), ("add", "aten.add.Tensor", ("arg0_1",)), ("split", "aten.split.Tensor", ("add",)),
        ("getitem", "getitem", ("split",)),
    ]  # fmt: skip
    assert nodes[1].source == SourceLine("model.py", 31, "y = x + 1") and outputs == ("getitem", "")


def test_a_backward_graph_s_lines_are_those_of_the_forward() -> None:
    """Since torch 2.14 a backward graph says so."""
    nodes, _ = graph(
        'def forward(self, tangents_1: "f32[4][1]cuda:0"):\n'
        '    # Backward of forward node: File: model.py:42 in forward, code: return torch.sigmoid(x)\n'
        '    mul: "f32[4][1]cuda:0" = torch.ops.aten.mul.Tensor(tangents_1, 2)\n'
        '    return (mul,)\n'
    )  # fmt: skip
    assert nodes[1].source == SourceLine("model.py", 42, "return torch.sigmoid(x)")


def test_a_comment_is_a_claim() -> None:
    said = claim([line for line in MODULE.splitlines() if line.startswith("#")])
    assert said.aten == ("aten.add",) and said.inputs == ("primals_1", "mm") and said.outputs == ("add",)
    assert dict(said.user_names) == {"add": "y"}
    assert said.fragment[-1].call == "torch.ops.aten.add.Tensor(mm, 1)"


def test_types_are_read_from_fx_and_symbols_stay_symbols() -> None:
    assert fx_type("bf16[s77, 4][4, 1]cuda:0") == TensorType("bfloat16", ("s77", 4), (4, 1))
    whole = TensorType("float32", ("(s27//4)", "Mod(s0, 2)", "32*((s27//(2*((s27//4)))))"), (1, 1, 1))
    assert fx_type("f32[(s27//4), Mod(s0, 2), 32*((s27//(2*((s27//4)))))][1, 1, 1]cuda:0") == whole
    assert fx_type("f32[]") == TensorType("float32", (), ()) and fx_type("Sym(s77)") is None


COUNTS = {  # definitions, launches: counted in the text with grep
    "dlrm_small": (31, 31), "dlrm_small_train": (64, 89), "lora": (2, 3), "lora_train": (5, 6), "rotary_bf16": (1, 1),
    "rotary_bf16_train": (3, 3), "sparse_ffn": (2, 2), "sparse_ffn_train": (5, 7),
}  # fmt: skip


ON_THE_CPU = """cpp_fused_0 = async_compile.cpp_pybinding(['const double*', 'float*'], r'''
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const double* in_ptr0, float* out_ptr0) { out_ptr0[0] = in_ptr0[0]; }
''')

"""


def test_a_kernel_for_the_cpu_makes_no_wrapper_in_cplusplus(tmp_path: Path) -> None:
    """Under dynamic=True a scalar is converted on the CPU, by C++ beside the Triton kernels of the same module."""
    path = tmp_path / "output_code.py"
    path.write_text(MODULE.replace("# kernel path", ON_THE_CPU + "# kernel path", 1))
    found = read([path], "mixed")
    assert [kernel.name for kernel in found.kernels] == ["triton_poi_fused_add_0"]
    assert found.kernels[0].launches
    assert not found.problems


def test_kernels_that_the_reader_missed_are_a_problem(tmp_path: Path) -> None:
    """Read as what it is not, a module shows fewer kernels than its text defines: that must not pass in silence."""
    path = tmp_path / "output_code.py"
    path.write_text(MODULE + "\n# AOTI_TORCH_ERROR_CODE_CHECK\n")
    found = read([path], "odd")
    assert [problem.message for problem in found.problems] == ["the text defines 1 kernels, and 0 were read"]


@pytest.mark.parametrize("name", COUNTS)
def test_real_logs_have_exact_counts_and_no_problems(name: str) -> None:
    capture = read([H200 / f"{name}.with_post_grad.log.gz"], name)
    launches = sum(len(kernel.launches) for kernel in capture.kernels)
    assert (sum(kernel.definitions for kernel in capture.kernels), launches) == COUNTS[name]
    assert not capture.problems and all(graph_.nodes for graph_ in capture.graphs)
    for kernel in capture.kernels:
        pointers = {argument.name for argument in kernel.arguments if argument.pointer}
        assert kernel.source, f"{kernel.name} has no source line"
        assert all(a.type for launch in kernel.launches for a in launch.arguments if a.name in pointers)
