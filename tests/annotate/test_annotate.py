"""Traffic, expressions and explanations, held to kernels that Inductor wrote (torch 2.11, H200), given as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from folders import GENERATIONS
from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    EMBEDDING,
    EMBEDDING_TENSORS,
    LOOPED_SUM,
    LOOPED_SUM_TENSORS,
    OUTER_PRODUCT,
    OUTER_PRODUCT_TENSORS,
    PERSISTENT_SUM,
    PERSISTENT_SUM_TENSORS,
    ROTARY,
    ROTARY_TENSORS,
    ROWS,
    SCATTER,
    SCATTER_TENSORS,
    capture,
    kernel,
    tensor,
)

from inductor_lab.annotate import annotate, explain, summary
from inductor_lab.annotate.summary import computes
from inductor_lab.bind.claims import differences
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.space import Box, Digits, distinct, normal
from inductor_lab.costs.roofline import bound, card, told
from inductor_lab.costs.traffic import traffic, workspace
from inductor_lab.gpus import GPUS
from inductor_lab.read import read
from inductor_lab.records import Argument, Claim, Gpu, Kernel, Node, SourceLine, Traffic

M = 1024 * 1024


def notes(found: Kernel, **more: object) -> dict[int, str]:
    """The sentence of each line of the body."""
    return {note.line: note.text for note in explain(found, capture(found, **more)) if note.line}  # type: ignore[arg-type]


def origins(found: Kernel, **more: object) -> dict[int, str]:
    """Where each line of the body came from."""
    return {note.line: note.origin for note in explain(found, capture(found, **more)) if note.line}  # type: ignore[arg-type]


def whole(found: Kernel, kind: str) -> list[str]:
    return [note.text for note in explain(found, capture(found)) if note.line == 0 and note.kind == kind]


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("boxes", "count"),
    [
        ([Box(0, ((1, 1024),))], 1024),
        ([Box(0, ((1, 64), (64, 16)))], 1024),
        ([Box(0, ((2, 8),)), Box(1, ((2, 8),))], 16),
        ([Box(0, ((1, 3), (1, 10)))], 12),  # a window of 3 that moves by 1
        ([Box(0, ((1, 32), (64, 4))), Box(16, ((1, 32), (64, 4)))], 4 * 48),
        ([Box(9, ((-1, 10),)), Box(0, ((1, 10),))], 10),
        ([], 0),
        ([Box(5, ())], 1),
    ],
)
def test_distinct_addresses(boxes: list[Box], count: int) -> None:
    assert distinct(boxes) == count


@pytest.mark.parametrize(
    "dimensions", [((3, 5), (7, 4)), ((2, 6), (5, 3), (40, 3)), ((1, 4), (3, 5)), ((6, 4), (4, 5))]
)
def test_a_box_is_never_counted_short(dimensions: tuple[tuple[int, int], ...]) -> None:
    addresses = {0}
    for stride, size in dimensions:
        addresses = {address + stride * step for address in addresses for step in range(size)}
    assert len(addresses) <= distinct([Box(0, dimensions)]) <= normal(Box(0, dimensions)).span


def test_digits_cut_an_axis_where_coordinates_do() -> None:
    digits = Digits.make(4 * M, [Coordinate("x", 1, 1024), Coordinate("x", 64, 16), Coordinate("x", 1, 64)])
    assert digits.parts == ((1, 64), (64, 16), (1024, 4096))
    assert digits.of(Coordinate("x", 1, 1024)) == ((1, 64, 1), (64, 16, 64))
    assert digits.of(Coordinate("x", 1024, None)) == ((1024, 4096, 1),)
    assert not Digits.make(3000, [Coordinate("x", 1, 30), Coordinate("x", 1, 50)]).nested


# ---------------------------------------------------------------- traffic, exact


def test_traffic_of_add_relu() -> None:
    found = traffic(kernel(ADD_RELU, ADD_RELU_TENSORS))
    assert found == Traffic(read=4 * (2 * 4 * M + 1024), written=4 * 4 * M, flops=4 * 4 * M)  # two additions, mul, max


def test_traffic_of_an_embedding_with_a_hash() -> None:
    found = traffic(kernel(EMBEDDING, EMBEDDING_TENSORS))
    # 128 indices, one hash size, 128 rows of 16; the index arithmetic is no floating-point work
    assert found == Traffic(read=8 * 128 + 8 + 4 * 2048, written=4 * 2048, flops=0)


def test_a_gather_reads_at_most_the_whole_tensor() -> None:
    small = traffic(kernel(EMBEDDING, EMBEDDING_TENSORS | {"in_ptr2": "float32[4, 16]"}))
    assert small.read == 8 * 128 + 8 + 4 * 64


def test_traffic_of_an_outer_product() -> None:
    found = traffic(kernel(OUTER_PRODUCT, OUTER_PRODUCT_TENSORS))
    assert found == Traffic(read=4 * 128 * 432, written=4 * 128 * 432 * 432, flops=128 * 432 * 432)


def test_traffic_of_rotary_counts_the_partner_loads_once() -> None:
    found = traffic(kernel(ROTARY, ROTARY_TENSORS))
    # q is one third of each row of the product; its halves are loaded again for their partners; cos and sin
    assert found == Traffic(read=2 * (4 * M + 2 * 1024 * 64), written=2 * 4 * M, flops=3 * 4 * M)


def test_traffic_of_reductions() -> None:
    looped = traffic(kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction"))
    assert looped == Traffic(read=2 * 4 * 128 * 256, written=4 * (128 * 256 + 256), flops=128 * 256)
    persistent = traffic(kernel(PERSISTENT_SUM, PERSISTENT_SUM_TENSORS, category="persistent_reduction"))
    assert persistent == Traffic(read=2 * 4 * 128, written=4 * 129, flops=128 + 128)


def test_an_atomic_addition_reads_and_writes() -> None:
    found = traffic(kernel(SCATTER, SCATTER_TENSORS))
    assert found == Traffic(read=8 * 1024 + 4 * M + 4 * M, written=4 * M, flops=0)


def test_symbolic_sizes_are_not_guessed() -> None:
    body = ADD_RELU.replace("xnumel = 4194304\n", "").replace("% 1024", "% ks0")
    found = kernel(body.replace("xindex", "xindex", 1) + "\n    # xnumel", ADD_RELU_TENSORS)
    assert traffic(found) == Traffic()
    assert whole(found, "traffic") == ["traffic not counted: its sizes are symbolic"]


def test_templates_and_broken_text_are_not_counted() -> None:
    assert traffic(kernel(ADD_RELU, ADD_RELU_TENSORS, category="template")) == Traffic()
    broken = replace(kernel(ADD_RELU, ADD_RELU_TENSORS), body="tmp0 = tl.load(")
    assert traffic(broken) == Traffic()
    assert "not Python" in whole(broken, "hazard")[0]
    assert summary(broken)


def test_a_template_is_told_by_its_claim_and_its_branches_are_no_jobs() -> None:
    body = """
        if tl.program_id(0) < 4:
            tl.store(out_ptr0 + tl.arange(0, 16), tl.load(in_ptr0 + tl.arange(0, 16)))
        else:
            tl.store(out_ptr0 + tl.arange(16, 32), tl.load(in_ptr0 + tl.arange(16, 32)))
    """
    claim = Claim(aten=("aten.mul", "flex_attention_backward"))
    found = kernel(body, {"in_ptr0": "float32[32]", "out_ptr0": "float32[32]"}, category="template", claim=claim)
    assert summary(found) == "a template: flex_attention_backward"
    assert whole(found, "launch") == [
        "not decoded: the body has no axes of Inductor's; the launch in the wrapper states the grid"
    ]


def test_a_template_computes_nothing_that_only_leads_to_what_it_reads() -> None:
    relu = Node("relu_6", "aten.relu.default", "torch.ops.aten.relu.default(add_19)", ("add_19",), None, None)
    product = Node("convolution", "aten.convolution.default", "…", ("relu_6", "weight"), None, None)
    names = ("aten.relu", "aten.convolution")
    claim = Claim(aten=names, inputs=("relu_6", "weight"), outputs=("convolution",), fragment=(relu, product))
    tensors = {"arg_X": "float32[32]", "out_ptr0": "float32[32]"}
    found = kernel("    tl.store(out_ptr0 + tl.arange(0, 32), 1.0)\n", tensors, category="template", claim=claim)
    assert summary(found) == "a template: convolution"
    assert [one.text for one in differences(replace(found, ops=("store",)))] == [
        "the comment names aten.relu: another kernel computes relu_6, and this one reads it"
    ]


def test_a_template_without_the_epilogue_that_its_comment_names_is_its_product() -> None:
    """ResNet's conv3 reads what conv2's template has normalised, under a comment that names all three."""
    names = ("aten._native_batch_norm_legit_no_training", "aten.relu", "aten.convolution")
    nodes = (("sub", "x"), ("relu", "sub"), ("convolution", "relu"))
    fragment = tuple(Node(name, f"aten.{name}.default", "…", (of,), None, None) for name, of in nodes)
    claim = Claim(aten=names, inputs=("x",), outputs=("convolution",), fragment=fragment)
    tensors = {"arg_A": "float32[32]", "out_ptr0": "float32[32]"}
    found = kernel("    tl.store(out_ptr0 + tl.arange(0, 32), 1.0)\n", tensors, category="template", claim=claim)
    assert summary(found) == "a template: convolution"
    (absent,) = differences(found)
    assert absent.kind == "absent" and "aten.relu" in absent.text


def test_annotate_fills_in_every_kernel() -> None:
    found = annotate(capture(kernel(ADD_RELU, ADD_RELU_TENSORS)))
    assert found.kernels[0].traffic.flops == 16 * M
    assert found.kernels[0].computes == ("in_out_ptr0_new = relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)",)


# ---------------------------------------------------------------- what it computes


@pytest.mark.parametrize(
    ("body", "tensors", "expected"),
    [
        (ADD_RELU, ADD_RELU_TENSORS, "relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)"),
        (EMBEDDING, EMBEDDING_TENSORS, "in_ptr2[remainder(in_ptr0 + 1, in_ptr1)]"),
        (OUTER_PRODUCT, OUTER_PRODUCT_TENSORS, "in_ptr0[x3] * in_ptr0[x0 + 432 * x2]"),
        (SCATTER, SCATTER_TENSORS, "out_ptr0[in_ptr0] += in_ptr1"),
        (
            PERSISTENT_SUM,
            PERSISTENT_SUM_TENSORS,
            "in_out_ptr0_new = in_ptr0 * in_out_ptr0; out_ptr0 = sum(in_out_ptr0_new)",
        ),
    ],
)
def test_summary(body: str, tensors: dict[str, str], expected: str) -> None:
    assert summary(kernel(body, tensors)) == expected


def test_what_is_stored_rounded_is_no_name_for_what_was_computed() -> None:
    tensors = PERSISTENT_SUM_TENSORS | {
        "in_out_ptr0": "bfloat16" + PERSISTENT_SUM_TENSORS["in_out_ptr0"].removeprefix("float32")
    }
    first, second = summary(kernel(PERSISTENT_SUM, tensors)).split("; ")
    assert first == "in_out_ptr0_new = in_ptr0 * in_out_ptr0" and second == "out_ptr0 = sum(in_ptr0 * in_out_ptr0)"


MAX_POOL_BACKWARD = """
    xnumel = 16384
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % 256)
    x1 = xindex // 256
    tmp0 = tl.load(in_ptr0 + (x2), None)
    tmp1 = tl.load(in_ptr1 + (x2), None)
    tmp2 = tl.full([1], 9, tl.int32)
    tmp3 = tl.where(tmp0 < 0, tmp0 + tmp2, tmp0)
    tl.atomic_add(out_ptr0 + ((-33) + tmp3 + 2*((x0 % 16)) + 29*(tmp3 // 3) + 64*(x0 // 16) + 1024*x1), tmp1, None, sem='relaxed')
"""


def test_dimensions_that_meet_are_not_told_as_indices() -> None:
    """Windows of a pooling overlap: window and place in it go along one dimension, and the tensor has two."""
    tensors = {"in_ptr0": "int8[64, 256]", "in_ptr1": "float32[64, 256]", "out_ptr0": "float32[64, 1024]"}
    assert computes(kernel(MAX_POOL_BACKWARD, tensors)) == ("out_ptr0[…] += in_ptr1",)
    assert summary(kernel(SCATTER, SCATTER_TENSORS)).startswith("out_ptr0[in_ptr0] +=")


@pytest.mark.parametrize("limit", [8, 20, 30, 60])
def test_what_is_cut_has_its_brackets_closed(limit: int) -> None:
    body = ADD_RELU.replace(
        "    tl.store(", "    tmp9 = libdevice.atan2(libdevice.hypot(tmp8, tmp0), tmp8 + tmp0)\n    tl.store(", 1
    ).replace("(x2), tmp8,", "(x2), tmp9,")
    found = summary(kernel(body, ADD_RELU_TENSORS), limit)
    assert len(found) <= limit and "…" in found
    assert all(found.count(left) == found.count(right) for left, right in ("()", "[]"))


def test_summary_of_rotary_folds_the_concatenation() -> None:
    found = summary(kernel(ROTARY, ROTARY_TENSORS), 300)
    assert "where(x0 < 32, -in_ptr0[x0 + 64 * x1 + 3072 * x5 + 32], in_ptr0[x0 + 64 * x1 + 3072 * x5 - 32])" in found
    assert "0.0" not in found
    assert len(summary(kernel(ROTARY, ROTARY_TENSORS))) <= 100


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("tmp1 = tl.sigmoid(tmp0)\n    tmp2 = tmp0 * tmp1", "silu(in_ptr0)"),
        ("tmp1 = tl.full([1], 0.0, tl.float32)\n    tmp3 = tmp0 > tmp1\n    tmp4 = tl.full([1], 0.01, tl.float32)\n"
         "    tmp5 = tmp0 * tmp4\n    tmp2 = tl.where(tmp3, tmp0, tmp5)", "leaky_relu(in_ptr0, 0.01)"),
        ("tmp1 = tl.full([1], 0.5, tl.float32)\n    tmp3 = tmp0 * tmp1\n"
         "    tmp4 = tl.full([1], 0.7071067811865476, tl.float32)\n    tmp5 = tmp0 * tmp4\n"
         "    tmp6 = libdevice.erf(tmp5)\n"
         "    tmp7 = tl.full([1], 1.0, tl.float32)\n"
         "    tmp8 = tmp6 + tmp7\n    tmp2 = tmp3 * tmp8", "gelu(in_ptr0)"),
        ("tmp2 = tl.full([1], 0.0, tl.float32)", "0.0 everywhere"),
    ],
)  # fmt: skip
def test_idioms(lines: str, expected: str) -> None:
    body = f"""
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    {lines}
    tl.store(out_ptr0 + (x0), tmp2, None)
"""
    assert summary(kernel(body, {"in_ptr0": "float32[1024]", "out_ptr0": "float32[1024]"})) == expected


# ---------------------------------------------------------------- the explanation


@pytest.mark.parametrize(
    ("body", "tensors", "category"),
    [
        (ADD_RELU, ADD_RELU_TENSORS, "pointwise"),
        (EMBEDDING, EMBEDDING_TENSORS, "pointwise"),
        (OUTER_PRODUCT, OUTER_PRODUCT_TENSORS, "pointwise"),
        (ROTARY, ROTARY_TENSORS, "pointwise"),
        (LOOPED_SUM, LOOPED_SUM_TENSORS, "reduction"),
        (PERSISTENT_SUM, PERSISTENT_SUM_TENSORS, "persistent_reduction"),
        (SCATTER, SCATTER_TENSORS, "pointwise"),
    ],
)
def test_every_line_has_a_note_that_a_rule_made(body: str, tensors: dict[str, str], category: str) -> None:
    found = kernel(body, tensors, category=category)
    said = notes(found)
    assert set(said) == {number for number, line in enumerate(found.body.splitlines(), 1) if line.strip()}
    assert not [text for text in said.values() if "no rule" in text or not text]


def lora() -> Kernel:
    source = SourceLine("models.py", 31, "return s.lin(x) + s.scale * ((x @ s.A.T) @ s.B.T)")
    claim = Claim((), ("aten.addmm", "aten.mul", "aten.add", "aten.relu"), ("arg1_1", "mm_default_2", "mm_1"),
                  ("add_tensor_2", "mul", "add", "relu"), ("relu",))  # fmt: skip
    passed = {"in_out_ptr0": "buf3", "in_ptr0": "arg1_1", "in_ptr1": "buf2"}
    return kernel(ADD_RELU, ADD_RELU_TENSORS, claim=claim, source=(source,), passed=passed)


def lora_nodes() -> tuple[Node, ...]:
    big, line = tensor("float32[4096, 1024]"), SourceLine("models.py", 31, "return ...")
    return (
        Node("arg1_1", "placeholder", "", (), tensor("float32[1024]"), None),
        Node("mm_default_2", "aten.mm.default", "", (), big, line),
        Node("mm_1", "aten.mm.default", "", (), big, line),
        Node("add_tensor_2", "aten.add.Tensor", "", ("arg1_1", "mm_default_2"), big, line),
        Node("mul", "aten.mul.Tensor", "", ("mm_1",), big, line),
        Node("add", "aten.add.Tensor", "", ("add_tensor_2", "mul"), big, line),
        Node("relu", "aten.relu.default", "", ("add",), big, SourceLine("models.py", 36, "x = torch.relu(l(x))")),
    )


def test_lines_say_which_tensor_which_operator_and_why() -> None:
    said = notes(lora(), nodes=lora_nodes())
    assert said[1] == "4096 x 1024 elements"
    assert said[4].startswith("always true: every XBLOCK that may be chosen divides 4,194,304")
    assert said[7] == "arg1_1 f32[1024]; each of 1,024 values serves 4,096 elements; keep it in cache: it is read again"
    assert said[8].startswith("mm_default_2? f32[4096, 1024], a matrix product")
    assert said[10] == "in_ptr0 + in_out_ptr0"
    assert "NaN stays NaN" in said[15]
    came = origins(lora(), nodes=lora_nodes())
    assert (came[10], came[15]) == ("aten.add, models.py:31", "aten.relu, models.py:36")
    assert came[1] == came[16] == ""
    assert "its memory is reused, no new buffer" in said[16]


CUBE = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 0.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tmp0 * tmp0
    tmp4 = tmp3 * tmp0
    tmp5 = tmp2 * tmp4
    tl.store(out_ptr0 + (x0), tmp5, None)
"""


def test_a_line_is_the_node_that_has_its_number_and_is_made_of_what_it_is_made_of() -> None:
    """The graph halves x behind the cube, the body before: their order tells nothing."""
    x = tensor("float32[4096]")
    calls = {"square": "x, x", "cube": "square, x", "half": "x, 0.5", "product": "half, cube"}
    nodes = (
        Node("x", "placeholder", "", (), x, None),
        *(
            Node(name, "aten.mul.Tensor", f"torch.ops.aten.mul.Tensor({call})",
                 tuple(dict.fromkeys(part for part in call.split(", ") if part.isalpha())), x, SourceLine("m.py", n, ""))
            for n, (name, call) in enumerate(calls.items(), 1)
        ),
    )  # fmt: skip
    told = Claim((), ("aten.mul",), ("x",), tuple(calls), ("product",))
    found = kernel(CUBE, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}, claim=told,
                   passed={"in_ptr0": "x", "out_ptr0": "buf0"})  # fmt: skip
    assert {line: came for line, came in origins(found, nodes=nodes).items() if came} == {
        8: "aten.mul, m.py:3", 9: "aten.mul, m.py:1", 10: "aten.mul, m.py:2", 11: "aten.mul, m.py:4"
    }  # fmt: skip


def test_a_bias_is_no_node_of_its_own() -> None:
    """The library's product is given without its bias: the addition is no `aten.add`, though the comment holds one of an activation."""
    x, bias = tensor("float32[4096]"), tensor("float32[4096]")
    nodes = (
        Node("w", "placeholder", "", (), bias, None),
        Node("convolution", "aten.convolution.default", "", ("x", "w"), x, None),
        Node("exp", "aten.exp.default", "torch.ops.aten.exp.default(convolution)", ("convolution",), x, None),
        Node("add", "aten.add.Tensor", "torch.ops.aten.add.Tensor(exp, 1)", ("exp",), x, None),
    )
    told = Claim((), ("aten.convolution", "aten.add"), ("buf0", "w"), ("convolution", "exp", "add"), ("convolution",))
    body = CUBE.replace("tmp5 = tmp2 * tmp4", "tmp5 = tmp0 + tl.load(in_ptr1 + (x0), None)")
    found = kernel(body, dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[4096]"), claim=told,
                   passed={"in_ptr0": "buf0", "in_ptr1": "w", "out_ptr0": "buf1"})  # fmt: skip
    assert not any(origins(found, nodes=nodes).values())


@pytest.mark.parametrize(("call", "came"), [("w, z", ""), ("w, half", "aten.mul, m.py:1")])
def test_a_product_with_a_number_is_none_of_two_tensors_but_where_one_is_a_number_everywhere(
    call: str, came: str
) -> None:
    """Both are made of what the line is made of."""
    x, line = tensor("float32[4096]"), SourceLine("m.py", 1, "")
    nodes = (
        Node("x", "placeholder", "", (), x, None),
        Node("w", "aten.exp.default", "torch.ops.aten.exp.default(x)", ("x",), x, None),
        Node("z", "aten.abs.default", "torch.ops.aten.abs.default(x)", ("x",), x, None),
        Node("half", "aten.full.default", "torch.ops.aten.full.default([], 0.5)", (), tensor("float32[]"), None),
        Node("mul", "aten.mul.Tensor", f"torch.ops.aten.mul.Tensor({call})", tuple(call.split(", ")), x, line),
    )
    body = CUBE.replace(
        "    tmp3 = tmp0 * tmp0\n    tmp4 = tmp3 * tmp0\n    tmp5 = tmp2 * tmp4\n", "    tmp5 = tmp2 - tmp0\n"
    )
    told = Claim((), ("aten.mul",), ("x",), ("w", "z", "half", "mul"), ())
    found = kernel(body.replace("tmp0 *", "tl_math.exp(tmp0) *"), dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]"), claim=told,
                   passed={"in_ptr0": "x", "out_ptr0": "buf0"})  # fmt: skip
    assert origins(found, nodes=nodes)[8] == came


def test_the_whole_kernel() -> None:
    found = lora()
    assert whole(found, "launch")[0].startswith(
        "4,096 programs of 1,024 elements, 4 warps: 8 elements a thread (the first of 2 that the autotuner times: it may keep another); 1.9 waves"
    )
    assert "50.3 MB" in whole(found, "traffic")[0]
    assert "11.8 us on an H200" in whole(found, "traffic")[0]
    assert "bound by memory" in whole(found, "traffic")[0]
    assert whole(found, "hazard") == []
    assert "aten.addmm" in whole(found, "claim")[0]


def test_hazards_are_those_of_the_body() -> None:
    embedding = " ".join(whole(kernel(EMBEDDING, EMBEDDING_TENSORS), "hazard"))
    assert "gather: rows of 64 B from in_ptr2" in embedding
    assert "16 times for each of 128 values" in embedding
    assert "small: 8 programs for 132 SMs" in embedding
    assert "read twice: in_ptr0 has 3 loads" in whole(kernel(ROTARY, ROTARY_TENSORS), "hazard")[0]
    assert whole(kernel(SCATTER, SCATTER_TENSORS), "hazard")[0].endswith("and with it the last bits of the sums")
    counted = dict(SCATTER_TENSORS, in_ptr1="int64[1024, 1024]", out_ptr0="int64[4096, 1024]")
    assert whole(kernel(SCATTER, counted), "hazard")[0].endswith("waits for the one before")  # exact in any order
    strided = """
    xnumel = 65536
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (64*x0), None)
    tl.store(out_ptr0 + (x0), tmp0, None)
"""
    found = kernel(strided, {"in_ptr0": "float32[65536, 64]", "out_ptr0": "float32[65536]"})
    of_each = "stride: in_ptr0 is read in steps of 64 elements: of each 32 bytes moved, at most"
    assert whole(found, "hazard") == [f"{of_each} 4 are used"]
    beside = strided.replace("tmp0, None)", "tmp0 + tl.load(in_ptr0 + (1 + 64*x0), None), None)")
    tensors = {"in_ptr0": "float32[65536, 64]", "out_ptr0": "float32[65536]"}
    assert whole(kernel(beside, tensors), "hazard")[0] == f"{of_each} 8 are used"
    halves = beside.replace("64*x0", "2*x0")  # even and odd elements: together all of them
    assert not [text for text in whole(kernel(halves, tensors), "hazard") if text.startswith("stride")]


def loaded(load: str, numel: str, tensor: str, **more: str) -> str:
    """The sentence for the one load of a copy, with the lines that its address and mask need."""
    body = f"""
    xnumel = {numel}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 64)
    x1 = xindex // 64
    x2 = xindex
    tmp1 = x0 < 16
    tmp2 = {load}
    tl.store(out_ptr0 + (x2), tmp2, xmask)
"""
    found = kernel(body, {"in_ptr0": tensor, "out_ptr0": f"float32[{numel}]"})
    return notes(found)[9]


def row_sum(rows: int, length: int, block: int) -> Kernel:
    """Sums of rows in one block each, and the rows doubled."""
    body = PERSISTENT_SUM.replace("xnumel = 1\n", f"xnumel = {rows}\n").replace(
        "r0_numel = 128", f"r0_numel = {length}"
    )
    body = body.replace("R0_BLOCK: tl.constexpr = 128", f"R0_BLOCK: tl.constexpr = {block}")
    if length < block:
        body = body.replace("r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]", "r0_mask = r0_index < r0_numel")
    return kernel(body, PERSISTENT_SUM_TENSORS, category="persistent_reduction")


def test_lanes_that_never_have_work_are_said_to_idle() -> None:
    found = row_sum(64, 384, 512)
    assert notes(found)[9] == "true for 384 of the block's 512 lanes; the other 128 always idle"
    assert "idle: 128 of 512 lanes never have work" in whole(found, "hazard")[0]
    assert not [remark for remark in whole(row_sum(64, 512, 512), "hazard") if remark.startswith("idle")]
    assert not [remark for remark in whole(row_sum(64, 500, 512), "hazard") if remark.startswith("idle")]


def test_what_is_shorter_than_a_warp_idles_too() -> None:
    """Several rows of 9 share a warp, and one row of 16 does not fill it."""
    lanes, threads = (remark for remark in whole(row_sum(8192, 9, 16), "hazard") if remark.startswith("idle"))
    assert lanes.startswith("idle: 7 of 16 lanes never have work: a row has 9 elements")
    assert threads == (
        "idle: 48 of a program's 64 threads have no element of their own: "
        "a program holds 16 elements at a time under the configuration that the autotuner times first"
    )
    assert [remark[:8] for remark in whole(row_sum(8192, 16, 16), "hazard")] == ["idle: 48"]


def transposed(rows: int, columns: int) -> Kernel:
    """A copy in tiles of two axes."""
    body = f"""
    ynumel = {columns}
    xnumel = {rows}
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0 + {columns}*x1), xmask & ymask)
    tl.store(out_ptr0 + (x1 + {rows}*y0), tmp0, xmask & ymask)
"""
    found = kernel(body, {"in_ptr0": f"float32[{rows}, {columns}]", "out_ptr0": f"float32[{columns}, {rows}]"})
    blocks = tuple(Argument(name, "", "constexpr") for name in ("YBLOCK", "XBLOCK"))
    return replace(
        found,
        size_hints={"y": columns, "x": rows},
        arguments=(*found.arguments, *blocks),
        meta={"tile_hint": "TileHint.SQUARE"},
    )


def test_a_tile_that_does_not_divide_an_axis_idles() -> None:
    remarks = [remark for remark in whole(transposed(36, 4096), "hazard") if remark.startswith("idle")]
    assert remarks == ["idle: 28 of 64 lanes along x have no element: 36 elements in 2 blocks of XBLOCK 32"]
    assert not [remark for remark in whole(transposed(64, 4096), "hazard") if remark.startswith("idle")]
    several = replace(transposed(36, 4096), meta={})
    assert any(r.endswith("XBLOCK 32, the first that the autotuner times") for r in whole(several, "hazard"))


def test_jobs_are_told_by_their_size_and_the_warps_of_a_program() -> None:
    several = read([GENERATIONS / "g7_torch_2.13_combo.txt"], "x").kernels[0]
    assert whole(several, "launch") == ["2 jobs side by side, of 512 elements, 1,000 elements; 4 warps a program"]


def test_a_reduction_of_one_program_leaves_the_card_idle() -> None:
    assert whole(row_sum(1, 512, 512), "launch") == [
        "1 row of 512 elements; 1 program of 1 row, 4 warps: 4 elements a thread; 1 of 132 SMs has work"
    ]
    assert "small: 1 program for 132 SMs" in whole(row_sum(1, 512, 512), "hazard")
    dynamic = row_sum(1, 512, 512)
    dynamic = replace(dynamic, body=dynamic.body.replace("r0_numel = 512\n", ""))
    assert "small: 1 program for 132 SMs" in whole(dynamic, "hazard")  # however long the row is
    assert (
        "; 1.5 programs for each of 132 SMs (at most 16 programs resident on each)"
        in whole(row_sum(192, 512, 512), "launch")[0]
    )
    many = whole(row_sum(65536, 512, 512), "launch")[0]
    assert many.startswith(
        "65,536 rows of 512 elements; 65,536 programs of 1 row, 4 warps: 4 elements a thread (the first of 2 "
    )


def test_a_scan_s_rows_are_not_folded_and_its_programs_own_parts_of_them() -> None:
    """`ops_fp32`'s cumsum, split over programs."""
    body = """
    xnumel = 1000
    XBLOCK: tl.constexpr = 1
    r0_numel = 200
    xoffset = tl.program_id(1) * XBLOCK
    xindex = xoffset
    r0_offset = tl.program_id(0) * R0_BLOCK
    r0_index = r0_offset + tl.arange(0, R0_BLOCK)
    r0_mask = r0_index < r0_numel
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 1000*r0_1), r0_mask, other=0.0)
    tmp1 = tl.associative_scan(tmp0, 0, _triton_helper_fn_add0)
    tl.store(out_ptr0 + (x0 + 1000*r0_1), tmp1, r0_mask)
"""
    found = kernel(body, {"in_ptr0": "float32[200, 1000]", "out_ptr0": "float32[200, 1000]"}, category="split_scan")
    told = notes(found)
    assert whole(found, "launch")[0].startswith("1,000 rows of 200 elements; 1,000 programs of 1 row")
    lines = (
        "1,000 rows",
        "each program works on a part of 1 row: fixed, not tuned",
        "each row has 200 elements: in memory, a column",
    )
    assert tuple(told[line] for line in (1, 2, 3)) == lines
    assert told[6] == "each program owns R0_BLOCK consecutive elements of its row"


def test_a_pointer_that_is_added_to_is_no_block_pointer() -> None:
    body = "    offset = unknown_function()\n    tmp0 = tl.load(in_ptr0 + offset)\n    tmp1 = tl.load(in_ptr0)\n"
    told = notes(kernel(body, {"in_ptr0": "float32[64]"}, category="template"))
    assert "block pointer" not in told[2]


def test_a_block_pointer_is_made_once_and_moved_on_each_turn() -> None:
    body = """
xnumel = 8
rnumel = 4096
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
rbase = tl.arange(0, RBLOCK)[None, :]
block_ptr0 = tl.make_block_ptr(in_ptr0, shape=[8, 4096], strides=[4096, 1], block_shape=[XBLOCK, RBLOCK], order=[1, 0], offsets=[xoffset, 0])
for roffset in range(0, rnumel, RBLOCK):
    rindex = roffset + rbase
    tmp0 = tl.load(block_ptr0)
    block_ptr0 = tl.advance(block_ptr0, [0, RBLOCK])
"""
    told = notes(kernel(body, {"in_ptr0": "float32[8, 4096]"}, category="reduction"))
    assert (told[6], told[10]) == ("a tile of a tensor, by its shape and strides", "moved on to the next turn's tile")


def test_a_template_s_line_is_told_in_its_own_names() -> None:
    body = """
offs_k = tl.arange(0, 16)
for k_idx in range(0, 4):
    a_mask = offs_k[None, :] < 50 - k_idx * 16
    b_mask = offs_k[:, None] < 50 - k_idx * 16
    tmp0 = tl.load(in_ptr0 + offs_k + 16 * k_idx)
    tmp1 = tmp0 * 0.125 + 0.375
    b = tl.where(b_mask, tmp1, 0.0)
"""
    told = notes(kernel(body, {"in_ptr0": "float32[64]"}, category="template"))
    # not a_mask: one value to the tree, but b's lies down the tile
    assert told[7] == "tmp1 where b_mask, 0 elsewhere; nothing reads it"


def test_a_template_s_pointer_that_moves_on_is_no_sum() -> None:
    body = """
A = in_ptr0
A = A + tl.arange(0, 16)
acc = tl.zeros((16,), dtype=tl.float32)
for k in range(64, 0, -16):
    a = tl.load(A)
    acc += a
    A += 16
tl.store(out_ptr0 + tl.arange(0, 16), acc)
"""
    told = notes(kernel(body, {"in_ptr0": "float32[64]", "out_ptr0": "float32[16]"}, category="template"))
    assert told[6].startswith("this block's ") and told[6].endswith(", taken into the sum so far")
    assert told[7] == "moved on by 16 elements, for the next turn"


def test_what_only_meets_a_sum_is_one_value_a_row_and_what_meets_the_elements_serves_them() -> None:
    scale = "    tmp1 = tl.load(in_ptr1 + (x0), xmask)\n"
    after = "    tmp2 = tl.sum(tmp0, 1)[:, None]\n    tmp3 = tmp2 * tmp1\n    tl.store(out_ptr0 + (x0), tmp3, xmask)\n"
    before = after.replace("tl.sum(tmp0", "tl.sum(tmp4").replace("    tmp2 =", "    tmp4 = tmp0 * tmp1\n    tmp2 =", 1)
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "float32[8]", "out_ptr0": "float32[8]"}
    line = (ROWS + scale).strip("\n").count("\n") + 1
    told = [
        notes(kernel(ROWS + scale + end, tensors, category="persistent_reduction"))[line] for end in (after, before)
    ]
    assert "one value for each row" in told[0] and "each of 8 values serves 128 elements" in told[1]
    alone = ROWS + "    tmp2 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    elements = notes(kernel(alone, tensors, category="persistent_reduction"))
    assert any("element by element" in note for note in elements.values())
    assert not any("one value for each row;" in note for note in elements.values())


