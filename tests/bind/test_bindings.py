"""Which node of the graph each pointer of a launch holds, where several would fit by their dtype and number of elements."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernels_as_text import HEAD, capture, kernel
from kernels_as_text import ROWS as FOLDED

from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.dependencies import fits, same_shape
from inductor_lab.bind.names import tensors
from inductor_lab.computation import computation
from inductor_lab.read.provenance import graph
from inductor_lab.records import Claim, ExternCall, Kernel, LaunchArgument, Node, Provenance, TensorType
from inductor_lab.report.facts import holds

ADDED_IN_PLACE = """
xnumel = 128
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
tmp1 = tl.load(in_ptr0 + (x0), xmask)
tmp2 = tmp0 + tmp1
tl.store(in_out_ptr0 + (x0), tmp2, xmask)
"""


def nodes(*lines: str) -> dict[str, Node]:
    """The nodes of a graph of these lines."""
    found, _ = graph("\n    ".join(lines))
    return {node.name: node for node in found}


IMAGE, ROWS = '"f32[2, 4, 16][64, 16, 1]cuda:0"', '"f32[8, 16][16, 1]cuda:0"'
ADDED = nodes(
    f'def forward(self, x: {ROWS}, w: "f32[16, 16][16, 1]cuda:0", start: {IMAGE}):',
    f"residual: {IMAGE} = torch.ops.aten.mul.Tensor(start, 2)",
    f"mm: {ROWS} = torch.ops.aten.mm.default(x, w)",
    f"mm_1: {ROWS} = torch.ops.aten.mm.default(mm, w)",
    f"view: {IMAGE} = torch.ops.aten.reshape.default(mm, [2, 4, 16])",
    f"add: {IMAGE} = torch.ops.aten.add.Tensor(view, residual)",
    "return (add,)",
)
"""A product, added to a residual in the product's memory: the wrapper shows that memory in the sum's shape, which is the residual's."""


def added(*inputs: str) -> Bindings:
    """What is found where the comment lists these inputs."""
    shape = "float32[2, 4, 16]"
    claim = Claim(nodes=("view", "add"), inputs=inputs, outputs=("add",))
    body = kernel(ADDED_IN_PLACE, {"in_out_ptr0": shape, "in_ptr0": shape}, claim=claim)
    return bind(body, body.launches[0], ADDED, ("add",), computation(body))


def test_the_shape_of_what_is_written_in_place_does_not_tell_what_was_there() -> None:
    found = added("mm", "residual")
    assert found.read == {"in_out_ptr0": "mm", "in_ptr0": "residual"}
    assert found.written == {"in_out_ptr0": "add"}
    assert not found.likely  # the residual is the other pointer's, by its shape


def test_what_is_overwritten_is_only_likely_where_another_node_fits() -> None:
    found = added("mm", "residual", "mm_1")
    assert found.read == {"in_out_ptr0": "mm", "in_ptr0": "residual"}
    assert found.likely == {"in_out_ptr0"}  # told by the order of the loads alone


def test_what_is_written_in_place_holds_one_node_and_then_another() -> None:
    shape = "float32[2, 4, 16]"
    claim = Claim(nodes=("view", "add"), inputs=("mm", "residual"), outputs=("add",))
    body = kernel(ADDED_IN_PLACE, {"in_out_ptr0": shape, "in_ptr0": shape}, claim=claim)
    found = tensors(body, capture(body, nodes=tuple(ADDED.values())), computation(body))
    assert [holds(found[name]) for name in ("in_out_ptr0", "in_ptr0")] == ["mm, then add", "residual"]


def test_what_is_only_read_may_still_lie_in_memory_that_the_wrapper_shows_in_another_shape() -> None:
    """A template's result has no node: the fragment calls it by the buffer that it was before its memory was reused."""
    shape = "float32[2, 4, 16]"
    claim = Claim(nodes=("view", "add"), inputs=("buf9", "residual"), outputs=("add",))
    body = ADDED_IN_PLACE.replace("tl.store(in_out_ptr0", "tl.store(out_ptr0")
    placeholder = Node("buf9", "placeholder", "", (), ADDED["mm"].type, None)
    found = kernel(body, {"in_out_ptr0": shape, "in_ptr0": shape, "out_ptr0": shape}, claim=claim)
    tied = bind(found, found.launches[0], {"buf9": placeholder, **ADDED}, ("add",), computation(found))
    assert tied.read == {"in_ptr0": "residual"} and not tied.likely


def test_what_the_only_output_is_may_be_sure_where_what_was_there_is_not() -> None:
    shape = "float32[2, 4, 16]"
    claim = Claim(nodes=("view", "add"), inputs=("mm", "residual", "mm_1"), outputs=("add",))
    body = kernel(ADDED_IN_PLACE, {"in_out_ptr0": shape, "in_ptr0": shape}, claim=claim)
    found = tensors(body, capture(body, nodes=tuple(ADDED.values())), computation(body))
    assert holds(found["in_out_ptr0"]) == "likely mm, then add"


