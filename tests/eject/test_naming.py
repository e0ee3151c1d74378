"""What an ejected file calls the tensors of a kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    LOOPED_SUM,
    LOOPED_SUM_TENSORS,
    PERSISTENT_SUM,
    PERSISTENT_SUM_TENSORS,
    kernel,
)

from inductor_lab.computation import computation
from inductor_lab.eject.naming import RESERVED, Uses, function_name, of_the_program, result_of_call
from inductor_lab.eject.words import computed_words
from inductor_lab.records import Argument, Claim, Graph, Input, Kernel, Launch, LaunchArgument, Node, SourceLine

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
    body = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=Claim(aten=("aten.t", "aten.rsqrt", "aten.mm", "aten.relu")))
    assert computed_words(replace(body, category="template"), ()) == ("mm", "relu")
    assert computed_words(replace(body, category="user_autotune", name="add_kernel_0"), ()) == ("add_kernel",)


def claiming(*operators: str, ops: tuple[str, ...], category: str = "pointwise") -> Kernel:
    """A kernel whose comment names these operators and whose body does those operations."""
    claim = Claim(aten=tuple(f"aten.{name}" for name in operators))
    return replace(kernel(ADD_RELU, ADD_RELU_TENSORS, claim=claim), category=category, ops=ops)


def test_the_maximum_of_a_pooling_is_no_relu() -> None:
    claim = Claim(aten=("aten.relu", "aten.max_pool2d_with_indices"))
    relu = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=claim)
    pooled = kernel(ADD_RELU.replace("maximum(tmp7, tmp6)", "maximum(tmp5, tmp6)"), ADD_RELU_TENSORS, claim=claim)
    assert pooled.body_sha256 != relu.body_sha256
    assert computed_words(relu, (), computation(relu)) == ("relu", "max_pool2d")
    assert computed_words(pooled, (), computation(pooled)) == ("max_pool2d",)


SOFTMAX = ("amax", "sub", "exp", "sum", "div")


def test_a_composition_is_called_by_its_own_name_where_the_body_has_a_trace_of_it() -> None:
    of_softmax = claiming("view", "add", "_softmax", ops=("load", "add", *SOFTMAX))
    assert computed_words(of_softmax, ("add", "amax", "sub", "exp", "sum", "div")) == ("add", "softmax")
    assert computed_words(claiming("_softmax", ops=("load", "add")), ("add",)) == ("add",)


def test_a_root_that_is_rounded_as_ieee_says_is_a_trace_of_a_norm() -> None:
    norm = claiming(
        "_native_batch_norm_legit_no_training", "relu", ops=("sub", "add", "sqrt_rn", "div", "mul", "maximum")
    )
    form = ("sub", "add", "sqrt", "reciprocal", "mul", "relu")
    assert computed_words(norm, form) == ("batch_norm", "relu")


def test_a_forward_kernel_is_not_called_by_what_it_keeps_for_the_backward_pass() -> None:
    both = claiming("relu", "threshold_backward", ops=("maximum", "le", "where"))
    assert computed_words(both, (), graph=Graph("0", "", "forward", "")) == ("relu",)
    assert computed_words(both, (), graph=Graph("0", "", "backward", "")) == ("relu_backward",)


def test_a_cross_entropy_and_an_rms_norm_are_one_word() -> None:
    entropy = claiming("_log_softmax", "nll_loss_forward", ops=("exp", "log", "sub", "load.gather", "neg"))
    assert computed_words(entropy, ()) == ("cross_entropy",)
    norm = claiming("add", "pow", "mean", "rsqrt", "mul", ops=("add", "mul", "sum", "div", "rsqrt"))
    assert computed_words(norm, ()) == ("add", "rms_norm")


def test_plumbing_names_no_kernel_unless_it_is_all_there_is() -> None:
    assert computed_words(claiming(ops=("static_assert", "assume", "mul", "unequal", "sqrt_rn")), ()) == ("mul", "sqrt")
    assert computed_words(claiming("eq", ops=("eq", "neg")), ("eq",)) == ("eq",)


def test_a_template_s_product_comes_before_what_is_done_to_it() -> None:
    body = claiming("relu", "convolution", ops=("maximum", "dot"), category="template")
    assert computed_words(body, ()) == ("convolution", "relu")


def test_an_optimizer_s_kernel_is_called_as_its_file() -> None:
    line = SourceLine("/site/torch/optim/adam.py", 721, "torch._foreach_addcmul_(")
    copied = Node("copy_", "aten.copy_.default", "", ("arg0", "getitem"), None, line)
    step = replace(claiming(ops=("mul", "add", "sqrt"), category="foreach"), launches=(launch_of("arg0"),))
    step = replace(step, arguments=(Argument("in_out_ptr0", "float32", "inout", pointer=True),))
    assert computed_words(step, (), graph=Graph("0", "", "inference", "", (copied,))) == ("adam_step",)


ADAM = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr0 + (x0), None)
    tmp2 = tl.load(in_ptr1 + (x0), None)
    tmp3 = tmp1 / (libdevice.sqrt(tmp2) + 1e-08)
    {decay}
    tl.store(in_out_ptr0 + (x0), tmp5, None)
"""


