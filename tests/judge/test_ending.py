"""However a file or a user ends a verification, there is one sentence, and neither a process nor a file is left."""

from __future__ import annotations

import inspect
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked import asked, some
from killing import nothing_is_left, processes
from small_kernels import edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.measure.history import Keeper
from inductor_lab.records import Verdict
from inductor_lab.verify import LEFT, close, verify, verify_all

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

IMPORTS = "import triton.language as tl\n"
LAUNCH = "    numel = base.numel()\n"
TOTAL = "    total = bias_1 + base + lora * 0.5\n    tl.store"
REFERENCE = "    return (torch.relu(bias_1 + base + lora * 0.5),)"
LOOP = "while True: __import__('time').sleep(0.1)"
LIMIT = 3.0
"""Seconds that a launch or an import may take here."""

FILES: dict[str, tuple[tuple[str, str], str]] = {
    "never imports": ((IMPORTS, IMPORTS + f"{LOOP}\n"), "can not be judged: importing it did not end within 3 s"),
    "is no Python": (("def launch(", "def launch(("), "does not import: SyntaxError: invalid syntax (is_no_Python.py, line "),
    "has no function": (("def launch(", "launch = 3\ndef launches("), "its launch is no function"),
    "never ends": ((LAUNCH, f"    {LOOP}\n" + LAUNCH), "did not end within 3 s"),
    "is interrupted": ((LAUNCH, "    raise KeyboardInterrupt\n" + LAUNCH), "it does not run: KeyboardInterrupt, line "),
    "misspells": ((TOTAL, TOTAL.replace("lora", "loraa")), "NameError: name 'loraa' is not defined, line 40: `total = bias_1"),
    "forks and waits": ((LAUNCH, "    import os, time\n    if not os.fork(): time.sleep(60)\n" + LAUNCH), "starts a process (os.fork)"),
    "forks and goes on": ((LAUNCH, "    import os\n    os.fork()\n" + LAUNCH), "starts a process (os.fork)"),
    "is killed": (
        (LAUNCH, "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n" + LAUNCH),
        "there is no verdict: the process that runs the kernel was killed (SIGKILL), as the system does where memory runs out",
    ),
    "takes all memory": (
        (LAUNCH, "    import torch\n    torch.empty(1 << 50)\n" + LAUNCH),
        "there is no verdict: in the process that runs the kernel memory runs out: it needs a machine with more",
    ),
    "has a large reference": (
        (REFERENCE, "    torch.empty(1 << 50)\n" + REFERENCE),
        "there is no verdict: in the process that judges memory runs out",
    ),
    "asks": ((LAUNCH, "    try:\n        input()\n    except EOFError:\n        pass\n" + LAUNCH), ""),
}  # fmt: skip
"""What the file does -> its change, and what is said of it; empty where it passes."""


@pytest.fixture(scope="module", autouse=True)
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory by which our processes are known, with a folder of its own for what is not kept."""
    folder, before = tmp_path_factory.mktemp("ending"), Path.cwd()
    (folder / "kept_nowhere").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder / "kept_nowhere"))
        os.chdir(folder)
        yield folder
        os.chdir(before)


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest, own: Path) -> dict[str, Verdict | LabError]:
    files, paths = asked(request, "what"), []
    for what in files:
        paths.append(own / f"{what.replace(' ', '_')}.py")
        paths[-1].write_text(edited(ejected("affine"), FILES[what][0]))
    found = dict(zip(files, verify_all(paths, effort="quick", limit=LIMIT), strict=True))
    close()
    assert nothing_is_left(30)
    return found


@pytest.mark.parametrize(
    "what",
    some(
        FILES,
        (
            "is no Python",
            "never ends",
            "forks and waits",
            "is killed",
            "takes all memory",
        ),
    ),
)
def test_a_file_that_does_as_it_likes(judged: dict[str, Verdict | LabError], what: str) -> None:
    found, (_, said) = judged[what], FILES[what]
    if isinstance(found, LabError):
        assert said and said in str(found)
    else:
        first = next((case.message for case in found.cases if not case.passed), "")
        assert bool(first) == bool(said) and said in first and "\n" not in first


def test_what_a_launch_was_given_is_gone_at_the_next_but_one(own: Path) -> None:
    """Tensors lie in cycles, of watches and of Triton's interpreter: of a hundred cases they would fill a card."""
    counts = (
        "    import weakref\n    seen = vars(launch).setdefault('seen', [])\n"
        "    assert sum(one() is not None for one in seen) < 2, 'earlier ones are kept'\n    seen.append(weakref.ref(base))\n"
    )
    (own / "counts.py").write_text(edited(ejected("affine"), (LAUNCH, counts + LAUNCH)))
    found = verify(own / "counts.py")
    assert len(found.cases) > 5
    assert [case.name for case in found.cases if not case.passed] == ["what the file uses"]  # weakref


