"""`eject --update`: what a kernel is now, merged into the file that a person made of it; neither is lost, whenever it is ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Result
from killing import killed_at

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.ejected import (
    CHECK_STARTS,
    JUDGE_STARTS,
    KEPT,
    as_ejected,
    how_made,
    is_edited,
    judged_hash,
    unpacked,
)
from inductor_lab.errors import LabError
from inductor_lab.files import keep, seen, write_over
from inductor_lab.records import TensorType
from inductor_lab.staleness import merged

Lab = Callable[..., Result]
FILE = Path("mine/first.py")
GIVEN, MINE = "BLOCK=1024, num_warps=4", "BLOCK=2048, num_warps=8"


@pytest.fixture
def ejected(lora: Lab) -> Path:
    """A capture, and an edited file of its first kernel."""
    assert lora("eject", "lora:0", "-o", FILE).code == 0
    edit(FILE, GIVEN, MINE)
    return FILE


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def changed(**fields: object) -> None:
    """The capture as another run of Inductor's left it."""
    capture = store.load(Path("captured/lora"))
    first, *others = capture.kernels
    kernels = (replace(first, **fields), *others)  # type: ignore[arg-type]
    store.save(replace(capture, kernels=kernels), Path("captured/lora"))


def another_body(old: str = "0.5", new: str = "0.75") -> None:
    first = store.load(Path("captured/lora")).kernels[0]
    assert old in first.body
    changed(body_sha256="0" * 64, text=first.text.replace(old, new), body=first.body.replace(old, new))


