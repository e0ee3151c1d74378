"""Watching the interpreter: what touches memory that it must not, or that another program touches, is told by its line; what is right is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asked import asked, some
from folders import GENERATIONS
from forking import interpreted
from small_kernels import SMALL, edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

import triton.language as tl
from torch._inductor.runtime import triton_helpers
from triton.runtime import interpreter

from inductor_lab.eject import eject
from inductor_lab.read import read

Change = tuple[str, str]

LOAD = "hidden = tl.load(hidden_ptr + offset, inside)"
STORE = "tl.store(mul_ptr + offset, hidden * 2.0, inside)"
ATOMIC = 'tl.atomic_add(buf2_ptr + (column + ids * COLUMNS), hidden, inside, sem="relaxed")'
PLAIN = """place = buf2_ptr + (column + ids * COLUMNS)
    tl.store(place, tl.load(place, inside, other=0.0) + hidden, inside)"""
SUM_LOAD = "grad = tl.load(grad_ptr + element, inside_r & inside, other=0.0"
BLOCK_POINTER = """block = tl.make_block_ptr(hidden_ptr, (NUMEL,), (1,), (tl.program_id(0) * BLOCK + 8,), (BLOCK,), (0,))
    hidden = tl.load(block{})"""
LOCKED = """while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr) + tl.sum(hidden))
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
    """
LAST_ONE = """tl.store(total_ptr + tl.program_id(0), tl.sum(hidden))
    tl.debug_barrier()
    if tl.atomic_add(lock_ptr, 1) == tl.num_programs(0) - 1:
        tl.store(total_ptr, tl.sum(tl.load(total_ptr + tl.arange(0, 16))))
    """
UNORDERED = LAST_ONE.replace("lock_ptr, 1)", 'lock_ptr, 1, sem="relaxed")')

LOOKED_AT = """tl.store(total_ptr + tl.program_id(0), tl.sum(hidden))
    tl.debug_barrier()
    tl.atomic_add(lock_ptr, 1, sem="release")
    if tl.program_id(0) == 15:
        while tl.atomic_load(lock_ptr) < 16:
            pass
        tl.store(total_ptr, tl.sum(tl.load(total_ptr + tl.arange(0, 16))))
    """
POLLED = LOOKED_AT.replace(
    "        while tl.atomic_load(lock_ptr) < 16:\n            pass\n", "        tl.atomic_poll(lock_ptr, 16)\n"
)
LOOKS_AT_WHAT_IS_STORED = """before = tl.atomic_load(total_ptr + tl.program_id(0), sem="relaxed")
    tl.store(total_ptr + (tl.program_id(0) + 1) % 16, before + 1.0)
    """
UNLOCKED_BY_A_STORE = LOCKED.replace("tl.atomic_xchg", "tl.atomic_store")


def with_scratch(statements: str) -> tuple[Change, ...]:
    """The kernel of `even` with a lock and totals that its launcher allocates."""
    return (
        (STORE, statements + STORE),
        ("    mul_ptr,  #", "    lock_ptr,\n    total_ptr,\n    mul_ptr,  #"),
        ("mul_kernel[grid](hidden, mul", "mul_kernel[grid](hidden, LOCK, TOTAL, mul"),
        (
            "    numel = hidden.shape[0]",
            "    LOCK, TOTAL = hidden.new_zeros(1, dtype=torch.int32), hidden.new_zeros(16)\n    numel = hidden.shape[0]",
        ),
    )


FAULTY: dict[str, tuple[str, tuple[Change, ...], dict[str, Any]]] = {
    # what: (kernel, changes, what is found first)
    "load_without_mask": (
        "affine", (("lora = tl.load(lora_ptr + offset, inside)", "lora = tl.load(lora_ptr + offset)"),),
        {"kind": "load outside", "tensor": "lora", "index": [40, 0], "away": 1, "program": [11, 0, 0], "lane": 184, "count": 72,
         "text": "lora = tl.load(lora_ptr + offset)"},
    ),
    "one_row_too_far": (
        "affine", (("lora_ptr + offset", "lora_ptr + COLUMNS + offset"),),
        {"kind": "load outside", "tensor": "lora", "index": [40, 0], "away": 1, "count": 75},
    ),
    "negative_index": (
        "affine", (("lora_ptr + offset", "lora_ptr + offset - 1"),),
        {"kind": "load outside", "tensor": "lora", "index": [-1, 74], "away": -1, "program": [0, 0, 0], "lane": 0, "count": 1},
    ),
    "hole_of_a_strided_tensor": (
        "even", (('"hidden": ((4096,), (1,)', '"hidden": ((4096,), (2,)'),),
        {"kind": "load outside", "tensor": "hidden", "away": 0, "lane": 1},
    ),
    "far_away": (
        "affine", (("lora_ptr + offset", "lora_ptr + offset * 1000000007"),), {"kind": "load outside", "tensor": "lora"},
    ),
    "store_without_mask": (
        "affine", (("total), inside)", "total))"),),
        {"kind": "store outside", "tensor": "base", "index": [40, 0], "away": 1, "count": 72},
    ),
    "atomic_ten_rows_too_far": (
        "scatter", (("ids * COLUMNS), hidden", "(ids + 10) * COLUMNS), hidden"),), {"kind": "atomic outside", "tensor": "buf2"},
    ),
    "block_pointer_without_boundary_check": (
        "even", ((LOAD, BLOCK_POINTER.format("")),), {"kind": "load outside", "tensor": "hidden", "index": [4096], "count": 8},
    ),
    "own_memory_too_small": (
        "even", with_scratch("tl.atomic_add(total_ptr + tl.program_id(0) + 1, 1.0)\n    "),
        {"kind": "atomic outside", "tensor": "total_ptr", "index": [16], "away": 1, "count": 1},
    ),
    "load_add_store": (
        "scatter", ((ATOMIC, PLAIN),), {"kind": "race", "tensor": "buf2", "act": "load", "met": "store"},
    ),
    "plain_store_beside_atomics": (
        "scatter", ((ATOMIC, ATOMIC + "\n    tl.store(buf2_ptr + 3, 1.0)"), ("    numel = hidden", "    ids.zero_()\n    numel = hidden")),
        {"kind": "race", "tensor": "buf2", "index": [0, 3], "act": "atomic", "met": "store", "program": [1, 0, 0], "other": [0, 0, 0]},
    ),
    "reads_its_neighbour_in_place": (
        "affine", (("base = tl.load(base_ptr + offset, inside)", "base = tl.load(base_ptr + offset + 1, offset < NUMEL - 1, other=0.0)"),),
        {"kind": "race", "tensor": "base", "index": [3, 31], "act": "store", "met": "load", "program": [1, 0, 0], "other": [0, 0, 0]},
    ),
    "writes_the_same_twice_otherwise": (
        "even", (("    " + STORE, "    " + STORE + "\n    tl.store(mul_ptr + 7, tl.program_id(0) + 0.0)"),),
        {"kind": "race", "tensor": "mul", "index": [7], "act": "store", "met": "store", "program": [1, 0, 0], "other": [0, 0, 0]},
    ),
    "lanes_of_one_store_collide": (
        "even", (("mul_ptr + offset, hidden", "mul_ptr + offset // 2, hidden"),),
        {"kind": "race", "tensor": "mul", "act": "store", "met": "store", "program": [0, 0, 0], "other": [0, 0, 0], "lane": 0},
    ),
    "counts_without_order": ("even", with_scratch(UNORDERED), {"kind": "race", "tensor": "total_ptr", "act": "load", "met": "store"}),
}  # fmt: skip

HARMLESS: dict[str, tuple[str, tuple[Change, ...]]] = {
    "two_programs_store_the_same_value": ("even", ((STORE, STORE + "\n    tl.store(mul_ptr + offset * 0 + 9, 3.0)"), (", inside)", ", offset != 9)"))),
    "block_pointer_with_boundary_check": (
        "even", (
            (LOAD, BLOCK_POINTER.format(', boundary_check=(0,), padding_option="zero"')),
            ("mul_ptr + offset, hidden * 2.0, inside", "mul_ptr + offset + 8, hidden * 2.0, offset + 8 < NUMEL"),
        ),
    ),
    "descriptor": (
        "even", ((LOAD, "hidden = tl.make_tensor_descriptor(hidden_ptr, [NUMEL], [1], [BLOCK]).load([tl.program_id(0) * BLOCK])"),),
    ),
    "adds_under_a_lock": ("even", with_scratch(LOCKED)),
    "the_last_program_adds_up": ("even", with_scratch(LAST_ONE)),
    "another_dtype_of_the_same_memory": ("even", (("mul_kernel[grid](hidden", "mul_kernel[grid](hidden.view(torch.int32).view(torch.float32)"),)),
    "two_floats_in_one_load": (
        "even", (
            (LOAD, "both = tl.load(hidden_ptr.to(tl.pointer_type(tl.int64)) + offset, offset < NUMEL // 2, other=0)"),
            (STORE, "tl.store(mul_ptr.to(tl.pointer_type(tl.int64)) + offset, both, offset < NUMEL // 2)"),
        ),
    ),
    "two_kernels": (
        "even", (("BLOCK=BLOCK, num_warps=num_warps)\n", "BLOCK=BLOCK, num_warps=num_warps)\n    mul_kernel[(32,)](mul, mul, NUMEL=numel, BLOCK=128)\n"),),
    ),
    "pointers_in_a_table": (
        "even", (
            ("tl.load(hidden_ptr + offset", "tl.load(tl.load(hidden_ptr).to(tl.pointer_type(tl.float32)) + offset"),
            ("mul_kernel[grid](hidden,", "mul_kernel[grid](torch.tensor([hidden.data_ptr()]),"),
        ),
    ),
}  # fmt: skip

if not hasattr(interpreter, "BlockPointerHandle"):  # from Triton 3.8 on there are none
    del FAULTY["block_pointer_without_boundary_check"], HARMLESS["block_pointer_with_boundary_check"]
if hasattr(tl, "atomic_load"):  # from Triton 3.9 on
    race = {"kind": "race", "tensor": "total_ptr", "act": "load", "met": "store"}
    HARMLESS |= {
        "looks_and_adds_up": ("even", with_scratch(LOOKED_AT)),
        "polls_and_adds_up": ("even", with_scratch(POLLED)),
        "unlocks_by_a_store": ("even", with_scratch(UNLOCKED_BY_A_STORE)),
    }
    FAULTY |= {
        "looks_without_order": ("even", with_scratch(LOOKED_AT.replace("load(lock_ptr)", 'load(lock_ptr, sem="relaxed")')), race),
        "polls_without_order": ("even", with_scratch(POLLED.replace("ptr, 16)", 'ptr, 16, sem="relaxed")')), race),
        "unlocks_without_order": ("even", with_scratch(UNLOCKED_BY_A_STORE.replace("ptr, 0)\n", 'ptr, 0, sem="relaxed")\n')), race),
        "looks_at_what_is_stored": ("even", with_scratch(LOOKS_AT_WHAT_IS_STORED), race),
        "atomic_store_too_far": (
            "even", ((STORE, "tl.atomic_store(mul_ptr + offset + 8, hidden * 2.0, inside)"),),
            {"kind": "atomic outside", "tensor": "mul", "index": [4096], "count": 8},
        ),
    }  # fmt: skip

OTHER: dict[str, tuple[str, tuple[Change, ...]]] = {
    "reduction_without_other": (
        "sum", ((SUM_LOAD, SUM_LOAD.replace(", other=0.0", "")), ("tl.where(kept <= 0.0, 0.0, grad)", "tl.where(kept <= 0.0, 0.0, 1.0) * grad"))),
    "written_by_torch": ("even", (("    mul_kernel[grid](", "    return mul.copy_(hidden * 2.0)\n    mul_kernel[grid]("),)),
    "half_written_by_torch": (
        "even", (("    grid = (triton.cdiv(numel, BLOCK),)\n    mul", "    mul.copy_(hidden * 2.0)\n    grid = (triton.cdiv(numel, BLOCK) // 2,)\n    mul"),)),
}  # fmt: skip

KINDS = {
    "kind_foreach": ("g7_torch_2.13_foreach", "triton_for_fused_0"),
    "kind_combo": ("g7_torch_2.13_combo", "triton_poi_fused_0"),
    "kind_online_softmax": ("g7_torch_2.13_multi_kernel", "triton_red_fused__softmax_prepare_softmax_online_0"),
    "kind_random": ("g7_torch_2.13_mixed", "triton_poi_fused_add_rand_like_1"),
    "kind_scan_of_rows": ("g7_torch_2.13_scan", "triton_per_fused_cumsum_view_1"),
    "kind_cooperative": ("g4_torch_2.6", "triton_unk_fused_sum_2"),
    "kind_split_scan": ("g7_torch_2.13_scan", "triton_spl_fused_cumsum_0"),
}
if (
    "strict_signed_zero" in triton_helpers.online_softmax_combine.arg_names
):  # from 2.15 on: what 2.13 wrote does not say it
    del KINDS["kind_online_softmax"]
WAITS = "triton_helpers.x_grid_barrier(sem_ptr + tl.program_id(1))"


def of_kind(name: str) -> str:
    """The file of a kernel of a real capture."""
    source, kernel_name = KINDS[name]
    capture = read([GENERATIONS / f"{source}.txt"], "x")
    (kernel,) = (kernel for kernel in capture.kernels if kernel.name == kernel_name)
    return eject(capture, kernel)


SOME_KINDS = ("kind_foreach", "kind_cooperative")


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is found in the launches of every file, the hand kernel's first: all watched in one process."""
    folder = tmp_path_factory.mktemp("watched")
    planned = {name: (kernel, changes) for name, (kernel, changes, _) in FAULTY.items()} | HARMLESS | OTHER
    for name, (kernel, changes) in planned.items():
        (folder / f"{name}.py").write_text(edited(ejected(kernel), *changes), encoding="utf-8")
    for name in SMALL:
        (folder / f"unedited_{name}.py").write_text(ejected(name), encoding="utf-8")
    for name in asked(request, "kind"):
        (folder / f"{name}.py").write_text(of_kind(name), encoding="utf-8")
    (folder / "kind_does_not_wait.py").write_text(
        of_kind("kind_cooperative").replace(WAITS, "pass", 1), encoding="utf-8"
    )
    return watch(folder)


