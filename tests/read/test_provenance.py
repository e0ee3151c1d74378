"""Provenance: kernel -> nodes -> the user's lines, from the best that a text holds; and what a comment claims against the body."""

from __future__ import annotations

import json
import shutil
import tarfile
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from folders import CAPTURED, H200, SOURCES
from rich.console import Console
from test_read import MODULE, as_log

from inductor_lab.bind.claims import differences
from inductor_lab.document import from_dict, to_dict
from inductor_lab.read import read
from inductor_lab.read.kernel import list_source
from inductor_lab.read.matching import STEPS, SubgraphMatcher
from inductor_lab.read.module import Module
from inductor_lab.read.origins import UNKNOWN, ModuleProvenance, _Site, together
from inductor_lab.read.provenance import claim, graph, mark_above, node_mappings, stack
from inductor_lab.read.wrapper import Run
from inductor_lab.records import Capture, Claim, Kernel, LaunchArgument, Node, Provenance, SourceLine, TensorType
from inductor_lab.report import terminal
from inductor_lab.report.facts import traced
from inductor_lab.store import load

SQUASH = SourceLine("/home/user/model.py", 6, "return torch.sigmoid(x) * 2")


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Inductor wrote for a small model with provenance on: `trace/` and `torch_compile_debug/` (sources/README.md)."""
    folder = tmp_path_factory.mktemp("tower")
    with tarfile.open(SOURCES / "provenance.tgz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "provenance"


def named(capture: Capture, name: str) -> Kernel:
    (found,) = (kernel for kernel in capture.kernels if kernel.name == name)
    return found


def launches(capture: Capture) -> list[Provenance]:
    return [launch.provenance for kernel in capture.kernels for launch in kernel.launches]


# Inductor's own mapping


def test_a_trace_tells_each_launch_of_one_body_apart(tower: Path) -> None:
    capture = read([tower / "trace"], "tower")
    kernel = named(capture, "triton_poi_fused_mul_sigmoid_1")
    first, second = (launch.provenance for launch in kernel.launches)
    assert first == Provenance(
        "artifact",
        ("sigmoid", "mul"),
        ("sigmoid", "x_1"),
        (SQUASH,),
        ((SourceLine("/home/user/model.py", 19, "x = squash(x)"), SQUASH),),
        (3,),
    )
    assert (second.nodes, second.pre_grad, second.handles) == (("sigmoid_1", "mul_1"), ("sigmoid_1", "x_3"), (5,))
    assert [[frame.line for frame in stack] for stack in second.stacks] == [[21, 6]]
    assert kernel.provenance == together([first, second]) and kernel.source == (SQUASH,)
    assert kernel.provenance.handles == (3, 5) and len(kernel.provenance.stacks) == 2


def test_forward_and_backward_keep_their_own_artifacts(tower: Path) -> None:
    capture = read([tower / "trace"], "tower")
    assert not capture.problems and [graph.id for graph in capture.graphs] == ["0_forward", "0_backward"]
    assert {part.origin for part in launches(capture)} == {"artifact"} and len(launches(capture)) == 12
    handles = [launch.provenance.handles for kernel in capture.kernels for launch in kernel.launches]
    assert sorted(number for (number,) in handles) == [
        1,
        3,
        5,
        6,
        9,
        10,
        11,
        14,
        15,
        16,
        17,
        18,
    ]  # the others are mm and addmm
    backward = named(capture, "triton_poi_fused_mul_sigmoid_sigmoid_backward_0")
    assert backward.provenance.nodes == ("mul_2", "sigmoid_1", "sub", "mul_3", "mul_4")
    assert backward.source == (SQUASH,) and backward.provenance.stacks[0][0].line == 21


def test_a_debug_folder_has_the_mapping_and_the_graph_but_no_stacks(tower: Path) -> None:
    capture = read([tower / "torch_compile_debug"], "tower")
    assert not capture.problems
    assert {(part.origin, part.stacks) for part in launches(capture)} == {("artifact", ())}
    assert [line.line for line in named(capture, "triton_red_fused_sum_1").source] == [20, 18]


def test_the_graph_and_the_comments_give_what_the_mapping_gives(tower: Path, tmp_path: Path) -> None:
    """Also for the second launches, whose fragments are printed nowhere."""
    shutil.copytree(tower / "torch_compile_debug", tmp_path / "torch_compile_debug")
    for path in tmp_path.rglob("*.json"):
        path.unlink()
    told, found = launches(read([tower / "torch_compile_debug"], "a")), launches(read([tmp_path], "b"))
    assert {part.origin for part in found} == {"graph"}
    assert [set(part.nodes) for part in found] == [set(part.nodes) for part in told]
    assert [set(part.source) for part in found] == [set(part.source) for part in told]


def test_tlparse_keeps_the_artifacts_as_files(tower: Path, tmp_path: Path) -> None:
    (model,) = tower.rglob("model__0_forward_1.0")
    folder = tmp_path / "tl_out" / "-_0_0_0"
    folder.mkdir(parents=True)
    (tmp_path / "tl_out" / "compile_directory.json").write_text("{}")
    shutil.copy(model / "output_code.py", folder / "inductor_output_code_cabc_12.txt")
    mapping = model / "inductor_provenance_tracking_node_mappings.json"
    shutil.copy(mapping, folder / "inductor_provenance_tracking_node_mappings_13.json")
    stacks = {"triton_poi_fused_mul_sigmoid_1:5": ['  File "m.py", line 6, in squash\n    return x\n']}
    (folder / "inductor_provenance_tracking_kernel_stack_traces_14.json").write_text(json.dumps(stacks))
    capture = read([tmp_path / "tl_out"], "tower")
    second = named(capture, "triton_poi_fused_mul_sigmoid_1").launches[1].provenance
    assert (second.origin, second.nodes) == ("artifact", ("mul_1", "sigmoid_1"))
    assert second.source == (SourceLine("m.py", 6, "return x"),)


def event(name: str, text: str, thread: int) -> list[str]:
    head = {"artifact": {"name": name}, "frame_id": 0, "frame_compile_id": 0, "has_payload": "0"}
    if name == "inductor_output_code":
        head = {name: {}, "frame_id": 0, "frame_compile_id": 0, "has_payload": "0"}
    first = f"V1120 13:25:12.036000 {thread} torch/_inductor/x.py:1] {json.dumps(head)}"
    return [first, *("\t" + line for line in text.splitlines())]


HANDLED = MODULE.replace(
    "            stream0 = get",
    "            # [Provenance debug handles] triton_poi_fused_add_0:7\n            stream0 = get",
)


def mapping(node: str, key: str = "triton_poi_fused_add_0:7") -> str:
    return json.dumps({"cppCodeToPost": {key: [node]}, "postToPre": {node: ["y"]}, "version": 2.0})


def test_an_artifact_is_of_the_module_that_its_own_thread_wrote_last(tmp_path: Path) -> None:
    nodes = "inductor_provenance_tracking_node_mappings"
    lines = [
        *event("inductor_output_code", HANDLED, 1),
        *event("inductor_output_code", HANDLED.replace("0.5", "0.25"), 2),
        *event(nodes, mapping("first"), 1),
        *event(nodes, mapping("second"), 2),
    ]
    (tmp_path / "trace.log").write_text("\n".join(lines))
    capture = read([tmp_path / "trace.log"], "demo")
    assert [kernel.provenance.nodes for kernel in capture.kernels] == [("first",), ("second",)]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (mapping("a"), ("a",)),
        (mapping("a", "triton_poi_fused_add_0"), ("a",)),  # 2.7: no handles
        (mapping("a", "triton_poi_fused_add_0:8"), ("add",)),  # another launch's: the comment says more
        ('{"version": 2.0}', ("add",)),
        ('{"cppCodeToPost": {"triton_poi_fused_add_0:7": "add"}, "postToPre": [1]}', ("add",)),
    ],
)
def test_a_mapping_is_used_where_it_speaks_of_the_launch(text: str, nodes: tuple[str, ...], tmp_path: Path) -> None:
    lines = event("inductor_output_code", HANDLED, 1)
    lines += event("inductor_provenance_tracking_node_mappings", text, 1)
    (tmp_path / "trace.log").write_text("\n".join(lines))
    capture = read([tmp_path / "trace.log"], "demo")
    (kernel,) = capture.kernels
    assert kernel.provenance.nodes == nodes and not capture.problems
    assert kernel.provenance.origin == ("artifact" if nodes == ("a",) else "comment")
    assert kernel.provenance.handles == (7,)


def test_the_basic_level_has_stacks_alone_and_the_comment_has_the_nodes(tmp_path: Path) -> None:
    stacks = json.dumps({"triton_poi_fused_add_0:7": ['  File "model.py", line 31, in forward\n    y = x @ w + 1\n']})
    lines = event("inductor_output_code", HANDLED, 1)
    lines += event("inductor_provenance_tracking_kernel_stack_traces", stacks, 1)
    (tmp_path / "trace.log").write_text("\n".join(lines))
    (kernel,) = read([tmp_path / "trace.log"], "demo").kernels
    line = SourceLine("model.py", 31, "y = x @ w + 1")
    assert kernel.provenance == Provenance("artifact", ("add",), ("y",), (line,), ((line,),), (7,))


@pytest.mark.parametrize("text", ["{", "[1, 2]", "null", "[" * 100_000])
def test_a_broken_artifact_is_a_problem_and_hides_nothing(text: str, tmp_path: Path) -> None:
    lines = event("inductor_output_code", HANDLED, 1)
    lines += event("inductor_provenance_tracking_node_mappings", text, 1)
    (tmp_path / "trace.log").write_text("\n".join(lines))
    capture = read([tmp_path / "trace.log"], "demo")
    assert [kernel.provenance.origin for kernel in capture.kernels] == ["comment"]
    (problem,) = capture.problems
    assert "provenance artifact is not" in problem.message and problem.where.endswith(f":{len(lines) - 1}")


def test_a_stack_is_read_from_the_outermost_frame_in() -> None:
    text = (
        '  File "/a b/model.py", line 19, in forward\n    x = squash(x)\n        ^^^^^^^^^\n'
        '  File "<string>", line 2, in f\n  File "/lib/ops.py", line 6, in squash\n    return x * 2\n'
    )
    assert [(frame.file, frame.line, frame.code) for frame in stack(text)] == [
        ("/a b/model.py", 19, "x = squash(x)"), ("<string>", 2, ""), ("/lib/ops.py", 6, "return x * 2"),
    ]  # fmt: skip
    assert stack("no frames here") == ()
    assert node_mappings('{"k": ["nothing", 3], "other": 4}').stacks == {"k": ()}


# The graph, the comment, nothing


def test_a_comment_alone_and_no_comment_are_told_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "said.log").write_text("\n".join(as_log(MODULE)))
    bare = "\n".join(line for line in MODULE.splitlines() if not line.startswith("#   ") and "Source" not in line)
    (tmp_path / "bare.log").write_text("\n".join(as_log(bare)))
    (said,), (unsaid,) = (read([tmp_path / name], "demo").kernels for name in ("said.log", "bare.log"))
    assert said.provenance == Provenance("comment", ("add",), ("y",)) and said.source == ()
    assert unsaid.provenance == UNKNOWN and unsaid.provenance.origin == "unknown"
    assert (
        traced(said)
        == "from the comment above the kernel alone, which may name too many; no line of the program is named"
    )
    assert traced(unsaid) == "unknown: the text does not say what this was made from"


LAYERS = """
def forward(self, x: "f32[8]", w_1: "f32[8]", w_2: "f32[8]", i: "i64[8]"):
    # File: model.py:3 in f, code: return (x * w).sin()
    mul: "f32[8]" = torch.ops.aten.mul.Tensor(x, w_1)
    sin: "f32[8]" = torch.ops.aten.sin.default(mul)
    # File: model.py:9 in g, code: y = (y * w).sin()
    mul_1: "f32[8]" = torch.ops.aten.mul.Tensor(sin, w_2)
    sin_1: "f32[8]" = torch.ops.aten.sin.default(mul_1)
    index_put: "f32[8]" = torch.ops.aten.index_put.default(sin_1, [i], mul, True)
    return (index_put,)
