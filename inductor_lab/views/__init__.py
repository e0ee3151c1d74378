"""Captures and kernels as objects to work with in Python and in a notebook: thin, over the frozen records, which stay free of effects."""

from __future__ import annotations

from inductor_lab.views.capture import CaptureView
from inductor_lab.views.kernel import Explanation, Kernels, KernelView, ResultView

__all__ = ["CaptureView", "Explanation", "KernelView", "Kernels", "ResultView"]
