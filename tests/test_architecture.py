"""The rooms' import rules, read off the source: no module is imported here.

A room that is pure text can be tested in milliseconds, and works where torch is not installed.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import inductor_lab

PACKAGE = Path(inductor_lab.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

HEAVY = {"torch", "triton", "numpy"}

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "files": {"errors"},
    "gpus": {"errors"},
    "records": set(),
    "document": set(),
    "store": {"records", "errors", "document"},
    "quantity": {"records", "dtypes"},
    "listing": {"records", "errors"},
    "shelf": {"records", "errors", "document", "store", "annotate"},
    "fragment": {"records", "aten"},
    "read": {"records", "errors", "dtypes", "aten", "fragment", "computation", "workers"},
    "dtypes": set(),
    "aten": set(),
    "computation": {"records", "dtypes"},
    "bind": {"records", "computation", "dtypes", "aten", "fragment", "gpus", "quantity"},
    "costs": {"records", "computation", "dtypes", "aten", "gpus", "quantity", "bind"},
    "annotate": {"records", "computation", "dtypes", "aten", "gpus", "quantity", "bind", "costs"},
    "report": {
        "records",
        "errors",
        "document",
        "annotate",
        "bind",
        "costs",
        "computation",
        "dtypes",
        "paths",
        "gpus",
        "quantity",
        "listing",
        "spans",
    },
    "eject": {
        "records",
        "errors",
        "annotate",
        "bind",
        "costs",
        "computation",
        "dtypes",
        "aten",
        "gpus",
        "paths",
        "ejected",
        "spans",
    },
    "spans": {
        "records",
        "errors",
        "read",
        "annotate",
        "bind",
        "costs",
        "computation",
        "aten",
        "gpus",
        "quantity",
    },
    "compare": {"records", "read", "aten"},
    "tables": {"records", "errors", "store", "annotate", "read"},
    "query": {"errors", "tables", "workers"},
    "workers": {"errors", "processes"},
    "processes": {"errors"},
    "ejected": {"errors"},
    "staleness": {"records", "errors", "store", "spans", "eject", "ejected", "files"},
    "measure/why": {"records", "errors", "gpus", "quantity", "store", "costs", "computation", "machine", "measure"},
    "measure/history": {"records", "errors", "document", "store", "files", "ejected", "staleness"},
    "views": {
        "records",
        "annotate",
        "report",
        "eject",
        "ejected",
        "store",
        "machine",
        "verify",
        "measure",
        "replay",
        "tables",
        "errors",
        "spans",
        "gpus",
        "costs",
    },
}
"""Room, or part of one that is not pure as a whole -> the rooms that it may import. All of them are pure: nothing heavy, not even inside a function."""


def module_name(module: Path) -> str:
    """`inductor_lab/read/module.py` -> `inductor_lab.read.module`, a package's `__init__.py` -> the package."""
    return ".".join(module.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


NAMES = {module_name(module) for module in MODULES}


def imports(tree: ast.AST, *, inside_functions: bool, types: bool) -> Iterator[str]:
    """Every absolute module name that is imported; what only types need (`if TYPE_CHECKING`) where `types` says so."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import at line {node.lineno}"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in NAMES or node.module == "inductor_lab" else node.module or ""
        elif isinstance(node, ast.expr) or (isinstance(node, ast.If) and for_types(node) and not types):
            continue  # no expression holds an import
        elif inside_functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports(node, inside_functions=inside_functions, types=types)


@cache
def imported(module: Path, *, inside_functions: bool, types: bool) -> tuple[str, ...]:
    """What a module imports."""
    return tuple(imports(tree(module), inside_functions=inside_functions, types=types))


def for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def room(module: Path) -> str:
    """`inductor_lab/read/module.py` -> `read`, `inductor_lab/store.py` -> `store`."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def pure_part(module: Path) -> str:
    """Its line in `ALLOWED`: `measure/why` of `inductor_lab/measure/why/texts.py`, else its room."""
    path = module.relative_to(PACKAGE).with_suffix("")
    return next((part for part in (path.as_posix(), path.parent.as_posix()) if part in ALLOWED), room(module))


@cache
def tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"), filename=str(module))


def module_id(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


def rooms_of(names: Iterable[str]) -> set[str]:
    """The rooms that are imported."""
    return {name.split(".")[1] for name in names if name.startswith("inductor_lab.")}


def heavy_of(names: Iterable[str]) -> set[str]:
    return HEAVY & {name.partition(".")[0] for name in names}


def test_a_pure_room_imports_what_it_may() -> None:
    wrong = {}
    for module in (module for module in MODULES if pure_part(module) in ALLOWED):
        found = list(imported(module, inside_functions=True, types=False))
        part = pure_part(module)
        wrong[module_id(module)] = heavy_of(found) | rooms_of(found) - ALLOWED[part] - {part}
    assert not {module: names for module, names in wrong.items() if names}


def circle(modules: Iterable[Path], *, types: bool) -> list[str]:
    """Modules that import each other, the first once more at the end; none where there is an order to import them in."""
    inside = {module_name(module): module for module in modules}
    graph = {
        name: {found for found in imported(module, inside_functions=True, types=types) if found in inside}
        for name, module in inside.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    """Nowhere in the package, and an import inside a function does not hide it.

    Two things are no import here: what stands under `if TYPE_CHECKING`, which nothing runs, and that Python runs the
    `__init__.py` of the packages that a module lies in before the module itself.
    """
    assert not circle(MODULES, types=False)


def test_no_rooms_import_each_other() -> None:
    """Also where no two of their modules do: one room stands below the other. The command line stands above them all."""
    graph: dict[str, set[str]] = {}
    for module in (module for module in MODULES if room(module) not in ("cli", "__init__", "__main__")):
        found = rooms_of(imported(module, inside_functions=True, types=False))
        graph.setdefault(room(module), set()).update(found - {room(module)})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"rooms import each other: {' -> '.join(error.args[1])}")
    assert graph["replay"] and "replay" not in graph["capture"]


@pytest.mark.parametrize("folder", ["computation", "eject/eager"])
def test_no_modules_know_each_other_s_types(folder: str) -> None:
    """Rules ask for what they are given, an `Evaluator` or a `Printer`; who knows the rules stands above them."""
    files = list((PACKAGE / folder).glob("*.py"))
    assert files and not circle(files, types=True)


@pytest.mark.parametrize(
    ("folder", "others"), [("printing", "triton cuda eager"), ("triton", "cuda"), ("cuda", "triton")]
)
def test_no_printer_imports_one_of_another_language(folder: str, others: str) -> None:
    """What Triton and CUDA C++ share is in `eject/printing/`, which knows neither."""
    found = {
        name
        for file in (PACKAGE / "eject" / folder).glob("*.py")
        for name in imported(file, inside_functions=True, types=False)
    }
    assert found
    assert not [
        name for name in found for other in others.split() if f"{name}.".startswith(f"inductor_lab.eject.{other}.")
    ]


def test_a_circle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {name: tmp_path / f"{name}.py" for name in ("one", "two", "three")}
    files["one"].write_text("from inductor_lab import two\n")
    files["two"].write_text("def late():\n    from inductor_lab.three import name\n")
    files["three"].write_text("if TYPE_CHECKING:\n    import inductor_lab.one\n")
    monkeypatch.setattr(sys.modules[__name__], "module_name", lambda path: f"inductor_lab.{path.stem}")
    assert not circle(files.values(), types=False)
    assert len(circle(files.values(), types=True)) == 4


# A kernel file is Triton itself, a workload is a module, a log of clicks a data set, parts of capture/ run in the child process alone, the judge
# runs in processes of its own, a part of it in every ejected file, and library/ is computing.
TORCH_AT_THE_TOP = ("kernels", "models", "criteo", "capture", "machine", "judge", "library", "replay")


def test_torch_is_imported_inside_functions() -> None:
    light = (module for module in MODULES if room(module) not in TORCH_AT_THE_TOP)
    assert not [
        module_id(module) for module in light if heavy_of(imported(module, inside_functions=False, types=False))
    ]


def test_every_module_says_what_it_is_for() -> None:
    assert not [module_id(module) for module in MODULES if not ast.get_docstring(tree(module))]


def test_nothing_but_the_edges_imports_the_command_line() -> None:
    inner = (module for module in MODULES if room(module) != "cli" and module.name != "__main__.py")
    assert not [
        module_id(module) for module in inner if "cli" in rooms_of(imported(module, inside_functions=True, types=False))
    ]


ROOT = PACKAGE.parent
PAGES = (
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/adding.md",
    "docs/glossary.md",
    "docs/how_the_virtual_gpu_works.md",
)


def table_of_contributing() -> dict[str, str]:
    """Room -> what the table says that it may import."""
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| room |")[2].partition("\n\n")[0]
    cells = (line.split(" | ") for line in table.splitlines()[2:])
    return {
        name.rstrip("/").removesuffix(".py"): row[-1].rstrip(" |")
        for row in cells
        for name in re.findall(r"`([\w/.]+)`", row[0])
    }


def test_every_room_stands_in_the_table_of_contributing() -> None:
    named = {name.partition("/")[0] for name in table_of_contributing()}
    assert {room(path) for path in MODULES} - {"__init__", "__main__"} == named


def test_the_table_of_contributing_says_what_a_pure_room_may_import() -> None:
    told = {
        name: set(may.split(", ")) - {"nothing"} for name, may in table_of_contributing().items() if name in ALLOWED
    }
    assert told == ALLOWED


EXAMPLES = {"cuda.py", "inductor_lab/read/recompiles.py", "inductor_lab/eject/explained.py"}
"""Files that a page has its reader write."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_only_modules_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+\.py)`", text)) - EXAMPLES
    known = {
        str(path.relative_to(ROOT)) for folder in ("inductor_lab", "tests") for path in (ROOT / folder).rglob("*.py")
    }
    lost = {name for name in named if not any(path == name or path.endswith(f"/{name}") for path in known)}
    assert not lost
    assert all((ROOT / page).parent.joinpath(link).exists() for link in re.findall(r"\]\(([\w./]+)\)", text))


def test_the_index_is_made_of_first_sentences() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "files.py"))["index"]()
    assert (ROOT / "docs" / "files.md").read_text(encoding="utf-8") == made, "run `python docs/files.py`"


def test_no_public_name_is_a_module_s() -> None:
    """Importing a module puts it into its package under its own name: what was called once would be no function then."""
    modules = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert not modules & set(inductor_lab.__all__)


PROMPT = (
    "import inductor_lab",
    "import inductor_lab; inductor_lab.load, inductor_lab.read_source, inductor_lab.capture_model, inductor_lab.CaptureView",
    "import inductor_lab.store, inductor_lab.read, inductor_lab.models",
    "import inductor_lab.pytest_plugin",
    "from inductor_lab.cli import main; main(['--help'])",
    "from inductor_lab.cli import main; main(['models'])",
    "from inductor_lab.cli import main; main(['list'])",
)


@pytest.mark.parametrize("code", PROMPT)
def test_what_must_answer_at_once_imports_nothing_heavy(code: str, tmp_path: Path) -> None:
    """Checked in a fresh process by what was imported, not by the clock."""
    report = f"print('HEAVY', sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    watch = f"import atexit, sys; atexit.register(lambda: {report}); "
    command = [sys.executable, "-c", watch + code]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    child = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
    assert "HEAVY []" in child.stderr
