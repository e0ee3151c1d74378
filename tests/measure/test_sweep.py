"""A sweep: what its words mean, a point placed and judged on the CPU, rows kept over a kill, several processes. No test asserts a time."""

from __future__ import annotations

import csv
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from folders import ROOT

from inductor_lab import store
from inductor_lab.document import to_dict
from inductor_lab.eject import eject
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.measure.sweep import points, results
from inductor_lab.measure.sweep import sweep as sweeping
from inductor_lab.measure.sweep.points import Axis, axes, names_of_sizes, symbols_of
from inductor_lab.measure.sweep.results import CONTESTANTS, Point, Results, Row
from inductor_lab.measure.sweep.sweep import sweep
from inductor_lab.measure.timing.samples import Function, Measured, Method, State
from inductor_lab.records import Ceiling, Timing
from inductor_lab.spans import span

FILE = """
import torch

BIAS = 0.0  # changed by a test


def launch(x, y, b):
    x.copy_(torch.relu(x + 0.5 * y + b + BIAS))


def launch_generated(x, y, b):
    assert x.shape == (8, 16)
    x.copy_(torch.relu(x + 0.5 * y + b))


def reference(x, y, b):
    return (torch.relu(x + 0.5 * y + b),)


def aten(x, y, b):
    return (torch.relu(torch.add(x, y, alpha=0.5) + b),)


SIZES = {"s0": 8, "s1": 16}
BASELINE_SIZES = SIZES


def arguments(s0, s1):
    return {
        "x": ((s0, s1), (s1, 1), torch.float32, "normal"),
        "y": ((s0, s1), (s1, 1), torch.float32, "normal"),
        "b": ((s1,), (1,), torch.float32, "normal"),
    }


ARGUMENTS = arguments(**SIZES)
TAKES = ("x", "y", "b")
WRITTEN = ("x",)
BYTES = {"read": 4 * (2 * 8 * 16 + 16), "written": 4 * 8 * 16}
INTERPRETER = {"launch": {}, "launch_generated": {}}
TAIL = {"gpu": {}, "interpreter": {}}
ORIGIN = {"kernel": "mlp:0", "sizes": {"s0": "x.shape[0]", "s1": "x.shape[1]"}}
"""


