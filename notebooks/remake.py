"""Executes the notebooks and writes them with their outputs: `make notebooks`.

A notebook is two files: `NAME.py`, the text that is edited and reviewed, and `NAME.ipynb`, the same cells with what they print. The
second is made of the first, here; the tests execute it again and compare.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
SECONDS = 300
"""Of one cell, at most: many run in a few milliseconds, and a loaded machine is slow."""
PASSING = (
    (re.compile(r"/(?:tmp|var|home|root)/[^\s'\"<>,:)]*"), "PATH"),
    (re.compile(r"\d+(?:\.\d+)?e[-+]\d+"), "NUMBER"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|seconds)\b"), "TIME"),
    (re.compile(r", seed \d+|seed \d+(?=, drawn now)"), "seed"),
    (re.compile(r"[\d,]+(?:\.\d+)? ULP"), "ULP"),
    (re.compile(r" {2,}"), "  "),  # a column is as wide as the longest of what was replaced
)
"""What differs from machine to machine or run to run, by which no output is judged: paths, last bits, times, a seed."""


def sources() -> list[Path]:
    """The texts of the notebooks."""
    return sorted(HERE.glob("[0-9]*.py"))


def unexecuted(source: Path) -> Any:
    """The notebook that a text is, without outputs; the same text gives the same cells to the letter."""
    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    notebook.metadata = nbformat.from_dict(
        {
            "jupytext": {"formats": "ipynb,py:percent"},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return notebook


def execute(notebook: Any) -> Any:
    """The notebook with the outputs of all its cells, which run in this folder. Raises what a cell raises."""
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        record_timing=False,
        coalesce_streams=True,  # else what is printed comes in as many pieces as the clock has it
        resources={"metadata": {"path": str(HERE)}},
    )
    done = client.execute()
    done.metadata.language_info = {"name": "python"}  # not the version of this machine
    return done


def outputs(notebook: Any) -> Iterator[list[str]]:
    """What each cell of code shows as text, without what passes."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield [settled(text) for output in cell.outputs if output.get("name") != "stderr" for text in shown(output)]


def shown(output: Any) -> Iterator[str]:
    """The texts of one output."""
    if output.output_type == "stream":
        yield output.text
    for kind in ("text/plain", "text/html"):
        if kind in output.get("data", {}):
            yield output.data[kind]


def settled(text: str) -> str:
    """A text without what differs from one run to the next."""
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def main(names: list[str]) -> None:
    """Remake the notebooks that are named, all unless any is."""
    for source in sources():
        if not names or source.stem in names:
            print(source.stem, file=sys.stderr)
            nbformat.write(execute(unexecuted(source)), source.with_suffix(".ipynb"))


if __name__ == "__main__":
    main(sys.argv[1:])
