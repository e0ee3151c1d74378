"""The command line as people and scripts use it: what it prints where, its exit codes, what it says when it can not."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result

import inductor_lab
from inductor_lab.capture import run
from inductor_lab.cli.app import app
from inductor_lab.report import html

Lab = Callable[..., Any]


def test_help_lists_every_verb_in_the_order_of_the_loop(lab: Lab) -> None:
    result = lab("--help")
    assert result.code == 0
    verbs = [line.split()[0] for line in result.out.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    wanted = "demo doctor models capture read list show spans report eject verify inspect bench diff"
    assert verbs[: len(wanted.split())] == wanted.split()
    assert "..." not in result.out.partition("Commands:")[2], "a verb's first sentence is cut"


@pytest.mark.parametrize(
    "verb", [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
)
def test_the_help_calls_arguments_what_a_person_would(lab: Lab, verb: str) -> None:
    """`FILE...`, and neither `{FILE...}...` nor `<list[Path]>`; an option's value likewise, and each argument is explained."""
    help_ = lab(verb, "--help").out
    assert not re.search(r"<\w", help_)
    usage, arguments = (
        help_.partition("Usage: ")[2].partition("\n")[0],
        help_.partition("Arguments:")[2].partition("Options:")[0],
    )
    assert not set("{}<") & set(usage) and not re.search(r"<\w|\[\[|\.\.\.\.|\]\.\.\.", usage + arguments)
    assert all(re.match(r" +\S.*? {2,}\S| {8,}", line) for line in filter(None, arguments.splitlines())), arguments
    for words in re.findall(r"^  (\S+)  ", arguments, re.MULTILINE):
        assert words in usage


def test_version(lab: Lab) -> None:
    assert lab("--version").out == f"inductor-lab {inductor_lab.__version__}\n"


def test_the_three_ways_to_one_catalog_print_the_same(lab: Lab, lora_log: Path) -> None:
    read = lab("read", lora_log, "-o", "captured/lora", "--json")
    listed = lab("list", "lora", "--json")
    assert read.code == listed.code == 0
    assert json.loads(read.out) == json.loads(listed.out)
    assert json.loads(read.out)["schema"] == 1


def test_an_id_from_json_is_accepted_by_other_verbs(lab: Lab, lora_log: Path, tmp_path: Path) -> None:
    document = json.loads(lab("read", lora_log, "-o", tmp_path / "far" / "away", "--json").out)
    for kernel in document["kernels"]:
        shown = json.loads(lab("show", kernel["id"], "--json").out)
        assert shown["kernels"][0]["body_sha256"] == kernel["body_sha256"]
        assert shown["kernels"][0]["id"] == kernel["id"]


def test_reading_from_stdin_and_from_a_folder(lora_log: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "run.log").write_bytes(gzip.decompress(lora_log.read_bytes()))
    for source, stdin in (("-", gzip.decompress(lora_log.read_bytes())), ("logs", b"")):
        child = program("read", source, "-o", "captured/x", "--json", cwd=tmp_path, stdin=stdin)
        assert child.returncode == 0, child.stderr
        assert len(json.loads(child.stdout)["kernels"]) == 2


def test_list_sums_up_what_is_captured(lora: Lab) -> None:
    document = json.loads(lora("list", "--json").out)
    assert [(each["name"], each["kernels"], each["launches"]) for each in document["captures"]] == [("lora", 2, 3)]
    assert "lora" in lora("list").out
    assert "triton_poi_fused_add_mul_relu_0" in lora("list", "lora").out


def test_list_chooses_and_says_what_it_left_out(lora: Lab) -> None:
    first, second = json.loads(lora("list", "lora", "--json").out)["kernels"]
    assert first["cost"]["bytes"] > second["cost"]["bytes"] and first["cost"]["share"] + second["cost"]["share"] == 1
    chosen = lora("list", "lora", "--top", "1", "--sort", "bytes", "--json")
    document = json.loads(chosen.out)
    assert [kernel["id"] for kernel in document["kernels"]] == ["lora:0"]
    assert document["chosen"] == {"of": 2, "matching": 2, "sort": "bytes"}
    assert len(document["graphs"]) == 1 and document["schema"] == 1
    shown = lora("list", "lora", "--top", "1").out
    assert "1 of 2 kernels, by estimate less bound: what an edit may gain; they move" in shown
    assert "library call" in shown and "2 kernels in 3 launches move" in shown
    assert lora("list", "lora", "--filter", f"name:{second['name']}").out.count("\nlora:") == 1
    assert "0 of 2 kernels" in lora("list", "lora", "--filter", "no such kernel").out


