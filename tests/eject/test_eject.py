"""Ejecting: one kernel as one standalone file. Real H200 logs are held to properties, refusals to their one sentence."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest
from folders import CAPTURED, GENERATIONS, H200
from kernels_as_text import one_of_a_kind, tensor
from small_kernels import SMALL, ejected

from inductor_lab import store
from inductor_lab.eject import TARGETS, eject
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.arguments import overwritten
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.eject.device_functions import NEEDS, OURS
from inductor_lab.eject.device_functions import text as helper_text
from inductor_lab.eject.file.examples import legend
from inductor_lab.eject.inputs.domain import DOMAINS
from inductor_lab.eject.inputs.requirements import WORDS
from inductor_lab.eject.rendering import KernelText
from inductor_lab.ejected import judged_hash, rendered_hash
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel, LaunchArgument
from inductor_lab.verify import verify

REAL = {path.name.partition(".")[0]: path for path in sorted(H200.glob("*.gz"))}
STYLES = ("readable", "verbatim")
OFFERED = {
    "launch",
    "launch_generated",
    "reference",
    "aten",
    "ARGUMENTS",
    "TAKES",
    "WRITTEN",
    "BYTES",
    "INTERPRETER",
    "TAIL",
    "ORIGIN",
    "example_inputs",
    "generated",
    "test_matches_eager",
}


@cache
def capture(name: str) -> Capture:
    return read([REAL[name]], name)


@cache
def generation(name: str) -> Capture:
    return read([GENERATIONS / f"{name}.txt"], "x")


@cache
def files(name: str, style: str) -> list[tuple[Kernel, str]]:
    """Kernels of a log, one of each kind, with their files."""
    return [(kernel, eject(capture(name), kernel, style=style)) for kernel in one_of_a_kind(capture(name).kernels)]


@pytest.fixture
def lora() -> tuple[Capture, Kernel]:
    """The LoRA MLP's bias + base + 0.5 * correction, then relu; in place. Which of two products is which is only likely."""
    found = capture("lora")
    return found, found.kernels[0]


RELU_ALONE = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 0, tl.int32)
    tmp2 = triton_helpers.maximum(tmp1, tmp0)
    tl.store(out_ptr0 + (x0), tmp2, None)
"""


def defined(text: str) -> set[str]:
    """The names that a file's top level defines."""
    functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    targets = [target for node in ast.parse(text).body if isinstance(node, ast.Assign) for target in node.targets]
    return functions | {target.id for target in targets if isinstance(target, ast.Name)}


def function(text: str, name: str) -> str:
    return next(
        ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name
    )


# ---------------------------------------------------------------- every kind of kernel of the real logs


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", REAL)
def test_every_kind_of_kernel_ejects_in_both_styles(name: str, style: str) -> None:
    for kernel, text in files(name, style):
        compile(text, kernel.id, "exec")
        assert defined(text) >= OFFERED
        imported = re.findall(r"^ *(?:import|from) (?:inductor_lab|torch._inductor).*", text, flags=re.MULTILINE)
        assert [line.strip() for line in imported] == ["from inductor_lab.judge.stand_ins import install"]
        assert f"sha256 {rendered_hash(text)}," in text and f"sha256 {judged_hash(text)}," in text
        assert function(text, "generated").endswith(textwrap.indent(ast.unparse(ast.parse(kernel.body)), "    "))


@pytest.mark.parametrize("name", REAL)
def test_readable_leaves_nothing_of_inductors_names(name: str) -> None:
    for kernel, text in files(name, "readable"):
        hand = text.partition("# ---")[2].partition("def launch(")[0]
        code = "\n".join(line.partition("#")[0] for line in hand.splitlines() if "device_assert" not in line)
        assert not re.search(r"\btmp\d|\b[xyr]\d+_?\b|XBLOCK|_ptr\d|xnumel|triton_helpers\.", code), kernel.id
        assert max(map(len, hand.splitlines())) <= 180