def test_what_was_read_is_what_the_step_before_has_written() -> None:
    """Two nodes fit by all else, and the order of the loads is not that of the claim."""
    shape = "float32[2, 4, 16]"
    names = ("in_ptr0", "in_ptr1", "out_ptr0")
    body = ADDED_IN_PLACE.replace("in_ptr0", "in_ptr1").replace("load(in_out_ptr0", "load(in_ptr0")
    body = body.replace("store(in_out_ptr0", "store(out_ptr0")

    def held(inputs: tuple[str, str], *steps: ExternCall | Kernel) -> list[str]:
        """What the launch is said to read of buf1 and of buf0."""
        passed = {"in_ptr0": "buf1", "in_ptr1": "buf0"}
        reads = kernel(body, dict.fromkeys(names, shape), claim=Claim(inputs=inputs), passed=passed)
        reads = replace(reads, id="test:1", launches=(replace(reads.launches[0], line=9),))
        kernels = (*(one for one in steps if isinstance(one, Kernel)), reads)
        calls = tuple(one for one in steps if isinstance(one, ExternCall))
        whole = replace(capture(*kernels, nodes=tuple(ADDED.values())), extern_calls=calls)
        return [holds(tensors(reads, whole, computation(reads))[name]) for name in names[:2]]

    def call(line: int, variable: str, node: str) -> ExternCall:
        out = LaunchArgument("out", variable, ADDED[node].type)
        return ExternCall(
            "extern_kernels.mm", "0_inference", line, outputs=(out,), provenance=Provenance(nodes=(node,))
        )

    assert held(("mm", "mm_1")) == ["likely mm", "likely mm_1"]
    assert held(("mm", "mm_1"), call(1, "buf0", "mm"), call(2, "buf1", "mm_1")) == ["mm_1", "mm"]
    assert held(("mm", "mm_1"), call(1, "buf1", "mm_1")) == ["mm_1", "mm"]
    adds = kernel(
        ADDED_IN_PLACE, {"in_out_ptr0": shape, "in_ptr0": shape}, passed={"in_out_ptr0": "buf0", "in_ptr0": "buf9"},
        claim=Claim(nodes=("view", "add"), inputs=("mm", "residual"), outputs=("add",)),
    )  # fmt: skip
    assert held(("residual", "add"))[0] == "likely residual"
    assert held(("add", "residual"), call(0, "buf0", "mm"), adds) == ["residual", "add"]
    untold = replace(adds, claim=Claim())
    assert held(("mm", "mm_1"), call(0, "buf0", "mm"), untold) == ["likely mm", "likely mm_1"]  # it is written over


