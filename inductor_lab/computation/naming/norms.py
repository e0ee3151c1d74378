"""Norms: whole rows and those of which a mean is loaded, gradients of rows and of weights, and statistics alone."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.naming.match import Row
from inductor_lab.computation.naming.terms import Term, product
from inductor_lab.computation.naming.written import written

WHOLE = {"d": "x - mean(x)", "r": "rsqrt(mean(d ** 2) + eps)", "z": "d * r"}
SAVED = "z * w + b", "(x - m) * rsqrt(v + eps) * w + b"
LOADED = {
    "z": "(x - m) * r", "m": "loaded", "r": "as m", "v": "as m, times a number", "x": "of more elements than m, not negated", "b": "as w",
}  # fmt: skip
ROWS = (
    written("layer_norm", "z * w [+ b]", where=WHOLE, w="along the row", b="as w"),
    written("batch_norm", "z * w [+ b]", where=WHOLE, w="constant along the row", b="as w", when="where the comment names no other norm"),
    written("group_norm", "z * w [+ b]", where=WHOLE, w="along a part of the row", b="as w"),
    *(
        written(f"{kind}_norm", "z [* w] [+ b]", where=WHOLE, w="loaded", b="as w", when=f"where the comment names a {kind} norm")
        for kind in ("layer", "batch", "group")
    ),
    written("standardize", "z", where=WHOLE, when="where the comment names no norm"),
    written("rms_norm", "x * rsqrt(mean(x * x) + eps) [* w]", w="along the row"),
    written("group_norm", *SAVED, where=LOADED, w="loaded", when="where the comment names a group norm"),
    written("batch_norm", *SAVED, where=LOADED, w="as m", when="where the comment names no other norm"),
    written("layer_norm", *SAVED, where=LOADED, w="loaded"),
    written("l2_normalize", "x / sqrt(sum(x * x))", "x / maximum(sqrt(sum(x * x)), c)"),
)  # fmt: skip
"""The mean and the deviation made in the kernel, or loaded."""


def _tensor(term: Term) -> tuple[Term, str]:
    """Of a gradient times weights and numbers of the row, the gradient."""
    whole = [base for base in product(term)[1] if base.axes == term.axes]
    return (whole[0] if len(whole) == 1 else term), ""


ROW = "h - mean(h) - d [* r ** 2] * mean(h * d)", "h - c * s - d [* r ** 2] * mean(h * d)"
GRADIENTS = (
    written("layer_norm_backward", *ROW, h="one addend", s="constant along the row", r="constant along the row", factor=True,
            when="where the comment names no batch norm", inputs=("h",), shown=_tensor),
    written("rms_norm_backward", "h - x * r ** 2 * mean(h * x) [* s ** 2]", s="a number of the graph", h="one addend",
            r="a factor of h, of each row", factor=True, inputs=("h",), shown=_tensor),
    written("batch_norm_backward", "(g - (x - m) * r ** 2 * s * c - t * c) * r [* w]", m="loaded", x="not negated", w="as m", s="loaded or a sum",
            t="loaded or a sum", when="where the comment names a batch norm, and no other's backward", inputs=("g",)),
    written("group_norm_backward", "h + x * s * r ** 3 * c - s * m * r ** 3 * c - t * r * c", h="one addend", s="loaded", r="loaded", m="loaded",
            t="loaded", when="where the comment names a group norm", inputs=("h",), shown=_tensor),
    written("layer_norm_weight_gradient", "sum(g * (x - m) * r)", x="not negated", m="loaded", r="as m",
            held="r one number of each row that is folded", partly="r", when="in a backward graph", words="weight gradient of layer_norm", inputs=("g",)),
    written("batch_norm_sums", "sum(g * (x - m))", x="not negated", m="constant along the row",
            when="in a backward graph whose comment names a batch norm", words="sums for batch_norm_backward", inputs=("g",)),
    written("rms_norm_weight_gradient", "sum(g * y * r)", y="one factor", r="loaded", held="r one number of each row that is folded", partly="r",
            when="in a backward graph", words="weight gradient of rms_norm", inputs=("g",)),
)  # fmt: skip
"""Of a row, whole and split over kernels, and of the weights."""
SPREAD = {"d": "x - mean(x)"}
PARTS = "(x, y, n)"
"""Means, squared deviations and counts of parts that are put together."""
COUNTED = {"y": "a value or a number", "n": "a value or a number"}


def _statistics(norm: str, name: str, words: str) -> Iterator[Row]:
    when = f"where the comment names {f'a {norm}' if norm else 'no norm'}"
    texts = ("rsqrt(mean(d ** 2) [* c] + eps) [* c]", "sum(d ** 2) [* c]", f"rsqrt(c * welford_m2{PARTS} + eps)", f"welford_m2{PARTS} [* c]",
             f"welford_mean{PARTS}")  # fmt: skip
    yield written(name, *texts, where=SPREAD | COUNTED, when=when, words=words, alone=True, inputs=("x",))
    yield written(name, "welford_weight(x)", f"welford_weight{PARTS}", where=COUNTED, when=when, words=words, alone=True,
                  shown=lambda x: (x, "partial"))  # fmt: skip


RUNNING = "m + sum(x) * c", "m + sum(d ** 2) * c", f"m + welford_mean{PARTS} * c", f"m + welford_m2{PARTS} * c"
STATISTICS = (
    written("batch_norm_running", *RUNNING, where=SPREAD | COUNTED, m="loaded, times a number below 1", when="where the comment names a batch norm",
            words="running statistics", alone=True, inputs=()),
    written("standard_deviation", "sqrt(sum(d ** 2)) [* c]", f"sqrt(welford_m2{PARTS}) [* c]", where=SPREAD | COUNTED, words="standard deviation", alone=True,
            inputs=("x",)),
    *_statistics("layer norm", "layer_norm_statistics", "statistics of layer_norm"),
    *_statistics("batch norm", "batch_norm_statistics", "statistics of batch_norm"),
    *_statistics("group norm", "group_norm_statistics", "statistics of group_norm"),
    *_statistics("", "mean_and_variance", "statistics (mean, variance)"),
    written("rms", "rsqrt(mean(x * x) + eps)", words="rms (of rms_norm)", alone=True),
)  # fmt: skip
"""Means, variances and deviations, where another kernel does the rest."""
