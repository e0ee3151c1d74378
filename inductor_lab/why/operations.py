"""What one launch of an ejected file's kernel moves and computes, and the precision that it computes in."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType

from inductor_lab import store
from inductor_lab.computation import computation
from inductor_lab.costs.compulsory import compulsory
from inductor_lab.costs.traffic import traffic
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel, Traffic


def operations(module: ModuleType) -> tuple[Traffic, str]:
    """(work, `bf16`, `tf32` or `fp32`) of the generated kernel: bytes as the file has them, operations, where it is here, as its capture tells."""
    kernel, bytes_ = captured(module), getattr(module, "BYTES", None) or {}
    found, among = (Traffic(), "fp32") if kernel is None else _counted(kernel)
    return replace(found, read=bytes_.get("read"), written=bytes_.get("written")), among


def _counted(kernel: Kernel) -> tuple[Traffic, str]:
    if kernel.category != "template":
        return traffic(kernel), "fp32"
    try:
        found = compulsory(kernel, computation(kernel))
    except ValueError:
        found = ""
    return (found, precision(kernel)) if isinstance(found, Traffic) else (Traffic(), "fp32")


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