@pytest.mark.parametrize("name", REAL)
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
    assert lines[0] == "mm = relu(bias + mm + mm_2 * 0.5): one fusion of `lora`, ejected to be edited."
    assert lines[2] == f"Captured  lora, graph {kernel.graph}, kernel 0: {kernel.name}"
    assert lines[3] == "Replaces  aten.add, aten.mul, aten.relu"
    assert re.fullmatch(r"Source    \w+\.py:\d+  .*", lines[4])
    assert any(line.startswith("Target    a GPU that the log does not name (sm_90)") for line in lines)
    assert f"Body      sha256 {kernel.body_sha256[:16]}, the generated kernel's" in lines
    assert any("python hand.py" in line for line in lines) and any("pytest hand.py" in line for line in lines)


def test_the_arguments_have_their_captured_shapes_and_the_names_that_are_certain(lora: tuple[Capture, Kernel]) -> None:
    """Two products of one shape: which is which is only likely, so they are called after the library call that made them."""
    text = eject(*lora)
    assert '"mm": ((4096, 1024), (1024, 1), torch.float32, "normal"),' in text
    assert '"bias": ((1024,), (1,), torch.float32, "normal"),' in text
    assert 'WRITTEN = ("mm",)' in text and 'TAKES = ("mm", "bias", "mm_2")' in text
    assert "    mm_ptr,  # f32[4096, 1024]; overwritten" in text
    assert "    bias_ptr,  # f32[1024], graph input arg1_1" in text
    for form in ("reference", "aten"):
        assert function(text, form).endswith("return (torch.relu(bias + mm + mm_2 * 0.5),)")


def test_a_tensor_is_called_as_the_value_of_the_graph_that_it_certainly_holds() -> None:
    text = ejected("affine")
    assert "    bias_1_ptr,  # f32[75], graph input bias_1" in text
    assert "    mul_ptr,  # f32[4096], aten.mul.Tensor mul; output" in ejected("even")


