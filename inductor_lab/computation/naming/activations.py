"""Activations: one element in, one element out; and their derivatives, with which a backward graph multiplies each gradient."""

from __future__ import annotations

from inductor_lab.computation.naming.written import written

GELU = "0.5 * x * (erf(x / sqrt(2)) + 1)"
GELU_TANH = "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))"

GATED = (
    written(
        "swiglu", "x * sigmoid(x) * y", y="a tensor of x's shape or a sum", when="not in a backward graph", alone=True
    ),
    written(
        "geglu",
        f"{GELU} * y",
        f"{GELU_TANH} * y",
        y="a tensor of x's shape",
        when="not in a backward graph",
        alone=True,
    ),
)
FORWARD = (
    written("gelu", GELU, simple=True),
    written("gelu_tanh", GELU_TANH, simple=True),
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
BACKWARD = (
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
