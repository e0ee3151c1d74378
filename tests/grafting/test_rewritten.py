"""A wrapper's function before and after: the text of what a span's steps become."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from inductor_lab import LabError
from inductor_lab.grafting.splicing import Splicer
from inductor_lab.records import TensorType
from inductor_lab.records.span import SpanTensor

WIDE = TensorType("float32", (64, 32), (32, 1))
WRAPPER = """\
def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda((64, 32), (32, 1), torch.float32)
        stream0 = get_raw_stream(0)
        first.run(arg0_1, buf0, 2048, stream=stream0)
        del arg0_1
        buf1 = empty_strided_cuda((64, 32), (32, 1), torch.float32)
        extern_kernels.mm(buf0, reinterpret_tensor(arg1_1, (32, 32), (1, 32), 0), out=buf1)
        del arg1_1
        buf2 = buf0; del buf0  # reuse
        stream0 = get_raw_stream(0)
        last.run(buf1, buf2, 2048, stream=stream0)
        del buf1
        buf3 = empty_strided_cuda((64, 32), (32, 1), torch.float32)
        stream0 = get_raw_stream(0)
        behind.run(buf2, buf3, 2048, stream=stream0)
        del buf2
    return (buf3, )
"""


def grafted(
    wrapper: str, lines: set[int], touched: str, hand: str = "hand", numbers: Sequence[str] = ()
) -> ast.FunctionDef:
    """The function with the steps of these lines as one call; `touched` is as `arg0_1 in, buf1 inner`."""
    return with_calls(wrapper, (lines, touched, hand), numbers=numbers)


def with_calls(wrapper: str, *spans: tuple[set[int], str, str], numbers: Sequence[str] = ()) -> ast.FunctionDef:
    """The same of several spans."""
    splicer = Splicer(ast.parse(wrapper))
    for lines, touched, hand in spans:
        told = (one.split() for one in touched.split(", "))
        function = splicer.function_at(min(lines))
        splicer.rewrite(function, lines, [SpanTensor(name, WIDE, role) for name, role in told], hand, numbers)
    return function


def before_and_after(wrapper: str, lines: set[int], touched: str) -> tuple[str, str, str]:
    """What stands before the hand kernel's `if` in its block, in it, and in its `else`."""
    tree = grafted(wrapper, lines, touched)
    (block,) = (
        one.body
        for one in ast.walk(tree)
        if isinstance(one, (ast.With, ast.FunctionDef)) and any(isinstance(s, ast.If) for s in one.body)
    )
    (place,) = (n for n, one in enumerate(block) if isinstance(one, ast.If))
    call = block[place]
    assert isinstance(call, ast.If)
    held = [ast.unparse(ast.Module(part, [])) for part in (block[:place], call.body, call.orelse)]
    return held[0], f"{ast.unparse(call.test)}\n{held[1]}", held[2]


def lines_of(wrapper: str, *texts: str) -> set[int]:
    return {number for number, line in enumerate(wrapper.splitlines(), 1) if any(text in line for text in texts)}


def test_the_steps_are_one_call_and_what_lies_between_is_not_allocated() -> None:
    lines = lines_of(WRAPPER, "first.run", ".mm(", "last.run")
    touched = "arg0_1 in, buf0 inner, arg1_1 in, buf1 inner, buf2 out"
    before, hand, generated = before_and_after(WRAPPER, lines, touched)
    assert before == "buf2 = empty_strided_cuda((64, 32), (32, 1), torch.float32)\nstream0 = get_raw_stream(0)"
    assert hand == "hand(arg0_1, arg1_1, buf2)\ndel arg0_1\ndel arg1_1"
    assert generated.splitlines()[0] == "buf0 = empty_strided_cuda((64, 32), (32, 1), torch.float32)"
    assert generated.splitlines()[-1] == "del buf1"


