"""What nobody behind a launch reads (`UNREAD` of a file) an edit may leave, write in part or write otherwise; all else it must write."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asked import asked, some
from folders import TESTS
from forking import interpreted
from small_kernels import edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

sys.path.append(str(TESTS / "benchmarks"))

import cross_entropy
import torch

from inductor_lab.judge.compare.reference import against_eager, against_generated
from inductor_lab.records import Verdict
from inductor_lab.replay.agreement import _by_reference
from inductor_lab.verify import verify_all

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

WRITTEN = 'WRITTEN = ("hidden", "gt")'
GT = "    tl.store(gt_ptr + offset, above, inside)\n"
HIDDEN = "    tl.store(hidden_ptr + offset, tl.where(above, hidden, hidden * 0.01), inside)\n"
LEFT = {
    # what nobody reads, the edit, what is said of it
    "an output": ("gt", (GT, ""), ""),
    "an output, in part": ("gt", ("above, inside)\n", "above, offset < 99)\n"), ""),
    "an output that holds something else": ("gt", ("above, inside)\n", "hidden < 7.0, inside)\n"), ""),
    "an input that is overwritten": ("hidden", (HIDDEN, ""), ""),
    "an input that is overwritten by something else": ("hidden", ("hidden * 0.01)", "hidden * 0.5)"), ""),
    "the other output": ("gt", (HIDDEN, ""), "hidden is off"),
    "nothing, and the wrong number elsewhere": ("gt", ("hidden * 0.01)", "hidden * 0.011)"), "hidden is off"),
    "an output, but writes behind it": (
        "gt", (GT, "    tl.store(gt_ptr + NUMEL + offset, above, offset < 4)\n"), "stores to gt[40, 0], 1 element behind",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, Verdict]]:
    """What each edit's own check and `verify` say."""
    folder, said, files = tmp_path_factory.mktemp("unread"), {}, {}
    for number, what in enumerate(asked(request, "what")):
        unread, change, _ = LEFT[what]
        files[what] = folder / f"{number}.py"
        files[what].write_text(edited(ejected("leaky"), change, (WRITTEN, f'{WRITTEN}\nUNREAD = ("{unread}",)')))
    checks = "import sys\nfrom inductor_lab.ejected import load\nfor path in sys.argv[1:]:\n    print(load(path).module.check())"
    inside = {what: file for what, file in files.items() if "behind" not in what}
    lines = [line for line in interpreted("-c", checks, *inside.values()).splitlines() if line in ("True", "False")]
    told = dict(zip(inside, lines, strict=True))
    for what, verdict in zip(files, verify_all(list(files.values()), effort="quick", fail_fast=True), strict=True):
        assert isinstance(verdict, Verdict), verdict
        said[what] = told.get(what, ""), verdict
    return said


@pytest.mark.parametrize(
    "what",
    some(LEFT, ["an output", "an input that is overwritten", "the other output", "an output, but writes behind it"]),
)
def test_of_what_nobody_reads_nothing_is_demanded_and_of_the_rest_all(
    found: dict[str, tuple[str, Verdict]], what: str
) -> None:
    line, verdict = found[what]
    said = LEFT[what][2]
    messages = [case.message for case in verdict.cases if not case.passed]
    assert (verdict.verdict == "fail") == bool(said) == bool(messages), messages
    assert not said or said in messages[0]
    assert line in ("", str(not said))  # what lies around a tensor the short check does not see


def test_a_launch_of_another_author_or_in_a_replay_need_not_write_it_either() -> None:
    file = SimpleNamespace(
        WRITTEN=("y", "rest"), UNREAD=("rest",), TAKES=("x",), reference=lambda x: (x * 2, x * 3), aten=None
    )
    x = torch.randn(40, generator=torch.Generator().manual_seed(0))
    made = {"y": x * 2, "rest": torch.full_like(x, torch.nan)}
    assert not against_eager(file, {"x": x}, made) and not against_generated(file, made, {"y": x * 2, "rest": x * 3})
    replayed: Any = SimpleNamespace(file=file, tensors={"x": x, **made}, numbers={}, hand=None)
    assert _by_reference(replayed, {"x": x})[::2] == ("pass", "")
    file.UNREAD = ()
    assert "rest is" in against_eager(file, {"x": x}, made)
    assert _by_reference(replayed, {"x": x})[2].startswith("rest is NaN where float64 says")


def test_who_rounds_between_two_operators_as_the_graph_does_is_right() -> None:
    """RMSNorm behind a residual: the graph scales the rounded sum, Inductor's kernel what it has in registers, and a hand kernel may do either."""
    draw = torch.Generator().manual_seed(0)
    given = {name: torch.randn(64, 256, generator=draw).to(torch.bfloat16) for name in ("x", "residual")}

    def scale(total: torch.Tensor) -> tuple[torch.Tensor]:
        return (torch.rsqrt(total.square().mean(-1) + 1e-5),)

    def reference(x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor]:
        return scale(x.to(torch.float32) + residual.to(torch.float32))

    def aten(x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor]:
        return scale((x + residual).to(torch.float32))

    file: Any = SimpleNamespace(WRITTEN=("scale",), UNREAD=(), TAKES=(*given,), reference=reference, aten=aten)
    (kept,), (rounded,) = reference(**given), aten(**given)
    assert not against_eager(file, given, {"scale": kept}) and not against_eager(file, given, {"scale": rounded})
    wrong = rounded.clone()
    wrong[7] *= 1.1
    assert against_eager(file, given, {"scale": wrong}).startswith("scale is ")
    file.aten = None
    assert "from float64" in against_eager(file, given, {"scale": rounded})


@pytest.mark.slow
def test_products_that_make_what_they_read_leave_the_buffer_between_unwritten(
    workdir: Path, lab: Callable[..., Any]
) -> None:
    """Cross entropy, backward: a gradient that is written over the logits for two products, and an edit without it."""
    shutil.copy(cross_entropy.__file__, workdir)
    assert lab("capture", "cross_entropy:tiny", "--train", "--gpu", "h200", "-o", "head").code == 0
    assert lab("eject", "head:0_backward:0-2", "-o", "mine.py").code == 0
    text = Path("mine.py").read_text()
    assert '\nUNREAD = ("mm",)' in text
    edits = {
        "edited.py": cross_entropy.edited(text),
        "wrong.py": cross_entropy.edited(text).replace("tl.where(chosen == word, 1.0, 0.0)", "0.0"),
    }
    for name, edit in edits.items():
        assert "tl.store(logits_ptr" not in edit and edit != text
        Path(name).write_text(edit)
    right, wrong = verify_all([Path(name) for name in edits], effort="quick")
    assert isinstance(right, Verdict) and right.verdict == "pass", right
    assert isinstance(wrong, Verdict) and wrong.verdict == "fail"
    assert any("is off" in case.message for case in wrong.cases)
