"""A kernel's speed in a user's CI: what is a finding, baselines, JUnit XML, the pytest plugin. Records are made by hand: no test asserts a time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from small_kernels import edited, ejected
from span_as_text import SPAN
from told_times import KERNEL

pytest.importorskip("torch")

import inductor_lab
from inductor_lab import api, machine
from inductor_lab.ejected import content_hash
from inductor_lab.errors import LabError
from inductor_lab.measure import ci
from inductor_lab.measure.ci import Check, checks, decided, junit, speed
from inductor_lab.measure.timing.samples import Method
from inductor_lab.records import Paired, PerfDiff, Timing
from inductor_lab.views import ResultView

CARD = "NVIDIA made of clocks"


def timing(microseconds: float) -> Timing:
    return Timing(microseconds, (0.999 * microseconds, 1.001 * microseconds), 300, None)


def found(hand: float = 100.0, generated: float = 100.0, verdict: str = "same", **fields: Any) -> PerfDiff:
    ratio = generated / hand
    given: dict[str, Any] = {
        "ratio": ratio, "ratio_interval": (0.998 * ratio, 1.002 * ratio), "noise": 0.002, "margin": 0.01,
        "hand": {"timing": timing(hand)}, "generated": {"timing": timing(generated)}, "device": CARD,
        "conditions": {"launch": "bare", "cache": "cold", "rounds": 300},
    }  # fmt: skip
    return PerfDiff(verdict, **{**given, **fields})


# ---------------------------------------------------------------- what is a finding


@pytest.mark.parametrize(
    ("verdict", "interval", "outcome"),
    [
        ("slower", (0.90, 0.94), "failed"),  # slower by 6.4 % at the least
        ("slower", (0.93, 0.97), "passed"),  # by 3 to 7.5 %: nothing says that it is more than 5
        ("slower", (0.96, 0.98), "passed"),
        ("same", (0.98, 1.02), "passed"),
        ("faster", (1.10, 1.12), "passed"),
        ("inconclusive", (0.90, 1.20), "failed"),  # no pass
        ("inconclusive", (0.99, 1.01), "failed"),  # the noise is too loud
    ],
)
def test_a_limit_is_held_by_the_whole_interval_and_what_can_not_be_told_is_no_pass(
    verdict: str, interval: tuple[float, float], outcome: str
) -> None:
    one = Paired("generated", verdict, sum(interval) / 2, interval)
    assert speed(one, 5.0)[0] == outcome
    assert speed(one, None)[0] == "passed"  # nothing was asked of it


def test_a_limit_of_nothing_does_not_make_noise_a_finding() -> None:
    assert speed(Paired("generated", "same", 0.997, (0.996, 0.998)), 0.0)[0] == "passed"
    outcome, sentence = speed(Paired("generated", "slower", 0.95, (0.94, 0.96)), 0.0)
    assert outcome == "failed" and "slower by 4.2 % at the least, and 0 % is allowed" in sentence


@pytest.mark.parametrize(
    ("interval", "allowed", "outcome"),
    [
        (
            (0.930, 0.940),
            5.0,
            "failed",
        ),  # a kernel of 2 us: slower by 6.4 % at the least, and by its margin that is nothing
        ((0.930, 0.960), 5.0, "passed"),
        ((0.960, 0.970), 0.0, "failed"),
        ((0.992, 0.994), 0.0, "passed"),  # less than 1 % is no difference
    ],
)
def test_a_limit_below_what_can_be_told_apart_is_said_and_no_pass_where_all_is_beyond_it(
    interval: tuple[float, float], allowed: float, outcome: str
) -> None:
    found, sentence = speed(Paired("generated", "same", sum(interval) / 2, interval, 0.01, 0.075), allowed)
    assert found == outcome and "a difference of up to 7.5 % is none here" in sentence
    assert "none here" not in speed(Paired("generated", "same", 1.0, (0.99, 1.01), 0.01, 0.01), 5.0)[1]


def test_every_contestant_is_one_check() -> None:
    one = found(against=(Paired("eager", "slower", 0.5, (0.49, 0.51)), Paired("torchscript", "refused", notes=("Refused: none here.",))))  # fmt: skip
    made = checks("mine.py", one, 5.0, 2.0)
    assert [(check.name, check.outcome, check.seconds) for check in made] == [
        ("generated", "passed", 2.0),
        ("eager", "failed", 0.0),
        ("torchscript", "error", 0.0),
    ]
    assert checks("mine.py", LabError("it fails"), 5.0)[0].outcome == "error"
    without = replace(found(), ratio=None, ratio_interval=None, verdict="inconclusive")
    assert [checks("mine.py", without, allowed)[0].outcome for allowed in (None, 5.0)] == ["skipped", "error"]


def test_what_is_inconclusive_is_measured_once_more_for_longer() -> None:
    asked = []

    def diff(path: str, *, method: Method, progress: object) -> PerfDiff:
        asked.append(method.rounds)
        return found(verdict="inconclusive")

    assert decided(diff, "mine.py", method=Method(rounds=300), progress=lambda step: None).verdict == "inconclusive"
    assert asked == [300, 1200]
    decided(diff, "mine.py", method=Method(rounds=2000), progress=lambda step: None)
    assert asked == [300, 1200, 2000]


# ---------------------------------------------------------------- baselines


@pytest.fixture
def stored(workdir: Path) -> ci.Baseline:
    (workdir / "mine.py").write_text(KERNEL)
    made = ci.stored(Path("base.json"), new=True)
    made.add(Path("mine.py"), found(), content_hash(Path("mine.py")))
    made.write()
    return ci.stored(Path("base.json"))


@pytest.mark.parametrize(
    ("now", "outcome", "said"),
    [
        (found(101.0), "passed", "no slower than it was"),
        (found(110.0, verdict="slower"), "failed", "slower than it was by 10.0 %, beyond the noise of both: 110.00 us"),
        (found(110.0, 110.0), "passed", "but so is the generated kernel, so it is the card or the versions"),
        (found(110.0, margin=0.1), "passed", "no slower than it was"),  # 11 % are the noise of both
        (found(110.0, verdict="inconclusive"), "failed", "which is no pass"),
        (found(80.0, verdict="faster"), "passed", "no slower"),
    ],
)
def test_slower_than_it_was_is_beyond_the_noise_of_both(
    stored: ci.Baseline, now: PerfDiff, outcome: str, said: str
) -> None:
    got, sentence = stored.held(Path("mine.py"), now)
    assert got == outcome and said in sentence


def test_what_changed_since_is_told(stored: ci.Baseline) -> None:
    assert "edited" not in stored.held(Path("mine.py"), found())[1]
    Path("mine.py").write_text(KERNEL + "\n")
    stored.files["mine.py"].versions["triton"] = "3.0.0"  # type: ignore[index]
    sentence = stored.held(Path("mine.py"), found())[1]
    assert "; the file was edited since; triton was 3.0.0, is " in sentence


def test_what_a_baseline_can_not_be_compared_with_is_told_before_anything_is_timed(stored: ci.Baseline) -> None:
    stored.need([Path("mine.py")], CARD, Method())
    for files, card, method, sentence in (
        (["mine.py"], "NVIDIA A100", Method(), f"measured on {CARD}, and this is NVIDIA A100"),
        (["mine.py", "other.py"], CARD, Method(), r"has no other.py; add it with `inductor-lab diff other.py --save-b"),
        (["mine.py"], CARD, Method(cache="warm"), "measured with --cache cold: use the same"),
    ):
        with pytest.raises(LabError, match=sentence):
            stored.need([Path(file) for file in files], card, method)
    with pytest.raises(LabError, match="two cards are not compared"):
        stored.add(Path("mine.py"), found(device="NVIDIA A100"), "0" * 64)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (found(verdict="inconclusive"), "mine.py is inconclusive"),
        (found(conditions={"after": {"throttled": ("power cap",)}}), r"the card slowed itself down \(power cap\)"),
    ],
)
def test_what_was_measured_badly_is_not_stored(stored: ci.Baseline, now: PerfDiff, said: str) -> None:
    before = dict(stored.files)
    with pytest.raises(LabError, match=f"base.json is left as it is: .*{said}"):
        stored.add(Path("mine.py"), now, "0" * 64)
    assert stored.files == before


def test_the_cuda_source_beside_a_file_is_part_of_it(stored: ci.Baseline) -> None:
    Path("mine.cu").write_text("__global__ void mine() {}\n")
    assert "the file was edited since" in stored.held(Path("mine.py"), found())[1]


def test_a_baseline_knows_its_files_by_their_path_from_there(
    stored: ci.Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path.cwd() / "sub"
    folder.mkdir()
    monkeypatch.chdir(folder)
    from_there = ci.stored(Path("../base.json"))
    from_there.need([Path("../mine.py")], CARD, Method())
    with pytest.raises(LabError):
        from_there.need([Path("mine.py")], CARD, Method())  # the same name, in another folder


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": 1, "card": "x", "files": {"mine.py": {}}}', '{"schema": 99}']
)
def test_what_is_no_baseline_is_one_sentence(workdir: Path, text: str) -> None:
    Path("base.json").write_text(text)
    with pytest.raises(LabError, match=r"base.json is no baseline"):
        ci.stored(Path("base.json"), new=True)
    with pytest.raises(LabError, match=r"There is no baseline gone.json; --save-baseline gone.json stores one"):
        ci.stored(Path("gone.json"))


# ---------------------------------------------------------------- JUnit XML

COUNTS = {"name", "tests", "failures", "errors", "time"}
SCHEMA: Mapping[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), COUNTS, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        COUNTS | {"skipped", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": ({"name"}, {"name", "classname", "time"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"message"}, set()),
    "system-out": (set(), set(), set()),
}
"""Element -> the attributes that it needs, those that it may have, its children: what Jenkins, GitLab and GitHub's actions all read."""


