"""The loop on a real GPU: capture, eject, verify, diff. Run with `pytest -m gpu`."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from inductor_lab.capture.run import capture
from inductor_lab.eject import eject
from inductor_lab.machine import inspect
from inductor_lab.measure.diff import diff
from inductor_lab.measure.timing.samples import Method
from inductor_lab.read import read
from inductor_lab.verify import verify

pytestmark = pytest.mark.gpu


def ejected(
    folder: Path, *, workload: str = "lora_mlp", style: str = "readable", kernel: int = 0, **options: object
) -> Path:
    found, _ = capture(workload, gpu="real", output=folder / "capture", **options)  # type: ignore[arg-type]
    path = folder / f"{workload}_{style}.py"
    path.write_text(eject(found, found.kernels[kernel], style=style))
    return path


@pytest.mark.parametrize(
    ("workload", "options"),
    [("dlrm", {}), ("lora_mlp", {}), ("lora_mlp", {"train": True}), ("rotary_attention", {"dtype": "bf16"})],
)
def test_a_virtual_capture_has_the_bodies_of_the_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workload: str, options: dict[str, object]
) -> None:
    """For an H200 only: the virtual card is one. Whether an operand is padded is timed, and only the card can do that."""
    real, _ = capture(workload, gpu="real", output=tmp_path / "real", **options)  # type: ignore[arg-type]
    if "H200" not in real.gpu.name:
        pytest.skip(f"the virtual card is an H200, this is {real.gpu.name}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    virtual, _ = capture(workload, gpu="h200", output=tmp_path / "virtual", **options)  # type: ignore[arg-type]
    assert not real.problems and all("needs the card" in problem.message for problem in virtual.problems)
    bodies = {kernel.body_sha256 for kernel in virtual.kernels}
    padding = {k.body_sha256 for k in real.kernels if re.fullmatch(r"triton_poi_fused_\w*mm_\w*", k.name)}
    assert bodies <= {kernel.body_sha256 for kernel in real.kernels} <= bodies | padding


def test_a_program_that_asks_for_cuda_runs_beside_a_hidden_card_and_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With torch's CUDA build: first where it finds no card, then on this one while Inductor writes for a B200."""
    script = tmp_path / "train.py"
    script.write_text(TRAINING)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    hidden, _ = capture(str(script), gpu="h200", output=tmp_path / "hidden")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    blackwell, _ = capture(str(script), gpu="b200", output=tmp_path / "blackwell")
    assert [graph.kind for graph in hidden.graphs] == ["forward", "backward"]
    assert not hidden.problems and not blackwell.problems
    assert blackwell.gpu.arch == "sm_100" and blackwell.kernels


TRAINING = """
import torch

assert torch.cuda.is_available()
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.GELU()).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())


@torch.compile
def step(x):
    with torch.autocast("cuda", torch.bfloat16):
        return model(x).square().mean()


for _ in range(2):
    loss = step(torch.randn(32, 64, device="cuda"))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
assert loss.is_cuda
"""


@pytest.mark.parametrize("style", ["readable", "verbatim"])
def test_an_unedited_kernel_verifies_and_is_as_fast(tmp_path: Path, style: str) -> None:
    path = ejected(tmp_path, style=style)
    verdict = verify(path)
    assert verdict.verdict == "pass" and "interpreter" not in verdict.device
    found = diff(path, method=Method(rounds=100))
    assert found.matched and found.matched.verdict in {"same", "faster"} and found.ratio_interval is not None


def test_a_wrong_kernel_fails_on_the_card_too(tmp_path: Path) -> None:
    path = ejected(tmp_path)
    text = path.read_text()
    for change, wrong in {
        "* 0.5  #": "* 0.5001  #",
        "tl.where(total < 0, 0.0, total)": "tl.maximum(total, 0.0)",
    }.items():
        assert change in text
        edited = tmp_path / f"edited_{abs(hash(wrong))}.py"
        edited.write_text(text.replace(change, wrong, 1))
        assert verify(edited).verdict == "fail"


def test_what_is_inspected_is_what_the_card_runs(tmp_path: Path) -> None:
    """The registers that a compilation for `sm_NN` tells, and those of the kernel that was launched."""
    import torch

    from inductor_lab.ejected import load

    path = ejected(tmp_path)
    major, minor = torch.cuda.get_device_capability()
    (code,) = inspect(path, gpu=f"sm_{major}{minor}")
    module = load(path).module
    (name,) = set(re.findall(r"^    (\w+)\[grid\]\(", path.read_text(), re.MULTILINE)) - {"generated"}
    compiled = getattr(module, name)[(math.ceil(code.constants["NUMEL"] / code.constants["BLOCK"]),)](
        *module.example_inputs("cuda"), **code.constants, num_warps=code.num_warps
    )
    assert code.registers == compiled.n_regs and code.spills == compiled.n_spills == 0


def test_an_ejected_file_runs_as_a_script_and_as_a_test(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = ejected(tmp_path)
    script = subprocess.run([sys.executable, path.name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert script.returncode == 0 and script.stdout.startswith("right ") and "generated" in script.stdout, script.stderr
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", path.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0 and "1 passed" in tested.stdout, tested.stdout


@pytest.mark.parametrize("kind", ["cooperative", "template", "scan"])
def test_programs_that_wait_for_each_other_verify_on_the_card(tmp_path: Path, kind: str) -> None:
    """What Triton's interpreter can not run, because its programs run one after another, or only slowly."""
    found = read([Path(__file__).parent / "generations" / f"g7_torch_2.13_{kind}.txt"], "x")
    for style in ("readable", "verbatim"):
        path = tmp_path / f"{kind}_{style}.py"
        path.write_text(eject(found, found.kernels[0], style=style))
        verdict = verify(path)
        assert verdict.verdict == "pass", [(case.name, case.message) for case in verdict.cases if not case.passed]


ADDITIONS = """import torch

def into(x, rows):
    return torch.zeros(100, 64, device=x.device, dtype=x.dtype).scatter_add(0, rows[:, None].expand_as(x), x.relu())

made = torch.Generator("cpu").manual_seed(0)
rows = torch.randint(0, 100, (1000,), generator=made).cuda()
torch.compile(into)(torch.randn(1000, 64, generator=made).bfloat16().cuda(), rows)
"""


def test_additions_in_bfloat16_are_right_in_whichever_order_they_come(tmp_path: Path) -> None:
    """Atomics round after each; eager on a card adds in float32, on the CPU as atomics do."""
    script = tmp_path / "into.py"
    script.write_text(ADDITIONS)
    found, _ = capture(str(script), gpu="real", output=tmp_path / "capture")
    (adds,) = [kernel for kernel in found.kernels if "atomic_add" in kernel.body]
    path = tmp_path / "adds.py"
    path.write_text(eject(found, adds))
    for seed in (15825, 725445):  # of each some inputs add a thousand numbers to one
        verdict = verify(path, seed=seed)
        assert verdict.verdict == "pass", [(case.name, case.message) for case in verdict.cases if not case.passed]
    text = path.read_text()
    path.write_text(text.replace("tl.atomic_add(", "tl.atomic_max(", 1))
    assert path.read_text() != text and verify(path).verdict == "fail"
