"""Ejecting: one kernel as one standalone file. Real H200 logs are held to properties, refusals to their one sentence."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from inductor_lab.eject import eject, judged_hash, rendered_hash
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

LOGS = {path.name.partition(".")[0]: path for path in sorted((Path(__file__).parent / "logs" / "h200").glob("*.gz"))}
STYLES = ("readable", "verbatim")
OFFERED = {
    "launch",
    "launch_generated",
    "reference",
    "ARGUMENTS",
    "WRITTEN",
    "INTERPRETER",
    "example_inputs",
    "generated",
    "test_matches_eager",
}


@cache
def capture(name: str) -> Capture:
    return read([LOGS[name]], name)


@cache
def files(name: str, style: str) -> list[tuple[Kernel, str]]:
    """Every kernel of a log with its file."""
    return [(kernel, eject(capture(name), kernel, style=style)) for kernel in capture(name).kernels]


@pytest.fixture
def lora() -> tuple[Capture, Kernel]:
    """The LoRA MLP's bias + base + 0.5 * correction, then relu; in place."""
    found = capture("lora")
    return found, found.kernels[0]


def defined(text: str) -> set[str]:
    """The names that a file's top level defines."""
    functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    targets = [target for node in ast.parse(text).body if isinstance(node, ast.Assign) for target in node.targets]
    return functions | {target.id for target in targets if isinstance(target, ast.Name)}


def function(text: str, name: str) -> str:
    return next(
        ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name
    )


# ---------------------------------------------------------------- every kernel of the real logs


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", LOGS)
def test_every_kernel_ejects_in_both_styles(name: str, style: str) -> None:
    for kernel, text in files(name, style):
        compile(text, kernel.id, "exec")
        assert defined(text) >= OFFERED
        assert "torch._inductor" not in text and not re.search(
            r"^\s*(import|from) inductor_lab", text, flags=re.MULTILINE
        )
        assert f"sha256 {rendered_hash(text)}," in text and f"sha256 {judged_hash(text)}," in text
        assert function(text, "generated").endswith(textwrap.indent(ast.unparse(ast.parse(kernel.body)), "    "))


@pytest.mark.parametrize("name", LOGS)
def test_readable_leaves_nothing_of_inductors_names(name: str) -> None:
    for kernel, text in files(name, "readable"):
        hand = text.partition("# ---")[2].partition("def launch(")[0]
        code = "\n".join(line.partition("#")[0] for line in hand.splitlines() if "device_assert" not in line)
        assert not re.search(r"\btmp\d|\b[xyr]\d+_?\b|XBLOCK|_ptr\d|xnumel|triton_helpers\.", code), kernel.id
        assert max(map(len, hand.splitlines())) <= 180


@pytest.mark.parametrize("name", LOGS)
def test_verbatim_keeps_the_body_to_the_letter(name: str) -> None:
    for kernel, text in files(name, "verbatim"):
        body = "\n" + textwrap.indent(kernel.body, "    ")
        assert text.count(body) == 2  # the hand kernel and the generated one


def test_the_same_kernel_gives_the_same_text(lora: tuple[Capture, Kernel]) -> None:
    assert eject(*lora) == eject(*lora)


# ---------------------------------------------------------------- what stands in a file


