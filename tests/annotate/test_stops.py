"""Where fusion stopped, in which order memory is walked, and which node a line stands for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from folders import CAPTURED
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, CAT, HEAD, ROWS, TRANSPOSE, capture, kernel, tensor

from inductor_lab.annotate import annotate, explain
from inductor_lab.annotate.context import Context
from inductor_lab.annotate.facts import Run, runs
from inductor_lab.annotate.neighbours import stop_remarks
from inductor_lab.annotate.steps import fusion_stops, phase, phases, steps
from inductor_lab.bind.elements import nbytes
from inductor_lab.computation import Access, computation
from inductor_lab.computation.index import Coordinate
from inductor_lab.read import read
from inductor_lab.records import (
    Capture,
    Claim,
    ExternCall,
    FusionStop,
    Graph,
    Kernel,
    Launch,
    LaunchArgument,
    Node,
    SourceLine,
)
from inductor_lab.store import load

COPY = (
    HEAD.format(numel=4096)
    + "    x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
)
TURNED = COPY.replace("in_ptr0 + (x0)", "in_ptr0 + (64*(xindex % 64) + xindex // 64)")
SHORT = COPY.replace("4096", "2048")
SUM = ROWS + "    tmp6 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp6, xmask)\n"


def launched(body: str, line: int, *, given: str, made: str, number: int, category: str = "pointwise") -> Kernel:
    """A kernel that reads one buffer and writes another, launched in one line."""
    made_of = kernel(body, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}, category=category)
    names = {"in_ptr0": given, "out_ptr0": made}
    arguments = tuple(
        replace(a, value=names.get(a.name, a.value), storage=names.get(a.name, ""))
        for a in made_of.launches[0].arguments
    )
    launch = Launch("0_inference", line, arguments)
    return replace(made_of, id=f"test:{number}", launches=(launch,))


def stops(*kernels: Kernel, calls: tuple[ExternCall, ...] = ()) -> tuple[FusionStop, ...]:
    return fusion_stops(replace(capture(*kernels), extern_calls=calls))


def first(body: str = COPY, category: str = "pointwise") -> Kernel:
    return launched(body, 10, given="arg0_1", made="buf0", number=0, category=category)


def test_a_buffer_between_two_kernels_has_its_bytes_and_both_ends() -> None:
    (found,) = stops(first(), launched(SHORT, 20, given="buf0", made="buf1", number=1))
    assert (found.buffer, found.bytes) == ("buf0", 4096 * 4)
    assert (found.producer, found.consumer) == ("test:0", "test:1")
    assert found.reason == "sizes" and "4,096 and 2,048" in found.why


def test_parts_of_one_buffer_by_several_pointers_are_its_bytes_together() -> None:
    body = SHORT + "    tl.store(out_ptr1 + (x0), tmp0, xmask)\n"
    made = kernel(body, {"in_ptr0": "float32[2048]"} | dict.fromkeys(("out_ptr0", "out_ptr1"), "float32[2048]"))
    memory = {"in_ptr0": "arg0_1", "out_ptr0": "buf0", "out_ptr1": "buf0"}
    arguments = tuple(replace(a, storage=memory.get(a.name, "")) for a in made.launches[0].arguments)
    halves = replace(made, id="test:0", launches=(Launch("0_inference", 10, arguments),))
    (found,) = stops(halves, launched(COPY, 20, given="buf0", made="buf1", number=1))
    assert (found.buffer, found.bytes) == ("buf0", 4096 * 4)


def test_what_a_kernel_wrote_before_it_was_overwritten_is_no_ones() -> None:
    between = launched(COPY, 15, given="arg1_1", made="buf0", number=2)
    found = stops(first(), between, launched(COPY, 20, given="buf0", made="buf1", number=1))
    assert [stop.producer for stop in found] == ["test:2"]


def test_a_library_call_on_the_way_keeps_them_apart() -> None:
    given, made = (LaunchArgument("0", name, tensor("float32[64, 64]"), name) for name in ("buf0", "buf1"))
    product = ExternCall("extern_kernels.mm", "0_inference", 15, (given,), (made,))
    last = kernel(ADD_RELU, ADD_RELU_TENSORS)
    names = {"in_out_ptr0": "buf1", "in_ptr0": "arg1_1", "in_ptr1": "buf0"}
    arguments = tuple(replace(a, storage=names.get(a.name, "")) for a in last.launches[0].arguments)
    last = replace(last, id="test:1", launches=(Launch("0_inference", 20, arguments),))
    (found,) = stops(first(), last, calls=(product,))
    assert found.reason == "cycle" and found.why.startswith(
        "the consumer waits for mm (line 15), which waits for the producer, and"
    )


def test_nothing_is_told_across_a_library_call_of_which_nothing_is_known() -> None:
    """It may have written that buffer's memory: captures of older versions do not say what their calls read and write."""
    second = launched(SHORT, 20, given="buf0", made="buf1", number=1)
    unknown = ExternCall("extern_kernels.mm", "0_inference", 15)
    assert stops(first(), second) and not stops(first(), second, calls=(unknown,))