@pytest.mark.parametrize(
    ("decay", "word"),
    [
        ("tmp5 = tmp0 * 0.99 + tmp3", "adamw_step"),
        ("tmp5 = tmp0 + (tmp3 + tmp0 * 0.01)", "adam_step"),
        ("tmp5 = tmp0 * tmp1 + tmp3", "adam_step"),
        ("tmp5 = tmp0 * 0.99 + tmp1", "adam_step"),
    ],
)
def test_adam_whose_parameter_decays_before_the_step_is_adamw(decay: str, word: str) -> None:
    types = dict.fromkeys(("in_out_ptr0", "in_ptr0", "in_ptr1"), "float32[4096]")
    body = kernel(ADAM.format(decay=decay), types, passed={"in_out_ptr0": "arg0"})
    line = SourceLine("/site/torch/optim/adam.py", 721, "torch._foreach_addcdiv_(")
    copied = Node("copy_", "aten.copy_.default", "", ("arg0", "add"), None, line)
    graph = Graph("0", "", "inference", "", (copied,))
    assert computed_words(body, (), computation(body), graph) == (word,)


STORED = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (4096 + (x0 % 64) * 2), None)
    {lines}
    tl.store(out_ptr0 + (x0), tmp9, None)
"""


def words_of(lines: str) -> tuple[str, ...]:
    """The words for a kernel that stores `tmp9`, made of `x` (tmp0) and a gradient (tmp1)."""
    types = {"in_ptr0": "float32[4096]", "in_ptr1": "float32[8192]", "out_ptr0": "float32[4096]"}
    body = kernel(STORED.format(lines=lines.replace("\n", "\n    ")), types)
    return computed_words(body, (), computation(body))


CUBED = "tmp2 = tmp0 * tmp0 * tmp0 * 0.044715 + tmp0\ntmp3 = libdevice.tanh(tmp2 * 0.7978845608028654)\n"
FACTORED = "tmp2 = 0.7978845608028654 * tmp0 * (tmp0 * 0.044715 * tmp0 + 1.0)\ntmp3 = libdevice.tanh(tmp2)\n"
SLOPE = "tmp4 = 0.5 * tmp0 * ((1.0 - tmp3 * tmp3) * (0.7978845608028654 + 0.1070322243 * tmp0 * tmp0)) + 0.5 * (1.0 + tmp3)\n"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (CUBED + "tmp9 = tmp0 * 0.5 * (tmp3 + 1.0)", ("gelu_tanh",)),
        (FACTORED + "tmp9 = 0.5 * (tmp0 * (1.0 + tmp3))", ("gelu_tanh",)),
        (FACTORED + SLOPE + "tmp9 = tmp4 * tmp1", ("gelu_tanh_backward",)),
        (CUBED + "tmp9 = tmp0 * 0.5 * (tmp3 + 1.0) * tmp1", ("mul", "gelu_tanh")),
        # Near misses are operators.
        (CUBED + "tmp9 = tmp0 * 0.6 * (tmp3 + 1.0)", ("mul", "add", "tanh")),
        (CUBED + "tmp9 = tmp1 * 0.5 * (tmp3 + 1.0)", ("mul", "add", "tanh")),
        (CUBED.replace("0.044715", "0.05") + "tmp9 = tmp0 * 0.5 * (tmp3 + 1.0)", ("mul", "add", "tanh")),
        (FACTORED + SLOPE.replace("1.0 - ", "2.0 - ") + "tmp9 = tmp4 * tmp1", ("mul", "add", "tanh", "sub")),
    ],
)
def test_a_gelu_that_is_written_out_by_hand_has_its_name(lines: str, words: tuple[str, ...]) -> None:
    assert words_of(lines) == words


def test_arithmetic_of_addresses_and_accumulators_is_no_word() -> None:
    assert words_of("tmp9 = tl_math.exp(tmp0) - tmp1") == ("exp", "sub")
    summed = kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction")
    assert "add" in summed.ops
    assert computed_words(summed, (), computation(summed)) == ("sum",)


def test_a_sum_that_is_divided_by_a_number_is_a_mean_where_the_comment_says_so() -> None:
    divided = PERSISTENT_SUM.replace(".to(tl.float32)\n", ".to(tl.float32) / 128.0\n")
    for text, claimed, words in (
        (divided, "aten.mean", ("mul", "mean")),
        (divided, "aten.sum", ("mul", "sum", "div")),
        (PERSISTENT_SUM, "aten.mean", ("mul", "sum")),
    ):
        body = kernel(text, PERSISTENT_SUM_TENSORS, category="persistent_reduction", claim=Claim(aten=(claimed,)))
        assert computed_words(body, (), computation(body)) == words


def launch_of(value: str) -> Launch:
    """A launch that passes one value."""
    return Launch("0", 1, (LaunchArgument("in_out_ptr0", value),))


def test_a_long_name_of_a_user_s_kernel_is_kept_and_jobs_that_only_move_are_copies() -> None:
    assert function_name(("a_kernel_whose_author_gave_it_a_very_long_name",), set(), "user_autotune").startswith(
        "a_kernel_w"
    )
    assert function_name((), set(), "foreach") == "copy"


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


def test_a_loss_whose_constant_alone_is_shared_names_no_kernel() -> None:
    body = claiming("nll_loss_forward", "threshold_backward", ops=("le", "where", "sum"))
    assert computed_words(body, (), graph=Graph("0", "", "backward", "")) == ("relu_backward",)


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
