"""DLRM as ONNX: each interaction, for any batch, as onnxruntime computes it; and what is said where it can not be."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from asked import some

torch = pytest.importorskip("torch")

from inductor_lab.cli import main  # noqa: E402
from inductor_lab.criteo.format import SPARSE, Table, digest  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402
from inductor_lab.models import dlrm_onnx  # noqa: E402
from inductor_lab.models.dlrm_onnx.__main__ import app  # noqa: E402
from inductor_lab.models.dlrm_talk import INTERACTIONS, IndexDevice, IndexList, Modulus, TalkDLRM  # noqa: E402
from inductor_lab.models.dlrm_train.configuration import Configuration  # noqa: E402

ROWS = [*range(2, 28)]
"""Of the 26 tables."""
TABLES = [Table(rows, list(range(rows))) for rows in ROWS]
TINY = {"bottom": [13, 8, 4], "top": [4, 1], "batch": 16, "log_counts": True}
CAT = Configuration((13, 4), (1,), 16, interaction="cat")


@pytest.fixture
def exported(workdir: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`python -m inductor_lab.models.dlrm_onnx --config tiny.json` and these words: exit code, stdout, stderr."""
    (workdir / "tiny.json").write_text(json.dumps(TINY))
    tables = {
        name: {"cardinality": rows, "tokenizer_values": list(range(rows))}
        for name, rows in zip(SPARSE, ROWS, strict=True)
    }
    (workdir / "log.json").write_text(json.dumps(tables))

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["--config", "tiny.json", "--metadata", "log.json", *words], app, "export")
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


@pytest.mark.parametrize("interaction", some(INTERACTIONS, ["cat"]))
def test_onnxruntime_computes_each_interaction_as_eager_does(interaction: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
    pytest.importorskip("onnxscript", reason="the onnx extra is not installed")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = TalkDLRM(Modulus(ROWS), ROWS, (13, 32, 16), (32, 1), interaction=interaction)
        dense, sparse = torch.randn(129, 13), torch.randint(-(2**33), 2**33, (129, 26))  # negative ones too
    assert dlrm_onnx.export(model, tmp_path / "model.onnx") < 1e-5
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]  # the weights are in it
    session = runtime.InferenceSession(tmp_path / "model.onnx")
    shapes = {value.name: value.shape for value in (*session.get_inputs(), *session.get_outputs())}
    assert shapes == {"dense": ["batch", 13], "sparse": ["batch", 26], "click": ["batch"]}
    (click,) = session.run(None, {"dense": dense.numpy(), "sparse": sparse.numpy()})
    expected = model(dense, sparse).detach()
    assert expected.std() > 0.01  # not one answer for every row
    torch.testing.assert_close(torch.from_numpy(click), expected)


