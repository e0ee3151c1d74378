"""What a span reads, writes and leaves, told from the wrapper's text."""

from __future__ import annotations

import pytest

from inductor_lab.errors import LabError
from inductor_lab.read.kernel import Source
from inductor_lab.records import Argument
from inductor_lab.records.span import Span
from inductor_lab.spans.wrapped import Wrapped

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


def kernel(name: str, *roles: str, place: str = "x0") -> Source:
    pointers = tuple(Argument(f"ptr{n}", "float32", role, pointer=True) for n, role in enumerate(roles))
    to = next(one.name for one in pointers if one.role != "in")
    body = BODY.format(to=to, place=place)
    return Source(
        name, "pointwise", (*pointers, Argument("xnumel", "int32", "size")), body, f"hash of {name}", (), {}, {}
    )


KERNELS = {
    "double": kernel("double", "in", "out"),
    "add": kernel("add", "inout", "in"),
    "scatter": kernel("scatter", "in", "out", place="tmp0.to(tl.int64)"),
}


def span(first: int, last: int, module: str = MODULE) -> Span:
    return Wrapped(module, KERNELS).span((LINES[first], LINES[last]))


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
    assert Wrapped(TWICE.format(again=again), KERNELS).unread(5) == unread


def test_what_is_returned_or_given_is_read() -> None:
    assert Wrapped(TWICE.format(again="pass"), KERNELS).unread(8) == set()
    assert Wrapped(TWICE.format(again="pass").replace("(buf1, )", "(x, )"), KERNELS).unread(8) == {"ptr1"}
    given = TWICE.format(again="pass").replace("buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)", "buf0 = x")
    assert Wrapped(given.replace("del buf0", "pass"), KERNELS).unread(5) == set()


def test_parts_of_one_allocation_are_views_of_it() -> None:
    values = [argument.value for argument in span(1, 3).steps[2].arguments]
    assert values == ["buf0", "view(buf9, (8, 4), (8, 1), 4)", "32"]


def test_the_hash_is_of_what_is_done_whatever_variables_are_called() -> None:
    renamed = MODULE.replace("buf0", "buf70").replace("buf9", "buf71")
    assert span(0, 3).sha256 == span(0, 3, renamed).sha256
    assert span(0, 3).sha256 != span(0, 3, MODULE.replace("(1, 4), 0)", "(4, 1), 0)")).sha256
    assert span(0, 3).sha256 != span(1, 3).sha256


def test_what_the_caller_gave_up_is_read_by_nobody_behind() -> None:
    module = MODULE.replace("double.run(x, buf0, 32, stream=stream0)", "pass").replace(
        "buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)", "buf0 = x; del x  # reuse"
    ).replace("double.run(x, buf4, 32, stream=stream0)", "add.run(buf4, b, 32, stream=stream0)")  # fmt: skip
    lines = [n for n, line in enumerate(module.split("\n"), 1) if ".run(" in line or ".mm(" in line]
    found = Wrapped(module, KERNELS).span((lines[1], lines[-1]))
    assert roles(found)["x"] == "inout, unread"


def test_the_hash_knows_symbols_by_their_order() -> None:
    one, other, others = (MODULE.replace("(8, 4)", f"({size}, 4)") for size in ("s0", "s77", "s77 + 1"))
    assert span(0, 3, one).sha256 == span(0, 3, other).sha256 != span(0, 3, others).sha256


def test_a_barrier_is_named() -> None:
    with pytest.raises(LabError, match="waits for other ranks"):
        span(4, 6)