def test_parts_of_a_row_s_number_are_not_called_rows() -> None:
    body = ROWS.replace("x0 = xindex\n", "x0 = xindex % 4\n    x1 = xindex // 4\n")
    body = (
        body.replace("128*x0", "128*x0 + 512*x1")
        + "    tmp6 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr0 + (xindex), tmp6, xmask)\n"
    )
    told = notes(kernel(body, {"in_ptr0": "float32[2, 4, 128]", "out_ptr0": "float32[2, 4]"}, category="reduction"))
    assert told[10] == "the inner part of the row's number, 0 to 3"
    assert told[11] == "the outer part of the row's number, 0 to 1: moves on every 4"


def test_the_grid_of_a_body_without_axes_is_not_said_to_be_symbolic() -> None:
    own = kernel("    tl.store(out_ptr0 + tl.arange(0, 64), 1.0)\n", {"out_ptr0": "float32[64]"}, category="template")
    assert whole(own, "launch")[0].startswith("not decoded: the body has no axes of Inductor's")


def test_a_user_s_own_kernel_says_why_its_bytes_are_not_counted_and_what_its_tensors_hold() -> None:
    body = "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(out_ptr0 + offsets, tl.load(in_ptr0 + offsets))\n"
    own = kernel(body, {"in_ptr0": "float32[1024]", "out_ptr0": "float32[1024]"}, category="user_autotune")
    assert whole(own, "traffic") == [
        "traffic not counted: it is its author's own text, not in Inductor's frame; each element of its tensors once is 4.1 KB read, 4.1 KB written"
    ]
    untold = replace(own, launches=())
    assert whole(untold, "traffic")[0].endswith("the text does not tell the sizes of all that it is passed")


