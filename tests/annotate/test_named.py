"""What kernels are called: a real kernel for each name, near misses, fused ones, dynamic and split ones.

`sources/named_kernels.json.gz` holds kernels as Inductor wrote them, the smallest of each name (`benchmarks/names.py --kernels`).
"""

from __future__ import annotations

import gzip
import json
import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asked import some
from folders import CAPTURED, ROOT, SOURCES, TESTS
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, HEAD, ROWS, TRANSPOSE, capture, kernel, tensor

from inductor_lab import store
from inductor_lab.annotate import annotate, titled
from inductor_lab.annotate.expressions import Called, dotted, parameters
from inductor_lab.annotate.summary import computes
from inductor_lab.annotate.titles import Namer, Naming, halved
from inductor_lab.bind.names import term
from inductor_lab.computation import computation
from inductor_lab.computation.naming.reading import ROWS as TABLE
from inductor_lab.computation.naming.reading import SAID
from inductor_lab.read import read
from inductor_lab.read.kernel import read_source
from inductor_lab.records import (
    Claim,
    Graph,
    Input,
    Kernel,
    Launch,
    LaunchArgument,
    Node,
    Provenance,
    SourceLine,
    TensorType,
)

CAPTURES = sorted(path.parent for path in CAPTURED.glob("*/capture.json"))
Saved = dict[str, Any]
KERNELS: list[Saved] = json.loads(gzip.decompress((SOURCES / "named_kernels.json.gz").read_bytes()))
BY_NAME = {
    name: saved
    for saved in sorted(KERNELS, key=lambda saved: -len(saved["recognised"]))
    for name in saved["recognised"]
}


def type_of(text: str) -> TensorType:
    """`float32[s77, 64]`."""
    if text.rstrip("]").partition("[")[2].replace(",", "").replace(" ", "").isdigit():
        return tensor(text)
    dtype, _, inside = text.rstrip("]").partition("[")
    sizes = tuple(size.strip() for size in inside.split(",") if size.strip())
    return TensorType(dtype, sizes, sizes)


def real(saved: Saved, *edits: tuple[str, str]) -> Kernel:
    """A kernel of the file, its text edited."""
    text = saved["text"]
    for before, after in edits:
        assert re.search(before, text), f"{before} is not in the kernel of {saved['from']}"
        text = re.sub(before, after, text)
    source, _ = read_source(text)
    arguments = tuple(
        LaunchArgument(name, f"buf{place}", type_of(value)) if "[" in value else LaunchArgument(name, value)
        for place, (name, value) in enumerate(saved["passed"].items())
    )
    graph = f"0_{saved['kind']}"
    launches, claim = (Launch(graph, 1, arguments),), Claim(aten=tuple(saved["aten"]))
    return replace(
        source, id="test:0", name="kernel", graph=graph, definitions=1, launches=launches, claim=claim, line=1,
        size_hints={}, meta={},
    )  # fmt: skip


def naming(found: Kernel) -> Naming:
    kind = found.graph.removeprefix("0_")
    return Namer(replace(capture(found), graphs=(Graph(found.graph, "", kind, ""),))).name(found)


@pytest.mark.parametrize("saved", KERNELS, ids=lambda saved: "+".join(saved["recognised"])[:60])
def test_real_kernels_have_their_names(saved: Saved) -> None:
    assert list(naming(real(saved)).recognised) == saved["recognised"]


def test_names_are_in_the_table_and_most_have_a_kernel() -> None:
    names = {row.name for row in TABLE}
    assert set(BY_NAME) <= set(SAID)
    assert len(names - set(BY_NAME)) <= 8, names - set(BY_NAME)


