"""Two captures aligned: small ones written here, where every answer is known, and the real ones under captured/."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inductor_lab import store
from inductor_lab.compare import compare, normalised
from inductor_lab.read import read
from inductor_lab.records import (
    Argument,
    Capture,
    Claim,
    ExternCall,
    Gpu,
    Graph,
    Kernel,
    Launch,
    Node,
    SourceLine,
    Traffic,
)
from inductor_lab.report import render
from inductor_lab.report.comparison import comparison, document

CAPTURED = Path(__file__).parents[1] / "captured"

PROGRAM = {"mul": "x = x * 2", "sin": "y = x.sin()", "relu": "z = y.relu()", "sum": "return z.sum()"}
"""A model: each operation on a line of its own."""


def capture(*kernels: str, program: dict[str, str] = PROGRAM, launches: int = 1, kind: str = "inference") -> Capture:
    """`capture("mul sin", "relu")`: one graph, a kernel for each text, which names the operations fused into it."""
    nodes = {
        operation: Node(
            f"{operation}_{line}", f"aten.{operation}.default", "", (), None, SourceLine("m.py", line, code)
        )
        for line, (operation, code) in enumerate(program.items(), 10)
    }
    made = []
    for index, operations in enumerate(kernels):
        names = operations.split()
        fused = tuple(nodes[name] for name in names)
        body = "\n".join(["tmp0 = tl.load(in_ptr0)", *(f"tmp{i} = {n}(tmp{i - 1})" for i, n in enumerate(names, 1))])
        made.append(
            Kernel(
                id=f"test:{index}", name=f"triton_poi_fused_{'_'.join(names)}_{index}", category="pointwise", graph="0",
                body_sha256=body, definitions=1, arguments=(Argument("in_ptr0", "float32", "in", True),),
                launches=(Launch("0", index, ()),) * launches, ops=tuple(names),
                source=tuple(node.source for node in fused if node.source), traffic=Traffic(),
                claim=Claim(nodes=tuple(node.name for node in fused), fragment=fused), text=triton(body), body=body, line=1,
            )
        )  # fmt: skip
    graph = Graph("0", "0/0", kind, "")
    return Capture("test", "2.13.0", "", Gpu("", "", False), "", "", (graph,), tuple(made), (), ())


def triton(body: str) -> str:
    """The source that a body stands in."""
    return "\n".join(["@triton.jit", "def triton_(in_ptr0):", *(f"    {line}" for line in body.splitlines())])


def names(kernels: tuple[Kernel, ...]) -> list[str]:
    return [kernel.name for kernel in kernels]


def test_a_capture_is_the_same_as_itself() -> None:
    found = compare(capture("mul sin", "relu sum"), capture("mul sin", "relu sum"))
    assert not found.differs
    assert len(found.same) == 2


def test_order_is_no_difference() -> None:
    found = compare(capture("mul", "sin", "relu"), capture("relu", "mul", "sin"))
    assert not found.differs
    text = render.text(*comparison(found))
    assert "the same: 3 of 3 kernels, 1 moved" in text
    assert "launched elsewhere\n  test:2 -> test:0  0:2 -> 0:0  triton_poi_fused_relu_0" in text
    assert document(found)["moved"][0]["now"] == ["0:0"]


def test_a_body_at_another_place_has_moved() -> None:
    found = compare(capture("mul", "sin", "relu"), capture("relu", "mul", "sin"))
    (move,) = found.moved
    assert (move.a.name, move.b.name) == ("triton_poi_fused_relu_2", "triton_poi_fused_relu_0")
    assert [launch.line for launch in (*move.left, *move.now)] == [2, 0]
    assert not compare(capture("mul", "sin", "relu"), capture("sum", "mul", "sin", "relu")).moved
    assert len(compare(capture("mul", "sin"), capture("mul", "sin", kind="backward")).moved) == 2


def test_a_changed_kernel_has_a_diff_of_its_body() -> None:
    found = compare(capture("mul sin", "relu sum"), capture("mul sin", "relu"))
    (pair,) = found.changed
    assert (pair.a.id, pair.b.id) == ("test:1", "test:1")
    assert 0.5 < pair.similarity < 1
    assert pair.diff[-1] == "-tmp2 = sum(tmp1)"
    assert not found.added and not found.removed and not found.fusions


def test_what_computes_something_else_is_added_or_removed() -> None:
    found = compare(capture("mul sin", "relu"), capture("mul sin", "sum"))
    assert names(found.removed) == ["triton_poi_fused_relu_1"]
    assert names(found.added) == ["triton_poi_fused_sum_1"]
    assert not found.changed


def test_one_kernel_that_became_several_is_a_boundary_that_moved() -> None:
    found = compare(capture("mul sin relu", "sum"), capture("mul", "sin relu", "sum"))
    (split,) = found.fusions
    assert (split.kind, len(split.a), len(split.b)) == ("split", 1, 2)
    assert split.nodes == ("mul_10", "sin_11", "relu_12")
    assert [line.code for line in split.source] == ["x = x * 2", "y = x.sin()", "z = y.relu()"]


def test_the_other_way_round_it_is_fused() -> None:
    (fused,) = compare(capture("mul", "sin relu", "sum"), capture("mul sin relu", "sum")).fusions
    assert (fused.kind, len(fused.a), len(fused.b)) == ("fused", 2, 1)


def test_a_boundary_that_moved_by_one_operation() -> None:
    (moved,) = compare(capture("mul sin", "relu sum"), capture("mul", "sin relu sum")).fusions
    assert (moved.kind, len(moved.a), len(moved.b)) == ("moved", 2, 2)


def test_an_operation_computed_again_in_the_next_kernel_is_fused_into_it() -> None:
    (fused,) = compare(capture("mul sin", "relu"), capture("mul sin", "sin relu")).fusions
    assert (fused.kind, fused.nodes) == ("fused", ("sin_11", "relu_12"))


def test_a_line_inserted_above_moves_nothing() -> None:
    edited = {"neg": "x = -x", **PROGRAM}
    found = compare(capture("mul sin", "relu sum"), capture("neg mul sin", "relu sum", program=edited))
    assert [pair.diff[-1] for pair in found.changed] == ["+tmp3 = sin(tmp2)"]
    assert len(found.same) == 1
    assert not found.fusions


def test_an_edited_line_still_holds_its_operations() -> None:
    edited = {**PROGRAM, "sin": "y = torch.sin(x)"}
    (split,) = compare(capture("mul sin relu"), capture("mul", "sin relu", program=edited)).fusions
    assert split.kind == "split"


def test_how_often_a_kernel_is_launched_is_a_difference() -> None:
    found = compare(capture("mul sin"), capture("mul sin", launches=3))
    assert found.differs
    assert [(len(pair.a.launches), len(pair.b.launches)) for pair in found.relaunched] == [(1, 3)]


def test_library_calls_are_counted() -> None:
    old = replace(capture("mul"), extern_calls=(ExternCall("extern_kernels.mm", "0", 3),) * 2)
    new = replace(capture("mul"), extern_calls=(ExternCall("extern_kernels.addmm", "0", 3),))
    found = compare(old, new)
    assert [(c.target, c.a, c.b) for c in found.extern_calls] == [
        ("extern_kernels.addmm", 0, 1),
        ("extern_kernels.mm", 2, 0),
    ]
    assert found.differs


def test_a_forward_never_became_a_backward() -> None:
    found = compare(capture("mul sin", kind="forward"), capture("mul sin relu", kind="backward"))
    assert not found.changed
    assert compare(capture("mul sin", kind="inference"), capture("mul sin relu", kind="forward")).changed


def test_programs_that_have_no_line_in_common_share_no_operation() -> None:
    other = {operation: f"{code}  # elsewhere" for operation, code in PROGRAM.items()}
    assert not compare(capture("mul sin"), capture("mul", "sin", program=other)).fusions


def test_numbers_of_temporaries_are_no_difference() -> None:
    old = capture("mul sin")
    text = old.kernels[0].text.replace("tmp1", "tmp7")
    kernel = replace(old.kernels[0], text=text, body_sha256="another hash")
    new = replace(old, kernels=(kernel,))
    assert normalised(old.kernels[0]) == normalised(kernel)
    assert not compare(old, new).differs


def test_a_body_that_is_no_python_is_compared_as_text() -> None:
    old = capture("mul")
    broken = [replace(old.kernels[0], body=body, text=body, body_sha256=body) for body in ("a b c", "a b d")]
    (pair,) = compare(*(replace(old, kernels=(kernel,)) for kernel in broken)).changed
    assert pair.diff[-2:] == ("-a b c", "+a b d")


def test_captures_without_kernels() -> None:
    assert not compare(capture(), capture()).differs
    assert names(compare(capture(), capture("mul")).added) == ["triton_poi_fused_mul_0"]


# Real captures


def real(name: str) -> Capture:
    return store.load(CAPTURED / name)


def test_a_gpu_that_is_not_there_gives_the_same_kernels() -> None:
    for name in ("dlrm_h200", "lora_mlp_train_h200", "rotary_attention_train_h200"):
        assert not compare(real(name), real(f"{name}_virtual")).differs


def test_a_log_read_again_is_the_capture_that_was_made_of_it() -> None:
    """However an older version hashed its bodies."""
    for name in ("dlrm_h200", "lora_mlp_train_bf16_h200"):
        found = compare(real(name), read([CAPTURED / name / "log.txt.gz"], "again"))
        assert not found.differs, name
        assert len(found.same) == len(found.a.kernels)


def test_every_kernel_is_told_of_once() -> None:
    for old, new in (
        ("dlrm_h200", "dlrm_train_h200"),
        ("lora_mlp_h200", "lora_mlp_bf16_h200"),
        ("rotary_h200", "dlrm_h200"),
    ):
        a, b = real(old), real(new)
        found = compare(a, b)
        pairs = found.same + found.changed
        assert sorted([p.a.id for p in pairs] + [k.id for k in found.removed]) == sorted(k.id for k in a.kernels)
        assert sorted([p.b.id for p in pairs] + [k.id for k in found.added]) == sorted(k.id for k in b.kernels)
        assert all(pair.diff for pair in found.changed)
        assert all(len(change.a) > 1 or len(change.b) > 1 for change in found.fusions)


def test_training_is_inference_and_more() -> None:
    """The 26 embeddings stay in order; their index, computed in each of them, is computed once when it is needed again."""
    found = compare(real("dlrm_h200"), real("dlrm_train_h200"))
    assert (len(found.same), len(found.changed), len(found.removed)) == (4, 28, 0)
    embeddings = [pair for pair in found.changed if "embedding" in pair.a.name]
    positions = [(int(p.a.id.rpartition(":")[2]), int(p.b.id.rpartition(":")[2])) for p in embeddings]
    assert positions == [(i, i + 1) for i in range(4, 30)]
    assert [(c.target, c.a, c.b) for c in found.extern_calls] == [("extern_kernels.mm", 7, 20)]


def test_another_dtype_changes_every_body() -> None:
    found = compare(real("lora_mlp_h200"), real("lora_mlp_bf16_h200"))
    assert (len(found.same), len(found.changed), len(found.added), len(found.removed)) == (0, 2, 0, 0)
    assert "-in_out_ptr0: float32" in found.changed[0].diff


# The command line


@pytest.fixture
def captured(workdir: Path) -> Path:
    (workdir / "captured").symlink_to(CAPTURED)
    return workdir


Lab = Callable[..., Any]


def test_exit_codes(lab: Lab, captured: Path) -> None:
    assert lab("compare", "dlrm_h200", "dlrm_h200_virtual").code == 0
    assert lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h200").code == 1
    missing = lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h20")
    assert missing.code == 2
    assert "did you mean lora_mlp_bf16_h200" in missing.err


def test_json_names_kernels_as_other_verbs_do(lab: Lab, captured: Path) -> None:
    result = lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h200", "--json")
    found = json.loads(result.out)
    assert result.code == 1
    assert (found["schema"], found["verdict"]) == (1, "different")
    assert found["a"]["torch"].startswith("2.11")
    (first, _) = found["changed"]
    assert lab("show", first["b"]["id"]).code == 0
    assert first["diff"].startswith("--- lora_mlp_h200:0\n+++ lora_mlp_bf16_h200:0\n")
    assert json.loads(lab("compare", "dlrm_h200", "dlrm_h200_virtual", "--json").out)["verdict"] == "same"


def test_changes_that_are_alike_are_shown_once(lab: Lab, captured: Path) -> None:
    out = lab("compare", "dlrm_h200", "dlrm_train_h200").out
    # One kernel more where the card chose to pad an operand.
    assert "4 same, 28 changed, 34 added" in out or "4 same, 28 changed, 35 added" in out
    assert out.count("\nChanged ") < 10
    assert "the same change of dlrm_h200:" in out
    assert "extern_kernels.mm  7 -> 20" in out
    assert "\x1b" not in out


def test_it_reads_well_in_80_columns() -> None:
    import io

    from rich.console import Console

    console = Console(width=80, file=io.StringIO(), no_color=True)
    console.print(*comparison(compare(real("dlrm_h200"), real("dlrm_train_h200"))), sep="\n")
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "dlrm_train_h200  2.11.0" in text, "no column of the head is cut"


def test_every_section_has_its_words() -> None:
    import io

    from rich.console import Console

    old = replace(capture("mul", "sin relu", "sum"), extern_calls=(ExternCall("extern_kernels.mm", "0", 3),))
    new = capture("mul", "sin", "relu", "neg", program={**PROGRAM, "neg": "return -z"}, launches=2)
    console = Console(width=80, file=io.StringIO(), no_color=True)
    console.print(*comparison(compare(old, new)), sep="\n")
    text = "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
    for words in (
        "Launched more or less often\n  test:0 -> test:0  1 -> 2",
        "split: test:1 -> test:1, test:2",
        "m.py:11  y = x.sin()",
        "Changed test:1 -> test:",
        "Removed",
        "Added",
        "extern_kernels.mm  1 -> 0",
    ):
        assert words in text, words


def test_the_document_is_json_whatever_the_log_held() -> None:
    odd = capture("mul")
    odd = replace(
        odd, kernels=(replace(odd.kernels[0], name="[bold]x[/]\x00", body="\x00(", text="\x00(", body_sha256=""),)
    )
    assert json.loads(json.dumps(document(compare(capture("mul"), odd))))["verdict"] == "different"


def test_it_answers_without_torch(captured: Path) -> None:
    code = (
        "import sys; from inductor_lab.compare import compare; from inductor_lab.store import find_capture as find; "
        "compare(find('lora_mlp_h200'), find('lora_mlp_bf16_h200')); print({'torch', 'triton'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(CAPTURED.parent)}
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert child.stdout == "set()\n"


# What the installed torch writes

MODEL = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(256, 512), nn.Linear(512, 256)

    def forward(self, x):
        y = torch.sin(x) * 2
        z = torch.relu(self.up(y)) + 1
        return torch.tanh(self.down(z)) + x

torch.compile(Block())(torch.randn(64, 256))
"""


@pytest.mark.slow
def test_an_edited_model_and_a_finer_fusion(lab: Lab, workdir: Path) -> None:
    pytest.importorskip("torch")
    (workdir / "model.py").write_text(MODEL)
    finer = ("max_fusion_size=1", "realize_reads_threshold=1", "realize_opcount_threshold=1")
    assert lab("capture", "model.py", "--gpu", "h200", "-o", "captured/old").code == 0
    words = [word for setting in finer for word in ("--set", setting)]
    assert lab("capture", "model.py", "--gpu", "h200", "-o", "captured/finer", *words).code == 0
    (workdir / "model.py").write_text(
        MODEL.replace("y = torch.sin(x) * 2", "x = x.abs()\n        y = torch.sin(x) * 3")
    )
    assert lab("capture", "model.py", "--gpu", "h200", "-o", "captured/edited").code == 0

    found = compare(store.find_capture("old"), store.find_capture("finer"))
    assert any(change.kind == "split" and "relu" in change.nodes for change in found.fusions)
    found = compare(store.find_capture("old"), store.find_capture("edited"))
    assert not found.added and not found.removed and not found.fusions
    assert any("relu" in pair.a.name for pair in found.same)
    assert any("3.0" in line for pair in found.changed for line in pair.diff)
