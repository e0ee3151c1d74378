"""Valid inputs, drawn from the tree: what decides an address stays inside, what stands under a root is positive."""

from __future__ import annotations

import textwrap

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, EMBEDDING, EMBEDDING_TENSORS, kernel

from inductor_lab.computation import computation
from inductor_lab.eject.inputs.domain import Domain
from inductor_lab.eject.inputs.solver import inputs

LINES = """
xnumel = 1024
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
"""
STORE = "\ntl.store(out_ptr0 + (xindex), value, xmask)\n"


def drawn(body: str, tensors: dict[str, str]) -> dict[str, Domain]:
    made = kernel(body, tensors)
    (launch,) = made.launches
    return inputs(computation(made), {a.name: a.type for a in launch.arguments})


def of(lines: str, **tensors: str) -> dict[str, Domain]:
    return drawn(LINES + textwrap.dedent(lines) + STORE, {**tensors, "out_ptr0": "float32[1024]"})


def test_floats_are_normal() -> None:
    found = drawn(ADD_RELU, ADD_RELU_TENSORS)
    assert {found["in_ptr0"], found["in_ptr1"], found["in_out_ptr0"]} == {"normal"}


def test_a_modulus_keeps_an_index_inside() -> None:
    found = drawn(EMBEDDING, EMBEDDING_TENSORS)
    low, high = found["in_ptr1"]  # the modulus: at most the size of the table
    assert isinstance(low, int)
    assert isinstance(high, int)
    assert 1 <= low < high <= 10_001


GATHER = """
tmp0 = tl.load(in_ptr0 + (xindex), xmask)
tmp4 = {index}
value = tl.load(in_ptr1 + (tmp4), xmask)
"""


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("tmp0", (0, 50)),
        ("tl.where(tmp0 < 0, tmp0 + 50, tmp0)", (0, 50)),
        ("tmp0 + 10", (0, 40)),
        ("tmp0 - 10", (10, 60)),
        ("2 * tmp0", (0, 25)),
        ("tmp0 // 4", (0, 200)),
        ("tmp0 % 20", (0, 10_001)),
        ("triton_helpers.minimum(triton_helpers.maximum(tmp0, 0), 49)", "any"),
        ("triton_helpers.minimum(triton_helpers.maximum(tmp0, 0), 50)", (0, 50)),
    ],
)
def test_an_index_stays_in_its_dimension(index: str, expected: Domain) -> None:
    found = of(GATHER.format(index=index), in_ptr0="int64[1024]", in_ptr1="float32[50]")
    assert found["in_ptr0"] == expected


def test_a_size_in_an_address_is_the_number_that_the_strides_hold() -> None:
    body = LINES + textwrap.dedent("""
        rows = tl.load(in_ptr0 + (xindex), xmask)
        columns = tl.load(in_ptr1 + (xindex), xmask)
        value = tl.load(in_ptr2 + (columns + ks0*rows), xmask)
    """) + STORE  # fmt: skip
    tensors = {
        "in_ptr0": "int64[1024]",
        "in_ptr1": "int64[1024]",
        "in_ptr2": "float32[30, 20]",
        "out_ptr0": "float32[1024]",
    }
    made = kernel(body, tensors)
    (launch,) = made.launches
    found = inputs(computation(made), {a.name: a.type for a in launch.arguments}, {"ks0": 20})
    assert (found["in_ptr0"], found["in_ptr1"]) == ((0, 30), (0, 20))


def test_what_is_too_wide_is_narrowed_no_further_than_it_must_be() -> None:
    found = of(
        """
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tmp1 = tl.load(in_ptr1 + (5))
        tmp2 = tl.broadcast_to(tmp1, [XBLOCK])
        tmp3 = (tmp0 + 1) % tmp2
        tmp4 = tl.where((tmp3 != 0) & ((tmp3 < 0) != (tmp2 < 0)), tmp3 + tmp2, tmp3)
        tmp5 = tl.where(tmp4 < 0, tmp4 + 10000, tmp4)
        value = tl.load(in_ptr2 + (tmp5), xmask)
        """,
        in_ptr0="int64[1024]",
        in_ptr1="int64[26]",
        in_ptr2="float32[10000]",
    )
    assert found["in_ptr1"] == (1, 10_000)  # each of 512 numbers but 0 stays inside, and so do all beyond
    assert found["in_ptr0"] == (-9998, 9999)  # only its remainder is used, and a negative number has one too


def test_an_assertion_tells_the_range() -> None:
    found = of(
        """
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tl.device_assert(((0 <= tmp0) & (tmp0 < 7)) | ~(xmask), "index out of bounds")
        value = tmp0.to(tl.float32)
        """,
        in_ptr0="int64[1024]",
    )
    assert found["in_ptr0"] == (0, 7)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [("tmp0", "int8", (0, 128)), ("tmp0 * 2", "int64", (0, 150)), ("7 - tmp0 * x1", "int64", (0, 1))],
)
def test_a_check_that_allows_more_than_the_dtype_or_has_one_end_is_held(
    value: str, dtype: str, expected: Domain
) -> None:
    found = of(
        f"""
        x1 = xindex // 8
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tmp1 = {value}
        tl.device_assert(((0 <= tmp1) & (tmp1 < 300)) | ~(xmask), "index out of bounds")
        value = tmp1.to(tl.float32)
        """,
        in_ptr0=f"{dtype}[1024]",
    )
    assert found["in_ptr0"] == expected


