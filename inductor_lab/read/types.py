"""The three ways in which Inductor's text writes a dtype, and the one way in which the records do (torch's own names)."""

from __future__ import annotations

import re

from inductor_lab.records import Size, TensorType

TRITON = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "fp8e4b8": "float8_e4m3fnuz", "fp8e5b16": "float8_e5m2fnuz",
}  # fmt: skip
"""Triton's signature letters (`*fp32` without the star), from `torch/_inductor/codegen/triton_utils.py`."""

FX = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "b8": "bool",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "c32": "complex32", "c64": "complex64", "c128": "complex128",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
}  # fmt: skip
"""The abbreviations of printed FX graphs, from `torch/utils/_dtype_abbrs.py`."""

ITEMSIZE = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
}  # fmt: skip
"""Bytes of one element."""

_FX_TYPE = re.compile(r"^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?")


def fx_type(text: str) -> TensorType | None:
    """`f32[4096, 1024][1024, 1]cuda:0` as a type; None for anything else (`Sym(s77)`). Missing strides are contiguous ones."""
    match = _FX_TYPE.match(text.strip())
    if match is None or match[1] not in FX:
        return None
    shape = sizes(match[2])
    return TensorType(FX[match[1]], shape, contiguous(shape) if match[3] is None else sizes(match[3]))


def sizes(text: str) -> tuple[Size, ...]:
    """`4096, 1024` or `s77, 4` as sizes; what is no number stays as it is written."""
    items = [item.strip() for item in text.strip("()[] ").split(",") if item.strip()]
    return tuple(int(item) if re.fullmatch(r"-?\d+", item) else item for item in items)


def contiguous(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    """Row-major strides of a shape; symbolic ones as products in text."""
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(shape):
        strides.append(step)
        step = (
            step * size if isinstance(step, int) and isinstance(size, int) else f"{step}*{size}" if step != 1 else size
        )
    return tuple(reversed(strides))
