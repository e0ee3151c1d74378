"""What a span reads, writes and leaves, told from the wrapper's text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inductor_lab.errors import LabError
from inductor_lab.read.kernel import UNREAD
from inductor_lab.read.module import read_module
from inductor_lab.records import Argument, Kernel
from inductor_lab.records.span import Span
from inductor_lab.spans.wrapper import SpanWrapper

MODULE = """
class Runner:
    def call(self, args):
        x, w, b = args
        args.clear()
        assert_size_stride(x, (8, 4), (4, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
            stream0 = get_raw_stream(0)
            double.run(x, buf0, 32, stream=stream0)
            buf9 = empty_strided_cuda((8, 8), (8, 1), torch.float32)
            buf1 = reinterpret_tensor(buf9, (8, 4), (8, 1), 0)  # alias
            extern_kernels.mm(buf0, reinterpret_tensor(w, (4, 4), (1, 4), 0), out=buf1)
            buf2 = reinterpret_tensor(buf9, (8, 4), (8, 1), 4)  # alias
            buf3 = buf0; del buf0  # reuse
            add.run(buf3, b, 32, stream=stream0)
            double.run(buf3, buf2, 32, stream=stream0)
            buf4 = buf3; del buf3  # reuse
            double.run(x, buf4, 32, stream=stream0)
            buf5 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
            double.run(buf4, buf5, 32, stream=stream0)
            torch.ops._c10d_functional.wait_tensor.default(buf5)
        return (buf9, buf5)


def benchmark_compiled_module(times=10, repeat=10):
    x = rand_strided((8, 4), (4, 1), device='cuda:0', dtype=torch.float32)
    w = rand_strided((4, 4), (4, 1), device='cuda:0', dtype=torch.float32)
    b = rand_strided((4, ), (1, ), device='cuda:0', dtype=torch.float32)
"""
LINES = dict(
    enumerate(n for n, line in enumerate(MODULE.split("\n"), 1) if ".run(" in line or ".mm(" in line or "wait" in line)
)


BODY = """
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex
tmp0 = tl.load(ptr0 + (x0), xmask)
tl.store({to} + ({place}), tmp0, xmask)
"""


def kernel(name: str, *roles: str, place: str = "x0") -> Kernel:
    pointers = tuple(Argument(f"ptr{n}", "float32", role, pointer=True) for n, role in enumerate(roles))
    to = next(one.name for one in pointers if one.role != "in")
    body = BODY.format(to=to, place=place)
    arguments = (*pointers, Argument("xnumel", "int32", "size"))
    return replace(
        UNREAD, name=name, category="pointwise", arguments=arguments, body=body, body_sha256=f"hash of {name}"
    )


KERNELS = {
    "double": kernel("double", "in", "out"),
    "twice": kernel("twice", "in", "out"),
    "add": kernel("add", "inout", "in"),
    "scatter": kernel("scatter", "in", "out", place="tmp0.to(tl.int64)"),
}


def span(first: int, last: int, module: str = MODULE) -> Span:
    return SpanWrapper(read_module(module), KERNELS).span((LINES[first], LINES[last]))


def roles(found: Span) -> dict[str, str]:
    return {tensor.name: tensor.role + (", unread" if tensor.unread else "") for tensor in found.tensors}


def test_an_inner_buffer_is_one_that_nobody_reads_behind_the_span() -> None:
    assert roles(span(0, 3)) == {"x": "in", "buf0": "inner", "w": "in", "buf9": "out", "b": "in"}


def test_a_buffer_that_is_read_behind_the_span_is_an_output() -> None:
    assert roles(span(0, 2)) == {"x": "in", "buf0": "out", "w": "in", "buf9": "inout", "b": "in"}


def test_what_goes_on_in_the_same_memory_is_one_tensor_and_what_is_new_in_it_another() -> None:
    found = span(2, 5)
    assert roles(found) == {
        "buf0": "inout, unread",
        "b": "in",
        "buf9": "inout",
        "x": "in",
        "buf4": "inner",
        "buf5": "out",
    }
    assert {tensor.name: tensor.storage for tensor in found.tensors}["buf4"] == "buf0"


TWICE = """
def call(args):
    x, = args
    buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
    double.run(x, buf0, 32, stream=stream0)
    {again}
    buf1 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
    double.run(buf0, buf1, 32, stream=stream0)
    del buf0
    return (buf1, )
"""


@pytest.mark.parametrize(
    ("again", "unread"),
    [
        ("double.run(x, buf0, 32)", {"ptr1"}),
        ("double.run(x, reinterpret_tensor(buf0, (32, ), (1, ), 0), 32)", {"ptr1"}),
        ("double.run(x, buf0, 8)", set()),  # as a diagonal
        ("scatter.run(x, buf0, 32)", set()),
        ("add.run(buf0, x, 32)", set()),
        ("extern_kernels.mm(x, x, out=buf0)", {"ptr1"}),
        ("aten.index_put_(buf0, [x], x, False)", set()),
        ("foreign(buf0)", set()),
    ],
)
def test_what_is_written_over_whole_before_it_is_read_is_unread(again: str, unread: set[str]) -> None:
    assert SpanWrapper(read_module(TWICE.format(again=again)), KERNELS).unread(5) == unread


def test_a_branch_is_a_barrier_and_what_is_launched_in_it_is_counted() -> None:
    module = read_module(
        TWICE.format(again="if x: double.run(x, buf0, 32)\n    while f(): extern_kernels.mm(x, x, out=buf0)")
    )
    (function,) = module.functions
    assert [(step.line, step.function, bool(step.barrier)) for step in function.steps] == [
        (5, "double", False),
        (6, "", True),
        (7, "", True),
        (9, "double", False),
    ]
    assert [run.line for run in module.runs] == [5, 6, 9]
    assert [(call.line, call.target) for call in module.externs] == [(7, "extern_kernels.mm")]
    assert SpanWrapper(module, KERNELS).unread(5) == set()


def test_a_text_that_is_no_python_has_no_spans() -> None:
    with pytest.raises(LabError, match="its module is no Python wrapper: invalid syntax in line 6"):
        SpanWrapper(read_module(TWICE.format(again="int x;")), KERNELS)


def test_what_is_returned_or_given_is_read() -> None:
    text = TWICE.format(again="pass")
    assert SpanWrapper(read_module(text), KERNELS).unread(8) == set()
    assert SpanWrapper(read_module(text.replace("(buf1, )", "(x, )")), KERNELS).unread(8) == {"ptr1"}
    given = text.replace("buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)", "buf0 = x")
    assert SpanWrapper(read_module(given.replace("del buf0", "pass")), KERNELS).unread(5) == set()


def test_parts_of_one_allocation_are_views_of_it() -> None:
    values = [argument.value for argument in span(1, 3).steps[2].arguments]
    assert values == ["buf0", "view(buf9, (8, 4), (8, 1), 4)", "32"]


FIRST = "double.run(x, buf0, 32, stream=stream0)"
SAME = {
    "buffers": [("buf0", "buf70"), ("buf9", "buf71")],
    "inputs": [("x", "arg0_1"), ("w", "arg1_1"), ("b", "arg2_1")],
    "inputs of training": [("x", "primals_3"), ("w", "primals_1"), ("b", "tangents_1")],
    "an input that is made before": [
        ("x, w, b = args", "q, w, b = args"),
        (f"            {FIRST}", f"            double.run(q, x, 32, stream=stream0)\n            {FIRST}"),
    ],
    "a stream": [("stream0", "raw_stream0")],
    "lines": [("            stream0", "\n\n            # a comment\n            stream0")],
    "what is read behind otherwise": [("double.run(buf4, buf5", "add.run(buf4, buf5")],
    "an order of inputs": [("x, w, b = args", "b, x, w = args")],
}  # fmt: skip
OTHER = {
    "strides of a view": [("(1, 4), 0)", "(4, 1), 0)")],
    "where a view begins": [("(1, 4), 0)", "(1, 4), 4)")],
    "a number": [(FIRST, FIRST.replace("32", "31"))],
    "a function": [("extern_kernels.mm", "extern_kernels.bmm")],
    "a kernel": [(FIRST, FIRST.replace("double", "twice"))],
    "operands": [("mm(buf0, reinterpret_tensor(w, (4, 4), (1, 4), 0)", "mm(reinterpret_tensor(w, (4, 4), (1, 4), 0), buf0")],
    "an input twice": [("add.run(buf3, b,", "add.run(buf3, x,")],
    "what is read behind": [("double.run(buf3, buf2", "double.run(x, buf2")],
    "a dtype": [("buf9 = empty_strided_cuda((8, 8), (8, 1), torch.float32)", "buf9 = empty_strided_cuda((8, 8), (8, 1), torch.bfloat16)")],
    "a size": [("buf9 = empty_strided_cuda((8, 8), (8, 1)", "buf9 = empty_strided_cuda((8, 9), (9, 1)")],
    "a keyword": [("out=buf1)", "alpha=2, out=buf1)")],
}  # fmt: skip


def changed(changes: list[tuple[str, str]]) -> str:
    """The wrapper with each word, or text, replaced."""
    text = MODULE
    for before, after in changes:
        assert before in text
        text = re.sub(rf"\b{before}\b", after, text) if before.isidentifier() else text.replace(before, after)
    return text


def hash_of(module: str) -> str:
    """Of the steps from the first `double` to the `add` behind the product."""
    lines = [n for n, line in enumerate(module.split("\n"), 1) if ".run(" in line or "mm(" in line]
    first = lines[1] if "double.run(q" in module else lines[0]
    return SpanWrapper(read_module(module), KERNELS).span((first, lines[lines.index(first) + 2])).sha256


@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_the_hash_is_of_what_is_done_whatever_variables_are_called(changes: list[tuple[str, str]]) -> None:
    assert hash_of(changed(changes)) == hash_of(MODULE)


@pytest.mark.parametrize("changes", OTHER.values(), ids=OTHER)
def test_another_program_has_another_hash(changes: list[tuple[str, str]]) -> None:
    assert hash_of(changed(changes)) != hash_of(MODULE)


def test_what_the_caller_gave_up_is_read_by_nobody_behind() -> None:
    module = MODULE.replace("double.run(x, buf0, 32, stream=stream0)", "pass").replace(
        "buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)", "buf0 = x; del x  # reuse"
    ).replace("double.run(x, buf4, 32, stream=stream0)", "add.run(buf4, b, 32, stream=stream0)")  # fmt: skip
    lines = [n for n, line in enumerate(module.split("\n"), 1) if ".run(" in line or ".mm(" in line]
    found = SpanWrapper(read_module(module), KERNELS).span((lines[1], lines[-1]))
    assert roles(found)["x"] == "inout, unread"


def test_the_hash_knows_symbols_by_their_order() -> None:
    one, other, others = (MODULE.replace("(8, 4)", f"({size}, 4)") for size in ("s0", "s77", "s77 + 1"))
    assert span(0, 3, one).sha256 == span(0, 3, other).sha256 != span(0, 3, others).sha256
    two = MODULE.replace("(8, 4)", "(s0, 4)").replace("(8, 8)", "(s1, 8)")
    assert span(0, 3, two).sha256 != span(0, 3, two.replace("s1", "s0")).sha256
    assert span(0, 3, two).sha256 == span(0, 3, two.replace("s1", "s5").replace("s0", "zuf1")).sha256


def test_a_barrier_is_named() -> None:
    with pytest.raises(LabError, match="waits for other ranks"):
        span(4, 6)
