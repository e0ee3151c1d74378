"""Edits that are right, as people make them who want a kernel to be faster: none of them may be rejected."""

from __future__ import annotations

from importlib.metadata import version

from faults.records import above, body, variants, whole

OLD = tuple(map(int, version("triton").split(".")[:2])) < (3, 8)
"""Triton has block pointers; from 3.8 on there are none."""

TILE = '''
@triton.jit
def gelu_tile(
    x_ptr, bias_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr
):
    row = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    inside = (row < ROWS) & (column < COLUMNS)
    x = tl.load(x_ptr + row * COLUMNS + column, inside).to(tl.float32)
    total = x + tl.load(bias_ptr + column, column < COLUMNS).to(tl.float32)
    tl.store(out_ptr + row * COLUMNS + column, 0.5 * total * (1.0 + tl.erf(total * 0.7071067811865476)), inside)


def launch(arg0, bias, mul_2, *, BLOCK_ROWS=8, BLOCK_COLUMNS=64):
    """Tiles of two dimensions."""
    rows, columns = arg0.shape
    grid = (triton.cdiv(rows, BLOCK_ROWS), triton.cdiv(columns, BLOCK_COLUMNS))
    gelu_tile[grid](
        arg0, bias, mul_2, ROWS=rows, COLUMNS=columns, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLUMNS=BLOCK_COLUMNS, num_warps=4
    )
    return mul_2
'''
FLAT = '''
@triton.jit
def flat(arg0_ptr, out_ptr, NUMEL: tl.constexpr, X_SIZE: tl.constexpr, Y_SIZE: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    y = offset // X_SIZE
    x = offset % X_SIZE
    tl.store(out_ptr + offset, tl.load(arg0_ptr + y + x * Y_SIZE, inside) + 1.0, inside)


def launch(arg0, contiguous, *, BLOCK=512, num_warps=4):
    """One dimension for two."""
    numel = arg0.numel()
    flat[(triton.cdiv(numel, BLOCK),)](
        arg0, contiguous, NUMEL=numel, X_SIZE=arg0.shape[0], Y_SIZE=arg0.shape[1], BLOCK=BLOCK, num_warps=num_warps
    )
    return contiguous
'''
STRIDING = '''
@triton.jit
def relu_kernel(arg0_ptr, relu_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, NUMEL, tl.num_programs(0) * BLOCK):
        offset = start + tl.arange(0, BLOCK)
        inside = offset < NUMEL
        arg0 = tl.load(arg0_ptr + offset, inside)
        tl.store(relu_ptr + offset, tl.where(arg0 < 0, 0.0, arg0), inside)


def launch(arg0, relu, *, BLOCK=256, num_warps=4):
    """PROGRAMS, each of which strides over the grid."""
    relu_kernel[(COUNT,)](arg0, relu, NUMEL=relu.numel(), BLOCK=BLOCK, num_warps=num_warps)
    return relu
'''
SM_COUNT = "torch.cuda.get_device_properties(arg0.device).multi_processor_count"
SPLIT = '''
@triton.jit
def parts(arg0_ptr, part_ptr, R: tl.constexpr, PARTS: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    r = part * BLOCK_R + tl.arange(0, BLOCK_R)
    tl.store(part_ptr + row * PARTS + part, tl.sum(tl.load(arg0_ptr + row * R + r, r < R, other=0.0), 0))


@triton.jit
def folded(part_ptr, sum_ptr, PARTS: tl.constexpr):
    row = tl.program_id(0)
    tl.store(sum_ptr + row, tl.sum(tl.load(part_ptr + row * PARTS + tl.arange(0, PARTS)), 0))


def launch(arg0, sum_1, *, BLOCK=1, num_warps=2):
    """Two kernels: sums of parts, and their sum."""
    rows, columns = arg0.shape
    part = torch.empty((rows, 4), device=arg0.device)
    parts[(rows, 4)](arg0, part, R=columns, PARTS=4, BLOCK_R=64)
    folded[(rows,)](part, sum_1, PARTS=4)
    return sum_1
'''
ATOMIC = '''
@triton.jit
def added(arg0_ptr, sum_ptr, R: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    r = tl.program_id(1) * BLOCK_R + tl.arange(0, BLOCK_R)
    tl.atomic_add(sum_ptr + row, tl.sum(tl.load(arg0_ptr + row * R + r, r < R, other=0.0), 0))


@triton.jit
def zeroed(sum_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.arange(0, BLOCK)
    tl.store(sum_ptr + row, tl.zeros([BLOCK], tl.float32), row < ROWS)


def launch(arg0, sum_1, *, BLOCK=1, num_warps=2):
    """The output is zeroed, and parts of the rows are added to it by atomics."""
    rows, columns = arg0.shape
    ZERO
    added[(rows, triton.cdiv(columns, 64))](arg0, sum_1, R=columns, BLOCK_R=64)
    return sum_1
'''
ONLINE = """
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    inside = row < ROWS
    largest = tl.full([BLOCK, 1], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK, 1], tl.float32)
    for start in range(0, R, 64):
        r = start + tl.arange(0, 64)[None, :]
        arg0 = tl.load(arg0_ptr + (r + row * R), (r < R) & inside, other=float("-inf"))
        above = tl.reduce(arg0, 1, maximum)[:, None]
        above = maximum(largest, above)
        rescaled = tl.where(largest == above, 1.0, tl.exp(largest - above))
        shift = tl.where(above == float("-inf"), 0.0, above)
        total = total * rescaled + tl.sum(tl.where((r < R) & inside, tl.exp(arg0 - shift), 0.0), 1)[:, None]
        largest = above
    for start in range(0, R, 64):
        r = start + tl.arange(0, 64)[None, :]
        arg0 = tl.load(arg0_ptr + (r + row * R), (r < R) & inside)
        tl.store(div_ptr + (r + row * R), tl.exp(arg0 - largest) / total, (r < R) & inside)
"""
KAHAN = """
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < ROWS
    total = tl.zeros([BLOCK], tl.float32)
    lost = tl.zeros([BLOCK], tl.float32)
    for r in range(R):
        arg0 = tl.load(arg0_ptr + (r + row * R), inside, other=0.0)
        term = arg0 - lost
        new = total + term
        lost = tl.where(tl.abs(new) == float("inf"), 0.0, (new - total) - term)
        total = new
    tl.store(sum_1_ptr + row, total, inside)
"""
SEQUENTIAL = """
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < ROWS
    total = tl.zeros([BLOCK], tl.float32)
    for r in tl.STEPS:
        total += tl.load(arg0_ptr + (r + row * R), inside, other=0.0).to(tl.float32)
    tl.store(sum_1_ptr + row, total, inside)
"""
WELFORD = """
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < ROWS
    mean = tl.zeros([BLOCK], tl.float32)
    m2 = tl.zeros([BLOCK], tl.float32)
    for r in range(R):
        arg0 = tl.load(arg0_ptr + (r + row * R), inside, other=0.0)
        delta = arg0 - mean
        mean += delta / (r + 1)
        m2 += delta * (arg0 - mean)
    tl.store(var_ptr + row, m2 / (R - 1), inside)
"""
DOT = '''
@triton.jit
def product(arg0_ptr, arg1_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    k = tl.arange(0, K)
    left = tl.load(arg0_ptr + m * K + k[None, :])
    right = tl.load(arg1_ptr + n * K + k[:, None])
    tl.store(out_ptr + m * N + n, tl.dot(left, right, input_precision="ieee"))


def launch(arg0, arg1, sum_1, *, BLOCK=1, num_warps=2):
    """The rows' products by the tensor cores."""
    product[(3,)](arg0, arg1, sum_1, M=32, N=48, K=64, BLOCK_N=16)
    return sum_1
'''
DESCRIPTORS = '''
@triton.jit
def relu_tile(x, out, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    row = tl.program_id(0) * BLOCK_ROWS
    column = tl.program_id(1) * BLOCK_COLUMNS
    tile = x.load([row, column])
    out.store([row, column], tl.where(tile < 0, 0.0, tile))


def launch(arg0, relu, *, BLOCK=256, num_warps=4):
    """Tiles through tensor descriptors."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    rows, columns = arg0.shape
    descriptors = [TensorDescriptor(x, [rows, columns], [columns, 1], [8, 64]) for x in (arg0, relu)]
    relu_tile[(triton.cdiv(rows, 8), triton.cdiv(columns, 64))](*descriptors, BLOCK_ROWS=8, BLOCK_COLUMNS=64)
    return relu
'''
BLOCK_POINTERS = """
    start = tl.program_id(0) * BLOCK
    source = tl.make_block_ptr(arg0_ptr, (NUMEL,), (1,), (start,), (BLOCK,), (0,))
    target = tl.make_block_ptr(relu_ptr, (NUMEL,), (1,), (start,), (BLOCK,), (0,))
    arg0 = tl.load(source, boundary_check=(0,), padding_option="zero")
    tl.store(target, tl.where(arg0 < 0, 0.0, arg0), boundary_check=(0,))
"""
COLUMN_FIRST = '''
@triton.jit
def column_sum(arg0_ptr, out_ptr, COLUMNS: tl.constexpr, R: tl.constexpr, BLOCK_C: tl.constexpr):
    part = tl.program_id(0)
    column = tl.arange(0, BLOCK_C)
    total = tl.zeros([BLOCK_C], tl.float32)
    for r in range(R):
        total += tl.load(arg0_ptr + (part * R + r) * COLUMNS + column, column < COLUMNS, other=0.0)
    tl.store(out_ptr + part * COLUMNS + column, total, column < COLUMNS)


def launch(arg0, out):
    """One program adds up a part of all columns, row by row."""
    column_sum[(3,)](arg0, out, COLUMNS=50, R=100, BLOCK_C=64)
    return out
'''
TANH_BY_EXP = (
    "tl.where(tl.abs(arg0) < 0.25, libdevice.tanh(arg0), "
    "tl.where(arg0 > 0, 1.0, -1.0) * (1.0 - 2.0 / (1.0 + tl.exp(2.0 * tl.abs(arg0)))) + 0.0 * tl.where(arg0 == arg0, 0.0, arg0))"
)
ROUNDED = ".to(tl.bfloat16).to(tl.float32)"
GELU_STORE = ("product * (erf + 1.0)", "product * erf + product")
SIGNED_ZERO = 'tl.where(arg1, float("-inf"), arg0), inside)'
AUTOTUNE = '@triton.autotune([triton.Config({}, num_warps=2), triton.Config({}, num_warps=8)], key=["NUMEL"])\n@triton.jit\ndef leaky_relu('
AUTOTUNE_BLOCK = '@triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 512})], key=["NUMEL"])\n@triton.jit\ndef relu_kernel('
HEURISTIC = '@triton.heuristics({"EVEN": lambda arguments: arguments["NUMEL"] % arguments["BLOCK"] == 0})\n@triton.jit\ndef leaky_relu('

