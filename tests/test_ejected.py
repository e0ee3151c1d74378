"""What an editor takes out of an ejected file, or adds to it, is told in a sentence, by whichever verb comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_kernels import edited, ejected
from span_as_text import SPAN

pytest.importorskip("triton")

from inductor_lab.ejected import GONE, blocks, load
from inductor_lab.errors import LabError
from inductor_lab.judge.process.file_parts import judged_part

TABLE = '"table2": ((4, 4), (4, 1), torch.float32, "normal"),  # more'
LAUNCH = "def launch(base, bias_1, lora, "
GENERATED = "def launch_generated(base, bias_1, lora, "


def without(name: str) -> tuple[str, str]:
    return f"\n{name} = ", f"\nONCE_{name} = "


@pytest.fixture(scope="module")
def affine() -> str:
    return ejected("affine")


def told(text: str, folder: Path) -> tuple[str, str]:
    """What is said where the file is imported, and where it is judged; empty where that can be."""
    path = folder / "mine.py"
    path.write_text(text)
    said = []
    for read in (lambda: load(path), lambda: judged_part(path, Path(str(folder / "judged")))):
        (folder / "judged").mkdir(exist_ok=True)
        try:
            read()
            said.append("")
        except LabError as error:
            said.append(str(error).removeprefix(f"{path}"))
    return said[0], said[1]


MEMORY = "; the model passes no others: make other memory inside of `launch`"
MORE = ("ARGUMENTS = {", "ARGUMENTS = {" + TABLE)
CASES = {
    "a name that all have": ([without("WRITTEN")], GONE.removeprefix("{}").format("WRITTEN")),
    "several": (
        [without("WRITTEN"), without("TAKES")],
        " is no ejected file: it has no `TAKES`; `inductor-lab eject` makes one",
    ),
    "a tensor that is taken": (
        [("TAKES = (", 'TAKES = ("table2", ')],
        ": TAKES names `table2`, which is not in ARGUMENTS",
    ),
    "a tensor that is written": (
        [("WRITTEN = (", 'WRITTEN = ("odd", ')],
        ": WRITTEN names `odd`, which is not in ARGUMENTS",
    ),
    "one that nobody reads": (
        [("WRITTEN = (", 'UNREAD = ("base2",)\nWRITTEN = (')],
        ": UNREAD names `base2`, which is not in WRITTEN",
    ),
    "no tuple": ([("WRITTEN = (", 'WRITTEN = "base"  # (')], ": WRITTEN is 'base', which is no tuple"),
    "of what nobody reads no tuple": ([("WRITTEN = (", "UNREAD = 3\nWRITTEN = (")], ": UNREAD is 3, which is no tuple"),
    "where it is from": ([("ORIGIN = {", "ORIGIN = []\nONCE = {")], ": ORIGIN is [], which is no dict"),
    "what its launch passes": (
        [('"numbers": {', '"numbers": 3, "once": {')],
        ": ORIGIN['numbers'] is 3, which is no dict",
    ),
    "one more in all": (
        [MORE, (LAUNCH, LAUNCH + "table2, ")],
        f": `launch_generated` takes base, bias_1, lora, and ARGUMENTS has table2, base, bias_1, lora{MEMORY}",
    ),
    "one less to refer to": (
        [("TAKES = (", 'TAKES = ("base",)\nONCE = (')],
        ": `reference` takes base, bias_1, lora, and TAKES has base",
    ),
    "a key": (
        [('INTERPRETER = {"launch"', 'INTERPRETER = {"launched"')],
        ": INTERPRETER has no 'launch'; put it back: an empty dict says that nothing is to be changed",
    ),
    "half a spec": (
        [MORE, (', "normal"),  #', "),  #")],
        ": ARGUMENTS['table2'] is ((4, 4), (4, 1), torch.float32), where shape, strides, dtype, what it is drawn from must stand",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_go_together_is_a_sentence(affine: str, tmp_path: Path, case: str) -> None:
    changes, said = CASES[case]
    assert told(edited(affine, *changes), tmp_path) == (said, said)


def test_a_tensor_that_launch_alone_takes_is_none_of_the_judge_s(affine: str, tmp_path: Path) -> None:
    said = f": `launch` takes base, bias_1, lora, table2, and ARGUMENTS has base, bias_1, lora{MEMORY}"
    assert told(edited(affine, (LAUNCH, LAUNCH + "table2, ")), tmp_path) == (said, "")


def test_what_values_are_drawn_from_must_be_known(affine: str, tmp_path: Path) -> None:
    for fill in ('"odd"', '("same", "odd")'):
        _, judged = told(affine.replace('"normal")', f"{fill})", 1), tmp_path)
        assert judged == f": ARGUMENTS['base'] is drawn from {fill.replace(chr(34), chr(39))}, which nobody knows"


@pytest.mark.parametrize("name", ["ORIGIN", "BYTES", "DECORATOR"])
def test_what_a_file_need_not_have_may_go(affine: str, tmp_path: Path, name: str) -> None:
    assert told(edited(affine, without(name)), tmp_path) == ("", "")


def test_the_graph_s_own_form_may_go(affine: str, tmp_path: Path) -> None:
    assert told(edited(affine, ("def aten(", "def once(")), tmp_path) == ("", "")
    assert load(tmp_path / "mine.py").module.aten is None


def test_blocks_that_an_edit_has_no_more_are_not_passed(tmp_path: Path) -> None:
    path = tmp_path / "span.py"
    path.write_text(edited(SPAN, ('"launch": {}', '"launch": {"double_BLOCK": 4096, "gone_BLOCK": 8}')))
    assert blocks(load(path).module, "launch") == {"double_BLOCK": 4096}
