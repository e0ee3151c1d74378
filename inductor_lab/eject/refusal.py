"""The reasons why a kernel can not be printed or generalized, or has no eager reference or ATen form."""

from __future__ import annotations

from inductor_lab.errors import LabError


class NoReference(LabError):  # noqa: N818
    """Eager PyTorch can not be written for this kernel."""


class NoGraphForm(LabError):  # noqa: N818
    """The model's graph does not tell in ATen what this kernel computes."""


class UndeterminedError(Exception):
    """What the text of a kernel does not tell of its sizes."""


class UnprintableError(Exception):
    """A computation that the schedule does not tell whole: it is printed as its author wrote it."""