RIGHT = (
    *variants(
        "other shapes",
        ("relu", "a larger block", ("BLOCK=256", "BLOCK=1024")),
        ("leaky_bf16", "a block of 64, one warp", ("BLOCK=256, num_warps=4", "BLOCK=64, num_warps=1")),
        ("adam", "the block has another name", ("BLOCK", "TILE")),
        ("softmax", "four rows a program", ("*, BLOCK=1", "*, BLOCK=4")),
        ("gelu", "a tile of two dimensions, with blocks of its own", whole(TILE)),
        ("transposed", "one dimension for two", whole(FLAT)),
        ("transposed", "tiles of 64 by 16", ("BLOCK_Y=32, BLOCK_X=32", "BLOCK_Y=64, BLOCK_X=16")),
        ("relu", "seven programs stride over the grid", whole(STRIDING.replace("PROGRAMS", "Seven").replace("COUNT", "7"))),
        ("relu", "as many programs as the card has processors",
         whole(STRIDING.replace("PROGRAMS", "As many as there are processors").replace("COUNT", SM_COUNT))),
        ("relu", "the programs go from the end", ("tl.program_id(0) * BLOCK", "(tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK")),
        ("relu", "more programs than needed", ("triton.cdiv(numel, BLOCK),)", "triton.cdiv(numel, BLOCK) + 3,)")),
        ("relu", "an assertion about its own block", ("    grid = ", "    assert BLOCK == 256\n    grid = ")),
        ("column_sum", "all columns in one program, and no block to choose", whole(COLUMN_FIRST)),
        ("layer_norm", "a wider block for the row", ("BLOCK_R=256", "BLOCK_R=512")),
        ("total", "smaller blocks of a part", ("BLOCK_R=2048", "BLOCK_R=512")),
        ("gather", "row and column are 64 bits wide", ("row = offset // COLUMNS", "row = (offset // COLUMNS).to(tl.int64)")),
    ),
    *variants(
        "several kernels for one",
        ("row_sum", "sums of parts in a workspace, and their sum", whole(SPLIT)),
        ("row_sum", "zeroed, and added by atomics",
         whole(ATOMIC.replace("ZERO", "zeroed[(1,)](sum_1, ROWS=rows, BLOCK=triton.next_power_of_2(rows))"))),
        ("row_sum", "zeroed by the tensor, and added by atomics", whole(ATOMIC.replace("ZERO", "sum_1.zero_()"))),
        ("sum_and_difference", "a launch for each output's stores",
         ("    add_sub[grid](arg0, arg1, add, sub, NUMEL=numel, BLOCK=BLOCK, num_warps=num_warps)",
          "    for _ in range(2):\n        add_sub[grid](arg0, arg1, add, sub, NUMEL=numel, BLOCK=BLOCK, num_warps=num_warps)")),
    ),
    *variants(
        "another order of a sum",
        ("row_sum", "Kahan's", body(KAHAN)),
        ("row_sum", "one after another", body(SEQUENTIAL.replace("STEPS", "range(0, R)"))),
        ("row_sum_bf16", "one after another, in float32", body(SEQUENTIAL.replace("STEPS", "range(0, R)"))),
        ("row_sum", "unrolled", body(SEQUENTIAL.replace("STEPS", "static_range(0, R)"))),
        ("row_sum", "in float64", ("tl.sum(arg0, 1)", "tl.sum(arg0.to(tl.float64), 1)")),
        ("layer_norm", "the variance in float64",
         ("difference * difference, 0.0", "(difference * difference).to(tl.float64), 0.0"),
         ("total_2 / R + 1e-05", "(total_2 / R + 1e-05).to(tl.float32)")),
        ("sum_and_its_sign", "one after another, and the sign of that", body("""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < ROWS
    total = tl.zeros([BLOCK], tl.float32)
    for r in range(R):
        total += tl.load(arg0_ptr + (r + row * R), inside, other=0.0)
    tl.store(le_ptr + row, total <= 0.0, inside)
    tl.store(y_2_ptr + row, total, inside)
""")),
        ("total", "the accumulator is a column", ("accumulator + arg0 * arg0", "tl.fma(arg0, arg0, accumulator)")),
        ("count_positive", "counted in int32, which holds any row", ("(arg0 > 0.0).to(tl.int64), 0)", "(arg0 > 0.0).to(tl.int32), 0)")),
        ("cumsum", "by tl.cumsum", ("running, = tl.associative_scan((arg0,), 1, _triton_helper_fn_add0)", "running = tl.cumsum(arg0, 1)")),
        ("cumsum", "four rows a program", ("*, BLOCK=1", "*, BLOCK=4")),
        ("inner_products", "tl.dot for the reduction", whole(DOT)),
        ("variance", "Welford's", body(WELFORD)),
        ("column_sum_2", "three loads for a reduction", body("""
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = column < COLUMNS
    total = tl.load(buf0_ptr + column, inside) + tl.load(buf0_ptr + column + COLUMNS, inside) + tl.load(buf0_ptr + column + 2 * COLUMNS, inside)
    tl.store(sum_1_ptr + column, total, inside)
""")),
    ),
    *variants(
        "another way to compute",
        ("softmax", "online", body(ONLINE)),
        ("softmax", "exp2 with log2(e)", ("libdevice.exp(arg0 - largest)", "tl.exp2((arg0 - largest) * 1.4426950408889634)")),
        ("softmax", "multiplied by the reciprocal of the sum", ("exp / total,", "exp * (1.0 / total),")),
        ("softmax_bf16", "exp2, and the reciprocal",
         ("libdevice.exp(arg0 - largest)", "tl.exp2((arg0 - largest) * 1.4426950408889634)"),
         ("exp / total,", "exp * (1.0 / total),")),
        ("softmax", "masked lanes hold -inf from the load",
         ("inside_r & inside, other=0.0, ", 'inside_r & inside, other=float("-inf"), '),
         ('tl.where(inside_r & inside, arg0, float("-inf"))', "arg0")),
        ("softmax", "the fast exp of the GPU", ("libdevice.exp(arg0", "libdevice.fast_expf(arg0")),
        ("logsumexp", "log2 and exp2",
         ("libdevice.exp(arg0 - chosen)", "tl.exp2((arg0 - chosen) * 1.4426950408889634)"),
         ("tl_math.log(total)", "tl.log2(total) * 0.6931471805599453")),
        ("gelu", "the last product is an fma", GELU_STORE),
        ("gelu", "tl.erf for libdevice's", ("libdevice.erf", "tl.erf")),
        ("gelu_bf16", "another order of the factors", ("product * (erf + 1.0)", "total * (0.5 * erf + 0.5)")),
        ("gelu_tanh", "tanh by exp, which does not overflow", ("libdevice.tanh(product)", "2.0 / (1.0 + tl.exp(-2.0 * product)) - 1.0")),
        ("tanh", "tl's tanh by exp of the magnitude",
         ("libdevice.tanh(arg0)", TANH_BY_EXP)),
        ("silu_gate_bf16", "by tl.sigmoid", ("arg0 / (exp + 1.0) * arg1", "arg0 * tl.sigmoid(arg0) * arg1")),
        ("rms_norm_bf16", "rsqrt as 1 / sqrt", ("libdevice.rsqrt(total / R + 1e-05)", "1.0 / tl.sqrt(total / R + 1e-05)")),
        ("layer_norm", "tl.rsqrt, and an fma",
         ("libdevice.rsqrt", "tl.rsqrt"),
         ("difference * rstd * weight + bias", "tl.fma(difference * rstd, weight, bias)")),
        ("layer_norm", "libdevice's fma", ("difference * rstd * weight + bias", "libdevice.fma(difference * rstd, weight, bias)")),
        ("divided", "libdevice's division", above("from triton.language.extra import libdevice"),
         ("arg1 / (tl_math.abs(arg0) + 1e-08)", "libdevice.div_rn(arg1, tl_math.abs(arg0) + 1e-08)")),
        ("mean_fp16", "multiplied by 1 / R", ("total / R", "total * (1.0 / R)")),
        ("scaled_bf16", "bfloat16 throughout, as eager does it", ("arg0 * 0.5 + arg1", f"(arg0 * 0.5){ROUNDED} + arg1")),
        ("silu_gate_bf16", "bfloat16 throughout, as eager does it", ("arg0 / (exp + 1.0) * arg1", f"(arg0 / (exp + 1.0)){ROUNDED} * arg1")),
        ("gelu_bf16", "bfloat16 after the bias, as eager does it", ("total = arg0 + bias", f"total = (arg0 + bias){ROUNDED}")),
        ("rms_norm_bf16", "bfloat16 after the scale, as eager does it", ("arg0 * scale * weight", f"(arg0 * scale){ROUNDED} * weight")),
        ("relu", "the maximum that lets a NaN through",
         ("tl.where(arg0 < 0, 0.0, arg0)", "tl.maximum(arg0, 0.0, propagate_nan=tl.PropagateNan.ALL)")),
        ("closest", "tl's minimum and maximum that let a NaN through",
         ("minimum(arg0, arg1), inside", "tl.minimum(arg0, arg1, propagate_nan=tl.PropagateNan.ALL), inside"),
         ("maximum(arg0, arg1), inside", "tl.maximum(arg0, arg1, propagate_nan=tl.PropagateNan.ALL), inside")),
        ("hardtanh_fp16", "two wheres",
         ("minimum(maximum(arg0, tl.full([1], -1.0, tl.float32)), tl.full([1], 2.0, tl.float32))",
          "tl.where(arg0 < -1.0, -1.0, tl.where(arg0 > 2.0, 2.0, arg0))")),
        ("remainder", "by C's remainder twice", ("tl.where(both, rest + 7, rest)", "(rest + 7) % 7")),
        ("shifted", "the mask first", ("arg0 >> 3 & 255", "(arg0 & 2047) >> 3")),
        ("causal", "compared as int64", ("row >= column", "row.to(tl.int64) >= column.to(tl.int64)")),
        ("padded_gather", "the padding is not loaded at all",
         ("(column + chosen * COLUMNS), inside)", "(column + chosen * COLUMNS), inside & (index != -1), other=0.0)")),
        ("running_mean", "a product and a sum for an fma", ("tl.fma(arg1, tl.full([1], 0.1, tl.float32), arg0 * 0.9)", "arg1 * 0.1 + arg0 * 0.9")),
        ("adam", "sqrt of the GPU for the rounded one", ("tl.sqrt_rn", "tl.sqrt")),
        ("adam", "a subnormal number is 0 to the square root, as on a GPU",
         ("tl.sqrt_rn(total_2)", "tl.sqrt_rn(tl.where(tl.abs(total_2) < 1.1754944e-38, 0.0, total_2))")),
        ("narrowed", "the cast is written", ("arg0 + arg1,", "(arg0 + arg1).to(tl.bfloat16),")),
        ("masked_softmax", "masked lanes are not taken into exp",
         ("libdevice.exp(chosen - largest)", "tl.where(arg1 & (largest > float(\"-inf\")), 0.0, libdevice.exp(chosen - largest))")),
    ),
    *variants(
        "other tools of Triton",
        *((("relu", "block pointers", body(BLOCK_POINTERS)),) if OLD else ()),
        ("relu", "tensor descriptors", whole(DESCRIPTORS)),
        ("leaky", "autotuned warps", ("@triton.jit\ndef leaky_relu(", AUTOTUNE), (", num_warps=num_warps)", ")")),
        ("relu", "an autotuned block",
         ("@triton.jit\ndef relu_kernel(", AUTOTUNE_BLOCK),
         ("grid = (triton.cdiv(numel, BLOCK),)", 'grid = lambda config: (triton.cdiv(numel, config["BLOCK"]),)'),
         (", BLOCK=BLOCK, num_warps=num_warps)", ")")),
        ("leaky", "a heuristic that leaves the mask out",
         ("@triton.jit\ndef leaky_relu(", HEURISTIC),
         ("    BLOCK: tl.constexpr,\n", "    BLOCK: tl.constexpr,\n    EVEN: tl.constexpr,\n"),
         ("arg0 = tl.load(arg0_ptr + offset, inside)",
          "if EVEN:\n        arg0 = tl.load(arg0_ptr + offset)\n    else:\n        arg0 = tl.load(arg0_ptr + offset, inside)")),
        ("leaky", "a helper of its own",
         above("@triton.jit\ndef sloped(x, slope):\n    return tl.where(x > 0, x, x * slope)"),
         ("tl.where(arg0 > 0.0, arg0, arg0 * 0.01)", "sloped(arg0, 0.01)")),
        ("leaky", "a constant of the module", above("SLOPE = tl.constexpr(0.01)"), ("* 0.01", "* SLOPE")),
        ("gelu", "another eviction policy", ('eviction_policy="evict_last"', 'eviction_policy="evict_first"')),
        ("relu", "a cache modifier at the store", ("arg0), inside)", 'arg0), inside, cache_modifier=".cs")')),
        ("rotary", "hints about multiples",
         ("    arg0 = tl.load(arg0_ptr + offset, inside)\n",
          "    offset = tl.max_contiguous(tl.multiple_of(offset, 16), 16)\n    arg0 = tl.load(arg0_ptr + offset, inside)\n")),
        ("row_sum", "a pipelined loop of stages", body(SEQUENTIAL.replace("STEPS", "range(0, R, num_stages=2)"))),
        ("index_put_2", "atomics of another scope and order", ('sem="relaxed"', 'sem="acq_rel", scope="gpu"')),
        ("gather", "no assertion",
         ('    tl.device_assert((0 <= chosen) & (chosen < TABLE_ROWS) | ~inside, "index out of bounds: 0 <= index < 50")\n', "")),
        ("softmax", "program ids are 64 bits wide", ("tl.program_id(0) * BLOCK", "tl.program_id(0).to(tl.int64) * BLOCK")),
    ),
    *variants(
        "nothing that matters",
        ("relu", "a comment", ("    inside = offset < NUMEL", "    # the last block is cut off\n    inside = offset < NUMEL")),
        ("cumsum", "a comment", ("    running, =", "    # the row's sums so far\n    running, =")),
        ("softmax", "other names", ("largest", "peak")),
        ("compared", "swapped operands", ("arg0 <= arg1", "arg1 >= arg0"), ("arg0 == arg1", "arg1 == arg0")),
        ("max_with_index", "of equals by the same rule, written otherwise",
         ("tie = ((a == b) | (a_nan & b_nan)) & (a_index < b_index)", "tie = (a_index < b_index) & ((a_nan & b_nan) | (a == b))")),
        ("threshold", "the branches and the comparison turned round",
         ("tl.where(arg0 > 3.0, arg0, arg0 * 0.25)", "tl.where((arg0 > 3.0) == 0, arg0 * 0.25, arg0)")),
        ("concatenated", "the mask of the second part is the first's negation", ("(column >= ARG1_COLUMNS) & inside", "(below == 0) & inside")),
    ),
)  # fmt: skip
