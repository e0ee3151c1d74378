"""Floating-point operations of an ejected file's kernel, counted from its capture, and the precision that they are in."""

from __future__ import annotations

import re
from types import ModuleType

from inductor_lab import store
from inductor_lab.annotate.compulsory import multiplied
from inductor_lab.annotate.traffic import traffic
from inductor_lab.computation import computation
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel


def operations(module: ModuleType) -> tuple[int | None, str]:
    """(operations, `bf16`, `tf32` or `fp32`) of one launch of the generated kernel; None for what can not be counted, or without its capture."""
    kernel = captured(module)
    if kernel is None:
        return None, "fp32"
    if kernel.category != "template":
        return traffic(kernel).flops, "fp32"
    try:
        return multiplied(kernel, computation(kernel)), precision(kernel)
    except ValueError:
        return None, "fp32"


def captured(module: ModuleType) -> Kernel | None:
    """The kernel that a file was ejected from; None where the capture is not here, or holds another one now."""
    origin = getattr(module, "ORIGIN", None)
    if not isinstance(origin, dict):
        return None
    try:
        capture = store.find_capture(str(origin.get("capture", "")))
    except LabError:
        return None
    return next((one for one in capture.kernels if one.body_sha256 == origin.get("body_sha256")), None)


def precision(kernel: Kernel) -> str:
    """Of a template's product: half precision has one ceiling, and fp32 another where the text lets TF32 in."""
    dtypes = {argument.dtype for argument in kernel.arguments if argument.pointer}
    if dtypes & {"bfloat16", "float16"}:
        return "bf16"
    return "tf32" if re.search(r"^\s*ALLOW_TF32\s*:.*= True$", kernel.body, re.MULTILINE) else "fp32"
