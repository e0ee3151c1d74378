"""What a kernel computes: bodies as Inductor writes them in, typed trees out."""

from __future__ import annotations

import itertools
import textwrap
from typing import Any

import pytest
from folders import CAPTURED
from kernels_as_text import kernel as kernel_of

from inductor_lab.computation import Computation, computation
from inductor_lab.computation.index import Coordinate, Index, divided, remainder
from inductor_lab.computation.records import pattern
from inductor_lab.computation.text import Writer
from inductor_lab.computation.tree import (
    Cast,
    Constant,
    Expression,
    Inside,
    Limit,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Unknown,
    index_of,
    limits,
    walk,
)
from inductor_lab.records import Argument, Kernel, Launch, LaunchArgument, TensorType
from inductor_lab.store import load

POINTWISE = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % 64)
    x1 = xindex // 64
"""
ROWS = """
    xnumel = 128
    r0_numel = 1000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
"""
IN_THE_LOOP = """
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 1000*x0), r0_mask & xmask, other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
"""
DTYPES = {"in_ptr0": "float32", "in_ptr1": "int64", "in_ptr2": "bfloat16", "out_ptr0": "float32", "out_ptr1": "int64"}


def of(frame: str, lines: str, *, category: str = "pointwise", passed: dict[str, str] | None = None) -> Computation:
    """The computation of a body: a frame, and lines after it."""
    body = textwrap.dedent(frame) + textwrap.dedent(lines).lstrip("\n")
    pointers = tuple(Argument(name, dtype, "in", True) for name, dtype in DTYPES.items())
    sizes = tuple(Argument(name, "int64", "size") for name in ("ks0", "ks1") if name in body)
    blocks = tuple(Argument(name, "", "constexpr") for name in ("XBLOCK", "R0_BLOCK") if name in body)
    values = tuple(LaunchArgument(name, value) for name, value in (passed or {}).items())
    launches = (Launch("0_inference", 1, values),) if passed else ()
    empty: dict[str, Any] = dict.fromkeys(("name", "graph", "body_sha256", "text"), "")
    found = Kernel(
        id="test:0", category=category, definitions=1, arguments=(*pointers, *sizes, *blocks), launches=launches, ops=(),
        source=(), traffic=None, claim=None, body=body, line=1, **empty,
    )  # type: ignore[arg-type]  # fmt: skip
    return computation(found)


def looped(before: str, inside: str, after: str) -> Computation:
    """A reduction over blocks of a row."""
    loop = "for r0_offset in tl.range(0, r0_numel, R0_BLOCK):\n" + textwrap.indent(
        textwrap.dedent(IN_THE_LOOP).strip("\n") + "\n" + textwrap.dedent(inside).strip("\n"), "    "
    )
    return of(
        ROWS, f"{textwrap.dedent(before).strip()}\n{loop}\n{textwrap.dedent(after).strip()}", category="reduction"
    )


def stored(found: Computation, number: int = 0) -> Expression:
    value = found.stores[number].value
    assert value is not None
    return value


def shape(value: Expression) -> Any:
    """A tree as nested tuples, for comparison."""
    match value:
        case Constant(value=number):
            return number
        case Load(pointer=pointer):
            return pointer
        case Operation(name=name, inputs=inputs):
            return (name, *map(shape, inputs))
        case Reduction(name=name, part=part, inputs=inputs):
            return (f"{name}.{part}" if part else name, *map(shape, inputs))
        case Cast(dtype=dtype, operand=operand):
            return (dtype, shape(operand))
        case Position(index=index):
            return index
        case Inside(axis=axis):
            return f"{axis}mask"
    return (type(value).__name__, *map(shape, value.operands))


# ---------------------------------------------------------------- values


def test_a_store_is_a_tree_over_loads_and_constants() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr0 + (x2), xmask)
        tmp1 = tl.full([1], 0.5, tl.float32)
        tmp2 = tmp0 * tmp1
        tmp3 = libdevice.exp(-tmp2)
        tmp4 = triton_helpers.maximum(tmp3, tmp0)
        tl.store(out_ptr0 + (x2), tmp4, xmask)
    """)  # fmt: skip
    value = stored(found)
    assert shape(value) == ("maximum", ("exp", ("neg", ("mul", "in_ptr0", 0.5))), "in_ptr0")
    assert (value.dtype, value.axes) == ("float32", frozenset({"x"}))
    assert shape(found.stores[0].mask) == "xmask"  # type: ignore[arg-type]