NEAR_MISSES = [
    ("rms_norm", r"libdevice\.rsqrt\((tmp\d+)\)", r"libdevice.sqrt(\1)"),
    ("rms_norm", r"tl\.full\(\[1(?:, 1)?\], (\d+\.0), tl\.float32\)", "tl.full([1, 1], 2.0, tl.float32)"),
    ("rms_norm", r"(tmp\d+) = tmp(\d+) \* tmp\2\b", r"\1 = tl_math.abs(tmp\2)"),
    ("layer_norm_backward", r"192\.0", "100.0"),
    ("rms_norm_backward", r"-0\.5", "-0.25"),
    ("softmax_backward", r"= -(tmp\d+)", r"= \1"),
    ("swiglu", r"tl\.sigmoid|tl_math\.exp|libdevice\.exp\b", "tl_math.sin"),
    ("gelu", r"0\.707106\d+", "0.5"),
    ("gelu_backward", r"0\.39894\d+", "0.4"),
    ("gelu_tanh", r"0\.044715", "0.05"),
    ("silu_backward", r"tl\.full\(\[1\], 1\.0, tl\.float32\)", "tl.full([1], 2.0, tl.float32)"),
    ("rope", r"-(tmp\d+)", r"\1"),
    ("log_softmax", r"tl_math\.log|libdevice\.log\b", "tl_math.abs"),
    ("hardswish", r"6\.0", "5.0"),
    ("relu_backward", r"tmp(\d+) <= tmp(\d+)", r"tmp\1 >= tmp\2"),
    ("adam_step", r"libdevice\.sqrt|tl\.sqrt_rn", "tl_math.abs"),
    ("batch_norm", r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"),
    ("sigmoid_backward", r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"),
    ("tril", r"(tmp\d+) <= (tmp\d+)", r"\1 == \2"),
    ("triu", r"(tmp\d+) >= (tmp\d+)", r"\1 <= \2"),
    ("causal_mask", r"\(\(-1\)\*x1\)", "x1"),
    ("band_mask", r"tl_math\.abs(\(x0)", r"\1"),
    ("length_mask", r"(tmp\d+) < (tmp\d+)", r"\1 == \2"),
    ("max_pool", r"triton_helpers\.maximum", "triton_helpers.minimum"),
    ("max_pool_backward", r"(tmp\d+) == (tmp\d+)", r"\1 < \2"),
    ("pad", r"tmp\d+ & xmask", "xmask"),
    ("linspace", r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"),
    ("interpolation_index", r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"),
    ("interpolation_weight", r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"),
]


@pytest.mark.parametrize(("name", "before", "after"), NEAR_MISSES)
def test_near_misses_do_not_have_the_name(name: str, before: str, after: str) -> None:
    """A formula with one thing wrong is another formula, whatever the comment claims."""
    assert name not in naming(real(BY_NAME[name], (before, after))).recognised


def test_numbers_made_of_positions_are_no_concatenation_unless_the_comment_names_one() -> None:
    """The two halves of a linspace, counted from either end: the same line, and here not even that."""
    bent = real(BY_NAME["linspace"], (r"(tmp\d+) = (tmp\d+) - (tmp\d+)\b", r"\1 = \2 + \3"))
    cat = replace(bent, claim=Claim(aten=("aten.cat",)))
    assert naming(real(BY_NAME["linspace"])).title == "linspace + mul + add, 2 x 20 x 20 x 2 bf16"
    assert (naming(bent).recognised, naming(cat).recognised) == ((), ("cat",))


@pytest.mark.parametrize(
    ("aten", "names"), [(("aten.amax",), ("amax",)), (("aten.constant_pad_nd", "aten.amax"), ("pad", "amax"))]
)
def test_the_end_of_a_divided_fold_is_no_pad(aten: tuple[str, ...], names: tuple[str, ...]) -> None:
    """1,000 elements of which each of 8 rows folds 128: Inductor gives those past the end a value that changes nothing."""
    body = (
        ROWS.replace("xmask, other", "(r0_1 + 128*x0 < 1000) & xmask, other")
        + """
    tmp1 = r0_1 + 128*x0
    tmp2 = tl.full([1, 1], 1000, tl.int32)
    tmp3 = tmp1 < tmp2
    tmp4 = tl_math.abs(tmp0)
    tmp5 = tl.where(tmp3, tmp4, float("-inf"))
    tmp6 = triton_helpers.max2(tmp5, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
    )
    tensors = {"in_ptr0": "float32[1000]", "out_ptr0": "float32[8]"}
    found = kernel(body, tensors, category="persistent_reduction", claim=Claim(aten=aten))
    told = naming(found)
    assert ("pad" in told.recognised) is ("pad" in names), told


def of(source: str, *names: str) -> Naming:
    """What the saved kernel of a corpus and of these names is called."""
    return next(naming(real(saved)) for saved in KERNELS if (saved["from"], saved["recognised"]) == (source, [*names]))


def test_a_norm_within_a_norm_is_counted() -> None:
    assert of("segformer_train", "layer_norm").title == "layer_norm twice, 72 rows of 128 f32"


def test_a_copy_beside_what_is_computed_is_not_all() -> None:
    assert of("ops_bf16").title == "buf1 = buf0; buf2 = buf0 + 1.0, 100 x 200 bf16"


def test_a_sum_with_a_vector_is_no_difference() -> None:
    """`sum(g * (a * w + b))` is no sum of a batch norm's backward, of which `b` would be the mean and `-a * w` what it is of."""
    named = of("mobilenet_v3_train", "batch_norm", "hardswish", "sum", "hardsigmoid_backward")
    assert named.title.startswith("batch_norm + hardswish + sum + hardsigmoid_backward, ")


def test_one_element_is_one_however_its_address_is_ordered() -> None:
    """`1 + x0 + 65 * x1` in one loop, `1 + 65 * x1 + x0` in the next."""
    assert of("gpt2_train_bf16", "cross_entropy_backward").title == "cross_entropy_backward, 128 rows of 2,000 bf16"


def test_rows_that_lie_apart_are_no_slice() -> None:
    assert of("llama_train_autocast", "cast").title == "cast, 512 x 1,376 f32"


def test_what_a_kernel_loads_again_after_it_stored_it_is_the_new_value() -> None:
    saved = next(saved for saved in KERNELS if saved["from"] == "mixer_train" and saved["recognised"] == ["layer_norm"])
    lines = computes(real(saved))
    assert lines[0] == "in_out_ptr0_new = in_out_ptr0 + in_ptr0"
    assert lines[-1] == "out_ptr1 = (in_out_ptr0_new - out_ptr0) * in_out_ptr1 * in_ptr1 + in_ptr2"


RMS_NORM = (
    ROWS
    + """
    tmp1 = tmp0 * tmp0
    tmp2 = tl.where(xmask, tmp1, 0)
    tmp3 = tl.sum(tmp2, 1)[:, None]
    tmp4 = tl.full([1, 1], 128.0, tl.float32)
    tmp5 = tmp3 / tmp4
    tmp6 = tl.full([1, 1], 1e-05, tl.float32)
    tmp7 = tmp5 + tmp6
    tmp8 = libdevice.rsqrt(tmp7)
    tmp9 = tmp0 * tmp8
    tmp10 = tl.load(in_ptr1 + (r0_1), None)
    tmp11 = tmp9 * tmp10
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp11, xmask)
"""
)
TENSORS = {"in_ptr0": "bfloat16[8, 128]", "in_ptr1": "bfloat16[128]", "out_ptr0": "bfloat16[8, 128]"}


def rows(*edits: tuple[str, str], body: str = RMS_NORM, tensors: dict[str, str] | None = None) -> Naming:
    """What the norm's body is called after edits."""
    for before, after in edits:
        assert before in body
        body = body.replace(before, after)
    return naming(kernel(body, tensors or TENSORS, category="persistent_reduction"))


def test_a_title_has_the_shape_in_words() -> None:
    assert rows() == Naming("rms_norm, 8 rows of 128 bf16", ("rms_norm",), "recognised", ("rms_norm",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tmp5 = tmp3 / tmp4", "tmp5 = tmp3 * tmp4"),  # the sum, not the mean
        ("128.0, tl.float32", "64.0, tl.float32"),  # the mean of another row
        ("tmp1 = tmp0 * tmp0", "tmp1 = tl_math.abs(tmp0)"),
        ("tmp7 = tmp5 + tmp6", "tmp7 = tmp5 - tmp6"),
        ("tmp8 = libdevice.rsqrt(tmp7)", "tmp8 = libdevice.rsqrt(tmp5) + tmp6"),  # eps behind the root
        ("tmp9 = tmp0 * tmp8", "tmp9 = tmp8 + tmp0"),  # not a product
        ("tmp3 = tl.sum(tmp2, 1)", "tmp3 = triton_helpers.max2(tmp2, 1)"),
    ],
)
def test_what_is_almost_rms_norm(before: str, after: str) -> None:
    assert "rms_norm" not in rows((before, after)).recognised


def test_order_and_casts_do_not_matter() -> None:
    """The same formula with its factors turned round, a division for the root's reciprocal and casts between."""
    turned = rows(
        ("tmp8 = libdevice.rsqrt(tmp7)", "tmp8 = libdevice.sqrt(tmp7).to(tl.float32)"),
        ("tmp9 = tmp0 * tmp8", "tmp9 = tmp0 / tmp8"),
        ("tmp11 = tmp9 * tmp10", "tmp11 = tmp10 * tmp9"),
        ("tmp5 = tmp3 / tmp4", "tmp12 = tl.full([1, 1], 0.0078125, tl.float32)\n    tmp5 = tmp12 * tmp3"),
    )
    assert turned.recognised == ("rms_norm",)


def test_fused_parts_in_the_order_of_the_computation() -> None:
    added = rows(("tmp1 = tmp0 * tmp0", "tmp20 = tl.load(in_ptr2 + (r0_1 + 128*x0), xmask, other=0.0)\n    tmp21 = tmp0 + tmp20\n    tmp1 = tmp21 * tmp21"),
                 ("tmp9 = tmp0 * tmp8", "tmp9 = tmp21 * tmp8"), tensors={**TENSORS, "in_ptr2": "bfloat16[8, 128]"})  # fmt: skip
    assert added.title == "residual add + rms_norm, 8 rows of 128 bf16"
    gated = rows(
        (
            "tl.store(out_ptr0 + (r0_1 + 128*x0), tmp11, xmask)",
            "tmp12 = tl.sigmoid(tmp11)\n    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp12, xmask)",
        )
    )
    assert gated.recognised == ("rms_norm", "sigmoid")


@pytest.mark.parametrize(("times", "told"), [(1, "** 2"), (20, "pow")])
def test_a_power_of_one_value_is_not_left_out(times: int, told: str) -> None:
    """`relu(x) ** (2 ** 20)`: the power is what the kernel does most of."""
    body = ADD_RELU[: ADD_RELU.index("    tl.store")]
    powers = "".join(f"    tmp{n + 20} = tmp{n + 19 if n else 8} * tmp{n + 19 if n else 8}\n" for n in range(times))
    store = f"    tl.store(in_out_ptr0 + (x2), tmp{times + 19}, None)\n"
    found = naming(kernel(body + powers + store, ADD_RELU_TENSORS))
    assert told in found.title and "relu" in found.title


def test_zeros_are_called_by_what_is_added_to_them() -> None:
    """A fill in front of an embedding's gradient, by the memory that both take; the title alone says it."""
    found = store.load(CAPTURED / "dlrm_train_h200")
    filled = next(one for one in found.kernels if one.recognised == ("fill",))
    assert filled.title == "zero fill for embedding_backward, 10,000 x 16 f32"
    alone = Namer(replace(found, kernels=(filled,))).name(filled)
    assert alone == Naming("zero fill, 10,000 x 16 f32", ("fill",), "recognised", ("zero_fill",))


def test_a_fill_that_is_scattered_into_is_called_so() -> None:
    """A store where data says is as good a reason for zeros as an addition."""
    body = FLAT + "    tmp0 = tl.full([1], 0.0, tl.float32)\n    tl.store(out_ptr0 + (x2), tmp0, xmask)\n"
    fill = kernel(body, {"out_ptr0": "float32[64, 16]"})
    body = (
        FLAT
        + "    tmp0 = tl.load(in_ptr0 + (x1), xmask)\n    tmp1 = tl.load(in_ptr1 + (x2), xmask)\n    tl.store(out_ptr0 + (x0 + 16*tmp0), tmp1, xmask)\n"
    )
    user = kernel(body, {"in_ptr0": "int64[64]", "in_ptr1": "float32[64, 16]", "out_ptr0": "float32[64, 16]"})
    zeros = fill.launches[0].arguments[0].value
    last = user.launches[0]
    into = tuple(replace(one, value=zeros) if one.name == "out_ptr0" else one for one in last.arguments)
    others = tuple(replace(one, value=f"other_{one.value}") if one.name != "out_ptr0" else one for one in into)
    user = replace(user, launches=(replace(last, line=last.line + 1, arguments=others),))
    assert Namer(capture(fill, user)).name(fill).title == "zero fill for scatter, 64 x 16 f32"


def test_a_kernel_that_only_folds_has_the_name_of_the_part() -> None:
    alone = RMS_NORM[: RMS_NORM.index("    tmp9 =")] + "    tl.store(out_ptr0 + (x0), tmp8, xmask)\n"
    found = rows(body=alone, tensors={"in_ptr0": "bfloat16[8, 128]", "out_ptr0": "float32[8, 1]"})
    assert found.title == "rms (of rms_norm), 8 rows of 128 bf16"


def backward(body: str, tensors: dict[str, str], *aten: str, category: str = "pointwise") -> Naming:
    """What a body is called in a backward graph whose comment names these operators."""
    found = kernel(body, tensors, category=category, claim=Claim(aten=aten))
    launches = tuple(replace(launch, graph="0_backward") for launch in found.launches)
    return naming(replace(found, graph="0_backward", launches=launches))


GROUPS = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    x1 = xindex // 128
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tl.load(in_ptr2 + (x1), xmask)
    tmp3 = tl.load(in_ptr3 + (x1), xmask)
    tmp4 = tl.load(in_ptr4 + (x1), xmask)
    tmp5 = tl.load(in_ptr5 + (x1), xmask)
    tmp6 = tmp3 * tmp2 * tmp2 * tmp2 * 0.0078125
    tmp7 = tmp0 * tmp2 + tmp1 * tmp6 - tmp4 * tmp6 - tmp5 * tmp2 * 0.0078125
    tl.store(out_ptr0 + (x0), tmp7, xmask)
"""
"""The gradient of what a group norm takes: two sums of each group were made by other kernels."""


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("", "", "group_norm_backward"),
        ("tmp2 * tmp2 * tmp2", "tmp2 * tmp2", ""),
        ("- tmp4", "+ tmp4", ""),
    ],
)
def test_a_group_norm_s_gradient_of_sums_that_are_loaded(before: str, after: str, name: str) -> None:
    tensors = {f"in_ptr{place}": "float32[8, 128]" if place < 2 else "float32[8]" for place in range(6)}
    found = backward(
        GROUPS.replace(before, after), {**tensors, "out_ptr0": "float32[8, 128]"}, "aten.native_group_norm_backward"
    )
    assert ("group_norm_backward" in found.recognised) == bool(name)


PART = """
    xnumel = 256
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_2 = r0_index
    x0 = (xindex % 128)
    x1 = xindex // 128
    x3 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 128*r0_2 + 8192*x1), xmask, other=0.0)
    tmp1 = tl.load(in_ptr1 + (x0 + 128*r0_2 + 8192*x1), xmask, other=0.0)
    tmp2 = tl.load(in_ptr2 + (r0_2 + 64*x1), xmask, other=0.0)
    tmp3 = tmp0 * tmp1 * tmp2
    tmp4 = tl.where(xmask, tmp3, 0)
    tmp5 = tl.sum(tmp4, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp5, xmask)
"""
"""128 columns of 128 rows, their sums split in two parts."""


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        ("", "", "partial weight gradient of rms_norm, 256 columns of 64 f32"),
        (
            "r0_2 + 64*x1)",
            "x0 + 128*r0_2 + 8192*x1)",
            "sum(buf0 * buf1 * buf2), 256 columns of 64 f32",
        ),  # no number of each row
        ("r0_2 + 64*x1)", "(r0_2 // 32) + 2*x1)", "sum(buf0 * buf1 * buf2), 256 columns of 64 f32"),  # of 32 rows
    ],
)
def test_a_weight_s_gradient_of_a_part_of_the_rows_is_partial(before: str, after: str, title: str) -> None:
    single = {"": "float32[128, 1]", "(r0_2 // 32) + 2*x1)": "float32[4, 1, 1]"}.get(after, "float32[128, 128]")
    tensors = {
        "in_ptr0": "float32[128, 128]",
        "in_ptr1": "float32[128, 128]",
        "in_ptr2": single,
        "out_ptr0": "float32[128, 2]",
    }
    assert backward(PART.replace(before, after), tensors, category="persistent_reduction").title == title


def test_columns_have_the_dtype_that_each_sum_is_of() -> None:
    """A gradient in f32 is multiplied by a bf16 input in f32; a bf16 gradient that is summed by itself too is a sum of bf16."""
    twice = PART + "    tmp6 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr1 + (x3), tmp6, xmask)\n"
    told = []
    for gradient, body in (("float32", PART), ("bfloat16", PART), ("float32", twice), ("bfloat16", twice)):
        tensors = {"in_ptr0": f"{gradient}[128, 128]", "in_ptr1": "bfloat16[128, 128]", "in_ptr2": "float32[128, 1]"}
        tensors |= dict.fromkeys(("out_ptr0", "out_ptr1") if body is twice else ("out_ptr0",), "float32[128, 2]")
        told.append(backward(body, tensors, category="persistent_reduction").title.rpartition(" ")[2])
    assert told == ["f32", "bf16", "f32", "bf16"]


def test_one_value_of_each_row_is_padded_and_a_row_of_which_some_is_overwritten_is_not() -> None:
    body = (
        ROWS
        + "    tmp1 = tl.sum(tmp0, 1)[:, None]\n    tmp2 = tl.where(r0_1 >= 127, {}, 0.0)\n    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp2, xmask)\n"
    )
    tensors = dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[8, 128]")
    told = [rows(body=body.format(value), tensors=tensors).recognised for value in ("tmp1", "tmp0")]
    assert told == [("sum", "pad"), ()]


def test_what_is_dropped_of_is_named_though_a_number_stands_before_it() -> None:
    body = (
        ROWS
        + """    tmp1 = triton_helpers.max2(tmp0, 1)[:, None]
    tmp2 = tl_math.exp(tmp0 - tmp1)
    tmp3 = tl.sum(tmp2, 1)[:, None]
    tmp4 = tl.rand(tl.load(in_ptr1 + (0)), (r0_1 + 128*x0).to(tl.uint32))
    tmp5 = (tmp4 > 0.1).to(tl.float32) * (tmp2 / tmp3) * 1.1111111111111112
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp5, xmask)
"""
    )
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "int64[1]", "out_ptr0": "float32[8, 128]"}
    assert rows(body=body, tensors=tensors).recognised == ("softmax", "dropout")


def test_a_sum_that_is_split_says_which_half_it_is() -> None:
    """Both comments name the node that is computed; what lies between is a buffer of Inductor's, no value of the graph."""
    columns = PART.replace(" * tmp1 * tmp2", "")
    rest = ROWS + "    tmp1 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
    total = Node("sum_1", "aten.sum.dim_IntList", "", ("x",), tensor("float32[128]"), None)
    tensors = {
        "in_ptr0": "float32[128, 128]",
        "in_ptr1": "float32[128, 128]",
        "in_ptr2": "float32[128, 1]",
        "out_ptr0": "float32[128, 2]",
    }
    first = kernel(
        columns, tensors, category="reduction", passed={"out_ptr0": "buf9"},
        claim=Claim(nodes=("sum_1",), outputs=("buf9",), fragment=(total,)),
    )  # fmt: skip
    second = kernel(rest, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}, category="reduction", passed={"in_ptr0": "buf9"},
                    claim=Claim(nodes=("sum_1",), inputs=("buf9",), outputs=("sum_1",), fragment=(total,)))  # fmt: skip
    second = replace(second, id="test:1")
    namer = Namer(replace(capture(first), kernels=(first, second)))
    assert namer.name(first).title.startswith("partial sum(")
    assert namer.name(second).title.startswith("second half of sum(")
    assert "half" not in Namer(capture(second)).name(second).title
    # of three the one between is a part as well, and what something is computed of first is not folded on
    between = kernel(rest, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}, category="reduction", passed={"in_ptr0": "buf9", "out_ptr0": "buf8"},
                     claim=Claim(nodes=("sum_1",), inputs=("buf9",), outputs=("buf8",), fragment=(total,)))  # fmt: skip
    last = replace(second, id="test:2", launches=(replace(second.launches[0], arguments=tuple(
        replace(one, value="buf8") if one.name == "in_ptr0" else one for one in second.launches[0].arguments)),))  # fmt: skip
    namer = Namer(replace(capture(first), kernels=(first, replace(between, id="test:1"), last)))
    assert [namer.name(one).title.partition("(")[0] for one in (first, between, last)] == [
        "partial sum",
        "partial sum",
        "second half of sum",
    ]
    texts = {one: getattr(second, one).replace("tl.sum(tmp0", "tl.sum(tmp0 * tmp0") for one in ("text", "body")}
    again = replace(second, **texts)  # type: ignore[arg-type]
    assert "partial" not in Namer(replace(capture(first), kernels=(first, again))).name(first).title
    # the comment above the second is that of its first launch; this sum is folded on by another one
    (launch,) = second.launches
    before = replace(launch, line=0, arguments=(replace(launch.arguments[0], value="buf5"), *launch.arguments[1:]))
    launch = replace(launch, provenance=Provenance("comment", pre_grad=("sum_1",)))
    later = replace(second, launches=(before, launch), claim=Claim(nodes=("sum_0",), inputs=("buf5",)))
    assert Namer(replace(capture(first), kernels=(first, later))).name(first).title.startswith("partial sum(")
    # a comment may call another sum by this name: what is stored must be a sum
    scaled = replace(
        first, **{one: getattr(first, one).replace("tmp5, xmask", "tmp5 * 2.0, xmask") for one in ("text", "body")}
    )  # type: ignore[arg-type]
    assert "partial" not in Namer(replace(capture(scaled), kernels=(scaled, later))).name(scaled).title


MOMENTS = (
    ROWS.replace("tmp0 =", "tmp10 =")
    + "".join(f"    tmp1{place} = tl.load(in_ptr{place} + (r0_1 + 128*x0), xmask, other=0.0)\n" for place in (1, 2))
    + """
    tmp13, tmp14, tmp15 = triton_helpers.welford(tmp10, tmp11, tmp12, 1)
    tmp16 = tmp14[:, None]
    tmp17 = tmp15[:, None]
    tmp18 = tl.full([1, 1], 299.0, tl.float32)
    tmp19 = tmp16 / tmp18
    tmp20 = tl.sqrt_rn(tmp19)
"""
)
"""Means, squared deviations and counts of the parts of a row, put together."""


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        ("tmp20", "standard deviation, 8 rows of 128 f32"),
        ("tmp16", "statistics (mean, variance), 8 rows of 128 f32"),
        ("tmp17", "partial statistics (mean, variance), 8 rows of 128 f32"),
    ],
)
def test_a_deviation_is_no_mean_and_a_count_is_of_a_part(stored: str, title: str) -> None:
    body = f"{MOMENTS}    tl.store(out_ptr0 + (x0), {stored}, xmask)\n"
    given = {f"in_ptr{place}": "float32[8, 128]" for place in range(3)}
    assert naming(kernel(body, {**given, "out_ptr0": "float32[8]"}, category="persistent_reduction")).title == title


