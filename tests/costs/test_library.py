"""Library calls: what the wrapper passes, bytes and operations counted by hand, the floor, where each comes from."""

from __future__ import annotations

import pytest
from folders import CAPTURED
from kernels_as_text import tensor

from inductor_lab.annotate import annotate
from inductor_lab.costs.library import library, moved
from inductor_lab.gpus import GPUS
from inductor_lab.read import read
from inductor_lab.read.module import read_module
from inductor_lab.records import ExternCall, LaunchArgument, TensorType

H200 = GPUS["h200"]


def call(target: str, given: list[str], made: list[str], **written: str) -> ExternCall:
    """A call of these tensors; `float32[4, 8]` is one, any other text an argument that is written out."""
    arguments = [
        LaunchArgument(str(n), f"buf{n}" if "[" in text and not text.startswith("[") else text, kind(text))
        for n, text in enumerate(given)
    ]
    arguments += [LaunchArgument(name, text) for name, text in written.items()]
    name = "" if len(made) == 1 else None
    outputs = [LaunchArgument(str(n) if name is None else name, f"out{n}", kind(text)) for n, text in enumerate(made)]
    return ExternCall(target, "0_inference", 1, tuple(arguments), tuple(outputs))


def kind(text: str) -> TensorType | None:
    return tensor(text) if "[" in text and not text.startswith("[") else None


ATTENTION = "torch.ops.aten._scaled_dot_product_flash_attention.default"
EFFICIENT = "torch.ops.aten._scaled_dot_product_efficient_attention"
HEADS, ROWS, WIDTH = 2 * 8, 128, 64
QKV = [f"bfloat16[2, 8, {ROWS}, {WIDTH}]"] * 3
FULL, CAUSAL = ROWS * ROWS, ROWS * (ROWS + 1) // 2

COUNTS = {
    "mm": (
        call("extern_kernels.mm", ["bfloat16[4096, 1024]", "bfloat16[1024, 3072]"], ["bfloat16[4096, 3072]"]),
        (4096 * 1024 + 1024 * 3072) * 2, 4096 * 3072 * 2, 2 * 4096 * 1024 * 3072,
    ),
    "addmm": (
        call("extern_kernels.addmm", ["float32[192]", "float32[2304, 48]", "float32[48, 192]"], ["float32[2304, 192]"], alpha="1"),
        (192 + 2304 * 48 + 48 * 192) * 4, 2304 * 192 * 4, 2 * 2304 * 48 * 192,
    ),
    "bmm": (
        call("extern_kernels.bmm", ["float32[8, 64, 32]", "float32[8, 32, 16]"], ["float32[8, 64, 16]"]),
        (8 * 64 * 32 + 8 * 32 * 16) * 4, 8 * 64 * 16 * 4, 2 * 8 * 64 * 32 * 16,
    ),
    "convolution": (
        call("extern_kernels.convolution", ["float32[4, 3, 96, 96]", "float32[48, 3, 4, 4]"], ["float32[4, 48, 24, 24]"], transposed="False", groups="1"),
        (4 * 3 * 96 * 96 + 48 * 3 * 4 * 4) * 4, 4 * 48 * 24 * 24 * 4, 2 * 4 * 48 * 24 * 24 * 3 * 4 * 4,
    ),
    "convolution of groups": (
        call("extern_kernels.convolution", ["float32[4, 48, 24, 24]", "float32[48, 1, 7, 7]"], ["float32[4, 48, 24, 24]"], transposed="False", groups="48"),
        (4 * 48 * 24 * 24 + 48 * 7 * 7) * 4, 4 * 48 * 24 * 24 * 4, 2 * 4 * 48 * 24 * 24 * 1 * 7 * 7,
    ),
    "convolution backward": (
        call(
            "torch.ops.aten.convolution_backward.default",
            ["float32[4, 96, 12, 12]", "float32[4, 48, 24, 24]", "float32[96, 48, 2, 2]",
             "[96]", "[2, 2]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"],
            ["float32[4, 48, 24, 24]", "float32[96, 48, 2, 2]"],
        ),
        (4 * 96 * 12 * 12 + 4 * 48 * 24 * 24 + 96 * 48 * 4) * 4,
        (4 * 48 * 24 * 24 + 96 * 48 * 4) * 4,
        2 * (2 * 4 * 96 * 12 * 12 * 48 * 2 * 2),  # a convolution's work for the input's gradient, and for the weight's
    ),
    "flash attention": (
        call(ATTENTION, [*QKV, "0.0", "False"], [QKV[0], f"float32[2, 8, {ROWS}]"]),
        3 * HEADS * ROWS * WIDTH * 2, HEADS * ROWS * WIDTH * 2 + HEADS * ROWS * 4, 2 * HEADS * FULL * (WIDTH + WIDTH),
    ),
    "flash attention that looks back": (
        call(ATTENTION, [*QKV, "0.0", "True"], [QKV[0], f"float32[2, 8, {ROWS}]"]),
        3 * HEADS * ROWS * WIDTH * 2, HEADS * ROWS * WIDTH * 2 + HEADS * ROWS * 4, 2 * HEADS * CAUSAL * (WIDTH + WIDTH),
    ),
    "efficient attention, backward": (
        call(
            f"{EFFICIENT}_backward.default",
            [QKV[0], *QKV, "None", QKV[0], f"float32[2, 8, {ROWS}]", "int64[1]", "int64[1]", "0.0", "[True, True, True, False]", "False"],
            QKV,
        ),
        5 * HEADS * ROWS * WIDTH * 2 + HEADS * ROWS * 4 + 16,
        3 * HEADS * ROWS * WIDTH * 2,
        2 * HEADS * FULL * (3 * WIDTH + 2 * WIDTH),  # q k again, and the gradients of p, v, q, k
    ),
    "topk": (
        call("torch.ops.aten.topk.default", ["float32[128, 4]", "2", "-1", "True", "True"], ["float32[128, 2]", "int64[128, 2]"]),
        128 * 4 * 4, 128 * 2 * (4 + 8), 0,
    ),
}  # fmt: skip
"""A call, and what a person counts: bytes read, bytes written, operations."""


