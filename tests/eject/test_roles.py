"""What a tensor is to its kernel: an output, overwritten, or written in part."""

from __future__ import annotations

import textwrap

import pytest
from kernels_as_text import ROWS_OF_20, kernel

from inductor_lab.computation import computation
from inductor_lab.eject.binding.arguments import settled
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.records import TensorType

HEAD = f"{ROWS_OF_20}tmp0 = tl.load(in_ptr0 + (x2), xmask)\n"
WHOLE = "tl.store(out_ptr0 + (x2), tmp0, xmask)"
READ = "tmp1 = tl.load(out_ptr0 + (x2), xmask)\ntl.store(out_ptr1 + (x2), tmp1, xmask)"
GAPS = TensorType("float32", (30, 20), (24, 1))


def role(lines: str, role: str = "out", type_: TensorType | None = None, needed: bool = True) -> tuple[str, object]:
    """The role of `out_ptr0` and what it is drawn from, where the reference needs it or not."""
    tensors = dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1"), "float32[30, 20]")
    found = computation(kernel(HEAD + textwrap.dedent(lines) + "\n", tensors))
    type_ = type_ or TensorType("float32", (30, 20), (20, 1))
    tensor = Tensor("out_ptr0", "out", type_, role, "normal")
    made = settled({"out_ptr0": tensor}, found, {"out_ptr0"} if needed else set())["out_ptr0"]
    return made.role, made.fill


def test_what_the_reference_does_not_need_is_an_output() -> None:
    assert role(WHOLE, needed=False) == ("out", "out")
    assert role(f"{WHOLE}\n{READ}", "inout", needed=False) == ("out", "out")


def test_what_is_written_whole_is_an_output_though_the_reference_starts_from_it() -> None:
    """A tensor with gaps is filled in by the reference, not made anew."""
    assert role("tl.store(out_ptr0 + (x0 + 24*x1), tmp0, xmask)", type_=GAPS) == ("out", "out")
    assert role(f"{WHOLE}\n{READ}", "inout") == ("out", "out")


def test_what_is_loaded_first_is_overwritten() -> None:
    assert role(f"{READ}\n{WHOLE}", "inout") == ("inout", "normal")


@pytest.mark.parametrize(
    "store",
    [
        "tl.store(out_ptr0 + (x0 + 20*tmp0.to(tl.int64)), tmp0, xmask)",
        "tl.store(out_ptr0 + (x2), tmp0, xmask & (tmp0 > 0))",
        "tl.store(out_ptr0 + (x1), tmp0, xmask)",
    ],
)
def test_what_stays_in_part_is_drawn(store: str) -> None:
    assert role(store) == ("part", "normal")
