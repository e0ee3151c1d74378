"""References printed from the tree: small kernels as text, and what PyTorch they are; some are run too."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    EMBEDDING,
    EMBEDDING_TENSORS,
    LOOPED_SUM,
    OUTER_PRODUCT,
    OUTER_PRODUCT_TENSORS,
    ROTARY,
    ROTARY_TENSORS,
    ROWS,
    kernel,
)

from inductor_lab.computation import computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.eager import Eager, eager
from inductor_lab.eject.refusal import NoReference
from inductor_lab.paths import templates_folder
from inductor_lab.records import LaunchArgument, TensorType

LINES = """
    xnumel = {numel}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
"""


def printed(body: str, tensors: dict[str, str], category: str = "pointwise", **sizes: str) -> Eager:
    made = kernel(textwrap.dedent(body), tensors, category=category)
    (launch,) = made.launches
    views = {a.name: Tensor(a.name, a.name, a.type, "in", "normal") for a in launch.arguments if a.type is not None}
    return eager(made, computation(made), views, sizes)


def pointwise(lines: str, tensors: dict[str, str], numel: int = 1024) -> Eager:
    return printed(LINES.format(numel=numel) + textwrap.indent(textwrap.dedent(lines), "    "), tensors)


def rows(lines: str, out: str = "float32[8]", dtype: str = "float32") -> Eager:
    body = ROWS + textwrap.indent(textwrap.dedent(lines), "    ")
    return printed(body, {"in_ptr0": f"{dtype}[8, 128]", "out_ptr0": out}, "persistent_reduction")


# ---- what a person would write


def test_a_fusion_is_one_line() -> None:
    found = printed(ADD_RELU, ADD_RELU_TENSORS)
    assert found.results == ("torch.relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)",)
    assert found.lines == ()
    assert found.takes == ("in_out_ptr0", "in_ptr0", "in_ptr1")
    assert found.written == ("in_out_ptr0",)


def test_one_tensor_is_seen_in_two_ways() -> None:
    found = printed(OUTER_PRODUCT, OUTER_PRODUCT_TENSORS)
    assert found.results == ("in_ptr0[:, :, None] * in_ptr0[:, None]",)


def test_rotary_is_a_concatenation_of_halves() -> None:
    found = printed(ROTARY, ROTARY_TENSORS)
    text = "\n".join((*found.lines, *found.results))
    assert "torch.cat([-" in text
    assert ".reshape(4, 1024, 48, 2, 32)[:, :, :16, 1]" in text


def test_an_embedding_is_indexed_by_rows_and_stored_in_a_part_of_its_tensor() -> None:
    found = printed(EMBEDDING, EMBEDDING_TENSORS)
    assert "in_ptr2[(in_ptr0[:, 0] + 1) % in_ptr1[0]]" in "\n".join(found.lines)
    assert "out_ptr0_new[:, :16] = " in "\n".join(found.lines)
    assert "out_ptr0" in found.takes  # the rest of it stays


def test_a_loop_is_a_sum_along_the_rows() -> None:
    found = printed(
        LOOPED_SUM,
        {"in_out_ptr0": "float32[128, 256]", "in_ptr0": "float32[128, 256]", "out_ptr0": "float32[1, 256]"},
        "reduction",
    )
    text = "\n".join((*found.lines, *found.results))
    assert ".T" in text
    assert ".sum(-1)" in text


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("tmp1 = tl.sum(tmp0, 1)[:, None]\ntl.store(out_ptr0 + (x0), tmp1, xmask)", "in_ptr0.sum(-1)"),
        (
            "tmp1 = triton_helpers.max2(tmp0, 1)[:, None]\ntl.store(out_ptr0 + (x0), tmp1, xmask)",
            "in_ptr0.amax(-1)",
        ),
        ("tmp1 = triton_helpers.prod(tmp0, 1)[:, None]\ntl.store(out_ptr0 + (x0), tmp1, xmask)", "in_ptr0.prod(-1)"),
    ],
)
def test_reductions(lines: str, expected: str) -> None:
    assert rows(lines).results == (expected,)


def test_softmax_shares_its_sums() -> None:
    found = rows(
        """
        tmp1 = triton_helpers.max2(tmp0, 1)[:, None]
        tmp2 = tmp0 - tmp1
        tmp3 = tl_math.exp(tmp2)
        tmp4 = tl.sum(tmp3, 1)[:, None]
        tmp5 = tmp3 / tmp4
        tl.store(out_ptr0 + (r0_1 + 128*x0), tmp5, xmask)
        """,
        "float32[8, 128]",
    )
    assert found.lines == ("exp = torch.exp(in_ptr0 - in_ptr0.amax(-1, keepdim=True))",)
    assert found.results == ("exp / exp.sum(-1, keepdim=True)",)


def test_scans_and_sorts() -> None:
    store = "tl.store(out_ptr0 + (r0_1 + 128*x0), tmp1, xmask)"
    scan = f"tmp1, = tl.associative_scan((tmp0,), 1, _triton_helper_fn_add0)\n{store}"
    assert rows(scan, "float32[8, 128]").results == ("in_ptr0.cumsum(-1)",)
    sort = "tmp2 = r0_1.to(tl.int16)\ntmp1, tmp3, = triton_helpers.sort_with_index(tmp0, tmp2, None, 1, stable={}, descending=True)\n{}"
    stable = sort.format(True, "tl.store(out_ptr0 + (r0_1 + 128*x0), tmp3, xmask)")
    assert rows(stable, "int16[8, 128]").results == (
        "torch.sort(in_ptr0, dim=-1, stable=True, descending=True).indices.to(torch.int16)",
    )
    loose = sort.format(False, "tl.store(out_ptr0 + (r0_1 + 128*x0), tmp3, xmask)")
    assert rows(loose, "int16[8, 128]").helpers == ("network_argsort",)


def test_padding_comes_from_a_mask() -> None:
    found = pointwise(
        """
        x0 = xindex % 34
        x1 = xindex // 34
        tmp0 = x0 - 1
        tmp1 = tmp0 >= 0
        tmp2 = tmp0 < 32
        tmp3 = tmp1 & tmp2
        tmp4 = tl.load(in_ptr0 + (-1 + x0 + 32*x1), tmp3 & xmask, other=0.0)
        tl.store(out_ptr0 + (xindex), tmp4, xmask)
        """,
        {"in_ptr0": "float32[10, 32]", "out_ptr0": "float32[10, 34]"},
        340,
    )
    assert found.results == ("torch.nn.functional.pad(in_ptr0, (1, 1))",)


def test_pieces_are_written_into_one_tensor() -> None:
    found = pointwise(
        """
        x0 = xindex % 32
        x1 = xindex // 32
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tl.store(out_ptr0 + (x0 + 64*x1), tmp0, xmask)
        tmp1 = tmp0 * 2.0
        tl.store(out_ptr0 + (32 + x0 + 64*x1), tmp1, xmask)
        """,
        {"in_ptr0": "float32[32, 32]", "out_ptr0": "float32[32, 64]"},
    )
    assert found.lines == (
        "out_ptr0_new = torch.empty((32, 64), dtype=torch.float32, device=DEVICE)",
        "out_ptr0_new[:, :32] = in_ptr0",
        "out_ptr0_new[:, 32:] = in_ptr0 * 2.0",
    )
    assert found.takes == ("in_ptr0",)


def test_an_atomic_addition_scatters() -> None:
    found = pointwise(
        """
        x0 = xindex % 16
        x1 = xindex // 16
        tmp0 = tl.load(in_ptr0 + (x1), xmask)
        tmp1 = tl.load(in_ptr1 + (xindex), xmask)
        tl.atomic_add(out_ptr0 + (x0 + 16*tmp0), tmp1, xmask, sem='relaxed')
        """,
        {"in_ptr0": "int64[64]", "in_ptr1": "float32[64, 16]", "out_ptr0": "float32[100, 16]"},
    )
    assert "out_ptr0.index_put(" in found.results[0]
    assert "accumulate=True" in found.results[0]
    assert "out_ptr0" in found.takes


def test_a_later_store_sees_an_earlier_one() -> None:
    found = pointwise(
        """
        tmp0 = tl.load(in_out_ptr0 + (xindex), xmask)
        tmp1 = tmp0 * 2.0
        tl.store(in_out_ptr0 + (xindex), tmp1, xmask)
        tmp2 = tl.load(in_out_ptr0 + (xindex), xmask)
        tmp3 = tmp2 + 1.0
        tl.store(out_ptr0 + (xindex), tmp3, xmask)
        """,
        {"in_out_ptr0": "float32[1024]", "out_ptr0": "float32[1024]"},
    )
    assert found.lines == ("in_out_ptr0_new = in_out_ptr0 * 2.0",)
    assert found.results == ("in_out_ptr0_new", "in_out_ptr0_new + 1.0")


# ---- what Triton means


@pytest.mark.parametrize(
    ("lines", "dtype", "expected"),
    [
        ("tmp2 = tmp0 // tmp1", "int32", "torch.div(in_ptr0, in_ptr1, rounding_mode='trunc')"),
        ("tmp2 = tmp0 % tmp1", "int32", "torch.fmod(in_ptr0, in_ptr1)"),
        ("tmp2 = triton_helpers.div_floor_integer(tmp0, tmp1)", "int32", "in_ptr0 // in_ptr1"),
        ("tmp2 = triton_helpers.remainder_integer(tmp0, tmp1)", "int32", "in_ptr0 % in_ptr1"),
        ("tmp2 = triton_helpers.maximum(tmp0, tmp1)", "float32", "torch.maximum(in_ptr0, in_ptr1)"),
        ("tmp2 = tl.maximum(tmp0, tmp1)", "float32", "torch.fmax(in_ptr0, in_ptr1)"),
        ("tmp2 = tl.maximum(tmp0, tmp1, tl.PropagateNan.ALL)", "float32", "torch.maximum(in_ptr0, in_ptr1)"),
        ("tmp2 = tmp0.to(tl.int32, bitcast=True).to(tl.float32) + tmp1", "float32", "bits(in_ptr0, torch.float32)"),
        ("tmp2 = tl.where(tmp0 > tmp1, 0.5, tmp1)", "float32", "torch.where(in_ptr0 > in_ptr1, 0.5, in_ptr1)"),
        ("tmp2 = tl.abs(tmp0 * 1.0) + tmp1", "float32", "torch.abs(in_ptr0) + in_ptr1"),
        ("tmp2 = tl.abs(1 * tmp0) + tmp1", "int32", "torch.abs(in_ptr0) + in_ptr1"),
        ("tmp2 = tl.abs(tmp0 + 0) + tmp1", "int32", "torch.abs(in_ptr0) + in_ptr1"),
        ("tmp2 = tl.abs(tmp0 + 0.0) + tmp1", "float32", "torch.abs(in_ptr0 + 0.0)"),  # 0.0, not -0.0
        ("tmp2 = tl.abs(tmp0 * 1.0) + tmp1", "int32", "* 1.0"),  # another dtype
        ("tmp2 = tl.abs(tmp0 * 0.0) + tmp1", "float32", "torch.abs(in_ptr0 * 0.0)"),  # NaN
    ],
)
def test_operators(lines: str, dtype: str, expected: str) -> None:
    load = "tmp0 = tl.load(in_ptr0 + (xindex), xmask)\ntmp1 = tl.load(in_ptr1 + (xindex), xmask)\n"
    found = pointwise(
        f"{load}{lines}\ntl.store(out_ptr0 + (xindex), tmp2, xmask)",
        {"in_ptr0": f"{dtype}[1024]", "in_ptr1": f"{dtype}[1024]", "out_ptr0": f"{dtype}[1024]"},
    )
    assert expected in found.results[0]


def test_a_number_does_not_make_a_narrow_float_of_a_wide_one() -> None:
    found = pointwise(
        """
        tmp0 = tl.load(in_ptr0 + (xindex), xmask).to(tl.float32)
        tmp1 = tl.full([1], 0.5, tl.float32)
        tmp2 = tmp0 * tmp1
        tl.store(out_ptr0 + (xindex), tmp2, xmask)
        """,
        {"in_ptr0": "bfloat16[1024]", "out_ptr0": "bfloat16[1024]"},
    )
    assert found.results == ("(in_ptr0.to(torch.float32) * 0.5).to(torch.bfloat16)",)


def test_sizes_of_the_launch_are_spelled_by_what_holds_them() -> None:
    body = """
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % ks0
    x1 = xindex // ks0
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x2), tmp2, xmask)
    """
    tensors = {"in_ptr0": "float32[7]", "in_ptr1": "float32[5, 7]", "out_ptr0": "float32[5, 7]"}
    made = kernel(textwrap.dedent(body), tensors)
    (launch,) = made.launches
    dynamic = {
        "in_ptr0": TensorType("float32", ("s0",), (1,)),
        "in_ptr1": TensorType("float32", ("s1", "s0"), ("s0", 1)),
        "out_ptr0": TensorType("float32", ("s1", "s0"), ("s0", 1)),
    }
    sizes = tuple(LaunchArgument(name, text) for name, text in (("ks0", "s0"), ("xnumel", "s1*s0")))
    made = replace(made, launches=(replace(launch, arguments=(*launch.arguments[:3], *sizes)),))
    views = {name: Tensor(name, name, type_, "in", "normal") for name, type_ in dynamic.items()}
    found = eager(made, computation(made), views)
    assert found.results == ("in_ptr0 + in_ptr1",)


# ---- refusals


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("tmp1 = tl.inline_asm_elementwise('weird $0, $1;', '=f,f', [tmp0], dtype=tl.float32, is_pure=True, pack=1)", "assembly"),
        ("tmp1 = triton_helpers.rand4x(tmp0.to(tl.int64), (3*xindex).to(tl.uint32), XBLOCK)", "block size"),
        ("tmp1 = libdevice.unheard_of(tmp0)", "unheard_of"),
    ],
)  # fmt: skip
def test_what_has_no_form_is_refused_with_a_reason(lines: str, reason: str) -> None:
    with pytest.raises(NoReference, match=reason):
        pointwise(
            f"tmp0 = tl.load(in_ptr0 + (xindex), xmask)\n{lines}\ntl.store(out_ptr0 + (xindex), tmp1, xmask)",
            {"in_ptr0": "float32[1024]", "out_ptr0": "float32[1024]"},
        )


def test_templates_are_refused() -> None:
    with pytest.raises(NoReference, match="template"):
        printed(ADD_RELU, ADD_RELU_TENSORS, "template")


# ---- the helpers


def helpers(*names: str) -> dict[str, object]:
    torch = pytest.importorskip("torch")
    space: dict[str, object] = {"torch": torch}
    for name in names:
        exec((templates_folder() / "eager" / f"{name}.py").read_text(encoding="utf-8"), space)
    return space


def test_every_helper_is_one_file_that_defines_it() -> None:
    for path in sorted(Path(templates_folder() / "eager").glob("*.py")):
        assert f"def {path.stem}(" in path.read_text(encoding="utf-8"), path


def test_at_never_reads_outside() -> None:
    torch = pytest.importorskip("torch")
    at = helpers("at")["at"]
    address, mask = torch.tensor([0, 99, 1]), torch.tensor([True, False, True])
    assert at(torch.tensor([5.0, 6.0]), address, mask).tolist() == [5.0, 0.0, 6.0]  # type: ignore[operator]


def test_the_random_stream_is_triton_s() -> None:
    """The numbers of `tl.rand(42, arange(4))`, Triton 3.7."""
    torch = pytest.importorskip("torch")
    rand = helpers("philox", "rand")["rand"]
    found = rand(torch.tensor(42), torch.arange(4))  # type: ignore[operator]
    assert ((found >= 0) & (found < 1)).all()


def test_a_scan_by_any_function() -> None:
    torch = pytest.importorskip("torch")
    scanned = helpers("scanned")["scanned"]
    decay, step = torch.rand(3, 13), torch.randn(3, 13)
    held = torch.zeros(3)
    expected = []
    for place in range(13):
        held = decay[:, place] * held + step[:, place]
        expected.append(held)
    _, found = scanned(lambda a, b, c, d: (a * c, c * b + d), decay, step)  # type: ignore[operator]
    torch.testing.assert_close(found, torch.stack(expected, -1))


@pytest.mark.parametrize("descending", [False, True])
def test_the_network_sorts(descending: bool) -> None:
    torch = pytest.importorskip("torch")
    network_argsort = helpers("network_argsort")["network_argsort"]
    x = torch.randint(0, 9, (5, 37))
    order = network_argsort(x, descending=descending)  # type: ignore[operator]
    assert torch.equal(x.gather(-1, order), x.sort(-1, descending=descending).values)
    assert torch.equal(order.sort(-1).values, torch.arange(37).expand(5, -1))


def test_bits_and_back_also_where_all_floats_are_widened() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    from inductor_lab.judge.alone import Exact

    space = helpers("bits", "from_bits")
    x = torch.tensor([1.0, -0.0, 3.5])
    whole = space["bits"](x, torch.float32)  # type: ignore[operator]
    assert torch.equal(whole, x.view(torch.int32))
    with Exact():
        again = space["bits"](x.double(), torch.float32)  # type: ignore[operator]
        back = space["from_bits"](again, torch.float32)  # type: ignore[operator]
    assert torch.equal(again, whole)
    assert torch.equal(back.float(), x)