def test_the_log_of_a_sum_is_said() -> None:
    online = (
        ROWS
        + """    tmp1 = triton_helpers.max2(tmp0, 1)[:, None]
    tmp2 = tmp0 - tmp1
    tmp3 = tl_math.exp(tmp2)
    tmp4 = tl.sum(tmp3, 1)[:, None]
    tmp5 = tl_math.log(tmp4)
    tl.store(out_ptr0 + (x0), tmp5, xmask)
"""
    )
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}
    found = naming(kernel(online, tensors, category="persistent_reduction"))
    assert found.title == "row max and log of the sum of softmax, 8 rows of 128 f32"


def test_a_template_multiplies_its_weight_transposed_and_its_rows_in_one_dimension() -> None:
    body = "    tl.store(out_ptr0 + tl.arange(0, 64), 1.0)\n"
    tensors = {"arg_A": "bfloat16[2, 64, 512]", "arg_B": "bfloat16[2000, 512]", "out_ptr0": "bfloat16[128, 2000]"}
    found = kernel(body, tensors, category="template", claim=Claim(aten=("aten.mm",)))
    assert naming(found).title == "mm template: [128, 512] x [512, 2000] bf16"


def test_sizes_that_are_not_known() -> None:
    body = RMS_NORM.replace("    xnumel = 8\n", "")
    found = naming(kernel(body, TENSORS, category="persistent_reduction", passed={"xnumel": "s0"}))
    assert found.title == "rms_norm, s0 rows of 128 bf16"


