"""Wrong masks, wrong addresses, wrong order: what is read and written where."""

from __future__ import annotations

from faults.records import variants, whole

LOADED = "arg0 = tl.load(arg0_ptr + offset, inside)"
ONE_SHORT = ("inside = offset < NUMEL", "inside = offset < NUMEL - 1")
LAST_BLOCK = ("triton.cdiv(numel, BLOCK),)", "max(numel // BLOCK, 1),)")

ROW_BY_ROW = '''
@triton.jit
def index_put_kernel(index_ptr, arg1_ptr, index_put_ptr, COLUMNS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < COLUMNS
    index = tl.load(index_ptr + row)
    chosen = tl.where(index < 0, index + ROWS, index)
    place = index_put_ptr + chosen * COLUMNS + column
    ADD


def launch(index, arg1, index_put, *, BLOCK=128, num_warps=4):
    """One program takes a row of what is added."""
    index_put_kernel[(index.shape[0],)](
        index, arg1, index_put, COLUMNS=arg1.shape[1], ROWS=index_put.shape[0], BLOCK=128, num_warps=num_warps
    )
    return index_put
'''
LOAD_ADD_STORE = ROW_BY_ROW.replace(
    "ADD", "tl.store(place, tl.load(place, inside) + tl.load(arg1_ptr + row * COLUMNS + column, inside), inside)"
)

TWO_STEPS = '''
@triton.jit
def parts(arg0_ptr, part_ptr, R: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    r = part * BLOCK_R + tl.arange(0, BLOCK_R)
    tl.atomic_add(part_ptr + row, tl.sum(tl.load(arg0_ptr + row * R + r, r < R, other=0.0), 0))


@triton.jit
def copy(part_ptr, sum_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.arange(0, BLOCK)
    tl.store(sum_ptr + row, tl.load(part_ptr + row, row < ROWS), row < ROWS)


def launch(arg0, sum_1, *, BLOCK=1, num_warps=2):
    """Two kernels: parts of the rows are added up in a workspace."""
    rows, columns = arg0.shape
    part = torch.empty(rows, device=arg0.device)
    parts[(rows, triton.cdiv(columns, 64))](arg0, part, R=columns, BLOCK_R=64)
    copy[(1,)](part, sum_1, ROWS=rows, BLOCK=triton.next_power_of_2(rows))
    return sum_1
'''