def test_the_header_says_what_it_is_and_where_it_came_from(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    head = ast.get_docstring(ast.parse(eject(found, kernel, file="hand.py")))
    assert head is not None
    lines = head.splitlines()
    assert lines[0] == "relu(bias + mm_2 + mm_1 * 0.5): one fusion of `lora`, ejected to be edited."
    assert lines[2] == f"Captured  lora, graph {kernel.graph}, kernel 0: {kernel.name}"
    assert lines[3] == "Replaces  aten.add, aten.mul, aten.relu"
    assert re.fullmatch(r"Source    \w+\.py:\d+  .*", lines[4])
    assert any(line.startswith("Target    a GPU that the log does not name (sm_90)") for line in lines)
    assert f"Body      sha256 {kernel.body_sha256[:16]}, the generated kernel's" in lines
    assert any("python hand.py" in line for line in lines) and any("pytest hand.py" in line for line in lines)


def test_the_arguments_have_their_captured_shapes_and_their_names_from_the_model(lora: tuple[Capture, Kernel]) -> None:
    text = eject(*lora)
    assert '"mm_2": ((4096, 1024), (1024, 1), torch.float32, "normal"),' in text
    assert '"bias": ((1024,), (1,), torch.float32, "normal"),' in text
    assert 'WRITTEN = ("mm_2",)' in text
    assert "    mm_2_ptr,  # f32[4096, 1024], " in text and "; overwritten" in text
    assert function(text, "reference").endswith("return (torch.relu(bias + mm_2 + mm_1 * 0.5),)")


def test_an_index_is_drawn_from_inside_its_table() -> None:
    found = capture("dlrm_small_train")
    kernel = next(kernel for kernel in found.kernels if "embedding" in kernel.name and "load.gather" in kernel.ops)
    assert "torch.int64, (0, 10000))" in eject(found, kernel)


def test_helpers_are_written_out_once_and_only_where_they_are_called(lora: tuple[Capture, Kernel]) -> None:
    readable, verbatim = (eject(*lora, style=style) for style in STYLES)
    assert "triton_helpers.maximum(" in lora[1].body
    for text in (readable, verbatim):
        assert text.count("def maximum(a, b):") == 1
    assert readable.index("def maximum") > readable.index("def launch(")  # only the baseline calls it
    assert verbatim.index("def maximum") < verbatim.index("def launch(")


def test_a_kernel_is_not_named_as_a_helper_or_a_builtin_that_the_file_uses() -> None:
    found = capture("lora")
    kernel = found.kernels[0]
    (graph,) = [graph for graph in found.graphs if graph.id == kernel.graph]
    nodes = tuple(
        replace(node, target="aten.maximum.default", call=f"torch.ops.aten.maximum.default({', '.join(node.arguments)})")
        if node.name in kernel.claim.nodes and node.target.startswith("aten.add") else node
        for node in graph.nodes
    )  # fmt: skip
    others = tuple(other for other in found.graphs if other is not graph)
    text = eject(replace(found, graphs=(replace(graph, nodes=nodes), *others)), kernel)
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(names) == len(set(names))


def test_functions_that_inductor_wrote_above_the_kernel_come_along(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    helper = "@triton.jit\ndef _triton_helper_fn_add0(arg0_0, arg1_0):\n    tmp0 = arg0_0 + arg1_0\n    return tmp0\n\n"
    body = kernel.body.replace("tmp0 + tmp1", "_triton_helper_fn_add0(tmp0, tmp1)")
    text = eject(found, replace(kernel, body=body, text=helper + kernel.text))
    assert "@triton.jit\ndef _triton_helper_fn_add0(arg0_0, arg1_0):" in text
    assert "_triton_helper_fn_add0(bias, mm_2)" in text


@pytest.mark.parametrize("hostile", ['"""', "\\", "\\N{nothing}", "line\nbreak", "\x00"])
def test_what_the_log_says_cannot_leave_the_docstring(lora: tuple[Capture, Kernel], hostile: str) -> None:
    found, kernel = lora
    lines = tuple(replace(line, code=f"x = {hostile} + import_me()") for line in kernel.source)
    text = eject(replace(found, name=f"lora{hostile}"), replace(kernel, source=lines))
    assert isinstance(ast.parse(text).body[0], ast.Expr) and "import_me" in (ast.get_docstring(ast.parse(text)) or "")


# ---------------------------------------------------------------- hashes


def test_an_edit_changes_the_hash_and_only_an_edit_of_the_reference_changes_the_other(
    lora: tuple[Capture, Kernel],
) -> None:
    text = eject(*lora)
    kernel = text.replace("mm_1 * 0.5\n    tl.store", "mm_1 * 0.25\n    tl.store")
    judged = text.replace("return (torch.relu(", "return (torch.abs(")
    assert kernel != text and judged != text
    assert rendered_hash(kernel) != rendered_hash(text) != rendered_hash(judged)
    assert judged_hash(kernel) == judged_hash(text) != judged_hash(judged)
    assert rendered_hash(text) in text and rendered_hash(kernel) not in kernel


# ---------------------------------------------------------------- a template of one's own


def test_a_template_of_ones_own_gets_the_same_variables(lora: tuple[Capture, Kernel], tmp_path: Path) -> None:
    template = tmp_path / "short.py.jinja"
    template.write_text(
        "# {{ name }} writes {{ returned }} with {{ config }}\n{% for line in body %}\n{{ line }}\n{% endfor %}\n"
    )
    text = eject(*lora, template=template)
    assert text.startswith("# add_mul_relu writes mm_2 with BLOCK=1024, num_warps=4\noffset = ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{{ nonsense }}", "nonsense"),
        ("{% for line in %}", "template"),
        ('{% include "nothing.jinja" %}', "nothing.jinja|does not exist"),
    ],
)
def test_a_template_that_is_wrong_is_one_sentence(
    lora: tuple[Capture, Kernel], tmp_path: Path, content: str, said: str
) -> None:
    template = tmp_path / "wrong.py.jinja"
    template.write_text(content)
    assert re.search(said, refusal(*lora, template=template))


