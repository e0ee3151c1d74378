"""The operators of Triton's text, one row each: whoever names, counts, prints, bounds, compares or draws inputs for one asks this table.

A new operator is one row, and a file under templates/helpers/ that the row names where an ejected kernel needs a function of its own for
it. Names are those that Inductor writes (`TritonOverrides` in torch/_inductor/codegen/triton.py and `triton_helpers.py`, 2.0 to 2.15).
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from inductor_lab.computation import intervals
from inductor_lab.computation.intervals import Interval


@dataclass(frozen=True)
class Result:
    """One of several results of a fold."""

    part: str
    """The word of the trees."""
    noun: str
    """What it is called."""
    running: str
    """What a loop's own tile of it is called."""
    text: str = ""
    """Its name in a sentence, where the fold's does not do."""


@dataclass(frozen=True)
class Operator:
    """What there is to know about one operation, element by element."""

    # ---- in the texts
    name: str
    """The word of `Kernel.ops` and of the trees."""
    torch: str = ""
    """How eager PyTorch writes it, `{0}` for an operand; without one, a function of them all; empty for the one that torch calls by the name."""
    symbol: type[ast.AST] | None = None
    """Python's own operator."""
    spellings: tuple[str, ...] = ()
    """Other names by which a text calls it: functions of tl, tl_math, libdevice and triton_helpers."""
    numbers: str = ""
    """Where eager PyTorch takes a number of Python for an operand: `right`; `either`; `python`, where of two Python makes the same."""
    python: str = ""
    """How Python writes it of sizes, which are not negative, where eager PyTorch writes it otherwise."""
    bound: str = ""
    """The method of a tensor that it is where one operand is a number."""
    exact: bool = False
    """True where torch's function of the name is the same to the last NaN as what Inductor writes out for it, and may stand for that."""
    aten: tuple[str, ...] = ()
    """The ATen operators that it may stand for."""
    aten_name: str = ""
    """The ATen operator that computes the very same, where that has another name than the row."""
    c: str = ""
    """How CUDA C++ writes it: a function of <math.h> by its name for a double (`expf` of a float is `exp` here), a function of
    templates/cuda/helpers/, or a form with `{0}` for an operand; empty for what C writes by an operator's sign, or not at all."""
    helpers: tuple[str, ...] = ()
    """Files of templates/helpers/, those that others call first: the last is what Inductor's text calls, `triton_helpers.NAME`."""

    # ---- in sentences
    text: str = ""
    """Its name in a sentence, where that is another."""
    noun: str = ""
    """What a variable of its value is called, where the name itself does not do."""
    note: str = ""
    """What a sentence on its value adds."""
    nan: str = ""
    """What becomes of a NaN among its operands, where that is not plain."""
    says: str = ""
    """The sentence on its value, `{0}` for an operand, where its expression does not say it."""

    # ---- what it costs
    flops: int = 1
    """Floating-point operations for one element; a transcendental function counts as one, a selection or a changed sign bit as none."""
    issued: tuple[int, int] = (0, 1)
    """Special functions in float32, and all instructions, for one element (`costs/traffic.py`); of a branch the usual side.
    `triton_helpers.online_softmax_combine` scales both sides by an exponential."""

    # ---- what it does to values
    predicate: bool = False
    """True where it answers yes or no."""
    domain: str = ""
    """What its first operand must be for a finite result: `positive`, `unit` ([-1, 1]), `open_unit`, `above_one`; `divisor`: its second must not be 0."""
    asks: str = "all"
    """Which of its operands must not be just any whole number: `all`, as far as is known, the `right` one, `none`."""
    divides: bool = False
    """True for quotients and rests of whole numbers."""
    whole: Callable[[int, int], int] | None = None
    """What it makes of two whole numbers, as C does; of comparisons, and of what stands in addresses."""
    interval: Callable[..., Interval | None] | None = None
    """Between which numbers its value is, by the intervals of its operands; None where nothing is known."""
    compares: str = ""
    """What it branches on: its `operands`, one with the other; the first with `zero` or with the `bounds` behind it; the `signs` of all or the
    `sign` of the last; the next `whole` number, the next `half`; sorted `boundaries`; an `idiom` may tell."""
    mirrored: str = ""
    """A comparison with its operands exchanged: `gt` for `lt`."""
    negated: str = ""
    """A comparison that holds where this one does not: `ge` for `lt`; of floats only for `eq` and `ne`, since a NaN is neither less nor greater."""
    picks: bool = False
    """True where its result is one of its operands, apart from the sign: nothing is rounded."""
    vanishes: bool = False
    """True where of zeros it makes +0.0, and the mask of what does not exist may go; what multiplies, divides or chooses has rules of its own."""

    # ---- as a fold
    fold: str = ""
    """What it leaves of many elements, as a fold: `the sum`."""
    neutral: float | None = None
    """What leaves that fold as it is."""
    calls: tuple[str, ...] = ()
    """Calls that fold a tile so."""
    accumulates: str = ""
    """The fold that a loop makes by taking tiles in with it."""
    results: tuple[Result, ...] = ()
    """Of a fold with several results."""
    turns: tuple[str, ...] = ()
    """Calls by which a loop with an accumulator for each result takes tiles in."""

    @property
    def places(self) -> int:
        """How many operands `torch` has places for; 0 for a function, which takes them all."""
        return len(set(re.findall(r"\{\d\}", self.torch)))

    def form(self, count: int) -> str:
        """How eager PyTorch writes it of so many operands: `torch.exp({0})`."""
        return self.torch if self.places else f"{self.function}({', '.join(f'{{{n}}}' for n in range(count))})"

    @property
    def function(self) -> str:
        """The function of torch that it is where `torch` has no places: `torch.exp`."""
        return self.torch or f"torch.{self.name}"


