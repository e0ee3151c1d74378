"""`status`: which ejected files are still what their captures say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Result

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.records import Kernel, TensorType

Lab = Callable[..., Result]


@pytest.fixture
def ejected(lora: Lab) -> Path:
    """A capture, and a file of its first kernel in a folder below."""
    assert lora("eject", "lora:0", "-o", "mine/first.py").code == 0
    return Path("mine/first.py")


def changed(**fields: object) -> None:
    """The capture as another run of Inductor's left it."""
    capture = store.load(Path("captured/lora"))
    first, *others = capture.kernels
    kernels = (replace(first, **fields), *others)  # type: ignore[arg-type]
    store.save(replace(capture, kernels=kernels), Path("captured/lora"))


def told(lab: Lab, *arguments: object) -> tuple[int, list[dict[str, object]]]:
    found = lab("status", *arguments, "--json")
    return found.code, json.loads(found.out)["files"]


def test_what_was_just_ejected_is_fresh_and_an_edit_does_not_make_it_stale(lab: Lab, ejected: Path) -> None:
    assert lab("eject", "lora:1", "-o", "mine/letter.py", "--style", "verbatim").code == 0
    code, files = told(lab)
    assert code == 0 and [(one["file"], one["state"], one["edited"]) for one in files] == [
        ("mine/first.py", "fresh", False),
        ("mine/letter.py", "fresh", False),
    ]
    ejected.write_text(ejected.read_text().replace("* 0.5", "* 0.25", 1))
    code, files = told(lab, ejected)
    assert code == 0 and files == [
        {"file": "mine/first.py", "state": "fresh", "edited": True, "kernel": "lora:0", "changes": []}
    ]


def test_another_body_under_the_same_name_is_named(lab: Lab, ejected: Path) -> None:
    changed(body_sha256="0" * 64)
    code, (one,) = told(lab)
    assert code == 1 and one["state"] == "stale" and one["kernel"] == "lora:0"
    assert one["changes"] == [
        "the body has changed",
        "merge it with: inductor-lab eject lora:0 -o mine/first.py --update",
    ]
    shown = lab("status")
    assert shown.code == 1 and "stale" in shown.out and "the body has changed" in shown.out


def test_a_kernel_that_is_gone_is_said(lab: Lab, ejected: Path) -> None:
    changed(body_sha256="0" * 64, name="triton_poi_fused_other_9")
    code, (one,) = told(lab)
    assert code == 1 and one["kernel"] == "" and "is not captured any more" in str(one["changes"])


def test_other_shapes_under_the_same_body_make_it_stale(lab: Lab, ejected: Path) -> None:
    first: Kernel = store.load(Path("captured/lora")).kernels[0]

    def wider(type_: TensorType | None) -> TensorType | None:
        if type_ is None or len(type_.shape) != 2:
            return type_
        return replace(
            type_, shape=(int(type_.shape[0]) // 2, int(type_.shape[1]) * 2), stride=(int(type_.shape[1]) * 2, 1)
        )

    launches = tuple(
        replace(launch, arguments=tuple(replace(argument, type=wider(argument.type)) for argument in launch.arguments))
        for launch in first.launches
    )
    changed(launches=launches)
    code, (one,) = told(lab)
    assert code == 1 and one["state"] == "stale" and "its shapes, its reference or its inputs" in str(one["changes"])


def test_other_versions_are_told_and_make_nothing_stale(lab: Lab, ejected: Path) -> None:
    def compiled(torch: str, gpu: str) -> None:
        capture = store.load(Path("captured/lora"))
        store.save(replace(capture, torch=torch, gpu=replace(capture.gpu, name=gpu)), Path("captured/lora"))

    compiled("2.9.0", "NVIDIA H200")
    assert lab("eject", "lora:0", "-o", "second.py").code == 0
    compiled("2.15.0", "NVIDIA B200")
    code, (one,) = told(lab, "second.py")
    assert code == 0 and one["state"] == "fresh"
    assert one["changes"] == ["torch 2.9.0 then, 2.15.0 now", "gpu NVIDIA H200 then, NVIDIA B200 now"]


def test_in_a_folder_below_the_capture_is_found(lab: Lab, ejected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("mine")
    code, (one,) = told(lab)
    assert code == 0 and (one["file"], one["state"], one["kernel"]) == ("first.py", "fresh", "../captured/lora:0")
    assert lab("eject", one["kernel"], "-o", "again.py").code == 0


def test_without_its_capture_nothing_is_known(lab: Lab, ejected: Path) -> None:
    shutil.rmtree("captured/lora")
    code, (one,) = told(lab)
    assert code == 0 and one["state"] == "unknown" and one["changes"] == ["there is no capture 'lora' here"]


def test_what_is_no_ejected_file_is_said_and_not_executed(lab: Lab, workdir: Path) -> None:
    Path("other.py").write_text("raise SystemExit(7)\n")
    Path("hostile.py").write_text('ORIGIN = __import__("os").abort()\n')
    Path("number.py").write_text('ORIGIN = {"capture": "lora", "name": 3, "body_sha256": ""}\n')
    assert lab("status").code == 2
    for name, why in (
        ("other.py", "has no ORIGIN"),
        ("hostile.py", "can not be read"),
        ("number.py", "name of its ORIGIN is 3, and is a text"),
        ("none.py", "There is no file"),
    ):
        found = lab("status", name)
        assert found.code == 2 and why in found.err


def test_a_file_whose_inputs_of_the_program_are_gone_is_not_fresh(lab: Lab, ejected: Path) -> None:
    capture = store.load(Path("captured/lora"))
    ejected.write_text(eject(capture, capture.kernels[0], file=ejected.name, real="first.inputs.npz"))
    code, (one,) = told(lab)
    assert code == 1 and one["state"] == "stale"
    assert [change.partition(" is missing")[0] for change in one["changes"]] == [
        "first.inputs.npz, which holds what the program gave it,"
    ]
    Path("mine/first.inputs.npz").touch()
    code, (one,) = told(lab)
    assert code == 0 and one["state"] == "fresh"


def test_a_half_edited_file_keeps_nothing_from_the_others(lab: Lab, ejected: Path) -> None:
    Path("mine/second.py").write_text(ejected.read_text() + "\ndef (:\n")
    code, files = told(lab)
    assert code == 0 and [one["state"] for one in files] == ["fresh", "unknown"]
    assert "second.py can not be read: invalid syntax" in files[1]["changes"][0]
    assert lab("status", "mine/second.py").code == 2


def test_a_folder_stands_for_the_files_below_it(lab: Lab, ejected: Path) -> None:
    assert lab("eject", "lora:1", "-o", "yours/deep/second.py").code == 0
    Path("empty").mkdir()
    assert [one["file"] for one in told(lab, "yours")[1]] == ["yours/deep/second.py"]
    assert [one["file"] for one in told(lab, "mine", ejected, "yours")[1]] == ["mine/first.py", "yours/deep/second.py"]
    none = lab("status", "empty")
    assert none.code == 2 and "There is no ejected file below empty" in none.err
    other = lab("verify", "mine")
    assert other.code == 2 and "mine is a folder: name a file in it." in other.err
