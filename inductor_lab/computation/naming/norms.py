"""Norms, forward: what is divided by the root of a mean of squares, the mean made in the kernel or loaded."""

from __future__ import annotations

from inductor_lab.computation.naming.match import Row
from inductor_lab.computation.naming.written import written

WHOLE = {"d": "x - mean(x)", "r": "rsqrt(mean(d ** 2) + eps)", "z": "d * r"}
SAVED = "z * w + b", "(x - m) * rsqrt(v + eps) * w + b"
LOADED = {
    "z": "(x - m) * r",
    "m": "loaded",
    "r": "as m",
    "v": "as m, times a number",
    "x": "of more elements than m, not negated",
    "b": "as w",
}


def _claimed(name: str) -> Row:
    return written(
        name,
        "z [* w] [+ b]",
        where=WHOLE,
        w="loaded",
        b="as w",
        when=f"where the comment names a {name.replace('_', ' ')}",
    )


ROWS = (
    written("layer_norm", "z * w [+ b]", where=WHOLE, w="along the row", b="as w"),
    written(
        "batch_norm",
        "z * w [+ b]",
        where=WHOLE,
        w="constant along the row",
        b="as w",
        when="where the comment names no other norm",
    ),
    written("group_norm", "z * w [+ b]", where=WHOLE, w="along a part of the row", b="as w"),
    *map(_claimed, ("layer_norm", "batch_norm", "group_norm")),
    written("standardize", "z", where=WHOLE, when="where the comment names no norm"),
    written("rms_norm", "x * rsqrt(mean(x * x) + eps) [* w]", w="along the row"),
    written("group_norm", *SAVED, where=LOADED, w="loaded", when="where the comment names a group norm"),
    written("batch_norm", *SAVED, where=LOADED, w="as m", when="where the comment names no other norm"),
    written("layer_norm", *SAVED, where=LOADED, w="loaded"),
    written("l2_normalize", "x / sqrt(sum(x * x))", "x / maximum(sqrt(sum(x * x)), c)"),
)