def test_a_call_s_results_have_bytes_where_the_wrapper_tells_their_shape_alone() -> None:
    given, bare = tensor("bfloat16[64, 64]"), replace(tensor("bfloat16[64, 64]"), dtype="")
    product = ExternCall(
        "extern_kernels.mm",
        "0_inference",
        15,
        (LaunchArgument("0", "arg0_1", given, "arg0_1"),),
        (LaunchArgument("out", "buf0", bare, "buf0"),),
    )
    (step,) = steps(replace(capture(), extern_calls=(product,)))["0_inference"]
    assert [nbytes(argument.type) for argument in (*step.reads, *step.writes)] == [64 * 64 * 2] * 2


def test_what_is_added_to_has_to_be_there_before() -> None:
    """A table's gradient: zeros, then one kernel that adds rows to it."""
    adding = SHORT.replace(
        "tl.store(out_ptr0 + (x0), tmp0, xmask)", "tl.atomic_add(out_ptr0 + (x0), tmp0, xmask, sem='relaxed')"
    )
    second = launched(adding, 20, given="arg1_1", made="buf0", number=1)
    arguments = tuple(replace(a, role="inout") if a.name == "out_ptr0" else a for a in second.arguments)
    (found,) = stops(first(), replace(second, arguments=arguments))
    assert found.reason == "added" and found.why.startswith("the consumer adds to it atomically")


@pytest.mark.parametrize(
    ("buffers", "nodes", "category", "reason"),
    [
        (40, 0, "pointwise", "limit"),  # Inductor's scheduler has a node for each buffer
        (24, 0, "pointwise", "unknown"),
        (40, 0, "combo", "unknown"),  # its jobs were fused one by one
        (1, 90, "pointwise", "unknown"),  # what the buffer is made of are nodes of the graph
    ],
)
def test_no_kernel_makes_more_buffers_than_inductor_fuses(buffers: int, nodes: int, category: str, reason: str) -> None:
    claims = (Claim(outputs=tuple(f"mul_{i}" for i in range(made)), nodes=("mul",) * nodes) for made in (40, buffers))
    one, other = (
        replace(found, claim=claim)
        for found, claim in zip(
            (first(category=category), launched(COPY, 20, given="buf0", made="buf1", number=1)), claims, strict=True
        )
    )
    (found,) = stops(one, other)
    assert found.reason == reason
    assert ("together they make 80 buffers" in found.why) is (reason == "limit")


def test_two_templates_are_two_kernels() -> None:
    second = launched(COPY, 20, given="buf0", made="buf1", number=1, category="template")
    (stop,) = stops(first(category="template"), second)
    assert (stop.reason, stop.why) == ("template", "both are templates, and a kernel holds one")


