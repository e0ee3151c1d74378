"""Capturing: any program's kernels, for a GPU that is not there, and one clear sentence where there are none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asked import some

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.capture import outcome
from inductor_lab.capture.run import capture
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS, find_gpu
from inductor_lab.store import load

SCRIPT = """
import torch
@torch.compile
def f(x, y):
    return torch.relu(x * 2 + y)
f(torch.randn(4096), torch.randn(4096))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory that child processes can import the test programs from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    return tmp_path


def script(text: str, name: str = "program.py") -> str:
    Path(name).write_text(text)
    return name


def refusal(target, **options) -> str:
    """The sentence that a capture is refused with; nothing is left behind."""
    with pytest.raises(LabError) as error:
        capture(target, gpu="h200", **options)
    assert not list(Path().glob("captured/*"))
    return str(error.value)


# What works


@pytest.mark.parametrize(("gpu", "cc"), [("h200", "90"), pytest.param("a100", "80", marks=pytest.mark.slow)])
def test_a_script_is_captured_for_a_gpu_that_is_not_here(here, gpu, cc):
    steps: list[str] = []
    found, path = capture(script(SCRIPT), gpu=gpu, progress=steps.append)
    folder = "program" if gpu == "h200" else f"program_{gpu}"
    assert path == Path("captured") / folder
    assert [graph.kind for graph in found.graphs] == ["inference"]
    (kernel,) = found.kernels
    assert kernel.category == "pointwise"
    assert f"cc={cc}" in kernel.text
    assert (found.gpu.name, found.gpu.arch, found.gpu.virtual) == (GPUS[gpu].name, f"sm_{cc}", True)
    assert found.torch
    assert found.triton
    assert found.problems == ()
    assert steps[-1] == "1 graph, 1 kernel"
    assert load(path).kernels[0].body_sha256 == kernel.body_sha256
    assert sorted(entry.name for entry in path.parent.iterdir()) == [folder]


@pytest.mark.slow
def test_a_command_is_captured_with_its_own_modes_and_settings(here):
    program = SCRIPT.replace("@torch.compile", "@torch.compile(mode='reduce-overhead')") + "print('said on stdout')\n"
    program += "torch.compile(lambda x, y: torch.relu(x @ y))(torch.randn(3, 5), torch.randn(5, 5))"
    found, path = capture(
        [sys.executable, script(program)], gpu="mi300x", settings=["max_fusion_size=7"], output="deep/er/one"
    )
    assert path == Path("deep/er/one")
    assert found.gpu.arch == "gfx942"
    assert "warp_size=64" in found.kernels[0].text
    assert found.environment["torch._inductor.config.max_fusion_size"] == "7"
    assert found.command.endswith(f"-- {sys.executable} program.py")
    assert found.problems == ()  # so small a product is padded on no MI300X, which the card's clocks tell


@pytest.mark.parametrize(
    ("function", "kernels"), [("model_and_inputs", 1), pytest.param("compiles_by_itself", 1, marks=pytest.mark.slow)]
)
def test_a_callable_returns_a_model_or_compiles_by_itself(here, function, kernels):
    found, path = capture(f"capture_programs:{function}", gpu="h200")
    assert len(found.kernels) == kernels
    assert path.name == function


@pytest.mark.slow
def test_each_graph_of_a_program_on_the_cpu_is_written_for_the_card(here):
    """While Inductor compiles the first it may put tensors of its own on the card: the second is on the CPU as before (torch 2.11)."""
    both = SCRIPT + SCRIPT.replace("relu", "tanh").replace("import torch\n", "")
    found, _ = capture(script(both), gpu="h200")
    assert [kernel.name.split("_")[-2] for kernel in found.kernels] == ["relu", "tanh"]


def test_training_has_the_backward_and_what_fails_later_keeps_what_was_captured(here):
    program = SCRIPT.replace("torch.randn(4096), ", "torch.randn(4096, requires_grad=True), ")
    forward_only, _ = capture(script(program), gpu="h200")
    assert [graph.kind for graph in forward_only.graphs] == ["forward"]
    program = (
        program.replace("f(torch.randn", "out = f(torch.randn") + "out.sum().backward()\nraise ValueError('too late')"
    )
    both, _ = capture(script(program), gpu="h200")
    assert [graph.kind for graph in both.graphs] == ["forward", "backward"]
    assert "ValueError: too late" in both.problems[-1].message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "size", "operator"),
    [
        ("bf16", "laptop", "_scaled_dot_product_cudnn_attention"),
        ("fp32", "laptop", "_scaled_dot_product_efficient_attention"),
        ("bf16", "laptop_gqa", "_scaled_dot_product_cudnn_attention"),
    ],
)
def test_attention_is_the_one_that_an_h200_chooses(here, dtype, size, operator):
    """The operators of captures made on an H200 with torch 2.11."""
    found, _ = capture("rotary_attention", gpu="h200", train=True, dtype=dtype, size=size)
    called = [call.target for call in found.extern_calls]
    assert any(target.endswith(f"{operator}.default") for target in called)
    assert any(target.endswith(f"{operator}_backward.default") for target in called)
    assert not any("for_cpu" in target for target in called)
    assert found.problems == ()


MISALIGNED = "'configs': [{(1,)"
"""Facts about the arguments that begin with the second."""


