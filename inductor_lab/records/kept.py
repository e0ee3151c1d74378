"""A result as it is kept beside the file that it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """One result of an ejected file, as it was kept: a line of `results.jsonl`."""

    kind: str
    """Which record `result` is: `verdict`, `timing`, `diff` or `tuning`."""
    date: str
    """ISO 8601, UTC."""
    file: str
    """As it was typed."""
    file_sha256: str
    """Of the text that was measured, a .cu beside it included."""
    body_sha256: str
    """Of the kernel that the file was ejected from."""
    kernel: str
    """Its name, and of which capture: `triton_poi_fused_relu_0 of lora_mlp`."""
    device: str
    versions: Mapping[str, str]
    """torch, triton, inductor_lab, Python."""
    result: Mapping[str, object]
    """The record's document; how it was measured is in it."""
    span: str = ""
    """Of a span's file the steps that it is of, `lora_mlp:0_inference:1-3`; its hash is `body_sha256`."""