def test_equal_expressions_are_one_object() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr0 + (x2), xmask)
        tmp1 = tmp0 + tmp0
        tmp2 = tl.load(in_ptr0 + (x2), xmask)
        tmp3 = tmp2 + tmp2
        tl.store(out_ptr0 + (x2), tmp3, xmask)
        tmp4 = tl.load(in_ptr0 + (x2), xmask)
        tl.store(in_ptr0 + (x2), tmp4, xmask)
        tmp5 = tl.load(in_ptr0 + (x2), xmask)
    """)  # fmt: skip
    assert found.names["tmp1"] is found.names["tmp3"]
    assert found.names["tmp4"] is found.names["tmp0"]
    assert found.names["tmp5"] is not found.names["tmp4"], "the tensor was overwritten meanwhile"
    assert len(found.loads) == 4, "an access is what the text does, not what could be shared"


@pytest.mark.parametrize(
    ("lines", "expected", "dtype"),
    [
        ("tmp1 = tl.load(in_ptr2 + (x2), xmask).to(tl.float32)", ("float32", "in_ptr2"), "float32"),
        ("tmp1 = tmp0.to(tl.float32)", "in_ptr0", "float32"),
        ("tmp1 = tmp0 != 0", ("ne", "in_ptr0", 0), "bool"),
        ("tmp1 = tl.where(xmask & (tmp0 > 0), tmp0, 0.0)",
         ("where", ("and", "xmask", ("gt", "in_ptr0", 0)), "in_ptr0", 0.0), "float32"),
        ("tmp1 = libdevice.isnan(tmp0).to(tl.int1)", ("isnan", "in_ptr0"), "bool"),
        ("tmp1 = (libdevice.signbit(tmp0) != 0) if (tmp0).dtype is tl.float32 else tmp0 < 0",
         ("ne", ("signbit", "in_ptr0"), 0), "bool"),
        ("tmp1 = (libdevice.signbit(tmp0) != 0) if (tmp0).dtype is tl.float64 or (tmp0).dtype is tl.bfloat16 else tmp0 < 0",
         ("lt", "in_ptr0", 0), "bool"),
        ("tmp1 = x2.to(tl.float32)", ("float32", Index.of(Coordinate("x", 1, None))), "float32"),
        ("tmp1 = float('-inf') + tmp0", ("add", float("-inf"), "in_ptr0"), "float32"),
        ("tmp2 = tl.full([1], 3, tl.int64)\ntmp1 = tl.where(tmp2 == 0, tmp0, -tmp0)", ("neg", "in_ptr0"), "float32"),
        ("tmp1 = tl.load(in_ptr1 + (x2), xmask) + tl.full([1], 1, tl.int32)", ("add", "in_ptr1", 1), "int64"),
    ],
)  # fmt: skip
def test_values(lines: str, expected: Any, dtype: str) -> None:
    found = of(POINTWISE, f"tmp0 = tl.load(in_ptr0 + (x2), xmask)\n{lines}\ntl.store(out_ptr0 + (x2), tmp1, xmask)")
    value = stored(found)
    assert (shape(value), value.dtype) == (expected, dtype)


def test_random_numbers_depend_on_a_seed_and_a_position() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr1 + load_seed_offset)
        tmp1 = (x2).to(tl.int32)
        tmp2 = triton_helpers.rand4x(tmp0, (tmp1).to(tl.uint32), XBLOCK)
        tl.store(out_ptr0 + (x2), tmp2, xmask)
    """)  # fmt: skip
    value = stored(found)
    assert isinstance(value, Random)
    assert (value.name, value.dtype) == ("rand4x", "float32")
    assert [type(part) for part in value.inputs] == [Load, Position]


