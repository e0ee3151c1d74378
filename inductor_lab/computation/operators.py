"""The operators of Triton's text, one row each: whoever names, counts, prints, matches or draws inputs for one asks this table.

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


@dataclass(frozen=True)
class Operator:
    """What there is to know about one operation, element by element."""

    name: str
    """The word of `Kernel.ops` and of the trees."""
    torch: str = ""
    """How eager PyTorch writes it, `{0}` for an operand; without one, a function of them all; empty for the one that torch calls by the name."""
    symbol: type[ast.AST] | None = None
    """Python's own operator."""
    spellings: tuple[str, ...] = ()
    """Other names by which a text calls it: functions of tl, tl_math, libdevice and triton_helpers."""
    text: str = ""
    """Its name in a sentence, where that is another."""
    flops: int = 1
    """Floating-point operations for one element; a transcendental function counts as one, a selection or a changed sign bit as none."""
    domain: str = ""
    """What its first operand must be for a finite result: `positive`, `unit` ([-1, 1]), `open_unit`, `above_one`; `divisor`: its second must not be 0."""
    predicate: bool = False
    """True where it answers yes or no."""
    aten: tuple[str, ...] = ()
    """The ATen operators that it may stand for."""
    aten_name: str = ""
    """The ATen operator that computes the very same, where that has another name than the row."""
    bound: str = ""
    """The method of a tensor that it is where one operand is a number."""
    exact: bool = False
    """True where torch's function of the name is the same to the last NaN as what Inductor writes out for it, and may stand for that."""
    noun: str = ""
    """What a variable of its value is called, where the name itself does not do."""
    note: str = ""
    """What a sentence on its value adds."""
    nan: str = ""
    """What becomes of a NaN among its operands, where that is not plain."""
    says: str = ""
    """The sentence on its value, `{0}` for an operand, where its expression does not say it."""
    fold: str = ""
    """What it leaves of many elements, as a fold: `the sum`."""
    neutral: float | None = None
    """What leaves that fold as it is."""
    results: tuple[tuple[str, str, str], ...] = ()
    """Of a fold with several results: each one's part, what it is called, and what a loop's own tile of it is called."""
    helpers: tuple[str, ...] = ()
    """Files of templates/helpers/, those that others call first: the last is what Inductor's text calls, `triton_helpers.NAME`."""
    c: str = ""
    """How CUDA C++ writes it: a function of <math.h> by its name for a double (`expf` of a float is `exp` here), a function of
    templates/cuda/helpers/, or a form with `{0}` for an operand; empty for what C writes by an operator's sign, or not at all."""

    numbers: str = ""
    """Where eager PyTorch takes a number of Python for an operand: `right`; `either`; `python`, where of two Python makes the same."""
    python: str = ""
    """How Python writes it of sizes, which are not negative, where eager PyTorch writes it otherwise."""
    compares: str = ""
    """What it branches on: its `operands`, one with the other; the first with `zero` or with the `bounds` behind it; the `signs` of all or the
    `sign` of the last; the next `whole` number, the next `half`; sorted `boundaries`; an `idiom` may tell."""
    mirrored: str = ""
    """A comparison with its operands exchanged: `gt` for `lt`."""
    negated: str = ""
    """A comparison that holds where this one does not: `ge` for `lt`."""
    whole: Callable[[int, int], int] | None = None
    """What it makes of two whole numbers, as C does; of comparisons, and of what stands in addresses."""
    divides: bool = False
    """True for quotients and rests of whole numbers."""
    asks: str = "all"
    """Which of its operands must not be just any whole number: `all`, as far as is known, the `right` one, `none`."""
    picks: bool = False
    """True where its result is one of its operands, apart from the sign: nothing is rounded."""
    vanishes: bool = False
    """True where of zeros it makes +0.0, and the mask of what does not exist may go; what multiplies, divides or chooses has rules of its own."""
    issued: tuple[int, int] = (0, 1)
    """Special functions in float32, and all instructions, for one element (`costs/work.py`); of a branch the usual side.
    `triton_helpers.online_softmax_combine` scales both sides by an exponential."""

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
        "add", "{0} + {1}", ast.Add, ("add_rn",), aten=("add",), noun="total", numbers="python", asks="none", vanishes=True,
        whole=operator.add,
    ),
    Operator(
        "sub", "{0} - {1}", ast.Sub, ("sub_rn",), aten=("sub", "rsub"), noun="difference", numbers="python", asks="none",
        vanishes=True, whole=operator.sub,
    ),
    Operator(
        "mul", "{0} * {1}", ast.Mult, ("mul_rn",), aten=("mul",), noun="product", numbers="python", asks="none",
        whole=operator.mul,
    ),
    Operator(
        "div", "{0} / {1}", ast.Div, ("div_rn",), domain="divisor", aten=("div",), noun="quotient", numbers="either",
        asks="right", issued=(1, 8),
    ),
    Operator("fma", "{0} * {1} + {2}", flops=2, noun="total", c="fma", numbers="either"),
    Operator("neg", "-{0}", ast.USub, flops=0, aten=("neg",), noun="negated", numbers="python", asks="none", picks=True),
    Operator(
        "abs", spellings=("fabs",), flops=0, aten=("abs",), noun="magnitude", c="fabs", compares="zero", asks="none", picks=True,
        vanishes=True,
    ),
    Operator(
        "maximum", aten=("relu", "maximum", "clamp_min", "clamp"), bound="clamp_min", noun="largest", helpers=("maximum",),
        c="maximum", nan="stays NaN", compares="operands", asks="none", picks=True, vanishes=True, issued=(0, 3),
    ),
    Operator(
        "minimum", aten=("minimum", "clamp_max"), bound="clamp_max", noun="smallest", helpers=("minimum",), c="minimum",
        nan="stays NaN", compares="operands", asks="none", picks=True, vanishes=True, issued=(0, 3),
    ),
    Operator(
        "fmax", noun="largest", c="fmax", nan="gives way to the other", fold="the largest that is a number", neutral=-inf,
        compares="operands", asks="none", picks=True,
    ),
    Operator(
        "fmin", noun="smallest", c="fmin", nan="gives way to the other", fold="the smallest that is a number", neutral=inf,
        compares="operands", asks="none", picks=True,
    ),
    Operator("clamp", noun="clamped", compares="bounds"),
    Operator("reciprocal", spellings=("rcp_rn",), domain="divisor", c="1 / {0}"),
    Operator(
        "where", "torch.where({0}, {1}, {2})", flops=0, aten=("where",), noun="chosen", numbers="either", compares="idiom",
        asks="none", picks=True,
    ),
    # ---- whole numbers: C's % and // round towards zero, Python's down
    Operator(
        "floordiv", "torch.div({0}, {1}, rounding_mode='trunc')", ast.FloorDiv, text="trunc_divide", domain="divisor",
        noun="quotient", note="rounded towards zero, as C does", numbers="right", python="{0} // {1}", compares="signs",
        divides=True, asks="right", issued=(0, 6), whole=lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    ),
    Operator(
        "mod", "torch.fmod({0}, {1})", ast.Mod, ("fmod",), text="fmod", domain="divisor", aten=("remainder", "fmod"),
        aten_name="fmod", noun="rest", c="fmod", note="as C takes it: the sign is the dividend's", numbers="right",
        python="{0} % {1}", compares="signs", divides=True, asks="right", issued=(0, 5),
        whole=lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    ),
    Operator(
        "floor_divide", "{0} // {1}", spellings=("div_floor_integer",), domain="divisor", exact=True, noun="quotient",
        helpers=("div_floor_integer",), c="floor_divide", note="rounded down, as Python does", numbers="either",
        compares="signs", divides=True, asks="right", issued=(0, 12),
    ),
    Operator(
        "remainder", "{0} % {1}", spellings=("remainder_integer",), domain="divisor", aten=("remainder",), exact=True,
        noun="rest", helpers=("remainder_integer",), c="remainder", note="as Python takes it: the sign is the divisor's",
        numbers="either", compares="signs", divides=True, asks="right", issued=(0, 12),
    ),
    Operator("cdiv", "-(-{0} // {1})", domain="divisor", noun="blocks"),
    Operator(
        "pow", "{0} ** {1}", ast.Pow, ("pow_integer",), aten=("pow",), noun="power", c="pow", numbers="either", issued=(0, 60),
    ),
    Operator("shift_left", "{0} << {1}", ast.LShift, noun="shifted", numbers="either", asks="right"),
    Operator("shift_right", "{0} >> {1}", ast.RShift, noun="shifted", numbers="either", asks="right"),
    Operator(
        "and", "{0} & {1}", ast.BitAnd, ("logical_and",), aten_name="bitwise_and", noun="both", numbers="either", asks="none",
        whole=operator.and_,
    ),
    Operator(
        "or", "{0} | {1}", ast.BitOr, ("logical_or",), aten_name="bitwise_or", noun="either", numbers="either", asks="none",
        whole=operator.or_,
    ),
    Operator(
        "xor", "{0} ^ {1}", ast.BitXor, aten_name="bitwise_xor", noun="differing", fold="the exclusive or", neutral=0.0,
        numbers="either", asks="none",
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
    Operator("isnan", predicate=True, noun="nan", c="isnan"),
    Operator("isinf", spellings=("isinfinite",), predicate=True, noun="infinite", c="isinf"),
    Operator("isfinite", spellings=("isfinited", "finitef"), predicate=True, noun="finite", c="isfinite"),
    Operator("signbit", predicate=True, noun="negative", c="signbit", says="whether {0} is negative", compares="zero"),
    # ---- functions
    Operator("exp", spellings=("fast_expf",), aten=("exp",), c="exp", issued=(1, 8)),
    Operator("exp2", aten=("exp2",), c="exp2", issued=(1, 3)),
    Operator("expm1", aten=("expm1",), c="expm1", issued=(1, 26)),
    Operator("log", spellings=("fast_logf",), domain="positive", aten=("log",), c="log", issued=(0, 29)),
    Operator("log2", domain="positive", aten=("log2",), c="log2", issued=(0, 29)),
    Operator("log10", domain="positive", aten=("log10",), c="log10", issued=(0, 30)),
    Operator("log1p", domain="positive", aten=("log1p",), c="log1p", issued=(0, 34)),
    Operator("sqrt", spellings=("sqrt_rn", "fast_sqrt"), domain="positive", aten=("sqrt",), c="sqrt", vanishes=True, issued=(1, 1)),
    Operator("rsqrt", spellings=("rsqrt_rn",), domain="positive", aten=("rsqrt",), noun="scale", c="rsqrt", issued=(1, 1)),
    Operator("sin", spellings=("fast_sinf",), aten=("sin",), c="sin", issued=(0, 30)),
    Operator("cos", spellings=("fast_cosf",), aten=("cos",), c="cos", issued=(0, 30)),
    Operator("tan", aten=("tan",), c="tan", issued=(0, 60)),
    Operator("asin", domain="unit", aten=("asin",), noun="angle", c="asin", issued=(0, 20)),
    Operator("acos", domain="unit", aten=("acos",), noun="angle", c="acos", issued=(0, 20)),
    Operator("atan", aten=("atan",), noun="angle", c="atan", issued=(0, 50)),
    Operator("atan2", aten=("atan2",), noun="angle", c="atan2", issued=(0, 60)),
    Operator("sinh", aten=("sinh",), c="sinh"),
    Operator("cosh", aten=("cosh",), c="cosh", issued=(2, 1)),
    Operator("tanh", spellings=("fast_tanhf",), aten=("tanh",), c="tanh", issued=(0, 25)),
    Operator("asinh", aten=("asinh",), c="asinh"),
    Operator("acosh", domain="above_one", aten=("acosh",), c="acosh"),
    Operator("atanh", domain="open_unit", aten=("atanh",), c="atanh"),
    Operator("sigmoid", aten=("sigmoid",), exact=True, c="sigmoid", issued=(2, 13)),
    Operator("erf", aten=("erf",), c="erf", issued=(0, 31)),
    Operator("erfc", aten=("erfc",), c="erfc", issued=(3, 45)),
    Operator("erfinv", domain="open_unit", aten=("erfinv",), c="erfinv", issued=(0, 95)),
    Operator("lgamma", domain="positive", aten=("lgamma",), c="lgamma"),
    Operator("hypot", aten=("hypot",), c="hypot", issued=(1, 1)),
    Operator("copysign", flops=0, aten=("copysign",), noun="signed", c="copysign", numbers="right", compares="sign"),
    Operator("nextafter", aten=("nextafter",), c="nextafter"),
    Operator("ldexp", aten=("ldexp",), c="ldexp"),
    Operator("frexp_mantissa", "torch.frexp({0}).mantissa", noun="mantissa"),
    Operator("frexp_exponent", "torch.frexp({0}).exponent", noun="exponent"),
    Operator("ilogb", "torch.frexp({0}).exponent - 1", noun="exponent", c="ilogb"),
    Operator("floor", aten=("floor",), noun="rounded", c="floor", compares="whole"),
    Operator("ceil", aten=("ceil",), noun="rounded", c="ceil", compares="whole"),
    Operator("trunc", aten=("trunc",), noun="rounded", c="trunc", compares="whole"),
    Operator(
        "nearbyint", "torch.round", spellings=("rint", "llrint"), aten=("round",), aten_name="round", noun="rounded",
        c="nearbyint", compares="half",
    ),
    Operator("round", "torch.sign({0}) * torch.floor(torch.abs({0}) + 0.5)", noun="rounded", c="round", compares="half"),
    Operator("cyl_bessel_i0", "torch.special.i0({0})", noun="bessel", c="cyl_bessel_i0"),
    Operator("cyl_bessel_i1", "torch.special.i1({0})", noun="bessel", c="cyl_bessel_i1"),
    Operator("i0", "torch.special.i0({0})", noun="bessel", c="cyl_bessel_i0"),
    Operator("i1", "torch.special.i1({0})", noun="bessel", c="cyl_bessel_i1"),
    Operator("j0", "torch.special.bessel_j0({0})", noun="bessel", c="j0"),
    Operator("j1", "torch.special.bessel_j1({0})", noun="bessel", c="j1"),
    Operator("y0", "torch.special.bessel_y0({0})", domain="positive", noun="bessel", c="y0"),
    Operator("y1", "torch.special.bessel_y1({0})", domain="positive", noun="bessel", c="y1"),
    Operator("normcdf", "torch.special.ndtr({0})", c="normcdf"),
    Operator("normcdfinv", "torch.special.ndtri({0})", domain="open_unit", c="normcdfinv"),
    Operator("erfcx", "torch.special.erfcx({0})", c="erfcx"),
    Operator("cbrt", "torch.sign({0}) * torch.abs({0}) ** (1 / 3)", noun="root", c="cbrt", issued=(3, 1)),
    # ---- what a person names, and Inductor writes out
    Operator("relu", aten=("relu",), exact=True, nan="stays NaN (tl.maximum alone would drop it)", compares="zero"),
    Operator("silu", "torch.nn.functional.silu({0})", aten=("silu",), exact=True, issued=(2, 14)),
    # not exact: of -inf it is -0.0 in torch on the CPU, NaN as it is written out
    Operator("gelu", "torch.nn.functional.gelu({0})", aten=("gelu",)),
    Operator(
        "leaky_relu", "torch.nn.functional.leaky_relu({0}, {1})", aten=("leaky_relu",), exact=True, numbers="right",
        compares="zero",
    ),
    # ---- memory
    Operator("bitcast", "{0}", flops=0, noun="bits"),
    Operator("last", "{0}", flops=0, says="the one element of {0} at which the condition holds"),
    Operator(
        "bucketize", "{0}", flops=0, noun="bucket",
        says="the place of {0} among sorted boundaries: log2 of their number are read for each", compares="boundaries",
    ),
    Operator("load.gather", flops=0, aten=("embedding", "index", "gather", "index_select")),
    Operator("atomic_add", aten=("index_put", "index_put_", "scatter_add", "index_add")),
    # ---- folds
    Operator("sum", aten=("sum",), noun="total", fold="the sum", neutral=0.0),
    Operator("prod", aten=("prod",), noun="product", helpers=("_times", "prod"), fold="the product", neutral=1.0),
    Operator("max", aten=("amax", "max"), noun="largest", helpers=("maximum", "max2"), fold="the largest", neutral=-inf),
    Operator("min", aten=("amin", "min"), noun="smallest", helpers=("minimum", "min2"), fold="the smallest", neutral=inf),
    Operator("xor_sum", noun="parity"),
    Operator(
        "argmax", results=(("value", "largest", "best"), ("index", "place", "best_place")),
        helpers=("maximum_with_index", "max_with_index"), fold="the largest and its place", neutral=-inf, issued=(0, 6),
    ),
    Operator(
        "argmin", results=(("value", "smallest", "best"), ("index", "place", "best_place")),
        helpers=("minimum_with_index", "min_with_index"), fold="the smallest and its place", neutral=inf, issued=(0, 6),
    ),
    # ---- steps of folds; the last step of a fold that was counted, and comparisons, cost nothing
    Operator("any", flops=0, predicate=True, noun="some", helpers=("_either", "any"), fold="the logical or", neutral=0.0),
    Operator(
        "welford", flops=0, helpers=("welford_combine", "welford"),
        results=(("mean", "mean", "running_mean"), ("m2", "m2", "running_m2"), ("weight", "count", "running_count")),
        fold="the mean, the sum of squared deviations and the count", issued=(0, 18),
    ),
    Operator(
        "online_softmax", flops=0, results=(("max", "largest", "running_max"), ("sum", "total", "running_sum")),
        fold="the maximum and the sum of exponentials", neutral=-inf, issued=(2, 30),
    ),
    Operator("sort", flops=0, says="sorts the row inside the program, values and their places together"),
    Operator("max_with_first_index", helpers=("max2", "max_with_first_index"), note="where it stands first"),
    Operator("min_with_first_index", helpers=("min2", "min_with_first_index"), note="where it stands first"),
    Operator("fmax2", helpers=("fmaximum", "fmax2")),
    Operator("maximum_with_index", flops=1, helpers=("maximum_with_index",)),
    Operator("minimum_with_index", flops=1, helpers=("minimum_with_index",)),
    Operator("welford_reduce", flops=7, helpers=("welford_reduce",)),  # two differences, a division, a product, three sums
    Operator("welford_combine", flops=9, helpers=("welford_combine",)),
    Operator("online_softmax_combine", flops=5),
    Operator("online_softmax_combine_with_sum", flops=6),
    # ---- what changes nothing
    Operator("promote_to_tensor", "{0}", flops=0, helpers=("promote_to_tensor",), c="{0}"),
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
