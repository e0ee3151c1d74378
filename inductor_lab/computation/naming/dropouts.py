"""Dropout and its backward: elements left out at random, the others made larger."""

from __future__ import annotations

from inductor_lab.computation.naming.written import written

ROWS = (
    written("dropout", "(rand(seed, i) > c) * x", "(rand(seed, i) < c) * x"),
    written("dropout", "m * x * c", m="a loaded bool", c="above 1", when="in a forward graph"),
    written("dropout_backward", "m * x * c", m="a loaded bool", c="above 1", when="in a backward graph"),
    written("dropout_mask", "rand(seed, i) > c", "rand(seed, i) < c"),
)
