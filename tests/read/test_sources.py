"""Sources: every way in which Inductor's text comes. A small module stands for all of them; real folders are in tests/sources."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import H200, ROOT, SOURCES
from test_read import KERNEL, MODULE, as_log

from inductor_lab import processes, workers
from inductor_lab.errors import LabError
from inductor_lab.read import files, message, read
from inductor_lab.read.message import Prefixes
from inductor_lab.read.sources import documents
from inductor_lab.records import Capture, TensorType

OTHER = MODULE.replace("0.5", "0.25")
"""The module with another kernel body."""


def counts(capture: Capture) -> tuple[int, int, int]:
    """Graphs, definitions, launches."""
    return (
        len(capture.graphs),
        sum(k.definitions for k in capture.kernels),
        sum(len(k.launches) for k in capture.kernels),
    )


def read_text(tmp_path: Path, text: str, name: str = "run.log", as_: str = "auto") -> Capture:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read([path], "demo", as_)


def test_a_single_path_is_a_source_and_a_text_is_none(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(MODULE, encoding="utf-8")
    assert read(str(path), "demo") == read(path, "demo") == read([path], "demo")
    lines = MODULE.count("\n") + 1
    for sources in (MODULE, [MODULE]):
        with pytest.raises(LabError, match=f"a source is a path, and a text of {lines:,} lines is none"):
            read(sources, "demo")


def prefixed(head: str, module: str = MODULE) -> str:
    return "\n".join(
        head + line for line in ["Output code: ", *module.splitlines(), "Output code written to: /tmp/x.py"]
    )


GLOG = "V1120 09:28:41.455000 463 torch/_inductor/graph.py:2552] [0/0] [__output_code] "
PREFIXES = {
    "torch 2.11": GLOG,
    "no compile id": GLOG.replace("[0/0] ", ""),
    "compiled autograd": GLOG.replace("[0/0]", "[!1/0/0_1]"),
    "a path of another build": GLOG.replace(
        "torch/_inductor/graph.py:2552", "/home/me/fb source/caffe2/torch/_inductor/graph.py:1"
    ),
    "a thread of 2.3": GLOG.replace(" 463 ", " 140377363024384 "),
    "with a year": GLOG.replace("V1120 ", "V1120 2026-"),
    "rank": f"[rank3]:{GLOG}",
    "mpirun --tag-output": f"[1,3]<stderr>:{GLOG}",
    "torchrun": f"[default0]:{GLOG}",
    "srun -l": f"3: {GLOG}",
    "torchrun's, then the rank": f"[trainer3|1]:[rank3]:{GLOG}",
    "a pod and a time": f"pod-1 | 2026-11-20T09:28:41.455123Z stderr F {GLOG}",
    "a pod that stern shows": f"trainer-0 worker {GLOG}",
    "Kubernetes": f"2026-11-20T09:28:41.455123789Z stderr F {GLOG}",
    "Ray": f"\x1b[36m(RayTrainWorker pid=1234, ip=10.0.0.7)\x1b[0m {GLOG}",
    "Ray's task": f"(pid=1234) {GLOG}",
    "journalctl": f"Nov 20 09:28:41 node7 python[463]: {GLOG}",
    "syslog": f"<14>1 2026-11-20T09:28:41.455123+00:00 node7 train 463 - - {GLOG}",
    "a time of the terminal": f"09:28:41 {GLOG}",
    "colours": f"\x1b[36m[rank1]\x1b[0m:\x1b[1;32m{GLOG}\x1b[0m",
    "torch 2.1": "[2023-12-12 21:02:34,424] [0/0] torch._inductor.graph.__output_code: [DEBUG] ",
    "torch 2.1, no compile id": "[2023-12-12 21:02:34,424] torch._inductor.graph.__output_code: [DEBUG] ",
    "a format of the user's own": "DEBUG trainer.py [__output_code] ",
}


@pytest.mark.parametrize("head", PREFIXES.values(), ids=PREFIXES)
def test_a_prefix_is_taken_off(head: str, tmp_path: Path) -> None:
    capture = read_text(tmp_path, f"starting\n{prefixed(head)}\nloss: 1.0\n")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert capture.graphs[0].module.splitlines() == MODULE.splitlines()


def test_a_collectors_time_that_moves_does_not_take_a_message_apart(tmp_path: Path) -> None:
    lines = prefixed(GLOG).splitlines()
    moving = "\n".join(f"2026-11-20T09:28:{n % 60:02}.{n:09}Z stderr F {line}" for n, line in enumerate(lines))
    assert counts(read_text(tmp_path, moving)) == (1, 1, 1)


def test_docker_keeps_its_logs_in_json(tmp_path: Path) -> None:
    records = [{"log": line + "\n", "stream": "stderr", "time": "2026"} for line in prefixed(GLOG).splitlines()]
    text = "\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    assert counts(read_text(tmp_path, text)) == (1, 1, 1)


@pytest.mark.parametrize("key", ["MESSAGE", "message", "textPayload"])
def test_collectors_keep_lines_in_json_under_several_names(key: str, tmp_path: Path) -> None:
    records = [json.dumps({"host": "node7", key: line}) for line in prefixed(f"\x1b[32m{GLOG}").splitlines()]
    noise = ['{"message": 3}', '{"message": "half', '{"loss": 0.1}']
    assert counts(read_text(tmp_path, "\n".join(noise + records))) == (1, 1, 1)


def test_lines_that_the_container_runtime_cut_are_joined(tmp_path: Path) -> None:
    """Both cut what is longer than 16 KiB, and let the other stream's lines stand between the pieces."""
    pieces = [(line[at : at + 90], at + 90 >= len(line)) for line in prefixed(GLOG).splitlines()
              for at in range(0, len(line), 90)]  # fmt: skip
    time = "2026-11-20T09:28:41.455123789Z"
    kubernetes = [f"{time} stderr {'F' if last else 'P'} {text}\n{time} stdout F loss: 1.0" for text, last in pieces]
    docker = [json.dumps({"log": text + "\n" * last, "stream": "stderr", "time": time}) for text, last in pieces]
    for lines in (kubernetes, docker):
        capture = read_text(tmp_path, "\n".join(lines))
        assert counts(capture) == (1, 1, 1) and not capture.problems
        assert capture.graphs[0].module.splitlines() == MODULE.splitlines()