def watch(folder: Path) -> dict[str, Any]:
    """The findings in the files of a folder, by `watching.py`."""
    return dict(json.loads(interpreted(Path(__file__).with_name("watching.py"), folder)))


@pytest.mark.parametrize("name", FAULTY)
def test_a_fault_is_found_and_told_by_its_line(name: str, found: dict[str, Any]) -> None:
    first = found[name][0]["faults"][0]
    expected = FAULTY[name][2]
    assert {key: first[key] for key in expected} == expected
    assert first["line"] and first["text"] and f"line {first['line']} " in first["message"]
    assert (
        not found[name][1]["faults"] or '"hidden": (' in FAULTY[name][1][0][0]
    )  # which the generated kernel is given too


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_ordered_or_the_same_is_no_fault(name: str, found: dict[str, Any]) -> None:
    assert [fault["message"] for fault in found[name][0]["faults"]] == []


@pytest.mark.parametrize("name", SMALL)
def test_an_unedited_kernel_has_no_fault_and_stays_right(name: str, found: dict[str, Any]) -> None:
    for launch in found[f"unedited_{name}"]:
        assert [fault["message"] for fault in launch["faults"]] == []
        assert not launch["wrong"]


@pytest.mark.parametrize("kind", some(KINDS, SOME_KINDS))
def test_what_programs_wait_for_is_ordered(kind: str, found: dict[str, Any]) -> None:
    for launch in found[kind]:
        assert [fault["message"] for fault in launch["faults"]] == []