TWO_SELECTIONS = """
xnumel = 128
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = tl.load(in_ptr0 + (x0), xmask)
tmp1 = tl.full([1], 0.0, tl.float32)
tmp2 = tmp0 > tmp1
tmp3 = tl.where(tmp2, tmp0, tmp1)
tmp4 = tl.full([1], 20.0, tl.float32)
tmp5 = tmp0 > tmp4
tmp6 = tl.where(tmp5, tmp4, tmp3)
tl.store(out_ptr0 + (x0), {first}, xmask)
tl.store(out_ptr1 + (x0), {second}, xmask)
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("tmp3", "tmp6", ("where", "where_1")), ("tmp6", "tmp3", ("where_1", "where"))],
)
def test_of_two_nodes_of_one_kind_the_store_that_goes_on_with_the_other_writes_the_later(
    first: str, second: str, expected: tuple[str, str]
) -> None:
    """Nobody outside of the kernel needs the first selection as the graph sees it; another kernel computes from it all the same."""
    row, truth = '"f32[128][1]cuda:0"', '"b8[128][1]cuda:0"'
    made = nodes(
        f"def forward(self, x: {row}):",
        'zero: "f32[][]cuda:0" = torch.ops.aten.full.default([], 0.0)',
        'most: "f32[][]cuda:0" = torch.ops.aten.full.default([], 20.0)',
        f"gt: {truth} = torch.ops.aten.gt.Scalar(x, 0.0)",
        f"where: {row} = torch.ops.aten.where.self(gt, x, zero)",
        f"gt_1: {truth} = torch.ops.aten.gt.Scalar(x, 20.0)",
        f"where_1: {row} = torch.ops.aten.where.self(gt_1, most, where)",
        "return (where_1,)",
    )
    claim = Claim(nodes=tuple(made)[1:], inputs=("x",), outputs=("where", "where_1"))
    text = TWO_SELECTIONS.format(first=first, second=second)
    tensors = dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1"), "float32[128]")
    body = kernel(text, tensors, claim=claim, passed={"in_ptr0": "x"})
    found = bind(body, body.launches[0], made, ("where_1",), computation(body))
    assert (found.written["out_ptr0"], found.written["out_ptr1"]) == expected
    assert not found.likely


SUMS_OF_TWO = """
xnumel = 8
r0_numel = 16
R0_BLOCK: tl.constexpr = 16
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
xmask = xindex < xnumel
r0_index = tl.arange(0, R0_BLOCK)[None, :]
x0 = xindex
r0_1 = r0_index
tmp0 = tl.load(in_ptr0 + (r0_1 + 16*x0), xmask, other=0.0)
tmp1 = tl.load(in_ptr1 + (r0_1 + 16*x0), xmask, other=0.0)
tmp2 = tmp0 - tmp1
tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
tmp5 = tl.where(xmask, tmp3, 0)
tmp6 = tl.sum(tmp5, 1)[:, None].to(tl.float32)
tmp7 = tmp2 * tmp6
tl.store(out_ptr0 + (x0), tmp6, xmask)
tl.store(out_ptr1 + (x0), tmp6, xmask)
tl.store(out_ptr2 + (r0_1 + 16*x0), tmp7, xmask)
"""


def test_two_stores_of_one_value_are_two_nodes_that_are_computed_alike() -> None:
    """Backward of two batch norms behind one addition: both sum the same gradient, and a third sum of the graph ends as they do."""
    row, image = '"f32[8][1]cuda:0"', '"f32[8, 16][16, 1]cuda:0"'
    made = nodes(
        f"def forward(self, x: {image}, y: {image}):",
        f"sub: {image} = torch.ops.aten.sub.Tensor(x, y)",
        f"sum_1: {row} = torch.ops.aten.sum.dim_IntList(sub, [1])",
        f"mul: {image} = torch.ops.aten.mul.Tensor(sub, sub)",
        f"sum_2: {row} = torch.ops.aten.sum.dim_IntList(mul, [1])",
        f"sum_3: {row} = torch.ops.aten.sum.dim_IntList(sub, [1])",
        'unsqueeze: "f32[8, 1][1, 1]cuda:0" = torch.ops.aten.unsqueeze.default(sum_1, 1)',
        'unsqueeze_1: "f32[8, 1][1, 1]cuda:0" = torch.ops.aten.unsqueeze.default(sum_2, 1)',
        f"mul_1: {image} = torch.ops.aten.mul.Tensor(sub, unsqueeze)",
        f"mul_2: {image} = torch.ops.aten.mul.Tensor(mul_1, unsqueeze_1)",
        "return (sum_1, sum_3, mul_2)",
    )
    claim = Claim(nodes=tuple(made)[2:], inputs=("x", "y"), outputs=("sum_1", "sum_2", "sum_3", "mul_2"))
    tensors = {
        "in_ptr0": "float32[8, 16]",
        "in_ptr1": "float32[8, 16]",
        "out_ptr0": "float32[8]",
        "out_ptr1": "float32[8]",
        "out_ptr2": "float32[8, 16]",
    }
    passed = {"in_ptr0": "x", "in_ptr1": "y", "out_ptr0": "buf0", "out_ptr1": "buf2", "out_ptr2": "buf1"}
    body = kernel(SUMS_OF_TWO, tensors, claim=claim, passed=passed)
    found = bind(body, body.launches[0], made, ("sum_1", "sum_3", "mul_2"), computation(body))
    assert {found.written["out_ptr0"], found.written["out_ptr1"]} == {"sum_1", "sum_3"}


BESIDE = """
xnumel = 128
r0_numel = 16
R0_BLOCK: tl.constexpr = 16
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
xmask = xindex < xnumel
r0_index = tl.arange(0, R0_BLOCK)[None, :]
r0_1 = r0_index
x0 = xindex
tmp0 = tl.load(in_ptr0 + (r0_1 + 16*x0), xmask, other=0.0)
tmp1 = tl_math.abs(tmp0)
tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
tmp3 = tl.where(xmask, tmp2, 0)
tmp4 = tl.sum(tmp3, 1)[:, None]
tmp5 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
tmp6 = tl.where(xmask, tmp5, 0)
tmp7 = tl.sum(tmp6, 1)[:, None]
tl.store(out_ptr0 + (x0), tmp4, xmask)
tl.store(out_ptr1 + (x0), tmp7, xmask)
"""
WHOLE, COLUMN = '"f32[128, 16][16, 1]cuda:0"', '"f32[128, 1][1, 1]cuda:0"'
MEAN_AND_SUM = nodes(
    f"def forward(self, x: {WHOLE}):",
    f"abs_1: {WHOLE} = torch.ops.aten.abs.default(x)",
    f"mean: {COLUMN} = torch.ops.aten.mean.dim(abs_1, [-1], True)",
    f"sum_1: {COLUMN} = torch.ops.aten.sum.dim_IntList(x, [-1], True)",
    "return (mean, sum_1)",
)


def test_what_the_claim_calls_by_its_buffer_holds_no_node() -> None:
    """The sum of a mean that is divided elsewhere: it is not the sum beside it, and that is not the mean."""
    claim = Claim(nodes=("abs_1", "mean", "sum_1"), inputs=("x",), outputs=("buf3", "sum_1"))
    body = kernel(
        BESIDE,
        {"in_ptr0": "float32[128, 16]", "out_ptr0": "float32[128, 1]", "out_ptr1": "float32[128, 1]"},
        category="persistent_reduction",
        claim=claim,
        passed={"in_ptr0": "x", "out_ptr0": "buf3", "out_ptr1": "buf4"},
    )
    found = bind(body, body.launches[0], MEAN_AND_SUM, ("mean", "sum_1"), computation(body))
    assert found.written == {"out_ptr1": "sum_1"}


def test_a_view_of_a_variance_is_not_the_sum_that_it_is_divided_from() -> None:
    """The batch norm's `squeeze_2` is its variance: the buffer beside it holds the deviations, not yet divided."""
    squeezed = nodes(
        f"def forward(self, x: {WHOLE}):",
        "var_mean = torch.ops.aten.var_mean.correction(x, [1], correction = 0)",
        'getitem: "f32[128, 1][1, 1]cuda:0" = var_mean[0]',
        'squeeze: "f32[128][1]cuda:0" = torch.ops.aten.squeeze.dims(getitem, [1])',
        f"sum_1: {COLUMN} = torch.ops.aten.sum.dim_IntList(x, [-1], True)",
        "return (squeeze, sum_1)",
    )
    claim = Claim(nodes=("var_mean", "squeeze", "sum_1"), inputs=("x",), outputs=("buf3", "sum_1"))
    body = kernel(
        BESIDE,
        {"in_ptr0": "float32[128, 16]", "out_ptr0": "float32[128, 1]", "out_ptr1": "float32[128, 1]"},
        category="persistent_reduction",
        claim=claim,
        passed={"in_ptr0": "x", "out_ptr0": "buf3", "out_ptr1": "buf4"},
    )
    assert bind(body, body.launches[0], squeezed, ("sum_1",), computation(body)).written == {"out_ptr1": "sum_1"}