"""
FRAGMENT = [
    "# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.mul, aten.sin]",
    '#   %x : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=x]',
    '#   %w_1 : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=w_1]',
    '#   %mul : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %w_1), kwargs = {})',
    '#   %sin : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul,), kwargs = {})',
    "#   return %sin",
]


def test_names_stand_in_the_order_of_the_call() -> None:
    nodes, _ = graph(LAYERS)
    assert nodes[-1].arguments == ("sin_1", "i", "mul")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, [{"mul": "mul", "sin": "sin"}, {"mul": "mul_1", "sin": "sin_1"}]),
        ({"w_1": "w_2"}, [{"mul": "mul_1", "sin": "sin_1"}]),
        ({"w_1": "w_2", "x": "i"}, []),
    ],
)
def test_nodes_of_the_same_form_are_found_by_what_they_read(given: dict[str, str], found: list[dict[str, str]]) -> None:
    nodes, _ = graph(LAYERS)
    bound = SubgraphMatcher(nodes).matches(claim(FRAGMENT).fragment, given)
    assert [{name: way[name] for name in ("mul", "sin")} for way in bound] == found


def test_a_search_without_an_end_is_given_up() -> None:
    nodes = [Node(f"n{i}", "aten.sin.default", "", (f"n{i - 1}",) if i else (), None, None) for i in range(500)]
    alone = [Node(f"f{i}", "aten.sin.default", "", (f"y{i}",), None, None) for i in range(5)]
    nowhere = Node("g", "aten.cos.default", "", (), None, None)
    matcher = SubgraphMatcher(nodes)
    assert matcher.matches(alone[:1], {}) == []  # 499 places: none can be meant
    assert matcher.matches([*alone, nowhere], {}) == [] and matcher.steps == STEPS + 1


def test_of_very_many_nodes_of_one_form_those_that_a_name_tells_are_found() -> None:
    nodes = [Node(f"n{i}", "aten.sin.default", "", (f"n{i - 1}",) if i else (), None, None) for i in range(500)]
    alone = [Node("f0", "aten.sin.default", "", ("y0",), None, None)]
    assert SubgraphMatcher(nodes).matches(alone, {}, {"n300"}) == [{"f0": "n300", "y0": "n299"}]
    assert SubgraphMatcher(nodes).matches(alone, {"y0": "n7"}, {"n300"}) == []


def test_a_shared_number_does_not_bring_the_line_that_needed_it_first() -> None:
    """Inductor folds equal constants: a relu's backward uses the loss's 0.0, and is not made from the loss."""
    loss, relu = (SourceLine("model.py", line, code) for line, code in ((9, "loss = f(x)"), (3, "x = relu(x)")))
    zero = Node("full_default", "aten.full.default", "", (), TensorType("float32", (), ()), loss)
    where = Node("where", "aten.where.self", "", ("le", "full_default", "g"), TensorType("float32", (8,), (1,)), relu)
    facts = ModuleProvenance(_Site("", Module((), (), ()), (zero, where)), list_source)
    assert facts._lines(("full_default", "where")) == (relu,)
    assert facts._lines(("full_default",)) == (loss,)  # nothing else is known of it


GIVEN = [
    "# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.mul, aten.sin]",
    '#   %x : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=x]',
    '#   %mul : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=mul]',
    '#   %mul : Tensor "f32[8][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %x), kwargs = {})',
    '#   %sin : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul,), kwargs = {})',
]


def provenance_of(fragment: list[str], printed: str, body: str = "tmp0 = tl.load(in_ptr0)") -> tuple[int, ...]:
    """The lines of a kernel with that comment, in that graph."""
    definition = SimpleNamespace(name="kernel", claim=claim(fragment), comment="", text=body)
    nodes, _ = graph(printed)
    facts = ModuleProvenance(_Site("", Module((), (), (definition,)), nodes), list_source)
    return tuple(line.line for line in facts.definition("kernel").source)


TWO_LINES = """
def forward(self, x: "f32[8]", i: "i64[8]"):
    # File: model.py:3 in f, code: y = x * x
    mul: "f32[8]" = torch.ops.aten.mul.Tensor(x, x)
    # File: model.py:4 in f, code: return y.sin()
    view: "f32[2, 4]" = torch.ops.aten.reshape.default(mul, [2, 4])
    sin: "f32[8]" = torch.ops.aten.sin.default(mul)
    # File: model.py:5 in f, code: y.index_put(i, sin)
    index_put: "f32[8]" = torch.ops.aten.index_put.default(mul, [i], sin, True)
    return (sin, index_put)
