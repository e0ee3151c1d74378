"""Formulas of the functions that have a name: activations, dropout, softmax, norms, steps of optimizers; forward and backward.

written("dropout", "m * x * c", m="a loaded bool", c="above 1")        where(mask, x, 0) * 1.11
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from inductor_lab.computation import tree
from inductor_lab.computation.naming.conditions import written
from inductor_lab.computation.naming.match import Asked, Row, is_number
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import Call, Leaf, Number, Place, Sum, Term, close, product, value_of, walk
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Operation

LOADED = {"m": "a loaded bool", "c": "above 1"}
SAMPLES, ELEMENTS = "m one of each sample", "m not one of each sample"
DROPOUTS = (
    written("dropout", "(rand(seed, i) > c) * x", "(rand(seed, i) < c) * x"),
    written("dropout", "m * x * c", where=LOADED, held=ELEMENTS, when="in a forward graph"),
    written("drop_path", "m * x * c", where=LOADED, held=SAMPLES, when="in a forward graph"),
    written("dropout_backward", "m * x * c", where=LOADED, held=ELEMENTS, when="in a backward graph"),
    written("drop_path_backward", "m * x * c", where=LOADED, held=SAMPLES, when="in a backward graph"),
    written("dropout_mask", "rand(seed, i) > c", "rand(seed, i) < c"),
)


GELU = "0.5 * x * (erf(x / sqrt(2)) + 1)"
GELU_TANH = (
    "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))",
    "0.5 * x * (1 + tanh(sqrt(2 / pi) * x * (1 + 0.044715 * x ** 2)))",
)

GATED = (
    written(
        "swiglu", "x * sigmoid(x) * y", y="a tensor of x's shape or a sum", when="not in a backward graph", alone=True
    ),
    written(
        "geglu",
        f"{GELU} * y",
        *(f"{one} * y" for one in GELU_TANH),
        y="a tensor of x's shape",
        when="not in a backward graph",
        alone=True,
    ),
)
BY_TANH = written("gelu_tanh", *GELU_TANH, simple=True)
ACTIVATIONS = (
    written("gelu", GELU, simple=True),
    BY_TANH,
    written("silu", "x * sigmoid(x)", simple=True),
    written("hardswish", "x * minimum(maximum(x + 3, 0), 6) / 6"),
    written("hardsigmoid", "minimum(maximum(x + 3, 0), 6) / 6"),
    written("softcap", "tanh(x / c) * c", c="above 1", alone=True),
    written("softplus", "where(x > c, x, log1p(exp(x)))"),
    written("elu", "where(x > 0, x, expm1(x))"),
    written("relu", "maximum(x, 0)", simple=True),
    written("leaky_relu", "where(x > 0, x, x * c)", simple=True),
    written("sigmoid", "sigmoid(x)", simple=True),
    written("tanh", "tanh(x)", simple=True),
)
ACTIVATION_BACKWARD = (
    written(
        "gelu_tanh_backward",
        "g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * sqrt(2 / pi) * (1 + 3 * 0.044715 * x ** 2))",
        "0.5 * g * (1 + t) + u + 3 * 0.044715 * x ** 2 * u",
        t="tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))",
        u="0.5 * g * x * (1 - t * t) * sqrt(2 / pi)",
    ),
    written("gelu_backward", "g * (0.5 * (erf(x / sqrt(2)) + 1) + x * exp(-x * x / 2) / sqrt(2 * pi))"),
    written("silu_backward", "g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"),
    written(
        "hardswish_backward",
        "where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))",
        "where(x < -3, 0, where(x <= 3, g * (x / 3 + 0.5), g))",
    ),
    written(
        "hardsigmoid_backward",
        "where((x > -3) & (x < 3), g / 6, 0)",
        g="times no number, or any where the comment names it",
    ),
    written("relu_backward", "where(y <= 0, 0, g)"),
    written("relu_backward", "where(m, 0, g)", m="a loaded bool", when="where the comment names a relu's backward"),
    written(
        "leaky_relu_backward",
        "where(x > 0, g, g * c)",
        "where(m, g, g * c)",
        c="below 1",
        m="a loaded bool",
        when="in a backward graph",
    ),
    written("sigmoid_backward", "g * s * (1 - s)"),
    written("tanh_backward", "g * (1 - t * t)", t="loaded or a tanh"),
)


def _unmasked(x: Term) -> tuple[Term, str]:
    """What a softmax is taken of without its mask, and what that is called."""
    match x:
        case Call(name="where", of=(condition, one, other)):
            kept = other if _lowest(one) else one
            if _lowest(one) or _lowest(other):
                return kept, "causal" if causal(condition) else "masked"
        case Sum(constant=0.0, of=of):
            return x, next(filter(None, (_unmasked(part)[1] for part in of)), "")
    return x, ""


def _lowest(term: Term) -> bool:
    return isinstance(term, Number) and term.value < -1e4


def causal(condition: Term) -> bool:
    """True where it compares one position with another."""
    return any(
        isinstance(part, Call) and part.name in {"le", "lt"} and all(isinstance(side, Place) for side in part.of)
        for part in walk(condition)
    )


SUM = "sum(exp(x - max(x)))", "sum(exp(x - m))"
TARGET = "where(t == i, c, 0)"
SAVED = {"m": "loaded", "x": "of more elements than m"}

LOG = "h - exp(y) * sum(h)", "g - exp(y) * sum(g)"
SOFTMAX_BACKWARD = (
    written(
        "cross_entropy_backward", *LOG, h=f"one addend, made of {TARGET}", g=f"made of {TARGET}", factor=True, inputs=()
    ),
    written("log_softmax_backward", *LOG, h="one addend", factor=True, inputs=("h", "g")),
    written(
        "softmax_backward", "h - x * sum(h)", h="one addend", x="a factor of h", factor=True, inputs=("h / x", "x")
    ),
    written("nll_loss_backward", TARGET, i="a position", when="in a backward graph"),
)
SOFTMAX_FORWARD = (
    written("softmax", "e / sum(e)", e="exp(x - max(x))", shown=_unmasked),
    written("softmax", "exp(x) / sum(exp(x))", shown=_unmasked),
    written("softmax", "exp(x - m) / s", m="loaded or the larger", s="a sum of exp(y - m), y of the tensors of x", shown=_unmasked),
    written("softmax", "exp(x - m) / s", where=SAVED, s="as m", shown=_unmasked),
    written("log_softmax", "x - max(x) - log(sum(exp(x - max(x))))", alone=True),
    written("cross_entropy", "sum(where(t != c, m + l - x, 0)) [/ n]", n="one factor", m="loaded or a maximum", l="as m or a logarithm",
            x="where data says", inputs=()),
    written("nll_loss", "sum(where(t != c, -x[i], 0)) [/ n]", n="one factor", inputs=()),
    written(
        "log_softmax", "x - m - l", m="loaded", l="as m", x="of more elements than m, none where data says", alone=True
    ),
    written("mse_loss", "mean((x - y) ** 2)", x="loaded", y="loaded", alone=True, inputs=()),
)  # fmt: skip
SOFTMAX_PARTS = (
    written(
        "softmax_statistics",
        *(f"log({text})" for text in SUM),
        where=SAVED,
        words="row max and log of the sum of softmax",
        alone=True,
        shown=lambda x: (_unmasked(x)[0], "log"),
    ),
    written(
        "softmax_statistics",
        *SUM,
        where=SAVED,
        words="row max and sum of softmax",
        alone=True,
        shown=lambda x: (_unmasked(x)[0], ""),
    ),
)


WHOLE = {"d": "x - mean(x)", "r": "rsqrt(mean(d ** 2) + eps)", "z": "d * r"}
SAVED_NORM = "z * w + b", "(x - m) * rsqrt(v + eps) * w + b"
MEAN_LOADED = {
    "z": "(x - m) * r", "m": "loaded", "r": "as m", "v": "as m, times a number", "x": "of more elements than m, not negated", "b": "as w",
}  # fmt: skip
NORM_ROWS = (
    written("layer_norm", "z * w [+ b]", where=WHOLE, w="along the row", b="as w"),
    written("batch_norm", "z * w [+ b]", where=WHOLE, w="constant along the row", b="as w", when="where the comment names no other norm"),
    written("group_norm", "z * w [+ b]", where=WHOLE, w="along a part of the row", b="as w"),
    *(
        written(f"{kind}_norm", "z [* w] [+ b]", where=WHOLE, w="loaded", b="as w", when=f"where the comment names a {kind} norm")
        for kind in ("layer", "batch", "group")
    ),
    written("standardize", "z", where=WHOLE, when="where the comment names no norm"),
    written("rms_norm", "x * rsqrt(mean(x * x) + eps) [* w]", w="along the row"),
    written("group_norm", *SAVED_NORM, where=MEAN_LOADED, w="loaded", when="where the comment names a group norm"),
    written("batch_norm", *SAVED_NORM, where=MEAN_LOADED, w="as m", when="where the comment names no other norm"),
    written("layer_norm", *SAVED_NORM, where=MEAN_LOADED, w="loaded"),
    written("l2_normalize", "x / sqrt(sum(x * x))", "x / maximum(sqrt(sum(x * x)), c)"),
)  # fmt: skip
"""The mean and the deviation made in the kernel, or loaded."""


def _tensor(term: Term) -> tuple[Term, str]:
    """Of a gradient times weights and numbers of the row, the gradient."""
    whole = [base for base in product(term)[1] if base.axes == term.axes]
    return (whole[0] if len(whole) == 1 else term), ""


NORM_ROW = "h - mean(h) - d [* r ** 2] * mean(h * d)", "h - c * s - d [* r ** 2] * mean(h * d)"
NORM_GRADIENTS = (
    written("layer_norm_backward", *NORM_ROW, h="one addend", s="constant along the row", r="constant along the row", factor=True,
            when="where the comment names no batch norm", inputs=("h",), shown=_tensor),
    written("rms_norm_backward", "h - x * r ** 2 * mean(h * x) [* s ** 2]", s="a number of the graph", h="one addend",
            r="a factor of h, of each row", factor=True, inputs=("h",), shown=_tensor),
    written("batch_norm_backward", "(g - (x - m) * r ** 2 * s * c - t * c) * r [* w]", m="loaded", x="not negated", w="as m", s="loaded or a sum",
            t="loaded or a sum", when="where the comment names a batch norm, and no other's backward", inputs=("g",)),
    written("group_norm_backward", "h + x * s * r ** 3 * c - s * m * r ** 3 * c - t * r * c", h="one addend", s="loaded", r="loaded", m="loaded",
            t="loaded", when="where the comment names a group norm", inputs=("h",), shown=_tensor),
    written("layer_norm_weight_gradient", "sum(g * (x - m) * r)", x="not negated", m="loaded", r="as m",
            held="r one number of each row that is folded", partly="r", when="in a backward graph", words="weight gradient of layer_norm", inputs=("g",)),
    written("batch_norm_sums", "sum(g * (x - m))", x="not negated", m="constant along the row",
            when="in a backward graph whose comment names a batch norm", words="sums for batch_norm_backward", inputs=("g",)),
    written("rms_norm_weight_gradient", "sum(g * y * r)", y="one factor", r="loaded", held="r one number of each row that is folded", partly="r",
            when="in a backward graph", words="weight gradient of rms_norm", inputs=("g",)),
)  # fmt: skip
"""Of a row, whole and split over kernels, and of the weights."""
SPREAD = {"d": "x - mean(x)"}
WELFORD = "(x, y, n)"
"""Means, squared deviations and counts of parts that are put together."""
COUNTED = {"y": "a value or a number", "n": "a value or a number"}


def _statistics(norm: str, name: str, words: str) -> Iterator[Row]:
    when = f"where the comment names {f'a {norm}' if norm else 'no norm'}"
    texts = ("rsqrt(mean(d ** 2) [* c] + eps) [* c]", "sum(d ** 2) [* c]", f"rsqrt(c * welford_m2{WELFORD} + eps)", f"welford_m2{WELFORD} [* c]",
             f"welford_mean{WELFORD}")  # fmt: skip
    yield written(name, *texts, where=SPREAD | COUNTED, when=when, words=words, alone=True, inputs=("x",))
    yield written(name, "welford_weight(x)", f"welford_weight{WELFORD}", where=COUNTED, when=when, words=words, alone=True,
                  shown=lambda x: (x, "partial"))  # fmt: skip


RUNNING = (
    "m + sum(x) * c",
    "m + sum(d ** 2) * c",
    f"m + welford_mean{WELFORD} * c",
    f"m + welford_m2{WELFORD} * c",
)
NORM_STATISTICS = (
    written("batch_norm_running", *RUNNING, where=SPREAD | COUNTED, m="loaded, times a number below 1", when="where the comment names a batch norm",
            words="running statistics", alone=True, inputs=()),
    written("standard_deviation", "sqrt(sum(d ** 2)) [* c]", f"sqrt(welford_m2{WELFORD}) [* c]", where=SPREAD | COUNTED, words="standard deviation", alone=True,
            inputs=("x",)),
    *_statistics("layer norm", "layer_norm_statistics", "statistics of layer_norm"),
    *_statistics("batch norm", "batch_norm_statistics", "statistics of batch_norm"),
    *_statistics("group norm", "group_norm_statistics", "statistics of group_norm"),
    *_statistics("", "mean_and_variance", "statistics (mean, variance)"),
    written("rms", "rsqrt(mean(x * x) + eps)", words="rms (of rms_norm)", alone=True),
)  # fmt: skip
"""Means, variances and deviations, where another kernel does the rest."""


MOMENTS = {
    "a": "m + g * alpha", "b": "v + g ** 2 * beta", "m": "one addend, loaded", "v": "one addend, loaded",
}  # fmt: skip
ROLES = {"p": "param", "v": "exp_avg_sq", "g": "grad", "m": "exp_avg"}
"""A variable of a step -> torch's word for it."""
STEPS = (
    written("adamw_step", "p * c + k * a / (q * sqrt(b) + eps)", where=MOMENTS, p="loaded", c="below 1", inputs=()),
    written("adam_step", "p + k * a / (q * sqrt(b) + eps)", where=MOMENTS, p="one addend, loaded", inputs=()),
)
OPTIMIZERS = (
    *STEPS,
    written("moving_average", "m * alpha + g * beta", m="loaded", alpha="below 1", beta="below 1", held="alpha + beta = 1",
            when="where the comment names a lerp or an optimizer's operator", words="moving average", alone=True, inputs=()),
)  # fmt: skip