def test_programs_that_share_a_row_and_do_not_wait_race(found: dict[str, Any]) -> None:
    by_hand, generated = found["kind_does_not_wait"]
    assert {(fault["kind"], fault["act"], fault["met"]) for fault in by_hand["faults"]} == {
        ("race", "load", "store"),
        ("race", "store", "load"),
    }
    assert not generated["faults"]


def test_lanes_that_load_nothing_are_not_zero(found: dict[str, Any]) -> None:
    by_hand, generated = found["reduction_without_other"]
    assert "sum_1" in by_hand["wrong"] and not by_hand["faults"] and not generated["wrong"]


def test_what_torch_wrote_no_kernel_has_written(found: dict[str, Any]) -> None:
    assert [launch["unwritten"]["mul"] for launch in found["written_by_torch"]] == [4096, 0]
    assert [launch["unwritten"]["mul"] for launch in found["half_written_by_torch"]] == [2048, 0]


def test_who_wrote_an_element_is_known(found: dict[str, Any]) -> None:
    launch = found["unedited_affine"][0]
    assert launch["first"] == [1, 0] and launch["last"] == [[11, 0, 0], 2999 - 11 * 256]
    second = found["two_kernels"][0]
    assert second["first"] == [17, 0], "programs are counted through all launches, from 1"
    assert second["last"] == [[31, 0, 0], 127]