def check_schema(element: Xml.Element) -> None:
    needs, may, children = SCHEMA[element.tag]
    assert needs <= set(element.attrib) <= may
    for child in element:
        assert child.tag in children
        check_schema(child)


def test_junit_xml_is_what_ci_reads() -> None:
    made = [
        Check("kernels/mine.py", "generated", "passed", "same: 1.001x", 2.5),
        Check("kernels/mine.py", "eager", "failed", "slower <by> 6 % & more"),
        Check("other.py", "generated", "error", "it fails: \x1b[31mred\x1b[0m \ud800"),
        Check("third.py", "generated", "skipped", "no GPU"),
    ]
    root = Xml.fromstring(junit(made, {"device": CARD}).partition("\n")[2])
    check_schema(root)
    (suite,) = root
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1", "time": "2.500",
    }  # fmt: skip
    cases = suite.findall("testcase")
    assert [(case.get("classname"), case.get("name"), case[0].tag) for case in cases] == [
        ("kernels/mine.py", "against generated", "system-out"),
        ("kernels/mine.py", "against eager", "failure"),
        ("other.py", "against generated", "error"),
        ("third.py", "against generated", "skipped"),
    ]
    assert cases[1][0].get("message") == cases[1][0].text == "slower <by> 6 % & more"
    assert cases[2][0].text == "it fails: [31mred[0m "