"""


def test_a_line_whose_value_is_passed_in_is_not_the_kernels() -> None:
    assert provenance_of([*GIVEN, "#   return %sin"], TWO_LINES) == (4,)
    assert provenance_of([line for line in GIVEN if "target=mul]" not in line], TWO_LINES) == (3, 4)  # computed here
    assert provenance_of([*GIVEN[:-1], "#   return %buf0"], TWO_LINES) == (3,)  # nothing else is known of it


PARTS = [
    "# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.mul, aten.sum]",
    "#   %buf0 : Tensor  = PlaceHolder[target=buf0]",
    GIVEN[3],
    '#   %sum_1 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%mul,), kwargs = {})',
    "#   return %sum_1",
]
OF_PARTS = TWO_LINES.replace(
    "    return",
    """    # File: model.py:7 in f, code: y.sum()
    sum_1: "f32[]" = torch.ops.aten.sum.default(mul)
    return""",
)
SUMMED = """
def kernel(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + (r0_0), r0_mask, other=0.0)
    tmp1 = {}
    tmp2 = tl.sum(tmp1, 1)[:, None]
    tl.store(out_ptr0 + (0), tmp2, None)
"""


@pytest.mark.parametrize(("folded", "lines"), [("tl.where(r0_mask, tmp0, 0)", (7,)), ("tmp0 * tmp0", (3, 7))])
def test_what_leads_to_a_fold_of_which_the_parts_are_given_is_another_kernels(
    folded: str, lines: tuple[int, ...]
) -> None:
    """A sum over much is split: the second kernel is given what the first has summed, which is no node."""
    assert provenance_of(PARTS, OF_PARTS, SUMMED.format(folded)) == lines


def test_what_is_scattered_into_memory_is_computed_where_it_is_scattered() -> None:
    scattered = [
        "# Topologically Sorted Source Nodes: [a, b], Original ATen: [aten.mul, aten.sin, aten.index_put]",
        *(line for line in GIVEN[1:] if "target=mul]" not in line),
        '#   %index_put : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=index_put]',
        '#   %index_put : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default]'
        "(args = (%mul, [%i], %sin, True), kwargs = {})",
        "#   return %buf3",
    ]
    assert provenance_of(scattered, TWO_LINES) == (3, 4, 5)


def test_zeros_that_another_kernel_adds_to_are_of_their_own_line() -> None:
    """The comment above the fill of an embedding's gradient names all that the kernel after it computes."""
    fill = '#   %full : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([8], 0), kwargs = {})'
    put = (
        '#   %index_put : Tensor "f32[8][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default]'
        "(args = (%full, [%i], %sin, True), kwargs = {})"
    )
    claimed = [*(line for line in GIVEN if "target=mul]" not in line), fill, put, "#   return %index_put"]
    zeros = '    # File: model.py:6 in f, code: y.embed(i)\n    full: "f32[8]" = torch.ops.aten.full.default([8], 0)\n    return'
    printed = TWO_LINES.replace("    return", zeros)
    assert provenance_of(claimed, printed) == (3, 4, 5, 6)
    assert provenance_of(claimed, printed, "tl.store(out_ptr0 + (x0), tl.full([1], 0.0, tl.float32), xmask)") == (6,)