def test_a_line_that_never_ends_is_still_read(tmp_path: Path) -> None:
    lines = [f"2026-11-20T09:28:41Z stderr F {line}" for line in prefixed(GLOG).splitlines()[:-1]]
    last = lines.pop().replace(" F ", " P ")
    assert counts(read_text(tmp_path, "\n".join([*lines, last]))) == (1, 1, 1)
    endless = [f"2026-11-20T09:28:41Z stdout P {'x' * 10_000}"] * 500
    assert counts(read_text(tmp_path, "\n".join([*endless, *lines, last]))) == (1, 1, 1)


def test_only_the_first_line_had_a_prefix_in_2_0(tmp_path: Path) -> None:
    head = "[2023-03-12 21:02:34,424] torch._inductor.graph.__output_code: [DEBUG] Output code: \n"
    after = "[2023-03-12 21:02:35,000] torch._inductor.compile_fx: [INFO] Step 3: torchinductor done compiling\n"
    tail = 'if __name__ == "__main__":\n    pass\n\n'
    capture = read_text(tmp_path, (head + MODULE + tail + after) + (head + OTHER + tail + after))
    assert counts(capture) == (2, 2, 2) and not capture.problems


def test_modules_without_any_prefix_are_told_apart(tmp_path: Path) -> None:
    capture = read_text(tmp_path, f"hello\n{MODULE}\n{OTHER}Output code written to: /tmp/x.py\nbye\n")
    assert counts(capture) == (2, 2, 2) and not capture.problems
    assert "bye" not in capture.graphs[1].module


@pytest.mark.parametrize("burst", [1, 3, 50])
def test_ranks_and_threads_interleave(burst: int, tmp_path: Path) -> None:
    streams = [as_log(module, compile_id, thread, f"[rank{rank}]:")
               for rank in range(4) for compile_id, thread, module in (("[0/0]", 1, MODULE), ("[0/0]", 2, OTHER))]  # fmt: skip
    mixed = []
    for start in range(0, max(map(len, streams)), burst):
        mixed += [line for stream in streams for line in stream[start : start + burst]]
    capture = read_text(tmp_path, "\n".join(mixed))
    assert counts(capture) == (8, 8, 8) and len(capture.kernels) == 2 and not capture.problems


def test_two_processes_that_write_into_one_line_are_told_apart(tmp_path: Path) -> None:
    first, second = as_log(MODULE, rank="[rank0]:"), as_log(OTHER, rank="[rank1]:")
    glued = [a + b for a, b in zip(first, second, strict=True)]
    capture = read_text(tmp_path, "\n".join(glued))
    assert counts(capture) == (2, 2, 2) and not capture.problems


def test_a_prefix_is_read_once_for_a_message_and_a_long_one_not_at_all() -> None:
    prefixes = Prefixes()
    found = prefixes.split(f"[rank3]:{GLOG}x = 1")
    assert found and (found[0].stream, found[0].compile_id, found[1:]) == (
        "[rank3]: 463 0/0",
        "0/0",
        ("output_code", "x = 1"),
    )
    assert prefixes.split("V" * 100_000 + "[__output_code] x") is None


