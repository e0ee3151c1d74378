"""The verb that sets two captures side by side: compare."""

from __future__ import annotations

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json


def compare(
    old: CaptureName,
    new: CaptureName,
    json: Json = False,
) -> None:
    """Kernels added, removed, changed; fusion that moved.

    Two torch versions, or two edits of a model. Exits with 1 when they differ.
    """
    from inductor_lab import store
    from inductor_lab.compare import compare as align
    from inductor_lab.report import comparison

    found = align(store.find_capture(old), store.find_capture(new))
    if json:
        output.document(comparison.document(found))
    else:
        output.show(*comparison.comparison(found))
    raise typer.Exit(int(found.differs))
