"""Which versions of torch the tool works with: every verb, and the tests of the rooms that meet torch or Triton, in a venv for each version.

    make matrix                                          every minor release that pip offers, from 2.11 on; the newest with each Python
    python tests/versions/run.py 2.15.0-py3.13      one of them
    python tests/versions/run.py --verbs 2.15.0-py3.13   its verbs alone: what its tests said, and at which commit, stays
    python tests/versions/run.py --write            nothing is run: docs/support.md from what is known

A release that came out meanwhile is a row of its own. Venvs are kept in .matrix/, some 5 GB each; rows in tests/benchmarks/results/versions.json, where a
version that is tried again replaces its row. Exits with 1 where anything is red.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from versions.table import RESULTS, ROOMS, Row, known, red, table  # noqa: E402
from versions.verbs import ran  # noqa: E402

VENVS = ROOT / ".matrix"
OLDEST = 2, 11
PYTHONS = "3.13", "3.11", "3.12"
"""Older releases take turns with them."""
NEEDED = "pytest", "pytest-xdist", "duckdb", "matplotlib", "zstandard"


def offered() -> list[str]:
    """`2.15.0-py3.13` and the like: the last release of each minor version, the newest with every Python."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "torch"], capture_output=True, text=True, check=True
    ).stdout
    versions = re.findall(r"\d+\.\d+\.\d+", said.partition("Available versions:")[2])
    latest: dict[tuple[int, int], str] = {}
    for version in versions:  # the newest comes first
        major, minor, _ = map(int, version.split("."))
        latest.setdefault((major, minor), version)
    known = [(minor, version) for (major, minor), version in sorted(latest.items()) if (major, minor) >= OLDEST]
    found = [f"{version}-py{PYTHONS[minor % len(PYTHONS)]}" for minor, version in known[:-1]]
    return [*found, *(f"{known[-1][1]}-py{python}" for python in sorted(PYTHONS))]


def interpreter(version: str) -> str:
    """A Python of that version on this machine."""
    found = [shutil.which(f"python{version}"), *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    for path in filter(None, found):
        told = subprocess.run(
            [path, "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=False
        ).stdout
        if told.startswith(f"{version}."):
            return path
    raise LookupError(f"there is no Python {version} here")


def made(name: str) -> Path:
    """The venv of a version, with what a user has and what the tests need."""
    folder, (torch, python) = VENVS / f"torch-{name}", name.split("-py")
    if not (folder / "ready").exists():
        subprocess.run([interpreter(python), "-m", "venv", folder], check=True)
        pinned = f"torch=={torch}" in (ROOT / "constraints.txt").read_text().split()
        # A build for the CPU names no Triton; with the others comes the one that they name.
        also = ["--constraint", str(ROOT / "constraints.txt")] if pinned else []
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *also]
        subprocess.run([*pip, f"torch=={torch}"], check=True)
        subprocess.run([*pip, f"torch=={torch}", "--editable", ROOT, *NEEDED], check=True)
        (folder / "ready").touch()
    return folder / "bin" / "python"


def tested(python: Path, jobs: str) -> dict[str, Row]:
    """Room -> how many of its tests passed, failed, were skipped, and which failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tests.xml"
        command = [
            python,
            "-m",
            "pytest",
            "-q",
            "-n",
            jobs,
            "--dist",
            "worksteal",
            "-p",
            "no:cacheprovider",
            f"--junitxml={file}",
        ]
        caches = {
            "TRITON_CACHE_DIR": f"{folder}/triton",
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        }  # none of another version's
        subprocess.run(
            [*command, *(f"tests/{room}" for room in ROOMS)], cwd=ROOT, env={**os.environ, **caches}, check=False
        )
        found: dict[str, Row] = {room: {"passed": 0, "failed": 0, "skipped": 0, "failures": []} for room in ROOMS}
        if not file.exists():
            return {
                room: none | {"failed": 1, "failures": [f"tests of {room}: pytest did not begin"]}
                for room, none in found.items()
            }
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            # A file that could not be imported has a name alone.
            room = found[(case.get("classname") or case.get("name", "")).split(".")[1]]
            kind = next((one.tag for one in case if one.tag in ("failure", "error", "skipped")), "passed")
            kind = "failed" if kind in ("failure", "error") else kind
            room[kind] += 1
            if kind == "failed":
                room["failures"].append(f"{case.get('classname')}::{case.get('name')}")
    return found


def row(name: str, jobs: str, log: Path, before: Row | None) -> Row:
    """One version tried; its verbs alone where there is a row from before, whose tests stay."""
    start = time.monotonic()
    try:
        python = made(name)
        versions = subprocess.run(
            [python, "-c", "import torch, triton; print(torch.__version__, triton.__version__)"],
            capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
    except (LookupError, subprocess.CalledProcessError) as error:
        return {"name": name, "date": date.today().isoformat(), "missing": str(error)}
    shutil.rmtree(log / name, ignore_errors=True)
    (log / name).mkdir(parents=True)
    verbs = ran(str(python), log / name)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    tests = (
        {key: before[key] for key in ("tests", "tested")}
        if before
        else {"tests": tested(python, jobs), "tested": commit}
    )
    return {
        "name": name, "commit": commit, "date": date.today().isoformat(), "torch": versions[0], "triton": versions[1], "verbs": verbs,
        **tests, "seconds": round(time.monotonic() - start),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", help="such as 2.15.0-py3.13; all that pip offers unless named")
    parser.add_argument("--write", action="store_true", help="run nothing")
    parser.add_argument("--verbs", action="store_true", help="run no tests where a row has some")
    parser.add_argument("--jobs", default="auto", help="tests at once")
    parser.add_argument("--log", type=Path, default=VENVS / "runs", help="where captures and files go")
    asked = parser.parse_args()
    for name in [] if asked.write else asked.versions or offered():
        print(f"== {name}", file=sys.stderr, flush=True)
        before = next((one for one in known() if asked.verbs and one["name"] == name and "tests" in one), None)
        made_now = row(name, asked.jobs, asked.log, before)
        rows = [one for one in known() if one["name"] != name] + [made_now]
        rows.sort(key=lambda one: [*map(int, re.findall(r"\d+", one["name"]))])
        RESULTS.write_text(json.dumps({"what": "python tests/versions/run.py", "rows": rows}, indent=1) + "\n")
    subprocess.run([sys.executable, ROOT / "tests" / "generations" / "matrix.py", "--write"], check=True)
    wrong = Counter(one["name"] for one in known() for _ in red(one))
    print(table(), end="")
    return int(bool(wrong))


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    raise SystemExit(main())