def test_a_table_of_positions_is_no_residual() -> None:
    """It is added to each sequence again: 4 rows of it to 8 of the other."""
    loaded = (
        "tmp1 = tmp0 * tmp0",
        "tmp20 = tl.load(in_ptr2 + (r0_1 + 128*{}), xmask)\n    tmp21 = tmp0 + tmp20\n    tmp1 = tmp21 * tmp21",
    )
    normed = "tmp9 = tmp0 * tmp8", "tmp9 = tmp21 * tmp8"
    each = rows((loaded[0], loaded[1].format("(x0 % 4)")), normed, tensors={**TENSORS, "in_ptr2": "bfloat16[4, 128]"})
    assert each.recognised == ("rms_norm",)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("r0_1 + 128*x0", "x0 + 8*r0_1", "8 rows"),
        ("r0_1 + 128*x0", "x0", "8 rows"),
        ("x0 + 8*r0_1", "r0_1", "8 columns"),
        ("x0 + 8*((r0_1 + 64) % 128)", "r0_1", "8 columns"),
    ],
)
def test_columns_are_what_most_elements_lie_in(first: str, second: str, said: str) -> None:
    """A bias that lies otherwise than the tensor does not decide."""
    body = ROWS.replace("r0_1 + 128*x0", first) + f"    tmp1 = tl.load(in_ptr1 + ({second}), xmask, other=0.0)\n"
    body += "    tmp2 = tl.sum(tmp0 * tmp1, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "float32[8, 128]", "out_ptr0": "float32[8]"}
    assert f", {said} of 128 f32" in naming(kernel(body, tensors, category="persistent_reduction")).title