NEAREST = """
xnumel = 17
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = ks0 / 17
tmp1 = tmp0.to(tl.float32)
tmp2 = x0
tmp3 = tmp2.to(tl.float32)
tmp4 = tmp3 * tmp1
tmp5 = tmp4.to(tl.int64)
tl.store(out_ptr0 + (x0), tmp5, xmask)
"""


def test_what_is_made_of_a_symbolic_size_is_computed_without_a_pointer_for_it() -> None:
    indices = nodes(
        'def forward(self, primals_1: "Sym(s53)"):',
        'iota: "i64[17][1]cuda:0" = torch.ops.prims.iota.default(17, start = 0, step = 1)',
        'mul: "i64[17][1]cuda:0" = torch.ops.aten.mul.Tensor(iota, 1)',
        'convert_element_type: "f32[17][1]cuda:0" = torch.ops.prims.convert_element_type.default(mul, torch.float32)',
        'truediv: "Sym(s53/17)" = primals_1 / 17',
        'mul_1: "f32[17][1]cuda:0" = torch.ops.aten.mul.Tensor(convert_element_type, truediv)',
        'convert_element_type_1: "i64[17][1]cuda:0" = torch.ops.prims.convert_element_type.default(mul_1, torch.int64)',
        "return (convert_element_type_1,)",
    )
    assert indices["truediv"].arguments == ("primals_1",)
    claim = Claim(
        nodes=tuple(name for name in indices if name not in {"primals_1", "truediv"}),
        outputs=("convert_element_type_1",),
    )
    body = kernel(NEAREST, {"out_ptr0": "int64[17]"}, claim=claim)
    tied = bind(body, body.launches[0], indices, (), computation(body))
    assert tied.written == {"out_ptr0": "convert_element_type_1"} and not tied.likely


POWERS = """
xnumel = 128
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = tl.load(in_ptr0 + (x0), xmask)
tmp1 = tmp0 * tmp0
tmp2 = tmp1 * tmp0
tmp3 = libdevice.exp2(tmp0)
tmp4 = tl.full([1], 0.01, tl.float32)
tmp5 = tmp0 * tmp4
tmp6 = tl.full([1], 1.0, tl.float32)
tmp7 = (tmp6 / tmp0)
tl.store(out_ptr0 + (x0), tmp5, xmask)
tl.store(out_ptr1 + (x0), tmp3, xmask)
tl.store(out_ptr2 + (x0), tmp2, xmask)
tl.store(out_ptr3 + (x0), tmp1, xmask)
tl.store(out_ptr4 + (x0), tmp7, xmask)
"""


def test_a_power_and_a_product_are_told_by_their_numbers() -> None:
    flat = '"f32[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}):",
        f"pow_1: {flat} = torch.ops.aten.pow.Tensor_Scalar(x, 2)",
        f"pow_2: {flat} = torch.ops.aten.pow.Tensor_Scalar(x, 3)",
        f"pow_3: {flat} = torch.ops.aten.pow.Scalar(2.0, x)",
        f"pow_4: {flat} = torch.ops.aten.pow.Tensor_Scalar(x, -1)",
        f"mul: {flat} = torch.ops.aten.mul.Tensor(x, 0.01)",
        "return (pow_1, pow_2, pow_3, pow_4, mul)",
    )
    outputs = ("pow_1", "pow_2", "pow_3", "pow_4", "mul")
    pointers = ("in_ptr0", *(f"out_ptr{place}" for place in range(5)))
    body = kernel(
        POWERS,
        dict.fromkeys(pointers, "float32[128]"),
        claim=Claim(nodes=outputs, inputs=("x",), outputs=outputs),
        passed={"in_ptr0": "x"},
    )
    tied = bind(body, body.launches[0], found, outputs, computation(body))
    assert tied.written == dict(zip(pointers[1:], ("mul", "pow_3", "pow_2", "pow_1", "pow_4"), strict=True))