def test_origin_is_read_by_a_machine_without_running_the_file(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    text = eject(found, kernel)
    (origin,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORIGIN"
    )
    assert origin["schema"] == 1 and origin["kernel"] == kernel.id and origin["body_sha256"] == kernel.body_sha256
    assert (origin["capture"], origin["graph"], origin["name"]) == ("lora", kernel.graph, kernel.name)
    assert origin["parameters"] == {"in_out_ptr0": "mm", "in_ptr0": "bias", "in_ptr1": "mm_2"}
    assert origin["numbers"] == {"xnumel": "4194304"} and origin["sizes"] == {}
    assert origin["blocks"] == {"XBLOCK": "BLOCK"} and origin["arch"] == "sm_90"


def test_origin_says_what_a_launch_passes_for_any_sizes() -> None:
    found = store.load(CAPTURED / "lora_mlp_train_dynamic_h200")
    (origin,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(eject(found, found.kernels[0])).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORIGIN"
    )
    assert origin["sizes"] == {"s77": "mm.shape[0]"}
    assert origin["numbers"] == {"in_ptr2": "buf3_item", "xnumel": "1024 * s77"}


@pytest.mark.parametrize("hostile", ["'", '"', "'\"", "\\", "line\nbreak"])
def test_origin_holds_whatever_a_capture_is_called(lora: tuple[Capture, Kernel], hostile: str) -> None:
    text = eject(replace(lora[0], name=f"lora{hostile}"), lora[1])
    (origin,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORIGIN"
    )
    assert origin["capture"] == f"lora{hostile}"


def test_the_bytes_of_a_launch_stand_in_the_file(lora: tuple[Capture, Kernel]) -> None:
    size = 4096 * 1024 * 4
    assert f'BYTES = {{"read": {2 * size + 4096}, "written": {size}}}' in eject(*lora)


def test_an_index_is_drawn_from_inside_its_table() -> None:
    found = capture("dlrm_small_train")
    kernel = next(kernel for kernel in found.kernels if "embedding" in kernel.name and "load.gather" in kernel.ops)
    assert "torch.int64, (0, 10000))" in eject(found, kernel)


def test_helpers_are_written_out_once_and_only_where_they_are_called(lora: tuple[Capture, Kernel]) -> None:
    readable, verbatim = (eject(*lora, style=style) for style in STYLES)
    assert "triton_helpers.maximum(" in lora[1].body
    for text in (readable, verbatim):
        assert text.count("def maximum(a, b):") == 1
        hand, _, baseline = text.partition(
            "# ---------------------------------------------------------------- the baseline"
        )
        assert "def maximum(" not in hand and "def maximum(" in baseline
    assert not re.search(r"\bmaximum\(", function(readable, "add_mul_relu"))  # it is a choice there
    assert "triton_helpers.maximum(" in function(verbatim, "add_mul_relu")


def test_helpers_stand_behind_the_kernel_and_its_launch_those_that_others_call_last() -> None:
    hand = ejected("welford").partition("what it must equal")[0]
    defined = re.findall(r"^def (\w+)", hand, re.MULTILINE)
    assert defined[1:] == ["launch", "welford_reduce", "welford", "welford_combine"]


def test_the_launch_says_what_each_thread_has_and_who_chose_it() -> None:
    said = [found[0] for kernel in SMALL if (found := re.findall("# .* elements? in .* threads.*", ejected(kernel)))]
    assert len(said) == len(SMALL)
    assert re.search(r"# (\d+ x )?\d+ elements in \d+ threads, \d+ each: the ", said[0])
    found = store.load(CAPTURED / "rotary_h200")
    said = re.findall("# (.* elements in .*)", eject(found, found.kernels[0]))
    assert said == [
        "1024 elements in 128 threads, 8 each: the first of 2 configurations that Inductor's heuristics list."
    ]
    assert "elements in 128 threads" not in eject(found, found.kernels[0], target="cuda")


def test_every_helper_is_named_by_an_operator() -> None:
    files_ = {path.stem for path in (templates_folder() / "helpers").glob("*.py")}
    assert files_ - {"_libdevice", "_builtins", "_barrier"} == OURS
    for name, needed in NEEDS.items():
        called = {node.id for node in ast.walk(ast.parse(helper_text(name))) if isinstance(node, ast.Name)}
        assert called & OURS == set(needed)


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


def test_a_kernel_is_never_called_as_a_function_that_its_file_may_define() -> None:
    """A relu alone is a maximum: the helper of that name stands further down in the file."""
    text = ejected("even", body=RELU_ALONE)
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(names) == len(set(names)) and "maximum" in names[1:]


def test_functions_that_inductor_wrote_above_the_kernel_come_along(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    helper = "@triton.jit\ndef _triton_helper_fn_add0(arg0_0, arg1_0):\n    tmp0 = arg0_0 + arg1_0\n    return tmp0\n\n"
    body = kernel.body.replace("tmp0 + tmp1", "_triton_helper_fn_add0(tmp0, tmp1)")
    text = eject(found, replace(kernel, body=body, text=helper + kernel.text))
    assert "@triton.jit\ndef _triton_helper_fn_add0(arg0_0, arg1_0):" in text
    assert "_triton_helper_fn_add0(bias, mm)" in text


@pytest.mark.parametrize("hostile", ['"""', "\\", "\\N{nothing}", "line\nbreak", "\x00"])
def test_what_the_log_says_cannot_leave_the_docstring(lora: tuple[Capture, Kernel], hostile: str) -> None:
    found, kernel = lora
    lines = tuple(replace(line, code=f"x = {hostile} + import_me()") for line in kernel.source)
    launches = tuple(replace(launch, provenance=replace(launch.provenance, source=lines)) for launch in kernel.launches)
    text = eject(replace(found, name=f"lora{hostile}"), replace(kernel, source=lines, launches=launches))
    assert isinstance(ast.parse(text).body[0], ast.Expr) and "import_me" in (ast.get_docstring(ast.parse(text)) or "")


# ---------------------------------------------------------------- hashes


def test_an_edit_changes_the_hash_and_only_an_edit_of_the_reference_changes_the_other(
    lora: tuple[Capture, Kernel],
) -> None:
    text = eject(*lora)
    kernel = text.replace("mm + mm_2 * 0.5  #", "mm + mm_2 * 0.25  #")
    judged = text.replace("return (torch.relu(", "return (torch.abs(")
    assert kernel != text and judged != text
    assert rendered_hash(kernel) != rendered_hash(text) != rendered_hash(judged)
    assert judged_hash(kernel) == judged_hash(text) != judged_hash(judged)
    assert rendered_hash(text) in text and rendered_hash(kernel) not in kernel


# ---------------------------------------------------------------- a template of one's own


def test_a_template_of_ones_own_gets_the_same_variables(lora: tuple[Capture, Kernel], tmp_path: Path) -> None:
    template = tmp_path / "short.py.jinja"
    template.write_text(
        "# {{ hand.name }}({{ hand.launcher.parameters }}) returns {{ hand.launcher.returned }}\n{% for line in hand.body %}\n{{ line }}\n{% endfor %}\n"
    )
    text = eject(*lora, template=template)
    assert text.startswith("# add_mul_relu(mm, bias, mm_2, *, BLOCK=1024, num_warps=4) returns mm\noffset = ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{{ nonsense }}", "is wrong: 'nonsense' is undefined"),
        ("{% for line in %}", "is wrong: Expected an expression, got 'end of statement block'"),
        ('{% include "nothing.jinja" %}', "names nothing.jinja, and there is none."),
        ("{{ hand.nam }}", "is wrong: there is no hand.nam"),
        ("{{ hand.py }}", "is wrong: there is no hand.py"),
        ("{{ hand['nam'] }}", "is wrong: there is no hand['nam']"),
        ("{{ hand.launcher.nothing.x }}", "is wrong: there is no hand.launcher.nothing"),
        ("{{ 1 / 0 }}", "is wrong: ZeroDivisionError: division by zero"),
    ],
)
def test_a_template_that_is_wrong_is_one_sentence_with_its_line(
    lora: tuple[Capture, Kernel], tmp_path: Path, content: str, said: str
) -> None:
    template = tmp_path / "wrong.py.jinja"
    template.write_text(f"# {{{{ hand.name }}}}\n\n{content}\n")
    assert refusal(*lora, template=template) == f"The template {template}, line 3, `{content}`, {said}"


