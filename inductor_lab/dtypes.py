"""The names of dtypes: torch's own, and what Inductor's text calls them in three other places. Tables, no code."""

from __future__ import annotations

TRITON = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "fp8e4b8": "float8_e4m3fnuz", "fp8e5b16": "float8_e5m2fnuz",
}  # fmt: skip
"""Triton's signature letters (`*fp32` without the star), from `torch/_inductor/codegen/triton_utils.py`."""

LANGUAGE = {
    "int1": "bool",
    "float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2", "float8e4b8": "float8_e4m3fnuz", "float8e5b16": "float8_e5m2fnuz",
}  # fmt: skip
"""`triton.language`'s names (`tl.int1`), where they are not torch's."""

FX = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "b8": "bool",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "c32": "complex32", "c64": "complex64", "c128": "complex128",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
}  # fmt: skip
"""The abbreviations of printed FX graphs, from `torch/utils/_dtype_abbrs.py`."""

SHORT = {name: short for short, name in FX.items()} | {"bool": "bool"}
"""What we write beside a tensor: FX's abbreviations, but `bool`."""

ITEMSIZE = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex32": 4, "complex64": 8, "complex128": 16,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
}  # fmt: skip
"""Bytes of one element."""

RANKS = (
    "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float16", "bfloat16", "float32", "float64",
)  # fmt: skip
"""Of two operands the one further right decides (type promotion of `triton.language`'s semantics)."""