def test_an_output_in_an_input_s_memory_gets_its_own_and_the_input_lives_until_behind_the_call() -> None:
    lines = lines_of(WRAPPER, ".mm(", "last.run")
    touched = "buf0 in, arg1_1 in, buf1 inner, buf2 out"
    before, hand, _ = before_and_after(WRAPPER, lines, touched)
    assert "buf2 = empty_strided_cuda((64, 32), (32, 1), torch.float32)" in before.splitlines()
    assert hand == "hand(buf0, arg1_1, buf2)\ndel arg1_1\ndel buf0"


def test_what_the_span_writes_in_place_stays_where_it_is() -> None:
    """By its definition: `buf0` is read and written, and has another name behind it."""
    lines = lines_of(WRAPPER, ".mm(", "last.run")
    before, hand, _ = before_and_after(WRAPPER, lines, "buf0 inout, arg1_1 in, buf1 inner")
    assert before.splitlines()[-2:] == ["buf2 = buf0", "stream0 = get_raw_stream(0)"]
    assert hand == "hand(arg1_1, buf0)\ndel arg1_1\ndel buf0"


def test_inner_memory_that_a_later_step_uses_again_is_allocated() -> None:
    wrapper = WRAPPER.replace(
        "        del buf1\n        buf3 = empty_strided_cuda((64, 32), (32, 1), torch.float32)\n",
        "        buf3 = buf1; del buf1  # reuse\n",
    )
    lines = lines_of(wrapper, "first.run", ".mm(", "last.run")
    touched = "arg0_1 in, buf0 inner, arg1_1 in, buf1 inner, buf2 out"
    before, hand, _ = before_and_after(wrapper, lines, touched)
    assert before.splitlines()[0] == "buf1 = empty_strided_cuda((64, 32), (32, 1), torch.float32)"
    assert hand == "hand(arg0_1, arg1_1, buf2)\ndel arg0_1\ndel arg1_1"


RESULTS = """\
def call(self, args):
    primals_1, primals_2 = args
    args.clear()
    first.run(primals_1, 2048, stream=stream0)
    buf3 = torch.ops.aten.topk.default(primals_1, 2)
    del primals_1
    buf4 = buf3[0]
    assert_size_stride(buf4, (64, 32), (32, 1), 'torch.ops.aten.topk.default')
    buf5 = buf3[1]
    assert_size_stride(buf5, (64, 32), (32, 1), 'torch.ops.aten.topk.default')
    del buf3
    buf6 = empty_strided_cuda((64, 32), (32, 1), torch.float32)
    last.run(buf4, buf5, buf6, stream=stream0)
    del buf4
    return (buf5, buf6, )
"""


def test_what_a_library_makes_and_the_graph_needs_is_allocated_for_the_hand_kernel() -> None:
    lines = lines_of(RESULTS, "topk.default(p", "last.run")
    touched = "primals_1 in, buf4 inner, buf5 out, buf6 out"
    before, hand, _ = before_and_after(RESULTS, lines, touched)
    assert before.splitlines()[-2:] == [
        f"{name} = empty_strided_cuda((64, 32), (32, 1), torch.float32)" for name in ("buf5", "buf6")
    ]
    assert hand == "hand(primals_1, buf5, buf6)\ndel primals_1"


def test_a_part_of_a_library_s_result_may_be_taken_far_behind() -> None:
    taken = "    buf5 = buf3[1]\n"
    wrapper = RESULTS.replace(taken, "").replace(
        "    return", f"    behind.run(buf6, 2048, stream=stream0)\n{taken}    return"
    )
    wrapper = wrapper.replace(
        "    assert_size_stride(buf5, (64, 32), (32, 1), 'torch.ops.aten.topk.default')\n    del buf3\n", ""
    )
    wrapper = wrapper.replace("buf4, buf5, buf6", "buf4, buf6")
    lines = lines_of(wrapper, "topk.default(p", "last.run")
    before, hand, _ = before_and_after(wrapper, lines, "primals_1 in, buf4 inner, buf5 out, buf6 out")
    assert before.splitlines()[-3:-1] == [
        "buf5 = empty_strided_cuda((64, 32), (32, 1), torch.float32)",
        "buf3 = {1: buf5}",
    ]
    assert hand.splitlines()[0] == "hand(primals_1, buf5, buf6)"


