"""Softmax, its logarithm and cross-entropy: forward, backward, whole and split over kernels."""

from __future__ import annotations

from inductor_lab.computation.naming.terms import Call, Number, Place, Sum, Term, walk
from inductor_lab.computation.naming.written import written


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
CHOSEN = "where(t == i, c, 0)"
SAVED = {"m": "loaded", "x": "of more elements than m"}

LOG = "h - exp(y) * sum(h)", "g - exp(y) * sum(g)"
BACKWARD = (
    written(
        "cross_entropy_backward", *LOG, h=f"one addend, made of {CHOSEN}", g=f"made of {CHOSEN}", factor=True, inputs=()
    ),
    written("log_softmax_backward", *LOG, h="one addend", factor=True, inputs=("h", "g")),
    written(
        "softmax_backward", "h - x * sum(h)", h="one addend", x="a factor of h", factor=True, inputs=("h / x", "x")
    ),
    written("nll_loss_backward", CHOSEN, i="a position", when="in a backward graph"),
)
FORWARD = (
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
PARTS = (
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