NESTED = """
import sys, torch
from inductor_lab.ejected import load
from inductor_lab.judge.watch.watch import Watch
from triton.runtime.interpreter import GridExecutor, InterpreterBuilder

def there():
    return [getattr(InterpreterBuilder, name) for name in ("create_masked_load", "create_masked_store", "create_atomic_rmw", "create_atomic_cas")]

file = load(sys.argv[1]).module
base, bias, lora = torch.zeros(40, 75), torch.zeros(75), torch.zeros(40, 75)
before = there(), GridExecutor._init_args_hst
with Watch({"base": base, "lora": lora}) as outer:
    with Watch({"base": base}) as inner:
        file.launch(base, bias, lora)
    file.launch(base, bias, lora)
    load(sys.argv[1])  # which patches the interpreter once more
file.launch(base, bias, lora)
assert there()[:2] == before[0][:2] and GridExecutor._init_args_hst is before[1]
assert (inner.writer("base")[0].max(), outer.writer("base")[0].max()) == (12, 24)
assert outer.place(14) == (1, 0, 0) and (outer.writer("lora")[0] == 0).all()
with Watch({"base": base}) as after:
    file.launch(base, bias, lora)
assert not (after.writer("base")[0] == 0).any() and not [*inner.faults, *outer.faults, *after.faults]
"""


def test_a_watch_ends_and_stands_inside_of_another(tmp_path: Path) -> None:
    (tmp_path / "affine.py").write_text(ejected("affine"), encoding="utf-8")
    interpreted("-c", NESTED, tmp_path / "affine.py")