FAULTS = (
    *variants(
        "missing mask",
        ("relu", "the store has none", ("arg0), inside)", "arg0))")),
        ("adam", "one of three stores has none", ("total_2, inside)", "total_2)")),
        ("softmax", "the store writes rows of the next program", ("exp / total, inside_r & inside)", "exp / total, inside)")),
        ("transposed", "the store has one dimension's only", ("arg0 + 1.0, inside_x & inside_y)", "arg0 + 1.0, inside_x)")),
        ("embedding_backward_2", "the atomic addition has none", ("        inside,\n        sem", "        None,\n        sem")),
    ),
    *variants(
        "mask by one",
        ("relu", "the last element is left out", ONE_SHORT),
        ("running_mean", "the last element is left out", ONE_SHORT),
        ("gather", "the last element is left out", ONE_SHORT),
        ("embedding_backward_2", "the last element is not added", ONE_SHORT),
        ("masked_fill", "one element behind the end is written", ("inside = offset < NUMEL", "inside = offset <= NUMEL")),
        ("row_sum", "the last column is not summed", ("tl.sum(arg0, 1)", "tl.sum(tl.where((r < R - 1) & inside, arg0, 0.0), 1)")),
        ("layer_norm", "the last column is not in the variance",
         ("tl.where(inside_r & inside, difference", "tl.where((r < R - 1) & inside, difference")),
        ("layer_norm", "the last column is not written", ("weight + bias, inside_r & inside", "weight + bias, (r < R - 1) & inside")),
        ("softmax", "the last row is left out", ("row < ROWS", "row < ROWS - 1")),
        ("cross_entropy_2", "the last label is left out", ("inside_r = r < R", "inside_r = r < R - 1")),
        ("causal", "the mask is off by one", ("row >= column", "row + 1 >= column")),
        ("average_pool", "the window leaves the last row out", ("row * 2 + 1 < ARG0_ROWS", "row * 2 + 1 < ARG0_ROWS - 2")),
        ("average_pool", "padding is counted where it is not", ("18 * (18 <= row * 2 + 2)", "17 * (18 <= row * 2 + 2)")),
        ("max_pool", "what lies outside is 0, not -inf", ('float("-inf")', "0.0")),
    ),
    *variants(
        "index off by one",
        ("concatenated", "the first column of the second part is the last of the first",
         ("- ARG1_COLUMNS),", "- ARG1_COLUMNS - 1),"),
         ("column >= ARG1_COLUMNS", "column > ARG1_COLUMNS")),
        ("flipped", "it begins behind the row", ("(COLUMNS - 1) - column", "COLUMNS - column")),
        ("rolled", "it turns by one too few", ("column + 197", "column + 198")),
        ("rolled", "the turn does not wrap", ("(column + 197) % 200", "(column - 3)")),
        ("rotary", "the halves meet one too early", ("below = column < COLUMNS // 2", "below = column < COLUMNS // 2 - 1")),
        ("taken", "the last column is never taken", ("(index + row", "(tl.minimum(index, TABLE_COLUMNS - 2) + row")),
        ("embedding", "the last row is never taken", ("column + index * COLUMNS", "column + tl.minimum(index, TABLE_ROWS - 2) * COLUMNS")),
        ("embedding", "the first row is never taken", ("column + index * COLUMNS", "column + tl.maximum(index, 1) * COLUMNS")),
        ("argmax", "the index is one too high", ("argmax_ptr + row, place,", "argmax_ptr + row, place + 1,")),
        ("max_pool", "the index is of the next column", ("-20 + chosen", "-19 + chosen")),
        ("label_loss", "it takes the label behind",
         ("(chosen + offset * TABLE_STRIDE_0)", "((chosen + 1) % TABLE_COLUMNS + offset * TABLE_STRIDE_0)")),
    ),
    *variants(
        "wrong stride",
        ("strided", "it reads neighbours", ("offset * 2,", "offset,")),
        ("strided", "it reads the odd columns", ("offset * 2,", "offset * 2 + 1,")),
        ("column_sum", "the parts of a column overlap", ("column_outer * (R * COLUMN_INNER)", "column_outer * ((R - 1) * COLUMN_INNER)")),
        ("batch_variance", "the parts of a column leave rows out", ("column_outer * (R * COLUMN_INNER)", "column_outer * (R * COLUMN_INNER + COLUMN_INNER)")),
        ("transposed", "it writes as it read", ("x + y * X_SIZE", "y + x * Y_SIZE")),
        ("broadcast", "the row is taken along the columns", ("weight_ptr + column", "weight_ptr + row")),
        ("broadcast", "both are swapped", ("weight_ptr + column", "weight_ptr + row"), ("bias_ptr + row", "bias_ptr + column")),
        ("gelu", "the bias is taken along the rows", ("bias_ptr + column", "bias_ptr + offset // COLUMNS")),
        ("rotary", "every head has the next one's angle", ("offset % (ROWS * COLUMNS)", "(offset + COLUMNS) % (ROWS * COLUMNS)")),
        ("inner_products", "the output is transposed", ("sum_1_ptr + row, ", "sum_1_ptr + (row_inner * (ROWS // ROW_INNER) + row_outer), ")),
        ("average_pool", "the planes lie one row too near", ("plane * ARG0_STRIDE_1 + 1)", "plane * (ARG0_STRIDE_1 - ARG0_STRIDE_2) + 1)")),
    ),
    *variants(
        "swapped outputs",
        ("sum_and_difference", "each is the other",
         ("add_ptr + offset, arg0 + arg1", "add_ptr + offset, arg0 - arg1"),
         ("sub_ptr + offset, arg0 - arg1", "sub_ptr + offset, arg0 + arg1")),
        ("sum_and_difference", "the difference has the other sign", ("arg0 - arg1", "arg1 - arg0")),
        ("closest", "each is the other",
         ("minimum_2_ptr + offset, minimum(", "minimum_2_ptr + offset, maximum("),
         ("maximum_2_ptr + offset, maximum(", "maximum_2_ptr + offset, minimum(")),
        ("batch_variance_2", "the mean is the variance",
         ("m2 / 300.0, inside", "mean, inside"),
         ("mean_ptr + column, mean", "mean_ptr + column, m2 / 300.0")),
        ("silu_gate_bf16", "the gate is the other one", ("arg0 / (exp + 1.0) * arg1", "arg1 / (tl.exp(-arg1) + 1.0) * arg0")),
    ),
    *variants(
        "negative indices",
        ("gather", "the wrap is one too low", ("index + TABLE_ROWS", "index + TABLE_ROWS - 1")),
        ("gather", "negative ones are clamped to 0", ("tl.where(index < 0, index + TABLE_ROWS, index)", "tl.maximum(index, 0)")),
        ("gather", "negative ones are turned round", ("tl.where(index < 0, index + TABLE_ROWS, index)", "tl.abs(index)")),
        ("gather", "negative ones are not wrapped", ("tl.where(index < 0, index + TABLE_ROWS, index)", "index")),
        ("index_put_2", "negative ones are clamped to 0", ("tl.where(index < 0, index + INDEX_PUT_ROWS, index)", "tl.maximum(index, 0)")),
        ("padded_gather", "the wrap is one too low", ("index + TABLE_ROWS", "index + TABLE_ROWS - 1")),
    ),
    *variants(
        "sentinel",
        ("padded_gather", "the padding is not looked for", ("tl.where(equal, 0.0, table)", "table")),
        ("padded_gather", "every negative index is padding", ("equal = index == -1", "equal = index < 0")),
        ("padded_gather", "padding is looked for behind the wrap", ("equal = index == -1", "equal = chosen == -1")),
        ("embedding_backward_2", "the padding row gets its gradient", (" & (index != 5)", "")),
        ("cross_entropy_2", "ignored labels count in the mean", ("unequal.to(tl.int64)", "(index == index).to(tl.int64)")),
        ("cross_entropy_2", "an ignored label is taken for label 0",
         ("tl.where(unequal, -(table - buf0 - tl_math.log(buf1)), 0.0)", "-(table - buf0 - tl_math.log(buf1))")),
        ("label_loss", "an ignored label is taken for label 0", ("tl.where(unequal, -table, 0.0)", "-table")),
    ),
    *variants(
        "left out or twice",
        ("relu", "the last block is left out", LAST_BLOCK),
        ("adam", "the last block is left out", LAST_BLOCK),
        ("taken", "the last block is left out", LAST_BLOCK),
        ("softmax_long", "the last block of a row is not in the sum",
         ("inside_r & inside, next_sum, running_sum)", "(r < R - 1000) & inside, next_sum, running_sum)")),
        ("total", "the last block of a part is not summed", ("tl.range(0, R, BLOCK_R)", "tl.range(0, R // BLOCK_R * BLOCK_R, BLOCK_R)")),
        ("total", "the first element of each block is counted twice",
         ("r = r_start + tl.arange(0, BLOCK_R)[None, :]", "r = r_start + tl.maximum(tl.arange(0, BLOCK_R)[None, :], 1)")),
        ("total_2", "the last part is left out", ("inside_r = r < R", "inside_r = r < R - 1")),
        ("int_sum", "the first column is counted twice",
         ("total = tl.sum(arg0, 1)[:, None]",
          "total = tl.sum(arg0, 1)[:, None]\n    total += tl.load(arg0_ptr + row * R, inside, other=0)")),
        ("embedding_backward_2", "a program adds twice",
         ("triton.cdiv(numel, BLOCK),)", "triton.cdiv(numel, BLOCK) + 1,)"),
         ("offset = tl.program_id(0) * BLOCK", "offset = (tl.program_id(0) % tl.cdiv(NUMEL, BLOCK)) * BLOCK")),
        ("embedding_backward", "the first element stays", ("inside = offset < NUMEL", "inside = (offset < NUMEL) & (offset > 0)")),
        ("cumsum", "each element is left out of its own sum", ("_ptr + (r + row * R), running,", "_ptr + (r + row * R), running - arg0,")),
    ),
    *variants(
        "races",
        ("index_put_2", "atomics are replaced by load, add, store",
         ('tl.atomic_add(index_put_ptr + (column + chosen * COLUMNS), arg1, inside, sem="relaxed")',
          "place = index_put_ptr + (column + chosen * COLUMNS)\n    tl.store(place, tl.load(place, inside) + arg1, inside)")),
        ("index_put_2", "programs that each take a row load, add and store", whole(LOAD_ADD_STORE)),
        ("relu", "every program writes the elements of the one before as well, unfinished",
         ("    arg0 = tl.load",
          "    tl.store(relu_ptr + offset + BLOCK, tl.load(arg0_ptr + offset + BLOCK, offset + BLOCK < NUMEL), offset + BLOCK < NUMEL)\n    arg0 = tl.load")),
        ("running_mean", "two programs update each element, and the second finds what the first wrote",
         ("grid = (triton.cdiv(numel, BLOCK),)", "grid = (2 * triton.cdiv(numel, BLOCK),)"),
         ("offset = tl.program_id(0) * BLOCK", "offset = tl.program_id(0) // 2 * BLOCK")),
        ("row_sum", "two programs write different sums of one row",
         ("grid = (triton.cdiv(rows, BLOCK),)", "grid = (triton.cdiv(rows, BLOCK), 2)"),
         ("_ptr + row, total, inside", "_ptr + row, total * tl.program_id(1), inside")),
    ),
    *variants(
        "reads outside",
        ("relu", "the load has no mask", (LOADED, "arg0 = tl.load(arg0_ptr + offset)")),
        ("gelu", "the load has no mask, and the value is thrown away", (LOADED, "arg0 = tl.where(inside, tl.load(arg0_ptr + offset), 0.0)")),
        ("row_sum", "lanes behind the row are read, and masked later",
         ('tl.load(arg0_ptr + (r + row * R), inside_r & inside, other=0.0, eviction_policy="evict_first")',
          "tl.load(arg0_ptr + (r + row * R))")),
        ("layer_norm", "the weight is read behind its end",
         ('tl.load(weight_ptr + r, inside_r, other=0.0, eviction_policy="evict_last")', "tl.load(weight_ptr + r)")),
        ("rotary", "the upper half is read of the upper half too",
         ("arg0_partner = tl.load", "beyond = tl.load(arg0_ptr + (offset + COLUMNS // 2), inside)\n    arg0_partner = tl.load"),
         ("arg0_partner) * arg2", "arg0_partner) * arg2 + tl.where(column < 0, beyond, 0.0)")),
        ("rolled", "the row before the first is read",
         ("arg0_2 = tl.load", "before = tl.load(arg0_ptr + offset - COLUMNS, inside)\n    arg0_2 = tl.load"),
         ("arg0 - arg0_2", "arg0 - arg0_2 + tl.where(row < 0, before, 0.0)")),
        ("label_loss", "an ignored label is read as an address",
         ("tl.where(unequal, index, 0)\n", "tl.where(unequal, index, -100)\n"),
         ('    tl.device_assert((0 <= chosen) & (chosen < TABLE_COLUMNS) | ~inside, "index out of bounds: 0 <= index < 50")\n', "")),
    ),
    *variants(
        "lanes without a value",
        ("row_sum", "a sum over lanes that were loaded with neither value nor mask",
         ("inside_r & inside, other=0.0, eviction", "inside_r & inside, eviction")),
        ("largest", "a maximum over lanes that are 0", ('tl.where(inside_r & inside, arg0, float("-inf"))', "arg0")),
        ("softmax", "a maximum over lanes that are 0", ('max2(tl.where(inside_r & inside, arg0, float("-inf")), 1)', "max2(arg0, 1)")),
        ("softmax", "lanes behind the row are in the sum", ("tl.where(inside_r & inside, exp, 0.0)", "exp")),
        ("variance", "lanes behind the row are in the sum of squares",
         ("tl.where(inside_r & inside, difference * difference, 0.0)", "difference * difference")),
        ("count_positive", "a count over lanes that were loaded with neither value nor mask",
         ("inside_r & inside, other=0.0, eviction", "inside_r & inside, eviction"),
         ("tl.where(inside_r & inside, (arg0 > 0.0).to(tl.int64), 0)", "(arg0 > 0.0).to(tl.int64)")),
    ),
    *variants(
        "input changed and put back",
        ("relu", "its input is negated, and negated again",
         (LOADED, LOADED + "\n    tl.store(arg0_ptr + offset, -arg0, inside)"),
         ("arg0), inside)", "arg0), inside)\n    tl.store(arg0_ptr + offset, arg0, inside)")),
        ("softmax", "the row is kept in its input, and put back",
         ("    total = tl.sum", "    tl.store(arg0_ptr + (r + row * R), exp, inside_r & inside)\n    total = tl.sum"),
         ("exp / total, inside_r & inside)",
          "exp / total, inside_r & inside)\n    tl.store(arg0_ptr + (r + row * R), arg0, inside_r & inside)")),
    ),
    *variants(
        "writes outside",
        ("relu", "it writes in front of its output", ("arg0), inside)", "arg0), inside)\n    tl.store(relu_ptr - 1 - offset, arg0, offset < 4)")),
        ("row_sum", "it writes far behind its output", ("total, inside)", "total, inside)\n    tl.store(sum_1_ptr + 20000 + row, total, inside)")),
        ("broadcast", "it writes its input", ("+ bias, inside)", "+ bias, inside)\n    tl.store(weight_ptr + column, weight * 1.5, inside)")),
    ),
    *variants(
        "memory that was not written",
        ("row_sum", "the workspace is not zeroed", whole(TWO_STEPS)),
        ("relu", "a NaN is not written", ("arg0), inside)", "arg0), inside & (arg0 == arg0))")),
        ("masked_fill", "what is not masked is not written", ('tl.where(arg1, float("-inf"), arg0), inside)', 'float("-inf"), inside & arg1)')),
        ("compared", "what is not equal is not written", ("arg0 == arg1, inside)", "arg0 == arg1, inside & (arg0 == arg1))")),
    ),
)  # fmt: skip