def test_a_place_of_an_address_belongs_to_its_own_dimension() -> None:
    found = of(
        """
        tmp0 = tl.load(in_ptr0 + (3))
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
        value = tl.load(in_ptr1 + (30 + tmp1), xmask)
        """,
        in_ptr0="int64[4]",
        in_ptr1="float32[4, 10]",
    )
    assert found["in_ptr0"] == (0, 10)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("tl.where(tmp0 != tl.full([1], -100, tl.int64), tmp0, 0)", (0, 50, -100)),
        ("tl.where(tmp0 != tl.full([1], -100, tl.int64), tmp0, 70)", (0, 50)),
        ("tl.where(tmp0 > tl.full([1], 30, tl.int64), tmp0, 0)", (0, 50)),
    ],
)
def test_what_an_index_is_told_from_is_drawn_where_no_address_sees_it(index: str, expected: Domain) -> None:
    found = of(GATHER.format(index=index), in_ptr0="int64[1024]", in_ptr1="float32[50]")
    assert found["in_ptr0"] == expected


def test_what_a_number_is_compared_with_is_drawn() -> None:
    found = of(
        "tmp0 = tl.load(in_ptr0 + (xindex), xmask)\nvalue = tmp0 == tl.full([1], -100, tl.int64)",
        in_ptr0="int64[1024]",
    )
    assert found["in_ptr0"] == (-10_000, 10_001, -100)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3 * tmp0 + 1", "any"),
        ("tmp0 % 7", "any"),
        ("tmp0 // 7", "any"),
        ("tmp0.to(tl.float32) * 0.5", "any"),
        ("tl.where(tmp0 > xindex // 64, 1.0, 0.0) + tl_math.exp(tmp1)", (0, 17)),
        ("tl.where(tmp0 == xindex // 64, tmp1, 0.0)", (0, 16)),
        ("tl.where(tl.where(tmp0 != -100, tmp0, 0) == xindex // 64, tmp1, 0.0)", (0, 16, -100)),
        ("tmp1 / tmp0", (1, 10_000)),
        ("tl_math.exp(tmp0.to(tl.float32))", (1, 10_000)),
        ("(tmp0.to(tl.float32) * 0.5).to(tl.int8)", (1, 10_000)),
        ("tl.load(in_ptr1 + (xindex), tmp0 < 7)", (1, 10_000, 6, 7, 8)),
        ("1 << tmp0", (1, 10_000)),
    ],
)
def test_whole_numbers_are_any_where_nothing_is_asked_of_them(value: str, expected: Domain) -> None:
    found = of(
        f"tmp0 = tl.load(in_ptr0 + (xindex), xmask)\ntmp1 = tl.load(in_ptr1 + (xindex), xmask)\nvalue = {value}",
        in_ptr0="int64[1024]",
        in_ptr1="float32[1024]",
    )
    assert found["in_ptr0"] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7 // tmp0", (1, 10_000, -2, -3, -10_000)),
        ("7 % tmp0", (1, 10_000, -2, -3, -10_000)),
        ("7 // tl.where(tmp0 == 0, 1, tmp0)", (0, 10_001, -2, -3, -10_000)),
        ("7 // tl.where(tmp0 == 0, 1, tl.where(tmp0 < 0, 0 - tmp0, tmp0))", (-10_000, 10_001, -1, 0, 1)),
        ("tl.where(tmp0 == 0, 0, 7 // tmp0)", (1, 10_000, -2, -3, -10_000)),  # what is not taken is divided as well
        ("7 // (tmp0 + 1)", (0, 10_001)),
        ("7 // triton_helpers.maximum(tmp0, 1)", (-10_000, 10_001)),
        ("7 // tmp0 + libdevice.sqrt(tmp0.to(tl.float32))", (1, 10_000)),
    ],
)
def test_a_divisor_is_of_either_sign_but_neither_0_nor_minus_1(value: str, expected: Domain) -> None:
    found = of(f"tmp0 = tl.load(in_ptr0 + (xindex), xmask)\nvalue = {value}", in_ptr0="int64[1024]")
    assert found["in_ptr0"] == expected


def test_a_divisor_without_a_sign_is_positive() -> None:
    found = of("tmp0 = tl.load(in_ptr0 + (xindex), xmask)\nvalue = 7 // tmp0", in_ptr0="uint8[1024]")
    assert found["in_ptr0"] == (1, 255)


