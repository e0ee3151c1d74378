"""The configurations that Inductor times, and the first of them, held to Inductor's own functions."""

from __future__ import annotations

import random
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, kernel

from inductor_lab.bind.blocks import Configuration
from inductor_lab.bind.geometry import of_jobs
from inductor_lab.bind.heuristics import candidates, configuration
from inductor_lab.eject.binding.configuration import first_config, interpreter_config
from inductor_lab.gpus import GPUS
from inductor_lab.records import Argument, Kernel

BLOCKS = ("XBLOCK", "YBLOCK", "ZBLOCK", "R0_BLOCK", "R1_BLOCK", "RSPLIT", "RSPLIT_SIZE", "NUM_STAGES")


SOME_KERNEL = kernel(ADD_RELU, ADD_RELU_TENSORS)


def made(category: str, hints: dict[str, int], **meta: Any) -> Kernel:
    """A kernel of a category, with every constexpr that there is."""
    constexprs = tuple(Argument(name, "", "constexpr") for name in BLOCKS)
    return replace(
        SOME_KERNEL,
        category=category,
        size_hints=hints,
        meta=meta,
        arguments=constexprs,
        text="",
    )


@pytest.fixture
def inductor(monkeypatch: pytest.MonkeyPatch) -> Any:
    """torch's own module, saying its first configuration instead of building a kernel of it."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torch._inductor.runtime.triton_heuristics")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(theirs, "cached_autotune", lambda hints, configs, **rest: configs)
    return theirs


CASES: list[tuple[str, dict[str, Any]]] = [
    ("pointwise", {"axes": ("x",)}),
    ("pointwise", {"axes": ("x", "y")}),
    ("pointwise", {"axes": ("x", "y", "z")}),
    ("pointwise", {"axes": ("x",), "min_elem_per_thread": 8}),
    *(
        (category, {"axes": ("x", "r0_"), "reduction_hint": hint})
        for category in ("reduction", "persistent_reduction", "split_scan", "cooperative_reduction")
        for hint in ("INNER", "OUTER", "OUTER_TINY", "DEFAULT")
    ),
    ("reduction", {"axes": ("x", "r0_"), "reduction_hint": "OUTER", "num_load": 6, "num_reduction": 5}),
    ("reduction", {"axes": ("x", "r0_"), "reduction_hint": "INNER", "add_persistent_rblock": True}),
    ("reduction", {"axes": ("x", "r0_", "r1_"), "reduction_hint": "INNER"}),
    (
        "reduction",
        {"axes": ("x", "y", "r0_"), "reduction_hint": "DEFAULT", "tiling_scores": {"x": 8, "y": 2, "r0_": 5}},
    ),
    ("persistent_reduction", {"axes": ("x", "y", "r0_"), "reduction_hint": "DEFAULT"}),
    ("persistent_reduction", {"axes": ("x", "r0_"), "reduction_hint": "INNER", "RSPLIT_SIZE": 64}),
    *(
        (category, {"axes": axes, "max_autotune": True, **({"reduction_hint": "INNER"} if "r0_" in axes else {})})
        for category, axes in (
            ("pointwise", ("x",)),
            ("pointwise", ("x", "y")),
            ("pointwise", ("x", "y", "z")),
            ("reduction", ("x", "r0_")),
            ("persistent_reduction", ("x", "r0_")),
        )
    ),
    (
        "persistent_reduction",
        {"axes": ("x", "r0_"), "reduction_hint": "INNER", "RSPLIT_SIZE": 64, "max_autotune": True},
    ),
]


INSTALLED = tuple(int(part) for part in version("torch").split(".")[:2]) if find_spec("torch") else ()


AMD = pytest.mark.skipif(
    INSTALLED[:2] != (2, 13),
    reason="AMD's tables in blocks.py are those of torch 2.13; a capture asks another Inductor itself",
)


@pytest.mark.skipif(INSTALLED < (2, 12), reason="the tables in blocks.py are those of torch 2.12 and later")
@pytest.mark.parametrize("key", ["h200", "b200", pytest.param("mi300x", marks=AMD)])
@pytest.mark.parametrize(("category", "told"), CASES)
def test_the_configurations_are_inductors_the_first_one_first(
    inductor: Any, category: str, told: dict[str, Any], key: str
) -> None:
    from torch import version as torch_version
    from torch._inductor.runtime.hints import ReductionHint

    card, seeds = GPUS[key], random.Random(0)
    axes = told["axes"]
    options = {
        name: value for name, value in told.items() if name not in ("axes", "reduction_hint", "min_elem_per_thread")
    }
    options |= {"no_x_dim": False, "persistent_reduction": False}
    direct = {name: value for name, value in told.items() if name == "min_elem_per_thread"}
    device = SimpleNamespace(
        type=card.backend,  # by which Inductor has heuristics, from 2.14 on
        cc=card.compute_capability,
        major=card.capability[0],
        warp_size_or_default=card.warp_size,
        multi_processor_count=card.processors,
    )
    for _ in range(30):
        hints = {axis: 2 ** seeds.randint(0, 10 if axis in ("r0_", "r1_") and len(axes) == 3 else 20) for axis in axes}
        if category == "persistent_reduction":
            hints["r0_"] = min(hints["r0_"], 4096)
        if category == "cooperative_reduction":
            hints["x"] = min(hints["x"], 64)
        arguments: dict[str, Any] = {"triton_meta": {"device": device, "signature": {}}, "inductor_meta": dict(options)}
        if hint := told.get("reduction_hint"):
            arguments["reduction_hint"] = ReductionHint[hint]
        if category == "cooperative_reduction":
            arguments["filename"] = ""
        with mock.patch.object(torch_version, "hip", "6.4" if card.backend == "hip" else None):
            theirs = getattr(inductor, category)(dict(hints), **direct, **arguments)
        said = {"reduction_hint": f"ReductionHint.{hint}"} if hint else {}
        kernel = made(category, hints, inductor_meta=options, **direct, **said)
        first, ours = theirs[0], configuration(kernel, card)
        assert ours is not None
        blocks = {name: value for name, value in ours.constants.items() if name in first.kwargs}
        assert (hints, blocks, ours.num_warps) == (hints, first.kwargs, first.num_warps)
        assert (hints, _each_once(candidates(kernel, card), set(first.kwargs))) == (
            hints,
            _each_once(theirs, set(first.kwargs)),
        )


def _each_once(listed: Any, names: set[str]) -> set[tuple[frozenset[tuple[str, int]], int]]:
    """Blocks and warps: how many waves a multiprocessor is to hold is said to AMD's compiler alone."""
    return {
        (
            frozenset(
                (n, v) for n, v in getattr(one, "kwargs", None or getattr(one, "constants", {})).items() if n in names
            ),
            one.num_warps,
        )
        for one in listed
    }


