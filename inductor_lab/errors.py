"""Everything that can be wrong with what the user gave us: one sentence, with the way out."""

from __future__ import annotations


class LabError(Exception):
    """Wrong usage, a missing GPU, a missing capture, unreadable input. The command line prints it and exits with 2."""