@pytest.mark.parametrize(
    ("stored", "node"),
    [
        ("tmp0 > 0.0", "gt"),
        ("tmp0 > 0.0", ""),
        ("(tmp0 > 0.0) & (tmp0 < 1.0)", "bitwise_and"),
        ("libdevice.isnan(tmp0).to(tl.int1)", ""),
    ],
)
def test_a_comparison_and_a_constant_are_told_by_what_is_stored(stored: str, node: str) -> None:
    """What is loaded is no constant, and what ends otherwise no comparison, though nothing else has its shape."""
    flat, mask = '"f32[128][1]cuda:0"', '"b8[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}):",
        f"gt: {mask} = torch.ops.aten.gt.Scalar(x, 0.0)",
        f"lt: {mask} = torch.ops.aten.lt.Scalar(x, 1.0)",
        f"bitwise_and: {mask} = torch.ops.aten.bitwise_and.Tensor(gt, lt)",
        f"full: {mask} = torch.ops.aten.full.default([128], True)",
        "return (gt, bitwise_and, full)",
    )
    text = POWERS.partition("tmp1 =")[0] + f"tmp1 = {stored}\ntl.store(out_ptr0 + (x0), tmp1, xmask)\n"
    names = {"gt": ("gt",), "bitwise_and": ("gt", "lt", "bitwise_and")}.get(
        node, ("full",) if "isnan" not in stored else ("bitwise_and",)
    )
    claim = Claim(nodes=names, inputs=("x",), outputs=names[-1:])
    body = kernel(text, {"in_ptr0": "float32[128]", "out_ptr0": "bool[128]"}, claim=claim, passed={"in_ptr0": "x"})
    assert bind(body, body.launches[0], found, (), computation(body)).written.get("out_ptr0", "") == node


def test_what_is_made_of_a_number_that_is_passed_is_no_mean() -> None:
    """An eps that the program computes is passed as `eps.item()`: the root of mean and eps is the node, and not the mean that is divided only."""
    found = nodes(
        f'def forward(self, x: {WHOLE}, eps: "f64[][]cpu"):',
        f"mean: {COLUMN} = torch.ops.aten.mean.dim(x, [-1], True)",
        f"add: {COLUMN} = torch.ops.aten.add.Tensor(mean, eps)",
        f"rsqrt: {COLUMN} = torch.ops.aten.rsqrt.default(add)",
        "return (rsqrt,)",
    )
    text = BESIDE.replace("tl.store(out_ptr1 + (x0), tmp7, xmask)\n", "").replace(
        "tmp4, xmask", "libdevice.rsqrt(tmp4 / 16.0 + ks0), xmask"
    )
    claim = Claim(nodes=("mean", "add", "rsqrt"), inputs=("x", "eps"), outputs=("rsqrt",))
    shapes = {"in_ptr0": "float32[128, 16]", "out_ptr0": "float32[128, 1]"}
    body = kernel(
        text, shapes, category="persistent_reduction", claim=claim, passed={"in_ptr0": "x", "ks0": "eps.item()"}
    )
    tied = bind(body, body.launches[0], found, ("rsqrt",), computation(body))
    assert tied.written == {"out_ptr0": "rsqrt"}
    without = replace(body, claim=replace(claim, nodes=("mean",), outputs=("mean", "rsqrt")))
    assert (
        "mean"
        not in bind(
            without, body.launches[0], {k: v for k, v in found.items() if k != "rsqrt"}, (), computation(body)
        ).written.values()
    )


def test_what_other_kernels_added_up_is_found_under_another_number_of_its_buffer() -> None:
    """The comment calls the zeros `buf5` once something was added to them; the wrapper passes `buf4`."""
    graph_ = nodes(
        f'def forward(self, zeros: {ROWS}, i: "i64[8, 16][16, 1]cuda:0", v: {ROWS}, start: {IMAGE}):',
        f"scatter_add: {ROWS} = torch.ops.aten.scatter_add.default(zeros, 1, i, v)",
        f"view: {IMAGE} = torch.ops.aten.reshape.default(scatter_add, [2, 4, 16])",
        f"add: {IMAGE} = torch.ops.aten.add.Tensor(view, start)",
        "return (add,)",
    )
    claim = Claim(nodes=("view", "add"), inputs=("start", "buf5"), outputs=("add",))
    body = ADDED_IN_PLACE.replace("in_out_ptr0", "in_ptr1").replace("tl.store(in_ptr1", "tl.store(out_ptr0")
    tensors = {"in_ptr1": "float32[8, 16]", "in_ptr0": "float32[2, 4, 16]", "out_ptr0": "float32[2, 4, 16]"}
    made = kernel(body, tensors, claim=claim, passed={"in_ptr1": "buf4", "in_ptr0": "start", "out_ptr0": "buf6"})
    found = bind(made, made.launches[0], graph_, ("add",), computation(made))
    assert found.read == {"in_ptr1": "scatter_add", "in_ptr0": "start"} and not found.likely
    assert found.written == {"out_ptr0": "add"}