@pytest.fixture(autouse=True)
def unpainted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots are made and named, and painted for the test that looks at them: a third of a second each."""
    if "plots" not in request.node.name:
        monkeypatch.setattr("inductor_lab.measure.sweep.plots._saved", lambda figure, path: path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    path = tmp_path / "add_relu.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def module(file: Path) -> ModuleType:
    return load(file).module


# ---------------------------------------------------------------- the words of --sweep


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rows=2**3..2**6", {"rows": (8, 16, 32, 64)}),
        ("rows=100..1000", {"rows": (100, 200, 400, 800)}),
        ("rows=64..256:64,cols=1024,4096", {"rows": (64, 128, 192, 256), "cols": (1024, 4096)}),
        ("n=4..256:*4, 1_000, 4", {"n": (4, 16, 64, 256, 1000)}),
        ("x.shape[0]=2**10", {"x.shape[0]": (1024,)}),
    ],
)
def test_sizes_are_lists_and_ranges(text: str, expected: dict[str, tuple[int, ...]]) -> None:
    assert {axis.name: axis.values for axis in axes(text)} == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1024", "'1024' stands before any name"),
        ("rows=", "'' is no value of rows"),
        ("=4", "names no size"),
        ("rows=1..x", r"'1..x' is no value of rows; write rows=2\*\*6"),
        ("rows=__import__('os')", "is no value of rows"),
        ("rows=4,rows=8", "names 'rows' twice"),
        ("rows=0", "can not be 0"),
        ("rows=8..4", "ends before it begins"),
        ("rows=1..4:*1", "never ends"),
        ("rows=9**99", "can not be 9"),
        ("rows=9**9999999", "too large"),
        ("rows=1..2**30:1", "more than 5,000 values"),
        ("rows=1..1000:1,cols=1..1000:1", "asks for 1,000,000 points"),
    ],
)
def test_what_is_no_size_is_said_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(LabError, match=sentence):
        axes(text)


def test_a_size_has_the_names_that_the_file_shows(module: ModuleType) -> None:
    assert names_of_sizes(module) == {
        "s0": "s0",
        "s1": "s1",
        "x.shape[0]": "s0",
        "x.shape[1]": "s1",
        "rows": "s0",
        "cols": "s1",
        "columns": "s1",
    }


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("row", r"no size 'row': did you mean rows\? It has s0 \(x.shape\[0\], rows\)"),
        ("rows s0", "names s0 twice"),
        ("depth", r"no size 'depth'; it has s0"),
    ],
)
def test_a_size_that_is_not_there_is_said(module: ModuleType, asked: str, sentence: str) -> None:
    with pytest.raises(LabError, match=sentence):
        symbols_of(module, [Axis(name, (4,)) for name in asked.split()], "add_relu.py")


def test_a_file_for_one_shape_says_how_to_make_one_for_any(file: Path) -> None:
    text = file.read_text().replace("SIZES = {", "_SIZES = {").replace("BASELINE_SIZES = SIZES", "")
    file.write_text(text.replace("arguments(**SIZES)", "arguments(8, 16)"))
    with pytest.raises(LabError, match=r"`inductor-lab eject mlp:0 --generalize -o OTHER.py`"):
        sweep(file, axes("rows=4"), folder=file.parent / "out")


@pytest.mark.parametrize(
    ("asked", "sentence"), [(["float31"], "no dtype 'float31' to sweep; it takes float64"), (["int32"], "no dtype")]
)
def test_a_dtype_that_is_not_there_is_said(module: ModuleType, asked: list[str], sentence: str) -> None:
    with pytest.raises(LabError, match=sentence):
        points.check_dtypes(module, asked)


# ---------------------------------------------------------------- a file at a point


def test_a_point_has_its_own_shapes_dtype_and_bytes(module: ModuleType) -> None:
    import torch

    point = Point({"s0": 3, "s1": 5}, "bfloat16")
    made = points.placed(module, point, 0, "cpu")
    x, y, b = made.example_inputs("cpu")
    assert (x.shape, y.shape, b.shape) == ((3, 5), (3, 5), (5,)) and {t.dtype for t in (x, y, b)} == {torch.bfloat16}
    assert x.float().std() > 0.1  # values, no zeros
    assert points.bytes_moved(module, point, made) == 2 * (3 * 3 * 5 + 5)
    assert not points.has_generated(module, point)
    assert points.has_generated(module, Point(module.SIZES, "float32"))


def test_bytes_of_other_sizes_are_not_known_where_the_file_counted_less_than_all(module: ModuleType) -> None:
    module.BYTES = {"read": 100, "written": 8}  # as a gather's, which reads a part of its table
    other = Point({"s0": 3, "s1": 5}, "float32")
    assert points.bytes_moved(module, other, points.placed(module, other, 0, "cpu")) is None
    own = Point(module.SIZES, "float32")
    assert points.bytes_moved(module, own, points.placed(module, own, 0, "cpu")) == 108


def test_an_ejected_generalized_file_is_placed_in_another_dtype(tmp_path: Path) -> None:
    """In bfloat16 its reference rounds what it returns to bfloat16; at a float32 point, to float32."""
    torch = pytest.importorskip("torch")
    capture = store.load(ROOT / "captured" / "lora_mlp_bf16_h200")
    path = tmp_path / "lora.py"
    path.write_text(eject(capture, capture.kernels[0], generalize=True, file=path.name))
    module = load(path).module
    made = points.placed(module, Point({"s0": 3, "s1": 5}, "float32"), 0, "cpu")
    inputs = made.example_inputs("cpu")
    (found,) = made.reference(*inputs)
    assert found.dtype == torch.float32 and not torch.equal(found, found.bfloat16().float())
    assert points.bytes_moved(module, Point({"s0": 3, "s1": 5}, "float32"), made) == 4 * 3 * 3 * 5


# ---------------------------------------------------------------- a row, on a CPU that is called a GPU

TAKES = {"hand": 2.0, "generated": 2.2, "inductor": 3.0, "eager": 5.0, "copy": 1.0, "again": 3.0, "torchscript": 4.0}
"""Microseconds, made up."""


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are measured here: called once, with times that are made up."""
    torch = pytest.importorskip("torch")
    from inductor_lab.measure.sweep import measurement

    def measure(functions: Mapping[str, Function], restore: Function, method: Method) -> Measured:
        for function in functions.values():
            restore()
            function()
        restore()
        rounds = method.rounds or 1
        return Measured({name: [TAKES[name]] * rounds for name in functions}, method, 0.0, State(), State())

    monkeypatch.setattr(measurement, "DEVICE", "cpu")
    monkeypatch.setattr(measurement, "measure", measure)
    monkeypatch.setattr(measurement, "copy_bytes_per_second", lambda: Ceiling("copy", 4e12, "a test", 500.0))
    monkeypatch.setattr(measurement, "_device", lambda: "a CPU")
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setitem(measurement.FORMS, "inductor", "eager")  # nothing is compiled here
    measurement._ceiling.cache_clear()