def test_the_same_bytes_written_twice_are_a_hazard() -> None:
    twice = ADD_RELU + "    tl.store(out_ptr0 + (x2), tmp8, None)\n"
    assert whole(kernel(twice, ADD_RELU_TENSORS | {"out_ptr0": "float32[4096, 1024]"}), "hazard") == [
        "written twice: in_out_ptr0 and out_ptr0 get the same 16.8 MB"
    ]
    assert whole(kernel(twice, ADD_RELU_TENSORS | {"out_ptr0": "bfloat16[4096, 1024]"}), "hazard") == []
    turned = "    x1 = xindex // 1024\n    tl.store(out_ptr0 + (x1 + 4096*x0), tmp8, None)\n"
    assert whole(kernel(ADD_RELU + turned, ADD_RELU_TENSORS | {"out_ptr0": "float32[1024, 4096]"}), "hazard") == [
        "written twice: in_out_ptr0 and out_ptr0 get the same 16.8 MB, each laid out in its own way"
    ]
    small = {
        "in_out_ptr0": "float32[16, 32]",
        "in_ptr0": "float32[32]",
        "in_ptr1": "float32[16, 32]",
        "out_ptr0": "float32[16, 32]",
    }
    few = twice.replace("4194304", "512").replace("1024", "32")
    assert "written twice: in_out_ptr0 and out_ptr0 get the same 2.0 KB, too little to cost time" in whole(
        kernel(few, small), "hazard"
    )
    other = ADD_RELU + "    tl.store(out_ptr0 + (x2), tmp6, None)\n"
    assert whole(kernel(other, ADD_RELU_TENSORS | {"out_ptr0": "float32[4096, 1024]"}), "hazard") == []


