"""Where the templates lie: at the top of a checkout, or inside an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent


def templates_folder() -> Path:
    """`templates/` beside the package in a checkout, `inductor_lab/_templates` in a wheel (see pyproject.toml)."""
    shipped = PACKAGE / "_templates"
    return shipped if shipped.is_dir() else PACKAGE.parent / "templates"
