"""The first line of an ejected file: its chief output in the file's own names."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, kernel

from inductor_lab.computation import computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.file import header as titles
from inductor_lab.eject.file.header import claimed, replaced_by, title
from inductor_lab.eject.graph import Reference
from inductor_lab.records import Claim, Graph, Kernel, Node

FRAME = """
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
"""
TWO = {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]", "out_ptr1": "float32[4096]"}

ONLINE = """
    xnumel = 1
    r0_numel = 128
    R0_BLOCK: tl.constexpr = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    r0_0 = r0_index
    tmp0 = tl.load(in_ptr0 + (r0_0), None)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp2, tmp3 = triton_helpers.online_softmax_reduce(tmp1, tl.exp(tmp1), 1, False)
    tl.store(out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp3[:, None], None)
"""
ONLINE_TENSORS = {"in_ptr0": "float32[128]", "out_ptr0": "float32[1, 1]"}


def titled(body: Kernel, names: dict[str, str], call: str = "work") -> str:
    """The title under these names of its tensors."""
    roles = {argument.name: argument.role for argument in body.arguments}
    tensors = {
        passed.name: Tensor(passed.name, names[passed.name], passed.type, roles[passed.name], "normal")
        for passed in body.launches[0].arguments
        if passed.type is not None
    }
    return title(computation(body), tensors, call)


def two(stores: str, types: dict[str, str] = TWO) -> str:
    names = {"in_ptr0": "x", "out_ptr0": "first", "out_ptr1": "second"}
    return titled(kernel(FRAME + stores, types, numel=4096), names)


def test_a_title_says_what_the_output_is_in_the_names_of_the_file() -> None:
    names = {name: name.replace("ptr", "tensor") for name in ADD_RELU_TENSORS}
    text = titled(kernel(ADD_RELU, ADD_RELU_TENSORS), names)
    assert "relu(" in text and " = " in text and "ptr" not in text


def test_the_chief_output_is_the_one_that_is_made_of_the_others() -> None:
    stores = """
    tmp1 = tmp0 * tmp0
    tl.store(out_ptr0 + (x0), tmp1, None)
    tmp2 = tl_math.exp(tmp1)
    tl.store(out_ptr1 + (x0), tmp2, None)
"""
    assert two(stores) == "second = exp(x ** 2); also first"


def test_each_store_is_walked_through_once_to_find_the_chief_one(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 12
    stores = "".join(
        f"""
    tmp{n} = tl_math.exp(tmp{n - 1})
    tl.store(out_ptr{n} + (x0), tmp{n}, None)
"""
        for n in range(1, count + 1)
    )
    types = {"in_ptr0": "float32[4096]"} | {f"out_ptr{n}": "float32[4096]" for n in range(1, count + 1)}
    names = {"in_ptr0": "x"} | {f"out_ptr{n}": f"y_{n}" for n in range(1, count + 1)}
    walks = []
    walk = titles.walk
    monkeypatch.setattr(titles, "walk", lambda *roots: walks.append(roots) or walk(*roots))
    assert titled(kernel(FRAME + stores, types, numel=4096), names).startswith("y_12, ")
    assert len(walks) <= count + 1  # the chief one's formula is looked through once more


def test_a_sum_of_exponentials_is_no_formula_whatever_a_tensor_is_called() -> None:
    stores = """
    tmp1 = tl_math.exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)
"""
    one = kernel(FRAME + stores, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}, numel=4096)
    assert titled(one, {"in_ptr0": "sum_exp", "out_ptr0": "out"}) == "out = exp(sum_exp)"
    body = kernel(ONLINE, ONLINE_TENSORS, category="persistent_reduction")
    assert titled(body, {"in_ptr0": "x", "out_ptr0": "total"}, "softmax_stats") == "total = softmax_stats(x)"


def test_a_mask_that_is_kept_for_later_is_not_the_chief_output() -> None:
    stores = """
    tmp1 = tmp0 * tmp0
    tl.store(out_ptr0 + (x0), tmp1, None)
    tmp2 = 0.0
    tmp3 = tmp1 <= tmp2
    tl.store(out_ptr1 + (x0), tmp3, None)
