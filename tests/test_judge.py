"""The rooms of the judge that need no kernel: messages, the judged part of a file, inputs made smaller, inputs kept."""

from __future__ import annotations

import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_kernels import edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from inductor_lab.errors import LabError
from inductor_lab.judge import saved, wire
from inductor_lab.judge.judged import judged_part
from inductor_lab.judge.laid import lay, strayed
from inductor_lab.judge.plan import Plan
from inductor_lab.judge.smallest import reduced


def test_a_message_arrives_with_its_bytes_and_an_end_is_told() -> None:
    here, there = socket.socketpair()
    wire.send(here, {"what": "launch"}, [memoryview(b"abc"), memoryview(b"")])
    assert wire.receive(there) == ({"what": "launch"}, [bytearray(b"abc"), bytearray(b"")])
    there.settimeout(0.01)
    with pytest.raises(TimeoutError):
        wire.receive(there)
    here.close()
    with pytest.raises(wire.ClosedError):
        wire.receive(there)


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
    saved.save(tmp_path / "f.npz", tmp_path / "mine.py", plan, values, "x is wrong")
    file = SimpleNamespace(
        ARGUMENTS={"x": ((3,), (1,), torch.bfloat16, "normal"), "n": ((1,), (1,), torch.int64, (0, 9))}
    )
    name, same, found = saved.load(tmp_path / "f.npz", file)
    assert (name, same) == ("edge values, from f.npz", plan)
    for each, value in values.items():
        assert torch.equal(found[each].view(torch.uint8), value.view(torch.uint8))
    file.ARGUMENTS["x"] = ((4,), (1,), torch.bfloat16, "normal")
    with pytest.raises(LabError, match="another kernel"):
        saved.load(tmp_path / "f.npz", file)
    (tmp_path / "other.npz").write_bytes(b"no inputs")
    with pytest.raises(LabError, match="holds no inputs"):
        saved.load(tmp_path / "other.npz", file)


def test_what_was_changed_that_is_not_there_to_be_written_is_found() -> None:
    file = SimpleNamespace(
        ARGUMENTS={
            "x": ((4, 3), (5, 1), torch.float32, "normal"),  # two elements between the rows belong to nobody
            "y": ((4, 3), (3, 1), torch.float32, "out"),
        },
        WRITTEN=("y",),
    )
    laid = lay(file, {"x": torch.ones(4, 3)}, seed=0)

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
