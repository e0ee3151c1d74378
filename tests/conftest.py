"""What several test files share: a folder to work in, a real log, the command line as a function."""

from __future__ import annotations

import fcntl
import gc
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from folders import LOGS, ROOT

gc.set_threshold(50_000)  # torch and what was read stay: looking through them again and again takes a tenth of the time
# The tests begin hundreds of processes, and the cores have tests of their own.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of them compiles the package again
paths = str(ROOT), os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # they find this checkout from any folder
os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch's threads would wait for each other
os.environ.setdefault("INDUCTOR_LAB_SEED", "1")  # no test is another one each time

import forking  # noqa: E402  # what it begins with is this environment

subprocess.Popen = forking.Popen  # type: ignore[misc]


COUNT = count()


def pytest_collection_finish() -> None:
    gc.freeze()  # what was imported and collected is looked through no more


@dataclass(frozen=True)
class Result:
    """What one command line did."""

    code: int
    out: str
    err: str


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that captured/ is the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # xdist's workers may have one, a user's pipe has none
    return tmp_path


def shared_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all processes of the session share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _shelf(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shelf of parsed captures, the session's own: what a user keeps is neither read nor written, and captured/ is annotated once."""
    monkeypatch.setenv("INDUCTOR_LAB_CACHE", str(shared_folder(tmp_path_factory, "shelf")))


@pytest.fixture
def shelf_folder(_shelf: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shelf of the test's own, with nothing on it."""
    folder = tmp_path_factory.getbasetemp() / "shelves" / str(next(COUNT))  # `mktemp` looks through all that there are
    folder.mkdir(parents=True)
    monkeypatch.setenv("INDUCTOR_LAB_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that is about how processes begin and end has none that are forked."""
    if "from_nothing" in request.keywords:
        monkeypatch.setattr(forking.Popen, "forks", False)


@pytest.fixture(scope="session")
def captured_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`captured_once("lora_mlp", train=True)`: the folder of a capture that all tests share which ask for the same, for an H200; it is not to be changed.

    Whoever asks first makes it, whichever of the session's processes that is.
    """
    shared = shared_folder(tmp_path_factory, "captured_once")

    def folder_of(target: str, **options: object) -> Path:
        from inductor_lab.capture.run import capture

        words = [target, *(f"{name}={value}" for name, value in sorted(options.items()))]
        folder = shared / re.sub(r"\W+", "_", "_".join(words))
        with folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                capture(target, gpu="h200", output=folder, **options)  # type: ignore[arg-type]
        return folder

    return folder_of


@pytest.fixture
def lora_log() -> Path:
    """The LoRA MLP in bfloat16 on an H200 with torch 2.11.0, post-grad graph included: 2 kernels, 3 launches."""
    return LOGS / "lora_bf16.log.gz"


@pytest.fixture(scope="session")
def _lora_read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from inductor_lab.cli import main

    folder = tmp_path_factory.mktemp("read")
    with chdir(folder), pytest.raises(SystemExit) as exit_:
        main(["read", str(LOGS / "lora_bf16.log.gz"), "--name", "lora", "--json"])
    assert not exit_.value.code
    return folder / "captured" / "lora"


@pytest.fixture
def lora(_lora_read: Path, lab: Callable[..., Result], workdir: Path) -> Callable[..., Result]:
    """`lab`, in a working directory with one capture, `captured/lora`: what `read` makes of `lora_log`, once a process."""
    shutil.copytree(_lora_read, workdir / "captured" / "lora")
    return lab


@pytest.fixture
def lab(workdir: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """`lab("list", "lora")` runs one command line in `workdir`, in this process."""

    def run(*arguments: object) -> Result:
        from inductor_lab.cli import main

        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Result(int(exit_.value.code or 0), out, err)

    return run