FLAT = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 16
    x1 = xindex // 16
    x2 = xindex
"""


@pytest.mark.parametrize(("aten", "name"), [("embedding", "embedding"), ("index", "gather")])
def test_the_comment_tells_an_embedding_from_an_index(aten: str, name: str) -> None:
    """Both pick whole rows; by a table of positions, or by arithmetic on them, too."""
    data = (
        FLAT
        + "    tmp0 = tl.load(in_ptr1 + (x1), xmask)\n    tmp1 = tl.load(in_ptr0 + (x0 + 16*tmp0), xmask)\n    tl.store(out_ptr0 + (x2), tmp1, xmask)\n"
    )
    tensors = {"in_ptr0": "float32[32, 16]", "in_ptr1": "int64[64]", "out_ptr0": "float32[64, 16]"}
    claim = Claim(aten=(f"aten.{aten}.default",))
    assert naming(kernel(data, tensors, claim=claim)).recognised == (name,)
    computed = (
        FLAT
        + "    tmp0 = tl_math.abs(x1 - 40)\n    tmp1 = tl.load(in_ptr0 + (x0 + 16*tmp0), xmask)\n    tl.store(out_ptr0 + (x2), tmp1, xmask)\n"
    )
    del tensors["in_ptr1"]
    assert naming(kernel(computed, tensors, claim=claim)).recognised == (name if name == "embedding" else "rearrange",)


@pytest.mark.parametrize(
    ("operator", "name"),
    [("diagonal_backward", "diagonal_backward"), ("diagonal_scatter", "diagonal_scatter"), ("diagonal", "slice")],
)
def test_what_is_written_over_a_diagonal_is_no_slice(operator: str, name: str) -> None:
    """The diagonals of 32 squares; a comment that names only what a diagonal is read of does not say it."""
    body = (
        FLAT
        + "    tmp0 = tl.load(in_ptr0 + (x2), xmask)\n    tl.store(out_ptr0 + (33*(x2 % 32) + 1024*(x2 // 32)), tmp0, xmask)\n"
    )
    tensors = {"in_ptr0": "float32[32, 32]", "out_ptr0": "float32[32, 32, 32]"}
    claim = Claim(aten=(f"aten.{operator}",))
    assert naming(kernel(body, tensors, claim=claim)).recognised == (name,)


@pytest.mark.parametrize(
    ("load", "name"), [("x0 + 64*x1", "transpose"), ("x1 + 2*ks0*x0", "slice"), ("x1 + ks0*x0", "copy")]
)
def test_what_moves_elements_by_sizes_that_are_passed(load: str, name: str) -> None:
    """Which dimension is innermost tells a transpose from a slice, as it does where sizes are numbers."""
    body = """
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex % ks0
    x0 = xindex // ks0
"""
    body += f"    tmp0 = tl.load(in_ptr0 + ({load}), xmask)\n    tl.store(out_ptr0 + (x1 + ks0*x0), tmp0, xmask)\n"
    given = kernel(
        body, {"in_ptr0": "float32[64, 16]", "out_ptr0": "float32[64, 16]"}, passed={"xnumel": "64*s1", "ks0": "s1"}
    )
    assert naming(given).recognised == (name,)


@pytest.mark.parametrize(("divisor", "names"), [("tmp1", ()), ("tmp0 + tmp1", ("relu",))])
def test_a_size_that_is_held_at_0_is_no_activation(divisor: str, names: tuple[str, ...]) -> None:
    """The number of elements less one, by which a variance is divided."""
    body = (
        FLAT
        + f"""
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = ks0
    tmp2 = tl.full([1], 0.0, tl.float32)
    tmp3 = {divisor} - 1.0
    tmp4 = triton_helpers.maximum(tmp2, tmp3)
    tmp5 = tl_math.exp(tmp0) / tmp4
    tl.store(out_ptr0 + (x2), tmp5, xmask)
"""
    )
    given = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[64, 16]"), passed={"ks0": "s1"})
    assert naming(given).recognised == names


def test_a_sum_of_sizes_stands_in_parentheses_beside_others() -> None:
    body = TRANSPOSE.replace("ynumel = 96", "").replace("xnumel = 256", "")
    passed = {"ynumel": "1 + s27", "xnumel": "s77"}
    given = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[96, 256]"), passed=passed)
    assert naming(given).title.endswith(", (1 + s27)*s77 f32")
    (launch,) = given.launches
    symbolic = TensorType("float32", ("s77", "1 + s27"), ("1 + s27", 1))
    types = tuple(replace(one, type=symbolic) if one.type else one for one in launch.arguments)
    assert naming(replace(given, launches=(replace(launch, arguments=types),))).title.endswith(", s77 x (1 + s27) f32")


def test_a_mask_beside_what_is_computed_does_not_name_the_dtype() -> None:
    """The one as large as the launch is the mask: the other is added to, where data says, and has a shape of its own."""
    body = (
        FLAT
        + """    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x1), xmask)
    tmp2 = tmp0 <= 0.0
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp1), tmp0, xmask, sem='relaxed')
    tl.store(out_ptr1 + (x2), tmp2, xmask)