def test_list_without_captures_says_how_to_make_one(lab: Lab) -> None:
    result = lab("list")
    assert (result.code, result.out) == (0, "")
    assert "inductor-lab capture" in result.err


def test_list_says_which_captures_can_not_be_read(lora: Lab, workdir: Path) -> None:
    broken = workdir / "captured/broken/capture.json"
    broken.parent.mkdir()
    broken.write_text("{")
    result = lora("list")
    assert result.code == 0 and "lora" in result.out and "broken" not in result.out
    assert result.err == "problem: captured/broken can not be read; `inductor-lab list broken` says why\n"


def test_show_takes_a_glob(lora: Lab) -> None:
    assert len(json.loads(lora("show", "lora:triton_*", "--json").out)["kernels"]) == 2
    assert "triton_poi_fused_add_mul_relu_0" in lora("show", "lora:0").out


def test_report_writes_one_file(lora: Lab, workdir: Path) -> None:
    assert lora("report", "lora", "-o", "pages/lora.html").code == 0
    held = html.unpacked((workdir / "pages" / "lora.html").read_text())
    assert held["kernels"][0]["name"] == "triton_poi_fused_add_mul_relu_0"


def test_eject_never_writes_over_a_file_that_was_edited(lora: Lab, workdir: Path) -> None:
    file = workdir / "kernel.py"
    assert lora("eject", "lora:0", "-o", file).code == 0
    assert lora("eject", "lora:0", "-o", file).code == 0, "the very same text is no conflict"
    edited = file.read_text() + "\n# mine\n"
    file.write_text(edited)
    again = lora("eject", "lora:0", "-o", file)
    assert again.code == 2
    assert "never overwritten; choose another name with -o" in again.err
    assert file.read_text() == edited


def test_eject_to_stdout_is_the_whole_file_and_nothing_else(lora: Lab, workdir: Path) -> None:
    text = lora("eject", "lora:0", "-o", "-", "--style", "verbatim").out
    compile(text, "kernel.py", "exec")
    assert text.startswith('"""')
    assert list(workdir.glob("*.py")) == []


def test_inspect_takes_a_kernel_or_a_file(lora: Lab) -> None:
    pytest.importorskip("triton")
    kernel = lora("inspect", "lora:0", "--gpu", "h200", "--json")
    assert kernel.code == 0, kernel.err
    (code,) = json.loads(kernel.out)["generated"]
    assert code["arch"] == "sm_90"
    assert code["registers"] > 0
    shown = lora("inspect", "lora:0", "--gpu", "mi300x", "--show", "amdgcn", "--json")
    assert "global_load" in json.loads(shown.out)["text"]
    lora("eject", "lora:0", "-o", "kernel.py")
    for named in ("lora:0", "kernel.py"):
        refused = lora("inspect", named, "--gpu", "mi300x", "--show", "sass")
        assert refused.code == 2 and refused.out == ""
        assert "error: An AMD GPU has no SASS: the machine code of gfx942 is AMDGCN, --show amdgcn" in refused.err
    assert lora("inspect", "kernel.py", "--gpu", "h200", "--show", "llir").out.startswith("; ModuleID")
    both = json.loads(lora("inspect", "kernel.py", "--gpu", "a100", "--json").out)
    assert [each["arch"] for which in ("hand", "generated") for each in both[which]] == ["sm_80", "sm_80"]


def test_doctor_tells_what_works(lab: Lab) -> None:
    document = json.loads(lab("doctor", "--json").out)
    assert document["works"]["read"] is True
    assert {"torch", "triton", "GPU"} <= {check["name"] for check in document["checks"]}
    if document["works"]["capture for a virtual GPU"]:
        assert document["works"]["verify"] and document["works"]["replay"], "each was tried"


