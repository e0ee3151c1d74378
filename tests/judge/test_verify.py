"""Verifying: what holds passes, and every way of being wrong that we could think of fails, with the reason.

The kernels are small ones written as text; all files are judged in one process, in Triton's interpreter.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asked import OnDemand, some
from forking import interpreted
from small_kernels import SMALL, edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.judge import alone
from inductor_lab.judge.compare.verdict import far
from inductor_lab.judge.inputs.cases import Time, plans, several_steps
from inductor_lab.records import Case, Verdict
from inductor_lab.report.results import result
from inductor_lab.verify import Judges, verify_all

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip


STORE = "tl.store(base_ptr + offset, tl.where(total < 0, 0.0, total), inside)"
LAUNCH = "    numel = base.numel()\n"
NVCC = """    from torch.utils import cpp_extension
    cpp_extension.CUDA_HOME = None
    cpp_extension._join_cuda_home("bin", "nvcc")
"""
"""What torch does where there is none."""
FIRST_ONLY = """    launch.calls = getattr(launch, "calls", 0) + 1
    if launch.calls > 1:
        return base
"""

WRONG: dict[str, tuple[str, tuple[tuple[str, str], ...], str, str]] = {
    # what: (kernel, changes, the case that fails first, why)
    "writes zeros": ("affine", ((STORE, "tl.store(base_ptr + offset, tl.zeros([BLOCK], tl.float32), inside)"),), "seed 0", "float64 says"),
    "does nothing": ("affine", (("    add_mul_relu[grid](", "    0 and add_mul_relu[grid]("),), "seed 0", "runs no Triton kernel"),
    "forgets the mask": ("affine", ((", inside)", ")"), (", inside, ", ", ")), "seed 0", "1 element behind a tensor of shape [40, 75]"),
    "forgets the last block": (
        "affine", (("cdiv(numel, BLOCK),)\n    add", "cdiv(numel, BLOCK) - 1 or 1,)\n    add"), ("*, BLOCK=256", "*, BLOCK=1024")), "", "float64 says",
    ),
    "forgets the mask of a size that its block divides": ("even", ((", inside)", ")"),), "tail", "loads hidden[4096], 1 element behind"),
    "stops one short": (
        "even", (("mul_ptr + offset, hidden * 2.0, inside", "mul_ptr + offset, hidden * 2.0, offset < NUMEL - 1"),), "seed 0", "is NaN where float64 says",
    ),
    "changes an input": (
        "affine", ((STORE, STORE + "\n    tl.store(lora_ptr + offset, total, inside)"),), "seed 0", "it changed lora, which it must only read",
    ),
    "clears an input": ("even", (("    numel = hidden.shape[0]", "    numel = hidden.shape[0]\n    hidden.zero_()"),), "seed 0", ""),
    "writes behind the end": (
        "affine", ((STORE, STORE + "\n    tl.store(base_ptr + NUMEL + offset, total, offset < 4)"),), "seed 0", "stores to base[40, 0], 1 element behind",
    ),
    "writes before the start": (
        "affine", ((STORE, STORE + "\n    tl.store(base_ptr + offset - 2, total, offset < 2)"),), "seed 0", "2 elements before a tensor of shape [40, 75]",
    ),
    "is right for the first call only": ("affine", ((LAUNCH, FIRST_ONLY + LAUNCH),), "rows", "runs no Triton kernel"),
    "drops a NaN": ("affine", (("tl.where(total < 0, 0.0, total)", "tl.maximum(total, 0.0)"),), "edge values", "is 0 where float64 says NaN"),
    "has a constant that is nearly right": (
        "affine", (("lora * 0.5\n    tl.store", "lora * 0.5001\n    tl.store"),), "seed 0", "float64 says",
    ),
    "computes in half precision": ("affine", (("total = bias_1", "total = bias_1.to(tl.float16).to(tl.float32)"),), "seed 0", "float64 says"),
    "is off by 1 % in bfloat16": ("affine_bf16", (("lora * 0.5\n    tl.store", "lora * 0.505\n    tl.store"),), "rows of", "is biased: "),
    "is 1 % too large in bfloat16": ("affine_bf16", (("0.0, total), inside", "0.0, total * 1.01), inside"),), "seed 0", ""),
    "never writes a bool": ("leaky", (("    tl.store(gt_ptr + offset, above, inside)\n", ""),), "seed 0", "some of gt was never written"),
    "writes half of the bools": (
        "leaky",
        (("tl.store(gt_ptr + offset, above, inside)", "tl.store(gt_ptr + offset, above, offset < 1500)"),),
        "seed 0", "some of gt was never written",
    ),
    "has a bool the wrong way round": ("leaky", (("above = hidden > 0.0", "above = hidden < 0.0"),), "seed 0", ""),
    "takes >= for >": ("leaky", (("above = hidden > 0.0", "above = hidden >= 0.0"),), "rows of every kind", "gt differs from eager at"),
    "takes another row": ("gather", (("chosen * COLUMNS", "(49 - chosen) * COLUMNS"),), "seed 0", "float64 says"),
    "takes one row too low at the end of the table": ("gather", (("chosen * COLUMNS", "tl.minimum(chosen, 48) * COLUMNS"),), "", "float64 says"),
    "is off by one in an integer": ("count", (("n * 3, inside", "n * 3 + (n % 8 == 7).to(tl.int64), inside"),), "", "mul differs from eager at"),
    "leaves an integer unwritten": (
        "count", (("inside)\n\n\ndef launch", "offset < NUMEL - 1)\n\n\ndef launch"),), "seed 0", "differs from eager at 1 of 3000 elements",
    ),
    "forgets to reduce the last block": ("sum", (("tl.range(0, R, BLOCK_R)", "tl.range(0, R - BLOCK_R, BLOCK_R)"),), "", "float64 says"),
    "reduces what lies outside": (
        "sum", (("accumulator + chosen", "accumulator + chosen + tl.where(inside_r, 0.0, 1.0)"),), "", "float64 says",
    ),
    "sums in bfloat16": (
        "sum",
        (("accumulator + chosen", "accumulator + chosen.to(tl.bfloat16).to(tl.float32)"),),
        "seed 0", "float64 says",
    ),
    "stores before it loads what it overwrites": (
        "running_mean", (("    running = tl.load(", "    tl.store(add_ptr + offset, batch * 0.1, inside)\n    running = tl.load("),), "seed 0", "add is",
    ),
    "writes outside of what it overwrites": (
        "running_mean", (("    running = tl.load(", "    tl.store(add_ptr + offset - 2, batch, offset < 2)\n    running = tl.load("),),
        "seed 0", "2 elements before a tensor of shape [40, 75]",
    ),
    "leaves what it overwrites as it was": (
        "running_mean", (("    tl.store(add_ptr + offset, batch * 0.1 + running * 0.9, inside)\n", ""),), "seed 0", "add is",
    ),
    "does not compile": ("affine", (("total = bias", "total = no_such_name + bias"),), "seed 0", "it does not run: "),
    "has a block that no card's compiler takes": (
        "affine", (("total = bias_1", "total = tl.sum(tl.zeros([BLOCK, 8192], tl.float32), 1) + bias_1"),), "seed 0", "exceeds triton maximum tensor numel",
    ),
    "raises": ("affine", ((LAUNCH, "    raise ValueError('no')\n" + LAUNCH),), "seed 0", "it does not run: ValueError: no"),
    "ends the process": ("affine", ((LAUNCH, "    import os; os._exit(0)\n" + LAUNCH),), "seed 0", "ended the process"),
    "reads memory that is not its own": (
        "affine", (("tl.load(lora_ptr + offset", "tl.load(lora_ptr + offset.to(tl.int64) * 100000000000"),), "seed 0", "99999997001 elements behind a tensor",
    ),
}  # fmt: skip

RIGHT: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "another block": ("affine", (("*, BLOCK=256", "*, BLOCK=64"),)),
    "another order": ("affine", (("bias_1 + base + lora * 0.5\n    tl.store", "lora * 0.5 + bias_1 + base\n    tl.store"),)),
    "fused multiply-add": ("affine", (("bias_1 + base + lora * 0.5\n    tl.store", "tl.fma(lora, 0.5, bias_1 + base)\n    tl.store"),)),
    "rounds as eager does in bfloat16": ("affine_bf16", (("total = bias_1 + base", "total = (bias_1 + base).to(tl.bfloat16).to(tl.float32)"),)),
    "a maximum that keeps NaN": ("affine", (("tl.where(total < 0, 0.0, total)", "tl.maximum(total, 0.0, propagate_nan=tl.PropagateNan.ALL)"),)),
    "another order of a sum": ("sum", (("BLOCK_R=512", "BLOCK_R=32"),)),
}  # fmt: skip

OTHER: dict[str, Callable[[], str]] = {
    "reference and kernel doubled": lambda: edited(
        ejected("even"), ("hidden * 2.0, inside", "hidden * 4.0, inside"), ("return (hidden * 2.0,)", "return (hidden * 4.0,)")
    ),
    "reference broken": lambda: edited(ejected("even"), ("return (hidden * 2.0,)", "return (hidden * no_such_name,)")),
    "graph says otherwise": lambda: edited(
        ejected("even"), ('says it: `verify` tells whether both agree."""\n    return (hidden * 2.0,)', 'says it."""\n    return (hidden * 3.0,)')
    ),
    "graph of another shape": lambda: edited(
        ejected("even"), ('says it: `verify` tells whether both agree."""\n    return (hidden * 2.0,)', 'says it."""\n    return (hidden[None, :5] @ hidden,)')
    ),
    "no reference": lambda: without_reference(ejected("even")),
    "no reference and wrong": lambda: edited(without_reference(ejected("even")), ("hidden * 2.0, inside", "hidden * 2.001, inside")),
    "no ejected file": lambda: "x = 1\n",
    "no Python": lambda: "def broken(:\n",
    "a block too large under the judge's": lambda: edited(
        ejected("affine"), ("total = bias_1", "total = tl.sum(tl.zeros([BLOCK, 4096], tl.float32), 1) + bias_1")
    ),
    "neither runs": lambda: ejected("even").replace("tl.program_id(0)", "tl.program_id(no_such_axis)"),
    "of another version": lambda: ejected("even").replace("tl.program_id(0)", "tl.no_such_function(0)"),
    "built by nvcc": lambda: edited(ejected("affine"), (LAUNCH, NVCC + LAUNCH)),
    "libdevice edited in": lambda: edited(
        ejected("functions"), ("libdevice.tanh(hidden)", "(1.0 - 2.0 / (libdevice.exp(2.0 * hidden) + 1.0))"), ("libdevice.rsqrt(", "1.0 / libdevice.sqrt(")
    ),
}  # fmt: skip


UNEDITED = [(name, style) for name in SMALL for style in ("readable", "verbatim")]
SOME_UNEDITED = [("leaky", "readable"), ("affine", "verbatim")]
SOME_WRONG = (
    "does nothing", "forgets the mask", "forgets the mask of a size that its block divides", "changes an input", "writes behind the end",
    "is right for the first call only", "drops a NaN", "has a constant that is nearly right", "is off by 1 % in bfloat16", "never writes a bool",
    "is off by one in an integer", "forgets to reduce the last block", "stores before it loads what it overwrites", "does not compile",
    "ends the process", "reads memory that is not its own",
)  # fmt: skip
SOME_RIGHT = ("rounds as eager does in bfloat16",)
EQUALS_EAGER = "equals eager (ATen), judged by float64"


def without_reference(text: str) -> str:
    """The file of a kernel that has no form in eager PyTorch."""
    head, found, rest = text.partition("def reference(")
    assert found
    return (
        head
        + 'reference = aten = None\nUNKNOWN = "it is a test"\n\n\nARGUMENTS = {'
        + rest.partition("ARGUMENTS = {")[2]
    )


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict | LabError]:
    """Every file of this module, judged when it is asked for: an unedited one by its kernel and style, the others by what they are."""
    changed = {what: (name, changes) for what, (name, changes, _, _) in WRONG.items()} | RIGHT

    def judge(what: str) -> Verdict | LabError:
        if what in OTHER:
            text = OTHER[what]()
        elif what in changed:
            name, changes = changed[what]
            text = edited(ejected(name), *changes)
        else:
            text = ejected(*what.split())
        path = tmp_path_factory.mktemp("ejected") / "file.py"
        path.write_text(text)
        (found,) = verify_all([path], fail_fast=True)
        return found

    return OnDemand(judge)


def verdict(found: Verdict | LabError) -> Verdict:
    assert isinstance(found, Verdict), found
    return found


@pytest.mark.parametrize(("name", "style"), some(UNEDITED, SOME_UNEDITED))
def test_an_unedited_kernel_passes(judged: dict[str, Verdict | LabError], name: str, style: str) -> None:
    found = verdict(judged[f"{name} {style}"])
    assert found.verdict == "pass", [case for case in found.cases if not case.passed]
    basis, *others = found.notes
    assert all("programs ran under its own blocks" in note for note in others)
    assert basis == EQUALS_EAGER or (name in {"scatter", "counted"} and "as PyTorch printed from it" in basis)
    assert found.device == "Triton's interpreter on the CPU"
    names = " ".join(case.name for case in found.cases)
    assert all(
        kind in names for kind in ("seed 0", "rows of every kind", "on every boundary", "edge values", "drawn now")
    )
    assert set(found.errors) == {"hand", "generated", "eager"} and found.errors["hand"] <= found.limit


@pytest.mark.parametrize("what", some(WRONG, SOME_WRONG))
def test_a_kernel_that_is_wrong_fails_and_says_why(judged: dict[str, Verdict | LabError], what: str) -> None:
    found = verdict(judged[what])
    assert found.verdict == "fail"
    _, _, where, why = WRONG[what]
    first = next(case for case in found.cases if not case.passed)
    assert where in first.name and why in first.message
    assert first.message and "\n" not in first.message
    assert not any("generated kernel itself" in note for note in found.notes)


@pytest.mark.parametrize("what", some(RIGHT, SOME_RIGHT))
def test_a_kernel_that_is_right_in_another_way_passes(judged: dict[str, Verdict | LabError], what: str) -> None:
    found = verdict(judged[what])
    assert found.verdict == "pass", [case for case in found.cases if not case.passed]
    assert set(found.notes) == {"edited since it was ejected", EQUALS_EAGER}


def test_what_does_not_run_is_tried_once_and_what_is_drawn_is_one_row(tmp_path: Path) -> None:
    name, changes, _, _ = WRONG["does not compile"]
    (tmp_path / "wrong.py").write_text(edited(ejected(name), *changes))
    (tmp_path / "right.py").write_text(ejected(name))
    wrong, right = map(verdict, verify_all([tmp_path / "wrong.py", tmp_path / "right.py"]))
    assert [case.name for case in wrong.cases] == ["seed 0"] and "no other case was tried" in wrong.notes
    names = [row[0] for row in result(right).rows]
    drawn = [case.name for case in right.cases if ", seed " in case.name]
    assert drawn and names == [*(c.name for c in right.cases if c.name not in drawn), f"{len(drawn)} drawn anew"]


@pytest.mark.parametrize("what", ["reference and kernel doubled"])
def test_a_file_whose_reference_was_edited_is_held_to_that_and_says_so(
    judged: dict[str, Verdict | LabError], what: str
) -> None:
    found = verdict(judged[what])
    assert found.verdict == "pass"
    assert any("what it must equal" in note and "edited too" in note for note in found.notes)
    assert any("the generated kernel itself does not compute what the reference says" in note for note in found.notes)


@pytest.mark.parametrize("what", some(["graph says otherwise", "graph of another shape"], ["graph says otherwise"]))
def test_a_graph_that_says_otherwise_than_the_kernel_is_told(judged: dict[str, Verdict | LabError], what: str) -> None:
    """The comment over-attributes at times: the kernel is then held to what it computes, and nobody calls that eager."""
    found = verdict(judged[what])
    assert found.verdict == "pass" and EQUALS_EAGER not in found.notes
    assert any("the graph's values are not what the kernel computes" in note for note in found.notes)


@pytest.mark.parametrize("what", ["no reference", "no reference and wrong"])
def test_without_a_reference_a_kernel_is_held_to_the_generated_one(
    judged: dict[str, Verdict | LabError], what: str
) -> None:
    found, wrong = verdict(judged[what]), what.endswith("wrong")
    assert found.verdict == ("fail" if wrong else "pass")
    assert any(
        note.endswith("what the generated kernel computes; eager is not known because it is a test")
        for note in found.notes
    )
    assert not wrong or "the generated kernel says" in found.cases[0].message


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("reference broken", "the reference in"),
        ("no ejected file", "is no ejected file"),
        ("no Python", "does not import: SyntaxError"),
        ("of another version", "can not be judged here: its baseline calls tl.no_such_function, which torch"),
        ("built by nvcc", "is not judged here: it builds CUDA C++ by nvcc, which is not found: set CUDA_HOME"),
        ("neither runs", "can not be judged on Triton's interpreter on the CPU: Inductor's own kernel does not run"),
    ],
)
def test_what_cannot_be_judged_is_an_error_of_one_sentence(
    judged: dict[str, Verdict | LabError], what: str, said: str
) -> None:
    found = judged[what]
    assert isinstance(found, LabError) and said in str(found) and "\n" not in str(found)


def test_a_fail_stays_one_where_what_comes_behind_it_can_not_be_judged(tmp_path: Path) -> None:
    later = 'launch.calls = getattr(launch, "calls", 0) + 1\n    if launch.calls > 1:\n    '
    path = tmp_path / "file.py"
    wrong = ("lora * 0.5\n    tl.store", "lora * 0.6\n    tl.store")
    path.write_text(
        edited(ejected("affine"), wrong, (LAUNCH, f"    {later}{NVCC.replace('    ', '        ')[4:]}{LAUNCH}"))
    )
    found = verdict(*verify_all([path]))
    assert found.verdict == "fail" and "float64 says" in found.cases[0].message
    assert any("no other case was tried: " in note and "is not judged here" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["libdevice edited in"])
def test_what_has_no_gpu_function_in_the_interpreter_has_a_stand_in(
    judged: dict[str, Verdict | LabError], what: str
) -> None:
    found = verdict(judged[what])
    assert found.verdict == "pass", [case for case in found.cases if not case.passed]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["a block too large under the judge's"])
def test_a_block_that_is_too_large_under_the_judges_is_judged_under_its_own(
    judged: dict[str, Verdict | LabError], what: str
) -> None:
    found = verdict(judged[what])
    assert found.verdict == "pass", [case for case in found.cases if not case.passed]
    assert "launched under its own blocks: the launcher does not take those of the check" in found.notes


BITS = """
import json, sys
import torch
from inductor_lab.ejected import load
from inductor_lab.judge import stand_ins
from inductor_lab.judge.inputs import placement
from inductor_lab.judge.inputs import families

