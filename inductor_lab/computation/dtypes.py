"""The dtype of a value from those of its parts: tables after Triton's promotion rules (docs: `tl` semantics, type promotion)."""

from __future__ import annotations

from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import Constant, Expression
from inductor_lab.dtypes import LANGUAGE, RANKS, TRITON

DTYPES = {name: rank for rank, name in enumerate(RANKS)}
PREDICATES = frozenset(row.name for row in TABLE.values() if row.predicate)
"""Operations that answer yes or no."""


def of_text(text: str) -> str:
    """torch's name of `tl.float32`, `tl.int1`; empty for anything else."""
    name = text.rpartition(".")[2]
    name = LANGUAGE.get(name, name)
    return name if name in DTYPES else TRITON.get(name, "")


def joined(*values: Expression) -> str:
    """The dtype of operands together. A bare number takes the others' width, and is a float at least where it is written as one."""
    known = [value.dtype for value in values if value.dtype in DTYPES]
    bare = [value.dtype for value in values if isinstance(value, Constant) and value.dtype in {"int", "float"}]
    if not known:
        return "float" if "float" in bare else "int" if bare else values[0].dtype if values else ""
    widest = max(known, key=DTYPES.__getitem__)
    if {"float16", "bfloat16"} <= set(known) and widest != "float64":
        return "float32"
    if "float" in bare and not widest.startswith(("float", "bfloat")):
        return "float32"
    return "int32" if "int" in bare and widest == "bool" else widest