def test_an_amd_card_has_units_and_wavefronts() -> None:
    amd = Gpu("AMD Instinct MI300X", "gfx942", True)
    found = kernel(ADD_RELU, ADD_RELU_TENSORS)
    on_amd = replace(capture(found), gpu=amd)
    launch = next(note.text for note in explain(found, on_amd) if note.kind == "launch")
    assert launch == (
        "4,096 programs of 1,024 elements, 4 wavefronts of 64: 4 elements a thread (the first of 4 that the autotuner times: it may keep another); "
        "1.7 waves over 304 CUs (at most 8 programs resident on each)"
    )
    assert "floor 9.5 us on an MI300X at 5.30 TB/s" in next(
        n.text for n in explain(found, on_amd) if n.kind == "traffic"
    )
    small = kernel(EMBEDDING, EMBEDDING_TENSORS)
    assert "small: 8 programs for 304 CUs" in [note.text for note in explain(small, replace(capture(small), gpu=amd))]


def test_what_a_mask_leaves_out_is_neither_read_nor_served() -> None:
    said = loaded("tl.load(in_ptr0 + (x0 + 16*x1), tmp1 & xmask, other=0.0)", "4096", "float32[1024]")
    assert "element by element; only where" in said  # 1,024 of 4,096 elements, each its own
    said = loaded("tl.load(in_ptr0 + (x0), tmp1 & xmask, other=0.0)", "4096", "float32[16]")
    assert "each of 16 values serves 64 elements" in said
    said = loaded("tl.load(in_ptr0 + (x0), xmask)", "4096", "float32[64]")
    assert "each of 64 values serves 64 elements" in said
    # a mask over several coordinates is no range: nothing outside the tensor is claimed
    said = loaded("tl.load(in_ptr0 + ((-8) + x2), (x0 + x1 >= 8) & xmask, other=0.0)", "4096", "float32[4088]")
    assert "-8" not in said.split(";")[1]


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ("tl.load(in_ptr0 + (x2), xmask)", "element by element"),
        ("tl.load(in_ptr0 + (x0 + ks0*x1), xmask)", "element by element"),
        ("tl.load(in_ptr0 + (x0), xmask)", "each value serves several elements: it moves with x0 alone"),
        ("tl.load(in_ptr0 + (x1), xmask)", "each value serves several elements: it moves with x1 alone"),
        ("tl.load(in_ptr0 + (3*ks0))", "one value for the whole launch"),
    ],
)
def test_open_sizes_do_not_hide_a_pattern(load: str, expected: str) -> None:
    body = f"""
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % ks0)
    x1 = xindex // ks0
    x2 = xindex
    tmp0 = {load}
    tl.store(out_ptr0 + (x2), tmp0, xmask)
"""
    found = kernel(body, {"in_ptr0": "float32[64, 64]", "out_ptr0": "float32[64, 64]"})
    assert notes(found)[7].split("; ", 1)[1].startswith(expected)