def test_a_reshape_of_what_its_own_line_gave_brings_no_line() -> None:
    view = '#   %view : Tensor "f32[2, 4][4, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mul, [2, 4]), kwargs = {})'
    reads = [GIVEN[0], GIVEN[2], view, GIVEN[4].replace("%mul", "%view"), "#   return %sin"]
    own = """def forward(self, x: "f32[8]"):
    # File: model.py:3 in f, code: y = (x * x).view(2, 4)
    mul: "f32[8]" = torch.ops.aten.mul.Tensor(x, x)
    view: "f32[2, 4]" = torch.ops.aten.reshape.default(mul, [2, 4])
    # File: model.py:5 in f, code: return y.sin()
    sin: "f32[2, 4]" = torch.ops.aten.sin.default(view)
    return (sin,)
"""
    another = own.replace("    view:", "    # File: model.py:4 in f, code: y = y.view(2, 4)\n    view:")
    assert provenance_of(reads, own) == (5,)
    assert provenance_of(reads, another) == (4, 5)


def test_the_comment_above_a_launch_is_its_own() -> None:
    lines = [
        "    # Topologically Sorted Source Nodes: [a], Original ATen: [aten.sin]",
        "    # [Provenance debug handles] triton_poi_fused_sin_0:3",
        "    triton_poi_fused_sin_0_xnumel = s0*s1",
        "    stream0 = get_raw_stream(0)",
        "    triton_poi_fused_sin_0.run(buf0, stream=stream0)",
        "    triton_poi_fused_sin_0.run(buf1, stream=stream0)",
        "    // [Provenance debug handles] triton_poi_fused_cos_1:4",
        "    call_triton_poi_fused_cos_1(buf2);",
    ]
    first = mark_above(lines, 5)
    assert (first.key, first.handle, first.source_nodes, first.aten) == (
        "triton_poi_fused_sin_0", 3, ("a",), ("aten.sin",),
    )  # fmt: skip
    assert mark_above(lines, 6).source_nodes is None  # another launch stands between
    assert (mark_above(lines, 8).key, mark_above(lines, 8).handle) == ("triton_poi_fused_cos_1", 4)
    assert mark_above(lines, 1) == mark_above([], 99) == mark_above(["x"], 0)