def test_decorators_that_say_it_themselves() -> None:
    assert configuration(made("template", {}, num_warps=8, num_stages=3)) == Configuration({}, 8, 3)
    assert configuration(made("foreach", {})) == Configuration({}, 8, 1)
    tuned = made("user_autotune", {}, configs=[{"XBLOCK": 64, "num_warps": 2, "num_stages": 4}, {"XBLOCK": 32}])
    assert configuration(tuned) == Configuration({"XBLOCK": 64}, 2, 4)
    assert configuration(made("user_autotune", {}, configs=[])) == Configuration({}, 4, 3)


def test_a_split_scan_has_no_more_programs_than_its_memory_is_for() -> None:
    """torch 2.11 lists a block of 4 first, of which each program writes 8 bytes into memory that is for blocks of 256."""
    listed = tuple({"R0_BLOCK": block, "num_warps": 16, "num_stages": 1} for block in (4, 2048))
    scan = replace(made("split_scan", {"x": 1, "r0_": 1 << 22}, min_split_scan_rblock=256), candidates=listed)
    assert first_config(scan, {"xnumel": 1, "r0_numel": 3_200_000})["R0_BLOCK"] == 2048
    rows = replace(scan, category="reduction")
    assert first_config(rows, {"xnumel": 1, "r0_numel": 3_200_000})["R0_BLOCK"] == 4