def test_what_is_divided_is_any_number() -> None:
    """Its smallest one has no quotient by -1: so nothing is divided by that."""
    found = of(
        """
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tmp1 = tl.load(in_ptr1 + (xindex), xmask)
        value = tmp0 // tmp1
        """,
        in_ptr0="int64[1024]",
        in_ptr1="int64[1024]",
    )
    assert found["in_ptr0"] == "any"
    assert -1 not in found["in_ptr1"]


SORT = """
tmp0 = tl.load(in_ptr0 + (r0_1 + 100*x0), xmask)
tmp1 = r0_1.to(tl.int16)
tmp2, tmp3 = triton_helpers.sort_with_index(tmp0, tmp1, None, 1, stable=True, descending=False)
tl.store(out_ptr0 + (r0_1 + 100*x0), {value}, xmask)
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [("tmp2", "any"), ("tmp3.to(tl.int64)", "any"), ("libdevice.sqrt(tmp2.to(tl.float32))", (1, 10_000))],
)
def test_what_is_sorted_may_be_anything(value: str, expected: Domain) -> None:
    body = """
xnumel = 37
r0_numel = 100
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
xmask = xindex < xnumel
r0_index = tl.arange(0, R0_BLOCK)[None, :]
r0_1 = r0_index
x0 = xindex
""" + SORT.format(value=value)
    found = drawn(body, {"in_ptr0": "int64[37, 100]", "out_ptr0": "float32[37, 100]"})
    assert found["in_ptr0"] == expected


def test_what_only_trying_tells() -> None:
    """An offset inside a pooling window: `t + 45*(t // 3) - 49` is only an address for some `t`."""
    found = of(
        """
        x0 = xindex % 24
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        value = tl.load(in_ptr1 + (-49 + tmp0 + 2*x0 + 45*(tmp0 // 3)), xmask)
        """,
        in_ptr0="int8[1024]",
        in_ptr1="float32[2304]",
    )
    low, high = found["in_ptr0"]
    assert all(0 <= -49 + t + 2 * x0 + 45 * (t // 3) < 2304 for t in range(int(low), int(high)) for x0 in range(24))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("tmp3 + 2*x0 + 14*(tmp3 // 2) + 32*x1", (0, 4)),  # of 2 x 2 places none leads outside
        ("(-17) + tmp3 + 2*x0 + 14*(tmp3 // 2) + 32*x1 + 16", (1, 4)),
    ],
)
def test_terms_that_hold_the_same_number_move_together(address: str, expected: Domain) -> None:
    found = of(
        f"""
        x0 = xindex % 8
        x1 = xindex // 8 % 8
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tmp1 = tl.full([XBLOCK], 4, tl.int32)
        tmp2 = tmp0 + tmp1
        tmp3 = tl.where(tmp0 < 0, tmp2, tmp0)
        tl.device_assert(((0 <= tmp3) & (tmp3 < 4)) | ~(xmask), "index out of bounds: 0 <= tmp3 < 4")
        value = tl.load(in_ptr1 + ({address}), xmask)
        """,
        in_ptr0="int8[1024]",
        in_ptr1="float32[256]",
    )
    assert found["in_ptr0"] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("libdevice.sqrt(tmp0)", "positive"),
        ("tl_math.log(tmp0 + 1e-5)", "positive"),
        ("1.0 / tmp0", "positive"),
        ("libdevice.sqrt(triton_helpers.maximum(tmp0, tmp0 * 2.0))", "positive"),
        ("libdevice.sqrt(triton_helpers.maximum(tmp0, 0.0))", "normal"),
        ("libdevice.sqrt(1.0 - libdevice.pow(tl.full([1], 0.999, tl.float32), tmp0))", "positive"),
        ("libdevice.sqrt(-(libdevice.pow(tl.full([1], 0.999, tl.float32), tmp0) - 1.0))", "positive"),
        ("libdevice.sqrt(1.0 - tmp0)", "normal"),
        ("libdevice.asin(tmp0)", "unit"),
        ("libdevice.acosh(tmp0)", "above_one"),
        ("tl_math.exp(tmp0)", "normal"),
    ],
)
def test_domains(value: str, expected: Domain) -> None:
    found = of(f"tmp0 = tl.load(in_ptr0 + (xindex), xmask)\nvalue = {value}", in_ptr0="float32[1024]")
    assert found["in_ptr0"] == expected


def test_boundaries_are_sorted_and_seeds_are_positive() -> None:
    found = of(
        """
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tmp1 = triton_helpers.bucketize_binary_search(tmp0, in_ptr1, 33, 33, 1, 0, tl.int64, False, None, None, None, )
        tmp2 = tl.load(in_ptr2 + (0))
        tmp3 = tl.rand(tmp2, xindex)
        value = tmp1 + tmp3
        """,
        in_ptr0="float32[1024]",
        in_ptr1="float32[33]",
        in_ptr2="int64[1]",
    )
    assert found["in_ptr1"] == "sorted"
    assert found["in_ptr2"][0] == 1