def test_a_slice_of_a_concatenation_and_the_wrapped_index() -> None:
    said = notes(kernel(EMBEDDING, EMBEDDING_TENSORS))
    assert "16 of every 432 elements: the rest is left as it is" in said[27]
    assert said[24].endswith("a negative index counts from the end")
    assert said[25] == "stops the kernel if index out of bounds: 0 <= tmp17 < 10000"


def test_a_constant_is_of_the_type_that_it_ends_with() -> None:
    body = ADD_RELU.replace("tl.full([1], 0.5, tl.float32)", "(tl.full([1], 384, tl.int32)).to(tl.float32)")
    assert body != ADD_RELU
    assert notes(kernel(body, ADD_RELU_TENSORS))[11] == "the constant 384 as float32"


def test_an_unknown_line_is_said_to_be_unknown() -> None:
    found = kernel(ADD_RELU + "    del tmp7\n    tl.debug_barrier()\n", ADD_RELU_TENSORS)
    assert "no rule of this explanation fits" in notes(found)[17]
    assert notes(found)[18].startswith("waits until all threads of the program are here")


# ---------------------------------------------------------------- the roofline


def test_the_card_is_found_by_name_then_by_architecture() -> None:
    assert card(Gpu("NVIDIA H100 80GB HBM3", "sm_90", False)).label == "H100 SXM"
    assert card(Gpu("", "gfx942", True)).label == "MI300X"
    assert card(Gpu("", "", False)).label == "H200"


