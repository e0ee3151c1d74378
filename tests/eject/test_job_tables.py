"""A launch of many jobs of one kind: one function, a kernel that goes through the jobs, and a table of them."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

import pytest
from kernels_as_text import capture
from many_jobs import SHAPES, decay

from inductor_lab.eject import eject
from inductor_lab.judge.process.free_memory import elements
from inductor_lab.records import Kernel

OF_A_JOB = re.compile(r"reads(_\d)?|writes(_\d)?|job(_\d)?_reference")


def file(made: Kernel) -> str:
    return eject(capture(made), made)


def module(text: str) -> dict[str, Any]:
    """What the file's judged part defines, with nothing run that needs torch."""
    tree = ast.parse(text)
    wanted = {"JOBS", "KINDS", "ROWS", "ARGUMENTS", "TAKES", "WRITTEN"}
    body = [
        one for one in tree.body
        if (isinstance(one, ast.FunctionDef) and OF_A_JOB.fullmatch(one.name)) or (isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in wanted)
    ]  # fmt: skip
    names: dict[str, Any] = {"torch": type("torch", (), {"float32": "float32"})}
    exec(compile(ast.Module(body, []), "file", "exec"), names)
    return names


def test_the_kernel_goes_through_the_jobs() -> None:
    text = file(decay())
    assert (
        """
    program = tl.program_id(0)
    for number in tl.static_range(len(SIZES)):
        programs = tl.cdiv(SIZES[number], BLOCK)
        if program >= 0 and program < programs:
            job(program, *jobs[number], SIZES[number], BLOCK)
        program -= programs


def launch(*tensors, num_warps=8):
"""
        in text
    )
    assert text.count("@triton.jit\ndef ") == 3, "a job, the kernel and the generated one"


def test_the_rows_say_what_the_generated_kernel_takes_in_its_order() -> None:
    made = decay()
    names = module(file(made))
    assert names["JOBS"] == (((40, 75), (75, 1)), ((75,), (1,)), ((3, 5, 7), (35, 7, 1)), ((1024,), (1,)))
    assert [*names["ARGUMENTS"]] == [
        *("param_0", "rate", "grad_0", "param_1", "grad_1", "param_2", "grad_2", "param_3", "grad_3"),
        *("param_new_0", "param_new_1", "param_new_2", "param_new_3"),
    ]
    assert len(names["ARGUMENTS"]) == len([argument for argument in made.arguments if argument.pointer])


def test_what_a_file_with_a_table_takes_is_read_from_its_text() -> None:
    assert elements(file(decay())) == 4 + 3 * (40 * 75 + 75 + 3 * 5 * 7 + 1024)


def test_each_row_says_its_kind_where_there_are_several() -> None:
    text = file(decay(last="tmp4 + tmp0"))
    names = module(text)
    assert [kind for kind, *_ in names["JOBS"]] == [0, 0, 0, 1]
    assert [*names["ARGUMENTS"]] == [*module(file(decay()))["ARGUMENTS"]]
    assert "job_1(program, *jobs_1[number], SIZES_1[number], BLOCK)" in text
    assert text.count("def reads") == 1 and "(reads_0, writes_0, job_1_reference)," in text
    assert elements(text) == elements(file(decay()))


def test_jobs_of_one_element_are_told_as_the_others_are() -> None:
    names = module(file(decay((*SHAPES, "1", ""))))
    assert names["JOBS"][-2:] == (((1,), (1,)), ((), ()))


def test_a_job_that_reads_its_one_element_at_the_start_is_told_as_the_others_are() -> None:
    made = decay((*SHAPES, "1"))
    at_start = re.sub(
        r"tmp(\d) = tl.load\((\w+) \+ \(x0\), xmask\)",
        r"tmp\1 = tl.broadcast_to(tl.load(\2 + (0)), [XBLOCK])",
        made.body.rpartition("elif")[2],
    )
    at_start = re.sub(r"(out_ptr\d) \+ \(x0\)", r"\1 + tl.full([XBLOCK], 0, tl.int32)", at_start)
    head = "elif".join(made.body.split("elif")[:-1])
    assert "(0)), [XBLOCK])" in at_start and at_start.count("x0") == 1
    text = file(replace(made, body=f"{head}elif{at_start}"))
    assert text.count("@triton.jit\ndef ") == 3 and "KINDS" not in text and "tl.full([BLOCK]" not in text


def test_what_the_jobs_compare_is_said_once() -> None:
    text = file(decay(value="tl.where(tmp0 > tmp3, tmp4, tmp3)"))
    assert text.count("def job_compares(param, rate, grad):") == text.count("def compares(*tensors):") == 1


@pytest.mark.parametrize(
    "made", [decay(SHAPES[:2]), decay(last="tmp3")], ids=["two jobs", "reads what it does not need"]
)
def test_jobs_that_a_table_does_not_tell_keep_their_names(made: Kernel) -> None:
    text = file(made)
    assert "JOBS = " not in text and "def launch(*tensors" not in text