def test_an_atomic_addition_and_what_decides_its_address() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr1 + (x1), xmask)
        tmp1 = tl.load(in_ptr0 + (x2), xmask)
        tl.device_assert((0 <= tmp0) & (tmp0 < 100) | ~(xmask), "index out of bounds: 0 <= tmp0 < 100")
        tl.atomic_add(out_ptr0 + (x0 + 64*tmp0), tmp1, xmask, sem='relaxed')
    """)  # fmt: skip
    access = found.stores[0]
    assert (access.kind, access.gathered, shape(stored(found))) == ("atomic_add", {"in_ptr1"}, "in_ptr0")
    assert [(term.factor, type(term.of).__name__) for term in access.index.terms] == [(1, "Coordinate"), (64, "Load")]
    check = found.checks[0]
    assert check.message.startswith("index out of bounds")
    assert shape(check.condition)[0] == "or"


# ---------------------------------------------------------------- folds


@pytest.mark.parametrize(
    ("start", "turn", "fold", "expected"),
    [
        ("0, tl.float32", "_tmp2 + tmp1", "tl.sum(_tmp2, 1)[:, None]", "sum"),
        ("1, tl.float32", "_tmp2 * tmp1", "triton_helpers.prod(_tmp2, 1)[:, None]", "prod"),
        ("float('-inf'), tl.float32", "triton_helpers.maximum(_tmp2, tmp1)", "triton_helpers.max2(_tmp2, 1)[:, None]", "max"),
        ("float('inf'), tl.float32", "triton_helpers.minimum(_tmp2, tmp1)", "triton_helpers.min2(_tmp2, 1)[:, None]", "min"),
        ("False, tl.int1", "_tmp2 | (tmp1 > 0)", "triton_helpers.any(_tmp2.to(tl.int8), 1)[:, None].to(tl.int1)", "any"),
    ],
)  # fmt: skip
def test_a_loop_and_its_last_step_are_one_reduction(start: str, turn: str, fold: str, expected: str) -> None:
    found = looped(
        f"_tmp2 = tl.full([XBLOCK, R0_BLOCK], {start})",
        f"tmp3 = {turn}\n_tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)",
        f"tmp2 = {fold}\ntl.store(out_ptr0 + (x0), tmp2, xmask)",
    )
    value = stored(found)
    assert isinstance(value, Reduction)
    assert (value.name, value.axes, value.over) == (expected, {"x"}, {"r0_"})
    assert not [node for node in walk(value) if isinstance(node, Unknown)]
    assert found.loads[0].looped
    assert not found.stores[0].looped


def test_the_same_reduction_in_one_block() -> None:
    found = of(ROWS, """
        r0_index = tl.arange(0, R0_BLOCK)[None, :]
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 1000*x0), r0_mask & xmask, other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
        tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
        tl.store(out_ptr0 + (x0), tmp4, xmask)
    """, category="persistent_reduction")  # fmt: skip
    assert Writer(found).text(stored(found)) == "sum(in_ptr0)"
    assert stored(found).axes == {"x"}


def test_welford_gives_three_results_of_one_fold() -> None:
    found = looped(
        """
        tmp2_mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
        tmp2_m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
        tmp2_weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
        """,
        """
        tmp2_mean_next, tmp2_m2_next, tmp2_weight_next = triton_helpers.welford_reduce(
            tmp1, tmp2_mean, tmp2_m2, tmp2_weight, roffset == 0
        )
        tmp2_mean = tl.where(r0_mask & xmask, tmp2_mean_next, tmp2_mean)
        tmp2_m2 = tl.where(r0_mask & xmask, tmp2_m2_next, tmp2_m2)
        tmp2_weight = tl.where(r0_mask & xmask, tmp2_weight_next, tmp2_weight)
        """,
        """
        tmp3, tmp4, tmp5 = triton_helpers.welford(tmp2_mean, tmp2_m2, tmp2_weight, 1)
        tmp2 = tmp3[:, None]
        tmp6 = tmp4[:, None]
        tmp7 = tmp6 / 999.0
        tl.store(out_ptr0 + (x0), tmp2, xmask)
        tl.store(out_ptr1 + (x0), tmp7, xmask)
        """,
    )
    value = stored(found)
    assert isinstance(value, Reduction)
    assert (value.name, value.part, value.over) == ("welford", "mean", {"r0_"})
    assert Writer(found).text(value) == "mean(in_ptr0)"
    assert Writer(found).text(stored(found, 1)) == "square_deviation(in_ptr0) / 999.0"


def test_the_place_of_the_largest() -> None:
    found = looped(
        """
        _tmp2 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
        _tmp2_index = tl.full([XBLOCK, R0_BLOCK], 2147483647, tl.int32)
        """,
        """
        _tmp2_next, _tmp2_index_next = triton_helpers.maximum_with_index(
            _tmp2, _tmp2_index, tmp1, r0_index
        )
        _tmp2 = tl.where(r0_mask & xmask, _tmp2_next, _tmp2)
        _tmp2_index = tl.where(r0_mask & xmask, _tmp2_index_next, _tmp2_index)
        """,
        """
        tmp2_val, tmp2_idx = triton_helpers.max_with_index(_tmp2, _tmp2_index, 1)
        tmp2 = tmp2_idx[:, None]
        tl.store(out_ptr1 + (x0), tmp2, xmask)
        """,
    )
    assert Writer(found).text(stored(found)) == "argmax(in_ptr0)"
    assert stored(found).dtype == "int64"


def test_softmax_in_one_pass() -> None:
    found = looped(
        """
        _tmp2_max = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
        _tmp2_sum = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
        """,
        """
        _tmp2_max_next, _tmp2_sum_next = triton_helpers.online_softmax_combine(
            _tmp2_max, _tmp2_sum, tmp1, False
        )
        _tmp2_max = tl.where(r0_mask & xmask, _tmp2_max_next, _tmp2_max)
        _tmp2_sum = tl.where(r0_mask & xmask, _tmp2_sum_next, _tmp2_sum)
        """,
        """
        tmp2, tmp3 = triton_helpers.online_softmax_reduce(_tmp2_max, _tmp2_sum, 1, False)
        tmp2 = tmp2[:, None]
        tmp3 = tmp3[:, None]
        tl.store(out_ptr0 + (x0), tmp2, xmask)
        tl.store(out_ptr1 + (x0), tmp3, xmask)
        """,
    )
    assert [Writer(found).text(stored(found, n)) for n in (0, 1)] == ["max(in_ptr0)", "sum(exp(in_ptr0 - max))"]


def test_a_scan_that_goes_on_from_block_to_block() -> None:
    found = looped(
        "tmp3 = tl.full([XBLOCK, 1], float('nan'), tl.float32)",
        """
        tmp4, = tl.associative_scan((tmp1,), 1, _triton_helper_fn_add0)
        tmp5 = triton_helpers.select_one((tmp4), rbase == (RBLOCK - 1), dim=-1, keep_dims=True)
        tmp6 = tmp3 + tmp5
        tmp7 = tmp3 + tmp4
        tmp8 = tl.where(r0_offset > 0, tmp7, tmp4)
        tmp3 = tl.where(r0_offset > 0, tmp6, tmp5)
        tl.store(out_ptr0 + (r0_1 + 1000*x0), tmp8, r0_mask & xmask)
        """,
        "",
    )
    value = stored(found)
    assert isinstance(value, Scan)
    assert (value.name, value.axes) == ("sum", {"x", "r0_"})


def test_jobs_side_by_side_have_their_own_sizes() -> None:
    found = of("pid = tl.program_id(0)\n", """
        if pid < num_xblocks_0:
            xnumel = 512
            xoffset = pid * XBLOCK
            xindex = xoffset + tl.arange(0, XBLOCK)[:]
            xmask = xindex < xnumel
            x0 = xindex
            tmp0 = tl.load(in_ptr0 + (x0), xmask)
            tl.store(out_ptr0 + (x0), tmp0, xmask)
        elif pid < num_xblocks_1:
            xnumel = 1000
            xoffset = pid * XBLOCK
            xindex = xoffset + tl.arange(0, XBLOCK)[:]
            xmask = xindex < xnumel
            x1 = xindex
            tmp1 = tl.load(in_ptr1 + (x1), xmask)
            tl.store(out_ptr1 + (x1), tmp1, xmask)
        else:
            pass
    """, category="combo")  # fmt: skip
    assert [part.numel for part in found.every()] == [{"x": 512}, {"x": 1000}]
    assert [access.pointer for part in found.every() for access in part.stores] == ["out_ptr0", "out_ptr1"]
    assert not found.accesses
    assert not found.branches


# ---------------------------------------------------------------- addresses

X = Index.of(Coordinate("x", 1, None))


def test_division_of_positions() -> None:
    rows = divided(X, 64)
    assert rows == Index.of(Coordinate("x", 64, None))
    assert remainder(rows, 16) == Index.of(Coordinate("x", 64, 16))
    assert remainder(X, 64) == Index.of(Coordinate("x", 1, 64))
    assert divided(Index.of(Coordinate("x", 1, 64)), 48) is None, "48 does not divide 64"
    assert divided(X, "ks0") == Index.of(Coordinate("x", "ks0", None))
    assert remainder(divided(X, "ks0") or X, "ks1") == Index.of(Coordinate("x", "ks0", "ks1"))
    assert divided(X.plus(Index(1)), 2) is None, "a sum is no coordinate"


def test_symbolic_sizes_are_factors() -> None:
    found = of("""
        xnumel = 4096
        xoffset = tl.program_id(0) * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        x0 = (xindex % ks0)
        x1 = xindex // ks0
    """, """
        tmp0 = tl.load(in_ptr0 + (1 + x0 + 2*ks0*ks1*x1), None)
        tl.store(out_ptr0 + (x0 + ks0*(x1 + ks1)), tmp0, None)
    """, passed={"ks0": "s77", "ks1": "16"})  # fmt: skip
    load, store = found.accesses
    writer = Writer(found)
    assert writer.text(stored(found)) == "in_ptr0"
    assert (load.index.constant, [(term.factor, term.sizes) for term in load.index.terms]) == (
        1,
        [(1, ()), (32, ("ks0",))],
    )
    assert [(term.factor, term.sizes) for term in store.index.terms] == [(1, ()), (1, ("ks0",)), (16, ("ks0",))]
    assert found.sizes == {"ks0": "s77"}


def test_a_mask_bounds_a_coordinate() -> None:
    found = of(POINTWISE, """
        tmp0 = x0
        tmp1 = tl.full([1], 32, tl.int64)
        tmp2 = tmp0 < tmp1
        tmp3 = tl.load(in_ptr0 + (x0), tmp2 & xmask, other=0.0)
        tmp4 = tl.load(in_ptr0 + (x0), ~tmp2, other=0.0)
        tl.store(out_ptr0 + (x2), tmp3, xmask)
    """)  # fmt: skip
    column = Index.of(Coordinate("x", 1, 64))
    assert found.accesses[0].limits == (Limit(column, 0, 32),)
    assert found.accesses[1].limits == (Limit(column, 32, None),)
    assert limits(None) == ()
    box = found.box(found.accesses[1])
    assert box is not None
    assert (box.start, box.dimensions) == (32, ((1, 32),))


def test_an_address_by_the_dimensions_of_its_tensor() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr1 + (x1), xmask)
        tmp1 = tl.load(in_ptr0 + (x0 + 64*tmp0 + 6400), xmask)
        tl.store(out_ptr0 + (x2), tmp1, xmask)
    """)  # fmt: skip
    index, gather, store = found.accesses
    table = pattern(found, gather, TensorType("float32", (3, 100, 64), (6400, 64, 1)))
    assert table is not None
    assert [dimension.coordinates for dimension in table] == [(), (), (Coordinate("x", 1, 64),)]
    assert [dimension.start for dimension in table] == [1, 0, 0]
    flat = pattern(found, store, TensorType("float32", (64, 64), (64, 1)))
    assert flat is not None
    assert [dimension.coordinates for dimension in flat] == [(Coordinate("x", 1, None),)] * 2, "one run over both"
    rows = pattern(found, index, TensorType("int64", (64,), (1,)))
    assert rows is not None
    assert rows[0].coordinates == (Coordinate("x", 64, None),)
    assert pattern(found, index, None) is None