def row_of(
    module: ModuleType, sizes: Mapping[str, int], dtype: str = "float32", who: Sequence[str] = CONTESTANTS
) -> Row:
    from inductor_lab.measure.sweep import measurement

    return measurement.row(module, Point(sizes, dtype), Method(rounds=30), tuple(who))


@pytest.mark.usefixtures("cpu")
def test_a_row_holds_every_contestant_the_bytes_and_the_ratio(module: ModuleType) -> None:
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "timed" and row.why == ""
    assert list(row.times) == ["hand", "inductor", "eager", "copy"]
    assert row.bytes == 4 * (3 * 16 + 4)
    assert row.times["hand"].bytes_per_second == pytest.approx(row.bytes / 2e-6)
    assert (row.against, row.ratio, row.verdict, row.copy_ceiling) == ("inductor", 1.5, "faster", 4e12)


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_the_generated_kernel_stands_where_it_is_for_the_sizes(module: ModuleType) -> None:
    assert "generated" in row_of(module, module.SIZES).times
    assert "generated" not in row_of(module, module.SIZES, "bfloat16").times


@pytest.mark.usefixtures("cpu")
def test_the_copy_is_of_random_numbers() -> None:
    """A card moves bytes that are all alike at less power."""
    from inductor_lab.measure.sweep import measurement

    assert measurement.copying(4096, "cpu")().unique().numel() > 100  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_file_of_fixed_shapes_is_swept_over_dtypes(module: ModuleType) -> None:
    del module.SIZES, module.BASELINE_SIZES, module.arguments
    own, narrow = row_of(module, {}), row_of(module, {}, "bfloat16")
    assert own.outcome == narrow.outcome == "timed" and own.bytes == 2 * (narrow.bytes or 0)
    assert "generated" in own.times and "generated" not in narrow.times
    assert not results.lines([own], {})[0][0].startswith("s0")
    (point,) = sweeping.points_of(module, (), {}, ["bfloat16"])
    assert point == Point({}, "bfloat16")


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_kernel_that_is_wrong_at_a_point_has_no_time_there(module: ModuleType) -> None:
    module.BIAS = 0.01
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "wrong" and "from float64" in row.why and not row.times


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_kernel_that_is_wrong_after_it_was_timed_has_no_time(module: ModuleType) -> None:
    launch, calls = module.launch, []

    def decays(x: Any, y: Any, b: Any) -> None:
        calls.append(1)
        launch(x, y, b)
        if len(calls) > 2:
            x.add_(1)

    module.launch = decays
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "wrong" and row.why.startswith("after it was timed") and not row.times


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_size_that_does_not_fit_is_a_row(module: ModuleType) -> None:
    import torch

    def launch(x: Any, y: Any, b: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 80 GiB.\nmore")

    module.launch = launch
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "does not fit"
    assert row.why == "the kernel's own tensors (CUDA out of memory. Tried to allocate 80 GiB.)"


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
@pytest.mark.parametrize(
    ("where", "told"), [("Judge", "but not what it is judged with"), ("measure", "but not what is timed beside it")]
)
def test_what_does_not_fit_beside_the_kernel_is_told_apart(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, where: str, told: str
) -> None:
    import torch

    from inductor_lab.measure.sweep import measurement

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(measurement, where, full)
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "does not fit" and row.why.startswith("the kernel fits, ") and told in row.why


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_kernel_that_changes_what_it_reads_has_no_time(module: ModuleType) -> None:
    launch = module.launch

    def changes(x: Any, y: Any, b: Any) -> None:
        launch(x, y, b)
        y.add_(1)

    module.launch = changes
    row = row_of(module, {"s0": 4, "s1": 4})
    assert (row.outcome, row.why) == ("wrong", "it changes y, which it must only read")


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_kernel_that_is_not_for_a_dtype_says_what_would_be(module: ModuleType) -> None:
    def launch(x: Any, y: Any, b: Any) -> None:
        raise ValueError("Expected dtype fp32")

    module.launch = launch
    row = row_of(module, {"s0": 4, "s1": 4}, "bfloat16")
    assert row.outcome == "failed"
    assert row.why == "ValueError: Expected dtype fp32; the file is written for float32, eject one of a bfloat16 model"


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_where_float64_does_not_fit_the_kernel_is_held_to_eager(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from inductor_lab.judge.compare import reference

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(reference, "against_eager", full)
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "timed" and "float64 does not fit" in row.notes[0]
    module.BIAS = 0.5
    assert row_of(module, {"s0": 4, "s1": 4}).outcome == "wrong"


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_a_contestant_that_fails_is_left_out_and_said(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from inductor_lab.measure.sweep import measurement

    def fails(who: str, form: Any) -> Any:
        if who == "fails":
            raise RuntimeError("no backend\nand more")
        return form.function, ()

    monkeypatch.setitem(measurement.FORMS, "inductor", "fails")
    monkeypatch.setattr(measurement, "made_of", fails)
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.against == "eager" and "inductor" not in row.times
    assert row.notes == ("eager is the graph of the model", "inductor is left out: RuntimeError: no backend")


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_short_memory_changes_no_eager_form_unsaid(module: ModuleType) -> None:
    import torch

    def full(x: Any, y: Any, b: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nmore")

    module.aten = lambda x, y, b: (x + y + b,)  # is another computation
    assert row_of(module, {"s0": 4, "s1": 4}).notes == ("eager is the reference of the file",)
    module.aten = full
    row = row_of(module, {"s0": 4, "s1": 4})
    assert row.outcome == "timed" and set(row.times) == {"hand", "copy"}
    assert row.notes == ("eager and what is compiled of it are left out: CUDA out of memory.",)


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_torchscript_is_traced_where_it_is_asked_for(module: ModuleType) -> None:
    row = row_of(module, {"s0": 4, "s1": 4}, who=("hand", "eager", "torchscript"))
    assert set(row.times) == {"hand", "eager", "torchscript"}


@pytest.mark.usefixtures("cpu")
def test_eager_is_the_model_s_graph_where_that_works_at_the_sizes(module: ModuleType) -> None:
    from inductor_lab.measure.contest.contestants import eager_form

    made = points.placed(module, Point({"s0": 4, "s1": 4}, "float32"), 0, "cpu")
    held = dict(zip(made.ARGUMENTS, made.example_inputs("cpu"), strict=True))
    assert eager_form(made, held).function is module.aten
    made.aten = lambda x, y, b: (x.reshape(8, 16),)  # holds the captured sizes
    assert eager_form(made, held).function is module.reference
    made.aten = lambda x, y, b: (x + y + b,)  # is another computation
    assert eager_form(made, held).function is module.reference


# ---------------------------------------------------------------- the folder


def here(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
    """An engine without processes, on a machine that is made up."""
    for number, question in enumerate(questions):
        found = Row(
            question["sizes"],
            question["dtype"],
            "timed",
            "",
            12 * question["sizes"]["s0"],
            {"hand": Timing(2.0, (1.9, 2.1), 30, 6e12), "copy": Timing(1.0, (0.9, 1.1), 30, 1.2e13)},
            against="inductor",
            ratio=1.5,
            ratio_interval=(1.4, 1.6),
            verdict="faster",  # type: ignore[arg-type]
            copy_ceiling=4e12,
            device="made up",
        )
        yield (
            number,
            {"machine": {"device": "made up", "torch": "2", "triton": "3", "driver": "5"}, "row": to_dict(found)},
        )


def test_a_sweep_writes_rows_tables_and_plots(file: Path) -> None:
    pytest.importorskip("matplotlib")
    out = file.parent / "out"
    said: list[str] = []
    swept = sweep(
        file, axes("rows=4..16,cols=8,16"), ["float32", "bfloat16"], folder=out, engine=here, command="inductor-lab bench",
        progress=lambda done, count, row: said.append(f"{done}/{count} {row.point.name}"),
    )  # fmt: skip
    assert len(swept.rows) == 12 and said[0] == "1/12 s0=4 s1=8 float32" and len(said) == 12
    document = json.loads((out / "results.json").read_text())
    assert document["machine"]["device"] == "made up" and document["commands"] == ["inductor-lab bench"]
    assert document["axes"] == {"rows": "s0", "cols": "s1"} and document["method"]["rounds"] == 300
    lines = list(csv.DictReader((out / "table.csv").open()))
    assert len(lines) == 12 and lines[0]["rows"] == "4" and float(lines[0]["hand_us"]) == 2.0
    assert (
        "| 16 | 16 | bfloat16 | 6000.0 | 12000.0 | 2.00 | inductor | 1.500 (1.400 to 1.600) | faster |"
        in (out / "table.md").read_text()
    )
    assert [path.name for path in swept.plots] == ["rate.png", "time.png", "ratio.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in swept.plots)


def test_a_sweep_that_was_ended_goes_on_and_measures_nothing_twice(file: Path) -> None:
    asked: list[int] = []

    def killed(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        for number, answer in here(questions):
            if len(asked) == 3:
                raise KeyboardInterrupt
            asked.append(questions[number]["sizes"]["s0"])
            yield number, answer

    out = file.parent / "out"
    with pytest.raises(KeyboardInterrupt):
        sweep(file, axes("rows=2**2..2**7"), folder=out, engine=killed)
    assert asked == [4, 8, 16] and not list(out.glob(".*"))
    begun = json.loads((out / "results.json").read_text())["created"]
    rest: list[int] = []

    def rested(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        rest.extend(question["sizes"]["s0"] for question in questions)
        return here(questions)

    swept = sweep(file, axes("rows=2**2..2**7"), folder=out, engine=rested)
    assert rest == [32, 64, 128] and swept.measured == 3 and len(swept.rows) == 6
    assert swept.document()["created"] == begun


def test_a_finished_folder_needs_no_gpu(file: Path) -> None:
    out = file.parent / "out"
    sweep(file, axes("rows=4,8"), folder=out, engine=here, command="bench --sweep")
    kept = (out / "results.json").stat()

    def none(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        raise AssertionError("nothing is to be measured")

    shown = sweep(file, axes("rows=4,8"), folder=out, engine=none, command="bench --sweep again")
    assert len(shown.rows) == 2 and shown.document()["commands"] == ["bench --sweep"]
    after = (out / "results.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (kept.st_ino, kept.st_mtime_ns)  # it is not written again


def test_rows_of_another_file_method_or_machine_stay_apart(file: Path) -> None:
    out = file.parent / "out"
    sweep(file, axes("rows=4"), folder=out, engine=here)
    with pytest.raises(LabError, match="another method; choose another folder"):
        sweep(file, axes("rows=4"), folder=out, engine=here, method=Method(cache="warm"))

    def elsewhere(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        for number, answer in here(questions):
            yield number, answer | {"machine": answer["machine"] | {"device": "another"}}

    with pytest.raises(LabError, match="holds times of device made up, and this is another"):
        sweep(file, axes("rows=8"), folder=out, engine=elsewhere)
    file.write_text(file.read_text() + "\n# edited\n")
    with pytest.raises(LabError, match="another version of the file"):
        sweep(file, axes("rows=4"), folder=out, engine=here)


def test_rows_of_another_cuda_source_stay_apart(file: Path) -> None:
    source = file.with_suffix(".cu")
    source.write_text("// one")
    text = f"\nimport pathlib, types\ncuda_kernel = types.SimpleNamespace(path=pathlib.Path({str(source)!r}))\n"
    file.write_text(file.read_text() + text)
    sweep(file, axes("rows=4"), folder=file.parent / "out", engine=here)
    source.write_text("// edited")
    with pytest.raises(LabError, match="another version of the file"):
        sweep(file, axes("rows=4"), folder=file.parent / "out", engine=here)


@pytest.mark.parametrize("text", ["", "[]", '{"rows": 3}', "{"])
def test_a_folder_that_is_no_sweep_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(LabError, match="can not be read as a sweep's results"):
        Results(tmp_path, {})
    assert (tmp_path / "results.json").read_text() == text
    (tmp_path / "results.json").rename(tmp_path / "thesis.tex")
    with pytest.raises(LabError, match="holds no results of a sweep"):
        Results(tmp_path, {})


def test_a_point_that_failed_is_asked_again(file: Path) -> None:
    def lost(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        return ((number, {"lost": "it ended"}) for number, _ in enumerate(questions))

    out = file.parent / "out"
    assert [row.outcome for row in sweep(file, axes("rows=4"), folder=out, engine=lost).rows] == ["failed"]
    swept = sweep(file, axes("rows=4"), folder=out, engine=here)
    assert swept.measured == 1 and swept.rows[0].outcome == "timed"


def test_sizes_that_grow_together_are_one_line_and_no_map(file: Path) -> None:
    pytest.importorskip("matplotlib")
    points = [{"rows": 4**n, "cols": 2**n} for n in range(1, 6)]
    swept = sweep(file, folder=file.parent / "out", engine=here, points=points)
    assert [path.name for path in swept.plots] == ["rate.png", "time.png"] and len(swept.rows) == 5
    assert swept.axes == {"rows": "s0", "cols": "s1"} and swept.rows[-1].sizes == {"s0": 4**5, "s1": 2**5}


def test_rows_against_others_name_them_and_are_no_map(file: Path) -> None:
    def mixed(questions: Sequence[dict[str, Any]]) -> sweeping.Answers:
        for number, answer in here(questions):
            yield number, answer | {"row": answer["row"] | {"against": "eager" if number else "inductor"}}

    swept = sweep(file, axes("rows=4,8,cols=8,16"), folder=file.parent / "out", engine=mixed)
    head, *lines = results.lines(swept.rows, swept.axes)
    assert head[-4:] == ["hand, us", "against", "against / hand", ""]
    assert [cells[-3] for cells in lines] == ["inductor", *["eager"] * 3]
    assert "ratio.png" not in [path.name for path in swept.plots]


def test_without_bytes_the_hand_kernel_s_time_stands_once() -> None:
    row = Row({"s0": 4}, "float32", "timed", times={"hand": Timing(2.0, (1.9, 2.1), 30, None)})
    assert results.lines([row], {"rows": "s0"}) == [
        ["rows", "dtype", "hand, us", ""],
        ["4", "float32", "2.00", "timed"],
    ]


def test_a_cell_of_a_table_breaks_no_table() -> None:
    row = Row({"s0": 4}, "float32", "failed", "a | b\nc")
    head = {"file": "x.py", "method": {"launch": "bare", "cache": "cold", "rounds": 300}}
    assert results.as_markdown([row], {"rows": "s0"}, head).count("a \\| b c") == 1


@pytest.fixture
def talk_table(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What tests/benchmarks/talk_table.py defines; it imports what lies beside it."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    return runpy.run_path(str(ROOT / "tests" / "benchmarks" / "talk_table.py"))


def test_the_talk_s_nine_sizes_are_the_talk_s(talk_table: dict[str, Any]) -> None:
    assert [tuple(one.values()) for one in talk_table["SIZES"]] == [
        *((4, 4), (16, 8), (64, 16), (256, 32), (1024, 64), (4096, 128), (16384, 256), (65536, 512), (262144, 1024))
    ]


@pytest.mark.parametrize("kernel", ["add_mul_relu", "add_relu"])
def test_the_talk_s_kernels_are_ejected_for_any_sizes(tmp_path: Path, kernel: str, talk_table: dict[str, Any]) -> None:
    pytest.importorskip("torch")
    module = load(talk_table["ejected"](kernel, tmp_path)).module
    assert symbols_of(module, [Axis("rows", ()), Axis("cols", ())], kernel) == {"rows": "s0", "cols": "s1"}


# ---------------------------------------------------------------- processes

TASK = """
import os, time

def answering():
    def answer(question):
        if question == "die":
            os._exit(3)
        print("what a kernel's file prints")
        time.sleep(question)
        copies = os.environ.get("INDUCTOR_LAB_SWEEP_COPIES")
        if copies:
            open(os.path.join(copies, str(os.getpid())), "w").close()
        gpu = os.environ.get("CUDA_VISIBLE_DEVICES")
        return {"gpu": gpu, "process": os.getpid(), "slept": question, "copies": copies}
    return answer
"""


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "sleeping.py").write_text(
        TASK.replace("        print(", "        import sys; print(", 1).replace('prints")', 'prints", file=sys.stderr)')
    )
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(pytest.importorskip("torch").cuda, "device_count", lambda: 4)
    return "sleeping:answering"


def test_each_gpu_has_a_process_that_takes_the_next_point_when_it_is_free(task: str) -> None:
    found = dict(sweeping.on_this_host([1.0, 0.0, 0.0, "die", 0.0], (0, 3), task))  # type: ignore[list-item]
    assert sorted(found) == [0, 1, 2, 3, 4] and "ended" in found[3]["lost"]
    assert {found[number]["gpu"] for number in (0, 1, 2)} == {"0", "3"}
    assert found[1]["process"] == found[2]["process"] != found[0]["process"]
    assert found[0]["copies"] == found[1]["copies"] and not Path(found[0]["copies"]).exists()


def test_numbers_of_gpus_count_those_that_are_visible(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,6")
    ((_, answer),) = sweeping.on_this_host([0.0], (1,), task)  # type: ignore[list-item]
    assert answer["gpu"] == "6"
    with pytest.raises(LabError, match="there is no GPU 2; CUDA_VISIBLE_DEVICES shows 2"):
        list(sweeping.on_this_host([0.0], (2,), task))  # type: ignore[list-item]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    with pytest.raises(LabError, match="there is no GPU 7; this host has 4"):
        list(sweeping.on_this_host([0.0], (0, 7), task))  # type: ignore[list-item]


@pytest.mark.parametrize("text", ["a", "0,,1", "0,0", "-1"])
def test_what_is_no_list_of_gpus_is_said(text: str) -> None:
    with pytest.raises(LabError, match="--gpus takes numbers"):
        sweeping.gpu_numbers(text)
    assert sweeping.gpu_numbers("0, 2") == (0, 2) and sweeping.gpu_numbers("") == ()


PRETENDED = """
import torch
from inductor_lab.records import Ceiling
from inductor_lab.measure.sweep import measurement
from inductor_lab.measure.sweep import sweep as sweeping
from inductor_lab.measure.timing.samples import Measured
from inductor_lab.measure.timing.samples import State


def measure(functions, restore, method):
    for function in functions.values():
        function()
    return Measured({name: [2.0] * 30 for name in functions}, method, 0.0, State(), State())


def measuring():
    measurement.DEVICE, measurement.measure, measurement._device = "cpu", measure, lambda: "a CPU"
    measurement.machine = lambda: {"device": "a CPU"}
    measurement.copy_bytes_per_second = lambda: Ceiling("copy", 4e12, "a test", 500.0)
    torch.cuda.synchronize = lambda: None
    measurement.FORMS = {"eager": "eager"}
    return sweeping.measuring()
"""


@pytest.mark.slow
def test_processes_measure_the_file_that_they_are_sent(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the pipes, where what a file prints does no harm."""
    (file.parent / "pretended.py").write_text(PRETENDED)
    path = os.pathsep.join([str(file.parent), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    file.write_text(file.read_text() + "\nprint('loaded')\n")
    engine = partial(sweeping.on_this_host, task="pretended:measuring")
    swept = sweep(file, axes("rows=4,5"), folder=file.parent / "out", engine=engine)
    assert [(row.outcome, row.why, set(row.times)) for row in swept.rows] == [
        ("timed", "", {"hand", "eager", "copy"})
    ] * 2
    assert swept.document()["machine"] == {"device": "a CPU"}


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_on_another_host_the_file_is_made_of_what_was_sent(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inductor_lab.measure.sweep import measurement

    monkeypatch.setenv(sweeping.COPIES, str(file.parent))
    monkeypatch.setattr(measurement, "machine", lambda: {"device": "a CPU"})
    question = {
        "file": "/nowhere/add_relu.py",
        "text": file.read_text(),
        "sizes": {"s0": 4, "s1": 4},
        "dtype": "float32",
        "method": {"rounds": 30},
        "contestants": ["hand", "eager"],
        "seed": 0,
    }
    answer = sweeping.measuring()(question)
    assert answer["row"]["outcome"] == "timed" and set(answer["row"]["times"]) == {"hand", "eager"}
    assert [path.read_text() for path in file.parent.glob("inductor_lab_sweep_*/add_relu.py")] == [file.read_text()]


@pytest.mark.slow
@pytest.mark.usefixtures("cpu")
def test_what_stands_beside_a_file_is_sent_to_another_host(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a `.cu`, and of inputs that the program gave: the file alone would not import there, or not draw."""
    from inductor_lab.measure.sweep import measurement

    file.write_text(
        file.read_text()
        + '\nREAL = "add_relu.npz"\nHELD = __import__("pathlib").Path(__file__).with_name(REAL).read_text()\n'
    )
    kept = file.with_name("add_relu.npz")
    kept.write_text("kept")
    monkeypatch.setattr(measurement, "machine", lambda: {"device": "a CPU"})
    sent: list[Any] = []

    def elsewhere(questions: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Another host has neither file."""
        beside = sweeping._beside(questions)
        for one in (file, kept):
            one.unlink()
        for number, question in enumerate(questions):
            sent.append(question)
            yield (
                number,
                sweeping._answer_remotely(
                    "inductor_lab.measure.sweep.sweep:measuring", question, list(beside), *beside.values()
                ),
            )

    sweeping._answering.clear()
    swept = sweep(file, axes("rows=4,5"), folder=file.parent / "out", engine=elsewhere, contestants=["hand", "eager"])
    assert [(row.outcome, row.why) for row in swept.rows] == [("timed", "")] * 2
    assert [one[sweeping.BESIDE] for one in sent] == [[str(kept.resolve())]] * 2


def test_ray_on_this_host_answers_each_question(task: str) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found = dict(sweeping.through_ray([0.0, "die", 0.0], 0, task))  # type: ignore[list-item]
        assert found[0]["slept"] == found[2]["slept"] == 0.0 and "ended" in found[1]["lost"]
        with pytest.raises(LabError, match="Ray's cluster has no GPU"):
            list(sweeping.through_ray([0.0], 1, task))  # type: ignore[list-item]
    finally:
        ray.shutdown()


# ---------------------------------------------------------------- the command line


@pytest.mark.slow
def test_without_a_gpu_a_sweep_says_what_it_needs(file: Path, lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    result = lab("bench", file, "--sweep", "rows=4", "-o", "out")
    assert result.code == 2 and "Timing needs a GPU" in result.err and "is shown without one" in result.err
    assert not Path("out").exists()


def test_the_command_shows_a_table_and_where_the_rest_lies(
    file: Path, lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "on_this_host", lambda questions, gpus: here(questions))
    result = lab("bench", file, "--sweep", "rows=4..8", "--dtypes", "float32", "-o", "out")
    assert (
        result.code == 0 and "1.500 (1.400 to 1.600)" in result.out and "Copy ceiling" in " ".join(result.out.split())
    )
    assert "2 rows in out: results.json, table.csv, table.md" in result.err
    again = lab("bench", file, "--sweep", "rows=4..16", "--dtypes", "float32", "-o", "out", "--json")
    document = json.loads(again.out)
    assert [row["sizes"]["s0"] for row in document["rows"]] == [4, 8, 16] and document["schema"] == 1
    assert "3 rows (2 of an earlier run) in out" in again.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-o", "x"], "belong to a sweep"),
        (["--sweep", "rows=4", "--engine", "dask"], "There is no engine 'dask'"),
        (["--sweep", "rows=4", "--engine", "ray", "--gpus", "0"], "give one of both"),
    ],
)
def test_options_that_do_not_go_together_are_said(file: Path, lab: Any, words: list[str], sentence: str) -> None:
    result = lab("bench", file, *words)
    assert result.code == 2 and sentence in result.err


def test_help_and_errors_import_no_plots(file: Path) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(sorted({'matplotlib', 'ray', 'torch'} & set(sys.modules)))); "
        f"from inductor_lab.cli import main; main(['bench', {str(file)!r}, '--sweep', 'rows=x'])"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert child.returncode == 2 and child.stdout.strip() == "[]"


def test_every_name_of_a_row_is_in_its_document() -> None:
    row = Row({"s0": 4}, "float32", "timed", times={"hand": Timing(2.0, (1.9, 2.1), 30, None)})
    assert sweeping.from_dict(Row, json.loads(json.dumps(to_dict(row)))) == row


def test_a_span_of_symbolic_sizes_is_placed_by_its_rows(tmp_path: Path) -> None:
    capture = store.load(ROOT / "captured" / "dlrm_dynamic_h200")
    (tmp_path / "span.py").write_text(eject(capture, span(capture, "1_inference", 36, 38)), encoding="utf-8")
    module = load(tmp_path / "span.py").module
    assert symbols_of(module, axes("rows=64"), "span.py") == {"rows": "s35"}
    file = points.placed(module, Point({"s35": 64}, ""), 0, "cpu")
    assert [spec[0] for name, spec in file.ARGUMENTS.items() if name in module.WRITTEN] == [(64, 512), (64, 256)]
    given = dict(zip(file.ARGUMENTS, file.example_inputs("cpu"), strict=True))
    made = module.reference(*(given[name] for name in module.TAKES))
    assert [tuple(one.shape) for one in made] == [(64, 512), (64, 256)], "inner buffers follow"


def test_a_span_of_fixed_shapes_is_refused_with_the_way_out(tmp_path: Path) -> None:
    capture = store.load(ROOT / "captured" / "dlrm_h200")
    (tmp_path / "span.py").write_text(eject(capture, span(capture, "0_inference", 36, 38)), encoding="utf-8")
    with pytest.raises(LabError, match=r"--sweep times one of a capture with symbolic sizes"):
        symbols_of(load(tmp_path / "span.py").module, axes("rows=64"), "span.py")
