"""DLRM's training: a resumed run is the unbroken one, the area under the curve is the known one, and what is wrong is said."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import chrome
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("pyarrow", reason="the dlrm extra is not installed: pip install 'inductor_lab[dlrm]'")

from inductor_lab.cli import main  # noqa: E402
from inductor_lab.criteo.format import Table  # noqa: E402
from inductor_lab.criteo.sample import write_sample  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402
from inductor_lab.models.dlrm_train.__main__ import app  # noqa: E402
from inductor_lab.models.dlrm_train.configuration import HERE, SHIPPED, Configuration, build, read  # noqa: E402
from inductor_lab.models.dlrm_train.training import Training, auc, begin  # noqa: E402

TINY = {"bottom": [13, 8, 4], "top": [4, 1], "batch": 16, "learning_rate": 0.01, "log_counts": True}
STEPS, KEPT = 12, 5
"""Nine steps are a pass over the log: twelve reach into the second."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    write_sample(path, path.with_suffix(".json"), 160, cap=20)
    return path


@pytest.fixture
def tiny(workdir: Path) -> Path:
    (workdir / "tiny.json").write_text(json.dumps(TINY))
    return workdir / "tiny.json"


def training(log: Path, tiny: Path, **asked: object) -> Training:
    return begin(read(str(tiny), **asked), log, log.with_suffix(".json"), missing="zero")


# ---------------------------------------------------------------- resumed equals unbroken


def test_a_resumed_training_is_the_unbroken_one(log: Path, tiny: Path, workdir: Path) -> None:
    unbroken = training(log, tiny)
    losses = [loss.item() for loss in unbroken.run(STEPS)]
    killed = training(log, tiny)
    for step, _ in enumerate(killed.run(STEPS), 1):
        if step == KEPT:
            killed.save(workdir / "kept.pt")
        if step == KEPT + 2:  # what it did since is lost
            break
    resumed = training(log, tiny)
    resumed.resume(workdir / "kept.pt")
    assert (resumed.steps, [loss.item() for loss in resumed.run(STEPS)]) == (KEPT, losses[KEPT:])
    assert (resumed.steps, resumed.epoch, resumed.taken) == (STEPS, 1, 3)
    for name, value in unbroken.model.state_dict().items():
        assert torch.equal(resumed.model.state_dict()[name], value)
    assert resumed.evaluate() == unbroken.evaluate()


def test_a_checkpoint_at_the_end_of_a_pass_goes_on_in_the_next(log: Path, tiny: Path, workdir: Path) -> None:
    unbroken = training(log, tiny)
    losses = [loss.item() for loss in unbroken.run(STEPS)]
    first = training(log, tiny)
    list(first.run(9))
    first.save(workdir / "kept.pt")
    resumed = training(log, tiny)
    resumed.resume(workdir / "kept.pt")
    assert [loss.item() for loss in resumed.run(STEPS)] == losses[9:]


def test_a_checkpoint_is_replaced_whole_or_not_at_all(log: Path, tiny: Path, workdir: Path, monkeypatch) -> None:
    begun = training(log, tiny)
    begun.save(workdir / "kept.pt")
    before = (workdir / "kept.pt").read_bytes()

    def broken_off(state: object, file: Path) -> None:
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", broken_off)
    with pytest.raises(KeyboardInterrupt):
        begun.save(workdir / "kept.pt")
    assert (workdir / "kept.pt").read_bytes() == before
    assert sorted(path.name for path in workdir.iterdir()) == ["kept.pt", "tiny.json"]