@pytest.mark.slow
def test_doctor_tells_what_is_installed_and_does_not_work(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was on a Triton whose interpreter calls its loads with one argument more."""
    pytest.importorskip("torch")
    pytest.importorskip("triton")

    def broken(*args: object, **asked: object) -> None:
        raise TypeError("Watch._loaded() missing 1 required positional argument: 'is_volatile'")

    for name in ("inspect", "replay"):
        monkeypatch.setattr(f"inductor_lab.cli.begin._Trial.{name}", lambda trial: None)
    monkeypatch.setattr("inductor_lab.verify.verify", broken)
    document = json.loads(lab("doctor", "--json").out)
    assert document["works"]["verify"] is False and document["works"]["replay"] is True
    (said,) = (check["detail"] for check in document["checks"] if check["name"] == "verify")
    assert said.startswith("tried, and it does not: Watch._loaded()")


def test_doctor_works_without_torch(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    works = json.loads(lab("doctor", "--json").out)["works"]
    assert works["read"]
    assert works["eject"]
    assert not works["capture for a virtual GPU"]
    assert not works["verify"]


def test_models_lists_the_workloads(lab: Lab) -> None:
    names = [workload["name"] for workload in json.loads(lab("models", "--json").out)["workloads"]]
    assert {"dlrm", "lora_mlp", "rotary_attention"} <= set(names)
    assert all(name in lab("models").out for name in names)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("list nothing", "There is no capture 'nothing': did you mean"),
        ("list lara", "did you mean lora?"),
        ("list lora --filter graf:0", "did you mean graph?"),
        ("list lora --sort byte", "did you mean bytes?"),
        ("list --top 3", "name it: inductor-lab list CAPTURE"),
        ("show lora", "name one of its kernels, such as lora:0"),
        ("show lora:9", "lora:0 to lora:1"),
        ("show lora:triton_poi_fused_add_mul_rel_0", "did you mean triton_poi_fused_add_mul_relu_0"),
        ("eject lora:triton_* -o x.py", "choose one of lora:0 (triton_"),
        ("eject lora:0 --as metal -o x.py", "no --as metal yet"),
        ("read nothing.log", "nothing.log"),
        ("read empty.log", "no Inductor output code found"),
        ("read plain.log", "no Inductor output code found"),
        ("capture", "Give a target"),
        ("verify nothing.py", "There is no file nothing.py"),
        ("diff nothing.py", "There is no file nothing.py"),
        ("bench nothing.py", "There is no file nothing.py"),
        ("inspect nothing.py", "There is no file nothing.py"),
        ("report lara", "did you mean lora?"),
        ("list plain.log", "plain.log is a file, and no capture yet; `inductor-lab read plain.log` makes one"),
        ("show lora:", "Name a kernel of 'lora': it has lora:0 to lora:1"),
        ("show lora:0-1", "lora:0-1 is a span, which is no kernel"),
        ("inspect lora:0_inference:0-1", "inductor-lab eject lora:0_inference:0-1 -o FILE"),
        ("show lora:-1", "There is no kernel '-1' in 'lora'; it has lora:0 to lora:1."),
        ("show deadbeef", "No kernel under captured/ has a body whose hash begins with deadbeef."),
        ("eject lora:0 --template nothing.jinja -o x.py", "There is no template nothing.jinja."),
        ("eject lora:0 --template binary.jinja -o x.py", "The template binary.jinja is no text."),
        ("eject half.py --update", "half.py can not be read: '(' was never closed (half.py, line 1)."),
        ("verify lora:0", "lora:0 names a kernel, and this needs a file: inductor-lab eject lora:0 -o FILE."),
        ("show captured/lora", "'captured/lora' is a capture; name one of its kernels, such as captured/lora:0."),
        (
            "capture plain.log",
            "`capture -- python plain.log` runs it as a program, `read plain.log` reads it as a log.",
        ),
        ("report lora --gpu h100", "--kernels and --gpu are for --code; add that, or leave them out."),
        ("compare lora nothings --kernels 3", "--kernels is for --code; add that, or leave it out."),
        ("read plain.log -o half.py", "half.py exists and is not a capture; choose another folder with -o."),
    ],
)
def test_an_error_is_one_sentence_and_exit_code_2(lora: Lab, workdir: Path, words: str, message: str) -> None:
    (workdir / "empty.log").write_text("")
    (workdir / "plain.log").write_text("epoch 1 loss 0.3\n")
    (workdir / "binary.jinja").write_bytes(b"\x9f\xff")
    (workdir / "half.py").write_text("def half(\n")
    lora("read", Path(inductor_lab.__file__).parents[1] / "tests/logs/lora_bf16.log.gz", "--name", "nothings")
    result = lora(*words.split())
    assert result.code == 2, result.err
    assert result.out == ""
    last = result.err.rstrip().rpartition("\n")[2]
    assert last.startswith("error: ")
    assert message in last
    assert "Traceback" not in result.err


def test_read_never_replaces_what_it_reads(lora: Lab, workdir: Path, lora_log: Path) -> None:
    kept = workdir / "captured/lora/log.txt.gz"
    kept.write_bytes(lora_log.read_bytes())
    for words in ("captured/lora", "captured/lora/log.txt.gz -o captured/lora", "captured/lora/log.txt.gz --name lora"):
        result = lora("read", *words.split())
        assert (result.code, result.out) == (2, "")
        said = f"error: {words.split()[0]} would be replaced by the capture that is made of it; choose another folder with -o.\n"
        assert result.err == said
    assert kept.read_bytes() == lora_log.read_bytes()
    assert lora("read", "captured/lora/log.txt.gz", "-o", "again").code == 0


def test_a_module_without_a_kernel_names_none_as_the_next(lab: Lab, workdir: Path) -> None:
    (workdir / "plain.py").write_text("x = 1\n")
    result = lab("read", "--as", "module", "plain.py")
    assert result.code == 0
    assert result.err.endswith("captured/plain: 0 kernels.\n")
    assert result.out == "0 kernels in 0 launches move 0 B, at least under 1 ns on an H200; 1 graph\n"


def test_a_page_that_can_not_be_written_is_not_said_to_be(lora: Lab) -> None:
    result = lora("report", "lora", "-o", "captured")
    assert result.code == 2
    assert result.err == "Writing captured ...\nerror: Can not write captured: Is a directory; choose another name.\n"


@pytest.mark.parametrize("words", ["", "nonsense", "list --nonsense", "eject", "eject lora:0 --style fancy"])
def test_wrong_usage_exits_with_2(lora: Lab, words: str) -> None:
    assert lora(*words.split()).code == 2


def test_debug_shows_the_traceback_wherever_it_stands(tmp_path: Path) -> None:
    for words in (("--debug", "list", "x"), ("list", "x", "--debug")):
        child = program(*words, cwd=tmp_path)
        assert child.returncode == 2, "1 is a finding"
        assert b"Traceback" in child.stderr and b"There is no capture" in child.stderr


def test_a_surprise_is_one_sentence_too(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    from inductor_lab import shelf

    def broken() -> None:
        raise RuntimeError("the disk is on fire\nand more")

    monkeypatch.setattr(shelf, "captures", broken)
    result = lab("list")
    assert result.code == 2
    assert result.err == "error: RuntimeError: the disk is on fire. Run again with --debug for the traceback.\n"


def test_a_missing_package_is_named(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr("inductor_lab.cli.begin.tried", lambda checks, step: checks)
    result = lab("doctor")
    assert result.code == 0
    monkeypatch.setitem(sys.modules, "inductor_lab.doctor", None)
    monkeypatch.setattr("inductor_lab.shelf.captures", lambda: __import__("no_such_package"))
    result = lab("list")
    assert result.code == 2
    assert result.err.startswith("error: no_such_package is not installed")


@pytest.mark.parametrize(
    ("verb", "line", "said"),
    [
        ("verify", "raise ValueError('boom')", "kernels/mine.py does not import: ValueError: boom"),
        ("verify", "ORIGIN = None", "kernels/mine.py: ORIGIN is None, which is no dict"),
        ("inspect", "raise ValueError('boom')", "kernels/mine.py does not import: ValueError: boom"),
        ("inspect", "launch = lambda *tensors: None", "kernels/mine.py: `<lambda>` launched no Triton kernel"),
        ("diff", "launch = lambda *tensors: None", "kernels/mine.py: `<lambda>` launched no Triton kernel"),
        ("replay lora --graft", "raise ValueError('boom')", "kernels/mine.py does not import: ValueError: boom"),
    ],
)
def test_a_message_names_a_file_as_it_was_given(lora: Lab, workdir: Path, verb: str, line: str, said: str) -> None:
    pytest.importorskip("triton")
    (workdir / "kernels").mkdir()
    assert lora("eject", "lora:0", "-o", "kernels/mine.py").code == 0
    with (workdir / "kernels" / "mine.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    found = lora(*verb.split(), "0=kernels/mine.py" if "--graft" in verb else "kernels/mine.py")
    assert found.code == 2 and f"error: {said}" in found.err and str(workdir) not in found.err


def test_a_failed_verification_exits_with_1(lora: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    import inductor_lab.verify as verify
    from inductor_lab.records import Case, Verdict

    lora("eject", "lora:0", "-o", "kernel.py")
    wrong = Verdict("fail", {"hand": 1.0}, 1e-6, (Case("seed 0", False, {"hand": 1.0}, "too far"),), "a test")
    monkeypatch.setattr(verify, "verify", lambda path, **_: wrong)
    result = lora("verify", "kernel.py", "--json")
    assert result.code == 1
    assert json.loads(result.out)["verdict"] == "fail"
    assert "too far" in lora("verify", "kernel.py").out


@pytest.mark.parametrize(
    ("ratio", "verdict", "allowed", "code"),
    [
        (0.9, "slower", 5, 1),
        (0.9, "slower", 20, 0),
        (0.97, "same", 5, 0),
        (0.9, "same", 5, 1),  # wholly beyond the limit, and not told apart: no pass
        (1.2, "faster", 0, 0),
        (None, "inconclusive", 5, 2),
    ],
)
def test_fail_slower_is_for_ci(
    lora: Lab, monkeypatch: pytest.MonkeyPatch, ratio: float | None, verdict: str, allowed: int, code: int
) -> None:
    import inductor_lab.measure.diff as diff
    from inductor_lab.records import PerfDiff

    lora("eject", "lora:0", "-o", "kernel.py")
    interval = (ratio - 0.01, ratio + 0.01) if ratio else None
    found = PerfDiff(verdict, ratio, interval, None, {}, {}, "a test")
    monkeypatch.setattr(diff, "diff", lambda path, **asked: found)
    result = lora("diff", "kernel.py", "--fail-slower", allowed, "--json")
    assert result.code == code
    document = json.loads(result.out)
    assert {"schema", "verdict", "ratio", "ratio_interval", "hand", "generated"} <= set(document)
    assert lora("diff", "kernel.py").code == 0


def demonstrated(folder: Path, demo: Callable[[], Result]) -> None:
    """It ends with reports, and keeps what was edited."""
    mine = folder / "inductor-lab-demo" / "lora_mlp_0.py"
    mine.parent.mkdir()
    mine.write_text("# mine\n")
    found = demo()
    assert found.code == 0, found.err
    assert mine.read_text() == "# mine\n"
    made = {path.name for path in mine.parent.iterdir()}
    assert {"captured", "dlrm.html", "lora_mlp.html", "rotary_attention.html", "lora_mlp_0_2.py"} <= made
    assert "\npass  " in found.out
    assert "open inductor-lab-demo/lora_mlp.html in a browser" in found.out


def test_a_demo_that_can_not_begin_leaves_no_folder(lab: Lab, workdir: Path) -> None:
    result = lab("demo", "--gpu", "h300")
    assert result.code == 2 and "did you mean h200" in result.err
    assert not list(workdir.iterdir())


@pytest.mark.slow
def test_the_demo(lab: Callable[..., Result], workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In sizes for this machine."""
    capture = run.capture
    monkeypatch.setattr(run, "capture", lambda name, **asked: capture(name, size="laptop", name=name, **asked))
    demonstrated(workdir, lambda: lab("demo"))


@pytest.mark.slow
def test_the_demo_as_a_user_runs_it(tmp_path: Path) -> None:
    def demo() -> Result:
        child = program("demo", cwd=tmp_path)
        return Result(child.returncode, child.stdout.decode(), child.stderr.decode())

    demonstrated(tmp_path, demo)


def program(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(inductor_lab.__file__).parents[1])}
    command = [sys.executable, "-m", "inductor_lab", *words]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=environment, check=False)


