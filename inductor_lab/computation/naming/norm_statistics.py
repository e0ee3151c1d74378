"""Statistics of norms alone: means, variances and deviations, where another kernel does the rest."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.naming.match import Row
from inductor_lab.computation.naming.written import written

SPREAD = {"d": "x - mean(x)"}
PARTS = "(x, y, n)"
"""Means, squared deviations and counts of parts that are put together."""
COUNTED = {"y": "a value or a number", "n": "a value or a number"}


def _statistics(norm: str, name: str, words: str) -> Iterator[Row]:
    when = f"where the comment names {f'a {norm}' if norm else 'no norm'}"
    texts = ("rsqrt(mean(d ** 2) [* c] + eps) [* c]", "sum(d ** 2) [* c]", f"rsqrt(c * welford_m2{PARTS} + eps)", f"welford_m2{PARTS} [* c]",
             f"welford_mean{PARTS}")  # fmt: skip
    yield written(name, *texts, where=SPREAD | COUNTED, when=when, words=words, alone=True, inputs=("x",))
    yield written(
        name,
        "welford_weight(x)",
        f"welford_weight{PARTS}",
        where=COUNTED,
        when=when,
        words=words,
        alone=True,
        shown=lambda x: (x, "partial"),
    )


RUNNING = "m + sum(x) * c", "m + sum(d ** 2) * c", f"m + welford_mean{PARTS} * c", f"m + welford_m2{PARTS} * c"
ROWS = (
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