def test_numbers_are_passed_behind_the_memory() -> None:
    """A size that no tensor tells, and the value of a tensor, which lives as long."""
    lines = lines_of(WRAPPER, ".mm(", "last.run")
    wrapper = WRAPPER.replace("arg1_1 = args", "arg1_1, arg2_1, s77 = args")
    made = grafted(wrapper, lines, "buf0 in, arg1_1 in, buf2 out", numbers=("s77", "arg2_1.item()"))
    text = ast.unparse(made)
    assert "if hand(buf0, arg1_1, buf2, s77, arg2_1.item()):" in text


def test_an_input_that_is_copied_where_it_is_misaligned_is_passed_so() -> None:
    wrapper = WRAPPER.replace(
        "        buf1 = empty", "        arg1_1 = copy_if_misaligned(arg1_1)\n        buf1 = empty"
    )
    lines = lines_of(wrapper, "first.run", ".mm(", "last.run")
    touched = "arg0_1 in, buf0 inner, arg1_1 in, buf1 inner, buf2 out"
    before, hand, _ = before_and_after(wrapper, lines, touched)
    assert "arg1_1 = copy_if_misaligned(arg1_1)" in before.splitlines()
    assert hand == "hand(arg0_1, arg1_1, buf2)\ndel arg0_1\ndel arg1_1"


def test_what_a_library_call_before_the_span_made_is_an_input() -> None:
    lines = lines_of(RESULTS, "last.run")
    before, hand, _ = before_and_after(RESULTS, lines, "buf4 in, buf5 inout, buf6 out")
    laid = "assert_size_stride({}, (64, 32), (32, 1), 'torch.ops.aten.topk.default')"
    assert before.splitlines()[-5:] == [
        "buf4 = buf3[0]",
        laid.format("buf4"),
        "buf5 = buf3[1]",
        laid.format("buf5"),
        "buf6 = empty_strided_cuda((64, 32), (32, 1), torch.float32)",
    ]
    assert hand == "hand(buf4, buf5, buf6)\ndel buf3\ndel buf4"


def test_a_scratch_that_is_cleared_for_a_step_is_neither_made_nor_cleared() -> None:
    wrapper = RESULTS.replace(
        "    last.run(buf4, buf5, buf6",
        "    workspace_0 = empty_strided_cuda((64, ), (1, ), torch.uint8)\n    workspace_0.zero_()\n    last.run(buf4, workspace_0, buf6",
    ).replace("    del buf4\n", "    del buf4\n    del workspace_0\n")
    lines = lines_of(wrapper, "topk.default(p", "last.run")
    touched = "primals_1 in, buf4 inner, buf5 out, buf6 out"
    before, hand, _ = before_and_after(wrapper, lines, touched)
    assert "workspace" not in before + hand


def padded(view: str) -> str:
    """Rows were padded for a product; by then a variable names only a part of their memory."""
    text = WRAPPER.replace(
        "        extern_kernels.mm(buf0",
        f"        buf9 = reinterpret_tensor(buf0, {view}); del buf0  # reuse\n"
        "        before.run(buf9, 1920, stream=stream0)\n"
        "        extern_kernels.mm(reinterpret_tensor(buf9, (64, 32), (32, 1), 0)",
    )
    return text.replace("buf2 = buf0; del buf0", "buf2 = reinterpret_tensor(buf9, (64, 32), (32, 1), 0); del buf9")