def roles(job: Computation) -> dict[str, str]:
    """Pointer -> what it is to a step of Adam's or AdamW's, by torch's words: `param`, `grad`, `exp_avg`, `exp_avg_sq`, `step`.

    Empty for a job that is none; without the gradient where something is added to it first.
    """
    asked = Asked(Normal(job), frozenset(), "unknown", {})
    for value in (asked.normal.of(store.value) for store in job.stores if store.value is not None):
        for found in (match.bound for row in STEPS if (match := row.find(value, asked))):
            told = {found[name]: role for name, role in ROLES.items()}
            decay = 1 / (1 + (value_of(found["beta"]) or 0.0))
            for each in walk(value):
                match each:
                    case Call(name="pow", of=(Number(value=base), Leaf() as power)) if close(base, decay):
                        told[power] = "step"
            return {leaf.pointer: role for leaf, role in told.items() if isinstance(leaf, Leaf)}
    return {}


def gelus_by_tanh(job: Computation) -> dict[Expression, Expression]:
    """GELU by its tanh approximation -> what it is taken of. Models write it out in several orders, PyTorch in another one."""
    operations = [node for node in reversed(job.nodes) if isinstance(node, Operation)]  # what others are made of first
    found: dict[Expression, Expression] = {}
    if not any(node.name == "tanh" for node in operations):
        return found
    asked = Asked(Normal(job), frozenset(), "unknown", {})
    with suppress(RecursionError):  # a choice in a choice in a choice, deeper than anybody has a name for
        for node in operations:
            term = asked.normal.of(node)
            match = BY_TANH.find(term, asked) if node.name == "mul" else None
            if match is not None and match.rest is not None and is_number(match.rest, 1.0):
                x = next((part for part in tree.walk(node) if asked.normal.of(part) is match.bound["x"]), None)
                found |= {node: x} if x is not None else {}
    return found