stand_ins.install()

said = {}
for path in sys.argv[1:]:
    file = load(path).module
    for inputs in ("seed", "edges", "nan", "-0"):
        outputs = []
        drawn = families.drawn(file.ARGUMENTS, "edges" if inputs == "edges" else "normal", 7)
        for x in drawn.values():
            if x.is_floating_point() and inputs in ("nan", "-0"):
                x.fill_(float(inputs))
        given = placement.place_inputs(file, drawn, 7)
        for launch in (file.launch, file.launch_generated):
            views = given.on("cpu")
            launch(*views.values(), **file.INTERPRETER[launch.__name__])
            outputs.append(given.memories_of(views))
        same = all(map(torch.equal, *outputs))
        first = views[file.WRITTEN[0]]
        said[f"{path} {inputs}"] = [same, bool(first.isnan().any()), bool((torch.signbit(first) & (first == 0)).any())]
print(json.dumps(said))
"""


SOME_BITS = ("affine", "affine_bf16", "gather", "scatter", "sum", "welford")


@pytest.mark.parametrize(
    "names",
    [SOME_BITS, pytest.param([name for name in SMALL if name not in SOME_BITS], marks=pytest.mark.slow)],
    ids=["some", "the rest"],
)
def test_readable_and_verbatim_equal_the_generated_kernel_to_the_bit(names: Sequence[str], tmp_path: Path) -> None:
    """NaN and -0.0 included: the bytes of every written tensor, and of what lies around it."""
    paths = {}
    for name in names:
        for style in ("readable", "verbatim"):
            paths[name, style] = tmp_path / f"{name}_{style}.py"
            paths[name, style].write_text(ejected(name, style))
    said = json.loads(interpreted("-c", BITS, *paths.values()))
    assert not [what for what, (same, _, _) in said.items() if not same]
    if "affine" not in names:
        return
    affine = paths["affine", "readable"]
    assert said[f"{affine} nan"][1] and said[f"{affine} -0"][2] and said[f"{affine} edges"][1]


# ---------------------------------------------------------------- the command line


def test_verify_exits_with_0_for_what_passes_and_1_for_what_fails(lab: Callable[..., Any], workdir: Path) -> None:
    (workdir / "right.py").write_text(ejected("affine"))
    (workdir / "wrong.py").write_text(edited(ejected("affine"), (STORE, STORE.replace("0.0", "1.0"))))
    right, wrong = lab("verify", "right.py", "--quick", "--json"), lab("verify", "wrong.py", "--fail-fast", "--json")
    assert (right.code, wrong.code) == (0, 1)
    document = json.loads(right.out)
    assert (
        document["schema"] == 1
        and document["verdict"] == "pass"
        and set(document["errors"]) == {"hand", "generated", "eager"}
    )
    assert document["limit"] > 0 and document["cases"][0]["name"] == "seed 0"
    assert json.loads(wrong.out)["verdict"] == "fail"


def test_blocks_that_the_interpreter_is_slow_at_are_run_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small_blocks.py"
    file.write_text(edited(ejected("affine"), ("*, BLOCK=256,", "*, BLOCK=1,")))
    monkeypatch.setattr(alone, "INTERPRETING", True)
    cases = {
        effort: {one.name for one in plans(load(file).module, effort, 3, 7, Time(own=False))}
        for effort in ("default", "thorough")
    }
    assert cases["thorough"] - cases["default"] >= {"its own blocks"}


def test_whoever_stops_it_is_told_which_cases_had_ended(
    lab: Callable[..., Any], workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(self: Judges, *_: Any) -> list[Verdict]:
        self.done["mine.py"] = [
            Case("seed 0", True, {}, "", 0.1),
            Case("edge values", False, {}, "out is NaN at one element", 0.1),
        ]
        raise KeyboardInterrupt

    (workdir / "mine.py").write_text(ejected("affine"))
    monkeypatch.setattr(Judges, "judged", judged)
    found = lab("verify", "mine.py")
    assert found.code == 130
    assert "stopped; of mine.py: seed 0 passed; edge values failed: out is NaN at one element" in found.err


@pytest.mark.slow
def test_what_is_drawn_anew_can_be_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "affine.py").write_text(ejected("affine"))
    names = []
    for fixed, seed in (("9", {}), ("3", {"seed": 9}), ("", {})):
        monkeypatch.setenv("INDUCTOR_LAB_SEED", fixed)
        (found,) = verify_all([tmp_path / "affine.py"], **seed)
        names.append([case.name for case in verdict(found).cases])
    assert names[0] == names[1] != names[2] and "seed 9, drawn now" in names[0]
    (alone_again,) = verify_all([tmp_path / "affine.py"], case="groups of every kind, seed 11")
    assert [case.name for case in verdict(alone_again).cases] == ["groups of every kind, seed 11"]
    monkeypatch.setenv("INDUCTOR_LAB_SEED", "nine")
    with pytest.raises(LabError, match="'nine', which is no number"):
        verify_all([tmp_path / "affine.py"])


@pytest.mark.slow
def test_each_case_is_told_with_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "affine.py").write_text(ejected("affine"))
    told: list[str] = []
    (found,) = verify_all([tmp_path / "affine.py"], progress=told.append, effort="quick")
    cases = verdict(found).cases
    assert [line.partition(", about")[0].rstrip(")") for line in told] == [
        f"{case.name} ({number} of {len(cases)}" for number, case in enumerate(cases, 1)
    ]


@pytest.mark.parametrize(
    ("number", "seconds", "said"),
    [(0, 9.0, "1 of 8"), (2, 0.5, "3 of 8"), (2, 9.0, "3 of 8, about 27 s left"), (7, 35.0, "8 of 8, about 5 s left")],
)
def test_how_long_the_others_take_is_told_where_it_is_long(number: int, seconds: float, said: str) -> None:
    assert far(number, 8, seconds) == said


def test_a_loop_takes_several_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inductor_lab.judge.alone.INTERPRETING", True)
    launch = {"BLOCK": 64, "BLOCK_R": 1024}
    generated = {"XBLOCK": 64, "R0_BLOCK": 1024}
    blocks_of = {"launch": launch, "launch_generated": generated}
    file: Any = SimpleNamespace(INTERPRETER=blocks_of, SIZES={"s7": 7}, launch_generated=lambda x: None)
    blocks = {"XBLOCK": "BLOCK", "R0_BLOCK": "BLOCK_R"}
    for size, block in (("1000", 256), ("s7", 2), ("2", 1), ("1", None), ("s9*s7", None)):
        file.ORIGIN = {"blocks": blocks, "numbers": {"xnumel": "300", "r0_numel": size}}
        assert several_steps(file) == ({"BLOCK_R": block} if block else {})
        assert several_steps(file, "launch_generated") == ({"R0_BLOCK": block} if block else {})


def test_programs_that_share_a_row_keep_their_blocks() -> None:
    """The memory in which they meet is made for as many as there are under these."""

    def launch_generated(x: Any, *, R0_BLOCK: int = 256) -> None:
        import torch

        torch.zeros(8000, dtype=torch.uint8, device=x.device)

    file: Any = SimpleNamespace(INTERPRETER={"launch": {"R0_BLOCK": 256}}, launch_generated=launch_generated)
    file.ORIGIN = {"blocks": {"R0_BLOCK": "R0_BLOCK"}, "numbers": {"r0_numel": "200"}}
    assert several_steps(file) == {}


def test_on_a_card_a_loop_takes_no_larger_steps_than_inductors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of a third of two million elements would be compiled for minutes."""
    monkeypatch.setattr("inductor_lab.judge.alone.INTERPRETING", False)

    def launch_generated(x: Any, *, XBLOCK: int = 1, R0_BLOCK: int = 2048) -> None: ...

    file: Any = SimpleNamespace(INTERPRETER={"launch": {"BLOCK_R": 131072}}, launch_generated=launch_generated)
    for size, block in (("2097152", 2048), ("3000", 512)):
        file.ORIGIN = {"blocks": {"R0_BLOCK": "BLOCK_R"}, "numbers": {"r0_numel": size}}
        assert several_steps(file) == {"BLOCK_R": block}


