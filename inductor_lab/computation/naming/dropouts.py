"""Dropout and its backward: elements, or whole samples, left out at random, the others made larger."""

from __future__ import annotations

from inductor_lab.computation.naming.written import written

DRAWN = "(rand(seed, i) > c) * x", "(rand(seed, i) < c) * x"
LOADED = {"m": "a loaded bool", "c": "above 1"}
EACH, FEWER = "one of each element of x", "one of several elements of x"
ROWS = (
    written("dropout", *DRAWN, held=EACH),
    written("drop_path", *DRAWN, held=FEWER),
    written("dropout", "m * x * c", where=LOADED, held=EACH, when="in a forward graph"),
    written("drop_path", "m * x * c", where=LOADED, held=FEWER, when="in a forward graph"),
    written("dropout_backward", "m * x * c", where=LOADED, held=EACH, when="in a backward graph"),
    written("drop_path_backward", "m * x * c", where=LOADED, held=FEWER, when="in a backward graph"),
    written("dropout_mask", "rand(seed, i) > c", "rand(seed, i) < c"),
)
