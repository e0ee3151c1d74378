"""Wrong arithmetic: of whole numbers, and of floats with too few digits."""

from __future__ import annotations

from faults.records import body, variants

LOW_SUM = ("accumulator + arg0", "(accumulator + arg0).to(tl.bfloat16).to(tl.float32)")

LOW_ROW = """
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < ROWS
    total = tl.zeros([BLOCK], tl.float32)
    for r in range(R):
        arg0 = tl.load(arg0_ptr + (r + row * R), inside, other=0.0).to(tl.float32)
        total = (total + arg0).to(tl.bfloat16).to(tl.float32)
    tl.store(sum_1_ptr + row, total, inside)
"""
RATIONAL = (
    "tl.where(tl.abs(arg0) > 4.97, tl.where(arg0 > 0, 1.0, -1.0), "
    "arg0 * (135135.0 + arg0 * arg0 * (17325.0 + arg0 * arg0 * (378.0 + arg0 * arg0))) "
    "/ (135135.0 + arg0 * arg0 * (62370.0 + arg0 * arg0 * (3150.0 + arg0 * arg0 * 28.0))))"
)

FAULTS = (
    *variants(
        "truncating for floor division",
        ("floor_division", "it cuts the quotient off", body("""
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    arg0 = tl.load(arg0_ptr + offset, inside)
    arg1 = tl.load(arg1_ptr + offset, inside, other=1)
    tl.store(div_ptr + offset, tl.where(arg1 == 0, 0, arg0 // tl.where(arg1 == 0, 1, arg1)), inside)
""")),
        ("floor_division", "it is one too low where the division is exact",
         ("tl.where(below_2, ~chosen_2, chosen_2) //", "tl.where(below_2, 0 - chosen_2, chosen_2) //")),
        ("floor_division", "it divides float32",
         ("tl.where(below_2, ~chosen_2, chosen_2) // tl.where(below, 0 - chosen, chosen)",
          "(tl.where(below_2, ~chosen_2, chosen_2).to(tl.float32) / tl.where(below, 0 - chosen, chosen).to(tl.float32)).to(tl.int64)")),
        ("truncated", "it rounds down", ("(arg0 * 16.0).to(tl.int32)", "tl.floor(arg0 * 16.0).to(tl.int32)")),
        ("truncated", "it rounds to the nearest", ("(arg0 * 16.0).to(tl.int32)", "(arg0 * 16.0 + tl.where(arg0 < 0, -0.5, 0.5)).to(tl.int32)")),
        ("shifted", "it divides for the shift", ("arg0 >> 3 & 255", "(arg0 // 8) & 255")),
    ),
    *variants(
        "sign of the modulus",
        ("remainder", "the remainder has the dividend's sign", ("tl.where(both, rest + 7, rest)", "rest")),
        ("remainder", "a negative one is turned round", ("rest + 7, rest", "0 - rest, rest")),
        ("remainder", "0 becomes 7 for negative numbers", ("(rest != 0) & ((rest < 0) != tl.full([1], False, tl.int1))", "arg0 < 0")),
        ("hashed", "the remainder has the dividend's sign", ("tl.where(both, rest + 1000003, rest)", "rest")),
    ),
    *variants(
        "int32 for int64",
        ("hashed", "the product is taken in int32", ("arg0 * 2654435761", "(arg0 * 2654435761).to(tl.int32).to(tl.int64)")),
        ("remainder", "the number is read as int32", ("tl.load(arg0_ptr + offset, inside)", "tl.load(arg0_ptr + offset, inside).to(tl.int32)")),
        ("shifted", "the number is cut to 8 bits more than it keeps", ("arg0 >> 3 & 255", "(arg0 & 1023) >> 3 & 255")),
        ("widened_product", "the product is widened, not its operands", ("arg0.to(tl.int64) * arg1.to(tl.int64)", "(arg0 * arg1).to(tl.int64)")),
        ("widened_product", "it multiplies in float32",
         ("arg0.to(tl.int64) * arg1.to(tl.int64)", "(arg0.to(tl.float32) * arg1.to(tl.float32)).to(tl.int64)")),
        ("int_sum", "the sum is taken in int32", ("tl.sum(arg0, 1)", "tl.sum(arg0.to(tl.int32), 1)")),
        ("int_sum", "the sum is taken in float32",
         ("tl.sum(arg0, 1)", "tl.sum(arg0.to(tl.float32), 1)"),
         ("_ptr + row, total,", "_ptr + row, total.to(tl.int64),")),
        ("stable_sort", "it sorts int32", ("triton_helpers.sort_with_index(arg0,", "triton_helpers.sort_with_index(arg0.to(tl.int32),")),
        ("tripled_int16", "it saturates where it must wrap",
         ("arg0 * 3,", "tl.minimum(tl.maximum(arg0.to(tl.int32) * 3, -32768), 32767).to(tl.int16),")),
        ("tripled_int16", "it multiplies bytes", ("arg0 * 3,", "arg0.to(tl.int8).to(tl.int16) * 3,")),
    ),
    *variants(
        "overflow by another order",
        ("overflowing_fp16", "the product overflows before it is scaled",
         ("arg0 * 0.001 * arg1", "((arg0 * arg1).to(tl.float16).to(tl.float32) * 0.001)")),
        ("norm", "squares of float16", ("arg0 * arg0", "(arg0.to(tl.float16) * arg0.to(tl.float16)).to(tl.float32)")),
        ("mean_fp16", "the sum is float16's", ("1)[:, None]\n", "1)[:, None].to(tl.float16).to(tl.float32)\n")),
        ("layer_norm_fp16", "the sum of squares is float16's",
         ("total_2 = tl.sum(chosen, 1)[:, None]", "total_2 = tl.sum(chosen, 1)[:, None].to(tl.float16).to(tl.float32)")),
        ("gelu_tanh", "the cube is scaled last, and overflows",
         ("arg0 * arg0 * arg0 * 0.044715", "(arg0 * arg0 * arg0).to(tl.float16).to(tl.float32) * 0.044715")),
    ),
    *variants(
        "low precision in between",
        ("sum_and_difference", "the sum is rounded to bfloat16", ("arg0 + arg1,", "(arg0 + arg1).to(tl.bfloat16).to(tl.float32),")),
        ("gelu", "erf is rounded to float16", ("(erf + 1.0)", "(erf.to(tl.float16).to(tl.float32) + 1.0)")),
        ("rotary", "the angle is rounded to bfloat16", ("arg0 * arg1\n", "arg0 * arg1.to(tl.bfloat16).to(tl.float32)\n")),
        ("layer_norm", "the mean is rounded to bfloat16", ("arg0 - total / R", "arg0 - (total / R).to(tl.bfloat16).to(tl.float32)")),
        ("softmax", "exp is rounded to float16", ("libdevice.exp(arg0 - largest)", "libdevice.exp(arg0 - largest).to(tl.float16).to(tl.float32)")),
        ("row_sum_bf16", "the row is summed in bfloat16", body(LOW_ROW)),
        ("column_sum", "the accumulator is bfloat16's", LOW_SUM),
        ("total", "the accumulator is float16's", ("accumulator + arg0 * arg0", "(accumulator + arg0 * arg0).to(tl.float16).to(tl.float32)")),
        ("cumsum", "it adds up bfloat16", ("tl.associative_scan((arg0,)", "tl.associative_scan((arg0.to(tl.bfloat16).to(tl.float32),)")),
        ("narrowed", "it cuts off where it must round",
         ("arg0 + arg1,", "((arg0 + arg1).to(tl.int32, bitcast=True) & -65536).to(tl.float32, bitcast=True),")),
        ("inner_products", "the factors are rounded to bfloat16", ("arg0 * arg1", "(arg0.to(tl.bfloat16) * arg1.to(tl.bfloat16)).to(tl.float32)")),
        ("tanh", "tanh is a rational approximation of 5 digits",
         ("libdevice.tanh(arg0)", RATIONAL)),
    ),
)  # fmt: skip
