"""The wheel as a user installs it: away from the checkout, with its templates inside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import inductor_lab

ROOT = Path(inductor_lab.__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`inductor-lab` in a fresh environment, which borrows this one's torch rather than to download it again."""
    home = tmp_path_factory.mktemp("env")
    venv.create(home, with_pip=False)  # this one's pip installs there
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python")]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", wheel], check=True)
    (packages,) = home.glob("lib/python3*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return home / "bin" / "inductor-lab"


def test_the_wheel_holds_the_package_and_its_templates_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"inductor_lab"}
    shipped = {name.partition("/_templates/")[2] for name in names if "/_templates/" in name}
    templates = {path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.*")}
    assert shipped == templates != set()
    assert not any(name.endswith((".pyc", ".gz", ".log")) for name in names)


@pytest.mark.slow
def test_an_installed_wheel_reads_and_ejects(program: Path, lora_log: Path, tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        away = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        child = subprocess.run(command, cwd=tmp_path, env=away, capture_output=True, text=True, check=False)
        assert child.returncode == 0, child.stderr
        return child.stdout

    where = run(program.with_name("python"), "-c", "import inductor_lab; print(inductor_lab.__file__)")
    assert where.startswith(str(program.parents[1]))
    run(program, "read", lora_log, "--name", "lora")
    run(program, "report", "lora", "-o", "lora.html")
    run(program, "eject", "lora:0", "-o", "kernel.py")
    text = (tmp_path / "kernel.py").read_text()
    compile(text, "kernel.py", "exec")
    assert "@triton.jit" in text
    assert not re.search(r"^(import|from) inductor_lab", text, re.MULTILINE)