def test_ranks_add_nothing_to_a_kernels_provenance(tmp_path: Path) -> None:
    (tmp_path / "one.log").write_text("\n".join(as_log(MODULE)))
    ranks = [line for rank in range(3) for line in as_log(MODULE, rank=f"[rank{rank}]:")]
    (tmp_path / "many.log").write_text("\n".join(ranks))
    (one,), (many,) = (read([tmp_path / name], "demo").kernels for name in ("one.log", "many.log"))
    assert len(many.launches) == 3 and many.provenance == one.provenance


LOGS = {
    "dlrm_small_train": {"graph": 88, "comment": 1},
    "lora_train": {"graph": 6},
    "rotary_bf16_train": {"graph": 3},
    "sparse_ffn_train": {"graph": 5, "comment": 2},
}


@pytest.mark.parametrize("name", LOGS)
def test_launches_of_real_logs_find_their_nodes(name: str) -> None:
    capture = read([H200 / f"{name}.with_post_grad.log.gz"], name)
    origins = [part.origin for part in launches(capture)]
    assert {origin: origins.count(origin) for origin in set(origins)} == LOGS[name]
    for part in launches(capture):
        assert bool(part.source) == (part.origin == "graph") and part.pre_grad
    assert all(kernel.source == kernel.provenance.source for kernel in capture.kernels)


