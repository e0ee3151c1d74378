"""What a span's inputs are drawn from: what its kernels ask of them, through views and of what is made of them; what does not follow is said."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from kernels_as_text import ROWS_OF_20, capture, kernel

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.eject.span import eject_span
from inductor_lab.records import Capture, Kernel
from inductor_lab.spans import span

HEAD = f"{ROWS_OF_20}tmp0 = tl.load(in_ptr0 + ({{at}}), xmask)\n"
SHIFTED = HEAD.format(at="x2") + "tl.store(out_ptr0 + (x2), tmp0 + 2, xmask)"
SCATTER = (
    HEAD.format(at="x2") + "tmp1 = tl.load(in_ptr1 + (x2), xmask)\ntl.store(out_ptr0 + (tmp0 + 40*x1), tmp1, xmask)"
)
LOOKUP = (
    HEAD.format(at="x1") + "tmp1 = tl.load(in_ptr1 + (x0 + 20*tmp0), xmask)\ntl.store(out_ptr0 + (x2), tmp1, xmask)"
)
SQUARED = HEAD.format(at="x2") + "tl.store(out_ptr0 + (x2), tmp0 * tmp0, xmask)"
BODIES = {
    "shift": (SHIFTED, {"in_ptr0": "int64[30, 20]", "out_ptr0": "int64[30, 20]"}),
    "square": (SQUARED, {"in_ptr0": "int64[30, 20]", "out_ptr0": "int64[30, 20]"}),
    "scatter": (SCATTER, {"in_ptr0": "int64[30, 20]", "in_ptr1": "float32[30, 20]", "out_ptr0": "float32[30, 40]"}),
    "lookup": (LOOKUP, {"in_ptr0": "int64[30]", "in_ptr1": "float32[50, 20]", "out_ptr0": "float32[30, 20]"}),
}
WRAPPER = """
def call(args):
    rows, x, table = args
    args.clear()
    assert_size_stride(rows, {of})
    assert_size_stride(x, (30, 20), (20, 1))
    assert_size_stride(table, (50, 20), (20, 1))
    buf0 = empty_strided_cuda((30, 20), (20, 1), torch.int64)
    buf1 = empty_strided_cuda((30, 40), (40, 1), torch.float32)
    buf2 = empty_strided_cuda((30, 20), (20, 1), torch.float32)
{lines}
    return (buf1, buf2)
"""


def captured(of: str, *lines: str) -> Capture:
    """A graph of these launches, `rows` an int64 tensor of that shape and strides."""
    module = WRAPPER.format(of=of, lines="\n".join(f"    {line}" for line in lines))
    module += (
        f"\n\ndef benchmark_compiled_module():\n    rows = rand_strided({of}, device='cuda:0', dtype=torch.int64)\n"
    )
    found: list[Kernel] = []
    for number, line in enumerate(module.split("\n"), 1):
        if launched := re.match(r"    (\w+)\.run\((.*), 600, stream=0\)", line):
            name, passed = (
                launched[1],
                re.split(r", (?![^(]*\))", re.sub(r"\((\w+), (\(.*?\)), (\(.*?\)), 0\)", r"(\1)", launched[2])),
            )
            body, tensors = BODIES[name]
            made = kernel(body, tensors, name=name, passed=dict(zip(tensors, passed, strict=True)))
            launch = replace(made.launches[0], line=number)
            found.append(replace(made, id=f"test:{len(found)}", launches=(launch,)))
    whole = capture(*found)
    return replace(whole, graphs=(replace(whole.graphs[0], module=module),))


def drawn(of: str, *lines: str) -> tuple[str, str]:
    """What the indices are drawn from in the span of all the launches, and the file."""
    made = captured(of, *lines)
    text = eject_span(made, span(made, "0_inference", 0, len(lines) - 1))
    (fill,) = re.findall(r'^    "\w+": \(.*, torch\.int64, (?!"out")(.*)\),$', text, re.MULTILINE)
    return fill, " ".join(text.replace("\n# ", " ").split())


DENSE, FLAT = "(30, 20), (20, 1)", "(600, ), (1, )"
SHIFT = "shift.run(rows, buf0, 600, stream=0)"
VIEW = "reinterpret_tensor({}, (30, ), (20, ), 0)"


def test_no_index_of_an_input_is_drawn_twice_where_a_kernel_stores_by_it() -> None:
    fill, text = drawn(DENSE, SHIFT, "scatter.run(rows, x, buf1, 600, stream=0)")
    assert fill == '(0, 40, "distinct", 1)' and "no two the same along the dimensions that follow" in text
    fill, _ = drawn(
        DENSE,
        "scatter.run(rows, x, buf1, 600, stream=0)",
        f"lookup.run({VIEW.format('rows')}, table, buf2, 600, stream=0)",
    )
    assert fill == '(0, 40, "distinct", 1)', "what all kernels ask holds together, through views too"


def test_more_different_indices_than_there_are_numbers_are_not_asked_and_that_is_said() -> None:
    fill, text = drawn(
        FLAT, "scatter.run(reinterpret_tensor(rows, (30, 20), (20, 1), 0), x, buf1, 600, stream=0)", SHIFT
    )
    assert fill == "(0, 40)"
    assert re.search(
        r"Two of `\w+` may be the same, and what is stored there is then what one of several programs left\.", text
    )


def test_an_input_is_drawn_so_that_what_is_made_of_it_is_in_its_place() -> None:
    fill, text = drawn(DENSE, SHIFT, f"lookup.run({VIEW.format('buf0')}, table, buf2, 600, stream=0)")
    assert fill == "(0, 48)"
    assert re.search(r"What is made inside of such inputs is in its place: `\w+` from 0 up to 50\.", text)


def test_what_does_not_follow_from_the_inputs_is_said() -> None:
    fill, text = drawn(DENSE, SHIFT, "scatter.run(buf0, x, buf1, 600, stream=0)")
    assert fill == "(0, 38)"
    assert re.search(r"has to be in its place by itself: `\w+` with no two the same along dimension 1\.", text)


def test_an_input_that_would_not_help_keeps_all_its_values() -> None:
    fill, text = drawn(
        DENSE, "square.run(rows, buf0, 600, stream=0)", f"lookup.run({VIEW.format('buf0')}, table, buf2, 600, stream=0)"
    )
    assert fill == '"any"' and re.search(r"in its place by itself: `\w+` from 0 up to 50\.", text)
