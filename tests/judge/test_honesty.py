"""What a launcher may not do is found and said in one sentence; what it may do is not held against it.

Every launcher is one of the same small kernel, written another way; all of them run in one process, in Triton's interpreter.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest
from asked import asked, some
from forking import interpreted
from small_kernels import SMALL, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

FAITHFUL = "    add_mul_relu[(1,)](base, bias_1, lora, NUMEL=3000, COLUMNS=75, BLOCK=4096)\n"
"""The launch of the kernel itself, on all of it."""

WRONG = {
    # a launcher's body, the fault
    "calls torch and no kernel": (
        "torch.relu_(base.add_(bias_1).add_(lora, alpha=0.5))", "the launcher writes base with torch (aten.add_)"
    ),
    "copies a result over": ("base.copy_(torch.relu(bias_1 + base + lora * 0.5))", "the launcher computes with torch (aten.add)"),
    "computes into out=": ("torch.add(base, lora, alpha=0.5, out=base)", "the launcher writes base with torch (aten.add)"),
    "runs no kernel": ("base.zero_()", "the launcher runs no Triton kernel"),
    "falls back to eager": (
        "try:\n    add_mul_relu[(1,)](no_such_name)\nexcept NameError:\n    base[:] = lora.clamp(0)", "the launcher computes with torch (aten.clamp)"
    ),
    "prepares what the kernel should compute": ("bias_1 = bias_1 * 1.0\n" + FAITHFUL.strip(), "the launcher computes with torch (aten.mul)"),
    "gathers for the kernel": (
        "bias_1 = bias_1[torch.arange(75)]\n" + FAITHFUL.strip(), "the launcher computes with torch (aten.index)"
    ),
    "finishes with torch": (FAITHFUL.strip() + "\nbase.relu_()", "the launcher writes base with torch (aten.relu_)"),
    "copies what its kernel made elsewhere": (
        "made = base.clone()\nadd_mul_relu[(1,)](made, bias_1, lora, NUMEL=3000, COLUMNS=75, BLOCK=4096)\nbase.copy_(made)",
        "the launcher writes base with torch (aten.copy_)",
    ),
    "calls the reference": ("base.copy_(reference(base, bias_1, lora)[0])", "the launcher calls `reference`"),
    "calls the graph's form": ("base.copy_(aten(base, bias_1, lora)[0])", "the launcher calls `aten`"),
    "calls the baseline": ("launch_generated(base, bias_1, lora)", "the launcher runs the generated kernel itself (`generated`)"),
    "runs the generated kernel": (
        "mine = generated\nmine[(1,)](base, bias_1, lora, 3000, XBLOCK=4096)", "the launcher runs the generated kernel itself (`generated`)"
    ),
    "computes in numpy": (
        "import numpy\nbase.numpy()[:] = numpy.maximum(bias_1.numpy() + base.numpy() + lora.numpy() * 0.5, 0)",
        "the launcher takes values or memory of its tensors to the host (Tensor.numpy)",
    ),
    "writes by numpy": ("base.numpy()[:] = 0.0\n" + FAITHFUL.strip(), "the launcher itself changes base, outside of any kernel"),
    "makes an array": ("import numpy\nnumpy.asarray(lora)\n" + FAITHFUL.strip(), "to the host (Tensor.__array__)"),
    "makes a list": ("lora.tolist()\n" + FAITHFUL.strip(), "to the host (Tensor.tolist)"),
    "hands its memory to another library": ("torch.utils.dlpack.to_dlpack(lora)\n" + FAITHFUL.strip(), "the launcher calls torch.utils.dlpack.to_dlpack"),
    "reads number by number": ("sum(bias_1[i].item() for i in range(75))\n" + FAITHFUL.strip(), "reads more than 16 numbers"),
    "reaches memory by its address": (
        "import ctypes\n(ctypes.c_float * 3000).from_address(base.data_ptr())[0] = 1.0\n" + FAITHFUL.strip(),
        "the launcher reaches memory through ctypes (ctypes.cdata)",
    ),
    "computes in a thread": (
        "import threading\nthread = threading.Thread(target=lambda: base.copy_(lora))\nthread.start()\nthread.join()\n" + FAITHFUL.strip(),
        "the launcher starts a thread",
    ),
    "writes in a thread": (
        "import threading\nthread = threading.Thread(target=lambda: base.copy_(lora))\nthread.start()\nthread.join()\n" + FAITHFUL.strip(),
        "the launcher itself changes base",
    ),
    "starts a process": ("import subprocess\nsubprocess.run(['true'])\n" + FAITHFUL.strip(), "the launcher starts a process (subprocess.Popen)"),
    "switches the watch off": (
        "with torch._C._DisableTorchDispatch():\n    base.add_(lora)\n" + FAITHFUL.strip(), "the launcher calls torch._C._DisableTorchDispatch"
    ),
    "compiles a function": ("torch.compile(lambda x: x + 1)\n" + FAITHFUL.strip(), "the launcher calls torch.compile"),
}  # fmt: skip

RIGHT = {
    # a launcher's body, a note that it makes
    "as it was": (FAITHFUL.strip(), ""),
    "in two launches": ("for _ in range(1):\n" + FAITHFUL.rstrip(), ""),
    "with a workspace": ("partial = torch.zeros(128, device=base.device)\npartial.zero_()\ntorch.empty_like(base)\n" + FAITHFUL.strip(), ""),
    "zeroes what it adds into": ("lora = lora.contiguous().t().t()\nmade = torch.empty_like(base)\nmade.fill_(0)\n" + FAITHFUL.strip(), ""),
    "looks through views": (
        "base, lora = base.view(-1).reshape(40, 75), lora.t().transpose(0, 1)[:, :].unsqueeze(0).squeeze(0).detach()\n" + FAITHFUL.strip(), ""
    ),
    "arranges a weight": ("lora = lora.t().contiguous().t().contiguous()\n" + FAITHFUL.strip(), "the launcher copies lora with torch (aten.clone)"),
    "widens an input": ("lora.to(torch.float64)\n" + FAITHFUL.strip(), "the launcher copies lora with torch (aten._to_copy)"),
    "makes constants": ("(torch.arange(0, 75, 2) * -0.1).exp().sum()\n" + FAITHFUL.strip(), ""),
    "asks one number": ("assert bias_1[0].item() == bias_1[0].item()\n" + FAITHFUL.strip(), "reads numbers of its tensors on the host"),
    "asks for addresses": ("assert base.data_ptr() % 4 == 0 and base.is_contiguous() and base.dtype == lora.dtype\n" + FAITHFUL.strip(), ""),
    "prints a tensor": ("str(lora)\n" + FAITHFUL.strip(), ""),
    "warms up": (
        "add_mul_relu.run(base, bias_1, lora, NUMEL=3000, COLUMNS=75, BLOCK=4096, grid=(1,), warmup=True)\n" + FAITHFUL.strip(), ""
    ),
    "works on another stream": ("with torch.cuda.stream(None):\n" + FAITHFUL.rstrip(), "the launcher works on a stream of its own (torch.cuda.stream)"),
}  # fmt: skip

WATCHED = """
import json, sys
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.watch.escapes import Snapshot
from inductor_lab.judge.watch.launcher import Launcher
from inductor_lab.ejected import load

