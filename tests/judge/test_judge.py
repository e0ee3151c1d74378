"""The rooms of the judge that need no kernel: messages, the judged part of a file, inputs made smaller, inputs kept."""

from __future__ import annotations

import ast
import socket
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from folders import GENERATIONS
from small_kernels import edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from inductor_lab.eject import eject
from inductor_lab.ejected import JUDGE_STARTS
from inductor_lab.errors import LabError
from inductor_lab.judge.compare.judge import Judge, Launched
from inductor_lab.judge.compare.verdict import reduced
from inductor_lab.judge.inputs.cases import Plan, load_inputs, save_inputs
from inductor_lab.judge.inputs.placement import place_inputs, strayed
from inductor_lab.judge.process import kernel_process
from inductor_lab.judge.process.file_parts import forbidden_name, judged_part, missing_names
from inductor_lab.read import read
from inductor_lab.records import Verdict

IMPORT = "from torch._inductor.runtime import triton_helpers\n"


def test_a_message_arrives_with_its_bytes_and_an_end_is_told() -> None:
    here, there = socket.socketpair()
    kernel_process.send(here, {"what": "launch"}, [memoryview(b"abc"), memoryview(b"")])
    assert kernel_process.receive(there) == ({"what": "launch"}, [bytearray(b"abc"), bytearray(b"")])
    there.settimeout(0.01)
    with pytest.raises(TimeoutError):
        kernel_process.receive(there)
    here.close()
    with pytest.raises(kernel_process.EndedError):
        kernel_process.receive(there)


def test_what_judges_is_read_without_the_kernel_that_somebody_edited(tmp_path: Path) -> None:
    text = edited(
        ejected("affine"), ("@triton.jit\ndef add_mul_relu", "raise SystemExit\n@triton.jit\ndef add_mul_relu")
    )
    (tmp_path / "mine.py").write_text(text.replace("import sys\n", "import sys\nimport no_such_package\n", 1))
    (tmp_path / "copy").mkdir()
    found = judged_part(tmp_path / "mine.py", tmp_path / "copy")
    assert not hasattr(found, "launch") and found.WRITTEN == ("base",)
    number = next(n for n, line in enumerate(text.splitlines(), 2) if line.startswith("def reference"))
    assert found.reference.__code__.co_firstlineno == number  # lines are those of the file


@pytest.mark.parametrize(
    ("text", "said"),
    [("x = 1\n", "is no ejected file"), ("def broken(:\n", "does not import: SyntaxError"), ("x = '\0'\n", "does not import")],
)  # fmt: skip
def test_what_is_no_ejected_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(LabError, match=said):
        judged_part(tmp_path / "mine.py", tmp_path)