def test_a_trace_has_modules_graphs_and_compile_ids() -> None:
    capture = read([SOURCES / "rotary_bf16.torch_trace.tgz"], "rotary")
    log = read([H200 / "rotary_bf16.with_post_grad.log.gz"], "rotary")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert [k.body_sha256 for k in capture.kernels] == [k.body_sha256 for k in log.kernels]
    assert capture.graphs[0].compile_id == "0/0" and len(capture.graphs[0].nodes) == len(log.graphs[0].nodes)
    assert capture.kernels[0].source == log.kernels[0].source
    assert ".log:2291" in next(
        d.where for d in documents(SOURCES / "rotary_bf16.torch_trace.tgz") if d.kind == "output_code"
    )


HEADER = '{"inductor_output_code": {"filename": "/tmp/x.py"}, "frame_id": 1, "frame_compile_id": 2, "attempt": 0, "has_payload": "0"}'


def as_trace(module: str, header: str = HEADER) -> str:
    head = f"V1120 09:28:41.456000 463 torch/_inductor/graph.py:2575] {header}\n"
    return head + "".join(f"\t{line}\n" for line in module.splitlines())


def test_a_trace_whose_header_is_broken_keeps_its_text(tmp_path: Path) -> None:
    capture = read_text(tmp_path, as_trace(MODULE) + as_trace(OTHER, '{"inductor_output_code": {"filename": "/tm'))
    assert counts(capture) == (2, 2, 2) and capture.graphs[0].compile_id == "1/2"
    (problem,) = capture.problems
    assert "not whole JSON" in problem.message and problem.where.endswith(f"run.log:{len(MODULE.splitlines()) + 2}")


@pytest.fixture
def unpacked(tmp_path: Path) -> Callable[[str], Path]:
    def unpack(name: str) -> Path:
        with tarfile.open(SOURCES / name) as archive:
            archive.extractall(tmp_path / "unpacked", filter="data")
        return tmp_path / "unpacked"

    return unpack


def test_a_debug_folder_counts_a_graph_once_though_a_trace_lies_beside_it(unpacked: Callable[[str], Path]) -> None:
    folder = unpacked("torch_compile_debug.tgz")
    capture = read([folder], "debug")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert capture.graphs[0].nodes[0].type == TensorType("float32", (64, 64), (64, 1))
    (run,) = folder.glob("torch_compile_debug/run_*")
    capture = read([run], "debug")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert capture.kernels[0].source[0].file == "/home/user/model.py"
    assert counts(read([folder], "debug", "debug"))[1] == 1


def test_a_folder_of_tlparse_is_read_from_its_pages_and_not_from_its_copy_of_the_log(
    unpacked: Callable[[str], Path],
) -> None:
    folder = unpacked("tlparse_output.tgz")
    capture = read([folder], "rotary")
    trace = read([SOURCES / "rotary_bf16.torch_trace.tgz"], "rotary")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert capture.graphs == trace.graphs and capture.kernels == trace.kernels
    assert counts(read([folder / "tl_out" / "-_0_0_0"], "rotary", "tlparse")) == (1, 1, 1)


def test_a_cpp_wrapper_has_its_kernels_in_raw_strings() -> None:
    capture = read([SOURCES / "cpp_wrapper.py.gz"], "cpp", "module")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    (kernel,), (launch,) = capture.kernels, capture.kernels[0].launches
    assert kernel.category == "persistent_reduction" and capture.gpu.arch == "sm_90"
    assert [(a.name, a.value, a.storage) for a in launch.arguments] == [
        ("in_out_ptr0", "buf3", "buf0"), ("in_ptr0", "arg1_1", "arg1_1"), ("in_ptr1", "arg2_1", "arg2_1"), ("xnumel", "256", ""), ("r0_numel", "64", ""),
    ]  # fmt: skip
    assert [a.type for a in launch.arguments[:2]] == [
        TensorType("float32", (256, 64), (64, 1)),
        TensorType("float32", (64,), (1,)),
    ]
    lines = capture.graphs[0].module.splitlines()
    assert lines[launch.line - 1].lstrip().startswith(f"call_{kernel.name}(") and kernel.name in lines[kernel.line - 1]
    assert [call.target for call in capture.extern_calls] == ["aoti_torch_cuda_mm_out"]


CPP_LAYOUTS = ("tuned_first", "tuned_later", "ahead", "ahead_twice")
CPP_VERSIONS = ("2.11", "2.12", "2.13", "2.14", "2.15")
IN_PYTHON_FIRST = {("tuned_later", "2.11"), *(("ahead_twice", version) for version in CPP_VERSIONS[:3])}
"""What is written in Python, to tune, and then once more in C++: the graph is told by the first."""
ROWS, LINE = TensorType("float32", (256, 64), (64, 1)), TensorType("float32", (64,), (1,))