def test_the_bound() -> None:
    memory = bound(Traffic(10**9, 0, 10**6), GPUS["h200"])
    assert memory is not None
    assert memory.limit == "memory"
    assert memory.seconds == pytest.approx(1e9 / 4.28e12)
    assert bound(Traffic(100, 100, 0), GPUS["h200"]).limit == "launch"  # type: ignore[union-attr]
    assert bound(Traffic(10**6, 0, 10**12), GPUS["h200"]).limit == "arithmetic"  # type: ignore[union-attr]
    assert bound(Traffic(), GPUS["h200"]) is None


def test_a_floor_is_told_by_the_rate_that_makes_it() -> None:
    h200 = GPUS["h200"]
    for traffic_, words in (
        (Traffic(10**9, 0, 10**9), "at 4.28 TB/s; 1 FLOP/byte: bound by memory"),
        (Traffic(10**6, 0, 10**12), "at 67 TFLOP/s in fp32; 1,000,000 FLOP/byte: bound by arithmetic"),
        (Traffic(10**3, 0, 0, special=10**5), "roots or quotients, of which an SM makes 16 a clock, no more than"),
    ):
        found = bound(traffic_, h200)
        assert found is not None and words in told(found, traffic_, h200)


@pytest.mark.parametrize(
    ("log", "name", "moved", "beside"),
    [
        ("g7_torch_2.13_cooperative", "triton_unk_fused_sum_0", (40_000_000, 4), "256 B"),
        ("g4_torch_2.6", "triton_unk_fused_sum_2", (8_192, 4), "4.1 KB"),
        ("g7_torch_2.13_scan", "triton_spl_fused_cumsum_0", (4_000_000, 4_000_000), ""),
    ],
)
def test_programs_that_share_a_row_read_it_once_together(
    log: str, name: str, moved: tuple[int, int], beside: str
) -> None:
    found = read([GENERATIONS / f"{log}.txt"], "x")
    (shared,) = (kernel for kernel in found.kernels if kernel.name == name)
    counted = traffic(shared)
    assert (counted.read, counted.written) == moved
    (told,) = (note.text for note in explain(shared, found) if note.kind == "traffic")
    assert f"beside what its programs leave for each other in a workspace of {beside}" in told
    if shared.category == "cooperative_reduction":
        alone = replace(shared, autotuned={"XBLOCK": 1, "R0_BLOCK": 64, "RSPLIT": 1})
        assert workspace(shared, GPUS["h200"]) and workspace(alone, None) is None
    other = replace(shared, body=shared.body.replace("rsplit_id == (0 % RSPLIT)", "tl.program_id(1) == 0"))
    assert other.body == shared.body or traffic(other) == Traffic(), "what only some rows do is not counted for all"


