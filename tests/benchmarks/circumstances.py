"""Where a figure was measured: the head of a results file, and the file that several runs add rows to."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

ARCHIVED = "$Format:%h$"
"""The commit, which `git archive` writes here (.gitattributes)."""

LEFT = 3
"""Exit code: `--stop` came before all rows were there."""
STARTED = time.monotonic()
"""When a script had imported torch."""
SAME = ("card", "torch", "triton", "cap")
"""What all runs of a results file have in common; `cap` is the talk's."""


def circumstances() -> dict[str, str]:
    """The device, the versions, and the commit of the code, empty outside of a checkout and of what `git archive` made of one."""
    import torch

    cores = len(os.sched_getaffinity(0))
    on_cpu = f"Triton's interpreter on the CPU, {cores} cores"
    asked = ["git", "rev-parse", "--show-toplevel", "--short", "HEAD"]
    try:
        said = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:  # no git
        said = ""
    root, code = (said.splitlines() + ["", ""])[:2]
    archived = "" if ARCHIVED.startswith("$") else ARCHIVED
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else on_cpu,
        "torch": torch.__version__,
        "triton": version("triton"),
        # a copy may lie in another checkout
        "code": code if Path(root) == Path(__file__).resolve().parents[2] else archived,
    }


def command(script: str) -> str:
    """What was typed to run tests/benchmarks/`script`; folders of one machine are left out."""
    arguments = [Path(one).name if Path(one).is_absolute() else one for one in sys.argv[1:]]
    return shlex.join(["python", f"tests/benchmarks/{script}", *arguments])


@dataclass
class Results:
    """Runs and their rows. Of one file several processes may add to; it is whole at any moment."""

    path: Path | None
    """None: nothing is kept."""
    what: str
    """One sentence."""
    begun: int = 0
    """How many runs there were when this one had begun, itself among them; 0 before."""

    def rows(self) -> list[dict[str, Any]]:
        """Those that there are now."""
        return self._read()["rows"]  # type: ignore[no-any-return]

    def begin(self, script: str, **more: Any) -> None:
        """Add this run.

        Raises:
            LabError: the runs before differ in one of SAME.
        """
        from inductor_lab.errors import LabError

        where = circumstances()
        own = {"card": where["device"], "torch": where["torch"], "triton": where["triton"], **more}

        def add(found: dict[str, Any]) -> None:
            for name in SAME:
                if found["runs"] and (was := found["runs"][0].get(name)) != own.get(name):
                    raise LabError(
                        f"{self.path} is of {name} {was}, and here is {own.get(name)}: choose another file or folder"
                    )
            found["runs"].append({"command": command(script), "code": where["code"], **own})
            self.begun = len(found["runs"])

        self._change(add)

    def add(self, row: dict[str, Any]) -> None:
        """And print it; its run has taken as long as that, in seconds."""
        print(json.dumps(row), flush=True)

        def add(found: dict[str, Any]) -> None:
            found["rows"].append(row)
            if self.begun:
                found["runs"][self.begun - 1]["took_s"] = round(time.monotonic() - STARTED)

        self._change(add)

    def remove(self, name: str, value: Any) -> None:
        """The rows that have this; all where the name is empty."""
        if self.path and self.path.exists():
            self._change(lambda found: found.update(rows=[one for one in found["rows"] if name and one[name] != value]))

    def _read(self) -> dict[str, Any]:
        text = self.path.read_text(encoding="utf-8") if self.path and self.path.exists() else ""
        return json.loads(text) if text.strip() else {"what": self.what, "runs": [], "rows": []}  # type: ignore[no-any-return]

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        if self.path is None:
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            change(found := self._read())
            write(self.path, found)
        finally:
            os.close(folder)


def write(path: Path, found: Any) -> None:
    """JSON, whole or not at all."""
    ready = path.with_suffix(".part")
    ready.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    ready.replace(path)