@pytest.mark.slow
def test_programs_that_are_not_there_are_told_by_what_nobody_wrote(tmp_path: Path) -> None:
    fewer = edited(ejected("affine"), ("cdiv(numel, BLOCK),)\n    add", "cdiv(numel, BLOCK) - 1,)\n    add"))
    files = {"fewer.py": fewer, "short.py": edited(ejected("even"), ("* 2.0, inside", "* 2.0, offset < NUMEL - 96"))}
    told = []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        (found,) = verify_all([tmp_path / name], case="its own blocks")
        told.append(verdict(found).cases[0].where["pattern"])
    assert told == [
        "one block too few (BLOCK=256): the last 184 elements, counted row by row, written by no program",
        "the last 96 elements, written by no program",
    ]


def test_a_case_alone_may_pass_to_the_bit(tmp_path: Path) -> None:
    (tmp_path / "affine.py").write_text(ejected("affine"))
    (found,) = verify_all([tmp_path / "affine.py"], case="on every boundary")
    assert isinstance(found, Verdict) and found.verdict == "pass" and len(found.cases) == 1


def test_verify_exits_with_2_for_what_is_not_there_or_no_ejected_file(lab: Callable[..., Any], workdir: Path) -> None:
    (workdir / "other.py").write_text("x = 1\n")
    for name in ("missing.py", "other.py"):
        found = lab("verify", name)
        assert found.code == 2 and found.out == "" and name in found.err and "Traceback" not in found.err


