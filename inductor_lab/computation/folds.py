"""How loops and blocks fold a tile into one value: Inductor's accumulators, recognised as the reductions and scans that they are.

    _tmp5 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in ...:
        tmp6 = _tmp5 + tmp4
        _tmp5 = tl.where(r0_mask & xmask, tmp6, _tmp5)         # a lane-by-lane partial sum of tmp4
    tmp5 = tl.sum(_tmp5, 1)[:, None]                           # Reduction("sum", tmp4)

The forms are those of `TritonKernel.reduction` and `.scan` in torch/_inductor/codegen/triton.py, 2.0 to 2.15.
"""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.tree import (
    Broadcast,
    Call,
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Operation,
    Scan,
    Size,
    Unknown,
)

FOLDS = {call: row.name for row in TABLE.values() if not row.results for call in row.calls}
"""A call that folds a tile -> the reduction."""
ACCUMULATED = {
    name: row.accumulates for row in TABLE.values() for name in (row.name, *row.spellings) if row.accumulates
}
"""How a turn of the loop takes a tile in -> the reduction."""
PARTS = {row.name: tuple(result.part for result in row.results) for row in TABLE.values() if row.results}
"""A reduction with several results -> what each is."""
SEVERAL = {call: row.name for row in TABLE.values() if row.results for call in row.calls}
"""A call that folds several tiles at once -> the reduction."""
TURNS = {call: row.name for row in TABLE.values() for call in row.turns}
"""One turn of a loop with several accumulators -> the reduction."""
RUNNING = {
    "sum": "cumsum", "prod": "cumprod", "max": "cummax", "min": "cummin", "gt_eq_ne_ne_gt": "cummax", "lt_eq_ne_ne_gt": "cummin",
    "minimum_maximum_ne_isinf_bitwise_not_bitwise_or_sub_exp_log1p_add_where": "logcumsumexp",
}  # fmt: skip
"""A scan, or how the name of Inductor's combining function begins -> torch's own (`cummax`, `logcumsumexp` in torch/_inductor/lowering.py)."""


@dataclass(frozen=True, eq=False, slots=True)
class Partial(Expression):
    """A tile that a loop has folded lane by lane: what a reduction of the tile turns into a `Reduction`."""

    name: str
    part: str
    inputs: tuple[Expression, ...]
    call: Call | None = None
    """The turn of the loop; None where a loop's accumulator is simply added to."""

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.inputs


def plain(value: Expression) -> Expression:
    """The value without what changes neither it nor its place: broadcasts, masks of elements that do not exist."""
    while True:
        match value:
            case Broadcast(operand=operand):
                value = operand
            case Operation(name="where", inputs=(condition, kept, Constant() | Unknown())) if masks(condition):
                value = kept
            case _:
                return value


def masks(condition: Expression) -> bool:
    """True for a conjunction of the axes' masks alone."""
    match condition:
        case Inside():
            return True
        case Operation(name="and", inputs=(left, right)):
            return masks(left) and masks(right)
    return isinstance(condition, Constant) and condition.value is True


def conjuncts(mask: Expression | None) -> list[Expression]:
    """The parts of a conjunction."""
    match mask:
        case None:
            return []
        case Operation(name="and", inputs=(left, right)):
            return [*conjuncts(left), *conjuncts(right)]
    return [mask]


def narrowing(mask: Expression | None) -> list[Expression]:
    """What a mask asks beyond that elements exist: its parts but the axes' masks."""
    return [part for part in conjuncts(mask) if not masks(part)]


def settled(carried: Carried, end: Expression) -> tuple[str, str, tuple[Expression, ...]] | None:
    """What a loop made of an accumulator: the fold's name, which result, and what was taken in; None for another form."""
    end = _kept(carried, end)
    match end:
        case Operation(name=name, inputs=(left, right)) if name in ACCUMULATED and (
            left is carried or right is carried
        ):
            return ACCUMULATED[name], "", (right if left is carried else left,)
        case Partial(name=name, part=part, inputs=inputs):
            return name, part, inputs
    return None


def _kept(carried: Carried, end: Expression) -> Expression:
    """`v` of `where(mask, v, accumulator)`: lanes outside keep what they had; casts of the accumulator are of no account."""
    while True:
        match end:
            case Operation(name="where", inputs=(condition, value, other)) if other is carried and masks(condition):
                end = value
            case Cast(operand=operand) | Broadcast(operand=operand):
                end = operand
            case _:
                return end


def running(name: str) -> str:
    """What torch calls a scan, `reverse_cumsum` where it goes from the end; empty where it has no name for it."""
    kind = name.removesuffix("_reversed")
    known = RUNNING.get(kind.partition("_logical")[0], "")
    return f"reverse_{known}" if known and kind != name else known


def looped_scan(value: Expression) -> Scan | None:
    """The scan that blocks one after the other go on with: `where(offset > 0, combined with what came before, scan)`."""
    match value:
        case Operation(name="where", inputs=(Operation(inputs=(Size(name=name), Constant())), one, other)) if (
            name.endswith("offset")
        ):
            return next((side for side in (one, other) if isinstance(side, Scan)), None)
    return None


def continued(inputs: tuple[Expression, ...]) -> Scan | None:
    """The scan of `carried + scan`."""
    scans = [value for value in inputs if isinstance(value, Scan)]
    return scans[0] if len(inputs) == 2 and len(scans) == 1 and any(isinstance(v, Carried) for v in inputs) else None