def test_a_template_that_is_not_there_is_one_sentence(lora: tuple[Capture, Kernel], tmp_path: Path) -> None:
    assert "does not exist" in refusal(*lora, template=tmp_path / "none.jinja")


# ---------------------------------------------------------------- what can not be ejected


def refusal(found: Capture, kernel: Kernel, **options: object) -> str:
    """The one sentence."""
    with pytest.raises(LabError) as error:
        eject(found, kernel, **options)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    return str(error.value)


def without_graph(found: Capture) -> Capture:
    return replace(found, graphs=tuple(replace(graph, nodes=(), outputs=()) for graph in found.graphs))


def test_a_category_that_is_not_handled_names_the_way_out(lora: tuple[Capture, Kernel]) -> None:
    said = refusal(lora[0], replace(lora[1], category="template"))
    assert (
        "a template kernel" in said and "pointwise, reduction, persistent_reduction" in said and "show lora:0" in said
    )


def test_a_kernel_that_was_never_launched_has_no_shapes(lora: tuple[Capture, Kernel]) -> None:
    assert "never launched" in refusal(lora[0], replace(lora[1], launches=()))


def test_the_comment_above_a_kernel_stands_in_for_a_graph(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    assert function(eject(without_graph(found), kernel), "reference") == function(eject(found, kernel), "reference")


def test_without_graph_and_comment_there_is_no_reference(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    said = refusal(without_graph(found), replace(kernel, claim=replace(kernel.claim, fragment=())))
    assert "TORCH_LOGS=output_code,post_grad_graphs" in said


def test_a_symbolic_size_says_to_capture_without_dynamic(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    (launch, *_) = kernel.launches
    arguments = tuple(replace(a, value="s77*1024") if a.name == "xnumel" else a for a in launch.arguments)
    said = refusal(found, replace(kernel, launches=(replace(launch, arguments=arguments),)))
    assert "xnumel = s77*1024" in said and "--dynamic" in said


def test_a_helper_that_has_no_standalone_form_is_named(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    body = kernel.body.replace("triton_helpers.maximum(", "triton_helpers.bucketize_binary_search(")
    assert "triton_helpers.bucketize_binary_search" in refusal(found, replace(kernel, body=body))


def test_a_style_that_there_is_not_is_named(lora: tuple[Capture, Kernel]) -> None:
    assert "readable or verbatim" in refusal(*lora, style="pretty")


def test_a_kernel_that_writes_nothing_is_refused(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    body = "\n".join(line for line in kernel.body.splitlines() if "tl.store" not in line)
    assert "writes no tensor" in refusal(found, replace(kernel, body=body))


def test_a_source_without_size_hints_is_configured_by_its_launch(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    assert "BLOCK=1024, num_warps=4):" in eject(found, replace(kernel, size_hints={}))


# ---------------------------------------------------------------- what it takes


def test_ejecting_needs_neither_torch_nor_triton_nor_numpy() -> None:
    program = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {{"torch", "triton", "numpy"}}:
            raise ImportError(name + " is not installed")
sys.meta_path.insert(0, Absent())
from inductor_lab.eject import eject
from inductor_lab.read import read
capture = read([{str(LOGS["lora_train"])!r}], "lora")
print(len([eject(capture, kernel, style=style) for kernel in capture.kernels for style in {STYLES!r}]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "10\n", done.stderr


def test_a_comment_that_leaves_nodes_out_gives_no_reference() -> None:
    """Without the post-grad graph, `getitem` nodes are missing from a fragment: a wrong reference would be worse than none."""
    found = capture("rotary_bf16")
    bare = replace(found, graphs=tuple(replace(graph, nodes=(), outputs=()) for graph in found.graphs))
    with pytest.raises(LabError, match=r"leaves out getitem\w*, so .*post_grad_graphs"):
        eject(bare, bare.kernels[0])