def test_what_a_log_holds_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from inductor_lab.cli import output

    hostile = "name\x1b[2J\x9b31m\u202e end"
    output.show(hostile)
    output.note(hostile)
    output.document({"name": hostile})
    printed = capsys.readouterr()
    assert not {"\x1b", "\x9b", "\u202e"} & set(printed.out + printed.err)
    document = printed.out[printed.out.index("{") :]
    assert json.loads(document)["name"] == hostile, "the record itself is whole"


def test_nobody_reads_on_and_that_is_no_finding(lora: Lab, workdir: Path) -> None:
    """`show ... | head`: who has read enough of a page has not failed, and no word on stderr; a verdict that nobody read is no pass."""
    environment = {**os.environ, "PYTHONPATH": str(Path(inductor_lab.__file__).parents[1])}
    for words, code in (("show lora:0", 0), ("list lora", 0), ("eject lora:0 -o -", 141)):
        command = [sys.executable, "-m", "inductor_lab", *words.split()]
        child = subprocess.Popen(command, cwd=workdir, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdout and child.stderr
        child.stdout.close()
        assert child.stderr.read() == b"" and child.wait() == code


def test_a_pipe_is_as_wide_as_columns_says(lora: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, widest in (("90", 90), ("200", 200), ("nonsense", 160), ("3", 160)):
        monkeypatch.setenv("COLUMNS", columns)
        widths = {len(line) for line in lora("show", "lora:0").out.splitlines()}
        assert max(widths) <= widest and max(widths) > widest - 25


def test_a_glob_ejects_every_kernel_into_a_folder_and_is_an_error_elsewhere(lora: Lab, workdir: Path) -> None:
    result = lora("eject", "lora:triton_*")
    assert result.code == 2 and "names 2 kernels" in result.err and "lora:1 (triton_" in result.err
    assert lora("eject", "lora:triton_*", "-o", "all.py").code == 2
    assert lora("eject", "lora:triton_*", "-o", "all").code == 0
    assert sorted(path.name for path in (workdir / "all").iterdir()) == ["lora_0.py", "lora_1.py"]
    (workdir / "all" / "lora_1.py").write_text("edited")
    result = lora("eject", "lora:*", "-o", "all")
    assert result.code == 2 and "left out" in result.err and "1 of 2 kernels" in result.err
    assert "or all with -o DIR/" in lora("eject", "lora:triton_*").err
    assert lora("eject", "lora:*", "-o", "torch_2.13/").code == 0
    assert lora("eject", "lora:triton_*_0", "-o", "of_2.13").code == 0, "a glob that names one kernel"
    names = sorted(str(path.relative_to(workdir)) for path in workdir.glob("*2.13/*"))
    assert names == ["of_2.13/lora_0.py", "torch_2.13/lora_0.py", "torch_2.13/lora_1.py"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("capture lora", ["lora_mlp"]),
        ("capture tr", ["train.py"]),
        ("capture dlrm --size la", ["laptop", "laptop_gqa"]),
        ("capture dlrm --mode max", ["max-autotune", "max-autotune-no-cudagraphs"]),
        ("capture dlrm --gpu h2", ["h200"]),
        ("list l", ["lora"]),
        ("list ./su", ["./sub/"]),
        ("list lora --sort la", ["launches"]),
        ("list lora --filter cat", ["category:"]),
        ("list lora --filter graph:", ["graph:0_inference"]),
        ("list lora --filter category:po", ["category:pointwise"]),
        ("show lora:", ["lora:0", "lora:1"]),
        ("show lora:triton_poi_fused_add_mul_r", ["lora:triton_poi_fused_add_mul_relu_0"]),
        ("report lo", ["lora"]),
        ("compare lo", ["lora"]),
        ("show nowhere:", []),
        ("inspect lo", ["lora:"]),
        ("inspect t", ["train.py"]),
        ("verify sub/", ["sub/mine.py"]),
        ("replay lora --graft l", ["lora:"]),
        ("replay lora --graft lora:", ["lora:0=", "lora:1="]),
        ("replay lora --graft lora:1=sub/", ["lora:1=sub/mine.py"]),
        ("read run", ["run.log"]),
        ("read run.log --as tr", ["trace"]),
        ("query x --over ru", ["run.log"]),
        ("eject lora:0 --template sub/", []),
        ("eject lora:0 --style r", ["readable"]),
        ("read nowhere/x", []),
    ],
)
def test_words_are_completed(
    words: str, found: list[str], lora: Lab, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "sub").mkdir()
    for name in ("train.py", "run.log", "sub/mine.py", "sub/notes.md", ".hidden.py"):
        (workdir / name).touch()
    asked = {"_INDUCTOR_LAB_COMPLETE": "complete_bash", "COMP_WORDS": f"inductor-lab {words}"}
    for name, value in {**asked, "COMP_CWORD": str(len(words.split()))}.items():
        monkeypatch.setenv(name, value)
    assert lora().out.split() == found


def test_a_span_is_ejected_into_a_folder_as_a_kernel_is(lora: Lab) -> None:
    Path("mine").mkdir()
    name = re.search(r"^lora:0_inference:[0-9-]+", lora("spans", "lora").out, re.MULTILINE)
    assert name
    assert lora("eject", name[0], "-o", "mine").code == 0
    assert lora("eject", name[0]).code == 0
    file = name[0].replace(":", "_") + ".py"
    assert Path("mine", file).read_text() == Path(file).read_text()
    refused = lora("eject", name[0], "--inputs", "real")
    assert refused.code == 2 and "is a span, whose inputs are drawn" in refused.err