@pytest.mark.slow
def test_dlrm_trains_on_a_gpu_that_is_not_here(here):
    """Embedding's backward indexes fake CUDA tensors, which a CPU-only torch refuses unless helped."""
    found, path = capture("dlrm", gpu="h200", train=True, size="laptop")
    assert path.name == "dlrm_laptop_train"
    assert [graph.kind for graph in found.graphs] == ["forward", "backward"]
    assert sum("embedding_dense_backward" in kernel.name for kernel in found.kernels) >= 26
    # On an H200 13 of the 26 read at an address that is no multiple of 16: slices of one tensor, at odd places.
    misaligned = [
        kernel for kernel in found.kernels if "embedding_dense_backward" in kernel.name and MISALIGNED in kernel.text
    ]
    assert len(misaligned) == 13
    # And one product is padded there, which Inductor found out by timing.
    assert ["padded" in problem.message for problem in found.problems] == [True]


# What does not, and why


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import torch\nraise ValueError('no such luck')", "ValueError: no such luck"),
        ("import torch\ntorch.randn(3) + 1", "never ran anything under torch.compile"),
        pytest.param(
            SCRIPT.replace("@torch.compile", "@torch.compile(backend='eager')"), "backend other than inductor",
            marks=[pytest.mark.from_nothing, pytest.mark.slow],  # told by Inductor not having been imported
        ),
    ],
)  # fmt: skip
def test_no_kernel_is_explained(here, program, reason):
    assert reason in refusal(script(program))


def test_a_wrong_setting_is_refused_with_near_names(here):
    assert "max_fusion_size" in refusal(script(SCRIPT), settings=["max_fusion_sise=3"])


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("capture_programs:absent", "capture_programs has no 'absent'"),
        ("no_such_module:f", "There is no module 'no_such_module'"),
        ("capture_programs:returns_nonsense", "must return (model, inputs)"),
        ("capture_programs:uses_the_wrong_way", "missing 1 required positional argument"),
    ],
)
def test_a_wrong_callable_is_refused(here, target, reason):
    assert reason in refusal(target)


@pytest.mark.parametrize(
    ("target", "options", "reason"),
    [
        ("lora", {}, "lora_mlp"),
        ("absent.py", {}, "There is no file"),
        (["no-such-command"], {}, "Can not start 'no-such-command'"),
        ("lora_mlp", {"settings": ["novalue"]}, "--set takes key=value"),
        (["true"], {"train": True}, "--train does not apply"),
        (["true"], {}, "never imported torch"),
    ],
)
def test_what_can_not_be_captured_is_refused_at_once(here, target, options, reason):
    assert reason in refusal(target, **options)


def test_an_unknown_gpu_is_refused_with_the_near_ones():
    with pytest.raises(LabError, match="h200, h100 or b200"):
        find_gpu("h20")


PREFIX = "V1120 09:28:41.455000 463 torch/_inductor/graph.py:2552] [0/0] [__output_code] "
COMPILED = {"frames": 1, "inductor": True}
BROKEN = {**COMPILED, "graph_breaks": ["print is not traced\nand more"]}


@pytest.mark.parametrize(
    ("log", "status", "fingerprint", "reason"),
    [
        (f"{PREFIX}cpp_fused_0 = async_compile.cpp_pybinding([\n", 0, COMPILED, "for the CPU only"),
        (f"{PREFIX}Output code: \n", 0, COMPILED, "every operation went to a library"),
        ("AssertionError: Torch not compiled with CUDA enabled\n", 1, {}, "leave it out of the program"),
        ("ProcessGroupGloo.cpp: RuntimeError: at::hasCUDA()\n", 1, {}, "capture one process without them"),
        ("", -9, {}, "was killed by signal 9"),
        ("warn_once(\n", -6, {}, "was killed by signal 6 before Inductor wrote a kernel: it said nothing"),
        ("usage: program.py DATA\n", 2, {}, "ended with exit status 2 before Inductor wrote a kernel: usage"),
        ("", 0, {**COMPILED, "inductor": False}, "backend other than inductor"),
        ("", 0, BROKEN, "Graph breaks left nothing to compile (print is not traced)"),
        ("", 0, COMPILED, "no output code reached the log"),
        ("[inductor_lab] error: no such setting\nValueError: x", 3, {}, "no such setting"),
        ("[inductor_lab] problem: a graph could not be generated: why\n", 0, COMPILED, "generated: why"),
        (f"[inductor_lab] problem: no timing\n{PREFIX}Output code: \n", 0, COMPILED, "went to a library"),
    ],
)
def test_why_there_is_no_kernel(tmp_path, log, status, fingerprint, reason):
    path = tmp_path / "log.txt"
    path.write_text(log)
    assert reason in outcome.why_nothing(path, status, fingerprint, virtual=True)


PREFIXED = f"import sys\nsys.stderr.write({PREFIX + 'Output code: '!r} + chr(10))\n"


@pytest.mark.parametrize("how", some([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], [signal.SIGTERM]))
@pytest.mark.parametrize(
    "begun",
    [PREFIXED, pytest.param(SCRIPT, marks=pytest.mark.slow)],
    ids=["what prints as Inductor does", "what compiles"],
)
def test_a_killed_capture_leaves_no_half_written_one(here, begun, how):
    script(begun + "open('child', 'w').write(str(__import__('os').getpid()))\nimport time; time.sleep(60)")
    heard = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's background job ignores it
    )
    code = f"{heard}; from inductor_lab.capture.run import capture; capture('program.py', gpu='h200')"
    parent = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if Path("child").exists() and Path("child").read_text():
            break
        time.sleep(0.1)
    child = int(Path("child").read_text())
    parent.send_signal(how)
    parent.wait(20)
    assert not list(Path("captured").glob("[!.]*"))
    if how == signal.SIGKILL:
        os.kill(child, signal.SIGKILL)
        return
    assert not list(Path("captured").glob(".*"))
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