@pytest.mark.parametrize(("rows", "shape"), [(64, "(64, 32)"), ("s3", "(s3, 32)")])
@pytest.mark.parametrize(
    ("role", "passed"), [("in", "hand({whole}, arg1_1, buf2)"), ("inout", "hand(arg1_1, {whole})")]
)
def test_a_tensor_is_passed_under_the_name_that_it_has_by_then_and_as_a_whole(
    rows: int | str, shape: str, role: str, passed: str
) -> None:
    wrapper = padded("(64, 30), (32, 1), 0")
    lines, splicer = lines_of(wrapper, ".mm(", "last.run"), Splicer(ast.parse(wrapper))
    tensors = [SpanTensor("buf0", TensorType("float32", (rows, 32), (32, 1)), role)]
    others = {"arg1_1": "in", "buf1": "inner"} | ({"buf2": "out"} if role == "in" else {})
    tensors += [SpanTensor(name, WIDE, told) for name, told in others.items()]
    splicer.rewrite(function := splicer.function_at(min(lines)), lines, tensors, "hand")
    assert f"if {passed.format(whole=f'reinterpret_tensor(buf9, {shape}, (32, 1), 0)')}:" in ast.unparse(function)


def test_a_tensor_of_which_only_a_part_behind_its_beginning_has_a_name_is_refused() -> None:
    wrapper = padded("(64, 30), (32, 1), 2")
    with pytest.raises(LabError, match="by then no variable names all of `buf0` from its first element on"):
        grafted(wrapper, lines_of(wrapper, ".mm(", "last.run"), "buf0 in, arg1_1 in, buf1 inner, buf2 out")


def test_statements_keep_their_lines() -> None:
    """By them Inductor's profiler and `replay` know a launch."""
    lines = lines_of(WRAPPER, ".mm(", "last.run")
    made = grafted(WRAPPER, lines, "buf0 in, arg1_1 in, buf1 inner, buf2 out")
    (behind,) = lines_of(WRAPPER, "behind.run")
    (call,) = (node for node in ast.walk(made) if isinstance(node, ast.Call) and ast.unparse(node.func) == "behind.run")
    assert call.lineno == behind
    assert compile(ast.Module([made], []), "wrapper", "exec")


@pytest.mark.parametrize(
    ("between", "told"),
    [
        ("buf1.record_stream(s)", "has `buf1.record_stream"),
        ("if flag:\n            pass", "has `if flag:`"),
        ("u0 = buf1.item()", "u0 = buf1.item"),
    ],
)
def test_what_can_not_be_moved_is_named(between: str, told: str) -> None:
    wrapper = WRAPPER.replace("        buf2 = buf0; del buf0", f"        {between}\n        buf2 = buf0; del buf0")
    with pytest.raises(LabError, match=told.replace("(", r"\(").replace(".", r"\.")):
        grafted(wrapper, lines_of(wrapper, ".mm(", "last.run"), "buf0 in, buf1 inner, buf2 out")


def test_steps_of_two_devices_are_refused() -> None:
    wrapper = WRAPPER.replace("        buf2 = buf0", "    with torch.cuda._DeviceGuard(1):\n        buf2 = buf0")
    with pytest.raises(LabError, match="several devices"):
        grafted(wrapper, lines_of(wrapper, ".mm(", "last.run"), "buf0 in, buf1 inner, buf2 out")


def test_two_spans_of_one_function() -> None:
    one = lines_of(WRAPPER, "first.run", ".mm("), "arg0_1 in, buf0 out, arg1_1 in, buf1 out", "one"
    two = lines_of(WRAPPER, "last.run", "behind.run"), "buf1 in, buf2 inner, buf3 out", "two"
    text = ast.unparse(with_calls(WRAPPER, one, two))
    assert text == ast.unparse(with_calls(WRAPPER, two, one))
    assert "if one(arg0_1, arg1_1, buf0, buf1):" in text and "if two(buf1, buf3):" in text
    assert text.count("last.run(") == 1