@pytest.mark.slow
def test_inputs_that_fail_are_kept_and_run_again_by_the_same_name(lab: Callable[..., Any], workdir: Path) -> None:
    (workdir / "wrong.py").write_text(edited(ejected("affine"), (STORE, STORE.replace("0.0", "1.0"))))
    kept = lab("verify", "wrong.py", "--quick", "--save", "fails.v1")
    assert kept.code == 1 and (workdir / "fails.v1.npz").is_file() and "--case fails.v1.npz" in kept.err
    for name in ("fails.v1", "fails.v1.npz"):
        again = lab("verify", "wrong.py", "--case", name, "--json")
        (case,) = json.loads(again.out)["cases"]
        assert again.code == 1 and case["name"] == "seed 0, from fails.v1.npz"
    nowhere = lab("verify", "wrong.py", "--save", "nowhere/fails")
    assert nowhere.code == 2 and "There is no folder nowhere" in nowhere.err
    (workdir / "cut.npz").write_bytes((workdir / "fails.v1.npz").read_bytes()[:200])
    cut = lab("verify", "wrong.py", "--case", "cut")
    assert cut.code == 2 and "holds no inputs that `verify --save` wrote." in cut.err


def test_equal_integers_do_not_stand_for_a_file_whose_floats_are_off() -> None:
    from inductor_lab.judge.compare.limits import nearness

    assert nearness(0.0, 0.0) < nearness(0.0, 1e-7) < nearness(1e-8, 1e-7) < nearness(2e-7, 1e-7) < nearness(1.0, 0.0)