def test_a_template_of_the_cu_file_is_for_cuda(lora: tuple[Capture, Kernel], tmp_path: Path) -> None:
    template = tmp_path / "short.cu.jinja"
    template.write_text("// {{ cuda.name }}\n")
    assert "is one of a .cu file, which no other target has; add --as cuda" in refusal(*lora, template=template)


def test_a_template_that_is_not_there_is_one_sentence(lora: tuple[Capture, Kernel], tmp_path: Path) -> None:
    assert "There is no template" in refusal(*lora, template=tmp_path / "none.jinja")


# ---------------------------------------------------------------- what can not be ejected


def refusal(found: Capture, kernel: Kernel, **options: object) -> str:
    """The one sentence."""
    with pytest.raises(LabError) as error:
        eject(found, kernel, **options)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    return str(error.value)


def without_graph(found: Capture) -> Capture:
    return replace(found, graphs=tuple(replace(graph, nodes=(), outputs=()) for graph in found.graphs))


def test_a_kernel_whose_grid_is_not_told_is_refused(lora: tuple[Capture, Kernel]) -> None:
    """A template's programs are counted by its author's code, and this launch states no grid."""
    assert "does not tell how many programs" in refusal(lora[0], replace(lora[1], category="template"))


def test_a_kernel_that_was_never_launched_has_no_shapes(lora: tuple[Capture, Kernel]) -> None:
    assert "never launched" in refusal(lora[0], replace(lora[1], launches=()))