"""
    )
    tensors = {
        "in_ptr0": "float32[64, 16]",
        "in_ptr1": "int64[64]",
        "out_ptr0": "float32[8, 16]",
        "out_ptr1": "bool[64, 16]",
    }
    assert naming(kernel(body, tensors)).title == "scatter_add, 8 x 16 f32"
    half = {**tensors, "in_ptr0": "bfloat16[64, 16]"}  # added up in more bits than it was read in
    assert naming(kernel(body, half)).title == "scatter_add, 8 x 16 f32"


def test_an_index_that_is_only_compared_is_not_what_is_folded() -> None:
    body = """    tmp1 = tmp0 == x0
    tmp2 = tmp1.to(tl.{0})
    tmp3 = tl.sum(tmp2, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp3, xmask)
"""

    def title(dtype: str) -> str:
        return naming(
            kernel(
                ROWS + body.format(dtype), {"in_ptr0": "int64[8, 128]", "out_ptr0": f"{dtype}[8]"}, category="reduction"
            )
        ).title

    assert title("float32").endswith(", 8 rows of 128 f32") and title("int64").endswith(", 8 rows of 128 i64")


def test_a_sum_of_as_many_elements_as_the_launch_passes_is_no_mean() -> None:
    """What is not known divides nothing: a sum over `r0_numel` elements was told as their mean."""
    body = (
        ROWS.replace("    r0_numel = 128\n", "")
        + "    tmp1 = tl.sum(tmp0, 1)[:, None]\n{}    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    )
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}

    def recognised(then: str) -> tuple[str, ...]:
        given = kernel(body.format(then), tensors, category="reduction", passed={"r0_numel": "s0"})
        return naming(given).recognised

    assert recognised("    tmp2 = tmp1 * 2.0\n") == ("sum",)
    assert recognised("    tmp2 = tmp1 / r0_numel\n") == ("mean",)


def test_expressions_have_the_model_s_names() -> None:
    body = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    found = kernel(body, dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[1024]"))
    assert naming(found).title == "buf0 + buf1, 1,024 f32"
    assert titled(annotate(capture(found)).kernels[0]) == "buf0 + buf1, 1,024 f32"


@pytest.mark.parametrize(
    ("second", "aten", "lowered", "title"),
    [
        ("in_ptr0", ("slice", "copy"), "copy", "slice_scatter, 8 x 128 f32"),
        ("in_ptr1", ("slice", "copy"), "copy", "slice_scatter, 8 x 128 f32"),
        ("in_ptr1", ("_to_copy",), "slice_scatter", "slice_scatter, 8 x 128 f32"),
        ("in_ptr0", ("cat",), "cat", "cat, 8 x 128 f32"),
        ("in_ptr1", (), "slice", "cat, 8 x 128 f32"),
    ],
)
def test_a_part_of_a_tensor_that_is_written_over_is_no_concatenation(
    second: str, aten: tuple[str, ...], lowered: str, title: str
) -> None:
    """The borders of a circular pad are copied from its other side: nothing was put together."""
    body = f"""
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 128)
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 3, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (120 + x2), tmp2 & xmask, other=0.0)
    tmp4 = tl.load({second} + (x2), xmask)
    tmp5 = tl.where(tmp2, tmp3, tmp4)
    tl.store(out_ptr0 + (x2), tmp5, xmask)
"""
    tensors = dict.fromkeys(dict.fromkeys(("in_ptr0", second, "out_ptr0")), "float32[8, 128]")
    fragment = (Node("one", f"aten.{lowered}.default", "", (), None, None),)
    claim = Claim(aten=tuple(f"aten.{name}" for name in aten), fragment=fragment)
    assert naming(kernel(body, tensors, claim=claim)).title == title


@pytest.mark.parametrize(
    ("aten", "name"), [(("cat", "new_zeros"), "cat"), (("constant_pad_nd",), "pad"), (("cat", "slice_backward"), "pad")]
)
def test_what_is_joined_with_zeros_is_a_concatenation_where_nothing_is_padded(aten: tuple[str, ...], name: str) -> None:
    """A cell's input beside a state that begins as zeros."""
    body = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 128)
    x1 = xindex // 128
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 64, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x0 + 64*x1), tmp2 & xmask, other=0.0)
    tmp4 = 0.0
    tmp5 = tl.where(tmp2, tmp3, tmp4)
    tl.store(out_ptr0 + (x2), tmp5, xmask)
"""
    tensors = {"in_ptr0": "float32[8, 64]", "out_ptr0": "float32[8, 128]"}
    assert naming(kernel(body, tensors, claim=Claim(aten=tuple(f"aten.{one}" for one in aten)))).recognised == (name,)


def test_a_tensor_that_is_rolled_is_not_told_as_it_lies() -> None:
    body = """
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + ((11 + x0) % 12), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 - tmp1
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    found = naming(kernel(body, {"in_ptr0": "float32[12]", "in_ptr1": "float32[64]", "out_ptr0": "float32[64]"}))
    assert "[…] - " in found.title


def test_what_is_divided_by_a_gathered_value_is_a_gather_once() -> None:
    """Taken out of a quotient that it divides, it would stand there squared, and be taken out again."""
    body = """
xnumel = 64
xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = tl.load(in_ptr0 + (x0), xmask)
tmp1 = tl.load(in_ptr1 + (x0), xmask)
tmp2 = tl.load(in_ptr2 + (tmp0), xmask)
tmp3 = tmp1 / tmp2
tl.store(out_ptr0 + (x0), tmp3, xmask)
"""
    given = {"in_ptr0": "int64[64]", "in_ptr1": "float32[64]", "in_ptr2": "float32[12]", "out_ptr0": "float32[64]"}
    assert naming(kernel(body, given)).recognised == ("gather",)


def test_a_layer_norm_s_gradient_stands_beside_a_batch_norm_that_is_made_again() -> None:
    own = real(BY_NAME["layer_norm_backward"])
    aten = ("aten._native_batch_norm_legit_functional", "aten.native_layer_norm_backward")
    assert "layer_norm_backward" in naming(replace(own, claim=Claim(aten=aten))).recognised
    assert "layer_norm_backward" not in naming(replace(own, claim=Claim(aten=aten[:1]))).recognised


def test_the_largest_of_a_short_row_is_no_pooling() -> None:
    own = real(BY_NAME["max_of_slices"])
    assert own.claim.aten == ("prims.prepare_softmax_online",)
    assert "max_pool" in naming(replace(own, claim=Claim(aten=("aten.max_pool2d_with_indices",)))).recognised


