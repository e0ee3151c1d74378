"""The README says what was measured, and nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_table_of_unedited_kernels_is_the_committed_result() -> None:
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "table.py"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert made["START"] + made["table"]() + made["END"] in readme


def test_both_set_up_commands_are_named() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme and "make test" in readme
