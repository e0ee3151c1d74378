from __future__ import annotations


def fills(kernel, found, types):
    return {name: "bool" if t.dtype == "bool" else ((1, 8) if "int" in t.dtype else "normal") for name, t in types.items()}