def test_of_two_outputs_each_is_the_node_whose_operation_is_stored() -> None:
    flat = '"f32[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}):",
        f"expm1: {flat} = torch.ops.aten.expm1.default(x)",
        f"exp2: {flat} = torch.ops.aten.exp2.default(x)",
        "return (expm1, exp2)",
    )
    body = (
        HEAD.format(numel=128)
        + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), libdevice.exp2(tmp0), xmask)
    tl.store(out_ptr1 + (x0), libdevice.expm1(tmp0), xmask)
"""
    )
    claim = Claim(nodes=("expm1", "exp2"), inputs=("x",), outputs=("expm1", "exp2"))
    made = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1"), "float32[128]"), claim=claim)
    tied = bind(made, made.launches[0], found, ("expm1", "exp2"), computation(made))
    assert tied.written == {"out_ptr0": "exp2", "out_ptr1": "expm1"}
    assert not tied.likely


def test_where_as_many_nodes_are_returned_as_are_stored_their_order_decides() -> None:
    """A division by 6 is lowered to a product: by its last operation alone it would be the graph's only product, which ends the other."""
    flat = '"f32[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}):",
        f"add: {flat} = torch.ops.aten.add.Tensor(x, 3)",
        f"div: {flat} = torch.ops.aten.div.Tensor(add, 6)",
        f"sub: {flat} = torch.ops.aten.sub.Tensor(x, 2)",
        f"mul: {flat} = torch.ops.aten.mul.Tensor(sub, x)",
        f"div_1: {flat} = torch.ops.aten.div.Tensor(sub, add)",
        "return (div, mul, div_1)",
    )
    text = (
        HEAD.format(numel=128)
        + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), (tmp0 + 3.0) * 0.16666666666666666, xmask)
    tl.store(out_ptr1 + (x0), (tmp0 - 2.0) * tmp0, xmask)
    tl.store(out_ptr2 + (x0), (tmp0 - 2.0) / (tmp0 + 3.0), xmask)
"""
    )
    returned = ("div", "mul", "div_1")
    claim = Claim(nodes=("add", "div", "sub", "mul", "div_1"), inputs=("x",), outputs=returned)
    made = kernel(text, dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1", "out_ptr2"), "float32[128]"), claim=claim)
    tied = bind(made, made.launches[0], found, returned, computation(made))
    assert tied.written == dict(zip(("out_ptr0", "out_ptr1", "out_ptr2"), returned, strict=True)) and not tied.likely


def test_of_a_node_s_two_results_each_is_told_by_its_fold() -> None:
    """Both are as large, and each is made of what the other is made of: the row's maximum, and the sum of exponentials."""
    row = '"f32[8, 1][1, 1]cuda:0"'
    found = nodes(
        'def forward(self, x: "f32[8, 128][128, 1]cuda:0"):',
        "online = torch.ops.prims.prepare_softmax_online.default(x, -1)",
        f"getitem: {row} = online[0]",
        f"getitem_1: {row} = online[1]",
        "return (getitem, getitem_1)",
    )
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8, 1]", "out_ptr1": "float32[8, 1]"}
    claim = Claim(nodes=("online", "getitem", "getitem_1"), inputs=("x",), outputs=("getitem", "getitem_1"))
    tied = []
    for most, total in (("out_ptr0", "out_ptr1"), ("out_ptr1", "out_ptr0")):
        body = ROW + f"    tl.store({most} + (x0), tmp1, xmask)\n    tl.store({total} + (x0), tmp3, xmask)\n"
        made = kernel(body, tensors, category="persistent_reduction", claim=claim)
        told = bind(made, made.launches[0], found, ("getitem", "getitem_1"), computation(made))
        tied.append((told.written[most], told.written[total], told.likely))
    assert tied == [("getitem", "getitem_1", frozenset())] * 2


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_of_several_folds_of_one_kind_each_is_told_by_what_it_folds(order: tuple[int, ...]) -> None:
    """Cross entropies of x, of 2 * x and of x + 1: two maxima are results of one operator, and one is an amax."""
    row, x = '"f32[8, 1][1, 1]cuda:0"', '"f32[8, 128][128, 1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {x}):",
        "online = torch.ops.prims.prepare_softmax_online.default(x, -1)",
        f"getitem: {row} = online[0]",
        f"mul: {x} = torch.ops.aten.mul.Tensor(x, 2)",
        f"amax: {row} = torch.ops.aten.amax.default(mul, [1], True)",
        f"add: {x} = torch.ops.aten.add.Tensor(x, 1)",
        "online_1 = torch.ops.prims.prepare_softmax_online.default(add, -1)",
        f"getitem_1: {row} = online_1[0]",
        "return (getitem, amax, getitem_1)",
    )
    folded = ("tmp0", "tmp0 * 2.0", "tmp0 + 1.0")
    stores = (
        f"    tmp{n + 1} = triton_helpers.max2({folded[of]}, 1)[:, None]\n    tl.store(out_ptr{n} + (x0), tmp{n + 1}, xmask)\n"
        for n, of in enumerate(order)
    )
    outputs = ("getitem", "amax", "getitem_1")
    claim = Claim(nodes=("online", "mul", "amax", "add", "online_1"), inputs=("x",), outputs=(*outputs, "inlined"))
    tensors = {"in_ptr0": "float32[8, 128]", **{f"out_ptr{n}": "float32[8, 1]" for n in range(3)}}
    made = kernel(FOLDED + "".join(stores), tensors, category="persistent_reduction", claim=claim)
    told = bind(made, made.launches[0], found, outputs, computation(made))
    assert (told.written, told.likely) == ({f"out_ptr{n}": outputs[of] for n, of in enumerate(order)}, frozenset())


