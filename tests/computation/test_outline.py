"""Trees as indented text: every store, a node a line, what is used again by its name."""

from __future__ import annotations

import pytest
from folders import CAPTURED
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, ROWS, kernel

from inductor_lab import store
from inductor_lab.computation import computation
from inductor_lab.computation.outline import outline
from inductor_lab.records import Kernel


def told(found: Kernel) -> list[str]:
    return list(outline(computation(found)))


def test_a_node_is_a_line_below_the_one_that_it_is_part_of() -> None:
    assert told(kernel(ADD_RELU, ADD_RELU_TENSORS)) == [
        "store in_out_ptr0[x2]",
        "  maximum: float32",
        "    0",
        "    add: float32",
        "      add: float32",
        "        load in_ptr0[x0]: float32",
        "        load in_out_ptr0[x2]: float32",
        "      mul: float32",
        "        load in_ptr1[x2]: float32",
        "        0.5",
    ]


def test_what_is_used_again_is_named_where_it_first_stands() -> None:
    body = f"{ROWS}    tmp1 = tl.sum(tl.exp(tmp0), 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp1 * tmp1, xmask)\n"
    assert told(kernel(body, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}, category="reduction")) == [
        "store out_ptr0[x0]",
        "  mul: float32",
        "    v1 = sum over r0_: float32",
        "      exp: float32",
        "        load in_ptr0[r0_1 + 128 * x0]: float32",
        "    v1",
    ]


def test_what_decides_an_address_and_a_mask_that_says_something_are_parts() -> None:
    body = (
        "    xnumel = 64\n    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]\n    xmask = xindex < xnumel\n    x0 = xindex\n"
        "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = tl.load(in_ptr1 + (tmp0), x0 < 5, other=2.0)\n"
        "    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
    )
    tensors = {"in_ptr0": "int64[64]", "in_ptr1": "float32[64]", "out_ptr0": "float32[64]"}
    assert told(kernel(body, tensors)) == [
        "store out_ptr0[x0]",
        "  load in_ptr1[…]: float32",
        "    at load in_ptr0[x0]: int64",
        "    if lt: bool",
        "      x0",
        "      5",
        "    else 2.0",
    ]


@pytest.mark.parametrize("name", ["dlrm_train_h200", "rotary_attention_train_h200"])
def test_every_store_of_a_real_kernel_has_its_tree(name: str) -> None:
    for found in store.load(CAPTURED / name).kernels:
        known = computation(found)
        lines = list(outline(known))
        stores = [line for line in lines if not line.startswith((" ", "job "))]
        assert len(stores) == sum(len(job.stores) for job in known.every())
        assert len(lines) > len(stores)