@pytest.mark.parametrize("version", CPP_VERSIONS)
@pytest.mark.parametrize("layout", CPP_LAYOUTS)
def test_every_layout_of_a_cpp_wrapper_is_read(layout: str, version: str, unpacked: Callable[[str], Path]) -> None:
    capture = read([unpacked("cpp_wrappers.tgz") / f"{layout}-{version}.log"], "cpp")
    assert counts(capture) == (1, 3, 3) and not capture.problems
    assert [kernel.category for kernel in capture.kernels] == ["persistent_reduction", "user_autotune", "pointwise"]
    in_python = (layout, version) in IN_PYTHON_FIRST
    told = ["extern_kernels.mm", "torch.ops.aten.histc.default"]
    told = told if in_python else ["aoti_torch_cuda_mm_out", "aoti_torch_cuda_histc"]
    assert [call.target for call in capture.extern_calls] == told
    (graph,) = capture.graphs
    assert graph.kind == ("unknown" if in_python and layout == "ahead_twice" else "inference") and graph.nodes
    rows, scaled, added = (kernel.launches[0] for kernel in capture.kernels)
    types = {a.name: a.type for a in rows.arguments if a.type}
    line, *others = sorted(types.values(), key=lambda one: len(one.shape))
    assert line == LINE and set(others) == {ROWS}
    assert [(a.name, a.value, a.type) for a in scaled.arguments[2:4]] == [("n", "16384", None), ("factor", "3.0", None)]
    assert [a.type for a in scaled.arguments[:2]] == [ROWS, ROWS]
    assert (added.arguments[-1].name, added.arguments[-1].value) == ("xnumel", "16")
    lines = graph.module.splitlines()
    for kernel in capture.kernels:
        line = lines[kernel.launches[0].line - 1].lstrip()
        assert line.startswith(f"{kernel.name}.run(" if in_python else f"call_{kernel.name}(")
        assert kernel.name.removesuffix("_kernel_0") in lines[kernel.line - 1]
    if not in_python:
        product = capture.extern_calls[0]
        assert [(a.name, a.type) for a in product.arguments] == [
            ("0", ROWS), ("1", TensorType("float32", (64, 64), (1, 64))), ("out", ROWS),
        ]  # fmt: skip
        assert product.outputs == product.arguments[-1:]


@pytest.mark.parametrize("version", CPP_VERSIONS)
def test_a_kernel_has_one_body_in_every_layout(version: str, unpacked: Callable[[str], Path]) -> None:
    folder = unpacked("cpp_wrappers.tgz")
    capture = read([folder / f"{layout}-{version}.log" for layout in CPP_LAYOUTS], "cpp")
    assert counts(capture) == (4, 12, 12) and len(capture.kernels) == 3 and not capture.problems


def modules_of(log: Path) -> list[str]:
    """The texts of a log that it announces as code."""
    found: list[list[str]] = []
    for line in log.read_text().splitlines():
        text = line.partition("[__output_code] ")[2]
        if text.endswith((" code: ", " autotuning: ")):
            found.append([])
        elif found and "[__output_code]" in line and " written to" not in text:
            found[-1].append(text)
    return ["\n".join(lines) + "\n" for lines in found]


@pytest.mark.parametrize("name", ["output_code.py", "pasted.txt", "model_0/output_code.py"])
@pytest.mark.parametrize("layout", ["tuned_first", "tuned_later", "ahead"])
def test_a_cpp_wrapper_is_read_without_a_log(
    layout: str, name: str, unpacked: Callable[[str], Path], tmp_path: Path
) -> None:
    (text,) = modules_of(unpacked("cpp_wrappers.tgz") / f"{layout}-2.15.log")
    path = tmp_path / (name if layout != "ahead" else name.replace(".py", ".cpp"))
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    capture = read([path.parent if "/" in name else path], "cpp")
    assert counts(capture) == (1, 3, 3) and len(capture.extern_calls) == 2 and not capture.problems


def test_an_auto_tuning_block_tells_where_its_kernels_come_from(unpacked: Callable[[str], Path]) -> None:
    capture = read([unpacked("cpp_wrappers.tgz") / "tuned_first-2.11.log"], "cpp")
    first, _, last = capture.kernels
    assert first.claim.nodes[:2] == ("add_tensor", "relu") and last.claim.nodes == ("add_1",)
    assert [(line.file, line.line) for line in last.source] == [("model.py", 32)]
    assert last.launches[0].arguments[0].type == TensorType("float32", (16,), (1,))  # the block alone tells it