def test_provenance_goes_through_json_and_old_captures_load_without_it(tower: Path) -> None:
    capture = read([tower / "trace"], "tower")
    assert from_dict(Capture, to_dict(capture)) == capture
    data = to_dict(capture.kernels[0])
    del data["provenance"]
    for launch in data["launches"]:
        del launch["provenance"]
    old = from_dict(Kernel, data)
    assert old.provenance == UNKNOWN == old.launches[0].provenance and old.source
    assert traced(old) == ""  # it was known once; how was not kept
    assert load(CAPTURED / "lora_mlp_h200").kernels[0].source


def test_show_says_how_the_lines_are_known(tower: Path) -> None:
    capture = read([tower / "trace"], "tower")
    stream = StringIO()
    kernel = named(capture, "triton_poi_fused_mul_sigmoid_1")
    Console(file=stream, width=120, no_color=True).print(terminal.show(kernel, capture))
    assert (
        "from Inductor's own record of which lines became which kernel; called from model.py:19, model.py:21"
        in " ".join(stream.getvalue().split())
    )


# The claim against the body


def claimed(capture: Capture) -> dict[str, dict[str, tuple[str, ...]]]:
    found = {kernel.name: {d.kind: d.what for d in differences(kernel)} for kernel in capture.kernels}
    return {name: kinds for name, kinds in found.items() if kinds}


@pytest.mark.parametrize("name", ["dlrm_small", "lora", "lora_train", "rotary_bf16", "sparse_ffn"])
def test_a_claim_that_holds_is_left_alone(name: str) -> None:
    capture = read([H200 / f"{name}.with_post_grad.log.gz"], name)
    assert {kind for kinds in claimed(capture).values() for kind in kinds} <= {"product"}


def test_what_another_kernel_computed_is_told_from_what_nobody_does(tower: Path) -> None:
    found = claimed(read([H200 / "rotary_bf16_train.with_post_grad.log.gz"], "rotary"))
    assert [kinds for name, kinds in found.items() if "select_backward" in name] == [{"read": ("aten.mul", "aten.neg")}]
    zeros = claimed(read([tower / "trace"], "tower"))
    assert list(zeros) == ["triton_poi_fused_embedding_dense_backward_4"]  # it only writes zeros, for _5 to add to
    absent = zeros["triton_poi_fused_embedding_dense_backward_4"]["absent"]
    assert "aten._unsafe_masked_index_put_accumulate" in absent and "aten.full" not in absent


@cache
def rotary() -> Kernel:
    (kernel,) = read([H200 / "rotary_bf16.with_post_grad.log.gz"], "rotary").kernels
    return kernel


def sine(
    body: str = "tmp1 = tl_math.sin(tmp0)", aten: tuple[str, ...] = ("aten.sin",), fragment: bool = False
) -> Kernel:
    told = claim(FRAGMENT) if fragment else replace(claim([]), aten=aten)
    words = tuple(
        word for word in ("load", "sin", "exp", "mul", "atomic_add", "store") if word in body or word == "load"
    )
    return replace(rotary(), ops=words, body=body, claim=told)


@pytest.mark.parametrize(
    ("kernel", "kinds"),
    [
        (sine(), {}),
        (sine("tmp1 = tl_math.exp(tmp0)"), {"absent": ("aten.sin",), "unexplained": ("exp",)}),
        (sine("tmp1 = tl_math.exp(tl_math.sin(tmp0))"), {"unexplained": ("exp",)}),
        (replace(sine(), ops=("load", "fast_sinf", "store")), {}),
        (replace(sine(), ops=("load", "sin", "fast_expf", "store")), {"unexplained": ("fast_expf",)}),
        (sine(aten=("aten.sin", "aten.view", "aten.permute", "aten.clone")), {}),
        (sine(aten=("aten.sin", "aten.cumsum")), {"absent": ("aten.cumsum",)}),  # of ones: (place + 1) * 1.0
        (replace(sine(aten=("aten.cumsum",)), ops=("load", "exclusive_scan_decoupled_lookback", "store")), {}),
        (sine(aten=("aten.addmm", "aten.sin")), {"product": ("aten.addmm",)}),
        (sine("tl_math.exp(tl_math.sin(tmp0))", ("aten.sin", "mine.unheard_of")), {}),
        (sine(aten=("aten.sin", "aten.atan2", "aten.copysign")), {"absent": ("aten.atan2", "aten.copysign")}),
        (replace(sine(aten=("aten.atan",)), ops=("load", "inline_asm_elementwise", "mul", "store")), {}),
        (replace(sine(aten=("aten.atan2", "aten.hypot")), ops=("load", "atan2", "sqrt", "store")), {}),
        (sine("mul = tmp0 * sin", fragment=True), {}),
        (sine("tmp1 = tl_math.sin(tmp0)", fragment=True), {"absent": ("aten.mul",)}),
        (replace(sine("tmp1 = tl_math.exp(tmp0)"), category="template"), {"absent": ("aten.sin",)}),
        (sine(aten=()), {}),
    ],
)  # fmt: skip
def test_a_claim_and_a_body(kernel: Kernel, kinds: dict[str, tuple[str, ...]]) -> None:
    assert {d.kind: d.what for d in differences(kernel)} == kinds
    assert all(word in d.text for d in differences(kernel) for word in d.what)


