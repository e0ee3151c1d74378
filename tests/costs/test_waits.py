"""How long the turns of a body's loops wait, by its blocks."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any, cast

import pytest

from inductor_lab.bind.geometry import Geometry
from inductor_lab.costs.launches import TURN, waits

ONE = "for r in range(n):\n    x = load(r)"
NESTED = "for r0 in range(n):\n    for r1 in range(m):\n        x = load(r0, r1)"
CARD = cast(Any, SimpleNamespace(threads=2048, warp_size=32, programs=32, processors=132))


@pytest.mark.parametrize(
    ("body", "numel", "blocks", "split", "turns"),
    [
        (ONE, {"x": 64, "r0_": 4096}, {"x": 1, "r0_": 1024}, 1, 4),
        (f"{ONE}\n{ONE}", {"x": 64, "r0_": 4096}, {"x": 1, "r0_": 1024}, 1, 8),
        (NESTED, {"x": 64, "r0_": 32, "r1_": 128}, {"x": 1, "r0_": 16, "r1_": 128}, 1, 2),
        (ONE, {"x": 1, "r0_": 65536}, {"x": 1, "r0_": 1024}, 64, 1),
        ("x = load(0)", {"x": 64}, {"x": 64}, 1, 0),
    ],
)
def test_loops_take_turns(body: str, numel: dict[str, int], blocks: dict[str, int], split: int, turns: int) -> None:
    """One loop, two in a row, one inside of another, and rows that programs share."""
    loads = [SimpleNamespace(line=n) for n, line in enumerate(body.split("\n"), 1) if "load" in line]
    found = cast(Any, SimpleNamespace(numel=numel, statements=ast.parse(body).body, loads=loads))
    nested = [node for node in ast.walk(ast.parse(body)) if isinstance(node, ast.For)]
    found.statements = nested or found.statements
    assert waits(found, Geometry(64, blocks, 4, split), CARD) == pytest.approx(turns * TURN)