@pytest.mark.parametrize("name", COUNTS)
def test_bytes_and_operations_are_what_a_person_counts(name: str) -> None:
    made, read_, written, operations = COUNTS[name]
    found = moved(made)
    assert (found.read, found.written, found.flops) == (read_, written, operations)
    assert found.least


def test_what_cpp_calls_is_the_operator_that_it_stands_for() -> None:
    given, made = ["float32[256, 64]", "float32[64, 32]"], ["float32[256, 32]"]
    product, same = (moved(call(name, given, made)) for name in ("aoti_torch_cuda_mm_out", "extern_kernels.mm"))
    assert product == same and product.flops == 2 * 256 * 64 * 32
    assert library(call("aoti_torch_cuda_mm_out", given, made), H200).name == "mm"


def test_the_floor_is_by_the_units_that_it_runs_on() -> None:
    half = COUNTS["mm"][0]
    told = library(annotated(half), H200)
    assert told.bound and told.bound.limit == "arithmetic"
    assert told.bound.seconds == pytest.approx(2 * 4096 * 1024 * 3072 / 989.4e12)
    assert "989 TFLOP/s in bf16" in told.words
    single = call("extern_kernels.mm", ["float32[4096, 1024]", "float32[1024, 3072]"], ["float32[4096, 3072]"])
    assert "67 TFLOP/s in fp32" in library(annotated(single), H200).words  # without TF32, as torch has it by default
    assert told.signature == "bf16[4096, 1024], bf16[1024, 3072] -> bf16[4096, 3072]"


def test_a_small_one_is_bound_by_launching_and_an_unknown_one_by_its_bytes() -> None:
    assert "bound by launching" in library(annotated(COUNTS["topk"][0]), H200).words
    unknown = call("torch.ops.mylib.mystery.default", ["float32[4096, 4096]"], ["float32[4096, 4096]"])
    assert library(annotated(unknown), H200).words.endswith("by its bytes alone")
    assert library(ExternCall("extern_kernels.mm", "0", 1), H200).bound is None


MODULE = """
# AOT ID: ['0_inference']
def call(args):
    arg0_1, arg1_1 = args
    buf0 = empty_strided_cuda((1, ), (1, ), torch.int64)
    aten.randint.low_out(-9223372036854775808, 9223372036854775807, [1], out=buf0)
    buf1 = empty_strided_cuda((64, 8), (8, 1), torch.float32)
    aten.scatter_reduce_.two(buf1, 0, buf0, buf1, reduce='sum', include_self=True)
    buf2 = torch.ops.aten.topk.default(buf1, 2)
    buf3 = buf2[0]
    assert_size_stride(buf3, (64, 2), (2, 1), 'torch.ops.aten.topk.default')
    buf4 = buf2[1]
    assert_size_stride(buf4, (64, 2), (2, 1), 'torch.ops.aten.topk.default')
    return (buf3, buf4, )
"""


def test_results_are_told_a_buffer_returned_in_parts_or_written_in_place() -> None:
    calls = read_module(MODULE).externs
    assert [[(a.name, a.value) for a in call.outputs] for call in calls] == [
        [("out", "buf0")],
        [("0", "buf1")],
        [("0", "buf3"), ("1", "buf4")],
    ]
    drawn, _, largest = (moved(call) for call in calls)
    assert (drawn.read, drawn.written) == (0, 8)
    assert (largest.read, largest.written) == (64 * 8 * 4, 64 * 2 * 4 + 64 * 2 * 8)


def annotated(made: ExternCall) -> ExternCall:
    from dataclasses import replace

    return replace(made, traffic=moved(made))


def test_a_captures_calls_know_what_they_are_given_and_where_they_come_from() -> None:
    found = annotate(read([CAPTURED / "rotary_attention_train_h200" / "log.txt.gz"], "rotary"))
    first = found.extern_calls[0]
    assert [a.type.shape for a in first.arguments if a.type] == [(4096, 1024), (1024, 3072), (4096, 3072)]
    assert [(a.name, a.type and a.type.dtype) for a in first.outputs] == [("out", "float32")]
    assert {call.provenance.origin for call in found.extern_calls} == {"graph"}
    assert first.provenance.source[0].code.startswith("qkv = self.qkv(x)")
    assert all(call.traffic.read for call in found.extern_calls)


def test_symbolic_sizes_are_counted_as_they_were_compiled() -> None:
    found = annotate(read([CAPTURED / "lora_mlp_train_dynamic_h200" / "log.txt.gz"], "dynamic"))
    assert found.graphs[0].hints == {"s77": 4096}
    first = found.extern_calls[0]
    assert first.traffic.hinted and first.traffic.flops == 2 * 4096 * 512 * 1024
    assert "by the sizes it was compiled with" in library(first, H200).words