PRODUCT = """
A = arg_A
B = arg_B
M = 64
N = 32
K = 128
if M * N == 0:
    return
A = A + tl.program_id(1) * 8192
acc = tl.dot(tl.load(A), tl.load(B))
tl.store(out_ptr0 + tl.arange(0, 2048), acc)
"""
OPERANDS = {"arg_A": "float32[4, 64, 128]", "arg_B": "float32[4, 128, 32]", "out_ptr0": "float32[4, 64, 32]"}


def test_a_product_moves_its_operands_and_its_result_at_least_once() -> None:
    batched = kernel(PRODUCT, OPERANDS, category="template")
    least = traffic(batched)
    assert least == Traffic(read=4 * 4 * (64 * 128 + 128 * 32), written=4 * 4 * 64 * 32, least=True)
    assert whole(batched, "traffic")[0].startswith(
        "moves at least 229.4 KB: 196.6 KB read, 32.8 KB written, its operands and its result once each"
    )
    assert "bound by" not in whole(batched, "traffic")[0], "how long the product itself takes is not known"
    squared = kernel(PRODUCT.replace("arg_B", "arg_A").replace("128", "64").replace("32", "64"),
                     {"arg_A": "float32[64, 64]", "out_ptr0": "float32[64, 64]"}, category="template")  # fmt: skip
    assert traffic(squared).read == 4 * 64 * 64, "one tensor is read once"