def test_a_checkpoint_of_something_else_is_refused(log: Path, tiny: Path, workdir: Path) -> None:
    training(log, tiny).save(workdir / "kept.pt")
    with pytest.raises(LabError, match=r"another configuration: learning_rate 0.01, and not 0.5; name another"):
        training(log, tiny, learning_rate=0.5).resume(workdir / "kept.pt")
    write_sample(workdir / "log.parquet", workdir / "log.json", 300, cap=20)
    with pytest.raises(LabError, match=r"another log: .*rows 144, and not 270"):
        training(workdir / "log.parquet", tiny).resume(workdir / "kept.pt")
    write_sample(workdir / "other.parquet", workdir / "other.json", 1, cap=19)
    # Other sizes; the same sizes, and one table's values the other way round.
    swapped = json.loads(log.with_suffix(".json").read_text())
    swapped["SPARSE_25"]["tokenizer_values"].reverse()
    (workdir / "swapped.json").write_text(json.dumps(swapped))
    for other in ("other.json", "swapped.json"):
        with pytest.raises(
            LabError, match=r"another log: metadata '\w{16}', and not '\w{16}'; name another, or remove"
        ):
            begin(read(str(tiny)), log, workdir / other, missing="zero").resume(workdir / "kept.pt")
    (workdir / "kept.pt").write_bytes(b"something")
    with pytest.raises(LabError, match="is no checkpoint of this training"):
        training(log, tiny).resume(workdir / "kept.pt")
    with pytest.raises(LabError, match="Can not read the checkpoint"):
        training(log, tiny).resume(workdir / "absent.pt")


# ---------------------------------------------------------------- what is trained and held out


def test_no_row_is_trained_on_and_held_out(log: Path, tiny: Path) -> None:
    begun = training(log, tiny)
    assert (begun.train.rows, begun.held_out.rows) == (144, 16)
    assert begun.train.spans[-1][2].stop == begun.held_out.spans[0][2].start == 144


@pytest.mark.slow
def test_training_learns(workdir: Path, tiny: Path) -> None:
    write_sample(workdir / "log.parquet", workdir / "log.json", 4000, cap=20)
    begun = training(workdir / "log.parquet", tiny, interaction="cat")
    before = begun.evaluate()
    list(begun.run(450))
    after = begun.evaluate()
    assert after[0] < before[0] and after[1] > max(before[1], 0.6)


def test_a_log_of_fewer_rows_than_a_batch_is_refused(log: Path, tiny: Path) -> None:
    with pytest.raises(LabError, match="has no 145 rows to train on"):
        list(training(log, tiny, batch=145).run(1))


def test_the_area_under_the_curve_is_the_known_one() -> None:
    labels, scores = torch.tensor([0.0, 0, 1, 1]), torch.tensor([0.1, 0.4, 0.35, 0.8])
    assert auc(labels, scores) == 0.75  # the example of scikit-learn's roc_auc_score
    assert auc(labels, -scores) == 0.25
    assert auc(labels, torch.full((4,), 0.5)) == 0.5
    assert math.isnan(auc(torch.ones(4), scores))


# ---------------------------------------------------------------- configurations


def test_the_shipped_configurations_are_the_talk_s() -> None:
    small, main_ = (read(name) for name in SHIPPED)
    assert (small.bottom, small.top, small.batch) == ((13, 32, 16), (32, 1), 64)
    assert (main_.bottom, main_.top, main_.batch) == ((13, 512, 256, 64, 16), (512, 256, 1), 128)
    for each in (small, main_):
        assert (each.learning_rate, each.hash, each.interaction, each.bottom_relu) == (0.1, "modulus", "outer", False)
    assert {path.stem for path in HERE.glob("*.json")} == set(SHIPPED)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"batch": "64"}, "batch is '64', and has to be a whole number"),
        ({"batch": True}, "batch is True, and has to be a whole number"),
        ({"bottom": [13, 2.5]}, "bottom is .*, and has to be a list of whole numbers"),
        ({"bottom": [12, 4]}, "bottom begins with 13 and top ends with 1, and not with 12 and 1"),
        ({"learning_rate": 0}, "are above 0"),
        ({"hash": "md5"}, "There is no hash 'md5'; there are index-list, index-device, modulus"),
        ({"interaction": "sum"}, "There is no interaction 'sum'; there are outer, cat, dot"),
        ({"batches": 3}, "has a field 'batches'; a configuration has bottom, top, batch"),
    ],
)
def test_a_configuration_that_can_not_be_is_refused(change: dict, said: str, tiny: Path) -> None:
    tiny.write_text(json.dumps(TINY | change))
    with pytest.raises(LabError, match=said):
        read(str(tiny))