def test_what_an_address_is_taken_apart_by_is_not_said() -> None:
    body = """
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (7*((tmp0 // 7)) + ((tmp0 % 7))), xmask)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    given = {"in_ptr0": "int64[64]", "in_ptr1": "float32[64]", "out_ptr0": "float32[64]"}
    assert naming(kernel(body, given)).title == "gather, 64 f32"


@pytest.mark.parametrize(
    ("gate", "called"), [("in_ptr1", ("swiglu_backward",)), ("in_ptr3", ("silu", "silu_backward"))]
)
def test_an_activation_and_its_derivative_of_two_tensors_are_no_gate_s(gate: str, called: tuple[str, ...]) -> None:
    body = f"""
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tl.load(in_ptr2 + (x0), xmask)
    tmp3 = tl.load({gate} + (x0), xmask)
    tmp4 = tl.sigmoid(tmp1)
    tmp5 = tmp1 * tmp4
    tmp6 = tmp0 * tmp5
    tl.store(out_ptr0 + (x0), tmp6, xmask)
    tmp7 = tmp0 * tmp2
    tmp8 = tl.sigmoid(tmp3)
    tmp9 = 1.0
    tmp10 = tmp9 - tmp8
    tmp11 = tmp3 * tmp10
    tmp12 = tmp11 + tmp9
    tmp13 = tmp7 * tmp8
    tmp14 = tmp13 * tmp12
    tl.store(out_ptr1 + (x0), tmp14, xmask)
"""
    names = ("in_ptr0", "in_ptr1", "in_ptr2", "in_ptr3", "out_ptr0", "out_ptr1")
    assert backward(body, dict.fromkeys(names, "float32[64]"), "aten.silu", "aten.silu_backward").recognised == called


def test_a_variable_of_the_program_is_not_called_as_an_argument() -> None:
    """`labels = pad(labels)`: what is written is another tensor than what is read."""
    body = """
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl_math.exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    row = tensor("float32[64]")
    nodes = (
        Node("arg0_1", "placeholder", "", (), row, None),
        Node("exp", "aten.exp.default", "exp(arg0_1)", ("arg0_1",), row, None),
        Node("exp_1", "aten.exp.default", "exp(exp)", ("exp",), row, None),
    )

    def called(argument: str, own: str = "labels") -> str:
        claim = Claim(nodes=("exp",), inputs=("arg0_1",), outputs=("exp",), user_names={"exp": own})
        one = kernel(
            body, {"in_ptr0": "float32[64]", "out_ptr0": "float32[64]"}, claim=claim, passed={"in_ptr0": "arg0_1"}
        )
        graph = Graph(one.graph, "", "inference", "", nodes, called={"arg0_1": Input("argument", argument)})
        return Called(replace(capture(one), graphs=(graph,))).of(one, computation(one))["out_ptr0"]

    assert (called("x"), called("labels"), called("x", own="exp_1")) == ("labels", "exp", "exp")


DRAWN = (
    HEAD.format(numel=64)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + load_seed_offset)
    tmp1 = x0
    tmp2 = tl.rand(tmp0, (tmp1).to(tl.uint32))
    tmp3 = tl.load(in_ptr1 + (7))
    tmp4 = tmp2 * tmp3
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
)


@pytest.mark.parametrize("seed", ["0", "5"])
def test_a_seed_is_one_of_several_and_a_single_element_behind_the_first_is_not_its_tensor(seed: str) -> None:
    tensors = {"in_ptr0": "int64[8]", "in_ptr1": "float32[64]", "out_ptr0": "float32[64]"}
    one = kernel(DRAWN, tensors, passed={"in_ptr0": "seeds", "in_ptr1": "x", "load_seed_offset": seed})
    assert Namer(capture(one)).name(one).title == f"rand(seeds[{seed}], x0) * x[7], 64 f32"


OVER = (
    HEAD.format(numel=64)
    + """
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr0 + (x0), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl_math.log(tmp2)
    tl.store(in_out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr0 + (x0), tmp3, xmask)
"""
)


def test_what_is_written_over_has_the_graph_s_name() -> None:
    row = tensor("float32[64]")
    nodes = (
        Node("mm", "aten.mm.default", "", ("arg0_1", "arg0_1"), row, None),
        Node("add", "aten.add.Tensor", "add(mm, arg1_1)", ("mm", "arg1_1"), row, None),
        Node("log", "aten.log.default", "log(add)", ("add",), row, None),
    )
    claim = Claim(nodes=("add", "log"), inputs=("mm", "arg1_1"), outputs=("add", "log"), fragment=nodes[1:])
    tensors = dict.fromkeys(("in_out_ptr0", "in_ptr0", "out_ptr0"), "float32[64]")
    one = kernel(OVER, tensors, claim=claim, passed={"in_out_ptr0": "mm", "in_ptr0": "arg1_1"})
    assert Namer(capture(one, nodes=nodes)).name(one).title == "add = mm + arg1_1; log = log(add), 64 f32"
    assert Namer(capture(one)).name(one).title.startswith("add = mm + arg1_1")


@pytest.mark.parametrize(
    ("place", "told"), [("x0 + 8*r0_1", "transpose(x)"), ("r0_1 + 128*x0", "x"), ("r0_1 + 256*x0", "x")]
)
def test_what_is_stored_in_another_order_beside_a_sum_is_no_plain_copy(place: str, told: str) -> None:
    """The gradient of a convolution's bias, summed of what is turned for the convolution's backward."""
    summed = "    tmp1 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr1 + (x0), tmp1, xmask)\n"
    body = f"{ROWS}    tl.store(out_ptr0 + ({place}), tmp0, xmask)\n{summed}"
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8, 256]", "out_ptr1": "float32[8]"}
    one = kernel(
        body, tensors, category="persistent_reduction", passed={"in_ptr0": "x", "out_ptr0": "y", "out_ptr1": "z"}
    )
    assert Namer(capture(one)).name(one).title.startswith(f"y = {told}; z = sum(x)")


FOLDED = (
    ROWS.replace("r0_numel = 128", "r0_numel = 100")
    + """
    tmp1 = tl.load(in_ptr1 + (r0_1 + 100*x0), r0_mask & xmask, other=0.0)
    tmp2 = tl.load(in_ptr2 + (r0_1 + 100*x0), r0_mask & xmask, other=0.0)
    tmp3 = tl.load(in_ptr3 + (r0_1 + 100*x0), r0_mask & xmask, other=0.0) + tl.load(in_ptr4 + (r0_1 + 100*x0), r0_mask & xmask, other=0.0)
    tmp4 = tl_math.log(tmp1 * tmp2)
    tmp5 = tmp3 * tmp4 / (tmp4 + 2.0)
    tmp6 = tl.where(tmp1 * tmp2 > 20.0, tmp3, tmp5)
    tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
    tmp8 = tl.where(r0_mask & xmask, tmp7, 0)
    tmp9 = tl.sum(tmp8, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp9, xmask)
"""
)


def test_a_part_that_has_a_name_is_in_the_title() -> None:
    """The masks of loads are not written: no name is spent on one."""
    passed = {f"in_ptr{n}": f"tensor_{n}" for n in (1, 2, 3, 4)}
    tensors = dict.fromkeys(("in_ptr0", *passed), "float32[8, 100]") | {"out_ptr0": "float32[8]"}
    one = kernel(FOLDED, tensors, category="persistent_reduction", passed=passed)
    assert Namer(capture(one)).name(one).title == (
        "sum(where(c > 20.0, b, b * a / (a + 2.0))) "
        "where a = log(c), b = tensor_3 + tensor_4, c = tensor_1 * tensor_2, 8 rows of 100 f32"
    )