def test_what_an_address_does_not_move_with_is_repeated() -> None:
    frame = """
        xnumel = 64
        ynumel = 32
        yoffset = tl.program_id(1) * YBLOCK
        yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
        xoffset = tl.program_id(0) * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
        x1 = xindex
        y0 = yindex
    """
    found = of(frame, "tmp0 = tl.load(in_ptr0 + (y0), None)\ntl.store(out_ptr0 + (y0 + 32*x1), tmp0, None)")
    bias = pattern(found, found.accesses[0], TensorType("float32", (32,), (1,)))
    assert bias is not None
    assert bias[0].coordinates == (Coordinate("y", 1, None),)


# ---------------------------------------------------------------- as text


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("tmp1 = 0.5 * tmp0\ntmp2 = tmp1 * tmp1 * tmp1", "(0.5 * in_ptr0) ** 3"),
        ("tmp2 = tmp0 / (libdevice.exp(-tmp0) + 1.0)", "silu(in_ptr0)"),
        ("tmp2 = 1.0 / (libdevice.exp(-tmp0) + 1.0)", "sigmoid(in_ptr0)"),
        (
            "tmp1 = libdevice.tanh((tmp0 + tmp0 * tmp0 * tmp0 * 0.044715) * 0.7978845608)\ntmp2 = tmp0 * 0.5 * (tmp1 + 1.0)",
            "gelu_tanh(in_ptr0)",
        ),
        (
            "tmp1 = tmp0 * 0.044715\ntmp3 = libdevice.tanh(0.7978845608 * tmp0 * (1.0 + tmp1 * tmp0))\ntmp2 = 0.5 * tmp0 * (1.0 + tmp3) * 1.0",
            "gelu_tanh(in_ptr0)",
        ),
        ("tmp2 = tmp0.to(tl.int32)", "int(in_ptr0)"),
        ("tmp1 = x0 % 16\ntmp2 = tmp1.to(tl.float32)", "x0 % 16"),
        ("tmp2 = -(tmp0 + 1) * 3", "-(in_ptr0 + 1) * 3"),
    ],
)
def test_text(lines: str, expected: str) -> None:
    found = of(POINTWISE, f"tmp0 = tl.load(in_ptr0 + (x2), xmask)\n{lines}\ntl.store(out_ptr0 + (x2), tmp2, xmask)")
    assert Writer(found).text(stored(found)).strip("()") == expected.strip("()")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Near misses of an idiom are not the idiom.
        ("tmp1 = libdevice.tanh((tmp0 + tmp0 * tmp0 * tmp0 * 0.05) * 0.7978845608)\ntmp2 = tmp0 * 0.5 * (tmp1 + 1.0)",
         "in_ptr0 * 0.5 * (tanh((in_ptr0 + in_ptr0 ** 3 * 0.05) * 0.797885) + 1.0)"),
        ("tmp1 = tmp0 * 2.0\ntmp3 = libdevice.erf(tmp1)\ntmp2 = tmp0 * 0.5 * (tmp3 + 1.0)", "in_ptr0 * 0.5 * (erf(in_ptr0 * 2.0) + 1.0)"),
        ("tmp1 = tmp0 + 5.0\ntmp2 = tl.where(tmp0 < 0, tmp1, tmp0)", "where(in_ptr0 < 0, in_ptr0 + 5.0, in_ptr0)"),
        # Bits read as another dtype, bits cut off, C's division.
        ("tmp2 = tmp0.to(tl.int32, bitcast=True)", "bitcast(in_ptr0)"),
        ("tmp1 = tl.load(in_ptr1 + (x2), xmask)\ntmp2 = tmp1.to(tl.int8).to(tl.float32)", "int8(in_ptr1)"),
        ("tmp1 = tl.load(in_ptr1 + (x2), xmask)\ntmp2 = tmp1 % 7 + tmp1 // 3", "fmod(in_ptr1, 7) + trunc_divide(in_ptr1, 3)"),
        ("tmp2 = tmp0.to(tl.float8e4nv).to(tl.float32)", "float8_e4m3fn(in_ptr0)"),
        # What masked elements hold is part of the value; a double keeps its digits.
        ("tmp1 = x0 < 3\ntmp2 = tl.load(in_ptr0 + (x2), tmp1 & xmask, other=1.5)", "where(x0 < 3, in_ptr0, 1.5)"),
        ("tmp1 = x0 < 3\ntmp3 = tl.load(in_ptr0 + (x2), tmp1 & xmask, other=0.0)\ntmp2 = tl.where(tmp1, tmp3, tmp0)",
         "where(x0 < 3, in_ptr0, in_ptr0)"),
        ("tmp1 = tl.full([1], 0.1234567890123, tl.float64)\ntmp2 = tmp0.to(tl.float64) + tmp1", "in_ptr0 + 0.1234567890123"),
        # What is not read is not guessed.
        ("tmp2 = tl.inline_asm_elementwise('tanh.approx.f32 $0, $1;', '=r,r', [tmp0], dtype=tl.float32, is_pure=True, pack=1)",
         "inline_asm(in_ptr0)"),
        ("tmp2 = tl.something(tmp0, flag=True)", "tl.something(tmp0, flag=True)"),
    ],
)  # fmt: skip
def test_text_says_what_changes_a_value(lines: str, expected: str) -> None:
    found = of(POINTWISE, f"tmp0 = tl.load(in_ptr0 + (x2), xmask)\n{lines}\ntl.store(out_ptr0 + (x2), tmp2, xmask)")
    assert Writer(found).text(stored(found)) == expected


