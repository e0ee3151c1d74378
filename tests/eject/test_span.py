"""Spans as files: several launches and library calls in one, their references composed, Inductor's sequence beside them."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
from folders import ROOT, TESTS

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.eject.inputs.domain import together
from inductor_lab.eject.span.plan import title
from inductor_lab.eject.span.sequence import call
from inductor_lab.eject.span.views import view
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.records import TensorType
from inductor_lab.spans import addressed, again

sys.path.append(str(TESTS / "benchmarks"))
from spans import table


@lru_cache
def ejected(name: str, style: str = "readable") -> str:
    capture, _, which = name.partition(":")
    found = store.load(ROOT / "captured" / capture)
    span = addressed(found, which)
    assert span is not None
    return eject(found, span, style=style)


def function(text: str, name: str) -> str:
    return next(
        ast.unparse(one) for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name == name
    )


def test_launch_is_the_captured_sequence() -> None:
    text = function(ejected("lora_mlp_h200:0_inference:2-7"), "launch")
    assert "add_mul_relu_BLOCK=1024" in text, "each setting of each kernel is a keyword"
    assert len(re.findall(r"torch\.mm\(\w+, arg\d\.t\(\), out=\w+\)", text)) == 4
    launched = [line for line in text.split("\n") if "launch_" in line]
    assert len(launched) == 2 and all("BLOCK=add_mul_relu_BLOCK" in line for line in launched), "one body, twice"


def test_inductors_sequence_uses_memory_again() -> None:
    text = ejected("lora_mlp_h200:0_inference:0-11")
    hand, generated = function(text, "launch"), function(text, "launch_generated")
    assert hand.count("torch.empty(") > generated.count("torch.empty(")
    assert re.search(r"^    mm_\d = mm_\d$", generated, re.MULTILINE)


def test_what_nobody_reads_is_named() -> None:
    text = ejected("lora_mlp_h200:0_inference:2-11")
    assert re.search(r'^UNREAD = \("mm_\d",\)', text, re.MULTILINE)
    assert re.search(r"nobody behind the span reads `mm_\d`", text)


def test_functions_of_several_kernels_stand_once_and_the_baselines_are_its_own() -> None:
    text = ejected("dlrm_h200:0_inference:0-8", "verbatim")
    names = [one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    assert len(names) == len(set(names))
    assert "generated_maximum" in names
    assert "triton_helpers.maximum = generated_maximum" in text


@pytest.mark.parametrize("name", ["dlrm_h200:0_inference:6-10", pytest.param("dlrm_h200:4-29", marks=pytest.mark.slow)])
def test_a_span_is_right_in_the_interpreter(name: str, tmp_path: Path) -> None:
    pytest.importorskip("triton")
    (tmp_path / "span.py").write_text(ejected(name), encoding="utf-8")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "span.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right  buf34 is" in done.stdout


@pytest.mark.parametrize(
    ("of", "shape", "stride", "offset", "said"),
    [
        (((32, 16), (16, 1)), (32, 16), (16, 1), 0, "x"),
        (((32, 16), (16, 1)), (16, 32), (1, 16), 0, "x.t()"),
        (((8, 4, 16), (64, 16, 1)), (32, 16), (16, 1), 0, "x.view(32, 16)"),
        (((8, 4, 16), (64, 16, 1)), (16, 32), (1, 16), 0, "x.view(32, 16).t()"),
        (((8, 4, 16), (64, 16, 1)), (8, 16, 4), (64, 1, 16), 0, "x.permute(0, 2, 1)"),
        (((128, 432), (432, 1)), (128, 16), (432, 1), 416, "x[:, 416:432]"),
        (((128, 432), (432, 1)), (2, 432), (432, 1), 864, "x[2:4]"),
        (((128, 432), (432, 1)), (128, 16), (432, 1), 420, "torch.as_strided(x, (128, 16), (432, 1), x.storage_offset() + 420)"),
        ((("s0", 16), (16, 1)), (16, "s0"), (1, 16), 0, "x.t()"),
        ((("s0", 432), (432, 1)), ("s0", 16), (432, 1), 416, "x[:, 416:432]"),
        ((("s0", 4, 16), (64, 16, 1)), ("4*s0", 16), (16, 1), 0, "x.view(4*s0, 16)"),
    ],
)  # fmt: skip
def test_a_view_is_said_as_short_as_it_can_be(of: tuple, shape: tuple, stride: tuple, offset: int, said: str) -> None:  # type: ignore[type-arg]
    assert view("x", TensorType("float32", *of), shape, stride, offset) == said


def test_a_library_call_is_torchs() -> None:
    assert call("extern_kernels.addmm", [("0", "b"), ("1", "x"), ("2", "w"), ("alpha", "1"), ("out", "y")]) == [
        "torch.addmm(b, x, w, alpha=1, out=y)"
    ]
    assert call("aten.sum.dim_IntList", [("0", "x"), ("1", "[0]")]) == ["torch.ops.aten.sum.dim_IntList(x, [0])"]
    with pytest.raises(LabError, match="no function of torch's does what `cpp_fused_0` does"):
        call("cpp_fused_0", [])


def test_demands_of_several_kernels_hold_together() -> None:
    assert together("index", [(0, 500), (0, 100, -1), "any"]) == (0, 100)
    assert together("x", ["normal", "finite", "positive"]) == "count"
    with pytest.raises(LabError, match="`x` would have to hold above 0 and between -1 and 1"):
        together("x", ["positive", "unit"])


def test_the_graphs_own_form_goes_from_the_inputs_to_the_outputs() -> None:
    assert function(ejected("dlrm_h200:0_inference:0-3"), "aten").endswith(
        "return (torch.relu(bias_2 + torch.relu(bias + arg30 @ arg28.permute([1, 0])) @ arg31.permute([1, 0])),)"
    )
    assert 'UNKNOWN = "it is not known which value of the graph is in `buf34`' in ejected("dlrm_h200:4-29")


@pytest.mark.parametrize("name", ["dlrm_h200:0_inference:36-38", "dlrm_h200:0_inference:39-40"])
def test_what_a_library_call_reads_and_a_graph_returns_ties_it_too(name: str, tmp_path: Path) -> None:
    """A span whose inputs come from another span, by a launch of which no comment tells."""
    torch = pytest.importorskip("torch")
    (tmp_path / "span.py").write_text(ejected(name), encoding="utf-8")
    file = load(tmp_path / "span.py").module
    given = file.drawn(file.ARGUMENTS, device="cpu")
    read = [given[name] for name, (*_, fill) in file.ARGUMENTS.items() if fill != "out"]
    made = file.reference(*(given[name] for name in file.TAKES)), file.aten(*read)
    for eager, aten in zip(*made, strict=True):
        assert torch.allclose(eager, aten.reshape(eager.shape).to(eager.dtype), rtol=1e-4, atol=1e-5)


def test_a_file_is_found_again_by_its_steps() -> None:
    capture = store.load(ROOT / "captured" / "dlrm_h200")
    origin = next(
        ast.literal_eval(one.value)
        for one in ast.parse(ejected("dlrm_h200:0_inference:6-10")).body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "ORIGIN"
    )
    assert [step.get("call", step.get("kernel")) for step in origin["span"]] == [
        "extern_kernels.mm",
        *(f"dlrm_h200:{number}" for number in range(3, 7)),
    ]
    here = again(capture, origin)
    assert here is not None and here.sha256 == origin["body_sha256"]
    moved = again(capture, origin | {"kernel": "dlrm_h200:0_inference:0-4"})
    assert moved is not None and moved.first == 6, "found by its steps"
    assert again(capture, origin | {"kernel": "", "span": [{"call": "nothing"}, {"call": "like it"}]}) is None


def test_symbolic_sizes_are_told_by_the_inputs() -> None:
    text = ejected("dlrm_dynamic_h200:1_inference:6-8")
    assert re.search(r"^    s35 = \w+\.shape\[0\]$", function(text, "launch"), re.MULTILINE)
    assert "OTHER_SIZES = [{'s35': 65}]" in text
    assert "[:, 16:32]" in function(text, "launch"), "a slice of whatever size"


@pytest.mark.parametrize(("mark", "results"), [("spans", "spans"), ("interpreted", "spans_interpreted")])
def test_the_page_says_what_was_measured_and_what_was_refused(mark: str, results: str) -> None:
    rows = json.loads((TESTS / "benchmarks" / "results" / f"{results}.json").read_text(encoding="utf-8"))["rows"]
    page = (ROOT / "docs" / "spans.md").read_text(encoding="utf-8")
    told = page.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- /{mark} -->")[0]
    assert told == table(rows), f"python tests/benchmarks/spans.py --of ... --write docs/spans.md --mark {mark}"
    assert sum(row["eject"] != "pass" for row in rows) <= 0.05 * len(rows)
    assert {row["verify"] for row in rows if "verify" in row} == {"pass"}


def test_kernels_that_differ_by_a_number_are_one_that_is_launched_from_a_table() -> None:
    text = ejected("dlrm_h200:4-29")
    assert text.startswith('"""26 x remainder_embedding: a span of 26 launches of')
    names = [one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    assert names.count("remainder_embedding") == 1 and "remainder_embedding_2" not in names
    launch = function(text, "launch")
    assert "for each_table, embedding, start in (" in launch and "(table_26, buf34[:, 416:432], 25))" in launch
    assert launch.count("launch_remainder_embedding(") == 1
    assert "START: tl.constexpr,  # 0 to 25" in text, "compiled in, as the number was"
    settings = re.findall(r"XBLOCK_\d=\d+", function(text, "launch_generated").partition(":\n")[0])
    assert settings == ["XBLOCK_0=128", "XBLOCK_1=256", "XBLOCK_2=128"], "as the autotuner chose for each"


def test_a_title_says_names_together() -> None:
    assert title(["embedding"] * 26) == "26 x embedding"
    assert title(["mm", "gelu", "mm", "add"]) == "2 x mm, gelu and add"
    assert title(["mm", "gelu", "add", "relu", "relu"]) == "mm, gelu, add and 2 more"
