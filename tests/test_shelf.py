"""The shelf of parsed captures: what it answers is what the capture says, it is never stale, and it may fail without anybody's harm."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import inductor_lab
from inductor_lab import listing, shelf, step, store
from inductor_lab.annotate import annotate, explain
from inductor_lab.annotate.summary import listed
from inductor_lab.errors import LabError
from inductor_lab.report import terminal
from inductor_lab.report.render import text

pytestmark = pytest.mark.usefixtures("shelf_folder")

CAPTURED = Path(inductor_lab.__file__).parents[1] / "captured"
SOME = ("dlrm_train_h200", "rotary_attention_train_bf16_h200_virtual", "lora_mlp_train_dynamic_h200")


@pytest.fixture
def folder(workdir: Path) -> Path:
    """captured/lora of an empty working directory."""
    return Path(shutil.copytree(CAPTURED / "lora_mlp_train_h200", workdir / "captured" / "lora")).relative_to(workdir)


@pytest.mark.parametrize("name", [pytest.param(SOME[0], marks=pytest.mark.slow), *SOME[1:]])
def test_it_says_what_the_capture_says(name: str) -> None:
    whole = annotate(store.load(CAPTURED / name))
    for kept in (shelf.opened(CAPTURED / name), shelf.opened(CAPTURED / name)):  # as it is filled, and as it is read
        assert kept.rows == listed(whole)
        assert kept.only(kernel.id for kernel in whole.kernels) == whole
        assert kept.head == replace(whole, graphs=(), kernels=())
        assert [entry.name for entry in kept.entries] == [kernel.name for kernel in whole.kernels]
        assert kept.summary == store.summed(whole, CAPTURED / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(SOME[0], marks=pytest.mark.slow), *SOME[1:]])
def test_a_part_explains_a_kernel_as_the_whole_capture_does(name: str) -> None:
    whole = annotate(store.load(CAPTURED / name))
    for kernel in whole.kernels:
        part = shelf.opened(CAPTURED / name).part([kernel.id])
        assert explain(kernel, part) == explain(kernel, whole)
        assert text(terminal.show(kernel, part)) == text(terminal.show(kernel, whole))


def test_the_shares_are_those_that_a_step_is_judged_by() -> None:
    whole = annotate(store.load(CAPTURED / SOME[0]))
    shares = listing.parts(listed(whole))
    assert shares == {
        kernel.id: step.estimated(whole, [kernel]).share for kernel in whole.kernels if kernel.id in shares
    }
    assert sum(shares.values()) == pytest.approx(1)


def test_names_find_what_the_store_finds(folder: Path) -> None:
    name = store.load(folder).kernels[2].name
    for asked in (
        "lora:2",
        "lora:02",
        f"lora:{name}",
        "lora:*",
        "lora:triton_poi*",
        store.load(folder).kernels[1].body_sha256[:8],
    ):
        kept, ids = shelf.find(asked)
        assert ids == tuple(kernel.id for kernel in store.find_kernels(asked)[1])
        assert kept.folder == folder
    for asked in ("lora", "lora:99", "lora:triton_poi_x", "lroa:0", "deadbeef"):
        with pytest.raises(LabError) as there:
            store.find_kernels(asked)
        with pytest.raises(LabError) as here:
            shelf.find(asked)
        assert str(here.value) == str(there.value)


def test_nothing_is_read_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shelf.opened(folder).rows
    monkeypatch.setattr(store, "load", lambda folder: pytest.fail("the capture is on the shelf"))
    assert shelf.opened(folder).rows == first
    assert [summary.name for _, summary in shelf.captures()] == ["lora"]


def test_a_changed_capture_is_read_again(folder: Path) -> None:
    found = store.load(folder)
    assert len(shelf.opened(folder).rows) == len(found.kernels)
    store.save(replace(found, kernels=found.kernels[:2]), folder)
    assert len(shelf.opened(folder).rows) == 2


def test_a_changed_reader_reads_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.opened(folder)
    read = []
    load = store.load
    monkeypatch.setattr(store, "load", lambda folder: read.append(folder) or load(folder))
    monkeypatch.setattr(shelf, "_made_with", lambda: 1)
    shelf.opened(folder)
    assert read == [folder]


def test_what_an_older_version_called_a_kernel_is_shown_by_nobody(folder: Path) -> None:
    found = store.load(folder)
    old = replace(found, kernels=tuple(replace(kernel, title="add_mul_0", phases=()) for kernel in found.kernels))
    now = annotate(found)
    store.save(old, folder)
    assert [row.title for row in shelf.opened(folder).rows] == [row.title for row in listed(now)]
    assert shelf.whole("lora") == now and inductor_lab.load("lora")[0].record == now.kernels[0]
    assert store.load(folder) == old, "the document stays as it was written"


@pytest.mark.parametrize("broken", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 4000])
def test_a_broken_file_is_as_good_as_none(folder: Path, shelf_folder: Path, broken: bytes) -> None:
    rows = shelf.opened(folder).rows
    (file,) = shelf_folder.glob("*.sqlite")
    file.write_bytes(broken)
    assert shelf.opened(folder).rows == rows
    assert sqlite3.connect(file).execute("SELECT count(*) FROM kernels").fetchone() == (len(rows),)


def test_it_can_be_turned_off(folder: Path, shelf_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INDUCTOR_LAB_CACHE", "off")
    assert shelf.opened(folder).rows
    assert not list(shelf_folder.iterdir()) and not list(folder.glob("*.sqlite"))


def test_what_can_not_be_written_is_no_error(folder: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (workdir / "file").write_text("no folder")
    monkeypatch.setenv("INDUCTOR_LAB_CACHE", str(workdir / "file"))
    assert shelf.opened(folder).rows


def test_the_place_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, folder: Path, workdir: Path) -> None:
    monkeypatch.delenv("INDUCTOR_LAB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(workdir / "cache"))
    shelf.opened(folder)
    assert len(list((workdir / "cache" / "inductor_lab").glob("*.sqlite"))) == 1


def test_the_oldest_go_when_there_is_too_much(
    shelf_folder: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(SOME):
        shelf.opened(Path(shutil.copytree(CAPTURED / name, workdir / "captured" / name)))
        for file in shelf_folder.glob("*.sqlite"):
            os.utime(file, (number, number)) if file.stat().st_mtime > 1000 else None
    monkeypatch.setattr(shelf, "LARGEST", 1)
    shelf.opened(Path(shutil.copytree(CAPTURED / SOME[0], workdir / "captured" / "last")))
    assert len(list(shelf_folder.iterdir())) == 1, "the one just written stays"


@pytest.mark.slow
def test_many_may_fill_it_at_once(folder: Path, shelf_folder: Path) -> None:
    found: list[int] = []
    many = [threading.Thread(target=lambda: found.append(len(shelf.opened(folder).rows))) for _ in range(4)]
    for one in many:
        one.start()
    for one in many:
        one.join()
    assert found == [len(store.load(folder).kernels)] * 4
    assert len(list(shelf_folder.iterdir())) == 1


def test_a_capture_that_is_not_there_is_said_as_ever(workdir: Path) -> None:
    with pytest.raises(LabError, match="holds no capture"):
        shelf.opened(workdir)