@pytest.mark.slow
def test_the_command_exports_what_was_trained(exported: Callable[..., tuple[int, str, str]], workdir: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
    pytest.importorskip("onnxscript", reason="the onnx extra is not installed")
    model = TalkDLRM(IndexList([range(rows) for rows in ROWS]), ROWS, (13, 8, 4), (4, 1), interaction="cat")
    told = {"hash": "index-list", "interaction": "cat", "bottom_relu": False, "log_counts": True}
    kept = {"model": model.state_dict(), "configuration": told, "log": {"metadata": digest(TABLES)}}
    torch.save(kept, workdir / "kept.pt")
    code, out, err = exported(
        "--interaction", "cat", "--hash", "index-list", "--checkpoint", "kept.pt", "-o", "cat.onnx"
    )
    assert (code, err) == (0, "") and re.match(r"cat\.onnx: cat, \d.\d MB; onnxruntime is \d", out)
    dense, sparse = torch.tensor([[-1.0, *range(12)]]), torch.arange(26)[None]
    fed = {"dense": dense.numpy(), "sparse": sparse.numpy()}
    (click,) = runtime.InferenceSession(workdir / "cat.onnx").run(None, fed)
    # The file takes counts: their logarithm is in it.
    torch.testing.assert_close(torch.from_numpy(click), model(dense.clamp(min=0).log1p(), sparse).detach())


class InEagerAnother(torch.nn.Module):
    """What an exporter's error looks like."""

    def forward(self, dense: torch.Tensor, sparse: torch.Tensor) -> torch.Tensor:
        click = (dense.sum(1) + sparse.sum(1)).sigmoid()
        return click if torch.compiler.is_exporting() else click + 0.5


def test_nothing_is_written_that_computes_something_else(workdir: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
    pytest.importorskip("onnxscript", reason="the onnx extra is not installed")
    (workdir / "model.onnx").write_bytes(b"before")
    with pytest.raises(LabError, match="onnxruntime does not compute what eager does: Tensor-likes are not close!"):
        dlrm_onnx.export(InEagerAnother(), workdir / "model.onnx")
    assert (workdir / "model.onnx").read_bytes() == b"before"
    assert [path.name for path in workdir.iterdir()] == ["model.onnx"]


@pytest.mark.parametrize("package", dlrm_onnx.NEEDS)
def test_without_onnx_the_extra_is_named(
    package: str, exported: Callable[..., tuple[int, str, str]], workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in dlrm_onnx.NEEDS:
        monkeypatch.setitem(sys.modules, name, None if name == package else torch)
    code, _, err = exported("-o", "model.onnx")
    assert (code, err) == (2, f"error: The export needs {package}: pip install 'inductor_lab[onnx]'.\n")
    assert not (workdir / "model.onnx").exists()


def test_a_checkpoint_of_something_else_is_refused(workdir: Path) -> None:
    model = TalkDLRM(Modulus(ROWS), ROWS, (13, 4), (1,), interaction="cat")
    with pytest.raises(LabError, match=r"Can not read the checkpoint absent.pt: No such file"):
        dlrm_onnx.load(model, Path("absent.pt"), CAT, TABLES)
    other = TalkDLRM(Modulus(ROWS), ROWS, (13, 4), (1,), interaction="dot")
    told = asdict(CAT)
    torch.save({"model": other.state_dict(), "configuration": told}, workdir / "other.pt")
    with pytest.raises(LabError, match="no checkpoint of this configuration and these tables"):
        dlrm_onnx.load(model, workdir / "other.pt", CAT, TABLES)
    torch.save({"model": model.state_dict(), "configuration": told | {"log_counts": True}}, workdir / "logs.pt")
    with pytest.raises(LabError, match="was trained with log_counts True, and not False: ask for the same"):
        dlrm_onnx.load(model, workdir / "logs.pt", CAT, TABLES)
    listed = replace(CAT, hash="index-list")
    kept = {"model": model.state_dict(), "configuration": asdict(listed), "log": {"metadata": digest(TABLES)}}
    torch.save(kept, workdir / "kept.pt")
    dlrm_onnx.load(model, workdir / "kept.pt", listed, TABLES)
    with pytest.raises(LabError, match="was trained with other tokenizer_values: name its own metadata"):
        dlrm_onnx.load(model, workdir / "kept.pt", listed, [Table(rows, [*range(1, rows + 1)]) for rows in ROWS])


def test_more_than_a_file_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in dlrm_onnx.NEEDS:
        monkeypatch.setitem(sys.modules, name, torch)
    large = torch.nn.Linear(2**15, 2**14 + 1, device="meta")
    with pytest.raises(LabError, match=r"take 2.1 GB, and a file of ONNX holds 2.1 GB: cap the tables"):
        dlrm_onnx.export(large, tmp_path / "model.onnx")
    monkeypatch.setattr(dlrm_onnx, "MOST", 8 * 26 - 1)
    for hash_ in (IndexList([[7]] * 26), IndexDevice([[7]] * 26), Modulus([1] * 26)):
        with pytest.raises(LabError, match="Parameters and hash take"):
            dlrm_onnx.export(hash_, tmp_path / "model.onnx")