def test_what_a_baseline_calls_and_the_installed_versions_lack_is_said_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper of torch 2.13 under a torch that has it not; the text is asked, and nothing of it runs."""
    older = ModuleType("torch._inductor.runtime.triton_helpers")
    older.maximum = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, older.__name__, older)
    text = ejected("affine")
    text = text.replace("import triton.language as tl\n", f"import triton.language as tl\n{IMPORT}", 1)
    head, _, baseline = text.partition("to the letter\n")
    baseline = baseline.replace("@triton.jit\ndef generated", "raise SystemExit\n@triton.jit\ndef generated")
    baseline = baseline.replace(
        "    tl.store(", "    triton_helpers.rand4x(tl.no_such.part, tl.float32, tl.math.exp2)\n    tl.store(", 1
    )
    (tmp_path / "mine.py").write_text(f"{head}to the letter\n{baseline}")
    with pytest.raises(LabError) as told:
        judged_part(tmp_path / "mine.py", tmp_path)
    assert "its baseline calls triton_helpers.rand4x, tl.no_such, which torch" in str(told.value)
    assert f"torch {torch.__version__} and triton" in str(
        told.value
    ) and "it is from torch 2.13.0 and triton 3.7.1" in str(told.value)


def test_a_module_that_the_installed_versions_lack_is_said_too() -> None:
    text = "from torch._inductor.of_2030 import helpers\nfrom triton.language import math as tl_math, no_such\nimport triton.language as tl"
    assert missing_names(ast.parse(text).body) == ["torch._inductor.of_2030.helpers", "triton.language.no_such"]


def test_inputs_are_made_as_small_as_they_can_be_and_still_fail() -> None:
    generator = torch.Generator().manual_seed(0)
    values = {"x": torch.randn(8, 50, generator=generator), "row": torch.randint(3, 9, (8,), generator=generator)}
    values["x"][5, 17] = 42.0
    arguments = {"x": ((8, 50), (50, 1), torch.float32, "normal"), "row": ((8,), (1,), torch.int64, (3, 9))}
    found, words = reduced(arguments, values, lambda one: bool((one["x"] == 42.0).any()))
    assert found["x"].nonzero().tolist() == [[5, 17]] and bool((found["row"] == 3).all())
    assert words == "x 42 at [5, 17], else 0; row all 3"


def test_inputs_that_fail_are_kept_and_come_back_to_the_bit(tmp_path: Path) -> None:
    values = {"x": torch.tensor([1.0, float("nan"), -0.0], dtype=torch.bfloat16), "n": torch.tensor([2**40])}
    plan = Plan("edge values", "edges", 7, {"BLOCK": 64})
    save_inputs(tmp_path / "f.npz", tmp_path / "mine.py", plan, values, "x is wrong")
    file = SimpleNamespace(
        ARGUMENTS={"x": ((3,), (1,), torch.bfloat16, "normal"), "n": ((1,), (1,), torch.int64, (0, 9))}
    )
    name, same, found = load_inputs(tmp_path / "f.npz", file)
    assert (name, same) == ("edge values, from f.npz", plan)
    for each, value in values.items():
        assert torch.equal(found[each].view(torch.uint8), value.view(torch.uint8))
    file.ARGUMENTS["x"] = ((4,), (1,), torch.bfloat16, "normal")
    with pytest.raises(LabError, match="another kernel"):
        load_inputs(tmp_path / "f.npz", file)
    (tmp_path / "other.npz").write_bytes(b"no inputs")
    with pytest.raises(LabError, match="holds no inputs"):
        load_inputs(tmp_path / "other.npz", file)


def test_what_was_changed_that_is_not_there_to_be_written_is_found() -> None:
    file = SimpleNamespace(
        ARGUMENTS={
            "x": ((4, 3), (5, 1), torch.float32, "normal"),  # two elements between the rows belong to nobody
            "y": ((4, 3), (3, 1), torch.float32, "out"),
        },
        WRITTEN=("y",),
    )
    laid = place_inputs(file, {"x": torch.ones(4, 3)}, seed=0)

    def after(change: str) -> list[bytearray]:
        parts = [memory.clone() for memory in laid.memories]
        views = {name: parts[how["memory"]].view(torch.float32) for name, how in laid.layout.items()}
        start = (len(views["x"]) - (5 * 3 + 3)) // 2
        {
            "nothing": lambda: views["y"][start : start + 12].fill_(2.0),
            "x": lambda: views["x"][start].fill_(3.0),
            "hole": lambda: views["x"][start + 3].fill_(3.0),
            "behind": lambda: views["y"][start + 12].fill_(2.0),
        }[change]()
        return [bytearray(part.numpy().tobytes()) for part in parts]

    assert strayed(file, laid, after("nothing")) == ""
    assert (
        strayed(file, laid, after("x")) == strayed(file, laid, after("hole")) == "it changed x, which it must only read"
    )
    assert strayed(file, laid, after("behind")) == "it wrote outside of y"

    def theirs(change: str) -> list[torch.Tensor]:
        """As memory comes from a launch on a card."""
        memories = [torch.frombuffer(part, dtype=torch.uint8) for part in after(change)]
        views = {name: memories[how["memory"]][:1] for name, how in laid.layout.items()}
        return laid.memories_of(views)

    assert strayed(file, laid, after("behind"), theirs=theirs("behind")) == ""  # a card's TMA stores whole 16 bytes
    assert strayed(file, laid, after("behind"), theirs=theirs("nothing")) == "it wrote outside of y"
    assert strayed(file, laid, after("x"), theirs=theirs("x")) == "it changed x, which it must only read"

    def said(change: str, **told: list[Any]) -> str:
        """What is told of a launch whose process says this of it."""
        told = {"did": [], "changed": [], **told}
        launched = Launched(Plan("", "normal", 0), file, laid, None, None, told, after(change))
        return object.__new__(Judge)._trespass(launched)

    line, nameless = ({"kind": "store outside", "tensor": "y", "message": message} for message in ("line 3 stores", ""))
    assert said("behind", faults=[nameless, line]) == "line 3 stores"
    assert said("x", faults=[nameless], did=[""]) == "it changed x, which it must only read"
    assert said("nothing", did=["", "it forks"], changed=["x"]) == "it forks"
    assert said("nothing", changed=["x"]) == "it changed x, which it must only read, and put it back"
    assert said("nothing") == ""


@pytest.mark.slow
def test_a_file_that_is_given_up_leaves_its_news_to_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One server judges in turn: what still comes of a file that took too long is not the next one's."""
    import inductor_lab.verify as verification

    right = ejected("affine")
    texts = {
        "slow": right.replace("    numel = base.numel()\n", "    import time\n    time.sleep(3600)\n", 1),
        "right": right,
        "wrong": right.replace("lora * 0.5\n", "lora * 0.51\n", 1),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(verification, "TIMEOUT", 25.0)
    monkeypatch.setattr(verification.os, "cpu_count", lambda: 2)
    found = verification.verify_all([tmp_path / f"{name}.py" for name in texts], effort="quick")
    assert [one.verdict for one in found if isinstance(one, Verdict)] == ["fail", "pass", "fail"]


def test_only_the_import_of_a_line_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(ejected("affine").replace("import torch\n", "import torch; torch.edited = True\n", 1))
    (tmp_path / "part").mkdir()
    judged_part(path, tmp_path / "part")
    import torch

    assert "import torch\n" in (tmp_path / "part" / "kernel.py").read_text() and not hasattr(torch, "edited")


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Off = torch._C._DisableTorchDispatch", "_C"),
        ("import numpy", "numpy"),
        ("import inductor_lab.judge.watch.launcher", "inductor_lab.judge.watch.launcher"),
        ("from torch.utils import dlpack", "torch.utils.dlpack"),
        ("exec('1')", "exec"),
        ("torch.nn.functional.relu.__code__ = None", "__code__"),
        ("sys.modules.clear()", "modules"),
        ("import logging\nfrom functools import cache\nfrom triton.language.extra import libdevice", ""),
        ("assert torch.empty(1).data_ptr() % 4 == 0", ""),
    ],
)
def test_behind_what_a_file_uses_one_can_look(above: str, name: str) -> None:
    text = ejected("affine").replace("@triton.jit\n", f"{above}\n\n\n@triton.jit\n", 1)
    said = forbidden_name(text)
    assert bool(said) == bool(name) and (not name or f" uses {name}, behind which" in said)


def test_what_eject_writes_hides_nothing() -> None:
    from faults import kernels

    texts = [kernels.ejected(name) for name in ("softmax", "cumsum", "gather", "embedding_backward_2", "stable_sort")]
    found = read([GENERATIONS / "g4_torch_2.6.txt"], "x")
    texts += [
        eject(found, kernel) for kernel in found.kernels if kernel.launches
    ]  # among them programs that wait for each other
    assert "_in_turns" in "".join(texts)
    assert not [said for said in map(forbidden_name, texts) if said]


@pytest.mark.parametrize(
    "edit",
    [
        "class CudaKernel:\n    def run(self): pass\n",
        "cuda_kernel = print\n",
        "def launch(x):\n    cuda_kernel.built = {}\n",
        "other = CudaKernel\n",
    ],
)
def test_nothing_takes_the_place_of_what_launches_a_cu_file(edit: str) -> None:
    """What it changes would count as a kernel's own."""
    assert "behind which nobody can look" in forbidden_name(f"{edit}\n{JUDGE_STARTS}\n")
    assert not forbidden_name(f"def launch(x):\n    cuda_kernel(x, 3)\n    return x\n\n{JUDGE_STARTS}\n")
