"""Does `make test` notice a broken room? Each room of inductor_lab/ is broken once, in a copy, and the tests run until the first one fails.

    python tests/benchmarks/broken_rooms.py -o tests/benchmarks/results/broken_rooms.json
    python tests/benchmarks/broken_rooms.py read eject

What is broken is the function that the package imports most of the room: its first condition is negated, or, where it has none, it returns
nothing. A room that is all tables loses the first half of its largest one. The room's own tests and those
that import it run first, all where these pass.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "inductor_lab"
SECONDS = 1200
"""Of one run of the tests; a break after which they never end is found."""


@cache
def used() -> Counter[tuple[str, str]]:
    """(room, name) -> how often the package imports it or asks the room's module for it."""
    found: Counter[tuple[str, str]] = Counter()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inductor_lab."):
                found.update(((node.module or "").split(".")[1], alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found[node.value.id, node.attr] += 1
    return found


def rooms() -> dict[str, list[Path]]:
    """Room -> its modules."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found.setdefault(path.relative_to(PACKAGE).parts[0].removesuffix(".py"), []).append(path)
    return {room: paths for room, paths in found.items() if not room.startswith("__")}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Those that others may call, and those of its classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def broken(room: str, paths: Sequence[Path]) -> tuple[Path, str, str]:
    """(the module that is broken, its text then, what was done to it)."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    choice = [(path, one) for path, tree in trees.items() for one in functions(tree)]
    if not choice:
        return without_half(trees)
    path, chosen = max(choice, key=lambda each: (used()[room, each[1].name], each[1].end_lineno - each[1].lineno))  # type: ignore[operator]
    inside = sorted(
        (node for node in ast.walk(chosen) if isinstance(node, (ast.If, ast.IfExp, ast.Return))),
        key=lambda node: (isinstance(node, ast.Return), node.lineno),
    )
    node = inside[0] if inside else chosen.body[-1]
    if isinstance(node, (ast.If, ast.IfExp)):
        old, new = node.test, f"not ({ast.unparse(node.test)})"
    else:
        old, new = node, "return None"
    return path, edited(path, old, new), f"{chosen.name}, line {old.lineno}: {new}"


def without_half(trees: dict[Path, ast.Module]) -> tuple[Path, str, str]:
    tables = (ast.Dict, ast.Set, ast.Tuple, ast.List)
    found = [(path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, tables)]
    path, table = max(found, key=lambda each: len(list(ast.walk(each[1]))))
    rows = [row for _, row in ast.iter_fields(table) if isinstance(row, list)]
    said = f"line {table.lineno}: {len(rows[0])} rows are {len(rows[0]) // 2}"
    for row in rows:
        del row[: (len(row) + 1) // 2]
    return path, edited(path, table, ast.unparse(table)), said


def edited(path: Path, node: ast.expr | ast.stmt, new: str) -> str:
    """The module with other words for one node."""
    lines = path.read_bytes().splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or 0) - 1
    before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    return b"".join([*lines[:first], before, new.encode(), after, *lines[last + 1 :]]).decode()


def found_by(copy: Path, *words: str) -> str:
    """The first test that fails; nothing where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *words]
    try:
        run = subprocess.run(
            command,
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "they do not end"
    if not run.returncode:
        return ""
    failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else (run.stdout + run.stderr).strip().splitlines()[-1]


def near(room: str) -> list[str]:
    """The room's own tests, and those that import it."""
    own = [ROOT / "tests" / room, ROOT / "tests" / f"test_{room}.py"]
    imports = re.compile(rf"\binductor_lab(\.| import .*\b){room}\b")
    others = [
        path for path in sorted((ROOT / "tests").rglob("test_*.py")) if imports.search(path.read_text(encoding="utf-8"))
    ]
    found = [path for path in own if path.exists()]
    found += [path for path in others if own[0] not in path.parents and path not in own]
    return [str(path.relative_to(ROOT)) for path in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", help="all, if none is named")
    parser.add_argument(
        "--near", action="store_true", help="leave out what only the other tests might find: those take minutes a room"
    )
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    rows = {}
    if asked.output and asked.output.exists():
        rows = {row["room"]: row for row in json.loads(asked.output.read_text(encoding="utf-8"))}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__"))
        for room, paths in rooms().items():
            if asked.rooms and room not in asked.rooms:
                continue
            path, text, change = broken(room, paths)
            place = copy / path.relative_to(ROOT)
            place.write_text(text, encoding="utf-8")
            tests = near(room)
            test = found_by(copy, *tests) if tests else ""
            if not test and not asked.near:
                test = found_by(copy, "-n", "2", "--dist", "worksteal")
            shutil.copy(path, place)
            if not test and asked.near:
                print(f"{room}: {change}\n    left", flush=True)
                continue
            rows[room] = {"room": room, "module": str(path.relative_to(ROOT)), "change": change, "found_by": test}
            print(f"{room}: {change}\n    {test or 'NOT FOUND'}", flush=True)
            if asked.output:
                asked.output.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    print(f"{sum(bool(row['found_by']) for row in rows.values())} of {len(rows)} are found")


if __name__ == "__main__":
    main()