def test_a_template_takes_in_no_reduction() -> None:
    pointwise, folds = (launched(body, 20, given="buf0", made="buf1", number=1, category=category)
                        for body, category in ((COPY, "pointwise"), (SUM, "persistent_reduction")))  # fmt: skip
    assert [stops(first(category="template"), one)[0].reason for one in (pointwise, folds)] == ["unknown", "template"]


@pytest.mark.parametrize(("passed", "of"), [("arg_X", "convolution"), ("arg_V", "flex attention"), ("arg_A", "")])
def test_only_a_matrix_product_s_template_may_take_in_what_is_before_it(passed: str, of: str) -> None:
    template = launched(COPY, 20, given="buf0", made="buf1", number=1, category="template")
    arguments = tuple(replace(a, name=passed) if a.name == "in_ptr0" else a for a in template.arguments)
    launch = replace(template.launches[0], arguments=tuple(
        replace(a, name=passed) if a.name == "in_ptr0" else a for a in template.launches[0].arguments
    ))  # fmt: skip
    (found,) = stops(first(), replace(template, arguments=arguments, launches=(launch,)))
    assert found.reason == ("template" if of else "unknown")
    assert found.why.startswith(f"the template of {of} loads what lies in memory" if of else "the text does not tell")


def test_another_order_and_another_fold_are_told_apart() -> None:
    (turned,) = stops(first(), launched(TURNED, 20, given="buf0", made="buf1", number=1))
    assert (turned.reason, turned.why) == (
        "order",
        "the producer writes it in another order than the consumer reads it",
    )
    fold = first(SUM, "persistent_reduction")
    (folded,) = stops(fold, launched(COPY, 20, given="buf0", made="buf1", number=1))
    assert folded.reason == "reduction" and "8 rows of 128" in folded.why
    (same,) = stops(first(), launched(COPY, 20, given="buf0", made="buf1", number=1))
    assert same.reason == "unknown"


def test_a_real_capture_says_why_its_copy_is_a_kernel_of_its_own() -> None:
    (found,) = fusion_stops(annotate(read([CAPTURED / "rotary_attention_train_h200" / "log.txt.gz"], "rotary")))
    assert (found.reason, found.bytes) == ("order", 4 * 48 * 1024 * 64 * 4)


def walked(body: str, tensors: dict[str, str], kind: str) -> list[str]:
    """What is said of each access beside the tensor, in which order it is walked."""
    found = kernel(body, tensors)
    said = {note.line: note.text for note in explain(found, capture(found))}
    lines = [access.line for access in computation(found).accesses if access.kind == kind]
    return ["; ".join(said[line].split("; ")[1:]).partition("; only where")[0] for line in lines]


def test_runs_jumps_and_transposes_have_words() -> None:
    two = {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}
    assert walked(COPY, two, "load") == ["element by element"]
    assert walked(TURNED, two, "load") == [
        "element by element, transposed: neighbouring elements of the launch are 64 apart, 64 at a time"
    ]
    heads = COPY.replace("in_ptr0 + (x0)", "in_ptr0 + (xindex % 16 + 256*((xindex // 16) % 16) + 16*(xindex // 256))")
    assert walked(heads, two, "load") == ["element by element, in runs of 16 consecutive elements, 256 apart"]
    tile = {"in_ptr0": "float16[256, 96]", "out_ptr0": "float16[96, 256]"}
    assert walked(TRANSPOSE, tile, "load") == ["element by element, consecutive along y, 96 apart along x"]
    assert walked(TRANSPOSE, tile, "store") == ["consecutive along x, 256 apart along y"]
    sides = {"in_ptr0": "float32[4, 50, 6]", "in_ptr1": "float32[4, 50, 6]", "out_ptr0": "float32[4, 100, 6]"}
    assert (
        walked(CAT, sides, "load") == ["element by element"] * 2
    )  # where its mask holds, a side is read from end to end


