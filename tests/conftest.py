"""What several test files share: a folder to work in, a real log, the command line as a function."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

LOGS = Path(__file__).parent / "logs"

gc.set_threshold(50_000)  # torch and what was read stay: looking through them again and again takes a tenth of the time
# The tests begin hundreds of processes, and the cores have tests of their own.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of them compiles the package again
paths = str(LOGS.parents[1]), os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # they find this checkout from any folder
os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch's threads would wait for each other


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


@pytest.fixture(autouse=True)
def shelf_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shelf of parsed captures, the test's own: what a user keeps is neither read nor written."""
    folder = tmp_path_factory.mktemp("shelf")
    monkeypatch.setenv("INDUCTOR_LAB_CACHE", str(folder))
    return folder


@pytest.fixture
def lora_log() -> Path:
    """The LoRA MLP in bfloat16 on an H200 with torch 2.11.0, post-grad graph included: 2 kernels, 3 launches."""
    return LOGS / "lora_bf16.log.gz"


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
