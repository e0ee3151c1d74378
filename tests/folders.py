"""Where the texts lie that the tests read."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
CAPTURED = ROOT / "captured"
"""Real captures, as a user keeps them."""
GENERATIONS = TESTS / "generations"
"""Inductor's text of each generation, 2023 to torch 2.15."""
LOGS = TESTS / "logs"
"""Logs of runs on an H200."""
H200 = LOGS / "h200"
"""Of the workloads, each with its post-grad graph."""
SOURCES = TESTS / "sources"
"""Every other way in which Inductor's text comes."""