"""
    assert two(stores, TWO | {"out_ptr1": "bool[4096]"}) == "first = x ** 2; also second"


def test_of_independent_outputs_two_are_told() -> None:
    stores = """
    tmp1 = tl_math.exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)
    tmp2 = tl_math.cos(tmp0)
    tl.store(out_ptr1 + (x0), tmp2, None)
"""
    assert two(stores) == "second = cos(x); also first"


def test_a_name_is_of_all_outputs_and_none_is_left_uncounted() -> None:
    stores = "".join(
        f"""
    tmp{n} = tl.load(in_ptr0 + (x0 + {n}), None)
    tl.store(out_ptr{n} + (x0), tmp{n - 1} + tmp{n}, None)
"""
        for n in range(1, 6)
    )
    types = {"in_ptr0": "float32[4101]"} | {f"out_ptr{n}": "float32[4096]" for n in range(1, 6)}
    names = {"in_ptr0": "x"} | {f"out_ptr{n}": f"y_{n}" for n in range(1, 6)}
    assert titled(kernel(FRAME + stores, types, numel=4096), names) == "y_5, y_4, y_3 and 2 more = work(x)"


def test_no_position_stands_in_a_title() -> None:
    stores = """
    tmp1 = tl.load(in_ptr0 + (4095 + ((-1)*x0)), None)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
"""
    assert two(stores, {name: kind for name, kind in TWO.items() if name != "out_ptr1"}) == "first = work(x)"


def replaced(ops: tuple[str, ...], *operators: str, category: str = "reduction") -> list[str]:
    """What the header says that a kernel replaces, by the operators of its comment."""
    body = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=Claim(aten=tuple(f"aten.{name}" for name in operators)))
    return claimed(replace(body, ops=ops, category=category))


def test_a_file_replaces_no_library_call_that_the_wrapper_makes() -> None:
    assert replaced(("mul", "sum"), "bmm", "mul", "sum", "convolution_backward") == ["aten.mul", "aten.sum"]
    assert replaced(("add",), "_scaled_dot_product_flash_attention", "add") == ["aten.add"]
    assert replaced(("dot", "add"), "mm", "add", category="template") == ["aten.mm", "aten.add"]


def test_a_sum_for_a_convolution_s_backward_alone_is_its_bias_gradient() -> None:
    assert replaced(("sum",), "view", "convolution_backward") == ["aten.view", "aten.convolution_backward"]


def test_a_primitive_of_torch_is_none_of_aten_s_operators() -> None:
    nodes = (
        Node("rev", "prims.rev.default", "", ("x",), None, None),
        Node("mul", "aten.mul.Tensor", "", ("rev",), None, None),
    )
    body = kernel(ADD_RELU, ADD_RELU_TENSORS, claim=Claim(aten=("aten.flip", "aten.mul"), fragment=nodes))
    plan: Any = SimpleNamespace(
        kernel=body, graph=Graph("0_inference", "", "inference", ""), graph_form=Reference((), (), ("rev", "mul"))
    )
    assert replaced_by(plan) == ["prims.rev", "aten.mul"]


def test_a_call_names_as_many_tensors_as_fit_on_the_line() -> None:
    names = {name: f"a_tensor_with_a_long_name_{name}" for name in TWO}
    body = kernel(
        FRAME
        + "    tmp1 = tl.load(in_ptr0 + (x0 + 1), None)\n    tmp2 = tmp0 + tmp1\n    tl.store(out_ptr0 + (x0), tmp2, None)\n",
        {name: kind for name, kind in TWO.items() if name != "out_ptr1"},
        numel=4096,
    )
    assert titled(body, names) == "a_tensor_with_a_long_name_out_ptr0 = work(...)"


def test_no_formula_says_that_elements_stay_where_they_are_if_they_do_not() -> None:
    body = FRAME.replace("(x0), None)", "(4095 - x0), None)") + "    tl.store(out_ptr0 + (x0), tmp0 * 2.0, None)\n"
    types = {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}
    reversed_ = titled(kernel(body, types, numel=4096), {"in_ptr0": "x", "out_ptr0": "out"}, "flip_mul")
    assert reversed_ == "out = flip_mul(x)"
