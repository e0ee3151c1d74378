"""Reductions, softmax and norms done the naive way, and the order of what is equal."""

from __future__ import annotations

from faults.records import variants

NAIVE_VARIANCE = (
    "chosen = tl.where(inside_r & inside, difference * difference, 0.0)",
    "chosen = tl.where(inside_r & inside, arg0 * arg0 - (total / R) * (total / R), 0.0)",
)
NO_MAXIMUM = ("libdevice.exp(arg0 - largest)", "libdevice.exp(arg0)")

FAULTS = (
    *variants(
        "naive variance",
        ("variance", "the mean of squares less the square of the mean", NAIVE_VARIANCE),
        ("layer_norm", "the mean of squares less the square of the mean", NAIVE_VARIANCE),
        ("layer_norm_fp16", "the mean of squares less the square of the mean, in float16",
         ("difference * difference, 0.0",
          "(arg0 * arg0).to(tl.float16).to(tl.float32) - ((total / R) * (total / R)).to(tl.float16).to(tl.float32), 0.0")),
        ("batch_variance", "parts are merged without the distance of their means", ("m2_1 + m2_2 + delta * delta * weight_1 * share", "m2_1 + m2_2")),
        ("batch_variance_2", "parts are merged as if they had as many elements", ("weight_2 / weight)", "0.5 + 0.0 * weight)")),
    ),
    *variants(
        "softmax without the maximum",
        ("softmax", "exp of the values as they are", NO_MAXIMUM),
        ("softmax_bf16", "exp of the values as they are", NO_MAXIMUM),
        ("masked_softmax", "exp of the values as they are", ("libdevice.exp(chosen - largest)", "libdevice.exp(chosen)")),
        ("log_softmax_fp16", "exp of the values as they are", ("difference = arg0 - largest", "difference = arg0 * 1.0")),
        ("logsumexp", "exp of the values as they are",
         ("libdevice.exp(arg0 - chosen)", "libdevice.exp(arg0)"),
         ("tl_math.log(total) + chosen", "tl_math.log(total)")),
        ("logsumexp", "the maximum is not added again", ("tl_math.log(total) + chosen", "tl_math.log(total)")),
        ("softmax", "the largest magnitude for the maximum",
         ('tl.where(inside_r & inside, arg0, float("-inf"))', 'tl.where(inside_r & inside, tl.abs(arg0), float("-inf"))')),
        ("softmax", "it divides by the sum of the program's rows",
         ("tl.sum(tl.where(inside_r & inside, exp, 0.0), 1)[:, None]", "tl.sum(tl.sum(tl.where(inside_r & inside, exp, 0.0), 1), 0)")),
        ("log_softmax_fp16", "the logarithm of the quotient, which is 0 far from the maximum",
         ("difference - tl_math.log(total)", "tl_math.log(exp / total)")),
        ("cross_entropy", "the sum is of the values as they are", ("libdevice.exp(arg0 - largest)", "libdevice.exp(arg0)")),
    ),
    *variants(
        "ties",
        ("argmax", "of equals the last", ("& (a_index < b_index)", "& (a_index > b_index)")),
        ("max_with_index", "of equals the last", ("& (a_index < b_index)", "& (a_index > b_index)")),
        ("argmax", "of equals whichever comes second", ("first = (a > b) | (a_nan > b_nan) | tie", "first = (a > b) | (a_nan > b_nan)")),
        ("max_pool", "of equals the last", ("& (a_index < b_index)", "& (a_index > b_index)")),
        ("stable_sort", "the sort is not stable", ("stable=True", "stable=False")),
        ("stable_sort", "equals come in the reverse order",
         ("arg0, value, R", "arg0, (R - 1) - value, R"),
         ("order.to(tl.int64)", "(R - 1) - order.to(tl.int64)")),
        ("max_with_index", "of two NaNs the last",
         ("((a == b) | (a_nan & b_nan)) & (a_index < b_index)", "((a == b) & (a_index < b_index)) | (a_nan & b_nan & (a_index > b_index))")),
        ("argmax", "the index is of the largest magnitude",
         ("tl.where(inside_r & inside, arg0, float", "tl.where(inside_r & inside, tl.abs(arg0), float")),
    ),
    *variants(
        "wrong reduction",
        ("norm", "the sum of magnitudes", ("tl.sum(arg0 * arg0, 1)", "tl.sum(tl.abs(arg0), 1)")),
        ("rms_norm_bf16", "the mean is taken of the block", ("total / R", "total / BLOCK_R")),
        ("layer_norm", "the weight is applied behind the bias", ("difference * rstd * weight + bias", "(difference * rstd + bias) * weight")),
        ("layer_norm", "the mean is not taken off", ("difference * rstd", "arg0 * rstd")),
        ("cumsum", "it sums from the other end",
         ("(arg0,), 1, _triton_helper_fn_add0", "(tl.where(inside_r, arg0, 0.0),), 1, _triton_helper_fn_add0, reverse=True")),
        ("cumsum", "the largest so far", ("tmp0 = arg0_0 + arg1_0", "tmp0 = tl.where(arg0_0 > arg1_0, arg0_0, arg1_0)")),
        ("count_positive", "it counts with 8 bits",
         ("(arg0 > 0.0).to(tl.int64), 0)", "(arg0 > 0.0).to(tl.int64), 0)\n    chosen = tl.where(r < 128, chosen, 0)")),
        ("total", "the sum of magnitudes", ("accumulator + arg0 * arg0", "accumulator + tl.abs(arg0)")),
        ("softmax_long", "the running sum is not rescaled",
         ("running_sum = tl.where(inside_r & inside, next_sum, running_sum)",
          "running_sum = tl.where(inside_r & inside, running_sum + libdevice.exp(arg0 - next_max), running_sum)"),
         ("BLOCK=BLOCK, BLOCK_R=BLOCK_R,", "BLOCK=BLOCK, BLOCK_R=512,")),
        ("adam", "the update takes the moments of the step before", ("total / (tl.sqrt_rn(total_2)", "arg0 / (tl.sqrt_rn(arg2)")),
    ),
)  # fmt: skip