# ---------------------------------------------------------------- the command line

Lab = Callable[..., Any]


@pytest.fixture
def clocked(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, PerfDiff | LabError]:
    """A GPU on which each file's comparison is what is put here under its name."""
    import torch

    told: dict[str, PerfDiff | LabError] = {}

    def diff_file(file: Path, gpu: str, **asked: Any) -> ResultView:
        one = told[str(file)]
        if isinstance(one, LabError):
            raise one
        return ResultView(one)

    monkeypatch.setattr(api, "diff_file", diff_file)
    monkeypatch.setattr(machine, "present_gpu", lambda: "sm_90")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: CARD)
    for name in ("mine.py", "other.py"):
        Path(name).write_text(KERNEL)
    return told


def test_several_files_are_a_line_each_and_one_document(lab: Lab, clocked: dict[str, PerfDiff | LabError]) -> None:
    clocked |= {"mine.py": found(80.0, verdict="faster"), "other.py": found(110.0, verdict="slower")}
    shown = lab("diff", "mine.py", "other.py")
    assert shown.code == 0 and [line.split()[:2] for line in shown.out.splitlines()[1:]] == [["mine.py", "faster"], ["other.py", "slower"]]  # fmt: skip
    made = lab("diff", "mine.py", "other.py", "--fail-slower", 5, "--json")
    assert made.code == 1
    files = json.loads(made.out)["files"]
    assert files["other.py"]["verdict"] == "slower" and files["other.py"]["checks"][0]["outcome"] == "failed"
    assert lab("diff", "mine.py", "--fail-slower", 5).code == 0
    clocked["mine.py"] = LabError("mine.py: `launch` fails on this GPU")
    broken = lab("diff", "mine.py", "other.py", "--fail-slower", 5, "--junit", "report.xml")
    assert (
        broken.code == 2
        and "other.py" in broken.out
        and "mine.py against generated: mine.py: `launch` fails" in broken.err
    )
    suite = Xml.parse("report.xml").getroot()[0]
    assert (suite.get("errors"), suite.get("failures")) == ("1", "1")


