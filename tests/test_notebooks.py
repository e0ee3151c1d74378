"""The notebooks: text and page are one notebook, and executing it, on the CPU, gives the outputs that are committed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("jupytext")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def module(name: str) -> ModuleType:
    """A file beside the notebooks, which are no package."""
    spec = importlib.util.spec_from_file_location(name, NOTEBOOKS / f"{name}.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


remake = module("remake")
SOURCES = remake.sources()
named = pytest.mark.parametrize("source", SOURCES, ids=[source.stem for source in SOURCES])


def page(source: Path) -> Any:
    return nbformat.read(source.with_suffix(".ipynb"), as_version=4)


def test_there_are_notebooks() -> None:
    assert [source.stem[:2] for source in SOURCES] == [f"{number:02}" for number in range(1, 9)]


@named
def test_the_page_has_the_cells_of_the_text(source: Path) -> None:
    kinds_and_texts = [
        [(cell.cell_type, cell.source) for cell in one.cells] for one in (remake.unexecuted(source), page(source))
    ]
    assert kinds_and_texts[0] == kinds_and_texts[1], "make notebooks"


@pytest.mark.slow
@named
def test_executing_it_gives_the_outputs_of_the_page(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(NOTEBOOKS.parent))
    done = remake.execute(remake.unexecuted(source))
    found, committed = list(remake.outputs(done)), list(remake.outputs(page(source)))
    for number, (now, then) in enumerate(zip(found, committed, strict=True)):
        assert now == then, f"cell {number} of code shows something else: make notebooks"
    shown = "".join(text for texts in committed for text in texts)
    assert "Traceback" not in shown and "\x1b" not in shown


def test_what_passes_is_no_difference() -> None:
    one, two = (
        "seed 12, drawn now: 3.1e-08 in 2.5 s, /tmp/a1/mine.py",
        "seed 9, drawn now: 4e-08 in 31 s, /tmp/b/mine.py",
    )
    assert remake.settled(one) == remake.settled(two) != remake.settled("seed 0: 3 cases")


def test_an_exercise_tells_what_is_open() -> None:
    exercises = module("exercises")
    assert exercises.unwritten("def f(x):\n    y = ...\n    return g(x, ...) + y\n") == [
        "`y = ...`",
        "`return g(x, ...) + y`",
    ]
    assert not exercises.unwritten("def f(x):\n    return x  # ...\n")


def test_a_warp_touches_sectors() -> None:
    """Counted by hand: 32 threads of 16 bytes are 512 bytes; of 4 bytes, 8 elements apart, a sector each."""
    evidence = module("evidence")
    together = evidence.touched(evidence.first_warp(4), size=4)
    assert (together["bytes asked for"], together["sectors"], together["lines"]) == (512, 16, 4)
    apart = evidence.touched(range(0, 256, 8), size=4)
    assert (apart["bytes asked for"], apart["sectors"], apart["lines"]) == (128, 32, 8)
    places = evidence.coordinates("x1 = xindex // 4\nx0 = (xindex % 4)\ny = xindex\n", evidence.first_warp(1))
    assert set(places) == {"x0", "x1"} and places["x0"][5, 0] == 1 == places["x1"][5, 0]


def test_sizes_share_a_compiled_kernel() -> None:
    """Triton tells 1, multiples of 16 and all other sizes apart."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    from inductor_lab.kernels.add_mul_activation import kernel

    def launch(columns: int) -> object:
        x = torch.zeros(48, columns)
        return kernel.add_mul_activation(x, x, configuration=kernel.SMALL, out=torch.zeros_like(x))

    found = module("evidence").variants(launch, (3, 5, 48, 80, 7))
    assert found == {"add_mul_act": [[3, 5, 7], [48, 80]]}