def test_what_an_address_moves_with_in_several_steps_is_one_index() -> None:
    """A size that is not known spreads a dimension over several products: 2 * i + s * i is one index, not two."""
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr1 + (x2), xmask)
        tmp1 = tl.load(in_ptr2 + (x2), xmask)
        tmp3 = tl.load(in_ptr0 + (tmp1 + 2*tmp0 + 4*x2 + ks0*tmp0 + x2*ks0*ks0 + 4*ks0*x2), xmask)
        tl.store(out_ptr0 + (x2), tmp3, xmask)
    """)  # fmt: skip
    assert Writer(found).text(stored(found)) == "in_ptr0[x2, in_ptr1, in_ptr2]"


def test_a_size_behind_a_division_keeps_its_brackets() -> None:
    found = of(POINTWISE, """
        tmp0 = (((x2 // ks1) % (2*ks0)) % 2)
        tl.store(out_ptr1 + (x2), tmp0, xmask)
        tmp1 = (x2 // (ks0*ks1)) % 2
        tl.store(out_ptr0 + (x2), tmp1, xmask)
    """, passed={"ks0": "s77", "ks1": "3*s0"})  # fmt: skip
    texts = [Writer(found).text(stored(found, n)) for n in (0, 1)]
    assert texts == ["(xindex // ks1 % (2*ks0)) % 2", "(xindex // (ks0*ks1) % 2)"]


def test_a_wrapped_index_is_only_an_address() -> None:
    found = of(POINTWISE, """
        tmp0 = tl.load(in_ptr1 + (x2), xmask)
        tmp1 = tl.full([1], 100, tl.int64)
        tmp2 = tl.where(tmp0 < 0, tmp0 + tmp1, tmp0)
        tmp3 = tl.load(in_ptr0 + (tmp2), xmask)
        tl.store(out_ptr0 + (x2), tmp3, xmask)
        tl.store(out_ptr1 + (x2), tmp2, xmask)
    """)  # fmt: skip
    writer = Writer(found)
    assert writer.text(stored(found)) == "in_ptr0[in_ptr1]"
    assert writer.text(stored(found, 1)) == "where(in_ptr1 < 0, in_ptr1 + 100, in_ptr1)"


def test_a_sort_says_which_way() -> None:
    for keyword, name in (("descending=True", "sort_descending"), ("descending=False", "sort")):
        found = of(ROWS, f"""
            r0_index = tl.arange(0, R0_BLOCK)[None, :]
            r0_1 = r0_index
            tmp0 = tl.load(in_ptr0 + (r0_1 + 1000*x0), xmask, other=0.0)
            tmp1 = r0_1.to(tl.int16)
            tmp2, tmp3, = triton_helpers.sort_with_index(tmp0, tmp1, None, 1, stable=False, {keyword})
            tl.store(out_ptr0 + (r0_1 + 1000*x0), tmp2, xmask)
            tl.store(out_ptr1 + (r0_1 + 1000*x0), tmp3, xmask)
        """, category="persistent_reduction")  # fmt: skip
        texts = [Writer(found).text(stored(found, number)) for number in (0, 1)]
        assert texts == [f"{name}(in_ptr0)", f"arg{name}(in_ptr0)"]


def test_statistics_of_statistics_name_all_that_they_are_made_of() -> None:
    found = of(ROWS, """
        r0_index = tl.arange(0, R0_BLOCK)[None, :]
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 1000*x0), xmask, other=0.0)
        tmp1 = tl.load(in_ptr2 + (r0_1 + 1000*x0), xmask, other=0.0).to(tl.float32)
        tmp2, tmp3, tmp4 = triton_helpers.welford(tmp0, tmp1, tmp1, 1)
        tmp5 = tmp3[:, None]
        tl.store(out_ptr0 + (x0), tmp5, xmask)
    """, category="persistent_reduction")  # fmt: skip
    assert Writer(found).text(stored(found)) == "square_deviation(in_ptr0, in_ptr2, in_ptr2)"


def test_a_long_text_loses_its_depth_not_its_shape() -> None:
    lines = ["tmp0 = tl.load(in_ptr0 + (x2), xmask)"]
    lines += [f"tmp{n} = libdevice.exp(tmp{n - 1}) + tmp{n - 1}" for n in range(1, 40)]
    found = of(POINTWISE, "\n".join([*lines, "tl.store(out_ptr0 + (x2), tmp39, xmask)"]))
    written = Writer(found).text(stored(found), 60)
    assert len(written) <= 60
    assert written.startswith("exp(")
    assert "…" in written


# ---------------------------------------------------------------- what can not be followed


def test_a_text_made_to_hurt_ends_soon() -> None:
    """A chain of thousands of lines is no deep recursion, and a tree that doubles with each line is not written out."""
    lines = ["tmp0 = tl.load(in_ptr0 + (x2), xmask)"]
    lines += [f"tmp{n} = tmp{n - 1} * tmp{n - 1} + tmp{n - 1}" for n in range(1, 3000)]
    found = of(POINTWISE, "\n".join([*lines, "tl.store(out_ptr0 + (x2), tmp2999, xmask)"]))
    assert len(Writer(found).text(stored(found), 100)) <= 100
    assert sum(1 for _ in walk(stored(found))) > 5000
    assert index_of(stored(found)).expressions()


def test_an_unknown_statement_is_told_by_its_line() -> None:
    found = of(
        POINTWISE,
        "tmp0 = tl.load(in_ptr0 + (x2), xmask)\ntl.inline_something(tmp0)\ntl.store(out_ptr0 + (x2), tmp0, xmask)",
    )
    line = 1 + found.loads[0].line
    assert found.unknown == (line,)
    assert shape(stored(found)) == "in_ptr0", "what was understood is still there"


def test_a_body_that_is_no_python() -> None:
    with pytest.raises(ValueError, match="not Python"):
        of(POINTWISE, "tmp0 = tl.load(")


@pytest.mark.parametrize("name", sorted(path.name for path in CAPTURED.glob("*_h200")))
def test_every_store_of_the_captures_is_understood(name: str) -> None:
    """No leaf is unknown, and every address is told by its tensor's dimensions."""
    for kernel in load(CAPTURED / name).kernels:
        found = computation(kernel)
        types = {argument.name: argument.type for argument in kernel.launches[0].arguments}
        roots = [access.value for part in found.every() for access in part.accesses if access.value is not None]
        assert not found.unknown, kernel.name
        assert not [node.text for node in walk(*roots) if isinstance(node, Unknown)], kernel.name
        for access in found.accesses:
            assert pattern(found, access, types[access.pointer]) is not None, (kernel.name, access.pointer)


BLOCKS = """
    xnumel = 8
    r0_numel = 300
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    {named}
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        tmp0 = {load}
        tmp1 = _tmp2 + tmp0
        _tmp2 = tl.where(r0_mask & xmask, tmp1, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(tl.make_block_ptr(out_ptr0, shape=[8], strides=[1], block_shape=[XBLOCK], order=[0], offsets=[xoffset]),
             tl.reshape(tl.broadcast_to(tmp2, [XBLOCK, 1]), [XBLOCK]).to(tl.float32), boundary_check=[0])
"""
POINTER = "tl.make_block_ptr(in_ptr0, shape=[8, 300], strides=[300, 1], block_shape=[XBLOCK, R0_BLOCK], order=[1, 0], offsets=[xoffset, {}])"


@pytest.mark.parametrize(
    ("named", "load"),
    [
        ("pass", f"tl.load({POINTER.format('r0_offset')}, boundary_check=[0, 1], padding_option='zero')"),
        (f"block_ptr0 = {POINTER.format(0)}", "tl.load(block_ptr0, boundary_check=[0, 1], padding_option='zero')"),
        (
            "tma0 = tl.make_tensor_descriptor(in_ptr0, shape=[8, 300], strides=[300, 1], block_shape=[XBLOCK, R0_BLOCK])",
            "tma0.load([xoffset, r0_offset])",
        ),
    ],
)
def test_a_block_is_the_sum_that_it_stands_for(named: str, load: str) -> None:
    body = textwrap.dedent(BLOCKS.format(named=named, load=load))
    found = computation(kernel_of(body, {"in_ptr0": "float32[8, 300]", "out_ptr0": "float32[8]"}, category="reduction"))
    (store,) = found.stores
    assert isinstance(store.value, (Reduction, Cast))
    (loaded,) = found.loads
    assert {(t.factor, t.of.axis) for t in loaded.index.terms if isinstance(t.of, Coordinate)} == {
        (300, "x"),
        (1, "r0_"),
    }
    assert found.unknown == ()


def test_quotients_and_remainders_of_positions_are_what_counting_says() -> None:
    """Over every position of small axes: whatever is found, it is the same number."""
    coordinates = [Coordinate("x", stride, size) for stride in (1, 2, 6) for size in (2, 3, None)]
    held = 0
    for one, other, factor, constant in itertools.product(coordinates, coordinates, (2, 3, 4, 6, 12), (0, 1)):
        value = Index(constant).plus(Index.of(one)).plus(Index.of(other).times(factor))
        for by, (how, counted) in itertools.product(
            (2, 4, 6, 12, 36), ((divided, int.__floordiv__), (remainder, int.__mod__))
        ):
            if (found := how(value, by)) is not None:
                held += 1
                assert [at(found, x) for x in range(72)] == [counted(at(value, x), by) for x in range(72)]
    assert held > 1000


def at(index: Index, x: int) -> int:
    """The value of an index at a position."""
    each = ((term.factor, x // term.of.stride, term.of.size) for term in index.terms)
    return index.constant + sum(factor * (place % size if size else place) for factor, place, size in each)


def test_digits_of_one_axis_are_that_axis_again_and_what_stays_below_a_divisor_leaves_nothing() -> None:
    """An address of attention's projection: `(y0 + 256*y1) // 1024` is `y // 1024`, and 64 by 4 heads are below 256."""
    inner, outer = Coordinate("y", 1, 256), Coordinate("y", 256, None)
    whole = Index.of(inner).plus(Index.of(outer).times(256))
    assert divided(whole, 1024) == Index.of(Coordinate("y", 1024, None))
    assert remainder(whole, 32) == Index.of(Coordinate("y", 1, 32))
    heads = Index.of(Coordinate("x", 1, 64)).plus(Index.of(Coordinate("x", 6400, 4)).times(64))
    assert divided(heads, 256) == Index(0)
    assert divided(heads, 128) == Index.of(Coordinate("x", 12800, 2))
    assert divided(heads, 96) is None
    assert divided(heads.plus(Index.of(Coordinate("x", 25600, None)).times(256)), 1024) == Index.of(
        Coordinate("x", 102400, None)
    )
    assert remainder(heads.plus(Index.of(Coordinate("x", 25600, None)).times(1024)), 512) == heads
    assert divided(Index.of(inner).plus(Index.of(outer).times(300)), 1024) is None