def _comparison(
    name: str, torch: str, symbol: type[ast.AST], whole: Callable[[int, int], bool], *, mirrored: str, negated: str, noun: str
) -> Operator:  # fmt: skip
    """The row of a comparison."""
    return Operator(
        name, torch, symbol, predicate=True, noun=noun, numbers="python", compares="operands", asks="none",
        whole=whole, mirrored=mirrored, negated=negated,
    )  # fmt: skip


_ROWS: tuple[Operator, ...] = (
    # ---- arithmetic
    Operator(
        "add", "{0} + {1}", ast.Add, ("add_rn",), numbers="python", aten=("add",), noun="total", asks="none", whole=operator.add, interval=operator.add,
        vanishes=True, accumulates="sum",
    ),
    Operator(
        "sub", "{0} - {1}", ast.Sub, ("sub_rn",), numbers="python", aten=("sub", "rsub"), noun="difference", asks="none", whole=operator.sub,
        interval=operator.sub, vanishes=True,
    ),
    Operator(
        "mul", "{0} * {1}", ast.Mult, ("mul_rn",), numbers="python", aten=("mul",), noun="product", asks="none", whole=operator.mul, interval=operator.mul,
        accumulates="prod",
    ),
    Operator(
        "div", "{0} / {1}", ast.Div, ("div_rn",), numbers="either", aten=("div",), noun="quotient", issued=(1, 8), domain="divisor", asks="right",
    ),
    Operator("fma", "{0} * {1} + {2}", numbers="either", c="fma", noun="total", flops=2),
    Operator("neg", "-{0}", ast.USub, numbers="python", aten=("neg",), noun="negated", flops=0, asks="none", interval=operator.neg, picks=True),
    Operator("abs", spellings=("fabs",), aten=("abs",), c="fabs", noun="magnitude", flops=0, asks="none", compares="zero", picks=True, vanishes=True),
    Operator(
        "maximum", bound="clamp_min", aten=("relu", "maximum", "clamp_min", "clamp"), c="maximum", helpers=("maximum",), noun="largest", nan="stays NaN",
        issued=(0, 3), asks="none", interval=intervals.larger, compares="operands", picks=True, vanishes=True, accumulates="max",
    ),
    Operator(
        "minimum", bound="clamp_max", aten=("minimum", "clamp_max"), c="minimum", helpers=("minimum",), noun="smallest", nan="stays NaN", issued=(0, 3),
        asks="none", interval=intervals.smaller, compares="operands", picks=True, vanishes=True, accumulates="min",
    ),
    Operator(
        "fmax", c="fmax", noun="largest", nan="gives way to the other", asks="none", interval=intervals.larger, compares="operands", picks=True,
        fold="the largest that is a number", neutral=-inf, calls=("fmax2",),
    ),
    Operator(
        "fmin", c="fmin", noun="smallest", nan="gives way to the other", asks="none", interval=intervals.smaller, compares="operands", picks=True,
        fold="the smallest that is a number", neutral=inf,
    ),
    Operator("clamp", noun="clamped", compares="bounds"),
    Operator("reciprocal", spellings=("rcp_rn",), c="1 / {0}", domain="divisor"),
    Operator(
        "where", "torch.where({0}, {1}, {2})", numbers="either", aten=("where",), noun="chosen", flops=0, asks="none", compares="idiom", picks=True,
    ),
    # ---- whole numbers: C's % and // round towards zero, Python's down
    Operator(
        "floordiv", "torch.div({0}, {1}, rounding_mode='trunc')", ast.FloorDiv, numbers="right", python="{0} // {1}", text="trunc_divide", noun="quotient",
        note="rounded towards zero, as C does", issued=(0, 6), domain="divisor", asks="right", divides=True,
        whole=lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), interval=intervals.quotient, compares="signs",
    ),
    Operator(
        "mod", "torch.fmod({0}, {1})", ast.Mod, ("fmod",), numbers="right", python="{0} % {1}", aten=("remainder", "fmod"), aten_name="fmod", c="fmod",
        text="fmod", noun="rest", note="as C takes it: the sign is the dividend's", issued=(0, 5), domain="divisor", asks="right", divides=True,
        whole=lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1), interval=intervals.rest, compares="signs",
    ),
    Operator(
        "floor_divide", "{0} // {1}", spellings=("div_floor_integer",), numbers="either", exact=True, c="floor_divide", helpers=("div_floor_integer",),
        noun="quotient", note="rounded down, as Python does", issued=(0, 12), domain="divisor", asks="right", divides=True, interval=intervals.quotient,
        compares="signs",
    ),
    Operator(
        "remainder", "{0} % {1}", spellings=("remainder_integer",), numbers="either", exact=True, aten=("remainder",), c="remainder",
        helpers=("remainder_integer",), noun="rest", note="as Python takes it: the sign is the divisor's", issued=(0, 12), domain="divisor", asks="right",
        divides=True, interval=intervals.remainder, compares="signs",
    ),
    Operator("cdiv", "-(-{0} // {1})", noun="blocks", domain="divisor"),
    Operator("pow", "{0} ** {1}", ast.Pow, ("pow_integer",), numbers="either", aten=("pow",), c="pow", noun="power", issued=(0, 60)),
    Operator("shift_left", "{0} << {1}", ast.LShift, numbers="either", noun="shifted", asks="right"),
    Operator("shift_right", "{0} >> {1}", ast.RShift, numbers="either", noun="shifted", asks="right", interval=intervals.shifted_right),
    Operator(
        "and", "{0} & {1}", ast.BitAnd, ("logical_and",), numbers="either", aten_name="bitwise_and", noun="both", asks="none", whole=operator.and_,
        interval=intervals.masked,
    ),
    Operator(
        "or", "{0} | {1}", ast.BitOr, ("logical_or",), numbers="either", aten_name="bitwise_or", noun="either", asks="none", whole=operator.or_,
        accumulates="any",
    ),
    Operator(
        "xor", "{0} ^ {1}", ast.BitXor, numbers="either", aten_name="bitwise_xor", noun="differing", asks="none", fold="the exclusive or", neutral=0.0,
        calls=("xor_sum",), accumulates="xor",
    ),
    Operator("not", "~{0}", ast.Invert, ("logical_not",), noun="other", asks="none"),
    Operator("dot", "{0} @ {1}", ast.MatMult, noun="product"),
    # ---- comparisons
    _comparison("lt", "{0} < {1}", ast.Lt, operator.lt, mirrored="gt", negated="ge", noun="below"),
    _comparison("le", "{0} <= {1}", ast.LtE, operator.le, mirrored="ge", negated="gt", noun="below"),
    _comparison("gt", "{0} > {1}", ast.Gt, operator.gt, mirrored="lt", negated="le", noun="above"),
    _comparison("ge", "{0} >= {1}", ast.GtE, operator.ge, mirrored="le", negated="lt", noun="above"),
    _comparison("eq", "{0} == {1}", ast.Eq, operator.eq, mirrored="eq", negated="ne", noun="equal"),
    _comparison("ne", "{0} != {1}", ast.NotEq, operator.ne, mirrored="ne", negated="eq", noun="unequal"),
    Operator("isnan", c="isnan", noun="nan", predicate=True),
    Operator("isinf", spellings=("isinfinite",), c="isinf", noun="infinite", predicate=True),
    Operator("isfinite", spellings=("isfinited", "finitef"), c="isfinite", noun="finite", predicate=True),
    Operator("signbit", c="signbit", noun="negative", says="whether {0} is negative", predicate=True, compares="zero"),
    # ---- functions
    Operator("exp", spellings=("fast_expf",), aten=("exp",), c="exp", issued=(1, 8)),
    Operator("exp2", aten=("exp2",), c="exp2", issued=(1, 3)),
    Operator("expm1", aten=("expm1",), c="expm1", issued=(1, 26)),
    Operator("log", spellings=("fast_logf",), aten=("log",), c="log", issued=(0, 29), domain="positive"),
    Operator("log2", aten=("log2",), c="log2", issued=(0, 29), domain="positive"),
    Operator("log10", aten=("log10",), c="log10", issued=(0, 30), domain="positive"),
    Operator("log1p", aten=("log1p",), c="log1p", issued=(0, 34), domain="positive"),
    Operator("sqrt", spellings=("sqrt_rn", "fast_sqrt"), aten=("sqrt",), c="sqrt", issued=(1, 1), domain="positive", vanishes=True),
    Operator("rsqrt", spellings=("rsqrt_rn",), aten=("rsqrt",), c="rsqrt", noun="scale", issued=(1, 1), domain="positive"),
    Operator("sin", spellings=("fast_sinf",), aten=("sin",), c="sin", issued=(0, 30)),
    Operator("cos", spellings=("fast_cosf",), aten=("cos",), c="cos", issued=(0, 30)),
    Operator("tan", aten=("tan",), c="tan", issued=(0, 60)),
    Operator("asin", aten=("asin",), c="asin", noun="angle", issued=(0, 20), domain="unit"),
    Operator("acos", aten=("acos",), c="acos", noun="angle", issued=(0, 20), domain="unit"),
    Operator("atan", aten=("atan",), c="atan", noun="angle", issued=(0, 50)),
    Operator("atan2", aten=("atan2",), c="atan2", noun="angle", issued=(0, 60)),
    Operator("sinh", aten=("sinh",), c="sinh"),
    Operator("cosh", aten=("cosh",), c="cosh", issued=(2, 1)),
    Operator("tanh", spellings=("fast_tanhf",), aten=("tanh",), c="tanh", issued=(0, 25)),
    Operator("asinh", aten=("asinh",), c="asinh"),
    Operator("acosh", aten=("acosh",), c="acosh", domain="above_one"),
    Operator("atanh", aten=("atanh",), c="atanh", domain="open_unit"),
    Operator("sigmoid", exact=True, aten=("sigmoid",), c="sigmoid", issued=(2, 13), interval=lambda _: Interval(0, 1)),
    Operator("erf", aten=("erf",), c="erf", issued=(0, 31)),
    Operator("erfc", aten=("erfc",), c="erfc", issued=(3, 45)),
    Operator("erfinv", aten=("erfinv",), c="erfinv", issued=(0, 95), domain="open_unit"),
    Operator("lgamma", aten=("lgamma",), c="lgamma", domain="positive"),
    Operator("hypot", aten=("hypot",), c="hypot", issued=(1, 1)),
    Operator("copysign", numbers="right", aten=("copysign",), c="copysign", noun="signed", flops=0, compares="sign"),
    Operator("nextafter", aten=("nextafter",), c="nextafter"),
    Operator("ldexp", aten=("ldexp",), c="ldexp"),
    Operator("frexp_mantissa", "torch.frexp({0}).mantissa", noun="mantissa"),
    Operator("frexp_exponent", "torch.frexp({0}).exponent", noun="exponent"),
    Operator("ilogb", "torch.frexp({0}).exponent - 1", c="ilogb", noun="exponent"),
    Operator("floor", aten=("floor",), c="floor", noun="rounded", interval=intervals.same, compares="whole"),
    Operator("ceil", aten=("ceil",), c="ceil", noun="rounded", interval=intervals.same, compares="whole"),
    Operator("trunc", aten=("trunc",), c="trunc", noun="rounded", interval=intervals.same, compares="whole"),
    Operator(
        "nearbyint", "torch.round", spellings=("rint", "llrint"), aten=("round",), aten_name="round", c="nearbyint", noun="rounded",
        interval=intervals.same, compares="half",
    ),
    Operator("round", "torch.sign({0}) * torch.floor(torch.abs({0}) + 0.5)", c="round", noun="rounded", compares="half"),
    Operator("cyl_bessel_i0", "torch.special.i0({0})", c="cyl_bessel_i0", noun="bessel"),
    Operator("cyl_bessel_i1", "torch.special.i1({0})", c="cyl_bessel_i1", noun="bessel"),
    Operator("i0", "torch.special.i0({0})", c="cyl_bessel_i0", noun="bessel"),
    Operator("i1", "torch.special.i1({0})", c="cyl_bessel_i1", noun="bessel"),
    Operator("j0", "torch.special.bessel_j0({0})", c="j0", noun="bessel"),
    Operator("j1", "torch.special.bessel_j1({0})", c="j1", noun="bessel"),
    Operator("y0", "torch.special.bessel_y0({0})", c="y0", noun="bessel", domain="positive"),
    Operator("y1", "torch.special.bessel_y1({0})", c="y1", noun="bessel", domain="positive"),
    Operator("normcdf", "torch.special.ndtr({0})", c="normcdf"),
    Operator("normcdfinv", "torch.special.ndtri({0})", c="normcdfinv", domain="open_unit"),
    Operator("erfcx", "torch.special.erfcx({0})", c="erfcx"),
    Operator("cbrt", "torch.sign({0}) * torch.abs({0}) ** (1 / 3)", c="cbrt", noun="root", issued=(3, 1)),
    # ---- what a person names, and Inductor writes out
    Operator("relu", exact=True, aten=("relu",), nan="stays NaN (tl.maximum alone would drop it)", compares="zero"),
    Operator("silu", "torch.nn.functional.silu({0})", exact=True, aten=("silu",), issued=(2, 14)),
    # not exact: of -inf it is -0.0 in torch on the CPU, NaN as it is written out
    Operator("gelu", "torch.nn.functional.gelu({0})", aten=("gelu",)),
    Operator("leaky_relu", "torch.nn.functional.leaky_relu({0}, {1})", numbers="right", exact=True, aten=("leaky_relu",), compares="zero"),
    # ---- memory
    Operator("bitcast", "{0}", noun="bits", flops=0),
    Operator("last", "{0}", says="the one element of {0} at which the condition holds", flops=0),
    Operator(
        "bucketize", "{0}", noun="bucket", says="the place of {0} among sorted boundaries: log2 of their number are read for each", flops=0,
        interval=lambda *_: Interval(0, inf), compares="boundaries",
    ),
    Operator("load.gather", aten=("embedding", "index", "gather", "index_select"), flops=0),
    Operator("atomic_add", aten=("index_put", "index_put_", "scatter_add", "index_add")),
    # ---- folds
    Operator("sum", aten=("sum",), noun="total", asks="none", fold="the sum", neutral=0.0, calls=("sum",)),
    Operator("prod", aten=("prod",), helpers=("_times", "prod"), noun="product", asks="none", fold="the product", neutral=1.0, calls=("prod",)),
    Operator(
        "max", aten=("amax", "max"), helpers=("maximum", "max2"), noun="largest", asks="none", fold="the largest", neutral=-inf, calls=("max", "max2"),
    ),
    Operator(
        "min", aten=("amin", "min"), helpers=("minimum", "min2"), noun="smallest", asks="none", fold="the smallest", neutral=inf, calls=("min", "min2"),
    ),
    Operator("xor_sum", noun="parity"),
    Operator(
        "argmax", helpers=("maximum_with_index", "max_with_index"), issued=(0, 6), asks="none", fold="the largest and its place", neutral=-inf,
        calls=("max_with_index", "max_with_first_index"), results=(Result("value", "largest", "best", "max"), Result("index", "place", "best_place")),
        turns=("maximum_with_index",),
    ),
    Operator(
        "argmin", helpers=("minimum_with_index", "min_with_index"), issued=(0, 6), asks="none", fold="the smallest and its place", neutral=inf,
        calls=("min_with_index", "min_with_first_index"), results=(Result("value", "smallest", "best", "min"), Result("index", "place", "best_place")),
        turns=("minimum_with_index",),
    ),
    # ---- steps of folds; the last step of a fold that was counted, and comparisons, cost nothing
    Operator(
        "any", helpers=("_either", "any"), noun="some", flops=0, predicate=True, asks="none", fold="the logical or", neutral=0.0, calls=("any",),
    ),
    Operator(
        "welford", helpers=("welford_combine", "welford"), flops=0, issued=(0, 18), fold="the mean, the sum of squared deviations and the count",
        calls=("welford",),
        results=(
            Result("mean", "mean", "running_mean", "mean"), Result("m2", "m2", "running_m2", "square_deviation"),
            Result("weight", "count", "running_count", "count"),
        ),
        turns=("welford_reduce", "welford_combine"),
    ),
    Operator(
        "online_softmax", flops=0, issued=(2, 30), fold="the maximum and the sum of exponentials", neutral=-inf, calls=("online_softmax_reduce",),
        results=(Result("max", "largest", "running_max", "max"), Result("sum", "total", "running_sum", "sum_exp")),
        turns=("online_softmax_combine", "online_softmax_combine_with_sum"),
    ),
    Operator("sort", says="sorts the row inside the program, values and their places together", flops=0),
    Operator("max_with_first_index", helpers=("max2", "max_with_first_index"), note="where it stands first"),
    Operator("min_with_first_index", helpers=("min2", "min_with_first_index"), note="where it stands first"),
    Operator("fmax2", helpers=("fmaximum", "fmax2")),
    Operator("maximum_with_index", helpers=("maximum_with_index",), flops=1),
    Operator("minimum_with_index", helpers=("minimum_with_index",), flops=1),
    Operator("welford_reduce", helpers=("welford_reduce",), flops=7),  # two differences, a division, a product, three sums
    Operator("welford_combine", helpers=("welford_combine",), flops=9),
    Operator("online_softmax_combine", flops=5),
    Operator("online_softmax_combine_with_sum", flops=6),
    # ---- what changes nothing
    Operator("promote_to_tensor", "{0}", c="{0}", helpers=("promote_to_tensor",), flops=0),
)  # fmt: skip