def test_junit_xml_says_how_the_times_were_taken(lab: Lab, clocked: dict[str, PerfDiff | LabError]) -> None:
    def properties() -> dict[str | None, str | None]:
        assert lab("diff", "mine.py", "other.py", "--junit", "report.xml").code == 0
        return {one.get("name"): one.get("value") for one in Xml.parse("report.xml").iter("property")}

    longer = {"launch": "bare", "cache": "cold", "rounds": 1200, "seed": 0}
    clocked |= {"mine.py": found(), "other.py": found(conditions=longer)}
    timed = properties()
    assert {name: timed[name] for name in ("device", "launch", "cache", "rounds")} == {
        "device": CARD, "launch": "bare", "cache": "cold", "rounds": "300, 1200",
    }  # fmt: skip
    clocked |= {name: found(ratio=None, conditions={}) for name in ("mine.py", "other.py")}
    assert not {"launch", "cache", "rounds"} & properties().keys()


def test_what_was_asked_of_one_file_stands_on_stderr_and_what_was_refused_is_an_error(
    lab: Lab, clocked: dict[str, PerfDiff | LabError]
) -> None:
    clocked["mine.py"] = found(verdict="inconclusive")
    made = lab("diff", "mine.py", "--fail-slower", 5)
    assert made.code == 1 and "failed: mine.py against generated: inconclusive" in made.err and "--rounds" in made.err
    assert "checks" not in json.loads(lab("diff", "mine.py", "--json").out)
    eager = Paired(
        "eager",
        "faster",
        3.0,
        (2.9, 3.1),
        0.01,
        0.01,
        timing(100),
        timing(300),
        notes=("It writes to memory of its own.",),
    )
    clocked["mine.py"] = found(against=(eager, Paired("torchscript", "refused", notes=("Refused: torch has none.",))))
    made = lab("diff", "mine.py", "--against", "eager", "--against", "torchscript")
    assert made.code == 2 and "torchscript: Refused: torch has none." in made.err
    assert "eager: It writes to memory of its own." in made.out and "300.00 us" in made.out


def test_a_baseline_is_stored_and_held_against(lab: Lab, clocked: dict[str, PerfDiff | LabError]) -> None:
    clocked["mine.py"] = found()
    saved = lab("diff", "mine.py", "--save-baseline", "base.json")
    assert saved.code == 0 and "--baseline base.json" in saved.err
    kept = json.loads(Path("base.json").read_text())
    assert kept["card"] == CARD and kept["files"]["mine.py"]["hand"]["median"] == 100.0
    assert kept["files"]["mine.py"]["versions"]["inductor_lab"] == inductor_lab.__version__
    assert lab("diff", "mine.py", "--baseline", "base.json").code == 0
    clocked["mine.py"] = found(120.0, verdict="slower")
    slower = lab("diff", "mine.py", "--baseline", "base.json", "--junit", "report.xml")
    assert slower.code == 1 and "failed: mine.py against baseline: slower than it was by 20.0 %" in slower.err
    assert Xml.parse("report.xml").getroot()[0].get("failures") == "1"
    both = lab("diff", "mine.py", "--baseline", "base.json", "--save-baseline", "base.json")
    assert both.code == 2 and "exclude each other" in both.err


