"""Where a figure was measured: the head of a results file."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path


def circumstances() -> dict[str, str]:
    """The device, the versions, and the commit of the code, empty outside a checkout."""
    import torch

    cores = len(os.sched_getaffinity(0))
    on_cpu = f"Triton's interpreter on the CPU, {cores} cores"
    asked = ["git", "rev-parse", "--show-toplevel", "--short", "HEAD"]
    said = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    root, code = (said.splitlines() + ["", ""])[:2]
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else on_cpu,
        "torch": torch.__version__,
        "triton": version("triton"),
        "code": code if Path(root) == Path(__file__).resolve().parents[2] else "",  # a copy may lie in another checkout
    }


def command(script: str) -> str:
    """What was typed to run tests/benchmarks/`script`; folders of one machine are left out."""
    arguments = [Path(one).name if Path(one).is_absolute() else one for one in sys.argv[1:]]
    return shlex.join(["python", f"tests/benchmarks/{script}", *arguments])