def test_a_model_that_is_compiled_again_in_cpp_is_two_graphs(unpacked: Callable[[str], Path], tmp_path: Path) -> None:
    """Of one that is written twice the graph is printed once; here it is printed for both."""
    log = (unpacked("cpp_wrappers.tgz") / "tuned_later-2.11.log").read_text()
    lines = log.splitlines(keepends=True)
    graph = [line for line in lines if "[__post_grad_graphs]" in line]
    second = [number for number, line in enumerate(lines) if line.rstrip().endswith("Output code:")][1]
    (tmp_path / "again.log").write_text("".join([*lines[:second], *graph, *lines[second:]]))
    once, again = (
        read([unpacked("cpp_wrappers.tgz") / "tuned_later-2.11.log"], "cpp"),
        read([tmp_path / "again.log"], "again"),
    )
    assert len(again.graphs) == len(once.graphs) + 1


def test_a_wrapper_without_its_kernels_says_so(unpacked: Callable[[str], Path], tmp_path: Path) -> None:
    """The second of AOTInductor's two wrappers, alone in a package."""
    _, text = modules_of(unpacked("cpp_wrappers.tgz") / "ahead_twice-2.15.log")
    capture = read_text(tmp_path, text, "model.wrapper.cpp")
    assert counts(capture) == (1, 0, 0)
    assert [problem.message.partition(" is ")[2] for problem in capture.problems] == [
        "launched but not defined in this module"
    ] * 3


AOT_INDUCTOR = f"""#include <torch/csrc/inductor/aoti_runtime/interface.h>
template <typename in_out_ptr0_type_>
static inline void call_triton_poi_fused_add_0(const in_out_ptr0_type_& in_out_ptr0, int64_t xnumel, int32_t device_idx_) {{
    /*
    async_compile.triton('triton_poi_fused_add_0', '''
{KERNEL.replace(chr(10), chr(10) + "    ")}
    ''', device_str='cuda')
    */
    launchKernel(kernels_.triton_poi_fused_add_0, grid_0, grid_1, grid_2, 4, 0, kernel_args_, stream_);
}}
void AOTInductorModel::run_impl() {{
    static constexpr int64_t int_array_0[] = {{64L, 64L}};
    static constexpr int64_t int_array_1[] = {{64L, 1L}};
    AtenTensorHandle buf0_handle;
    aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_dtype_float32, cached_torch_device_type_cuda, 0, &buf0_handle);
    RAIIAtenTensorHandle buf0(buf0_handle);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_mm_out(buf0, arg0_1, arg1_1));
    auto buf1 = std::move(buf0);  // reuse
    call_triton_poi_fused_add_0(buf1, wrap_with_raii_handle_if_needed(arg2_1), 4096L, this->device_idx_, stream, kernels, this->cubin_dir_);
}}
"""


@pytest.mark.parametrize("name", ["wrapper.cpp", "run.log"])
def test_aotinductor_has_its_kernels_in_comments(name: str, tmp_path: Path) -> None:
    capture = read_text(tmp_path, AOT_INDUCTOR, name)
    assert counts(capture) == (1, 1, 1) and not capture.problems
    (launch,) = capture.kernels[0].launches
    assert (
        launch.arguments[0].type == TensorType("float32", (64, 64), (64, 1)) and launch.arguments[0].storage == "buf0"
    )
    assert launch.arguments[2].value == "4096"


def test_sizes_and_names_of_a_cpp_wrapper_are_those_of_one_in_python(tmp_path: Path) -> None:
    text = AOT_INDUCTOR.replace(
        "{64L, 64L}", "{64L*s77, c10::div_floor_integer(static_cast<int64_t>(s1), static_cast<int64_t>(3L))}"
    )
    text = text.replace("4096L, this", "numel, this").replace(
        "    call_triton",
        "    int64_t numel = s77*s1;\n"
        "    aoti_torch_assign_tensors_out(buf1, &inner_handle);\n"
        "    call_triton",
    )  # fmt: skip
    capture = read_text(tmp_path, text.replace("(buf1, wrap", "(inner, wrap"), "wrapper.cpp")
    (launch,) = capture.kernels[0].launches
    first, last = launch.arguments[0], launch.arguments[2]
    assert first.type and first.type.shape == ("64 * s77", "s1 // 3") and first.storage == "buf0"
    assert (last.name, last.value) == ("xnumel", "s77 * s1")


def test_a_kernels_own_cache_file_counts_where_no_module_defines_it(tmp_path: Path) -> None:
    capture = read_text(tmp_path, KERNEL, "ck.py")
    assert counts(capture) == (1, 1, 0) and not capture.problems
    (tmp_path / "cm.py").write_text(MODULE)
    assert counts(read([tmp_path], "cache")) == (1, 1, 1)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "run.log.gz": gzip.compress,
    "no-suffix": gzip.compress,
    "twice.gz": lambda text: gzip.compress(gzip.compress(text)),
    "run.tar": lambda text: tarred({"a/run.log": text, "../../outside.bin": bytes(range(256))}),
    "run.tgz": lambda text: gzip.compress(tarred({"../../outside.log": text})),
    "run.zip": lambda text: zipped({"a/run.log": text, "../../outside.bin": bytes(range(256)), "empty/": b""}),
    "logs.zip": lambda text: zipped({"run.log.gz": gzip.compress(text)}),
    "logs.tar": lambda text: tarred({"run.log.gz": gzip.compress(text)}),
    "powershell.log": lambda text: text.decode().encode("utf-16"),
    "bom.log": lambda text: b"\xef\xbb\xbf" + text,
    "windows.log": lambda text: text.replace(b"\n", b"\r\n"),
}