def test_a_file_saved_while_it_is_timed_is_stored_as_what_was_timed(
    lab: Lab, clocked: dict[str, PerfDiff | LabError], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, clocked["mine.py"] = Path("mine.py"), found()
    timed, compare = content_hash(file), api.diff_file

    def saved_meanwhile(*asked: Any, **options: Any) -> Any:
        file.write_text(KERNEL + "# another\n")
        return compare(*asked, **options)

    monkeypatch.setattr(api, "diff_file", saved_meanwhile)
    assert lab("diff", "mine.py", "--save-baseline", "base.json").code == 0
    assert json.loads(Path("base.json").read_text())["files"]["mine.py"]["sha256"] == timed != content_hash(file)
    held = lab("diff", "mine.py", "--baseline", "base.json", "--fail-slower", 5, "--junit", "report.xml")
    assert held.code == 0 and "the file was edited since" in Path("report.xml").read_text() + held.err + held.out


@pytest.mark.parametrize(
    "asked",
    [
        ("--fail-slower", 5),
        ("--baseline", "base.json"),
        ("--save-baseline", "new.json"),
        ("--against", "eager"),
        ("--best",),
    ],
)
def test_without_a_gpu_what_needs_a_time_is_an_error(
    lab: Lab, workdir: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[object, ...]
) -> None:
    monkeypatch.setattr(machine, "present_gpu", lambda: None)
    monkeypatch.setattr(
        api, "diff_file", lambda *_, **__: ResultView(replace(found(), ratio=None, ratio_interval=None))
    )
    Path("mine.py").write_text(KERNEL)
    made = lab("diff", "mine.py", *asked)
    assert made.code == 2 and f"{asked[0]} needs a" in made.err and re.search("no GPU here|is none here", made.err)
    assert not Path("new.json").exists()


def test_a_table_shows_matched_and_best_with_both_configurations(
    lab: Lab, clocked: dict[str, PerfDiff | LabError]
) -> None:
    sides = ({"BLOCK": 512, "num_warps": 4}, {"XBLOCK": 1024, "num_warps": 8})
    one = Paired("matched", "same", 1.0, (0.99, 1.01), 0.01, 0.01, timing(100), timing(100), *sides)
    clocked["mine.py"] = found(matched=one, best=replace(one, name="best"), settings=dict(zip(("hand", "generated"), sides, strict=True)))  # fmt: skip
    lines = lab("diff", "mine.py").out.splitlines()
    assert any(line.split("  ")[0] == "configuration" and "BLOCK=512, num_warps=4" in line for line in lines)
    for name in ("one configuration", "each at its best"):
        (line,) = [line for line in lines if line.startswith(name)]
        assert "BLOCK=512, num_warps=4; generated XBLOCK=1024, num_warps=8" in line


# ---------------------------------------------------------------- the pytest plugin


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ejected file, another that is wrong, one of a span, and a user's tests of them."""
    made = tmp_path_factory.mktemp("user")
    (made / "kernels").mkdir()
    text = ejected("affine")
    (made / "kernels" / "mine.py").write_text(text)
    kernel, rest = text.split("def launch(", 1)
    (made / "kernels" / "wrong.py").write_text(f"{edited(kernel, ('* 0.5', '* 0.25'))}def launch({rest}")
    (made / "kernels" / "span.py").write_text(SPAN)
    (made / "test_mine.py").write_text(TESTS)
    return made


TESTS = """
from pathlib import Path

import pytest


@pytest.mark.inductor_lab_file("kernels/mine.py", against=("eager", "kernels/other.py", "kernels/own.py:made", "own.kernels:made"))
def test_right(inductor_lab_file):
    beside = Path(__file__).parent / "kernels"
    assert inductor_lab_file.against == ("eager", f"{beside}/other.py", f"{beside}/own.py:made", "own.kernels:made")
    assert inductor_lab_file.verdict.verdict == "pass" and inductor_lab_file.diff is None


@pytest.mark.inductor_lab_file("kernels/span.py")
def test_span(inductor_lab_file):
    assert inductor_lab_file.verdict.verdict == "pass" and len(inductor_lab_file.verdict.cases) > 1


@pytest.mark.inductor_lab_file("kernels/wrong.py", fail_slower=5)
def test_wrong():
    raise SystemExit("the test itself is not run")


@pytest.mark.inductor_lab_file("kernels/gone.py")
def test_gone():
    pass


@pytest.mark.inductor_lab_file("kernels/mine.py", slower=5)
def test_misspelt():
    pass


def test_unmarked(inductor_lab_file):
    pass
"""


def users_pytest(folder: Path, *arguments: str) -> str:
    """What a user's own pytest says, on a machine without a GPU."""
    import os

    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(inductor_lab.__file__).parent.parent),
        "CUDA_VISIBLE_DEVICES": "",
    }
    environment.pop("PYTEST_XDIST_WORKER", None)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "inductor_lab.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-rA",
        "-q",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1200).stdout


def test_a_marked_test_checks_its_file_first(folder: Path) -> None:
    said = users_pytest(folder, "--strict-markers", "test_mine.py")
    assert "PASSED test_mine.py::test_right" in said and "PASSED test_mine.py::test_span" in said
    assert "FAILED test_mine.py::test_wrong" in said and "wrong.py is wrong: " in said and "is not run" not in said.partition("short test")[2]  # fmt: skip
    assert "kernels/gone.py does not exist" in said
    assert "takes (path, fail_slower=None, against=())" in said
    assert "needs @pytest.mark.inductor_lab_file(path)" in said
    assert "3 failed, 2 passed, 1 error" in said  # what a fixture lacks is an error


@pytest.mark.slow
def test_ejected_files_are_collected_where_that_is_asked_for(folder: Path) -> None:
    without = users_pytest(folder, "kernels", "--collect-only")
    assert "inductor_lab_verify" not in without
    said = users_pytest(
        folder, "kernels/mine.py", "--inductor-lab-diff", "--deselect", "kernels/mine.py::test_matches_eager"
    )
    assert "PASSED kernels/mine.py::inductor_lab_verify" in said
    assert "no time can be measured, there is no GPU here; it was verified" in said and "1 passed, 1 skipped" in said
