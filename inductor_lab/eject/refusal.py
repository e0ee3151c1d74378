"""Why a kernel has no eager reference, or can not be printed for any sizes."""

from __future__ import annotations

from inductor_lab.errors import LabError


class NoReference(LabError):  # noqa: N818
    """Eager PyTorch can not be written for this kernel."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UndeterminedError(Exception):
    """What the text of a kernel does not tell of its sizes."""
