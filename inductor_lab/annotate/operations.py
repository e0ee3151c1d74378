"""What the operations of a Triton body are called in ATen: a table, no code.

Names are those that Inductor writes (`TritonOverrides` in torch/_inductor/codegen/triton.py and `triton_helpers.py`,
2.11 to 2.15).
"""

from __future__ import annotations

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
