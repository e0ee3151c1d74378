"""What the operations of a Triton body cost and are called: tables, no code.

Names are those that Inductor writes (`TritonOverrides` in torch/_inductor/codegen/triton.py and `triton_helpers.py`,
2.11 to 2.15).
"""

from __future__ import annotations

REDUCTIONS = frozenset(
    {"sum", "max", "min", "prod", "any", "max2", "min2", "max_with_index", "min_with_index", "xor_sum", "reduce",
     "welford", "select_one", "argmax", "argmin", "online_softmax_reduce"}
)  # fmt: skip
"""Calls that fold a tile along the reduction."""

TRANSPARENT = frozenset(
    {"promote_to_tensor", "reshape", "trans", "expand_dims", "multiple_of", "max_contiguous", "inline_asm_elementwise"}
)
"""Calls whose value is that of their first argument."""

PREDICATES = frozenset({"isnan", "isinf", "isfinited", "signbit", "finitef", "isfinite", "any"})
"""Calls that answer yes or no."""

FLOPS: dict[str, int] = {
    "where": 0, "abs": 0, "fabs": 0, "copysign": 0,  # a selection, a changed sign bit
    "any": 0, "float": 0, "select_one": 0, "welford": 0, "online_softmax_reduce": 0, "max_with_index": 1,
    "min_with_index": 1, "zeros": 0, "full": 0, "arange": 0, "device_assert": 0, "static_assert": 0,
    "fma": 2,
    "welford_reduce": 7,  # triton_helpers.welford_reduce: two differences, a division, a product, three sums
    "online_softmax_combine": 5,
}  # fmt: skip
"""Floating-point operations for one element, where it is not one: a transcendental function counts as one."""

BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "uint16": 2, "uint32": 4,
    "uint64": 8,
    "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip
"""Bytes of one element of a dtype."""

ATEN = {
    "Add": ("add",), "Sub": ("sub", "rsub"), "Mult": ("mul",), "Div": ("div",), "USub": ("neg",),
    "Mod": ("remainder", "fmod"),
    "maximum": ("relu", "maximum", "clamp_min", "clamp"), "minimum": ("minimum", "clamp_max"), "sigmoid": ("sigmoid",),
    "sum": ("sum",), "exp": ("exp",), "log": ("log",), "tanh": ("tanh",), "erf": ("erf",), "rsqrt": ("rsqrt",),
    "sqrt": ("sqrt",), "sqrt_rn": ("sqrt",), "sin": ("sin",), "cos": ("cos",), "where": ("where",), "pow": ("pow",),
    "abs": ("abs",),
    "load.gather": ("embedding", "index", "gather", "index_select"),
    "atomic_add": ("index_put", "index_put_", "scatter_add", "index_add"),
}  # fmt: skip
"""Which ATen operators an operation of the body may stand for."""