@pytest.mark.parametrize(("read", "kind"), [("x", "decomposed"), ("mm_default_2", "product")])
def test_a_product_is_taken_apart_where_no_pass_has_it_called(read: str, kind: str) -> None:
    """Of a batch of one, `bmm` is called as `mm`: what the program called a bmm the graph holds as `mm_default`."""
    told = replace(
        claim([line.replace("%x", f"%{read}").replace("=x]", f"={read}]") for line in FRAGMENT]), aten=("aten.bmm",)
    )
    (found,) = differences(replace(sine(), ops=("load", "mul", "sin", "store"), claim=told))
    assert (found.kind, found.what) == (kind, ("aten.bmm",))


def test_what_only_the_fragment_names_is_not_said_to_be_in_the_comments_list() -> None:
    """A `silu_backward` is claimed as such; that it was taken apart into `exp` and `neg` stands below."""
    (found,) = differences(sine("tmp1 = tl_math.sin(tmp0)", fragment=True))
    assert found.text.startswith("the comment names aten.mul, of which the body holds nothing")
    beneath = replace(sine("tmp1 = tl_math.sin(tmp0)", fragment=True).claim, aten=("aten.sin", "aten.silu_backward"))
    (found,) = differences(replace(sine(), claim=beneath))
    assert found.what == ("aten.mul",) and found.text.startswith("the comment's fragment holds aten.mul, of which")


def test_what_only_an_address_is_made_of_is_in_the_body() -> None:
    """A replicated border clamps positions by symbolic sizes, which a fragment leaves out; what clamps a tensor leaves an operation."""
    whole = TensorType("int64", ("s53 + 5",), (1,))

    def told(first: str) -> list[str]:
        made = (
            Node("x", "placeholder", "", (), None, None),
            Node("iota", "prims.iota.default", "", ("sub_12",), whole, None),
            Node("clamp_min", "aten.clamp_min.default", "", (first,), whole, None),
            Node("clamp_max", "aten.clamp_max.default", "", ("clamp_min", "sub_14"), whole, None),
            Node("_unsafe_index", "aten._unsafe_index.Tensor", "", ("x", "clamp_max"), None, None),
        )
        padded = Claim(aten=("aten.replication_pad2d",), fragment=made, outputs=("_unsafe_index",), inputs=("x",))
        return [name for one in differences(replace(sine(), ops=("load", "store"), claim=padded)) for name in one.what]

    assert told("iota") == []
    assert told("x") == ["aten.clamp_min", "aten.clamp_max"]


def loss_and(*nodes: str) -> Claim:
    """A claim of these operators, in a backward whose comment names the loss and a convolution."""
    made = tuple(Node(name, f"aten.{name}.default", "", ("x",), None, None) for name in ("sin", *nodes))
    names = ("aten.nll_loss_forward", "aten.convolution_backward", "aten.sin")
    return Claim(aten=names, fragment=made, outputs=("sin",), inputs=("x",))


def test_a_sum_where_nothing_goes_backward_is_the_loss_s() -> None:
    claimed = replace(loss_and("sum"), aten=("aten.nll_loss_forward", "aten.sin"))
    assert differences(replace(sine(), ops=("load", "sin", "sum", "store"), claim=claimed)) == []


@pytest.mark.parametrize(
    ("words", "nodes", "kinds"),
    [
        ((), (), {"product": ("aten.convolution_backward",), "absent": ("aten.nll_loss_forward",)}),
        (("sum",), ("sum",), {"absent": ("aten.nll_loss_forward",)}),  # a bias' gradient
        (
            ("sum",),
            ("sum", "convolution_backward"),
            {"product": ("aten.convolution_backward",), "absent": ("aten.nll_loss_forward",)},
        ),
        (("load.gather",), ("gather",), {"product": ("aten.convolution_backward",)}),
    ],
)
def test_of_a_loss_and_a_convolution_a_backward_names_more_than_it_does(
    words: tuple[str, ...], nodes: tuple[str, ...], kinds: dict[str, tuple[str, ...]]
) -> None:
    """Every constant 0 of a graph is the loss's by the comment, and what a library's convolution takes stands in the fragment."""
    found = replace(sine(), ops=("load", "sin", *words, "store"), claim=loss_and(*nodes))
    assert {d.kind: d.what for d in differences(found)} == kinds


