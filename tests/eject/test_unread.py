"""What nobody reads behind a kernel: its file says so, and an edit may leave it out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kernels_as_text import capture, kernel

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.eject.binding.plan import plan
from inductor_lab.eject.file.literals import tuple_of
from inductor_lab.records import Capture, Kernel, Launch
from inductor_lab.report.facts import facts, role

TWO = """
    xnumel = 32
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0 + tmp0, xmask)
    tl.store(out_ptr1 + (x0), tmp0 * tmp0, xmask)
"""
TENSORS = {"in_ptr0": "float32[32]", "out_ptr0": "float32[32]", "out_ptr1": "float32[32]"}
MODULE = """def call(args):
    arg0_1, = args
    buf0 = empty_strided_cuda((32, ), (1, ), torch.float32)
    buf1 = empty_strided_cuda((32, ), (1, ), torch.float32)
    two.run(arg0_1, buf0, buf1, 32, stream=stream0)
    two.run(buf0, buf1, buf0, 32, stream=stream0)
    return (buf0, )
"""


def launched(module: str, *lines: int) -> tuple[Capture, Kernel]:
    """The kernel as these lines of a module launch it."""
    made = kernel(TWO, TENSORS)
    launches = []
    for line in lines:
        passed = module.split("\n")[line - 1].partition("(")[2].split(", ")
        arguments = zip(made.launches[0].arguments, passed, strict=False)
        launches.append(Launch("0_inference", line, tuple(replace(a, value=value) for a, value in arguments)))
    made = replace(made, name="two", launches=tuple(launches))
    found = capture(made)
    return replace(found, graphs=(replace(found.graphs[0], module=module),)), made


@pytest.mark.parametrize(
    ("lines", "returned", "unread"),
    [
        ((5,), "(buf0, )", ("out_ptr1",)),  # the next launch writes over it
        ((6,), "(buf0, )", ("out_ptr0",)),
        ((5, 6), "(buf0, )", ()),  # each of them is read behind one launch
        ((6,), "(buf0, buf1)", ()),
    ],
)
def test_an_output_is_unread_where_nobody_reads_it_behind_any_launch(
    lines: tuple[int, ...], returned: str, unread: tuple[str, ...]
) -> None:
    found, made = launched(MODULE.replace("(buf0, )", returned), *lines)
    known = facts(made, found)
    assert known.unread == unread
    told = {
        a.name for a in made.arguments if role(a, made, known.unread) == "written; nobody reads it behind the kernel"
    }
    assert told == set(unread)
    names = tuple(plan(found, made).tensors[pointer].name for pointer in unread)
    text = " ".join(eject(found, made, file="two.py").split())
    assert (f"UNREAD = {tuple_of([repr(name) for name in names])}".replace("'", '"') in text) == bool(names)
    assert (": an edit need not write it." in text) == bool(names)


def test_of_a_kernel_that_nobody_reads_all_is_still_held_to_the_reference() -> None:
    found, made = launched(MODULE.replace("(buf0, )", "(arg0_1, )"), 6)
    text = eject(found, made, file="two.py")
    assert "without the kernel the model computes the same" in " ".join(text.split())
    assert "UNREAD = " not in text


def test_the_json_of_list_and_show_says_it_by_the_kernel_s_pointers(lab: Callable[..., Any], workdir: Path) -> None:
    capture, made = launched(MODULE, 5)
    other = replace(made, id=f"{capture.name}:1", launches=(), body_sha256="f" * 64)
    store.save(replace(capture, kernels=(made, other)), workdir / "captured" / capture.name)
    for verb in (("list", capture.name), ("list", capture.name, "--top", "1"), ("show", f"{capture.name}:0")):
        assert json.loads(lab(*verb, "--json").out)["kernels"][0]["unread"] == ["out_ptr1"]
    assert json.loads(lab("list", capture.name, "--json").out)["kernels"][1]["unread"] == []
