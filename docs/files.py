"""The index of all modules, docs/files.md, made of the first sentences of their docstrings.

python docs/files.py        writes it; tests/test_architecture.py holds it to the code
"""

from __future__ import annotations

import ast
import re
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "inductor_lab"
PAGE = ROOT / "docs" / "files.md"
HEAD = """# Every module

In each room its modules, by the first sentence of each. Made by `python docs/files.py`; [architecture.md](architecture.md) says what the rooms are for.
"""


def sentence(module: Path) -> str:
    """The first sentence of its docstring, on one line."""
    said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    first = " ".join(said.partition("\n\n")[0].split())
    return re.split(r"(?<=[.?!:]) (?=[A-Z`])", first)[0].rstrip(":")


def index() -> str:
    """The page."""
    modules = sorted(PACKAGE.rglob("*.py"), key=lambda path: (path.parent.parts, path.stem != "__init__", path.stem))
    parts = [HEAD]
    for folder, found in groupby(modules, key=lambda path: path.parent):
        told = [(path.name, sentence(path)) for path in found]
        lines = [f"- `{name}`: {said}" for name, said in told if said and name != "__init__.py"]
        own = next((said for name, said in told if name == "__init__.py"), "")
        heading = f"## {folder.relative_to(ROOT)}/"
        parts.append("\n\n".join(filter(None, [heading, own, "\n".join(lines)])) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(index(), encoding="utf-8")
