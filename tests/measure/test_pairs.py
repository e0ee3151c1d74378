"""Two kernels' texts side by side: names make no difference, and of a line that changed its words alone are lit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, capture, kernel

from inductor_lab.compare import compare
from inductor_lab.measure.why.normal import Line
from inductor_lab.measure.why.texts import beside, every, programs, texts
from inductor_lab.records import Beside, BesideRow, CompiledCode, SourceLine

OLD = kernel(ADD_RELU, ADD_RELU_TENSORS)


def edited(*changes: tuple[str, str]) -> tuple[Beside, ...]:
    body = ADD_RELU
    for was, now in changes:
        assert was in body
        body = body.replace(was, now)
    return texts(OLD, kernel(body, ADD_RELU_TENSORS))


def lit(row: BesideRow) -> tuple[list[str], list[str]]:
    """The words of both lines that are lit."""
    old, new = row.lit
    return [(row.a or "")[start:end] for start, end in old], [(row.b or "")[start:end] for start, end in new]


def test_a_renamed_temporary_changes_nothing() -> None:
    source, computation = edited(("tmp6", "tmp60"), ("x2", "x9"))
    assert (source.name, computation.name) == ("source", "computation")
    assert all(row.alike for row in (*source.rows, *computation.rows))
    assert any(row.a != row.b for row in source.rows), "each side keeps its own names"


def test_of_a_line_that_changed_the_words_are_lit() -> None:
    source, computation = edited(("tmp6 = tmp2 + tmp5", "tmp6 = tmp2 * tmp5"))
    (row,) = (row for row in source.rows if not row.alike)
    assert lit(row) == (["+"], ["*"]) and row.at[0] == row.at[1] != ""
    (row,) = (row for row in computation.rows if not row.alike)
    assert lit(row) == (["add"], ["mul"])


def test_a_line_more_stands_alone() -> None:
    source, _ = edited(("    tmp7 =", "    tmp66 = tl.exp(tmp6)\n    tmp7 ="))
    (row,) = (row for row in source.rows if not row.alike)
    assert row.a is None and row.b == "tmp66 = tl.exp(tmp6)" and row.lit == ((), ())


def test_a_kernel_that_only_one_side_has_stands_beside_nothing() -> None:
    for a, b in ((OLD, None), (None, OLD)):
        source, computation = texts(a, b)
        assert len(source.rows) == len(ADD_RELU.strip().splitlines()) and computation.rows
        assert all((row.a is None) == (a is None) and (row.b is None) == (b is None) for row in source.rows)


def test_a_body_that_is_no_python_is_shown_as_it_stands() -> None:
    odd = replace(OLD, body="\x00(", text="\x00(")
    source, computation = texts(OLD, odd)
    assert "\x00(" in [row.b for row in source.rows]
    assert computation.missing[0] == "" and computation.missing[1].startswith("Its body was not read as trees")


PTX = ".visible .entry triton_poi_fused_test_0(\n)\n{\n\t.reg .b32 %r<9>;\n    add.f32 %r1, %r2, %r3;\n    ret;\n}"


def test_code_is_tied_to_the_kernel_s_lines_and_registers_are_names() -> None:
    old = CompiledCode("ptx", "h200", PTX, (0, 0, 0, 0, 7, 8, 0))
    new = CompiledCode("ptx", "h200", PTX.replace("%r1", "%r8").replace("add", "mul"), (0, 0, 0, 0, 6, 7, 0))
    *_, ptx = texts(OLD, OLD, [old], [new])
    changed, same = ptx.rows
    assert (ptx.name, changed.at, same.at, same.alike) == ("ptx", ("7", "6"), ("8", "7"), True)
    assert lit(changed) == (["add"], ["mul"])


def test_a_stage_that_one_side_lacks_says_why() -> None:
    ptx = CompiledCode("ptx", "h200", PTX)
    sass = CompiledCode("sass", "h200", "", missing="nvdisasm is missing here.")
    *_, first, second = texts(OLD, OLD, [ptx], [ptx, sass])
    assert first.name == "ptx" and all(row.alike for row in first.rows)
    assert (second.name, second.rows, second.missing) == ("sass", (), ("", "nvdisasm is missing here."))


def test_a_kernel_that_does_not_compile_says_why_beside_the_other_s_code() -> None:
    *_, ptx, none = texts(
        OLD,
        OLD,
        [CompiledCode("ptx", "h200", PTX)],
        [CompiledCode("", "h200", "", missing="Triton can not compile it.")],
    )
    assert all(row.b is None for row in ptx.rows)
    assert (none.name, none.rows, none.missing) == ("", (), ("", "Triton can not compile it."))


@pytest.mark.parametrize("count", [3, 200])
def test_lines_of_a_passage_that_differs_are_put_beside_what_resembles_them(count: int) -> None:
    old = [Line(f"load a{n} from here", f"load a{n} from here") for n in range(count)]
    new = [
        Line("0123456789", "0123456789"),
        *(Line(f"load b{n} from here", f"load b{n} from here") for n in range(count)),
    ]
    rows = list(beside(old, new))
    assert [row.old for row in rows if row.old] == old and [row.new for row in rows if row.new] == new
    if count == 3:  # of a long passage no line is looked for
        assert rows[0].old is None and [row.new and row.new.shown[5:7] for row in rows[1:]] == ["b0", "b1", "b2"]


def test_one_line_of_many_that_look_the_same_is_one_difference() -> None:
    old = [Line(f"add.f32 %f{n};", "add.f32 \0;") for n in range(30)]
    rows = list(beside(old, [*old[:9], Line("mul.f32 %f9;", "mul.f32 \0;"), *old[10:]]))
    assert [row.alike for row in rows] == [n != 9 for n in range(30)]


def test_every_kernel_of_a_comparison_has_its_texts() -> None:
    other = replace(kernel(ADD_RELU.replace("0.5", "0.25"), ADD_RELU_TENSORS), id="test:1", body_sha256="2")
    found = compare(capture(OLD), capture(OLD, other))
    made = every(found)
    assert set(made) == {("test:0", "test:0"), ("", "test:1")}
    assert all(row.alike for row in made["test:0", "test:0"][0].rows)


def test_programs_are_aligned_by_their_code() -> None:
    lines = [SourceLine("/home/me/model.py", at, code) for at, code in ((3, "x = x + 1"), (4, "return x.relu()"))]
    moved = [replace(line, line=line.line + 1) for line in lines]
    old, new = (
        capture(replace(OLD, source=tuple(source))) for source in (lines, (*moved, SourceLine("model.py", 1, "y")))
    )
    rows = programs(old, new).rows
    assert [(row.alike, row.at) for row in rows if row.a] == [
        (True, ("model.py:3", "model.py:4")),
        (True, ("model.py:4", "model.py:5")),
    ]
    assert [row.b for row in rows if row.a is None] == ["y"]