def tarred(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize("name", PACKED)
def test_what_is_packed_is_known_by_its_bytes(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / name).write_bytes(PACKED[name](prefixed(GLOG).encode()))
    capture = read([folder / name], "demo")
    assert counts(capture) == (1, 1, 1) and not capture.problems
    assert [p.name for p in tmp_path.iterdir()] == ["in"] and [p.name for p in folder.iterdir()] == [name]


def test_a_broken_zip_gives_what_was_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = zipped({"a.log": prefixed(GLOG).encode(), "b.log": b"loss: 1.0\n" * 100})
    path = tmp_path / "logs.zip"
    inside = whole.index(b"b.log") + 10
    path.write_bytes(whole[:inside] + b"\xff\xff" + whole[inside + 2 :])
    capture = read([path], "demo")
    assert counts(capture) == (1, 1, 1) and "reading stopped here" in capture.problems[0].message
    path.write_bytes(whole[:-40])
    with pytest.raises(LabError, match="zip archive is broken"):
        read([path], "demo")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Unseekable(whole))))
    with pytest.raises(LabError, match="unzip it first"):
        read(["-"], "demo")


class Unseekable(io.RawIOBase):
    """A pipe."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.content.readinto(buffer)


def test_members_of_an_archive_are_a_bomb_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BOMB", (1 << 20, 100))
    zeros = {f"{n}.log": b"0" * (1 << 19) for n in range(40)}
    (tmp_path / "bomb.zip").write_bytes(zipped({"a.log": prefixed(GLOG).encode(), **zeros}))
    capture = read([tmp_path / "bomb.zip"], "bomb")
    assert counts(capture) == (1, 1, 1) and "times its size" in capture.problems[0].message


def test_zstd_is_read_or_its_package_named(tmp_path: Path) -> None:
    path = tmp_path / "run.log.zst"
    try:
        import zstandard
    except ImportError:
        path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 20)
        with pytest.raises(LabError, match="pip install zstandard"):
            read([path], "demo")
        return
    path.write_bytes(zstandard.compress(prefixed(GLOG).encode()))
    assert counts(read([path], "demo")) == (1, 1, 1)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(LabError):
        read([path], "demo")


def test_standard_input_may_be_packed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(prefixed(GLOG).encode()))))
    assert counts(read(["-"], "demo")) == (1, 1, 1)


def test_a_folder_of_any_mixture_is_read_in_order(tmp_path: Path, unpacked: Callable[[str], Path]) -> None:
    folder = unpacked("torch_compile_debug.tgz")
    unpacked("tlparse_output.tgz")
    (folder / "slurm-1.out").write_text("\n".join(as_log(MODULE)))
    (folder / "module.py").write_text(OTHER)
    (folder / "weights").write_bytes(os.urandom(5000))
    (folder / "0").mkdir()
    (folder / "0" / "stderr.log.gz").write_bytes(gzip.compress(prefixed(GLOG).encode()))
    os.mkfifo(folder / "pipe")
    capture = read([folder], "mixture")
    assert counts(capture) == (5, 5, 5) and len(capture.kernels) == 4 and not capture.problems
    assert capture == read([folder], "mixture")


def test_as_says_what_a_source_is(tmp_path: Path) -> None:
    both = prefixed(GLOG) + "\n" + as_trace(OTHER)
    assert counts(read_text(tmp_path, both)) == (2, 2, 2)
    assert counts(read_text(tmp_path, both, as_="log")) == (1, 1, 1)
    assert counts(read_text(tmp_path, both, as_="trace")) == (1, 1, 1)
    assert counts(read_text(tmp_path, "# a note\n" + MODULE, as_="module")) == (1, 1, 1)
    with pytest.raises(LabError, match="one of auto, log, trace"):
        read_text(tmp_path, both, as_="pdf")


def test_the_command_line_takes_as_too(lab: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "both.log").write_text(prefixed(GLOG) + "\n" + as_trace(OTHER))
    result = lab("read", tmp_path / "both.log", "--as", "trace", "--json")
    assert result.code == 0 and len(json.loads(result.out)["kernels"]) == 1
    assert lab("read", tmp_path / "both.log", "--as", "pdf").code == 2


def test_a_cut_archive_gives_what_was_whole_and_says_where_it_stopped(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join([prefixed(GLOG), *[f"{n * n}" for n in range(20000)]]).encode())
    (tmp_path / "run.log.gz").write_bytes(packed[:-1000])
    capture = read([tmp_path / "run.log.gz"], "cut")
    assert counts(capture) == (1, 1, 1)
    assert "reading stopped here" in capture.problems[-1].message and "run.log.gz:" in capture.problems[-1].where


def test_a_message_that_never_ends_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inductor_lab.read.streams.MESSAGE_LIMIT", len(MODULE) + 10_000)
    lines = prefixed(GLOG).splitlines()[:-1] + [GLOG + "x = 1"] * 3000
    capture = read_text(tmp_path, "\n".join(lines))
    assert counts(capture) == (1, 1, 1)
    (problem,) = capture.problems
    assert "does not end" in problem.message and problem.where.endswith("run.log:1")


def test_open_messages_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inductor_lab.read.streams.OPEN_LIMIT", 50_000)
    streams = [as_log(MODULE, thread=n)[:-1] for n in range(30)]
    capture = read_text(tmp_path, "\n".join(line for rows in zip(*streams, strict=True) for line in rows))
    assert len(capture.graphs) == 30 and any("too many others" in problem.message for problem in capture.problems)


def test_a_line_without_end_is_cut_and_a_bomb_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "x" * (3 * files.LINE_LIMIT)
    assert counts(read_text(tmp_path, f"{long}\n{prefixed(GLOG)}\n{GLOG}{long}")) == (1, 1, 1)
    monkeypatch.setattr(files, "_BOMB", (1 << 20, 100))
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(prefixed(GLOG).encode() + b"\n" + b"0" * (1 << 23)))
    capture = read([tmp_path / "bomb.gz"], "bomb")
    assert counts(capture) == (1, 1, 1) and "times its size" in capture.problems[0].message


def test_a_log_in_a_folder_that_is_broken_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"hello")[:-9])
    (tmp_path / "b.log").write_text(prefixed(GLOG))
    capture = read([tmp_path], "folder")
    assert counts(capture) == (1, 1, 1)
    (problem,) = capture.problems
    assert problem.where.endswith("a.gz:1") and "before the end" in problem.message


@pytest.mark.slow
def test_big_files_read_at_once_give_the_same_as_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lora_train", "sparse_ffn", "rotary_bf16_train", "lora"):
        (tmp_path / f"{name}.log").write_bytes(gzip.decompress((H200 / f"{name}.with_post_grad.log.gz").read_bytes()))
    alone = read([tmp_path], "logs")
    monkeypatch.setattr(workers, "PART", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert read([tmp_path], "logs") == alone and counts(alone) == (6, 12, 14)
    (tmp_path / "m_noise.dat").write_bytes(os.urandom(5000))
    assert read([tmp_path], "logs") == alone
    with pytest.raises(LabError, match="not a readable text log"):
        read([tmp_path / "lora.log", tmp_path / "m_noise.dat"], "logs")


def test_a_process_that_is_killed_costs_its_part_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / f"{name}.log").write_text(prefixed(GLOG))
    monkeypatch.setattr(workers, "PART", 1)
    monkeypatch.setattr(workers, "PARTS", 100)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(
        processes, "CHILD", f"import sys; 'a.log' in sys.stdin.readline() and sys.exit(9); {processes.CHILD}"
    )
    with pytest.raises(LabError, match="likely for lack of memory"):
        read([tmp_path / "a.log", tmp_path / "b.log"], "logs")


def test_our_own_capture_is_read_from_its_log_alone(tmp_path: Path) -> None:
    (tmp_path / "capture.json").write_text("{}")
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "3_forward.py").write_text(MODULE)
    assert counts(read([tmp_path], "demo")) == (1, 1, 1)  # of a log that was not kept
    (tmp_path / "log.txt.gz").write_bytes(gzip.compress(prefixed(GLOG).encode()))
    capture = read([tmp_path], "demo")
    assert counts(capture) == (1, 1, 1) and capture.graphs[0].compile_id == "0/0"


def test_read_needs_neither_torch_nor_triton(tmp_path: Path) -> None:
    """In a process where importing them is an error, as in an environment that has none."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'triton', 'numpy')))\n"  # None: the import fails
        "from inductor_lab.cli import main; main(sys.argv[1:])"
    )
    command = [
        sys.executable,
        "-c",
        code,
        "read",
        str(SOURCES / "rotary_bf16.torch_trace.tgz"),
        "-o",
        str(tmp_path / "out"),
        "--json",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert child.returncode == 0, child.stderr
    assert [kernel["definitions"] for kernel in json.loads(child.stdout)["kernels"]] == [1]


def test_every_problem_says_file_and_line(tmp_path: Path) -> None:
    broken = MODULE.replace("tmp2 = tl.full([1], 0.5", "tmp2 = tl.full([1, 0.5").replace(
        "triton_poi_fused_add_0.run(", "triton_gone.run("
    )
    deep = OTHER + "x = " + "not " * 5000 + "1\n"
    capture = read_text(tmp_path, "\n".join(["start", *as_log(broken), *as_log(deep)]))
    assert len(capture.problems) >= 3
    assert all("run.log:" in problem.where for problem in capture.problems)


def test_a_limit_is_above_what_is_real() -> None:
    assert 10 * max(path.stat().st_size for path in H200.iterdir()) < message.MESSAGE_LIMIT


CLOCKS = {
    "grep -n": lambda number: f"{number}:",
    "cat -n": lambda number: f"{number:6}\t",
    "milliseconds": lambda number: f"+{number * 13}ms rank1 ",
    "epoch": lambda number: f"1700000000.{number:06} host python[12]: ",
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_lead_that_is_new_on_every_line_is_followed(clock: str, tmp_path: Path) -> None:
    lines = [CLOCKS[clock](number) + line for number, line in enumerate(as_log(MODULE), 1)]
    capture = read_text(tmp_path, "\n".join(lines))
    assert counts(capture) == (1, 1, 1) and not capture.problems


@pytest.mark.parametrize("number", [0, 20])
def test_what_a_program_printed_before_a_line_takes_nothing_away(number: int, tmp_path: Path) -> None:
    lines = as_log(MODULE)
    lines[number] = "loss 0.5 " + lines[number]
    capture = read_text(tmp_path, "\n".join(lines))
    assert counts(capture) == (1, 1, 1) and not capture.problems


def test_lines_that_belong_to_no_message_are_told(tmp_path: Path) -> None:
    lost = as_log(OTHER, thread=7)[2:]
    capture = read_text(tmp_path, "\n".join([*lost, *as_log(MODULE)]))
    (told,) = capture.problems
    assert told.where.endswith("run.log:1") and "lines of output_code" in told.message


def test_a_module_that_was_cut_off_in_its_call_is_told(tmp_path: Path) -> None:
    lines = as_log(MODULE)
    end = next(number for number, line in enumerate(lines) if "return (buf1" in line)
    (told,) = read_text(tmp_path, "\n".join(lines[:end])).problems
    assert "before its function `call` returns" in told.message


def test_a_kernel_that_lost_a_line_is_told(tmp_path: Path) -> None:
    lost = MODULE.replace("    tmp2 = tl.full([1], 0.5, tl.float32)\n", "")
    (told,) = read_text(tmp_path, lost, "module.py").problems
    assert "reads tmp2, which nothing assigns" in told.message


def test_two_modules_in_one_file_are_two(tmp_path: Path) -> None:
    assert counts(read_text(tmp_path, MODULE + OTHER, "module.py")) == (2, 2, 2)


def test_a_launch_where_none_is_looked_for_is_told(tmp_path: Path) -> None:
    hidden = MODULE + "\ntriton_poi_fused_add_0.run(buf1, primals_1, 4096, stream=stream0)\n"
    (told,) = read_text(tmp_path, hidden, "module.py").problems
    assert "a launch of triton_poi_fused_add_0" in told.message


def test_pods_with_one_process_id_are_told_apart_by_their_records(tmp_path: Path) -> None:
    pairs = zip(as_log(MODULE), as_log(OTHER), strict=True)
    records = [json.dumps({"log": line + "\n", "kubernetes": {"pod_name": pod}})
               for pair in pairs for pod, line in zip("ab", pair, strict=True)]  # fmt: skip
    capture = read_text(tmp_path, "\n".join(records))
    assert counts(capture) == (2, 2, 2) and not capture.problems


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_bzip2_and_xz_are_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / "run.log").write_bytes(pack("\n".join(as_log(MODULE)).encode()))
    assert counts(read([tmp_path / "run.log"], "demo")) == (1, 1, 1)


def test_a_log_of_a_folder_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MODULE)
    (tmp_path / "run.log.7z").write_bytes(b"7z\xbc\xaf" + bytes(range(256)) * 9)
    (told,) = read([tmp_path], "demo").problems
    assert "run.log.7z" in told.where


def test_a_users_kernel_with_another_constant_or_global_is_another(tmp_path: Path) -> None:
    user = MODULE.replace("triton_heuristics.pointwise", "triton_heuristics.user_autotune")
    user = user.replace("'device': Dev", "'constants': {'SCALE': 2.0}, 'device': Dev")
    other = user.replace("{'SCALE': 2.0}", "{'SCALE': 3.0}")
    assert len(read_text(tmp_path, user + other, "module.py").kernels) == 2
