"""What an ejected file calls the tensors of a kernel."""

from __future__ import annotations

from dataclasses import replace

from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, kernel

from inductor_lab.eject.naming import computed_words, result_of_call
from inductor_lab.records import Claim, Node, SourceLine

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


def test_a_template_is_called_as_its_product_and_a_user_s_kernel_as_its_author_called_it() -> None:
    body = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=Claim(aten=("aten.t", "aten.rsqrt", "aten.mm", "aten.relu")))
    assert computed_words(replace(body, category="template"), ()) == ("mm", "relu")
    assert computed_words(replace(body, category="user_autotune", name="add_kernel_0"), ()) == ("add_kernel",)
