"""One way to begin a process, to read it and to say how it ended."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from inductor_lab.processes import Child, Lines, how_ended, last_line

TASK = """
import json, os, sys

def main(parent, answers, word):
    asked = json.loads(sys.stdin.readline())
    print("printed", flush=True)
    os.system("echo echoed")
    assert parent == os.getppid() and os.getsid(0) == os.getpid()
    os.write(answers, json.dumps([asked, word, os.environ["NAME"]]).encode() + b"\\n")
    os._exit(3)
"""


def test_what_a_process_prints_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answering.py").write_text(TASK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        tempfile.TemporaryFile() as said,
        closing(Child("answering:main", "word", environment={"NAME": "one"}, said=said)) as child,
    ):
        child.send({"seed": 0})
        assert list(Lines(child.answers).read()) == [[{"seed": 0}, "word", "one"]]
        assert how_ended(child.process.wait()) == "ended with exit status 3"
        said.seek(0)
        assert said.read() == b"printed\nechoed\n"
        with pytest.raises(BrokenPipeError):
            child.send("x")


def test_a_line_that_has_begun_is_ended_by_the_next_reading() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        lines, waits = Lines(pipe), iter([True, False])
        os.write(writing, b'{"a": 1}\n{"b"')
        assert list(lines.read(lambda: next(waits))) == [{"a": 1}]
        os.write(writing, b": 2}\n")
        os.close(writing)
        assert list(lines.read()) == [{"b": 2}]


def test_how_a_process_ended() -> None:
    codes = {code: how_ended(code) for code in (0, -11, -9, -34)}
    assert codes[0] == "ended with exit status 0" and codes[-11] == "crashed (SIGSEGV)"
    assert codes[-9].startswith("was killed (SIGKILL), as the system does where memory runs out")
    assert codes[-34] in ("crashed (SIGRTMIN)", "crashed (signal 34)")
    assert last_line("Traceback:\nValueError: 3 \n \n") == "ValueError: 3" and last_line(" \n") == ""
