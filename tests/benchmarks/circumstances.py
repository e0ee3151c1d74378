"""Where a figure was measured: the head of a results file."""

from __future__ import annotations

import os
import subprocess
from importlib.metadata import version
from pathlib import Path


def circumstances() -> dict[str, str]:
    """The device, the versions, and the commit of the code, empty outside a checkout."""
    import torch

    cores = len(os.sched_getaffinity(0))
    on_cpu = f"Triton's interpreter on the CPU, {cores} cores"
    asked = ["git", "rev-parse", "--short", "HEAD"]
    code = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else on_cpu,
        "torch": torch.__version__,
        "triton": version("triton"),
        "code": code.strip(),
    }
