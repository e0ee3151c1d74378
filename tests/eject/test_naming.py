"""What an ejected file calls the tensors of a kernel."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from folders import GENERATIONS, ROOT
from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    kernel,
)

from inductor_lab.annotate import annotate
from inductor_lab.annotate.titles import Namer
from inductor_lab.computation import computation
from inductor_lab.eject.binding.plan import plan
from inductor_lab.eject.naming import (
    RESERVED,
    Uses,
    function_name,
    library_calls,
    of_the_program,
    operations,
    result_of_call,
)
from inductor_lab.read import read
from inductor_lab.records import Claim, Input, Node, SourceLine
from inductor_lab.store import load

LINE = SourceLine("model.py", 7, "loss = F.cross_entropy(logits, labels)")
LOG = Node("log", "aten.log.default", "", ("sum_1",), None, LINE)
VIEW = Node("view", "aten.reshape.default", "", ("log",), None, LINE)
SUB = Node("sub", "aten.sub.Tensor", "", ("logits", "view"), None, LINE)


def test_a_step_on_the_way_to_a_call_s_value_has_not_its_name() -> None:
    nodes = {node.name: node for node in (LOG, VIEW, SUB)}
    assert result_of_call(LOG, nodes, "loss") == ""
    assert result_of_call(SUB, nodes, "loss") == "loss"


def test_what_another_line_goes_on_with_has_the_name_of_its_call() -> None:
    elsewhere = replace(SUB, source=replace(LINE, line=8))
    assert result_of_call(LOG, {node.name: node for node in (LOG, VIEW, elsewhere)}, "loss") == "loss"


def test_a_name_that_says_the_operator_only_is_none() -> None:
    assert result_of_call(SUB, {"sub": SUB}, "sub_1") == ""


def test_what_no_line_is_known_of_may_be_a_step_on_the_way() -> None:
    assert result_of_call(replace(SUB, source=None), {"sub": replace(SUB, source=None)}, "loss") == ""


def test_what_a_library_call_made_is_gone_where_its_memory_is_used_again() -> None:
    now, before = library_calls("""
        extern_kernels.mm(x, y, out=buf0)
        buf1 = reinterpret_tensor(buf0, (2, 4), (4, 1), 0); del buf0  # reuse
        fused_0.run(buf1, bias, 8, stream=stream0)
        buf2 = buf1; del buf1  # reuse
        fused_1.run(buf2, 8, stream=stream0)
        buf3 = buf2; del buf2  # reuse
        extern_kernels.bmm(x, y, out=buf3)
        """)
    assert now == {"buf0": "mm", "buf3": "bmm"}
    assert before == {"buf0": "mm", "buf1": "mm", "buf2": "", "buf3": "bmm"}, (
        "the first kernel overwrites what mm made, the second does not"
    )


WEIGHT, BIAS, OTHER = (Input("parameter", f"layers.0.{name}") for name in ("norm.weight", "norm.bias", "up.weight"))


@pytest.mark.parametrize(
    ("called", "names"),
    [
        ({"in_ptr0": WEIGHT, "in_ptr1": BIAS}, {"in_ptr0": "weight", "in_ptr1": "bias"}),
        ({"in_ptr0": WEIGHT, "in_ptr1": OTHER}, {"in_ptr0": "norm_weight", "in_ptr1": "up_weight"}),
        ({"in_ptr0": WEIGHT, "in_ptr1": Input("exp_avg", WEIGHT.name)}, {"in_ptr0": "weight", "in_ptr1": "exp_avg"}),
        ({"in_ptr0": Input("gradient", "loss")}, {"in_ptr0": "grad"}),
        ({"in_ptr0": Input("argument", "batch['mask'][0]")}, {"in_ptr0": "mask_0"}),
        ({"in_ptr0": Input("argument", "x")}, {}),  # it means something else in a file
        ({"in_ptr0": Input("argument", "weight"), "in_ptr1": WEIGHT}, {"in_ptr1": "norm_weight"}),
        ({"in_ptr0": Input("parameter", "norm.mul")}, {"in_ptr0": "norm_mul"}),  # `mul` is a node of the graph
        ({"in_ptr0": Input("buffer", "self.a_very_long_name_that_nobody_reads")}, {}),
    ],
)
def test_a_name_of_the_program_is_as_long_as_tells_it_apart(called: dict[str, Input], names: dict[str, str]) -> None:
    assert of_the_program(called, RESERVED | {"mul"}) == names


def test_a_template_is_called_as_its_product_and_a_user_s_kernel_as_its_author_called_it() -> None:
    namer = Namer(load(ROOT / "captured" / "lora_mlp_h200"))
    body = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=Claim(aten=("aten.relu", "aten.t", "aten.mm")))
    assert namer.name(replace(body, category="template")).words == ("mm", "relu")
    assert namer.name(replace(body, category="user_autotune", name="add_kernel_0")).words == ("add_kernel",)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("dlrm_train_h200", marks=pytest.mark.slow),
        "rotary_attention_train_h200",
        "sparse_ffn_train_h200",
        "lora_mlp_train_h200",
    ],
)
def test_a_file_calls_a_kernel_what_the_list_calls_it(name: str) -> None:
    capture = load(ROOT / "captured" / name)
    titles = {one.id: re.sub(r"\W+", "_", one.title.partition(", ")[0]) for one in capture.kernels}
    files = {one.id: plan(capture, one).name.removesuffix("_kernel") for one in capture.kernels}
    named = {
        id
        for id, title in titles.items()
        if re.fullmatch("(add_)?(embedding|zero_fill|permute|rope|leaky_relu_backward|relu_backward)(_\\w+)?", title)
    }
    assert named and {id: files[id] for id in named} == {id: titles[id] for id in named}


def test_a_kernel_that_an_older_version_titled_keeps_its_names() -> None:
    """`list` says what the capture says; the file may not know better."""
    capture = load(ROOT / "captured" / "dlrm_train_h200")
    filled = next(one for one in capture.kernels if one.recognised == ("fill",))
    assert plan(capture, filled).name == "zero_fill_for_embedding_backward"
    assert plan(capture, replace(filled, title="zero fill, 10,000 x 16 f32")).name == "fill"


def test_plumbing_names_no_kernel_unless_it_is_all_there_is() -> None:
    assert operations(("load", "static_assert", "assume", "mul", "unequal", "sqrt_rn", "cast.float32", "store")) == (
        "mul",
        "sqrt",
    )
    assert operations(("eq",)) == ("eq",)
    assert operations(("load", "store")) == ()
    assert operations(("cast.uint32", "rand4x", "add")) == ("rand", "add")


@pytest.mark.parametrize(
    ("log", "place", "title", "name"),
    [
        ("g1_torch_2.0", 0, "relu(buf1 + arg1_1), 10 x 10 x 60 f32", "add_relu"),
        ("g2_torch_2.2", 1, "exp(buf0 - max(buf0)), 9 rows of 96 f32", "amax_sub_exp"),
    ],
)
def test_of_an_expression_without_the_graph_a_file_says_more_than_what_is_recognised(
    log: str, place: int, title: str, name: str
) -> None:
    capture = annotate(read([GENERATIONS / f"{log}.txt"], log))
    assert (capture.kernels[place].title, plan(capture, capture.kernels[place]).name) == (title, name)


def test_a_long_name_of_a_user_s_kernel_is_kept_and_jobs_that_only_move_are_copies() -> None:
    assert function_name(("a_kernel_whose_author_gave_it_a_very_long_name",), set(), "user_autotune").startswith(
        "a_kernel_w"
    )
    assert function_name((), set(), "foreach") == "copy"
    jobs = ("standard_deviation", "statistics_mean_variance")
    assert function_name(jobs, set(), "combo") == "standard_deviation_and_more"  # one of the two, which is not all
    assert function_name(jobs[:1], set(), "combo") == "standard_deviation"
    parts = ("mask", "any", "dropout", "row_max_and_sum_of_softmax")
    assert function_name(parts, set(), "persistent_reduction") == "mask_any_dropout_and_more"


ALONE = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = (xindex % 64)
    x1 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tl.load(in_ptr2 + (x1), None)
    tmp3 = tmp0 * tmp1
    tmp4 = tmp3 * tmp2
    tl.store(out_ptr0 + (x1), tmp4, None)
"""