stand_ins.install()
said = {}
for path in sys.argv[1:]:
    before = Snapshot()
    file = load(path).module
    imported = before.changed()
    given = alone.drawn(file.ARGUMENTS)
    launcher = Launcher(file, given)
    with launcher:
        file.launch(*given.values(), **file.INTERPRETER["launch"])
    said[path] = [imported, launcher.faults, launcher.notes, before.changed()]
print(json.dumps(said))
"""

IMPORTED = """
import json, os, pathlib, sys
from inductor_lab.judge import stand_ins
from inductor_lab.judge.compare import verdict
from inductor_lab.judge.watch.escapes import Snapshot
from inductor_lab.judge.watch.launcher import Launcher
from inductor_lab.ejected import load

stand_ins.install()
before, changed, dumps, stem = Snapshot(), Snapshot.changed, json.dumps, lambda path: pathlib.Path(path).stem
for path in sys.argv[1:]:
    if os.fork():
        os.wait()
    else:
        load(path)
        os.write(1, (dumps([stem(path), changed(before)]) + "\\n").encode())
        os._exit(0)
"""


class Watched(NamedTuple):
    """What was said of one file."""

    imported: list[str]
    """What it replaces when it is imported."""
    faults: list[str]
    notes: list[str]
    changed: list[str]
    """What it has replaced after a launch."""


REPLACES = {
    "torch.relu": "torch.relu = lambda x: x",
    "torch.Tensor.relu": "torch.Tensor.relu = lambda x: x",
    "torch.nn.functional.softmax": "torch.nn.functional.softmax.__code__ = (lambda x, dim=None, _stacklevel=3, dtype=None: x).__code__",
    "triton.language.exp": "tl.exp = tl.exp2",
    "triton.runtime.interpreter.interpreter_builder.create_fadd": (
        "from triton.runtime import interpreter\ninterpreter.interpreter_builder.create_fadd = lambda a, b: a"
    ),
    "triton.runtime.interpreter.GridExecutor.__call__": (
        "from triton.runtime import interpreter\ninterpreter.GridExecutor.__call__ = lambda *a, **b: None"
    ),
    "builtins.max": "import builtins\nbuiltins.max = min",
    "numpy.maximum": "import numpy\nnumpy.maximum = numpy.minimum",
    "contextlib.ExitStack.enter_context": "import contextlib\ncontextlib.ExitStack.enter_context = lambda stack, watch: watch",
    "functools.wraps": "import functools\nfunctools.wraps = lambda before: lambda watched: before",
    "inductor_lab.judge.alone.distance": "import inductor_lab.judge.alone\ninductor_lab.judge.alone.distance = lambda *a: 0.0",
    "inductor_lab.judge.watch.launcher.Launcher": "import inductor_lab.judge.watch.launcher\ninductor_lab.judge.watch.launcher.Launcher = None",
}


def launching(body: str) -> str:
    """The file of the small kernel with another launcher."""
    text = ejected("affine")
    start, end = text.index("    numel = base.numel()\n"), text.index("    return base\n")
    return text[:start] + textwrap.indent(body, "    ") + "\n" + text[end:]


def replacing(line: str) -> str:
    """The file of the small kernel that puts something in another thing's place when it is imported."""
    return ejected("affine").replace("\n@triton.jit\n", f"\n{line}\n\n\n@triton.jit\n", 1)


