"""The reasons why a kernel can not be printed or generalized, or has no eager reference or ATen form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from inductor_lab.errors import LabError

Made = TypeVar("Made")


class NoReference(LabError):  # noqa: N818
    """Eager PyTorch can not be written for this kernel."""


class NoGraphForm(LabError):  # noqa: N818
    """The model's graph does not tell in ATen what this kernel computes."""


def or_why(make: Callable[[], Made]) -> tuple[Made | None, str]:
    """A reference or an ATen form; None, with the reason, where there is none."""
    try:
        return make(), ""
    except (NoReference, NoGraphForm) as reason:
        return None, str(reason)


class UndeterminedError(Exception):
    """What the text of a kernel does not tell of its sizes."""


class UnprintableError(Exception):
    """A computation that the schedule does not tell whole: it is printed as its author wrote it."""
