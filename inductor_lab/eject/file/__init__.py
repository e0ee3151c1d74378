"""A plan and its hand kernel -> the text of a file: the values that the template places, and the hashes in its header."""

from __future__ import annotations

from inductor_lab.eject.file.text import filled, render

__all__ = ["filled", "render"]