def test_only_what_is_read_again_for_each_row_is_repeated() -> None:
    kinds = {
        "in_ptr0": "float32[4096]",
        "in_ptr1": "float32[64]",
        "in_ptr2": "float32[4096]",
        "out_ptr0": "float32[4096]",
    }
    assert Uses.of(computation(kernel(ALONE, kinds))).repeated == {"in_ptr1"}


SYMBOLIC = ALONE.replace("xnumel = 4096", "xnumel = xnumel").replace("(xindex % 64)", "xindex")


def test_a_vector_of_a_symbolic_size_that_is_read_once_is_no_weight() -> None:
    kinds = dict.fromkeys(("in_ptr0", "in_ptr1", "in_ptr2", "out_ptr0"), "float32[4096]")
    assert Uses.of(computation(kernel(SYMBOLIC, kinds, numel="s77"))).repeated == set()


def test_a_frequency_and_a_running_mean_are_not_multiplied_as_a_weight_is() -> None:
    """The frequencies of a rotary embedding, and what an update takes nine tenths of."""
    body = """
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex % 64
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tl.load(in_ptr2 + (x0), None)
    tmp3 = tl.load(in_ptr3 + (xindex), None)
    tmp4 = tl_math.cos(tmp0 * tmp3) + tmp1 * 0.9 + tmp2 * tmp3
    tl.store(out_ptr0 + (xindex), tmp4, None)
"""
    types = {f"in_ptr{n}": "float32[64]" for n in range(3)} | dict.fromkeys(["in_ptr3", "out_ptr0"], "float32[4096]")
    taken_by = Uses.of(computation(kernel(body, types, numel=4096))).operators
    assert [taken_by[f"in_ptr{n}"] == {"mul"} for n in range(3)] == [False, False, True]