def other_shapes() -> None:
    """Half the rows."""

    def shorter(type_: TensorType | None) -> TensorType | None:
        return type_ and replace(type_, shape=(int(type_.shape[0]) // 2, *type_.shape[1:]))

    first = store.load(Path("captured/lora")).kernels[0]
    launches = tuple(
        replace(
            launch,
            arguments=tuple(
                replace(a, type=shorter(a.type), value="2097152" if a.value == "4194304" else a.value)
                for a in launch.arguments
            ),
        )
        for launch in first.launches
    )
    halved = {"launches": launches, "text": first.text.replace("4194304", "2097152")}
    changed(**halved, body=first.body.replace("4194304", "2097152"), body_sha256="1" * 64)


def test_a_changed_body_and_an_edit_are_both_in_the_file_and_what_it_was_is_beside_it(lab: Lab, ejected: Path) -> None:
    before = ejected.read_text()
    another_body()
    assert lab("status").code == 1
    found = lab("eject", "lora:0", "-o", ejected, "--update")
    text = ejected.read_text()
    assert found.code == 0 and f"Next: inductor-lab verify {ejected}" in found.err
    assert MINE in text and "* 0.75" in text.partition(JUDGE_STARTS)[0]
    assert Path("mine/first.py.orig").read_text() == before
    now = lab("status")
    assert now.code == 0 and "fresh" in now.out and "edited" in now.out
    again = lab("eject", "lora:0", "-o", ejected, "--update")
    assert again.code == 0 and "nothing to merge" in again.err and ejected.read_text() == text


def test_shapes_reference_and_inputs_are_what_the_capture_says_now(lab: Lab, ejected: Path) -> None:
    other_shapes()
    assert lab("eject", ejected, "--update").code == 0
    text = ejected.read_text()
    assert MINE in text and "[2048, 1024]" in text and "((2048, 1024), (1024, 1)" in text
    assert "4096" not in text.partition(CHECK_STARTS)[0] and lab("status").code == 0


def test_an_edit_of_what_changed_is_a_conflict_that_a_person_resolves(lab: Lab, ejected: Path) -> None:
    edit(ejected, "* 0.5", "* 0.25")
    before = ejected.read_text()
    another_body()
    found = lab("eject", ejected, "--update")
    text = ejected.read_text()
    assert found.code == 1 and "1 conflict " in found.err and "mine/first.py.orig" in found.err
    assert "<<<<<<< edited" in text and "* 0.25" in text and "* 0.75" in text and ">>>>>>> ejected now" in text
    assert Path("mine/first.py.orig").read_text() == before and MINE in text
    left = lab("status")
    assert left.code == 1 and "conflicts of a merge are left in it" in left.out
    assert lab("eject", ejected, "--update").code == 2 and ejected.read_text() == text
    mine, theirs = text.index("<<<<<<<"), text.index("=======\n")
    ejected.write_text(text[:mine] + text[theirs + 8 :].replace(">>>>>>> ejected now\n", "", 1))
    assert lab("status").code == 0


def test_a_file_that_was_not_edited_becomes_what_is_ejected_now(lab: Lab, ejected: Path) -> None:
    edit(ejected, MINE, GIVEN)
    another_body()
    assert lab("eject", ejected, "--update").code == 0
    assert lab("eject", "lora:0", "-o", "new/first.py").code == 0
    assert ejected.read_text() == Path("new/first.py").read_text() and not is_edited(ejected.read_text())


def test_a_span_is_found_by_its_steps_and_merged(lora: Lab) -> None:
    assert lora("eject", "lora:0-1", "-o", FILE).code == 0
    assert "fresh" in lora("status", FILE).out
    product = "torch.mm(addmm, arg7.t(), out=mm_2)"
    edit(FILE, product, f"{product}  # mine")
    another_body()
    assert "stale" in lora("status", FILE).out
    found = lora("eject", FILE, "--update")
    assert found.code == 0 and found.err.count("lora:0_inference:3-11") == 1
    assert "# mine" in FILE.read_text() and "* 0.75" in FILE.read_text()
    assert "fresh" in lora("status", FILE).out


@pytest.mark.parametrize("options", [("--style", "verbatim"), ("--generalize",)])
def test_how_a_file_was_ejected_stays(lab: Lab, ejected: Path, options: tuple[str, ...]) -> None:
    file = Path("other.py")
    assert lab("eject", "lora:0", "-o", file, *options).code == 0
    made = how_made(file.read_text())
    another_body()
    assert lab("eject", file, "--update").code == 0 and lab("status", file).code == 0
    assert how_made(file.read_text()) == made
    refused = lab("eject", file, "--update", *options)
    assert refused.code == 2 and "keeps how the file was ejected" in refused.err


def test_what_stands_beside_a_file_is_never_written_over(lab: Lab, ejected: Path) -> None:
    Path("mine/first.py.orig").write_text("precious")
    before = ejected.read_text()
    another_body()
    found = lab("eject", ejected, "--update")
    assert found.code == 0 and "mine/first.py.orig.1" in found.err
    assert Path("mine/first.py.orig").read_text() == "precious"
    assert Path("mine/first.py.orig.1").read_text() == before


def test_a_file_that_keeps_nothing_is_merged_while_its_capture_makes_it_again(
    lab: Lab, ejected: Path, lora_log: Path
) -> None:
    bare = ejected.read_text().partition(KEPT)[0]
    ejected.write_text(bare)
    assert lab("read", lora_log, "--name", "later").code == 0
    found = lab("eject", "later:0", "-o", ejected, "--update")
    assert found.code == 0 and '"kernel": "later:0"' in ejected.read_text() and MINE in ejected.read_text()
    ejected.write_text(f"{bare}{KEPT}torn")
    assert lab("eject", "later:0", "-o", ejected, "--update").code == 0
    ejected.write_text(bare)
    another_body()
    refused = lab("eject", "lora:0", "-o", ejected, "--update")
    assert refused.code == 2 and "does not keep what it was" in refused.err
    assert ejected.read_text() == bare


def test_what_can_not_be_merged_is_said_and_left_alone(
    lab: Lab, ejected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ejected.read_text()
    another_body()
    for arguments, why in (
        (("lora:0", "-o", "none.py"), "There is no file none.py"),
        (("none.py",), "There is no file none.py"),
        (("lora:0", "-o", "-"), "--update is for one file"),
        (("lora:0", "-o", "mine"), "--update is for one file"),
        ((ejected, "-o", "other.py"), "leave -o out"),
        (("lora:*", "-o", ejected), "names 2 kernels"),
    ):
        refused = lab("eject", *arguments, "--update")
        assert refused.code == 2 and why in refused.err
    monkeypatch.setenv("PATH", "")
    without = lab("eject", ejected, "--update")
    assert without.code == 2 and "Merging needs git" in without.err
    assert ejected.read_text() == before and os.listdir("mine") == ["first.py"]


def test_what_a_file_was_is_in_no_hash_and_nothing_hides_behind_it(lab: Lab, ejected: Path) -> None:
    text = ejected.read_text()
    base = as_ejected(text)
    assert base is not None and not is_edited(base) and is_edited(text) and GIVEN in base
    assert judged_hash(text) == judged_hash(base) == judged_hash(unpacked(text))
    hiding = text + "def reference(*read): return read\n"
    assert judged_hash(hiding) != judged_hash(text) and as_ejected(hiding) is None
    assert as_ejected(hiding, text) == base
    torn = text[: text.index(KEPT) + 400]
    assert as_ejected(torn) is None


def test_both_sides_of_a_merge_and_the_ends_of_lines_are_kept(tmp_path: Path) -> None:
    base = "".join(f"{number}\n" for number in range(9))
    assert merged(base.replace("1\n", "one\n"), base, base.replace("7\n", "seven\n"))[1] == 0
    text, conflicts = merged(base.replace("4", "vier"), base, base.replace("4", "four"))
    assert conflicts == 1 and "vier" in text and "four" in text
    file, link = tmp_path / "file.py", tmp_path / "link.py"
    file.write_bytes(b"one\r\ntwo\r\n")
    file.chmod(0o750)
    link.symlink_to(file)
    write_over(seen(link), "one\n2\n")
    assert file.read_bytes() == b"one\r\n2\r\n" and link.is_symlink() and file.stat().st_mode & 0o777 == 0o750


def test_what_was_saved_in_the_meantime_stays(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("old")
    read = seen(file)
    file.write_text("saved by an editor")
    with pytest.raises(LabError, match="saved in the meantime"):
        write_over(read, "merged")
    assert file.read_text() == "saved by an editor" and os.listdir(tmp_path) == ["file.py"]


@pytest.mark.parametrize("step", [25, *(pytest.param(step, marks=pytest.mark.slow) for step in (5, 1))])
def test_killed_at_any_line_the_old_or_the_new_file_is_whole_and_nothing_is_lost(tmp_path: Path, step: int) -> None:
    """In a fresh interpreter: to fork one that other tests have filled takes ten times as long."""
    code = "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
    code += "import test_update; test_update.killed_at_lines(Path(sys.argv[2]), int(sys.argv[3]))"
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path), str(step)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr


def killed_at_lines(tmp_path: Path, step: int) -> None:
    """A process for every so many lines of Python that write, its own and the library's, which ends there by SIGKILL."""
    old, new = "old\n" * 20_000, "new\n" * 30_000
    seen_new, lines = 0, 0
    while True:
        lines += step
        file = tmp_path / str(lines) / "file.py"
        file.parent.mkdir()
        file.write_text(old)
        if (child := os.fork()) == 0:
            killed_at(lines, lambda file=file: writing(file, new))
        _, status = os.waitpid(child, 0)
        text = file.read_text()
        kept = file.with_name("file.py.orig")
        assert text in (old, new)
        assert not kept.exists() or kept.read_text() == old
        if text == new:
            seen_new += 1
            assert kept.read_text() == old
        assert {path.name for path in file.parent.iterdir() if path.suffix == ".py"} == {"file.py"}
        if not os.WIFSIGNALED(status):
            assert os.waitstatus_to_exitcode(status) == 0 and text == new
            break
        writing(file, new + "again")  # and the next run goes through
        assert file.read_text() == new + "again" and old in {path.read_text() for path in file.parent.glob("*.orig*")}
    assert lines > 40 and seen_new > 3 // step


def writing(file: Path, text: str) -> None:
    read = seen(file)
    keep(read)
    write_over(read, text)


def test_real_inputs_stay_only_where_the_kernel_still_takes_them(lora: Lab) -> None:
    """A file that was ejected with `--inputs real`: its inputs lie beside it, for the body and the shapes of then."""
    capture = store.load(Path("captured/lora"))
    FILE.parent.mkdir()
    FILE.write_text(eject(capture, capture.kernels[0], file=FILE.name, real="first.inputs.npz"))
    edit(FILE, GIVEN, MINE)
    other_versions = replace(capture, torch="9.9")
    store.save(other_versions, Path("captured/lora"))
    told = lora("eject", FILE, "--update")
    assert told.code == 0 and 'REAL = "first.inputs.npz"' in FILE.read_text() and "drawn" not in told.err
    another_body()
    told = lora("eject", FILE, "--update")
    assert told.code == 0 and "REAL" not in unpacked(FILE.read_text()) and MINE in FILE.read_text()
    assert "first.inputs.npz holds what the kernel was given before" in told.err
    assert "--inputs real -o OTHER.py" in told.err


BEFORE = Path(__file__).with_name("ejected_before.py.txt")
"""The first kernel of `lora_log` as it was ejected at 4d59c47, when the judge's own text stood in each file."""


@pytest.mark.slow
def test_a_file_of_before_is_judged_and_brought_up_to_date(lora: Lab) -> None:
    file, wrong = Path("first.py"), Path("wrong.py")
    file.write_text(BEFORE.read_text())
    wrong.write_text(BEFORE.read_text())
    edit(wrong, "addmm + mm * 0.5\n", "addmm + mm * 0.75\n")
    assert not is_edited(file.read_text()) and as_ejected(wrong.read_text()) == unpacked(file.read_text())
    assert [lora("verify", one, "--case", "seed 0").code for one in (file, wrong)] == [0, 1]
    assert lora("eject", file, "--update").code == 0
    assert lora("eject", "lora:0", "-o", "new/first.py").code == 0
    assert file.read_text() == Path("new/first.py").read_text()


def test_a_file_with_an_older_check_is_fresh(lab: Lab, ejected: Path) -> None:
    text = ejected.read_text()
    older = text.replace("def test_matches_eager", "def test_is_right")
    ejected.write_text(older.replace(judged_hash(text), judged_hash(older)))
    assert older != text and lab("status").code == 0
    edit(ejected, "TAKES = (", "TAKES = () + (")
    assert lab("status").code == 1