SUBTRACTED = (
    HEAD.format(numel=4096)
    + """
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tl.load(in_ptr2 + (x0), xmask)
    tmp3 = tmp0 - tmp1
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp4 - tmp2
    tmp6 = tmp3 * tmp5
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
)


def test_a_line_is_credited_to_the_node_that_is_made_of_the_same_tensors() -> None:
    """The graph computes the mask's `1 - mask` first, the body the softmax's `x - max`."""
    type_ = tensor("float32[4096]")
    inputs = [Node(name, "placeholder", "", (), type_, None) for name in ("scores", "largest", "mask")]
    subtractions = [
        Node("sub", "aten.sub.Tensor", "aten.sub.Tensor(1.0, mask)", ("mask",), type_, SourceLine("m.py", 3, "")),
        Node("sub_1", "aten.sub.Tensor", "aten.sub.Tensor(scores, largest)", ("scores", "largest"), type_, SourceLine("m.py", 9, "")),
        Node("mul", "aten.mul.Tensor", "aten.mul.Tensor(sub_1, sub)", ("sub_1", "sub"), type_, SourceLine("m.py", 9, "")),
    ]  # fmt: skip
    nodes = (*inputs, *subtractions)
    claim = Claim((), ("aten.sub", "aten.mul"), ("scores", "largest", "mask"), ("sub", "sub_1", "mul"), ("mul",), nodes)
    tensors = dict.fromkeys(("in_ptr0", "in_ptr1", "in_ptr2", "out_ptr0"), "float32[4096]")
    passed = {"in_ptr0": "scores", "in_ptr1": "largest", "in_ptr2": "mask", "out_ptr0": "buf0"}
    made = kernel(SUBTRACTED, tensors, claim=claim, passed=passed)
    found = Context(made, capture(made, nodes=nodes))
    by_text = {made.body.splitlines()[line - 1].strip(): node.name for line, node in found.origin.items()}
    assert by_text["tmp3 = tmp0 - tmp1"] == "sub_1" and by_text["tmp5 = tmp4 - tmp2"] == "sub"


def test_sentences_do_not_say_more_than_the_line() -> None:
    body = (
        HEAD.format(numel=4096)
        + """
    x0 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 7, tl.int64)
    tmp2 = triton_helpers.minimum(tmp0, tmp1)
    tmp3 = tmp1 < tmp1
    tmp4 = ((-1)*((0) * ((0) <= (x0)) + (x0) * ((x0) < (0)))).to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
    )
    made = kernel(body, {"out_ptr0": "float32[4096]"})
    said = {note.line: note.text for note in explain(made, capture(made))}
    lines = [line.strip() for line in made.body.splitlines()]
    assert "NaN" not in said[lines.index("tmp2 = triton_helpers.minimum(tmp0, tmp1)") + 1]
    assert not said[next(n for n, line in enumerate(lines, 1) if line.startswith("tmp4"))].startswith("true where")