def test_a_trace_tells_the_parameters_names() -> None:
    found = read([SOURCES / "rotary_bf16.torch_trace.tgz"], "trace")
    graph = found.graphs[0]
    assert set(parameters(graph).values()) == {"x", "qkv.weight", "cos", "sin", "o.weight"}
    assert dotted("L_self_modules_layers_modules_0_modules_q_proj_parameters_weight_") == "layers.0.q_proj.weight"


def test_a_line_of_the_model_tells_its_parameter() -> None:
    line = SourceLine("model.py", 3, "query = self.q_proj(x).view(shape)")
    nodes = (
        Node("primals_1", "placeholder", "", (), tensor("float32[8, 8]"), None),
        Node("primals_2", "placeholder", "", (), tensor("float32[4, 8]"), None),
        Node("permute", "aten.permute.default", "", ("primals_1",), tensor("float32[8, 8]"), line),
        Node("mm", "aten.mm.default", "", ("primals_2", "permute"), tensor("float32[4, 8]"), line),
    )
    assert parameters(Graph("0_forward", "", "forward", "", nodes))["primals_1"] == "q_proj.weight"
    two = replace(line, code="return self.down(self.act(self.gate(x)))")
    told = parameters(
        Graph("0_forward", "", "forward", "", tuple(replace(node, source=node.source and two) for node in nodes))
    )
    assert "primals_1" not in told  # which of the three modules it is, the line does not tell


def test_a_line_may_name_the_number_beside_an_input() -> None:
    """`coef` is 0.001 there, and the input is `aux`. A capture that knows what its inputs are asks no line at all."""
    line = SourceLine("model.py", 3, "loss = self.coef * aux")
    nodes = (
        Node("primals_1", "placeholder", "", (), tensor("float32[]"), None),
        Node("mul", "aten.mul.Tensor", "mul(primals_1, 0.001)", ("primals_1",), tensor("float32[]"), line),
    )
    assert parameters(Graph("0_forward", "", "forward", "", nodes)) == {}
    two = (*nodes[:1], replace(nodes[1], call="mul(primals_1, x)", arguments=("primals_1", "x")))
    graph = Graph("0_forward", "", "forward", "", two)
    assert parameters(graph) == {"primals_1": "coef"}
    known = replace(graph, called={"x": Input("argument", "x")})
    assert Called(replace(capture(), graphs=(graph,))).parameters["0_forward"]
    assert not Called(replace(capture(), graphs=(known,))).parameters


@pytest.mark.parametrize("folder", CAPTURES, ids=lambda folder: folder.name)
def test_every_captured_kernel_has_a_title_without_pointers(folder: Path) -> None:
    found = store.load(folder)
    namer = Namer(found)
    for one in found.kernels:
        named = namer.name(one)
        assert named.title
        assert not re.search(r"\b(in_|out_|in_out_)ptr\d|(?<![\w\])])\?", named.title), named.title
        assert set(named.recognised) <= set(SAID)
        assert (one.title, one.recognised) == (named.title, named.recognised)


@pytest.mark.parametrize("name", ["lora_mlp", "rotary_attention"])
def test_a_graph_input_that_is_passed_has_its_own_name_in_a_title(name: str) -> None:
    """A residual that is the model's input was called as another tensor of its size; what is passed by its name needs no search."""
    found = store.load(CAPTURED / f"{name}_train_h200")
    called, graphs = Called(found), {graph.id: graph for graph in found.graphs}
    met = 0
    for one in found.kernels:
        names, graph = called.of(one, None), graphs[one.launches[0].graph]
        given = {node.name for node in graph.nodes if node.target == "placeholder"}
        for argument in one.launches[0].arguments:
            if argument.name.startswith("in_ptr") and argument.value in given:
                own = graph.called.get(argument.value)
                said = {argument.value, parameters(graph).get(argument.value), own and term(own)}
                assert names[argument.name] in said, (one.id, argument)
                met += 1
    assert met >= 3


def test_what_was_counted_holds() -> None:
    """At least 97 kernels of 100 have a name or their whole expression."""
    counted = json.loads((TESTS / "benchmarks" / "results" / "names.json").read_text())
    assert counted["told"] >= 0.97
    assert counted["kernels"] == sum(counted["how"].values()) > 5000


def test_the_documentation_has_the_table() -> None:
    document = (ROOT / "docs" / "names.md").read_text()
    assert runpy.run_path(str(TESTS / "benchmarks" / "names.py"))["table"](document) == document


@pytest.mark.parametrize(
    "operation", some(["{0} * {0}", "tl_math.sin({0})", "tl_math.exp({0}) + {0}"], ["{0} * {0}", "tl_math.sin({0})"])
)
def test_a_formula_that_nobody_wrote_by_hand_still_has_a_title(operation: str) -> None:
    more = "".join(f"    tmp{n} = {operation.format(f'tmp{n - 1}')}\n" for n in range(9, 159))
    body = ADD_RELU.replace("    tl.store(", f"{more}    tl.store(", 1).replace("tmp8, ", "tmp158, ")
    (one,) = annotate(capture(kernel(body, ADD_RELU_TENSORS))).kernels
    assert one.title.endswith("4,096 x 1,024 f32") or one.title == ", ".join(one.ops)


def test_a_partial_sum_comes_last_and_a_sign_among_factors_makes_no_difference() -> None:
    """What is stored whole beside a partial sum is not partial; g1 * silu'(x) + g2 * silu'(x) subtracts nothing."""
    half = Naming(
        "dropout_backward + sum, 4 columns of 100 f32",
        ("dropout_backward", "sum"),
        "recognised",
        ("dropout_backward", "sum"),
    )
    assert halved(half, "partial").title == "dropout_backward + partial sum, 4 columns of 100 f32"
    assert halved(half, "partial").words == ("dropout_backward", "partial_sum")
    assert halved(replace(half, title="cat + mul + add + sum + …, 4 f32"), "partial").title.startswith(
        "partial cat + mul"
    )
    others = replace(half, words=("mul", "sum", "add", "sub"))
    told = halved(replace(others, title="mul + sum + add + sub, 5 rows of (4 + s32) // 5 f32"), "partial")
    assert told.title == "mul + partial sum + add + sub, 5 rows of (4 + s32) // 5 f32"
    assert halved(half, "second half of").title == "second half of dropout_backward + sum, 4 columns of 100 f32"
    halves = replace(half, title="cat + partial statistics of layer_norm, 6 columns of 9 f32", words=("cat", "partial"))
    assert halved(halves, "partial") == halves
    body = """
    xnumel = 256
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tl.load(in_ptr2 + (x0), xmask)
    tmp3 = tl.sigmoid(tmp0)
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp4 - tmp3
    tmp6 = tmp0 * tmp5
    tmp7 = tmp6 + tmp4
    tmp8 = tmp1 * tmp3
    tmp9 = tmp8 * tmp7
    tmp10 = tmp2 * tmp3
    tmp11 = tmp10 * tmp7
    tmp12 = tmp9 + tmp11
    tl.store(out_ptr0 + (x0), tmp12, xmask)
"""
    types = dict.fromkeys(("in_ptr0", "in_ptr1", "in_ptr2", "out_ptr0"), "float32[256]")
    found = kernel(body, types, claim=Claim(aten=("aten.silu_backward", "aten.add")))
    assert Namer(capture(found)).name(found).title.startswith("silu_backward + add, ")
