"""A file that is no longer whole: every verb that is given it says so in a sentence, or does without what is missing; none ends in a traceback."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import some

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab import GraftWarning, LabError, graft
from inductor_lab.cli import main
from inductor_lab.pytest_plugin import Held

KERNEL, SPAN = "0", "0_forward:2-4"


def without(name: str) -> Callable[[str], str]:
    """Every statement that defines it taken out."""

    def changed(text: str) -> str:
        lines = text.splitlines(keepends=True)
        for one in reversed(ast.parse(text).body):
            named = one.name if isinstance(one, ast.FunctionDef) else ""
            if isinstance(one, ast.Assign):
                named = ast.unparse(one.targets[0])
            if named == name:
                first = min([one.lineno, *(decorator.lineno for decorator in getattr(one, "decorator_list", []))])
                del lines[first - 1 : one.end_lineno]
        return "".join(lines)

    return changed


def told(key: str, value: str) -> Callable[[str], str]:
    """Another value for a key of ORIGIN, which each has a line of its own; without a value no such line."""
    return lambda text: re.sub(rf'(?m)^    "{key}": .*\n', f'    "{key}": {value},\n' if value else "", text)


def renamed(text: str) -> str:
    """A tensor, where it is described alone."""
    return re.sub(r'(\nARGUMENTS = \{.*\n    ")', r"\1other_", text, count=1)


DAMAGE: dict[str, Callable[[str], str]] = {
    "without generated": without("generated"),
    "without generated_0": without("generated_0"),
    "without launch_generated": without("launch_generated"),
    "without reference": without("reference"),
    "without aten": without("aten"),
    "without TAIL": without("TAIL"),
    "without UNREAD": without("UNREAD"),
    "without INTERPRETER": without("INTERPRETER"),
    "without ORIGIN": without("ORIGIN"),
    "a tensor renamed": renamed,
    "UNREAD no tuple": lambda text: text.replace("\nWRITTEN =", "\nUNREAD = 3\nWRITTEN =", 1),
    "ORIGIN no dict": lambda text: re.sub(r"(?ms)^ORIGIN = \{.*?^\}", "ORIGIN = []", text),
    "ORIGIN without kernel": told("kernel", ""),
    "ORIGIN without parameters": told("parameters", ""),
    "ORIGIN of other numbers": told("numbers", "3"),
    "ORIGIN of other blocks": told("blocks", "3"),
    "ORIGIN of a span of numbers": told("span", "[3]"),
}
FEW = ("without generated", "without generated_0", "a tensor renamed", "UNREAD no tuple", "ORIGIN of other numbers")
"""For verbs that begin a process or compile."""
VERBS: dict[str, tuple[str, ...]] = {
    "status": ("mine.py",),
    "inspect": ("mine.py",),
    "diff": ("mine.py",),
    "tune": ("mine.py",),
    "verify": ("mine.py", "--quick", "--fail-fast"),
    "eject": ("{of}", "-o", "mine.py", "--update"),
    "replay": ("{capture}", "--graft", "{which}=mine.py"),
}


@pytest.fixture(scope="module")
def lora(captured_once: Callable[..., Path]) -> Path:
    return captured_once("lora_mlp", size="laptop", train=True)


@pytest.fixture(scope="module")
def texts(lora: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `eject` makes of a kernel and of a span."""
    folder, found = tmp_path_factory.mktemp("whole"), {}
    for number, which in enumerate((KERNEL, SPAN)):
        file = folder / f"{number}.py"
        with pytest.raises(SystemExit) as ended:
            main(["eject", f"{lora}:{which}", "-o", str(file)])
        assert not ended.value.code
        found[which] = file.read_text()
    return found


@pytest.fixture
def damaged(texts: dict[str, str], workdir: Path) -> Callable[[str, str], None]:
    """Writes mine.py: of a kernel or a span, with one damage."""

    def write(which: str, damage: str) -> None:
        for file in workdir.glob("mine.*"):
            file.unlink()
        Path("mine.py").write_text(DAMAGE[damage](texts[which]))

    return write


@pytest.mark.parametrize("which", [KERNEL, pytest.param(SPAN, marks=pytest.mark.slow)], ids=["kernel", "span"])
@pytest.mark.parametrize("verb", some(VERBS, [verb for verb in VERBS if verb not in ("diff", "tune", "verify")]))
def test_no_verb_ends_in_a_traceback(damaged: Any, lab: Callable[..., Any], lora: Path, verb: str, which: str) -> None:
    words = [word.format(of=f"{lora}:{which}", capture=lora, which=which) for word in VERBS[verb]]
    for damage in DAMAGE if verb in ("status", "eject") else FEW:
        damaged(which, damage)
        found = lab(verb, *words)
        assert found.code in (0, 1, 2), damage
        assert "--debug" not in found.err and " broke in " not in found.err and "KeyError" not in found.err, (
            damage,
            found.err,
        )
        assert found.err.count("error: ") == (found.code == 2), (damage, found.err)


@pytest.mark.parametrize("which", [KERNEL, SPAN], ids=["kernel", "span"])
def test_neither_does_a_graft_nor_a_test(damaged: Any, which: str) -> None:
    refused = []
    for damage in DAMAGE:
        damaged(which, damage)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraftWarning)
            try:
                with graft("mine.py"):
                    pass
            except LabError:
                refused.append(damage)
    lacking = {
        "without launch_generated",
        "without reference",
        "without TAIL",
        "without INTERPRETER",
        "without ORIGIN",
        "a tensor renamed",
    }
    assert lacking <= {*refused} and "without aten" not in refused and "without UNREAD" not in refused
    assert ("without generated" in refused) == (which == KERNEL)
    damaged(which, "UNREAD no tuple")
    with pytest.raises(pytest.fail.Exception, match="UNREAD is 3, which is no tuple"):
        Held(Path("mine.py")).check_correct()