def test_an_optimizers_graph_is_known_by_its_lines() -> None:
    line = SourceLine("/usr/lib/python3/site-packages/torch/optim/adamw.py", 300, "exp_avg.lerp_(grad, 1 - beta1)")
    nodes = tuple(Node(f"mul_{n}", "aten.mul.Tensor", "", (), None, line) for n in range(3))
    step, plain = Graph("0_inference", "", "inference", "", nodes), Graph("1_forward", "", "forward", "")
    assert (phase(step), phase(plain)) == ("optimizer", "forward")
    made = kernel(COPY, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"})
    launches = tuple(Launch(graph.id, 1, ()) for graph in (step, plain, step))
    assert phases(replace(made, launches=launches), {g.id: phase(g) for g in (step, plain)}) == ("optimizer", "forward")


def test_every_stop_of_a_capture_names_kernels_that_are_there() -> None:
    found: Capture = annotate(read([CAPTURED / "sparse_ffn_train_h200" / "log.txt.gz"], "sparse"))
    known = {each.id for each in found.kernels}
    assert all({stop.producer, stop.consumer} <= known for stop in fusion_stops(found))


def test_buffers_of_one_reason_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    writes = launched(COPY.replace("4096", "65536"), 10, given="arg0_1", made="buf0", number=0)
    reads = launched(SHORT, 20, given="buf0", made="buf1", number=1)
    large = tensor("float32[65536]")
    both = [
        replace(one, launches=tuple(
            replace(one.launches[0], line=line, arguments=tuple(
                replace(a, value=f"{a.value}_{line % 10}", storage=f"{a.storage}_{line % 10}", type=large)
                for a in one.launches[0].arguments
            ))
            for line in (one.launches[0].line, one.launches[0].line + 1)
        ))
        for one in (writes, reads)
    ]  # fmt: skip
    (said,) = stop_remarks(both[0], capture(*both))
    assert said.startswith("buf0_0 and 1 other buffer, 524.3 KB, go through memory to test:1: they go over different")
    monkeypatch.setattr("inductor_lab.annotate.neighbours.MOST_TOLD", 0)
    assert stop_remarks(both[0], capture(*both)) == ["2 buffers more, 524.3 KB, go through memory to test:1"]


def test_a_buffer_that_is_named_is_none_more(monkeypatch: pytest.MonkeyPatch) -> None:
    writes = launched(COPY.replace("4096", "65536"), 10, given="arg0_1", made="buf0", number=0)
    arguments = tuple(replace(a, type=tensor("float32[65536]")) for a in writes.launches[0].arguments)
    writes = replace(writes, launches=(replace(writes.launches[0], arguments=arguments),))
    readers = [launched(SHORT, 10 * n + 20, given="buf0", made=f"buf{n}", number=n) for n in (1, 2, 3)]
    monkeypatch.setattr("inductor_lab.annotate.neighbours.MOST_TOLD", 2)
    assert stop_remarks(writes, capture(writes, *readers))[2:] == ["buf0 goes to test:3 too"]
    monkeypatch.setattr("inductor_lab.annotate.neighbours.MOST_TOLD", 1)
    assert stop_remarks(writes, capture(writes, *readers))[1:] == ["buf0 goes to 2 kernels too"]


def test_show_says_what_a_kernel_leaves_for_another() -> None:
    found = annotate(read([CAPTURED / "rotary_attention_train_h200" / "log.txt.gz"], "rotary"))
    (stop,) = fusion_stops(found)
    producer = next(each for each in found.kernels if each.id == stop.producer)
    hazards = [note.text for note in explain(producer, found) if note.kind == "hazard"]
    assert hazards[-1] == (
        f"fusion stopped: {stop.buffer}, 50.3 MB, goes through memory to {stop.consumer}: "
        "the producer writes it in another order than the consumer reads it"
    )


def address(access: Access, axis: str, at: int) -> int:
    """Where an access is at one place along an axis and at the beginning of all others, term by term."""
    total = 0
    for term in access.index.terms:
        of = term.of
        assert isinstance(of, Coordinate) and isinstance(of.stride, int)
        place = at if of.axis == axis else 0
        total += term.factor * (place // of.stride % of.size if isinstance(of.size, int) else place // of.stride)
    return total


def by_runs(walk: tuple[Run, ...], at: int) -> int:
    total = 0
    for size, step in walk[:-1]:
        total, at = total + at % size * step, at // size
    return total + at * walk[-1][1]


def test_runs_lead_to_the_addresses_that_the_terms_give() -> None:
    """Every access of the committed captures without a mask of its own, at a few hundred places along each axis."""
    checked = 0
    for folder in sorted(CAPTURED.glob("*_h200")):
        for each in load(folder).kernels:
            for job in computation(each).every():
                for access in job.accesses:
                    for axis, size in job.numel.items():
                        walk = runs(access, job, axis) if not access.limits else ()
                        if not walk or not isinstance(size, int):
                            continue
                        places = [*range(min(size, 200)), *range(0, size, max(size // 100, 1))]
                        assert all(by_runs(walk, at) == address(access, axis, at) for at in places), (each.id, access)
                        checked += 1
    assert checked > 100
