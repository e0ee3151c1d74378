"""Norms, backward: the gradient of a row, whole and split over kernels, and those of the weights."""

from __future__ import annotations

from inductor_lab.computation.naming.match import bases
from inductor_lab.computation.naming.terms import Term
from inductor_lab.computation.naming.written import written


def _tensor(term: Term) -> tuple[Term, str]:
    """Of a gradient times weights and numbers of the row, the gradient."""
    whole = [base for base in bases(term) if base.axes == term.axes]
    return (whole[0] if len(whole) == 1 else term), ""


LAYER = "h - mean(h) - d [* r ** 2] * mean(h * d)", "h - c * s - d [* r ** 2] * mean(h * d)"
ROWS = (
    written("layer_norm_backward", *LAYER, h="one addend", s="constant along the row", r="constant along the row", factor=True,
            when="where the comment names no batch norm", inputs=("h",), shown=_tensor),
    written("rms_norm_backward", "h - x * r ** 2 * mean(h * x) [* s ** 2]", s="a number of the graph", h="one addend",
            r="a factor of h, of each row", factor=True, inputs=("h",), shown=_tensor),
    written("batch_norm_backward", "(g - (x - m) * r ** 2 * s * c - t * c) * r [* w]", m="loaded", x="not negated", w="as m", s="loaded or a sum",
            t="loaded or a sum", when="where the comment names a batch norm", inputs=("g",)),
    written("group_norm_backward", "h + x * s * r ** 3 * c - s * m * r ** 3 * c - t * r * c", h="one addend", s="loaded", r="loaded", m="loaded",
            t="loaded", when="where the comment names a group norm", inputs=("h",), shown=_tensor),
    written("layer_norm_weight_gradient", "sum(g * (x - m) * r)", x="not negated", m="loaded", r="as m",
            held="r one number of each row that is folded", partly="r", when="in a backward graph", words="weight gradient of layer_norm", inputs=("g",)),
    written("batch_norm_sums", "sum(g * (x - m))", x="not negated", m="constant along the row",
            when="in a backward graph whose comment names a batch norm", words="sums for batch_norm_backward", inputs=("g",)),
    written("rms_norm_weight_gradient", "sum(g * y * r)", y="one factor", r="loaded", held="r one number of each row that is folded", partly="r",
            when="in a backward graph", words="weight gradient of rms_norm", inputs=("g",)),
)  # fmt: skip