STEP = """
def forward(self, p: "f32[8]", step: "f32[]", m: "f32[8]", g: "f32[8]"):
    # File: adam.py:1 in f, code: torch._foreach_add_(steps, 1)
    _foreach_add = torch.ops.aten._foreach_add_.Scalar([step], 1)
    getitem: "f32[]" = _foreach_add[0]
    # File: adam.py:2 in f, code: torch._foreach_mul(momenta, 0.9)
    _foreach_mul = torch.ops.aten._foreach_mul.Scalar([m], 0.9)
    getitem_1: "f32[8]" = _foreach_mul[0]
    # File: adam.py:3 in f, code: torch._foreach_addcdiv(params, momenta, steps)
    _foreach_addcdiv = torch.ops.aten._foreach_addcdiv.Scalar([p], [getitem_1], [getitem])
    getitem_2: "f32[8]" = _foreach_addcdiv[0]
    copy_: "f32[8]" = torch.ops.aten.copy_.default(p, getitem_2)
    copy__1: "f32[8]" = torch.ops.aten.copy_.default(m, getitem_1)
    return ()
"""


MEANS = """def forward(self, x):
    # File: means.py:7 in f, code: return x.mean(0), x.mean(1), x * 2
    mean: "f32[8]" = torch.ops.aten.mean.dim(x, [0])
    mean_1: "f32[4]" = torch.ops.aten.mean.dim(x, [1])
    # File: means.py:{line} in f, code: return x.mean(0), x.mean(1), x * 2
    mul: "f32[4, 8]" = torch.ops.aten.mul.Tensor(x, 2)
    return (mean, mean_1, mul)
"""


@pytest.mark.parametrize(
    ("above", "origin", "nodes", "lines"),
    [
        ("[m, m_1], Original ATen: [aten.mean]", "written", ("mean", "mean_1"), [7]),  # each is another's too
        ("[m, m_2], Original ATen: [aten.mean, aten.mul]", "written", ("mul",), [8]),
        ("[m], Original ATen: [aten.var]", "comment", (), []),
        ("[], Original ATen: []", "unknown", (), []),
    ],
)
def test_a_kernel_without_a_comment_is_of_the_one_line_of_what_the_comment_above_its_launch_names(
    above: str, origin: str, nodes: tuple[str, ...], lines: list[int]
) -> None:
    """A fold in two halves, the second of them among the jobs of another kernel, whose comment names all that they compute."""
    found, _ = graph(MEANS.format(line=8))
    text = f"# Topologically Sorted Source Nodes: {above}\npart.run(x, buf0)"
    part, jobs = (
        SimpleNamespace(name=name, claim=of, comment="", text="")
        for name, of in (("part", claim([])), ("jobs", replace(claim([]), nodes=("mean", "mean_1"))))
    )
    facts = ModuleProvenance(_Site(text, Module((), (), (part, jobs), (Run("part", (), 2),)), found), list_source)
    told = facts.launch(2)
    assert (told.origin, told.nodes, [line.line for line in told.source]) == (origin, nodes, lines)


@pytest.mark.parametrize(
    ("parameters", "passed", "told"),
    [
        ("in_ptr0, out_ptr0", "step, step", (1,)),
        ("in_ptr0, in_ptr1, in_out_ptr0, out_ptr1", "p, step, p, m", (2, 3)),  # the step is another launch's
        ("in_ptr0, in_ptr1", "p, step", ()),
    ],
)
def test_a_step_of_an_optimizer_is_of_the_lines_that_lead_to_what_it_writes(
    parameters: str, passed: str, told: tuple[int, ...]
) -> None:
    nodes, _ = graph(STEP)
    definition = SimpleNamespace(name="many", claim=claim([]), comment="", text=f"@jit\ndef many({parameters}):\n")
    values = tuple(LaunchArgument(str(n), each, None, each) for n, each in enumerate(passed.split(", ")))
    facts = ModuleProvenance(
        _Site("many.run()", Module((), (), (definition,), (Run("many", values, 1),)), nodes), list_source
    )
    found = facts.launch(1)
    assert tuple(line.line for line in found.source) == told
    assert found.origin == ("written" if told else "unknown")