def test_a_file_is_launched_as_inductor_would() -> None:
    """Several programs share a row where there are fewer rows than multiprocessors; in the interpreter four do, each a part of it."""
    shared = made("cooperative_reduction", {"x": 16, "r0_": 65_536}, reduction_hint="INNER")
    found, numels = configuration(shared), {"xnumel": 16, "r0_numel": 65_536}
    assert found is not None and found.constants["RSPLIT"] == 8
    assert first_config(shared, numels).items() >= {**found.constants, "num_warps": found.num_warps}.items()
    interpreted = interpreter_config(shared, numels, ())
    assert interpreted["RSPLIT"] == 4 and interpreted["R0_BLOCK"] == 65_536 // 4
    assert interpreter_config(shared, numels, ("r0_",))["RSPLIT"] == 1, (
        "nothing keeps a program's share inside of the row"
    )


def test_parts_of_a_combined_kernel_have_blocks_of_their_own() -> None:
    grid = {
        "num_kernels": 2, "heuristic_0": "pointwise", "size_hints_0": {"x": 512}, "heuristic_1": "reduction",
        "size_hints_1": {"x": 64, "r0_": 4096}, "reduction_hint_1": "ReductionHint.INNER",
    }  # fmt: skip
    names = ("XBLOCK_0", "XBLOCK_1", "R0_BLOCK_1")
    combo = replace(
        made("combo", {}, inductor_meta={"combo_grid_meta": grid}),
        arguments=tuple(Argument(name, "", "constexpr") for name in names),
    )
    assert configuration(combo) == Configuration({"XBLOCK_0": 256, "XBLOCK_1": 1, "R0_BLOCK_1": 2048}, 16, 1)


def test_what_a_capture_was_told_by_inductor_comes_before_the_tables() -> None:
    told = (
        {"XBLOCK": 7, "waves_per_eu": 2, "num_warps": 3, "num_stages": 2},
        {"XBLOCK": 9, "num_warps": 1, "num_stages": 1},
    )
    alone = made("pointwise", {"x": 4096}, triton_meta={"device": {"cc": 90}}, inductor_meta={"deterministic": True})
    asked = replace(alone, candidates=told)
    for card in (None, GPUS["h200"], GPUS["h100"]):
        assert candidates(asked, card) == [Configuration({"XBLOCK": 7}, 3, 2), Configuration({"XBLOCK": 9}, 1, 1)]
        assert configuration(asked, card) == Configuration({"XBLOCK": 7}, 3, 2)
    assert configuration(asked, GPUS["b200"]) == configuration(alone, GPUS["b200"])
    assert configuration(replace(asked, autotuned=told[1])) == Configuration({"XBLOCK": 9}, 1, 1)


def test_nothing_is_chosen_without_a_size() -> None:
    assert configuration(replace(made("reduction", {}), body="x = 1")) is None


@pytest.mark.parametrize(
    ("grid_type", "more", "programs"),
    [
        ("SequentialComboKernelGrid", {}, 1 + 1 + 4),
        ("RoundRobinComboKernelGrid", {}, 3 * 4),  # in turns: as many for each as for the longest
        ("SequentialComboKernelGrid", {"no_x_dim_1": True}, 1 + 48 + 4),
        ("SequentialComboKernelGrid", {"min_blocks": 160}, 160),
        ("SequentialComboKernelGrid", {"ynumel_0": 4}, None),
        ("SequentialComboKernelGrid", {"xnumel_2": None}, None),
        ("Grid1D", {}, None),
    ],
)
def test_jobs_side_by_side_have_the_programs_of_their_grid(
    grid_type: str, more: dict[str, object], programs: int | None
) -> None:
    sizes = {"num_kernels": 3, "min_blocks": 0, "default_config": None, "xnumel_0": 48, "xnumel_1": 48, "xnumel_2": 200}
    combo = made("combo", {}, inductor_meta={"grid_type": grid_type, "combo_grid_meta": sizes | more})
    with mock.patch("inductor_lab.bind.geometry.configuration", return_value=Configuration({"XBLOCK": 64}, 1, 1)):
        assert of_jobs(combo, GPUS["h200"]) == programs