ROW = (
    FOLDED
    + "    tmp1 = triton_helpers.max2(tmp0, 1)[:, None]\n    tmp2 = tl_math.exp(tmp0 - tmp1)\n    tmp3 = tl.sum(tmp2, 1)[:, None]\n"
)


def test_memory_that_an_input_lay_in_is_not_the_input_once_it_was_written_over() -> None:
    """The wrapper reuses `start`'s memory for the product: the comment would list `start`, were it read here."""
    found = {
        at: bind(made, made.launches[0], ADDED, ("add",), computation(made)).read["in_out_ptr0"]
        for at, claimed in (("over", ("mm", "residual")), ("there", ("start", "residual")))
        for made in [in_memory_of("start", Claim(nodes=("view", "add"), inputs=claimed, outputs=("add",)))]
    }
    assert found == {"over": "mm", "there": "start"}


def in_memory_of(input_: str, claim: Claim) -> Kernel:
    made = kernel(ADDED_IN_PLACE, dict.fromkeys(("in_out_ptr0", "in_ptr0"), "float32[2, 4, 16]"), claim=claim)
    (launch,) = made.launches
    first, *others = launch.arguments
    return replace(made, launches=(replace(launch, arguments=(replace(first, storage=input_), *others)),))


def test_what_is_made_of_a_buffer_without_a_node_is_told_by_what_the_comment_returns() -> None:
    """The second half of a sum: `buf3` holds partial sums, which are no node."""
    column = '"f32[8][1]cuda:0"'
    graph_ = nodes(
        f"def forward(self, x: {ROWS}, scale: {column}):",
        f"sum_1: {column} = torch.ops.aten.sum.dim_IntList(x, [1])",
        f"mul: {column} = torch.ops.aten.mul.Tensor(sum_1, scale)",
        "return (sum_1, mul)",
    )
    body = (
        HEAD.format(numel=8)
        + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr0 + (8 + x0), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.load(in_ptr1 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp2 * tmp3, xmask)
    tl.store(out_ptr1 + (x0), tmp2, xmask)
"""
    )
    claim = Claim(nodes=("sum_1", "mul"), inputs=("buf3", "scale"), outputs=("sum_1", "mul"))
    tensors = {"in_ptr0": "float32[2, 8]"} | dict.fromkeys(("in_ptr1", "out_ptr0", "out_ptr1"), "float32[8]")
    passed = {"in_ptr0": "buf3", "in_ptr1": "scale", "out_ptr0": "buf5", "out_ptr1": "buf4"}
    made = kernel(body, tensors, claim=claim, passed=passed)
    tied = bind(made, made.launches[0], graph_, ("sum_1", "mul"), computation(made))
    assert tied.written == {"out_ptr0": "mul", "out_ptr1": "sum_1"} and not tied.likely


def test_a_mask_that_is_drawn_here_is_a_node() -> None:
    flat = '"f32[128][1]cuda:0"'
    graph_ = nodes(
        f'def forward(self, seeds: "i64[1][1]cuda:0", x: {flat}):',
        'inductor_lookup_seed: "i64[][]cuda:0" = torch.ops.prims.inductor_lookup_seed.default(seeds, 0)',
        f"inductor_random: {flat} = torch.ops.prims.inductor_random.default([128], inductor_lookup_seed, 'rand')",
        'gt: "b8[128][1]cuda:0" = torch.ops.aten.gt.Scalar(inductor_random, 0.5)',
        "return (gt,)",
    )
    body = (
        HEAD.format(numel=128)
        + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (0))
    tmp1 = tl.rand(tmp0, (x0).to(tl.uint32))
    tmp2 = tmp1 > 0.5
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    )
    claim = Claim(nodes=tuple(graph_)[2:], inputs=("seeds",), outputs=("inductor_random", "gt"))
    made = kernel(body, {"in_ptr0": "int64[1]", "out_ptr0": "bool[128]"}, claim=claim, passed={"in_ptr0": "seeds"})
    assert bind(made, made.launches[0], graph_, ("gt",), computation(made)).written == {"out_ptr0": "gt"}


def test_a_symbolic_size_is_the_same_however_it_is_spaced() -> None:
    node = Node("mul", "aten.mul.Tensor", "", (), TensorType("float32", ("s0", "2*s1"), ("2*s1", 1)), None)
    wanted = TensorType("float32", ("2 * s1", "s0"), ("s0", 1))
    assert fits(node, wanted, "float32") and not same_shape(node, wanted)
    assert same_shape(node, TensorType("float32", ("s0", "2 * s1"), ("2 * s1", 1)))


BIASED = ADDED_IN_PLACE.replace(
    "tl.store(in_out_ptr0 + (x0), tmp2", "tmp3 = triton_helpers.maximum(0, tmp2)\ntl.store(in_out_ptr0 + (x0), tmp3"
)


def test_memory_that_is_read_before_it_is_written_holds_something_unknown_and_its_result_is_found() -> None:
    """A convolution without its bias is no node: what adds that, in place, is still the relu of the convolution."""
    flat = '"f32[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}, w: {flat}, bias: {flat}):",
        f"convolution: {flat} = torch.ops.aten.convolution.default(x, w, bias, [1], [0], [1], False, [0], 1)",
        f"relu: {flat} = torch.ops.aten.relu.default(convolution)",
        "return (relu,)",
    )
    claim = Claim(nodes=("convolution", "relu"), inputs=("buf0", "bias"), outputs=("relu",))
    passed = {"in_out_ptr0": "buf1", "in_ptr0": "bias"}
    body = kernel(BIASED, {"in_out_ptr0": "float32[128]", "in_ptr0": "float32[128]"}, claim=claim, passed=passed)
    tied = bind(body, body.launches[0], found, ("relu",), computation(body))
    assert (tied.read, tied.written) == ({"in_ptr0": "bias"}, {"in_out_ptr0": "relu"})


def test_a_result_of_a_node_that_the_kernel_computes_is_not_what_it_reads() -> None:
    """A fragment lists `getitem_1` among the inputs as well, since a later loop reads it."""
    flat = '"f32[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}, mean: {flat}):",
        f"exp: {flat} = torch.ops.aten.exp.default(x)",
        "var_mean = torch.ops.aten.var_mean.correction(exp, [1], correction = 0)",
        f"getitem_1: {flat} = var_mean[1]",
        f"getitem_3: {flat} = torch.ops.aten.sin.default(mean)",
        "return (getitem_1,)",
    )
    claim = Claim(nodes=("exp", "var_mean"), inputs=("getitem_1", "getitem_3"), outputs=("getitem_1",))
    body = kernel(ADDED_IN_PLACE, {"in_out_ptr0": "float32[128]", "in_ptr0": "float32[128]"}, claim=claim)
    tied = bind(body, body.launches[0], found, ("getitem_1",), computation(body))
    assert "getitem_1" not in tied.read.values() and "getitem_3" in tied.read.values()


def test_what_is_made_of_a_product_without_its_bias_is_no_result_when_all_of_its_users_are_here() -> None:
    """A product and the leaky relu of it end in the same operations; what is compared and what is chosen from is of this kernel too."""
    flat, mask = '"f32[128][1]cuda:0"', '"b8[128][1]cuda:0"'
    found = nodes(
        f"def forward(self, x: {flat}, w: {flat}, bias: {flat}, scale: {flat}):",
        f"convolution: {flat} = torch.ops.aten.convolution.default(x, w, bias, [1], [0], [1], False, [0], 1)",
        f"scaled: {flat} = torch.ops.aten.mul.Tensor(convolution, scale)",
        f"gt: {mask} = torch.ops.aten.gt.Scalar(scaled, 0)",
        f"mul: {flat} = torch.ops.aten.mul.Tensor(scaled, 0.2)",
        f"where: {flat} = torch.ops.aten.where.self(gt, scaled, mul)",
        "return (convolution, where)",
    )
    claim = Claim(
        nodes=("convolution", "scaled", "gt", "mul", "where"),
        inputs=("buf0", "bias", "scale"),
        outputs=("convolution", "scaled", "where"),
    )
    body = ADDED_IN_PLACE + (
        "tmp3 = tmp2 * tl.load(in_ptr1 + (x0), xmask)\n"
        "tmp4 = tl.where(tmp3 > 0.0, tmp3, tmp3 * 0.2)\n"
        "tl.store(out_ptr0 + (x0), tmp4, xmask)\n"
    )
    made = kernel(
        body,
        dict.fromkeys(("in_out_ptr0", "in_ptr0", "in_ptr1", "out_ptr0"), "float32[128]"),
        claim=claim,
        passed={"in_out_ptr0": "buf1", "in_ptr0": "bias", "in_ptr1": "scale", "out_ptr0": "buf2"},
    )
    tied = bind(made, made.launches[0], found, ("convolution", "where"), computation(made))
    assert tied.written == {"in_out_ptr0": "convolution", "out_ptr0": "where"} and not tied.likely
