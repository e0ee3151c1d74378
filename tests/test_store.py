"""Captures on disk: what goes in comes out, whole or not at all, and is found by the names that people type."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from inductor_lab import shelf, store
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Capture, Gpu, PerfDiff, TensorType, Timing


@pytest.fixture
def capture(lora_log: Path) -> Capture:
    return read([lora_log], "lora")


@pytest.fixture
def saved(capture: Capture, workdir: Path) -> Capture:
    """`capture`, under captured/lora of an empty working directory."""
    store.save(capture, "captured/lora", log="the log")
    return capture


def test_what_is_saved_is_what_is_loaded(saved: Capture) -> None:
    assert store.load("captured/lora") == saved


def test_texts_are_lines_on_disk_and_one_string_in_json(saved: Capture) -> None:
    on_disk = json.loads(Path("captured/lora/capture.json").read_text())["kernels"][0]["text"]
    printed = store.catalog(saved)["kernels"][0]["text"]
    assert on_disk == printed.split("\n")
    assert Path("captured/lora/modules/0_inference.py").read_text() == saved.graphs[0].module


def test_the_catalog_has_the_keys_of_the_contract(saved: Capture) -> None:
    document = store.catalog(saved)
    assert list(document) == ["schema", "capture", "graphs", "kernels", "extern_calls", "events", "problems"]
    assert {"name", "torch", "triton", "gpu", "command", "created"} <= set(document["capture"])
    kernel = document["kernels"][0]
    assert kernel["id"] == "lora:0"
    roles = {argument["name"]: argument["role"] for argument in kernel["arguments"]}
    assert roles == {"in_out_ptr0": "inout", "in_ptr0": "in", "xnumel": "size", "XBLOCK": "constexpr"}
    assert [len(each["launches"]) for each in document["kernels"]] == [2, 1]


def test_saving_again_replaces_the_whole_folder(saved: Capture) -> None:
    store.save(dataclasses.replace(saved, kernels=(), graphs=()), "captured/lora")
    assert store.load("captured/lora").kernels == ()
    assert not Path("captured/lora/log.txt.gz").exists()
    assert [path.name for path in Path("captured").iterdir()] == ["lora"]


def test_a_write_that_fails_leaves_the_old_capture(saved: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError("No space left on device")

    monkeypatch.setattr(json, "dumps", full)
    with pytest.raises(OSError, match="No space"):
        store.save(dataclasses.replace(saved, kernels=()), "captured/lora")
    assert store.load("captured/lora") == saved
    assert [path.name for path in Path("captured").iterdir()] == ["lora"]


def test_a_folder_of_something_else_is_not_replaced(capture: Capture, workdir: Path) -> None:
    Path("thesis").mkdir()
    Path("thesis/chapter.txt").write_text("three years of work")
    with pytest.raises(LabError, match="not a capture"):
        store.save(capture, "thesis")
    assert Path("thesis/chapter.txt").exists()


def test_a_graph_id_from_a_log_never_leaves_the_folder(capture: Capture, workdir: Path) -> None:
    graphs = tuple(
        dataclasses.replace(capture.graphs[0], id=name, module=name) for name in ("../../x", "..", "a/b", "a b")
    )
    store.save(dataclasses.replace(capture, graphs=graphs), "captured/odd")
    assert not Path("x.py").exists()
    assert len(list(Path("captured/odd/modules").iterdir())) == 4
    assert store.load("captured/odd").graphs == graphs


def test_a_kernel_is_found_by_index_name_glob_and_hash(saved: Capture) -> None:
    first, second = saved.kernels
    for name, kernel in (
        ("lora:0", first),
        ("lora:1", second),
        ("captured/lora:1", second),
        (f"lora:{first.name}", first),
        ("lora:*relu*", first),
        (first.body_sha256[:8], first),
        (f"lora:{second.body_sha256[:8]}", second),
    ):
        assert store.find_kernel(name)[1] == kernel


def test_a_capture_elsewhere_is_named_by_its_path(saved: Capture) -> None:
    store.save(saved, "runs/monday")
    kernel = store.load("runs/monday").kernels[1]
    assert kernel.id == "runs/monday:1"
    assert store.find_kernel(kernel.id)[1] == kernel


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lara", "did you mean lora"),
        ("../lora", "no capture '../lora'"),
        ("lora:7", "lora:0 to lora:1"),
        ("lora:triton_poi_fused_add_mul_relu_9", "did you mean triton_poi_fused_add_mul_relu_0"),
        ("lora:triton_*", "names 2 kernels"),
        ("lora", "is a capture; name one of its kernels, such as lora:0"),
        ("deadbeef", "has a body whose hash begins with deadbeef"),
    ],
)
def test_a_wrong_name_gets_the_way_out(saved: Capture, name: str, message: str) -> None:
    with pytest.raises(LabError, match=message.replace("*", r"\*")):
        store.find_capture(name) if name in ("lara", "../lora") else store.find_kernel(name)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "capture": {}, "graphs": [{}]}']
)
def test_a_broken_document_is_one_clear_error(workdir: Path, text: str) -> None:
    Path("captured/broken").mkdir(parents=True)
    Path("captured/broken/capture.json").write_text(text)
    with pytest.raises(LabError, match=r"capture\.json"):
        store.load("captured/broken")
    assert shelf.captures() == []


def test_a_document_that_lacks_something_says_what(workdir: Path) -> None:
    Path("captured/half").mkdir(parents=True)
    Path("captured/half/capture.json").write_text(json.dumps({"schema": store.SCHEMA}))
    with pytest.raises(LabError, match=r"\(it lacks 'graphs'\)"):
        store.load("captured/half")


def test_captures_are_summed_up(saved: Capture) -> None:
    ((folder, summary),) = shelf.captures()
    assert folder == Path("captured/lora")
    assert (summary.name, summary.kernels, summary.launches, summary.problems) == ("lora", 2, 3, 0)


DIFF = PerfDiff(
    verdict="same", ratio=1.0, ratio_interval=(0.99, 1.01), noise=None,
    hand={"timing": Timing(1.5, (1.4, 1.6), 9, None)}, generated={}, device="NVIDIA H200", notes=("a", "b\nc"),
)  # fmt: skip


def test_records_of_every_kind_survive() -> None:
    assert store.from_dict(PerfDiff, json.loads(json.dumps(store.to_dict(DIFF, lines=True)))) == DIFF
    symbolic = TensorType("float32", ("s77", 4), (4, 1))
    assert store.from_dict(TensorType, store.to_dict(symbolic)) == symbolic


def test_infinity_is_valid_json() -> None:
    data = store.to_dict(Timing(math.inf, (0.0, math.inf), 1, None))
    assert json.loads(json.dumps(data, allow_nan=False))["median"] == "inf"
    assert store.from_dict(Timing, data).median == math.inf


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="expected bool"):
        store.from_dict(Gpu, {"name": "H200", "arch": "sm_90", "virtual": "yes"})


def test_what_may_be_missing_is_of_its_type_or_missing() -> None:
    assert store.from_dict(PerfDiff, {**store.to_dict(DIFF), "noise": 0.5}).noise == 0.5
    with pytest.raises(ValueError, match="expected one of"):
        store.from_dict(PerfDiff, {**store.to_dict(DIFF), "noise": True})
    with pytest.raises(ValueError, match="expected str"):
        store.from_dict(PerfDiff, {**store.to_dict(DIFF), "device": None})