@pytest.mark.parametrize(
    ("body", "tensors", "why"),
    [
        (PRODUCT, OPERANDS | {"arg_A": "float32[4, 100, 128]"}, "its tensors have not the shapes of its product"),
        (PRODUCT.replace("M = 64", "M = ks0"), OPERANDS, "its sizes are symbolic"),
        (PRODUCT.replace("A = arg_A", "A = tl.load(arg_A)"), OPERANDS, "its text does not tell what it multiplies"),
        (PRODUCT, OPERANDS | {"arg_X": "float32[4]"}, "a convolution's stride and border decide which of its input it reads"),
        (PRODUCT, OPERANDS | {"arg_KV_IDX": "int32[4]"}, "its block mask decides which keys and values it reads"),
    ],
)  # fmt: skip
def test_why_a_template_is_not_counted(body: str, tensors: dict[str, str], why: str) -> None:
    found = kernel(body, tensors, category="template")
    assert traffic(found) == Traffic()
    assert whole(found, "traffic") == [f"traffic not counted: {why}"]


def test_a_product_of_a_size_that_is_passed_is_counted_as_it_was_compiled() -> None:
    found = read([GENERATIONS / "g5_torch_2.7.txt"], "x")
    (product,) = (one for one in found.kernels if one.category == "template")
    (told,) = (note.text for note in explain(product, found) if note.kind == "traffic")
    assert "29.2 KB read, 6.4 KB written (when compiled, s0 = 50)" in told  # [50, 128] x [128, 64] in bfloat16