UNEDITED = [(name, style) for style in ("readable", "verbatim") for name in SMALL]
SOME_UNEDITED = [
    (name, style) for name, style in UNEDITED if style == "readable" or name in ("affine", "sum", "scatter")
]


@pytest.fixture(scope="module")
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Watched]:
    """What is said of every file that is asked for, all in one process."""
    folder = tmp_path_factory.mktemp("launchers")
    texts = {what: launching(body) for what, (body, _) in {**WRONG, **RIGHT}.items()}
    texts |= {f"{name} {style}": ejected(name, style) for name, style in asked(request, "name", "style")}
    for what, text in texts.items():
        (folder / f"{what}.py").write_text(text)
    said = json.loads(interpreted("-c", WATCHED, *sorted(folder.glob("*.py"))).splitlines()[-1])
    return {Path(path).stem: Watched(*what) for path, what in said.items()}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_launcher_may_not_do_is_a_fault(watched: dict[str, Watched], what: str) -> None:
    faults = watched[what].faults
    assert any(WRONG[what][1] in fault for fault in faults), faults


@pytest.mark.parametrize("what", RIGHT)
def test_what_a_launcher_may_do_is_none_and_what_a_reader_should_know_is_a_note(
    watched: dict[str, Watched], what: str
) -> None:
    assert not watched[what].faults
    note = RIGHT[what][1]
    assert any(note in each for each in watched[what].notes) if note else not watched[what].notes


@pytest.mark.parametrize(("name", "style"), some(UNEDITED, SOME_UNEDITED))
def test_nothing_is_said_of_an_unedited_file(watched: dict[str, Watched], name: str, style: str) -> None:
    assert watched[f"{name} {style}"] == Watched([], [], [], [])


def test_the_watch_leaves_torch_and_triton_as_they_were(watched: dict[str, Watched]) -> None:
    assert {what: said.changed for what, said in watched.items() if said.changed} == {}


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is said of the files that replace something: each is imported in a process of its own."""
    folder = tmp_path_factory.mktemp("replacing")
    for name, line in REPLACES.items():
        (folder / f"{name}.py").write_text(replacing(line))
    said = interpreted("-c", IMPORTED, *sorted(folder.glob("*.py")))
    return dict(json.loads(line) for line in said.splitlines())


@pytest.mark.parametrize("name", REPLACES)
def test_what_a_file_replaces_is_named(replaced: dict[str, list[str]], name: str) -> None:
    assert f"it replaces {name}" in replaced[name]


MENDED_ONCE = """
import sys
from inductor_lab.judge import stand_ins
from inductor_lab.ejected import load
from triton.runtime import interpreter

stand_ins.install()
mended = interpreter._convert_float, interpreter.InterpreterBuilder.create_dot, interpreter.ReduceOps.generic_reduce
load(sys.argv[1])
print(mended == (interpreter._convert_float, interpreter.InterpreterBuilder.create_dot, interpreter.ReduceOps.generic_reduce))
"""


def test_the_interpreter_is_mended_once_however_many_files_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "affine.py"
    path.write_text(ejected("affine"))
    assert interpreted("-c", MENDED_ONCE, path).split() == ["True"]
