"""A contestant that can not take part."""

from __future__ import annotations

from inductor_lab.errors import LabError


class RefusedError(Exception):
    """It is wrong, fails, or this version has it not; the text says which. The others go on without it."""


class CrashedError(LabError):
    """It crashed on the GPU, which this process can use no more: nobody goes on."""
