"""What the operations of a Triton body are called in ATEN, from the table of operators."""

from __future__ import annotations

from inductor_lab.computation.operators import TABLE

ATEN: dict[str, tuple[str, ...]] = {
    key: row.aten
    for row in TABLE.values()
    if row.aten
    for key in (row.name, *row.spellings, *([row.symbol.__name__] if row.symbol else []))
}
"""An operation of the body, by its name or by the class of Python's operator -> the ATen operators that it may stand for."""
