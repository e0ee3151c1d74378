"""Dropout and its backward: elements, or whole samples, left out at random, the others made larger."""

from __future__ import annotations

from inductor_lab.computation.naming.written import written

LOADED = {"m": "a loaded bool", "c": "above 1"}
SAMPLES, ELEMENTS = "m one of each sample", "m not one of each sample"
ROWS = (
    written("dropout", "(rand(seed, i) > c) * x", "(rand(seed, i) < c) * x"),
    written("dropout", "m * x * c", where=LOADED, held=ELEMENTS, when="in a forward graph"),
    written("drop_path", "m * x * c", where=LOADED, held=SAMPLES, when="in a forward graph"),
    written("dropout_backward", "m * x * c", where=LOADED, held=ELEMENTS, when="in a backward graph"),
    written("drop_path_backward", "m * x * c", where=LOADED, held=SAMPLES, when="in a backward graph"),
    written("dropout_mask", "rand(seed, i) > c", "rand(seed, i) < c"),
)