TABLE: dict[str, Operator] = {row.name: row for row in _ROWS}
"""Name -> its row."""
CANONICAL: dict[str, str] = {spelling: row.name for row in _ROWS for spelling in row.spellings}
"""Another spelling -> the name."""
OPERATORS: dict[type[ast.AST], str] = {row.symbol: row.name for row in _ROWS if row.symbol} | {ast.Not: "not"}
"""Python's operator -> the name."""
MIRRORED: dict[str, str] = {row.name: row.mirrored for row in _ROWS if row.mirrored}
"""A comparison -> the same with its operands exchanged."""
COMPARISONS = frozenset(MIRRORED)
"""Those that say how two operands lie to each other."""
DIVISIONS = frozenset(row.name for row in _ROWS if row.divides)
"""Quotients and rests of whole numbers."""
OF_ATEN: dict[str, Operator] = TABLE | {row.aten_name: row for row in _ROWS if row.aten_name}
"""ATen operator -> the row that computes the very same, for the elementwise ones; what is no ATen operator is never looked up."""


def called(call: ast.Call) -> str:
    """The last word of what is called: `tl.load` is `load`."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


MODULES = {"tl", "triton_helpers", "libdevice", "tl_math", "math", "triton"}


def is_module(node: ast.expr) -> bool:
    """True for `tl`, `triton.language.math`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def function_name(text: str) -> str:
    """`add` of `_triton_helper_fn_add0`, Inductor's name for a combining function."""
    return text.removeprefix("_triton_helper_fn_").rstrip("0123456789") or text
