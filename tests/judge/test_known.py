"""An interpreter that is otherwise than the known ones ends in one sentence, and what it has in other places, or more, is found and passed on."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED, ROOT
from small_kernels import ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

import triton
from triton.runtime import autotuner, interpreter

from inductor_lab.errors import LabError
from inductor_lab.judge.interpreter import interface


def asked_of(**functions: Any) -> dict[str, interface.Taken]:
    """What is taken of an interpreter like the installed one, but for these functions of its builder."""
    builder = type("InterpreterBuilder", (interpreter.InterpreterBuilder,), functions)
    return interface.asked([SimpleNamespace(**{**vars(interpreter), "InterpreterBuilder": builder}), autotuner], "4.0")


OTHERWISE: dict[str, tuple[dict[str, Any], str]] = {
    "a parameter is gone": (
        {"create_masked_load": lambda self, ptrs, other, is_volatile: None},
        "InterpreterBuilder.create_masked_load has no parameter mask (it takes ptrs, other, is_volatile)",
    ),
    "a parameter has another name": (
        {"create_masked_store": lambda self, ptrs, value, predicate, cache_policy: None},
        "InterpreterBuilder.create_masked_store has no parameter mask (it takes ptrs, value, predicate, cache_policy)",
    ),
    "what is replaced has one more": (
        {"create_dot": lambda self, a, b, d, input_precision, max_num_imprecise_acc, scale=1: None},
        "InterpreterBuilder.create_dot has a parameter scale (it takes a, b, d, input_precision, max_num_imprecise_acc, scale)",
    ),
    "what is replaced has another order": (
        {"create_atomic_cas": lambda self, ptr, val, cmp, sem, scope: None},
        "InterpreterBuilder.create_atomic_cas does not begin with ptr, cmp, val, sem, scope (it takes ptr, val, cmp, sem, scope)",
    ),
    "a function is gone": ({"cast_impl": None}, "it has no InterpreterBuilder.cast_impl"),
    "an attribute has another name": (
        {"set_grid_idx": lambda self, x, y, z: setattr(self, "place", (x, y, z))},
        "InterpreterBuilder.set_grid_idx sets no grid_idx",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERWISE)
def test_one_sentence_says_what_is_not_known(what: str) -> None:
    functions, sentence = OTHERWISE[what]
    with pytest.raises(LabError) as error:
        asked_of(**functions)
    assert str(error.value) == (
        f"Triton 4.0's interpreter is not known to the judge: {sentence}; install one of {interface.TRIED}"
    )


def test_the_installed_one_is_known() -> None:
    assert {"InterpreterBuilder.create_masked_load", "InterpreterBuilder.create_descriptor_load"} <= set(asked_of())


def test_the_newest_that_was_tried_is_what_ci_runs() -> None:
    (newest,) = re.findall(r"^NEWEST_TRITON := (\d+\.\d+)\.\d+$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert interface.TRIED.endswith(f" {newest}")


def create_masked_load(self: Any, mask: Any, ptrs: Any, is_volatile: Any, other: Any = None, hint: int = 7) -> None:
    """As no version has it."""


@pytest.mark.parametrize("call", [
    lambda load: load("builder", "mask", "ptrs", True, "other", 7),
    lambda load: load("builder", "mask", "ptrs", True, "other"),
    lambda load: load("builder", "mask", other="other", is_volatile=True, ptrs="ptrs"),
])  # fmt: skip
def test_what_is_taken_is_found_wherever_it_stands(call: Callable[..., Any]) -> None:
    taken = asked_of(create_masked_load=create_masked_load)["InterpreterBuilder.create_masked_load"]
    given, named = call(lambda *arguments, **options: taken.call(arguments, options))
    assert taken.of(given) == ("ptrs", "mask", "other", True)
    taken.put(given, mask="narrower", other="poison")
    assert inspect.signature(create_masked_load).bind(*given, **named).arguments == {
        "self": "builder", "mask": "narrower", "ptrs": "ptrs", "is_volatile": True, "other": "poison", "hint": 7,
    }  # fmt: skip


REORDERED = """
import json, torch, triton, triton.language as tl
from triton.runtime.interpreter import InterpreterBuilder

load, passed = InterpreterBuilder.create_masked_load, []

def create_masked_load(self, mask, ptrs, is_volatile, other=None, hint=7, *, layout="rows"):
    passed.append((is_volatile, hint, layout))
    policy = [None] * (load.__code__.co_argcount - 5)
    return load(self, ptrs, mask, other, *policy, is_volatile)

def create_load(self, ptr, *policy_and_volatile):
    everywhere = type(ptr)(torch.ones(ptr.data.shape, dtype=bool).numpy(), tl.int1)
    return self.create_masked_load(everywhere, ptr, policy_and_volatile[-1], layout="columns")

InterpreterBuilder.create_masked_load, InterpreterBuilder.create_load = create_masked_load, create_load
from inductor_lab.judge.watch.watch import Watch

@triton.jit
def kernel(x, out, VOLATILE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, volatile=VOLATILE))

x, out = torch.ones(12), torch.zeros(16)
with Watch({"x": x, "out": out}) as watch:
    kernel[(1,)](x, out, VOLATILE=True)
(fault,) = watch.faults
print(json.dumps([passed, fault.kind, fault.tensor, fault.count, out[:12].tolist(), out[12:].isfinite().all().item()]))
"""


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_watch_finds_a_load_whose_parameters_stand_elsewhere() -> None:
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", REORDERED], env=environment, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    passed, *fault, read, all_finite = json.loads(done.stdout)
    assert passed == [[True, 7, "columns"]] and fault == ["load outside", "x", 4]
    assert read == [1.0] * 12 and not all_finite, "NaN is among what is read outside"


NEWER = """
import importlib.abc, importlib.util, sys


class Newer(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "triton.runtime.interpreter":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            module.InterpreterBuilder.create_masked_load = lambda self, ptrs, predicate, other, is_volatile: None

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Newer())
"""


@pytest.mark.slow
@pytest.mark.from_nothing
@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="a GPU runs the kernels, and no interpreter is asked")
def test_verify_and_replay_end_with_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NEWER)
    (tmp_path / "mine.py").write_text(ejected("affine"))
    paths = os.pathsep.join([str(tmp_path), str(Path(interface.__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    for verb in (["verify", "mine.py"], ["replay", str(CAPTURED / "lora_mlp_h200")]):
        command = [sys.executable, "-m", "inductor_lab", *verb]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, cwd=tmp_path, capture_output=True, text=True, check=False)  # fmt: skip
        said = " ".join(done.stderr.split())
        assert done.returncode == 2 and said.count("error: ") == 1, done.stderr
        assert (
            f"error: Triton {triton.__version__}'s interpreter is not known to the judge: InterpreterBuilder.create_masked_load "
            "has no parameter mask (it takes ptrs, predicate, other, is_volatile); install one of" in said
        )