def test_the_comment_above_a_kernel_stands_in_for_a_graph(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    assert function(eject(without_graph(found), kernel), "reference") == function(eject(found, kernel), "reference")


def test_without_graph_and_comment_the_reference_comes_from_the_kernel(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    bare = replace(kernel, claim=replace(kernel.claim, fragment=(), nodes=(), inputs=(), outputs=()))
    text = eject(without_graph(found), bare)
    assert function(text, "reference").endswith("return (torch.relu(bias + mm + mm_2 * 0.5),)")
    assert "\naten = None\n" in text and "TORCH_LOGS=output_code,post_grad_graphs" in text


def test_a_symbolic_size_is_an_argument_of_the_files_shapes() -> None:
    (kernel, *_) = generation("g7_torch_2.13_dynamic").kernels
    text = eject(generation("g7_torch_2.13_dynamic"), kernel)
    assert {"SIZES", "OTHER_SIZES", "arguments"} <= defined(text)
    assert "(s77, s27)" in function(text, "arguments")
    other = re.search(r"^OTHER_SIZES = \[\{(.*)\}\]", text, re.MULTILINE)
    assert other and all(int(size) % 2 for size in re.findall(r": (\d+)", other[1])), "no block divides them"
    assert any(
        re.match(r"s\d+ = \w+\.(shape\[|stride\()", line.strip()) for line in function(text, "launch").splitlines()
    )


def test_a_helper_that_we_do_not_spell_out_comes_from_torch(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    body = kernel.body.replace("triton_helpers.maximum(", "triton_helpers.exp_of_both(")
    text = eject(found, replace(kernel, body=body))
    assert re.search(r"^from torch\._inductor\.runtime import triton_helpers", text, re.MULTILINE)


@pytest.mark.slow
def test_four_random_numbers_of_a_draw_need_no_torch_that_has_them(tmp_path: Path) -> None:
    """torch 2.11 has no `rand4x`: both kernels have their own, beside eager's function of another name."""
    capture = generation("g7_torch_2.13_mixed")
    (kernel,) = (one for one in capture.kernels if "triton_helpers.rand4x(" in one.body)
    text = eject(capture, kernel)
    assert "torch._inductor" not in text and "triton_helpers.rand4x = generated_rand4x" in text
    assert {"rand4x", "generated_rand4x", "rand_uniform_4x"} <= defined(text)
    pytest.importorskip("triton")
    (tmp_path / "drawn.py").write_text(text)
    assert verify(tmp_path / "drawn.py", effort="quick").verdict == "pass"


@pytest.mark.parametrize(("size", "block", "tail"), [(1, 1, 0), (2, 2, 0), (3, 8, 8), (300, 512, 1024)])
def test_blocks_draw_by_four_or_one_by_one_as_the_launch_does(size: int, block: int, tail: int) -> None:
    (kernel,) = (one for one in generation("g7_torch_2.13_mixed").kernels if "triton_helpers.rand4x(" in one.body)
    numels = {"xnumel": size}
    given = config.interpreter_config(kernel, numels, ())
    assert given["XBLOCK"] == block and (size < 3 or block // 2 >= 4), "half of it draws as it does"
    assert config.tail_config(kernel, numels, given, 1 << 20).get("XBLOCK", 0) == tail


def test_a_block_beside_rows_of_several_jobs_leaves_room_for_the_longest(lora: tuple[Capture, Kernel]) -> None:
    """2,048 rows of 1,024 elements are more than a tile of Triton's holds."""
    _, kernel = lora
    held = "    R0_BLOCK_0: tl.constexpr = 256\n    R0_BLOCK_1: tl.constexpr = 1024\n"
    argument = replace(kernel.arguments[0], name="XBLOCK", role="constexpr", pointer=False)
    jobs = replace(kernel, category="combo", body=kernel.body + held, arguments=(argument,))
    numels = {"xnumel": 1000}
    given = config.interpreter_config(jobs, numels, ())
    assert given == {"XBLOCK": config.INTERPRETED // 1024}
    assert config.tail_config(jobs, numels, given, 1 << 16) == {"XBLOCK": 64}


def test_descriptors_have_memory_on_a_card() -> None:
    """A card's `make_tensor_descriptor` takes some of the launcher's; without an allocator every launch breaks there."""
    capture = generation("g7_torch_2.13_descriptor")
    (kernel,) = (one for one in capture.kernels if "make_tensor_descriptor" in one.body)
    for style, expected in {"readable": (False, True), "verbatim": (True, True)}.items():
        hand, _, generated = eject(capture, kernel, style=style).partition("\ndef launch(")[2].partition("\n\n\n")
        assert ("triton.set_allocator(" in hand, "triton.set_allocator(" in generated) == expected, style


def test_a_style_that_there_is_not_is_named(lora: tuple[Capture, Kernel]) -> None:
    assert "readable or verbatim" in refusal(*lora, style="pretty")


def test_a_kernel_that_writes_nothing_has_nothing_to_equal(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    body = "\n".join(line for line in kernel.body.splitlines() if "tl.store" not in line)
    text = eject(found, replace(kernel, body=body))
    assert "reference = None" in text and 'UNKNOWN = "it writes no tensor"' in text and "WRITTEN = ()" in text


def test_a_body_that_is_no_python_is_one_sentence(lora: tuple[Capture, Kernel]) -> None:
    found, kernel = lora
    assert "is not Python" in refusal(found, replace(kernel, body=kernel.body + "\ntmp9 = ("))


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
capture = read([{str(REAL["lora_train"])!r}], "lora")
print(len([eject(capture, kernel, style=style) for kernel in capture.kernels for style in {STYLES!r}]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "10\n", done.stderr


def test_a_comment_that_leaves_nodes_out_gives_no_form_of_the_graph() -> None:
    """Without the post-grad graph, `getitem` nodes are missing from a fragment: a wrong form would be worse than none."""
    found = capture("rotary_bf16")
    bare = replace(found, graphs=tuple(replace(graph, nodes=(), outputs=()) for graph in found.graphs))
    text = eject(bare, bare.kernels[0])
    assert "\naten = None\n" in text and re.search(r'UNKNOWN = ".*leaves out getitem\w*; .*post_grad_graphs', text)
    assert "def reference(" in text


# ---------------------------------------------------------------- how it is made


def test_a_body_is_parsed_a_handful_of_times(lora: tuple[Capture, Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read once, into its computation; what else looks at the whole text is no reader of its statements."""
    found, kernel = lora
    body = kernel.body + "\n# another text, so that nothing of it is known yet\n"
    parsed: list[str] = []
    parse = ast.parse

    def counted(source: object, *arguments: object, **options: object) -> ast.AST:
        parsed.append(str(source))
        return parse(source, *arguments, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(ast, "parse", counted)
    eject(found, replace(kernel, body=body))
    assert sum(text.strip() == body.strip() for text in parsed) <= 2
    assert sum("tmp8 = " in text for text in parsed) <= 6


def test_a_target_is_one_row(lora: tuple[Capture, Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    def shouted(plan: Plan, style: str) -> KernelText:
        made = TARGETS["triton"](plan, style)
        return replace(made, remark=f"IN {style.upper()}")

    monkeypatch.setitem(TARGETS, "shouted", shouted)
    assert "    # IN READABLE\n" in eject(*lora, target="shouted")


def test_a_target_that_there_is_not_is_named(lora: tuple[Capture, Kernel]) -> None:
    assert "there is no target metal; eject prints triton, cuda" in refusal(*lora, target="metal")


# ---------------------------------------------------------------- kernels of every kind


KINDS = {"foreach", "combo", "template", "user_autotune", "split_scan", "cooperative_reduction"}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", sorted(path.stem for path in GENERATIONS.glob("*.txt")))
def test_every_kernel_of_every_generation_that_is_launched_ejects(name: str, style: str) -> None:
    found = generation(name)
    for kernel in found.kernels:
        if not kernel.launches:
            assert "never launched" in refusal(found, kernel, style=style)
            continue
        text = eject(found, kernel, style=style)
        assert defined(text) >= OFFERED
        if style == "readable" and kernel.category not in KINDS:
            hand = text.partition("\ndef launch(")[0].rpartition("@triton.jit")[2]
            assert not re.search(r"\btmp\d|\bXBLOCK|\bxindex", hand), kernel.name


def test_what_programs_share_is_told_as_they_are_launched() -> None:
    def remark(name: str, category: str, **more: Any) -> str:
        found = generation(name)
        (kernel,) = [kernel for kernel in found.kernels if kernel.category == category]
        text = eject(found, replace(kernel, **more)).partition("# As it was written: ")[2].partition(" = ")[0]
        return " ".join(text.replace("#", "").split())

    assert "programs share the work, through memory beside the tensors (ws_ptr)." in remark(
        "g3_torch_2.4", "split_scan"
    )
    row = "RSPLIT programs share each row, through memory beside the tensors (sem_ptr and ws_ptr)"
    shared = ("g7_torch_2.13_cooperative", "cooperative_reduction")
    assert f"{row}." in remark(*shared)
    alone = {"XBLOCK": 1, "R0_BLOCK": 1024, "RSPLIT": 1, "num_warps": 8, "num_stages": 1}
    assert f"{row}, and with RSPLIT=1, as `launch` has it, each works alone." in remark(*shared, candidates=(alone,))


def test_a_workspace_is_of_the_words_that_the_kernel_takes() -> None:
    found = generation("g3_torch_2.4")
    (scan,) = [kernel for kernel in found.kernels if kernel.category == "split_scan"]
    assert "ws_ptr = torch.zeros(128, dtype=torch.uint64, device=" in eject(found, scan), (
        "1024 bytes, and `*u64` in its signature"
    )


def test_the_workspace_of_a_split_scan_is_for_the_programs_of_any_block() -> None:
    found = generation("g7_torch_2.13_scan")
    (scan,) = [kernel for kernel in found.kernels if kernel.category == "split_scan"]
    for style in STYLES:
        assert (
            eject(found, scan, style=style).count("ws_ptr = torch.zeros(8 * triton.cdiv(r0_numel, R0_BLOCK) * xnumel,")
            == 2
        )


@pytest.mark.parametrize("name", ["g7_torch_2.13_dynamic", "g7_torch_2.13_mixed", "g8_torch_2.15"])
def test_a_block_that_does_not_divide_leaves_room_for_the_others(name: str) -> None:
    """A tile of 8192 by 32 takes a compiler minutes."""
    found = generation(name)
    for kernel in found.kernels:
        file = eject(found, kernel, style="verbatim")
        (tail,) = re.findall(r'^TAIL = \{"gpu": (\{.*?\})', file, re.MULTILINE)
        given = dict(re.findall(r"(\w*BLOCK\w*)=(\d+)", function(file, "launch")))
        blocks = given | dict(re.findall(r'"(\w*BLOCK\w*)": (\d+)', tail))
        assert blocks == given or prod(map(int, blocks.values())) <= 8192, kernel.name


# ------------------------------------------------------------ what a tensor is to its kernel


SCATTERED = {
    "body": SMALL["scatter"].body.replace(
        "tl.atomic_add(out_ptr0 + (x0 + 75*tmp0), tmp1, xmask, sem='relaxed')",
        "tl.store(out_ptr0 + (x0 + 75*tmp0), tmp1, xmask)",
    )
}
READ_AGAIN = {
    "body": SMALL["maximum"].body + "    tmp4 = tl.load(out_ptr0 + (x2), xmask)\n    tl.store(out_ptr1 + (x2), tmp4 + tmp0, xmask)\n",
    "tensors": SMALL["maximum"].tensors | {"out_ptr1": "float32[40, 75] add"},
}  # fmt: skip


def arguments(text: str) -> dict[str, str]:
    """Name -> what a file draws it from."""
    return dict(re.findall(r'^    "(\w+)": \(\([\d, ]+\), \([\d, ]+\), torch\.\w+, (.+)\),$', text, re.MULTILINE))


def test_what_is_read_only_after_it_was_written_is_an_output() -> None:
    text = ejected("maximum", **READ_AGAIN)
    assert text.count("  # f32[40, 75]; output\n") == 2
    assert arguments(text) == {"maximum_2": '"normal"', "any_2": '"normal"', "out": '"out"', "out_2": '"out"'}
    assert 'TAKES = ("maximum_2", "any_2")' in text
    assert '"out": output, poisoned' in text


def test_a_tensor_that_is_passed_to_be_read_and_to_be_written_is_one_memory() -> None:
    for style in ("readable", "verbatim"):
        text = ejected("running_mean", style)
        assert "f32[40, 75], aten.add.Tensor add; overwrites running\n" in text
        assert arguments(text) == {"batch": '"normal"', "running": '"normal"', "add": '("same", "running")'}
        assert '("same", name): that very tensor, passed again' in text and "output, poisoned" not in text
        assert 'TAKES = ("batch", "running")' in text and 'WRITTEN = ("add",)' in text


def test_what_overwrites_a_tensor_is_called_by_it_where_the_graph_does_not_say_what_it_holds() -> None:
    graph = "".join(line for line in SMALL["running_mean"].graph.splitlines(keepends=True) if "torch.ops" not in line)
    text = ejected("running_mean", graph=graph.replace("(add,)", "()"), written=())
    assert "    running_new_ptr,  # f32[40, 75]; overwrites running\n" in text


def test_two_views_of_one_storage_are_two_tensors() -> None:
    type_ = tensor("float32[64]")
    roles = {"in_ptr0": "in", "in_ptr1": "in", "out_ptr0": "out", "in_out_ptr0": "inout"}
    values = ["buf0", "buf1", "buf0", "reinterpret_tensor(buf1, (64, ), (1, ), 64)"]
    passed = {name: LaunchArgument(name, value, type_, "buf0") for name, value in zip(roles, values, strict=True)}
    types = dict.fromkeys(roles, type_)
    assert overwritten(roles, types, passed) == {"out_ptr0": "in_ptr0"}
    assert not overwritten(roles, types | {"in_ptr0": tensor("int32[64]")}, passed)
    assert not overwritten(dict.fromkeys(roles, "in"), types, passed)


def test_what_a_store_leaves_as_it_was_is_drawn_and_compared() -> None:
    for style in ("readable", "verbatim"):
        text = ejected("scatter", style, **SCATTERED)
        assert "f32[50, 75]; written in part, the rest stays\n" in text
        assert arguments(text)["out"] == '"normal"'
        assert 'TAKES = ("ids", "hidden", "out")' in text


def test_no_two_indices_of_a_store_are_the_same() -> None:
    """`ids` alone tells the rows of `out` apart; an atomic addition asks nothing."""
    assert arguments(ejected("scatter", **SCATTERED))["ids"] == '(0, 50, "distinct", 0)'
    said = " ".join(re.sub(r"\n# ", " ", ejected("scatter", **SCATTERED)).split())
    assert '"distinct": no two the same along the dimensions that follow, taken together' in said
    assert arguments(ejected("scatter"))["ids"] == "(0, 50)"


def test_a_file_says_where_too_few_places_are_left_for_its_indices() -> None:
    few = {"body": SCATTERED["body"].replace("< 50", "< 30"), "tensors": SMALL["scatter"].tensors}
    text = ejected("scatter", **few)
    assert arguments(text)["ids"] == "(0, 30)"
    said = " ".join(re.sub(r"\n# ", " ", text).split())
    assert "Several programs may store in one place of `out`, and on a GPU any of them may be the last" in said
    assert "Several programs" not in ejected("scatter", **SCATTERED) + ejected("scatter")


# ------------------------------------------------------------ what the log does not tell


DYNAMIC = CAPTURED / "lora_mlp_train_dynamic_h200"


def test_a_number_that_the_log_does_not_tell_is_a_parameter_with_a_comment() -> None:
    """Kernel 2 is passed a tensor's name with `.item()`, which looks like a size and is none."""
    found = store.load(DYNAMIC)
    for style in ("readable", "verbatim"):
        for number, name in ((0, "buf3"), (2, "convert_element_type_default_5")):
            text = eject(found, found.kernels[number], style=style)
            said = " ".join(text.split())
            assert f"# {name}.item(): the log does not tell it, 0.5 is tried" in text
            for function_ in ("launch", "launch_generated", "reference"):
                assert f"{name}_item=0.5" in function(text, function_).partition('"""')[0]
            assert f"The log does not tell `{name}_item` (0.5 is tried)." in said
            assert f"{name}=24" not in text


def test_a_size_that_the_log_does_not_tell_is_told_as_such() -> None:
    found = store.load(DYNAMIC)
    assert "; the log does not tell" not in eject(found, found.kernels[0])
    silent = replace(found, graphs=tuple(replace(graph, module="") for graph in found.graphs))
    said = " ".join(eject(silent, silent.kernels[0]).split())
    assert "# what the sizes were when this was captured; the log does not tell `s77` (24 is tried)" in said


def test_the_legend_explains_the_words_of_a_file_and_no_other(lora: tuple[Capture, Kernel]) -> None:
    planned = plan(*lora)
    tensors = list(planned.tensors.values())
    for word, domain in DOMAINS.items():
        only = replace(planned, tensors={tensor.parameter: replace(tensor, fill=word) for tensor in tensors})
        assert legend(only.tensors.values()) == f'values: "{word}": {domain.means}'
    ranges = {tensor.parameter: replace(tensor, fill=(0, 5)) for tensor in tensors}
    assert legend(ranges.values()) == "values: (a, b): whole numbers from a up to b, without b"
    drawn = {*WORDS.values(), "any", "bool", "normal", "finite", "count", "sorted"}
    assert {*DOMAINS} == {*drawn, "out"}, "a word that inputs draws"