@pytest.mark.slow
@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_user_who_has_waited_long_enough(own: Path, how: signal.Signals, status: int) -> None:
    (own / "loop.py").write_text(edited(ejected("affine"), FILES["never ends"][0]))
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job ignores it
    code = f"{heard}; from inductor_lab.cli import main; main(['verify', 'loop.py'])"
    asking = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert asking.stderr is not None
    for line in asking.stderr:
        if line.strip().startswith("seed 0"):
            break
    asking.send_signal(how)
    _, said = asking.communicate(timeout=120)
    assert asking.returncode == status and "Traceback" not in said
    assert nothing_is_left(30)


@pytest.mark.slow
def test_inputs_on_which_a_launch_never_ends_are_kept(own: Path) -> None:
    (own / "loop.py").write_text(edited(ejected("affine"), FILES["never ends"][0]))
    (found,) = verify_all([own / "loop.py"], effort="quick", limit=LIMIT, save=str(own / "loop.npz"))
    assert isinstance(found, Verdict) and "did not end" in found.cases[0].message
    (own / "right.py").write_text(ejected("affine"))
    (again,) = verify_all([own / "right.py"], inputs=str(own / "loop.npz"))
    assert isinstance(again, Verdict) and again.verdict == "pass"


@pytest.mark.slow
def test_one_process_stays_for_the_next_call_and_begins_anew_in_another_environment(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged() -> int:
        (found,) = verify_all([own / "right.py"], effort="quick")
        assert isinstance(found, Verdict) and found.verdict == "pass"
        ends = time.monotonic() + 30  # the one of the other environment may still be ending
        while len(servers := list(processes())) > 1 and time.monotonic() < ends:
            time.sleep(0.1)
        (server,) = servers
        return server

    close()
    (own / "right.py").write_text(ejected("affine"))
    one = judged()
    assert judged() == one
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert judged() != one
    close()
    assert nothing_is_left(30)


@pytest.mark.slow
def test_a_process_that_does_not_answer_is_not_the_next_call_s(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "right.py").write_text(ejected("affine"))
    (first,) = verify_all([own / "right.py"], effort="quick")
    (server,) = processes()
    os.kill(server, signal.SIGSTOP)
    with monkeypatch.context() as patch:
        patch.setattr("inductor_lab.verify.TIMEOUT", 1.0)
        patch.setattr("inductor_lab.verify.PATIENCE", 0.5)
        (nothing,) = verify_all([own / "right.py"], effort="quick")
    (again,) = verify_all([own / "right.py"], effort="quick")
    assert "did not end within 1 s" in str(nothing)
    assert isinstance(first, Verdict) and isinstance(again, Verdict) and again.verdict == "pass"
    close()
    assert nothing_is_left(30)


@pytest.mark.slow
def test_a_forked_process_neither_keeps_the_server_nor_ends_it(own: Path) -> None:
    (own / "right.py").write_text(ejected("affine"))
    verify_all([own / "right.py"], effort="quick")
    if not (child := os.fork()):
        os._exit(len(LEFT))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and LEFT[0].fits()
    close()
    assert nothing_is_left(30)


@pytest.mark.slow
def test_what_is_no_file_and_a_folder_that_is_gone_are_told_at_once(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(own / "pipe.py")
    (own / "right.py").write_text(ejected("affine"))
    (own / "gone").mkdir()
    verify_all([own / "right.py"], effort="quick")  # torch can not be imported where no folder is
    monkeypatch.chdir(own / "gone")
    (own / "gone").rmdir()
    pipe, right = verify_all([own / "pipe.py", own / "right.py"], effort="quick")
    assert isinstance(pipe, LabError) and "pipe.py" in str(pipe)
    assert isinstance(right, Verdict) and right.verdict == "pass"
    monkeypatch.chdir(own)
    close()


@pytest.mark.slow
def test_a_file_that_is_saved_while_it_is_judged_is_judged_as_it_was(own: Path) -> None:
    """What is kept of it would stand for another text."""
    file = own / "saved.py"
    file.write_text(ejected("affine"))
    keeping = Keeper(file)

    def save(case: str) -> None:
        file.write_text(edited(ejected("affine"), (TOTAL, TOTAL.replace("lora", "loraa"))))

    found = verify(file, progress=save)  # so many cases that the first is told while others run, on a busy machine too
    assert found.verdict == "pass" and "edited since it was ejected" not in found.notes
    assert "saved anew while it was judged: the verdict is of what it was before" in found.notes
    with pytest.raises(LabError, match="was saved in the meantime"):
        keeping.add(found)
    assert not keeping.path.exists()


def test_what_was_imported_stays_a_file_s_text(own: Path) -> None:
    """Triton's interpreter reads a kernel's text at its first launch, when another may have been saved."""
    file = own / "imported.py"
    file.write_text(ejected("affine"))
    module = load(file).module
    file.write_text("def launch(): ...\n" * 100)
    assert inspect.getsource(module.launch) in ejected("affine")
    file.write_text(ejected("affine").replace("def launch(", "# saved since\n\ndef launch("))
    assert inspect.getsource(load(file).module.launch) in file.read_text()


@pytest.mark.slow
def test_the_judge_computes_on_one_thread(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two, the first `torch.erf` of a fork had at times half its digits, and a right kernel was rejected."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    (own / "threads.py").write_text(
        edited(ejected("affine"), (LAUNCH, "    assert torch.get_num_threads() == 1\n" + LAUNCH))
    )
    (found,) = verify_all([own / "threads.py"], effort="quick")
    close()
    assert isinstance(found, Verdict) and found.verdict == "pass"


@pytest.mark.slow
def test_a_file_is_judged_in_the_folder_of_its_call(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the folder was in which the process that judges was begun."""
    (own / "right.py").write_text(ejected("affine"))
    wrong = edited(ejected("affine"), (TOTAL, TOTAL.replace("0.5", "0.25")))
    for name in ("one", "other"):
        (own / name).mkdir()
        (own / name / "wrong.py").write_text(wrong)
        monkeypatch.chdir(own / name)
        (found,) = verify_all(["wrong.py"], effort="quick", save="failing.npz")
        assert isinstance(found, Verdict) and found.verdict == "fail"
    assert (own / "one" / "failing.npz").is_file() and (own / "other" / "failing.npz").is_file()
    monkeypatch.chdir(own)
    close()


class Terminal:
    """`inductor-lab verify` as one sees it."""

    def __init__(self, *words: str) -> None:
        self.child, self.terminal = pty.fork()
        if not self.child:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job ignores it
            os.execv(sys.executable, [sys.executable, "-m", "inductor_lab", "verify", *words])

    def until(self, words: str, seconds: float = 300) -> str:
        """What is written until these words are."""
        said, end = "", time.monotonic() + seconds
        while words not in said:
            assert time.monotonic() < end, said
            if select.select([self.terminal], [], [], 0.2)[0]:
                said += os.read(self.terminal, 1 << 16).decode(errors="replace")
        return said

    def interrupted(self) -> int:
        """The exit status after Ctrl-C."""
        os.write(self.terminal, b"\x03")
        end = time.monotonic() + 120
        while not (ended := os.waitpid(self.child, os.WNOHANG))[0]:
            assert time.monotonic() < end, "Ctrl-C was not heard"
            time.sleep(0.05)
        status = ended[1]
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.slow
def test_watching_a_file_that_is_edited_until_ctrl_c(own: Path) -> None:
    file, right = own / "watched.py", ejected("affine")
    file.write_text(right)
    seen = Terminal("watched.py", "--watch", "--quick")
    said = seen.until("Ctrl-C ends")
    assert "7 of 7 cases" in said and "registers" in said  # verified and inspected
    file.write_text(right.replace("def launch(", "def launch(("))
    assert "SyntaxError" in seen.until("Ctrl-C ends")
    file.unlink()
    (own / "new.py").write_text(edited(right, (TOTAL, TOTAL.replace("0.5", "0.51"))))
    (own / "new.py").rename(file)  # as an editor saves
    said = seen.until("Ctrl-C ends")
    assert "0 of 7 cases" in said and "first wrong" in said
    assert seen.interrupted() == 0
    assert nothing_is_left(30)


@pytest.mark.slow
def test_ctrl_c_while_a_watched_file_is_judged(own: Path) -> None:
    (own / "loop.py").write_text(edited(ejected("affine"), FILES["never ends"][0]))
    seen = Terminal("loop.py", "--watch")
    seen.until("seed 0")
    assert seen.interrupted() == 0
    assert nothing_is_left(30)
