"""The check that stands in an ejected file: what it says, that `verify` says the same, and that it needs nothing of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from asked import asked, some
from forking import interpreted
from small_kernels import SMALL, edited, ejected

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.ejected import CHECK_STARTS, KEPT, load
from inductor_lab.errors import LabError
from inductor_lab.judge.alone import distance
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

BF16 = SMALL["affine_bf16"]
F16 = ejected(
    "affine_bf16",
    tensors={name: type_.replace("bfloat16", "float16") for name, type_ in BF16.tensors.items()},
    graph=BF16.graph.replace("bf16", "f16"),
)
KERNELS = {
    "float32": ejected("affine"),
    "bfloat16": ejected("affine_bf16"),
    "float16": F16,
    "int64": ejected("count"),
    "indices": ejected("argmax"),
    "float32, another factor": edited(ejected("affine"), ("lora * 0.5\n    tl.store", "lora * 0.51\n    tl.store")),
    "bfloat16, another factor": edited(
        ejected("affine_bf16"), ("lora * 0.5\n    tl.store", "lora * 0.6\n    tl.store")
    ),
    "float16, another factor": edited(F16, ("lora * 0.5\n    tl.store", "lora * 0.6\n    tl.store")),
    "int64, another factor": edited(ejected("count"), ("n * 3, inside", "n * 2, inside")),
    "indices, one further": edited(ejected("argmax"), ("+ row, place, inside", "+ row, place + 1, inside")),
}
"""What the output is -> a file that writes one."""
CHECKS = """
import sys
from inductor_lab.ejected import load

for path in sys.argv[1:]:
    load(path).module.check()
"""


@pytest.fixture(scope="module")
def said(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[str, Verdict | LabError]]:
    """What each file says of itself, and what `verify` says of it on the same numbers."""
    folder = tmp_path_factory.mktemp("files")
    names = asked(request, "kind")
    for name in names:
        (folder / f"{name}.py").write_text(KERNELS[name])
    files = [folder / f"{name}.py" for name in names]
    lines = interpreted("-c", CHECKS, *files).splitlines()
    found = verify_all(files, case="seed 0")
    return dict(zip(names, zip(lines, found, strict=True), strict=True))


@pytest.mark.parametrize("kind", some(KERNELS, ["float32", "indices", "bfloat16, another factor"]))
def test_a_file_and_verify_say_the_same_distance_of_one_seed(
    said: dict[str, tuple[str, Verdict | LabError]], kind: str
) -> None:
    line, found = said[kind]
    assert isinstance(found, Verdict)
    wrong = "another" in kind or "further" in kind
    assert line.startswith("WRONG " if wrong else "right ") and found.verdict == ("fail" if wrong else "pass")
    assert f" is {found.cases[0].errors['hand']:.2e} from float64; " in line
    assert wrong or kind in ("int64", "indices") or found.cases[0].errors["hand"] > 0


def test_the_distance_is_a_part_of_the_largest_exact_value() -> None:
    import torch

    exact = torch.tensor([1.0, -4.0, torch.inf], dtype=torch.float64)
    eager = exact.bfloat16()
    assert distance(torch.tensor([1.5, -4.0, torch.inf]).bfloat16(), exact, eager) == 0.125
    assert distance(torch.tensor([1.0, -4.0, 9.0]).bfloat16(), exact, eager) == torch.inf
    assert distance(torch.tensor([3, 5]), torch.tensor([3, 4]), torch.tensor([3, 4])) == 0.25
    assert distance(torch.tensor([True, True]), torch.tensor([True, False]), torch.tensor([True, False])) == 1.0
    assert distance(torch.zeros(2), torch.zeros(2), torch.zeros(2)) == distance(*[torch.ones(0)] * 3) == 0.0


@pytest.mark.parametrize("name", ["affine", "gather", "scatter"])
def test_the_check_is_short(name: str) -> None:
    check = ejected(name).partition(CHECK_STARTS)[2].partition(KEPT)[0]
    assert len([line for line in check.splitlines() if line]) < 120


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_file_checks_itself_without_us_as_a_script_and_as_a_test(tmp_path: Path) -> None:
    (tmp_path / "inductor_lab.py").write_text("raise ImportError('it is not installed')\n")
    (tmp_path / "right.py").write_text(KERNELS["bfloat16"])
    (tmp_path / "wrong.py").write_text(KERNELS["bfloat16, another factor"])
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTHONPATH", None)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    right, wrong = run("right.py"), run("wrong.py")
    assert right.returncode == 0 and right.stdout.startswith("right  base is "), right.stderr
    assert wrong.returncode == 1 and wrong.stdout.startswith("WRONG  base is "), wrong.stderr
    tested = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "right.py", "wrong.py")
    assert "1 failed, 1 passed" in tested.stdout


@pytest.mark.parametrize(
    ("rows", "said"),
    [(40, ""), (400_000, "30 million elements in Triton's interpreter: about 6 to 18 s on one core\n")],
)
def test_a_file_of_large_tensors_says_how_long_its_check_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rows: int, said: str
) -> None:
    """Before it draws anything."""

    def drawn(arguments: object, seed: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "affine.py").write_text(ejected("affine"))
    file = load(tmp_path / "affine.py").module
    monkeypatch.setattr("inductor_lab.judge.stand_ins.install", lambda: None)
    vars(file).update(INTERPRETING=True, drawn=drawn, ARGUMENTS={"base": ((rows, 75),)})
    with pytest.raises(KeyboardInterrupt):
        file.check()
    assert capsys.readouterr().err == said
