"""Every name that a kernel can get, in the order in which they are tried: what takes most of a tree comes first."""

from __future__ import annotations

from inductor_lab.computation.naming import (
    activations,
    dropouts,
    movement,
    norms,
    optimizers,
    softmaxes,
)
from inductor_lab.computation.naming.match import Row
from inductor_lab.computation.naming.stores import STORES

ROWS: tuple[Row, ...] = (
    *optimizers.ROWS, *softmaxes.BACKWARD, *activations.BACKWARD, *norms.GRADIENTS, *norms.ROWS, *softmaxes.FORWARD, *movement.ROTATIONS,
    *dropouts.ROWS, *activations.GATED, *activations.FORWARD, *softmaxes.PARTS, *norms.STATISTICS, *movement.ROWS,
)  # fmt: skip
SAID: dict[str, str] = {row.name: row.words or row.name for row in ROWS} | {name: name for name in STORES} | {
    "residual_add": "residual add", "bias_gradient": "bias gradient", "swiglu_backward": "swiglu_backward", "geglu_backward": "geglu_backward",
}  # fmt: skip
"""Name -> what people are told."""
SIMPLE = frozenset(row.name for row in ROWS if row.simple)
"""Names whose call is as short: an expression says more."""