def test_a_configuration_that_is_none_is_refused(tiny: Path) -> None:
    with pytest.raises(LabError, match=r"There is no configuration 'smal': did you mean small or main\?"):
        read("smal")
    tiny.write_text('{"batch": 3}')
    with pytest.raises(LabError, match="does not say bottom, top"):
        read(str(tiny))
    tiny.write_text("{")
    with pytest.raises(LabError, match="is no JSON"):
        read(str(tiny))


def test_the_seed_decides_the_parameters_and_a_hash_needs_its_values() -> None:
    tables = [Table(5, [])] * 26
    configuration = Configuration(bottom=(13, 4), top=(1,), batch=2)
    first, second = (build(configuration, tables).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    with pytest.raises(
        LabError, match="no tokenizer_values of SPARSE_0, which the hash index-list looks for: use modulus"
    ):
        build(Configuration(bottom=(13, 4), top=(1,), batch=2, hash="index-list"), tables)


# ---------------------------------------------------------------- the command line


@pytest.fixture
def train(tiny: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`python -m inductor_lab.models.dlrm_train --config tiny.json` and these words: exit code, stdout, stderr."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["--config", "tiny.json", *map(str, words)], app, "train")
        return (left.value.code or 0, *capsys.readouterr())

    return run


def test_it_trains_keeps_and_goes_on(train: Callable[..., tuple[int, str, str]], log: Path) -> None:
    asked = ("--data", log, "--missing", "zero", "--checkpoint", "kept.pt", "--hash", "index-list", "--loss-every", "4")
    code, out, err = train(*asked, "--steps", "4")
    assert code == 0 and out.startswith("4 steps of 16 rows in ") and "16 rows held out: loss " in out
    assert "missing values in" in err and "columns are read as 0" in err
    code, out, err = train(*asked, "--steps", "8", "--json")
    found = json.loads(out)
    assert "goes on behind step 4 of kept.pt" in err
    assert (found["first_step"], found["steps"], [one["step"] for one in found["losses"]]) == (4, 4, [8])
    assert found["configuration"]["hash"] == "index-list" and 0 <= found["held_out"]["auc"] <= 1


@pytest.mark.slow
def test_a_profile_is_a_chrome_trace_and_its_operators(
    train: Callable[..., tuple[int, str, str]], log: Path, workdir: Path
) -> None:
    code, out, _ = train("--data", log, "--missing", "zero", "--steps", "15", "--profile", "profile")
    (trace,) = (workdir / "profile").glob("*.pt.trace.json")
    names = {event["name"] for event in chrome.events(trace)}
    assert code == 0 and {"aten::embedding", "aten::addmm"} <= names
    assert "host us a step" in out and f"profile/{trace.name}: open it at https://ui.perfetto.dev" in out


def test_fewer_rows_than_a_batch_are_no_training(train: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = train("--rows", "10")
    assert (code, out) == (2, "") and err.endswith("has no 16 rows to train on, which is a batch.\n")
    assert "are left out, with their rows" in train("--rows", "200", "--missing", "skip", "--steps", "1")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rows", "0"), "A sample has at least one row, and not 0."),
        ((), "Name a log with --data, or let one be generated with --rows."),
        (
            ("--rows", "160", "--mode", "fast"),
            "There is no mode 'fast'; there are default, reduce-overhead, max-autotune.",
        ),
        (("--rows", "160", "--steps", "3", "--profile", "p"), "A profile is of 10 steps behind 5, and 3 are left."),
        (("--rows", "160", "--steps", "0"), "Steps are 1 or more, and workers 0 or more."),
        (("--data", "absent.parquet"), "There is no file absent.parquet."),
    ],
)
def test_what_is_wrong_is_one_sentence(train, words, said) -> None:
    code, out, err = train(*words)
    assert (code, out, err.splitlines()[-1]) == (2, "", f"error: {said}")
