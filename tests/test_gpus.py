"""A GPU is one row: a new one can be captured for, compiled for, judged by and asked for in one place."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from test_architecture import MODULES, PACKAGE, module_id, tree

from inductor_lab import gpus
from inductor_lab.costs.roofline import bound, card
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS, Card, card_of, find_gpu, warp_size
from inductor_lab.machine.targets import Target, target_named
from inductor_lab.quantity import article
from inductor_lab.records import Gpu, Traffic


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> Card:
    """A card that nobody sells: half an MI300X."""
    row = replace(
        GPUS["mi300x"],
        key="mi999",
        name="AMD Instinct MI999",
        label="MI999",
        arch="gfx943",
        processors=152,
        bandwidth=1e12,
    )
    monkeypatch.setitem(gpus.GPUS, row.key, row)
    return row


def test_a_new_row_is_a_new_card_everywhere(new: Card) -> None:
    from inductor_lab.cli.options import gpu_help
    from inductor_lab.cli.options import gpus as gpus_completed

    assert find_gpu("MI999") is find_gpu("gfx943") is new
    assert target_named("mi999") == Target("hip", "gfx943", 64)
    assert card(Gpu("AMD Instinct MI999", "", True)) is card(Gpu("", "gfx943", True)) is new
    assert bound(Traffic(10**9, 0, 0), new).seconds == 1e-3  # type: ignore[union-attr]
    assert new.properties.multi_processor_count == 152
    assert "mi999" in gpu_help("the card that is here")
    assert [name for name in gpus_completed() if name.startswith("mi9")] == ["mi999"]


@pytest.mark.parametrize("key", GPUS)
def test_every_card_is_told_by_its_own_name(key: str) -> None:
    row = GPUS[key]
    assert card_of(row.name, "") is row
    assert target_named(key) == target_named(row.arch)
    assert find_gpu(row.arch).arch == row.arch
    assert row.properties.warp_size == row.warp_size == warp_size(row.arch)


@pytest.mark.parametrize(
    ("name", "arch", "key"),
    [
        ("NVIDIA A100-PCIE-40GB", "sm_80", "a100"),  # not an A10
        ("NVIDIA L40S", "sm_89", "l40s"),  # not an L4
        ("NVIDIA GeForce RTX 4090", "", "rtx4090"),
        ("", "sm_90a", "h200"),
        ("", "gfx90a", "mi250x"),
        ("NVIDIA TITAN V", "sm_70", "h200"),
        ("", "", "h200"),
    ],
)
def test_a_capture_says_its_card_by_name_then_by_architecture(name: str, arch: str, key: str) -> None:
    assert card_of(name, arch).key == key


def test_makers_have_words_of_their_own() -> None:
    h200, mi300x = GPUS["h200"], GPUS["mi300x"]
    assert (h200.backend, h200.warp, h200.warp_size, h200.processor) == ("cuda", "warp", 32, "SM")
    assert (mi300x.backend, mi300x.warp, mi300x.warp_size, mi300x.processor) == ("hip", "wavefront", 64, "CU")
    assert (h200.capability, h200.compute_capability) == ((9, 0), 90)
    assert (GPUS["b200"].capability, mi300x.capability, mi300x.compute_capability) == ((10, 0), (9, 4), "gfx942")
    assert [article(GPUS[key].label) for key in ("h200", "b200", "mi300x", "l4", "rtx4090", "a100")] == [
        "an", "a", "an", "an", "an", "an",
    ]  # fmt: skip


def test_an_unknown_card_suggests_the_near_ones() -> None:
    with pytest.raises(LabError, match="mi300x"):
        find_gpu("mi300")
    with pytest.raises(LabError, match="use auto, real, h200"):
        find_gpu("zzz")
    with pytest.raises(LabError, match="sm_70 is the oldest"):
        target_named("sm_10")


def test_no_other_module_keeps_a_table_of_cards() -> None:
    names = {name for row in GPUS.values() for name in (row.key, row.name, row.arch)}
    tables = [
        (module_id(module), key.value)
        for module in MODULES
        if module != PACKAGE / "gpus.py" and any(name in module.read_text(encoding="utf-8") for name in names)
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and key.value in names
    ]
    assert not tables


def test_the_guide_names_every_card() -> None:
    guide = (PACKAGE.parent / "docs" / "guide.md").read_text(encoding="utf-8")
    assert [key for key in GPUS if key not in guide] == []
